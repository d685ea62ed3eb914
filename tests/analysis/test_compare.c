// What variants mean, and how differences are measured.
#include "analysis/compare.h"

#include <stdio.h>

#include "check.h"

static int read(const char *text, Arena *arena, Variant **variants, MrcStatus expected) {
    int count = 0;
    MrcError error = {0};
    assert_int_equal(compare_read(text, arena, variants, &count, &error), expected);
    return count;
}

static void variants_are_read(void **state) {
    (void)state;
    Arena *arena = arena_create();
    Variant *v;
    assert_int_equal(
        read("condensed, tight+coupling.tolerance=1e+3,a:x.y=1 m+z=[1,2],p=q:r,own:loose", arena, &v, MRC_OK),
        5);
    assert_string_equal(v[0].overrides[0], "coupling.scheme=condensed");
    assert_true(v[0].by_scheme);
    assert_string_equal(v[1].name, "tight+coupling.tolerance=1e+3");
    assert_int_equal(v[1].override_count, 2);
    assert_string_equal(v[1].overrides[1], "coupling.tolerance=1e+3");
    assert_string_equal(v[2].name, "a");
    assert_false(v[2].by_scheme);
    assert_string_equal(v[2].overrides[0], "x.y=1 m");
    assert_string_equal(v[2].overrides[1], "z=[1,2]");
    assert_string_equal(v[3].name, "p=q:r");
    assert_string_equal(v[3].overrides[0], "p=q:r");
    assert_string_equal(v[4].name, "own");
    assert_string_equal(v[4].overrides[0], "coupling.scheme=loose");
    const char *wrong[] = {"", "tight,,loose", "tight,tight", "a:", ":tight", "=1", "tight,"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) read(wrong[i], arena, &v, MRC_USAGE);
    arena_destroy(arena);
}

// sin t at 101 instants against 1.01 sin t at 41 others, interpolated.
static void differences_are_measured(void **state) {
    (void)state;
    Arena *arena = arena_create();
    MrcError error;
    const char *names[] = {"t", "x", "y"}, *swapped[] = {"t", "z", "x"};
    Variant first = {.column_count = 3, .names = names}, other = {.column_count = 3, .names = swapped};
    for (int i = 0; i <= 100; i++) {
        double t = 0.02 * i, row[] = {t, sin(t), 1};
        for (int c = 0; c < 3; c++) assert_true(array_push(&first.values, row[c]));
    }
    for (int i = 0; i <= 40; i++) {
        double t = 0.05 * i, row[] = {t, 7, 1.01 * sin(t)};
        for (int c = 0; c < 3; c++) assert_true(array_push(&other.values, row[c]));
    }
    assert_int_equal(compare_series(&first, &other, arena, &error), MRC_OK);
    check_near(other.difference[1], 0.01, 3e-4); // chords are 0.05^2/8 = 3e-4 below the arc at most
    assert_true(isnan(other.difference[2]));     // it has no y
    assert_int_equal(compare_series(&first, &first, arena, &error), MRC_OK);
    assert_true(first.difference[1] == 0 && first.difference[2] == 0);
    other.values.count -= 30; // the last quarter
    assert_int_equal(compare_series(&first, &other, arena, &error), MRC_OK);
    check_near(other.difference[1], 0.01, 3e-4);
    other.values.count -= 36; // more than half of it
    assert_int_equal(compare_series(&first, &other, arena, &error), MRC_OK);
    assert_true(isnan(other.difference[1]));
    array_free(&first.values);
    array_free(&other.values);
    arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(variants_are_read),
                                       cmocka_unit_test(differences_are_measured)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
