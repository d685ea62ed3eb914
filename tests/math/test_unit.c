// Units, dimensions and the words for them.
#include "check.h"

#include <string.h>

#include "base/nearest.h"
#include "math/unit.h"

static const double pi = 3.14159265358979323846;

static void check_unit(const char *symbol, double factor, Dimension dimension) {
    double found = 0;
    Dimension found_dimension;
    if (!unit_find(symbol, strlen(symbol), &found, &found_dimension)) fail_msg("'%s' is not found", symbol);
    check_near(found, factor, 0); // exact: a unit is one double, not a product of roundings
    if (!dimension_equal(found_dimension, dimension)) fail_msg("'%s' has a wrong dimension", symbol);
}

static void test_known_units(void **state) {
    (void)state;
    check_unit("m", 1, DIM_LENGTH);
    check_unit("mm", 1e-3, DIM_LENGTH);
    check_unit("cm", 1e-2, DIM_LENGTH);
    check_unit("dm", 1e-1, DIM_LENGTH);
    check_unit("km", 1e3, DIM_LENGTH);
    check_unit("um", 1e-6, DIM_LENGTH);
    check_unit("\xC2\xB5m", 1e-6, DIM_LENGTH);
    check_unit("\xCE\xBCm", 1e-6, DIM_LENGTH);
    check_unit("nm", 1e-9, DIM_LENGTH);
    check_unit("pm", 1e-12, DIM_LENGTH);
    check_unit("s", 1, DIM_TIME);
    check_unit("ms", 1e-3, DIM_TIME);
    check_unit("us", 1e-6, DIM_TIME);
    check_unit("g", 1e-3, DIM_MASS);
    check_unit("kg", 1, DIM_MASS);
    check_unit("mg", 1e-6, DIM_MASS);
    check_unit("ug", 1e-9, DIM_MASS);
    check_unit("pg", 1e-15, DIM_MASS);
    check_unit("Mg", 1e3, DIM_MASS);
    check_unit("N", 1, DIM_FORCE);
    check_unit("kN", 1e3, DIM_FORCE);
    check_unit("Pa", 1, DIM_PRESSURE);
    check_unit("MPa", 1e6, DIM_PRESSURE);
    check_unit("GPa", 1e9, DIM_PRESSURE);
    check_unit("TPa", 1e12, DIM_PRESSURE);
    check_unit("J", 1, DIM_ENERGY);
    check_unit("mJ", 1e-3, DIM_ENERGY);
    check_unit("W", 1, DIM_POWER);
    check_unit("kW", 1e3, DIM_POWER);
    check_unit("Hz", 1, DIM_FREQUENCY);
    check_unit("kHz", 1e3, DIM_FREQUENCY);
    check_unit("bar", 1e5, DIM_PRESSURE);
    check_unit("mbar", 1e2, DIM_PRESSURE);
    check_unit("rad", 1, DIM_ANGLE);
    check_unit("mrad", 1e-3, DIM_ANGLE);
    check_unit("deg", pi / 180, DIM_ANGLE);
    check_unit("rpm", 0.10471975511965977462, DIM_ANGULAR_VELOCITY);
    check_unit("%", 0.01, DIM_NUMBER);
}

static void test_unknown_units(void **state) {
    (void)state;
    static const char *const unknown[] = {
        "",    "t",  "min", "h",    "k",  "kk",   "mdeg",     "krad",  "kbar", "Nm", "M",  "HZ", "Mpa", "m2",
        "mmm", "pa", "K",   "mrpm", "k%", "\xC2", "\xC2\xB5", "\xB5m", "µµm",  " m", "m ", "u",  "dd"};
    double factor;
    Dimension dimension;
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        if (unit_find(unknown[i], strlen(unknown[i]), &factor, &dimension))
            fail_msg("'%s' is found", unknown[i]);
    // The length counts, not the terminator.
    assert_true(unit_find("mm^2", 2, &factor, &dimension));
}

static void check_nearest(const char *symbol, const char *expected) {
    const char *nearest = unit_nearest(symbol, strlen(symbol));
    if (!expected) assert_null(nearest);
    else {
        assert_non_null(nearest);
        assert_string_equal(nearest, expected);
    }
}

static void test_nearest_unit(void **state) {
    (void)state;
    check_nearest("Mpa", "MPa");
    check_nearest("hz", "Hz");
    check_nearest("RPM", "rpm");
    check_nearest("degs", "deg");
    check_nearest("Nm", "N*m");
    check_nearest("sec", "s");
    check_nearest("n", "N");
    check_nearest("furlong", NULL);
    check_nearest("", NULL);
    char longest[4096];
    memset(longest, 'm', sizeof longest);
    assert_null(unit_nearest(longest, sizeof longest));
}

static void test_nearest_word(void **state) {
    (void)state;
    static const char *const words[] = {"cylinder", "sphere", "box", "plane", "restitution"};
    enum { COUNT = sizeof words / sizeof *words };
    assert_string_equal(nearest_word("cilinder", 8, words, COUNT), "cylinder");
    assert_string_equal(nearest_word("cylidner", 8, words, COUNT), "cylinder");
    assert_string_equal(nearest_word("shpere", 6, words, COUNT), "sphere");
    assert_string_equal(nearest_word("restituton", 10, words, COUNT), "restitution");
    assert_string_equal(nearest_word("bx", 2, words, COUNT), "box");
    assert_null(nearest_word("torus", 5, words, COUNT));
    assert_null(nearest_word("box", 3, words, 0));
}

static void check_text(Dimension dimension, const char *description, const char *unit) {
    char buffer[128];
    assert_string_equal(dimension_describe(dimension, buffer, sizeof buffer), description);
    assert_string_equal(dimension_unit(dimension, buffer, sizeof buffer), unit);
}

static void test_words_for_dimensions(void **state) {
    (void)state;
    check_text(DIM_NUMBER, "a pure number", "1");
    check_text(DIM_LENGTH, "a length (m)", "m");
    check_text(DIM_STIFFNESS, "a stiffness (N/m)", "N/m");
    check_text(DIM_ACCELERATION, "an acceleration (m/s^2)", "m/s^2");
    check_text(DIM_MOMENT, "a moment or an energy (N*m)", "N*m");
    check_text(DIM_PRESSURE, "a pressure (Pa)", "Pa");
    check_text(DIM_ANGULAR_VELOCITY, "an angular velocity (rad/s)", "rad/s");
    check_text(DIMENSION(2, 1, -2, -1), "a rotational stiffness (N*m/rad)", "N*m/rad");
    check_text(DIMENSION(-2, 1, -1, 0), "kg*m^-2*s^-1", "kg*m^-2*s^-1");
    check_text((Dimension){6, 0, -18, 0}, "m^(1/2)*s^(-3/2)", "m^(1/2)*s^(-3/2)");
    // Whatever does not fit is cut off.
    char small[8];
    assert_string_equal(dimension_unit(DIMENSION(-2, 1, -1, 7), small, sizeof small), "kg*m^-2");
    assert_string_equal(dimension_describe(DIM_LENGTH, small, sizeof small), "a lengt");
}

static void test_dimension_arithmetic(void **state) {
    (void)state;
    assert_true(dimension_equal(dimension_mul(DIM_FORCE, DIM_LENGTH), DIM_MOMENT));
    assert_true(dimension_equal(dimension_div(DIM_FORCE, DIM_LENGTH), DIM_STIFFNESS));
    assert_false(dimension_equal(DIM_FORCE, DIM_MOMENT));
    assert_true(dimension_accepts(DIM_LENGTH, DIM_LENGTH));
    assert_false(dimension_accepts(DIM_LENGTH, DIM_TIME));
    assert_true(dimension_accepts(DIM_ANGLE, DIM_NUMBER));
    assert_false(dimension_accepts(DIM_NUMBER, DIM_ANGLE));
    assert_false(dimension_accepts(DIM_FREQUENCY, DIM_ANGULAR_VELOCITY));
    assert_true(dimension_accepts(DIM_VELOCITY, DIMENSION(1, 0, -1, 1)));
    assert_true(dimension_accepts(DIMENSION(2, 1, -2, -1), DIM_MOMENT));
    assert_false(dimension_accepts(DIMENSION(0, 0, 0, 2), DIM_ANGLE));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_units),          cmocka_unit_test(test_unknown_units),
        cmocka_unit_test(test_nearest_unit),         cmocka_unit_test(test_nearest_word),
        cmocka_unit_test(test_words_for_dimensions), cmocka_unit_test(test_dimension_arithmetic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
