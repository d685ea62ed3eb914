// Ballast tamping (examples/tamping.yaml; NSCD section 6): how long its 2 s take, from stretches of its phases.
//
// The bed is settled first, or taken from the cache of settled beds. Then the run goes on until the tines are in the
// ballast, in which the time of all steps is taken: `rest` while the flywheel gets up to speed, `diving`, `squeezing`. To
// reach squeezing without 1.1 s of diving, the control laws come sooner: diving begins at 20 ms and squeezing at 140 ms. The
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
    {"rest", 0.005, 0.02, 0.15}, {"diving", 0.08, 0.1, 0.4}, {"squeezing", 0.16, 0.18, 0.45}};
enum { PHASE_COUNT = sizeof phases / sizeof *phases };

static bool fail(const Bench *bench, const char *text) {
    bench_note(bench, "failed: %s", text);
    return false;
}

static MrcModel *load(const Bench *bench, const char *name) {
    const char *const settings[] = {"constants.begin=20 ms", "constants.squeeze=140 ms",
                                    "simulate.duration=0.18 s"};
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
    alone.record.series = NULL, alone.record.series_count = 0; // signals of grains are among them
    if (sim_create(&alone, NULL, &sim, error) != MRC_OK) return NAN;
    enum { steps = 200 };
    double start = timer_wall();
    for (int n = 0; n < steps; n++)
        if (sim_step(sim, error) != MRC_OK) break;
    double wall = (timer_wall() - start) / steps;
    sim_destroy(sim);
    return wall;
}

// ---- progress: settling takes minutes, and so does a phase -----------------------------------------
static const double note_every = 20; // [s] of wall-clock time

typedef struct Progress {
    const Bench *bench;
    double start, last; // wall-clock time [s]
} Progress;

static bool is_due(Progress *progress) {
    double now = timer_wall();
    if (now - progress->last < note_every) return false;
    progress->last = now;
    return true;
}

static void note_settling(void *user, double time, double limit, int64_t steps) {
    Progress *progress = user;
    if (is_due(progress))
        bench_note(progress->bench, "settling: %.3g s of at most %.3g s, %lld steps, after %.0f s", time,
                   limit, (long long)steps, timer_wall() - progress->start);
}

// Steps until `end`; false: one of them failed.
static bool advance_to(Sim *sim, double end, Progress *progress, MrcError *error) {
    while (clock_time(&sim->clock) < end) {
        if (sim_step(sim, error) != MRC_OK) return false;
        if (is_due(progress))
            bench_note(progress->bench, "t = %.4g s of %.4g s, after %.0f s", clock_time(&sim->clock),
                       phases[PHASE_COUNT - 1].to, timer_wall() - progress->start);
    }
    return true;
}

static bool measure(Bench *bench, const SimDefinition *definition) {
    MrcError error = {0};
    Sim *sim;
    double start = timer_wall(), machine = mechanism_step(definition, &error), mean = 0, solver = 0;
    Progress progress = {bench, start, start};
    const GrainsWatch watch = {.settling = note_settling, .user = &progress};
    if (!isfinite(machine)) return fail(bench, error.text);
    bench_note(bench, "bed: settled, or taken from the cache of beds");
    if (sim_create(definition, &(SimSetting){.watch = &watch}, &sim, &error) != MRC_OK)
        return fail(bench, error.text);
    int64_t stones = (int64_t)grains_view(sim->beds->items[0].grains)->count;
    bench_note(bench, "%lld stones; settling and assembly took %.0f s", (long long)stones,
               timer_wall() - start);
    bool good = true;
    for (int p = 0; p < PHASE_COUNT && good; p++) {
        good = advance_to(sim, phases[p].from, &progress, &error);
        WorldCounts before = world_counts(sim->beds->world);
        int64_t first = sim->clock.now;
        double wall = timer_wall(), cpu = timer_cpu();
        good = good && advance_to(sim, phases[p].to, &progress, &error);
        double steps = (double)(sim->clock.now - first);
        wall = (timer_wall() - wall) / steps, cpu = (timer_cpu() - cpu) / steps;
        WorldCounts now = world_counts(sim->beds->world);
        double solve = (now.seconds - before.seconds) / steps;
        mean += phases[p].share * wall, solver += phases[p].share * solve;
        bench_note(bench,
                   "%s: %.3f s a step (%.3f s of CPU time), %.0f contacts, %.1f sweeps, %.0f %% in the "
                   "solver, %lld of %.0f "
                   "above the tolerance",
                   phases[p].name, wall, cpu, (double)(now.contacts - before.contacts) / steps,
                   (double)(now.iterations - before.iterations) / steps, 100 * solve / wall,
                   (long long)(now.loose - before.loose), steps);
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
