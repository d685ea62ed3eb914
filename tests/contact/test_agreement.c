// All methods on one set of problems: the same velocities and the same resultants on every body.
#include <stdio.h>
#include <stdlib.h>

#include "check_math.h"
#include "contact/scenes.h"
#include "contact/solver.h"
#include "contact/stored.h"

static const double tolerance = 1e-8; // of the residual
static const double agreement =
    1e-6; // of the largest velocity or load: the residual is measured in sqrt(J), so the
          // velocities of bodies a thousandth as heavy are known thirty times less well
static const ContactMethod methods[] = {CONTACT_INTERIOR, CONTACT_NSGS, CONTACT_APGD, CONTACT_AUTO};

typedef struct Outcome {
    ContactSolution solution;
    bool converged;
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
    options.sweeps = 100000;
    options.gradient_iterations = 50000;
    assert_int_equal(contact_solve(p, &options, workspace, &o.solution, &report, &error), MRC_OK);
    if (!report.converged)
        print_error("%s by %s: residual %.3g after %d iterations\n", name, contact_method_name(method),
                    report.residual.relative, report.iterations);
    if (method == CONTACT_AUTO) assert_true(report.residual.relative <= 1e-6); // its work is bounded
    o.converged = report.converged;
    Twist *scratch = calloc(2 * p->bodies.count, sizeof *scratch);
    ContactResidual again =
        contact_residual(p, p->law, o.solution.impulses.data, o.solution.lambdas.data, 0, scratch);
    assert_true(!o.converged || again.relative <= 1.01 * tolerance); // the one function says so too
    free(scratch);
    o.loads = calloc(p->bodies.count, sizeof *o.loads);
    contact_problem_loads(p, o.solution.impulses.data, o.solution.lambdas.data, o.loads);
    o.sizes = calloc(p->bodies.count, sizeof *o.sizes);
    for (size_t i = 0; i < p->bodies.count; i++) { // nor than to the momentum that is there
        const ContactBody *body = &p->bodies.data[i];
        if (body->inverse_mass > 0)
            o.sizes[i].linear.x = vec3_norm(p->free_velocity.data[i].linear) / body->inverse_mass;
    }
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

// Radius of gyration of the bodies that have one, on average: the residual is one of energies, so angular
// velocities are known as well as velocities over this.
static double gyration(const ContactProblem *p) {
    double sum = 0, count = 0;
    for (size_t i = 0; i < p->bodies.count; i++) {
        const ContactBody *body = &p->bodies.data[i];
        if (!(body->inverse_inertia > 0)) continue;
        sum += sqrt(body->inverse_mass / body->inverse_inertia);
        count++;
    }
    return count ? sum / count : 1;
}

// `arm`: of angular parts per linear ones.
static bool are_near(const char *name, const char *method, const char *what, const double *x, const double *y,
                     const double *size, double arm, size_t count) {
    double scales[2];
    for (size_t part = 0; part < 2; part++)
        scales[part] = fmax(largest(y, count, 3 * part, 3 * part + 2),
                            size ? largest(size, count, 3 * part, 3 * part + 2) : 0);
    scales[1] = fmax(scales[1], arm * scales[0]);
    for (size_t i = 0; i < count; i++) {
        double scale = scales[i % 6 / 3];
        if (fabs(x[i] - y[i]) <= agreement * scale) continue;
        print_error("%s by %s: %s %zu is %.12g, not %.12g (of up to %.3g)\n", name, method, what, i, x[i],
                    y[i], scale);
        return false;
    }
    return true;
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

typedef struct Tally {
    int problems, converged[4]; // per method
    int by_all;                 // that all methods solve
} Tally;

// Whoever solves the problem has the same velocities and resultants.
static void check_agreement(const ContactProblem *p, const char *name, Tally *tally) {
    size_t numbers = 6 * p->bodies.count;
    double radius = gyration(p);
    Outcome outcomes[4];
    int first = -1, solved = 0;
    for (int k = 0; k < 4; k++) {
        outcomes[k] = run(p, methods[k], name);
        clear_undetermined(p, &outcomes[k]);
        tally->converged[k] += outcomes[k].converged;
        solved += outcomes[k].converged;
        if (first < 0 && outcomes[k].converged) first = k;
    }
    tally->problems++;
    tally->by_all += solved == 4;
    for (int k = first + 1; k < 4; k++) {
        const Outcome *a = &outcomes[first < 0 ? 0 : first], *b = &outcomes[k];
        const char *method = contact_method_name(methods[k]);
        if (first < 0 || !b->converged) continue;
        assert_true(are_near(name, method, "velocity", (double *)b->solution.velocity.data,
                             (double *)a->solution.velocity.data, (double *)p->free_velocity.data, 1 / radius,
                             numbers));
        assert_true(are_near(name, method, "load", (double *)b->loads, (double *)a->loads, (double *)a->sizes,
                             radius, numbers));
    }
    for (int k = 0; k < 4; k++) {
        contact_solution_free(&outcomes[k].solution);
        free(outcomes[k].loads), free(outcomes[k].sizes);
    }
}

static void tell(const char *what, const Tally *t) {
    print_message("%s: %d problems; to %g solve", what, t->problems, tolerance);
    for (int k = 0; k < 4; k++) print_message(" %s %d,", contact_method_name(methods[k]), t->converged[k]);
    print_message(" all of them %d, with the same velocities and resultants\n", t->by_all);
}

static void test_scenes(void **state) {
    (void)state;
    Tally tally = {0};
    for (int which = 0; which < scene_count; which++) {
        ContactProblem p = {0};
        char name[32];
        snprintf(name, sizeof name, "scene %d", which);
        scene_make(&p, which);
        check_agreement(&p, name, &tally);
        contact_problem_free(&p);
    }
    tell("made by rule", &tally);
    assert_int_equal(tally.by_all, tally.problems);
}

// Problems of simulations, as they were dumped, and others that were kept.
static Tally check_folder(const char *folder, int least) {
    Stored list = stored_list(folder);
    int rows = 0, turning = 0, coulomb = 0;
    Tally tally = {0};
    size_t contacts = 0;
    assert_true(list.count >= least);
    for (int i = 0; i < list.count; i++) {
        ContactProblem p = {0};
        bool turns = false;
        stored_load(&p, list.names[i]);
        for (size_t k = 0; k < p.contacts.count; k++)
            turns = turns || p.contacts.data[k].rolling > 0 || p.contacts.data[k].spinning > 0;
        rows += p.rows.count > 0, turning += turns, coulomb += p.law == CONTACT_COULOMB;
        contacts += p.contacts.count;
        check_agreement(&p, list.names[i], &tally);
        contact_problem_free(&p);
    }
    print_message(
        "%s: %d problems, %.0f contacts on average, %d with bilateral rows, %d with rolling friction, %d of "
        "Coulomb's law\n",
        folder, list.count, (double)contacts / list.count, rows, turning, coulomb);
    stored_free(&list);
    tell(folder, &tally);
    return tally;
}

static void test_dumped(void **state) {
    (void)state;
    Tally tally = check_folder("dumped", 45);
    assert_true(tally.by_all >= 40);
    // auto bounds the updates of the bias, at which two problems of exactly Coulomb's law end above 1e-8.
    assert_true(tally.converged[3] + 2 >= tally.problems);
}

static void test_made(void **state) {
    (void)state;
    Tally tally = check_folder("made", 5);
    assert_int_equal(tally.by_all, tally.problems);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes), cmocka_unit_test(test_made),
                                       cmocka_unit_test(test_dumped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
