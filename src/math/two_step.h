// The implicit linear two-step integrator: second order, A-stable, with adjustable algorithmic damping.
//
//     y(n+1) = a1 y(n) + a2 y(n-1) + h [b0 y'(n+1) + b1 y'(n) + b2 y'(n-1)]
//
//     a1 = 1 - beta, a2 = beta, b0 = 1/2 + delta, b1 = 1/2 + beta/2 - 2 delta, b2 = beta/2 + delta
//     beta  = [3 (1 - rho)^2 + 4 (2 rho - 1)] / [4 - (1 - rho)^2]
//     delta = (1 - rho)^2 / (2 [4 - (1 - rho)^2])
//
// rho = rho_inf in [0, 1] is the spectral radius for infinitely fast motion: 1 damps nothing, 0 (which is
// BDF2) damps it out in one step. With these b0 = 2 / [(1 + rho) (3 - rho)].
//
// Source: Zhang et al. 2020, Eqs. 2-6 (doi:10.1016/j.mechmachtheory.2020.104181), after Masarati, Lanz and Mantegazza,
// Multistep integration of ordinary, stiff and differential-algebraic problems, XVI AIDAA congress, 2001 (no DOI).
#ifndef MATH_TWO_STEP_H
#define MATH_TWO_STEP_H

#include <complex.h>

typedef struct TwoStep {
    double a1, a2;     // weights of y(n), y(n-1)
    double b0, b1, b2; // weights of h y'(n+1), h y'(n), h y'(n-1)
} TwoStep;

static inline TwoStep two_step(double rho_inf) {
    double square = (1 - rho_inf) * (1 - rho_inf), divisor = 4 - square;
    double beta = (3 * square + 4 * (2 * rho_inf - 1)) / divisor;
    double delta = square / (2 * divisor);
    return (TwoStep){.a1 = 1 - beta,
                     .a2 = beta,
                     .b0 = delta + 0.5,
                     .b1 = beta / 2 + 0.5 - 2 * delta,
                     .b2 = beta / 2 + delta};
}

// The rate y'(n+1) predicted from the past by cubic Hermite extrapolation (Eq. 5): the start of Newton's
// iteration, and the motion that a partner is given before the step is solved.
static inline double two_step_predict_rate(double h, double y, double y_old, double rate, double rate_old) {
    return -12 / h * (y - y_old) + 8 * rate + 5 * rate_old;
}

// y(n+1) from its rate there (Eqs. 2 and 6).
static inline double two_step_advance(const TwoStep *c, double h, double y, double y_old, double rate_new,
                                      double rate, double rate_old) {
    return c->a1 * y + c->a2 * y_old + h * (c->b0 * rate_new + c->b1 * rate + c->b2 * rate_old);
}

// How far the answer of springs to impulses counts when in the step these fell (docs/theory/condensed.md). By the
// trapezoidal rule it is 2. But a2 goes to 1 with rho_inf, and jumps that alternate from step to step last then.
static inline double two_step_uneven(const TwoStep *c) { return 2 * (1 - c->a2 * c->a2 * c->a2 * c->a2); }

// Growth per step of y' = lambda y: the larger root of (1 - b0 s) z^2 - (a1 + b1 s) z - (a2 + b2 s) = 0 with
// s = h lambda.
static inline double two_step_radius(const TwoStep *c, double complex h_lambda) {
    double complex square = 1 - c->b0 * h_lambda, linear = c->a1 + c->b1 * h_lambda,
                   constant = c->a2 + c->b2 * h_lambda;
    double complex root = csqrt(linear * linear + 4 * square * constant);
    double plus = cabs((linear + root) / (2 * square)), minus = cabs((linear - root) / (2 * square));
    return plus > minus ? plus : minus;
}

#endif
