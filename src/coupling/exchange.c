// The verbs that all schemes share.
#include <math.h>
#include <string.h>

#include "coupling/coupling.h"

void exchange_begin_euler(Coupling *c) {
    for (int p = 0; p < c->count; p++) {
        c->step.before[p] = drivers_motion(&c->drivers, p);
        c->step.bends[p] = (Twist){{0, 0, 0}, {0, 0, 0}};
    }
    c->step.solves = 0;
}

// A step that is done again in halves begins where it began before: the drivers have moved on since then.
MrcStatus exchange_begin(Coupling *c, double h, MrcError *error) {
    for (int p = 0; p < c->count; p++) {
        if (!c->control.again) c->step.before[p] = drivers_motion(&c->drivers, p);
        c->step.bends[p] = (Twist){{0, 0, 0}, {0, 0, 0}};
    }
    c->step.solves = 0;
    c->step.round_growth = 0;
    c->step.driven = false;
    return drivers_begin(&c->drivers, c->step.t, h, error);
}

// In a step that was cut, a gap between container and marker comes from longer ones and is closed in as long a time as
// they are: at once, it would be a blow on the grains.
Twist exchange_twist_to(const Coupling *c, int p, double h, const Motion *target) {
    const Container *container = &c->containers.items[p];
    Twist all = motion_twist_to(&container->motion, target, h);
    if (!(c->longest > h)) return all;
    Motion behind = container_target(container, &c->step.before[p], &c->step.before[p]);
    Twist gap = motion_twist_to(&container->motion, &behind, h);
    double later = 1 - h / c->longest;
    return (Twist){vec3_madd(all.linear, -later, gap.linear), vec3_madd(all.angular, -later, gap.angular)};
}

void exchange_follow(Coupling *c, double h) {
    for (int p = 0; p < c->yielding; p++) {
        Motion marker = drivers_motion(&c->drivers, p);
        Motion target = container_target(&c->containers.items[p], &c->step.before[p], &marker);
        c->step.twists[p] = exchange_twist_to(c, p, h, &target);
    }
}

void exchange_follow_euler(Coupling *c, double h) {
    for (int p = 0; p < c->count; p++) {
        const Motion *before = &c->step.before[p];
        Container *item = &c->containers.items[p];
        if (!(item->definition.mass > 0)) item->motion = *before;
        Motion target = container_target(item, before, before);
        Twist error = motion_twist_to(&target, &item->motion, h), t = drivers_euler_twist(&c->drivers, p);
        Vec3 arm = vec3_sub(target.position, before->position);
        c->step.twists[p].linear = vec3_sub(vec3_add(t.linear, vec3_cross(t.angular, arm)), error.linear);
        c->step.twists[p].angular = vec3_sub(t.angular, error.angular);
    }
}

void exchange_settle_euler(Coupling *c, double h) {
    for (int p = 0; p < c->count; p++) {
        if (c->containers.items[p].definition.mass > 0) continue;
        Motion after = drivers_motion(&c->drivers, p);
        c->step.ended[p] = (Twist){after.velocity, after.angular_velocity};
        c->step.moved[p] = motion_twist_to(&c->containers.items[p].motion, &after, h);
    }
}

// A container with a mass of its own has a velocity of its own.
static void exchange_bend_port(Coupling *c, int p, double h) {
    if (!c->followers.all.small_steps || c->containers.items[p].definition.mass > 0) return;
    Motion from = c->step.before[p], to = drivers_motion(&c->drivers, p);
    c->step.bends[p] = (Twist){vec3_scale(1 / h, vec3_sub(to.velocity, from.velocity)),
                               vec3_scale(1 / h, vec3_sub(to.angular_velocity, from.angular_velocity))};
}

void exchange_bend(Coupling *c, double h) {
    for (int p = 0; p < c->yielding; p++) exchange_bend_port(c, p, h);
}

MrcStatus exchange_mobility(Coupling *c, const double **Y, MrcError *error) {
    *Y = NULL;
    if (c->yielding == 0) return MRC_OK;
    *Y = c->step.Y;
    return drivers_mobility(&c->drivers, c->mobility, c->step.Y, error);
}

// A prescribed motion is known at both ends of the step.
static void exchange_prescribe(Coupling *c, double h) {
    for (int p = c->yielding; p < c->count; p++) {
        Motion marker = drivers_motion(&c->drivers, p);
        Motion target = container_target(&c->containers.items[p], &c->step.before[p], &marker);
        c->step.twists[p] = motion_twist_to(&c->containers.items[p].motion, &target, h);
        exchange_bend_port(c, p, h);
    }
}

MrcStatus exchange_grains(Coupling *c, double h, const double *Y, MrcError *error) {
    ExchangeStep *s = &c->step;
    const double *effective;
    exchange_prescribe(c, h);
    MrcStatus status = containers_prepare(&c->containers, h, c->gravity, s->before, s->twists, Y, s->free,
                                          &effective, error);
    if (status != MRC_OK) return status;
    for (int p = 0; p < c->count; p++) {
        s->given[p] = c->containers.items[p].motion;
        s->given[p].velocity = s->free[p].linear;
        s->given[p].angular_velocity = s->free[p].angular;
        s->given[p].acceleration = s->bends[p].linear;
        s->given[p].angular_acceleration = s->bends[p].angular;
    }
    s->solves++;
    status = followers_advance(&c->followers, h, s->given, effective, s->impulses, s->early, error);
    if (status != MRC_OK) return status;
    containers_respond(&c->containers, s->impulses, s->ended, s->passed);
    containers_respond(&c->containers, s->early, s->moved, s->passed_early);
    for (int p = 0; p < c->count; p++) s->loads[p] = load_scale(1 / h, s->passed[p]);
    return MRC_OK;
}

void exchange_extrapolate(Coupling *c, int degree) {
    // Lommen et al. 2018, Eqs. 5-12, doi:10.1108/EC-07-2017-0246
    static const double weights[][3] = {{1, 0, 0}, {2, -1, 0}, {3, -3, 1}};
    int have = c->counts.steps < 3 ? (int)c->counts.steps : 3;
    const double *w = weights[degree < have ? degree : have > 0 ? have - 1 : 0];
    for (int p = 0; p < c->count; p++) {
        const CoupledPort *port = &c->ports[p];
        const Load *past[3] = {&port->load, &port->past[0], &port->past[1]};
        Load *load = &c->step.loads[p];
        *load = (Load){{0, 0, 0}, {0, 0, 0}};
        for (int k = 0; k < 3; k++) {
            load->force = vec3_madd(load->force, w[k], past[k]->force);
            load->moment = vec3_madd(load->moment, w[k], past[k]->moment);
        }
    }
}

MrcStatus exchange_drive(Coupling *c, const Load *loads, MrcError *error) {
    memcpy(c->step.driving, loads, (size_t)c->count * sizeof *loads);
    c->step.driven = true;
    return drivers_advance(&c->drivers, loads, error);
}

MrcStatus exchange_impulse(Coupling *c, MrcError *error) {
    if (c->yielding == 0) return MRC_OK;
    return drivers_impulse(&c->drivers, c->step.passed, c->step.passed_early, error);
}

// ---- the end of a step ---------------------------------------------------------------------------
// The power residual of the exchange: what the driver was given on the marker's way less what the other side gave on
// the container's.
static PortEnergy exchange_energy_at(const Coupling *c, int p, double h) {
    const ExchangeStep *s = &c->step;
    const Motion after = drivers_motion(&c->drivers, p);
    Twist way = motion_twist_to(&s->before[p], &after, h);
    Load given = s->driven ? load_scale(h, s->driving[p]) : s->passed[p];
    const Load *J = &s->passed[p];
    double marker = vec3_dot(given.force, way.linear) + vec3_dot(given.moment, way.angular);
    Vec3 moment = vec3_sub(J->moment, vec3_cross(c->containers.arm[p], J->force)); // about its own origin
    double container = vec3_dot(J->force, s->moved[p].linear) + vec3_dot(moment, s->moved[p].angular);
    return (PortEnergy){marker - container, fabs(marker)};
}

PortEnergy exchange_energy(const Coupling *c, double h) {
    PortEnergy sum = {0, 0};
    for (int p = 0; p < c->yielding; p++) {
        PortEnergy energy = exchange_energy_at(c, p, h);
        sum.error += fabs(energy.error);
        sum.passed += energy.passed;
    }
    return sum;
}

// A load at the time s of the step meets the velocity u + bend (s - h/2); the sum of J s is h (J - early).
static double exchange_bend_work(const ExchangeStep *s, int p, double h) {
    Load lead = load_sub(load_scale(0.5, s->passed[p]), s->passed_early[p]);
    return h * (vec3_dot(lead.force, s->bends[p].linear) + vec3_dot(lead.moment, s->bends[p].angular));
}

static void exchange_record_energy(Coupling *c, int p, double h) {
    ExchangeStep *s = &c->step;
    PortEnergy energy = exchange_energy_at(c, p, h);
    const Motion after = drivers_motion(&c->drivers, p);
    c->counts.energy_error += energy.error;
    c->counts.energy_error_size += fabs(energy.error);
    c->counts.energy_passed += energy.passed;
    MonitorStep step = {.before = &s->before[p],
                        .after = &after,
                        .load = &s->loads[p],
                        .past = &c->ports[p].load,
                        .h = h,
                        .error = energy.error,
                        .passed = energy.passed,
                        .jumps = c->scheme->one_problem,
                        .known = c->energy.known};
    monitor_step(&c->ports[p].monitor, &step);
    c->counts.bend_work += exchange_bend_work(s, p, h);
    c->counts.largest_load = fmax(c->counts.largest_load, vec3_norm(s->loads[p].force));
}

static void exchange_record_work(Coupling *c, int p, double h) {
    const ExchangeStep *s = &c->step;
    double work = -(vec3_dot(s->passed[p].force, s->twists[p].linear) +
                    vec3_dot(s->passed[p].moment, s->twists[p].angular)) -
                  exchange_bend_work(s, p, h);
    c->counts.prescribed_work += work;
    c->counts.prescribed_flow += fabs(work);
}

static void exchange_move_containers(Coupling *c, double h) {
    for (int p = 0; p < c->count; p++) {
        CoupledPort *port = &c->ports[p];
        Container *item = &c->containers.items[p];
        if (p >= c->yielding && !(item->definition.mass > 0)) { // no rounding adds up
            item->motion = port->marker;
            continue;
        }
        container_move(item, h, c->step.moved[p], c->step.ended[p]);
        Motion target = container_target(item, &port->marker, &port->marker);
        item->motion.acceleration = target.acceleration;
        item->motion.angular_acceleration = target.angular_acceleration;
        port->gap = motion_twist_to(&target, &item->motion, 1);
        if (p < c->yielding) c->counts.largest_gap = fmax(c->counts.largest_gap, vec3_norm(port->gap.linear));
    }
}

MrcStatus exchange_commit(Coupling *c, double h, MrcError *error) {
    MrcStatus status = drivers_commit(&c->drivers, error);
    if (status != MRC_OK) return status;
    for (int p = 0; p < c->count; p++) {
        CoupledPort *port = &c->ports[p];
        if (p < c->yielding) exchange_record_energy(c, p, h);
        else exchange_record_work(c, p, h);
        port->past[1] = port->past[0];
        port->past[0] = port->load;
        port->load = c->step.loads[p];
        port->marker = drivers_motion(&c->drivers, p);
    }
    exchange_move_containers(c, h);
    c->last_h = h;
    c->counts.steps++;
    c->counts.grain_solves += c->step.solves;
    if (c->step.solves > c->counts.most_solves) c->counts.most_solves = c->step.solves;
    return MRC_OK;
}
