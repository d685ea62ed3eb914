#include "fmu/outside.h"

#include <math.h>
#include <string.h>

// ---- rotations -----------------------------------------------------------------------------------
static void outside_quaternion(const double vector[3], double q[4]) {
    double angle = sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
    double part = angle > 1e-8 ? sin(0.5 * angle) / angle : 0.5 - angle * angle / 48;
    q[0] = cos(0.5 * angle);
    for (int k = 0; k < 3; k++) q[k + 1] = part * vector[k];
}

void outside_rotation_vector(const double q[4], double vector[3]) {
    double sign = q[0] < 0 ? -1 : 1, size = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double angle = 2 * atan2(size, sign * q[0]), part = size > 1e-12 ? sign * angle / size : 2 * sign;
    for (int k = 0; k < 3; k++) vector[k] = part * q[k + 1];
}

static void outside_product(const double a[4], const double b[4], double out[4]) {
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

static void outside_turn(const double by[3], const double from[4], double to[4]) {
    double turn[4], result[4], size = 0;
    outside_quaternion(by, turn);
    outside_product(turn, from, result);
    for (int k = 0; k < 4; k++) size += result[k] * result[k];
    for (int k = 0; k < 4; k++) to[k] = result[k] / sqrt(size);
}

// ---- ports that are moved ------------------------------------------------------------------------
static MrcMotion outside_given(const double n[OUTSIDE_NUMBERS]) {
    MrcMotion m;
    memcpy(m.position, n, sizeof m.position);
    outside_quaternion(n + 3, m.orientation);
    memcpy(m.velocity, n + 6, sizeof m.velocity);
    memcpy(m.angular_velocity, n + 9, sizeof m.angular_velocity);
    memcpy(m.acceleration, n + 12, sizeof m.acceleration);
    memcpy(m.angular_acceleration, n + 15, sizeof m.angular_acceleration);
    return m;
}

// A time s behind the instant of m, with constant accelerations.
static MrcMotion outside_extrapolate(const MrcMotion *m, double s) {
    MrcMotion out = *m;
    double turn[3];
    for (int k = 0; k < 3; k++) {
        out.position[k] += s * (m->velocity[k] + 0.5 * s * m->acceleration[k]);
        out.velocity[k] += s * m->acceleration[k];
        turn[k] = s * (m->angular_velocity[k] + 0.5 * s * m->angular_acceleration[k]);
        out.angular_velocity[k] += s * m->angular_acceleration[k];
    }
    outside_turn(turn, m->orientation, out.orientation);
    return out;
}

// The part u of the way from a to b, which take a time h: the cubic with their positions and velocities.
static void outside_cubic(double u, double h, const double way[3], const double va[3], const double vb[3],
                          double position[3], double velocity[3]) {
    double w = 1 - u;
    for (int k = 0; k < 3; k++) {
        position[k] = u * u * (3 - 2 * u) * way[k] + h * u * w * (w * va[k] - u * vb[k]);
        velocity[k] = 6 * u * w * way[k] / h + (1 - 4 * u + 3 * u * u) * va[k] + (3 * u * u - 2 * u) * vb[k];
    }
}

static MrcMotion outside_interpolate(const MrcMotion *a, const MrcMotion *b, double u, double h) {
    MrcMotion out = *b;
    double way[3], turned[4],
        back[4] = {a->orientation[0], -a->orientation[1], -a->orientation[2], -a->orientation[3]};
    if (u >= 1 - 1e-9) return out;
    for (int k = 0; k < 3; k++) way[k] = b->position[k] - a->position[k];
    outside_cubic(u, h, way, a->velocity, b->velocity, out.position, out.velocity);
    for (int k = 0; k < 3; k++) out.position[k] += a->position[k];
    outside_product(b->orientation, back, turned);
    outside_rotation_vector(turned, way);
    outside_cubic(u, h, way, a->angular_velocity, b->angular_velocity, turned, out.angular_velocity);
    outside_turn(turned, a->orientation, out.orientation);
    return out;
}

static MrcStatus outside_driver_begin(void *self, double t, double h, MrcError *error) {
    OutsideDriver *d = self;
    double since = t + h - d->state.start;
    (void)error;
    d->state.h = h;
    for (int p = 0; p < d->port_count; p++) {
        MrcMotion given = outside_given(d->state.given[p]);
        d->state.now[p] = d->state.ahead != 0 ? outside_interpolate(&d->state.from[p], &given,
                                                                    since / d->state.length, d->state.length)
                                              : outside_extrapolate(&given, since);
    }
    return MRC_OK;
}

static void outside_driver_motion(void *self, int port, MrcMotion *motion) {
    *motion = ((OutsideDriver *)self)->state.now[port];
}

// Loads change the motion by the mobility only: the program outside that moves the ports gets them as outputs.
static MrcStatus outside_driver_advance(void *self, const MrcLoad *loads, MrcError *error) {
    (void)self, (void)loads, (void)error;
    return MRC_OK;
}

static MrcStatus outside_driver_mobility(void *self, double early, double *Y, MrcError *error) {
    OutsideDriver *d = self;
    size_t size = 6 * (size_t)d->port_count;
    (void)early, (void)error;
    memcpy(Y, d->state.mobility, size * size * sizeof *Y);
    return MRC_OK;
}

static MrcStatus outside_driver_impulse(void *self, const MrcLoad *impulses, const MrcLoad *early,
                                        MrcError *error) {
    OutsideDriver *d = self;
    int size = 6 * d->port_count;
    (void)error;
    for (int p = 0; p < d->port_count; p++) {
        double jump[6] = {0}, way[6] = {0};
        MrcMotion *m = &d->state.now[p];
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < size; j++) {
                double Y = d->state.mobility[(6 * p + i) * size + j];
                jump[i] += Y * ((const double *)&impulses[j / 6])[j % 6];
                way[i] += d->state.h * Y * ((const double *)&early[j / 6])[j % 6];
            }
        for (int k = 0; k < 3; k++) {
            m->position[k] += way[k];
            m->velocity[k] += jump[k];
            m->angular_velocity[k] += jump[3 + k];
        }
        outside_turn(way + 3, m->orientation, m->orientation);
    }
    return MRC_OK;
}

static MrcStatus outside_driver_commit(void *self, MrcError *error) {
    OutsideDriver *d = self;
    (void)error;
    memcpy(d->state.present, d->state.now, sizeof d->state.present);
    return MRC_OK;
}

// ---- ports that are loaded -----------------------------------------------------------------------
static MrcStatus outside_follower_step(void *self, double h, const MrcMotion *ports, const double *Y,
                                       MrcLoad *impulses, MrcError *error) {
    OutsideFollower *f = self;
    int size = 6 * f->port_count;
    (void)ports, (void)error;
    for (int p = 0; p < f->port_count; p++)
        for (int k = 0; k < 6; k++) ((double *)&impulses[p])[k] = h * f->state.load[p][k];
    for (int i = 0; i < size * size && Y; i++) {
        f->state.velocity[i] += h * Y[i];
        f->state.pose[i] += h * f->state.velocity[i];
    }
    f->state.known = Y != NULL;
    return MRC_OK;
}

// ---- all of them ---------------------------------------------------------------------------------
void outside_bind(Outside *o, bool with_mobility) {
    o->count = 0;
    for (int k = 0; k < o->driver_count; k++) {
        OutsideDriver *d = &o->drivers[k];
        o->partners[o->count] = (MrcPartner){.size = sizeof(MrcPartner),
                                             .name = d->name,
                                             .self = d,
                                             .begin = outside_driver_begin,
                                             .motion = outside_driver_motion,
                                             .advance = outside_driver_advance,
                                             .mobility = with_mobility ? outside_driver_mobility : NULL,
                                             .impulse = with_mobility ? outside_driver_impulse : NULL,
                                             .commit = outside_driver_commit,
                                             .state = &d->state,
                                             .state_size = sizeof d->state};
        o->list[o->count] = &o->partners[o->count], o->count++;
    }
    if (o->follower.port_count == 0) return;
    o->partners[o->count] = (MrcPartner){.size = sizeof(MrcPartner),
                                         .name = "outside",
                                         .self = &o->follower,
                                         .ports = o->follower.ports,
                                         .port_count = o->follower.port_count,
                                         .step = outside_follower_step,
                                         .state = &o->follower.state,
                                         .state_size = sizeof o->follower.state};
    o->list[o->count] = &o->partners[o->count], o->count++;
}

void outside_place(Outside *o) {
    for (int k = 0; k < o->driver_count; k++) {
        OutsideDriver *d = &o->drivers[k];
        for (int p = 0; p < d->port_count; p++)
            d->state.now[p] = d->state.present[p] = d->state.from[p] = outside_given(d->state.given[p]);
    }
}

void outside_begin(Outside *o, double t, double h) {
    for (int k = 0; k < o->driver_count; k++) {
        OutsideDriver *d = &o->drivers[k];
        memcpy(d->state.from, d->state.present, sizeof d->state.from);
        d->state.start = t;
        d->state.length = h;
    }
    memset(o->follower.state.velocity, 0, sizeof o->follower.state.velocity);
    memset(o->follower.state.pose, 0, sizeof o->follower.state.pose);
    o->follower.state.known = 0;
}
