// Typed results through the public header alone: whatever a text says is there as a number, too.
#include <maraca/maraca.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

static const char shaken[] = "maraca: 1\n"
                             "gravity: 0 0 -9.81 m/s^2\n"
                             "constants: {f: 20 Hz}\n"
                             "materials: {steel: {density: 7800 kg/m^3, friction: 0.3, restitution: 0.5}}\n"
                             "mechanism:\n"
                             "  bodies: {box: {mass: 0.5 kg, inertia: 1 1 1 kg*cm^2}}\n"
                             "  joints: {guide: {prismatic: box, axis: x}}\n"
                             "  springs: {support: {between: box, offsets: [0 0 0 m, 1 0 0 m], stiffness: "
                             "500 N/m, damping: 2 N*s/m}}\n"
                             "  forces: {push: {at: box, force: [\"1 N*sin(2*pi*f*t)\", 0, 0]}}\n"
                             "ports: {can: {node: box}}\n"
                             "grains:\n"
                             "  bed:\n"
                             "    port: can\n"
                             "    wall: {box: {size: 30 30 30 mm}}\n"
                             "    particles: {radius: 3 mm, count: 20, material: steel}\n"
                             "    packing: fcc\n"
                             "    method: nonsmooth\n"
                             "simulate: {duration: 0.2 s, step: 0.5 ms}\n"
                             "record: {every: 1 ms, series: [box.x, energy]}\n"
                             "periods: {port: can, frequency: f}\n";

static MrcModel *parse(const char *text) {
    MrcModel *model = mrc_model_parse(text, strlen(text), "test.yaml", NULL, 0);
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
        print_message("%s\n", mrc_model_diagnostic(model, i)->text);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    return model;
}

static const MrcFact *fact(const MrcFacts *facts, const char *name) {
    const MrcFact *found = mrc_facts_find(facts, name);
    if (!found) fail_msg("there is no fact '%s'", name);
    assert_string_equal(found->name, name);
    assert_non_null(found->words);
    return found;
}

static double number(const MrcFacts *facts, const char *name, const char *unit) {
    const MrcFact *found = fact(facts, name);
    assert_int_equal(found->kind, MRC_FACT_NUMBER);
    assert_string_equal(found->unit, unit);
    return found->number;
}

// Amplitudes, periods and the ledger of a run; the ledger's own sum is its error.
static void of_a_run(void **state) {
    (void)state;
    MrcModel *model = parse(shaken);
    MrcRunOptions options = mrc_run_options_default();
    MrcRunInfo info;
    MrcError error;
    if (mrc_run(model, &options, &info, &error) != MRC_OK) fail_msg("%s", error.text);
    const MrcFacts *f = info.facts;
    double amplitude = number(f, "amplitudes.can.amplitude_m", "m");
    assert_true(amplitude > 1e-5 && amplitude < 1e-2);
    assert_string_equal(fact(f, "amplitudes.can.axis")->text, "x");
    assert_true(number(f, "amplitudes.can.power_w", "W") > 0);
    assert_true(number(f, "amplitudes.can.dashpot_ns_per_m", "N s/m") > 0);
    assert_int_equal(fact(f, "periods.count")->count, 4);
    assert_true(number(f, "periods.dissipated_mean_J", "J") > 0);
    check_near(number(f, "periods.frequency_hz", "Hz"), 20, 1e-12);
    const char *const kept[] = {"kinetic", "potential", "elastic"}, *const lost[] = {
                                                                        "impact",  "friction",
                                                                        "rolling", "stabilisation",
                                                                        "dampers", "algorithm",
                                                                        "ports"};
    double sum = number(f, "energy.initial", "J") + number(f, "energy.work", "J");
    for (int i = 0; i < 10; i++) {
        char name[40];
        snprintf(name, sizeof name, "energy.%s", i < 3 ? kept[i] : lost[i - 3]);
        sum -= number(f, name, "J");
    }
    check_near(sum, number(f, "energy.error", "J"), 1e-12);
    assert_string_equal(fact(f, "energy.verdict")->text, "good");
    assert_int_equal(fact(f, "steps")->count, 400);
    assert_int_equal(fact(f, "grains.bed.count")->count, 20);
    mrc_run_info_free(&info);
    mrc_model_free(model);
}

static void of_advice_and_modes(void **state) {
    (void)state;
    MrcModel *model = parse(shaken);
    MrcAdvice advice;
    MrcModes modes;
    MrcError error;
    if (mrc_advise(model, &advice, &error) != MRC_OK) fail_msg("%s", error.text);
    check_near(number(advice.facts, "coupling.ports.can.effective_mass_kg.0", "kg"), 0.5, 1e-6);
    mrc_advice_free(&advice);
    if (mrc_modes(model, &(MrcModesOptions){.count = 3}, &modes, &error) != MRC_OK)
        fail_msg("%s", error.text);
    assert_int_equal(modes.count, 1);
    double omega = sqrt(500 / 0.5);
    check_near(modes.modes[0].frequency_hz, omega / (2 * M_PI), 1e-9);
    check_near(number(modes.facts, "modes.0.frequency_hz", "Hz"), omega / (2 * M_PI), 1e-9);
    check_near(number(modes.facts, "modes.0.damping_ratio", "1"), 2 / (2 * 0.5 * omega), 1e-12);
    mrc_modes_free(&modes);
    mrc_model_free(model);
}

static void of_a_model(void **state) {
    (void)state;
    MrcModel *model = parse(shaken);
    MrcFacts *facts = mrc_model_facts(model);
    assert_int_equal(fact(facts, "grains")->count, 20);
    assert_int_equal(fact(facts, "steps")->count, 400);
    assert_int_equal(fact(facts, "series_rows")->count, 201);
    assert_true(number(facts, "memory_bytes", "B") > 1e6);
    char *json = mrc_facts_json(facts);
    assert_non_null(strstr(json, "\"series_rows\": 201"));
    mrc_text_free(json);
    mrc_facts_free(facts);
    mrc_model_free(model);
}

static void of_signals(void **state) {
    (void)state;
    MrcModel *model = parse(shaken);
    MrcSignals signals;
    MrcError error;
    bool found = false;
    if (mrc_signals(model, false, &signals, &error) != MRC_OK) fail_msg("%s", error.text);
    for (int i = 0; i < signals.count; i++) {
        assert_non_null(signals.signals[i].words);
        if (strcmp(signals.signals[i].name, "bed.load.fx") != 0) continue;
        found = true;
        assert_string_equal(signals.signals[i].unit, "N");
    }
    assert_true(found);
    mrc_signals_free(&signals);
    mrc_model_free(model);
}

// The map of the loose scheme at equal masses has points of both kinds; its facts count them.
static void of_a_stability_map(void **state) {
    (void)state;
    MrcStabilityOptions options = mrc_stability_options_default();
    MrcStabilityMap *map;
    MrcError error;
    options.scheme = "loose";
    options.mass_ratio = 0.5;
    options.rho = (MrcRange){0, 1, 5};
    options.omega_h = (MrcRange){0.1, 10, 20};
    if (mrc_stability(&options, &map, &error) != MRC_OK) fail_msg("%s", error.text);
    MrcFacts *facts = mrc_stability_facts(map);
    int stable = 0;
    double largest = 0;
    for (int i = 0; i < 100; i++) {
        double radius = mrc_stability_radius(map, i / 20, i % 20);
        stable += radius <= 1 + number(facts, "tolerance", "1");
        largest = fmax(largest, radius);
    }
    assert_int_equal(fact(facts, "points")->count, 100);
    assert_int_equal(fact(facts, "stable_points")->count, stable);
    assert_true(stable > 0 && stable < 100);
    check_near(number(facts, "largest_radius", "1"), largest, 0);
    mrc_facts_free(facts);
    mrc_stability_free(map);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_run),   cmocka_unit_test(of_advice_and_modes), cmocka_unit_test(of_a_model),
        cmocka_unit_test(of_signals), cmocka_unit_test(of_a_stability_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
