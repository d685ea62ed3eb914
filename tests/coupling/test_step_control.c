// Exchange steps by the port energy error: the error falls as the tolerance does, at far less cost than with
// steps that are short all the time; and where cutting is of no use nothing is cut.
#include <stdio.h>

#include "check.h"
#include "sim/run.h"

typedef struct Outcome {
    double error;      // of the ports, each step counted positive, over the energy that passed
    int64_t exchanges; // with those done again
    double position;   // of the box, at the end
    double pauses;     // of the control
    char not_cut[100]; // why steps were not cut; empty: they may be
} Outcome;

// `settings` ends with NULL.
static Outcome run_model(const char *name, const char *const *settings) {
    char path[300];
    int count = 0;
    while (settings[count]) count++;
    snprintf(path, sizeof path, "%s/%s.yaml", MARACA_SOURCE_DIR, name);
    Run run = start(mrc_model_load(path, settings, count));
    run_to_end(&run);
    Outcome out = {.error =
                       fact(&run, "coupling.energy_error_size_j") / fact(&run, "coupling.energy_passed_j"),
                   .exchanges = (int64_t)fact(&run, "coupling.grain_solves")};
    MrcMotion port;
    mrc_sim_port(run.sim, 0, &port, NULL);
    out.position = port.position[1];
    MrcFacts *facts = mrc_sim_facts(run.sim);
    const MrcFact *pauses = mrc_facts_find(facts, "coupling.exchange_steps.pauses"),
                  *why = mrc_facts_find(facts, "coupling.exchange_steps.not_cut");
    if (pauses) out.pauses = pauses->number;
    if (why && why->text) snprintf(out.not_cut, sizeof out.not_cut, "%s", why->text);
    mrc_facts_free(facts);
    end(&run);
    print_message("%-50s error %.2e, %lld exchanges, %g pauses\n", settings[0], out.error,
                  (long long)out.exchanges, out.pauses);
    return out;
}

// Grains take the same steps of 12.5 us throughout, so that only the exchange differs.
static Outcome with_step(const char *step, const char *interval) {
    char setting[60], grains[60];
    snprintf(setting, sizeof setting, "simulate.step=%s", step);
    snprintf(grains, sizeof grains, "coupling.interval=%s", interval);
    return run_model("tests/coupling/models/light-damper", (const char *[]){setting, grains, NULL});
}

static Outcome with_tolerance(const char *tolerance) {
    char setting[60];
    snprintf(setting, sizeof setting, "coupling.energy_tolerance=%s", tolerance);
    return run_model("tests/coupling/models/light-damper",
                     (const char *[]){setting, "coupling.interval=128", "coupling.most_cuts=9", NULL});
}

// Grains that fly most of the time: quiet and busy stretches.
static void pays_off(void **state) {
    (void)state;
    Outcome longest = with_step("1.6 ms", "128"), fair = with_step("0.1 ms", "8"),
            fine = with_step("25 us", "2");
    Outcome tenth = with_tolerance("0.1"), hundredth = with_tolerance("0.01"),
            thousandth = with_tolerance("1e-3");
    assert_true(longest.error > 0.1);
    assert_true(tenth.error < 0.3 * longest.error && tenth.exchanges < 2 * longest.exchanges);
    assert_true(hundredth.error < 0.3 * tenth.error);
    assert_true(thousandth.error < 0.7 * hundredth.error);
    assert_true(hundredth.error < fair.error && 6 * hundredth.exchanges < fair.exchanges);
    assert_true(hundredth.error < 2 * 0.01);
    assert_true(fine.error < fair.error);
    // It is the same motion: nearer to that of a smaller tolerance than the long steps come.
    double end = thousandth.position;
    assert_true(fabs(hundredth.position - end) < 0.3 * fabs(longest.position - end));
}

// One particle hits once.
static void one_impact(void **state) {
    (void)state;
    Outcome fixed =
        run_model("examples/particle-cube", (const char *[]){"simulate.step=50 us", "simulate.duration=80 ms",
                                                             "coupling.scheme=loose", NULL});
    Outcome adapted = run_model("examples/particle-cube",
                                (const char *[]){"coupling.energy_tolerance=0.01", "simulate.step=1.6 ms",
                                                 "simulate.duration=80 ms", "record.every=8 ms",
                                                 "coupling.scheme=loose", "coupling.most_cuts=6", NULL});
    assert_true(adapted.error < fixed.error && 10 * adapted.exchanges < fixed.exchanges);
}

// Where the error of a step does not fall with its length, or there is none, nothing is cut.
static void leaves_alone(void **state) {
    (void)state;
    static const struct {
        const char *setting, *why;
    } cases[] = {{"coupling.scheme=condensed", "makes no error"},
                 {"coupling.scheme=multirate", "a step later"},
                 {"coupling.scheme=overlapped", "a step later"},
                 {"coupling.order=jacobi", "a step later"},
                 {"grains.bed.method=nonsmooth", "loads are impulses"}};
    for (int k = 0; k < 5; k++) {
        const char *plain[] = {cases[k].setting,
                               k == 3 ? "coupling.scheme=explicit" : "simulate.step=0.2 ms",
                               "simulate.step=0.2 ms",
                               "simulate.duration=0.1 s",
                               NULL,
                               NULL};
        Outcome alone = run_model("tests/coupling/models/light-damper", plain);
        plain[4] = "coupling.energy_tolerance=1e-3";
        Outcome asked = run_model("tests/coupling/models/light-damper", plain);
        assert_non_null(strstr(asked.not_cut, cases[k].why));
        assert_int_equal(asked.exchanges, alone.exchanges);
        if (k == 4) assert_true(asked.position == alone.position); // smooth ones have other sub-steps
    }
}

// Contacts of 10 MN/m last for 30 us, the shortest part is 50 us: the control gives up, for longer and
// longer.
static void sees_impacts(void **state) {
    (void)state;
    static const char *const stiff[] = {"constants.stiffness=10 MN/m", "coupling.energy_tolerance=1e-4",
                                        "simulate.duration=1.2 s", NULL};
    Outcome out = run_model("tests/coupling/models/light-damper", stiff);
    assert_true(out.pauses >= 1);
    assert_true(out.exchanges < 2 * 750);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(pays_off), cmocka_unit_test(one_impact),
                                       cmocka_unit_test(leaves_alone), cmocka_unit_test(sees_impacts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
