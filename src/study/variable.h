// What an optimisation or a fit may change of a model: numbers within a range, whole numbers, or values of a list.
#ifndef STUDY_VARIABLE_H
#define STUDY_VARIABLE_H

#include "study/plan.h"

typedef enum VariableKind { VARIABLE_REAL, VARIABLE_INTEGER, VARIABLE_CHOICE } VariableKind;

typedef struct Variable {
    const char *path; // "constants.clearance"
    VariableKind kind;
    double low, high; // of numbers, in `unit`
    bool logarithmic; // equal factors are equal steps
    const char *unit; // "mm"; "" of pure numbers
    StudyAxis list;   // of choices
    bool ordered;     // choices that are numbers of one unit, in rising order: neighbours are alike
} Variable;

enum { VARIABLES_MAX = 12, VARIABLE_COORDINATES_MAX = 64 };

// "clearance=4:12 mm", "1:20:log mm", "50:300:integer"; a list or "4:12:9 mm" as in study_axis_read.
MrcStatus variable_read(const char *text, Arena *arena, Variable *variable, MrcError *error);
// All of them: `variables` has room for VARIABLES_MAX.
MrcStatus variables_read(const char *const *texts, int count, Arena *arena, Variable *variables,
                         MrcError *error);

// A place is a number from 0 to 1 for each variable. The nearest one that stands for a value that is tried: numbers are
// rounded to a thousandth of their range, whole numbers and choices to themselves.
double variable_snap(const Variable *variable, double place);
// The value there, as an override has it; false: memory is out.
bool variable_value(const Variable *variable, double place, Arena *arena, StudyValue *value);
double variable_number(const Variable *variable, double place); // of numbers, in `unit`
double variable_place(const Variable *variable, double number); // the inverse

// Coordinates of a place for a surrogate: one per variable, but one per word of a list of words, which are all equally
// far apart. Returns how many were written.
int variable_coordinates(const Variable *variable, double place, double *coordinates);

// The columns of a table over variables; NULL: memory is out.
StudyColumn *variable_columns(const Variable *variables, int count, Arena *arena);

#endif
