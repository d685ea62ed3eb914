// Inputs: named external quantities that expressions may use, such as a control force or a measured motion.
//
// The definition of an input belongs to the model and never changes (InputDefinition). The values set during a
// run belong to the simulation (Inputs), so that two simulations of one model may differ. Until a value is set,
// the table applies, or the default. A value that was set is constant in time: its rate is zero.
#ifndef MATH_INPUT_H
#define MATH_INPUT_H

#include "base/archive.h"
#include "math/table.h"

typedef struct InputDefinition {
    const char *name;
    Dimension dimension;
    bool bare;          // it has no unit: SI numbers are meant
    bool hertz;         // it is in Hz, and refused where an angular velocity is expected
    double fallback;    // its value without a table, while none was set, in SI
    const Table *table; // its values over time, in SI; NULL: none
    // as written in the model file
    const char *unit;          // NULL: that of the default, or of the table's column
    const char *path;          // of the table; NULL: none
    const char *time, *column; // headings in it; NULL: the first column, the name of the input
    TableInterpolation interpolation;
    TableOutside outside;
} InputDefinition;

// The inputs of one simulation. They may be set between steps only; reading is safe from several threads.
typedef struct Inputs {
    const InputDefinition *definitions;
    int count;
    double *values; // that were set, in SI; NaN: none was (count)
} Inputs;

// `definitions` must outlive the inputs. False: memory ran out.
bool inputs_create(Inputs *inputs, Arena *arena, const InputDefinition *definitions, int count);
// The value in SI, from now on. False, and nothing is changed, when it is not finite.
bool inputs_set(Inputs *inputs, int index, double value);
void inputs_copy(Inputs *to, const Inputs *from); // the values; both are of the same definitions
Jet inputs_jet(const Inputs *inputs, int index, double t);
void inputs_archive(Inputs *inputs, Archive *archive);

int input_find(const InputDefinition *definitions, int count, const char *name); // its index; -1: none
Jet input_jet(const InputDefinition *definition, double t);                      // while none is set

// When an expression is evaluated: the time, and the inputs that hold then.
typedef struct TimePoint {
    double time;          // [s]
    const Inputs *inputs; // NULL: none is set
} TimePoint;

#endif
