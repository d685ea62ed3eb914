// MULTIRATE 3.1, Table I: a particle hits a cube that is free to move, six mass ratios. Eqs. 17 and 18 must
// come out within 0.5 % with smooth grains, whatever the exchange step, and to rounding with rigid ones; the
// published coupling missed by up to 22.7 %, because its contacts took walls for infinitely heavy.
// MULTIRATE is doi:10.1108/EC-07-2017-0246.
#include <stdio.h>

#include "sim/run.h"

static void collide(double mass, const char *method, double step_size, double allowed) {
    char path[300], texts[3][80];
    const char *sets[] = {texts[0], texts[1], texts[2], "record.every=5 ms"};
    snprintf(path, sizeof path, "%s/examples/particle-cube.yaml", MARACA_SOURCE_DIR);
    snprintf(texts[0], sizeof texts[0], "constants.mp=%g kg", mass);
    snprintf(texts[1], sizeof texts[1], "grains.particle.method=%s", method);
    snprintf(texts[2], sizeof texts[2], "simulate.step=%g s", step_size);
    Run run = start(mrc_model_load(path, sets, 4));
    check_near(value(&run, "particle.velocity.x"), 2, 0);
    while (!is_done(&run)) step(&run);
    const double cube = 10, u = 2, e = 0.5;
    double v = value(&run, "cube.vx"), after = value(&run, "particle.velocity.x");
    check_near(v / (mass * u * (1 + e) / (mass + cube)), 1, allowed);        // Eq. 17
    check_near(after / (u * (mass - e * cube) / (mass + cube)), 1, allowed); // Eq. 18
    check_near(mass * after + cube * v, mass * u, 1e-12 * mass * u);         // momentum
    check_near(value(&run, "energy.ports"), 0, 1e-9 * mass * u * u);         // nothing is lost on the way
    check_near(value(&run, "energy.error"), 0, 1e-6 * mass * u * u);
    end(&run);
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
