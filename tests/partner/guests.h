// Partners of a program: a driver that is a mass on a spring and a damper along z, and a follower that is a mass on a
// spring below a port.
#ifndef TESTS_PARTNER_GUESTS_H
#define TESTS_PARTNER_GUESTS_H

#include <string.h>

#include "maraca/partner.h"

// ---- a driver: m z'' = -k z - c z' + load, by the trapezoidal rule --------------------------------
typedef struct RigState {
    double z, v;       // now
    double z1, v1;     // at the end of the step
    double h;          // of the step
    double dissipated; // [J]
    double force;      // recorded [N]
    double jump_mass;  // that impulses act on
} RigState;

typedef struct Rig {
    double m, k, c;
    RigState s;
} Rig;

static inline double rig_mass(const Rig *r) {
    return r->m + 0.5 * r->s.h * r->c + 0.25 * r->s.h * r->s.h * r->k;
}
static inline MrcStatus rig_advance(void *self, const MrcLoad *loads, MrcError *error) {
    Rig *r = self;
    RigState *s = &r->s;
    (void)error;
    double f = loads ? loads[0].force[2] : 0;
    double pull = (2 * r->m - rig_mass(r)) * s->v - s->h * r->k * s->z + s->h * f;
    s->v1 = pull / rig_mass(r);
    s->z1 = s->z + 0.5 * s->h * (s->v + s->v1);
    s->force = f;
    return MRC_OK;
}
static inline MrcStatus rig_begin(void *self, double t, double h, MrcError *error) {
    Rig *r = self;
    (void)t;
    r->s.h = h;
    return rig_advance(self, NULL, error);
}
static inline void rig_motion(void *self, int port, MrcMotion *motion) {
    const Rig *r = self;
    (void)port;
    motion->position[2] = r->s.z1;
    motion->velocity[2] = r->s.v1;
    motion->acceleration[2] = -(r->k * r->s.z1 + r->c * r->s.v1 - r->s.force) / r->m;
}
static inline MrcStatus rig_mobility(void *self, double early, double *Y, MrcError *error) {
    Rig *r = self;
    (void)error;
    r->s.jump_mass = rig_mass(r) + (2 * early - 1) * (rig_mass(r) - r->m); // as in examples/c/spring_mass.c
    memset(Y, 0, 36 * sizeof *Y);
    Y[2 * 6 + 2] = 1 / r->s.jump_mass;
    return MRC_OK;
}
static inline MrcStatus rig_impulse(void *self, const MrcLoad *impulses, const MrcLoad *early,
                                    MrcError *error) {
    Rig *r = self;
    (void)error;
    r->s.v1 += impulses[0].force[2] / r->s.jump_mass;
    r->s.z1 += r->s.h * early[0].force[2] / r->s.jump_mass;
    r->s.force = impulses[0].force[2] / r->s.h;
    return MRC_OK;
}
static inline MrcStatus rig_commit(void *self, MrcError *error) {
    Rig *r = self;
    RigState *s = &r->s;
    (void)error;
    double v = (s->z1 - s->z) / s->h;
    s->dissipated += s->h * r->c * v * v;
    s->z = s->z1, s->v = s->v1;
    return MRC_OK;
}
static inline void rig_energy(void *self, MrcEnergy *energy) {
    const Rig *r = self;
    energy->kinetic = 0.5 * r->m * r->s.v * r->s.v;
    energy->elastic = 0.5 * r->k * r->s.z * r->s.z;
    energy->dissipated = r->s.dissipated;
}

static inline MrcPartner rig_partner(Rig *rig, MrcPartnerSignal *signal) {
    *signal = (MrcPartnerSignal){"force", "N", &rig->s.force};
    return (MrcPartner){.size = sizeof(MrcPartner),
                        .name = "rig",
                        .self = rig,
                        .begin = rig_begin,
                        .motion = rig_motion,
                        .advance = rig_advance,
                        .mobility = rig_mobility,
                        .impulse = rig_impulse,
                        .commit = rig_commit,
                        .state = &rig->s,
                        .state_size = sizeof rig->s,
                        .energy = rig_energy,
                        .signals = signal,
                        .signal_count = 1};
}

// ---- a follower: a mass m at z on a spring k below the port, by semi-implicit Euler ----------------
typedef struct PlumbState {
    double z, v; // of the mass, from the world's origin
} PlumbState;

typedef struct Plumb {
    double m, k, length;
    double port; // height of the port now
    PlumbState s;
} Plumb;

static inline MrcStatus plumb_step(void *self, double h, const MrcMotion *ports, const double *Y,
                                   MrcLoad *impulses, MrcError *error) {
    Plumb *p = self;
    (void)Y, (void)error;
    double stretch = ports[0].position[2] - p->length - p->s.z, f = p->k * stretch;
    p->s.v += h * f / p->m;
    p->s.z += h * p->s.v;
    p->port = ports[0].position[2] + h * ports[0].velocity[2];
    impulses[0].force[2] = -h * f;
    return MRC_OK;
}
static inline void plumb_energy(void *self, MrcEnergy *energy) {
    const Plumb *p = self;
    double stretch = p->port - p->length - p->s.z;
    energy->kinetic = 0.5 * p->m * p->s.v * p->s.v;
    energy->elastic = 0.5 * p->k * stretch * stretch;
}

static inline MrcPartner plumb_partner(Plumb *plumb, const char *const *port) {
    return (MrcPartner){.size = sizeof(MrcPartner),
                        .name = "plumb",
                        .self = plumb,
                        .ports = port,
                        .port_count = 1,
                        .step = plumb_step,
                        .state = &plumb->s,
                        .state_size = sizeof plumb->s,
                        .energy = plumb_energy};
}

#endif
