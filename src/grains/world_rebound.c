// Restitution at walls of a machine: a rebound after the step.
//
// Newton's law of impact in the problem of the step, u_n = -e u_n(before), would be applied to the machine with its
// mass over the step, S' of src/mechanism/jump.c, which contains its springs and dampers, and with a shift of poses.
// But springs do not take part in an impact: a heavy grain in a light box on a stiff spring gained energy without
// bound. So the step is plastic at such walls: all contacts close, with S'. Afterwards the contacts that bounce push
// apart those that touch, with the velocities and masses at that instant,
//
//     M dv = J^T P,   u_n(after) >= e |u_n(before)| where it bounces, u_n(after) >= 0 where grains touch else,
//
// without moving anything. Energy: for one contact with the inverse masses w = 1/m + Y of the step and W = 1/m + Y_M >= w
// of the masses, the plastic step takes u^2/(2 w) and the rebound gives back e^2 u^2/(2 W), no more than e^2 of it.
//
// But the plastic step shifts poses as well, and springs do work on the shift (mechanism/jump_energy.c), with either sign.
// So the rebound s P, 0 <= s <= 1, gives no more than the contacts that rebound have taken from grains and machine in the
// step, friction apart:
//
//     s^2 P.W P/2 + s P.u <= taken,        u: before the rebound
//
// Together, the impulses of these contacts then never add energy, whatever the masses, the springs and the number of
// contacts (docs/theory/condensed.md). Drives may add energy: their work is not counted on either side.
#include <math.h>
#include <string.h>

#include "grains/nonsmooth.h"
#include "grains/world_internal.h"

void world_set_later(World *w, bool later) { w->later = later; }
bool world_rebounds(const World *w) { return w->rebounds; }

void world_find_rebounds(World *w, int from, int to) {
    w->rebounds = false;
    for (int b = from; b < to; b++) {
        const GrainsRigid *rigid = w->beds[b].grains->method->rigid;
        if (!rigid) continue;
        size_t count, first = w->rigid[b].first_contact;
        const double *rebound = rigid->rebounds(w->beds[b].grains, &count);
        for (size_t k = 0; k < count && !w->rebounds; k++)
            w->rebounds = rebound[k] > 0 && vec3_norm2(w->solution.impulses.data[first + k].linear) > 0;
    }
}

// ---- what the step has taken -----------------------------------------------------------------------
static Vec3 world_rebound_velocity(const Twist *twists, int32_t body, Vec3 arm) {
    return body < 0 ? vec3_zero() : vec3_add(twists[body].linear, vec3_cross(twists[body].angular, arm));
}
static Vec3 world_rebound_spin(const Twist *twists, int32_t body) {
    return body < 0 ? vec3_zero() : twists[body].angular;
}

// p . u, u being the relative velocity.
static double world_rebound_work(const ContactPoint *c, const ContactImpulse *p, const Twist *twists) {
    Vec3 u = vec3_sub(world_rebound_velocity(twists, c->b, c->arm_b),
                      world_rebound_velocity(twists, c->a, c->arm_a));
    Vec3 turning = vec3_sub(world_rebound_spin(twists, c->b), world_rebound_spin(twists, c->a));
    return vec3_dot(p->linear, u) + vec3_dot(p->angular, turning);
}

double world_rebounding(const World *w, Load *impulses) {
    double taken = 0;
    const Twist *mean = w->mean.data;
    for (int p = 0; p < w->port_count; p++) impulses[p] = (Load){0};
    for (int b = 0; b < w->bed_count; b++) {
        const GrainsRigid *rigid = w->beds[b].grains->method->rigid;
        if (!rigid) continue;
        size_t count, first = w->rigid[b].first_contact;
        const double *rebound = rigid->rebounds(w->beds[b].grains, &count);
        for (size_t k = 0; k < count; k++) {
            const ContactPoint *c = &w->problem.contacts.data[first + k];
            const ContactImpulse *p = &w->solution.impulses.data[first + k];
            if (!(rebound[k] > 0)) continue;
            double normal = vec3_dot(p->linear, c->normal);
            ContactImpulse pushing = {vec3_scale(normal, c->normal), vec3_zero()};
            double rubbed = world_rebound_work(c, &pushing, mean) - world_rebound_work(c, p, mean);
            taken -= vec3_dot(p->linear, world_rebound_velocity(mean, c->b, c->arm_b)) +
                     vec3_dot(p->angular, world_rebound_spin(mean, c->b)) + fmax(rubbed, 0);
            for (int port = 0; port < w->port_count; port++) {
                if (w->bodies[port] != c->a) continue;
                impulses[port].force = vec3_sub(impulses[port].force, p->linear);
                impulses[port].moment =
                    vec3_sub(impulses[port].moment, vec3_add(vec3_cross(c->arm_a, p->linear), p->angular));
            }
        }
    }
    return taken;
}

// ---- the problem of the rebound ------------------------------------------------------------------
// Bodies as in the step, with the velocities that it has left; those of ports with the masses of the machine, and as they
// have moved in the step: along stiff directions their velocities at its end are others, and no part of the impact.
static bool world_rebound_add_bodies(World *w, const double *masses) {
    size_t count = w->problem.bodies.count;
    contact_problem_clear(&w->bounce);
    w->source.count = 0;
    if (!array_resize(&w->bounce.bodies, count) || !array_resize(&w->bounce.free_velocity, count) ||
        !array_resize(&w->bounce.tensors, w->problem.tensors.count))
        return false;
    memcpy(w->bounce.bodies.data, w->problem.bodies.data, count * sizeof *w->bounce.bodies.data);
    memcpy(w->bounce.free_velocity.data, w->solution.velocity.data, count * sizeof(Twist));
    if (w->problem.tensors.count)
        memcpy(w->bounce.tensors.data, w->problem.tensors.data, w->problem.tensors.count * sizeof(Mat3));
    for (int p = 0; p < w->port_count; p++) w->bounce.bodies.data[w->bodies[p]].group = -1;
    return contact_problem_add_group(&w->bounce, w->port_count, w->bodies, masses) >= 0;
}

// Two grains have moved on since they touched. Both get the impulse at one point, which keeps angular momentum: that of the
// contact, moved by their mean. Spheres get it on the line of their centres as it is now. (In the direction of the step it would
// have an arm about both, and balls without friction began to spin: at up to 99 rad/s in a can that turned at 300 rad/s.)
static void world_rebound_move_pair(ContactPoint *c, Vec3 moved, bool spheres) {
    Vec3 half = vec3_scale(0.5, moved);
    double a = vec3_norm(c->arm_a), b = vec3_norm(c->arm_b);
    c->arm_a = vec3_add(c->arm_a, half);
    c->arm_b = vec3_sub(c->arm_b, half);
    Vec3 line = vec3_sub(c->arm_a, c->arm_b); // from centre to centre
    if (!spheres || !(vec3_norm2(line) > 0)) return;
    double sign = vec3_dot(line, c->normal) < 0 ? -1 : 1;
    c->normal = vec3_scale(sign / vec3_norm(line), line);
    c->arm_a = vec3_scale(a / (a + b), line);
    c->arm_b = vec3_scale(-b / (a + b), line);
}

// Those that touched. Grains have moved on since then; the point of contact has moved with them.
static bool world_rebound_add_contacts(World *w, int bed, double h) {
    const Grains *g = w->beds[bed].grains;
    double time = g->method->rigid->theta(g) * h;
    size_t count, first = w->rigid[bed].first_contact;
    const double *rebound = g->method->rigid->rebounds(g, &count);
    for (size_t k = 0; k < count; k++) {
        ContactPoint c = w->problem.contacts.data[first + k];
        if (!(vec3_norm2(w->solution.impulses.data[first + k].linear) > 0)) continue;
        Vec3 moved = vec3_scale(time, w->solution.velocity.data[c.b].linear);
        size_t pairs = g->nonsmooth->last.slots.count;
        if (k < pairs)
            world_rebound_move_pair(&c, vec3_madd(moved, -time, w->solution.velocity.data[c.a].linear),
                                    nonsmooth_all_spheres(g->nonsmooth));
        c.bias = vec3_scale(-rebound[k], c.normal);
        if (k >= pairs) {
            int part = g->nonsmooth->last.walls.data[k - pairs].part;
            c.bias = vec3_sub(c.bias, nonsmooth_surface_velocity(g, &w->rigid[bed], part, c.normal));
        }
        if (k >= pairs && c.a >= 0 && w->bounce.bodies.data[c.a].group >= 0)
            c.arm_a = vec3_add(c.arm_a, moved);
        if (!array_push(&w->bounce.contacts, c) || !array_push(&w->source, first + k)) return false;
    }
    return true;
}

// The same rebound, on top of the velocities that the ports have.
static void world_rebound_place(World *w, const Motion *ports) {
    for (int p = 0; p < w->port_count; p++) {
        Twist *from = &w->bounce.free_velocity.data[w->bodies[p]],
              now = {ports[p].velocity, ports[p].angular_velocity},
              *to = &w->bounced.velocity.data[w->bodies[p]];
        to->linear = vec3_add(now.linear, vec3_sub(to->linear, from->linear));
        to->angular = vec3_add(now.angular, vec3_sub(to->angular, from->angular));
        *from = now;
    }
}

// The largest share of the rebound that gives no more than `limit`.
static double world_rebound_share(const World *w, double limit) {
    double start = 0, end = 0; // P.u before and after
    for (size_t k = 0; k < w->bounce.contacts.count; k++) {
        const ContactPoint *c = &w->bounce.contacts.data[k];
        const ContactImpulse *p = &w->bounced.impulses.data[k];
        start += world_rebound_work(c, p, w->bounce.free_velocity.data);
        end += world_rebound_work(c, p, w->bounced.velocity.data);
    }
    double square = 0.5 * (end - start);
    if (!(square > 0) || square + start <= limit) return 1;
    double under = start * start + 4 * square * limit;
    return under > 0 ? fmin(fmax((sqrt(under) - start) / (2 * square), 0), 1) : 0;
}

static void world_rebound_scale(World *w, double share) {
    for (size_t k = 0; k < w->bounced.impulses.count; k++) {
        ContactImpulse *p = &w->bounced.impulses.data[k];
        *p = (ContactImpulse){vec3_scale(share, p->linear), vec3_scale(share, p->angular)};
    }
    for (size_t b = 0; b < w->bounce.bodies.count; b++) {
        const Twist *from = &w->bounce.free_velocity.data[b];
        Twist *to = &w->bounced.velocity.data[b];
        to->linear = vec3_madd(from->linear, share, vec3_sub(to->linear, from->linear));
        to->angular = vec3_madd(from->angular, share, vec3_sub(to->angular, from->angular));
    }
}

static Twist world_rebound_mean(Twist a, Twist b) {
    return (Twist){vec3_scale(0.5, vec3_add(a.linear, b.linear)),
                   vec3_scale(0.5, vec3_add(a.angular, b.angular))};
}

static void world_rebound_apply(World *w, int bed, Load *impulses) {
    const WorldBed *own = &w->beds[bed];
    Load *loads = w->loads.data + world_first_wall(w, bed);
    size_t from = 0, to = 0, first = w->rigid[bed].first_contact, count;
    own->grains->method->rigid->rebounds(own->grains, &count);
    while (from < w->source.count && w->source.data[from] < first) from++;
    for (to = from; to < w->source.count && w->source.data[to] < first + count;) to++;
    own->grains->method->rigid->rebound(own->grains, &w->rigid[bed], &w->bounce, &w->bounced, w->source.data,
                                        from, to, w->mean.data, loads);
    for (int part = 0; part < own->grains->definition->wall_count; part++)
        if (own->wall_ports[part] >= 0)
            impulses[own->wall_ports[part]] = load_add(impulses[own->wall_ports[part]], loads[part]);
}

MrcStatus world_rebound(World *w, double h, const Motion *ports, const double *masses, double limit,
                        Load *impulses, MrcError *error) {
    for (int p = 0; p < w->port_count; p++) impulses[p] = (Load){0};
    w->rebounds = false;
    bool added = world_rebound_add_bodies(w, masses);
    for (int b = 0; b < w->bed_count && added; b++) {
        const GrainsRigid *rigid = w->beds[b].grains->method->rigid;
        if (!rigid) continue;
        rigid->turned(w->beds[b].grains, &w->rigid[b], &w->bounce);
        added = world_rebound_add_contacts(w, b, h);
    }
    if (!added || !array_resize(&w->mean, w->bounce.bodies.count)) return error_memory(error, "the rebound");
    MrcStatus status = world_rigid_solve_bounce(w, h, error);
    if (status != MRC_OK) return status;
    world_rebound_place(w, ports);
    double share = world_rebound_share(w, limit);
    w->counts.rebounds++;
    w->counts.limited += share < 1;
    if (share < 1) world_rebound_scale(w, share);
    for (int p = 0; p < w->port_count; p++) {
        Twist before = w->bounce.free_velocity.data[w->bodies[p]],
              after = w->bounced.velocity.data[w->bodies[p]];
        w->mean.data[w->bodies[p]] = world_rebound_mean(before, after);
        w->past_twists[p].linear = vec3_add(w->past_twists[p].linear, vec3_sub(after.linear, before.linear));
        w->past_twists[p].angular =
            vec3_add(w->past_twists[p].angular, vec3_sub(after.angular, before.angular));
    }
    for (int b = 0; b < w->bed_count; b++)
        if (w->beds[b].grains->method->rigid) world_rebound_apply(w, b, impulses);
    return MRC_OK;
}

void world_stopped(World *w, const Twist *lost) {
    for (int p = 0; p < w->port_count; p++) {
        w->past_twists[p].linear = vec3_sub(w->past_twists[p].linear, lost[p].linear);
        w->past_twists[p].angular = vec3_sub(w->past_twists[p].angular, lost[p].angular);
    }
}
