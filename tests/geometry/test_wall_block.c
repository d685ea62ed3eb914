// The solid block: against a mesh of its surface, from inside, and for boxes that lie on it, over its edge and against
// its side.
#include "check.h"

#include "mesh_of_wall.h"
#include "pairs.h"
#include "walls.h"

static Wall make_block(Vec3 size, Vec3 center, Vec3 axis, double angle) {
    Wall wall = wall_of_kind("block");
    wall_set_vector(&wall, "size", size);
    wall_set_vector(&wall, "center", center);
    wall_set_vector(&wall, "axis", axis);
    wall_set_number(&wall, "angle", angle);
    return wall;
}

static void contacts_are_those_of_a_mesh(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        Wall wall = make_block(vec3(0.4, 0.7, 0.2), vec3(1, 2, 3), vec3_normalize(vec3(1, k, 2)), 0.7 * k);
        check_against_mesh(&wall, vec3(1, 2, 3), vec3(0.6, 0.6, 0.6), 0.1, 1e-12, 1e-9, true);
        check_normal_is_gradient(&wall, vec3(1, 2, 3), 0.6, 0.1);
        Vec3 lower, upper;
        assert_false(wall_bounds(&wall, &lower, &upper));
        assert_true(isinf(wall_volume(&wall)));
    }
}

// The shortest way out, and it is lost.
static void pushes_out(void **state) {
    (void)state;
    Wall wall = make_block(vec3(2, 4, 6), vec3(1, 1, 1), vec3(0, 0, 1), 0);
    WallContact contacts[WALL_CONTACT_MAX];
    assert_int_equal(wall_contacts_of_sphere(&wall, vec3(1.7, 1.1, 2), 0.1, 0, contacts), 1);
    check_near(contacts[0].gap, -0.4, 1e-15);
    check_near(contacts[0].normal.x, 1, 0);
    check_near(wall_outside(&wall, vec3(1.7, 1.1, 2)), 0.3, 1e-15);
    check_near(wall_outside(&wall, vec3(2.1, 1.1, 2)), 0, 0);
    assert_int_equal(wall_contacts_of_sphere(&wall, vec3(1.1, -0.9, 2), 0.1, 0, contacts), 1);
    check_near(contacts[0].gap, -0.2, 1e-15);
    check_near(contacts[0].normal.y, -1, 0);
}

static PairBody body_at(const Hull *hull, Vec3 center, Vec3 turn) {
    return (PairBody){{.kind = SHAPE_POLYHEDRON, .radius = hull->radius, .form = hull},
                      {center, quaternion_from_rotation_vector(turn)}};
}

static int count_contacts(const PairBody *body, const Wall *wall, double *least, Vec3 *normal) {
    ShapeContact contacts[SHAPE_CONTACT_MAX];
    int count = shape_wall_contacts(&body->shape, &body->pose, wall, 0.01, contacts);
    *least = pairs_least_gap(contacts, count);
    for (int i = 0; i < count; i++) *normal = contacts[i].normal;
    return count;
}

static void bodies_with_faces(void **state) {
    (void)state;
    Hull *hull = pairs_box(0.1, 0.1, 0.1);
    Wall wall = make_block(vec3(2, 2, 1), vec3(0, 0, -0.5), vec3(0, 0, 1), 0); // its top is at z = 0
    double least;
    Vec3 normal = vec3_zero();
    PairBody on = body_at(hull, vec3(0.3, 0.1, 0.0999), vec3(0, 0, 0.4));
    assert_int_equal(count_contacts(&on, &wall, &least, &normal), 4);
    check_near(least, -1e-4, 1e-14);
    check_near(normal.z, 1, 1e-12);
    PairBody over = body_at(hull, vec3(0.98, 0, 0.0999), vec3_zero()); // half of it over the edge
    assert_int_equal(count_contacts(&over, &wall, &least, &normal), 4);
    check_near(least, -1e-4, 1e-14);
    check_near(normal.z, 1, 1e-12);
    PairBody beside = body_at(hull, vec3(1.0999, 0, -0.5), vec3_zero());
    assert_int_equal(count_contacts(&beside, &wall, &least, &normal), 4);
    check_near(least, -1e-4, 1e-14);
    check_near(normal.x, 1, 1e-12);
    PairBody far = body_at(hull, vec3(1.2, 0, 0.2), vec3_zero());
    assert_int_equal(count_contacts(&far, &wall, &least, &normal), 0);
    hull_destroy(hull);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_those_of_a_mesh),
        cmocka_unit_test(pushes_out),
        cmocka_unit_test(bodies_with_faces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
