// Amplitude control: the next drive, for responses that grow slowly, quickly, jump, or are noisy.
#include "study/control.h"

#include "base/random.h"
#include "check.h"

static double linear(double u) { return 3 * u; }
static double saturating(double u) { return pow(u, 0.4); }
static double steep(double u) { return u * u * u; }
static double jumping(double u) { return u < 2 ? 0.3 * u : 2 * u; } // nothing between 0.6 and 4

static int attempts(double (*response)(double), double start, double target, double tolerance, double noise) {
    double drives[40], rms[40], u = start;
    Random random = {9};
    for (int i = 0; i < 40; i++) {
        drives[i] = u;
        rms[i] = response(u) * (1 + noise * random_normal(&random));
        if (fabs(rms[i] / target - 1) <= tolerance) return i + 1;
        u = control_next(drives, rms, i + 1, target, tolerance);
        assert_true(u > 0 && isfinite(u));
    }
    return 40;
}

static void test_next_drive(void **state) {
    (void)state;
    assert_true(attempts(linear, 1, 6, 0.02, 0) <= 2);
    assert_true(attempts(linear, 1e-3, 6, 0.02, 0) <= 9); // by factors of three at most
    assert_true(attempts(saturating, 1, 5, 0.02, 0) <= 8);
    assert_true(attempts(steep, 1, 5, 0.02, 0) <= 8);
    assert_true(attempts(linear, 1, 6, 0.05, 0.02) <= 5);
    assert_int_equal(attempts(jumping, 1, 2, 0.02, 0), 40); // it cannot be reached, and stays where it jumps
    double drives[] = {1}, rms[] = {0};
    check_near(control_next(drives, rms, 1, 1, 0.05), 3, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_next_drive)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
