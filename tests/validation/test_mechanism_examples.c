// The examples with beams, run in full: the crank-beam rig against one freedom, the rotating beam against its
// own modes and the published frequencies.
// EXPLICIT is doi:10.1007/s11044-022-09829-w.
#include "sim/run.h"

#define PI 3.14159265358979323846

static double lowest_along_y(MrcModel *model) {
    MrcModes modes;
    MrcError error;
    assert_int_equal(mrc_modes(model, &(MrcModesOptions){.count = 1}, &modes, &error), MRC_OK);
    double frequency = modes.modes[0].frequency_hz;
    mrc_modes_free(&modes);
    return frequency;
}

// ---- EXPLICIT 4.3 without grains ---------------------------------------------------------------------
static const double speed = 31 * PI, rod = 10e-3, slider = 10e-3;
static double crank;

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

// Euler's beam, clamped to what moves, with a mass mu and an inertia j at its end (over m L and m L^3 of the
// beam). With the shape f = C - s S, C = cosh - cos and S = sinh - sin of beta x/L:
//
//     f''' = -beta^4 mu f,   f'' = beta^4 j f'    at the end
//
// In the mode's coordinate q, z = f(L) q, the moving root acts as q'' + w^2 q = -G Y'', so that the end
// answers with the share f(L) G = f (int f + mu f)/(int f^2 + mu f^2 + j f'^2) of Y''. The shares of all
// modes add up to 1.
typedef struct BeamShape {
    double beta, s;
} BeamShape;

// C and its derivatives over powers of beta; those of S are the same, one place back.
static double part(double b, int order) {
    switch (order % 4) {
    case 0:
        return cosh(b) - cos(b);
    case 1:
        return sinh(b) + sin(b);
    case 2:
        return cosh(b) + cos(b);
    default:
        return sinh(b) - sin(b);
    }
}

static double shape(const BeamShape *a, double x, int order) { // derivatives by x/L
    double b = a->beta * x;
    return pow(a->beta, order) * (part(b, order) - a->s * part(b, order + 3));
}

static double miss(BeamShape *a, double beta, double mu, double j) {
    a->beta = beta;
    a->s = (part(beta, 3) + beta * mu * part(beta, 0)) / (part(beta, 6) + beta * mu * part(beta, 3));
    return shape(a, 1, 2) - pow(beta, 4) * j * shape(a, 1, 1);
}

static double share_of_mode(int mode, double mu, double j, double *beta) {
    BeamShape a;
    double low = 0.1, step = 0.01;
    for (int found = 0; found <= mode; low += step)
        if (miss(&a, low, mu, j) * miss(&a, low + step, mu, j) <= 0) found++;
    double high = low;
    low -= step;
    for (int k = 0; k < 60; k++) {
        double middle = 0.5 * (low + high);
        if (miss(&a, low, mu, j) * miss(&a, middle, mu, j) <= 0) high = middle;
        else low = middle;
    }
    miss(&a, low, mu, j);
    *beta = low;
    double first = 0, square = 0, end = shape(&a, 1, 0);
    enum { intervals = 400 };
    for (int k = 0; k <= intervals; k++) { // Simpson
        double f = shape(&a, (double)k / intervals, 0);
        double weight = (k == 0 || k == intervals ? 1 : k % 2 ? 4 : 2) / (3.0 * intervals);
        first += weight * f, square += weight * f * f;
    }
    return end * (first + mu * end) / (square + mu * end * end + j * pow(shape(&a, 1, 1), 2));
}

// How far the tip is off the three modes, and off Eq. 49, over its largest motion.
static void follow_crank_beam(double radius, double *modes_off, double *simple_off) {
    enum { modes = 3 };
    char override[60];
    crank = radius;
    snprintf(override, sizeof override, "constants.e=%g m", radius);
    const char *overrides[] = {override};
    Run run = start_file("examples/crank-beam.yaml", overrides, 1);
    double L = 0.25, beam = L * 0.03 * 0.002 * 7845, tip = 12.7e-3 + 35.8e-3 + 7e-3;
    double EI = 210e9 * 0.03 * pow(0.002, 3) / 12, stiffness = 3 * EI / pow(L, 3),
           J = (1.05833 + 2.98333) * 1e-6;
    double eq49 = sqrt(stiffness / (0.24 * beam + tip)) / (2 * PI), own = lowest_along_y(run.model);
    check_near(eq49, 15.618, 1e-3);
    check_near(own, eq49, 2e-3 * eq49); // the resonance
    double share[modes], w2[modes], sum = 0, simple_w2 = pow(2 * PI * eq49, 2),
                                    h = mrc_sim_step_size(run.sim);
    for (int k = 0; k < modes; k++) {
        double beta;
        share[k] = share_of_mode(k, tip / beam, J / (beam * L * L), &beta);
        w2[k] = pow(beta, 4) * EI / (beam * pow(L, 3));
        sum += share[k];
    }
    check_near(sqrt(w2[0]) / (2 * PI), own, 1e-3 * own);
    w2[0] = pow(2 * PI * own, 2); // a thousandth of it would be a phase of 0.2 rad after 2 s
    // The static shape under a force at the end says (3/8 m_beam + m_tip)/(33/140 m_beam + m_tip).
    check_near(share[0], (3.0 / 8 * beam + tip) / (33.0 / 140 * beam + tip), 0.01);
    check_near(sum, 1, 0.03); // the rest is in the modes above
    double z[modes] = {0}, v[modes] = {0}, simple = 0, simple_v = 0;
    double largest = 0, off = 0, other = 0, slider_off = 0;
    while (!is_done(&run)) {
        double t = now(&run), all = 0;
        for (int k = 0; k < modes; k++) advance(&z[k], &v[k], t, h, w2[k], share[k]), all += z[k];
        advance(&simple, &simple_v, t, h, simple_w2, 1); // Eq. 49: M y'' + K (y - Y) = 0
        step(&run);
        t = now(&run);
        double y = value(&run, "shell.y") - root_height(t);
        largest = fmax(largest, fabs(y));
        off = fmax(off, fabs(y - all));
        other = fmax(other, fabs(y - simple));
        slider_off = fmax(slider_off, fabs(value(&run, "slider.y") - root_height(t) + slider / 2));
    }
    print_message(
        "crank of %.3f mm: share of the first mode %.4f, of three %.4f; tip %.2f mm, modes off by %.3f %%, "
        "Eq. 49 by %.1f %%\n",
        1e3 * radius, share[0], sum, 1e3 * largest, 100 * off / largest, 100 * other / largest);
    assert_true(largest > 80 * radius); // resonance
    check_near(slider_off, 0, 1e-9);
    *modes_off = off / largest, *simple_off = other / largest;
    end(&run);
}

// Small motions follow the modes; with the crank of the paper the beam bends by a tenth of its length. A
// share of 1, as in Eq. 49, is too small.
static void test_crank_beam(void **state) {
    (void)state;
    double modes, simple;
    follow_crank_beam(0.025e-3, &modes, &simple);
    check_near(modes, 0, 2e-3);
    assert_true(simple > 0.1);
    follow_crank_beam(0.25e-3, &modes, &simple);
    check_near(modes, 0, 0.02);
    assert_true(simple > 0.1);
}

// ---- the rotating beam -----------------------------------------------------------------------------
// After the gust the tip flaps freely, mostly in its first mode: 7.3604 in units of sqrt(EI/(m L^4)).
static void test_rotating_beam(void **state) {
    (void)state;
    Run run = start_file("examples/rotating-beam.yaml", NULL, 0);
    double unit = sqrt(210e9 * 1e-4 / 12 / 7845), before = 0, first = 0, last = 0;
    int crossings = 0;
    while (!is_done(&run)) {
        step(&run);
        double t = now(&run), z = value(&run, "blade.end.z");
        // The whole goes round, at its length stretched by 1 + W^2 rho L^2/(3 E).
        check_near(hypot(value(&run, "blade.end.x"), value(&run, "blade.end.y")), 1, 1e-2);
        if (t > 0.15 && before <= 0 && z > 0) {
            last = t - mrc_sim_step_size(run.sim) * z / (z - before);
            if (crossings++ == 0) first = last;
        }
        before = z;
    }
    double turned = atan2(value(&run, "blade.end.y"), value(&run, "blade.end.x"));
    check_near(remainder(turned - 6 * unit, 2 * PI), 0, 0.01);
    assert_true(crossings > 10);
    double frequency = (crossings - 1) / (last - first);
    check_near(frequency, 7.3604 * unit / (2 * PI), 5e-3 * frequency);
    end(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crank_beam),
        cmocka_unit_test(test_rotating_beam),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
