// Harmonic balance with the first harmonic. The element answers the displacement x of the attachment point with the force
// -D x, D = -w^2 m(w, |x|) + i w c(w, |x|), so that
//
//     x = x_free - H D x,      a |1 + H D(w, a)| = |x_free|,      a = |x|:
//
// one real equation for the amplitude. Its left side is 0 at a = 0 and grows without bounds, so there is a root; damping that
// falls with the amplitude can make several, between which the response jumps. The left side rises through the first, third,
// ... of them and falls through the others, where less force is needed for more amplitude: these are unstable. All of them
// are found by looking at 44 amplitudes per decade, and bisection: a continuation along the frequency (respond.c) then
// chooses among them, and misses no branch that is not connected. The decades reach from 1e-6 to 1e3 of |x_free|, and further
// where the residual still has the wrong sign at an end: a structure without damping that resonates moves as far as the
// dampers let it, whatever x_free is.
#include "study/balance.h"

#include <math.h>

#define BALANCE_PI 3.14159265358979323846

static double complex balance_stiffness(const Balance *b, double a) {
    double w = 2 * BALANCE_PI * b->frequency, mass = 0, dashpot = 0;
    for (int i = 0; i < b->damper_count; i++) {
        DamperValue v = element_value(b->dampers[i].element, b->frequency, a);
        mass += b->dampers[i].count * (v.mass + b->mass_side * v.mass_interval);
        dashpot += b->dampers[i].count * fmax(0, v.dashpot + b->dashpot_side * v.dashpot_interval);
    }
    return -w * w * mass + w * dashpot * I;
}

static double balance_residual(const Balance *b, double a) {
    return a * cabs(1 + b->own * balance_stiffness(b, a)) - cabs(b->free);
}

int balance_solve(const Balance *b, double roots[BALANCE_ROOTS_MAX]) {
    enum { LOOKS = 400 }; // in nine decades
    double low = 1e-6 * cabs(b->free), high = 1e3 * cabs(b->free);
    int count = 0, looks = LOOKS;
    if (!(high > 0)) {
        roots[0] = 0;
        return 1;
    }
    // Beyond the map, values are those at its ends, so that both loops end where the structure is finite.
    for (int i = 0; i < 10 && balance_residual(b, low) >= 0; i++) low *= 1e-3, looks += LOOKS / 3;
    for (int i = 0; i < 10 && balance_residual(b, high) < 0; i++) high *= 1e3, looks += LOOKS / 3;
    double before = low;
    bool below = balance_residual(b, low) < 0;
    if (!below) roots[count++] = low; // the damper holds it fast
    for (int i = 1; i <= looks && count < BALANCE_ROOTS_MAX; i++) {
        double a = low * pow(high / low, (double)i / looks);
        bool now = balance_residual(b, a) < 0;
        if (now != below) {
            double from = before, to = a;
            for (int k = 0; k < 60; k++) {
                double middle = sqrt(from * to);
                if ((balance_residual(b, middle) < 0) == below) from = middle;
                else to = middle;
            }
            roots[count++] = sqrt(from * to);
        }
        below = now, before = a;
    }
    if (count == 0) roots[count++] = high; // resonance without any damping
    return count;
}

double complex balance_displacement(const Balance *b, double a) {
    return b->free / (1 + b->own * balance_stiffness(b, a));
}

bool balance_is_outside(const Balance *b, double a) {
    for (int i = 0; i < b->damper_count; i++)
        if (element_value(b->dampers[i].element, b->frequency, a).outside) return true;
    return false;
}
