// Siconos (siconos.github.io), where it is installed, on the same problems: its nonsmooth Gauss-Seidel for
// Coulomb friction gives the same velocities. The relaxed law is brought to it as Coulomb's law with the
// dilation mu |u_t| of our solution taken off the bias: that has our solution, and Siconos must find it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_math.h"
#include "contact/scenes.h"
#include "contact/solver.h"

#ifdef MARACA_SICONOS
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>

static void frame_of(const ContactPoint *c, Vec3 axes[3]) {
    axes[0] = c->normal;
    axes[1] = vec3_perpendicular(c->normal);
    axes[2] = vec3_cross(axes[0], axes[1]);
}

// velocities at all contacts, in their frames; homogeneous: without bias
static void at_contacts(const ContactProblem *p, const Twist *velocity, bool homogeneous, double *u) {
    for (size_t i = 0; i < p->contacts.count; i++) {
        Vec3 axes[3], at = contact_problem_relative(p, i, velocity).linear;
        if (homogeneous) at = vec3_sub(at, p->contacts.data[i].bias);
        frame_of(&p->contacts.data[i], axes);
        for (int k = 0; k < 3; k++) u[3 * i + (size_t)k] = vec3_dot(at, axes[k]);
    }
}

// Impulses and velocities by Siconos; false: it did not converge.
static bool solve_by_siconos(const ContactProblem *p, ContactImpulse *impulses, Twist *velocity) {
    size_t n = 3 * p->contacts.count, bodies = p->bodies.count;
    double *w = malloc(n * n * sizeof *w), *q = malloc(n * sizeof *q), *mu = malloc(n / 3 * sizeof *mu);
    double *reaction = calloc(n, sizeof *reaction), *u = calloc(n, sizeof *u);
    ContactImpulse *unit = calloc(p->contacts.count, sizeof *unit);
    Twist *loads = calloc(bodies, sizeof *loads);
    at_contacts(p, p->free_velocity.data, false, q);
    for (size_t j = 0; j < n; j++) { // column by column
        Vec3 axes[3];
        frame_of(&p->contacts.data[j / 3], axes);
        mu[j / 3] = p->contacts.data[j / 3].friction;
        unit[j / 3].linear = axes[j % 3];
        contact_problem_loads(p, unit, NULL, loads);
        unit[j / 3].linear = vec3_zero();
        contact_problem_apply_inverse_mass(p, loads, velocity);
        at_contacts(p, velocity, true, w + j * n);
    }
    double mean = 0; // Siconos knows no units: let its matrix have a diagonal of one
    for (size_t j = 0; j < n; j++) mean += w[j * n + j] / (double)n;
    for (size_t j = 0; j < n * n; j++) w[j] /= mean;
    NumericsMatrix *matrix = NM_create_from_data(NM_DENSE, (int)n, (int)n, w);
    FrictionContactProblem *problem = frictionContactProblem_new_with_data(3, (int)(n / 3), matrix, q, mu);
    SolverOptions *options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
    options->dparam[SICONOS_DPARAM_TOL] = 1e-11;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = 10000;
    bool done = fc3d_driver(problem, reaction, u, options) == 0;
    for (size_t i = 0; i < p->contacts.count; i++) {
        Vec3 axes[3];
        frame_of(&p->contacts.data[i], axes);
        for (int k = 0; k < 3; k++)
            unit[i].linear = vec3_madd(unit[i].linear, reaction[3 * i + (size_t)k] / mean, axes[k]);
    }
    contact_problem_velocity(p, unit, NULL, loads, velocity);
    memcpy(impulses, unit, p->contacts.count * sizeof *unit);
    solver_options_delete(options);
    frictionContactProblem_free(problem); // with matrix, q and mu
    free(reaction), free(u), free(unit), free(loads);
    return done;
}

static bool is_for_siconos(const ContactProblem *p) { // contacts with three components, no rows
    for (size_t i = 0; i < p->contacts.count; i++)
        if (p->contacts.data[i].rolling > 0 || p->contacts.data[i].spinning > 0) return false;
    return p->rows.count == 0 && p->contacts.count > 0;
}

typedef struct Tally {
    int compared, equal, lost;
} Tally;

// Both answers are solutions for our residual; are they the same? Coulomb's law may have several.
static void compare(const ContactProblem *p, const ContactSolution *ours, int which, Tally *tally) {
    Twist *velocity = calloc(3 * p->bodies.count, sizeof *velocity), *scratch = velocity + p->bodies.count;
    ContactImpulse *impulses = calloc(p->contacts.count, sizeof *impulses);
    if (solve_by_siconos(p, impulses, velocity)) {
        ContactResidual theirs = contact_residual(p, CONTACT_COULOMB, impulses, NULL, 0, scratch);
        assert_true(theirs.relative < 1e-5);
        ContactResidual own = contact_residual(p, CONTACT_COULOMB, ours->impulses.data, NULL, 0, scratch);
        assert_true(own.relative < 1e-5);
        double size = 0, off = 0;
        for (size_t i = 0; i < p->bodies.count; i++) {
            off = fmax(off, vec3_norm(vec3_sub(velocity[i].linear, ours->velocity.data[i].linear)));
            size = fmax(size, vec3_norm(p->free_velocity.data[i].linear));
        }
        tally->compared++;
        if (off <= 1e-6 * size) tally->equal++;
        else
            print_message("scene %d: another solution, velocities differ by %.3g of %.3g\n", which, off,
                          size);
    } else {
        tally->lost++;
        print_message("scene %d: Siconos does not converge\n", which);
    }
    free(velocity), free(impulses);
}

static void run_all(ContactLaw law, Tally *tally) {
    ContactWorkspace *workspace = contact_workspace_create();
    for (int which = 0; which < scene_count; which++) {
        ContactProblem p = {0};
        ContactSolution s = {0};
        ContactReport report;
        MrcError error;
        scene_make(&p, which);
        p.law = law;
        if (is_for_siconos(&p)) {
            ContactOptions options = contact_options_default();
            options.tolerance = 1e-9;
            options.sweeps = 20000;
            assert_int_equal(contact_solve(&p, &options, workspace, &s, &report, &error), MRC_OK);
            assert_true(report.converged);
            for (size_t i = 0; i < p.contacts.count && law == CONTACT_RELAXED; i++) {
                ContactPoint *c = &p.contacts.data[i];
                Vec3 u = contact_problem_relative(&p, i, s.velocity.data).linear;
                Vec3 tangent = vec3_madd(u, -vec3_dot(u, c->normal), c->normal);
                c->bias = vec3_madd(c->bias, -c->friction * vec3_norm(tangent), c->normal);
            }
            compare(&p, &s, which, tally);
        }
        contact_solution_free(&s);
        contact_problem_free(&p);
    }
    contact_workspace_destroy(workspace);
    print_message("%d of %d problems have the same solution by Siconos, %d it does not solve\n", tally->equal,
                  tally->compared + tally->lost, tally->lost);
}

static void test_relaxed(void **state) {
    (void)state;
    Tally tally = {0, 0, 0};
    run_all(CONTACT_RELAXED, &tally);
    assert_true(tally.equal >= 20);
}

static void test_coulomb(void **state) {
    (void)state;
    Tally tally = {0, 0, 0};
    run_all(CONTACT_COULOMB, &tally);
    assert_true(tally.equal >= 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_relaxed), cmocka_unit_test(test_coulomb)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
    printf("skipped: Siconos is not installed (libsiconos-numerics-dev)\n");
    return 77;
}
#endif
