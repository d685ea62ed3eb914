#include "analysis/lumped.h"

#include "base/memory.h"

static const char *lumped_node_of(const SimPort *port) {
    return port->definition ? port->definition->node : port->name;
}

// A body on the port's node for each bed and for each container.
static MrcStatus lumped_add_bodies(const Sim *sim, Arena *arena, MechanismDefinition *d, MrcError *error) {
    size_t most = (size_t)(d->body_count + sim->definition->grains_count + sim->port_count);
    BodyDefinition *bodies = arena_alloc(arena, (most + 1) * sizeof *bodies);
    if (!bodies) return error_memory(error, "the lumped grains");
    for (int b = 0; b < d->body_count; b++) bodies[b] = d->bodies[b];
    d->bodies = bodies;
    for (int g = 0; g < sim->definition->grains_count; g++) {
        const Bed *bed = &sim->beds->items[g];
        const SimPort *port = bed->port < 0 ? NULL : &sim->ports[bed->port];
        if (!port || bed->port >= sim->coupling.yielding) continue;
        Vec3 center = port->definition ? port->definition->offset : vec3_zero();
        bodies[d->body_count++] =
            (BodyDefinition){.name = arena_printf(arena, "grains of %s", bed->definition->name),
                             .node = lumped_node_of(port),
                             .mass = grains_mass(bed->grains),
                             .center = center};
    }
    for (int p = 0; p < sim->port_count; p++) {
        const PortDefinition *port = sim->ports[p].definition;
        if (p >= sim->coupling.yielding || !port || !(port->container.mass > 0)) continue;
        const ContainerDefinition *c = &port->container;
        if (c->slide_count || c->turn_count || port->mount_angle != 0)
            return error_set(error, MRC_USAGE,
                             "the container of port '%s' can move against it or is turned: its mass "
                             "cannot be fixed to the mechanism",
                             port->name);
        BodyDefinition body = {.name = arena_printf(arena, "container of %s", port->name),
                               .node = port->node,
                               .mass = c->mass,
                               .center = vec3_add(port->offset, c->center)};
        memcpy(body.inertia, c->inertia, sizeof c->inertia);
        bodies[d->body_count++] = body;
    }
    return MRC_OK;
}

static MrcStatus lumped_add_ports(const Sim *sim, Mechanism *m, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int p = 0; p < sim->coupling.yielding && status == MRC_OK; p++) {
        const SimPort *port = &sim->ports[p];
        int index, node = mechanism_find_node(m, lumped_node_of(port));
        Vec3 offset = port->definition ? port->definition->offset : vec3_zero();
        status = mechanism_add_port(m, node, offset, quaternion_identity(), &index, error);
    }
    return status;
}

static MrcStatus lumped_steps(const Sim *sim, Mechanism *m, PortAmplitude *amplitudes,
                              const volatile int *stop, MrcError *error) {
    int64_t first = amplitude_first_step(sim->clock.total);
    for (int64_t k = 1; k <= sim->clock.now; k++) {
        if (stop && *stop) return error_set(error, MRC_INTERRUPTED, "stopped");
        MrcStatus status = mechanism_begin(m, sim->clock.step, error);
        if (status == MRC_OK) status = mechanism_advance(m, NULL, error);
        if (status == MRC_OK) status = mechanism_commit(m, error);
        if (status != MRC_OK) return status;
        for (int p = 0; p < mechanism_port_count(m) && k >= first; p++) {
            Motion motion = mechanism_motion(m, p);
            amplitude_observe(&amplitudes[p], motion.position, motion.velocity);
        }
    }
    return MRC_OK;
}

MrcStatus lumped_run(const Sim *sim, PortAmplitude *amplitudes, const volatile int *stop, MrcError *error) {
    const SimDefinition *all = sim->definition;
    MechanismDefinition d = all->mechanism;
    if (!sim->mechanism || mechanism_port_count(sim_mechanism(sim)) != sim->coupling.yielding)
        return error_set(error, MRC_USAGE, "only grains on a mechanism of the model can be fixed to it");
    MechanismSetting setting = {
        .materials = all->materials, .material_count = all->material_count, .gravity = all->gravity};
    Mechanism *m = NULL;
    Arena *arena = arena_create();
    for (int p = 0; p < sim->coupling.yielding; p++) amplitudes[p] = (PortAmplitude){0};
    MrcStatus status =
        arena ? lumped_add_bodies(sim, arena, &d, error) : error_memory(error, "the lumped grains");
    if (status == MRC_OK) status = mechanism_create(&d, &setting, &m, error);
    if (status == MRC_OK) status = lumped_add_ports(sim, m, error);
    if (status == MRC_OK) status = lumped_steps(sim, m, amplitudes, stop, error);
    if (m) mechanism_destroy(m);
    arena_destroy(arena);
    return status;
}
