// The clock does not drift, and alarms ring once at the first step at or after each multiple of their
// interval.
#include "sim/clock.h"

#include "check.h"

static void test_time_is_the_step_number_times_the_step(void **state) {
    (void)state;
    Clock clock = {.step = 1.2e-6, .now = 833333333333};
    assert_true(clock_time(&clock) == 833333333333 * 1.2e-6); // one rounding, however late it is
}

// Runs `steps` steps and checks each ring: the k-th is at the first step at or after k times the interval.
static void check_rings(double step, double every, int64_t steps) {
    Clock clock = {.step = step};
    Alarm alarm = {.every = every};
    int64_t rings = 0;
    for (; clock.now <= steps; clock.now++) {
        if (!alarm_rings(&alarm, &clock)) continue;
        double due = (double)rings * every, late = clock_time(&clock) - due;
        if (late < -2e-6 * step || late > step)
            fail_msg("step %g s, every %g s: ring %lld is %g steps late", step, every, (long long)rings,
                     late / step);
        rings++;
    }
    double reached = (double)steps * step / every;
    check_near((double)rings, floor(reached + 1e-6 * step / every) + 1, 0);
    assert_int_equal(alarm.next, rings);
}

static void test_multiples_ring_exactly(void **state) {
    (void)state;
    check_rings(1e-4, 1e-3, 1000000); // neither is a binary fraction: 1e-3 / 1e-4 is not 10
    check_rings(1.2e-6, 1.2e-3, 2000000);
    check_rings(0.1, 0.3, 1000000); // 3 * 0.1 > 0.3
    check_rings(1e-6, 1e-6, 100000);
    check_rings(0.7, 0.7 * 3, 100000);

    Clock clock = {.step = 1e-4};
    Alarm alarm = {.every = 1e-3};
    for (; clock.now < 100000; clock.now++)
        assert_int_equal(alarm_rings(&alarm, &clock), clock.now % 10 == 0);
}

static void test_other_intervals_neither_drift_nor_skip(void **state) {
    (void)state;
    check_rings(1.2e-6, 1e-3, 2000000);
    check_rings(1.2e-6, 0.7e-3, 2000000);
    check_rings(1e-6, M_PI * 1e-6, 1000000);
    check_rings(1e-6, 1.0000001e-6, 1000000);
    check_rings(3e-6, 1, 1000000);
    check_rings(1e-3, 1e3, 1000000);
}

static void test_no_interval_never_rings(void **state) {
    (void)state;
    Clock clock = {.step = 1e-3};
    Alarm alarm = {0};
    for (; clock.now < 100; clock.now++) assert_false(alarm_rings(&alarm, &clock));
}

static void test_first_ring_is_at_the_start_unless_told_otherwise(void **state) {
    (void)state;
    Clock clock = {.step = 1e-3};
    Alarm from_start = {.every = 5e-3}, later = {.every = 5e-3, .next = 1};
    assert_true(alarm_rings(&from_start, &clock));
    assert_false(alarm_rings(&later, &clock));
    clock.now = 5;
    assert_true(alarm_rings(&from_start, &clock));
    assert_true(alarm_rings(&later, &clock));
}

static void test_rings_once_however_often_it_is_asked(void **state) {
    (void)state;
    Clock clock = {.step = 1e-3, .now = 20};
    Alarm alarm = {.every = 5e-3};
    assert_true(alarm_rings(&alarm, &clock)); // four multiples at once
    assert_false(alarm_rings(&alarm, &clock));
    clock.now = 24;
    assert_false(alarm_rings(&alarm, &clock));
    clock.now = 25;
    assert_true(alarm_rings(&alarm, &clock));
}

// An interval shorter than the step rings at each step; the multiples between are not made up for.
static void test_interval_shorter_than_the_step(void **state) {
    (void)state;
    Clock clock = {.step = 1e-3};
    Alarm alarm = {.every = 0.3e-3};
    for (; clock.now < 1000; clock.now++) assert_true(alarm_rings(&alarm, &clock));
}

static void test_saved_and_restored_goes_on_alike(void **state) {
    (void)state;
    Clock clock = {.step = 1.2e-6}, other_clock = {.step = 1.2e-6};
    Alarm alarm = {.every = 0.7e-5}, other = {.every = 0.7e-5};
    for (; clock.now < 1000; clock.now++) alarm_rings(&alarm, &clock);
    Archive *archive = archive_memory_create();
    archive_memory_save(archive);
    clock_archive(&clock, archive), alarm_archive(&alarm, "alarm", archive);
    archive_memory_load(archive);
    clock_archive(&other_clock, archive), alarm_archive(&other, "alarm", archive);
    assert_int_equal(archive_status(archive, NULL), MRC_OK);
    archive_destroy(archive);
    assert_int_equal(other_clock.now, 1000);
    for (; clock.now < 2000; clock.now++, other_clock.now++)
        assert_int_equal(alarm_rings(&alarm, &clock), alarm_rings(&other, &other_clock));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_is_the_step_number_times_the_step),
        cmocka_unit_test(test_multiples_ring_exactly),
        cmocka_unit_test(test_other_intervals_neither_drift_nor_skip),
        cmocka_unit_test(test_no_interval_never_rings),
        cmocka_unit_test(test_first_ring_is_at_the_start_unless_told_otherwise),
        cmocka_unit_test(test_rings_once_however_often_it_is_asked),
        cmocka_unit_test(test_interval_shorter_than_the_step),
        cmocka_unit_test(test_saved_and_restored_goes_on_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
