// Two beds of different methods on one table that can tilt: rigid grains push once a step, smooth ones many times. At rest
// each bed weighs what it weighs, the table sags by the weight of all over the stiffness, and nothing is lost any more,
// whatever the scheme.
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "coupling/scheme.h"
#include "maraca/sim.h"

static const double stiffness = 1.5e4, gravity = 9.81, table = 0.5; // [N/m], [m/s^2], [kg]
static const double steel = 5 * 7800 * 4.0 / 3 * M_PI * 64e-9;      // mass of the left bed [kg]
static const double sand = 4 * 2600 * 4.0 / 3 * M_PI * 125e-9;      // of the right one [kg]

static MrcModel *make_model(const char *scheme, const char *formulation, const char *left,
                            const char *right) {
    char text[3000];
    static const char smooth[] = "stiffness: 5 kN/m, tangential: elastic",
                      rigid[] = "solver: {tolerance: 1e-8}";
    snprintf(
        text, sizeof text,
        "maraca: 1\ngravity: 0 0 -%g m/s^2\n"
        "materials:\n"
        "  steel: {density: 7800 kg/m^3, friction: 0.3, restitution: 0.2}\n"
        "  sand: {density: 2600 kg/m^3, friction: 0.5, restitution: 0.1}\n"
        "mechanism:\n"
        "  formulation: %s\n"
        "  bodies: {table: {mass: %g kg, inertia: 2 2 4 g*m^2}}\n"
        "  bushings:\n"
        "    mount: {between: table, stiffness: 30 30 15 kN/m, damping: 60 60 60 N*s/m,\n"
        "            rotational_stiffness: 200 200 200 N*m/rad, rotational_damping: 0.6 0.6 0.6 N*m*s/rad}\n"
        "ports:\n"
        "  left: {node: table, offset: -80 0 20 mm}\n"
        "  right: {node: table, offset: 80 10 20 mm}\n"
        "grains:\n"
        "  steel: {port: left, wall: {box: {size: 30 30 40 mm}}, method: %s, contact: {%s},\n"
        "          particles: {radius: 4 mm, count: 5, material: steel}, packing: settle}\n"
        "  sand: {port: right, wall: {box: {size: 40 40 40 mm}}, method: %s, contact: {%s},\n"
        "         particles: {radius: 5 mm, count: 4, material: sand}, packing: settle}\n"
        "coupling: {scheme: %s}\n"
        "simulate: {duration: 2 s, step: 0.5 ms}\n",
        gravity, formulation, table, left, strcmp(left, "smooth") == 0 ? smooth : rigid, right,
        strcmp(right, "smooth") == 0 ? smooth : rigid, scheme);
    MrcModel *model = mrc_model_parse(text, strlen(text), "table", NULL, 0);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    return model;
}

static double value(MrcSim *sim, const char *name) {
    int signal = mrc_sim_find_signal(sim, name);
    assert_true(signal >= 0);
    return mrc_sim_value(sim, signal);
}

static double lost(MrcSim *sim) {
    return value(sim, "energy.impact") + value(sim, "energy.friction") + value(sim, "energy.dampers") +
           value(sim, "energy.algorithm");
}

static void rest(const char *scheme, const char *formulation, const char *left, const char *right) {
    MrcError error;
    MrcSim *sim;
    MrcModel *model = make_model(scheme, formulation, left, right);
    MrcSimOptions options = mrc_sim_options_default();
    if (mrc_sim_create(model, &options, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
    if (mrc_sim_advance(sim, 0.4, &error) != MRC_OK) fail_msg("%s: %s", scheme, error.text);
    double before = lost(sim), all = value(sim, "energy.elastic");
    if (mrc_sim_advance(sim, 0.5, &error) != MRC_OK) fail_msg("%s: %s", scheme, error.text);
    double found[] = {-value(sim, "table.z") * stiffness / (gravity * (table + steel + sand)) - 1,
                      -value(sim, "steel.load.fz") / (gravity * steel) - 1,
                      -value(sim, "sand.load.fz") / (gravity * sand) - 1};
    double at_rest = (lost(sim) - before) / all, off = value(sim, "energy.error") / all;
    print_message(
        "%s, %s, %s and %s: sag %.1e, steel %.1e, sand %.1e; lost at rest %.1e, balance off by %.1e\n",
        scheme, formulation, left, right, found[0], found[1], found[2], at_rest, off);
    for (int k = 0; k < 3; k++) assert_true(fabs(found[k]) < 1e-6);
    assert_true(fabs(at_rest) < 1e-6);
    assert_true(fabs(off) < 2e-3);
    mrc_sim_free(sim);
    mrc_model_free(model);
}

static void every_scheme_rests(void **state) {
    (void)state;
    for (const SchemeType *const *type = scheme_types; *type; type++)
        rest((*type)->choice.word, "absolute", "nonsmooth", "smooth");
}

static void one_problem_rests_with_all_methods(void **state) {
    (void)state;
    rest("monolithic", "absolute", "smooth", "nonsmooth");
    rest("monolithic", "absolute", "nscd", "smooth");
    rest("monolithic", "relative", "nonsmooth", "smooth");
    rest("monolithic", "relative", "smooth", "nscd");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scheme_rests),
        cmocka_unit_test(one_problem_rests_with_all_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
