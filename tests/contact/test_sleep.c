// Contacts that sleep while others are swept (contact/nsgs_sleep.c).
#include "check_math.h"
#include "contact/nsgs.h"
#include "contact/solver_type.h"

enum { SPHERES = 14 };
static const double mass = 0.3, radius = 0.02, speed = 1.7, step = 1e-3, gap = 4e-5;

// A row of spheres with equal gaps; the first one runs into the others.
static void make_row(ContactProblem *p, ContactLaw law, double rolling) {
    *p = (ContactProblem){.law = law};
    for (int i = 0; i < SPHERES; i++)
        contact_problem_add_body(p, 1 / mass, 2.5 / (mass * radius * radius),
                                 (Twist){{i == 0 ? speed : 0, 0, 0}, {0, 0, 0}});
    for (int i = 0; i + 1 < SPHERES; i++)
        contact_problem_add_contact(p, (ContactPoint){.a = i,
                                                      .b = i + 1,
                                                      .normal = {1, 0, 0},
                                                      .arm_a = {radius, 0, 0},
                                                      .arm_b = {-radius, 0, 0},
                                                      .bias = {gap / step, 0, 0},
                                                      .friction = 0.4,
                                                      .rolling = rolling});
}

// k spheres close up, each slower than the one behind it by gap/h, and keep the momentum: the last one has
// v/k - (k - 1) gap/(2 h), and k is the largest number for which that is above zero.
static int pushed_spheres(void) {
    int k = 1;
    while (k < SPHERES && speed / (k + 1) - 0.5 * k * gap / step > 0) k++;
    return k;
}

static void test_row_wakes_as_far_as_it_is_pushed(void **state) {
    (void)state;
    const int pushed = pushed_spheres();
    assert_true(pushed > 6 && pushed < SPHERES - 3);
    for (int kind = 0; kind < 8; kind++) {
        ContactProblem p;
        make_row(&p, kind & 1 ? CONTACT_COULOMB : CONTACT_RELAXED, kind & 2 ? 1e-4 : 0);
        ContactOptions options = contact_options_default();
        options.method = CONTACT_NSGS;
        options.tolerance = 1e-10;
        options.open_margin = 0.1 * gap / step;
        if (kind & 4) options.parallel_contacts = 1;
        ContactWorkspace *w = contact_workspace_create();
        ContactSolution s = {0};
        ContactReport report;
        MrcError error;
        assert_int_equal(contact_solve(&p, &options, w, &s, &report, &error), MRC_OK);
        assert_true(report.converged);
        for (int i = 0; i < SPHERES; i++) {
            double expected = i < pushed ? speed / pushed + (0.5 * (pushed - 1) - i) * gap / step : 0;
            check_near(s.velocity.data[i].linear.x, expected, 1e-8 * speed);
        }
        const Nsgs *nsgs = w->memory[CONTACT_NSGS];
        // Only the first contact is closed at the start; far from all of them had to be swept.
        assert_true(nsgs->sleepers.count >= 1);
        assert_true(nsgs->sleepers.count + nsgs->awake.count == SPHERES - 1);
        assert_true((int)nsgs->awake.count >= pushed - 1);
        contact_workspace_destroy(w);
        contact_solution_free(&s);
        contact_problem_free(&p);
    }
}

// The report is that of all contacts, asleep or not, also where sweeps run out.
static void test_report_knows_sleepers(void **state) {
    (void)state;
    for (int sweeps = 1; sweeps < 40; sweeps += 3) {
        ContactProblem p;
        make_row(&p, CONTACT_RELAXED, 0);
        ContactOptions options = contact_options_default();
        options.method = CONTACT_NSGS;
        options.tolerance = 1e-12;
        options.open_margin = 0.1 * gap / step;
        options.sweeps = sweeps;
        ContactWorkspace *w = contact_workspace_create();
        ContactSolution s = {0};
        ContactReport report;
        MrcError error;
        Twist scratch[2 * SPHERES];
        assert_int_equal(contact_solve(&p, &options, w, &s, &report, &error), MRC_OK);
        ContactResidual r = contact_residual(&p, p.law, s.impulses.data, NULL, 0, scratch);
        check_near(report.residual.scale, r.scale, 1e-12 * r.scale);
        check_near(report.residual.relative, r.relative, 1e-9 * r.relative + 1e-14);
        contact_workspace_destroy(w);
        contact_solution_free(&s);
        contact_problem_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row_wakes_as_far_as_it_is_pushed),
        cmocka_unit_test(test_report_knows_sleepers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
