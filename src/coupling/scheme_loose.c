// Loose: once round, with the predicted motion (TIGHT 3.1, Fig. 4).
#include "coupling/coupling.h"

MrcStatus scheme_loose(Coupling *c, double h, MrcError *error) {
    MrcStatus status = exchange_begin(c, h, error);
    exchange_follow(c, h);
    if (status == MRC_OK) status = exchange_grains(c, h, NULL, error);
    if (status == MRC_OK) status = exchange_drive(c, c->loads, error);
    return status == MRC_OK ? exchange_end(c, h, error) : status;
}
