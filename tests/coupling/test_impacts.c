// A free container flies into a grain at rest, without restitution: by the condensed scheme both go on with
// the common velocity; by the tight scheme they part again, as the formulas of docs/theory/condensed.md
// ("Plastic impacts by the tight scheme") say, whatever the step.
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "math/two_step.h"
#include "sim/run.h"

static const double speed = 0.3; // of the container [m/s]

typedef struct Impact {
    double container, grain; // velocities in the end, over the speed of approach
} Impact;

// The container has 1 kg. The gap closes in the sixth step when `theta` of a step's way are left.
static Impact impact(const char *scheme, double mass, double rho, double theta, double h) {
    char text[2000];
    snprintf(text, sizeof text,
             "maraca: 1\nconstants: {R: 10 mm}\n"
             "materials: {lead: {density: '%.17g kg/(4/3*pi*R^3)', restitution: 0}}\n"
             "mechanism:\n  integrator: {rho_inf: %g}\n"
             "  bodies: {cube: {mass: 1 kg, inertia: 1 1 1 g*m^2, velocity: [%g m/s, 0, 0]}}\n"
             "grains:\n  ball:\n    port: cube\n    method: nonsmooth\n"
             "    wall: {plane: {point: [-10 mm - %.17g m, 0, 0], normal: +x}}\n"
             "    particles: {radius: R, material: lead, velocity: [-%g m/s, 0, 0]}\n"
             "    packing: {file: {path: %s/tests/validation/one-grain.csv}}\n"
             "coupling: {scheme: %s, tolerance: 1e-10, iterations: 100}\n"
             "simulate: {duration: %.17g s, step: %.17g s}\n",
             mass, rho, speed, (5 + theta) * speed * h, speed, MARACA_SOURCE_DIR, scheme, 60 * h, h);
    Run run = start(mrc_model_parse(text, strlen(text), "model", NULL, 0));
    MrcGrains ball;
    MrcError error;
    run_to_end(&run);
    assert_true(fact(&run, "coupling.unconverged") == 0);
    assert_int_equal(mrc_sim_grains(run.sim, 0, &ball, &error), MRC_OK);
    Impact after = {value(&run, "cube.vx") / speed, ball.vx[0] / speed};
    end(&run);
    return after;
}

static Impact formula(double m, double rho, double theta) {
    TwoStep s = two_step(rho);
    double stiff = 1 / m + s.b0 * s.b0, kappa = 2 * s.a1 * s.b0 * s.b0 + 2 * s.b0 * s.b1 - s.b0 * s.b0;
    double first = (1 - theta) / stiff, second = fmax(0, (1 - kappa * first - first / m) / stiff);
    return (Impact){1 - first - second, (first + second) / m};
}

static void tight_parts_again_as_derived(void **state) {
    (void)state;
    const double masses[] = {0.3, 1, 3}, thetas[] = {0.1, 0.45, 0.8}, rhos[] = {0, 0.6, 1};
    for (int i = 0; i < 27; i++) {
        double m = masses[i % 3], theta = thetas[i / 3 % 3], rho = rhos[i / 9], h = i % 2 ? 1e-3 : 1e-4;
        Impact now = impact("tight", m, rho, theta, h), exact = formula(m, rho, theta);
        check_near(now.grain, exact.grain, 1e-6);
        check_near(now.container, exact.container, rho < 1 ? 1e-6 : 1e-5);
    }
    check_near(formula(1, 0.6, 0.7).container, 0.3007, 5e-5);
}

static void condensed_goes_on_together(void **state) {
    (void)state;
    const double masses[] = {0.3, 1, 3}, thetas[] = {0.1, 0.45, 0.8}, rhos[] = {0, 0.6, 1};
    for (int i = 0; i < 27; i++) {
        double m = masses[i % 3], common = 1 / (1 + m);
        Impact now = impact("condensed", m, rhos[i / 9], thetas[i / 3 % 3], i % 2 ? 1e-3 : 1e-4);
        check_near(now.container, common, 1e-6);
        check_near(now.grain, common, 1e-6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tight_parts_again_as_derived),
                                       cmocka_unit_test(condensed_goes_on_together)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
