// Rigid grains that are hit within a step do not run into others that nobody expected them to meet.
#include "check.h"

#include <math.h>

#include "base/threads.h"
#include "grains/engine.h"
#include "grains/method.h"
#include "grains/packing.h"
#include "grains/world.h"
#include "walls.h"

// The largest overlap, over the radius, of a shaken bed; activation 0: the program's own.
static double largest_overlap(double restitution, double h, double activation) {
    MrcError error = {0};
    Material steel = {.name = "steel", .density = 7850, .friction = 0.2, .restitution = restitution};
    WallDefinition wall = {.name = "wall", .shape = cylinder_wall(vec3_zero(), vec3(0, 0, 1), 0.009, 0.025)};
    GrainsDefinition definition = {
        .name = "bed",
        .method = METHOD_NONSMOOTH,
        .walls = &wall,
        .wall_count = 1,
        .particles = {.radius = 1.5e-3, .count = 50, .material = "steel"},
        .packing = {.kind = PACKING_CUBIC, .gap = 2e-4},
        .contact = {.activation = activation, .max_overlap = 1, .solver = {.tolerance = 1e-5}}};
    Motion port = motion_at_rest();
    GrainsSetting setting = {.materials = &steel,
                             .material_count = 1,
                             .gravity = vec3(0.5, 0, -9.8),
                             .step = h,
                             .port = &port,
                             .walls = &port};
    int wall_ports[1] = {0};
    Grains *grains;
    World *world;
    if (grains_create(&definition, &setting, &grains, &error)) fail_msg("%s", error.text);
    WorldBed bed = {grains, wall_ports};
    assert_int_equal(world_create(&bed, 1, 1, h, setting.gravity, &world, &error), MRC_OK);
    const double amplitude = 5e-3, omega = 2 * M_PI * 17;
    for (double t = 0; t < 0.5; t += h) {
        Load impulse;
        port.position.z = amplitude * sin(omega * t);
        port.velocity.z = amplitude * (sin(omega * (t + h)) - sin(omega * t)) / h;
        if (world_advance(world, h, &port, NULL, &impulse, NULL, &error)) fail_msg("%s", error.text);
    }
    double overlap = grains->largest_overlap;
    world_destroy(world);
    grains_destroy(grains);
    return overlap;
}

static void test_steps_and_restitutions(void **state) {
    (void)state;
    const double restitutions[] = {0, 0.4, 0.8}, steps[] = {1e-4, 3e-4};
    for (int k = 0; k < 6; k++) {
        double overlap = largest_overlap(restitutions[k % 3], steps[k / 3], 0);
        if (!(overlap < 5e-3)) fail_msg("e = %g, h = %g s: %g", restitutions[k % 3], steps[k / 3], overlap);
    }
}

// What the model says about it counts: with less than grains make up in a step they do overlap.
static void test_activation_of_the_model(void **state) {
    (void)state;
    assert_true(largest_overlap(0.8, 3e-4, 2e-5) > 0.05);
}

int main(void) {
    threads_set(1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_steps_and_restitutions),
                                       cmocka_unit_test(test_activation_of_the_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
