#include "base/random.h"

#include "check.h"

// The sequences of the reference implementation (Vigna, splitmix64.c) for two seeds.
static void test_reference_sequence(void **state) {
    (void)state;
    Random zero = {0};
    assert_true(random_bits(&zero) == 0xe220a8397b1dcdafull);
    assert_true(random_bits(&zero) == 0x6e789e6aa1b965f4ull);
    assert_true(random_bits(&zero) == 0x06c45d188009454full);
    const uint64_t expected[] = {6457827717110365317ull, 3203168211198807973ull, 9817491932198370423ull,
                                 4593380528125082431ull, 16408922859458223821ull};
    Random other = {1234567};
    for (int i = 0; i < 5; i++) assert_true(random_bits(&other) == expected[i]);
}

// The tolerances are five standard deviations of the estimate; the seed is fixed, so the test cannot flicker.
static void test_uniform(void **state) {
    (void)state;
    enum { count = 200000 };
    Random random = {42};
    double sum = 0, square = 0, low = 1, high = 0;
    for (int i = 0; i < count; i++) {
        double u = random_uniform(&random);
        assert_true(u >= 0 && u < 1);
        sum += u;
        square += u * u;
        low = fmin(low, u);
        high = fmax(high, u);
    }
    check_near(sum / count, 0.5, 5 * sqrt(1.0 / 12 / count));
    check_near(square / count, 1.0 / 3, 5 * sqrt(4.0 / 45 / count));
    assert_true(low < 1e-4 && high > 1 - 1e-4);
}

static void test_normal(void **state) {
    (void)state;
    enum { count = 200000 };
    Random random = {7};
    double moment[5] = {0};
    int beyond = 0;
    for (int i = 0; i < count; i++) {
        double x = random_normal(&random);
        assert_true(isfinite(x));
        for (int k = 1; k <= 4; k++) moment[k] += pow(x, k) / count;
        if (fabs(x) > 1.959963984540054) beyond++;
    }
    check_near(moment[1], 0, 5 * sqrt(1.0 / count));
    check_near(moment[2], 1, 5 * sqrt(2.0 / count));
    check_near(moment[3], 0, 5 * sqrt(15.0 / count));
    check_near(moment[4], 3, 5 * sqrt(96.0 / count));
    check_near((double)beyond / count, 0.05, 5 * sqrt(0.05 * 0.95 / count));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference_sequence),
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_normal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
