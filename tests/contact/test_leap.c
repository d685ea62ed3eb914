// Leaps along directions in which impulses drift (contact/nsgs_leap.c).
#include <float.h>

#include "check_math.h"
#include "contact/nsgs.h"
#include "contact/solver_type.h"

// A sphere on a floor that cannot move.
static void make_sphere(ContactProblem *p, double friction) {
    *p = (ContactProblem){.law = CONTACT_RELAXED};
    contact_problem_add_body(p, 1, 2.5, (Twist){{0, 0, -1}, {0, 0, 0}});
    contact_problem_add_contact(
        p, (ContactPoint){.a = -1, .b = 0, .normal = {0, 0, 1}, .arm_b = {0, 0, -1}, .friction = friction});
}

// How far the impulse can go on from p, having come there by d.
static double leap_of(double friction, Vec3 p, Vec3 d) {
    ContactProblem problem;
    Nsgs nsgs = {0};
    MrcError error;
    double scale;
    make_sphere(&problem, friction);
    ContactImpulse none = {0};
    NsgsStart start = {.velocity = problem.free_velocity.data, .layered = 4096};
    assert_int_equal(nsgs_prepare(&nsgs, &problem, &none, &start, &scale, &error), MRC_OK);
    assert_int_equal(nsgs.walls.count, 1);
    NsgsBatch *batch = nsgs.walls.data;
    for (int k = 0; k < 3; k++) {
        nsgs_set_lane(&batch->impulse[k], 0, vec3_component(p, k));
        nsgs_set_lane(&batch->last[k], 0, vec3_component(vec3_sub(p, d), k));
    }
    double leap = nsgs_leap(&nsgs, &problem);
    nsgs_free(&nsgs);
    contact_problem_free(&problem);
    return leap;
}

static void test_leap_ends_at_the_cone(void **state) {
    (void)state;
    check_near(leap_of(0.5, vec3(0, 0, 2), vec3(0, 0, -0.5)), 4, 1e-12);     // it opens
    check_near(leap_of(0.5, vec3(0, 0, 2), vec3(0.06, 0.08, 0)), 10, 1e-12); // it begins to slide
    check_near(leap_of(0.5, vec3(0, 0, 2), vec3(0.1, 0, -0.1)), 1 / 0.15,
               1e-12); // both at once: 0.1 t = 0.5 (2 - 0.1 t)
    check_near(leap_of(0.5, vec3(-0.5, 0, 2), vec3(0.1, 0, 0.1)), 1.5 / 0.05, 1e-11); // through the middle
    assert_true(leap_of(0.5, vec3(1, 0, 2), vec3(0.1, 0, 0.2)) == DBL_MAX);           // slides already
    assert_true(leap_of(0.5, vec3(0, 0, 2), vec3(0, 0, 0.5)) == DBL_MAX);             // is pressed ever more
    assert_true(leap_of(0.5, vec3(0, 0, 0), vec3(0, 0, 0)) == DBL_MAX);               // is open
}

// A step of 147 shaken grains with its warm start: without leaps 3145 sweeps, nearly all of them alike.
static void test_drift_is_cut_short(void **state) {
    (void)state;
    ContactProblem p = {0};
    ContactSolution s = {0};
    ContactReport report;
    MrcError error = {0};
    ContactOptions options = contact_options_default();
    ContactWorkspace *w = contact_workspace_create();
    const char *path = MARACA_SOURCE_DIR "/tests/contact/problems/drift/shaken147.txt";
    if (contact_problem_load(&p, &s, path, &error) != MRC_OK) fail_msg("%s", error.text);
    options.method = CONTACT_NSGS;
    options.open_margin = 7e-3;
    options.velocity_scale = 7e-4;
    assert_int_equal(contact_solve(&p, &options, w, &s, &report, &error), MRC_OK);
    assert_true(report.converged);
    if (report.iterations > 1000) fail_msg("%d sweeps", report.iterations);
    contact_workspace_destroy(w);
    contact_solution_free(&s);
    contact_problem_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leap_ends_at_the_cone),
        cmocka_unit_test(test_drift_is_cut_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
