// Newton's method at the end of the interior point method (contact/semismooth.h): it reaches what the other
// leaves, and takes no memory once it has seen the like.
#include "allocations.h"
#include "check_math.h"
#include "contact/dense.h"
#include "contact/interior.h"
#include "contact/scenes.h"
#include "contact/solver_type.h"

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
    Semismooth *newton = &((InteriorMemory *)w->memory[CONTACT_INTERIOR])->newton;
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
            newton->first.count = 0; // until it is used
            assert_int_equal(contact_solve(&problems[k], &options, w, &solution, &report, &error), MRC_OK);
            if (newton->first.count == 0) continue;
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

// A = B C of every rank: x = C^T w is the smallest of all that solve A x = b.
static void test_smallest_solutions(void **state) {
    (void)state;
    enum { N = 40 };
    double a[N * N], b[N], x[N], found[N], left[N * N], right[N * N], scratch[3 * N], rows[N * N];
    int32_t pivots[N];
    uint64_t seed = 1;
    for (size_t rank = 1; rank <= N; rank++) {
        for (size_t i = 0; i < N * N; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            left[i] = (double)(seed >> 33) / 0x1p30 - 1;
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            right[i] = (double)(seed >> 33) / 0x1p30 - 1;
        }
        for (size_t j = 0; j < N; j++) {
            x[j] = 0;
            for (size_t k = 0; k < rank; k++) x[j] += right[k * N + j] * (1 + (double)k);
        }
        for (size_t i = 0; i < N; i++) {
            b[i] = 0;
            for (size_t j = 0; j < N; j++) {
                a[i * N + j] = 0;
                for (size_t k = 0; k < rank; k++) a[i * N + j] += left[i * N + k] * right[k * N + j];
                b[i] += a[i * N + j] * x[j];
            }
        }
        dense_qr(N, a, b, pivots, scratch);
        assert_int_equal(dense_qr_rank(N, a, 1e-11), rank);
        dense_qr_smallest(N, rank, a, b, pivots, rows, scratch, found);
        for (size_t j = 0; j < N; j++) assert_true(fabs(found[j] - x[j]) < 1e-7);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_allocation),
                                       cmocka_unit_test(test_smallest_solutions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
