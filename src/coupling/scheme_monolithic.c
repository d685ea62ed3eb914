// Monolithic: mechanism and grains in one contact problem of semi-implicit Euler (TIGHT Eqs. 18-19 for both
// sides together). The joints are bilateral rows of that problem and solved with the contacts, exactly.
//
// The contact problem has dense matrices for what joints connect. For mechanisms with more bodies than a few,
// and for smooth grains, the rows are therefore eliminated beforehand: [M G^T; G 0] gives the mechanism's
// velocity without grains and what an impulse at a port adds to it. What is left for the contact solver is
// the same problem with fewer unknowns (tests/coupling/test_monolithic.c).
#include "coupling/coupling.h"

enum { SMALL_MACHINE = 16 }; // bodies up to which joints are rows

bool coupling_has_rows(const Coupling *c) {
    JointsKind joints = c->definition->joints;
    if (joints == JOINTS_ELIMINATED || c->driver.bodies == 0 || !c->follower.advance_machine) return false;
    return joints == JOINTS_ROWS || c->driver.bodies <= SMALL_MACHINE;
}

static MrcStatus eliminated(Coupling *c, double h, MrcError *error) {
    MrcStatus status = c->driver.mobility(c->driver.self, c->Y, error);
    if (status != MRC_OK) return status;
    if (c->driver.euler_twist) exchange_follow_euler(c, h);
    else exchange_follow(c, h);
    status = exchange_grains(c, h, c->Y, error);
    if (status == MRC_OK) status = c->driver.impulse(c->driver.self, c->passed, c->passed_early, error);
    if (status == MRC_OK && c->driver.euler_twist) exchange_settle_euler(c, h);
    return status;
}

MrcStatus scheme_monolithic(Coupling *c, double h, MrcError *error) {
    for (int p = 0; p < c->count; p++) {
        c->before[p] = c->driver.motion(c->driver.self, p);
        c->bends[p] = (Twist){{0, 0, 0}, {0, 0, 0}};
    }
    c->solves = 0;
    MrcStatus status = c->driver.euler(c->driver.self, h, error);
    if (status == MRC_OK)
        status = coupling_has_rows(c) ? exchange_machine(c, h, error) : eliminated(c, h, error);
    return status == MRC_OK ? exchange_end(c, h, error) : status;
}
