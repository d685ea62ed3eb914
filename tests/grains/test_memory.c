// Memory that runs out while a bed is made, or in its first step, is an error and leaves nothing behind: every
// single allocation fails once.
#include "check.h"

#include "allocations.h"
#include "grains/grains.h"
#include "grains/law.h"
#include "grains/method.h"
#include "grains/packing.h"
#include "walls.h"

static MrcStatus make_and_step(const GrainsDefinition *definition, MrcError *error) {
    static const Material material = {.name = "glass", .density = 2500, .young = 7e10, .poisson = 0.2};
    const Motion rest = motion_at_rest();
    GrainsSetting setting = {.materials = &material,
                             .material_count = 1,
                             .gravity = vec3(0, 0, -9.81),
                             .step = 1e-6,
                             .port = &rest,
                             .walls = &rest};
    Grains *grains;
    Load load;
    MrcStatus status = grains_create(definition, &setting, &grains, error);
    if (status == MRC_OK) status = grains_advance(grains, &rest, &load, error);
    grains_destroy(grains);
    return status;
}

static void check_method(GrainMethod method) {
    WallDefinition wall = {.name = "wall", .shape = box_wall(vec3_zero(), vec3(0.01, 0.01, 0.01))};
    GrainsDefinition definition = {
        .name = "bed",
        .method = method,
        .walls = &wall,
        .wall_count = 1,
        .particles = {.radius = 1e-3, .count = 60, .material = "glass"},
        .packing = {.kind = PACKING_CUBIC},
        .contact = {.stiffness = 1e4, .max_overlap = 0.3, .rolling = ROLLING_SPRING}};
    MrcError error = {0};
    int number = 0;
    assert_int_equal(make_and_step(&definition, &error), MRC_OK); // the OpenMP library has its memory now
    for (;; number++) {
        allocations_refuse(number);
        MrcStatus status = make_and_step(&definition, &error);
        if (allocations_counted() <= number) break; // it was not reached
        assert_int_equal(status, MRC_MEMORY);
    }
    assert_int_equal(make_and_step(&definition, &error), MRC_OK);
#ifndef __SANITIZE_ADDRESS__
    assert_true(number > 20);
#endif
}

static void test_smooth_grains_without_memory(void **state) {
    (void)state;
    check_method(METHOD_SMOOTH);
}

static void test_nonsmooth_grains_without_memory(void **state) {
    (void)state;
    check_method(METHOD_NONSMOOTH);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_smooth_grains_without_memory),
        cmocka_unit_test(test_nonsmooth_grains_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
