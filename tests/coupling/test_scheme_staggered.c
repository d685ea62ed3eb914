// The staggered scheme: second order where the loose one is first order, with the same work; momentum and energy at
// the ports; saved and restored; what it says when it diverges. (test_stability_engine.c, test_schemes.c and
// tests/sim/test_scale.c walk the table of schemes: recurrence, energy error, rest.)
#include <stdio.h>

#include "coupling/stability.h"
#include "coupling/two_mass_run.h"

static const char *const staggered[] = {"coupling.scheme=staggered", NULL}, *const loose[] = {
                                                                                "coupling.scheme=loose",
                                                                                NULL};

// A container with mass on the mechanism's spring: the exact solution is known.
static void second_order_with_a_mass(void **state) {
    (void)state;
    const double ratios[] = {0.01, 0.05, 0.2};
    for (int r = 0; r < 3; r++) {
        double errors[3], other[2];
        for (int k = 0; k < 3; k++) {
            TwoMassRun run = two_mass_run(staggered, ratios[r], 0.6, 1e-3 * pow(0.25, k), 0.2);
            assert_int_equal(run.status, MRC_OK);
            assert_int_equal(run.grain_solves, run.steps);
            errors[k] = run.position_error;
        }
        for (int k = 0; k < 2; k++)
            other[k] = two_mass_run(loose, ratios[r], 0.6, 1e-3 * pow(0.25, k + 1), 0.2).position_error;
        print_message("m2/m1 = %-4g staggered %.2e, %.2e, %.2e; loose -, %.2e, %.2e\n", ratios[r], errors[0],
                      errors[1], errors[2], other[0], other[1]);
        for (int k = 0; k < 2; k++) check_near(log2(errors[k] / errors[k + 1]) / 2, 2, 0.15);
        check_near(log2(other[0] / other[1]) / 2, 1, 0.15);
        assert_true(errors[2] < 0.1 * other[1]);
    }
}

// ---- smooth grains -------------------------------------------------------------------------------
// A soft ball falls on the floor of a box on a spring and presses it for half a period of the contact.
static double box_after(const char *scheme, int halvings) {
    char text[1500];
    MrcError error;
    snprintf(text, sizeof text,
             "maraca: 1\ngravity: 0 0 -9.81 m/s^2\nconstants: {R: 10 mm, m2: 50 g}\n"
             "materials: {rubber: {density: m2/(4/3*pi*R^3), restitution: 1, friction: 0}}\n"
             "mechanism:\n"
             "  integrator: {rho_inf: 0.6}\n"
             "  bodies: {box: {mass: 1 kg, inertia: 1 1 1 g*m^2}}\n"
             "  joints: {guide: {prismatic: box, axis: z}}\n"
             "  bushings: {spring: {between: box, axis: z, second_axis: x, stiffness: 0 0 4000 N/m}}\n"
             "grains:\n"
             "  ball:\n"
             "    port: box\n"
             "    wall: {box: {size: 30 30 20.2 mm}}\n"
             "    particles: {radius: R, count: 1, material: rubber}\n"
             "    packing: cubic\n"
             "    contact: {normal: linear, stiffness: 4 kN/m}\n"
             "coupling: {scheme: %s, interval: %d}\n"
             "simulate: {duration: 1 s, step: %.17g s}\n",
             scheme, 512 >> halvings, 1e-3 * pow(0.5, halvings));
    Run run = start(mrc_model_parse(text, strlen(text), "ball", NULL, 0));
    if (mrc_sim_advance(run.sim, 0.02, &error) != MRC_OK) fail_msg("%s", error.text);
    double z = value(&run, "box.z");
    end(&run);
    return z;
}

static void second_order_with_small_steps(void **state) {
    (void)state;
    double errors[2][3], reference = box_after("condensed", 6);
    for (int k = 0; k < 3; k++) {
        errors[0][k] = fabs(box_after("staggered", 1 + k) - reference);
        errors[1][k] = fabs(box_after("loose", 1 + k) - reference);
        print_message("h = 1/%d ms: staggered %.3e m, loose %.3e m\n", 2 << k, errors[0][k], errors[1][k]);
    }
    for (int k = 0; k < 2; k++) {
        assert_true(errors[0][k] / errors[0][k + 1] > 3.4);
        assert_true(errors[1][k] / errors[1][k + 1] < 2.6);
    }
    assert_true(errors[0][2] < 0.2 * errors[1][2]);
}

// ---- a damper ------------------------------------------------------------------------------------
static void restored(void **state) {
    (void)state;
    char path[300];
    snprintf(path, sizeof path, "%s/tests/coupling/models/light-damper.yaml", MARACA_SOURCE_DIR);
    Run run = start(mrc_model_load(path, (const char *[]){staggered[0], "simulate.step=0.1 ms"}, 2));
    MrcState *saved = NULL;
    MrcError error;
    assert_int_equal(mrc_sim_advance(run.sim, 0.03, &error), MRC_OK);
    assert_int_equal(mrc_sim_save(run.sim, &saved, &error), MRC_OK);
    assert_int_equal(mrc_sim_advance(run.sim, 0.06, &error), MRC_OK);
    double first = value(&run, "box.y");
    assert_int_equal(mrc_sim_restore(run.sim, saved, &error), MRC_OK);
    assert_int_equal(mrc_sim_advance(run.sim, 0.06, &error), MRC_OK);
    double again = value(&run, "box.y");
    assert_memory_equal(&first, &again, sizeof first);
    mrc_state_free(saved);
    end(&run);
}

// Light and heavy: stable and told to be; unstable and told why.
static void diverges_as_the_map_says(void **state) {
    (void)state;
    for (int heavy = 0; heavy < 2; heavy++) {
        double ratio = heavy ? 1.5 : 0.1, h = 1e-3;
        TwoMassParameters p = {.mass_ratio = ratio, .rho_inf = 0.6, .omega_h = sqrt(5000) * h, .substeps = 1};
        double radius = stability_radius(&scheme_staggered, &scheme_staggered.variants[0].settings, &p);
        TwoMassRun run = two_mass_run(staggered, ratio, 0.6, h, 0.5);
        print_message("m2/m1 = %g: radius %.4f %s\n", ratio, radius, run.text);
        assert_true((radius > 1 + STABILITY_TOLERANCE) == heavy);
        assert_int_equal(run.status, heavy ? MRC_DIVERGED : MRC_OK);
    }
    TwoMassRun run = two_mass_run(staggered, 1.5, 0.6, 1e-3, 0.5);
    assert_non_null(strstr(run.text, "scheme 'staggered' has diverged"));
    assert_non_null(strstr(run.text, "use scheme: condensed, or tight"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(second_order_with_a_mass),
        cmocka_unit_test(second_order_with_small_steps),
        cmocka_unit_test(restored),
        cmocka_unit_test(diverges_as_the_map_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
