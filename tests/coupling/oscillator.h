// A partner of a coupling that is known in closed form: a driver, a mass on a spring and a damper along x, by the
// two-step scheme (Zhang et al. 2020, section 4.1, doi:10.1016/j.mechmachtheory.2020.104181). There is no follower, so
// that a container with mass is all there is on the other side.
#ifndef TESTS_COUPLING_OSCILLATOR_H
#define TESTS_COUPLING_OSCILLATOR_H

#include <string.h>

#include "check.h"
#include "coupling/coupling.h"
#include "math/two_step.h"

typedef struct OscillatorState {
    double q, v, a;
} OscillatorState;

typedef struct Oscillator {
    double m, k, c; // m q'' = -k q - c q' + f
    TwoStep t;
    double rho_inf;
    double h, f;
    double jump_mass;  // that impulses act on [kg]
    double work;       // of the loads that it was given
    bool euler;        // this step is one of semi-implicit Euler
    double own_energy; // added to what it tells, so that growth is not taken for divergence [J]
    OscillatorState now, before, next;
} Oscillator;

static inline double oscillator_newton(const Oscillator *o) {
    double hb = o->h * o->t.b0;
    return o->euler ? o->m : o->m + hb * o->c + hb * hb * o->k;
}
static inline MrcStatus oscillator_begin(void *self, double t, double h, MrcError *error) {
    (void)error, (void)t;
    Oscillator *o = self;
    const OscillatorState *n = &o->now, *p = &o->before;
    o->h = h;
    o->next.v = two_step_predict_rate(h, n->q, p->q, n->v, p->v);
    o->next.q = two_step_advance(&o->t, h, n->q, p->q, o->next.v, n->v, p->v);
    o->next.a = n->a;
    return MRC_OK;
}
static inline Motion oscillator_motion(const void *self, int port) {
    (void)port;
    const Oscillator *o = self;
    Motion m = motion_at_rest();
    m.position.x = o->next.q, m.velocity.x = o->next.v, m.acceleration.x = o->next.a;
    return m;
}
static inline MrcStatus oscillator_advance(void *self, const Load *loads, MrcError *error) {
    (void)error;
    Oscillator *o = self;
    const OscillatorState *n = &o->now, *p = &o->before;
    o->f = loads ? loads[0].force.x : 0;
    double v = two_step_advance(&o->t, o->h, n->v, p->v, 0, n->a, p->a);
    double q = two_step_advance(&o->t, o->h, n->q, p->q, v, n->v, p->v);
    o->next.a = (o->f - o->k * q - o->c * v) / oscillator_newton(o);
    o->next.v = v + o->h * o->t.b0 * o->next.a;
    o->next.q = two_step_advance(&o->t, o->h, n->q, p->q, o->next.v, n->v, p->v);
    return MRC_OK;
}
static inline MrcStatus oscillator_iterate(void *self, const Load *loads, double *left, MrcError *error) {
    *left = 0;
    return oscillator_advance(self, loads, error);
}
static inline MrcStatus oscillator_mobility(void *self, double early, double *Y, MrcError *error) {
    (void)error;
    Oscillator *o = self;
    double share = o->t.b0 / (o->t.b0 + o->t.b1 + o->t.b2); // src/mechanism/jump.c
    o->jump_mass = o->m;
    if (!o->euler) o->jump_mass += o->h * (early - 0.5 + share) * o->c + o->h * o->h * early * share * o->k;
    memset(Y, 0, 36 * sizeof *Y);
    Y[0] = 1 / o->jump_mass;
    return MRC_OK;
}
static inline MrcStatus oscillator_impulse(void *self, const Load *P, const Load *early, const double *works,
                                           MrcError *error) {
    (void)early, (void)works; // no grains, no sub-steps
    (void)error;
    Oscillator *o = self;
    double jump = P->force.x / o->jump_mass;
    o->next.v += jump, o->next.q += o->h * jump, o->now.v += jump;
    o->next.a = -(o->k * o->next.q + o->c * o->next.v) / o->m;
    return MRC_OK;
}
static inline MrcStatus oscillator_euler(void *self, double t, double h, MrcError *error) {
    (void)error, (void)t;
    Oscillator *o = self;
    o->h = h;
    o->euler = true;
    o->next.v = o->now.v - h * (o->k * o->now.q + o->c * o->now.v) / o->m;
    o->next.q = o->now.q + h * o->next.v;
    return MRC_OK;
}
static inline MrcStatus oscillator_commit(void *self, MrcError *error) {
    (void)error;
    Oscillator *o = self;
    o->work += o->f * (o->next.q - o->now.q);
    o->before = o->now, o->now = o->next;
    return MRC_OK;
}
static inline PartnerEnergy oscillator_energy(const void *self) {
    const Oscillator *o = self;
    return (PartnerEnergy){o->own_energy + 0.5 * o->m * o->now.v * o->now.v, 0.5 * o->k * o->now.q * o->now.q,
                           0, 0, 0};
}

static inline Twist oscillator_euler_twist(const void *self, int port) {
    (void)port;
    const Oscillator *o = self;
    return (Twist){.linear = {(o->next.q - o->now.q) / o->h, 0, 0}};
}
static inline PartnerAbilities oscillator_abilities(const void *self) {
    const Oscillator *o = self;
    return (PartnerAbilities){
        .yields = true, .mobility = true, .euler = true, .energy = true, .rho_inf = o->rho_inf};
}

static const DriverVerbs oscillator_verbs = {.begin = oscillator_begin,
                                             .motion = oscillator_motion,
                                             .advance = oscillator_advance,
                                             .iterate = oscillator_iterate,
                                             .mobility = oscillator_mobility,
                                             .impulse = oscillator_impulse,
                                             .commit = oscillator_commit,
                                             .euler = oscillator_euler,
                                             .euler_twist = oscillator_euler_twist};
static const PartnerType oscillator_type = {.kind = "oscillator",
                                            .driver = &oscillator_verbs,
                                            .abilities = oscillator_abilities,
                                            .energy = oscillator_energy};

// The oscillator with a container on its port.
static inline void oscillator_couple(Coupling *c, Oscillator *o, const CouplingDefinition *definition,
                                     const ContainerDefinition *container, Arena *arena) {
    MrcError error = {0};
    Drivers drivers;
    Followers followers;
    int ports = 1;
    Partner *partner = arena_alloc(arena, sizeof *partner);
    *partner = (Partner){.type = &oscillator_type, .self = o};
    CouplingPort port = {.name = "m2", .container = container};
    assert_int_equal(drivers_create(&drivers, partner, &ports, 1, arena, &error), MRC_OK);
    assert_int_equal(followers_create(&followers, NULL, 0, 1, arena, &error), MRC_OK);
    assert_int_equal(coupling_create(c, definition, &drivers, &followers, &port, vec3_zero(), arena, &error),
                     MRC_OK);
}

#endif
