// Condensed: the grains see the container as a body with the mechanism's mobility; what they do to it comes back as an
// impulse, that is a velocity jump, on top of a smooth step (docs/theory/condensed.md).
#include "coupling/coupling.h"

static MrcStatus condensed_step(Coupling *c, double h, MrcError *error) {
    const double *Y = NULL;
    MrcStatus status = exchange_begin(c, h, error);
    if (status == MRC_OK) status = drivers_advance(&c->drivers, NULL, error);
    if (status == MRC_OK) status = exchange_mobility(c, h, &Y, error);
    if (status == MRC_OK) status = exchange_bend(c, h, error);
    if (status != MRC_OK) return status;
    exchange_follow(c, h);
    status = exchange_grains(c, h, Y, error);
    if (status == MRC_OK) status = exchange_impulse(c, h, error);
    return status == MRC_OK ? exchange_rebound(c, h, error) : status;
}

// A smooth step without load; steps of the grains with the container as a body of inverse mass 1/S'(e), its velocity
// going from that of the mechanism at the beginning to that of the smooth step at the end; and their impulses as a jump
// of the velocity, with the stored past shifted to match. The load never enters the stored accelerations.
static void condensed_recurrence(const SchemeSettings *settings, const TwoMass *s, TwoMassState *z) {
    (void)settings;
    Real step = (Real)1 / s->substeps, e = (1 + step) / 2, share = s->b0 / (1 + s->a2);
    Real mobility = 1 / (1 + (e - 0.5L + share) * s->c1 + e * share * s->k1);
    TwoMassMotion smooth = two_mass_mechanism(s, z, 0);
    Real mean = smooth.x - z->x1 - (z->x2 - z->x1); // from the container, which is where mass 2 is
    // Along stiff directions only what lasts of the change of velocity counts, for more steps than one.
    Real change = s->substeps > 1 ? smooth.v - z->v1 : 0, stiff = 1 - mobility;
    change -= stiff * (change + z->jump);
    Real impulse = 0, early = 0;
    for (int i = 0; i < s->substeps; i++) {
        Real pull = step * (-s->k2 * z->x2 - s->c2 * z->v2);
        Real follow = mean + mobility * impulse + change * ((i + (Real)0.5) * step - 0.5L);
        Real push = (s->m2 * (z->v2 - follow) + pull) / (1 + s->m2 * mobility);
        impulse += push;
        early += push * (1 - i * step);
        z->v2 = follow + mobility * push;
        z->x2 += step * z->v2;
    }
    Real jump = mobility * impulse;
    two_mass_accept(z, smooth);
    z->x1 += mobility * early;
    z->v1 += jump;
    z->x1_old += mobility * early - jump;
    z->v1_old += jump;
    z->a1 = -s->k1 * z->x1 - s->c1 * z->v1;
    two_mass_keep_load(z, impulse);
    if (s->substeps > 1) z->jump = jump;
}

const SchemeType scheme_condensed = {
    .choice =
        {"condensed", 0,
         "the grains see the container with the mass that the mechanism gives it; what they do to it comes "
         "back as an impulse"},
    .step = condensed_step,
    .needs_mobility = true,
    .one_problem = true,
    .rebounds = true,
    .options = SCHEME_SUBSTEPS,
    .recurrence = condensed_recurrence,
    .variants = (const SchemeVariant[]){{"condensed", {0}}, {NULL, {0}}},
    .instead = "a smaller step or a smaller rho_inf",
};
