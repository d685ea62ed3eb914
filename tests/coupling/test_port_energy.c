// What the grains do to the container by the condensed scheme is what the mechanism receives, to rounding,
// also when the factors that the mobility comes from are many steps old: beams that bend and turn.
#include <stdio.h>

#include "check.h"
#include "model/model.h"
#include "sim/sim.h"

static void check_exchange(const char *name, const char *const *settings, int count) {
    char path[300];
    MrcError error = {0};
    Sim *sim;
    snprintf(path, sizeof path, "%s/examples/%s.yaml", MARACA_SOURCE_DIR, name);
    MrcModel *model = mrc_model_load(path, settings, count);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    if (sim_create(model_definition(model), NULL, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
    while (!sim_is_done(sim))
        if (sim_step(sim, &error) != MRC_OK) fail_msg("%s", error.text);
    if (sim_sample(sim, &error) != MRC_OK) fail_msg("%s", error.text);
    const CouplingCounts *counts = &sim->coupling.counts;
    MechanismCounts steps = mechanism_counts(sim_mechanism(sim));
    print_message("%s: %.2g J lost, by steps %.2g J, of the %.3g J that passed; %.3f factorizations a step\n",
                  name, sim->ledger.ports, counts->energy_error_size, counts->energy_passed,
                  (double)steps.factorizations / (double)steps.steps);
    assert_true(counts->energy_passed > 1e-5);
    assert_true(fabs(sim->ledger.ports) < 1e-5 * counts->energy_passed);
    assert_true(counts->energy_error_size < 1e-5 * counts->energy_passed);
    assert_true(counts->grain_solves == counts->steps);
    assert_true(2 * steps.factorizations < steps.steps); // or the factors were never old
    sim_destroy(sim);
    mrc_model_free(model);
}

static void nothing_is_lost_on_a_cantilever(void **state) {
    (void)state;
    const char *settings[] = {"constants.f=17 Hz", "constants.F0=1.5 N", "simulate.step=0.2 ms",
                              "simulate.duration=0.15 s"};
    check_exchange("cantilever-damper", settings, 4);
}

static void nothing_is_lost_on_a_driven_beam(void **state) {
    (void)state;
    const char *settings[] = {"constants.thickness=1 mm", "constants.f=11 Hz", "constants.e=1 mm",
                              "simulate.duration=0.1 s"};
    check_exchange("crank-beam-damper", settings, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_lost_on_a_cantilever),
                                       cmocka_unit_test(nothing_is_lost_on_a_driven_beam)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
