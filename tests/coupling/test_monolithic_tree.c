// The monolithic scheme with a mechanism in relative coordinates: its bodies with their reduced inverse mass in the
// contact problem are the same as its mobility, and both agree with the absolute form.
#include <stdio.h>

#include "sim/run.h"

// A crank with a loop that carries a box of grains.
static const char *const model =
    "maraca: 1\n"
    "gravity: 0 0 -9.81 m/s^2\n"
    "materials: {glass: {density: 2500 kg/m^3, friction: 0.4, restitution: 0.3}}\n"
    "mechanism:\n"
    "  formulation: %s\n"
    "  bodies:\n"
    "    crank: {mass: 30 g, inertia: 20 20 20 kg*mm^2, position: 0 0 -20 mm}\n"
    "    rod: {mass: 10 g, inertia: 5 5 5 kg*mm^2, position: 20 0 0 mm}\n"
    "    box: {mass: 20 g, inertia: 2 3 4 kg*mm^2, position: 40 0 0 mm}\n"
    "  joints:\n"
    "    axle: {revolute: crank, axis: y, at: 0 0 -20 mm}\n"
    "    pin: {revolute: [crank, rod], axis: y, at: 0 0 0 mm}\n"
    "    eye: {point_on_line: [rod, box], axis: y, at: 40 0 0 mm}\n"
    "    guide: {prismatic: box, axis: x}\n"
    "  springs: {spring: {between: box, offsets: [[0, 0, 0], [0, 0, 50 mm]], stiffness: 0.2 kN/m, damping: 1 "
    "N*s/m}}\n"
    "  forces: {motor: {at: crank, moment: [0, 20 N*mm*sin(2*pi*15 Hz*t), 0]}}\n"
    "ports:\n"
    "  cup: {node: box}\n"
    "grains:\n"
    "  bed:\n"
    "    port: cup\n"
    "    wall: {box: {size: 12 12 12 mm}}\n"
    "    particles: {radius: 1.5 mm, count: 30, material: glass}\n"
    "    packing: {random: {seed: 3}}\n"
    "    method: nonsmooth\n"
    "coupling: {scheme: monolithic, joints: %s}\n"
    "simulate: {duration: 0.05 s, step: 0.1 ms}\n";

static double run_model(const char *formulation, const char *joints, double *force) {
    char text[3000];
    snprintf(text, sizeof text, model, formulation, joints);
    Run run = start(mrc_model_parse(text, strlen(text), "test", NULL, 0));
    while (!is_done(&run)) step(&run);
    double x = value(&run, "box.x");
    *force = value(&run, "guide.fz");
    check_near(value(&run, "energy.error"), 0, 1e-9);
    end(&run);
    return x;
}

static void all_ways_agree(void **state) {
    (void)state;
    double force[4];
    double joined = run_model("relative", "rows", &force[0]),
           eliminated = run_model("relative", "eliminated", &force[1]);
    double rows = run_model("absolute", "rows", &force[2]),
           absolute = run_model("absolute", "eliminated", &force[3]);
    print_message("relative %.12g, %.12g; absolute %.12g, %.12g m\n", joined, eliminated, rows, absolute);
    double way = fabs(joined - 0.04);
    assert_true(way > 1e-3);
    check_near(joined, eliminated, 1e-6 * way);
    check_near(joined, rows, 1e-2 * way);
    check_near(joined, absolute, 1e-2 * way);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_ways_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
