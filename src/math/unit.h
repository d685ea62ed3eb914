// Dimensions and units: `58 mm`, `40 N*m/deg`, `11344 kg/m^3`.
//
// A dimension is four exponents: length, mass, time, angle. The radian is kept apart from the pure number so
// that `friction: 5 deg` is caught, but a pure number is accepted where an angle is expected (1 rad = 1).
// Exponents are stored in twelfths, so that square, cube and fourth roots stay exact.
#ifndef MATH_UNIT_H
#define MATH_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DIMENSION_ONE = 12 };

typedef struct Dimension {
    int16_t length, mass, time, angle; // exponents in twelfths
} Dimension;

#define DIMENSION(l, m, t, a)                                                                                \
    ((Dimension){(l)*DIMENSION_ONE, (m)*DIMENSION_ONE, (t)*DIMENSION_ONE, (a)*DIMENSION_ONE})
#define DIM_NUMBER DIMENSION(0, 0, 0, 0)
#define DIM_LENGTH DIMENSION(1, 0, 0, 0)
#define DIM_MASS DIMENSION(0, 1, 0, 0)
#define DIM_TIME DIMENSION(0, 0, 1, 0)
#define DIM_ANGLE DIMENSION(0, 0, 0, 1)
#define DIM_FREQUENCY DIMENSION(0, 0, -1, 0)
#define DIM_VELOCITY DIMENSION(1, 0, -1, 0)
#define DIM_ACCELERATION DIMENSION(1, 0, -2, 0)
#define DIM_ANGULAR_VELOCITY DIMENSION(0, 0, -1, 1)
#define DIM_ANGULAR_ACCELERATION DIMENSION(0, 0, -2, 1)
#define DIM_FORCE DIMENSION(1, 1, -2, 0)
#define DIM_MOMENT DIMENSION(2, 1, -2, 0)
#define DIM_ENERGY DIMENSION(2, 1, -2, 0)
#define DIM_POWER DIMENSION(2, 1, -3, 0)
#define DIM_PRESSURE DIMENSION(-1, 1, -2, 0)
#define DIM_DENSITY DIMENSION(-3, 1, 0, 0)
#define DIM_STIFFNESS DIMENSION(0, 1, -2, 0)
#define DIM_DAMPING DIMENSION(0, 1, -1, 0)
#define DIM_INERTIA DIMENSION(2, 1, 0, 0)
#define DIM_VOLUME DIMENSION(3, 0, 0, 0)
#define DIM_AREA DIMENSION(2, 0, 0, 0)

bool dimension_equal(Dimension a, Dimension b);
// May a value of dimension `given` stand where `expected` is asked for? Equal, or only angles differ: `given`
// lacks them, or they came along in a length or a moment (radius * angular velocity).
bool dimension_accepts(Dimension expected, Dimension given);
Dimension dimension_mul(Dimension a, Dimension b);
Dimension dimension_div(Dimension a, Dimension b);

// "a length (m)", "a stiffness (N/m)", "kg*m^-2*s^-1": for error messages.
const char *dimension_describe(Dimension dimension, char *buffer, size_t size);
// The SI unit: "m", "m/s^2", "N", "N*m", "Pa", "1" for a pure number: for headings.
const char *dimension_unit(Dimension dimension, char *buffer, size_t size);

// One unit symbol, with or without an SI prefix ("mm", "kN", "deg", "rpm", "g"): its factor to SI and its
// dimension. False when unknown.
bool unit_find(const char *symbol, size_t length, double *factor, Dimension *dimension);

// A product of units, such as N*m/deg. expression_units (math/expression.h) reads it from a text.
typedef struct Units {
    double factor; // to SI
    Dimension dimension;
    bool hertz; // Hz, with or without a prefix, and nothing else
} Units;

// value * factor, so that 58 mm is the same double as 0.058.
double units_to_si(double value, double factor);

// The known unit symbol nearest to a misspelt one, or NULL.
const char *unit_nearest(const char *symbol, size_t length);

// A quantity that can be recorded, and where its value is in the struct that holds all of a kind
// (partner/signal.h).
typedef struct SignalRow {
    const char *suffix;
    Dimension dimension;
    size_t offset;     // of the double
    const char *words; // what it is, with sign and axes
    const char *unit;  // NULL: that of the dimension
} SignalRow;

#endif
