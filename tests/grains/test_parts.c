// Grains on walls that close no room, by the smooth and by the rigid methods: they rest, roll over an edge, do not
// pass, and no energy is lost on the way.
#include "bed.h"

#include "grains/method.h"

static const double g = 9.81;

// A grain of 1 mm above the wall, in a room of 200 mm whose floor is at z = -100 mm.
static Bed parts_bed(int method, Wall wall) {
    Bed bed = bed_default();
    wall_set_vector(&bed.walls[0].shape, "size", vec3(0.2, 0.2, 0.2));
    bed.walls[1] = (WallDefinition){.name = "part", .shape = wall};
    bed.definition.wall_count = 2;
    bed.definition.method = method;
    bed.definition.contact.solver.tolerance = 1e-10;
    bed.gravity = vec3(0, 0, -g);
    if (method != METHOD_SMOOTH) bed.step = 1e-4;
    bed_set_coefficients(&bed, method == METHOD_SMOOTH ? 0.2 : 0, 0.5, 0);
    return bed;
}

static Wall block(void) {
    Wall wall = wall_of_kind("block");
    wall_set_vector(&wall, "size", vec3(0.02, 0.03, 0.01));
    wall_set_vector(&wall, "center", vec3(0, 0, -0.005));
    return wall;
}

static void check_rest(int method, Wall wall, Vec3 start, double height) {
    Bed bed = parts_bed(method, wall);
    bed_create(&bed);
    bed_place(&bed, 0, start, vec3_zero(), vec3_zero());
    bed_advance(&bed, (int64_t)(0.15 / bed.step));
    double sag = method == METHOD_SMOOTH ? bed.mass * g / 1e4 : 0;
    check_near(bed_position(&bed, 0).z, height - sag, method == METHOD_SMOOTH ? 1e-8 : 2e-6);
    check_near(vec3_norm(bed_velocity(&bed, 0)), 0, 2e-3); // on a rim it begins to fall, from rounding
    check_near(bed.loads[1].force.z, -bed.mass * g, 1e-4 * bed.mass * g);
    bed_destroy(&bed);
}

// It rolls over the edge, falls and comes to rest beside the wall; energies of the ledger add up.
static void check_over_edge(int method, Wall wall, double floor) {
    Bed bed = parts_bed(method, wall);
    bed_create(&bed);
    bed_place(&bed, 0, vec3(0.005, 0, 0.001), vec3(0.1, 0, 0), vec3(0, 100, 0));
    GrainsMeasure before = bed_measure(&bed);
    bed_advance(&bed, (int64_t)(0.3 / bed.step));
    GrainsMeasure after = bed_measure(&bed);
    Vec3 place = bed_position(&bed, 0);
    assert_true(place.x > 0.01);
    check_near(place.z, floor + 0.001, 1e-5);
    double held = before.kinetic + before.potential + before.elastic;
    double kept = after.kinetic + after.potential + after.elastic;
    double lost = after.impact + after.friction + after.rolling + after.stabilisation + after.algorithm;
    check_near(kept + lost, held + after.work, 2e-3 * bed.mass * g * 0.1);
    bed_destroy(&bed);
}

static void on_a_block(void **state) {
    (void)state;
    const int methods[] = {METHOD_SMOOTH, METHOD_NONSMOOTH, METHOD_NSCD};
    for (int k = 0; k < 3; k++) {
        check_rest(methods[k], block(), vec3(0.002, 0.003, 0.0012), 0.001);
        check_rest(methods[k], block(), vec3(0.01, 0.003, 0.0012), 0.001); // above an edge
        check_over_edge(methods[k], block(), -0.1);
    }
}

// A tray, open at the top and to x+: a grain that rests in it, one on its rim between two grains' widths, one that rolls
// out, one that falls beside it.
static void in_a_tray(void **state) {
    (void)state;
    const int methods[] = {METHOD_SMOOTH, METHOD_NONSMOOTH, METHOD_NSCD};
    for (int k = 0; k < 3; k++) {
        Wall tray = box_wall(vec3(0, 0, 0.005), vec3(0.02, 0.03, 0.01));
        wall_set_choices(&tray, "open", "top x+");
        check_rest(methods[k], tray, vec3(-0.008, 0.003, 0.0012), 0.001);
        check_rest(methods[k], tray, vec3(0, 0.015, 0.0112), 0.011);      // on the rim of the side y+
        check_rest(methods[k], tray, vec3(-0.009, 0.014, 0.0012), 0.001); // in a corner
        check_over_edge(methods[k], tray, -0.1);
        Wall cup = cylinder_wall(vec3(0, 0, 0.005), vec3(0, 0, 1), 0.01, 0.01);
        wall_set_choices(&cup, "open", "top");
        check_rest(methods[k], cup, vec3(0.002, 0.003, 0.0012), 0.001);
        check_rest(methods[k], cup, vec3(0.009, 0, 0.0012), 0.001); // at the side
        check_rest(methods[k], cup, vec3(0.01, 0, 0.0112), 0.011);  // on the rim
    }
}

// On a plate, thin and thick, on a rod that lies, on a bar of a ring and between the turns of a standing screw.
static void on_other_parts(void **state) {
    (void)state;
    const int methods[] = {METHOD_SMOOTH, METHOD_NONSMOOTH, METHOD_NSCD};
    for (int k = 0; k < 3; k++) {
        for (int thick = 0; thick < 2; thick++) {
            Wall plate = wall_of_kind("plate");
            wall_set_pair(&plate, "size", 0.02, 0.03);
            wall_set_vector(&plate, "along", vec3(1, 0, 0));
            wall_set_number(&plate, "thickness", 0.002 * thick);
            wall_set_vector(&plate, "center", vec3(0, 0, -0.001 * thick));
            check_rest(methods[k], plate, vec3(0.002, 0.003, 0.0012), 0.001);
            check_over_edge(methods[k], plate, -0.1);
        }
        Wall rod = wall_of_kind("rod");
        wall_set_number(&rod, "radius", 0.005);
        wall_set_number(&rod, "length", 0.02);
        wall_set_vector(&rod, "axis", vec3(0, 1, 0));
        wall_set_vector(&rod, "center", vec3(0, 0, -0.005));
        check_rest(methods[k], rod, vec3(0, 0.003, 0.0012), 0.001);
        Wall screw = wall_of_kind("screw");
        wall_set_number(&screw, "inner", 0.003);
        wall_set_number(&screw, "outer", 0.012);
        wall_set_number(&screw, "pitch", 1e-9); // as good as flat
        wall_set_number(&screw, "length", 1e-9);
        check_rest(methods[k], screw, vec3(0.007, 0.001, 0.0012), 0.001);
    }
}

// A grain at rest on a belt of speed v is pulled by mu g until it rolls with the belt: it ends with the speed 2/7 v if it may
// roll (it slips until then), with v if it may not turn. Until then friction takes what the belt gives less what the
// grain has: belts = mu m g v t, kinetic = 1/2 m (2/7 v)^2 + spin.
static void on_a_belt(void **state) {
    (void)state;
    const int methods[] = {METHOD_SMOOTH, METHOD_NONSMOOTH, METHOD_NSCD};
    const double v = 0.2, mu = 0.3;
    for (int k = 0; k < 3; k++) {
        Wall plate = wall_of_kind("plate");
        wall_set_pair(&plate, "size", 0.15, 0.05);
        wall_set_vector(&plate, "along", vec3(1, 0, 0));
        Bed bed = parts_bed(methods[k], plate);
        bed.walls[1].surface_velocity = vec3(v, 0, 5); // its part across the plate does not count
        bed_set_coefficients(&bed, methods[k] == METHOD_SMOOTH ? 0.2 : 0, mu, 0);
        bed.definition.contact.law = CONTACT_COULOMB;
        if (methods[k] == METHOD_SMOOTH) bed.definition.contact.tangential = TANGENTIAL_DIRECTIONAL;
        bed_create(&bed);
        bed_place(&bed, 0, vec3(-0.06, 0, 0.001 - 1e-6 * (methods[k] == METHOD_SMOOTH)), vec3_zero(),
                  vec3_zero());
        GrainsMeasure before = bed_measure(&bed);
        bed_advance(&bed, (int64_t)(0.2 / bed.step));
        GrainsMeasure after = bed_measure(&bed);
        double slip = 2.0 / 7 * v / (mu * g); // until it rolls
        check_near(bed_velocity(&bed, 0).x, 2.0 / 7 * v, 2e-3 * v);
        check_near(bed_spin(&bed, 0).y, -5.0 / 7 * v / 1e-3, 5e-3 * v / 1e-3);
        check_near(after.belts, mu * bed.mass * g * v * slip, 0.02 * bed.mass * v * v);
        double held = before.kinetic + before.potential + before.elastic;
        double kept = after.kinetic + after.potential + after.elastic;
        double lost = after.impact + after.friction + after.rolling + after.stabilisation + after.algorithm;
        check_near(kept + lost, held + after.work + after.belts, 2e-3 * bed.mass * v * v);
        check_near(after.work, 0, 1e-9 * bed.mass * v * v);
        bed_destroy(&bed);
    }
}

// Grains are placed in the room with open sides, not around it, and stay there; through its open floor they leave.
static void open_rooms_are_filled(void **state) {
    (void)state;
    for (int leak = 0; leak < 2; leak++) {
        Wall cup = cylinder_wall(vec3(0, 0, 0), vec3(0, 0, 1), 0.008, 0.03);
        wall_set_choices(&cup, "open", leak ? "top bottom" : "top");
        Bed bed = parts_bed(METHOD_SMOOTH, cup);
        bed.definition.particles.count = 60;
        bed_create(&bed);
        for (size_t i = 0; i < 60; i++) {
            Vec3 p = bed_position(&bed, i);
            assert_true(hypot(p.x, p.y) < 0.0070001 && fabs(p.z) < 0.015);
        }
        bed_advance(&bed, (int64_t)(0.12 / bed.step));
        int outside = 0;
        for (size_t i = 0; i < 60; i++) outside += bed_position(&bed, i).z < -0.015;
        if (leak) assert_true(outside > 50);
        else assert_int_equal(outside, 0);
        bed_destroy(&bed);
    }
}

// A heap of grains thrown down on it: none gets in.
static void none_passes(void **state) {
    (void)state;
    const int methods[] = {METHOD_SMOOTH, METHOD_NONSMOOTH, METHOD_NSCD};
    for (int k = 0; k < 3; k++) {
        Bed bed = parts_bed(methods[k], block());
        bed.definition.particles.count = 100;
        bed.definition.particles.velocity = vec3(0, 0, -2);
        wall_set_vector(&bed.walls[0].shape, "size", vec3(0.03, 0.04, 0.05));
        bed_create(&bed);
        bed_advance(&bed, (int64_t)(0.02 / bed.step)); // lost grains end it with an error
        MrcError error;
        assert_int_equal(grains_check_lost(bed.grains, bed.motions, &error), MRC_OK);
        bed_destroy(&bed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_a_block),
        cmocka_unit_test(in_a_tray),
        cmocka_unit_test(on_other_parts),
        cmocka_unit_test(on_a_belt),
        cmocka_unit_test(open_rooms_are_filled),
        cmocka_unit_test(none_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
