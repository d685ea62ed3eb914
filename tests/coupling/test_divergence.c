// A scheme that diverges is stopped within 100 steps of its load being more than physics admits, whatever the
// scheme, the mass ratio and the kind of grains; and a healthy run is not stopped. The bound is worked out
// here from the model alone: with the energy E that it can have, everything on the grains' side (mass m)
// hits the port at once and bounces back,
//
//     |load| <= 2 sqrt(2 m E)/h + m g            for moments with the moment of inertia instead of m
#include <stdio.h>

#include "check.h"
#include "sim/run.h"

typedef struct Variant {
    const char *name, *settings[4];
} Variant;
static const Variant schemes[] = {
    {"loose", {"coupling.scheme=loose"}},
    {"explicit, original", {"coupling.scheme=explicit", "coupling.inputs=original"}},
    {"explicit, index-1", {"coupling.scheme=explicit", "coupling.inputs=index-1"}},
    {"explicit, index-2", {"coupling.scheme=explicit", "coupling.inputs=index-2"}},
    {"explicit, index-3", {"coupling.scheme=explicit", "coupling.inputs=index-3"}},
    {"explicit, jacobi", {"coupling.scheme=explicit", "coupling.order=jacobi"}},
    {"overlapped", {"coupling.scheme=overlapped"}},
    {"multirate", {"coupling.scheme=multirate"}},
    {"tight, plain", {"coupling.scheme=tight", "coupling.acceleration=none", "coupling.iterations=40"}},
};
enum { scheme_count = sizeof schemes / sizeof *schemes };

typedef struct Outcome {
    int64_t steps;    // that it took
    int64_t exceeded; // the first with a load above the bound; -1: none
    MrcStatus status;
    char text[1024];
} Outcome;

// `momentum`: sqrt(2 m E); of a moment of momentum when `turns`.
static Outcome run_model(const char *path, const char *const *settings, int count, double momentum,
                         double weight, bool turns) {
    Run run = start(mrc_model_load(path, settings, count));
    MrcError error = {0};
    Outcome out = {.exceeded = -1};
    double bound = 2 * momentum / mrc_sim_step_size(run.sim) + weight;
    while (!is_done(&run) && out.status == MRC_OK) {
        MrcLoad on;
        out.status = mrc_sim_step(run.sim, &error);
        mrc_sim_port(run.sim, 0, NULL, &on);
        const double *part = turns ? on.moment : on.force;
        double load = hypot(hypot(part[0], part[1]), part[2]);
        assert_true(isfinite(load));
        if (out.exceeded < 0 && load > bound) out.exceeded = out.steps;
        out.steps++;
    }
    memcpy(out.text, error.text, sizeof out.text);
    end(&run);
    return out;
}

static Outcome run_scheme(const char *path, const Variant *scheme, const char *const *settings,
                          double momentum, double weight, bool turns) {
    const char *all[16];
    int count = 0;
    for (; *settings; settings++) all[count++] = *settings;
    for (int k = 0; k < 4 && scheme->settings[k]; k++) all[count++] = scheme->settings[k];
    return run_model(path, all, count, momentum, weight, turns);
}

// Divergence is told in time and with the scheme's name; where there is none, the load stayed within bounds.
static bool judge(const Outcome *out, const Variant *scheme) {
    char name[40];
    if (out->status == MRC_OK) {
        assert_true(out->exceeded < 0);
        return false;
    }
    assert_int_equal(out->status, MRC_DIVERGED);
    assert_true(out->exceeded < 0 || out->steps - 1 <= out->exceeded + 100);
    assert_null(strstr(out->text, "nan"));
    assert_null(strstr(out->text, " inf"));
    snprintf(name, sizeof name, "scheme '%.*s'", (int)strcspn(scheme->name, ","), scheme->name);
    assert_non_null(strstr(out->text, name));
    assert_non_null(strstr(out->text, "use scheme: condensed"));
    return true;
}

static void two_masses(void **state) {
    (void)state;
    char path[300];
    int diverged = 0, survived = 0;
    const double ratios[] = {0.3, 1, 1.3, 2, 4, 9, 70, 900}, steps[] = {1e-3, 1e-4};
    snprintf(path, sizeof path, "%s/examples/two-mass.yaml", MARACA_SOURCE_DIR);
    for (int r = 0; r < 8; r++)
        for (int s = 0; s < scheme_count; s++)
            for (int h = 0; h < 2; h++) {
                char mass[60], step[60];
                snprintf(mass, sizeof mass, "constants.m2=%g kg", ratios[r]);
                snprintf(step, sizeof step, "simulate.step=%g s", steps[h]);
                const char *settings[] = {mass, step, "simulate.duration=0.3 s", "record.every=0.1 s", NULL};
                double E = 0.5 * (1 + ratios[r]) * 0.1 * 0.1;
                Outcome out = run_scheme(path, &schemes[s], settings, sqrt(2 * ratios[r] * E), 0, false);
                bool caught = judge(&out, &schemes[s]);
                print_message("ratio %-5g %-20s h %g: %s, %lld steps, bound exceeded at %lld\n", ratios[r],
                              schemes[s].name, steps[h], caught ? "caught" : "fine", (long long)out.steps,
                              (long long)out.exceeded);
                caught ? diverged++ : survived++;
                if (ratios[r] < 0.5) assert_false(caught);
                if (ratios[r] > 5) assert_true(caught);
            }
    assert_true(diverged > 60 && survived > 20);
}

// A box of 50 g on a spring that holds 500 g of grains: thrown down, it may sink until spring and weight are
// even, 1/2 k d^2 = (m1 + m2) g d + m2 g L + K0 with L the room that the grains have in it.
static void heavy_grains(void **state) {
    (void)state;
    static const char *const rigid[] = {"grains.bed.method=nonsmooth", NULL},
                             *const stiff[] = {"grains.bed.method=smooth",
                                               "grains.bed.contact.stiffness=5 MN/m", NULL};
    char path[300];
    double m1 = 0.05, m2 = 0.5, g = 9.81, k = 400, K0 = 0.5 * (m1 + m2) * 0.25, L = 0.028, w = (m1 + m2) * g;
    double sink = (w + sqrt(w * w + 2 * k * (m2 * g * L + K0))) / k, E = K0 + w * sink + m2 * g * L;
    int diverged[2] = {0};
    snprintf(path, sizeof path, "%s/tests/coupling/models/heavy-damper.yaml", MARACA_SOURCE_DIR);
    for (int kind = 0; kind < 2; kind++)
        for (int s = 0; s < scheme_count; s++) {
            Outcome out =
                run_scheme(path, &schemes[s], kind ? stiff : rigid, sqrt(2 * m2 * E), m2 * g, false);
            bool caught = judge(&out, &schemes[s]);
            print_message("%s grains, %-20s %s, %lld steps, bound exceeded at %lld: %s\n",
                          kind ? "smooth" : "rigid", schemes[s].name, caught ? "caught" : "fine",
                          (long long)out.steps, (long long)out.exceeded, out.text);
            diverged[kind] += caught;
        }
    assert_int_equal(diverged[0], scheme_count);
    assert_true(diverged[1] >= 2); // contacts give way: the others survive
}

// A cantilever of 60 g, at rest as it hangs without its damper, gets 2 kg. Its tip has 806 N/m.
static void heavy_tip(void **state) {
    (void)state;
    char path[300];
    double m = 2, g = 9.81, k = 806, sink = 2 * (m + 0.15) * g / k, E = (m + 0.15) * g * (sink + 0.012);
    const char *settings[] = {"materials.lead.density=3241143 kg/m^3",
                              "grains.damper.particles.total_mass=2 kg", "constants.F0=0 N",
                              "simulate.duration=30 ms", NULL};
    snprintf(path, sizeof path, "%s/examples/cantilever-damper.yaml", MARACA_SOURCE_DIR);
    int diverged = 0;
    for (int s = 0; s < scheme_count; s++) {
        Outcome out = run_scheme(path, &schemes[s], settings, sqrt(2 * m * E), m * g, false);
        print_message("%-20s %lld steps: %s\n", schemes[s].name, (long long)out.steps, out.text);
        diverged += judge(&out, &schemes[s]);
    }
    assert_true(diverged >= scheme_count - 1); // multirate may keep within the bound, by the bed
}

// Two moments of inertia on a torsion spring: only moments are exchanged.
static void turning(void **state) {
    (void)state;
    char path[300];
    const double ratios[] = {0.3, 3, 30};
    snprintf(path, sizeof path, "%s/tests/coupling/models/two-wheels.yaml", MARACA_SOURCE_DIR);
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < scheme_count; s++) {
            char inertia[80];
            double I2 = ratios[r] * 1e-3, E = 0.5 * (1e-3 + I2) * 2 * 2;
            snprintf(inertia, sizeof inertia, "constants.I2=%g kg*m^2", I2);
            const char *settings[] = {inertia, NULL};
            Outcome out = run_scheme(path, &schemes[s], settings, sqrt(2 * 1.5 * I2 * E), 0, true);
            bool caught = judge(&out, &schemes[s]);
            print_message("inertia ratio %-4g %-20s %s, %lld steps, bound exceeded at %lld\n", ratios[r],
                          schemes[s].name, caught ? "caught" : "fine", (long long)out.steps,
                          (long long)out.exceeded);
            if (ratios[r] < 1) assert_false(caught);
            if (ratios[r] > 10) assert_true(caught);
            if (caught && out.exceeded >= 0) assert_non_null(strstr(out.text, "a moment of"));
        }
}

// Loads beyond what grains could do by their momentum, and nothing wrong with them: grains that a lid presses
// (soft ones) against the ground, and a packing (of rigid ones) that begins with overlaps.
static void healthy_run(const char *name, const Variant *scheme) {
    char path[300];
    static const char *const none[] = {NULL}, *const soft[] = {"grains.bed.method=smooth",
                                                               "grains.bed.contact.stiffness=50 kN/m", NULL};
    const char *const *settings = strcmp(name, "press") == 0 ? soft : none;
    snprintf(path, sizeof path, "%s/tests/coupling/models/%s.yaml", MARACA_SOURCE_DIR, name);
    Outcome out = run_scheme(path, scheme, settings, 1e6, 0, false);
    print_message("%s, %s: %lld steps %s\n", name, scheme->name, (long long)out.steps, out.text);
    assert_int_equal(out.status, MRC_OK);
}

static void healthy(void **state) {
    (void)state;
    static const Variant condensed = {"condensed", {"coupling.scheme=condensed"}};
    healthy_run("overlaps", &condensed);
    healthy_run("press", &condensed);
    for (int s = 0; s < scheme_count; s++) healthy_run("overlaps", &schemes[s]);
    for (int s = 0; s < 4; s += 2) healthy_run("press", &schemes[s]);
}

// Rigid grains that a lid presses against the ground are as heavy as can be. With 10 N and 50 g its speed
// after 30 ms is at most 6 m/s.
static void pressed(void **state) {
    (void)state;
    char path[300];
    const char *settings[] = {NULL};
    snprintf(path, sizeof path, "%s/tests/coupling/models/press.yaml", MARACA_SOURCE_DIR);
    for (int s = 0; s < scheme_count; s += 4) { // loose, explicit, tight
        Outcome out = run_scheme(path, &schemes[s], settings, 0.05 * 6, 11, false);
        print_message("press, %-20s %lld steps, bound exceeded at %lld: %s\n", schemes[s].name,
                      (long long)out.steps, (long long)out.exceeded, out.text);
        assert_true(judge(&out, &schemes[s]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_masses), cmocka_unit_test(heavy_grains),
                                       cmocka_unit_test(heavy_tip),  cmocka_unit_test(turning),
                                       cmocka_unit_test(healthy),    cmocka_unit_test(pressed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
