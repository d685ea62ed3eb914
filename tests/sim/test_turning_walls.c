// A rigid grain in a box that turns at 100 rad/s: the flat wall must turn it round with it. Carried along at the distance
// r from the axis it presses with m w^2 r, and does not sink into the wall. (The speed at which overlaps are undone once
// knew nothing of turning: the grain sank by 0.2 of its radius, and the run ended.)
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "maraca/sim.h"

static double value(MrcSim *sim, const char *name) {
    int signal = mrc_sim_find_signal(sim, name);
    if (signal < 0) fail_msg("no signal %s", name);
    return mrc_sim_value(sim, signal);
}

static void carried_round(void **state) {
    (void)state;
    for (int gravity = 0; gravity < 2; gravity++)
        for (int seed = 1; seed <= 4; seed++) {
            char text[1000];
            snprintf(text, sizeof text,
                     "maraca: 1\ngravity: [0, 0, %g m/s^2]\n"
                     "materials: {ball: {density: 7850 kg/m^3, friction: 0.5, restitution: 0}}\n"
                     "ports: {drum: {position: [0, 0, 0], rotation: {axis: z, angle: 100 rad/s*t}}}\n"
                     "grains:\n"
                     "  bed:\n"
                     "    port: drum\n"
                     "    wall: {box: {size: 42 42 10 mm}}\n"
                     "    particles: {radius: 1 mm, count: 1, material: ball}\n"
                     "    packing: {random: {seed: %d}}\n"
                     "    method: nonsmooth\n"
                     "simulate: {duration: 0.4 s, step: 0.1 ms}\n",
                     -9.81 * gravity, seed);
            MrcError error;
            MrcSim *sim;
            MrcModel *model = mrc_model_parse(text, strlen(text), "drum", NULL, 0);
            assert_int_equal(mrc_model_status(model), MRC_OK);
            MrcSimOptions options = mrc_sim_options_default();
            if (mrc_sim_create(model, &options, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
            double pressed = 0, expected = 0, deepest = 0;
            for (int n = 0; !mrc_sim_is_done(sim); n++) {
                if (mrc_sim_step(sim, &error) != MRC_OK) fail_msg("%s", error.text);
                double x = value(sim, "bed.center.x"), y = value(sim, "bed.center.y"), t = 1e-4 * (n + 1);
                double along = x * cos(100 * t) + y * sin(100 * t),
                       across = y * cos(100 * t) - x * sin(100 * t);
                deepest = fmax(deepest, fmax(fabs(along), fabs(across)) - 0.020);
                if (t < 0.3) continue;
                pressed += hypot(value(sim, "bed.load.fx"), value(sim, "bed.load.fy"));
                expected += 7850 * 4.0 / 3 * M_PI * 1e-9 * 1e4 * hypot(x, y);
            }
            print_message("seed %d: pressed by %.4f of m w^2 r, sunk by %.4f of the radius\n", seed,
                          pressed / expected, deepest / 1e-3);
            check_near(pressed / expected, 1, 0.01);
            assert_true(deepest < 0.01e-3);
            mrc_sim_free(sim);
            mrc_model_free(model);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(carried_round)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
