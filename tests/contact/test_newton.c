// Newton's method at the end of the interior point method (contact/newton.h): it reaches what the other
// leaves, and takes no memory once it has seen the like.
#include "allocations.h"
#include "check_math.h"
#include "contact/scenes.h"
#include "contact/workspace.h"

enum { PROBLEMS = 4 };

// Beds of different sizes, the largest one first or last, at rest and moving, with and without rolling.
static void make_problems(ContactProblem *problems) {
    for (int k = 0; k < PROBLEMS; k++) {
        problems[k] = (ContactProblem){.law = k % 2 ? CONTACT_COULOMB : CONTACT_RELAXED};
        scene_bed(&problems[k], &(SceneBed){.nx = 3,
                                            .ny = 2 + k % 2,
                                            .nz = 3,
                                            .friction = 0.3,
                                            .rolling = k == 3 ? 1e-5 : 0,
                                            .jitter = 0.03,
                                            .speed = k < 2 ? 0.05 : 0,
                                            .ratio = 2,
                                            .step = 1e-4,
                                            .container = k == 2,
                                            .container_mass = 0.05,
                                            .seed = 40 + (uint64_t)k});
    }
}

static void test_no_allocation(void **state) {
    (void)state;
    ContactProblem problems[PROBLEMS];
    make_problems(problems);
    ContactWorkspace *w = contact_workspace_create();
    ContactSolution solution = {0};
    ContactReport report;
    ContactOptions options = contact_options_default();
    MrcError error;
    options.method = CONTACT_INTERIOR;
    options.tolerance = 1e-9;
    options.interior_iterations = 12; // too few
    options.warm = false;
    int used = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) allocations_count();
        for (int k = 0; k < PROBLEMS; k++) {
            w->newton.work.count = 0; // LAPACK's, in which steps are found
            assert_int_equal(contact_solve(&problems[k], &options, w, &solution, &report, &error), MRC_OK);
            if (w->newton.work.count == 0) continue;
            used += pass;
            assert_true(report.converged);
        }
    }
    assert_int_equal(allocations_counted(), 0);
    assert_true(used >= PROBLEMS / 2);
    contact_workspace_destroy(w);
    contact_solution_free(&solution);
    for (int k = 0; k < PROBLEMS; k++) contact_problem_free(&problems[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
