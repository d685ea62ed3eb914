// Digits in whole numbers are those of printf, to the last one.
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/random.h"
#include "check.h"

// The fewest of 15, 16 and 17 digits that read back; whole numbers below 1e15 with all of theirs.
static void print_slowly(char *text, size_t size, double value) {
    if (fabs(value) < 1e15 && value == trunc(value)) {
        snprintf(text, size, "%.0f", value);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, value);
        if (strtod(text, NULL) == value) return;
    }
}

// Was it one of those that can be done?
static bool check_one(double value) {
    char quick[DIGITS_SIZE], slow[64];
    size_t length = digits_print(quick, value);
    if (length == 0) return false;
    print_slowly(slow, sizeof slow, value);
    assert_string_equal(quick, slow);
    assert_int_equal(length, strlen(quick));
    return true;
}

static void random_numbers(void **state) {
    (void)state;
    Random random = {7};
    int done = 0;
    for (int i = 0; i < 300000; i++) {
        double value =
            ldexp(1 + (double)(random_bits(&random) >> 12) * 0x1p-52, (int)(random_bits(&random) % 96) - 40);
        if (i % 3 == 0) value = -value;
        if (i % 5 == 0) value = (double)(float)value; // many zeros at the end of m
        done += check_one(value);
    }
    assert_true(done > 270000);
}

// Numbers of few digits, the doubles beside them, and sums that end in a five: where rounding decides.
static void short_numbers_and_their_neighbours(void **state) {
    (void)state;
    int done = 0, all = 0;
    for (int power = -13; power <= 17; power++)
        for (int digits = 1; digits < 3000; digits++) {
            double value = digits * pow(10, power);
            double near[] = {value, nextafter(value, 0), nextafter(value, INFINITY), value * (1 + 0x1p-30)};
            for (int k = 0; k < 4; k++, all++) done += check_one(near[k]);
        }
    assert_true(done > all / 2);
    for (int power = -45; power < 60; power++) // exact ties of the last digit are of this kind
        for (int m = 1; m < 4000; m += 2) check_one(ldexp(m, power));
}

static void all_others_are_left_alone(void **state) {
    (void)state;
    const double values[] = {NAN, INFINITY, -INFINITY, -0.0, DBL_MAX, DBL_MIN, 1e-300, 0x1p-1074, 3e17};
    char buffer[DIGITS_SIZE];
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
        assert_int_equal(digits_print(buffer, values[k]), 0);
    assert_true(check_one(0) && check_one(-12) && check_one(0.1) && check_one(999999999999999));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_numbers),
        cmocka_unit_test(short_numbers_and_their_neighbours),
        cmocka_unit_test(all_others_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
