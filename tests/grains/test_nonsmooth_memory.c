// Steps of rigid grains take no memory once they have seen the like: a stretch of a shaken bed, run a second
// time from the same state, asks for none, whatever solver it has, neighbour lists and fallbacks included.
#include "check.h"

#include <math.h>

#include "allocations.h"
#include "base/threads.h"
#include "contact/solver.h"
#include "grains/engine.h"
#include "grains/method.h"
#include "grains/packing.h"
#include "grains/world.h"
#include "walls.h"

enum { GRAINS = 40, FIRST = 200, STEPS = 60 };
static const double h = 2e-4, amplitude = 2e-3, frequency = 18; // [s], [m], [Hz]

typedef struct Shaken {
    World *world;
    Grains *grains;
    const double *mobility; // of the port; NULL: it moves as it is told
    int64_t steps;          // made so far
} Shaken;

static void shake(Shaken *s, int64_t steps) {
    MrcError error = {0};
    for (int64_t n = 0; n < steps; n++, s->steps++) {
        Load impulse;
        Motion port = motion_at_rest();
        double t = h * (double)s->steps, omega = 2 * M_PI * frequency;
        port.position.z = amplitude * sin(omega * t);
        port.velocity.z = amplitude * (sin(omega * (t + h)) - sin(omega * t)) / h;
        if (world_advance(s->world, h, &port, s->mobility, &impulse, NULL, &error))
            fail_msg("%s", error.text);
    }
}

static void check_no_allocation(GrainMethod of_grains, ContactMethod method, int64_t iterations,
                                double rolling, const double *mobility) {
    MrcError error = {0};
    Material lead = {.name = "lead", .density = 11344, .friction = 0.4, .rolling_friction = rolling};
    WallDefinition wall = {.name = "wall", .shape = cylinder_wall(vec3_zero(), vec3(0, 0, 1), 0.0055, 0.02)};
    GrainsDefinition definition = {
        .name = "bed",
        .method = of_grains,
        .walls = &wall,
        .wall_count = 1,
        .particles = {.radius = 1e-3, .count = GRAINS, .material = "lead"},
        .packing = {.kind = PACKING_CUBIC, .gap = 1e-4},
        .contact = {.solver = {.method = method, .tolerance = 1e-5, .iterations = iterations}}};
    Motion port = motion_at_rest();
    GrainsSetting setting = {.materials = &lead,
                             .material_count = 1,
                             .gravity = vec3(1, 0.5, -9.7),
                             .step = h,
                             .port = &port,
                             .walls = &port};
    int wall_ports[1] = {0};
    Shaken s = {.mobility = mobility};
    if (grains_create(&definition, &setting, &s.grains, &error)) fail_msg("%s", error.text);
    WorldBed bed = {s.grains, wall_ports};
    assert_int_equal(world_create(&bed, 1, 1, h, setting.gravity, &s.world, &error), MRC_OK);
    shake(&s, FIRST);
    assert_int_equal(world_save(s.world, &error), MRC_OK);
    int64_t builds = s.grains->neighbours.builds, start = s.steps;
    WorldCounts before = world_counts(s.world);
    shake(&s, STEPS);
    assert_int_equal(world_restore(s.world, &error), MRC_OK);
    s.steps = start;
    allocations_count();
    shake(&s, STEPS);
    assert_int_equal(allocations_counted(), 0);
    WorldCounts now = world_counts(s.world);
    assert_true(s.grains->neighbours.builds > builds);
    assert_true(now.contacts - before.contacts > STEPS * GRAINS);
    assert_true(now.iterations - before.iterations > 2 * STEPS);
    assert_true(method != CONTACT_AUTO || now.fallbacks > before.fallbacks);
    world_destroy(s.world);
    grains_destroy(s.grains);
}

static void test_nsgs(void **state) {
    (void)state;
    check_no_allocation(METHOD_NONSMOOTH, CONTACT_NSGS, 0, 0, NULL);
    check_no_allocation(METHOD_NONSMOOTH, CONTACT_NSGS, 0, 0.05, NULL);
}

static void test_apgd(void **state) {
    (void)state;
    check_no_allocation(METHOD_NONSMOOTH, CONTACT_APGD, 0, 0, NULL);
}

static void test_interior(void **state) {
    (void)state;
    check_no_allocation(METHOD_NONSMOOTH, CONTACT_INTERIOR, 0, 0, NULL);
    check_no_allocation(METHOD_NONSMOOTH, CONTACT_INTERIOR, 9, 0,
                        NULL); // stopped halfway: Newton's method goes on
}

// So few sweeps that the interior point method comes into it.
static void test_auto(void **state) {
    (void)state;
    check_no_allocation(METHOD_NONSMOOTH, CONTACT_AUTO, 30, 0, NULL);
}

static void test_nscd(void **state) {
    (void)state;
    check_no_allocation(METHOD_NSCD, CONTACT_NSGS, 2000, 0, NULL);
}

// A container that the grains push: one group that many of them touch.
static void test_pushed_container(void **state) {
    (void)state;
    double mobility[36] = {0};
    for (int k = 0; k < 6; k++) mobility[7 * k] = k < 3 ? 1 / 0.2 : 1 / 1e-4;
    check_no_allocation(METHOD_NONSMOOTH, CONTACT_NSGS, 0, 0, mobility);
    check_no_allocation(METHOD_NONSMOOTH, CONTACT_INTERIOR, 0, 0, mobility);
}

int main(void) {
    threads_set(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nsgs), cmocka_unit_test(test_apgd), cmocka_unit_test(test_interior),
        cmocka_unit_test(test_auto), cmocka_unit_test(test_nscd), cmocka_unit_test(test_pushed_container),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
