// Numbers read back exactly, in any locale; UTF-8 is told from other bytes.
#include <float.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/text.h"
#include "check.h"

static void check_number(double value, const char *expected) {
    char buffer[TEXT_NUMBER_SIZE];
    size_t length = text_number(buffer, value);
    assert_string_equal(buffer, expected);
    assert_int_equal(length, strlen(expected));
}

static void known_numbers(void **state) {
    (void)state;
    check_number(0, "0");
    check_number(-0.0, "-0");
    check_number(1, "1");
    check_number(-12, "-12");
    check_number(0.1, "0.1");
    check_number(0.1 + 0.2, "0.30000000000000004");
    check_number(1e-5, "1e-05");
    check_number(999999999999999, "999999999999999");
    check_number(1e15, "1e+15");
    check_number(1e300, "1e+300");
    check_number(DBL_MAX, "1.7976931348623157e+308");
    check_number(-DBL_MIN, "-2.2250738585072014e-308");
    check_number(NAN, "nan");
    check_number(INFINITY, "inf");
    check_number(-INFINITY, "-inf");
}

static void check_round_trip(uint64_t seed) {
    Random random = {seed};
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = random_bits(&random);
        double value, back;
        if (i % 2) memcpy(&value, &bits, sizeof value);
        else value = random_normal(&random);
        if (!isfinite(value)) continue;
        char buffer[TEXT_NUMBER_SIZE];
        size_t length = text_number(buffer, value);
        assert_true(length < TEXT_NUMBER_SIZE && length == strlen(buffer));
        assert_null(strchr(buffer, ','));
        for (char *c = buffer; *c; c++)
            if (*c == '.') *c = *localeconv()->decimal_point; // for strtod
        back = strtod(buffer, NULL);
        assert_memory_equal(&back, &value, sizeof value);
    }
}

static void numbers_read_back(void **state) {
    (void)state;
    check_round_trip(1);
}

static void numbers_in_a_comma_locale(void **state) {
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    bool found = false;
    for (int i = 0; i < 4 && !found; i++) found = setlocale(LC_NUMERIC, names[i]) != NULL;
    if (!found) skip_without("locales-all", "numbers are not written with a decimal comma in force");
    check_number(0.5, "0.5");
    check_number(1.5e-7, "1.5e-07");
    check_round_trip(2);
    setlocale(LC_NUMERIC, "C");
}

static void utf8_characters(void **state) {
    (void)state;
    assert_int_equal(text_utf8("a"), 1);
    assert_int_equal(text_utf8("\xc3\xa9"), 2);
    assert_int_equal(text_utf8("\xe2\x82\xac"), 3);
    assert_int_equal(text_utf8("\xf0\x9f\x98\x80"), 4);
    static const char *const wrong[] = {
        "\x80",             // a continuation alone
        "\xc3",             // cut off
        "\xe2\x82",         // cut off
        "\xf0\x9f\x98",     // cut off
        "\xc0\xaf",         // overlong '/'
        "\xe0\x80\xaf",     // overlong '/'
        "\xf0\x80\x80\xaf", // overlong '/'
        "\xed\xa0\x80",     // a surrogate
        "\xf4\x90\x80\x80", // above U+10FFFF
        "\xff",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_int_equal(text_utf8(wrong[i]), 0);
}

static void separators_inside_brackets_and_quotes_do_not_count(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int at;
    } rows[] = {{"a,b", 1},       {"[1, 2],b", 6}, {"{a: (1, 2)}, b", 11},
                {"\"a,b\",c", 5}, {"'[',c", 3},    {"abc", 3},
                {"", 0},          {"),b", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(text_find_separator(rows[i].text, ',') - rows[i].text, rows[i].at);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_numbers),
        cmocka_unit_test(numbers_read_back),
        cmocka_unit_test(numbers_in_a_comma_locale),
        cmocka_unit_test(utf8_characters),
        cmocka_unit_test(separators_inside_brackets_and_quotes_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
