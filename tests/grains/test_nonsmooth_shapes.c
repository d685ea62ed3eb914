// Rigid grains with faces: free rotation, a block on an incline, a wall of bricks, impacts, restart.
#include "bricks.h"

#include "base/archive.h"
#include "check_math.h"

static const double g = 9.81;

// ---- free rotation -------------------------------------------------------------------------------
static Vec3 angular_momentum(const Bricks *b) {
    Mat3 inertia = grain_inertia(b->bed.grains, 0, b->bed.mass);
    return mat3_apply(inertia, grain_spin(b->bed.grains, 0));
}

// A brick that tumbles about its middle axis, the unstable one, for 1e5 steps.
static void test_a_tumbling_brick(void **state) {
    (void)state;
    Bricks b;
    bricks_default(&b, vec3(0.4, 0.2, 0.1), 1);
    b.bed.gravity = vec3_zero();
    bed_create(&b.bed);
    bed_place(&b.bed, 0, vec3(0, 0, 10), vec3_zero(), vec3(0.1, 12, 0.2));
    Vec3 start = angular_momentum(&b);
    double energy = bed_measure(&b.bed).kinetic, flipped = 0;
    for (int part = 0; part < 1000; part++) {
        bed_advance(&b.bed, 100);
        Vec3 own = quaternion_unrotate(bed_orientation(&b.bed, 0), bed_spin(&b.bed, 0));
        flipped = fmin(flipped, own.y);
        check_near(bed_measure(&b.bed).kinetic, energy, 1e-10 * energy);
        check_vec3_near(angular_momentum(&b), start, 1e-10 * vec3_norm(start));
    }
    assert_true(flipped < -11); // it has turned over, as it must
    bricks_destroy(&b);
}

// About the axis of a square plate, with nutation: the spin's own-axes components turn at (1 - I3/I1) w3.
static void test_nutation(void **state) {
    (void)state;
    Bricks b;
    bricks_default(&b, vec3(0.2, 0.2, 0.1), 1);
    b.bed.gravity = vec3_zero();
    b.bed.step = 1e-4;
    bed_create(&b.bed);
    bed_place(&b.bed, 0, vec3(0, 0, 10), vec3_zero(), vec3(0.5, 0, 5));
    double ratio = (0.04 + 0.04) / (0.04 + 0.01), rate = (ratio - 1) * 5;
    bed_advance(&b.bed, 10000);
    Vec3 own = quaternion_unrotate(bed_orientation(&b.bed, 0), bed_spin(&b.bed, 0));
    check_vec3_near(own, vec3(0.5 * cos(rate), 0.5 * sin(rate), 5), 1e-6);
    bricks_destroy(&b);
}

// ---- a block on an incline -----------------------------------------------------------------------
// A block of width 0.1 and the given height at rest on the floor, gravity leaning towards x.
static void on_incline(Bricks *b, double height, double angle, double friction, ContactLaw law) {
    bricks_default(b, vec3(0.1, 0.1, height), 1);
    b->bed.gravity = vec3(g * sin(angle), 0, -g * cos(angle));
    b->bed.definition.contact.law = law;
    bed_set_coefficients(&b->bed, 0, friction, 0);
    bed_create(&b->bed);
    bricks_place(b, 0, vec3(-5, 0, 0.5 * height), quaternion_identity());
}

static void test_sticks_or_slips(void **state) {
    (void)state;
    for (int law = 0; law < 2; law++)
        for (int k = 0; k < 4; k++) {
            const double angles[] = {0.2, 0.29, 0.292, 0.5}, friction = 0.3; // atan(0.3) = 0.29146
            Bricks b;
            on_incline(&b, 0.1, angles[k], friction, law ? CONTACT_COULOMB : CONTACT_RELAXED);
            bed_advance(&b.bed, 100);
            Vec3 start = bed_velocity(&b.bed, 0);
            bed_advance(&b.bed, 200);
            double slide = (bed_velocity(&b.bed, 0).x - start.x) / 0.2;
            double expected = fmax(0, g * (sin(angles[k]) - friction * cos(angles[k])));
            // The relaxed law lifts what slides; the block then comes down again in parts.
            check_near(slide, expected, law ? 1e-5 * g : 1e-2 * g);
            if (expected == 0) check_vec3_near(bed_position(&b.bed, 0), vec3(-5, 0, 0.05), 1e-7);
            check_near(quaternion_to_matrix(bed_orientation(&b.bed, 0)).m[2][2], 1, 1e-6);
            bricks_destroy(&b);
        }
}

// It topples where its centre of mass passes the edge: tan(angle) = width / height.
static void test_topples_where_geometry_says(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        Bricks b;
        double limit = atan(0.1 / 0.3);
        on_incline(&b, 0.3, limit + (k ? 0.01 : -0.01), 2, CONTACT_COULOMB);
        bed_advance(&b.bed, k ? 1200 : 200);
        double upright = quaternion_to_matrix(bed_orientation(&b.bed, 0)).m[2][2];
        if (k) assert_true(upright < 0.9);
        else {
            check_near(upright, 1, 1e-10);
            check_vec3_near(bed_position(&b.bed, 0), vec3(-5, 0, 0.15), 1e-7);
        }
        bricks_destroy(&b);
    }
}

// ---- a wall of bricks ----------------------------------------------------------------------------
static void build_wall(Bricks *b, int courses, int length) {
    int count = 0;
    for (int c = 0; c < courses; c++)
        for (int k = 0; k < length; k++)
            bricks_place(b, (size_t)count++, vec3(0.2 * (k + (c % 2 ? 0.5 : 0)), 0, 0.05 + 0.1 * c),
                         quaternion_identity());
}

static void test_a_wall_of_bricks_stands(void **state) {
    (void)state;
    Bricks b;
    bricks_default(&b, vec3(0.2, 0.1, 0.1), 12);
    bed_create(&b.bed);
    build_wall(&b, 4, 3);
    bed_advance(&b.bed, 200);
    for (size_t i = 0; i < 12; i++) {
        double c = floor((double)i / 3), k = (double)(i % 3);
        check_vec3_near(bed_position(&b.bed, i), vec3(0.2 * (k + (i / 3 % 2 ? 0.5 : 0)), 0, 0.05 + 0.1 * c),
                        1e-7);
        check_near(fabs(bed_orientation(&b.bed, i).w), 1, 1e-12);
    }
    check_near(b.bed.loads[0].force.z, -12 * b.bed.mass * g, 1e-5 * 12 * b.bed.mass * g);
    bricks_destroy(&b);
}

// ---- impacts -------------------------------------------------------------------------------------
// Falls flat, and on a corner: no energy but what the ledger says; angular momentum only by the floor.
static void test_energy_of_a_falling_brick(void **state) {
    (void)state;
    Bricks b;
    bricks_default(&b, vec3(0.2, 0.1, 0.07), 1);
    bed_set_coefficients(&b.bed, 0.4, 0.4, 0);
    bed_create(&b.bed);
    bricks_place(&b, 0, vec3(0, 0, 0.5), quaternion_from_rotation_vector(vec3(0.4, 0.5, 0.2)));
    GrainsMeasure m = bed_measure(&b.bed);
    double start = m.kinetic + m.potential;
    bed_advance(&b.bed, 1500);
    m = bed_measure(&b.bed);
    double kept = m.kinetic + m.potential + m.impact + m.friction + m.rolling + m.stabilisation + m.algorithm;
    check_near(kept, start, 1e-9 * start);
    assert_true(m.kinetic < 1e-6 * start);
    double height = bed_position(&b.bed, 0).z; // on one of its larger faces
    check_near(height, height < 0.04 ? 0.035 : 0.05, 1e-6);
    bricks_destroy(&b);
}

// A cube that slides at `along` and comes down at 1 m/s, with a face, an edge or a corner first.
static void hit_floor(Bricks *b, ContactLaw law, Vec3 turn, double e, double friction, double along) {
    const double side = 0.1, away = 5.3;
    bricks_default(b, vec3(side, side, side), 1);
    b->bed.step = 1e-6;
    b->bed.definition.contact.law = law;
    b->bed.definition.contact.solver.tolerance = 1e-12;
    bed_set_coefficients(&b->bed, e, friction, 0);
    bed_create(&b->bed);
    Quaternion q = quaternion_from_rotation_vector(turn);
    Mat3 r = quaternion_to_matrix(q);
    double low = 0.5 * side * (fabs(r.m[2][0]) + fabs(r.m[2][1]) + fabs(r.m[2][2]));
    bricks_place(b, 0, vec3(0, 0, low + b->bed.step * away), q);
    bed_place(&b->bed, 0, bed_position(&b->bed, 0), vec3(along, 0.3 * along, -1), vec3_zero());
    const double quad[QUAD] = {q.w, q.x, q.y, q.z};
    memcpy(b->bed.grains->orientation, quad, sizeof quad);
    bed_advance(&b->bed, 12);
}

// Oblique impacts: the point that hits rebounds with e, by both laws; a flat face does not turn the cube (friction below 1),
// and friction takes mu (1 + e) of the speed along or stops it.
static void test_oblique_impacts(void **state) {
    (void)state;
    static const double restitutions[] = {0.3, 1}, frictions[] = {0.1, 0.3, 0.8},
                        speeds[] = {0.05, 1, 10, 30};
    const Vec3 turns[] = {{0, 0, 0}, {0, 0, 0.4}, {0.3, 0, 0}, {0.5, 0.4, 0.2}, {0, 0.9, 0.1}};
    for (int k = 0; k < 2 * 3 * 4 * 5; k++) {
        double e = restitutions[k % 2], mu = frictions[k / 2 % 3], along = speeds[k / 6 % 4];
        Vec3 velocity[2], spin[2];
        for (int law = 0; law < 2; law++) {
            Bricks b;
            hit_floor(&b, law ? CONTACT_COULOMB : CONTACT_RELAXED, turns[k / 24], e, mu, along);
            velocity[law] = bed_velocity(&b.bed, 0), spin[law] = bed_spin(&b.bed, 0);
            Mat3 r = quaternion_to_matrix(bed_orientation(&b.bed, 0));
            double slowest = INFINITY; // of the corners that are down
            for (int c = 0; c < 8; c++) {
                Vec3 corner = vec3(c & 1 ? 0.05 : -0.05, c & 2 ? 0.05 : -0.05, c & 4 ? 0.05 : -0.05);
                Vec3 arm = mat3_apply(r, corner);
                if (bed_position(&b.bed, 0).z + arm.z < 20e-6)
                    slowest = fmin(slowest, vec3_add(velocity[law], vec3_cross(spin[law], arm)).z);
            }
            check_near(slowest, e, 3e-3 * (1 + along));
            if (k / 24 < 2) {
                double whole = along * sqrt(1 + 0.3 * 0.3), left = fmax(whole - mu * (1 + e), 0);
                check_near(velocity[law].z, e, 1e-3);
                check_near(hypot(velocity[law].x, velocity[law].y), left, 1e-3);
            }
            bricks_destroy(&b);
        }
        check_vec3_near(velocity[0], velocity[1], 1e-3 * (1 + along));
        check_vec3_near(spin[0], spin[1], 2e-2 * (1 + along));
    }
}

// ---- saving --------------------------------------------------------------------------------------
// A heap of bricks saved in the middle and continued: the same bits.
static void test_restart(void **state) {
    (void)state;
    Bricks b;
    MrcError error;
    bricks_default(&b, vec3(0.2, 0.1, 0.07), 12);
    wall_set_vector(&b.bed.walls[0].shape, "size", vec3(0.5, 0.5, 20));
    b.bed.definition.contact.solver.tolerance = 1e-4;
    b.bed.definition.packing.kind = PACKING_CUBIC;
    b.bed.definition.particles.turned = true;
    bed_create(&b.bed);
    bed_advance(&b.bed, 250);
    Archive *archive = archive_memory_create();
    assert_non_null(archive);
    archive_memory_save(archive);
    grains_archive(b.bed.grains, archive);
    assert_int_equal(archive_status(archive, &error), MRC_OK);
    bed_advance(&b.bed, 100);
    Vec3 places[12];
    for (size_t i = 0; i < 12; i++) places[i] = bed_position(&b.bed, i);
    archive_memory_load(archive);
    grains_archive(b.bed.grains, archive);
    assert_int_equal(archive_status(archive, &error), MRC_OK);
    bed_advance(&b.bed, 100);
    for (size_t i = 0; i < 12; i++) {
        Vec3 again = bed_position(&b.bed, i);
        assert_memory_equal(&again, &places[i], sizeof again);
    }
    archive_destroy(archive);
    bricks_destroy(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_tumbling_brick),        cmocka_unit_test(test_nutation),
        cmocka_unit_test(test_sticks_or_slips),         cmocka_unit_test(test_topples_where_geometry_says),
        cmocka_unit_test(test_a_wall_of_bricks_stands), cmocka_unit_test(test_energy_of_a_falling_brick),
        cmocka_unit_test(test_oblique_impacts),         cmocka_unit_test(test_restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
