// A ball on the undamped spring of its contact, in a box on an undamped spring, neither of them resolved by the step of
// the coupling: the swing of the load grows or dies away as the recurrence of the condensed scheme with a contact says
// (docs/theory/condensed.md), and at rho_inf up to 0.6 it dies away.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "coupling/scheme_map.h"
#include "maraca/sim.h"

static const double gravity = 9.81, step = 1e-3, box = 0.04, density = 7850; // [m/s^2], [s], [kg], [kg/m^3]
enum { small_steps = 100, steps_most = 1500 };

typedef struct Swing {
    double ratio, omega1_h, omega2_h,
        rho_inf;  // mass of the ball over that of the box; of box and ball on their springs
    int from, to; // steps between which the growth is measured
} Swing;

// The ball rests on the floor, and the box on its spring; then the ball is kicked.
static MrcSim *swing_begin(const Swing *s, MrcModel **model) {
    char text[2500], folder[] = "/tmp/maraca-swing-XXXXXX", path[60];
    double ball = s->ratio * box, k1 = box * pow(s->omega1_h / step, 2),
           k2 = ball * pow(s->omega2_h / step, 2);
    double radius = cbrt(ball / (density * 4 / 3 * M_PI)), overlap = ball * gravity / k2;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/ball.csv", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "x[m],y[m],z[m],vz[m/s]\n0,0,%.17g,%.17g\n", -radius - overlap,
            0.05 * gravity * step / s->omega2_h);
    fclose(file);
    snprintf(text, sizeof text,
             "maraca: 1\ngravity: 0 0 -%g m/s^2\n"
             "materials: {steel: {density: %g kg/m^3, friction: 0, restitution: 1}}\n"
             "mechanism:\n"
             "  integrator: {rho_inf: %g}\n"
             "  bodies: {box: {mass: %g kg, inertia: 1 1 1 g*m^2}}\n"
             "  joints: {guide: {prismatic: box, axis: z}}\n"
             "  springs: {mount: {between: box, offsets: [0 0 0 m, 0 0 -1 m], stiffness: %.17g N/m, length: "
             "%.17g m}}\n"
             "ports: {pan: {node: box}}\n"
             "grains:\n"
             "  ball:\n"
             "    port: pan\n"
             "    wall: {box: {size: %.17g %.17g %.17g m}}\n"
             "    particles: {radius: %.17g m, material: steel}\n"
             "    packing: {file: {path: %s}}\n"
             "    method: smooth\n"
             "    contact: {normal: linear, tangential: none, stiffness: %.17g N/m}\n"
             "coupling: {scheme: condensed, interval: %d}\n"
             "simulate: {duration: 10 s, step: %g s}\n",
             gravity, density, s->rho_inf, box, k1, 1 + (box + ball) * gravity / k1, 4 * radius, 4 * radius,
             4 * radius, radius, path, k2, small_steps, step);
    *model = mrc_model_parse(text, strlen(text), "swing", NULL, 0);
    assert_int_equal(mrc_model_status(*model), MRC_OK);
    MrcSimOptions options = mrc_sim_options_default();
    MrcError error;
    MrcSim *sim;
    if (mrc_sim_create(*model, &options, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
    unlink(path);
    rmdir(folder);
    return sim;
}

static double mean_square(const double *x, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += x[i] * x[i];
    return sum / count;
}

// Logarithm of the growth per step.
static double swing_growth(const Swing *s) {
    double load[steps_most];
    MrcError error;
    MrcModel *model;
    MrcSim *sim = swing_begin(s, &model);
    int signal = mrc_sim_find_signal(sim, "pan.load.fz"), window = (s->to - s->from) / 4;
    assert_true(signal >= 0 && s->to <= steps_most);
    for (int i = 0; i < s->to; i++) {
        if (mrc_sim_advance(sim, (i + 1) * step, &error) != MRC_OK) fail_msg("step %d: %s", i, error.text);
        load[i] = mrc_sim_value(sim, signal) + s->ratio * box * gravity;
    }
    mrc_sim_free(sim);
    mrc_model_free(model);
    double first = mean_square(load + s->from, window), last = mean_square(load + s->to - window, window);
    return 0.5 * log(last / first) / (s->to - s->from - window);
}

static double swing_of_map(const Swing *s) {
    SchemeMap map = {.scheme = &scheme_condensed};
    TwoMassParameters p = {.mass_ratio = s->ratio,
                           .rho_inf = s->rho_inf,
                           .omega_h = s->omega1_h,
                           .substeps = small_steps,
                           .contact_omega_h = s->omega2_h};
    return log(map_radius(&map, &p));
}

static void runs_swing_as_the_map_says(void **state) {
    (void)state;
    static const Swing swings[] = {
        {0.17, 2, 1.1, 0.6, 100, 500},    {0.17, 3, 2.5, 0.6, 50, 350},  {0.17, 1.46, 2.5, 0.6, 100, 500},
        {0.17, 1.46, 1.6, 0.6, 500, 900}, {0.17, 2, 1.6, 0.6, 400, 700}, {0.17, 1, 1.1, 0.6, 900, 1500},
        {0.1, 1.65, 3.3, 0.9, 10, 90}, // grows
    };
    for (size_t i = 0; i < sizeof swings / sizeof *swings; i++) {
        const Swing *s = &swings[i];
        double run = swing_growth(s), map = swing_of_map(s);
        print_message("omega1 h %g, omega2 h %g, rho_inf %g: growth per step %.5f, of the map %.5f\n",
                      s->omega1_h, s->omega2_h, s->rho_inf, exp(run), exp(map));
        assert_true(fabs(run - map) < 0.1 * fabs(map));
        assert_true(s->rho_inf > 0.6 ? run > 0 : run < 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_swing_as_the_map_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
