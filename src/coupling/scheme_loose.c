// Loose: one exchange per step, with the predicted motion (Zhang et al. 2020, section 3.1, Fig. 4,
// doi:10.1016/j.mechmachtheory.2020.104181).
#include "coupling/coupling.h"

static MrcStatus loose_step(Coupling *c, double h, MrcError *error) {
    MrcStatus status = exchange_begin(c, h, error);
    if (status != MRC_OK) return status;
    exchange_follow(c, h);
    status = exchange_grains(c, h, NULL, error);
    return status == MRC_OK ? exchange_drive(c, c->step.loads, error) : status;
}

// Eqs. 29-30.
static void loose_recurrence(const SchemeSettings *settings, const TwoMass *s, TwoMassState *z) {
    Real load = two_mass_grains(s, z, two_mass_predict(s, z).x - z->x2);
    recurrence_mechanism(settings, s, z, load);
}

const SchemeType scheme_loose = {
    .choice = {"loose", 0, "one exchange per step, with the predicted motion"},
    .step = loose_step,
    .by_prediction = true,
    .options = SCHEME_ORDER | SCHEME_SUBSTEPS,
    .recurrence = loose_recurrence,
    .variants = (const SchemeVariant[]){{"loose", {0}}, {NULL, {0}}},
    .instead = "scheme: condensed, which is stable at any mass ratio",
};
