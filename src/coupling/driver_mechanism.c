#include "coupling/driver_mechanism.h"

#include <math.h>

static Mechanism *of(const void *self) { return ((const MechanismDriver *)self)->mechanism; }

static MrcStatus begin(void *self, double h, MrcError *error) { return mechanism_begin(of(self), h, error); }
static Motion motion(const void *self, int port) { return mechanism_motion(of(self), port); }
static MrcStatus advance(void *self, const Load *loads, MrcError *error) {
    return mechanism_advance(of(self), loads, error);
}
static MrcStatus iterate(void *self, const Load *loads, double *left, MrcError *error) {
    return mechanism_iterate(of(self), loads, left, error);
}
static MrcStatus mobility(void *self, double *Y, MrcError *error) {
    return mechanism_mobility(of(self), ((const MechanismDriver *)self)->mobility, Y, error);
}
static MrcStatus impulse(void *self, const Load *impulses, const Load *early, MrcError *error) {
    return mechanism_impulse(of(self), impulses, early, error);
}
static MrcStatus commit(void *self, MrcError *error) { return mechanism_commit(of(self), error); }
static MrcStatus euler(void *self, double h, MrcError *error) { return mechanism_euler(of(self), h, error); }

static PartnerEnergy energy(const void *self) {
    ElementEnergy e = mechanism_energy(of(self));
    MechanismLedger l = mechanism_ledger(of(self));
    return (PartnerEnergy){e.kinetic, e.potential + e.elastic, l.work, l.flow};
}

static Twist euler_twist(const void *self, int port) { return mechanism_euler_twist(of(self), port); }
static MrcStatus join(void *self, ContactProblem *problem, MachinePort *ports, MrcError *error) {
    return mechanism_join(of(self), problem, ports, error);
}
static void take(void *self, const ContactSolution *solution, const Load *impulses) {
    mechanism_take(of(self), solution, impulses);
}

Driver mechanism_driver(MechanismDriver *driver) {
    int bodies = mechanism_body_count(driver->mechanism);
    return (Driver){driver,      begin,   motion, advance, iterate,
                    mobility,    impulse, commit, euler,   energy,
                    euler_twist, bodies,  join,   take,    mechanism_rho_inf(driver->mechanism)};
}
