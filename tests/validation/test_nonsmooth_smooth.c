// Rigid grains against stiff springs: the same shaken bed by the nonsmooth method, with both of its laws of
// friction, by contact dynamics (nscd), and by the smooth method. Ten beds each that begin differently; what is compared are means over
// periods: the work that the shaker does in a period, the height of the centre of mass over the floor, and
// the load on the container (mean, which is the weight, and root mean square of means over 2 ms).
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "grains/grains.h"
#include "grains/law.h"
#include "grains/method.h"
#include "grains/packing.h"
#include "grains/time_steps.h"
#include "math/frame.h"
#include "walls.h"

enum { BEDS = 10, PERIODS = 8, SKIPPED = 3, GRAINS = 90, FIGURES = 4 };
static const double frequency = 13, amplitude = 0.005, g = 9.81, radius = 0.002, span = 0.018,
                    room_height = 0.045;
static const char *const figures[FIGURES] = {"work per period [J]", "height of the centre [m]",
                                             "mean load [N]", "r.m.s. load [N]"};

// The relaxed law is another law: by as much of a figure may it differ besides.
static const double relaxed_off = 0.1;

typedef struct Outcome {
    double figure[FIGURES];
} Outcome;

static double place(double t) { return amplitude * sin(2 * M_PI * frequency * t); }

static Motion motion_at(double t, double step, bool rigid) {
    Motion m = motion_at_rest();
    double omega = 2 * M_PI * frequency;
    m.position.z = place(t);
    m.velocity.z = rigid ? (place(t + step) - place(t)) / step : amplitude * omega * cos(omega * t);
    m.acceleration.z = -amplitude * omega * omega * sin(omega * t);
    return m;
}

static Outcome shake(GrainMethod method, ContactLaw law, int64_t seed) {
    Material material = {
        .name = "steel", .density = 7800, .young = 2e9, .poisson = 0.3, .friction = 0.35, .restitution = 0.1};
    WallDefinition wall = {.name = "wall", .shape = box_wall(vec3_zero(), vec3(span, span, room_height))};
    GrainsDefinition d = {.name = "bed",
                          .method = method,
                          .walls = &wall,
                          .wall_count = 1,
                          .particles = {.radius = radius, .count = GRAINS, .material = "steel"},
                          .packing = {.kind = PACKING_RANDOM, .seed = seed},
                          .contact = {.tangential = TANGENTIAL_ELASTIC,
                                      .stiffness = 3e5,
                                      .impact_speed = 0.5,
                                      .tangential_ratio = 2.0 / 7.0,
                                      .max_overlap = 0.3,
                                      .law = law,
                                      .solver = {.method = CONTACT_NSGS, .tolerance = 1e-4}}};
    Motion start = motion_at(0, 1, false);
    GrainsSetting setting = {.materials = &material,
                             .material_count = 1,
                             .gravity = {0, 0, -g},
                             .step = 1e-4,
                             .port = &start,
                             .walls = &start};
    GrainsSteps steps;
    bool rigid = method != METHOD_SMOOTH;
    MrcError error = {0};
    Grains *grains;
    if (!rigid) {
        assert_true(time_steps_of_bed(&d, &setting, &steps));
        setting.step = steps.suggested;
    }
    if (grains_create(&d, &setting, &grains, &error)) fail_msg("%s", error.text);
    double h = setting.step, period = 1 / frequency, work = 0, squares = 0, load = 0, height = 0, window = 0;
    int64_t total = (int64_t)(PERIODS * period / h), first = (int64_t)(SKIPPED * period / h), windows = 0;
    int64_t wide = (int64_t)(2e-3 / h), looks = 0;
    for (int64_t n = 0; n < total; n++) {
        Motion m = motion_at((double)n * h, h, rigid);
        Load l;
        if (n == first) {
            GrainsMeasure measure;
            if (grains_measure(grains, &m, &m, &measure, &error)) fail_msg("%s", error.text);
            work = measure.work;
        }
        if (grains_advance(grains, &m, &l, &error)) fail_msg("%s", error.text);
        if (n < first) continue;
        load += l.force.z;
        window += l.force.z;
        if ((n - first) % wide == wide - 1) {
            GrainsMeasure measure;
            Motion now = motion_at((double)(n + 1) * h, h, rigid);
            squares += window * window / (double)(wide * wide);
            windows++, window = 0;
            if (grains_measure(grains, &now, &now, &measure, &error)) fail_msg("%s", error.text);
            height += measure.center.z - now.position.z + 0.5 * room_height;
            looks++;
        }
    }
    Motion end = motion_at((double)total * h, h, rigid);
    GrainsMeasure measure;
    if (grains_measure(grains, &end, &end, &measure, &error)) fail_msg("%s", error.text);
    Outcome o = {{(measure.work - work) / (PERIODS - SKIPPED), height / (double)looks,
                  load / (double)(total - first), sqrt(squares / (double)windows)}};
    grains_destroy(grains);
    return o;
}

typedef struct Statistics {
    double mean[FIGURES], spread[FIGURES];
} Statistics;

static Statistics statistics(GrainMethod method, ContactLaw law) {
    Outcome all[BEDS];
    Statistics s = {0};
    for (int b = 0; b < BEDS; b++) all[b] = shake(method, law, 100 + b);
    for (int f = 0; f < FIGURES; f++) {
        for (int b = 0; b < BEDS; b++) s.mean[f] += all[b].figure[f] / BEDS;
        for (int b = 0; b < BEDS; b++) s.spread[f] += pow(all[b].figure[f] - s.mean[f], 2) / (BEDS - 1);
        s.spread[f] = sqrt(s.spread[f]);
    }
    return s;
}

static void test_rigid_and_stiff(void **state) {
    (void)state;
    Statistics soft = statistics(METHOD_SMOOTH, CONTACT_RELAXED);
    Statistics relaxed = statistics(METHOD_NONSMOOTH, CONTACT_RELAXED);
    Statistics coulomb = statistics(METHOD_NONSMOOTH, CONTACT_COULOMB);
    Statistics dynamics = statistics(METHOD_NSCD, CONTACT_COULOMB);
    printf("%-28s %22s %22s %22s %22s\n", "mean and deviation", "smooth", "relaxed", "Coulomb", "nscd");
    for (int f = 0; f < FIGURES; f++)
        printf("%-28s %12.5g +- %7.2g %12.5g +- %7.2g %12.5g +- %7.2g %12.5g +- %7.2g\n", figures[f],
               soft.mean[f], soft.spread[f], relaxed.mean[f], relaxed.spread[f], coulomb.mean[f],
               coulomb.spread[f], dynamics.mean[f], dynamics.spread[f]);
    fflush(stdout);
    for (int f = 0; f < FIGURES; f++) {
        check_near(relaxed.mean[f], soft.mean[f],
                   soft.spread[f] + relaxed.spread[f] + relaxed_off * fabs(soft.mean[f]));
        check_near(coulomb.mean[f], soft.mean[f], soft.spread[f] + coulomb.spread[f]);
        check_near(dynamics.mean[f], coulomb.mean[f], coulomb.spread[f] + dynamics.spread[f]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rigid_and_stiff)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
