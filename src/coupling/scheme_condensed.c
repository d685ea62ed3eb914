// Condensed: the grains see the container as a body with the mechanism's mobility; what they do to it comes back as an
// impulse, that is a velocity jump, on top of a smooth step (docs/theory/condensed.md).
#include "coupling/coupling.h"

static MrcStatus condensed_step(Coupling *c, double h, MrcError *error) {
    const double *Y = NULL;
    MrcStatus status = exchange_begin(c, h, error);
    if (status == MRC_OK) status = drivers_advance(&c->drivers, NULL, error);
    if (status == MRC_OK) status = exchange_mobility(c, &Y, error);
    if (status != MRC_OK) return status;
    exchange_follow(c, h);
    exchange_bend(c, h);
    status = exchange_grains(c, h, Y, error);
    return status == MRC_OK ? exchange_impulse(c, error) : status;
}

// A smooth step without load, one solve with the container as a body of inverse mass 1/S, and the impulse as a jump of
// the velocity, with the stored past shifted to match. The load never enters the stored accelerations.
static void condensed_recurrence(const SchemeSettings *settings, const TwoMass *s, TwoMassState *z) {
    (void)settings;
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

const SchemeType scheme_condensed = {
    .choice =
        {"condensed", 0,
         "the grains see the container with the mass that the mechanism gives it; what they do to it comes "
         "back as an impulse"},
    .step = condensed_step,
    .needs_mobility = true,
    .one_problem = true,
    .recurrence = condensed_recurrence,
    .variants = (const SchemeVariant[]){{"condensed", {0}}, {NULL, {0}}},
    .instead = "a smaller step or a smaller rho_inf",
};
