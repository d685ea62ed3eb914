// Contact dynamics of grains with faces: free rotation, a block on an incline, courses of bricks, an arch, cards, tension.
#include "bricks.h"

#include <stdlib.h>

#include "base/archive.h"
#include "base/random.h"
#include "base/threads.h"
#include "check_math.h"

static const double g = 9.81;

static void nscd_bricks(Bricks *b, Vec3 size, int count) {
    bricks_default(b, size, count);
    b->bed.definition.method = METHOD_NSCD;
}

// ---- one body ------------------------------------------------------------------------------------
// A brick that tumbles about its middle axis keeps energy and angular momentum to rounding, and flies a parabola.
static void test_tumbles(void **state) {
    (void)state;
    Bricks b;
    nscd_bricks(&b, vec3(0.4, 0.2, 0.1), 1);
    bed_create(&b.bed);
    bed_place(&b.bed, 0, vec3(0, 0, 10), vec3(0.3, 0, 6), vec3(0.1, 12, 0.2));
    Mat3 inertia = grain_inertia(b.bed.grains, 0, b.bed.mass);
    Vec3 start = mat3_apply(inertia, grain_spin(b.bed.grains, 0));
    GrainsMeasure m = bed_measure(&b.bed);
    double energy = m.kinetic + m.potential;
    bed_advance(&b.bed, 1500);
    m = bed_measure(&b.bed);
    inertia = grain_inertia(b.bed.grains, 0, b.bed.mass);
    check_near(m.kinetic + m.potential, energy, 1e-11 * energy);
    check_vec3_near(mat3_apply(inertia, grain_spin(b.bed.grains, 0)), start, 1e-11 * vec3_norm(start));
    check_vec3_near(bed_position(&b.bed, 0), vec3(0.45, 0, 10 + 6 * 1.5 - 0.5 * g * 2.25), 1e-10);
    bricks_destroy(&b);
}

static void on_incline(Bricks *b, double height, double angle, double friction) {
    nscd_bricks(b, vec3(0.1, 0.1, height), 1);
    b->bed.gravity = vec3(g * sin(angle), 0, -g * cos(angle));
    bed_set_coefficients(&b->bed, 0, friction, 0);
    bed_create(&b->bed);
    bricks_place(b, 0, vec3(-5, 0, 0.5 * height), quaternion_identity());
}

// It sticks below the angle of friction, and slides with g (sin - mu cos) above: no lifting, no turning.
static void test_sticks_or_slips(void **state) {
    (void)state;
    const double angles[] = {0.2, 0.29, 0.292, 0.5}, friction = 0.3; // atan(0.3) = 0.29146
    for (int k = 0; k < 4; k++) {
        Bricks b;
        on_incline(&b, 0.1, angles[k], friction);
        bed_advance(&b.bed, 200);
        double a = fmax(0, g * (sin(angles[k]) - friction * cos(angles[k])));
        check_near(bed_velocity(&b.bed, 0).x, 0.2 * a, 1e-6 * g);
        check_vec3_near(bed_position(&b.bed, 0), vec3(-5 + 0.5 * a * 0.04, 0, 0.05), 1e-6);
        check_near(quaternion_to_matrix(bed_orientation(&b.bed, 0)).m[2][2], 1, 1e-12);
        bricks_destroy(&b);
    }
}

// It topples where its centre of mass passes the edge: tan(angle) = width / height.
static void test_topples(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        Bricks b;
        on_incline(&b, 0.3, atan(0.1 / 0.3) + (k ? 0.01 : -0.01), 2);
        bed_advance(&b.bed, k ? 1200 : 200);
        double upright = quaternion_to_matrix(bed_orientation(&b.bed, 0)).m[2][2];
        if (k) assert_true(upright < 0.9);
        else check_near(upright, 1, 1e-10);
        bricks_destroy(&b);
    }
}

// Planks with e = 1 and without friction bounce along the side of a tube. A corner that parts and still overlaps is driven back
// where another one bounces: no energy is made. (With u_n >= 0 there, one of these had 1.14 times its energy.)
static void test_makes_no_energy(void **state) {
    (void)state;
    for (int k = 0; k < 24; k++) {
        Bricks b;
        nscd_bricks(&b, vec3(0.02, 0.15, 0.01), 1);
        b.bed.walls[0].shape = cylinder_wall(vec3_zero(), vec3(0, 1, 0), 0.1, 0.2);
        bed_set_coefficients(&b.bed, 1, 0, 0);
        b.bed.step = 5e-4;
        bed_create(&b.bed);
        bricks_place(&b, 0, vec3(0.01 * (k % 4), 0, -0.01 * (k / 4)),
                     quaternion_from_rotation_vector(vec3(0, 0, 0.05 * (k % 5))));
        GrainsMeasure m = bed_measure(&b.bed);
        double start = m.kinetic + m.potential, in_play = start + b.bed.mass * g * 0.1, most = start;
        for (int n = 0; n < 4000; n++) {
            bed_advance(&b.bed, 1);
            m = bed_measure(&b.bed);
            most = fmax(most, m.kinetic + m.potential);
        }
        assert_true(most < start + 1e-3 * in_play);
        assert_true(m.kinetic + m.potential > start - 0.1 * in_play);
        bricks_destroy(&b);
    }
}

// A brick with four points at the ceiling hangs by a cohesion of more than its weight, whatever the number of points.
static void test_hangs(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        Bricks b;
        nscd_bricks(&b, vec3(0.2, 0.1, 0.1), 1);
        double mass = 2500 * 0.2 * 0.1 * 0.1;
        for (int m = 0; m < BED_MATERIALS; m++) b.bed.materials[m].cohesion = (k ? 0.99 : 1.01) * mass * g;
        bed_create(&b.bed);
        bricks_place(&b, 0, vec3(0, 0, 20 - 0.05), quaternion_identity());
        bed_advance(&b.bed, 200);
        if (k == 0) {
            check_vec3_near(bed_position(&b.bed, 0), vec3(0, 0, 20 - 0.05), 1e-9);
            check_near(b.bed.loads[0].force.z, -mass * g, 1e-6 * mass * g);
        } else assert_true(bed_position(&b.bed, 0).z < 20 - 0.05 - 0.1);
        bricks_destroy(&b);
    }
}

// ---- several -------------------------------------------------------------------------------------
// Four courses of three bricks, every second one shifted by a quarter of a brick.
static Vec3 place_in_wall(int i) {
    return vec3(0.2 * (i % 3 + (i / 3 % 2 ? 0.25 : 0)), 0, 0.05 + 0.1 * (i / 3));
}

static void test_wall_stands(void **state) {
    (void)state;
    Bricks b;
    nscd_bricks(&b, vec3(0.2, 0.1, 0.1), 12);
    bed_create(&b.bed);
    for (int i = 0; i < 12; i++) bricks_place(&b, (size_t)i, place_in_wall(i), quaternion_identity());
    bed_advance(&b.bed, 200);
    for (int i = 0; i < 12; i++) check_vec3_near(bed_position(&b.bed, (size_t)i), place_in_wall(i), 1e-7);
    check_near(b.bed.loads[0].force.z, -12 * b.bed.mass * g, 1e-5 * 12 * b.bed.mass * g);
    bricks_destroy(&b);
}

// Two cards lean against each other, alpha from upright. The floor must hold tan(alpha)/2 of each card's weight.
static double top_of_two_cards(double friction) {
    Bricks b;
    double alpha = 20 * M_PI / 180, length = 0.09, thick = 0.003,
           x = 0.5 * (length * sin(alpha) + thick * cos(alpha)),
           z = 0.5 * (length * cos(alpha) + thick * sin(alpha));
    nscd_bricks(&b, vec3(thick, 0.06, length), 2);
    bed_set_coefficients(&b.bed, 0, friction, 0);
    b.bed.materials[0].friction = 1; // the edges touch with a normal anywhere between those of their faces
    bed_create(&b.bed);
    bricks_place(&b, 0, vec3(-x - 1e-6, 0, z), quaternion_from_rotation_vector(vec3(0, alpha, 0)));
    bricks_place(&b, 1, vec3(x + 1e-6, 0, z), quaternion_from_rotation_vector(vec3(0, -alpha, 0)));
    bed_advance(&b.bed, 1000);
    double lower = fmin(bed_position(&b.bed, 0).z, bed_position(&b.bed, 1).z) / z;
    bricks_destroy(&b);
    return lower;
}

static void test_two_cards(void **state) {
    (void)state;
    double needed = 0.5 * tan(20 * M_PI / 180); // 0.182
    check_near(top_of_two_cards(1.2 * needed), 1, 1e-3);
    assert_true(top_of_two_cards(0.8 * needed) < 0.5);
}

// The same bits on any number of threads, and saved and continued.
static void test_same_bits(void **state) {
    (void)state;
    enum { count = 30 };
    Vec3 first[count];
    for (int run = 0; run < 3; run++) {
        Bricks b;
        MrcError error;
        threads_set(run == 1 ? 2 : 1);
        nscd_bricks(&b, vec3(0.2, 0.1, 0.07), count);
        wall_set_vector(&b.bed.walls[0].shape, "size", vec3(0.6, 0.6, 20));
        b.bed.definition.contact.solver.tolerance = 1e-3;
        b.bed.definition.packing.kind = PACKING_CUBIC;
        b.bed.definition.particles.turned = true;
        bed_create(&b.bed);
        bed_advance(&b.bed, 150);
        Archive *archive = archive_memory_create();
        archive_memory_save(archive);
        grains_archive(b.bed.grains, archive);
        if (run == 2) bed_advance(&b.bed, 13);
        archive_memory_load(archive);
        grains_archive(b.bed.grains, archive);
        assert_int_equal(archive_status(archive, &error), MRC_OK);
        bed_advance(&b.bed, 100);
        for (size_t i = 0; i < count; i++) {
            Vec3 now = bed_position(&b.bed, i);
            if (run == 0) first[i] = now;
            else assert_memory_equal(&first[i], &now, sizeof now);
        }
        archive_destroy(archive);
        bricks_destroy(&b);
    }
    threads_set(1);
}

// Courses of bricks that stand askew: more than threads leave to one of them, of bricks and of contacts.
enum { along = 16, across = 15, courses = 5, many = along * across * courses };

static void place_courses(Bricks *b) {
    Random random = {11};
    for (size_t i = 0; i < many; i++) {
        double x = 0.215 * (double)(i % along) - 1.6, y = 0.115 * (double)(i / along % across) - 0.8,
               z = 0.036 + 0.0712 * (double)(i / (along * across));
        Vec3 turn = {0, 0, 0.02 * random_normal(&random)};
        bricks_place(b, i, vec3(x, y, z), quaternion_from_rotation_vector(turn));
    }
}

static void test_same_bits_of_many(void **state) {
    (void)state;
    Vec3 *first = malloc(many * sizeof *first);
    int before = threads_wanted();
    for (int threads = 1; threads <= 4; threads++) {
        Bricks b;
        threads_set(threads);
        nscd_bricks(&b, vec3(0.2, 0.1, 0.07), many);
        b.bed.definition.contact.solver.tolerance = 1e-2;
        b.bed.definition.contact.solver.iterations = 50;
        bed_create(&b.bed);
        place_courses(&b);
        bed_advance(&b.bed, 25);
        assert_true(grains_counts(b.bed.grains).near > 4096); // and threads share the sweeps, too
        assert_true(b.bed.loads[0].force.z < -0.1 * many * b.bed.mass * g);
        for (size_t i = 0; i < many; i++) {
            Vec3 now = bed_position(&b.bed, i);
            if (threads == 1) first[i] = now;
            else assert_memory_equal(&first[i], &now, sizeof now);
        }
        bricks_destroy(&b);
    }
    threads_set(before);
    free(first);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tumbles),           cmocka_unit_test(test_sticks_or_slips),
        cmocka_unit_test(test_topples),           cmocka_unit_test(test_hangs),
        cmocka_unit_test(test_makes_no_energy),   cmocka_unit_test(test_wall_stands),
        cmocka_unit_test(test_two_cards),         cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_same_bits_of_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
