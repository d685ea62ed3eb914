// MULTIRATE 3.1, Table I: a particle hits a cube that is free to move, six mass ratios. Eqs. 17 and 18 must
// come out within 0.5 % with smooth grains, whatever the exchange step, and to rounding with rigid ones; the
// published coupling missed by up to 22.7 %, because its contacts took walls for infinitely heavy.
#include "check.h"

#include <stdio.h>

#include "model/model.h"
#include "sim/sim.h"

static void collide(double mass, const char *method, double step, double allowed) {
    char path[300], texts[3][80];
    const char *sets[] = {texts[0], texts[1], texts[2], "record.every=5 ms"};
    Sim *sim;
    MrcError error;
    snprintf(path, sizeof path, "%s/examples/particle-cube.yaml", MARACA_SOURCE_DIR);
    snprintf(texts[0], sizeof texts[0], "constants.mp=%g kg", mass);
    snprintf(texts[1], sizeof texts[1], "grains.particle.method=%s", method);
    snprintf(texts[2], sizeof texts[2], "simulate.step=%g s", step);
    MrcModel *model = mrc_model_load(path, sets, 4);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    if (sim_create(model_definition(model), NULL, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
    if (sim_sample(sim, &error) != MRC_OK) fail_msg("%s", error.text);
    while (!sim_is_done(sim))
        if (sim_step(sim, &error) != MRC_OK) fail_msg("%s", error.text);
    if (sim_sample(sim, &error) != MRC_OK) fail_msg("%s", error.text);
    const Mechanism *m = sim_mechanism(sim);
    const double cube = 10, u = 2, e = 0.5;
    double v = mechanism_node(m, mechanism_find_node(m, "cube"))->v.x,
           after = sim->beds->items[0].measure.velocity.x;
    check_near(v / (mass * u * (1 + e) / (mass + cube)), 1, allowed);        // Eq. 17
    check_near(after / (u * (mass - e * cube) / (mass + cube)), 1, allowed); // Eq. 18
    check_near(mass * after + cube * v, mass * u, 1e-12 * mass * u);         // momentum
    check_near(sim->ledger.ports, 0, 1e-9 * mass * u * u);                   // nothing is lost on the way
    check_near(sim->ledger.error, 0, 1e-6 * mass * u * u);
    sim_destroy(sim);
    mrc_model_free(model);
}

static const double masses[] = {0.01, 0.02, 0.1, 1, 2, 10};

static void test_smooth(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++)
        for (double step = 20e-6; step < 1e-3; step *= 5) collide(masses[k], "smooth", step, 2e-3);
}

static void test_rigid(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++) collide(masses[k], "nonsmooth", 50e-6, 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_smooth), cmocka_unit_test(test_rigid)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
