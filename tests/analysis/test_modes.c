// Modes against closed forms and published numbers.
// TIGHT is doi:10.1016/j.mechmachtheory.2020.104181.
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/modes.h"
#include "maraca/maraca.h"
#include "model/model.h"

#define PI 3.14159265358979323846

static MrcModel *parse(const char *text) {
    MrcModel *model = mrc_model_parse(text, strlen(text), "test", NULL, 0);
    assert_non_null(model);
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
        print_error("%d: %s\n", mrc_model_diagnostic(model, i)->line, mrc_model_diagnostic(model, i)->text);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    return model;
}

static MrcModes modes_of(MrcModel *model, int count) {
    MrcModes modes;
    MrcError error;
    MrcModesOptions options = {.count = count};
    if (mrc_modes(model, &options, &modes, &error) != MRC_OK) fail_msg("%s", error.text);
    mrc_model_free(model);
    return modes;
}

// The lowest vibrations whose kinetic energy is along one axis: the n-th of them.
static double frequency_along(const MrcModes *modes, char axis, int wanted) {
    const char *at = modes->json;
    for (int k = 0; k < modes->count; k++) {
        char key[8] = {'"', axis, '"', ':', ' ', 0};
        at = strstr(at, "\"energy\"");
        double share = strtod(strstr(at, key) + 5, NULL);
        at++;
        if (modes->modes[k].kind == MRC_MODE_VIBRATION && share > 0.5 && wanted-- == 0)
            return modes->modes[k].frequency_hz;
    }
    fail_msg("there is no such mode");
    return 0;
}

// TIGHT 5.2.2: 15.619, 127.460, 381.082 Hz with the mass of the grains lumped.
static void test_cantilever(void **state) {
    (void)state;
    MrcModel *model = mrc_model_load(MARACA_SOURCE_DIR "/examples/cantilever.yaml", NULL, 0);
    MrcModes modes = modes_of(model, 10);
    const double published[] = {15.619, 127.460, 381.082};
    for (int k = 0; k < 3; k++)
        check_near(frequency_along(&modes, 'y', k), published[k], 0.01 * published[k]);
    mrc_modes_free(&modes);
}

// A pendulum with a spring and a damper in its pivot: I q'' + c q' + (k + m g l) q = 0.
static void test_damped_pendulum(void **state) {
    (void)state;
    MrcModes modes =
        modes_of(parse("maraca: 1\n"
                       "gravity: 0 0 -9.81\n"
                       "mechanism:\n"
                       "  bodies: {bob: {mass: 3, inertia: 0.2 0.5 0.3, position: 0 0 -0.7}}\n"
                       "  joints: {pivot: {revolute: bob, at: 0 0 0 m, axis: y}}\n"
                       "  torsion_springs: {s: {between: bob, axis: y, stiffness: 5, damping: 0.4}}\n"
                       "simulate: {duration: 1, step: 1 ms}\n"),
                 5);
    double inertia = 0.5 + 3 * 0.49, k = 5 + 3 * 9.81 * 0.7;
    assert_int_equal(modes.count, 1);
    check_near(modes.modes[0].frequency_hz, sqrt(k / inertia) / (2 * PI), 1e-9);
    check_near(modes.modes[0].damping_ratio, 0.4 / (2 * sqrt(k * inertia)), 1e-9);
    check_near(modes.modes[0].damped_frequency_hz,
               modes.modes[0].frequency_hz * sqrt(1 - pow(modes.modes[0].damping_ratio, 2)), 1e-9);
    mrc_modes_free(&modes);
}

// Upside down it falls: exp(+-t sqrt(m g l / I)). Overdamped it creeps.
static void test_real_modes(void **state) {
    (void)state;
    const char *text = "maraca: 1\n"
                       "gravity: 0 0 9.81\n"
                       "mechanism:\n"
                       "  bodies: {bob: {mass: 3, inertia: 0.2 0.5 0.3, position: 0 0 -0.7}}\n"
                       "  joints: {pivot: {revolute: bob, at: 0 0 0 m, axis: y}}\n"
                       "simulate: {duration: 1, step: 1 ms}\n";
    MrcModes modes = modes_of(parse(text), 5);
    double rate = sqrt(3 * 9.81 * 0.7 / (0.5 + 3 * 0.49));
    assert_int_equal(modes.count, 2);
    assert_int_equal(modes.modes[0].kind, MRC_MODE_REAL);
    assert_int_equal(modes.modes[1].kind, MRC_MODE_REAL);
    check_near(fabs(modes.modes[0].real), rate, 1e-9);
    check_near(modes.modes[0].real + modes.modes[1].real, 0, 1e-9);
    mrc_modes_free(&modes);
}

static const char free_beam[] =
    "maraca: 1\n"
    "materials: {alu: {density: 2700, young: 70 GPa, poisson: 0.33}}\n"
    "mechanism:\n"
    "  beams: {bar: {from: 0 0 0 m, to: 0 0 2 m, up: y, elements: %d, section: {rectangle: 30 20 mm},\n"
    "          material: alu, damping: %g}}\n"
    "simulate: {duration: 1, step: 1 ms}\n";

// Free in space: six rigid motions, then w = 22.373 sqrt(EI/(m L^4)).
static void check_free_beam(int elements) {
    char text[600];
    snprintf(text, sizeof text, free_beam, elements, 0.0);
    MrcModes modes = modes_of(parse(text), 9);
    double unit = sqrt(70e9 * 0.02 * 0.02 / 12 / 2700) / 4 / (2 * PI);
    for (int k = 0; k < 6; k++) {
        assert_int_equal(modes.modes[k].kind, MRC_MODE_RIGID);
        check_near(modes.modes[k].frequency_hz, 0, 0);
    }
    assert_int_equal(modes.modes[6].kind, MRC_MODE_VIBRATION);
    check_near(modes.modes[6].frequency_hz, 22.3733 * unit, 0.005 * 22.3733 * unit);
    check_near(modes.modes[7].frequency_hz, 22.3733 * unit * 1.5,
               0.005 * 22.3733 * unit * 1.5); // across the 30 mm
    mrc_modes_free(&modes);
}

static void test_free_beam(void **state) {
    (void)state;
    check_free_beam(10); // dense
    check_free_beam(50); // ARPACK
}

// The two solvers find the same modes, and material damping is damping times w over 2.
static void check_two_solvers(int elements) {
    char text[600];
    snprintf(text, sizeof text, free_beam, elements, 20e-6);
    MrcModel *model = parse(text);
    Mechanism *mechanism;
    MechanismLinear linear;
    MrcError error;
    const SimDefinition *d = model_definition(model);
    MechanismSetting setting = {.materials = d->materials, .material_count = d->material_count};
    assert_int_equal(mechanism_create(&d->mechanism, &setting, &mechanism, &error), MRC_OK);
    assert_int_equal(mechanism_linearize(mechanism, &linear, &error), MRC_OK);
    ModeList dense = {0}, sparse = {0};
    assert_int_equal(modes_dense(&linear, &dense, &error), MRC_OK);
    assert_int_equal(modes_sparse(&linear, 16, &sparse, &error), MRC_OK);
    int compared = 0;
    for (size_t k = 0; k < sparse.modes.count; k++) {
        double _Complex lambda = sparse.modes.data[k].lambda;
        if (cabs(lambda) < 1) continue; // rigid
        double nearest = INFINITY;
        for (size_t q = 0; q < dense.modes.count; q++)
            nearest = fmin(nearest, cabs(dense.modes.data[q].lambda - lambda));
        check_near(nearest / cabs(lambda), 0, 1e-6);
        check_near(-creal(lambda) / cabs(lambda), 20e-6 * cabs(lambda) / 2, 1e-6);
        compared++;
    }
    assert_true(compared >= 8);
    modes_free(&dense);
    modes_free(&sparse);
    mechanism_linear_free(&linear);
    mechanism_destroy(mechanism);
    mrc_model_free(model);
}

static void test_two_solvers(void **state) {
    (void)state;
    check_two_solvers(12);
    check_two_solvers(40); // 486 freedoms
}

// Wright, Smith, Thresher and Wang, J. Appl. Mech. 49 (1982): flapping frequencies of a uniform beam that
// rotates about its root, and lagging ones w^2 - W^2.
static void check_rotating(double speed, const double *flapping, const char *axis, const char *to) {
    // Square section, slender: side 4 mm on 1 m.
    double unit = sqrt(200e9 * 16e-6 / 12 / 8000), w = speed * unit;
    char text[900], vector[100];
    bool about_y = axis[0] == 'y';
    snprintf(vector, sizeof vector, about_y ? "0 %.15g 0" : "0 0 %.15g", w);
    snprintf(text, sizeof text,
             "maraca: 1\n"
             "materials: {steel: {density: 8000, young: 200 GPa, poisson: 0.3}}\n"
             "mechanism:\n"
             "  beams: {blade: {from: 1 2 3 m, to: %s, elements: 14, section: {rectangle: 4 4 mm}, material: "
             "steel,\n"
             "          angular_velocity: %s}}\n"
             "  joints: {hub: {revolute: blade.start, at: 1 2 3 m, axis: %s, rate: %.15g}}\n"
             "simulate: {duration: 1, step: 1 ms}\n",
             to, vector, axis, w);
    MrcModes modes = modes_of(parse(text), 6);
    for (int k = 0; k < 2; k++) {
        double flap = flapping[k] * unit / (2 * PI);
        double lag = sqrt(flapping[k] * flapping[k] - speed * speed) * unit / (2 * PI);
        check_near(frequency_along(&modes, axis[0], k), flap, 2e-3 * flap);
        check_near(frequency_along(&modes, about_y ? 'x' : 'y', k), lag, 2e-3 * lag);
    }
    mrc_modes_free(&modes);
}

static void test_rotating_beam(void **state) {
    (void)state;
    check_rotating(3, (double[]){4.7973, 23.3203}, "z", "2 2 3 m");
    check_rotating(12, (double[]){13.1702, 37.6031}, "y", "1 2 4 m");
}

// ---- blades on a hub, with a mass at the tip --------------------------------------------------------------------
// Flapping of Euler's beam from r to r + 1 under the tension T = W^2 (((1 + r)^2 - (r + x)^2)/2 + mu (1 +
// r)), in units of the beam's length, mass and sqrt(EI/(m L^4)):
//
//     f'''' = (T f')' + w^2 f,   f = f' = 0 at x = 0,   f'' = 0 and f''' - T f' + mu w^2 f = 0 at x = 1
//
// by Runge and Kutta from two starts, and the determinant of what is left at the end.
typedef struct Blade {
    double W, r, mu;
} Blade;

static void blade_rate(const Blade *b, double w2, double x, const double y[4], double rate[4]) {
    double T = b->W * b->W * (0.5 * (pow(1 + b->r, 2) - pow(b->r + x, 2)) + b->mu * (1 + b->r));
    rate[0] = y[1], rate[1] = y[2], rate[2] = y[3];
    rate[3] = T * y[2] - b->W * b->W * (b->r + x) * y[1] + w2 * y[0];
}

static double blade_determinant(const Blade *b, double w) {
    enum { steps = 400 };
    double left[2][2], h = 1.0 / steps, w2 = w * w;
    for (int c = 0; c < 2; c++) {
        double y[4] = {0, 0, c == 0, c == 1};
        for (int n = 0; n < steps; n++) {
            double k[4][4], at[4];
            for (int s = 0; s < 4; s++) {
                double part = s == 0 ? 0 : s == 3 ? h : h / 2;
                for (int i = 0; i < 4; i++) at[i] = y[i] + (s ? part * k[s - 1][i] : 0);
                blade_rate(b, w2, n * h + part, at, k[s]);
            }
            for (int i = 0; i < 4; i++) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
        }
        left[c][0] = y[2];
        left[c][1] = y[3] - b->W * b->W * b->mu * (1 + b->r) * y[1] + b->mu * w2 * y[0];
    }
    return left[0][0] * left[1][1] - left[0][1] * left[1][0];
}

static void blade_frequencies(const Blade *b, int count, double *w) {
    double a = 0.5, at_a = blade_determinant(b, a);
    for (int found = 0; found < count;) {
        double c = 1.03 * a, at_c = blade_determinant(b, c), low = a, high = c;
        for (int k = 0; at_a * at_c < 0 && k < 40; k++) {
            double middle = 0.5 * (low + high);
            if (at_a * blade_determinant(b, middle) > 0) low = middle;
            else high = middle;
        }
        if (at_a * at_c < 0) w[found++] = low;
        a = c, at_a = at_c;
    }
}

static void check_blade(Blade blade, bool published) {
    const double L = 2, side = 4e-3, E = 70e9, density = 2700, mass = density * side * side * L;
    double unit = sqrt(E * side * side / 12 / density) / (L * L), W = blade.W * unit, exact[3], error[2][3];
    blade_frequencies(&blade, 3, exact);
    if (published) { // Wright, Smith, Thresher and Wang, W = 12
        const double table[] = {13.1702, 37.6031, 79.6145};
        for (int k = 0; k < 3; k++) check_near(exact[k], table[k], 2e-4);
    }
    for (int fine = 0; fine < 2; fine++) {
        char text[900], body[100] = "";
        if (blade.mu > 0)
            snprintf(body, sizeof body, "  bodies: {weight: {node: blade.end, mass: %.15g kg}}\n",
                     blade.mu * mass);
        snprintf(text, sizeof text,
                 "maraca: 1\n"
                 "materials: {al: {density: 2700, young: 70 GPa, poisson: 0.3}}\n"
                 "mechanism:\n"
                 "  beams: {blade: {from: [%.15g, 0, 0], to: [%.15g, 0, 0], elements: %d, section: "
                 "{rectangle: 4 4 mm},\n"
                 "          material: al, velocity: [0, %.15g, 0], angular_velocity: [0, 0, %.15g]}}\n"
                 "%s  joints: {hub: {revolute: blade.start, at: 0 0 0 m, axis: z, rate: %.15g}}\n"
                 "simulate: {duration: 1, step: 1 ms}\n",
                 blade.r * L, (1 + blade.r) * L, fine ? 32 : 16, W * blade.r * L, W, body, W);
        MrcModes modes = modes_of(parse(text), 8);
        for (int k = 0; k < 3; k++) {
            error[fine][k] = frequency_along(&modes, 'z', k) * 2 * PI / unit / exact[k] - 1;
            check_near(error[fine][k], 0, fine ? 1e-3 : 4e-3);
        }
        mrc_modes_free(&modes);
    }
    check_near(error[0][2] / error[1][2], 4, 0.8); // second order in the length of elements
}

static void test_blades_on_hubs(void **state) {
    (void)state;
    check_blade((Blade){12, 0, 0}, true);
    check_blade((Blade){6, 0.5, 0}, false);
    check_blade((Blade){8, 1, 0.3}, false);
}

// A body that spins about its axis of symmetry wobbles, as seen from itself, at (I3/I1 - 1) times the spin;
// to tilt it for good looks like a turn backwards at the spin itself, and to turn it about its axis costs
// nothing.
static void test_spinning_body(void **state) {
    (void)state;
    MrcModes modes =
        modes_of(parse("maraca: 1\n"
                       "mechanism:\n"
                       "  bodies: {top: {mass: 2, inertia: 3 3 5 g*m^2, angular_velocity: 0 0 40}}\n"
                       "  joints: {tip: {spherical: top}}\n"
                       "simulate: {duration: 1, step: 1 ms}\n"),
                 5);
    assert_int_equal(modes.count, 3);
    assert_int_equal(modes.modes[0].kind, MRC_MODE_RIGID);
    check_near(modes.modes[1].imaginary, 40 * (5.0 / 3 - 1), 1e-6);
    check_near(modes.modes[2].imaginary, 40, 1e-6);
    check_near(modes.modes[1].real, 0, 1e-6);
    mrc_modes_free(&modes);
}

// Modes about the static equilibrium: a taut string. A thin beam stretched by a force F has, for bending
// waves much longer than it is thick, w = pi/L sqrt(F/m).
static void test_taut_beam(void **state) {
    (void)state;
    MrcModes modes = modes_of(parse("maraca: 1\n"
                                    "materials: {steel: {density: 8000, young: 200 GPa, poisson: 0.3}}\n"
                                    "mechanism:\n"
                                    "  start: equilibrium\n"
                                    "  beams: {wire: {from: 0 0 0 m, to: 1 0 0 m, elements: 16, section: "
                                    "{circle: {radius: 0.5 mm}},\n"
                                    "          material: steel}}\n"
                                    "  joints:\n"
                                    "    left: {spherical: wire.start}\n"
                                    "    right: {point_on_line: wire.end, axis: x}\n"
                                    "    twist: {general: wire.start, rotations: [z], axis: x}\n"
                                    "  forces: {pull: {at: wire.end, force: 100 0 0 N}}\n"
                                    "simulate: {duration: 1, step: 1 ms}\n"),
                              4);
    double line = 8000 * PI * 0.25e-6, bending = 200e9 * PI * pow(0.5e-3, 4) / 4, F = 100;
    double first = sqrt(F / line * PI * PI + bending / line * pow(PI, 4)) / (2 * PI);
    check_near(modes.modes[0].frequency_hz, first, 2e-3 * first);
    check_near(modes.modes[1].frequency_hz, first, 2e-3 * first); // in the other plane
    mrc_modes_free(&modes);
}

static void test_errors(void **state) {
    (void)state;
    MrcModel *model = mrc_model_load(MARACA_SOURCE_DIR "/examples/moving-box.yaml", NULL, 0);
    MrcModes modes;
    MrcError error;
    assert_int_equal(mrc_modes(model, &(MrcModesOptions){0}, &modes, &error), MRC_MODEL);
    assert_non_null(strstr(error.text, "no 'mechanism'"));
    mrc_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cantilever),     cmocka_unit_test(test_damped_pendulum),
        cmocka_unit_test(test_real_modes),     cmocka_unit_test(test_free_beam),
        cmocka_unit_test(test_two_solvers),    cmocka_unit_test(test_rotating_beam),
        cmocka_unit_test(test_blades_on_hubs), cmocka_unit_test(test_spinning_body),
        cmocka_unit_test(test_taut_beam),      cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
