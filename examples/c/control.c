// A control force on a machine with grains: at each step the program reads a velocity and sets a force.
//
//     cc control.c $(pkg-config --cflags --libs maraca) -o control && ./control
//
// A box on a spring with grains in it is let go. The model file has an input `u`, a force on the box; the program sets
//
//     u = -gain * (velocity of the box)
//
// which is a damper in software. Each step takes the force as constant.
#include <maraca/sim.h>
#include <math.h>
#include <stdio.h>

static const char model_text[] =
    "maraca: 1\n"
    "title: A controlled box with grains\n"
    "gravity: 0 -9.81 0 m/s^2\n"
    "materials: {lead: {density: 11344 kg/m^3, friction: 0.5, restitution: 0}}\n"
    "inputs: {u: {unit: N, default: 0}}\n"
    "mechanism:\n"
    "  bodies: {box: {mass: 0.2 kg, inertia: 1 1 1 g*m^2, position: 10 0 0 mm}}\n"
    "  joints: {guide: {prismatic: box, axis: x}}\n"
    "  forces: {spring: {at: box, force: [u - 200 N/m*box.x, 0, 0]}}\n"
    "grains:\n"
    "  bed:\n"
    "    port: box\n"
    "    wall: {box: {size: 30 20 20 mm}}\n"
    "    particles: {radius: 2 mm, count: 30, material: lead}\n"
    "    packing: {random: {seed: 2}}\n"
    "    method: nonsmooth\n"
    "simulate: {duration: 1 s, step: 0.2 ms}\n";

// The largest |x| of the box in the last quarter of the run [m]; negative: the run failed.
static double run(const MrcModel *model, double gain) {
    MrcError error;
    MrcSim *sim;
    double largest = 0;
    if (mrc_sim_create(model, NULL, &sim, &error) != MRC_OK) {
        fprintf(stderr, "cannot begin: %s\n", error.text);
        return -1;
    }
    int x = mrc_sim_find_signal(sim, "box.x"), v = mrc_sim_find_signal(sim, "box.vx"),
        u = mrc_sim_find_input(sim, "u");
    while (!mrc_sim_is_done(sim)) {
        MrcStatus status = mrc_sim_set_input(sim, u, -gain * mrc_sim_value(sim, v), &error);
        if (status == MRC_OK) status = mrc_sim_step(sim, &error);
        if (status != MRC_OK) {
            fprintf(stderr, "stopped: %s\n", error.text);
            mrc_sim_free(sim);
            return -1;
        }
        if (mrc_sim_time(sim) > 0.75) largest = fmax(largest, fabs(mrc_sim_value(sim, x)));
    }
    mrc_sim_free(sim);
    return largest;
}

int main(void) {
    const double gains[] = {0, 1, 4};
    double last = INFINITY;
    MrcModel *model = mrc_model_parse(model_text, sizeof model_text - 1, "control", NULL, 0);
    if (mrc_model_status(model) != MRC_OK) {
        fprintf(stderr, "%s\n", mrc_model_diagnostic(model, 0)->text);
        return 1;
    }
    for (int k = 0; k < 3; k++) {
        double amplitude = run(model, gains[k]);
        printf("gain %g N s/m: amplitude %.4f mm in the last quarter\n", gains[k], 1e3 * amplitude);
        if (!(amplitude >= 0 && amplitude < last)) return 1; // more control, less vibration
        last = amplitude;
    }
    mrc_model_free(model);
    return 0;
}
