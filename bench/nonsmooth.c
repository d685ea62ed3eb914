// Rigid grains.
//
// The damper of TIGHT 5.2: 147 lead grains of 1 mm in a cylinder of 10 mm, 8 mm of room above the bed, shaken
// at the first resonance of its beam; CPU time is what counts, so that others on the machine do not. The
// marks are those of the project: 20,000 steps of 0.1 ms in 2 s on one core, and two threads 1.6 times as
// fast as one with 10,000 grains.
//
// Larger beds are let fall from a loose lattice: contacts solved in a second, iterations, and how the time
// grows.
// TIGHT is doi:10.1016/j.mechmachtheory.2020.104181.
#include <math.h>
#include <stdio.h>

#include "base/threads.h"
#include "base/timer.h"
#include "bench/bench.h"
#include "grains/engine.h"
#include "grains/method.h"
#include "grains/packing.h"
#include "grains/world.h"

typedef struct Damper {
    Material material;
    WallDefinition wall;
    GrainsDefinition definition;
    Grains *grains;
    World *world;
    int wall_ports[1];
    WorldBed bed;
    double amplitude, frequency; // along z [m], [Hz]
    double step, time;           // [s]
    Vec3 gravity;                // [m/s^2]
} Damper;

static Motion place(const Damper *d, double t) {
    Motion m = motion_at_rest();
    m.position.z = d->amplitude * sin(2 * M_PI * d->frequency * t);
    return m;
}

static bool damper_create(Damper *d, MrcError *error) {
    Motion port = place(d, 0);
    GrainsSetting setting = {.materials = &d->material,
                             .material_count = 1,
                             .gravity = d->gravity,
                             .step = d->step,
                             .port = &port,
                             .walls = &port};
    d->definition.walls = &d->wall;
    d->bed = (WorldBed){NULL, d->wall_ports};
    if (grains_create(&d->definition, &setting, &d->grains, error) != MRC_OK) return false;
    d->bed.grains = d->grains;
    return world_create(&d->bed, 1, 1, d->step, setting.gravity, &d->world, error) == MRC_OK;
}

static void damper_destroy(Damper *d) {
    world_destroy(d->world);
    grains_destroy(d->grains);
    d->world = NULL, d->grains = NULL;
}

static bool damper_advance(Damper *d, int64_t steps, MrcError *error) {
    for (int64_t n = 0; n < steps; n++) {
        Load impulse;
        Motion from = place(d, d->time), to = place(d, d->time + d->step);
        from.velocity = vec3_scale(1 / d->step, vec3_sub(to.position, from.position));
        if (world_advance(d->world, d->step, &from, NULL, &impulse, NULL, error) != MRC_OK) return false;
        d->time += d->step;
    }
    return true;
}

static bool fail(const Bench *bench, const MrcError *error) {
    bench_note(bench, "failed: %s", error->text);
    return false;
}

static Damper lead(size_t count, double radius, double height) {
    Wall cylinder = wall_of_kind("cylinder");
    wall_set_number(&cylinder, "radius", radius);
    wall_set_number(&cylinder, "height", height);
    return (Damper){.material = {.name = "lead", .density = 11344, .friction = 0.52, .restitution = 0},
                    .wall = {.name = "wall", .shape = cylinder},
                    .definition = {.name = "damper",
                                   .method = METHOD_NONSMOOTH,
                                   .wall_count = 1,
                                   .particles = {.radius = 1e-3, .count = (int64_t)count, .material = "lead"},
                                   .packing = {.kind = PACKING_CUBIC, .gap = 1e-4}},
                    .gravity = {0, 0, -9.81},
                    .step = 1e-4};
}

// ---- the damper ----------------------------------------------------------------------------------
static bool bench_damper(Bench *bench, double tolerance) {
    Damper d = lead(147, 0.01, 0.01184);
    MrcError error;
    int64_t steps = bench->options.quick ? 4000 : 20000, first = 2000;
    d.definition.packing =
        (PackingDefinition){.kind = PACKING_SETTLE, .seed = 1, .shakes = 4, .limit = 10, .cache = true};
    d.definition.contact.solver.tolerance = tolerance;
    d.amplitude = 0.004, d.frequency = 15.5;
    threads_set(1);
    // The first 0.2 s are those of a bed at rest that is thrown up.
    bool good = damper_create(&d, &error) && damper_advance(&d, first, &error);
    WorldCounts before = good ? world_counts(d.world) : (WorldCounts){0};
    double cpu = timer_cpu(), wall = timer_wall();
    good = good && damper_advance(&d, steps, &error);
    cpu = timer_cpu() - cpu, wall = timer_wall() - wall;
    if (good) {
        WorldCounts now = world_counts(d.world);
        double count = (double)(now.solves - before.solves);
        BenchRow row = {.n = 147, .threads = 1, .value = (double)steps / cpu, .unit = "steps/s"};
        snprintf(row.name, sizeof row.name, "damper %.0e", tolerance);
        snprintf(row.peer, sizeof row.peer, "%s", tolerance > 2e-5 ? "mark: 20000 in 2 s" : "");
        row.peer_value = tolerance > 2e-5 ? 10000 : NAN;
        row.ratio = row.value / row.peer_value;
        bench_add(bench, row);
        bench_note(bench,
                   "147 grains, residual %.0e: %lld steps in %.3f s (CPU %.3f s, %.0f %% of it in the "
                   "solver), %.1f contacts, "
                   "%.2f iterations, %lld above the tolerance, worst %.2g",
                   tolerance, (long long)steps, wall, cpu, 100 * (now.seconds - before.seconds) / wall,
                   (double)(now.contacts - before.contacts) / count,
                   (double)(now.iterations - before.iterations) / count,
                   (long long)(now.loose - before.loose), now.worst);
    }
    damper_destroy(&d);
    return good || fail(bench, &error);
}

// ---- settling ------------------------------------------------------------------------------------
enum { SETTLING_STEPS = 20 };

typedef struct Pace { // of a stretch: the best time of each of its steps, and what they solved
    double wall[SETTLING_STEPS], solver[SETTLING_STEPS], contacts, iterations;
} Pace;

static double sum_of(const double *numbers, int count) {
    double sum = 0;
    for (int k = 0; k < count; k++) sum += numbers[k];
    return sum;
}

static bool settle_for(Damper *d, int steps, Pace *pace, MrcError *error) {
    WorldCounts first = world_counts(d->world), before = first;
    for (int n = 0; n < steps; n++) {
        double wall = timer_wall();
        if (!damper_advance(d, 1, error)) return false;
        wall = timer_wall() - wall;
        WorldCounts now = world_counts(d->world);
        if (wall < pace->wall[n]) pace->wall[n] = wall, pace->solver[n] = now.seconds - before.seconds;
        before = now;
    }
    pace->contacts = (double)(before.contacts - first.contacts);
    pace->iterations = (double)(before.iterations - first.iterations);
    return true;
}

static bool bench_settling(Bench *bench, size_t count, double *per_grain) {
    // As high as wide, a third of it full.
    double volume = (double)count * 8.0e-9 * 1.6, radius = cbrt(volume / (2 * M_PI));
    Damper d = lead(count, radius, 2.2 * radius);
    MrcError error;
    Pace pace[2];
    int steps = bench->options.quick ? 5 : count > 50000 ? 5 : SETTLING_STEPS;
    d.definition.contact.solver.tolerance = 1e-4;
    d.step = 2e-4;
    d.gravity = vec3(0.8, 0.5, -9.76); // leaning, so that the columns of the lattice fall over
    threads_set(1);
    bool good = damper_create(&d, &error);
    // Until the lowest half of the bed has landed.
    threads_set(bench->options.threads);
    good = good && damper_advance(&d, bench->options.quick ? 100 : 200, &error);
    // One and several threads in turn, the same steps again and again: others on the machine disturb both
    // alike.
    int threads[2] = {1, bench->options.threads}, turns = bench->options.quick ? 2 : count > 50000 ? 3 : 6;
    for (int n = 0; n < SETTLING_STEPS; n++) pace[0].wall[n] = pace[1].wall[n] = INFINITY;
    good = good && world_save(d.world, &error) == MRC_OK;
    for (int n = 0; n < 2 * turns && good; n++) {
        threads_set(threads[n % 2]);
        good = settle_for(&d, steps, &pace[n % 2], &error) && world_restore(d.world, &error) == MRC_OK;
    }
    for (int k = 0; k < 2 && good; k++) {
        double wall = sum_of(pace[k].wall, steps), solver = sum_of(pace[k].solver, steps);
        BenchRow row = {.name = "settling",
                        .n = (int64_t)count,
                        .threads = threads[k],
                        .value = pace[k].contacts / wall,
                        .unit = "contacts/s",
                        .peer_value = NAN,
                        .ratio = NAN};
        if (k == 1) {
            snprintf(row.peer, sizeof row.peer, "one thread");
            row.peer_value = pace[0].contacts / sum_of(pace[0].wall, steps);
            row.ratio = row.value / row.peer_value;
        }
        bench_add(bench, row);
        bench_note(
            bench,
            "%zu grains, %d threads: %.4f s a step, %.0f contacts, %.1f iterations, %.0f %% in the solver",
            count, threads[k], wall / steps, pace[k].contacts / steps, pace[k].iterations / steps,
            100 * solver / wall);
    }
    *per_grain = sum_of(pace[0].wall, steps) / steps / (double)count;
    damper_destroy(&d);
    return good || fail(bench, &error);
}

bool bench_nonsmooth(Bench *bench) {
    const size_t sizes[] = {1000, 10000, 100000};
    double before = 0, now;
    if (bench_wants(bench, 147) && (!bench_damper(bench, 1e-4) || !bench_damper(bench, 1e-6))) return false;
    for (int k = 0; k < (bench->options.quick ? 2 : 3); k++) {
        if (!bench_wants(bench, (int64_t)sizes[k])) continue;
        if (!bench_settling(bench, sizes[k], &now)) return false;
        if (before > 0)
            bench_note(bench, "growth: time per grain and step %.3g times that of %zu grains", now / before,
                       sizes[k - 1]);
        before = now;
    }
    return true;
}
