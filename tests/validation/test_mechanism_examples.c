// The examples with beams, run in full: the crank-beam rig against one freedom, the rotating beam against its
// own modes and the published frequencies.
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "sim/sim.h"

#define PI 3.14159265358979323846

static Sim *start(const char *name, MrcModel **model) {
    char path[300];
    Sim *sim;
    MrcError error;
    snprintf(path, sizeof path, "%s/examples/%s.yaml", MARACA_SOURCE_DIR, name);
    *model = mrc_model_load(path, NULL, 0);
    assert_int_equal(mrc_model_status(*model), MRC_OK);
    if (sim_create(model_definition(*model), NULL, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
    return sim;
}

static const NodeState *node(const Sim *sim, const char *name) {
    const Mechanism *mechanism = sim->mechanism.mechanism;
    return mechanism_node(mechanism, mechanism_find_node(mechanism, name));
}

static double lowest_along_y(MrcModel *model) {
    MrcModes modes;
    MrcError error;
    assert_int_equal(mrc_modes(model, &(MrcModesOptions){.count = 1}, &modes, &error), MRC_OK);
    double frequency = modes.modes[0].frequency_hz;
    mrc_modes_free(&modes);
    return frequency;
}

// ---- EXPLICIT 4.3 without grains ---------------------------------------------------------------------
static const double speed = 31 * PI, crank = 0.25e-3, rod = 10e-3, slider = 10e-3;

// Eq. 50 and its second derivative by differences of the exact one.
static double root_height(double t) {
    double c = crank * cos(speed * t + PI / 2);
    return sqrt(rod * rod - c * c) + crank * sin(speed * t + PI / 2) + slider;
}
static double root_acceleration(double t) {
    double e = 1e-5;
    return (root_height(t + e) - 2 * root_height(t) + root_height(t - e)) / (e * e);
}

// z'' = -w^2 z - share Y'': one step of Runge and Kutta.
static void advance(double *z, double *v, double t, double h, double w2, double share) {
    double k[4], l[4];
    for (int s = 0; s < 4; s++) {
        double part = s == 0 ? 0 : s == 3 ? h : h / 2;
        double zs = *z + (s ? part * k[s - 1] : 0), vs = *v + (s ? part * l[s - 1] : 0);
        k[s] = vs;
        l[s] = -w2 * zs - share * root_acceleration(t + part);
    }
    *z += h / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3]);
    *v += h / 6 * (l[0] + 2 * l[1] + 2 * l[2] + l[3]);
}

static void test_crank_beam(void **state) {
    (void)state;
    MrcModel *model;
    MrcError error;
    Sim *sim = start("crank-beam", &model);
    double beam = 0.25 * 0.03 * 0.002 * 7845, tip = 12.7e-3 + 35.8e-3 + 7e-3;
    double stiffness = 3 * 210e9 * 0.03 * pow(0.002, 3) / 12 / pow(0.25, 3);
    double eq49 = sqrt(stiffness / (0.24 * beam + tip)) / (2 * PI), own = lowest_along_y(model);
    check_near(eq49, 15.618, 1e-3);
    check_near(own, eq49, 2e-3 * eq49); // the resonance
    double share = (3.0 / 8 * beam + tip) / (33.0 / 140 * beam + tip);
    double w2 = pow(2 * PI * own, 2), simple_w2 = pow(2 * PI * eq49, 2), h = sim->clock.step;
    double z = 0, v = 0, simple = 0, simple_v = 0, largest = 0, off = 0, simple_off = 0, slider_off = 0;
    while (!sim_is_done(sim)) {
        double t = clock_time(&sim->clock);
        advance(&z, &v, t, h, w2, share);
        advance(&simple, &simple_v, t, h, simple_w2, 1); // Eq. 49: M y'' + K (y - Y) = 0
        if (sim_step(sim, &error) != MRC_OK) fail_msg("%s", error.text);
        t = clock_time(&sim->clock);
        double y = node(sim, "shell")->x.y - root_height(t);
        largest = fmax(largest, fabs(y));
        off = fmax(off, fabs(y - z));
        simple_off = fmax(simple_off, fabs(y - simple));
        slider_off = fmax(slider_off, fabs(node(sim, "slider")->x.y - root_height(t) + slider / 2));
    }
    assert_true(largest > 0.02); // eighty times the crank
    check_near(off / largest, 0, 0.02);
    check_near(simple_off / largest, 0, 0.2);
    check_near(slider_off, 0, 1e-9);
    sim_destroy(sim);
    mrc_model_free(model);
}

// ---- the rotating beam -----------------------------------------------------------------------------
// After the gust the tip flaps freely, mostly in its first mode: 7.3604 in units of sqrt(EI/(m L^4)).
static void test_rotating_beam(void **state) {
    (void)state;
    MrcModel *model;
    MrcError error;
    Sim *sim = start("rotating-beam", &model);
    double unit = sqrt(210e9 * 1e-4 / 12 / 7845), before = 0, first = 0, last = 0;
    int crossings = 0;
    while (!sim_is_done(sim)) {
        if (sim_step(sim, &error) != MRC_OK) fail_msg("%s", error.text);
        double t = clock_time(&sim->clock), z = node(sim, "blade.end")->x.z;
        // The whole goes round, at its length stretched by 1 + W^2 rho L^2/(3 E).
        check_near(hypot(node(sim, "blade.end")->x.x, node(sim, "blade.end")->x.y), 1, 1e-2);
        if (t > 0.15 && before <= 0 && z > 0) {
            last = t - sim->clock.step * z / (z - before);
            if (crossings++ == 0) first = last;
        }
        before = z;
    }
    double turned = atan2(node(sim, "blade.end")->x.y, node(sim, "blade.end")->x.x);
    check_near(remainder(turned - 6 * unit, 2 * PI), 0, 0.01);
    assert_true(crossings > 10);
    double frequency = (crossings - 1) / (last - first);
    check_near(frequency, 7.3604 * unit / (2 * PI), 5e-3 * frequency);
    sim_destroy(sim);
    mrc_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crank_beam),
        cmocka_unit_test(test_rotating_beam),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
