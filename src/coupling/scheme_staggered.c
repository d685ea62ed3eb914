// Staggered: one exchange per step, each load passed on at the instant that it belongs to.
//
// The follower gives the mean load f(n) of the step from t(n) to t(n+1). It belongs to the instant t(n+1) - e h, and the
// driver takes loads at t(n+1). Passed on as it is (scheme_loose.c), a load comes late by e h, and the exchange is of
// first order in h whatever the order of both sides. The improved serial staggered procedure lets one side run half a
// step ahead, so that each load comes in time with one solution of each side per step (Farhat and Lesoinne 2000,
// doi:10.1016/S0045-7825(99)00206-6); where in time motions and loads are exchanged decides how much energy is lost at
// the ports (Piperno and Farhat 2001, doi:10.1016/S0045-7825(00)00386-8). Here both sides end their steps together,
// and the load is brought to the end of the step instead, which is of second order, too:
//
//     F(n+1) = f(n) + e [f(n) - f(n-1)]
//
//     e = (1 + 1/n)/2   n small steps with their forces taken at their beginnings: coupling_early
//     e = 1             rigid grains, and containers with mass: their impulses change velocities that are means over
//                       steps, from t(n) - h/2 to t(n) + h/2
//
// No momentum is lost: the sum of h F is that of h f, but for e h f(n) of the last step, which is passed on in advance
// and taken back in the next step. The price is a smaller mass ratio (docs/theory/stability.md). Nothing is done again,
// and no mobility is needed, so that every partner can be coupled in this way.
#include "coupling/coupling.h"

static MrcStatus staggered_drive(Coupling *c, double h, MrcError *error) {
    Load loads[CONTAINERS_MAX];
    double early = coupling_early(c, h);
    bool first = c->counts.steps == 0;
    for (int p = 0; p < c->count; p++) {
        double e = c->containers.items[p].definition.mass > 0 ? 1 : early;
        Load mean = c->step.loads[p], change = load_sub(mean, c->ports[p].load);
        loads[p] = first ? mean : load_add(mean, load_scale(e, change));
    }
    return exchange_drive(c, loads, error);
}

static MrcStatus staggered_step(Coupling *c, double h, MrcError *error) {
    MrcStatus status = exchange_begin(c, h, error);
    if (status != MRC_OK) return status;
    exchange_follow(c, h);
    status = exchange_grains(c, h, NULL, error);
    return status == MRC_OK ? staggered_drive(c, h, error) : status;
}

static void staggered_recurrence(const SchemeSettings *settings, const TwoMass *s, TwoMassState *z) {
    (void)settings;
    Real e = (1 + (Real)1 / s->substeps) / 2;
    Real mean = two_mass_grains(s, z, two_mass_predict(s, z).x - z->x2);
    two_mass_accept(z, two_mass_mechanism(s, z, mean + e * (mean - z->load[0])));
    two_mass_keep_load(z, mean);
}

const SchemeType scheme_staggered = {
    .choice = {"staggered", 0,
               "one exchange per step, with the load brought to the end of the step: second order"},
    .step = staggered_step,
    .by_prediction = true,
    .late = true,
    .options = SCHEME_SUBSTEPS,
    .recurrence = staggered_recurrence,
    .variants = (const SchemeVariant[]){{"staggered", {0}}, {NULL, {0}}},
    .instead = "scheme: condensed, or tight where a partner has no mobility",
};
