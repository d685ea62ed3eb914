// Boxes, cylinders and cones with open sides: against a mesh of what is left of them, from inside, from outside and at
// their rims; closed ones are as before.
#include "check.h"

#include "mesh_of_wall.h"
#include "walls.h"

static void open_boxes(void **state) {
    (void)state;
    static const char *const sides[] = {"top",        "x+", "top bottom", "x- y+ z-", "x- x+ y- y+ z-",
                                        "y- y+ z- z+"};
    for (int k = 0; k < 6; k++) {
        Wall wall = box_wall(vec3(1, 2, 3), vec3(0.4, 0.7, 0.5));
        wall_set_choices(&wall, "open", sides[k]);
        assert_true(wall_is_open(&wall));
        check_against_mesh(&wall, vec3(1, 2, 3), vec3(0.5, 0.6, 0.6), 0.1, 1e-12, 1e-9, false);
        check_normal_is_gradient(&wall, vec3(1, 2, 3), 0.5, 0.1);
        check_near(wall_outside(&wall, vec3(5, 5, 5)), 0, 0);
        check_near(wall_beyond(&wall, vec3(1.5, 2, 3)), 0.3, 1e-15);
        check_near(wall_volume(&wall), 0.14, 1e-15);
    }
}

static void open_rounds(void **state) {
    (void)state;
    static const char *const ends[] = {"start", "top", "start end"};
    const Vec3 center = {1, 2, 3}, axis = vec3_normalize(vec3(1, -2, 0.7));
    for (int k = 0; k < 3; k++)
        for (int cone = 0; cone < 3; cone++) {
            Wall wall = cone == 0   ? cylinder_wall(center, axis, 0.4, 0.7)
                        : cone == 1 ? cone_wall(center, axis, 0.5, 0.2, 0.6)
                                    : cone_wall(center, axis, 0, 0.4, 0.5);
            wall_set_choices(&wall, "open", ends[k]);
            check_against_mesh(&wall, center, vec3(0.7, 0.7, 0.7), 0.1, 1.3e-3, 0.12, false);
            check_normal_is_gradient(&wall, center, 0.6, 0.1);
            check_near(wall_outside(&wall, vec3(5, 5, 5)), 0, 0);
        }
}

static void closed_as_before(void **state) {
    (void)state;
    Wall box = box_wall(vec3_zero(), vec3(2, 2, 2));
    assert_false(wall_is_open(&box));
    assert_false(wall_has_pieces(&box));
    check_near(wall_outside(&box, vec3(1.5, 0, 0)), 0.5, 0);
    char texts[2][1000] = {{0}};
    for (int k = 0; k < 2; k++) {
        if (k) wall_set_choices(&box, "open", "x+");
        FILE *out = fmemopen(texts[k], sizeof texts[k], "w");
        wall_write_identity(&box, out);
        fclose(out);
    }
    assert_string_not_equal(texts[0], texts[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_boxes),
        cmocka_unit_test(open_rounds),
        cmocka_unit_test(closed_as_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
