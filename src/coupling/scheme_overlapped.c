// Overlapped: both partners advance at once on two threads, the mechanism with the load of the step before
// and the grains along the predicted motion (DAMPER 2.1.3).
#include "coupling/coupling.h"

MrcStatus scheme_overlapped(Coupling *c, double h, MrcError *error) {
    Load loads[CONTAINERS_MAX];
    MrcStatus grains = MRC_OK, mechanism = MRC_OK, status = exchange_begin(c, h, error);
    MrcError grains_error, mechanism_error;
    if (status != MRC_OK) return status;
    exchange_extrapolate(c, c->definition->extrapolation);
    for (int p = 0; p < c->count; p++) loads[p] = c->loads[p];
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
    if (grains != MRC_OK || mechanism != MRC_OK) return mechanism != MRC_OK ? mechanism : grains;
    return exchange_end(c, h, error);
}
