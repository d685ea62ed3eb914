// Estimators of damping, harmonics and steady states on synthetic signals whose truth is known.
#include <stdlib.h>

#include "base/random.h"
#include "check.h"
#include "study/bandwidth.h"
#include "study/decay.h"
#include "study/harmonic.h"
#include "study/ringdown.h"
#include "study/spectrum.h"
#include "study/steady.h"

#define PI 3.14159265358979323846
static const double ratios[] = {0.001, 0.003, 0.01, 0.03, 0.1};
enum { ratio_count = 5 };

// ---- first harmonic ------------------------------------------------------------------------------
static void test_harmonic(void **state) {
    (void)state;
    double t[500], x[500], w = 2 * PI * 12;
    for (int i = 0; i < 500; i++) {
        t[i] = 3 + i * 0.7e-3 + 1e-4 * (i % 3); // unevenly, not whole periods
        x[i] = 100 + 0.02 * sin(w * t[i] + 0.4);
    }
    Harmonic h = harmonic_fit(t, x, 500, w);
    check_near(h.amplitude, 0.02, 1e-10);
    check_near(h.phase, 0.4, 1e-9);
    check_near(h.mean, 100, 1e-9);
    check_near(h.rest, 0, 1e-9);
    for (int i = 0; i < 500; i++) t[i] = i / 12.0 / 100, x[i] = sin(w * t[i]) + 0.5 * sin(3 * w * t[i]);
    h = harmonic_fit(t, x, 500, w);
    check_near(h.amplitude, 1, 1e-12);
    check_near(h.rms, sqrt(0.5 * 1.25), 1e-12);
    check_near(h.rest, 0.5 / sqrt(2), 1e-12);
    assert_true(isnan(harmonic_fit(t, x, 3, w).amplitude));
    for (int i = 0; i < 10; i++) t[i] = 1e-9 * i;
    assert_true(isnan(harmonic_fit(t, x, 10, w).amplitude));
}

// ---- free decay ----------------------------------------------------------------------------------
static size_t decay_signal(double zeta, double offset, double noise, uint64_t seed, double *t, double *x,
                           size_t most) {
    Random random = {seed};
    double w = 2 * PI * 10, wd = w * sqrt(1 - zeta * zeta), h = 1.0 / 10 / 60;
    size_t n = 0;
    for (; n < most && n * h < 6; n++) {
        t[n] = (double)n * h;
        x[n] = offset + exp(-zeta * w * t[n]) * cos(wd * t[n] + 0.3) + noise * random_normal(&random);
    }
    return n;
}

static void test_decay(void **state) {
    (void)state;
    static double t[4000], x[4000];
    for (int i = 0; i < ratio_count; i++) {
        Decay decay;
        size_t n = decay_signal(ratios[i], 0.1, 0, 1, t, x, 4000);
        assert_true(decay_analyse(t, x, n, 3, 1e-3, &decay));
        assert_null(decay.doubt);
        assert_false(decay.depends);
        check_near(decay.whole.damping_ratio, ratios[i], 0.01 * ratios[i]);
        check_near(decay.whole.frequency, 10 * sqrt(1 - ratios[i] * ratios[i]), 0.02);
        double d = 2 * PI * ratios[i] / sqrt(1 - ratios[i] * ratios[i]);
        check_near(decay.whole.capacity, 1 - exp(-2 * d), 0.01 * (1 - exp(-2 * d)));
        for (size_t k = 0; k < decay.rows.count; k++)
            check_near(decay.rows.data[k].damping_ratio, ratios[i], 0.02 * ratios[i]);
        decay_free(&decay);
    }
}

// Friction takes the same from every amplitude: the decrement grows as the amplitude falls.
static void test_decay_with_friction(void **state) {
    (void)state;
    static double t[4000], x[4000];
    Decay decay;
    for (int i = 0; i < 3000; i++) {
        t[i] = i / 600.0;
        x[i] = fmax(0.02, 1 - 0.2 * t[i]) * cos(2 * PI * 10 * t[i]);
    }
    assert_true(decay_analyse(t, x, 3000, 4, 0.05, &decay));
    assert_true(decay.depends);
    for (size_t k = 1; k + 2 < decay.rows.count; k++) {
        assert_true(decay.rows.data[k].decrement > decay.rows.data[k - 1].decrement);
        double a = decay.rows.data[k].amplitude; // decrement: 0.2 per second, 0.02 per cycle
        check_near(decay.rows.data[k].decrement, 0.02 / a, 0.03 * 0.02 / a);
    }
    decay_free(&decay);
    for (int i = 0; i < 3000; i++) x[i] = exp(0.1 * t[i]) * cos(2 * PI * 10 * t[i]);
    assert_true(decay_analyse(t, x, 3000, 4, 0.05, &decay));
    assert_non_null(decay.doubt);
    decay_free(&decay);
    assert_true(decay_analyse(t, x, 90, 4, 0.05, &decay));
    assert_non_null(decay.doubt);
    decay_free(&decay);
    assert_true(decay_analyse(t, x, 2, 4, 0.05, &decay));
    assert_true(isnan(decay.whole.decrement));
    decay_free(&decay);
}

static void test_coverage_of_decay(void **state) {
    (void)state;
    static double t[4000], x[4000];
    for (int i = 0; i < 3; i++) {
        double zeta = 0.002 * (i + 1), truth = 2 * PI * zeta / sqrt(1 - zeta * zeta);
        int covered = 0;
        for (uint64_t seed = 1; seed <= 200; seed++) {
            Decay decay;
            size_t n = decay_signal(zeta, 0, 0.003, 1000 * seed + (uint64_t)i, t, x, 1200);
            assert_true(decay_analyse(t, x, n, 3, 1e-2, &decay));
            covered += fabs(decay.whole.decrement - truth) <= decay.whole.decrement_interval;
            decay_free(&decay);
        }
        print_message("decrement, zeta %.3f: %d of 200\n", zeta, covered);
        assert_true(covered >= 180 && covered <= 198);
    }
}

// A decay that is followed until it is lost in noise, from its very top on.
static void test_decay_into_noise(void **state) {
    (void)state;
    static double t[4000], x[4000];
    for (int i = 2; i < ratio_count; i++) {
        double zeta = ratios[i], truth = 2 * PI * zeta / sqrt(1 - zeta * zeta), mean = 0, amplitude = 0;
        int covered = 0, depends = 0;
        for (uint64_t seed = 1; seed <= 200; seed++) {
            Decay decay;
            Random random = {7000 * seed + (uint64_t)i};
            double w = 2 * PI * 10;
            for (int k = 0; k < 3600; k++) {
                t[k] = k / 600.0;
                x[k] = 0.3 + exp(-zeta * w * t[k]) * cos(w * sqrt(1 - zeta * zeta) * t[k]) +
                       0.01 * random_normal(&random);
            }
            assert_true(decay_analyse(t, x, 3600, 3, 1e-2, &decay));
            check_near(decay.noise, 0.01, 2e-3);
            assert_true(decay.in_noise);
            mean += decay.whole.decrement / 200;
            amplitude += decay.whole.amplitude * exp(zeta * w * decay.whole.time) / 200;
            depends += decay.depends;
            covered += fabs(decay.whole.decrement - truth) <= decay.whole.decrement_interval;
            decay_free(&decay);
        }
        print_message("decrement in noise, zeta %.3f: %.4f of %.4f, %d of 200 cover it, %d depend\n", zeta,
                      mean, truth, covered, depends);
        check_near(mean, truth, 0.01 * truth);
        print_message("amplitude at the start %.5f\n", amplitude);
        check_near(amplitude, sqrt(1 - zeta * zeta), 3e-3); // at an extreme: cos(phase) of the damped motion
        assert_true(covered >= 180); // of the few extremes at 10 % all: their interval is wide
        assert_true(depends <= 10);
    }
}

// A sensor that drifts, up to 200 times the amplitude in all, changes neither decrement nor amplitudes.
static void test_decay_with_drift(void **state) {
    (void)state;
    static double t[4000], x[4000];
    static const double speeds[] = {0, 0.9, -0.9, 3, -3, 30, -30};
    for (int i = 1; i < ratio_count - 1; i++)
        for (size_t k = 0; k < sizeof speeds / sizeof *speeds; k++) {
            Decay decay;
            DecayEnvelope envelope = {0};
            size_t n = decay_signal(ratios[i], 0.1, 0, 1, t, x, 4000);
            for (size_t j = 0; j < n; j++) x[j] += speeds[k] * t[j];
            assert_true(decay_analyse(t, x, n, 3, 0.05, &decay));
            assert_null(decay.doubt);
            assert_false(decay.depends);
            check_near(decay.whole.damping_ratio, ratios[i], 2e-3 * ratios[i]);
            for (size_t j = 0; j < decay.rows.count; j++)
                check_near(decay.rows.data[j].damping_ratio, ratios[i], 0.02 * ratios[i]);
            assert_true(decay_envelope(t, x, n, &envelope));
            for (size_t j = 0; j < envelope.count && envelope.data[j].amplitude > 0.05; j++)
                check_near(envelope.data[j].amplitude, exp(-ratios[i] * 2 * PI * 10 * envelope.data[j].time),
                           0.01 * envelope.data[j].amplitude);
            decay_free(&decay);
            array_free(&envelope);
        }
}

// Two modes at once have no decrement. A small second one does not matter.
static void test_decay_of_two_modes(void **state) {
    (void)state;
    static double t[4000], x[4000];
    static const struct {
        double frequency, amplitude;
        bool doubted;
    } cases[] = {{75, 0.3, true}, {14.5, 0.8, true}, {27, 0.6, true}, {75, 0.01, false}, {27, 0.05, false}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        Decay decay;
        for (int i = 0; i < 3000; i++) {
            double other = 2 * PI * cases[c].frequency, w = 2 * PI * 12;
            t[i] = 1e-3 * i;
            x[i] = exp(-0.013 * w * t[i]) * cos(w * t[i] + 0.3) +
                   cases[c].amplitude * exp(-0.008 * other * t[i]) * cos(other * t[i] + 1);
        }
        assert_true(decay_analyse(t, x, 3000, 4, 0.01, &decay));
        if ((decay.doubt != NULL) != cases[c].doubted)
            fail_msg("%g Hz: %s", cases[c].frequency, decay.doubt ? decay.doubt : "no doubt");
        if (!cases[c].doubted) check_near(decay.whole.damping_ratio, 0.013, 0.03 * 0.013);
        decay_free(&decay);
    }
}

// What a decay is fitted by scatters with the noise of the signal as much as is said of it, the frequency too.
static void test_noise_of_features(void **state) {
    (void)state;
    enum { TRIALS = 200 };
    static double t[4000], x[4000];
    for (int i = 1; i < ratio_count - 1; i++) {
        Ringdown r;
        double sum[RINGDOWN_FEATURES] = {0}, squares[RINGDOWN_FEATURES] = {0}, told[RINGDOWN_FEATURES] = {0};
        size_t n = decay_signal(ratios[i], 0.1, 0, 1, t, x, 4000);
        assert_null(ringdown_start(&r, t, x, n));
        for (uint64_t seed = 1; seed <= TRIALS; seed++) {
            double values[RINGDOWN_FEATURES], variances[RINGDOWN_FEATURES];
            decay_signal(ratios[i], 0.1, 0.003, 900 * seed + (uint64_t)i, t, x, 4000);
            assert_true(ringdown_features(&r, t, x, n, values));
            assert_true(ringdown_noise(&r, t, x, n, variances));
            for (int k = 0; k < RINGDOWN_FEATURES; k++) {
                sum[k] += values[k], squares[k] += values[k] * values[k];
                told[k] += variances[k] / TRIALS;
            }
        }
        for (int k = 0; k < RINGDOWN_FEATURES; k++) {
            double mean = sum[k] / TRIALS, found = sqrt(squares[k] / TRIALS - mean * mean);
            print_message("zeta %.3f, feature %d: scatters by %.2e, told %.2e\n", ratios[i], k, found,
                          sqrt(told[k]));
            assert_true(found < 1.5 * sqrt(told[k]) && found > 0.5 * sqrt(told[k]));
        }
    }
}

// ---- bandwidth -----------------------------------------------------------------------------------
static double oscillator(double f, double fn, double zeta, ResponseKind kind) {
    double r = f / fn, d = sqrt((1 - r * r) * (1 - r * r) + 4 * zeta * zeta * r * r);
    switch (kind) {
    case RESPONSE_RECEPTANCE:
        return 1 / d;
    case RESPONSE_MOBILITY:
        return r / d;
    case RESPONSE_ACCELERANCE:
        return r * r / d;
    default:
        return sqrt(1 + 4 * zeta * zeta * r * r) / d;
    }
}

static void test_bandwidth(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++)
        for (int i = 0; i < ratio_count; i++) {
            double f[41], a[41], z = ratios[i];
            for (int k = 0; k < 41; k++) {
                f[k] = 12.34 * (1 + z * (k - 19.3) / 8);
                a[k] = 3 * oscillator(f[k], 12.34, z, (ResponseKind)kind);
            }
            Bandwidth b = bandwidth_find(f, a, 41, (ResponseKind)kind);
            if (b.doubt) fail_msg("kind %d, zeta %g: %s", kind, z, b.doubt);
            check_near(b.damping_ratio, z, 0.01 * z);
            check_near(b.natural_frequency, 12.34, 0.01 * z * 12.34);
        }
}

static void test_bandwidth_doubts(void **state) {
    (void)state;
    double f[60], a[60];
    for (int k = 0; k < 60; k++) f[k] = 8 + 0.1 * k, a[k] = oscillator(f[k], 20, 0.02, RESPONSE_RECEPTANCE);
    assert_non_null(bandwidth_find(f, a, 60, RESPONSE_RECEPTANCE).doubt); // no peak inside
    for (int k = 0; k < 60; k++) a[k] = oscillator(f[k], 11, 0.005, RESPONSE_RECEPTANCE);
    assert_non_null(bandwidth_find(f, a, 60, RESPONSE_RECEPTANCE).doubt); // sampled too coarsely
    for (int k = 0; k < 60; k++)
        a[k] = oscillator(f[k], 10.5, 0.02, RESPONSE_RECEPTANCE) +
               oscillator(f[k], 11.5, 0.02, RESPONSE_RECEPTANCE);
    assert_non_null(bandwidth_find(f, a, 60, RESPONSE_RECEPTANCE).doubt); // two modes
    for (int k = 0; k < 60; k++) { // a stiffness that grows with the amplitude leans the peak over
        a[k] = oscillator(f[k], 11, 0.04, RESPONSE_RECEPTANCE);
        f[k] += 0.03 * a[k];
    }
    assert_non_null(bandwidth_find(f, a, 60, RESPONSE_RECEPTANCE).doubt);
    assert_non_null(bandwidth_find(f, a, 3, RESPONSE_RECEPTANCE).doubt);
    // Steps so wide that the whole band lies between two of them: no damping at all rather than a negative one.
    for (int k = 0; k < 11; k++)
        f[k] = 4 + 0.5 * k, a[k] = oscillator(f[k], 4.84, 0.004, RESPONSE_RECEPTANCE);
    Bandwidth narrow = bandwidth_find(f, a, 11, RESPONSE_RECEPTANCE);
    assert_true(isnan(narrow.damping_ratio));
    assert_non_null(narrow.doubt);
}

// ---- steady states -------------------------------------------------------------------------------
static size_t periods_until(SteadyPeriod *(*make)(void), Steady *steady) {
    SteadyPeriod *p = make();
    SteadyOptions o = steady_options_default();
    size_t n = 1;
    for (; n < 400; n++) {
        *steady = steady_judge(p, n, &o);
        if (steady->kind != STEADY_NOT_REACHED) break;
    }
    return n;
}

static SteadyPeriod steady_data[400];
static SteadyPeriod *weakly_damped(void) { // 0.5 % damping, near resonance: beats for long
    for (int k = 0; k < 400; k++) {
        double q = exp(-2 * PI * 0.005 * k), c = 1 - q * cos(0.05 * k), s = q * sin(0.05 * k);
        steady_data[k] = (SteadyPeriod){c, s, hypot(c, s) / sqrt(2)};
    }
    return steady_data;
}
static SteadyPeriod *two_periodic(void) {
    for (int k = 0; k < 400; k++) {
        double c = 1 + (k % 2 ? 0.1 : -0.1) + exp(-0.3 * k);
        steady_data[k] = (SteadyPeriod){c, 0, c / sqrt(2)};
    }
    return steady_data;
}
static SteadyPeriod *noisy(void) {
    Random random = {5};
    for (int k = 0; k < 400; k++) {
        double c = 1 + 0.05 * random_normal(&random) - exp(-0.1 * k), s = 0.05 * random_normal(&random);
        steady_data[k] = (SteadyPeriod){c, s, hypot(c, s) / sqrt(2)};
    }
    return steady_data;
}
static SteadyPeriod *growing(void) {
    for (int k = 0; k < 400; k++) steady_data[k] = (SteadyPeriod){1 + 0.01 * k, 0, (1 + 0.01 * k) / sqrt(2)};
    return steady_data;
}

// A mode with a damping of 0.3 % that beats with the drive: |q| = 0.981, by a lightly damped structure off its resonance.
static SteadyPeriod *make_beating(void) {
    for (int k = 0; k < 400; k++) {
        double decay = 0.1 * exp(-0.019 * k), c = 1 + decay * cos(2.1 * k),
               s = 0.7 * decay * sin(2.1 * k + 0.4);
        steady_data[k] = (SteadyPeriod){c, s, hypot(c, s) / sqrt(2)};
    }
    return steady_data;
}

// A mode at about half the frequency of the drive: every other period is nearly alike until it has decayed.
static double half_ratio, half_decay;
static SteadyPeriod *make_half(void) {
    for (int k = 0; k < 400; k++) {
        double decay = 0.3 * exp(-half_decay * k), c = 1 + decay * cos(2 * PI * half_ratio * k),
               s = 0.5 * decay * sin(2 * PI * half_ratio * k);
        steady_data[k] = (SteadyPeriod){c, s, hypot(c, s) / sqrt(2)};
    }
    return steady_data;
}

static void test_half(void **state) { // is not two-periodic
    (void)state;
    for (half_ratio = 0.47; half_ratio < 0.501; half_ratio += 0.005)
        for (half_decay = 0.02; half_decay < 0.11; half_decay += 0.01) {
            Steady s;
            size_t n = periods_until(make_half, &s);
            if (s.kind != STEADY_PERIODIC)
                fail_msg("%g, %g: kind %d after %zu periods", half_ratio, half_decay, (int)s.kind, n);
            check_near(s.amplitude, 1, 0.011);
        }
}

// An ellipse that winds inwards: at its far ends periods are alike, far from the steady state. As narrow ones are seen where a
// resonance leans over.
static double spiral_size, spiral_angle, spiral_width, spiral_phase;
static SteadyPeriod *make_spiral(void) {
    for (int k = 0; k < 400; k++) {
        double m = 0.3 * pow(spiral_size, k), angle = spiral_angle * k + spiral_phase;
        double c = 1 + m * cos(angle), s = spiral_width * m * sin(angle);
        steady_data[k] = (SteadyPeriod){c, s, hypot(c, s) / sqrt(2)};
    }
    return steady_data;
}

static void test_spirals(void **state) {
    (void)state;
    size_t periods = 0, spirals = 0;
    for (spiral_size = 0.8; spiral_size < 0.99; spiral_size += 0.03)
        for (spiral_angle = 0; spiral_angle < 0.5; spiral_angle += 0.045)
            for (spiral_width = 0.02; spiral_width < 1; spiral_width *= 3)
                for (spiral_phase = 0; spiral_phase < 6; spiral_phase += 0.4) {
                    Steady s;
                    size_t n = periods_until(make_spiral, &s);
                    assert_int_equal(s.kind, STEADY_PERIODIC);
                    if (hypot(s.cosine - 1, s.sine) > 0.012)
                        fail_msg("|q| %g, angle %g, width %g, phase %g: %g is missing after %zu periods",
                                 spiral_size, spiral_angle, spiral_width, spiral_phase,
                                 hypot(s.cosine - 1, s.sine), n);
                    periods += n, spirals++;
                }
    assert_true(periods < 60 * spirals); // nor is it waited for in vain
}

static void test_beating(void **state) { // is no scatter: its end is waited for
    (void)state;
    Steady s;
    size_t n = periods_until(make_beating, &s);
    assert_int_equal(s.kind, STEADY_PERIODIC);
    assert_true(n > 80 && n < 200); // 0.1 exp(-0.019 k) is a hundredth at 121
    check_near(s.amplitude, 1, 0.011);
}

static void test_steady(void **state) {
    (void)state;
    Steady s;
    size_t n = periods_until(weakly_damped, &s);
    assert_int_equal(s.kind, STEADY_PERIODIC);
    check_near(s.amplitude, 1, 0.011); // although a period differs by much less from the one before
    assert_true(n > 100);
    periods_until(two_periodic, &s);
    assert_int_equal(s.kind, STEADY_TWO_PERIODIC);
    check_near(s.amplitude, 1, 0.02);
    periods_until(noisy, &s);
    assert_int_equal(s.kind, STEADY_STATIONARY);
    check_near(s.amplitude, 1, 0.05);
    assert_true(s.interval > 0);
    assert_int_equal(periods_until(growing, &s), 400);
    assert_int_equal(s.kind, STEADY_NOT_REACHED);
    SteadyOptions o = steady_options_default();
    assert_int_equal(steady_judge(NULL, 0, &o).kind, STEADY_NOT_REACHED);
    memset(steady_data, 0, sizeof steady_data); // nothing moves
    assert_int_equal(steady_judge(steady_data, 20, &o).kind, STEADY_PERIODIC);
}

// ---- spectra -------------------------------------------------------------------------------------
static void test_spectrum(void **state) {
    (void)state;
    static double x[3001];
    for (int i = 0; i < 3001; i++)
        x[i] = 7 + 0.003 * sin(2 * PI * 50 * i * 1e-3) + 1e-4 * cos(2 * PI * 120 * i * 1e-3);
    Spectrum s;
    assert_true(spectrum_make(x, 3001, 1e-3, &s));
    check_near(s.spacing, 1.0 / 3, 1e-12);
    check_near(s.amplitude[150], 0.003, 1e-6);
    check_near(s.amplitude[360], 1e-4, 1e-7);
    check_near(s.amplitude[250], 0, 1e-7);
    spectrum_free(&s);
    assert_false(spectrum_make(x, 5, 1e-3, &s));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_harmonic),
        cmocka_unit_test(test_decay),
        cmocka_unit_test(test_decay_with_friction),
        cmocka_unit_test(test_coverage_of_decay),
        cmocka_unit_test(test_decay_into_noise),
        cmocka_unit_test(test_decay_with_drift),
        cmocka_unit_test(test_decay_of_two_modes),
        cmocka_unit_test(test_noise_of_features),
        cmocka_unit_test(test_bandwidth),
        cmocka_unit_test(test_bandwidth_doubts),
        cmocka_unit_test(test_steady),
        cmocka_unit_test(test_beating),
        cmocka_unit_test(test_half),
        cmocka_unit_test(test_spirals),
        cmocka_unit_test(test_spectrum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
