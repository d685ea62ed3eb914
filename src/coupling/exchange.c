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
    c->step.has_works = c->step.has_path = c->step.divided = c->step.mixed = false;
}

// A step that is done again in halves begins where it began before: the drivers have moved on since then.
MrcStatus exchange_begin(Coupling *c, double h, MrcError *error) {
    for (int p = 0; p < c->count; p++) {
        if (!c->control.again) c->step.before[p] = drivers_motion(&c->drivers, p);
        c->step.bends[p] = (Twist){{0, 0, 0}, {0, 0, 0}};
    }
    c->step.solves = 0;
    c->step.has_works = c->step.has_path = c->step.divided = c->step.mixed = false;
    c->step.round_growth = 0;
    c->step.driven = false;
    return drivers_begin(&c->drivers, c->step.t, h, error);
}

// In a step that was cut, a gap between container and marker comes from longer steps. It is closed over the time of
// such a step: closed at once, it would be an impact on the grains.
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
        // A container without mass goes from pose to pose, on the chord of its marker's path.
        Motion after = drivers_motion(&c->drivers, p);
        if (!(item->definition.mass > 0))
            c->step.twists[p].linear = vec3_scale(1 / h, vec3_sub(after.position, before->position));
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
static void exchange_bend_port(Coupling *c, int p, double h, Twist change) {
    if (!c->followers.all.small_steps || c->containers.items[p].definition.mass > 0) return;
    c->step.bends[p] = (Twist){vec3_scale(1 / h, change.linear), vec3_scale(1 / h, change.angular)};
}

MrcStatus exchange_bend(Coupling *c, double h, MrcError *error) {
    Twist changes[CONTAINERS_MAX];
    if (!c->followers.all.small_steps || c->yielding == 0) return MRC_OK;
    MrcStatus status = drivers_curve(&c->drivers, c->step.before, changes, error);
    for (int p = 0; p < c->yielding && status == MRC_OK; p++) exchange_bend_port(c, p, h, changes[p]);
    return status;
}

void exchange_bend_ends(Coupling *c, double h) {
    for (int p = 0; p < c->yielding && c->followers.all.small_steps; p++) {
        const Motion *before = &c->step.before[p], after = drivers_motion(&c->drivers, p);
        Twist change = {vec3_sub(after.velocity, before->velocity),
                        vec3_sub(after.angular_velocity, before->angular_velocity)};
        exchange_bend_port(c, p, h, change);
    }
}

void exchange_bend_euler(Coupling *c, double h) {
    for (int p = 0; p < c->yielding && c->followers.all.small_steps; p++) {
        Motion after = drivers_motion(&c->drivers, p); // its velocities lag under loads that last
        Twist change = {vec3_scale(h, after.acceleration), vec3_scale(h, after.angular_acceleration)};
        exchange_bend_port(c, p, h, change);
    }
}

MrcStatus exchange_mobility(Coupling *c, double h, const double **Y, MrcError *error) {
    *Y = NULL;
    if (c->yielding == 0) return MRC_OK;
    *Y = c->step.Y;
    MrcStatus status = drivers_mobility(&c->drivers, coupling_early(c, h), c->step.Y, error);
    if (status == MRC_OK) semidefinite_project(6 * c->count, c->step.Y, c->step.scratch);
    return status;
}

// Containers with a mass of their own have velocities of their own.
static bool exchange_can_divide(const Coupling *c) {
    return c->yielding > 0 && c->followers.all.divides && !c->containers.any_mass && !c->containers.any_free;
}

MrcStatus exchange_whole(Coupling *c, MrcError *error) {
    ExchangeStep *s = &c->step;
    if (!exchange_can_divide(c) || !c->followers.all.mixed) return MRC_OK;
    double early = c->scheme->needs_euler ? 0 : 1; // 0: of the masses alone
    MrcStatus status = drivers_mobility(&c->drivers, early, s->whole, error);
    if (status == MRC_OK) semidefinite_project(6 * c->count, s->whole, s->scratch);
    s->mixed = status == MRC_OK;
    return status;
}

void exchange_divide(Coupling *c) {
    ExchangeStep *s = &c->step;
    if (!exchange_can_divide(c)) return;
    const Partner *follower = &c->followers.items[0];
    s->divided =
        !c->scheme->needs_euler && drivers_divide(&c->drivers, s->lasting, s->yielding, &s->settling);
    PortAnswer answer = {.whole = s->mixed ? s->whole : NULL};
    if (s->divided) {
        semidefinite_project(6 * c->count, s->lasting, s->scratch);
        semidefinite_project(6 * c->count, s->yielding, s->scratch);
        answer.lasting = s->lasting, answer.yielding = s->yielding, answer.settling = s->settling;
    }
    if (s->divided || s->mixed) follower->type->follower->set_answer(follower->self, &answer);
}

// Semi-implicit Euler with smooth grains alone: the work of their loads is that on the way that the containers went.
static bool exchange_euler_path(const Coupling *c, const double *Y) {
    return Y && c->scheme->needs_euler && c->followers.all.small_steps > 0 && exchange_can_divide(c) &&
           !c->followers.all.mixed;
}

static void exchange_take_path(Coupling *c) {
    const Partner *follower = &c->followers.items[0];
    ExchangeStep *s = &c->step;
    follower->type->follower->path(follower->self, s->moved, s->works);
    follower->type->follower->set_answer(follower->self, NULL);
    memcpy(s->worked, s->moved, (size_t)c->count * sizeof *s->worked);
    s->has_works = s->has_path = true;
}

// A prescribed motion is known at both ends of the step.
static void exchange_prescribe(Coupling *c, double h) {
    for (int p = c->yielding; p < c->count; p++) {
        Motion marker = drivers_motion(&c->drivers, p);
        Motion target = container_target(&c->containers.items[p], &c->step.before[p], &marker);
        c->step.twists[p] = motion_twist_to(&c->containers.items[p].motion, &target, h);
        Twist change = {vec3_sub(marker.velocity, c->step.before[p].velocity),
                        vec3_sub(marker.angular_velocity, c->step.before[p].angular_velocity)};
        exchange_bend_port(c, p, h, change);
    }
}

// Impulses are about the origin of the container and act on the marker. If the two origins differ, the moment is
// changed so that it stays the same about any fixed point. With a scheme that uses the predicted motion only
// (`by_prediction`), the container is at the predicted pose of the marker, and loads are about that point, wherever the
// driver has moved since: so they are the same for a driver in another process, which sends nothing but its prediction.
static void exchange_move_to_marker(const Coupling *c, int p, Load *impulse) {
    if (p >= c->yielding || c->scheme->by_prediction) return; // the container is where its marker is
    if (c->containers.items[p].definition.mass > 0) return;   // its joint is a point of both
    Vec3 there = vec3_add(c->step.before[p].position, c->containers.arm[p]);
    Vec3 gap = vec3_sub(c->containers.items[p].motion.position, there);
    impulse->moment = vec3_add(impulse->moment, vec3_cross(gap, impulse->force));
}

// Of containers with mass: 1, or with small steps and a mobility the share of coupling_early. `ends`: velocities of the
// markers at the end of the step, where the containers are then.
static double exchange_early(const Coupling *c, double h, const double *Y, Twist *ends) {
    double early = Y && c->containers.any_mass ? coupling_early(c, h) : 1;
    memcpy(ends, c->step.twists, (size_t)c->count * sizeof *ends);
    if (!(early > 0 && early < 1)) return 1;
    for (int p = 0; p < c->count; p++) {
        Motion marker = drivers_motion(&c->drivers, p);
        Motion target = container_target(&c->containers.items[p], &c->step.before[p], &marker);
        ends[p] = (Twist){target.velocity, target.angular_velocity};
    }
    return early;
}

// How the velocities of containers with mass would change over the step without grains.
static void exchange_bend_masses(Coupling *c, double h) {
    Load none[CONTAINERS_MAX] = {0}, passed[CONTAINERS_MAX];
    Twist ends[CONTAINERS_MAX];
    containers_respond(&c->containers, none, true, ends, passed);
    for (int p = 0; p < c->count; p++) {
        const Container *item = &c->containers.items[p];
        if (!(item->definition.mass > 0)) continue;
        c->step.bends[p].linear = vec3_scale(1 / h, vec3_sub(ends[p].linear, item->motion.velocity));
        c->step.bends[p].angular =
            vec3_scale(1 / h, vec3_sub(ends[p].angular, item->motion.angular_velocity));
    }
}

MrcStatus exchange_grains(Coupling *c, double h, const double *Y, MrcError *error) {
    ExchangeStep *s = &c->step;
    const double *effective;
    exchange_prescribe(c, h);
    Twist ends[CONTAINERS_MAX];
    double early = exchange_early(c, h, Y, ends);
    MrcStatus status = containers_prepare(&c->containers, h, c->gravity, s->before, s->twists, ends, early, Y,
                                          s->free, &effective, error);
    if (status != MRC_OK) return status;
    if (early < 1) exchange_bend_masses(c, h);
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
    containers_respond(&c->containers, s->impulses, true, s->ended, s->passed);
    containers_respond(&c->containers, s->early, false, s->moved, s->passed_early);
    if (s->divided || s->mixed || exchange_euler_path(c, Y)) exchange_take_path(c);
    for (int p = 0; p < c->count; p++) {
        exchange_move_to_marker(c, p, &s->passed[p]);
        exchange_move_to_marker(c, p, &s->passed_early[p]);
        s->loads[p] = load_scale(1 / h, s->passed[p]);
    }
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

// A load at the time s of the step meets the velocity u + bend (s - h/2); the sum of J s is h (J - early).
static double exchange_bend_work(const ExchangeStep *s, int p, double h) {
    Load lead = load_sub(load_scale(0.5, s->passed[p]), s->passed_early[p]);
    return h * (vec3_dot(lead.force, s->bends[p].linear) + vec3_dot(lead.moment, s->bends[p].angular));
}

// How a container moved before its impulses act. With joints as rows of the contact problem, that is the machine's velocity
// in the pose of the beginning of the step, in which its equations are solved.
static Twist exchange_worked_before(const Coupling *c, int p) {
    const Motion *now = &c->containers.items[p].motion;
    if (c->followers.all.small_steps > 0 || c->counts.steps == 0) return c->step.free[p];
    if (c->scheme->needs_euler && p < c->yielding && joined_problem_is_used(c))
        return (Twist){now->velocity, now->angular_velocity};
    return c->ports[p].worked;
}

void exchange_works(Coupling *c, double h) {
    ExchangeStep *s = &c->step;
    for (int p = 0; p < c->count; p++) {
        const Load *J = &s->passed[p];
        bool small = c->followers.all.small_steps > 0;
        Twist before = exchange_worked_before(c, p), after = small ? s->ended[p] : s->moved[p];
        Vec3 linear = vec3_add(before.linear, after.linear),
             angular = vec3_add(before.angular, after.angular);
        Vec3 moment = vec3_sub(J->moment, vec3_cross(c->containers.arm[p], J->force)); // about its own origin
        s->worked[p] = after;
        s->works[p] = 0.5 * (vec3_dot(J->force, linear) + vec3_dot(moment, angular));
        if (small && p >= c->yielding)
            s->works[p] += exchange_bend_work(s, p, h); // of others in coupling_ledger
    }
    s->has_works = true;
}

// Those of small steps, then those of the whole step, each with its own matrix of the jump.
static MrcStatus exchange_impulse_twice(Coupling *c, MrcError *error) {
    ExchangeStep *s = &c->step;
    const Partner *follower = &c->followers.items[0];
    const Load *whole = follower->type->follower->whole(follower->self);
    Load passed[CONTAINERS_MAX], early[CONTAINERS_MAX], rest[CONTAINERS_MAX];
    double none[CONTAINERS_MAX] = {0};
    for (int p = 0; p < c->count; p++) {
        rest[p] = whole[p];
        exchange_move_to_marker(c, p, &rest[p]);
        passed[p] = load_sub(s->passed[p], rest[p]);
        early[p] = load_sub(s->passed_early[p], rest[p]);
    }
    MrcStatus status = drivers_impulse(&c->drivers, passed, early, s->works, error);
    if (status == MRC_OK) status = drivers_mobility(&c->drivers, 1, s->whole, error);
    return status == MRC_OK ? drivers_impulse(&c->drivers, rest, rest, none, error) : status;
}

// Semi-implicit Euler has one matrix for all impulses, that of the masses.
MrcStatus exchange_impulse(Coupling *c, double h, MrcError *error) {
    if (c->yielding == 0) return MRC_OK;
    if (!c->step.has_works) exchange_works(c, h);
    if (c->step.mixed && !c->scheme->needs_euler) return exchange_impulse_twice(c, error);
    return drivers_impulse(&c->drivers, c->step.passed, c->step.passed_early, c->step.works, error);
}

// At the pose of the beginning of the step, with the velocities of its end.
static void exchange_ports_after(const Coupling *c, Motion *ports) {
    for (int p = 0; p < c->count; p++) {
        Motion now = drivers_motion(&c->drivers, p);
        ports[p] = c->step.given[p];
        ports[p].velocity = motion_velocity_at(&now, ports[p].position);
        ports[p].angular_velocity = now.angular_velocity;
    }
}

// Impulses of one follower's rebound, handed to the drivers: velocities jump, nothing moves.
static MrcStatus exchange_take_rebound(Coupling *c, double h, const Motion *ports, Load *impulses,
                                       MrcError *error) {
    ExchangeStep *s = &c->step;
    int size = 6 * c->count;
    Load early[CONTAINERS_MAX] = {0};
    double works[CONTAINERS_MAX];
    for (int p = 0; p < c->count; p++) {
        double gain[6] = {0};
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < size; j++)
                gain[i] += s->Y[(6 * p + i) * size + j] * (&impulses[j / 6].force.x)[j % 6];
        Vec3 linear = vec3_madd(ports[p].velocity, 0.5, vec3(gain[0], gain[1], gain[2]));
        Vec3 angular = vec3_madd(ports[p].angular_velocity, 0.5, vec3(gain[3], gain[4], gain[5]));
        works[p] = vec3_dot(impulses[p].force, linear) + vec3_dot(impulses[p].moment, angular);
        s->worked[p].linear = vec3_add(s->worked[p].linear, vec3(gain[0], gain[1], gain[2]));
        s->worked[p].angular = vec3_add(s->worked[p].angular, vec3(gain[3], gain[4], gain[5]));
        if (p >= c->yielding) s->works[p] += works[p];
    }
    for (int p = 0; p < c->count; p++) {
        s->impulses[p] = load_add(s->impulses[p], impulses[p]);
        exchange_move_to_marker(c, p, &impulses[p]);
        s->passed[p] = load_add(s->passed[p], impulses[p]);
        s->loads[p] = load_scale(1 / h, s->passed[p]);
    }
    return drivers_impulse(&c->drivers, impulses, early, works, error);
}

// What strong dampers have taken of the velocities by it, when the next step begins.
static void exchange_slow_ports(Coupling *c, int follower) {
    Twist lost[CONTAINERS_MAX];
    const Partner *partner = &c->followers.items[follower];
    if (!drivers_stopped(&c->drivers, lost)) return;
    for (int p = 0; p < c->count; p++) {
        Twist *worked = &c->step.worked[p];
        worked->linear = vec3_sub(worked->linear, lost[p].linear);
        worked->angular = vec3_sub(worked->angular, lost[p].angular);
    }
    if (partner->type->follower->stopped) partner->type->follower->stopped(partner->self, lost);
}

// What the contacts that rebound have taken from both sides, in the step.
static double exchange_rebound_limit(Coupling *c, int follower) {
    Load impulses[CONTAINERS_MAX];
    const Partner *partner = &c->followers.items[follower];
    double taken = partner->type->follower->rebounding(partner->self, impulses);
    for (int p = 0; p < c->count; p++) exchange_move_to_marker(c, p, &impulses[p]);
    return taken - drivers_jump_energy(&c->drivers, impulses, c->step.moved);
}

MrcStatus exchange_rebound(Coupling *c, double h, MrcError *error) {
    Motion ports[CONTAINERS_MAX];
    Load impulses[CONTAINERS_MAX];
    MrcStatus status = MRC_OK;
    for (int k = 0; k < c->followers.count && status == MRC_OK && c->yielding > 0; k++) {
        const FollowerVerbs *verbs = c->followers.items[k].type->follower;
        void *self = c->followers.items[k].self;
        if (!verbs->rebounds || !verbs->rebounds(self)) continue;
        double limit = exchange_rebound_limit(c, k);
        status = drivers_mobility(&c->drivers, 0, c->step.Y, error);
        if (status != MRC_OK) return status;
        semidefinite_project(6 * c->count, c->step.Y, c->step.scratch);
        exchange_ports_after(c, ports);
        status = verbs->rebound(self, h, ports, c->step.Y, limit, impulses, error);
        if (status == MRC_OK) status = exchange_take_rebound(c, h, ports, impulses, error);
        if (status == MRC_OK) exchange_slow_ports(c, k);
    }
    return status;
}

// ---- the end of a step ---------------------------------------------------------------------------
// The power residual of the exchange: load times displacement of the marker, which the driver receives, less load
// times displacement of the container, which the other side gives.
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
    if (!s->has_path) c->counts.bend_work += exchange_bend_work(s, p, h);
    c->counts.largest_load = fmax(c->counts.largest_load, vec3_norm(s->loads[p].force));
}

static void exchange_record_work(Coupling *c, double work) {
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
        c->counts.damped += container_damped(item, h, c->step.moved[p]);
        container_move(item, h, c->step.moved[p], c->step.ended[p]);
        Motion target = container_target(item, &port->marker, &port->marker);
        if (!(item->definition.mass > 0)) { // it has no velocity of its own
            item->motion.velocity = target.velocity;
            item->motion.angular_velocity = target.angular_velocity;
        }
        item->motion.acceleration = target.acceleration;
        item->motion.angular_acceleration = target.angular_acceleration;
        port->gap = motion_twist_to(&target, &item->motion, 1);
        if (p < c->yielding) c->counts.largest_gap = fmax(c->counts.largest_gap, vec3_norm(port->gap.linear));
    }
}

MrcStatus exchange_commit(Coupling *c, double h, MrcError *error) {
    if (!c->step.has_works) exchange_works(c, h);
    MrcStatus status = drivers_commit(&c->drivers, error);
    if (status != MRC_OK) return status;
    for (int p = 0; p < c->count; p++) {
        CoupledPort *port = &c->ports[p];
        if (p < c->yielding) exchange_record_energy(c, p, h);
        else exchange_record_work(c, -c->step.works[p]);
        port->worked = c->step.worked[p];
        port->past[1] = port->past[0];
        port->past[0] = port->load;
        port->load = c->step.loads[p];
        port->marker = drivers_motion(&c->drivers, p);
        Load inertia =
            container_reaction(&c->containers.items[p], h, c->gravity, &c->step.before[p], &port->marker);
        port->reaction = load_add(port->load, inertia);
    }
    containers_remember(&c->containers, c->step.passed);
    exchange_move_containers(c, h);
    c->last_h = h;
    c->counts.steps++;
    c->counts.grain_solves += c->step.solves;
    if (c->step.solves > c->counts.most_solves) c->counts.most_solves = c->step.solves;
    return MRC_OK;
}
