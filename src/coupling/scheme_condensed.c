// Condensed: the grains see the container as a body with the mechanism's mobility; what they do to it comes
// back as an impulse, that is a velocity jump, on top of a smooth step (docs/theory/condensed.md).
#include "coupling/coupling.h"

MrcStatus scheme_condensed(Coupling *c, double h, MrcError *error) {
    MrcStatus status = exchange_begin(c, h, error);
    if (status == MRC_OK) status = c->driver.advance(c->driver.self, NULL, error);
    if (status == MRC_OK) status = c->driver.mobility(c->driver.self, c->Y, error);
    if (status != MRC_OK) return status;
    exchange_follow(c, h);
    exchange_bend(c, h);
    status = exchange_grains(c, h, c->Y, error);
    if (status == MRC_OK) status = c->driver.impulse(c->driver.self, c->passed, c->passed_early, error);
    return status == MRC_OK ? exchange_end(c, h, error) : status;
}
