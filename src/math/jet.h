// A value with its first and second time derivative.
#ifndef MATH_JET_H
#define MATH_JET_H

typedef struct Jet {
    double value, rate, second; // f, df/dt, d2f/dt2
} Jet;

#endif
