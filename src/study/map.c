// A damping map: an isolated damper on a prescribed harmonic motion, over frequency and amplitude.
//
//     energy per cycle E and effective mass by the complex power of the load          (cycle.c)
//     equivalent damping ratio  zeta = mu E / (2 pi m_p A_V^2)                        (DAMPER Eqs. 10-11, doi:10.3390/pr10071247)
//     loss factor               Re S / Im S = E / (pi w^2 m A^2)                      (Meyer and Seifried 2021)
//     equivalent dashpot        c = E / (pi w A^2)
//
// with the velocity A_V = w A of the port and the mass m_p of the grains. Each is a mean over cycles with the interval of
// batch means; over several beds, the table has the interval of the beds. Zones are named by how the grains move
// relative to the port: `solid` when they hardly do (mean square below 1 % of that of the port), `bouncing bed` when they
// move together from end to end of their room in every cycle (more together than each on its own, pushing both ends, and
// the energies of the cycles deviate by less than half of their mean), otherwise `fluidised`. A loose cloud that stays
// in place while its room moves to and fro also moves as one relative to the room, but hits its ends at random: at 50
// Hz and 22 g, energies of examples/damping-map.yaml deviate by their mean, against 1 % to 3 % of bouncing beds.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/live.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/nearest.h"
#include "model/model.h"
#include "study/cycle.h"
#include "study/element.h"
#include "study/statistics.h"
#include "study/sweep.h"

#define MAP_PI 3.14159265358979323846
static const double map_gravity = 9.80665; // [m/s^2], for accelerations in g

static const char *const map_measures[] = {"energy_J",
                                           "damping_ratio",
                                           "loss_factor",
                                           "effective_mass_ratio",
                                           "zone",
                                           "amplitude_m",
                                           "acceleration_g",
                                           "dashpot_Ns_per_m",
                                           "effective_mass_kg",
                                           "energy_interval_J",
                                           "energy_deviation_J",
                                           "effective_mass_interval_kg",
                                           "mass_kg",
                                           NULL};

// ---- one point -----------------------------------------------------------------------------------
typedef struct MapMeans {
    Estimate energy, mass, velocity;
    double collective, scattered, push, pull;
} MapMeans;

static bool map_means(const Cycles *cycles, MapMeans *means) {
    size_t n = cycles->list.count;
    double *values = malloc((n + 1) * sizeof *values);
    if (!values) return false;
    *means = (MapMeans){0};
#define MAP_MEAN(member)                                                                                     \
    for (size_t i = 0; i < n; i++) values[i] = cycles->list.data[i].member;                                  \
    means->member = estimate_series(values, n)
    MAP_MEAN(energy);
    MAP_MEAN(mass);
    MAP_MEAN(velocity);
#undef MAP_MEAN
    for (size_t i = 0; i < n; i++) {
        means->collective += cycles->list.data[i].collective / (double)n;
        means->scattered += cycles->list.data[i].scattered / (double)n;
        means->push += cycles->list.data[i].push / (double)n;
        means->pull += cycles->list.data[i].pull / (double)n;
    }
    free(values);
    return true;
}

static DamperZone map_zone(const MapMeans *m) {
    double moved = m->collective + m->scattered, shaken = 0.5 * m->velocity.mean * m->velocity.mean;
    if (moved < 0.01 * shaken) return DAMPER_SOLID;
    bool both_ends = fmin(m->push, m->pull) > 0.2 * fmax(m->push, m->pull);
    bool alike = m->energy.deviation < 0.5 * fabs(m->energy.mean);
    return m->collective > m->scattered && both_ends && alike ? DAMPER_BOUNCING : DAMPER_FLUIDISED;
}

static void map_facts(const MapMeans *m, double frequency, double grains, double mu, FactList *list) {
    double w = 2 * MAP_PI * frequency, V = m->velocity.mean, E = m->energy.mean;
    double zeta = mu / (2 * MAP_PI * grains * V * V); // per energy
    fact_number(list, "frequency_hz", frequency, "Hz", "frequency");
    fact_number(list, "amplitude_m", V / w, "m", "amplitude of the motion");
    fact_number(list, "velocity_m_per_s", V, "m/s", "largest velocity");
    fact_number(list, "acceleration_g", V * w / map_gravity, "1", "largest acceleration in g");
    fact_number(list, "mass_kg", grains, "kg", "mass of the grains");
    fact_number(list, "energy_J", E, "J", "energy per cycle");
    fact_number(list, "energy_interval_J", m->energy.interval, "J", "half of its 95 % interval, over cycles");
    fact_number(list, "energy_deviation_J", m->energy.deviation, "J", "its standard deviation over cycles");
    fact_number(list, "damping_ratio", zeta * E, "1", "equivalent damping ratio");
    fact_number(list, "damping_ratio_interval", zeta * m->energy.interval, "1", "half of its 95 % interval");
    fact_number(list, "damping_ratio_deviation", zeta * m->energy.deviation, "1",
                "its standard deviation over cycles");
    fact_number(list, "dashpot_Ns_per_m", E * w / (MAP_PI * V * V), "N s/m", "equivalent dashpot");
    fact_number(list, "effective_mass_kg", m->mass.mean, "kg", "effective mass");
    fact_number(list, "effective_mass_interval_kg", m->mass.interval, "kg", "half of its 95 % interval");
    fact_number(list, "effective_mass_ratio", m->mass.mean / grains, "1",
                "effective mass over mass of the grains");
    fact_number(list, "loss_factor", E / (MAP_PI * m->mass.mean * V * V), "1", "loss factor");
    fact_number(list, "collective_m2_per_s2", m->collective, "m^2/s^2",
                "mean square velocity of the bed to the port");
    fact_number(list, "scattered_m2_per_s2", m->scattered, "m^2/s^2",
                "mean square velocity of grains about their mean");
    fact_number(list, "zone", map_zone(m), "1", "0 solid, 1 bouncing bed, 2 fluidised");
}

typedef struct MapSetting {
    const char *port;
    double mass_ratio;
    int skip, periods;
} MapSetting;

// Beds with a wall on the port, and the mass of their grains.
static int map_beds(MrcSim *sim, const SimDefinition *d, const char *port, int *beds, int most) {
    int count = 0;
    for (int b = 0; b < mrc_sim_bed_count(sim) && count < most; b++)
        for (int g = 0; g < d->grains_count; g++) {
            if (strcmp(d->grains[g].name, mrc_sim_bed_name(sim, b)) != 0) continue;
            bool there = false;
            for (int w = 0; w < d->grains[g].wall_count; w++) {
                const char *carrier = grains_wall_port(&d->grains[g], w);
                there = there || (carrier && strcmp(carrier, port) == 0);
            }
            if (there) beds[count++] = b;
        }
    return count;
}

static double map_mass(const MrcSim *sim, const int *beds, int count) {
    double mass = 0;
    for (int b = 0; b < count; b++) mass += grains_mass(sim->sim->beds->items[beds[b]].grains);
    return mass;
}

enum { MAP_BEDS_MAX = 64 };

// What a run of a point is looked at with.
typedef struct MapLook {
    const StudyJob *job;
    int beds[MAP_BEDS_MAX];
    CycleMeter meter;
    Cycles cycles;
    double mass; // of the grains [kg]
    bool begun;
} MapLook;

static MrcStatus map_begin_look(MapLook *look, MrcSim *sim, MrcError *error) {
    const MapSetting *setting = look->job->plan->self;
    const SimDefinition *d = model_definition(look->job->model);
    int count = map_beds(sim, d, setting->port, look->beds, MAP_BEDS_MAX);
    look->meter = (CycleMeter){.port = -1,
                               .beds = look->beds,
                               .bed_count = count,
                               .frequency = look->job->point->numbers[0],
                               .skip = setting->skip,
                               .count = setting->periods,
                               .cycles = &look->cycles};
    for (int p = 0; p < mrc_sim_port_count(sim); p++)
        if (strcmp(mrc_sim_port_name(sim, p), setting->port) == 0) look->meter.port = p;
    look->begun = true;
    return cycles_begin(&look->meter, sim, error);
}

static MrcStatus map_look(void *user, MrcSim *sim, MrcError *error) {
    MapLook *look = user;
    MrcStatus status = look->begun ? cycles_take(&look->meter, sim, error) : map_begin_look(look, sim, error);
    if (cycles_are_done(&look->meter)) look->mass = map_mass(sim, look->beds, look->meter.bed_count);
    return status;
}

static MrcStatus map_step_through(MapLook *look, MrcError *error) {
    MrcSimOptions options = mrc_sim_options_default();
    MrcSim *sim;
    options.threads = 1;
    options.stop = look->job->stop;
    MrcStatus status = mrc_sim_create(look->job->model, &options, &sim, error);
    if (status != MRC_OK) return status;
    status = map_look(look, sim, error);
    while (status == MRC_OK && !cycles_are_done(&look->meter)) {
        bool stopped = options.stop && *options.stop;
        status = stopped ? error_set(error, MRC_INTERRUPTED, "at t = %.6g s", mrc_sim_time(sim))
                         : mrc_sim_step(sim, error);
        if (status == MRC_OK) status = map_look(look, sim, error);
    }
    mrc_sim_free(sim);
    return status;
}

static void map_tell(void *user, const MrcProgress *now) {
    if (strcmp(now->phase, "running") == 0 && now->duration > 0)
        study_job_tell(((MapLook *)user)->job, now->time / now->duration);
}

// The same steps as a run with a folder and a report. It is as long as the cycles (map_plan_points); its warnings at
// the end are in its report.
static MrcStatus map_run_through(MapLook *look, MrcError *error) {
    MrcRunOptions options = mrc_run_options_default();
    options.folder = look->job->folder;
    options.threads = 1;
    options.stop = look->job->stop;
    options.step = map_look;
    options.progress = map_tell;
    options.user = look;
    MrcStatus status = mrc_run(look->job->model, &options, NULL, error);
    bool measured = look->begun && cycles_are_done(&look->meter);
    return measured && status == MRC_DIVERGED ? MRC_OK : status; // its energy has grown
}

static MrcStatus map_run_point(const StudyJob *job, FactList *facts, MrcError *error) {
    const MapSetting *setting = job->plan->self;
    MapLook look = {.job = job};
    MapMeans means = {0};
    double f = job->point->numbers[0], amplitude = job->point->numbers[1];
    MrcStatus status = job->keep ? map_run_through(&look, error) : map_step_through(&look, error);
    if (status == MRC_OK && !cycles_are_done(&look.meter))
        status = error_set(error, MRC_USAGE, "the run is shorter than its cycles");
    if (status == MRC_OK && !map_means(&look.cycles, &means)) status = error_memory(error, "the cycles");
    if (status == MRC_OK && !(means.velocity.mean > 0))
        status = error_set(error, MRC_USAGE, "port '%s' does not move at %g Hz", setting->port, f);
    double off = status == MRC_OK ? means.velocity.mean / (2 * MAP_PI * f) / amplitude : 1;
    if (fabs(off - 1) > 0.02)
        status = error_set(
            error, MRC_USAGE,
            "port '%s' should move with an amplitude of %.3g m at %g Hz, but does so with %.3g m: its motion "
            "must be A*sin(2*pi*f*t) of the values that are varied",
            setting->port, amplitude, f, off * amplitude);
    if (status == MRC_OK) map_facts(&means, f, look.mass, setting->mass_ratio, facts);
    cycles_free(&look.cycles);
    return status;
}

// ---- the plan ------------------------------------------------------------------------------------
static MrcStatus map_find_port(const MrcModel *model, const char *wanted, Arena *arena, const char **port,
                               MrcError *error) {
    const SimDefinition *d = model_definition(model);
    const char *names[64];
    int count = 0;
    for (int p = 0; p < d->port_count && count < 64; p++)
        if (port_is_prescribed(&d->ports[p])) names[count++] = d->ports[p].name;
    *port = wanted;
    for (int g = 0; g < d->grains_count && !wanted; g++)
        for (int w = 0; w < d->grains[g].wall_count; w++) {
            const char *carrier = grains_wall_port(&d->grains[g], w);
            if (carrier && *port && strcmp(*port, carrier) != 0)
                return error_set(error, MRC_USAGE,
                                 "grains are on several ports, such as '%s' and '%s': name one with --port",
                                 *port, carrier);
            if (carrier) *port = carrier;
        }
    for (int i = 0; i < count; i++)
        if (*port && strcmp(names[i], *port) == 0) {
            *port = arena_strdup(arena, *port);
            return *port ? MRC_OK : error_memory(error, "the plan");
        }
    const char *nearest = wanted ? nearest_word(wanted, strlen(wanted), names, (size_t)count) : NULL;
    if (nearest)
        return error_set(error, MRC_USAGE, "there is no port '%s'; did you mean '%s'?", wanted, nearest);
    if (*port)
        return error_set(
            error, MRC_USAGE,
            "port '%s' has no prescribed motion: a map is that of a damper alone, on a port of 'ports:' "
            "with a formula such as A*sin(2*pi*f*t)",
            *port);
    return error_set(error, MRC_USAGE, "the model has no grains on a port");
}

static MrcStatus map_read_axis(const MrcModel *model, const char *text, const char *name, const char *unit,
                               Arena *arena, StudyAxis *axis, double **si, MrcError *error) {
    const char *path = study_find_name(model, name, arena);
    if (!path && !strchr(text, '='))
        return error_set(error, MRC_USAGE,
                         "the model has no constant or input '%s'; name the value to vary: --%s PATH=VALUES",
                         name, strcmp(name, "f") == 0 ? "frequency" : "amplitude");
    MrcStatus status = study_axis_read_in(text, path, unit, arena, axis, error);
    if (status != MRC_OK) return status;
    *si = arena_alloc(arena, (size_t)axis->count * sizeof **si);
    if (!*si) return error_memory(error, "the values");
    for (int i = 0; i < axis->count && status == MRC_OK; i++) {
        status = study_value_to_si(&axis->values[i], unit, &(*si)[i], error);
        if (status == MRC_OK && !((*si)[i] > 0))
            status = error_set(error, MRC_USAGE, "'%s' must be positive, not %s", axis->path,
                               axis->values[i].text);
    }
    return status;
}

typedef struct MapAxes {
    StudyAxis frequency, *size; // size: amplitudes, or accelerations, of each frequency
    double *hertz, **sizes;     // in SI units
    const char *amplitude;      // path of the amplitude
    bool by_acceleration;
} MapAxes;

// "0.8:10..100:21:log g" at one of the frequencies: 10..100 is a number that changes evenly with the frequency, from 10
// at the lowest to 100 at the highest. `part`: 0 to 1, where the frequency is between them. NULL: memory is out.
static const char *map_values_at(const char *text, double part, Arena *arena) {
    const char *whole = "";
    for (const char *c = text; *c && whole;) {
        char *end, *second_end;
        bool begins = isdigit((unsigned char)*c) && (c == text || !strchr("0123456789.eE", c[-1]));
        double first = begins ? strtod(c, &end) : 0;
        if (begins && end[-1] == '.') end--;
        if (begins && strncmp(end, "..", 2) == 0) {
            double second = strtod(end + 2, &second_end);
            if (second_end > end + 2) {
                whole = arena_printf(arena, "%s%.12g", whole, first + part * (second - first));
                c = second_end;
                continue;
            }
        }
        whole = arena_printf(arena, "%s%c", whole, *c++);
    }
    return whole;
}

static MrcStatus map_read_sizes(const MrcModel *model, const MrcMapOptions *o, Arena *arena, MapAxes *axes,
                                MrcError *error) {
    const char *text = axes->by_acceleration ? o->acceleration : o->amplitude;
    int count = axes->frequency.count;
    double low = INFINITY, high = -INFINITY;
    axes->size = arena_alloc(arena, (size_t)count * sizeof *axes->size);
    axes->sizes = arena_alloc(arena, (size_t)count * sizeof *axes->sizes);
    if (!axes->size || !axes->sizes) return error_memory(error, "the values");
    for (int i = 0; i < count; i++) low = fmin(low, axes->hertz[i]), high = fmax(high, axes->hertz[i]);
    for (int i = 0; i < count; i++) {
        const char *values =
            map_values_at(text, high > low ? (axes->hertz[i] - low) / (high - low) : 0, arena);
        if (!values) return error_memory(error, "the values");
        MrcStatus status = map_read_axis(model, values, "A", axes->by_acceleration ? "m/s^2" : "m", arena,
                                         &axes->size[i], &axes->sizes[i], error);
        if (status != MRC_OK) return status;
    }
    axes->amplitude = axes->size[0].path;
    if (axes->by_acceleration) axes->size[0].path = "acceleration";
    return MRC_OK;
}

static MrcStatus map_read_axes(const MrcModel *model, const MrcMapOptions *o, Arena *arena, MapAxes *axes,
                               MrcError *error) {
    if (!o->frequency || !o->amplitude == !o->acceleration)
        return error_set(
            error, MRC_USAGE,
            "a map needs frequencies and either amplitudes or accelerations, such as --frequency 5:50:4:log "
            "--acceleration '1,2,4,8 g'");
    MrcStatus status =
        map_read_axis(model, o->frequency, "f", "Hz", arena, &axes->frequency, &axes->hertz, error);
    axes->by_acceleration = o->acceleration != NULL;
    return status == MRC_OK ? map_read_sizes(model, o, arena, axes, error) : status;
}

static MrcStatus map_plan_points(const MapAxes *axes, const MapSetting *setting, Arena *arena,
                                 StudyPlan *plan, MrcError *error) {
    int rows = axes->frequency.count, columns = axes->size[0].count;
    StudyColumn *named = arena_alloc(arena, 2 * sizeof *named);
    plan->point_count = rows * columns;
    plan->points = arena_alloc(arena, (size_t)plan->point_count * sizeof *plan->points);
    if (!named || !plan->points) return error_memory(error, "the plan");
    named[0] = (StudyColumn){axes->frequency.path, study_axis_unit(&axes->frequency)};
    named[1] = (StudyColumn){axes->size[0].path, study_axis_unit(&axes->size[0])};
    plan->columns = named, plan->column_count = 2;
    for (int p = 0; p < plan->point_count; p++) {
        int i = p / columns, j = p % columns;
        StudyValue *labels = arena_alloc(arena, 2 * sizeof *labels);
        double *numbers = arena_alloc(arena, 2 * sizeof *numbers), f = axes->hertz[i], w = 2 * MAP_PI * f;
        const char **overrides = arena_alloc(arena, 3 * sizeof *overrides);
        if (!labels || !numbers || !overrides) return error_memory(error, "the plan");
        labels[0] = axes->frequency.values[i], labels[1] = axes->size[i].values[j];
        numbers[0] = f, numbers[1] = axes->by_acceleration ? axes->sizes[i][j] / (w * w) : axes->sizes[i][j];
        overrides[0] = arena_printf(arena, "%s=%.15g Hz", axes->frequency.path, f);
        overrides[1] = arena_printf(arena, "%s=%.15g m", axes->amplitude, numbers[1]);
        // With the whole duration: values that follow from the motion, such as a sized stiffness, are those for all of it.
        overrides[2] =
            arena_printf(arena, "simulate.duration=%.12g s", (setting->skip + setting->periods) / f);
        if (!overrides[0] || !overrides[1] || !overrides[2]) return error_memory(error, "the plan");
        plan->points[p] = (StudyPoint){overrides, 3, labels, numbers, 0};
    }
    return MRC_OK;
}

MrcStatus mrc_map(const char *model_path, const MrcMapOptions *map, const MrcStudyOptions *options,
                  MrcStudy *study, MrcError *error) {
    MrcMapOptions o = mrc_map_options_default();
    MrcError own;
    memcpy(&o, map, map->size > 0 && map->size < sizeof o ? map->size : sizeof o);
    if (!error) error = &own;
    *study = (MrcStudy){0};
    if (o.skip < 0 || o.periods < 0 || !(o.mass_ratio >= 0))
        return error_set(error, MRC_USAGE, "numbers of cycles and the mass ratio must not be negative");
    if (o.periods == 1 && options->beds < 2 && !(options->until > 0))
        return error_set(
            error, MRC_USAGE,
            "one cycle of one bed says nothing about its scatter: give more --periods or --beds");
    MapSetting setting = {NULL, o.mass_ratio > 0 ? o.mass_ratio : 0.01, o.skip > 0 ? o.skip : 10,
                          o.periods > 0 ? o.periods : 40};
    StudyPlan plan = {.kind = "map",
                      .model_path = model_path,
                      .measures = map_measures,
                      .run = map_run_point,
                      .reports = true,
                      .self = &setting,
                      .finish = element_write};
    MapAxes axes;
    Arena *arena = arena_create();
    MrcModel *model = mrc_model_load(model_path, options->overrides, options->override_count);
    MrcStatus status = arena && model ? MRC_OK : error_memory(error, "the plan");
    if (status == MRC_OK && mrc_model_status(model) != MRC_OK)
        status = error_set(error, MRC_MODEL, "the model has errors: see its diagnostics");
    if (status == MRC_OK) status = map_find_port(model, o.port, arena, &setting.port, error);
    if (status == MRC_OK) status = map_read_axes(model, &o, arena, &axes, error);
    if (status == MRC_OK) status = map_plan_points(&axes, &setting, arena, &plan, error);
    if (status == MRC_OK) {
        plan.identity = hash_bytes(HASH_START, setting.port, strlen(setting.port));
        double numbers[3] = {setting.mass_ratio, setting.skip, setting.periods};
        plan.identity = hash_bytes(plan.identity, numbers, sizeof numbers);
        status = study_run(&plan, options, study, error);
    }
    mrc_model_free(model);
    if (arena) arena_destroy(arena);
    return status;
}
