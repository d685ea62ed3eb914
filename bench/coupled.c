// Mechanism and grains together: the papers' crank-beam-damper (EXPLICIT 4.3) and cantilever-damper
// (TIGHT 5.2), 2 s in steps of 0.1 ms, by the condensed, the explicit (index-1 inputs) and the tight scheme
// (quasi-Newton). Models are those of examples/, measured as `maraca run` would; no files are written, and
// the time in which the bed settles is told apart.
//
// The peers are the times published for the crank-beam-damper (EXPLICIT Table 3: 672.5 s explicit, 2682 s
// implicit, on a machine of its own). There is nothing published for the cantilever.
// TIGHT is doi:10.1016/j.mechmachtheory.2020.104181, EXPLICIT doi:10.1007/s11044-022-09829-w.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/threads.h"
#include "base/timer.h"
#include "bench/bench.h"
#include "model/model.h"
#include "sim/sim.h"

static const double published_duration = 2; // [s]

typedef struct Way {
    const char *name;
    const char *settings[2];
    const char *peer; // who published a time for the crank-beam-damper
    double published; // [s]
} Way;

static const Way ways[] = {
    {"condensed", {"coupling.scheme=condensed"}, "paper, explicit", 672.5},
    {"explicit", {"coupling.scheme=explicit", "coupling.inputs=index-1"}, "paper, explicit", 672.5},
    {"tight", {"coupling.scheme=tight", "coupling.acceleration=quasi-newton"}, "paper, implicit", 2682},
};
enum { WAY_COUNT = sizeof ways / sizeof *ways };

typedef struct Outcome {
    int64_t grains, steps;
    double simulated, setup, wall, cpu; // [s]
    CouplingCounts counts;
    MechanismCounts mechanism;
} Outcome;

static bool fail(const Bench *bench, const char *text) {
    bench_note(bench, "failed: %s", text);
    return false;
}

static bool run(const Bench *bench, const SimDefinition *definition, Outcome *o) {
    Sim *sim;
    MrcError error = {0};
    double start = timer_wall();
    if (sim_create(definition, NULL, &sim, &error) != MRC_OK) return fail(bench, error.text);
    int64_t each = (int64_t)fmax(1, round(definition->record.every / sim->clock.step));
    double wall = timer_wall(), cpu = timer_cpu();
    MrcStatus status = sim_sample(sim, &error);
    while (status == MRC_OK && !sim_is_done(sim)) {
        status = sim_step(sim, &error);
        if (status == MRC_OK && (sim->clock.now % each == 0 || sim_is_done(sim)))
            status = sim_sample(sim, &error);
    }
    *o = (Outcome){.grains = (int64_t)grains_view(sim->beds->items[0].grains)->count,
                   .steps = sim->clock.now,
                   .simulated = clock_time(&sim->clock),
                   .setup = wall - start,
                   .wall = timer_wall() - wall,
                   .cpu = timer_cpu() - cpu,
                   .counts = sim->coupling.counts,
                   .mechanism = mechanism_counts(sim_mechanism(sim))};
    sim_destroy(sim);
    return status == MRC_OK || fail(bench, error.text);
}

static void add(Bench *bench, const char *name, const Outcome *o, double value, const char *unit) {
    BenchRow row = {.n = o->grains,
                    .threads = bench->options.threads,
                    .value = value,
                    .unit = unit,
                    .peer_value = NAN,
                    .ratio = NAN};
    snprintf(row.name, sizeof row.name, "%s", name);
    bench_add(bench, row);
}

static void report(Bench *bench, const char *model, const Way *way, const Outcome *o, bool published) {
    char name[32];
    double steps = (double)o->steps, solves = (double)o->counts.grain_solves / steps;
    snprintf(name, sizeof name, "%s %s", model, way->name);
    bench_note(bench,
               "%s: %lld steps in %.2f s (CPU %.2f s, %d threads), %.3g times real time; settling and "
               "assembly %.2f s before; %.2f grain solves a step, at most %lld, %lld steps not converged; "
               "%.2f Newton iterations and %.3f factorizations a step; port energy error %.2g J, by size "
               "%.2g J of the %.3g J that passed",
               name, (long long)o->steps, o->wall, o->cpu, bench->options.threads, o->simulated / o->wall,
               o->setup, solves, (long long)o->counts.most_solves, (long long)o->counts.unconverged,
               (double)o->mechanism.iterations / steps, (double)o->mechanism.factorizations / steps,
               o->counts.energy_error, o->counts.energy_error_size, o->counts.energy_passed);
    add(bench, name, o, o->wall, "s wall");
    if (published) {
        BenchRow *row = &bench->rows.data[bench->rows.count - 1];
        snprintf(row->peer, sizeof row->peer, "%s", way->peer);
        row->peer_value = way->published * o->simulated / published_duration;
        row->ratio = row->peer_value / row->value;
    }
    add(bench, name, o, o->cpu, "s CPU");
    add(bench, name, o, o->simulated / o->wall, "of real time");
    add(bench, name, o, steps / o->wall, "steps/s");
    add(bench, name, o, solves, "grain solves/step");
    add(bench, name, o, o->counts.energy_error, "J port error");
}

static bool measure(Bench *bench, const char *model, const char *path, const Way *way, bool published) {
    const char *settings[3];
    int count = 0;
    Outcome o;
    for (int k = 0; k < 2 && way->settings[k]; k++) settings[count++] = way->settings[k];
    if (bench->options.quick) settings[count++] = "simulate.duration=0.2 s";
    threads_set(bench->options.threads);
    MrcModel *loaded = mrc_model_load(path, settings, count);
    bool done = loaded && mrc_model_status(loaded) == MRC_OK;
    for (int i = 0; loaded && !done && i < mrc_model_diagnostic_count(loaded); i++)
        bench_note(bench, "failed: %s", mrc_model_diagnostic(loaded, i)->text);
    done = done && run(bench, model_definition(loaded), &o);
    if (done) report(bench, model, way, &o, published);
    mrc_model_free(loaded);
    return done;
}

bool bench_coupled(Bench *bench) {
    bool done = true;
    for (int w = 0; w < WAY_COUNT && done; w++)
        done = measure(bench, "crank", MARACA_SOURCE_DIR "/examples/crank-beam-damper.yaml", &ways[w], true);
    for (int w = 0; w < WAY_COUNT && done; w++)
        done = measure(bench, "cantilever", MARACA_SOURCE_DIR "/examples/cantilever-damper.yaml", &ways[w],
                       false);
    return done;
}
