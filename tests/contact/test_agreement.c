// All methods on one set of problems: the same velocities and the same resultants on every body.
#include <stdio.h>
#include <stdlib.h>

#include "check_math.h"
#include "contact/scenes.h"
#include "contact/solver.h"

static const double tolerance = 1e-8; // of the residual
static const double agreement =
    1e-6; // of the largest velocity or load: the residual is measured in sqrt(J), so the
          // velocities of bodies a thousandth as heavy are known thirty times less well
static const ContactMethod methods[] = {CONTACT_INTERIOR, CONTACT_NSGS, CONTACT_APGD, CONTACT_AUTO};

typedef struct Outcome {
    ContactSolution solution;
    Twist *loads; // resultant on each body
    Twist *sizes; // the same from impulses without their signs: what rounding is relative to
} Outcome;

static Outcome run(const ContactProblem *p, ContactMethod method, const char *name) {
    Outcome o = {0};
    ContactReport report;
    MrcError error;
    ContactWorkspace *workspace = contact_workspace_create();
    ContactOptions options = contact_options_default();
    options.method = method;
    options.tolerance = tolerance;
    options.sweeps = 200000;
    options.gradient_iterations = 100000;
    assert_int_equal(contact_solve(p, &options, workspace, &o.solution, &report, &error), MRC_OK);
    if (!report.converged)
        print_error("%s by %s: residual %.3g after %d iterations\n", name, contact_method_name(method),
                    report.residual.relative, report.iterations);
    assert_true(report.converged);
    Twist *scratch = calloc(2 * p->bodies.count, sizeof *scratch);
    ContactResidual again =
        contact_residual(p, p->law, o.solution.impulses.data, o.solution.lambdas.data, 0, scratch);
    assert_true(again.relative <= 1.01 * tolerance); // the one function says so too
    free(scratch);
    o.loads = calloc(p->bodies.count, sizeof *o.loads);
    contact_problem_loads(p, o.solution.impulses.data, o.solution.lambdas.data, o.loads);
    o.sizes = calloc(p->bodies.count, sizeof *o.sizes);
    for (size_t i = 0; i < p->contacts.count; i++) {
        const ContactPoint *c = &p->contacts.data[i];
        double push = vec3_norm(o.solution.impulses.data[i].linear);
        for (int side = 0; side < 2; side++) {
            int32_t body = side ? c->b : c->a;
            if (body < 0 || p->bodies.data[body].inverse_inertia == 0) continue;
            o.sizes[body].linear.x += push;
            o.sizes[body].angular.x += push * vec3_norm(side ? c->arm_b : c->arm_a);
        }
    }
    contact_workspace_destroy(workspace);
    return o;
}

static double largest(const double *x, size_t count, size_t first,
                      size_t last) { // of components first ... last of 6
    double max = 0;
    for (size_t i = 0; i < count; i++)
        if (i % 6 >= first && i % 6 <= last && fabs(x[i]) > max) max = fabs(x[i]);
    return max;
}

static void compare(const char *name, const char *method, const char *what, const double *x, const double *y,
                    const double *size, size_t count) {
    for (size_t part = 0; part < 6; part += 3) {
        double scale =
            fmax(largest(y, count, part, part + 2), size ? largest(size, count, part, part + 2) : 0);
        for (size_t i = 0; i < count; i++) {
            if (i % 6 / 3 != part / 3 || fabs(x[i] - y[i]) <= agreement * scale) continue;
            print_error("%s by %s: %s %zu is %.12g, not %.12g (of up to %.3g)\n", name, method, what, i, x[i],
                        y[i], scale);
            fail();
        }
    }
}

// Velocities tell the resultant on a body, unless it has no mass to tell it by; on a body that cannot move
// they tell the force, from the balance of momentum, but not the moment, since gaps lie between the contact
// points of a pair.
static void clear_undetermined(const ContactProblem *p, Outcome *o) {
    for (size_t i = 0; i < p->bodies.count; i++) {
        const ContactBody *body = &p->bodies.data[i];
        if (body->group >= 0) o->loads[i] = scene_still();
        if (body->inverse_inertia == 0) o->loads[i].angular = vec3_zero();
    }
}

static void check_agreement(const ContactProblem *p, const char *name) {
    size_t numbers = 6 * p->bodies.count;
    Outcome first = run(p, methods[0], name);
    for (int k = 1; k < 4; k++) {
        Outcome other = run(p, methods[k], name);
        const char *method = contact_method_name(methods[k]);
        compare(name, method, "velocity", (double *)other.solution.velocity.data,
                (double *)first.solution.velocity.data, (double *)p->free_velocity.data, numbers);
        clear_undetermined(p, &other), clear_undetermined(p, &first);
        compare(name, method, "load", (double *)other.loads, (double *)first.loads, (double *)first.sizes,
                numbers);
        contact_solution_free(&other.solution);
        free(other.loads), free(other.sizes);
    }
    contact_solution_free(&first.solution);
    free(first.loads), free(first.sizes);
}

static void test_scenes(void **state) {
    (void)state;
    for (int which = 0; which < scene_count; which++) {
        ContactProblem p = {0};
        char name[32];
        snprintf(name, sizeof name, "scene %d", which);
        scene_make(&p, which);
        check_agreement(&p, name);
        contact_problem_free(&p);
    }
}

// Problems as they were dumped.
static void test_files(void **state) {
    (void)state;
    static const char *const names[] = {"bed-in-container", "chain",         "mass-ratio-1000",
                                        "rolling-blocks",   "shaken-damper", "wedge"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ContactProblem p = {0};
        ContactSolution kept = {0};
        MrcError error;
        char path[512];
        snprintf(path, sizeof path, "%s/tests/contact/problems/%s.txt", MARACA_SOURCE_DIR, names[i]);
        assert_int_equal(contact_problem_load(&p, &kept, path, &error), MRC_OK);
        check_agreement(&p, names[i]);
        contact_solution_free(&kept);
        contact_problem_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes), cmocka_unit_test(test_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
