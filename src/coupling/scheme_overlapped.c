// Overlapped: both sides advance at once on two threads, the mechanism with the load of the step before and the grains
// along the predicted motion (Biondani et al. 2022, section 2.1.3, doi:10.3390/pr10071247).
#include "coupling/coupling.h"

static MrcStatus overlapped_step(Coupling *c, double h, MrcError *error) {
    Load loads[CONTAINERS_MAX];
    MrcStatus grains = MRC_OK, mechanism = MRC_OK, status = exchange_begin(c, h, error);
    MrcError grains_error, mechanism_error;
    if (status != MRC_OK) return status;
    exchange_extrapolate(c, c->settings.extrapolation);
    for (int p = 0; p < c->count; p++) loads[p] = c->step.loads[p];
    exchange_follow(c, h);
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        grains = exchange_grains(c, h, NULL, &grains_error);
#pragma omp section
        mechanism = exchange_drive(c, loads, &mechanism_error);
    }
    if (grains != MRC_OK) *error = grains_error;
    if (mechanism != MRC_OK) *error = mechanism_error;
    return mechanism != MRC_OK ? mechanism : grains;
}

static void overlapped_recurrence(const SchemeSettings *settings, const TwoMass *s, TwoMassState *z) {
    Real load = two_mass_grains(s, z, two_mass_predict(s, z).x - z->x2);
    recurrence_mechanism(settings, s, z, load);
}

static SchemeSettings overlapped_settings(const CouplingDefinition *d) {
    bool automatic = d->extrapolation == EXTRAPOLATION_AUTO;
    return (SchemeSettings){.jacobi = true, .extrapolation = automatic ? 0 : (int)d->extrapolation};
}

const SchemeType scheme_overlapped = {
    .choice = {"overlapped", 0, "both sides at once, on two threads"},
    .step = overlapped_step,
    .by_prediction = true,
    .late = true,
    .options = SCHEME_SUBSTEPS | SCHEME_EXTRAPOLATION,
    .settings = overlapped_settings,
    .recurrence = overlapped_recurrence,
    .variants = (const SchemeVariant[]){{"overlapped", {.jacobi = true}}, {NULL, {0}}},
    .instead = "scheme: condensed",
};
