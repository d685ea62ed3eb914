// Monolithic: mechanism and grains in one contact problem of semi-implicit Euler, the joints exactly kept
// (TIGHT Eqs. 18-19 for both sides together).
//
// The joints' rows are eliminated beforehand: [M G^T; G 0] gives the mechanism's velocity without grains and
// what an impulse at a port adds to it. What is left for the contact solver is the same problem with fewer
// unknowns.
#include "coupling/coupling.h"

MrcStatus scheme_monolithic(Coupling *c, double h, MrcError *error) {
    for (int p = 0; p < c->count; p++) {
        c->before[p] = c->driver.motion(c->driver.self, p);
        c->bends[p] = (Twist){{0, 0, 0}, {0, 0, 0}};
    }
    c->solves = 0;
    MrcStatus status = c->driver.euler(c->driver.self, h, error);
    if (status == MRC_OK) status = c->driver.mobility(c->driver.self, c->Y, error);
    if (status != MRC_OK) return status;
    exchange_follow(c, h);
    status = exchange_grains(c, h, c->Y, error);
    if (status == MRC_OK) status = c->driver.impulse(c->driver.self, c->passed, c->passed_early, error);
    return status == MRC_OK ? exchange_end(c, h, error) : status;
}
