#include "math/quaternion.h"

#include "check_math.h"
#include "math/frame.h"

static const double pi = 3.14159265358979323846;

// The angles where formulas break: nothing, underflowing squares, the switch to series, half turns, many
// turns.
static const double angles[] = {0,
                                1e-300,
                                1e-170,
                                1e-20,
                                1e-12,
                                1e-8,
                                1e-7,
                                9.999e-4,
                                1.0001e-3,
                                1e-2,
                                0.3,
                                1,
                                1.5707963267948966,
                                2,
                                3,
                                3.14159265258979,
                                3.141592653589793};
enum { angle_count = sizeof angles / sizeof *angles };

static Quaternion random_rotation(Random *random) {
    double w = random_normal(random), x = random_normal(random), y = random_normal(random);
    return quaternion_normalize((Quaternion){w, x, y, random_normal(random)});
}

// The same rotation: equal or opposite.
static void check_same_rotation(Quaternion a, Quaternion b, double tolerance) {
    double sign = quaternion_dot(a, b) < 0 ? -1 : 1;
    check_near(sign * a.w, b.w, tolerance);
    check_vec3_near(vec3_scale(sign, vec3(a.x, a.y, a.z)), vec3(b.x, b.y, b.z), tolerance);
}

static void test_normalize(void **state) {
    (void)state;
    Quaternion expected = {0.1, -0.5, 0.7, 0.5}; // norm 1
    const double scales[] = {1, 3, 1e-7, 1e150, 1e-150, 1e300, 1e-300, 1e-310};
    for (int i = 0; i < 8; i++) {
        double s = scales[i];
        Quaternion q = quaternion_normalize((Quaternion){s * 0.1, s * -0.5, s * 0.7, s * 0.5});
        // A subnormal input has lost digits before it gets here: 1e-310 keeps about 13.
        double tolerance = s < 1e-305 ? 1e-12 : 3e-16;
        check_near(q.w, expected.w, tolerance);
        check_vec3_near(vec3(q.x, q.y, q.z), vec3(expected.x, expected.y, expected.z), tolerance);
    }
    Quaternion zero = quaternion_normalize((Quaternion){0, 0, 0, 0});
    assert_true(zero.w == 1 && zero.x == 0 && zero.y == 0 && zero.z == 0);
    assert_true(isnan(quaternion_normalize((Quaternion){NAN, 0, 0, 1}).w)); // not hidden
}

static void test_multiplication_composes(void **state) {
    (void)state;
    Quaternion i = {0, 1, 0, 0}, j = {0, 0, 1, 0}, k = quaternion_mul(i, j);
    assert_true(k.w == 0 && k.x == 0 && k.y == 0 && k.z == 1);
    Random random = {21};
    for (int trial = 0; trial < 1000; trial++) {
        Quaternion a = random_rotation(&random), b = random_rotation(&random);
        Vec3 v = check_random_vec3(&random);
        Vec3 twice = quaternion_rotate(a, quaternion_rotate(b, v));
        check_vec3_near(quaternion_rotate(quaternion_mul(a, b), v), twice, 5e-15 * vec3_norm(v));
        check_vec3_near(quaternion_unrotate(a, quaternion_rotate(a, v)), v, 5e-15 * vec3_norm(v));
        Mat3 product = mat3_mul(quaternion_to_matrix(a), quaternion_to_matrix(b));
        check_mat3_near(quaternion_to_matrix(quaternion_mul(a, b)), product, 3e-15);
    }
}

static void test_matrix_of_known_turns(void **state) {
    (void)state;
    Quaternion quarter = quaternion_from_rotation_vector(vec3(0, 0, pi / 2));
    check_vec3_near(quaternion_rotate(quarter, vec3(1, 0, 0)), vec3(0, 1, 0), 1e-15);
    check_mat3_near(quaternion_to_matrix(quarter), (Mat3){{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}}, 1e-15);
    Quaternion large = {2, 0, 0, 2}; // the same turn, not normalised
    check_mat3_near(quaternion_to_matrix(large), (Mat3){{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}}, 1e-15);
}

static void test_matrix_agrees_with_rotate(void **state) {
    (void)state;
    Random random = {22};
    for (int trial = 0; trial < 1000; trial++) {
        Quaternion q = random_rotation(&random);
        Mat3 matrix = quaternion_to_matrix(q);
        Vec3 v = check_random_vec3(&random);
        check_vec3_near(mat3_apply(matrix, v), quaternion_rotate(q, v), 4e-15 * vec3_norm(v));
        check_mat3_near(mat3_mul(matrix, mat3_transpose(matrix)), mat3_identity(), 2e-15);
        check_near(mat3_determinant(matrix), 1, 2e-15);
        check_same_rotation(quaternion_from_matrix(matrix), q, 2e-15);
    }
}

// Every branch of from_matrix, and the half turns on which one component alone is left.
static void test_from_matrix_branches(void **state) {
    (void)state;
    Random random = {23};
    for (int largest = 0; largest < 4; largest++)
        for (int trial = 0; trial < 200; trial++) {
            double c[4];
            double small = trial ? pow(10, -16 * random_uniform(&random)) : 0;
            for (int i = 0; i < 4; i++) c[i] = i == largest ? 1 : small * (2 * random_uniform(&random) - 1);
            Quaternion q = quaternion_normalize((Quaternion){c[0], c[1], c[2], c[3]});
            Quaternion back = quaternion_from_matrix(quaternion_to_matrix(q));
            assert_true(back.w >= 0);
            check_same_rotation(back, q, 2e-15);
        }
}

static void test_exponential_and_logarithm(void **state) {
    (void)state;
    Random random = {24};
    for (int trial = 0; trial < 500; trial++)
        for (int i = 0; i < angle_count; i++) {
            Vec3 phi = vec3_scale(angles[i], check_random_direction(&random));
            Quaternion q = quaternion_from_rotation_vector(phi);
            check_near(quaternion_dot(q, q), 1, 1e-15);
            Vec3 back = quaternion_to_rotation_vector(q);
            // Relative, so that a tiny angle keeps its digits too. At pi rounding may choose the other sign.
            if (angles[i] > 3.1415926535 && vec3_dot(back, phi) < 0) back = vec3_neg(back);
            check_vec3_near(back, phi, 2e-15 * angles[i]);
            // Neither the sign nor the length of a quaternion matters.
            Quaternion longer = {-3 * q.w, -3 * q.x, -3 * q.y, -3 * q.z};
            Vec3 again = quaternion_to_rotation_vector(longer);
            if (angles[i] > 3.1415926535 && vec3_dot(again, phi) < 0) again = vec3_neg(again);
            check_vec3_near(again, phi, 2e-15 * angles[i]);
        }
}

static void test_large_angles_wrap(void **state) {
    (void)state;
    Vec3 axis = vec3_normalize(vec3(1, -2, 0.5));
    for (int turns = 1; turns <= 1000; turns *= 10)
        for (double rest = -3; rest <= 3; rest += 0.5) {
            Quaternion q = quaternion_from_rotation_vector(vec3_scale(2 * pi * turns + rest, axis));
            // The angle itself carries a rounding error of 2 pi turns times 1e-16.
            check_vec3_near(quaternion_to_rotation_vector(q), vec3_scale(rest, axis), 2e-15 * (1 + turns));
        }
}

static void test_logarithm_at_half_turn(void **state) {
    (void)state;
    check_vec3_near(quaternion_to_rotation_vector((Quaternion){0, 0, 1, 0}), vec3(0, pi, 0), 1e-15);
    check_vec3_near(quaternion_to_rotation_vector((Quaternion){-1, 0, 0, 0}), vec3(0, 0, 0), 0);
}

static void test_motion_of_a_frame(void **state) {
    (void)state;
    Motion motion = motion_at_rest();
    motion.position = vec3(1, 2, 3);
    motion.orientation = quaternion_from_rotation_vector(vec3(0, 0, pi / 2));
    motion.velocity = vec3(0, 0, 5);
    motion.angular_velocity = vec3(0, 0, 2);
    Vec3 world = motion_to_world(&motion, vec3(1, 0, 0));
    check_vec3_near(world, vec3(1, 3, 3), 1e-15);
    check_vec3_near(motion_to_local(&motion, world), vec3(1, 0, 0), 1e-15);
    check_vec3_near(motion_velocity_at(&motion, world), vec3(-2, 0, 5), 1e-15);
    Load load = {vec3(1, 2, 3), vec3(4, 5, 6)};
    check_near(load_power(&load, &motion), 27, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normalize),
        cmocka_unit_test(test_multiplication_composes),
        cmocka_unit_test(test_matrix_of_known_turns),
        cmocka_unit_test(test_matrix_agrees_with_rotate),
        cmocka_unit_test(test_from_matrix_branches),
        cmocka_unit_test(test_exponential_and_logarithm),
        cmocka_unit_test(test_large_angles_wrap),
        cmocka_unit_test(test_logarithm_at_half_turn),
        cmocka_unit_test(test_motion_of_a_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
