#include "sim/coupled_part.h"

#include <math.h>
#include <stdio.h>

#include "coupling/port.h"
#include "sim/rigid.h"
#include "sim/sim.h"

// ---- ports ---------------------------------------------------------------------------------------
static bool is_known(const Sim *sim, const char *name) {
    for (int p = 0; p < sim->port_count; p++)
        if (strcmp(sim->ports[p].name, name) == 0) return true;
    return false;
}

// A node that grains name as their port is one, without offset.
static void add_node(Sim *sim, const char *name) {
    if (!name || !sim->mechanism.mechanism || is_known(sim, name)) return;
    int node = mechanism_find_node(sim->mechanism.mechanism, name);
    if (node >= 0) sim->ports[sim->port_count++] = (SimPort){.name = name, .node = node, .coupled = -1};
}

static MrcStatus couple(Sim *sim, SimPort *port, MrcError *error) {
    static const PortDefinition plain = {0};
    const PortDefinition *d = port->definition ? port->definition : &plain;
    Quaternion turned = quaternion_from_rotation_vector(vec3_scale(d->mount_angle, d->mount_axis));
    Mechanism *m = sim->mechanism.mechanism;
    MrcStatus status = mechanism_add_port(m, port->node, d->offset, turned, &port->coupled, error);
    if (status == MRC_OK) port->motion = mechanism_motion(m, port->coupled);
    return status;
}

MrcStatus coupled_part_ports(Sim *sim, MrcError *error) {
    const SimDefinition *d = sim->definition;
    size_t most = (size_t)d->port_count;
    for (int g = 0; g < d->grains_count; g++) most += 1 + (size_t)d->grains[g].wall_count;
    sim->ports = arena_alloc(sim->arena, (most + 1) * sizeof *sim->ports);
    if (!sim->ports) return error_memory(error, "the ports");
    for (int p = 0; p < d->port_count; p++) {
        const PortDefinition *port = &d->ports[p];
        int node = port->node ? mechanism_find_node(sim->mechanism.mechanism, port->node) : -1;
        sim->ports[sim->port_count++] =
            (SimPort){.name = port->name, .definition = port, .node = node, .coupled = -1};
        if (!port->node) sim->ports[p].motion = port_motion(port, 0);
    }
    for (int g = 0; g < d->grains_count; g++) {
        add_node(sim, d->grains[g].port);
        for (int w = 0; w < d->grains[g].wall_count; w++) add_node(sim, d->grains[g].walls[w].port);
    }
    MrcStatus status = MRC_OK;
    for (int p = 0; p < sim->port_count && status == MRC_OK; p++) {
        if (sim->ports[p].node < 0) continue;
        status = couple(sim, &sim->ports[p], error);
        sim->coupled.active = true;
    }
    return status;
}

// ---- creation ------------------------------------------------------------------------------------
double coupled_part_grain_step(const Sim *sim, const GrainsDefinition *bed, const GrainsSteps *steps) {
    double h = sim->clock.step;
    int64_t given = sim->definition->coupling.interval;
    if (!sim->coupled.active || bed->method != METHOD_SMOOTH) return h;
    if (given > 0) return h / (double)given;
    if (!isfinite(steps->suggested) || steps->suggested >= h) return h;
    double count = ceil(h / steps->suggested - 1e-6), halves = 1;
    if (sim->definition->coupling.energy_tolerance > 0) // so that steps can be cut in halves
        for (int64_t k = 0; k < sim->definition->coupling.most_cuts && 2 * halves <= count; k++) halves *= 2;
    return h / (halves * ceil(count / halves));
}

// The world's ports: the coupled ones, then those with an imposed motion.
static MrcStatus create_world(Sim *sim, MrcError *error) {
    const SimDefinition *d = sim->definition;
    WorldFollower *f = &sim->coupled.follower;
    int *place = arena_alloc(sim->arena, (size_t)(sim->port_count + 1) * sizeof *place);
    f->motions = arena_alloc(sim->arena, (size_t)(sim->port_count + 1) * sizeof *f->motions);
    WorldBed *beds = arena_alloc(sim->arena, (size_t)(d->grains_count + 1) * sizeof *beds);
    if (!place || !f->motions || !beds) return error_memory(error, "the coupling");
    f->coupled = mechanism_port_count(sim->mechanism.mechanism);
    for (int p = 0; p < sim->port_count; p++) {
        place[p] = sim->ports[p].coupled;
        if (place[p] >= 0) continue;
        place[p] = f->coupled + f->imposed;
        f->motions[f->imposed++] = sim->ports[p].definition;
    }
    for (int g = 0; g < d->grains_count; g++) {
        const SimGrains *bed = &sim->grains[g];
        int *ports = arena_alloc(sim->arena, (size_t)(d->grains[g].wall_count + 1) * sizeof *ports);
        if (!ports) return error_memory(error, "the coupling");
        for (int w = 0; w < d->grains[g].wall_count; w++)
            ports[w] = bed->wall_ports[w] < 0 ? -1 : place[bed->wall_ports[w]];
        beds[g] = (WorldBed){bed->grains, ports};
    }
    f->beds = sim->coupled.beds = beds;
    f->bed_count = d->grains_count;
    f->gravity = d->gravity;
    MrcStatus status = world_create(beds, d->grains_count, f->coupled + f->imposed, sim->clock.step,
                                    d->gravity, &f->world, error);
    if (status == MRC_OK) status = sim_set_containers(sim, error);
    return status == MRC_OK ? world_follower_create(f, sim->arena, error) : status;
}

static double containers_kinetic(const CoupledPart *part) {
    double sum = 0;
    for (int p = 0; p < part->coupling.count; p++)
        sum += container_kinetic(&part->coupling.containers.items[p]);
    return sum;
}

static double containers_stored(const CoupledPart *part, Vec3 gravity) { // in springs and in gravity
    double sum = 0;
    for (int p = 0; p < part->coupling.count; p++)
        sum += container_potential(&part->coupling.containers.items[p], gravity);
    return sum;
}

static double containers_energy(const CoupledPart *part) {
    return containers_kinetic(part) + containers_stored(part, part->coupling.gravity);
}

MrcStatus coupled_part_create(Sim *sim, MrcError *error) {
    static const ContainerDefinition none = {0};
    const SimDefinition *d = sim->definition;
    CoupledPart *part = &sim->coupled;
    bool small_steps = false;
    if (!part->active) return MRC_OK;
    MrcStatus status = create_world(sim, error);
    if (status != MRC_OK) return status;
    status = coupling_create(&part->coupling, &d->coupling, part->follower.coupled, sim->arena, error);
    if (status != MRC_OK) return status;
    for (int g = 0; g < d->grains_count; g++)
        small_steps = small_steps || d->grains[g].method == METHOD_SMOOTH;
    bool of_mass_alone = small_steps || part->coupling.scheme == SCHEME_MONOLITHIC;
    part->driver =
        (MechanismDriver){sim->mechanism.mechanism, of_mass_alone ? MOBILITY_EXPLICIT : MOBILITY_STEP};
    part->coupling.driver = mechanism_driver(&part->driver);
    part->coupling.follower = world_follower(&part->follower);
    part->coupling.gravity = d->gravity;
    for (int p = 0; p < sim->port_count; p++)
        if (sim->ports[p].coupled >= 0)
            coupling_place(&part->coupling, sim->ports[p].coupled, sim->ports[p].name,
                           sim->ports[p].definition ? &sim->ports[p].definition->container : &none);
    if (d->coupling.scheme == SCHEME_MONOLITHIC && d->coupling.joints == JOINTS_ROWS &&
        !coupling_has_rows(&part->coupling))
        return error_set(
            error, MRC_MODEL,
            "'joints: rows' needs 'method: nonsmooth' of all grains, and joints that connect two bodies "
            "each");
    part->start = containers_energy(part);
    part->swings = arena_alloc(sim->arena, (size_t)part->coupling.count * sizeof *part->swings);
    if (!part->swings) return error_memory(error, "the coupling");
    return MRC_OK;
}

// ---- looking -------------------------------------------------------------------------------------
// What the grains on each coupled port have dissipated so far.
static MrcStatus find_losses(Sim *sim, double *losses, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int c = 0; c < sim->coupled.coupling.count; c++) losses[c] = 0;
    for (int g = 0; g < sim->definition->grains_count && status == MRC_OK; g++) {
        SimGrains *bed = &sim->grains[g];
        int coupled = bed->port < 0 ? -1 : sim->ports[bed->port].coupled;
        GrainsMeasure m;
        if (coupled < 0) continue;
        status = grains_measure(bed->grains, &sim->ports[bed->port].motion, bed->motions, &m, error);
        if (status == MRC_OK) losses[coupled] += m.impact + m.friction + m.rolling;
    }
    return status;
}

MrcStatus coupled_part_look(Sim *sim, MrcError *error) {
    CoupledPart *part = &sim->coupled;
    int64_t now = sim->clock.now, total = sim->clock.total, first = swing_first_step(total);
    if (now < first) return MRC_OK;
    for (int p = 0; p < part->coupling.count; p++) {
        const Motion *m = &part->coupling.containers.items[p].motion;
        swing_look(&part->swings[p], m->position, m->velocity);
    }
    if (now != first && now != total) return MRC_OK;
    double losses[CONTAINERS_MAX];
    MrcStatus status = sim_move_ports(sim, error);
    if (status == MRC_OK) status = find_losses(sim, losses, error);
    for (int p = 0; p < part->coupling.count && status == MRC_OK; p++) {
        Swing *swing = &part->swings[p];
        if (now == first) swing->before = losses[p];
        swing->dissipated = losses[p] - swing->before;
    }
    return status;
}

void coupled_part_destroy(CoupledPart *part) { world_destroy(part->follower.world); }

// ---- the step ------------------------------------------------------------------------------------
MrcStatus coupled_part_step(CoupledPart *part, double h, MrcError *error) {
    return coupling_step(&part->coupling, h, error);
}

// The mechanism and the grains have each booked what passed through the coupled ports as work done from
// outside. Together the two are what was lost on the way, and no work.
void coupled_part_book(const CoupledPart *part, const Sim *sim, Ledger *now) {
    if (!part->active) return;
    MechanismLedger m = mechanism_ledger(part->driver.mechanism);
    double grains = 0;
    for (int g = 0; g < sim->definition->grains_count; g++) grains += sim->grains[g].measure.work;
    double bend = part->coupling.counts.bend_work; // the mechanism knows mean velocities only
    double passed = m.port_work + m.impulse_work + bend + grains - part->follower.worked;
    double stored = containers_energy(part) - part->start, elastic = containers_stored(part, vec3_zero());
    now->work += bend - passed;
    now->algorithm += bend;
    now->kinetic += containers_kinetic(part);
    now->elastic += elastic;
    now->potential += containers_stored(part, part->coupling.gravity) - elastic;
    now->ports += -passed - stored;
}

void coupled_part_archive(CoupledPart *part, Archive *archive) {
    if (!part->active) return;
    archive_group_begin(archive, "coupling");
    coupling_archive(&part->coupling, archive);
    archive_group_begin(archive, "follower");
    world_follower_archive(&part->follower, archive);
    world_archive(part->follower.world, archive);
    archive_group_end(archive, "follower");
    for (int p = 0; p < part->coupling.count; p++) {
        char name[32];
        snprintf(name, sizeof name, "swing%d", p);
        swing_archive(&part->swings[p], name, archive);
    }
    archive_group_end(archive, "coupling");
}
