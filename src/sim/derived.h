// Derived signals: formulas of other signals, `record: {derived: {power: shaft.mz*drum.wz}}`.
#ifndef SIM_DERIVED_H
#define SIM_DERIVED_H

#include "math/expression.h"
#include "partner/signal.h"
#include "sim/definition.h"

typedef struct Derived { // one of them, ready to be computed
    const Expression *formula;
    const double **inputs; // values of the signals that it reads, by their place
    size_t input_count;
    double *scratch; // (input_count)
    double value;
} Derived;

// The formula, of the signals in `list`; NULL and *error when it does not parse.
const Expression *derived_compile(const RecordDefinition *record, int k, const SignalList *list, Arena *arena,
                                  ExpressionError *error);
// Adds all of them to the list, those before it included in what each may use. `values`: where they will be; NULL: of a
// definition only. Formulas that do not parse are left out.
void derived_signals(const RecordDefinition *record, SignalList *list, Derived *values, Arena *arena);
void derived_compute(Derived *derived, int count, TimePoint at);

#endif
