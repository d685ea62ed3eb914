#include "sim/rigid.h"

#include "coupling/port.h"

MrcStatus sim_create_world(Sim *sim, MrcError *error) {
    const SimDefinition *d = sim->definition;
    int count = 0;
    WorldBed *beds = arena_alloc(sim->arena, (size_t)(d->grains_count + 1) * sizeof *beds);
    sim->port_steps = arena_alloc(sim->arena, (size_t)(d->port_count + 1) * sizeof *sim->port_steps);
    sim->port_impulses = arena_alloc(sim->arena, (size_t)(d->port_count + 1) * sizeof *sim->port_impulses);
    if (!beds || !sim->port_steps || !sim->port_impulses) return error_memory(error, "the beds");
    for (int g = 0; g < d->grains_count; g++)
        if (d->grains[g].method == METHOD_NONSMOOTH)
            beds[count++] = (WorldBed){sim->grains[g].grains, sim->grains[g].wall_ports};
    if (count == 0) return MRC_OK;
    MrcStatus status =
        world_create(beds, count, d->port_count, sim->clock.step, d->gravity, &sim->world, error);
    return status == MRC_OK ? sim_set_containers(sim, error) : status;
}

// Of a coupled world: the coupled ports come first, then those with an imposed motion.
int sim_world_port(const Sim *sim, int port) {
    int place = sim->coupled.active ? sim->coupled.follower.coupled : 0;
    if (sim->ports[port].coupled >= 0) return sim->ports[port].coupled;
    for (int p = 0; p < port; p++) place += sim->ports[p].coupled < 0;
    return place;
}

MrcStatus sim_set_containers(Sim *sim, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int p = 0; p < sim->definition->port_count && status == MRC_OK; p++) {
        const ContainerDefinition *c = &sim->definition->ports[p].container;
        const double *t = c->inertia;
        if (sim->ports[p].coupled >= 0 || !(c->mass > 0) || c->load != LOAD_CONSTRAINT) continue;
        WorldContainer container = {
            c->mass, c->center, {{{t[0], t[3], t[5]}, {t[3], t[1], t[4]}, {t[5], t[4], t[2]}}}};
        status = world_set_container(sim_world(sim), sim_world_port(sim, p), &container, error);
    }
    return status;
}

Motion motion_over_step(const Motion *from, const Motion *to, double step) {
    Motion m = *from;
    Quaternion turn = quaternion_mul(to->orientation, quaternion_conjugate(from->orientation));
    m.velocity = vec3_scale(1 / step, vec3_sub(to->position, from->position));
    m.angular_velocity = vec3_scale(1 / step, quaternion_to_rotation_vector(turn));
    return m;
}

MrcStatus sim_advance_world(Sim *sim, MrcError *error) {
    if (!sim->world) return MRC_OK;
    double h = sim->clock.step, end = (double)(sim->clock.now + 1) * h;
    for (int p = 0; p < sim->definition->port_count; p++) {
        Motion to = port_motion(sim->ports[p].definition, end);
        sim->port_steps[p] = motion_over_step(&sim->ports[p].motion, &to, h);
    }
    return world_advance(sim->world, h, sim->port_steps, NULL, sim->port_impulses, NULL, error);
}
