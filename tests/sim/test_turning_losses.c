// Losses on a machine that turns: what impacts and friction are said to have taken is what has gone from the energies of body
// and grains, computed here from masses and velocities, also late, when nearly all grains rest in their box.
#include <string.h>

#include "check.h"
#include "sim/run.h"

static const double mass = 0.1, inertia = 1e-3; // of the rotor [kg], [kg m^2]

static Run make_rotor(const char *scheme, double offset, bool smooth) {
    char text[2000];
    snprintf(text, sizeof text,
             "maraca: 1\ngravity: 0 0 0 m/s^2\n"
             "materials: {lead: {density: 11344 kg/m^3, friction: 0.4, restitution: %g}}\n"
             "mechanism:\n"
             "  bodies: {rotor: {mass: %g kg, inertia: %g %g %g kg*m^2, angular_velocity: 0 0 100 rad/s}}\n"
             "  joints: {axle: {revolute: rotor, axis: z}}\n"
             "ports: {can: {node: rotor, offset: [%g m, 0 m, 0 m]}}\n"
             "grains:\n"
             "  bed:\n"
             "    port: can\n"
             "    wall: {box: {size: 20 20 20 mm, center: [%g m, 0 m, 0 m]}}\n"
             "    particles: {radius: 2 mm, count: 30, material: lead}\n"
             "    packing: {random: {seed: 3}}\n"
             "    method: %s\n"
             "coupling: {scheme: %s}\n"
             "simulate: {duration: %g s, step: 0.1 ms}\n",
             smooth ? 0.2 : 0, mass, inertia, inertia, inertia, offset, 0.06 - offset,
             smooth ? "smooth\n    contact: {stiffness: 50 kN/m, tangential: elastic}" : "nonsmooth", scheme,
             smooth ? 0.05 : 0.1);
    return start_text(text);
}

static double kinetic(Run *run, double m) {
    MrcMotion node;
    MrcGrains s;
    MrcError error;
    mrc_sim_node(run->sim, 0, &node);
    assert_int_equal(mrc_sim_grains(run->sim, 0, &s, &error), MRC_OK);
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += 0.5 * (mass * node.velocity[k] * node.velocity[k] +
                      inertia * node.angular_velocity[k] * node.angular_velocity[k]);
    for (int64_t i = 0; i < s.count; i++) {
        double spin = s.wx[i] * s.wx[i] + s.wy[i] * s.wy[i] + s.wz[i] * s.wz[i];
        sum += 0.5 * m * (s.vx[i] * s.vx[i] + s.vy[i] * s.vy[i] + s.vz[i] * s.vz[i]) +
               0.2 * m * s.radius[i] * s.radius[i] * spin;
    }
    return sum;
}

static double taken(const Run *run) {
    return value(run, "energy.impact") + value(run, "energy.friction") + value(run, "energy.rolling");
}

// No part of the ledger is large and taken back by another: what numbers did is small beside what physics took. Smooth
// grains in `tight` push by forces of the beginnings of their steps: two entries of the first order in these steps cancel.
static void check_numerical(const Run *run, double gone, const char *scheme) {
    static const char *const names[] = {"energy.algorithm", "energy.ports", "energy.stabilisation",
                                        "energy.error"};
    for (int k = 0; k < 4; k++) {
        double part = value(run, names[k]) / gone;
        if (!(fabs(part) < (strcmp(scheme, "tight") == 0 ? 1.5e-2 : 5e-3)))
            fail_msg("%s: %s is %.2e of what is gone", scheme, names[k], part);
    }
}

// Contact problems in a centrifugal field of 60 g are solved by some hundred sweeps, not by thousands.
static void losses_are_what_is_gone(void **state) {
    (void)state;
    static const char *const schemes[] = {"condensed", "tight", "monolithic"};
    for (int s = 0; s < 3; s++)
        for (int place = 0; place < 3; place++) {
            Run run = make_rotor(schemes[s], 0.03 * place, false);
            MrcGrains grains;
            MrcError error;
            assert_int_equal(mrc_sim_grains(run.sim, 0, &grains, &error), MRC_OK);
            double m = fact(&run, "grains.bed.mass_kg") / (double)grains.count, first = kinetic(&run, m);
            step_often(&run, 800);
            double lost_before = taken(&run), before = kinetic(&run, m);
            run_to_end(&run);
            double last = kinetic(&run, m), gone = first - last, lost = taken(&run);
            double late = (lost - lost_before - (before - last)) / gone;
            print_message(
                "%s, port at %g mm: gone %.6g J, impacts %.4g, friction %.4g, wrong by %.1e; in the "
                "last 20 ms by %.1e; %.0f sweeps a step\n",
                schemes[s], 30.0 * place, gone, value(&run, "energy.impact"), value(&run, "energy.friction"),
                lost / gone - 1, late, fact(&run, "contact_solver.iterations_mean"));
            assert_true(value(&run, "energy.impact") > 0 && value(&run, "energy.friction") > 0);
            assert_true(fabs(lost / gone - 1) < 5e-3 && fabs(late) < 1e-3);
            assert_true(fact(&run, "contact_solver.iterations_mean") < 600);
            check_numerical(&run, gone, schemes[s]);
            end(&run);
        }
}

// With springs, some energy is in the contacts at the end.
static void losses_of_smooth_grains_are_what_is_gone(void **state) {
    (void)state;
    static const char *const schemes[] = {"condensed", "tight", "monolithic"};
    for (int s = 0; s < 3; s++)
        for (int place = 0; place < 3; place++) {
            Run run = make_rotor(schemes[s], 0.03 * place, true);
            MrcGrains grains;
            MrcError error;
            assert_int_equal(mrc_sim_grains(run.sim, 0, &grains, &error), MRC_OK);
            double m = fact(&run, "grains.bed.mass_kg") / (double)grains.count, first = kinetic(&run, m);
            run_to_end(&run);
            double gone = first - kinetic(&run, m) - value(&run, "energy.elastic"), lost = taken(&run);
            print_message(
                "smooth, %s, port at %g mm: gone %.6g J, wrong by %.1e, numerical %.1e, ports %.1e\n",
                schemes[s], 30.0 * place, gone, lost / gone - 1, value(&run, "energy.algorithm") / gone,
                value(&run, "energy.ports") / gone);
            assert_true(fabs(lost / gone - 1) < 5e-3);
            check_numerical(&run, gone, schemes[s]);
            end(&run);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(losses_are_what_is_gone),
                                       cmocka_unit_test(losses_of_smooth_grains_are_what_is_gone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
