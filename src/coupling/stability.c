// The steps of all schemes for the two-mass oscillator, in the verbs of its two partners.
//
// The amplification matrix of a scheme is not written down: the step is linear, so its columns are the images
// of the unit vectors.
#include "coupling/stability.h"

#include <math.h>

#include "math/eigenvalues.h"

_Static_assert((int)TWO_MASS_STATE_COUNT <= (int)EIGENVALUES_MAX,
               "the eigenvalue solver is for small matrices");

// The load of the coming step from those of the last ones.
static Real extrapolated(const StabilityCoupling *c, const TwoMassState *z) {
    static const Real weights[3][3] = {{1, 0, 0}, {2, -1, 0}, {3, -3, 1}};
    const Real *w = weights[c->extrapolation];
    return w[0] * z->load[0] + w[1] * z->load[1] + w[2] * z->load[2];
}

// The mechanism's step under the load of the grains' step just done or, when both ran at once, of those
// before.
static void mechanism_follows(const StabilityCoupling *c, const TwoMass *s, TwoMassState *z, Real load) {
    two_mass_accept(z, two_mass_mechanism(s, z, c->jacobi ? extrapolated(c, z) : load));
    two_mass_keep_load(z, load);
}

// Once round with the predicted position (TIGHT Eqs. 29-30). In Jacobi order: both partners advance at once
// on two threads (DAMPER 2.1.3).
static void step_loose(const StabilityCoupling *c, const TwoMass *s, TwoMassState *z) {
    Real load = two_mass_grains(s, z, two_mass_predict(s, z).x - z->x2);
    mechanism_follows(c, s, z, load);
}

// Once round with inputs that keep position, velocity and acceleration together (EXPLICIT Eqs. 37-43):
//     original  link = v1* + x1(n) - x2(n)
//     modified  alpha (x2 - x1*) + beta (v2 - v1*) + gamma (a2 - a1*) = 0 at t(n+1), a2 = v2(n+1) - v2(n)
// where * is the prediction.
static void step_explicit(const StabilityCoupling *c, const TwoMass *s, TwoMassState *z) {
    TwoMassMotion told = two_mass_predict(s, z);
    Real link = c->original
                    ? told.v + z->x1 - z->x2
                    : (c->alpha * (told.x - z->x2) + c->beta * told.v + c->gamma_ * (z->v2 + told.a)) /
                          (c->alpha + c->beta + c->gamma_);
    mechanism_follows(c, s, z, two_mass_grains(s, z, link));
}

// The load that the grains answer to the motion that `load` makes.
static Real answer(const TwoMass *s, const TwoMassState *z, Real load) {
    TwoMassState tried = *z;
    return two_mass_grains(s, &tried, two_mass_mechanism(s, z, load).x - z->x2);
}

// Round until the load stops changing (TIGHT Eqs. 27-28). The answer is linear in the load, so that the
// converged one is found at once.
static void step_tight(const StabilityCoupling *c, const TwoMass *s, TwoMassState *z) {
    (void)c;
    Real at_zero = answer(s, z, 0), slope = answer(s, z, 1) - at_zero, load = at_zero / (1 - slope);
    TwoMassMotion motion = two_mass_mechanism(s, z, load);
    two_mass_grains(s, z, motion.x - z->x2);
    two_mass_accept(z, motion);
    two_mass_keep_load(z, load);
}

// The mechanism goes first, under the load extrapolated from the last three averages
// (MULTIRATE Eqs. 2-12); the grains follow its straight line. In Jacobi order they follow the prediction.
static void step_multirate(const StabilityCoupling *c, const TwoMass *s, TwoMassState *z) {
    TwoMassMotion motion = two_mass_mechanism(s, z, extrapolated(c, z));
    TwoMassMotion told = c->jacobi ? two_mass_predict(s, z) : motion;
    two_mass_keep_load(z, two_mass_grains(s, z, told.x - z->x2));
    two_mass_accept(z, motion);
}

// A smooth step without load, one solve with the container as a body of inverse mass 1/S, and the impulse as
// a jump of the velocity, with the stored past shifted to match (docs/theory/condensed.md). The load never
// enters the stored accelerations.
static void step_condensed(const StabilityCoupling *c, const TwoMass *s, TwoMassState *z) {
    (void)c;
    Real mobility = 1 / s->newton, pull = -s->k2 * z->x2 - s->c2 * z->v2, gap = z->x2 - z->x1;
    TwoMassMotion smooth = two_mass_mechanism(s, z, 0);
    Real follow = smooth.x - z->x1 - gap; // the velocity that the link would give mass 2
    Real impulse = (s->m2 * (z->v2 - follow) + pull) / (1 + s->m2 * mobility);
    Real jump = mobility * impulse;
    z->v2 = follow + jump;
    z->x2 += z->v2;
    two_mass_accept(z, smooth);
    z->x1 += jump;
    z->v1 += jump;
    z->v1_old += jump;
    z->a1 = -s->k1 * z->x1 - s->c1 * z->v1;
    two_mass_keep_load(z, impulse);
}

// Both masses in one contact problem of the non-smooth solver: semi-implicit Euler for all. rho_inf plays no
// part.
static void step_monolithic(const StabilityCoupling *c, const TwoMass *s, TwoMassState *z) {
    (void)c;
    z->v2 -= ((s->k1 + s->k2) * z->x2 + (s->c1 + s->c2) * z->v2) / (1 + s->m2);
    z->x2 += z->v2;
    z->x1 = z->x2;
    z->v1 = z->v2;
}

static void (*const steps[])(const StabilityCoupling *, const TwoMass *, TwoMassState *) = {
    [STABILITY_LOOSE] = step_loose,         [STABILITY_TIGHT] = step_tight,
    [STABILITY_EXPLICIT] = step_explicit,   [STABILITY_MULTIRATE] = step_multirate,
    [STABILITY_CONDENSED] = step_condensed, [STABILITY_MONOLITHIC] = step_monolithic,
};

void stability_step(const StabilityCoupling *coupling, const TwoMass *system, TwoMassState *state) {
    steps[coupling->scheme](coupling, system, state);
}

double stability_radius(const StabilityCoupling *coupling, const TwoMassParameters *parameters) {
    enum { n = TWO_MASS_STATE_COUNT };
    TwoMass system = two_mass(parameters);
    Real matrix[n * n];
    for (int j = 0; j < n; j++) {
        union {
            TwoMassState state;
            Real number[n];
        } z = {.number = {0}};
        z.number[j] = 1;
        stability_step(coupling, &system, &z.state);
        for (int i = 0; i < n; i++) matrix[i * n + j] = z.number[i];
    }
    return (double)spectral_radius(n, matrix);
}

double stability_contraction(const TwoMassParameters *parameters) {
    TwoMass system = two_mass(parameters);
    TwoMassState rest = {0};
    return (double)answer(&system, &rest, 1);
}
