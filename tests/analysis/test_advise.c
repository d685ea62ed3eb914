// What is advised is what a run then does: steps, sub-steps, stiffness, mass and scheme.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "maraca/maraca.h"

enum { OVERRIDES_MAX = 8 };

static MrcModel *load(const char *name, const char *const *overrides) {
    char path[300];
    int count = 0;
    while (overrides[count]) count++;
    snprintf(path, sizeof path, "%s/%s.yaml", MARACA_SOURCE_DIR, name);
    MrcModel *model = mrc_model_load(path, overrides, count);
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
        if (!mrc_model_diagnostic(model, i)->warning)
            fail_msg("%s: %s", name, mrc_model_diagnostic(model, i)->text);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    return model;
}

static MrcAdvice advise(const char *name, const char *const *overrides) {
    MrcModel *model = load(name, overrides);
    MrcAdvice advice;
    MrcError error;
    if (mrc_advise(model, &advice, &error) != MRC_OK) fail_msg("%s: %s", name, error.text);
    assert_null(mrc_facts_find(advice.facts, "trouble"));
    mrc_model_free(model);
    return advice;
}

static MrcRunInfo run(const char *name, const char *const *overrides) {
    MrcModel *model = load(name, overrides);
    MrcRunOptions options = mrc_run_options_default();
    MrcRunInfo info;
    MrcError error;
    options.threads = 1;
    if (mrc_run(model, &options, &info, &error) != MRC_OK) fail_msg("%s: %s", name, error.text);
    mrc_model_free(model);
    return info;
}

static double number(const MrcFacts *facts, const char *name) {
    const MrcFact *fact = mrc_facts_find(facts, name);
    if (!fact) fail_msg("there is no '%s'", name);
    return fact->number;
}

static void same(const MrcFacts *advice, const char *advised, const MrcFacts *info, const char *done) {
    double a = number(advice, advised), b = number(info, done);
    if (!(fabs(a - b) <= 1e-12 * fabs(b))) fail_msg("%s is %.17g, %s is %.17g", advised, a, done, b);
}

// Models as they are: coupled or not, sub-steps given, found, and with room for halvings.
static void models_run_with_the_steps_that_are_told(void **state) {
    (void)state;
    static const struct {
        const char *model, *bed, *overrides[OVERRIDES_MAX];
    } cases[] = {
        {"examples/moving-box", "damper", {"simulate.duration=10 us"}},
        {"examples/moving-box", "damper", {"simulate.duration=10 us", "simulate.step=auto"}},
        {"examples/torsion-pendulum", "bed", {"simulate.duration=2 ms"}},
        {"examples/torsion-pendulum", "bed", {"simulate.duration=2 ms", "coupling.interval=12"}},
        {"examples/torsion-pendulum", "bed", {"simulate.duration=2 ms", "coupling.energy_tolerance=1e-3"}},
        {"examples/torsion-pendulum", "bed", {"simulate.duration=2 ms", "grains.bed.method=nonsmooth"}},
        {"examples/spring-damper-box", "bed", {"simulate.duration=2 ms"}},
        {"tests/coupling/models/light-damper", "bed", {"simulate.duration=10 ms"}},
        {"tests/coupling/models/press", "bed", {"simulate.duration=1 ms"}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char of_advice[80], of_run[80];
        MrcAdvice advice = advise(cases[k].model, cases[k].overrides);
        MrcRunInfo info = run(cases[k].model, cases[k].overrides);
        same(advice.facts, "step_s", info.facts, "options.step_s");
        static const char *const pairs[][2] = {{"step_s", "step_s"},
                                               {"steps.suggested_s", "steps.suggested_s"},
                                               {"steps.critical_s", "critical_step_s"},
                                               {"stiffness.model_N_per_m", "stiffness_N_per_m"},
                                               {"mass_kg", "mass_kg"}};
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
            snprintf(of_advice, sizeof of_advice, "grains.%s.%s", cases[k].bed, pairs[i][0]);
            snprintf(of_run, sizeof of_run, "grains.%s.%s", cases[k].bed, pairs[i][1]);
            if (!isfinite(number(advice.facts, of_advice)) && !isfinite(number(info.facts, of_run))) continue;
            same(advice.facts, of_advice, info.facts, of_run);
        }
        mrc_advice_free(&advice);
        mrc_run_info_free(&info);
    }
}

// Contacts as soft as advised: the run has that stiffness, and the step that was promised.
static void sized_contacts_are_as_stiff_as_advised(void **state) {
    (void)state;
    const char *const none[] = {NULL};
    MrcAdvice advice = advise("examples/moving-box", none);
    char wall[80];
    snprintf(wall, sizeof wall, "grains.damper.contact.wall_stiffness=%.17g N/m",
             number(advice.facts, "grains.damper.stiffness.chosen_N_per_m"));
    const char *const sized[] = {"simulate.duration=20 us", "simulate.step=auto",
                                 "grains.damper.contact.stiffness=sized", wall, NULL};
    MrcRunInfo info = run("examples/moving-box", sized);
    same(advice.facts, "grains.damper.stiffness.chosen_N_per_m", info.facts,
         "grains.damper.stiffness_N_per_m");
    same(advice.facts, "grains.damper.stiffness.step_s", info.facts, "options.step_s");
    mrc_advice_free(&advice);
    mrc_run_info_free(&info);
}

// The suggested coupling: the grains take the step that they were promised, with the interval written or found.
static void suggested_coupling_is_what_runs(void **state) {
    (void)state;
    static const char *const models[] = {"examples/torsion-pendulum", "examples/spring-damper-box"};
    const char *const none[] = {NULL};
    for (int m = 0; m < 2; m++) {
        MrcAdvice advice = advise(models[m], none);
        char step[80], interval[80];
        snprintf(step, sizeof step, "simulate.step=%.17g s",
                 number(advice.facts, "coupling.suggested.step_s"));
        snprintf(interval, sizeof interval, "coupling.interval=%d",
                 (int)number(advice.facts, "coupling.suggested.interval"));
        for (int written = 0; written < 2; written++) {
            const char *const overrides[] = {"simulate.duration=2 ms", step, written ? interval : NULL, NULL};
            MrcRunInfo info = run(models[m], overrides);
            same(advice.facts, "coupling.suggested.step_s", info.facts, "options.step_s");
            same(advice.facts, "coupling.suggested.grain_step_s", info.facts, "grains.bed.step_s");
            assert_string_equal(mrc_facts_find(advice.facts, "coupling.suggested.scheme")->text,
                                mrc_facts_find(info.facts, "coupling.scheme")->text);
            mrc_run_info_free(&info);
        }
        mrc_advice_free(&advice);
    }
}

// Grains of several sizes: the mass is that of the mean volume, not of the mean radius.
static void mass_of_different_sizes(void **state) {
    (void)state;
    const char *const none[] = {NULL};
    MrcAdvice advice = advise("examples/settled-bed", none);
    double mass = number(advice.facts, "grains.damper.mass_kg"),
           expected = 3.277e-3; // of the run: 300 grains drawn
    check_near(mass, expected, 0.01 * expected);
    mrc_advice_free(&advice);
}

// What is missing is named.
static void unknown_steps_say_what_is_missing(void **state) {
    (void)state;
    const char text[] = "maraca: 1\n"
                        "materials: {glass: {density: 2500 kg/m^3, young: 70 GPa, poisson: 0.2}}\n"
                        "grains:\n  bed:\n    wall: {box: {size: 100 100 100 mm}}\n"
                        "    particles: {radius: 5 mm, count: 2, material: glass}\n"
                        "    packing: cubic\n    method: nonsmooth\n"
                        "simulate: {duration: 1 s, step: 1 ms}\n";
    MrcModel *model = mrc_model_parse(text, sizeof text - 1, "thrown.yaml", NULL, 0);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    MrcAdvice advice;
    MrcError error;
    assert_int_equal(mrc_advise(model, &advice, &error), MRC_OK);
    const char *said =
        "not known: the speed of impact cannot be found from the model; give contact: {impact_speed: ...}";
    if (!strstr(advice.report, said)) fail_msg("%s", advice.report);
    mrc_advice_free(&advice);
    mrc_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_run_with_the_steps_that_are_told),
        cmocka_unit_test(sized_contacts_are_as_stiff_as_advised),
        cmocka_unit_test(suggested_coupling_is_what_runs),
        cmocka_unit_test(mass_of_different_sizes),
        cmocka_unit_test(unknown_steps_say_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
