// The disc and the ring: gaps and normals in closed form, from both sides, beyond the rim and in the hole; a grain
// that rests on it, and one that falls through the hole.
#include "check.h"

#include "grains/bed.h"
#include "walls.h"

static Wall make_disc(double radius, double hole, Vec3 center, Vec3 axis) {
    Wall wall = wall_of_kind("disc");
    wall_set_number(&wall, "radius", radius);
    wall_set_number(&wall, "hole", hole);
    wall_set_vector(&wall, "center", center);
    wall_set_vector(&wall, "axis", axis);
    return wall;
}

static void check_contact(const Wall *wall, Vec3 center, double gap, Vec3 normal) {
    const double radius = 0.1;
    WallContact contacts[WALL_CONTACT_MAX];
    assert_int_equal(wall_contacts_of_sphere(wall, center, radius, gap - 1e-9, contacts), 0);
    assert_int_equal(wall_contacts_of_sphere(wall, center, radius, gap + 1e-9, contacts), 1);
    check_near(contacts[0].gap, gap, 1e-14);
    check_near(vec3_norm(vec3_sub(contacts[0].normal, normal)), 0, 1e-14);
    assert_int_equal(contacts[0].feature, 0);
    check_near(wall_distance_bound(wall, center), gap + radius, 1e-14);
    check_near(wall_outside(wall, center), 0, 0);
}

// Along x; the disc across it. Radius 2, hole 0 or 1.
static void gaps_and_normals(void **state) {
    (void)state;
    const double slant = sqrt(0.5);
    for (int ring = 0; ring < 2; ring++) {
        Wall wall = make_disc(2, ring, vec3(5, 6, 7), vec3(1, 0, 0));
        check_contact(&wall, vec3(5.3, 6, 8.5), 0.2, vec3(1, 0, 0));  // on one side,
        check_contact(&wall, vec3(4.7, 7.5, 7), 0.2, vec3(-1, 0, 0)); // and on the other
        check_contact(&wall, vec3(5, 6, 8.5), -0.1, vec3(1, 0, 0));   // in the middle of both
        check_contact(&wall, vec3(5, 9, 7), 0.9, vec3(0, 1, 0));      // beyond the rim
        check_contact(&wall, vec3(5.3, 6, 7 + 2.3), 0.3 / slant - 0.1, vec3(slant, 0, slant));
        check_contact(&wall, vec3(4.7, 6 - 2.3, 7), 0.3 / slant - 0.1, vec3(-slant, -slant, 0));
    }
    Wall disc = make_disc(2, 0, vec3(5, 6, 7), vec3(1, 0, 0)),
         ring = make_disc(2, 1, vec3(5, 6, 7), vec3(1, 0, 0));
    check_contact(&disc, vec3(5.3, 6, 7), 0.2, vec3(1, 0, 0));
    check_contact(&ring, vec3(5, 6.6, 7), 0.3, vec3(0, -1, 0)); // in the hole, from its rim inwards
    check_contact(&ring, vec3(5.4, 6, 7.6), 0.4 / slant - 0.1, vec3(slant, 0, -slant));
    check_contact(&ring, vec3(4.6, 6, 7), hypot(0.4, 1) - 0.1, vec3(-1, 0, 0)); // on its axis
    Vec3 lower, upper;
    assert_false(wall_bounds(&disc, &lower, &upper));
    assert_true(isinf(wall_volume(&disc)));
}

// The normal is the gradient of the gap, wherever it has one.
static void normal_is_gradient_of_gap(void **state) {
    (void)state;
    const double h = 1e-6;
    Wall wall = make_disc(0.4, 0.15, vec3(0.1, 0.2, 0.3), vec3_normalize(vec3(1, -2, 0.7)));
    for (int k = 0; k < 300; k++) {
        Vec3 center = vec3(0.1 + 0.6 * sin(3 * k), 0.2 + 0.6 * sin(5 * k + 1), 0.3 + 0.6 * sin(7 * k + 2));
        WallContact here[WALL_CONTACT_MAX], before[WALL_CONTACT_MAX], after[WALL_CONTACT_MAX];
        assert_int_equal(wall_contacts_of_sphere(&wall, center, 0.01, 10, here), 1);
        for (int axis = 0; axis < 3; axis++) {
            Vec3 step = vec3_zero();
            vec3_set_component(&step, axis, h);
            wall_contacts_of_sphere(&wall, vec3_sub(center, step), 0.01, 10, before);
            wall_contacts_of_sphere(&wall, vec3_add(center, step), 0.01, 10, after);
            check_near((after[0].gap - before[0].gap) / (2 * h), vec3_component(here[0].normal, axis), 1e-4);
        }
    }
}

static void surface_is_the_disc(void **state) {
    (void)state;
    for (int ring = 0; ring < 2; ring++) {
        MrcError error;
        Surface surface = {0};
        Wall wall = make_disc(2, ring, vec3(5, 6, 7), vec3(0, 1, 0));
        assert_int_equal(wall_surface(&wall, &surface, &error), MRC_OK);
        double area = 0;
        for (size_t k = 0, start = 0; k < surface.ends.count; start = (size_t)surface.ends.data[k++]) {
            Vec3 sum = vec3_zero(), first = surface.points.data[surface.corners.data[start]];
            for (size_t c = start + 1; c + 1 < (size_t)surface.ends.data[k]; c++)
                sum = vec3_add(sum,
                               vec3_cross(vec3_sub(surface.points.data[surface.corners.data[c]], first),
                                          vec3_sub(surface.points.data[surface.corners.data[c + 1]], first)));
            area += vec3_norm(sum) / 2;
            check_near(fabs(sum.y), vec3_norm(sum), 1e-12);
        }
        check_near(area / (M_PI * (4 - ring)), 1, 0.002);
        surface_free(&surface);
    }
}

// A box of 20 mm with a ring across it. A grain that is dropped beside the hole comes to rest on the ring, one above
// the hole on the floor; dissipation by the damping of the contacts.
static void grains_rest_on_it_or_fall_through(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        Bed bed = bed_default();
        bed.walls[1] =
            (WallDefinition){.name = "ring", .shape = make_disc(0.012, 0.003, vec3_zero(), vec3(0, 0, 1))};
        bed.definition.wall_count = 2;
        bed.gravity = vec3(0, 0, -9.81);
        bed_set_coefficients(&bed, 0.2, 0, 0);
        bed_create(&bed);
        bed_place(&bed, 0, vec3(k == 0 ? 0.006 : 0, 0, 0.002), vec3_zero(), vec3_zero());
        bed_advance(&bed, (int64_t)(0.2 / bed.step));
        double sag = bed.mass * 9.81 / 1e4;
        check_near(bed_position(&bed, 0).z, (k == 0 ? 0.001 : -0.009) - sag, 1e-8);
        check_near(bed.loads[k == 0].force.z, -bed.mass * 9.81, 1e-6 * bed.mass * 9.81);
        bed_destroy(&bed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_and_normals),
        cmocka_unit_test(normal_is_gradient_of_gap),
        cmocka_unit_test(surface_is_the_disc),
        cmocka_unit_test(grains_rest_on_it_or_fall_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
