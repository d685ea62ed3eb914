#include "sim/carried.h"

#include "coupling/scheme.h"
#include "grains/method.h"
#include "math/inertia.h"
#include "math/quaternion.h"

bool carried_has_container(const PortDefinition *port) {
    return port->node && port->container.mass > 0 && port->container.load == LOAD_CONSTRAINT;
}

bool carried_is_fixed(const PortDefinition *port) {
    const ContainerDefinition *c = &port->container;
    bool held = vec3_norm2(c->angular_velocity) > 0;
    for (int k = 0; k < 3; k++) held = held || c->stiffness[k] > 0 || c->damping[k] > 0;
    return carried_has_container(port) && c->slide_count == 0 && c->turn_count == 0 && !held;
}

// Beds of rigid grains have no small steps: there is no such lag.
static bool carried_small_steps(const SimDefinition *sim) {
    bool any = false;
    for (int g = 0; g < sim->grains_count; g++) any = any || !grains_method(&sim->grains[g])->rigid;
    return any;
}

bool carried_by_mechanism(const SimDefinition *sim, const PortDefinition *port) {
    return sim->has_mechanism && scheme_of(&sim->coupling)->carries && carried_small_steps(sim) &&
           carried_is_fixed(port);
}

static BodyDefinition carried_body(const PortDefinition *port, Arena *arena) {
    const ContainerDefinition *c = &port->container;
    Quaternion turned = quaternion_from_rotation_vector(vec3_scale(port->mount_angle, port->mount_axis));
    Inertia own = {c->mass, c->center, inertia_matrix(c->inertia)},
            there = inertia_rotate(own, quaternion_to_matrix(turned));
    BodyDefinition body = {.name = arena_printf(arena, "container of %s", port->name),
                           .node = port->node,
                           .mass = c->mass,
                           .center = vec3_add(port->offset, there.centre)};
    static const int row[] = {0, 1, 2, 0, 1, 2}, column[] = {0, 1, 2, 1, 2, 0};
    for (int k = 0; k < 6; k++) body.inertia[k] = there.tensor.m[row[k]][column[k]];
    return body;
}

static bool carried_takes(const SimDefinition *sim, const PortDefinition *port, bool all) {
    return all ? carried_is_fixed(port) : carried_by_mechanism(sim, port);
}

static const MechanismDefinition *carried_with(const SimDefinition *sim, bool whatever, Arena *arena) {
    int count = 0;
    for (int p = 0; p < sim->port_count; p++) count += carried_takes(sim, &sim->ports[p], whatever);
    if (count == 0) return &sim->mechanism;
    MechanismDefinition *all = arena_alloc(arena, sizeof *all);
    size_t most = (size_t)sim->mechanism.body_count + (size_t)count;
    BodyDefinition *bodies = arena_alloc(arena, most * sizeof *bodies);
    if (!all || !bodies) return NULL;
    *all = sim->mechanism;
    for (int b = 0; b < all->body_count; b++) bodies[b] = all->bodies[b];
    all->bodies = bodies;
    for (int p = 0; p < sim->port_count; p++)
        if (carried_takes(sim, &sim->ports[p], whatever)) {
            BodyDefinition body = carried_body(&sim->ports[p], arena);
            if (!body.name) return NULL;
            bodies[all->body_count++] = body;
        }
    return all;
}

const MechanismDefinition *carried_mechanism(const SimDefinition *sim, Arena *arena) {
    return carried_with(sim, false, arena);
}

const MechanismDefinition *carried_with_all(const SimDefinition *sim, Arena *arena) {
    return carried_with(sim, true, arena);
}
