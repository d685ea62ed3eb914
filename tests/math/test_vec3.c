#include "math/vec3.h"

#include "check_math.h"

static void test_arithmetic(void **state) {
    (void)state;
    Vec3 a = vec3(1, -2, 3), b = vec3(0.5, 4, -6);
    check_vec3_near(vec3_add(a, b), vec3(1.5, 2, -3), 0);
    check_vec3_near(vec3_sub(a, b), vec3(0.5, -6, 9), 0);
    check_vec3_near(vec3_neg(a), vec3(-1, 2, -3), 0);
    check_vec3_near(vec3_scale(-2, a), vec3(-2, 4, -6), 0);
    check_vec3_near(vec3_madd(a, 2, b), vec3(2, 6, -9), 0);
    check_vec3_near(vec3_zero(), vec3(0, 0, 0), 0);
    check_near(vec3_dot(a, b), -25.5, 0);
    check_near(vec3_norm2(a), 14, 0);
    check_near(vec3_norm(vec3(2, -3, 6)), 7, 0);
}

static void test_components(void **state) {
    (void)state;
    Vec3 a = vec3(7, 8, 9);
    for (int i = 0; i < 3; i++) check_near(vec3_component(a, i), 7 + i, 0);
    for (int i = 0; i < 3; i++) vec3_set_component(&a, i, -i);
    check_vec3_near(a, vec3(0, -1, -2), 0);
}

static void test_cross_product(void **state) {
    (void)state;
    check_vec3_near(vec3_cross(vec3(1, 0, 0), vec3(0, 1, 0)), vec3(0, 0, 1), 0);
    check_vec3_near(vec3_cross(vec3(0, 1, 0), vec3(0, 0, 1)), vec3(1, 0, 0), 0);
    check_vec3_near(vec3_cross(vec3(0, 0, 1), vec3(1, 0, 0)), vec3(0, 1, 0), 0);
    Random random = {1};
    for (int trial = 0; trial < 1000; trial++) {
        Vec3 a = check_random_vec3(&random), b = check_random_vec3(&random), c = check_random_vec3(&random);
        double scale = vec3_norm(a) * vec3_norm(b) * (1 + vec3_norm(c)) * 1e-15;
        // a x (b x c) = b (a.c) - c (a.b)
        Vec3 expected = vec3_sub(vec3_scale(vec3_dot(a, c), b), vec3_scale(vec3_dot(a, b), c));
        check_vec3_near(vec3_cross(a, vec3_cross(b, c)), expected, 8 * scale);
        check_near(vec3_dot(a, vec3_cross(b, c)), vec3_dot(b, vec3_cross(c, a)), 8 * scale);
    }
}

static void test_normalize(void **state) {
    (void)state;
    check_vec3_near(vec3_normalize(vec3(0, 3, -4)), vec3(0, 0.6, -0.8), 2e-16);
    check_vec3_near(vec3_normalize(vec3_zero()), vec3_zero(), 0);
    Random random = {2};
    for (int trial = 0; trial < 1000; trial++) {
        Vec3 a = vec3_scale(pow(10, 40 * random_uniform(&random) - 20), check_random_vec3(&random));
        check_near(vec3_norm(vec3_normalize(a)), 1, 1e-15);
        check_near(vec3_norm(vec3_cross(vec3_normalize(a), a)) / vec3_norm(a), 0, 1e-15);
        assert_true(vec3_dot(vec3_normalize(a), a) > 0);
    }
}

static void test_perpendicular(void **state) {
    (void)state;
    Random random = {3};
    for (int trial = 0; trial < 1003; trial++) {
        Vec3 n = vec3_zero();
        if (trial < 3) vec3_set_component(&n, trial, 1);
        else n = check_random_direction(&random);
        Vec3 p = vec3_perpendicular(n);
        check_near(vec3_norm(p), 1, 1e-15);
        check_near(vec3_dot(p, n), 0, 1e-15);
    }
}

static void test_finite(void **state) {
    (void)state;
    assert_true(vec3_is_finite(vec3(1, 2, 3)));
    for (int i = 0; i < 3; i++) {
        Vec3 bad = vec3(1, 2, 3);
        vec3_set_component(&bad, i, NAN);
        assert_false(vec3_is_finite(bad));
        vec3_set_component(&bad, i, -INFINITY);
        assert_false(vec3_is_finite(bad));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic),    cmocka_unit_test(test_components),
        cmocka_unit_test(test_cross_product), cmocka_unit_test(test_normalize),
        cmocka_unit_test(test_perpendicular), cmocka_unit_test(test_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
