// The mechanism by itself: the cantilever of R. Zhang et al., Mech. Mach. Theory (2020) 104181,
// doi:10.1016/j.mechmachtheory.2020.104181, Table 3, with its container and the mass of the grains at the
// end, shaken near its first frequency by a force that comes in through the port as grains' would. Steps of
// 0.1 ms, one thread.
//
// How its cost grows is compared with the ten elements of the paper, measured in between in the same run: the
// peer's value is what linear growth from there would be, the ratio 1 or more if the cost grows no faster
// than linearly.
#include <math.h>
#include <stdio.h>

#include "base/timer.h"
#include "bench/bench.h"
#include "mechanism/mechanism.h"

static const double step = 1e-4; // [s]

typedef struct Rig {
    BeamDefinition beam;
    BodyDefinition container;
    JointDefinition clamp;
    MechanismDefinition definition;
    Mechanism *mechanism;
    int port;
    int64_t steps; // so far
} Rig;

static bool fail(const Bench *bench, const MrcError *error) {
    bench_note(bench, "failed: %s", error->text);
    return false;
}

static bool rig_create(Rig *rig, int64_t elements, const Bench *bench) {
    static const Material steel = {.name = "steel", .density = 7845, .young = 210e9, .poisson = 0.33};
    MechanismSetting setting = {.materials = &steel, .material_count = 1, .gravity = vec3(0, -9.81, 0)};
    *rig = (Rig){
        .beam = {.name = "beam",
                 .to = vec3(0.25, 0, 0),
                 .elements = elements,
                 .section = {.kind = SECTION_RECTANGLE, .width = 0.03, .height = 0.002},
                 .material = "steel"},
        .container = {.name = "container",
                      .node = "beam.end",
                      .mass = 0.0485 + 0.007,
                      .inertia = {2.66e-6, 4.85e-6, 2.66e-6}},
        .clamp = {.name = "wall", .kind = JOINT_CLAMP, .nodes = {"beam.start"}},
    };
    rig->definition = (MechanismDefinition){
        .integrator = {.rho_inf = 0.6, .tolerance = 1e-6, .iterations = 20},
        .beams = &rig->beam,
        .beam_count = 1,
        .bodies = &rig->container,
        .body_count = 1,
        .joints = &rig->clamp,
        .joint_count = 1,
    };
    MrcError error = {0};
    if (mechanism_create(&rig->definition, &setting, &rig->mechanism, &error) != MRC_OK)
        return fail(bench, &error);
    int node = mechanism_find_node(rig->mechanism, "beam.end");
    Quaternion unturned = {1, 0, 0, 0};
    return mechanism_add_port(rig->mechanism, node, vec3_zero(), unturned, &rig->port, &error) == MRC_OK ||
           fail(bench, &error);
}

static bool rig_run(Rig *rig, int64_t steps, const Bench *bench) {
    MrcError error = {0};
    for (int64_t i = 0; i < steps; i++) {
        double t = step * (double)++rig->steps;
        Load load = {.force = vec3(0, 0.25 * sin(2 * M_PI * 15.5 * t), 0)};
        if (mechanism_begin(rig->mechanism, step, &error) ||
            mechanism_advance(rig->mechanism, &load, &error) || mechanism_commit(rig->mechanism, &error))
            return fail(bench, &error);
    }
    return true;
}

// CPU seconds of `steps` steps; 0: failed.
static double rig_time(Rig *rig, int64_t steps, const Bench *bench) {
    double start = timer_cpu();
    return rig_run(rig, steps, bench) ? timer_cpu() - start : 0;
}

static bool measure(Bench *bench, int64_t elements) {
    Rig rig = {0}, base = {0};
    int64_t steps = (bench->options.quick ? 20000 : 200000) / elements;
    bool done = rig_create(&rig, elements, bench) && rig_create(&base, 10, bench) &&
                rig_run(&rig, 50, bench) && rig_run(&base, 50, bench);
    double time = 0, base_time = 0; // in turns, so that others who use the machine disturb both alike
    for (int i = 0; done && i < 10; i++) {
        double some = rig_time(&rig, steps / 10, bench), base_some = rig_time(&base, steps / 10, bench);
        done = some > 0 && base_some > 0;
        time += some, base_time += base_some;
    }
    if (done) {
        MechanismCounts counts = mechanism_counts(rig.mechanism);
        double timed = (double)(steps / 10 * 10), count = (double)counts.steps;
        bench_note(bench, "%lld elements: %.3g us a step, %.2f iterations a step, %.4f factorizations a step",
                   (long long)elements, 1e6 * time / timed, (double)counts.iterations / count,
                   (double)counts.factorizations / count);
        BenchRow row = {.name = "cantilever",
                        .n = elements,
                        .threads = 1,
                        .value = timed / time,
                        .unit = "steps/s",
                        .peer = "linear growth",
                        .peer_value = timed * 10 / (base_time * (double)elements),
                        .ratio = base_time * (double)elements / (10 * time)};
        bench_add(bench, row);
    }
    if (rig.mechanism) mechanism_destroy(rig.mechanism);
    if (base.mechanism) mechanism_destroy(base.mechanism);
    return done;
}

bool bench_mechanism(Bench *bench) {
    static const int64_t sizes[] = {10, 20, 50, 100, 200, 500, 1000, 2000};
    bool done = true;
    for (size_t i = 0; done && i < sizeof sizes / sizeof *sizes; i++)
        if (bench_wants(bench, sizes[i])) done = measure(bench, sizes[i]);
    return done;
}
