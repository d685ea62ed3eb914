// A grain thrown to and fro in a box on a spring, with restitution: there is never more energy than at the start, but
// for what the shift of the box within a step makes of it, however heavy the grain, stiff the spring and long the step.
// (With Newton's law of impact in the problem of the step, energy grew without bound in most of these cases.)
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "maraca/sim.h"

// Largest energy over that at the start.
static double largest_energy(const char *method, double restitution, double ratio, double omega, double rho) {
    char text[1200];
    snprintf(
        text, sizeof text,
        "maraca: 1\ngravity: 0 0 0 m/s^2\n"
        "constants: {ratio: %g, R: 10 mm, box_mass: 0.1 kg, w: %g rad/s}\n"
        "materials: {ball: {density: ratio*box_mass/(4/3*pi*R^3), friction: 0, restitution: %g}}\n"
        "mechanism:\n"
        "  integrator: {rho_inf: %g}\n"
        "  bodies: {box: {mass: box_mass, inertia: 1 1 1 kg*m^2}}\n"
        "  joints: {guide: {prismatic: box, axis: x}}\n"
        "  bushings: {spring: {between: box, axis: z, second_axis: x, stiffness: [box_mass*w^2, 0, 0]}}\n"
        "grains:\n"
        "  bed:\n"
        "    port: box\n"
        "    wall: {box: {size: 23 40 40 mm}}\n"
        "    particles: {radius: R, count: 1, material: ball, velocity: 1 0 0 m/s}\n"
        "    packing: cubic\n"
        "    method: %s\n"
        "simulate: {duration: 0.3 s, step: 0.3 ms}\n",
        ratio, omega, restitution, rho, method);
    MrcError error;
    MrcSim *sim;
    MrcModel *model = mrc_model_parse(text, strlen(text), "rebound", NULL, 0);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    MrcSimOptions options = mrc_sim_options_default();
    if (mrc_sim_create(model, &options, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
    int kinetic = mrc_sim_find_signal(sim, "energy.kinetic"),
        elastic = mrc_sim_find_signal(sim, "energy.elastic");
    double start = mrc_sim_value(sim, kinetic) + mrc_sim_value(sim, elastic), most = 0;
    while (!mrc_sim_is_done(sim)) {
        if (mrc_sim_step(sim, &error) != MRC_OK)
            fail_msg("e %g, ratio %g: %s", restitution, ratio, error.text);
        most = fmax(most, (mrc_sim_value(sim, kinetic) + mrc_sim_value(sim, elastic)) / start);
    }
    mrc_sim_free(sim);
    mrc_model_free(model);
    return most;
}

static void check_energies(const char *method) {
    static const double restitutions[] = {0.3, 0.7, 0.9, 1}, ratios[] = {0.1, 1, 10, 50},
                        omegas[] = {33, 1000, 3300, 33000};
    for (int e = 0; e < 4; e++)
        for (int r = 0; r < 4; r++)
            for (int w = 0; w < 4; w++) {
                double most = largest_energy(method, restitutions[e], ratios[r], omegas[w], 0.6);
                if (most > 1.001)
                    print_message("%s: e %g, ratio %g, omega h %g: %.3f\n", method, restitutions[e],
                                  ratios[r], 3e-4 * omegas[w], most);
                assert_true(most < 1.3);
                if (restitutions[e] < 0.8) assert_true(most < 1.1);
            }
}

static void energy_does_not_grow(void **state) {
    (void)state;
    check_energies("nonsmooth");
    check_energies("nscd");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(energy_does_not_grow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
