// Two scales side by side, tied to each other by a spring, under tilted gravity: two ports, two beds of the same or of
// different methods, on one of them a container with a mass of its own, a stiff spring under the other. Once at rest,
// loads, reactions of the guides and springs are the weights that they carry.
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "maraca/sim.h"

static const double gravity[3] = {0.6, -0.4, -9.81}, ball = 2500 * 4.0 / 3 * M_PI * 27e-9;
static const double mass_a = 0.1, mass_b = 0.15, tie = 1e4;
enum { balls_a = 8, balls_b = 12 };

typedef struct Scales {
    const char *scheme, *a, *b; // method of the grains in a and b
    double shell;               // mass of the container on a [kg]
    double step, stiffness_b;   // [s], [N/m]
} Scales;

static const char *contact(const char *method) {
    return strcmp(method, "smooth") == 0 ? "stiffness: 3 kN/m, tangential: elastic"
                                         : "solver: {tolerance: 1e-9}";
}

static double value(MrcSim *sim, const char *name) {
    int signal = mrc_sim_find_signal(sim, name);
    if (signal < 0) fail_msg("no signal '%s'", name);
    return mrc_sim_value(sim, signal);
}

static MrcModel *make_model(const Scales *s) {
    char text[3000], shell[200] = "";
    if (s->shell > 0)
        snprintf(shell, sizeof shell,
                 ", container: {mass: %g kg, inertia: [1e-5 kg*m^2, 1e-5 kg*m^2, 1e-5 kg*m^2, 0, 0, 0]}",
                 s->shell);
    snprintf(
        text, sizeof text,
        "maraca: 1\ngravity: %g %g %g m/s^2\n"
        "materials: {glass: {density: 2500 kg/m^3, friction: 0.6, restitution: 0.3}}\n"
        "mechanism:\n"
        "  bodies:\n"
        "    a: {mass: %g kg, inertia: 1 1 1 g*m^2}\n"
        "    b: {mass: %g kg, inertia: 1 1 1 g*m^2, position: 200 0 0 mm}\n"
        "  joints: {ga: {prismatic: a, axis: z}, gb: {prismatic: b, axis: z}}\n"
        "  springs:\n"
        "    sa: {between: a, offsets: [0 0 0 mm, 0 0 -100 mm], stiffness: 20 kN/m, damping: 60 N*s/m}\n"
        "    sb: {between: b, offsets: [0 0 0 mm, 200 0 -100 mm], stiffness: %g N/m, damping: 60 N*s/m}\n"
        "    tie: {between: [a, b], stiffness: %g N/m}\n"
        "ports: {pa: {node: a, offset: 0 5 0 mm%s}, pb: {node: b}}\n"
        "grains:\n"
        "  one: {port: pa, wall: {box: {size: 20 20 30 mm}},\n"
        "        particles: {radius: 3 mm, count: %d, material: glass}, packing: settle, method: %s,\n"
        "        contact: {%s}}\n"
        "  two: {port: pb, wall: {box: {size: 20 26 30 mm}},\n"
        "        particles: {radius: 3 mm, count: %d, material: glass}, packing: settle, method: %s,\n"
        "        contact: {%s}}\n"
        "coupling: {scheme: %s}\n"
        "simulate: {duration: 10 s, step: %g s}\n",
        gravity[0], gravity[1], gravity[2], mass_a, mass_b, s->stiffness_b, tie, shell, balls_a, s->a,
        contact(s->a), balls_b, s->b, contact(s->b), s->scheme, s->step);
    MrcModel *model = mrc_model_parse(text, strlen(text), "scales", NULL, 0);
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
        print_error("%s\n", mrc_model_diagnostic(model, i)->text);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    return model;
}

static void weigh(const Scales *s) {
    MrcError error;
    MrcSim *sim;
    MrcModel *model = make_model(s);
    MrcSimOptions options = mrc_sim_options_default();
    if (mrc_sim_create(model, &options, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
    if (mrc_sim_advance(sim, 0.4, &error) != MRC_OK) fail_msg("%s: %s", s->scheme, error.text);
    double a = balls_a * ball + s->shell, b = balls_b * ball, za = value(sim, "a.z"), zb = value(sim, "b.z");
    double length = hypot(0.2, za - zb), pull = tie * (length - 0.2) * (zb - za) / length, worst = 0,
           tilted = 0;
    double springs[] = {(-2e4 * za + pull) / (-(a + mass_a) * gravity[2]) - 1,
                        (-s->stiffness_b * zb - pull) / (-(b + mass_b) * gravity[2]) - 1};
    static const char *const axes[] = {"fx", "fy", "fz"};
    for (int k = 0; k < 3; k++) {
        char names[4][20];
        const char *parts[] = {"pa.load.", "pb.load.", "ga.", "gb."};
        const double masses[] = {a, b, -(a + mass_a), -(b + mass_b)};
        for (int i = 0; i < (k == 2 ? 2 : 4); i++) {
            snprintf(names[i], sizeof names[i], "%s%s", parts[i], axes[k]);
            double off = fabs(value(sim, names[i]) / (masses[i] * gravity[k]) - 1);
            if (k == 2) worst = fmax(worst, off);
            else if (!(k == 0 && i >= 2)) tilted = fmax(tilted, off); // the tie pulls on guides along x
        }
    }
    print_message("%s, %s and %s, shell %g kg, h %g ms, %g N/m: springs %.1e, %.1e, loads %.1e, across %.1e, "
                  "%.1e m/s\n",
                  s->scheme, s->a, s->b, s->shell, 1e3 * s->step, s->stiffness_b, springs[0], springs[1],
                  worst, tilted, fmax(fabs(value(sim, "a.vz")), fabs(value(sim, "b.vz"))));
    assert_true(fabs(springs[0]) < 1e-6 && fabs(springs[1]) < 1e-5 && worst < 1e-5 && tilted < 1e-3);
    check_near(value(sim, "a.vz"), 0, 1e-6);
    check_near(value(sim, "b.vz"), 0, 1e-6);
    mrc_sim_free(sim);
    mrc_model_free(model);
}

static const char smooth[] = "smooth", rigid[] = "nonsmooth";

static void beds_of_one_method_weigh_right(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        weigh(&(Scales){"condensed", k ? smooth : rigid, k ? smooth : rigid, 0, 5e-4, 3e4});
        weigh(&(Scales){"condensed", k ? smooth : rigid, k ? smooth : rigid, 0, 5e-4, 3e7});
        weigh(&(Scales){"monolithic", k ? smooth : rigid, k ? smooth : rigid, 0, 2e-4, 3e4});
    }
}

static void beds_of_both_methods_weigh_right(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        weigh(&(Scales){"condensed", k ? smooth : rigid, k ? rigid : smooth, 0, 5e-4, 3e4});
        weigh(&(Scales){"condensed", k ? smooth : rigid, k ? rigid : smooth, 0, 5e-4, 3e7});
        weigh(&(Scales){"monolithic", k ? smooth : rigid, k ? rigid : smooth, 0, 2e-4, 3e4});
    }
}

static void containers_with_mass_weigh_right(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        weigh(&(Scales){"condensed", k ? smooth : rigid, k ? smooth : rigid, 0.05, 5e-4, 3e4});
        weigh(&(Scales){"tight", k ? smooth : rigid, k ? smooth : rigid, 0.05, 5e-4, 3e4});
        weigh(&(Scales){"monolithic", k ? smooth : rigid, k ? smooth : rigid, 0.05, 2e-4, 3e4});
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beds_of_one_method_weigh_right),
        cmocka_unit_test(beds_of_both_methods_weigh_right),
        cmocka_unit_test(containers_with_mass_weigh_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
