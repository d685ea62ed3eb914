// Values of a grid as they are written, and seeds of beds.
#include "study/plan.h"

#include "check.h"

static Arena *arena;

static StudyAxis axis_of(const char *text) {
    StudyAxis axis;
    MrcError error = {0};
    if (study_axis_read(text, "f", arena, &axis, &error) != MRC_OK) fail_msg("%s: %s", text, error.text);
    return axis;
}

static void refuses(const char *text, const char *why) {
    StudyAxis axis;
    MrcError error = {0};
    assert_int_equal(study_axis_read(text, NULL, arena, &axis, &error), MRC_USAGE);
    if (!strstr(error.text, why)) fail_msg("'%s' is not in '%s'", why, error.text);
}

static void test_lists(void **state) {
    (void)state;
    StudyAxis axis = axis_of("constants.f=8, 10,12.5 Hz");
    assert_string_equal(axis.path, "constants.f");
    assert_int_equal(axis.count, 3);
    assert_string_equal(axis.values[0].text, "8 Hz");
    assert_string_equal(axis.values[2].text, "12.5 Hz");
    check_near(axis.values[2].number, 12.5, 0);
    assert_string_equal(study_axis_unit(&axis), "Hz");
    axis = axis_of("a=1 mm,1 m");
    assert_string_equal(axis.values[0].text, "1 mm");
    assert_null(study_axis_unit(&axis));
    axis = axis_of("coupling.scheme=tight,condensed");
    assert_string_equal(axis.values[1].text, "condensed");
    assert_null(study_axis_unit(&axis));
    axis = axis_of("wall={box: {size: [1, 2, 3]}},{box: {size: [2, 2, 3]}}");
    assert_int_equal(axis.count, 2);
    axis = axis_of("size=1 2 3 mm,2 2 3 mm");
    assert_string_equal(axis.values[0].text, "1 2 3 mm");
    axis = axis_of("5"); // the path is known otherwise
    assert_string_equal(axis.path, "f");
    assert_string_equal(study_axis_unit(&axis), "");
}

static void test_ranges(void **state) {
    (void)state;
    StudyAxis axis = axis_of("f=8:9:11 Hz");
    assert_int_equal(axis.count, 11);
    assert_string_equal(axis.values[3].text, "8.3 Hz");
    axis = axis_of("f=1 mm:3 mm:3");
    assert_string_equal(axis.values[1].text, "2 mm");
    axis = axis_of("f=3:-1:3");
    assert_string_equal(axis.values[1].text, "1");
    axis = axis_of("f=1:100:3:log Hz");
    assert_string_equal(axis.values[1].text, "10 Hz");
    assert_string_equal(axis.values[2].text, "100 Hz");
    refuses("f=1:2", "first:last:count");
    refuses("f=1:2:3:4", "first:last:count");
    refuses("f=1:2:1", "2 to");
    refuses("f=1:2:2.5", "2 to");
    refuses("f=-1:2:3:log", "positive");
    refuses("f=1 m:2 mm:3", "same unit");
    refuses("f=1,,2", "empty value");
    refuses("f=", "empty value");
    refuses("=1,2", "before '='");
    refuses("8:16:17", "PATH=VALUES");
}

static void test_units(void **state) {
    (void)state;
    double si;
    MrcError error = {0};
    StudyAxis axis = axis_of("2 kHz");
    assert_int_equal(study_value_to_si(&axis.values[0], "Hz", &si, &error), MRC_OK);
    check_near(si, 2000, 0);
    axis = axis_of("2 g");
    assert_int_equal(study_value_to_si(&axis.values[0], "m/s^2", &si, &error), MRC_OK);
    check_near(si, 19.6133, 1e-12);
    assert_int_equal(study_value_to_si(&axis.values[0], "m", &si, &error), MRC_USAGE);
    axis = axis_of("3 furlongs");
    assert_int_equal(study_value_to_si(&axis.values[0], "m", &si, &error), MRC_USAGE);
}

static void test_grid(void **state) {
    (void)state;
    StudyAxis axes[2] = {axis_of("a=1,2"), axis_of("b=1:3:3 mm")};
    StudyPlan plan = {0};
    MrcError error = {0};
    assert_int_equal(study_plan_grid(axes, 2, arena, &plan, &error), MRC_OK);
    assert_int_equal(plan.point_count, 6);
    assert_string_equal(plan.points[1].overrides[0], "a=1");
    assert_string_equal(plan.points[1].overrides[1], "b=2 mm");
    assert_string_equal(plan.points[5].labels[1].text, "3 mm");
    assert_int_equal(study_plan_grid(axes, 0, arena, &plan, &error), MRC_OK);
    assert_int_equal(plan.point_count, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_grid),
    };
    arena = arena_create();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_destroy(arena);
    return failed;
}
