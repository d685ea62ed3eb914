#include "math/two_step.h"

#include "check.h"

static const double rhos[] = {0, 0.17, 0.32, 1.0 / 3, 0.52, 0.6, 0.9, 1};
enum { rho_count = sizeof rhos / sizeof *rhos };

// Exact for y = 1, t, t^2: the conditions of order two, which do not use the formula for beta and delta.
static void is_of_second_order(void **state) {
    (void)state;
    for (int i = 0; i < rho_count; i++) {
        TwoStep c = two_step(rhos[i]);
        double h = 0.3;
        check_near(two_step_advance(&c, h, 1, 1, 0, 0, 0), 1, 1e-15);
        check_near(two_step_advance(&c, h, 0, -h, 1, 1, 1), h, 1e-15);
        check_near(two_step_advance(&c, h, 0, h * h, 2 * h, 0, -2 * h), h * h, 1e-15);
        check_near(c.b0, 2 / ((1 + rhos[i]) * (3 - rhos[i])), 1e-15);
    }
}

static void known_members(void **state) {
    (void)state;
    TwoStep bdf2 = two_step(0), undamped = two_step(1);
    check_near(bdf2.a1, 4.0 / 3, 1e-15);
    check_near(bdf2.a2, -1.0 / 3, 1e-15);
    check_near(bdf2.b0, 2.0 / 3, 1e-15);
    check_near(bdf2.b1, 0, 1e-15);
    check_near(bdf2.b2, 0, 1e-15);
    check_near(undamped.a2, 1, 0);
    check_near(undamped.b1, 1, 0);
}

static void damps_as_asked(void **state) {
    (void)state;
    for (int i = 0; i < rho_count; i++) {
        TwoStep c = two_step(rhos[i]);
        check_near(two_step_radius(&c, -1e12), rhos[i], 1e-5); // a double root: half the digits
        check_near(two_step_radius(&c, 1e12 * I), rhos[i], 1e-5);
        for (double angle = 0.5; angle <= 1.0; angle += 0.05) // the left half-plane
            for (double size = 1e-3; size < 1e4; size *= 2.7)
                assert_true(two_step_radius(&c, size * cexp(I * 3.141592653589793 * angle)) <= 1 + 1e-12);
    }
}

// The prediction is exact for cubic motion.
static void predicts_cubics(void **state) {
    (void)state;
    double h = 0.2, t = 0.7, o = t - h;
    check_near(two_step_predict_rate(h, t * t * t, o * o * o, 3 * t * t, 3 * o * o), 3 * (t + h) * (t + h),
               1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_of_second_order),
        cmocka_unit_test(known_members),
        cmocka_unit_test(damps_as_asked),
        cmocka_unit_test(predicts_cubics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
