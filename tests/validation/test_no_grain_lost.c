// 1e9 particle-steps of violent shaking in each kind of wall lose no grain. A name (or the beginning of one)
// as argument runs only that test: `test_validation_no_grain_lost '*cone'`.
#include "grains/bed.h"

#include "grains/law.h"
#include "grains/rooms.h"

enum { COUNT = 2000, STEPS = 500000 };

// Up to 19 g along x, 12 g along z, and turns of 0.3 rad about a skew axis.
static void shake(Bed *bed) {
    double t = bed->time, a = 2 * M_PI * 40, b = 2 * M_PI * 63, turn = 2 * M_PI * 17;
    Vec3 axis = vec3_normalize(vec3(1, 2, 0.5));
    double angle = 0.3 * sin(turn * t);
    bed->motions[0] =
        (Motion){.position = vec3(0.003 * sin(a * t), 0, 0.00075 * sin(b * t)),
                 .velocity = vec3(0.003 * a * cos(a * t), 0, 0.00075 * b * cos(b * t)),
                 .acceleration = vec3(-0.003 * a * a * sin(a * t), 0, -0.00075 * b * b * sin(b * t)),
                 .orientation = {cos(angle / 2), axis.x * sin(angle / 2), axis.y * sin(angle / 2),
                                 axis.z * sin(angle / 2)},
                 .angular_velocity = vec3_scale(0.3 * turn * cos(turn * t), axis),
                 .angular_acceleration = vec3_scale(-turn * turn * angle, axis)};
}

static void check_room(Room kind) {
    Bed bed = bed_default();
    Wall unit = room(kind, 1);
    double grain = 4.0 / 3.0 * M_PI * 1e-9;
    bed.walls[0].shape = room(kind, cbrt(COUNT * grain / (0.22 * wall_volume(&unit))));
    wall_release(&unit);
    bed.definition.particles.count = COUNT;
    bed.definition.contact.tangential = TANGENTIAL_ELASTIC;
    bed.gravity = vec3(0, 0, -9.81);
    bed_set_coefficients(&bed, 0.9, 0.3, 0);
    shake(&bed);
    bed_create(&bed);
    for (int n = 0; n < STEPS; n++) { // a lost grain or one too deep in a wall ends the run with an error
        bed_advance(&bed, 1);
        shake(&bed);
    }
    MrcError error = {0};
    assert_int_equal(grains_check_lost(bed.grains, bed.motions, &error), MRC_OK);
    for (size_t i = 0; i < COUNT; i++) {
        Vec3 local = motion_to_local(&bed.motions[0], bed_position(&bed, i));
        check_near(wall_outside(&bed.walls[0].shape, local), 0, 0);
    }
    print_message("%s: %d grains, %d steps of %.3g us, largest overlap %.3f\n", room_names[kind], COUNT,
                  STEPS, 1e6 * bed.step, bed_measure(&bed).largest_overlap);
    bed_destroy(&bed);
    wall_release(&bed.walls[0].shape);
}

#define ROOM_TEST(name, kind)                                                                                \
    static void test_##name(void **state) {                                                                  \
        (void)state;                                                                                         \
        check_room(kind);                                                                                    \
    }
ROOM_TEST(box, BOX)
ROOM_TEST(cylinder, CYLINDER)
ROOM_TEST(capsule, CAPSULE)
ROOM_TEST(cone, CONE)
ROOM_TEST(sphere, SPHERE)
ROOM_TEST(mesh_of_a_box, MESH_BOX)
ROOM_TEST(mesh_of_a_cylinder, MESH_TUBE)

int main(int count, char **words) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box),
        cmocka_unit_test(test_cylinder),
        cmocka_unit_test(test_capsule),
        cmocka_unit_test(test_cone),
        cmocka_unit_test(test_sphere),
        cmocka_unit_test(test_mesh_of_a_box),
        cmocka_unit_test(test_mesh_of_a_cylinder),
    };
    if (count > 1) cmocka_set_test_filter(words[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
