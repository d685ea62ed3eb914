// The moving box of DAMPER Tables 2-3 against LAMMPS from the same initial positions, with the same law,
// motion and step. See bench/peer_lammps.c for the one thing that differs: the arm of the friction force.
// DAMPER is doi:10.3390/pr10071247.
#include "check.h"

#include "base/threads.h"
#include "bench/peer.h"

typedef struct Course { // centre of mass, in the axes of the box, once a millisecond
    int count;
    double *own, *other;
} Course;

static Course run_both(const BoxCase *size, double skin, double periods) {
    MrcError error;
    Box box;
    BoxState start;
    PeerResult result;
    int64_t every = (int64_t)(1e-3 / size->step);
    int count = (int)(periods / BOX_FREQUENCY / ((double)every * size->step)) + 1;
    Course course = {count, test_calloc((size_t)count, sizeof(double)),
                     test_calloc((size_t)count, sizeof(double))};
    threads_set(1); // the same whatever their number; and the machine may be busy
    assert_int_equal(box_create(&box, size, &error), MRC_OK);
    assert_true(box_state_get(&box, &start));
    for (int k = 0; k < count; k++) {
        GrainsMeasure measure;
        Motion motion = box_motion(size, box.step);
        if (grains_measure(box.grains, &motion, &motion, &measure, &error) != MRC_OK)
            fail_msg("%s", error.text);
        course.own[k] = measure.center.z - motion.position.z;
        if (k + 1 < count && box_advance(&box, every, &error) != MRC_OK) fail_msg("%s", error.text);
    }
    PeerJob job = {
        .size = size, .start = &start, .steps = every * (count - 1), .skin = skin, .sampled = every};
    if (!peer_run(&peer_lammps, &job, &result)) fail_msg("LAMMPS: %s", result.message);
    assert_int_equal(result.centers.count, 3 * count);
    for (int k = 0; k < count; k++)
        course.other[k] = result.centers.data[3 * k + 2] - box_motion(size, every * k).position.z;
    peer_result_free(&result);
    box_state_free(&start);
    box_destroy(&box);
    return course;
}

static double largest_difference(const Course *course, int from, int to) { // milliseconds
    double most = 0;
    for (int k = from; k <= to && k < course->count; k++)
        most = fmax(most, fabs(course->own[k] - course->other[k]));
    return most;
}

// Mean and spread of the periods after the first, on average.
typedef struct Habits {
    double mean, spread; // [m]
} Habits;

static Habits habits_of(const double *heights, int count) {
    Habits habits = {0};
    int periods = 0;
    for (int start = 100; start + 100 <= count; start += 100, periods++) {
        double mean = 0, square = 0;
        for (int k = start; k < start + 100; k++) mean += heights[k] / 100;
        for (int k = start; k < start + 100; k++) square += (heights[k] - mean) * (heights[k] - mean) / 100;
        habits.mean += mean, habits.spread += sqrt(square);
    }
    return (Habits){habits.mean / periods, habits.spread / periods};
}

// The bed is lifted, flies from 29 ms on, and hits the lid at 71 ms. Until then the two programs stay
// together but for the arm of the friction force, which tells in the small motions of grains that rub; the
// impact on the lid makes all of it large, and only mean and spread can be compared.
static void compare(int which, double periods, double lifted, double flown, double mean, double spread) {
    const BoxCase *size = &box_cases[which];
    if (!peer_installed(&peer_lammps)) skip_without("lammps", "a shaken bed is not compared with LAMMPS");
    Course c = run_both(size, 0.1 * size->diameter, periods);
    Habits own = habits_of(c.own, c.count), other = habits_of(c.other, c.count);
    print_message("%lld grains: apart by %.1e m until 10 ms, %.1e m until 70 ms, %.1e m until 100 ms\n",
                  (long long)size->count, largest_difference(&c, 0, 10), largest_difference(&c, 0, 70),
                  largest_difference(&c, 0, 100));
    print_message("later mean %.3f and %.3f mm, spread %.3f and %.3f mm (Maraca and LAMMPS)\n",
                  1e3 * own.mean, 1e3 * other.mean, 1e3 * own.spread, 1e3 * other.spread);
    check_near(largest_difference(&c, 0, 10), 0, lifted);
    check_near(largest_difference(&c, 0, 70), 0, flown);
    check_near(own.mean, other.mean, mean);
    check_near(own.spread, other.spread, spread);
    test_free(c.own);
    test_free(c.other);
}

// The allowances for mean and spread are three times the scatter of such averages: 0.1 mm from period to
// period.
static void small_box(void **state) {
    (void)state;
    compare(0, 12.1, 1e-6, 5e-5, 0.15e-3, 0.12e-3);
}

static void large_box(void **state) {
    (void)state;
    compare(1, 3.1, 1e-6, 1e-5, 0.25e-3, 0.2e-3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_box), cmocka_unit_test(large_box)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
