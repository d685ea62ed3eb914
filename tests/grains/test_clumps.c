// Rigid clumps in motion: a box of two boxes moves as the box does, a clump of one sphere as the sphere; dumbbells at rest, on
// inclines and tumbling; hooks; a settled bed; restart.
#include "bodies.h"

#include "base/archive.h"
#include "check_math.h"
#include "grains/nonsmooth.h"

static const double g = 9.81;
static const int methods[] = {METHOD_NONSMOOTH, METHOD_NSCD};

// ---- the same body in other words ----------------------------------------------------------------
// Thrown into a room, it tumbles, bounces off floor and walls, slides and comes to lie.
static void check_same_motion(BodyBed *one, BodyBed *other, int steps, double tolerance) {
    BodyBed *both[] = {one, other};
    for (int k = 0; k < 2; k++) {
        both[k]->bed.walls[0].shape = box_wall(vec3(0, 0, 0.5), vec3(0.8, 0.8, 1));
        // Contact dynamics decides by the sign of a gap, which may be rounding, whether a contact bounces; and of a face that
        // slides and turns on a wall it has more than one solution.
        bool plain = both[k]->bed.definition.method == METHOD_NSCD;
        both[k]->bed.definition.contact.solver.tolerance = 1e-13;
        bed_set_coefficients(&both[k]->bed, plain ? 0 : 0.4, plain ? 0 : 0.3, 0);
        bed_create(&both[k]->bed);
        bed_place_turned(&both[k]->bed, 0, vec3(0, 0, 0.5), vec3(1.3, 0.4, 0.5), vec3(2, -3, 4),
                         vec3(0.4, 0.5, 0.2));
    }
    double lowest = 1, farthest = 0;
    for (int n = 0; n < steps; n++) {
        for (int k = 0; k < 2; k++) bed_advance(&both[k]->bed, 1);
        check_vec3_near(bed_position(&one->bed, 0), bed_position(&other->bed, 0), tolerance);
        check_vec3_near(bed_velocity(&one->bed, 0), bed_velocity(&other->bed, 0), 100 * tolerance);
        check_vec3_near(bed_spin(&one->bed, 0), bed_spin(&other->bed, 0), 1000 * tolerance);
        lowest = fmin(lowest, bed_position(&one->bed, 0).z),
        farthest = fmax(farthest, bed_position(&one->bed, 0).x);
    }
    assert_true(lowest < 0.11 && farthest > 0.25); // it has met the floor and a wall
    bodies_destroy(one), bodies_destroy(other);
}

static void test_a_box_of_two_boxes(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        ClumpPart box = clumps_box(vec3_zero(), vec3(0.2, 0.12, 0.1));
        BodyBed whole, halves;
        bodies_default(&whole, box.shape, 1, methods[m]);
        bodies_of_clumps(&halves,
                         (ClumpPart[]){clumps_box(vec3(-0.05, 0, 0), vec3(0.1, 0.12, 0.1)),
                                       clumps_box(vec3(0.05, 0, 0), vec3(0.1, 0.12, 0.1))},
                         2, 1, methods[m]);
        check_same_motion(&whole, &halves, 1500, 1e-9);
        hull_destroy((Hull *)box.shape.form);
    }
}

static void test_a_clump_of_one_sphere(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        BodyBed sphere, clump;
        bodies_default(&sphere, (Shape){.kind = SHAPE_SPHERE, .radius = 0.1}, 1, methods[m]);
        bodies_of_clumps(&clump, (ClumpPart[]){clumps_sphere(vec3(3, 2, 1), 0.1)}, 1, 1, methods[m]);
        check_same_motion(&sphere, &clump, 1500, 1e-9);
    }
}

// A plank of four boxes slides over another one without friction: seams do not stop it, nor throw it up.
static void test_slides_over_seams(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        ClumpPart parts[4];
        for (int k = 0; k < 4; k++) parts[k] = clumps_box(vec3(0.1 * k - 0.15, 0, 0), vec3(0.1, 0.1, 0.04));
        BodyBed b;
        bodies_of_clumps(&b, parts, 4, 2, methods[m]);
        bed_set_coefficients(&b.bed, 0, 0, 0);
        bed_create(&b.bed);
        bed_place_turned(&b.bed, 0, vec3(0, 0, 0.02), vec3_zero(), vec3_zero(), vec3_zero());
        bed_place_turned(&b.bed, 1, vec3(0.103, 0.01, 0.06), vec3(-0.5, 0.02, 0), vec3_zero(), vec3_zero());
        double highest = 0, lowest = 1;
        for (int n = 0; n < 400; n++) {
            bed_advance(&b.bed, 1);
            size_t upper = bed_position(&b.bed, 0).z > bed_position(&b.bed, 1).z ? 0 : 1;
            check_vec3_near(bed_velocity(&b.bed, upper), vec3(-0.5, 0.02, 0), 1e-6);
            highest = fmax(highest, bed_position(&b.bed, upper).z),
            lowest = fmin(lowest, bed_position(&b.bed, upper).z);
        }
        check_near(highest, 0.06, 1e-6);
        check_near(lowest, 0.06, 1e-6);
        bodies_destroy(&b);
    }
}

// ---- dumbbells -----------------------------------------------------------------------------------
static const double ball = 0.05, half = 0.12; // radius of the two balls, and half of their distance

static void dumbbell(BodyBed *b, int method) {
    bodies_of_clumps(
        b, (ClumpPart[]){clumps_sphere(vec3(-half, 0, 0), ball), clumps_sphere(vec3(half, 0, 0), ball)}, 2, 1,
        method);
}

// Each of the two points carries half of the weight.
static void test_at_rest(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        BodyBed b;
        dumbbell(&b, methods[m]);
        bed_create(&b.bed);
        check_near(b.bed.mass, 2500 * 2 * 4.0 / 3.0 * M_PI * ball * ball * ball, 1e-12);
        bed_place_turned(&b.bed, 0, vec3(0, 0, ball), vec3_zero(), vec3_zero(), vec3(0, 0, 0.3));
        bed_advance(&b.bed, 100);
        const RigidContacts *last = &b.bed.grains->nonsmooth->last;
        assert_int_equal(last->impulses.count, 2);
        assert_true(last->walls.data[0].feature != last->walls.data[1].feature);
        for (int k = 0; k < 2; k++)
            check_near(last->impulses.data[k].linear.z, 0.5 * b.bed.mass * g * b.bed.step,
                       1e-6 * b.bed.mass * g * b.bed.step);
        check_vec3_near(bed_position(&b.bed, 0), vec3(0, 0, ball), 1e-8);
        bodies_destroy(&b);
    }
}

// With its axis along the slope it sticks below the angle of friction, and slides with g (sin - mu cos) above it without
// turning. With its axis across the slope it rolls about that axis alone, by g sin / (1 + I / (m r^2)), I = 2/5 m r^2.
static void test_on_an_incline(void **state) {
    (void)state;
    const double angles[] = {0.2, 0.29, 0.292, 0.5}, friction = 0.3; // atan(0.3) = 0.29146
    for (int k = 0; k < 2 * 2 * 4; k++) {
        double angle = angles[k / 4];
        bool across = k & 1;
        BodyBed b;
        dumbbell(&b, methods[k / 2 & 1]);
        b.bed.gravity = vec3(g * sin(angle), 0, -g * cos(angle));
        bed_set_coefficients(&b.bed, 0, friction, 0);
        bed_create(&b.bed);
        Vec3 turn = vec3(0, 0, across ? M_PI / 2 : 0);
        bed_place_turned(&b.bed, 0, vec3(-5, 0, ball), vec3_zero(), vec3_zero(), turn);
        bed_advance(&b.bed, 300);
        double slide = fmax(0, g * (sin(angle) - friction * cos(angle))), roll = g * sin(angle) / 1.4;
        check_near(bed_velocity(&b.bed, 0).x, 0.3 * (across ? roll : slide), 1e-5 * g);
        check_vec3_near(bed_spin(&b.bed, 0), vec3(0, across ? 0.3 * roll / ball : 0, 0), 1e-4);
        Vec3 axis = quaternion_rotate(bed_orientation(&b.bed, 0), vec3(1, 0, 0));
        check_vec3_near(axis, across ? vec3(0, 1, 0) : vec3(1, 0, 0), 1e-5);
        bodies_destroy(&b);
    }
}

static void test_tumbles(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        BodyBed b; // three different moments of inertia
        bodies_of_clumps(&b,
                         (ClumpPart[]){clumps_sphere(vec3(-half, 0, 0), ball),
                                       clumps_sphere(vec3(half, 0, 0), 0.8 * ball),
                                       clumps_sphere(vec3(0, 0.5 * half, 0), 1.1 * ball)},
                         3, 1, methods[m]);
        b.bed.gravity = vec3_zero();
        bed_create(&b.bed);
        bed_place_turned(&b.bed, 0, vec3(0, 0, 10), vec3_zero(), vec3(0.1, 12, 0.2), vec3_zero());
        Vec3 start = mat3_apply(grain_inertia(b.bed.grains, 0, b.bed.mass), grain_spin(b.bed.grains, 0));
        double energy = bed_measure(&b.bed).kinetic;
        for (int part = 0; part < 100; part++) {
            bed_advance(&b.bed, 100);
            Vec3 now = mat3_apply(grain_inertia(b.bed.grains, 0, b.bed.mass), grain_spin(b.bed.grains, 0));
            check_near(bed_measure(&b.bed).kinetic, energy, 1e-10 * energy);
            check_vec3_near(now, start, 1e-10 * vec3_norm(start));
        }
        bodies_destroy(&b);
    }
}

// ---- hooks ---------------------------------------------------------------------------------------
// Two clamps of three boxes lie in a channel without friction, which gravity pulls along; the second is turned round. The first
// is held by a peg inside its one foot, the second by the other foot of the first. They stay hooked, and the peg carries both.
static void test_hooks_hold(void **state) {
    (void)state;
    for (int m = 0; m < 2; m++) {
        BodyBed b;
        bodies_of_clumps(&b,
                         (ClumpPart[]){clumps_box(vec3_zero(), vec3(0.2, 0.02, 0.04)),
                                       clumps_box(vec3(0.09, -0.025, 0), vec3(0.02, 0.03, 0.04)),
                                       clumps_box(vec3(-0.09, -0.025, 0), vec3(0.02, 0.03, 0.04))},
                         3, 2, methods[m]);
        b.bed.gravity = vec3(5, 0, -8);
        b.bed.walls[1].shape = wall_of_kind("block");
        wall_set_vector(&b.bed.walls[1].shape, "center", vec3(-0.07, 0, 0.02));
        wall_set_vector(&b.bed.walls[1].shape, "size", vec3(0.018, 0.028, 0.04));
        b.bed.walls[1].name = "peg";
        b.bed.definition.wall_count = 2;
        bed_set_coefficients(&b.bed, 0, 0, 0);
        bed_create(&b.bed);
        b.bed.walls[0].shape =
            box_wall(vec3(0, 0, 1), vec3(4, 0.071, 2)); // too narrow for placing them at random
        Vec3 center = b.clump->center;
        bed_place_turned(&b.bed, 0, vec3(0, 0.025 + center.y, 0.02), vec3_zero(), vec3_zero(), vec3_zero());
        bed_place_turned(&b.bed, 1, vec3(0.15, -0.025 - center.y, 0.02), vec3_zero(), vec3_zero(),
                         vec3(0, 0, M_PI));
        bed_advance(&b.bed, 1500);
        size_t second = bed_position(&b.bed, 0).x < bed_position(&b.bed, 1).x ? 1 : 0;
        Vec3 start = bed_position(&b.bed, second);
        bed_advance(&b.bed, 500);
        Vec3 end = bed_position(&b.bed, second), first = bed_position(&b.bed, 1 - second);
        check_near(first.x, 0.001, 1e-3); // the slack between foot and peg
        check_near(end.x - first.x, 0.16, 1e-3);
        check_near(vec3_norm(vec3_sub(end, start)), 0, 1e-5);
        check_near(b.bed.loads[1].force.x, 2 * b.bed.mass * 5, 1e-3 * 2 * b.bed.mass * 5);
        assert_true(bed_measure(&b.bed).overlap < 1e-6);
        bodies_destroy(&b);
    }
}

// ---- beds ----------------------------------------------------------------------------------------
static void rigid_tripods(Bed *bed, SphereOfClump spheres[3], int64_t count) {
    tripods_default(bed, spheres, count, METHOD_NONSMOOTH);
    bed->definition.contact.solver.tolerance = 1e-4;
    bed->step = 5e-4;
    bed_set_coefficients(bed, 0, 0.6, 0);
}

static void test_a_settled_bed_stands(void **state) {
    (void)state;
    enum { count = 100 };
    Bed bed;
    SphereOfClump spheres[3];
    rigid_tripods(&bed, spheres, count);
    bed.definition.packing = (PackingDefinition){.kind = PACKING_SETTLE, .limit = 10, .seed = 1};
    bed_create(&bed);
    Vec3 start[count];
    for (size_t i = 0; i < count; i++) start[grains_view(bed.grains)->id[i]] = bed_position(&bed, i);
    GrainsMeasure m = bed_measure(&bed);
    double radius = bed.definition.particles.radius, weight = g * grains_mass(bed.grains), ways = 0, most = 0,
           top = -1;
    assert_true(m.overlap < 1e-3 * radius);
    bed_advance(&bed, 200);
    for (size_t i = 0; i < count; i++) {
        double way = vec3_norm(vec3_sub(bed_position(&bed, i), start[grains_view(bed.grains)->id[i]]));
        ways += way * way;
        most = fmax(most, way);
        top = fmax(top, bed_position(&bed, i).z);
    }
    // At rest means a mean kinetic energy of 1e-5 m g r (settle.c), one clump may have all of it.
    double speed = sqrt(2 * 1e-5 * g * radius), mean = sqrt(ways / count);
    print_message("ways of clumps in 0.1 s: %.2g of the radius, the largest %.2g\n", mean / radius,
                  most / radius);
    check_near(mean, 0, 0.1 * speed);
    check_near(most, 0, 0.1 * speed * sqrt(count));
    check_near(bed.loads[0].force.z, -weight, 0.05 * weight);
    assert_true(top < -0.15); // at the bottom
    bodies_release(&bed);
}

// Saved in the middle and continued: the same bits.
static void test_restart(void **state) {
    (void)state;
    enum { count = 20 };
    Bed bed;
    MrcError error;
    SphereOfClump spheres[3];
    rigid_tripods(&bed, spheres, count);
    bed.definition.packing.kind = PACKING_CUBIC;
    bed_create(&bed);
    bed_advance(&bed, 400);
    Archive *archive = archive_memory_create();
    assert_non_null(archive);
    archive_memory_save(archive);
    grains_archive(bed.grains, archive);
    assert_int_equal(archive_status(archive, &error), MRC_OK);
    bed_advance(&bed, 200);
    Vec3 places[count];
    for (size_t i = 0; i < count; i++) places[i] = bed_position(&bed, i);
    assert_true(bed.grains->nonsmooth->last.slots.count > 0);
    archive_memory_load(archive);
    grains_archive(bed.grains, archive);
    assert_int_equal(archive_status(archive, &error), MRC_OK);
    bed_advance(&bed, 200);
    for (size_t i = 0; i < count; i++) {
        Vec3 again = bed_position(&bed, i);
        assert_memory_equal(&again, &places[i], sizeof again);
    }
    archive_destroy(archive);
    bodies_release(&bed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_box_of_two_boxes),
        cmocka_unit_test(test_a_clump_of_one_sphere),
        cmocka_unit_test(test_slides_over_seams),
        cmocka_unit_test(test_at_rest),
        cmocka_unit_test(test_on_an_incline),
        cmocka_unit_test(test_tumbles),
        cmocka_unit_test(test_hooks_hold),
        cmocka_unit_test(test_a_settled_bed_stands),
        cmocka_unit_test(test_restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
