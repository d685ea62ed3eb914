// Grains with faces by springs: free rotation, rest, friction, impacts, every kind of room, forces that do not jump.
#include "bricks.h"

#include "base/archive.h"
#include "check_math.h"
#include "rooms.h"

static const double g = 9.81;

// Boxes by springs: stiffness 1 MN/m, friction with memory.
static void smooth_default(Bricks *b, Vec3 size, int count) {
    bricks_default(b, size, count);
    b->bed.definition.method = METHOD_SMOOTH;
    b->bed.definition.contact.stiffness = 1e6;
    b->bed.definition.contact.tangential = TANGENTIAL_ELASTIC;
    b->bed.step = 0;
    bed_set_coefficients(&b->bed, 0.3, 0.5, 0);
}

static Vec3 angular_momentum(const Bricks *b, size_t i) {
    return mat3_apply(grain_inertia(b->bed.grains, i, b->bed.mass), grain_spin(b->bed.grains, i));
}

// ---- free rotation -------------------------------------------------------------------------------
// A brick that tumbles about its middle axis, the unstable one, for 1e5 steps.
static void test_a_tumbling_brick(void **state) {
    (void)state;
    Bricks b;
    smooth_default(&b, vec3(0.4, 0.2, 0.1), 1);
    b.bed.gravity = vec3_zero();
    b.bed.step = 1e-3;
    bed_create(&b.bed);
    bed_place(&b.bed, 0, vec3(0, 0, 10), vec3_zero(), vec3(0.1, 12, 0.2));
    Vec3 start = angular_momentum(&b, 0);
    double energy = bed_measure(&b.bed).kinetic, flipped = 0;
    for (int part = 0; part < 1000; part++) {
        bed_advance(&b.bed, 100);
        Vec3 own = quaternion_unrotate(bed_orientation(&b.bed, 0), bed_spin(&b.bed, 0));
        flipped = fmin(flipped, own.y);
        check_near(bed_measure(&b.bed).kinetic, energy, 1e-10 * energy);
        check_vec3_near(angular_momentum(&b, 0), start, 1e-10 * vec3_norm(start));
    }
    assert_true(flipped < -11); // it has turned over, as it must
    bricks_destroy(&b);
}

// About the axis of a square plate, with nutation: the spin's own-axes components turn at (1 - I3/I1) w3. The error falls
// with the square of the step.
static void test_nutation(void **state) {
    (void)state;
    double errors[2];
    for (int k = 0; k < 2; k++) {
        Bricks b;
        smooth_default(&b, vec3(0.2, 0.2, 0.1), 1);
        b.bed.gravity = vec3_zero();
        b.bed.step = k ? 1e-3 : 2e-3;
        bed_create(&b.bed);
        bed_place(&b.bed, 0, vec3(0, 0, 10), vec3_zero(), vec3(0.5, 0, 5));
        double ratio = (0.04 + 0.04) / (0.04 + 0.01), rate = (ratio - 1) * 5;
        bed_advance(&b.bed, k ? 1000 : 500);
        Vec3 own = quaternion_unrotate(bed_orientation(&b.bed, 0), bed_spin(&b.bed, 0));
        errors[k] = vec3_norm(vec3_sub(own, vec3(0.5 * cos(rate), 0.5 * sin(rate), 5)));
        bricks_destroy(&b);
    }
    assert_true(errors[1] < 1e-4);
    check_near(errors[0] / errors[1], 4, 0.2);
}

// ---- at rest -------------------------------------------------------------------------------------
// A cube on the floor: its weight, and the depth m g/k (1 + zeta h sqrt(k/m)) of all four corners.
static void test_a_cube_at_rest(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) { // a room, and the top of a solid block
        Bricks b;
        smooth_default(&b, vec3(0.1, 0.1, 0.1), 1);
        if (k) {
            b.bed.walls[1].shape = wall_of_kind("block");
            wall_set_vector(&b.bed.walls[1].shape, "size", vec3(1, 1, 1));
            wall_set_vector(&b.bed.walls[1].shape, "center", vec3(0, 0, 5));
            b.bed.definition.wall_count = 2;
        }
        bed_create(&b.bed);
        double floor = k ? 5.5 : 0, weight = b.bed.mass * g;
        bricks_place(&b, 0, vec3(0.01, 0.02, floor + 0.05), quaternion_from_rotation_vector(vec3(0, 0, 0.3)));
        bed_advance(&b.bed, 20000);
        double zeta = normal_law_linear.damping(0.3), still = 1 + zeta * b.bed.step * sqrt(1e6 / b.bed.mass);
        double depth = weight / 1e6 * still; // the dashpot acts in the middle of the kick (law_linear.c)
        check_near(b.bed.loads[k].force.z, -weight, 1e-9 * weight);
        check_near(bed_position(&b.bed, 0).z, floor + 0.05 - depth, 1e-9 * depth + 1e-15);
        GrainsMeasure m = bed_measure(&b.bed);
        check_near(m.overlap, depth, 1e-9 * depth + 1e-15);
        check_near(m.elastic, 0.5e6 * depth * depth, 1e-8 * weight * depth);
        check_near(m.kinetic, 0, 1e-16 * weight);
        bricks_destroy(&b);
    }
}

// ---- friction ------------------------------------------------------------------------------------
// On an incline: sticks below the angle of friction, slips above it with g (sin - mu cos).
static void test_sticks_or_slips(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        const double angles[] = {0.2, 0.29, 0.293, 0.5}, friction = 0.3; // atan(0.3) = 0.29146
        Bricks b;
        smooth_default(&b, vec3(0.1, 0.1, 0.1), 1);
        b.bed.gravity = vec3(g * sin(angles[k]), 0, -g * cos(angles[k]));
        bed_set_coefficients(&b.bed, 0.3, friction, 0);
        bed_create(&b.bed);
        bricks_place(&b, 0, vec3(-5, 0, 0.05 - b.bed.mass * g * cos(angles[k]) / 1e6), quaternion_identity());
        int64_t steps = (int64_t)(0.5 / b.bed.step);
        bed_advance(&b.bed, 2 * steps);
        Vec3 start = bed_velocity(&b.bed, 0), place = bed_position(&b.bed, 0);
        bed_advance(&b.bed, steps);
        double slide = (bed_velocity(&b.bed, 0).x - start.x) / ((double)steps * b.bed.step);
        double expected = fmax(0, g * (sin(angles[k]) - friction * cos(angles[k])));
        check_near(slide, expected, 1e-6 * g);
        if (expected == 0) check_vec3_near(bed_position(&b.bed, 0), place, 1e-9);
        check_near(quaternion_to_matrix(bed_orientation(&b.bed, 0)).m[2][2], 1, 1e-6);
        bricks_destroy(&b);
    }
}

// It topples where its centre of mass passes the edge: tan(angle) = width / height.
static void test_topples_where_geometry_says(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        Bricks b;
        double angle = atan(0.1 / 0.3) + (k ? 0.01 : -0.01);
        smooth_default(&b, vec3(0.1, 0.1, 0.3), 1);
        b.bed.gravity = vec3(g * sin(angle), 0, -g * cos(angle));
        b.bed.definition.contact.stiffness = 1e7;
        bed_set_coefficients(&b.bed, 0.3, 2, 0);
        bed_create(&b.bed);
        bricks_place(&b, 0, vec3(-5, 0, 0.15), quaternion_identity());
        bed_advance(&b.bed, (int64_t)((k ? 1.2 : 0.4) / b.bed.step));
        double upright = quaternion_to_matrix(bed_orientation(&b.bed, 0)).m[2][2];
        if (k) assert_true(upright < 0.9);
        else check_near(upright, 1, 1e-4);
        bricks_destroy(&b);
    }
}

// A cube that turns on the floor comes to rest: four points rub, each on its own circle. With the pressure in the corners the
// friction is mu m g at the distance a/sqrt(2): the turning ends after I w / (mu m g a/sqrt(2)).
static void test_spinning_on_a_face_stops(void **state) {
    (void)state;
    Bricks b;
    double a = 0.1, spin = 3, friction = 0.3;
    smooth_default(&b, vec3(a, a, a), 1);
    bed_set_coefficients(&b.bed, 0.3, friction, 0);
    bed_create(&b.bed);
    bricks_place(&b, 0, vec3(0, 0, 0.5 * a - b.bed.mass * g / 1e6), quaternion_identity());
    bed_place(&b.bed, 0, bed_position(&b.bed, 0), vec3_zero(), vec3(0, 0, spin));
    double time = a * a / 6 * spin / (friction * g * a / sqrt(2));
    bed_advance(&b.bed, (int64_t)(0.5 * time / b.bed.step));
    check_near(bed_spin(&b.bed, 0).z, 0.5 * spin, 0.01 * spin);
    bed_advance(&b.bed, (int64_t)(1.5 * time / b.bed.step));
    check_near(bed_spin(&b.bed, 0).z, 0, 0.02 * spin);
    bricks_destroy(&b);
}

// A brick slides off the end of a plate. As its centre passes the edge, the corners behind lift off: their points press with
// nothing while they still overlap, and then have no spring either. What friction has lost never falls, and the ledger closes;
// until then it slides with v - mu g t.
static void test_slides_off_an_edge(void **state) {
    (void)state;
    const double restitutions[] = {0, 0.3}, friction = 0.1, speed = 1;
    for (int k = 0; k < 2; k++) {
        Bricks b;
        smooth_default(&b, vec3(0.02, 0.02, 0.006), 1);
        b.bed.definition.contact.stiffness = 2e4;
        bed_set_coefficients(&b.bed, restitutions[k], friction, 0);
        Wall *plate = &b.bed.walls[1].shape;
        *plate = wall_of_kind("plate");
        wall_set_pair(plate, "size", 0.2, 0.1);
        wall_set_vector(plate, "along", vec3(1, 0, 0));
        wall_set_vector(plate, "center", vec3(0, 0, 5));
        b.bed.definition.wall_count = 2;
        bed_create(&b.bed);
        bricks_place(&b, 0, vec3(0.085, 0, 5.003 - b.bed.mass * g / 2e4), quaternion_identity());
        bed_place(&b.bed, 0, bed_position(&b.bed, 0), vec3(speed, 0, 0), vec3_zero());
        GrainsMeasure m = bed_measure(&b.bed);
        double start = bed_ledger(&m), energy = m.kinetic, most = 0, fall = 0;
        int64_t to_edge = (int64_t)(0.014 / b.bed.step); // the centre passes it after 15.1 ms
        for (int64_t n = 0; n < 4 * to_edge; n++) {
            bed_advance(&b.bed, 1);
            m = bed_measure(&b.bed);
            fall = fmax(fall, most - m.friction), most = fmax(most, m.friction);
            if (n + 1 == to_edge)
                check_near(bed_velocity(&b.bed, 0).x, speed - friction * g * b.bed.time, 1e-4 * speed);
        }
        check_near(fall, 0, 1e-12 * energy);
        check_near(bed_ledger(&m), start, 1e-3 * most);
        assert_true(most > 0.02 * energy && bed_position(&b.bed, 0).z < 5);
        bricks_destroy(&b);
    }
}

// ---- impacts -------------------------------------------------------------------------------------
// Central impacts with a face, an edge and a corner first: the law's restitution, no turning.
static void test_restitution(void **state) {
    (void)state;
    static const double restitutions[] = {1, 0.8, 0.5, 0.3};
    const Vec3 turns[] = {{0, 0, 0}, {0, 0, 0.4}, {0, M_PI / 4, 0}, {0, 0, 0}};
    for (int k = 0; k < 16; k++) {
        Bricks b;
        double e = restitutions[k % 4], side = 0.1;
        smooth_default(&b, vec3(side, side, side), 1);
        b.bed.gravity = vec3_zero();
        bed_set_coefficients(&b.bed, e, 0.5, 0);
        bed_create(&b.bed);
        Quaternion q = quaternion_from_rotation_vector(turns[k / 4]);
        if (k / 4 == 3) { // the diagonal upright
            Vec3 axis = vec3_normalize(vec3(1, -1, 0));
            q = quaternion_from_rotation_vector(vec3_scale(acos(1 / sqrt(3)), axis));
        }
        Mat3 r = quaternion_to_matrix(q);
        double low = 0.5 * side * (fabs(r.m[2][0]) + fabs(r.m[2][1]) + fabs(r.m[2][2]));
        bricks_place(&b, 0, vec3(0, 0, low + 0.37 * b.bed.step), q);
        bed_place(&b.bed, 0, bed_position(&b.bed, 0), vec3(0, 0, -1), vec3_zero());
        bed_advance(&b.bed, 400);
        check_near(bed_velocity(&b.bed, 0).z, e, 2e-3);
        if (k / 4 < 3) check_vec3_near(bed_spin(&b.bed, 0), vec3_zero(), 1e-9);
        GrainsMeasure m = bed_measure(&b.bed);
        check_near(m.kinetic + m.impact, 0.5 * b.bed.mass, 2e-3 * 0.5 * b.bed.mass);
        bricks_destroy(&b);
    }
}

// Two bricks that meet askew in free flight.
static double collide(double restitution, double friction, double step, double *lost) {
    Bricks b;
    smooth_default(&b, vec3(0.2, 0.1, 0.07), 2);
    b.bed.gravity = vec3_zero();
    b.bed.step = step;
    bed_set_coefficients(&b.bed, restitution, friction, 0);
    bed_create(&b.bed);
    bricks_place(&b, 0, vec3(0, 0, 10), quaternion_from_rotation_vector(vec3(0.4, 0.5, 0.2)));
    bricks_place(&b, 1, vec3(0.25, 0.03, 10.02), quaternion_from_rotation_vector(vec3(-0.3, 0.9, 1.2)));
    bed_place(&b.bed, 0, bed_position(&b.bed, 0), vec3(1, 0.1, 0), vec3(3, -4, 5));
    bed_place(&b.bed, 1, bed_position(&b.bed, 1), vec3(-1, 0, 0.2), vec3(-6, 2, 1));
    double error = bed_collide(&b.bed, lost);
    bricks_destroy(&b);
    return error;
}

static void test_two_bricks_keep_their_momenta(void **state) {
    (void)state;
    double lost;
    check_near(collide(1, 0, 2e-5, &lost), 0, 2e-4);
    check_near(lost, 0, 0);
    check_near(collide(0.5, 0.5, 2e-5, &lost), 0, 1e-3);
    assert_true(lost > 0.05);
}

// A brick that bounces and rocks on the floor for long, without losses: points come and go by the thousand, and its energy
// stays. With losses, the ledger has all of it.
static void test_energy_of_a_bouncing_brick(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        Bricks b;
        smooth_default(&b, vec3(0.2, 0.1, 0.07), 1);
        bed_set_coefficients(&b.bed, k ? 0.4 : 1, k ? 0.4 : 0, 0);
        bed_create(&b.bed);
        b.bed.grains->step = b.bed.step *= 0.5;
        bricks_place(&b, 0, vec3(0, 0, 0.3), quaternion_from_rotation_vector(vec3(0.4, 0.5, 0.2)));
        GrainsMeasure m = bed_measure(&b.bed);
        double start = m.kinetic + m.potential;
        bed_advance(&b.bed, (int64_t)(3 / b.bed.step));
        m = bed_measure(&b.bed);
        double kept = m.kinetic + m.potential + m.elastic + m.impact + m.friction;
        check_near(kept, start, 5e-3 * start);
        if (k) assert_true(m.kinetic < 1e-6 * start);
        bricks_destroy(&b);
    }
}

// ---- as rigid bricks -----------------------------------------------------------------------------
// A brick that slides on the floor and comes to rest, and one that lies across two others: as rigid bricks.
static void stack(Bricks *b, int method) {
    bricks_default(b, vec3(0.2, 0.1, 0.05), 4);
    b->bed.definition.method = method;
    b->bed.definition.contact.stiffness = 1e7;
    b->bed.definition.contact.tangential = TANGENTIAL_ELASTIC;
    bed_set_coefficients(&b->bed, 0.05, 0.4, 0);
    b->bed.step = method == METHOD_SMOOTH ? 1e-5 : 1e-3;
    bed_create(&b->bed);
    bricks_place(b, 0, vec3(-0.07, 0, 0.025), quaternion_identity());
    bricks_place(b, 1, vec3(0.15, 0.01, 0.025), quaternion_identity());
    bricks_place(b, 2, vec3(0.04, 0, 0.075), quaternion_from_rotation_vector(vec3(0, 0, 0.1)));
    bricks_place(b, 3, vec3(0, 1, 0.025), quaternion_identity());
    bed_place(&b->bed, 3, bed_position(&b->bed, 3), vec3(1, 0, 0), vec3_zero());
    bed_advance(&b->bed, (int64_t)(0.4 / b->bed.step));
}

static void test_lies_as_rigid_bricks_do(void **state) {
    (void)state;
    Bricks smooth, rigid;
    stack(&smooth, METHOD_SMOOTH);
    stack(&rigid, METHOD_NONSMOOTH);
    double weight = 4 * smooth.bed.mass * 9.81;
    check_near(smooth.bed.loads[0].force.z, -weight, 1e-6 * weight);
    check_near(rigid.bed.loads[0].force.z, -weight, 1e-4 * weight);
    for (size_t i = 0; i < 4; i++) {
        check_vec3_near(bed_position(&smooth.bed, i), bed_position(&rigid.bed, i), i == 3 ? 5e-4 : 1e-5);
        check_vec3_near(bed_velocity(&smooth.bed, i), vec3_zero(), 1e-5);
    }
    check_near(bed_position(&smooth.bed, 3).x, 1 / (2 * 0.4 * 9.81), 1e-3); // v^2/(2 mu g)
    bricks_destroy(&smooth);
    bricks_destroy(&rigid);
}

// ---- walls ---------------------------------------------------------------------------------------
// Bricks thrown about in a room of each kind of wall: they come to rest on it, and the ledger closes.
static void test_rooms(void **state) {
    (void)state;
    for (Room kind = 0; kind < ROOM_COUNT; kind++) {
        Bricks b;
        MrcError error = {0};
        bricks_default(&b, vec3(0.1, 0.07, 0.05), 4);
        b.bed.definition.method = METHOD_SMOOTH;
        b.bed.definition.contact.stiffness = 1e5;
        b.bed.definition.contact.tangential = TANGENTIAL_ELASTIC;
        bed_set_coefficients(&b.bed, 0.3, 0.5, 0);
        b.bed.walls[0].shape = room(kind, 0.2);
        b.bed.step = 5e-5;
        bed_create(&b.bed);
        for (size_t i = 0; i < 4; i++) {
            double a = 1.6 * (double)i;
            bricks_place(&b, i, vec3(0.08 * cos(a), 0.08 * sin(a), -0.02 + 0.05 * (double)(i % 2)),
                         quaternion_from_rotation_vector(vec3(a, 0.5, -a)));
            bed_place(&b.bed, i, bed_position(&b.bed, i), vec3(0.5 * sin(a), 0.3, 0), vec3(3, a, -2));
        }
        GrainsMeasure start = bed_measure(&b.bed);
        bed_advance(&b.bed, (int64_t)(1.5 / b.bed.step));
        GrainsMeasure m = bed_measure(&b.bed);
        double lost = m.impact + m.friction, weight = 9.81 * grains_mass(b.bed.grains);
        if (grains_check_lost(b.bed.grains, b.bed.motions, &error)) fail_msg("%s", error.text);
        check_near(bed_ledger(&m), bed_ledger(&start), 2e-3 * lost);
        check_near(m.kinetic, 0, 1e-9 * lost);
        check_near(b.bed.loads[0].force.z, -weight, 1e-6 * weight);
        bricks_destroy(&b);
        wall_release(&b.bed.walls[0].shape);
    }
}

// ---- continuity ----------------------------------------------------------------------------------
// Force on the top of a block by a cube pressed into it, turned a little, that is moved over its edges: corners become
// crossings, and sides come and go. What a small move changes falls with the move.
static Vec3 pressed(double x, double tilt) {
    Bricks b;
    smooth_default(&b, vec3(0.1, 0.1, 0.1), 1);
    b.bed.gravity = vec3_zero();
    b.bed.walls[1].shape = wall_of_kind("block");
    wall_set_vector(&b.bed.walls[1].shape, "size", vec3(1, 1, 1));
    wall_set_vector(&b.bed.walls[1].shape, "center", vec3(0, 0, 5));
    b.bed.definition.wall_count = 2;
    b.bed.step = 1e-5;
    bed_create(&b.bed);
    bricks_place(&b, 0, vec3(x, 0.47, 5.5 + 0.05 - 1e-4),
                 quaternion_mul(quaternion_from_rotation_vector(vec3(tilt, 0.5 * tilt, 0)),
                                quaternion_from_rotation_vector(vec3(0, 0, 0.3))));
    bed_measure(&b.bed);
    Vec3 force = grains_measured_loads(b.bed.grains)[1].force,
         moment = grains_measured_loads(b.bed.grains)[1].moment;
    bricks_destroy(&b);
    return vec3(force.z, moment.x, moment.y);
}

static void test_forces_do_not_jump(void **state) {
    (void)state;
    const int samples = 400;
    double move = 0.1 / samples;
    for (int k = 0; k < 2; k++) {
        double whole = 0, jump = 0, finer = 0;
        Vec3 last = pressed(0.44, k * 1e-3);
        for (int n = 1; n <= samples; n++) {
            Vec3 now = pressed(0.44 + move * n, k * 1e-3);
            double change = vec3_norm(vec3_sub(now, last));
            whole = fmax(whole, fabs(now.x));
            if (change > jump) { // is it steep, or does it jump? Halve the move until it is small
                jump = change;
                double left = 0.44 + move * (n - 1), right = left + move;
                for (int half = 0; half < 12; half++) {
                    double middle = 0.5 * (left + right);
                    Vec3 a = pressed(left, k * 1e-3), c = pressed(middle, k * 1e-3),
                         d = pressed(right, k * 1e-3);
                    if (vec3_norm(vec3_sub(c, a)) > vec3_norm(vec3_sub(d, c))) right = middle;
                    else left = middle;
                    finer = vec3_norm(vec3_sub(pressed(right, k * 1e-3), pressed(left, k * 1e-3)));
                }
            }
            last = now;
        }
        assert_true(whole > 50); // N: it is pressed
        assert_true(jump < 0.1 * whole);
        check_near(finer, 0, 5e-3 * whole); // no jump remains
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_tumbling_brick),
        cmocka_unit_test(test_nutation),
        cmocka_unit_test(test_a_cube_at_rest),
        cmocka_unit_test(test_sticks_or_slips),
        cmocka_unit_test(test_topples_where_geometry_says),
        cmocka_unit_test(test_spinning_on_a_face_stops),
        cmocka_unit_test(test_slides_off_an_edge),
        cmocka_unit_test(test_restitution),
        cmocka_unit_test(test_two_bricks_keep_their_momenta),
        cmocka_unit_test(test_energy_of_a_bouncing_brick),
        cmocka_unit_test(test_lies_as_rigid_bricks_do),
        cmocka_unit_test(test_rooms),
        cmocka_unit_test(test_forces_do_not_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
