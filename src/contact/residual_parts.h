// The residual of one contact (residual.h), inside the module.
#ifndef CONTACT_RESIDUAL_PARTS_H
#define CONTACT_RESIDUAL_PARTS_H

#include <float.h>

#include "contact/local.h"
#include "contact/residual.h"

// A bound on the rounding error of the natural map p - P_K(p - u) is added to it. Otherwise impulses that grow
// without bounds, as in a problem without a solution, would look like a solution.
static const double residual_digits = 8 * DBL_EPSILON;

typedef struct ResidualParts { // in the units of the residual, before they are divided by the scale
    double natural, gap, cone, complementarity;
} ResidualParts;

// For velocity u (bias included, shift not) and impulse p; dilation: contact_dilation().
ResidualParts residual_of_contact(const ContactPoint *contact, LocalScale local, double dilation, Twist u,
                                  const ContactImpulse *impulse);
// What the contact violates without an impulse, u being the free velocity: its share in the scale. Not less
// than the velocity `floor`.
double residual_without_impulse(const ContactPoint *contact, LocalScale local, double dilation, Twist u,
                                double floor);

// Velocities below which nothing counts: the caller's, or a millionth of the fastest body's. A residual of
// 1e-8 of less than that would need more digits than doubles have.
double residual_floor(const ContactProblem *problem, double floor);

ContactResidual residual_relative(ResidualParts parts, double bilateral, double scale);

static inline double residual_max(double a, double b) { return a > b || a != a ? a : b; } // NaN if one is
static inline void residual_take(ResidualParts *all, ResidualParts one) {
    all->natural = residual_max(one.natural, all->natural);
    all->gap = residual_max(one.gap, all->gap);
    all->cone = residual_max(one.cone, all->cone);
    all->complementarity = residual_max(one.complementarity, all->complementarity);
}

#endif
