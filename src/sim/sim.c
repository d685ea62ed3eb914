#include "sim/sim.h"

#include <math.h>

#include "coupling/port.h"
#include "sim/rigid.h"

// ---- creation ------------------------------------------------------------------------------------
static int find_port(const Sim *sim, const char *name) {
    for (int p = 0; name && p < sim->port_count; p++)
        if (strcmp(sim->ports[p].name, name) == 0) return p;
    return -1;
}

static Motion port_now(const Sim *sim, int port) {
    return port < 0 ? motion_at_rest() : sim->ports[port].motion;
}

static MrcStatus create_grains(Sim *sim, SimGrains *g, const GrainsDefinition *d, const GrainsWatch *watch,
                               MrcError *error) {
    const SimDefinition *all = sim->definition;
    g->definition = d;
    g->port = find_port(sim, d->port);
    g->wall_ports = arena_alloc(sim->arena, (size_t)d->wall_count * sizeof *g->wall_ports);
    g->motions = arena_alloc(sim->arena, (size_t)d->wall_count * sizeof *g->motions);
    g->loads = arena_alloc(sim->arena, (size_t)d->wall_count * sizeof *g->loads);
    if (!g->wall_ports || !g->motions || !g->loads) return error_memory(error, "the walls");
    for (int w = 0; w < d->wall_count; w++) {
        g->wall_ports[w] = d->walls[w].port ? find_port(sim, d->walls[w].port) : g->port;
        g->motions[w] = port_now(sim, g->wall_ports[w]);
    }
    Motion port = port_now(sim, g->port);
    GrainsSetting setting = {.materials = all->materials,
                             .material_count = all->material_count,
                             .pairs = all->pairs,
                             .pair_count = all->pair_count,
                             .gravity = all->gravity,
                             .step = sim->clock.step,
                             .port = &port,
                             .walls = g->motions,
                             .watch = watch};
    // Of a definition made by hand the speed of Hertz contacts may be unknown; then nothing is said about
    // steps.
    if (!steps_of_bed(d, &setting, &g->steps))
        g->steps = (GrainsSteps){.suggested = INFINITY,
                                 .critical = INFINITY,
                                 .limit = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY}};
    setting.step = g->step = coupled_part_grain_step(sim, d, &g->steps);
    return grains_create(d, &setting, &g->grains, error);
}

// A step beyond the critical one gains energy; one that is merely long makes restitution inexact.
static void warn_about_steps(const Sim *sim, const Log *log) {
    for (int g = 0; g < sim->definition->grains_count; g++) {
        const GrainsSteps *steps = &sim->grains[g].steps;
        double step = sim->grains[g].step, duration = steps->limit[STEP_BY_CONTACT];
        const char *name = sim->definition->grains[g].name;
        if (step > steps->critical)
            log_warning(
                log,
                "grains '%s': the step of %.3g us is longer than the critical one (%.3g us, %s): the grains "
                "will gain energy; %.3g us is suggested",
                name, 1e6 * step, 1e6 * steps->critical, steps_criterion_words(steps->critical_by),
                1e6 * steps->suggested);
        else if (step > 0.1 * duration)
            log_warning(
                log,
                "grains '%s': the step of %.3g us leaves %.2g steps to a contact of %.3g us, which resolves "
                "it poorly; %.3g us is suggested",
                name, 1e6 * step, duration / step, 1e6 * duration, 1e6 * steps->suggested);
        else if (step > 5 * steps->factor[STEP_BY_MOTION] * steps->limit[STEP_BY_MOTION])
            log_warning(log,
                        "grains '%s': at the speed of %.3g m/s that is expected, grains move by %.2g of "
                        "their radius in a step of %.3g us, which may let them overlap; %.3g us is suggested",
                        name, steps->speed, step / steps->limit[STEP_BY_MOTION], 1e6 * step,
                        1e6 * steps->suggested);
    }
}

// Does the port carry a wall of the bed?
static bool carries(const Sim *sim, const SimGrains *bed, const PortDefinition *port) {
    for (int w = 0; w < bed->definition->wall_count; w++)
        if (bed->wall_ports[w] >= 0 && sim->ports[bed->wall_ports[w]].definition == port) return true;
    return false;
}

static void create_periods(Sim *sim) {
    const SimDefinition *d = sim->definition;
    int port = find_port(sim, d->periods.port);
    if (port < 0 || !(d->periods.frequency > 0)) return;
    sim->periods = (Periods){.definition = &d->periods, .port = &d->ports[port], .step = sim->clock.step};
    for (int g = 0; g < d->grains_count; g++)
        if (carries(sim, &sim->grains[g], sim->periods.port))
            sim->periods.mass += grains_mass(sim->grains[g].grains);
}

static MrcStatus create(Sim *sim, const GrainsWatch *watch, MrcError *error) {
    const SimDefinition *d = sim->definition;
    sim->clock.step = d->simulate.step;
    sim->clock.total = (int64_t)ceil(d->simulate.duration / d->simulate.step - 1e-6);
    sim->grains = arena_alloc(sim->arena, (size_t)d->grains_count * sizeof *sim->grains);
    if (!sim->grains) return error_memory(error, "the simulation");
    MrcStatus status = recorder_create(&sim->recorder, d, sim->arena, error);
    if (status != MRC_OK) return status;
    sim->values = arena_alloc(sim->arena, sim->recorder.signal_count * sizeof *sim->values);
    if (!sim->values) return error_memory(error, "the signals");
    status = mechanism_part_create(&sim->mechanism, d, sim->arena, watch->log, error);
    if (status == MRC_OK) status = coupled_part_ports(sim, error);
    for (int g = 0; g < d->grains_count && status == MRC_OK; g++)
        status = create_grains(sim, &sim->grains[g], &d->grains[g], watch, error);
    if (status == MRC_OK)
        status = sim->coupled.active ? coupled_part_create(sim, error) : sim_create_world(sim, error);
    if (status == MRC_OK) create_periods(sim);
    return status;
}

MrcStatus sim_create(const SimDefinition *definition, const Log *log, Sim **out, MrcError *error) {
    return sim_create_watched(definition, &(GrainsWatch){.log = log}, out, error);
}

MrcStatus sim_create_watched(const SimDefinition *definition, const GrainsWatch *watch, Sim **out,
                             MrcError *error) {
    Arena *arena = arena_create();
    Sim *sim = arena ? arena_alloc(arena, sizeof *sim) : NULL;
    *out = NULL;
    if (!sim) {
        arena_destroy(arena);
        return error_memory(error, "the simulation");
    }
    sim->arena = arena;
    sim->definition = definition;
    MrcStatus status = create(sim, watch, error);
    if (status != MRC_OK) {
        sim_destroy(sim);
        return status;
    }
    warn_about_steps(sim, watch->log);
    *out = sim;
    return MRC_OK;
}

void sim_destroy(Sim *sim) {
    if (!sim) return;
    world_destroy(sim->world);
    coupled_part_destroy(&sim->coupled);
    for (int g = 0; sim->grains && g < sim->definition->grains_count; g++)
        grains_destroy(sim->grains[g].grains);
    mechanism_part_destroy(&sim->mechanism);
    arena_destroy(sim->arena);
}

// ---- the step ------------------------------------------------------------------------------------
static bool motion_is_finite(const Motion *m) {
    Vec3 sum = vec3_add(vec3_add(m->position, m->velocity), vec3_add(m->angular_velocity, m->acceleration));
    sum = vec3_add(sum, m->angular_acceleration);
    return isfinite(sum.x + sum.y + sum.z) && isfinite(m->orientation.w + m->orientation.x);
}

MrcStatus sim_move_ports(Sim *sim, MrcError *error) {
    double t = clock_time(&sim->clock);
    for (int p = 0; p < sim->port_count; p++) {
        SimPort *port = &sim->ports[p];
        port->motion = port->coupled < 0 ? port_motion(port->definition, t)
                                         : sim->coupled.coupling.containers.items[port->coupled].motion;
        if (!motion_is_finite(&port->motion))
            return error_set(error, MRC_NOT_FINITE,
                             "port '%s': its position, velocity or acceleration is infinite or not a number "
                             "at this time",
                             port->name);
    }
    for (int g = 0; g < sim->definition->grains_count; g++)
        for (int w = 0; w < sim->grains[g].definition->wall_count; w++)
            sim->grains[g].motions[w] = port_now(sim, sim->grains[g].wall_ports[w]);
    return MRC_OK;
}

static MrcStatus advance_grains(Sim *sim, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int g = 0; g < sim->definition->grains_count && status == MRC_OK; g++)
        if (sim->definition->grains[g].method == METHOD_SMOOTH)
            status =
                grains_advance(sim->grains[g].grains, sim->grains[g].motions, sim->grains[g].loads, error);
    return status == MRC_OK ? sim_advance_world(sim, error) : status;
}

MrcStatus sim_check_finite(Sim *sim, MrcError *error) {
    for (int g = 0; g < sim->definition->grains_count; g++) {
        const GrainStore *s = grains_view(sim->grains[g].grains);
        for (size_t i = 0; i < s->count; i++) {
            // A sum is finite only if all its terms are.
            double sum =
                s->x[i] + s->y[i] + s->z[i] + s->vx[i] + s->vy[i] + s->vz[i] + s->wx[i] + s->wy[i] + s->wz[i];
            if (isfinite(sum)) continue;
            return error_set(
                error, MRC_NOT_FINITE,
                "grains '%s': the position or velocity of grain %lld is infinite or not a number",
                sim->definition->grains[g].name, (long long)i);
        }
    }
    return mechanism_part_check_finite(&sim->mechanism, error);
}

bool sim_is_done(const Sim *sim) { return sim->clock.now >= sim->clock.total; }

MrcStatus sim_step(Sim *sim, MrcError *error) {
    MrcStatus status = sim_move_ports(sim, error);
    if (sim->coupled.active) {
        if (status == MRC_OK) status = coupled_part_step(&sim->coupled, sim->clock.step, error);
    } else {
        if (status == MRC_OK) status = advance_grains(sim, error);
        if (status == MRC_OK) status = mechanism_part_step(&sim->mechanism, sim->clock.step, error);
    }
    if (status != MRC_OK) return status;
    sim->clock.now++;
    return sim->coupled.active ? coupled_part_look(sim, error) : MRC_OK;
}

// ---- looking -------------------------------------------------------------------------------------
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
        now.rolling += m->rolling;
        now.stabilisation += m->stabilisation;
        now.algorithm += m->algorithm;
    }
    mechanism_part_book(&sim->mechanism, &now);
    coupled_part_book(&sim->coupled, sim, &now);
    ledger_update(&sim->ledger, &now);
}

// What the port is told: of a coupled one what the mechanism was, of a container that constraints hold their
// reaction, else the sum of its walls' contacts.
static Load port_load(const Sim *sim, int p) {
    const SimPort *port = &sim->ports[p];
    Load sum = {{0, 0, 0}, {0, 0, 0}};
    if (port->coupled >= 0) return sim->coupled.coupling.ports[port->coupled].load;
    if (sim_world(sim) && world_reaction(sim_world(sim), sim_world_port(sim, p), &sum))
        return load_scale(1 / sim->clock.step, sum);
    for (int g = 0; g < sim->definition->grains_count; g++) {
        const SimGrains *bed = &sim->grains[g];
        const Load *loads = grains_measured_loads(bed->grains);
        for (int w = 0; w < bed->definition->wall_count; w++)
            if (bed->wall_ports[w] == p) sum = load_add(sum, loads[w]);
    }
    return sum;
}

// In the order of signals_list.
static MrcStatus read_signals(Sim *sim, MrcError *error) {
    const SimDefinition *d = sim->definition;
    double *value = sim->values;
    for (int p = 0; p < d->port_count; p++) {
        Load load = port_load(sim, p);
        for (int s = 0; s < port_signal_count; s++)
            *value++ = *(const double *)((const char *)&sim->ports[p].motion + port_signals[s].offset);
        for (int s = 0; s < load_signal_count; s++)
            *value++ = *(const double *)((const char *)&load + load_signals[s].offset);
    }
    value = mechanism_part_read(&sim->mechanism, value);
    for (int g = 0; g < d->grains_count; g++) {
        for (int s = 0; s < grains_signal_count; s++)
            *value++ = *(const double *)((const char *)&sim->grains[g].measure + grains_signals[s].offset);
        const Load *loads = grains_measured_loads(sim->grains[g].grains);
        for (int w = 0; w < signals_part_count(&d->grains[g]); w++)
            for (int s = 0; s < load_signal_count; s++)
                *value++ = *(const double *)((const char *)&loads[w] + load_signals[s].offset);
    }
    for (int e = 0; e < ledger_entry_count; e++) *value++ = ledger_value(&sim->ledger, e);
    for (size_t s = 0; s < sim->recorder.signal_count; s++)
        if (!isfinite(sim->values[s]))
            return error_set(error, MRC_NOT_FINITE, "'%s' is %g", sim->recorder.signals[s].name,
                             sim->values[s]);
    return MRC_OK;
}

MrcStatus sim_sample(Sim *sim, MrcError *error) {
    MrcStatus status = sim_move_ports(sim, error);
    for (int g = 0; g < sim->definition->grains_count && status == MRC_OK; g++) {
        SimGrains *bed = &sim->grains[g];
        Motion port = port_now(sim, bed->port);
        status = grains_measure(bed->grains, &port, bed->motions, &bed->measure, error);
    }
    if (status != MRC_OK) return status;
    close_ledger(sim);
    return read_signals(sim, error);
}

MrcStatus sim_look_at_periods(Sim *sim, bool *ended, PeriodRow *row, MrcError *error) {
    *ended = false;
    if (!periods_is_due(&sim->periods, sim->clock.now)) return MRC_OK;
    PeriodEnergy energy = {0};
    MrcStatus status = sim_move_ports(sim, error);
    for (int g = 0; g < sim->definition->grains_count && status == MRC_OK; g++) {
        SimGrains *bed = &sim->grains[g];
        GrainsMeasure m;
        Motion port = port_now(sim, bed->port);
        if (!carries(sim, bed, sim->periods.port)) continue;
        status = grains_measure(bed->grains, &port, bed->motions, &m, error);
        if (status != MRC_OK) break;
        energy.impact += m.impact, energy.friction += m.friction, energy.rolling += m.rolling,
            energy.work += m.work;
    }
    if (status == MRC_OK) *ended = periods_take(&sim->periods, sim->clock.now, &energy, row);
    return status;
}

void sim_archive(Sim *sim, Archive *archive) {
    clock_archive(&sim->clock, archive);
    archive_group_begin(archive, "ledger");
    ledger_archive(&sim->ledger, archive);
    archive_group_end(archive, "ledger");
    if (sim->periods.definition) {
        archive_group_begin(archive, "periods");
        periods_archive(&sim->periods, archive);
        archive_group_end(archive, "periods");
    }
    if (sim->mechanism.mechanism) {
        archive_group_begin(archive, "mechanism");
        mechanism_archive(sim->mechanism.mechanism, archive);
        archive_group_end(archive, "mechanism");
    }
    if (sim->world) {
        archive_group_begin(archive, "world");
        world_archive(sim->world, archive);
        archive_group_end(archive, "world");
    }
    coupled_part_archive(&sim->coupled, archive);
    archive_group_begin(archive, "grains"); // a group of their own: users choose their names
    for (int g = 0; g < sim->definition->grains_count; g++) {
        const char *name = sim->grains[g].definition->name;
        archive_group_begin(archive, name);
        grains_archive(sim->grains[g].grains, archive);
        archive_group_end(archive, name);
    }
    archive_group_end(archive, "grains");
}
