// Calibration on models whose values are known: intervals that hold the truth, and what cannot be told apart.
#include "study/calibrate.h"

#include <math.h>

#include "check.h"
#include "study/surrogate.h"

enum { FEATURES = 12, POINTS = 24, BEDS = 4 };

static double noise(unsigned *seed) {
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        *seed = *seed * 1664525u + 1013904223u;
        sum += (*seed >> 8) / 16777216.0;
    }
    return sum;
}

// A decay: rate and, with `apart`, the way it bends; otherwise the sum of two rates, which nothing can tell apart.
static double feature(double a, double b, int k, bool apart) {
    double t = k / (double)(FEATURES - 1);
    return apart ? -(1 + 2 * a) * t - (0.5 + b) * t * t : -(1 + a + b) * t;
}

// One bed shifts and tilts all features together, and each has a noise of its own.
static void bed(double a, double b, bool apart, double scatter, unsigned *seed, double *features) {
    double shift = scatter * noise(seed), tilt = scatter * noise(seed);
    for (int k = 0; k < FEATURES; k++)
        features[k] = feature(a, b, k, apart) + shift + tilt * k / FEATURES + 0.2 * scatter * noise(seed);
}

typedef struct Case {
    double places[2 * POINTS], means[FEATURES * POINTS], data[FEATURES], scatter[FEATURES * FEATURES];
} Case;

static Calibration make_case(Case *c, double a, double b, bool apart, double scatter, unsigned seed) {
    memset(c, 0, sizeof *c);
    for (int i = 0; i < POINTS; i++) {
        double all[BEDS][FEATURES];
        for (int v = 0; v < 2; v++) c->places[2 * i + v] = surrogate_spread((unsigned)i, v);
        for (int n = 0; n < BEDS; n++) {
            bed(c->places[2 * i], c->places[2 * i + 1], apart, scatter, &seed, all[n]);
            for (int k = 0; k < FEATURES; k++) c->means[i * FEATURES + k] += all[n][k] / BEDS;
        }
        for (int n = 0; n < BEDS; n++)
            for (int k = 0; k < FEATURES; k++)
                for (int l = 0; l < FEATURES; l++)
                    c->scatter[k * FEATURES + l] += (all[n][k] - c->means[i * FEATURES + k]) *
                                                    (all[n][l] - c->means[i * FEATURES + l]) /
                                                    (POINTS * (BEDS - 1));
    }
    bed(a, b, apart, scatter, &seed, c->data);
    return (Calibration){.variables = 2,
                         .features = FEATURES,
                         .count = POINTS,
                         .places = c->places,
                         .means = c->means,
                         .data = c->data,
                         .scatter = c->scatter,
                         .beds = BEDS};
}

static bool covers(const CalibrateInterval *interval, double truth) {
    return interval->lower <= truth && truth <= interval->upper;
}

static void test_coverage(void **state) {
    (void)state;
    static Case memory;
    int covered = 0, trials = 20;
    double width = 0;
    for (int trial = 0; trial < trials; trial++) {
        Calibration c = make_case(&memory, 0.4, 0.6, true, 0.03, 7 + 100 * (unsigned)trial);
        assert_true(calibrate(&c));
        covered += covers(&c.intervals[0], 0.4) + covers(&c.intervals[1], 0.6);
        width += (c.intervals[0].upper - c.intervals[0].lower) / trials;
    }
    assert_true(covered >= 34); // of 40: 95 % and some luck
    assert_true(width < 0.5);
}

static void test_exact(void **state) { // no scatter at all
    (void)state;
    static Case memory;
    Calibration c = make_case(&memory, 0.4, 0.6, true, 0, 3);
    assert_true(calibrate(&c));
    check_near(c.intervals[0].best, 0.4, 0.02);
    check_near(c.intervals[1].best, 0.6, 0.03);
    assert_true(c.intervals[0].upper - c.intervals[0].lower < 0.1);
}

static void test_apart(void **state) {
    (void)state;
    static Case memory;
    Calibration c = make_case(&memory, 0.4, 0.6, false, 0.01, 3);
    assert_true(calibrate(&c));
    assert_true(c.correlation[0][1] < -0.95);
    assert_true(c.intervals[0].upper - c.intervals[0].lower > 0.7);
}

// The best value at the end of its range: its interval reaches inwards.
static void test_end_of_range(void **state) {
    (void)state;
    static Case memory;
    Calibration c = make_case(&memory, 1, 0.6, true, 0.03, 5);
    for (int k = 0; k < FEATURES; k++)
        memory.data[k] += 0.05 * (feature(1, 0.6, k, true) - feature(0.8, 0.6, k, true));
    assert_true(calibrate(&c));
    print_message("best %g, from %g to %g\n", c.intervals[0].best, c.intervals[0].lower,
                  c.intervals[0].upper);
    assert_true(c.intervals[0].upper_open && !c.intervals[0].lower_open);
    assert_true(c.intervals[0].lower < 0.995 && c.intervals[0].upper == 1);
}

static void test_misfit(void **state) { // data that no values of the model give
    (void)state;
    static Case memory;
    Calibration c = make_case(&memory, 0.4, 0.6, true, 0.001, 3);
    for (int k = 0; k < FEATURES; k++) memory.data[k] += k % 2 ? 0.2 : -0.2;
    assert_true(calibrate(&c));
    check_near(c.misfit, 0.2, 0.06);
}

static void test_far(void **state) { // a model that does the same for all values, far from the data
    (void)state;
    static Case memory;
    Calibration c = make_case(&memory, 0.4, 0.6, true, 0, 3);
    for (int i = 0; i < FEATURES * POINTS; i++) memory.means[i] = 1;
    for (int k = 0; k < FEATURES; k++) memory.data[k] = 3;
    assert_true(calibrate(&c));
    check_near(c.misfit, 2, 0.3);
    assert_true(c.intervals[0].lower_open && c.intervals[0].upper_open);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_coverage), cmocka_unit_test(test_exact),
                                       cmocka_unit_test(test_apart),    cmocka_unit_test(test_end_of_range),
                                       cmocka_unit_test(test_misfit),   cmocka_unit_test(test_far)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
