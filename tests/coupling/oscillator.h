// Partners of a coupling that are known in closed form: the driver is a mass on a spring and a damper, along
// x, by the two-step scheme (TIGHT 4.1); the follower has no grains, so that a container with mass is all
// there is.
#ifndef TESTS_COUPLING_OSCILLATOR_H
#define TESTS_COUPLING_OSCILLATOR_H

#include <string.h>

#include "coupling/coupling.h"
#include "math/two_step.h"

typedef struct OscillatorState {
    double q, v, a;
} OscillatorState;

typedef struct Oscillator {
    double m, k, c; // m q'' = -k q - c q' + f
    TwoStep t;
    double h, f;
    double work; // of the loads that it was given
    bool euler;  // this step is one of semi-implicit Euler
    OscillatorState now, before, next;
} Oscillator;

static inline double oscillator_newton(const Oscillator *o) {
    double hb = o->h * o->t.b0;
    return o->euler ? o->m : o->m + hb * o->c + hb * hb * o->k;
}
static inline MrcStatus oscillator_begin(void *self, double h, MrcError *error) {
    (void)error;
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
static inline MrcStatus oscillator_mobility(void *self, double *Y, MrcError *error) {
    (void)error;
    memset(Y, 0, 36 * sizeof *Y);
    Y[0] = 1 / oscillator_newton(self);
    return MRC_OK;
}
static inline MrcStatus oscillator_impulse(void *self, const Load *P, const Load *early, MrcError *error) {
    (void)early; // no grains, no sub-steps
    (void)error;
    Oscillator *o = self;
    double jump = P->force.x / oscillator_newton(o);
    o->next.v += jump, o->next.q += o->h * jump, o->now.v += jump;
    o->next.a = -(o->k * o->next.q + o->c * o->next.v) / o->m;
    return MRC_OK;
}
static inline MrcStatus oscillator_euler(void *self, double h, MrcError *error) {
    (void)error;
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
    return (PartnerEnergy){0.5 * o->m * o->now.v * o->now.v, 0.5 * o->k * o->now.q * o->now.q, 0, 0};
}

static inline Driver oscillator_driver(Oscillator *o) {
    return (Driver){.self = o,
                    .begin = oscillator_begin,
                    .motion = oscillator_motion,
                    .advance = oscillator_advance,
                    .iterate = oscillator_iterate,
                    .mobility = oscillator_mobility,
                    .impulse = oscillator_impulse,
                    .commit = oscillator_commit,
                    .euler = oscillator_euler,
                    .energy = oscillator_energy};
}

static inline MrcStatus nobody_keep(void *self, MrcError *error) {
    (void)self, (void)error;
    return MRC_OK;
}
static inline MrcStatus nobody_advance(void *self, double h, const Motion *ports, const double *Y,
                                       Load *impulses, Load *early, MrcError *error) {
    (void)self, (void)h, (void)ports, (void)Y, (void)error;
    impulses[0] = early[0] = (Load){{0, 0, 0}, {0, 0, 0}};
    return MRC_OK;
}
static inline PartnerEnergy nobody_energy(const void *self) {
    (void)self;
    return (PartnerEnergy){0};
}
static inline Follower nobody(void) { // on one port
    return (Follower){
        .save = nobody_keep, .restore = nobody_keep, .advance = nobody_advance, .energy = nobody_energy};
}

#endif
