#include "math/so3.h"

#include "check_math.h"

static const double pi = 3.14159265358979323846;

// Nothing, underflowing squares, both sides of every switch to a series (1e-3, sqrt(0.1), 1, 2e-3), half
// turns.
static const double angles[] = {0,
                                1e-300,
                                1e-160,
                                1e-20,
                                1e-12,
                                1e-9,
                                1e-7,
                                1e-5,
                                9.9e-4,
                                1.01e-3,
                                1.9e-3,
                                2.1e-3,
                                0.1,
                                0.316,
                                0.3163,
                                0.5,
                                0.999,
                                1.001,
                                1.5707963267948966,
                                2,
                                3,
                                3.14,
                                3.14159265358979323846 - 1e-6,
                                3.14159265358979323846 - 1e-9,
                                3.14159265358979323846};
enum { angle_count = sizeof angles / sizeof *angles };

// sum of skew(phi)^k / (k + first)! ... : exp for first = 0, the left differential for first = 1. The power
// series itself, which knows nothing of sines; good to 1e-15 for angles up to about pi.
static Mat3 power_series(Vec3 phi, int first) {
    Mat3 sum = mat3_zero(), term = mat3_identity();
    for (int k = 0; k < 60; k++) {
        sum = mat3_add(sum, term);
        term = mat3_scale(1.0 / (k + 1 + first), mat3_mul(term, mat3_skew(phi)));
    }
    return sum;
}

static void test_exp_is_the_matrix_exponential(void **state) {
    (void)state;
    check_mat3_near(so3_exp(vec3(0, 0, pi / 2)), (Mat3){{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}}, 1e-15);
    check_mat3_near(so3_exp(vec3_zero()), mat3_identity(), 0);
    Random random = {31};
    for (int trial = 0; trial < 200; trial++)
        for (int i = 0; i < angle_count; i++) {
            Vec3 phi = vec3_scale(angles[i], check_random_direction(&random));
            Mat3 rotation = so3_exp(phi);
            // The terms of the series reach pi^3/6 = 5 before they fall: a few ulp of that.
            check_mat3_near(rotation, power_series(phi, 0), 1e-14);
            check_mat3_near(mat3_mul(rotation, mat3_transpose(rotation)), mat3_identity(), 3e-15);
            check_near(mat3_determinant(rotation), 1, 3e-15);
            check_vec3_near(mat3_apply(rotation, phi), phi, 2e-15 * angles[i]); // the axis stays
        }
}

static void test_exp_composes_about_one_axis(void **state) {
    (void)state;
    Random random = {32};
    for (int trial = 0; trial < 500; trial++) {
        Vec3 axis = check_random_direction(&random);
        double a = 10 * random_normal(&random), b = 10 * random_normal(&random);
        Mat3 product = mat3_mul(so3_exp(vec3_scale(a, axis)), so3_exp(vec3_scale(b, axis)));
        // The axis is a unit vector to 1e-16 only, which the angles (up to about 80) multiply.
        check_mat3_near(product, so3_exp(vec3_scale(a + b, axis)), 5e-14);
    }
}

static void test_log_of_exp(void **state) {
    (void)state;
    Random random = {33};
    for (int trial = 0; trial < 500; trial++)
        for (int i = 0; i < angle_count; i++) {
            Vec3 phi = vec3_scale(angles[i], check_random_direction(&random));
            Mat3 rotation = so3_exp(phi);
            Vec3 back = so3_log(rotation);
            check_mat3_near(so3_exp(back), rotation, 4e-15);
            assert_true(vec3_norm(back) <= pi * (1 + 1e-15));
            // At pi itself rounding decides the sign. Elsewhere the tolerance is relative: tiny angles keep
            // their digits; near pi the entries of the matrix, good to 1e-16, fix the angle to a few 1e-16.
            if (angles[i] > pi - 1e-12 && vec3_dot(back, phi) < 0) back = vec3_neg(back);
            check_vec3_near(back, phi, 4e-15 * angles[i]);
        }
}

static void test_log_of_half_turns(void **state) {
    (void)state;
    check_vec3_near(so3_log(mat3_identity()), vec3_zero(), 0);
    for (int i = 0; i < 3; i++) {
        Mat3 half = mat3_scale(-1, mat3_identity());
        half.m[i][i] = 1;
        Vec3 phi = so3_log(half);
        check_near(fabs(vec3_component(phi, i)), pi, 1e-15);
        check_near(vec3_norm(phi), pi, 1e-15);
    }
}

// d exp(phi + h e)/dh exp(phi)^T at h = 0 by the five-point quotient: truncation h^4/30 times the fifth
// derivative (about 1) is 3e-14 at h = 1e-3, rounding 1e-16/h = 1e-13.
static const double quotient_step = 1e-3, quotient_tolerance = 2e-12;

static Mat3 rotation_quotient(Mat3 (*map)(Vec3), Vec3 at, Vec3 direction) {
    double h = quotient_step;
    Mat3 near = mat3_sub(map(vec3_madd(at, h, direction)), map(vec3_madd(at, -h, direction)));
    Mat3 far = mat3_sub(map(vec3_madd(at, 2 * h, direction)), map(vec3_madd(at, -2 * h, direction)));
    return mat3_scale(1 / (12 * h), mat3_sub(mat3_scale(8, near), far));
}

static void check_left_differential(Mat3 (*map)(Vec3), Mat3 (*tangent)(Vec3), Vec3 at) {
    for (int j = 0; j < 3; j++) {
        Vec3 direction = vec3_zero();
        vec3_set_component(&direction, j, 1);
        Mat3 spin = mat3_mul(rotation_quotient(map, at, direction), mat3_transpose(map(at)));
        check_mat3_near(spin, mat3_skew(mat3_column(tangent(at), j)), quotient_tolerance);
    }
}

static void test_tangent_is_the_left_differential(void **state) {
    (void)state;
    Random random = {34};
    for (int trial = 0; trial < 50; trial++)
        for (int i = 0; i < angle_count; i++)
            check_left_differential(so3_exp, so3_tangent,
                                    vec3_scale(angles[i], check_random_direction(&random)));
    for (double angle = 4; angle < 12; angle += 0.5) // beyond one turn too
        check_left_differential(so3_exp, so3_tangent, vec3_scale(angle, check_random_direction(&random)));
}

static void test_tangent_against_series(void **state) {
    (void)state;
    Random random = {35};
    for (int trial = 0; trial < 200; trial++)
        for (int i = 0; i < angle_count; i++) {
            Vec3 phi = vec3_scale(angles[i], check_random_direction(&random));
            Mat3 series = power_series(phi, 1);
            check_mat3_near(so3_tangent(phi), series, 4e-15);
            check_vec3_near(mat3_apply(so3_tangent(phi), phi), phi, 2e-15 * angles[i]);
            // The determinant of T is 2(1 - cos a)/a^2 >= 4/pi^2, so inverting it costs little, and least at
            // small angles.
            check_mat3_near(so3_tangent_inverse(phi), mat3_inverse(series), angles[i] < 1 ? 3e-15 : 2e-14);
            // The right differential is T^T = R^T T.
            Mat3 right = mat3_mul(mat3_transpose(so3_exp(phi)), so3_tangent(phi));
            check_mat3_near(right, mat3_transpose(so3_tangent(phi)), 4e-15);
        }
}

static void test_tangent_inverse_beyond_half_turn(void **state) {
    (void)state;
    Random random = {36};
    for (double angle = 3.2; angle < 6; angle += 0.1) {
        Vec3 phi = vec3_scale(angle, check_random_direction(&random));
        check_mat3_near(mat3_mul(so3_tangent_inverse(phi), so3_tangent(phi)), mat3_identity(), 1e-13);
        Vec3 v = vec3(0.3, -1.2, 0.7);
        check_vec3_near(so3_tangent_inverse_apply(phi, v), mat3_apply(so3_tangent_inverse(phi), v), 1e-13);
    }
}

// Both sides of the switch to a series (1), beyond half a turn too.
static void test_tangent_derivatives(void **state) {
    (void)state;
    static const double sizes[] = {0, 1e-160, 1e-8, 1e-3, 0.1, 0.316, 0.3163, 0.9, 0.999, 1.001, 2, 3, 4.5};
    Random random = {40};
    for (int trial = 0; trial < 50; trial++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            Vec3 phi = vec3_scale(sizes[i], check_random_direction(&random)),
                 v = check_random_direction(&random);
            Vec3 direction = check_random_direction(&random);
            Vec3 quotient = mat3_apply(rotation_quotient(so3_tangent, phi, direction), v);
            check_vec3_near(mat3_apply(so3_tangent_derivative(phi, v), direction), quotient,
                            quotient_tolerance);
            quotient = mat3_apply(rotation_quotient(so3_tangent_inverse, phi, direction), v);
            check_vec3_near(mat3_apply(so3_tangent_inverse_derivative(phi, v), direction), quotient,
                            5 * quotient_tolerance);
            Vec3 change = mat3_apply(so3_tangent_inverse_derivative(phi, v), direction);
            check_vec3_near(so3_tangent_inverse_change(phi, v, direction), change,
                            1e-14 * (1 + vec3_norm(change)));
            // T^-1 T v = v for every phi, so the two derivatives cancel.
            Vec3 image = mat3_apply(so3_tangent(phi), v);
            Mat3 sum = mat3_add(so3_tangent_inverse_derivative(phi, image),
                                mat3_mul(so3_tangent_inverse(phi), so3_tangent_derivative(phi, v)));
            check_mat3_near(sum, mat3_zero(), 2e-14);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exp_is_the_matrix_exponential),
        cmocka_unit_test(test_exp_composes_about_one_axis),
        cmocka_unit_test(test_log_of_exp),
        cmocka_unit_test(test_log_of_half_turns),
        cmocka_unit_test(test_tangent_is_the_left_differential),
        cmocka_unit_test(test_tangent_against_series),
        cmocka_unit_test(test_tangent_derivatives),
        cmocka_unit_test(test_tangent_inverse_beyond_half_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
