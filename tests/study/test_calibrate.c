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

// ---- valleys: fits of a model in rounds, as maraca fit makes them -------------------------------------------
enum { VALLEY_VALUES = 3, VALLEY_FEATURES = 16, VALLEY_PLACES = 120 };

typedef struct Valley {
    double (*feature)(const double *place, int k);
    double places[VALLEY_VALUES * VALLEY_PLACES], means[VALLEY_FEATURES * VALLEY_PLACES];
    double data[VALLEY_FEATURES], scatter[VALLEY_FEATURES * VALLEY_FEATURES];
    int count;
} Valley;

static const double valley_low[] = {1, 5e3, 5}, valley_high[] = {4, 15e3, 20},
                    valley_truth[] = {2.4, 9.5e3, 11};

static double valley_place(int v, double value) {
    return log(value / valley_low[v]) / log(valley_high[v] / valley_low[v]);
}

// The transmissibility of a mass on a spring and a dashpot: only k/m and c/m are in it.
static double transmissibility(const double *place, int k) {
    static const double offsets[] = {-3,  -2.3, -1.7, -1.2, -0.8, -0.5, -0.25, 0,
                                     0.2, 0.4,  0.7,  1,    1.4,  2,    2.5,   3};
    double x[VALLEY_VALUES], w = 2 * 3.14159265358979 * (10 + offsets[k]);
    for (int v = 0; v < VALLEY_VALUES; v++)
        x[v] = valley_low[v] * pow(valley_high[v] / valley_low[v], place[v]);
    return log(hypot(x[1], x[2] * w) / hypot(x[1] - x[0] * w * w, x[2] * w));
}

static double sum_of_three(const double *place, int k) {
    return (place[0] + place[1] + place[2]) * (1 + 0.1 * k);
}

static void valley_add(Valley *y, const double *place) {
    assert_true(y->count < VALLEY_PLACES);
    double *own = y->places + VALLEY_VALUES * y->count;
    for (int v = 0; v < VALLEY_VALUES; v++) own[v] = round(1000 * place[v]) / 1000;
    for (int k = 0; k < VALLEY_FEATURES; k++) y->means[y->count * VALLEY_FEATURES + k] = y->feature(own, k);
    y->count++;
}

// Returns how many further runs the ends of the intervals took.
static int valley_fit(Valley *y, const double *truth, double error, unsigned seed, Calibration *c) {
    double next[4 * VALLEY_VALUES * VALLEY_VALUES], place[VALLEY_VALUES];
    int found = 1, before = 0;
    for (int k = 0; k < VALLEY_FEATURES; k++) y->data[k] = y->feature(truth, k) + error * noise(&seed);
    for (unsigned i = 0; i < 18; i++) {
        for (int v = 0; v < VALLEY_VALUES; v++) place[v] = surrogate_spread(i, v);
        valley_add(y, place);
    }
    for (int round = 1; found > 0 && round < 10; round++) {
        *c = (Calibration){.variables = VALLEY_VALUES,
                           .features = VALLEY_FEATURES,
                           .count = (size_t)y->count,
                           .places = y->places,
                           .means = y->means,
                           .data = y->data,
                           .scatter = y->scatter,
                           .beds = 1};
        if (round < 4) assert_true(calibrate_propose(c, 10, next, &found));
        else {
            if (round == 4) before = y->count;
            assert_true(calibrate(c));
            calibrate_check(c, next, &found);
        }
        for (int i = 0; i < found; i++) valley_add(y, next + i * VALLEY_VALUES);
    }
    assert_int_equal(found, 0); // the ends hold
    return y->count - before;
}

// Of a mass, a stiffness and a dashpot only ratios are determined: intervals end where the range of the stiffness does, with
// noise and without. The stiffness over the mass is 9500/2.4, and the dashpot 11/2.4.
static void test_ratios(void **state) {
    (void)state;
    static Valley y;
    Calibration c;
    for (int noisy = 0; noisy < 2; noisy++) {
        double place[VALLEY_VALUES];
        memset(&y, 0, sizeof y);
        y.feature = transmissibility;
        for (int v = 0; v < VALLEY_VALUES; v++) place[v] = valley_place(v, valley_truth[v]);
        int more = valley_fit(&y, place, noisy ? 0.01 : 0, 5, &c);
        print_message("%d more runs\n", more);
        assert_true(more <= 24);
        for (int v = 0; v < VALLEY_VALUES; v++) {
            const CalibrateInterval *i = &c.intervals[v];
            double part = valley_truth[v] / valley_truth[1];
            print_message("from %g to %g\n", i->lower, i->upper);
            check_near(i->lower, valley_place(v, valley_low[1] * part), 0.04);
            check_near(i->upper, valley_place(v, valley_high[1] * part), 0.04);
            assert_true(i->lower_open && i->upper_open);
            assert_int_equal(i->stops[0], 1);
            assert_int_equal(i->stops[1], 1);
            assert_int_equal(c.groups[v], 1);
        }
        assert_true(c.correlation[0][1] > 0.95 && c.correlation[0][2] > 0.9);
    }
}

// A plane: no two values are strongly correlated, but the three are tied.
static void test_sum_of_three(void **state) {
    (void)state;
    static Valley y;
    Calibration c;
    const double truth[] = {0.3, 0.6, 0.5};
    y.feature = sum_of_three;
    valley_fit(&y, truth, 0.01, 5, &c);
    for (int v = 0; v < VALLEY_VALUES; v++) {
        assert_true(c.intervals[v].lower < 0.01 && c.intervals[v].upper > 0.99);
        assert_int_equal(c.groups[v], 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_coverage), cmocka_unit_test(test_exact),
                                       cmocka_unit_test(test_apart),    cmocka_unit_test(test_end_of_range),
                                       cmocka_unit_test(test_misfit),   cmocka_unit_test(test_far),
                                       cmocka_unit_test(test_ratios),   cmocka_unit_test(test_sum_of_three)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
