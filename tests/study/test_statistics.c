// Student's t against tables, and how often stated intervals hold the true mean.
#include "study/statistics.h"

#include "base/random.h"
#include "check.h"

static void test_student_quantiles(void **state) {
    (void)state;
    static const double table[][3] = {{0.975, 1, 12.706204736}, {0.975, 2, 4.302652730},
                                      {0.975, 9, 2.262157163},  {0.975, 30, 2.042272456},
                                      {0.95, 5, 2.015048373},   {0.975, 1e7, 1.959964}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        check_near(student_quantile(table[i][0], table[i][1]), table[i][2], 1e-6);
    check_near(student_quantile(0.025, 9), -2.262157163, 1e-6);
    assert_true(isnan(student_quantile(0.975, 0)));
}

static void test_means(void **state) {
    (void)state;
    const double values[] = {1, 2, 4};
    Estimate e = estimate_independent(values, 3);
    check_near(e.mean, 7.0 / 3, 1e-15);
    check_near(e.deviation, sqrt(7.0 / 3), 1e-14);
    check_near(e.interval, 4.302652730 * sqrt(7.0 / 9), 1e-6);
    assert_true(isnan(estimate_independent(values, 0).mean));
    assert_true(isnan(estimate_independent(values, 1).interval));
    const double equal[] = {3, 3, 3, 3, 3, 3, 3, 3};
    assert_true(estimate_series(equal, 8).interval == 0);
}

// x' = phi x + noise: the correlation of neighbours is phi, and the mean is known. `swing`: what is added to every other
// value and taken off the others.
static int test_covered(double phi, double swing, size_t count, uint64_t seed, bool as_series) {
    double values[400];
    Random random = {seed};
    int covered = 0;
    for (int trial = 0; trial < 200; trial++) {
        double x = random_normal(&random) / sqrt(1 - phi * phi);
        for (size_t i = 0; i < count; i++) {
            values[i] = 5 + x + (i % 2 == 0 ? swing : -swing);
            x = phi * x + random_normal(&random);
        }
        Estimate e = as_series ? estimate_series(values, count) : estimate_independent(values, count);
        covered += fabs(e.mean - 5) <= e.interval;
    }
    return covered;
}

static void test_coverage_of_series(void **state) {
    (void)state;
    static const struct {
        double phi, swing;
        size_t count;
    } cases[] = {{0, 0, 20},     {0, 0, 100},   {0.5, 0, 40},   {0.5, 0, 200},  {0.8, 0, 200}, {0.9, 0, 400},
                 {-0.3, 0, 200}, {-0.5, 0, 40}, {-0.5, 0, 100}, {-0.7, 0, 200}, {0.8, 4, 400}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int covered = test_covered(cases[i].phi, cases[i].swing, cases[i].count, 101 + i, true);
        print_message("phi %.1f, swing %g, %zu values: %d of 200\n", cases[i].phi, cases[i].swing,
                      cases[i].count, covered);
        assert_true(covered >= 180);
        assert_true(covered <= 198);
    }
    // Taken for independent, the same values promise too much.
    assert_true(test_covered(0.8, 0, 200, 3, false) < 140);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_student_quantiles),
        cmocka_unit_test(test_means),
        cmocka_unit_test(test_coverage_of_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
