// Expressions of time, with units: `0.001*sin(2*pi*12*t)`, `F0*sin(2*pi*f*t)`, `58 mm`, `-K*(support.y -
// y0)`.
//
// Compiled once to a short program for a stack machine; dimensions are checked then, so evaluation is plain
// arithmetic. A jet evaluates the value with its first and second time derivative (forward differentiation),
// so that a motion given by its position has an exact velocity and acceleration.
//
// An expression holds the definitions of the inputs that it uses: without a simulation, their tables and
// defaults hold.
#ifndef MATH_EXPRESSION_H
#define MATH_EXPRESSION_H

#include "base/memory.h"
#include "math/input.h"
#include "math/jet.h"
#include "math/unit.h"

typedef struct Expression Expression;

// A name an expression may use besides `t`, `pi` and the functions.
typedef struct ExpressionConstant {
    const char *name;
    double value; // in SI
    Dimension dimension;
    bool bare;  // given without a unit
    bool hertz; // expression_is_hertz of what was given: then it is refused where an angular velocity is
                // expected
} ExpressionConstant;

// A measured signal of the system (support.y); its value comes with each evaluation.
typedef struct ExpressionSignal {
    const char *name;
    Dimension dimension;
} ExpressionSignal;

typedef struct ExpressionScope {
    const ExpressionConstant *constants;
    size_t constant_count;
    const ExpressionSignal *signals; // `signal_count` may be 0
    size_t signal_count;
    const InputDefinition *inputs; // they must outlive the expression; `input_count` may be 0
    size_t input_count;
} ExpressionScope;

typedef struct ExpressionError {
    size_t offset; // into the text, in bytes: where the trouble starts
    char text[256];
} ExpressionError;

// NULL and *error when the text does not parse or its dimensions do not fit together.
Expression *expression_compile(Arena *arena, const char *text, const ExpressionScope *scope,
                               ExpressionError *error);
Expression *expression_from_value(Arena *arena, double value, Dimension dimension);

Dimension expression_dimension(const Expression *expression);
bool expression_is_bare(const Expression *expression);     // carries no unit: SI is meant
bool expression_is_constant(const Expression *expression); // uses neither t, signals nor inputs
bool expression_is_hertz(const Expression *expression);    // one number given in Hz: a frequency, not rad/s

// The distinct signals an expression reads: how many, and the place of each in the scope's list.
size_t expression_signal_count(const Expression *expression);
size_t expression_signal(const Expression *expression, size_t k);

// The distinct inputs that it uses, likewise.
size_t expression_input_count(const Expression *expression);
const InputDefinition *expression_input(const Expression *expression, size_t k);

// signals[i] is the value of the scope's signal i; NULL: all 0. Safe from several threads at once.
double expression_value(const Expression *expression, TimePoint at, const double *signals);
Jet expression_jet(const Expression *expression, TimePoint at); // signals count as constant 0
// The derivative with respect to the scope's signal `signal`, all else held constant. At a kink it is the one
// for growing values of the signal.
double expression_derivative(const Expression *expression, TimePoint at, const double *signals,
                             size_t signal);

// The same expression with its signals numbered anew: its k-th signal becomes signals[places[k]]. A caller
// that needs a few of many signals keeps a short list of values. NULL when memory ran out.
Expression *expression_renumber(Arena *arena, const Expression *expression, const size_t *places);

// Reads a product of units that is the whole text; "1" is that of a pure number. False and *error otherwise.
bool expression_units(const char *text, Units *units, ExpressionError *error);

// What a word means in every expression ("a unit", "a function", "the time", "the number pi"), so that it
// cannot name anything else; NULL: nothing.
const char *expression_word_meaning(const char *word);

// Why the expression does not fit `expected`, as one phrase, or NULL when it fits. Bare ones fit everything.
const char *expression_misfit(const Expression *expression, Dimension expected, char *buffer, size_t size);
// The same, where what is expected has another name than its dimension: "a flow of mass (kg/s)"; NULL: it has not.
const char *expression_misfit_as(const Expression *expression, Dimension expected, const char *words,
                                 char *buffer, size_t size);

#endif
