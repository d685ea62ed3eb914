// The verbs that all schemes share.
#include <math.h>
#include <string.h>

#include "coupling/coupling.h"

MrcStatus exchange_begin(Coupling *c, double h, MrcError *error) {
    for (int p = 0; p < c->count; p++) {
        if (!c->adaption.again) c->before[p] = c->driver.motion(c->driver.self, p);
        c->bends[p] = (Twist){{0, 0, 0}, {0, 0, 0}};
    }
    c->solves = 0;
    c->round_growth = 0;
    c->driven = false;
    return c->driver.begin(c->driver.self, h, error);
}

// In a step that was cut, a gap between container and marker comes from longer ones and is closed in as long
// a time as they are: at once, it would be a blow on the grains.
Twist exchange_twist_to(const Coupling *c, int p, double h, const Motion *target) {
    const Container *container = &c->containers.items[p];
    Twist all = motion_twist_to(&container->motion, target, h);
    if (!(c->longest > h)) return all;
    Motion behind = container_target(container, &c->before[p], &c->before[p]);
    Twist gap = motion_twist_to(&container->motion, &behind, h);
    double later = 1 - h / c->longest;
    return (Twist){vec3_madd(all.linear, -later, gap.linear), vec3_madd(all.angular, -later, gap.angular)};
}

void exchange_follow(Coupling *c, double h) {
    for (int p = 0; p < c->count; p++) {
        Motion marker = c->driver.motion(c->driver.self, p);
        Motion target = container_target(&c->containers.items[p], &c->before[p], &marker);
        c->twists[p] = exchange_twist_to(c, p, h, &target);
    }
}

void exchange_follow_euler(Coupling *c, double h) {
    for (int p = 0; p < c->count; p++) {
        Container *item = &c->containers.items[p];
        if (!(item->definition.mass > 0)) item->motion = c->before[p];
        Motion target = container_target(item, &c->before[p], &c->before[p]);
        Twist error = motion_twist_to(&target, &item->motion, h),
              t = c->driver.euler_twist(c->driver.self, p);
        Vec3 arm = vec3_sub(target.position, c->before[p].position);
        c->twists[p].linear = vec3_sub(vec3_add(t.linear, vec3_cross(t.angular, arm)), error.linear);
        c->twists[p].angular = vec3_sub(t.angular, error.angular);
    }
}

void exchange_settle_euler(Coupling *c, double h) {
    for (int p = 0; p < c->count; p++) {
        if (c->containers.items[p].definition.mass > 0) continue;
        Motion after = c->driver.motion(c->driver.self, p);
        c->ended[p] = (Twist){after.velocity, after.angular_velocity};
        c->moved[p] = motion_twist_to(&c->containers.items[p].motion, &after, h);
    }
}

// A container with a mass of its own has a velocity of its own.
void exchange_bend(Coupling *c, double h) {
    for (int p = 0; p < c->count && c->follower.small_steps; p++) {
        if (c->containers.items[p].definition.mass > 0) continue;
        Motion from = c->before[p], to = c->driver.motion(c->driver.self, p);
        c->bends[p] = (Twist){vec3_scale(1 / h, vec3_sub(to.velocity, from.velocity)),
                              vec3_scale(1 / h, vec3_sub(to.angular_velocity, from.angular_velocity))};
    }
}

MrcStatus exchange_grains(Coupling *c, double h, const double *Y, MrcError *error) {
    const double *effective;
    MrcStatus status = containers_prepare(&c->containers, h, c->gravity, c->before, c->twists, Y, c->free,
                                          &effective, error);
    if (status != MRC_OK) return status;
    for (int p = 0; p < c->count; p++) {
        c->given[p] = c->containers.items[p].motion;
        c->given[p].velocity = c->free[p].linear;
        c->given[p].angular_velocity = c->free[p].angular;
        c->given[p].acceleration = c->bends[p].linear;
        c->given[p].angular_acceleration = c->bends[p].angular;
    }
    c->solves++;
    status = c->follower.advance(c->follower.self, h, c->given, effective, c->impulses, c->early, error);
    if (status != MRC_OK) return status;
    containers_respond(&c->containers, c->impulses, c->ended, c->passed);
    containers_respond(&c->containers, c->early, c->moved, c->passed_early);
    for (int p = 0; p < c->count; p++) c->loads[p] = load_scale(1 / h, c->passed[p]);
    return MRC_OK;
}

void exchange_extrapolate(Coupling *c, ExtrapolationKind kind) {
    static const double weights[][3] = {{1, 0, 0}, {2, -1, 0}, {3, -3, 1}}; // MULTIRATE Eqs. 5-12
    if (kind == EXTRAPOLATION_AUTO)
        kind = c->scheme == SCHEME_MULTIRATE ? EXTRAPOLATION_QUADRATIC : EXTRAPOLATION_NONE;
    int have = c->counts.steps < 3 ? (int)c->counts.steps : 3;
    const double *w = weights[(int)kind < have ? (int)kind : have > 0 ? have - 1 : 0];
    for (int p = 0; p < c->count; p++) {
        const CoupledPort *port = &c->ports[p];
        const Load *past[3] = {&port->load, &port->past[0], &port->past[1]};
        c->loads[p] = (Load){{0, 0, 0}, {0, 0, 0}};
        for (int k = 0; k < 3; k++) {
            c->loads[p].force = vec3_madd(c->loads[p].force, w[k], past[k]->force);
            c->loads[p].moment = vec3_madd(c->loads[p].moment, w[k], past[k]->moment);
        }
    }
}

MrcStatus exchange_drive(Coupling *c, const Load *loads, MrcError *error) {
    memcpy(c->driving, loads, (size_t)c->count * sizeof *loads);
    c->driven = true;
    return c->driver.advance(c->driver.self, loads, error);
}

// The power residual of the exchange: what the mechanism was given on the marker's way less what the other
// side gave on the container's.
static PortEnergy energy_at(const Coupling *c, int p, double h) {
    const Motion after = c->driver.motion(c->driver.self, p);
    Twist way = motion_twist_to(&c->before[p], &after, h);
    Load given = c->driven ? load_scale(h, c->driving[p]) : c->passed[p];
    const Load *J = &c->passed[p];
    double marker = vec3_dot(given.force, way.linear) + vec3_dot(given.moment, way.angular);
    Vec3 moment = vec3_sub(J->moment, vec3_cross(c->containers.arm[p], J->force)); // about its own origin
    double container = vec3_dot(J->force, c->moved[p].linear) + vec3_dot(moment, c->moved[p].angular);
    return (PortEnergy){marker - container, fabs(marker)};
}

static void book_energy(Coupling *c, int p, double h) {
    PortEnergy energy = energy_at(c, p, h);
    const Motion after = c->driver.motion(c->driver.self, p);
    c->counts.energy_error += energy.error;
    c->counts.energy_error_size += fabs(energy.error);
    c->counts.energy_passed += energy.passed;
    bool jumps = c->scheme == SCHEME_CONDENSED || c->scheme == SCHEME_MONOLITHIC;
    PortStep step = {&c->before[p], &after,        &c->loads[p], &c->ports[p].load, h,
                     energy.error,  energy.passed, jumps,        c->known};
    signs_take(&c->ports[p].signs, &step);
    // A load at the time s of the step meets the velocity u + bend (s - h/2); the sum of J s is h (J -
    // early).
    Load lead = load_sub(load_scale(0.5, c->passed[p]), c->passed_early[p]);
    c->counts.bend_work +=
        h * (vec3_dot(lead.force, c->bends[p].linear) + vec3_dot(lead.moment, c->bends[p].angular));
    c->counts.largest_load = fmax(c->counts.largest_load, vec3_norm(c->loads[p].force));
}

// Is the step better done again, in halves?
static bool is_too_long(Coupling *c, double h) {
    PortEnergy sum = {0, 0};
    if (!(c->adaption.active)) return false;
    for (int p = 0; p < c->count; p++) {
        PortEnergy energy = energy_at(c, p, h);
        sum.error += fabs(energy.error);
        sum.passed += energy.passed;
    }
    return adaption_refuses(c, h, sum);
}

MrcStatus exchange_end(Coupling *c, double h, MrcError *error) {
    if (is_too_long(c, h)) {
        c->counts.grain_solves += c->solves;
        return MRC_OK;
    }
    bound_ask_driver(c, h);
    MrcStatus status = c->driver.commit(c->driver.self, error);
    if (status != MRC_OK) return status;
    for (int p = 0; p < c->count; p++) {
        CoupledPort *port = &c->ports[p];
        book_energy(c, p, h);
        port->past[1] = port->past[0];
        port->past[0] = port->load;
        port->load = c->loads[p];
        port->marker = c->driver.motion(c->driver.self, p);
    }
    containers_move(&c->containers, h, c->moved, c->ended);
    for (int p = 0; p < c->count; p++) {
        CoupledPort *port = &c->ports[p];
        Motion target = container_target(&c->containers.items[p], &port->marker, &port->marker);
        port->gap = motion_twist_to(&target, &c->containers.items[p].motion, 1);
        c->counts.largest_gap = fmax(c->counts.largest_gap, vec3_norm(port->gap.linear));
    }
    c->last_h = h;
    c->counts.steps++;
    c->counts.grain_solves += c->solves;
    if (c->solves > c->counts.most_solves) c->counts.most_solves = c->solves;
    return MRC_OK;
}
