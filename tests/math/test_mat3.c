#include "math/mat3.h"

#include "check_math.h"

static const Mat3 sample = {{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}}};

static void test_building(void **state) {
    (void)state;
    check_mat3_near(mat3_columns(vec3(1, 4, 7), vec3(2, 5, 8), vec3(3, 6, 10)), sample, 0);
    check_vec3_near(mat3_column(sample, 2), vec3(3, 6, 10), 0);
    check_vec3_near(mat3_row(sample, 1), vec3(4, 5, 6), 0);
    check_mat3_near(mat3_transpose(sample), (Mat3){{{1, 4, 7}, {2, 5, 8}, {3, 6, 10}}}, 0);
    check_mat3_near(mat3_identity(), (Mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, 0);
    check_mat3_near(mat3_diagonal(2, 3, 4), (Mat3){{{2, 0, 0}, {0, 3, 0}, {0, 0, 4}}}, 0);
    check_mat3_near(mat3_zero(), (Mat3){{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}, 0);
    check_mat3_near(mat3_outer(vec3(1, 2, 3), vec3(4, 5, 6)), (Mat3){{{4, 5, 6}, {8, 10, 12}, {12, 15, 18}}},
                    0);
}

static void test_arithmetic(void **state) {
    (void)state;
    Mat3 other = {{{0, 1, 0}, {2, 0, 0}, {0, 0, -1}}};
    check_mat3_near(mat3_add(sample, other), (Mat3){{{1, 3, 3}, {6, 5, 6}, {7, 8, 9}}}, 0);
    check_mat3_near(mat3_sub(sample, other), (Mat3){{{1, 1, 3}, {2, 5, 6}, {7, 8, 11}}}, 0);
    check_mat3_near(mat3_scale(2, other), (Mat3){{{0, 2, 0}, {4, 0, 0}, {0, 0, -2}}}, 0);
    check_mat3_near(mat3_mul(sample, other), (Mat3){{{4, 1, -3}, {10, 4, -6}, {16, 7, -10}}}, 0);
    check_vec3_near(mat3_apply(sample, vec3(1, -1, 2)), vec3(5, 11, 19), 0);
    check_vec3_near(mat3_apply_transpose(sample, vec3(1, -1, 2)), vec3(11, 13, 17), 0);
    check_near(mat3_trace(sample), 16, 0);
    check_near(mat3_determinant(sample), -3, 0);
}

static void test_skew(void **state) {
    (void)state;
    Vec3 a = vec3(1, 2, 3), v = vec3(-4, 5, 0.5);
    check_vec3_near(mat3_apply(mat3_skew(a), v), vec3_cross(a, v), 0);
    check_vec3_near(mat3_unskew(mat3_skew(a)), a, 0);
    Mat3 symmetric = {{{1, 5, 6}, {5, 2, 7}, {6, 7, 3}}};
    check_vec3_near(mat3_unskew(mat3_add(symmetric, mat3_skew(a))), a, 0); // of the skew part only
}

static void test_inverse(void **state) {
    (void)state;
    Random random = {11};
    for (int trial = 0; trial < 1000; trial++) {
        Mat3 a = check_random_mat3(&random), inverse = mat3_inverse(a);
        // Rounding of the product grows with the size of both factors; cofactors add a condition number more.
        double size = 0;
        for (int i = 0; i < 3; i++)
            size = fmax(size, vec3_norm(mat3_row(inverse, i)) * vec3_norm(mat3_row(a, i)));
        check_mat3_near(mat3_mul(a, inverse), mat3_identity(), 1e-14 * (1 + size) * (1 + size));
    }
    Mat3 singular = mat3_inverse(mat3_diagonal(1, 2, 0));
    assert_false(isfinite(singular.m[2][2]));
}

// a = axes diag(values) axes^T, axes a rotation, values ascending, to a few ulp of the largest value.
static Vec3 check_eigen(Mat3 a, double scale) {
    Mat3 axes;
    Vec3 values = mat3_symmetric_eigen(a, &axes);
    assert_true(values.x <= values.y && values.y <= values.z);
    check_mat3_near(mat3_mul(axes, mat3_transpose(axes)), mat3_identity(), 5e-15);
    check_near(mat3_determinant(axes), 1, 5e-15);
    Mat3 back = mat3_mul(mat3_mul(axes, mat3_diagonal(values.x, values.y, values.z)), mat3_transpose(axes));
    check_mat3_near(back, a, 1e-14 * scale);
    return values;
}

static void test_symmetric_eigen(void **state) {
    (void)state;
    check_vec3_near(check_eigen(mat3_diagonal(3, -1, 2), 3), vec3(-1, 2, 3), 0);
    check_vec3_near(check_eigen(mat3_identity(), 1), vec3(1, 1, 1), 0);
    check_vec3_near(check_eigen(mat3_zero(), 1), vec3(0, 0, 0), 0);
    Mat3 known = {{{2, -1, 0}, {-1, 2, -1}, {0, -1, 2}}}; // 2 - 2 cos(k pi/4)
    check_vec3_near(check_eigen(known, 2), vec3(2 - sqrt(2), 2, 2 + sqrt(2)), 4e-15);
    Mat3 ones = {{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}}; // two values equal
    check_vec3_near(check_eigen(ones, 1), vec3(0, 0, 3), 4e-15);
    Mat3 only_off = {{{0, 1, 0}, {1, 0, 0}, {0, 0, 0}}};
    check_vec3_near(check_eigen(only_off, 1), vec3(-1, 0, 1), 4e-15);
    Mat3 nearly_equal = {{{1, 1e-9, 0}, {1e-9, 1, 0}, {0, 0, 1}}};
    check_vec3_near(check_eigen(nearly_equal, 1), vec3(1 - 1e-9, 1, 1 + 1e-9), 4e-16);
    Random random = {12};
    for (int trial = 0; trial < 2000; trial++) {
        double scale = pow(10, 60 * random_uniform(&random) - 30);
        Mat3 a = check_random_mat3(&random);
        a = mat3_scale(scale, mat3_add(a, mat3_transpose(a)));
        Vec3 values = check_eigen(a, 5 * scale);
        check_near((values.x + values.y + values.z) / scale, mat3_trace(a) / scale, 5e-14);
        check_vec3_near(mat3_symmetric_eigen(a, NULL), values, 0);
    }
}

static void test_symmetric_eigen_ends_with_nan(void **state) {
    (void)state;
    Mat3 bad = sample;
    bad.m[0][1] = NAN;
    assert_false(vec3_is_finite(mat3_symmetric_eigen(bad, NULL)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_building),
        cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_skew),
        cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_symmetric_eigen),
        cmocka_unit_test(test_symmetric_eigen_ends_with_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
