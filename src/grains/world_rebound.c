// Restitution at walls of a machine: a rebound after the step.
//
// Newton's law of impact in the problem of the step, u_n = -e u_n(before), would be applied to the machine as the step
// feels it, with the mass S' of src/mechanism/jump.c, which contains its springs and dampers over a step, and with a
// shift of poses. Springs do not take part in an impact. A heavy grain in a light box on a stiff spring gained energy
// without bound. So the step is plastic at such walls: all contacts close, with S'. Afterwards the contacts that
// bounce push apart those that touch, at the velocities and with the masses that are there,
//
//     M dv = J^T P,   u_n(after) >= e |u_n(before)| where it bounces, u_n(after) >= 0 where grains touch else,
//
// without moving anything. Energy: for one contact with the inverse masses w = 1/m + Y of the step and W = 1/m + Y_M >= w
// of the masses, the plastic step takes u^2/(2 w) and the rebound gives back e^2 u^2/(2 W), no more than e^2 of it.
#include <string.h>

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

// Bodies as in the step, with the velocities that it has left; those of ports with the masses of the machine.
static bool world_rebound_add_bodies(World *w, const Motion *ports, const double *masses) {
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
    for (int p = 0; p < w->port_count; p++) {
        w->bounce.bodies.data[w->bodies[p]].group = -1;
        w->bounce.free_velocity.data[w->bodies[p]] = (Twist){ports[p].velocity, ports[p].angular_velocity};
    }
    return contact_problem_add_group(&w->bounce, w->port_count, w->bodies, masses) >= 0;
}

// Those that touched. Grains have moved on since then; the point of contact has moved with them.
static bool world_rebound_add_contacts(World *w, int bed, double h) {
    const Grains *g = w->beds[bed].grains;
    size_t count, first = w->rigid[bed].first_contact;
    const double *rebound = g->method->rigid->rebounds(g, &count);
    for (size_t k = 0; k < count; k++) {
        ContactPoint c = w->problem.contacts.data[first + k];
        if (!(vec3_norm2(w->solution.impulses.data[first + k].linear) > 0)) continue;
        c.bias = vec3_scale(-rebound[k], c.normal);
        if (c.a >= 0 && w->bounce.bodies.data[c.a].group >= 0)
            c.arm_a = vec3_madd(c.arm_a, h, w->solution.velocity.data[c.b].linear);
        if (!array_push(&w->bounce.contacts, c) || !array_push(&w->source, first + k)) return false;
    }
    return true;
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

MrcStatus world_rebound(World *w, double h, const Motion *ports, const double *masses, Load *impulses,
                        MrcError *error) {
    for (int p = 0; p < w->port_count; p++) impulses[p] = (Load){0};
    w->rebounds = false;
    bool added = world_rebound_add_bodies(w, ports, masses);
    for (int b = 0; b < w->bed_count && added; b++) {
        const GrainsRigid *rigid = w->beds[b].grains->method->rigid;
        if (!rigid) continue;
        rigid->turned(w->beds[b].grains, &w->rigid[b], &w->bounce);
        added = world_rebound_add_contacts(w, b, h);
    }
    if (!added || !array_resize(&w->mean, w->bounce.bodies.count)) return error_memory(error, "the rebound");
    MrcStatus status = world_rigid_solve_bounce(w, h, error);
    if (status != MRC_OK) return status;
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
