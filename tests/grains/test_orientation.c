// Orientations of grains: integrated from the spin by every method, kept on request only.
#include "bed.h"

#include "grains/method.h"

static double distance(Quaternion a, Quaternion b) {
    return vec3_norm(quaternion_to_rotation_vector(quaternion_mul(a, quaternion_conjugate(b))));
}

static Bed spinning_bed(int method, int64_t count) {
    Bed bed = bed_default();
    bed.definition.method = method;
    bed.definition.particles.count = count;
    bed.definition.particles.velocity = vec3(0.3, -0.2, 0.1);
    bed.keep_orientation = true;
    bed.step = method == METHOD_SMOOTH ? 1e-6 : 2e-5;
    bed_set_coefficients(&bed, 0.5, 0.5, 0);
    bed.definition.contact.tangential = TANGENTIAL_ELASTIC;
    return bed;
}

// Nothing touches it: q = exp(t w) q0, with the axes of the port at the start.
static void test_free_spin(void **state) {
    (void)state;
    for (int method = 0; method < GRAIN_METHOD_COUNT; method++) {
        Bed bed = spinning_bed(method, 1);
        Vec3 spin = vec3(300, -700, 500);
        Quaternion start = quaternion_from_rotation_vector(vec3(0.4, 0.2, -0.7));
        bed.motions[0].orientation = start;
        bed_create(&bed);
        bed_place(&bed, 0, vec3(-0.001, 0, 0), vec3(0.01, 0, 0), spin);
        check_near(distance(bed_orientation(&bed, 0), start), 0, 1e-15);
        for (int k = 0; k < 7; k++) {
            bed_advance(&bed, 333);
            Quaternion turn = quaternion_from_rotation_vector(vec3_scale(bed.time, spin));
            check_near(distance(bed_orientation(&bed, 0), quaternion_mul(turn, start)), 0, 1e-8);
        }
        bed_destroy(&bed);
    }
}

// A ball that rolls on the floor turns by its way over its radius.
static void test_rolling_ball(void **state) {
    (void)state;
    for (int method = 0; method < GRAIN_METHOD_COUNT; method++) {
        Bed bed = spinning_bed(method, 1);
        double r = bed.definition.particles.radius, speed = 0.2;
        bed.gravity = vec3(0, 0, -9.81);
        bed_create(&bed);
        bed_place(&bed, 0, vec3(-0.008, 0, -0.01 + r), vec3(speed, 0, 0), vec3(0, speed / r, 0));
        Quaternion start = bed_orientation(&bed, 0);
        double x = bed_position(&bed, 0).x;
        bed_advance(&bed, (int64_t)(0.03 / bed.step));
        double way = bed_position(&bed, 0).x - x;
        assert_true(way > 0.005);
        Quaternion turn = quaternion_from_rotation_vector(vec3(0, way / r, 0));
        check_near(distance(bed_orientation(&bed, 0), quaternion_mul(turn, start)), 0, 1e-3);
        bed_destroy(&bed);
    }
}

// Keeping orientations does not change the motion; a state that is restored goes on with the same bits.
static void test_does_not_change_the_motion(void **state) {
    (void)state;
    for (int method = 0; method < GRAIN_METHOD_COUNT; method++) {
        Bed with = spinning_bed(method, 150), without = with;
        without.keep_orientation = false;
        bed_create(&with);
        bed_create(&without);
        Archive *archive = archive_memory_create();
        bed_advance(&with, 2000);
        archive_memory_save(archive);
        grains_archive(with.grains, archive);
        bed_advance(&with, 2000);
        bed_advance(&without, 4000);
        Quaternion last[150];
        for (size_t i = 0; i < 150; i++) {
            Vec3 a = bed_position(&with, i), b = bed_position(&without, i);
            assert_memory_equal(&a, &b, sizeof a);
            last[i] = bed_orientation(&with, i);
            check_near(quaternion_dot(last[i], last[i]), 1, 1e-12);
        }
        assert_null(grains_view(without.grains)->qw);
        archive_memory_load(archive);
        grains_archive(with.grains, archive);
        assert_int_equal(archive_status(archive, NULL), MRC_OK);
        bed_advance(&with, 2000);
        for (size_t i = 0; i < 150; i++) {
            Quaternion again = bed_orientation(&with, i);
            assert_memory_equal(&again, &last[i], sizeof again);
        }
        archive_memory_load(archive);
        grains_archive(without.grains, archive); // which has no place for them, and goes on without
        assert_int_equal(archive_status(archive, NULL), MRC_OK);
        bed_advance(&without, 2000);
        for (size_t i = 0; i < 150; i++) {
            Vec3 a = bed_position(&with, i), b = bed_position(&without, i);
            assert_memory_equal(&a, &b, sizeof a);
        }
        assert_null(grains_view(without.grains)->qw);
        archive_destroy(archive);
        bed_destroy(&with);
        bed_destroy(&without);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_spin),
        cmocka_unit_test(test_rolling_ball),
        cmocka_unit_test(test_does_not_change_the_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
