// The judgement of energies: the balance, and what integration, exchange and overlaps take or add, both signs.
#include "output/verdict.h"

#include <math.h>
#include <stdio.h>

#include "check.h"

typedef struct Said {
    int warnings;
    char last[400];
} Said;

static void remember(void *user, LogLevel level, const char *text) {
    Said *said = user;
    assert_int_equal(level, LOG_WARNING);
    said->warnings++;
    snprintf(said->last, sizeof said->last, "%s", text);
}

// Of 1 J in play.
static void judged(double error, double algorithm, double ports, const char *balance, const char *numerical,
                   const char *warning) {
    Ledger ledger = {.input = 1, .largest_error = error, .algorithm = algorithm, .ports = ports};
    MrcFacts *facts = facts_create();
    Said said = {0};
    verdict_energy_facts(&ledger, &facts->list);
    assert_string_equal(mrc_facts_find(facts, "verdict")->text, balance);
    assert_string_equal(mrc_facts_find(facts, "numerical_verdict")->text, numerical);
    mrc_facts_free(facts);
    verdict_warn(&ledger, &(Log){remember, &said});
    assert_int_equal(said.warnings, warning != NULL);
    if (warning && !strstr(said.last, warning)) fail_msg("'%s' is not in '%s'", warning, said.last);
}

static void errors_have_three_grades(void **state) {
    (void)state;
    judged(9e-4, 0, 0, "good", "good", NULL);
    judged(2e-3, 0, 0, "fair", "good", NULL);
    judged(0.02, 0, 0, "poor", "good", "the energy balance closes to 0.02 of the energy in play only");
    judged(NAN, 0, 0, "poor", "good", "balance");
}

// 1000 samples of 1 J in play with the gain that `shape` gives.
static bool diverged(double (*shape)(double share)) {
    Ledger ledger = {0};
    MrcError error;
    for (int n = 0; n <= 1000; n++) {
        EnergySums now = {.kinetic = 1, .algorithm = -shape(n / 1000.0)};
        now.kinetic -= now.algorithm;
        ledger_update(&ledger, &now);
    }
    return verdict_check_growth(&ledger, NULL, &error) == MRC_DIVERGED;
}
static double grows(double share) { return 0.12 * share; }
static double grows_little(double share) { return 0.01 * share; }
static double swings(double share) { return 0.15 * sin(2 * M_PI * 10.25 * share); }
static double jumps_late(double share) { return share > 0.9 ? 0.3 : 0; }
static double lost(double share) { return -0.5 * share; }

static void gains_that_last_are_errors(void **state) {
    (void)state;
    assert_true(diverged(grows) && diverged(jumps_late));
    assert_false(diverged(grows_little));
    assert_false(diverged(swings)); // 0.15 too much in the end, but it comes and goes
    assert_false(diverged(lost));
}

static void gains_are_judged_harder_than_dissipation(void **state) {
    (void)state;
    judged(0, -9e-4, 0, "good", "good", NULL);
    judged(0, -2e-3, 0, "good", "fair", NULL);
    judged(0, -0.02, 0, "good", "poor",
           "numerical gain of energy by the integration is 0.02 of the energy in play");
    judged(0, 9e-3, 0, "good", "good", NULL);
    judged(0, 0.02, 0, "good", "fair", NULL);
    judged(0, 0.93, 0, "good", "poor",
           "numerical dissipation by the integration is 0.93 of the energy in play");
    judged(0, NAN, 0, "good", "poor", "of the energy in play");
}

// The two entries of one exchange may cancel: then nothing was made or lost.
static void integration_and_exchange_are_judged_together(void **state) {
    (void)state;
    judged(0, -0.02, 0.02, "good", "good", NULL);
    judged(0, 1e-3, -0.4, "good", "poor", "gain of energy by errors of the exchange at ports is 0.4 of");
}

static void nothing_in_play_is_no_error(void **state) {
    (void)state;
    Ledger ledger = {.largest_error = 0};
    assert_true(verdict_relative_error(&ledger) == 0 && verdict_numerical_share(&ledger) == 0);
}

// Of 1 J in play, in 100 steps of 10 ms: what grains at rest seem to give is an error of their solution.
static void a_small_gain_is_no_power(void **state) {
    (void)state;
    const double dissipated[] = {-1e-13, -3e-5, -9e-4, -2e-3, 3e-5, 1e-13},
                 power[] = {0, 0, 0, -2e-3, 3e-5, 0};
    Ledger ledger = {.input = 1};
    for (int k = 0; k < 6; k++) {
        PortAmplitude amplitude = {.steps = 100, .dissipated = dissipated[k]};
        assert_true(fabs(verdict_power(&ledger, &amplitude, 0.01) - power[k]) < 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_have_three_grades),
        cmocka_unit_test(gains_are_judged_harder_than_dissipation),
        cmocka_unit_test(gains_that_last_are_errors),
        cmocka_unit_test(integration_and_exchange_are_judged_together),
        cmocka_unit_test(nothing_in_play_is_no_error),
        cmocka_unit_test(a_small_gain_is_no_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
