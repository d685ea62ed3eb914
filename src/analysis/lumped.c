#include "analysis/lumped.h"

#include "base/memory.h"
#include "output/series.h"

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

// ---- the series ----------------------------------------------------------------------------------
enum { LUMPED_COLUMNS = 9 }; // per port

typedef struct LumpedSeries {
    Series *file; // NULL: none
    double *row;
    Alarm alarm;
} LumpedSeries;

static MrcStatus lumped_open(const Sim *sim, const char *path, Arena *arena, LumpedSeries *series,
                             MrcError *error) {
    static const char *const parts[LUMPED_COLUMNS] = {"x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz"};
    size_t count = 1 + LUMPED_COLUMNS * (size_t)sim->coupling.yielding;
    const char **names = arena_alloc(arena, count * sizeof *names),
               **units = arena_alloc(arena, count * sizeof *units);
    *series = (LumpedSeries){.row = arena_alloc(arena, count * sizeof *series->row),
                             .alarm.every = sim->recorder.every};
    if (!path) return MRC_OK;
    if (!names || !units || !series->row) return error_memory(error, "the lumped grains");
    names[0] = "t", units[0] = "s";
    for (size_t c = 1; c < count; c++) {
        size_t part = (c - 1) % LUMPED_COLUMNS;
        names[c] = arena_printf(arena, "%s.%s", sim->ports[(c - 1) / LUMPED_COLUMNS].name, parts[part]);
        units[c] = part < 3 ? "m" : part < 6 ? "m/s" : "rad/s";
        if (!names[c]) return error_memory(error, "the lumped grains");
    }
    return series_create(&series->file, path, names, units, (int)count, error);
}

static MrcStatus lumped_record(LumpedSeries *series, Mechanism *m, const Clock *clock, MrcError *error) {
    if (!series->file || !(alarm_rings(&series->alarm, clock) || clock->now == clock->total)) return MRC_OK;
    series->row[0] = clock_time(clock);
    for (int p = 0; p < mechanism_port_count(m); p++) {
        Motion motion = mechanism_motion(m, p);
        const double values[LUMPED_COLUMNS] = {
            motion.position.x,         motion.position.y,         motion.position.z,
            motion.velocity.x,         motion.velocity.y,         motion.velocity.z,
            motion.angular_velocity.x, motion.angular_velocity.y, motion.angular_velocity.z};
        memcpy(series->row + 1 + LUMPED_COLUMNS * p, values, sizeof values);
    }
    return series_append(series->file, series->row, error);
}

// ---- the run -------------------------------------------------------------------------------------
static MrcStatus lumped_steps(const Sim *sim, Mechanism *m, PortAmplitude *amplitudes, LumpedSeries *series,
                              const volatile int *stop, MrcError *error) {
    Clock clock = {.step = sim->clock.step, .total = sim->clock.now};
    int64_t first = amplitude_first_step(sim->clock.total);
    MrcStatus status = lumped_record(series, m, &clock, error);
    while (clock.now < clock.total && status == MRC_OK) {
        if (stop && *stop) return error_set(error, MRC_INTERRUPTED, "stopped");
        status = mechanism_begin(m, clock.step, error);
        if (status == MRC_OK) status = mechanism_advance(m, NULL, error);
        if (status == MRC_OK) status = mechanism_commit(m, error);
        if (status != MRC_OK) return status;
        clock.now++;
        for (int p = 0; p < mechanism_port_count(m) && clock.now >= first; p++) {
            Motion motion = mechanism_motion(m, p);
            amplitude_observe(&amplitudes[p], &motion, NULL, false);
        }
        status = lumped_record(series, m, &clock, error);
    }
    return status;
}

MrcStatus lumped_run(const Sim *sim, const char *path, PortAmplitude *amplitudes, const volatile int *stop,
                     MrcError *error) {
    const SimDefinition *all = sim->definition;
    MechanismDefinition d = all->mechanism;
    if (!sim->mechanism || mechanism_port_count(sim_mechanism(sim)) != sim->coupling.yielding)
        return error_set(error, MRC_USAGE, "only grains on a mechanism of the model can be fixed to it");
    MechanismSetting setting = {
        .materials = all->materials, .material_count = all->material_count, .gravity = all->gravity};
    Mechanism *m = NULL;
    LumpedSeries series = {0};
    MrcError late;
    Arena *arena = arena_create();
    for (int p = 0; p < sim->coupling.yielding; p++) amplitudes[p] = (PortAmplitude){0};
    MrcStatus status =
        arena ? lumped_add_bodies(sim, arena, &d, error) : error_memory(error, "the lumped grains");
    if (status == MRC_OK) status = mechanism_create(&d, &setting, &m, error);
    if (status == MRC_OK) status = lumped_add_ports(sim, m, error);
    if (status == MRC_OK) status = lumped_open(sim, path, arena, &series, error);
    if (status == MRC_OK) status = lumped_steps(sim, m, amplitudes, &series, stop, error);
    MrcStatus closed = series_close(series.file, &late);
    if (status == MRC_OK && closed != MRC_OK) *error = late, status = closed;
    if (m) mechanism_destroy(m);
    arena_destroy(arena);
    return status;
}
