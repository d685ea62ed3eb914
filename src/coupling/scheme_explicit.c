// Explicit: once round, with the motion modified so that errors of position, velocity and acceleration
// between container and marker die out (EXPLICIT 2.3). With x(0), v(0), a(0) the marker's prediction:
//
//     original   u = v(0) + (x_n - x2_n)/h                                                         (Eq. 20)
//     modified   u = [alpha (x(0) - x2_n)/h + beta v(0) + gamma (v2_n + h a(0))]/(alpha + beta + gamma)  (Eq.
//     26)
//
// alpha, beta, gamma being multiples of 1/h^2, 1/h and 1: 2, 2, 1 for index 1; 1, 1, 0 for index 2; 1, 0, 0
// for index 3. Gauss-Seidel order: the mechanism is advanced with the load that this gives. Jacobi order:
// with the load of the step before.
#include <math.h>

#include "coupling/coupling.h"

void explicit_weights(const CouplingDefinition *d, double w[3]) {
    static const double table[][3] = {
        [INPUTS_INDEX_1] = {2, 2, 1}, [INPUTS_INDEX_2] = {1, 1, 0}, [INPUTS_INDEX_3] = {1, 0, 0}};
    const double own[3] = {d->alpha, d->beta, d->gamma};
    for (int k = 0; k < 3; k++) w[k] = d->inputs == INPUTS_OWN ? own[k] : table[d->inputs][k];
}

static Vec3 blend(Vec3 way, Vec3 velocity, Vec3 before, Vec3 acceleration, double h, const double w[3]) {
    Vec3 sum = vec3_scale(w[0], way);
    sum = vec3_madd(sum, w[1], velocity);
    sum = vec3_madd(sum, w[2], vec3_madd(before, h, acceleration));
    return vec3_scale(1 / (w[0] + w[1] + w[2]), sum);
}

static void set_inputs(Coupling *c, double h) {
    double w[3] = {0};
    bool original = c->definition->inputs == INPUTS_ORIGINAL;
    if (!original) explicit_weights(c->definition, w);
    for (int p = 0; p < c->count; p++) {
        const Motion *container = &c->containers.items[p].motion;
        Motion marker = c->driver.motion(c->driver.self, p);
        Motion ahead = container_target(&c->containers.items[p], &c->before[p], &marker);
        Motion behind = container_target(&c->containers.items[p], &c->before[p], &c->before[p]);
        if (original) {
            Twist back = motion_twist_to(container, &behind, fmax(h, c->longest));
            c->twists[p] = (Twist){vec3_add(ahead.velocity, back.linear),
                                   vec3_add(ahead.angular_velocity, back.angular)};
            continue;
        }
        Twist way = exchange_twist_to(c, p, h, &ahead);
        c->twists[p].linear =
            blend(way.linear, ahead.velocity, container->velocity, behind.acceleration, h, w);
        c->twists[p].angular = blend(way.angular, ahead.angular_velocity, container->angular_velocity,
                                     behind.angular_acceleration, h, w);
    }
}

MrcStatus scheme_explicit(Coupling *c, double h, MrcError *error) {
    bool jacobi = c->definition->order == ORDER_JACOBI;
    MrcStatus status = exchange_begin(c, h, error);
    if (status != MRC_OK) return status;
    set_inputs(c, h);
    if (jacobi) {
        exchange_extrapolate(c, EXTRAPOLATION_NONE);
        status = exchange_drive(c, c->loads, error);
    }
    if (status == MRC_OK) status = exchange_grains(c, h, NULL, error);
    if (status == MRC_OK && !jacobi) status = exchange_drive(c, c->loads, error);
    return status == MRC_OK ? exchange_end(c, h, error) : status;
}
