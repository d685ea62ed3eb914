// The schemes on the two-mass oscillator by the real engines: published errors and orders, and that the
// stability maps say what a run does. (test_schemes.c and test_stability_engine.c do the same with the
// oscillator written by hand.)
// TIGHT is doi:10.1016/j.mechmachtheory.2020.104181, EXPLICIT doi:10.1007/s11044-022-09829-w.
#include "base/random.h"
#include "coupling/scheme_map.h"
#include "coupling/two_mass_run.h"

#define SETTINGS(...) ((const char *const[]){__VA_ARGS__, NULL})

// TIGHT Table 1: published errors and iterations; the solves here are fewer by quasi-Newton.
static void tight_gives_table_1(void **state) {
    (void)state;
    const double published[] = {3.23e-2, 3.29e-3, 3.30e-4}, solves[] = {1732, 13957, 87733};
    const char *accelerations[] = {"coupling.acceleration=none", "coupling.acceleration=aitken",
                                   "coupling.acceleration=quasi-newton"};
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < (k < 2 ? 3 : 1); a++) {
            TwoMassRun run = two_mass_run(SETTINGS("coupling.scheme=tight", accelerations[2 - a]), 1, 0.6,
                                          pow(10, -3 - k), 0.1);
            print_message("tight, h = 1e-%d, %s: error %.3e (published %.2e), %lld solves (published %.0f)\n",
                          3 + k, accelerations[2 - a] + 22, run.position_error, published[k],
                          (long long)run.grain_solves, solves[k]);
            assert_int_equal(run.status, MRC_OK);
            assert_true(fabs(run.position_error / published[k] - 1) < 0.02);
            if (a == 0) assert_true((double)run.grain_solves < 0.4 * solves[k]);
        }
}

// EXPLICIT 4.1.3, Figs. 8 and 9.
static void inputs_converge_or_diverge(void **state) {
    (void)state;
    const char *modified[] = {"coupling.inputs=index-1", "coupling.inputs=index-2",
                              "coupling.inputs=index-3"};
    TwoMassRun run =
        two_mass_run(SETTINGS("coupling.scheme=explicit", "coupling.inputs=original"), 1, 0.56, 1e-3, 0.5);
    assert_int_equal(run.status, MRC_DIVERGED);
    assert_non_null(strstr(run.text, "'explicit'"));
    for (int i = 0; i < 3; i++) {
        double before = 0, before_v = 0;
        for (int k = 0; k < 3; k++) {
            run = two_mass_run(SETTINGS("coupling.scheme=explicit", modified[i]), 1, 0.56, pow(10, -3 - k),
                               0.5);
            print_message("explicit, %s, h = 1e-%d: x %.3e, v %.3e\n", modified[i] + 16, 3 + k,
                          run.position_error, run.velocity_error);
            assert_int_equal(run.status, MRC_OK);
            if (k == 2) {
                assert_true(run.position_error > 0.07 * before && run.position_error < 0.13 * before);
                assert_true(run.velocity_error > 0.07 * before_v && run.velocity_error < 0.13 * before_v);
            }
            before = run.position_error, before_v = run.velocity_error;
        }
    }
}

// docs/theory/condensed.md: second order at mass ratios from 0.01 to 1000, one solve per step.
static void condensed_is_second_order(void **state) {
    (void)state;
    const double ratios[] = {0.01, 0.1, 1, 10, 100, 1000}, most[] = {2e-3, 2e-5, 2e-7};
    for (int r = 0; r < 6; r++)
        for (int k = 0; k < 3; k++) {
            TwoMassRun run =
                two_mass_run(SETTINGS("coupling.scheme=condensed"), ratios[r], 0.6, pow(10, -3 - k), 0.1);
            print_message("condensed, m2/m1 = %g, h = 1e-%d: %.3e\n", ratios[r], 3 + k, run.position_error);
            assert_int_equal(run.status, MRC_OK);
            assert_int_equal(run.grain_solves, run.steps);
            assert_true(run.position_error < most[k]);
        }
}

// The same with a dashpot beside the spring: errors within what the derivation promises (docs/theory/condensed.md).
static void condensed_is_second_order_with_dampers(void **state) {
    (void)state;
    const double dampings[] = {0.05, 0.5}, most[] = {9.1e-4, 9.4e-6, 9.5e-8};
    for (int d = 0; d < 2; d++)
        for (int k = 0; k < 3; k++) {
            TwoMassRun run = two_mass_run_damped(SETTINGS("coupling.scheme=condensed"), 1, dampings[d], 0.6,
                                                 pow(10, -3 - k), 0.1);
            print_message("condensed, xi = %g, h = 1e-%d: %.3e\n", dampings[d], 3 + k, run.position_error);
            assert_int_equal(run.status, MRC_OK);
            assert_true(run.position_error < most[k]);
        }
}

// ---- the maps ------------------------------------------------------------------------------------
// Where the radius is clear of 1 the run must grow or not as it says. Whether it grew is seen in the last
// tenths of 600 steps: how it started plays no part.
static int verdict_fits(const char *const *settings, SchemeMap map, double ratio, double rho, double omega_h,
                        bool *stable) {
    TwoMassParameters p = {.mass_ratio = ratio, .rho_inf = rho, .omega_h = omega_h, .substeps = 1};
    double radius = map_radius(&map, &p), h = omega_h / sqrt(5000);
    *stable = radius <= 1 + STABILITY_TOLERANCE;
    if (!*stable && radius < 1.03) return 0; // grows too slowly for so few steps
    TwoMassRun run = two_mass_run(settings, ratio, rho, h, 600 * h);
    bool grew = run.status == MRC_DIVERGED || run.growth > 1.5;
    if (grew == *stable)
        print_error("%s: m2/m1 = %g, rho_inf = %g, omega h = %g: radius %g, growth %g, %s\n", settings[0],
                    ratio, rho, omega_h, radius, run.growth, run.text);
    assert_true(run.status == MRC_OK || run.status == MRC_DIVERGED);
    return grew == *stable ? -1 : 1;
}

static void maps_hold_in_runs(void **state) {
    (void)state;
    const struct {
        const char *settings[4];
        SchemeMap map;
    } cases[] = {
        {{"coupling.scheme=loose"}, {.scheme = &scheme_loose}},
        {{"coupling.scheme=overlapped"}, {.scheme = &scheme_loose, .jacobi = true}},
        {{"coupling.scheme=multirate"}, {.scheme = &scheme_multirate, .extrapolation = 2}},
        {{"coupling.scheme=explicit", "coupling.inputs=original"},
         {.scheme = &scheme_explicit, .original = true}},
        {{"coupling.scheme=explicit"}, {.scheme = &scheme_explicit, .alpha = 2, .beta = 2, .gamma_ = 1}},
        {{"coupling.scheme=explicit", "coupling.order=jacobi"},
         {.scheme = &scheme_explicit, .jacobi = true, .alpha = 2, .beta = 2, .gamma_ = 1}},
        {{"coupling.scheme=tight", "coupling.iterations=50"}, {.scheme = &scheme_tight}},
        {{"coupling.scheme=condensed"}, {.scheme = &scheme_condensed}},
        {{"coupling.scheme=monolithic"}, {.scheme = &scheme_monolithic}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        Random random = {23 + c};
        int found[2] = {0}, wrong = 0;
        for (int i = 0; i < 24; i++) {
            double ratio = pow(10, 2.5 * random_uniform(&random) - 1.5), rho = random_uniform(&random);
            double omega_h = pow(10, 2.3 * random_uniform(&random) - 2);
            bool stable;
            int fits = verdict_fits(cases[c].settings, cases[c].map, ratio, rho, omega_h, &stable);
            wrong += fits < 0;
            if (fits > 0) found[stable]++;
        }
        print_message("%s %s: %d stable and %d unstable points as the map says\n", cases[c].settings[0] + 16,
                      cases[c].settings[1] ? cases[c].settings[1] : "", found[1], found[0]);
        assert_int_equal(wrong, 0);
        assert_true(found[0] + found[1] >= 12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tight_gives_table_1),       cmocka_unit_test(inputs_converge_or_diverge),
        cmocka_unit_test(condensed_is_second_order), cmocka_unit_test(condensed_is_second_order_with_dampers),
        cmocka_unit_test(maps_hold_in_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
