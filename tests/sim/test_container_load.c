// What a port is told by its container: the sum of contact impulses, or the reaction of the constraints that
// hold it; from model files. Without mass both are the same.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "maraca/maraca.h"

enum { most_rows = 400, most_columns = 16 };

typedef struct Rows {
    int count;
    double value[most_rows][most_columns]; // t, then the series
} Rows;

static void take_row(void *user, const MrcRow *row) {
    Rows *rows = user;
    assert_true(rows->count < most_rows && row->count <= most_columns);
    memcpy(rows->value[rows->count++], row->values, (size_t)row->count * sizeof(double));
}

static Rows run(const char *text, const char *const *overrides, int count) {
    static Rows rows;
    rows.count = 0;
    MrcError error = {0};
    MrcModel *model = mrc_model_parse(text, strlen(text), "model.yaml", overrides, count);
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
        print_error("%s\n", mrc_model_diagnostic(model, i)->text);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    MrcRunOptions options = mrc_run_options_default();
    options.row = take_row;
    options.user = &rows;
    options.threads = 1;
    if (mrc_run(model, &options, NULL, &error) != MRC_OK) fail_msg("%s", error.text);
    mrc_model_free(model);
    return rows;
}

static void check_refused(const char *text, const char *override, const char *words) {
    MrcModel *model = mrc_model_parse(text, strlen(text), "model.yaml", &override, 1);
    assert_int_not_equal(mrc_model_status(model), MRC_OK);
    assert_non_null(strstr(mrc_model_diagnostic(model, 0)->text, words));
    mrc_model_free(model);
}

// ---- prescribed ---------------------------------------------------------------------------------------
static const char driven[] =
    "maraca: 1\n"
    "gravity: 0 0 -9.81 m/s^2\n"
    "materials: {lead: {density: 11344 kg/m^3, friction: 0.4, restitution: 0}}\n"
    "ports:\n"
    "  shell: {position: [0, 0, 1.5 mm*sin(2*pi*25 Hz*t)], container: {load: constraint}}\n"
    "grains:\n"
    "  bed:\n"
    "    port: shell\n"
    "    method: nonsmooth\n"
    "    wall: {box: {size: 9 8 9 mm}}\n"
    "    particles: {radius: 1 mm, count: 20, material: lead, velocity: 0.1 0 -0.2 m/s}\n"
    "    packing: {random: {seed: 4}}\n"
    "    contact: {solver: {tolerance: 1e-10}}\n"
    "simulate: {duration: 60 ms, step: 0.2 ms}\n"
    "record: {every: 0.2 ms, series: [shell.load, bed.load]}\n";

static const double h = 2e-4, mass_of_bed = 20 * 11344 * 4.0 / 3.0 * M_PI * 1e-9;

static double place(double t) { return 1.5e-3 * sin(2 * M_PI * 25 * t); }

static void test_prescribed(void **state) {
    (void)state;
    const char *contacts[] = {"ports.shell.container.load=contacts"};
    Rows reaction = run(driven, NULL, 0), sum = run(driven, contacts, 1);
    double weight = mass_of_bed * 9.81, largest = 0;
    for (int n = 0; n < sum.count; n++) { // no mass: the same numbers
        assert_memory_equal(reaction.value[n], sum.value[n], sizeof sum.value[n]);
        check_near(sum.value[n][3], sum.value[n][9], 1e-12 * weight);
        check_near(sum.value[n][5], sum.value[n][11], 1e-14 * weight);
        largest = fmax(largest, fabs(sum.value[n][3]));
    }
    assert_true(largest > 2 * weight);
    const double masses[] = {1e-12, 5e-3}; // [kg]
    for (int k = 0; k < 2; k++) {
        char container[200];
        snprintf(container, sizeof container,
                 "ports.shell.container={mass: %g kg, inertia: [%g kg*m^2, %g kg*m^2, %g kg*m^2, 0, 0, 0], "
                 "center: 1 0 2 mm}",
                 masses[k], 1e-5 * masses[k], 2e-5 * masses[k], 1.5e-5 * masses[k]);
        const char *with[] = {container};
        Rows held = run(driven, with, 1);
        for (int n = 2; n < held.count; n++) { // in the step before; it starts with the port
            double t = held.value[n][0], a = (place(t) - 2 * place(t - h) + place(t - 2 * h)) / (h * h);
            double own = masses[k] * (-9.81 - a);
            check_near(held.value[n][3], held.value[n][9] + own, 1e-7 * (weight + fabs(own)));
            check_near(held.value[n][5], held.value[n][11] - 1e-3 * own, 1e-9 * (weight + fabs(own)));
            // What the grains feel does not change; rounding grows from collision to collision.
            check_near(held.value[n][9], sum.value[n][9], 1e-3 * weight);
            if (k == 0) check_near(held.value[n][3], held.value[n][9], 1e-7 * weight);
        }
    }
}

// ---- coupled ---------------------------------------------------------------------------------------
static const char coupled[] =
    "maraca: 1\n"
    "gravity: 0 0 -9.81 m/s^2\n"
    "constants: {own: 20 g, shell: 10 g}\n"
    "materials: {lead: {density: 11344 kg/m^3, friction: 0.4, restitution: 0}}\n"
    "mechanism:\n"
    "  bodies: {block: {mass: own, inertia: 1 1 1 g*m^2, velocity: 0 0 0.2 m/s}}\n"
    "  joints: {guide: {prismatic: block, axis: z}}\n"
    "  bushings: {spring: {between: block, stiffness: [500 N/m, 500 N/m, 500 N/m]}}\n"
    "ports:\n"
    "  box: {node: block, container: {mass: shell, inertia: [1e-6 kg*m^2, 1e-6 kg*m^2, 1e-6 kg*m^2, 0, 0, "
    "0]}}\n"
    "grains:\n"
    "  bed:\n"
    "    port: box\n"
    "    method: nonsmooth\n"
    "    wall: {box: {size: 9 8 9 mm}}\n"
    "    particles: {radius: 1 mm, count: 20, material: lead}\n"
    "    packing: {random: {seed: 4}}\n"
    "    contact: {solver: {tolerance: 1e-10}}\n"
    "simulate: {duration: 60 ms, step: 0.2 ms}\n"
    "record: {every: 0.2 ms, series: [box.z, box.load.fz, bed.load.fz]}\n";

static void test_coupled(void **state) {
    (void)state;
    const char *const schemes[] = {"condensed", "tight", "monolithic"};
    double weight = mass_of_bed * 9.81;
    for (int k = 0; k < 3; k++) {
        char scheme[120];
        snprintf(scheme, sizeof scheme, "coupling={scheme: %s, tolerance: 1e-9, iterations: 200}",
                 schemes[k]);
        const char *sum[] = {scheme, "ports.box.container.load=contacts", "constants.own=30 g"};
        const char *none[] = {scheme, "ports.box.container={}", "constants.own=30 g"};
        const char *reaction[] = {scheme};
        Rows by_sum = run(coupled, sum, 3), without = run(coupled, none, 3),
             by_reaction = run(coupled, reaction, 1);
        double largest = 0;
        for (int n = 1; n < by_sum.count; n++) {
            assert_memory_equal(by_sum.value[n], without.value[n], 4 * sizeof(double));
            check_near(by_sum.value[n][2], by_sum.value[n][3],
                       1e-6 * weight + 1e-6 * fabs(by_sum.value[n][3]));
            largest = fmax(largest, fabs(by_reaction.value[n][2] - by_reaction.value[n][3]));
        }
        // The container's weight and inertia are in the reaction.
        assert_true(largest > 0.5 * 10e-3 * 9.81);
        // The machine is the same one, wherever the mass is counted.
        int last = by_sum.count - 1;
        check_near(by_reaction.value[last][1], by_sum.value[last][1], 0.05e-3);
    }
}

// ---- where the node cannot move ---------------------------------------------------------------------------
// The load is the weight of bed and container, and the joint carries it: a clamp, an axle that is driven, a slide that is
// driven, one that is free in other directions. (What the joint takes of the container's mobility is all of it, up to rounding, which as a
// negative mass ended the run.)
static const char held[] =
    "maraca: 1\n"
    "gravity: 0 0 -9.81 m/s^2\n"
    "materials: {lead: {density: 11344 kg/m^3, friction: 0.6, restitution: 0}}\n"
    "mechanism:\n"
    "  formulation: %s\n"
    "  bodies: {hub: {mass: 1 kg, inertia: 1 1 1 g*m^2}}\n"
    "  joints: {seat: {%s}}\n"
    "ports: {pan: {node: hub, offset: %s, container: {%s}}}\n"
    "grains:\n"
    "  bed: {port: pan, wall: {box: {size: 40 40 50 mm}}, particles: {shape: {box: 16 16 10 mm}, count: 1,\n"
    "        material: lead}, packing: settle, method: %s, contact: {solver: {tolerance: 1e-10}}}\n"
    "simulate: {duration: 50 ms, step: 0.5 ms}\n"
    "record: {every: 0.5 ms, series: [pan.load.fz, seat.fz, bed.load.fz]}\n";

static void check_held(const char *formulation, const char *joint, bool moves, const char *offset,
                       const char *container, double mass, const char *method) {
    char text[2000];
    snprintf(text, sizeof text, held, formulation, joint, offset, container, method);
    Rows rows = run(text, NULL, 0);
    double brick = 11344 * 16e-3 * 16e-3 * 10e-3 * 9.81, weight = brick + mass * 9.81, worst = 0;
    for (int n = rows.count / 2; n < rows.count; n++) {
        const double *row = rows.value[n];
        worst = fmax(worst, fabs(row[1] / -weight - 1));
        worst = fmax(worst, fabs(row[2] / (weight + 9.81) - 1));
        worst = fmax(worst, fabs(row[3] / -brick - 1));
    }
    if (worst > (moves ? 1e-4 : 1e-8))
        fail_msg("%s, %s, %s, %g kg, %s: wrong by %.1e", formulation, joint, offset, mass, method, worst);
}

static void test_held(void **state) {
    (void)state;
    static const struct {
        double mass; // [kg]
        const char *keys;
    } containers[] = {
        {0.2, "mass: 200 g, inertia: 10 10 10 0 0 0 kg*mm^2"},
        {1e-3, "mass: 1 g, inertia: 100 100 100 0 0 0 g*mm^2"},
        {0.2, "mass: 200 g, center: 10 -7 13 mm, inertia: 5 6 7 1 0 0 kg*mm^2"},
        {500, "mass: 500 kg, inertia: 5 6 7 0 0 0 kg*m^2"},
    };
    static const char *const offsets[] = {"0 0 0 m", "0.25 0 0.05 m"};
    static const struct {
        const char *keys;
        bool moves; // the bed slides a little as the joint begins to move
    } joints[] = {{"clamp: hub", false},
                  {"revolute: hub, axis: z, rate: 0.5 rad/s", true},
                  {"prismatic: hub, axis: x, position: 1 mm*sin(2*pi*3 Hz*t)", true},
                  {"planar: hub, axis: z", false}};
    for (int j = 0; j < 4; j++)
        for (int c = 0; c < 4; c++)
            for (int o = 0; o < 2; o++)
                for (int method = 0; method < 2; method++)
                    for (int tree = 0; tree < 2; tree++)
                        check_held(tree ? "relative" : "absolute", joints[j].keys, joints[j].moves,
                                   offsets[o], containers[c].keys, containers[c].mass,
                                   method ? "nscd" : "nonsmooth");
}

static void test_refused(void **state) {
    (void)state;
    check_refused(driven, "ports.shell.container={mass: 1 g}", "needs 'inertia'");
    check_refused(driven, "ports.shell.container={turns: [x]}", "without 'mass'");
    check_refused(driven, "ports.shell.container={mass: 1 g, inertia: 1 1 1 0 0 0 g*mm^2, slides: [x]}",
                  "is prescribed");
    check_refused(coupled,
                  "ports.box.container={mass: 1 g, inertia: 1 1 1 0 0 0 g*mm^2, load: contacts, slides: [x]}",
                  "'load: contacts'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prescribed),
        cmocka_unit_test(test_coupled),
        cmocka_unit_test(test_held),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
