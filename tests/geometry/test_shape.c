// Shapes of grains: what every row of the table must satisfy, and spheres.
#include "check.h"

#include "check_math.h"
#include "geometry/shape.h"

static Wall box_of(double size) {
    Wall box = wall_of_kind("box");
    wall_set_vector(&box, "size", vec3(size, size, size));
    return box;
}

static Pose pose_at(Vec3 position) {
    return (Pose){position, quaternion_from_rotation_vector(vec3(0.3, -0.2, 0.5))};
}

static void test_volume_and_inertia_of_a_sphere(void **state) {
    (void)state;
    const Shape sphere = {.kind = SHAPE_SPHERE, .radius = 0.02};
    check_near(shape_volume(&sphere), 3.351032163829113e-05, 1e-19);
    Mat3 inertia = shape_inertia(&sphere, 3);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) check_near(inertia.m[a][b], a == b ? 0.4 * 3 * 4e-4 : 0, 1e-18);
    assert_true(shape_is_round(&sphere));
}

// Gap, normal and point of two spheres; the other way round the normal is turned and the point stays.
static void test_pairs_of_spheres(void **state) {
    (void)state;
    const Shape a = {.kind = SHAPE_SPHERE, .radius = 0.02}, b = {.kind = SHAPE_SPHERE, .radius = 0.01};
    const Pose here = pose_at(vec3(0.1, 0, 0)), there = pose_at(vec3(0.1, 0, 0.028));
    ShapeContact first, second;
    assert_int_equal(shape_pair_contacts(&a, &here, &b, &there, -0.0021, &first), 0);
    assert_int_equal(shape_pair_contacts(&a, &here, &b, &there, 0, &first), 1);
    assert_int_equal(shape_pair_contacts(&b, &there, &a, &here, 0, &second), 1);
    check_near(first.gap, -0.002, 1e-16);
    check_near(second.gap, -0.002, 1e-16);
    check_near(first.normal.z, -1, 1e-15);
    check_near(second.normal.z, 1, 1e-15);
    check_near(first.point.z, 0.019, 1e-16);
    check_near(vec3_norm(vec3_sub(first.point, second.point)), 0, 1e-16);
    assert_true(first.feature == second.feature);
    assert_int_equal(shape_pair_contacts(&a, &here, &b, &here, 0, &first), 1); // one inside the other
    check_near(vec3_norm(first.normal), 1, 1e-15);
}

// In a corner of a box: three contacts, each with its own feature, its point half way to the face.
static void test_sphere_in_a_corner(void **state) {
    (void)state;
    const Shape sphere = {.kind = SHAPE_SPHERE, .radius = 0.02};
    const Pose pose = pose_at(vec3(0.031, 0.031, -0.031));
    Wall box = box_of(0.1);
    ShapeContact contacts[SHAPE_CONTACT_MAX];
    assert_int_equal(shape_wall_contacts(&sphere, &pose, &box, 0, contacts), 3);
    for (int c = 0; c < 3; c++) {
        check_near(contacts[c].gap, -0.001, 1e-15);
        Vec3 arm = vec3_sub(contacts[c].point, pose.position);
        check_near(vec3_norm(vec3_madd(arm, 0.0195, contacts[c].normal)), 0, 1e-15);
        for (int d = 0; d < c; d++) assert_true(contacts[c].feature != contacts[d].feature);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_volume_and_inertia_of_a_sphere),
        cmocka_unit_test(test_pairs_of_spheres),
        cmocka_unit_test(test_sphere_in_a_corner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
