// Multirate: the mechanism goes first, with the load extrapolated from the means of the last three steps; the grains
// follow with many small steps along its motion (Lommen et al. 2018, section 2, doi:10.1108/EC-07-2017-0246). The mean
// over the small steps is the follower's impulse divided by the step.
#include "coupling/coupling.h"

static MrcStatus multirate_step(Coupling *c, double h, MrcError *error) {
    MrcStatus status = exchange_begin(c, h, error);
    if (status != MRC_OK) return status;
    exchange_extrapolate(c, c->settings.extrapolation);
    status = exchange_drive(c, c->step.loads, error);
    if (status != MRC_OK) return status;
    exchange_follow(c, h);
    return exchange_grains(c, h, NULL, error);
}

// Eqs. 2-12; the grains follow the mechanism's straight line. In Jacobi order they follow the prediction.
static void multirate_recurrence(const SchemeSettings *settings, const TwoMass *s, TwoMassState *z) {
    TwoMassMotion motion = two_mass_mechanism(s, z, recurrence_extrapolated(settings, z));
    TwoMassMotion followed = settings->jacobi ? two_mass_predict(s, z) : motion;
    two_mass_keep_load(z, two_mass_grains(s, z, followed.x - z->x2));
    two_mass_accept(z, motion);
}

static SchemeSettings multirate_settings(const CouplingDefinition *d) {
    bool automatic = d->extrapolation == EXTRAPOLATION_AUTO;
    return (SchemeSettings){.extrapolation = automatic ? EXTRAPOLATION_QUADRATIC : (int)d->extrapolation};
}

const SchemeType scheme_multirate = {
    .choice = {"multirate", 0, "the mechanism first, with the load extrapolated"},
    .step = multirate_step,
    .late = true,
    .options = SCHEME_ORDER | SCHEME_SUBSTEPS | SCHEME_EXTRAPOLATION,
    .settings = multirate_settings,
    .recurrence = multirate_recurrence,
    .variants = (const SchemeVariant[]){{"multirate", {.extrapolation = 2}}, {NULL, {0}}},
    .instead = "scheme: condensed, which is stable at any mass ratio, or a smaller rho_inf",
};
