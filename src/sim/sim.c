#include "sim/sim.h"

#include <math.h>

#include "coupling/port.h"

// ---- creation
// --------------------------------------------------------------------------------------------------
static int find_port(const SimDefinition *definition, const char *name) {
    for (int p = 0; name && p < definition->port_count; p++)
        if (strcmp(definition->ports[p].name, name) == 0) return p;
    return -1;
}

static Motion port_now(const Sim *sim, int port) {
    return port < 0 ? motion_at_rest() : sim->ports[port].motion;
}

static MrcStatus create_grains(Sim *sim, SimGrains *g, const GrainsDefinition *d, MrcError *error) {
    const SimDefinition *all = sim->definition;
    g->definition = d;
    g->port = find_port(all, d->port);
    g->wall_ports = arena_alloc(sim->arena, (size_t)d->wall_count * sizeof *g->wall_ports);
    g->motions = arena_alloc(sim->arena, (size_t)d->wall_count * sizeof *g->motions);
    g->loads = arena_alloc(sim->arena, (size_t)d->wall_count * sizeof *g->loads);
    if (!g->wall_ports || !g->motions || !g->loads) return error_memory(error, "the walls");
    for (int w = 0; w < d->wall_count; w++) {
        g->wall_ports[w] = d->walls[w].port ? find_port(all, d->walls[w].port) : g->port;
        g->motions[w] = port_now(sim, g->wall_ports[w]);
    }
    Motion port = port_now(sim, g->port);
    return grains_create(d, all->materials, all->material_count, all->gravity, sim->clock.step, &port,
                         g->motions, &g->grains, error);
}

static void warn_about_steps(const Sim *sim, const Log *log) {
    for (int g = 0; g < sim->definition->grains_count; g++) {
        double critical = grains_critical_step(sim->grains[g].grains);
        if (sim->clock.step > 0.2 * critical)
            log_warning(
                log,
                "grains '%s': the step of %.3g us is more than 0.2 of the critical one (%.3g us); contacts "
                "are resolved poorly and energy may be gained",
                sim->definition->grains[g].name, 1e6 * sim->clock.step, 1e6 * critical);
    }
}

static MrcStatus create(Sim *sim, MrcError *error) {
    const SimDefinition *d = sim->definition;
    sim->clock.step = d->simulate.step;
    sim->clock.total = (int64_t)ceil(d->simulate.duration / d->simulate.step - 1e-6);
    sim->ports = arena_alloc(sim->arena, (size_t)d->port_count * sizeof *sim->ports);
    sim->grains = arena_alloc(sim->arena, (size_t)d->grains_count * sizeof *sim->grains);
    if (!sim->ports || !sim->grains) return error_memory(error, "the simulation");
    for (int p = 0; p < d->port_count; p++)
        sim->ports[p] = (SimPort){&d->ports[p], port_motion(&d->ports[p], 0)};
    MrcStatus status = recorder_create(&sim->recorder, d, sim->arena, error);
    if (status != MRC_OK) return status;
    sim->values = arena_alloc(sim->arena, sim->recorder.signal_count * sizeof *sim->values);
    if (!sim->values) return error_memory(error, "the signals");
    for (int g = 0; g < d->grains_count && status == MRC_OK; g++)
        status = create_grains(sim, &sim->grains[g], &d->grains[g], error);
    return status;
}

MrcStatus sim_create(const SimDefinition *definition, const Log *log, Sim **out, MrcError *error) {
    Arena *arena = arena_create();
    Sim *sim = arena ? arena_alloc(arena, sizeof *sim) : NULL;
    *out = NULL;
    if (!sim) {
        arena_destroy(arena);
        return error_memory(error, "the simulation");
    }
    sim->arena = arena;
    sim->definition = definition;
    MrcStatus status = create(sim, error);
    if (status != MRC_OK) {
        sim_destroy(sim);
        return status;
    }
    warn_about_steps(sim, log);
    *out = sim;
    return MRC_OK;
}

void sim_destroy(Sim *sim) {
    if (!sim) return;
    for (int g = 0; sim->grains && g < sim->definition->grains_count; g++)
        grains_destroy(sim->grains[g].grains);
    arena_destroy(sim->arena);
}

// ---- the step
// --------------------------------------------------------------------------------------------------
static void move_ports(Sim *sim) {
    double t = clock_time(&sim->clock);
    for (int p = 0; p < sim->definition->port_count; p++)
        sim->ports[p].motion = port_motion(sim->ports[p].definition, t);
    for (int g = 0; g < sim->definition->grains_count; g++)
        for (int w = 0; w < sim->grains[g].definition->wall_count; w++)
            sim->grains[g].motions[w] = port_now(sim, sim->grains[g].wall_ports[w]);
}

static MrcStatus advance_grains(Sim *sim, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int g = 0; g < sim->definition->grains_count && status == MRC_OK; g++)
        status = grains_advance(sim->grains[g].grains, sim->grains[g].motions, sim->grains[g].loads, error);
    return status;
}

static MrcStatus look_for_lost_grains(Sim *sim, MrcError *error) {
    enum { every = 100 }; // steps; a grain that is out stays out
    if (sim->clock.now % every != 0) return MRC_OK;
    MrcStatus status = MRC_OK;
    for (int g = 0; g < sim->definition->grains_count && status == MRC_OK; g++)
        status = grains_check_lost(sim->grains[g].grains, sim->grains[g].motions, error);
    return status;
}

bool sim_is_done(const Sim *sim) { return sim->clock.now >= sim->clock.total; }

MrcStatus sim_step(Sim *sim, MrcError *error) {
    move_ports(sim);
    MrcStatus status = look_for_lost_grains(sim, error);
    if (status == MRC_OK) status = advance_grains(sim, error);
    if (status == MRC_OK) sim->clock.now++;
    return status;
}

// ---- looking
// ---------------------------------------------------------------------------------------------------
static void close_ledger(Sim *sim) {
    Ledger now = {0};
    for (int g = 0; g < sim->definition->grains_count; g++) {
        const GrainsMeasure *m = &sim->grains[g].measure;
        now.work += m->work;
        now.input += m->input;
        now.kinetic += m->kinetic;
        now.potential += m->potential;
        now.elastic += m->elastic;
        now.impact += m->impact;
        now.friction += m->friction;
    }
    ledger_update(&sim->ledger, &now);
}

// In the order of signals_list.
static void read_signals(Sim *sim) {
    const SimDefinition *d = sim->definition;
    double *value = sim->values;
    for (int p = 0; p < d->port_count; p++)
        for (int s = 0; s < port_signal_count; s++)
            *value++ = *(const double *)((const char *)&sim->ports[p].motion + port_signals[s].offset);
    for (int g = 0; g < d->grains_count; g++)
        for (int s = 0; s < grains_signal_count; s++)
            *value++ = *(const double *)((const char *)&sim->grains[g].measure + grains_signals[s].offset);
    for (int e = 0; e < ledger_entry_count; e++) *value++ = ledger_value(&sim->ledger, e);
}

MrcStatus sim_sample(Sim *sim, MrcError *error) {
    move_ports(sim);
    for (int g = 0; g < sim->definition->grains_count; g++) {
        SimGrains *bed = &sim->grains[g];
        Motion port = port_now(sim, bed->port);
        MrcStatus status = grains_measure(bed->grains, &port, bed->motions, &bed->measure, error);
        if (status != MRC_OK) return status;
    }
    close_ledger(sim);
    read_signals(sim);
    return MRC_OK;
}

void sim_archive(Sim *sim, Archive *archive) {
    clock_archive(&sim->clock, archive);
    archive_group_begin(archive, "ledger");
    ledger_archive(&sim->ledger, archive);
    archive_group_end(archive, "ledger");
    for (int g = 0; g < sim->definition->grains_count; g++) {
        const char *name = sim->grains[g].definition->name;
        archive_group_begin(archive, name);
        grains_archive(sim->grains[g].grains, archive);
        archive_group_end(archive, name);
    }
}
