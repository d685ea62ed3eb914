// A machine with two loops in both forms of the mechanism: a driven flywheel with its mass off the axle, springs, dampers,
// a force by measured signals and by an input. After the tamping unit of Docquier et al. 2020, section 6
// (doi:10.1007/s11044-019-09721-0): eight bodies, ten joints, six degrees of freedom, of which the flywheel is driven.
#include <stdio.h>

#include "run.h"

static const char *const machine =
    "maraca: 1\n"
    "gravity: 0 0 -9.81 m/s^2\n"
    "constants: {Cs: 3 kN*s/m}\n"
    "inputs: {push: {default: 1.2 kN}}\n"
    "mechanism:\n"
    "  formulation: %s\n"
    "  bodies:\n"
    "    support: {mass: 50 kg, inertia: 1 1 1 kg*m^2, position: 0 0 1.2 m}\n"
    "    chassis: {mass: 20 kg, inertia: 0.8 0.8 0.8 kg*m^2, position: 0 0 0.9 m}\n"
    "    flywheel: {mass: 15 kg, inertia: 0.1 0.1 0.1 kg*m^2, center: 20 0 0 mm, position: 0 0 1.0 m}\n"
    "    left: {mass: 15 kg, inertia: 0.4 0.4 0.4 kg*m^2, position: -0.25 0 0.55 m}\n"
    "    right: {mass: 15 kg, inertia: 0.4 0.4 0.4 kg*m^2, position: 0.25 0 0.55 m}\n"
    "    barrel: {mass: 3 kg, inertia: 0.02 0.02 0.02 kg*m^2, position: -0.12 0 1.0 m}\n"
    "    rod: {mass: 2 kg, inertia: 0.02 0.02 0.02 kg*m^2, position: 0.12 0 1.0 m}\n"
    "    con: {mass: 3 kg, inertia: 0.03 0.03 0.03 kg*m^2, position: 0 0 0.7 m}\n"
    "  joints:\n"
    "    dive: {prismatic: support, axis: z}\n"
    "    frame: {planar: [support, chassis], axis: y, second_axis: x}\n"
    "    shaft: {revolute: [chassis, flywheel], axis: y, at: 0 0 1.0 m, rate: [0, 0, 2*pi*15 Hz]}\n"
    "    hipl: {revolute: [chassis, left], axis: y, at: -0.2 0 0.85 m}\n"
    "    hipr: {revolute: [chassis, right], axis: y, at: 0.2 0 0.85 m}\n"
    "    barpin: {revolute: [left, barrel], axis: y, at: -0.22 0 1.0 m}\n"
    "    slide: {prismatic: [barrel, rod], axis: x}\n"
    "    rodpin: {general: [rod, right], axis: y, second_axis: x, translations: [x, y], at: 0.22 0 1.0 m}\n"
    "    conhip: {revolute: [left, con], axis: y, at: -0.15 0 0.7 m}\n"
    "    conpin: {general: [con, right], axis: y, second_axis: x, translations: [x, y], at: 0.15 0 0.7 m}\n"
    "  springs:\n"
    "    mountl: {between: [support, chassis], offsets: [[-0.3 m, 0 m, 0 m], [-0.3 m, 0 m, 0.1 m]], "
    "stiffness: 50 kN/m, damping: 200 N*s/m}\n"
    "    mountr: {between: [support, chassis], offsets: [[0.3 m, 0 m, 0 m], [0.3 m, 0 m, 0.1 m]], stiffness: "
    "50 kN/m, damping: 200 N*s/m}\n"
    "    side: {between: [support, chassis], offsets: [[0.5 m, 0 m, -0.3 m], [0 m, 0 m, 0 m]], stiffness: 50 "
    "kN/m, damping: 200 N*s/m}\n"
    "    actuator: {between: [barrel, rod], stiffness: 500 kN/m, damping: 10 kN*s/m}\n"
    "  forces:\n"
    "    diving: {at: support, force: [0, 0, push - Cs*support.vz - 20 kN/m*(support.z - 1.2 m)]}\n"
    "simulate: {duration: 0.2 s, step: 0.5 ms}\n"
    "record: {every: 0.2 s}\n";

static const char *const signals[] = {"chassis.z", "left.x",   "rod.x",   "chassis.ry",
                                      "rodpin.fx", "shaft.my", "hipl.fx", "energy.work"};
enum { SIGNALS = sizeof signals / sizeof *signals };

static void run_machine(bool relative, const char *step_text, double *values) {
    char text[6000];
    const char *sets[] = {step_text};
    snprintf(text, sizeof text, machine, relative ? "relative" : "absolute");
    Run run = start(mrc_model_parse(text, strlen(text), "test", sets, 1));
    while (!is_done(&run)) step(&run);
    for (int k = 0; k < SIGNALS; k++) values[k] = value(&run, signals[k]);
    end(&run);
}

static void both_forms_of_a_machine_agree_to_second_order(void **state) {
    (void)state;
    double a[SIGNALS], b[SIGNALS], c[SIGNALS], d[SIGNALS];
    run_machine(true, "simulate.step=0.5 ms", a);
    run_machine(false, "simulate.step=0.5 ms", b);
    run_machine(true, "simulate.step=0.125 ms", c);
    run_machine(false, "simulate.step=0.125 ms", d);
    for (int k = 0; k < SIGNALS; k++) {
        double coarse = fabs(a[k] - b[k]), fine = fabs(c[k] - d[k]);
        print_message("%-12s %.6g: apart by %.1e, %.1e\n", signals[k], c[k], coarse, fine);
        assert_true(fine < 1e-4 * fabs(c[k]) + 1e-9);
        assert_true(fine < coarse / 8 + 1e-9 * (1 + fabs(c[k])));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_forms_of_a_machine_agree_to_second_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
