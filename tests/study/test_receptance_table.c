// Receptances between the lines of a table, against the structures that they were made of.
#include "check.h"
#include "study/receptance_table.h"

#define PI 3.14159265358979323846
enum { LINES_MAX = 400 };

typedef struct Sampled {
    double f[LINES_MAX], real[LINES_MAX], imaginary[LINES_MAX];
    ReceptanceTable table;
} Sampled;

static double complex mode(double f, double natural, double damping, double mass) {
    double w = 2 * PI * f, wn = 2 * PI * natural;
    return 1 / (mass * (wn * wn - w * w + 2 * I * damping * wn * w));
}
static double complex oscillator(double f) { return mode(f, 10.0658, 0.01, 2); }
static double complex two_modes(double f) { return mode(f, 10, 0.01, 2) + mode(f, 14, 0.02, 3); }

static const ReceptanceTable *sample(Sampled *s, double complex (*h)(double), double first, double last,
                                     size_t count) {
    for (size_t i = 0; i < count; i++) {
        s->f[i] = first + (last - first) * (double)i / (double)(count - 1);
        s->real[i] = creal(h(s->f[i])), s->imaginary[i] = cimag(h(s->f[i]));
    }
    s->table = (ReceptanceTable){s->f, s->real, s->imaginary, count};
    return &s->table;
}

// The largest error in parts of the value.
static double worst(const ReceptanceTable *t, size_t stride, double complex (*h)(double)) {
    double off = 0;
    for (int i = 0; i <= 1000; i++) {
        double f = t->frequencies[0] + i * 1e-3 * (t->frequencies[t->count - 1] - t->frequencies[0]);
        off = fmax(off, cabs(receptance_table_at(t, stride, f) / h(f) - 1));
    }
    return off;
}

static void
test_oscillator(void **state) { // exact, however wide the steps are beside the resonance of 0.2 Hz
    (void)state;
    Sampled s;
    for (size_t count = 3; count < 60; count++)
        assert_true(worst(sample(&s, oscillator, 8, 12, count), 1, oscillator) < 1e-9);
    assert_true(worst(sample(&s, oscillator, 8, 12, 6), 2, oscillator) < 1e-9); // lines 0, 2, 4 and the last
    assert_true(worst(sample(&s, oscillator, 8, 12, 2), 1, oscillator) > 0.1);
}

static void test_two_modes(void **state) { // peaks at 10 and 14 Hz, and nearly nothing between them
    (void)state;
    Sampled s;
    assert_true(worst(sample(&s, two_modes, 8, 16, 81), 1, two_modes) < 0.01); // lines 0.1 Hz apart
    assert_true(worst(sample(&s, two_modes, 8, 16, 321), 1, two_modes) < 2e-4);
    // The difference from every second line is more than the error.
    const ReceptanceTable *t = sample(&s, two_modes, 8, 16, 41);
    assert_true(worst(t, 2, two_modes) > 2 * worst(t, 1, two_modes));
}

static void test_ends(void **state) {
    (void)state;
    Sampled s;
    const ReceptanceTable *t = sample(&s, two_modes, 8, 16, 9);
    for (size_t i = 0; i < 9; i++) // at the lines it is what they say
        assert_true(cabs(receptance_table_at(t, 1, t->frequencies[i]) / two_modes(t->frequencies[i]) - 1) <
                    1e-12);
    s.real[3] = s.imaginary[3] = 0; // no stiffness there
    check_near(cabs(receptance_table_at(t, 1, t->frequencies[3])), 0, 1e-15);
    assert_true(isfinite(cabs(receptance_table_at(t, 1, 10.7))));
    for (int i = 0; i <= 800; i++) assert_true(cimag(receptance_table_at(t, 1, 8 + 0.01 * i)) <= 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oscillator),
        cmocka_unit_test(test_two_modes),
        cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
