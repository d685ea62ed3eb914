// Quantities as people read them: prefixes, rounding where the prefix changes, zero, signs, what is not finite.
#include "base/quantity.h"

#include <math.h>

#include "check.h"

static void shows(double value, const char *unit, const char *expected) {
    char buffer[QUANTITY_SIZE];
    assert_string_equal(quantity_text(buffer, value, unit, 4), expected);
}

static void prefixes_follow_the_value(void **state) {
    (void)state;
    shows(0.00309, "m", "3.09 mm");
    shows(0.0195, "W", "19.5 mW");
    shows(2.84, "W", "2.84 W");
    shows(2843.2, "W", "2.843 kW");
    shows(0.449, "N s/m", "0.449 N s/m");
    shows(1.182e6, "N/m", "1.182 MN/m");
    shows(0.006985, "kg", "6.985 g");
    shows(5e-5, "s", "50 us");
    shows(1e-3, "m", "1 mm");
    shows(1e-6, "s", "1 us");
    shows(0.5, "1", "0.5");
    shows(0.5, "m/s^2", "0.5 m/s^2");
    shows(3.14159265358979, "rad", "180 deg");
    shows(1.5e-9, "J", "1.5 nJ");
    shows(4.2e-17, "J", "4.2e-17 J"); // below the smallest prefix
    shows(12345, "kg", "12340 kg");   // above the largest
    shows(3.2e9, "kg", "3.2e9 kg");
}

static void rounding_comes_before_the_prefix(void **state) {
    (void)state;
    shows(999.95e-6, "m", "1 mm");
    shows(999.94e-6, "m", "999.9 um");
    shows(-999.95e-3, "s", "-1 s");
    shows(0.99996, "J", "1 J");
    shows(0.99994, "J", "999.9 mJ");
    shows(9999.6, "kg", "10000 kg");
}

static void zero_and_signs(void **state) {
    (void)state;
    shows(0, "m", "0 m");
    shows(-0.0, "m", "0 m");
    shows(0, "N/m", "0 N/m");
    shows(0, "1", "0");
    shows(0, "rad", "0 deg");
    shows(-0.00309, "m", "-3.09 mm");
    shows(-12.5e3, "N", "-12.5 kN");
}

static void what_is_not_finite_is_a_dash(void **state) {
    (void)state;
    char buffer[QUANTITY_SIZE];
    shows(NAN, "m", "-");
    shows(INFINITY, "s", "-");
    assert_string_equal(quantity_percent(buffer, NAN, 3), "-");
    assert_string_equal(quantity_power(buffer, -INFINITY), "-");
}

static void other_forms(void **state) {
    (void)state;
    char buffer[QUANTITY_SIZE];
    assert_string_equal(quantity_percent(buffer, 3.6e-5, 3), "0.0036 %");
    assert_string_equal(quantity_percent(buffer, 1, 3), "100 %");
    assert_string_equal(quantity_power(buffer, 2.64e-4), "2.6e-4");
    assert_string_equal(quantity_power(buffer, -1e-13), "-1.0e-13");
    assert_string_equal(quantity_power(buffer, 0), "0");
    assert_string_equal(quantity_power(buffer, 0.93), "0.93");
    assert_string_equal(quantity_power(buffer, -0.0174), "-0.017");
    assert_string_equal(quantity_power(buffer, 0.00999), "0.01");
    assert_string_equal(quantity_power(buffer, 0.0099), "9.9e-3");
    assert_string_equal(quantity_power(buffer, 12345), "1.2e4");
    assert_string_equal(quantity_count(buffer, 0), "0");
    assert_string_equal(quantity_count(buffer, 1000), "1000"); // four digits need no comma
    assert_string_equal(quantity_count(buffer, 20000), "20,000");
    assert_string_equal(quantity_count(buffer, -1543449), "-1,543,449");
    assert_string_equal(quantity_count(buffer, INT64_MIN), "-9,223,372,036,854,775,808");
}

static void columns_have_one_unit(void **state) {
    (void)state;
    char buffer[QUANTITY_SIZE];
    QuantityUnit unit = quantity_unit(0.1018, "J", 4);
    assert_string_equal(unit.symbol, "mJ");
    assert_string_equal(quantity_in(buffer, 0.0030736, unit, 4), "3.074 mJ");
    assert_string_equal(quantity_in(buffer, -5.8208e-7, unit, 4), "-0.0005821 mJ");
    assert_string_equal(quantity_in(buffer, 0, unit, 4), "0 mJ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefixes_follow_the_value),
        cmocka_unit_test(rounding_comes_before_the_prefix),
        cmocka_unit_test(zero_and_signs),
        cmocka_unit_test(what_is_not_finite_is_a_dash),
        cmocka_unit_test(other_forms),
        cmocka_unit_test(columns_have_one_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
