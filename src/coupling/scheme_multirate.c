// Multirate: the mechanism goes first, with the load extrapolated from the means of the last three steps; the
// grains follow with many small steps along its motion (MULTIRATE 2). The mean over the small steps is what
// the follower's impulse divided by the step is.
#include "coupling/coupling.h"

MrcStatus scheme_multirate(Coupling *c, double h, MrcError *error) {
    MrcStatus status = exchange_begin(c, h, error);
    if (status != MRC_OK) return status;
    exchange_extrapolate(c, c->definition->extrapolation);
    status = exchange_drive(c, c->loads, error);
    exchange_follow(c, h);
    if (status == MRC_OK) status = exchange_grains(c, h, NULL, error);
    return status == MRC_OK ? exchange_end(c, h, error) : status;
}
