// Ballast tamping (examples/tamping.yaml; NSCD section 6): how long its 2 s take, from stretches of its phases.
//
// The bed is settled first, or taken from the cache of settled beds. Then the run goes on until the tines are in the
// ballast, in which the time of all steps is taken: `rest` while the flywheel gets up to speed, `diving`, `squeezing`. To
// reach squeezing without 1.6 s of diving, the control laws come sooner: diving begins at 50 ms and squeezing at 150 ms. The
// projected time weighs the phases as the example has them. Detection is what is neither solver nor mechanism; the
// mechanism is timed alone, without grains.
//
// Published are 160 to 220 h on one core (the paper, below Table 2).
#include <math.h>
#include <stdio.h>

#include "base/threads.h"
#include "base/timer.h"
#include "bench/bench.h"
#include "model/model.h"
#include "sim/sim.h"

static const double published_hours = 160; // the least

typedef struct Phase {
    const char *name;
    double from, to; // of the shortened run [s]
    double share;    // of the 2 s
} Phase;
static const Phase phases[] = {
    {"rest", 0.02, 0.05, 0.15}, {"diving", 0.1, 0.15, 0.4}, {"squeezing", 0.2, 0.25, 0.45}};
enum { PHASE_COUNT = sizeof phases / sizeof *phases };

static bool fail(const Bench *bench, const char *text) {
    bench_note(bench, "failed: %s", text);
    return false;
}

static MrcModel *load(const Bench *bench, const char *name) {
    const char *const settings[] = {"constants.begin=50 ms", "constants.squeeze=150 ms",
                                    "simulate.duration=0.25 s"};
    char path[500];
    snprintf(path, sizeof path, "%s/examples/%s", MARACA_SOURCE_DIR, name);
    MrcModel *model = mrc_model_load(path, settings, 3);
    if (model && mrc_model_status(model) == MRC_OK) return model;
    for (int i = 0; model && i < mrc_model_diagnostic_count(model); i++)
        bench_note(bench, "failed: %s", mrc_model_diagnostic(model, i)->text);
    mrc_model_free(model);
    return NULL;
}

static void add(Bench *bench, const char *name, int64_t n, double value, const char *unit, double peer) {
    BenchRow row = {
        .n = n, .threads = bench->options.threads, .value = value, .unit = unit, .peer_value = peer};
    snprintf(row.name, sizeof row.name, "%s", name);
    if (isfinite(peer)) snprintf(row.peer, sizeof row.peer, "NSCD, one core");
    row.ratio = peer / value;
    bench_add(bench, row);
}

// One step of the machine without grains [s].
static double mechanism_step(const SimDefinition *with, MrcError *error) {
    SimDefinition alone = *with;
    Sim *sim;
    alone.grains = NULL, alone.grains_count = 0;
    if (sim_create(&alone, NULL, &sim, error) != MRC_OK) return NAN;
    enum { steps = 200 };
    double start = timer_wall();
    for (int n = 0; n < steps; n++)
        if (sim_step(sim, error) != MRC_OK) break;
    double wall = (timer_wall() - start) / steps;
    sim_destroy(sim);
    return wall;
}

static bool measure(Bench *bench, const SimDefinition *definition) {
    MrcError error = {0};
    Sim *sim;
    double start = timer_wall(), machine = mechanism_step(definition, &error), mean = 0, solver = 0;
    if (sim_create(definition, NULL, &sim, &error) != MRC_OK) return fail(bench, error.text);
    int64_t stones = (int64_t)grains_view(sim->beds->items[0].grains)->count;
    bench_note(bench, "%lld stones; settling and assembly took %.0f s", (long long)stones,
               timer_wall() - start);
    bool good = true;
    for (int p = 0; p < PHASE_COUNT && good; p++) {
        while (good && clock_time(&sim->clock) < phases[p].from) good = sim_step(sim, &error) == MRC_OK;
        WorldCounts before = world_counts(sim->beds->world);
        int64_t first = sim->clock.now;
        double wall = timer_wall();
        while (good && clock_time(&sim->clock) < phases[p].to) good = sim_step(sim, &error) == MRC_OK;
        double steps = (double)(sim->clock.now - first);
        wall = (timer_wall() - wall) / steps;
        WorldCounts now = world_counts(sim->beds->world);
        double solve = (now.seconds - before.seconds) / steps;
        mean += phases[p].share * wall, solver += phases[p].share * solve;
        bench_note(
            bench,
            "%s: %.3f s a step, %.0f contacts, %.1f sweeps, %.0f %% in the solver, %lld above the tolerance",
            phases[p].name, wall, (double)(now.contacts - before.contacts) / steps,
            (double)(now.iterations - before.iterations) / steps, 100 * solve / wall,
            (long long)(now.loose - before.loose));
    }
    sim_destroy(sim);
    if (!good) return fail(bench, error.text);
    double steps = 2 / definition->simulate.step;
    add(bench, "tamping, 2 s", stones, mean * steps / 3600, "h", stones >= 5000 ? published_hours : NAN);
    add(bench, "solve", stones, 100 * solver / mean, "% of the time", NAN);
    add(bench, "mechanism", stones, 100 * machine / mean, "% of the time", NAN);
    add(bench, "detection and rest", stones, 100 * (1 - (solver + machine) / mean), "% of the time", NAN);
    return true;
}

bool bench_tamping(Bench *bench) {
    MrcModel *model = load(bench, bench->options.quick ? "tamping-small.yaml" : "tamping.yaml");
    threads_set(bench->options.threads);
    bool done = model && measure(bench, model_definition(model));
    mrc_model_free(model);
    return done;
}
