// Condensed: the grains see the container as a body with the mechanism's mobility; what they do to it comes back as an
// impulse, that is a velocity jump, on top of a smooth step (docs/theory/condensed.md).
#include "coupling/coupling.h"

static MrcStatus condensed_step(Coupling *c, double h, MrcError *error) {
    const double *Y = NULL;
    MrcStatus status = exchange_begin(c, h, error);
    if (status == MRC_OK) status = drivers_advance(&c->drivers, NULL, error);
    if (status == MRC_OK) status = exchange_whole(c, error);
    if (status == MRC_OK) status = exchange_mobility(c, h, &Y, error);
    if (status == MRC_OK) status = exchange_bend(c, h, error);
    if (status != MRC_OK) return status;
    exchange_divide(c);
    exchange_follow(c, h);
    status = exchange_grains(c, h, Y, error);
    if (status == MRC_OK) status = exchange_impulse(c, h, error);
    return status == MRC_OK ? exchange_rebound(c, h, error) : status;
}

// A smooth step without load; steps of the grains with the container as a body of inverse mass 1/S'(e); and their
// impulses as a jump of the velocity, with the stored past shifted to match. With more small steps than one, the
// container's velocity goes from that of the mechanism at the beginning to that of the smooth step at the end, and the
// part `stiff` of the impulses is a force at the end of the step (mechanism/stiff.c). Only this enters the stored
// accelerations.
static void condensed_recurrence(const SchemeSettings *settings, const TwoMass *s, TwoMassState *z) {
    (void)settings;
    bool small = s->substeps > 1;
    Real step = (Real)1 / s->substeps, e = (1 + step) / 2, share = s->b0 / (1 + s->a2);
    Real mobility = 1 / (1 + (e - 0.5L + share) * s->c1 + e * share * s->k1),
         stiff = small ? 1 - mobility : 0;
    Real lasting = (1 - stiff) * mobility, force = s->b0 * stiff / s->newton, yielding = s->b0 * force;
    Real settling = e * share / 2, kept = settling / (settling + step), gain = 1 / (settling + step);
    TwoMassMotion smooth = two_mass_mechanism(s, z, 0);
    // Mean velocity from the container (mass 2), whose displacement settling * z->yielding is still to come.
    Real mean = smooth.x - z->x2 - (small ? settling * z->yielding : 0);
    Real change = small ? smooth.v - z->v1 + force * z->load[0] : 0;
    change -= stiff * (change + z->jump);
    Real impulse = 0, early = 0, yields = z->yielding;
    for (int i = 0; i < s->substeps; i++) {
        Real pull = step * (-s->k2 * z->x2 - s->c2 * z->v2), answer = lasting + (small ? gain * yielding : 0);
        Real follow = mean + lasting * impulse + change * ((i + (Real)0.5) * step - 0.5L) + kept * yields;
        Real push = (s->m2 * (z->v2 - follow) + pull) / (1 + s->m2 * answer);
        impulse += push;
        early += push * (1 - i * step);
        yields = small ? kept * yields + gain * yielding * push : 0;
        z->v2 = follow + answer * push;
        z->x2 += step * z->v2;
    }
    Real jump = lasting * impulse, way = lasting * early;
    two_mass_accept(z, smooth);
    z->x1 += way + yielding * impulse;
    z->v1 += jump + force * impulse;
    z->x1_old += way - jump;
    z->v1_old += jump;
    z->a1 = -s->k1 * z->x1 - s->c1 * z->v1 + stiff * impulse;
    two_mass_keep_load(z, impulse);
    if (small) z->jump = jump, z->yielding = yields;
}

const SchemeType scheme_condensed = {
    .choice =
        {"condensed", 0,
         "the grains move the container with its effective mass on the mechanism; what they do to it comes "
         "back as an impulse"},
    .step = condensed_step,
    .needs_mobility = true,
    .one_problem = true,
    .rebounds = true,
    .carries = true,
    .options = SCHEME_SUBSTEPS,
    .recurrence = condensed_recurrence,
    .variants = (const SchemeVariant[]){{"condensed", {0}}, {NULL, {0}}},
    .instead = "a smaller step or a smaller rho_inf",
    .caution = "impacts: grains that bounce may gain energy where rho_inf is above 0.6 and omega h above 1; "
               "a run ends "
               "with an error then",
};
