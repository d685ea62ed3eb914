// Stones: convex polyhedra of 25 corners.
//
// Pairs: two stones of random orientation at a distance at which most are near each other but do not touch, and the
// same pushed together, so that they do: pairs tested, and manifolds made, in a second on one core. Beds: stones in a
// flat box, five layers of a lattice thrown down, when they have landed; steps of 0.5 ms by contact dynamics at a residual of 1e-3,
// on one thread and on several in turn, the same steps again and again.
//
// For scale: Box3D steps 5120 hulls of 32 vertices 500 times in 17.3 s on one core of a 7950X in single precision, which
// is 148,000 stone-steps in a second, with four iterations each.
#include <math.h>
#include <stdio.h>

#include "base/random.h"
#include "base/threads.h"
#include "base/timer.h"
#include "bench/bench.h"
#include "geometry/shape.h"
#include "grains/engine.h"
#include "model/model.h"
#include "sim/sim.h"

static const double box3d_stone_steps = 5120 * 500 / 17.3; // [1/s]

static bool fail(const Bench *bench, const char *text) {
    bench_note(bench, "failed: %s", text);
    return false;
}

static MrcModel *load(const Bench *bench, const char *const *settings, int count) {
    MrcModel *model = mrc_model_load(MARACA_SOURCE_DIR "/examples/stones.yaml", settings, count);
    if (model && mrc_model_status(model) == MRC_OK) return model;
    for (int i = 0; model && i < mrc_model_diagnostic_count(model); i++)
        bench_note(bench, "failed: %s", mrc_model_diagnostic(model, i)->text);
    mrc_model_free(model);
    return NULL;
}

// ---- pairs ---------------------------------------------------------------------------------------
enum { PAIR_COUNT = 4096 };

typedef struct StonePair {
    Shape a, b;
    Pose at_a, at_b;
} StonePair;

static Quaternion random_turn(Random *random) {
    return quaternion_normalize((Quaternion){random_normal(random), random_normal(random),
                                             random_normal(random), random_normal(random)});
}

// `share`: distance of the centres over the sum of the radii of the spheres around them.
static void draw_pairs(const ParticlesDefinition *particles, double share, StonePair *pairs) {
    Random random = {7};
    for (int k = 0; k < PAIR_COUNT; k++) {
        StonePair *p = &pairs[k];
        p->a = particles->shapes[(size_t)k % (size_t)particles->shape_count];
        p->b = particles->shapes[(size_t)(k / 3) % (size_t)particles->shape_count];
        p->a.radius = 0.02 + 0.01 * random_uniform(&random),
        p->b.radius = 0.02 + 0.01 * random_uniform(&random);
        Vec3 way =
            vec3_normalize(vec3(random_normal(&random), random_normal(&random), random_normal(&random)));
        p->at_a = (Pose){vec3_zero(), random_turn(&random)};
        p->at_b = (Pose){vec3_scale(share * (p->a.radius + p->b.radius), way), random_turn(&random)};
    }
}

static void bench_pairs(Bench *bench, const ParticlesDefinition *particles, double share, const char *name,
                        bool manifolds) {
    static StonePair pairs[PAIR_COUNT];
    int64_t tested = 0, met = 0, points = 0;
    double wall = 0, least = bench->options.quick ? 0.3 : 1;
    draw_pairs(particles, share, pairs);
    for (double start = timer_cpu(); wall < least; wall = timer_cpu() - start)
        for (int k = 0; k < PAIR_COUNT; k++) {
            ShapeContact contacts[SHAPE_CONTACT_MAX];
            int count =
                shape_pair_contacts(&pairs[k].a, &pairs[k].at_a, &pairs[k].b, &pairs[k].at_b, 1e-3, contacts);
            tested++, met += count > 0, points += count;
        }
    BenchRow row = {.n = 25,
                    .threads = 1,
                    .value = (double)(manifolds ? met : tested) / wall,
                    .unit = manifolds ? "manifolds/s" : "pairs/s",
                    .peer_value = NAN,
                    .ratio = NAN};
    snprintf(row.name, sizeof row.name, "%s", name);
    bench_add(bench, row);
    bench_note(bench, "%s: %.2f us a pair, %.0f %% of them meet, in %.2f points", name,
               1e6 * wall / (double)tested, 100 * (double)met / (double)tested,
               (double)points / fmax((double)met, 1));
}

// ---- beds ----------------------------------------------------------------------------------------
enum { BED_STEPS = 10, BED_LAYERS = 5 };

typedef struct Pace { // of a stretch: the best time of each step, and what was solved
    double wall[BED_STEPS], contacts, iterations, solver;
} Pace;

static WorldCounts counts_of(const Sim *sim) { return world_counts(sim->beds->world); }

static bool advance(Sim *sim, int steps, Pace *pace, MrcError *error) {
    WorldCounts first = counts_of(sim), now = first;
    for (int n = 0; n < steps; n++) {
        double wall = timer_wall();
        if (sim_step(sim, error) != MRC_OK) return false;
        wall = timer_wall() - wall;
        if (pace) pace->wall[n] = fmin(pace->wall[n], wall);
    }
    now = counts_of(sim);
    if (pace)
        pace->contacts = (double)(now.contacts - first.contacts) / steps,
        pace->iterations = (double)(now.iterations - first.iterations) / steps;
    return true;
}

static void report(Bench *bench, size_t count, int threads, const Pace *pace, const Pace *one, int steps) {
    double wall = 0, alone = 0;
    for (int n = 0; n < steps; n++) wall += pace->wall[n] / steps, alone += one->wall[n] / steps;
    BenchRow row = {.name = "bed",
                    .n = (int64_t)count,
                    .threads = threads,
                    .value = (double)count / wall,
                    .unit = "stone-steps/s",
                    .peer_value = threads == 1 ? box3d_stone_steps : (double)count / alone};
    snprintf(row.peer, sizeof row.peer, threads == 1 ? "Box3D, 7950X" : "one thread");
    row.ratio = row.value / row.peer_value;
    bench_add(bench, row);
    bench_note(bench, "%zu stones, %d threads: %.4f s a step, %.0f contacts, %.1f sweeps, %.3g us a contact",
               count, threads, wall, pace->contacts, pace->iterations, 1e6 * wall / pace->contacts);
}

static bool bench_bed(Bench *bench, int64_t count) {
    double side = 0.12 * sqrt((double)count / BED_LAYERS) + 0.1; // with room for the largest stones
    char number[64], wall[160];
    snprintf(number, sizeof number, "grains.ballast.particles.count=%lld", (long long)count);
    snprintf(wall, sizeof wall, "grains.ballast.wall={box: {size: [%.3f m, %.3f m, %.3f m]}}", side, side,
             0.1 * BED_LAYERS + 0.1);
    const char *settings[] = {number,
                              wall,
                              "grains.ballast.method=nscd",
                              "grains.ballast.packing=cubic",
                              "gravity=0.8 0.5 -9.76 m/s^2",
                              "grains.ballast.particles.velocity=0.3 0.2 -3 m/s"};
    MrcModel *model = load(bench, settings, sizeof settings / sizeof *settings);
    MrcError error = {0};
    Sim *sim = NULL;
    Pace pace[2] = {0};
    if (!model) return false;
    int threads[2] = {1, bench->options.threads}, turns = bench->options.quick ? 1 : 6,
        steps = bench->options.quick || count > 10000 ? 3 : BED_STEPS;
    for (int n = 0; n < BED_STEPS; n++) pace[0].wall[n] = pace[1].wall[n] = INFINITY;
    threads_set(bench->options.threads);
    bool good = sim_create(model_definition(model), NULL, &sim, &error) == MRC_OK &&
                advance(sim, bench->options.quick ? 240 : 300, NULL, &error) &&
                world_save(sim->beds->world, &error) == MRC_OK;
    for (int n = 0; n < 2 * turns && good; n++) {
        threads_set(threads[n % 2]);
        good = advance(sim, steps, &pace[n % 2], &error) && world_restore(sim->beds->world, &error) == MRC_OK;
    }
    for (int k = 0; k < 2 && good; k++) report(bench, (size_t)count, threads[k], &pace[k], &pace[0], steps);
    if (sim) sim_destroy(sim);
    mrc_model_free(model);
    return good || fail(bench, error.text);
}

bool bench_stones(Bench *bench) {
    const int64_t sizes[] = {500, 5000, 20000};
    MrcModel *model = load(bench, NULL, 0);
    if (!model) return false;
    const ParticlesDefinition *particles = &model_definition(model)->grains[0].particles;
    if (bench_wants(bench, 25)) {
        bench_pairs(bench, particles, 0.95, "pairs apart", false);
        bench_pairs(bench, particles, 0.75, "pairs near", false);
        bench_pairs(bench, particles, 0.6, "pairs touching", true);
    }
    mrc_model_free(model);
    for (int k = 0; k < (bench->options.quick ? 1 : 3); k++)
        if (bench_wants(bench, sizes[k]) && !bench_bed(bench, sizes[k])) return false;
    return true;
}
