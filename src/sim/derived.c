#include "sim/derived.h"

const Expression *derived_compile(const RecordDefinition *record, int k, const SignalList *list, Arena *arena,
                                  ExpressionError *error) {
    size_t count = list->signals.count;
    ExpressionSignal *signals = arena_alloc(arena, (count + 1) * sizeof *signals);
    *error = (ExpressionError){.text = "no memory left"};
    if (!signals) return NULL;
    for (size_t s = 0; s < count; s++)
        signals[s] = (ExpressionSignal){list->signals.data[s].name, list->signals.data[s].dimension};
    ExpressionScope scope = record->scope;
    scope.signals = signals, scope.signal_count = count;
    return expression_compile(arena, record->derived[k].formula, &scope, error);
}

// Its inputs, numbered from 0 in the order in which it reads them.
static bool derived_connect(Derived *derived, const Expression *formula, const SignalList *list,
                            Arena *arena) {
    size_t count = expression_signal_count(formula);
    size_t *places = arena_alloc(arena, (count + 1) * sizeof *places);
    derived->inputs = arena_alloc(arena, (count + 1) * sizeof *derived->inputs);
    derived->scratch = arena_alloc(arena, (count + 1) * sizeof *derived->scratch);
    if (!places || !derived->inputs || !derived->scratch) return false;
    for (size_t i = 0; i < count; i++) {
        places[i] = i;
        derived->inputs[i] = list->signals.data[expression_signal(formula, i)].value;
    }
    derived->input_count = count;
    derived->formula = expression_renumber(arena, formula, places);
    return derived->formula;
}

void derived_signals(const RecordDefinition *record, SignalList *list, Derived *values, Arena *arena) {
    for (int k = 0; k < record->derived_count; k++) {
        ExpressionError error;
        char unit[64];
        const Expression *formula = derived_compile(record, k, list, arena, &error);
        const char *words = arena_printf(arena, "formula: %s", record->derived[k].formula);
        if (!formula) continue;
        if (!words) list->incomplete = true;
        if (values && !derived_connect(&values[k], formula, list, arena)) {
            list->incomplete = true;
            return;
        }
        Dimension dimension = expression_dimension(formula);
        dimension_unit(dimension, unit, sizeof unit);
        // A moment times an angular velocity too: the angle of its unit is no dimension of a power.
        if (dimension_equal(dimension, DIMENSION(2, 1, -3, 0)) ||
            dimension_equal(dimension, DIMENSION(2, 1, -3, 1)))
            snprintf(unit, sizeof unit, "W");
        signal_list_add_one(list, (Signal){.name = record->derived[k].name,
                                           .dimension = expression_dimension(formula),
                                           .unit = unit,
                                           .value = values ? &values[k].value : NULL,
                                           .words = words});
    }
}

void derived_compute(Derived *derived, int count, TimePoint at) {
    for (int k = 0; k < count; k++) {
        Derived *d = &derived[k];
        if (!d->formula) continue;
        for (size_t i = 0; i < d->input_count; i++) d->scratch[i] = *d->inputs[i];
        d->value = expression_value(d->formula, at, d->scratch);
    }
}
