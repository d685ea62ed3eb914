// The scale of examples/scale.yaml: once everything is at rest, the load that is recorded, the reaction of the guide and
// the spring's force are the weights that they carry, whatever the step, the scheme, the method, the mass of the box and
// the dashpot. The spring stands beside the middle, so that the guide carries a moment, too.
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "coupling/scheme.h"
#include "maraca/sim.h"

static const double stiffness = 2e4, gravity = 9.81,
                    ball = 2500 * 4.0 / 3 * M_PI * 27e-9; // [N/m], [m/s^2], [kg]

typedef struct Scale {
    const char *scheme, *method;
    double step, box, dashpot; // [s], [kg], [N s/m]
    const char *formulation;   // NULL: absolute
} Scale;

static MrcModel *make_model(const Scale *s, double duration) {
    char text[2000];
    bool smooth = strcmp(s->method, "smooth") == 0;
    snprintf(text, sizeof text,
             "maraca: 1\ngravity: 0 0 -%g m/s^2\n"
             "materials: {glass: {density: 2500 kg/m^3, friction: 0.4, restitution: 0.3}}\n"
             "mechanism:\n"
             "  formulation: %s\n"
             "  bodies: {box: {mass: %g kg, inertia: 1 1 1 g*m^2}}\n"
             "  joints: {guide: {prismatic: box, axis: z}}\n"
             "  springs: {mount: {between: box, offsets: [20 0 0 mm, 20 0 -1000 mm], stiffness: %g N/m,\n"
             "                    damping: %g N*s/m}}\n"
             "ports: {pan: {node: box, offset: 0 5 0 mm}}\n"
             "grains:\n"
             "  balls:\n"
             "    port: pan\n"
             "    wall: {box: {size: 100 100 30 mm}}\n"
             "    particles: {radius: 3 mm, count: 12, material: glass}\n"
             "    packing: settle\n"
             "    method: %s\n"
             "    contact: {%s}\n"
             "coupling: {scheme: %s}\n"
             "simulate: {duration: %g s, step: %g s}\n",
             gravity, s->formulation ? s->formulation : "absolute", s->box, stiffness, s->dashpot, s->method,
             smooth ? "stiffness: 3 kN/m, tangential: elastic" : "solver: {tolerance: 1e-9}", s->scheme,
             duration, s->step);
    MrcModel *model = mrc_model_parse(text, strlen(text), "scale", NULL, 0);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    return model;
}

static double value(MrcSim *sim, const char *name) {
    int signal = mrc_sim_find_signal(sim, name);
    assert_true(signal >= 0);
    return mrc_sim_value(sim, signal);
}

// Times of rest: the slower of the box on its spring and of the dashpot alone.
static double time_of_rest(const Scale *s) {
    double mass = s->box + 12 * ball, decay = s->dashpot / (2 * mass), creep = stiffness / s->dashpot;
    return fmin(25 / fmin(decay, creep), 4);
}

static void weigh(const Scale *s) {
    MrcError error;
    MrcSim *sim;
    MrcModel *model = make_model(s, 10);
    MrcSimOptions options = mrc_sim_options_default();
    if (mrc_sim_create(model, &options, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
    if (mrc_sim_advance(sim, time_of_rest(s), &error) != MRC_OK) fail_msg("%s: %s", s->scheme, error.text);
    double balls = 12 * ball * gravity, all = balls + s->box * gravity, sag = -value(sim, "box.z");
    double found[] = {sag * stiffness / all - 1, -value(sim, "balls.load.fz") / balls - 1,
                      -value(sim, "pan.load.fz") / balls - 1};
    double moment = value(sim, "guide.my"),
           load = value(sim, "pan.load.my"); // about the box's origin and the port
    double needed = 0.02 * sag * stiffness - load;
    print_message("%s, %s, h %g ms, box %g kg, %g N s/m: spring %.1e, balls %.1e, port %.1e, guide %.1e\n",
                  s->scheme, s->method, 1e3 * s->step, s->box, s->dashpot, found[0], found[1], found[2],
                  moment / needed - 1);
    for (int k = 0; k < 3; k++) assert_true(fabs(found[k]) < 1e-6);
    assert_true(fabs(moment / needed - 1) < 1e-6);
    check_near(value(sim, "box.vz"), 0, 1e-8);
    check_near(value(sim, "box.az"), 0, 1e-5);
    mrc_sim_free(sim);
    mrc_model_free(model);
}

static void every_scheme_and_method_weighs_right(void **state) {
    (void)state;
    static const char *const methods[] = {"nonsmooth", "nscd", "smooth"};
    for (const SchemeType *const *type = scheme_types; *type; type++)
        for (int method = 0; method < 3; method++)
            weigh(&(Scale){(*type)->choice.word, methods[method], 2e-4, 0.2, 40, NULL});
}

// Balls of 1.4 times the mass of the box: one exchange per step is not stable there, and the rounds must not end at it.
static void rounds_weigh_right_with_a_light_box(void **state) {
    (void)state;
    static const char *const methods[] = {"nonsmooth", "nscd", "smooth"};
    for (int method = 0; method < 3; method++)
        for (int k = 0; k < 2; k++)
            weigh(&(Scale){"tight", methods[method], k ? 2e-5 : 2e-4, 0.0024, 4, NULL});
}

static void every_step_mass_and_dashpot_weighs_right(void **state) {
    (void)state;
    static const double steps[] = {2e-5, 1e-3}, boxes[] = {0.02, 2}, dashpots[] = {20, 500};
    for (int h = 0; h < 2; h++)
        for (int b = 0; b < 2; b++)
            for (int d = 0; d < 2; d++)
                for (int method = 0; method < 2; method++) {
                    if (h == 0 && (b == 1 || method == 1)) continue; // takes long, and is as the others
                    weigh(&(Scale){"condensed", method ? "smooth" : "nonsmooth", steps[h], boxes[b],
                                   dashpots[d], NULL});
                }
}

// Semi-implicit Euler: springs and gravity act on the box once a step, smooth grains many times. Spread over the step both
// cancel, and nothing is lost at rest. In relative coordinates forces are those of the middle of the step, where the load
// of the grains has to be known, or the dashpot would carry a part of it.
static void one_problem_rests_at_no_loss(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        Scale s = {"monolithic", k % 2 ? "smooth" : "nonsmooth", 2e-4, 0.02,
                   20,           k < 2 ? "absolute" : "relative"};
        weigh(&s);
        MrcError error;
        MrcSim *sim;
        MrcModel *model = make_model(&s, 10);
        MrcSimOptions options = mrc_sim_options_default();
        if (mrc_sim_create(model, &options, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
        if (mrc_sim_advance(sim, 0.3, &error) != MRC_OK) fail_msg("%s", error.text);
        double before = value(sim, "energy.impact"), dampers = value(sim, "energy.dampers"),
               all = value(sim, "energy.elastic");
        if (mrc_sim_advance(sim, 0.4, &error) != MRC_OK) fail_msg("%s", error.text);
        print_message(
            "%s, %s: impacts take %.1e, dampers %.1e of the elastic energy in 0.1 s at rest, %.1e in all, "
            "balance off by %.1e\n",
            s.formulation, s.method, (value(sim, "energy.impact") - before) / all,
            (value(sim, "energy.dampers") - dampers) / all, value(sim, "energy.impact") / all,
            value(sim, "energy.error") / all);
        check_near(value(sim, "energy.impact"), before, 1e-9 * all);
        check_near(value(sim, "energy.dampers"), dampers, 1e-9 * all);
        check_near(value(sim, "energy.error"), 0, 1e-3 * all);
        mrc_sim_free(sim);
        mrc_model_free(model);
    }
}

// With a step as long as 1/omega and m/c what dampers take is still what is gone: half of what the weights give, k x0^2/2.
static void dampers_take_what_is_gone(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        Scale s = {"monolithic", k ? "smooth" : "nonsmooth", 1e-3, 0.02, 20, NULL};
        MrcError error;
        MrcSim *sim;
        MrcModel *model = make_model(&s, 10);
        MrcSimOptions options = mrc_sim_options_default();
        if (mrc_sim_create(model, &options, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
        if (mrc_sim_advance(sim, 0.3, &error) != MRC_OK) fail_msg("%s", error.text);
        double all = value(sim, "energy.elastic"), made = value(sim, "energy.algorithm");
        print_message("%s, h = 1 ms: dampers %.3f, impacts %.3f, integration %.3f of k x0^2/2\n", s.method,
                      value(sim, "energy.dampers") / all, value(sim, "energy.impact") / all, made / all);
        assert_true(fabs(made) < (k ? 0.5 : 1e-3) * all);
        mrc_sim_free(sim);
        mrc_model_free(model);
    }
}

// Without a dashpot nothing stops the box: it swings about the place of equilibrium, x0 = F/k, with the amplitude that it
// starts with. Its mean place is x0 and the mean of the recorded load is the weight, as seen through a window that is smooth at
// both ends. (With N periods in the window (1 - cos)^k, 1/N^(2 k + 1) of the swing is left.)
static void without_a_dashpot_the_mean_weighs_right(void **state) {
    (void)state;
    for (int method = 0; method < 2; method++)
        for (int k = 0; k < 2; k++) {
            Scale s = {"condensed", method ? "smooth" : "nonsmooth", k ? 1e-3 : 2e-4, 0.2, 0, NULL};
            MrcError error;
            MrcSim *sim;
            MrcModel *model = make_model(&s, 10);
            MrcSimOptions options = mrc_sim_options_default();
            if (mrc_sim_create(model, &options, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
            double balls = 12 * ball * gravity, x0 = (balls + s.box * gravity) / stiffness, low = 0,
                   high = -1;
            double sum = 0, load = 0, weights = 0, last = 0.5;
            int steps = (int)lround(last / s.step);
            for (int n = 0; n < steps; n++) {
                if (mrc_sim_advance(sim, (n + 1) * s.step, &error) != MRC_OK) fail_msg("%s", error.text);
                double z = value(sim, "box.z"),
                       weight = pow(1 - cos(2 * M_PI * (n + 1) / steps), 3); // a smooth window
                sum += weight * z, load += weight * value(sim, "pan.load.fz"), weights += weight;
                low = fmin(low, z), high = fmax(high, z);
            }
            print_message("no dashpot, %s, h %g ms: place %.1e, load %.1e, swings by %.2g F/k\n", s.method,
                          1e3 * s.step, -sum / weights / x0 - 1, -load / weights / balls - 1,
                          (high - low) / x0 / 2);
            assert_true(fabs(-sum / weights / x0 - 1) < 1e-6 && fabs(-load / weights / balls - 1) < 1e-6);
            mrc_sim_free(sim);
            mrc_model_free(model);
        }
}

// What has changed since the matrix was factored: a damper has faded, or the spring has become stiffer on its way. The machine
// has moved on slowly, and no iteration asks for new factors. The place is that of the forces of now; with the curvature of
// the cubic spring over the way of one jump an error of the order of h^4 remains.
static void rests_where_stiffness_and_damping_have_changed(void **state) {
    (void)state;
    static const char text[] =
        "maraca: 1\ngravity: 0 0 -9.81 m/s^2\n"
        "materials: {glass: {density: 2500 kg/m^3, friction: 0.4, restitution: 0.3}}\n"
        "mechanism:\n"
        "  formulation: absolute\n"
        "  bodies: {box: {mass: %g kg, inertia: 3e-4 3e-4 3e-4 kg*m^2}}\n"
        "  joints: {guide: {prismatic: box, axis: z}}\n"
        "  forces: {mount: {at: box, force: [0, 0, '%s']}}\n"
        "ports: {pan: {node: box}}\n"
        "grains: {balls: {port: pan, wall: {box: {size: 26 26 60 mm}}, method: %s, packing: settle,\n"
        "         particles: {radius: 3 mm, count: 12, material: glass}, contact: {%s}}}\n"
        "simulate: {duration: 10 s, step: %g s}\n";
    static const char faded[] =
        "-20 kN/m*box.z - (20 N*s/m + 60 N*s/m*(1 - smooth(t, 50 ms, 100 ms)))*box.vz",
                      cubic[] = "-20 kN/m*box.z*(1 + (box.z/0.1 mm)^2) - 20 N*s/m*box.vz";
    static const struct {
        double box, step, time; // [kg], [s], [s]
        const char *force;
        bool smooth;
        double limit; // of what is left, in g
    } cases[] = {{0.05, 2e-4, 0.3, faded, false, 1e-9},
                 {0.05, 2e-4, 0.3, faded, true, 1e-9},
                 {0.2, 7e-4, 0.8, cubic, false, 1e-6}};
    for (int k = 0; k < 3; k++) {
        char model_text[2000];
        MrcError error;
        MrcSim *sim;
        snprintf(model_text, sizeof model_text, text, cases[k].box, cases[k].force,
                 cases[k].smooth ? "smooth" : "nonsmooth",
                 cases[k].smooth ? "stiffness: 3 kN/m, tangential: elastic" : "solver: {tolerance: 1e-9}",
                 cases[k].step);
        MrcModel *model = mrc_model_parse(model_text, strlen(model_text), "scale", NULL, 0);
        assert_int_equal(mrc_model_status(model), MRC_OK);
        MrcSimOptions options = mrc_sim_options_default();
        if (mrc_sim_create(model, &options, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
        if (mrc_sim_advance(sim, cases[k].time, &error) != MRC_OK) fail_msg("%s", error.text);
        double z = value(sim, "box.z"), mass = 12 * ball + cases[k].box;
        double force = stiffness * z * (k < 2 ? 1 : 1 + z * z / 1e-8), wrong = -force / (mass * gravity) - 1;
        print_message("%s, %s: spring %.1e, acceleration %.1e g\n", k < 2 ? "faded damper" : "cubic spring",
                      cases[k].smooth ? "smooth" : "nonsmooth", wrong, value(sim, "box.az") / gravity);
        assert_true(fabs(wrong) < cases[k].limit && fabs(value(sim, "box.az")) < cases[k].limit * gravity);
        mrc_sim_free(sim);
        mrc_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scheme_and_method_weighs_right),
        cmocka_unit_test(rounds_weigh_right_with_a_light_box),
        cmocka_unit_test(every_step_mass_and_dashpot_weighs_right),
        cmocka_unit_test(one_problem_rests_at_no_loss),
        cmocka_unit_test(dampers_take_what_is_gone),
        cmocka_unit_test(without_a_dashpot_the_mean_weighs_right),
        cmocka_unit_test(rests_where_stiffness_and_damping_have_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
