// Mechanisms in simulations: the examples against theory, signals, reactions, the ledger.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run.h"

#define PI 3.14159265358979323846

static Run example(const char *name, const char *override) {
    char path[300];
    snprintf(path, sizeof path, "%s/examples/%s.yaml", MARACA_SOURCE_DIR, name);
    return start(mrc_model_load(path, &override, override ? 1 : 0));
}

// Half a period from one standstill to the next.
static void test_pendulum(void **state) {
    (void)state;
    Run run = example("pendulum", NULL);
    double period = 4 * 1.8540746773013719 * sqrt((2 * 0.25 + 0.04) / (2 * 9.81 * 0.5));
    double before = 0, t_before = 0, found[3];
    for (int crossings = 0; crossings < 3;) { // of the angular velocity, after the start
        step(&run);
        double w = value(&run, "bob.wz"), t = now(&run);
        if (before * w < 0) found[crossings++] = t_before - before * (t - t_before) / (w - before);
        before = w, t_before = t;
    }
    check_near(found[1] - found[0], period / 2, 1e-4 * period);
    check_near(found[2] - found[0], period, 1e-4 * period);
    // Rotation vector from the start, about z only; the pivot carries weight and centripetal force.
    check_near(value(&run, "bob.rx"), 0, 1e-9);
    double angle = atan2(value(&run, "bob.x"), -value(&run, "bob.y")) - PI / 2;
    check_near(value(&run, "bob.rz"), angle, 1e-6);
    check_near(value(&run, "pivot.fx"), 2 * value(&run, "bob.ax"), 1e-3);
    check_near(value(&run, "pivot.fy"), 2 * (value(&run, "bob.ay") + 9.81), 1e-3);
    check_near(value(&run, "energy.algorithm"), 0, 1e-4);
    end(&run);
}

// It stays at its angle and goes round at its rate.
static void test_heavy_top(void **state) {
    (void)state;
    Run run = example("heavy-top", NULL);
    double height = 0.1 * cos(PI / 6);
    while (mrc_sim_step_count(run.sim) < 5000) {
        step(&run);
        if (mrc_sim_step_count(run.sim) % 50) continue;
        double t = now(&run);
        check_near(value(&run, "top.z"), height, 1e-6);
        check_near(value(&run, "top.x"), 0.05 * cos(5 * t), 1e-6);
        check_near(value(&run, "top.y"), 0.05 * sin(5 * t), 1e-6);
        // The tip carries the weight and turns the centre of mass round.
        check_near(value(&run, "tip.fz"), 9.81, 1e-2);
        check_near(hypot(value(&run, "tip.fx"), value(&run, "tip.fy")), 0.05 * 25, 1e-2);
    }
    end(&run);
}

// Energy is kept and the loop stays closed.
static void test_four_bar(void **state) {
    (void)state;
    Run run = example("four-bar", NULL);
    while (mrc_sim_step_count(run.sim) < 2000) step(&run);
    assert_true(fabs(value(&run, "energy.algorithm")) < 8e-4); // of about 4 J
    assert_true(fabs(value(&run, "crank.rz")) > 0.1);
    double a = PI / 2 + value(&run, "crank.rz"), d = PI / 2 + value(&run, "rocker.rz");
    double bx = 0.2 * cos(a), by = 0.2 * sin(a), cx = 0.4 + 0.3 * cos(d), cy = 0.3 * sin(d);
    check_near(hypot(cx - bx, cy - by), sqrt(0.17), 1e-8);
    check_near(value(&run, "coupler.x"), (bx + cx) / 2, 1e-8);
    check_near(value(&run, "coupler.y"), (by + cy) / 2, 1e-8);
    end(&run);
}

// A mass on a guide, pushed by measured signals: m y'' + c y' + k (y - y0) = 0.
static void test_force_by_signals(void **state) {
    (void)state;
    const char *text = "maraca: 1\n"
                       "constants: {K: 200 N/m, C: 3 N*s/m, y0: 10 mm}\n"
                       "mechanism:\n"
                       "  integrator: {rho_inf: 1}\n"
                       "  bodies: {support: {mass: 2 kg, position: 0 0 0 m}}\n"
                       "  joints: {guide: {prismatic: support, axis: y}}\n"
                       "  forces: {mount: {at: support, force: [0, -K*(support.y - y0) - C*support.vy, 0]}}\n"
                       "simulate: {duration: 1 s, step: 0.5 ms}\n";
    Run run = start(mrc_model_parse(text, strlen(text), "test", NULL, 0));
    double decay = 3.0 / 4, w = sqrt(100 - decay * decay);
    while (!is_done(&run)) {
        step(&run);
        double t = now(&run), y = value(&run, "support.y");
        double exact = 0.01 - 0.01 * exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t));
        check_near(y, exact, 2e-7);
    }
    check_near(value(&run, "guide.fy"), 0, 1e-9);
    end(&run);
}

// Springs, dampers and drives are in the ledger: what a driven damper takes is what the drive puts in.
static void test_ledger(void **state) {
    (void)state;
    const char *text = "maraca: 1\n"
                       "mechanism:\n"
                       "  bodies: {cart: {mass: 2 kg}, load: {mass: 1 kg, position: 1 0 0 m}}\n"
                       "  joints:\n"
                       "    drive: {prismatic: cart, axis: x, position: 20 mm*sin(2*pi*3 Hz*t)}\n"
                       "    guide: {prismatic: load, axis: x}\n"
                       "  springs: {s: {between: [cart, load], stiffness: 300 N/m, damping: 5 N*s/m}}\n"
                       "simulate: {duration: 2 s, step: 0.5 ms}\n";
    Run run = start(mrc_model_parse(text, strlen(text), "test", NULL, 0));
    double initial = value(&run, "energy.kinetic") + value(&run, "energy.elastic");
    while (!is_done(&run)) step(&run);
    double work = value(&run, "energy.work"), dampers = value(&run, "energy.dampers");
    assert_true(work > 0.1 && dampers > 0.1);
    check_near(value(&run, "energy.error"), 0, 1e-12);
    check_near(initial + work, value(&run, "energy.kinetic") + value(&run, "energy.elastic") + dampers,
               2e-3 * work);
    end(&run);
}

static void count_columns(void *user, const MrcRow *row) { *(int *)user = row->count; }

// Interior nodes of beams have signals, which are recorded only when asked for.
static void test_signal_lists(void **state) {
    (void)state;
    Run all = example("cantilever", "record={every: 1 ms}");
    int recorded = 0;
    for (int s = 0; s < mrc_sim_signal_count(all.sim); s++) {
        MrcSignal signal = mrc_sim_signal(all.sim, s);
        assert_true(signal.on_request || !strstr(signal.name, "arm.5"));
        recorded += !signal.on_request;
    }
    assert_true(recorded > 4 * 15);
    end(&all);
    Run some = example("cantilever", "record={every: 1 ms, series: [arm.5, root.mz, shell.rz]}");
    MrcRunOptions options = mrc_run_options_default();
    MrcError error;
    int columns = 0;
    options.row = count_columns;
    options.user = &columns;
    assert_int_equal(mrc_run(some.model, &options, NULL, &error), MRC_OK);
    assert_int_equal(columns, 1 + 15 + 2);
    step(&some);
    check_near(value(&some, "arm.5.x"), 0.0625, 1e-9);
    check_near(value(&some, "arm.20.y"), value(&some, "shell.y"), 0);
    check_near(value(&some, "arm.end.y"), value(&some, "shell.y"), 0);
    end(&some);
}

// A static load on the cantilever: tip deflection F L^3/(3 E I) and reactions at the root.
static void test_equilibrium(void **state) {
    (void)state;
    const char *text =
        "maraca: 1\n"
        "materials: {alu: {density: 2700, young: 70 GPa, poisson: 0.3}}\n"
        "mechanism:\n"
        "  start: equilibrium\n"
        "  beams: {arm: {from: 0 0 0 m, to: 0 0.5 0 m, elements: 6, section: {rectangle: 20 10 mm},\n"
        "          up: z, material: alu}}\n"
        "  joints: {root: {clamp: arm.start}}\n"
        "  forces: {pull: {at: arm.end, force: 0 0 2 N}}\n"
        "simulate: {duration: 10 ms, step: 1 ms}\n";
    Run run = start(mrc_model_parse(text, strlen(text), "test", NULL, 0));
    double deflection = 2 * pow(0.5, 3) / (3 * 70e9 * 0.02 * pow(0.01, 3) / 12);
    check_near(value(&run, "arm.end.z"), deflection, 5e-3 * deflection);
    while (!is_done(&run)) step(&run);
    check_near(value(&run, "arm.end.z"), deflection, 5e-3 * deflection);
    check_near(value(&run, "arm.end.vz"), 0, 1e-6);
    check_near(value(&run, "root.fz"), -2, 1e-4);
    check_near(value(&run, "root.mx"), -1, 1e-4);
    end(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum),    cmocka_unit_test(test_heavy_top),
        cmocka_unit_test(test_four_bar),    cmocka_unit_test(test_force_by_signals),
        cmocka_unit_test(test_ledger),      cmocka_unit_test(test_signal_lists),
        cmocka_unit_test(test_equilibrium),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
