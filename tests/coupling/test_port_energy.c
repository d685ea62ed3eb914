// What the grains do to the container by the condensed scheme is what the mechanism receives, to rounding,
// also when the factors that the mobility comes from are many steps old: beams that bend and turn.
#include <stdio.h>

#include "check.h"
#include "sim/run.h"

static void check_exchange(const char *name, const char *const *settings, int count) {
    char path[300];
    snprintf(path, sizeof path, "%s/examples/%s.yaml", MARACA_SOURCE_DIR, name);
    Run run = start(mrc_model_load(path, settings, count));
    run_to_end(&run);
    double lost = fact(&run, "energy.ports"), passed = fact(&run, "coupling.energy_passed_j");
    double by_steps = fact(&run, "coupling.energy_error_size_j"), steps = fact(&run, "coupling.steps");
    double factorizations = fact(&run, "mechanism.factorizations");
    print_message("%s: %.2g J lost, by steps %.2g J, of the %.3g J that passed; %.3f factorizations a step\n",
                  name, lost, by_steps, passed, factorizations / steps);
    assert_true(passed > 1e-5);
    assert_true(fabs(lost) < 1e-5 * passed);
    assert_true(by_steps < 1e-5 * passed);
    assert_true(fact(&run, "coupling.grain_solves") == steps);
    assert_true(2 * factorizations < steps); // or the factors were never old
    end(&run);
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
