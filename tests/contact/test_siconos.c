// Siconos (siconos.github.io), where it is installed, on the same problems: its nonsmooth Gauss-Seidel for
// Coulomb friction, and for friction with rolling resistance, gives the same velocities. The relaxed law is
// brought to it as Coulomb's law with the dilation mu |u_t| + rolling |w_t| of our solution taken off the
// bias: that has our solution, and Siconos must find it. Bilateral rows, which its contact solvers do not
// know, are eliminated here.
#include <lapacke.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_math.h"
#include "contact/scenes.h"
#include "contact/solver.h"
#include "contact/stored.h"

#ifdef MARACA_SICONOS
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/RollingFrictionContactProblem.h>
#include <siconos/numerics/SolverOptions.h>

// ---- the problem as a matrix -----------------------------------------------------------------------
typedef struct Dense {
    const ContactProblem *p;
    size_t width;  // components of a contact: 3, or 5 with rolling
    double length; // that makes moments forces and angular velocities velocities [m]
    double *s;     // G M^-1 G^T + C, factored
    int *pivots;
    Twist *loads, *velocity; // scratch
    ContactImpulse *impulses;
    double *lambdas;
} Dense;

static void frame_of(const ContactPoint *c, Vec3 axes[3]) {
    axes[0] = c->normal;
    axes[1] = vec3_perpendicular(c->normal);
    axes[2] = vec3_cross(axes[0], axes[1]);
}

static void set_component(const Dense *d, size_t j, double value) {
    Vec3 axes[3];
    size_t k = j % d->width;
    frame_of(&d->p->contacts.data[j / d->width], axes);
    ContactImpulse *impulse = &d->impulses[j / d->width];
    if (k < 3) impulse->linear = vec3_madd(impulse->linear, value, axes[k]);
    else impulse->angular = vec3_madd(impulse->angular, value * d->length, axes[k - 2]);
}

// Velocities with the impulses as they are, with rows kept; homogeneous: without free velocity and bias.
static void respond(const Dense *d, bool homogeneous) {
    const ContactProblem *p = d->p;
    size_t rows = p->rows.count;
    memset(d->lambdas, 0, (rows + 1) * sizeof *d->lambdas);
    for (int pass = 0; pass < (rows ? 2 : 1); pass++) {
        contact_problem_loads(p, d->impulses, d->lambdas, d->loads);
        contact_problem_apply_inverse_mass(p, d->loads, d->velocity);
        for (size_t i = 0; i < p->bodies.count && !homogeneous; i++) {
            d->velocity[i].linear = vec3_add(d->velocity[i].linear, p->free_velocity.data[i].linear);
            d->velocity[i].angular = vec3_add(d->velocity[i].angular, p->free_velocity.data[i].angular);
        }
        if (pass || !rows) continue;
        for (size_t r = 0; r < rows; r++)
            d->lambdas[r] =
                -contact_problem_row(p, r, d->velocity) + (homogeneous ? p->rows.data[r].bias : 0);
        LAPACKE_dgetrs(LAPACK_ROW_MAJOR, 'N', (int)rows, 1, d->s, (int)rows, d->pivots, d->lambdas, 1);
    }
}

static void at_contacts(const Dense *d, bool homogeneous, double *u) {
    for (size_t i = 0; i < d->p->contacts.count; i++) {
        Vec3 axes[3];
        Twist at = contact_problem_relative(d->p, i, d->velocity);
        if (homogeneous) at.linear = vec3_sub(at.linear, d->p->contacts.data[i].bias);
        frame_of(&d->p->contacts.data[i], axes);
        for (size_t k = 0; k < d->width; k++)
            u[d->width * i + k] =
                k < 3 ? vec3_dot(at.linear, axes[k]) : d->length * vec3_dot(at.angular, axes[k - 2]);
    }
}

static Dense dense_of(const ContactProblem *p, size_t width) {
    size_t rows = p->rows.count, bodies = p->bodies.count;
    Dense d = {.p = p, .width = width, .length = 1};
    d.loads = calloc(2 * bodies, sizeof *d.loads), d.velocity = d.loads + bodies;
    d.impulses = calloc(p->contacts.count, sizeof *d.impulses);
    d.lambdas = calloc(rows + 1, sizeof *d.lambdas);
    d.s = calloc(rows * rows + 1, sizeof *d.s);
    d.pivots = calloc(rows + 1, sizeof *d.pivots);
    if (p->contacts.count) d.length = fmax(vec3_norm(p->contacts.data[0].arm_b), 1e-6);
    for (size_t r = 0; r < rows; r++) {
        d.lambdas[r] = 1;
        contact_problem_loads(p, d.impulses, d.lambdas, d.loads);
        contact_problem_apply_inverse_mass(p, d.loads, d.velocity);
        d.lambdas[r] = 0;
        for (size_t q = 0; q < rows; q++)
            d.s[q * rows + r] = contact_problem_row(p, q, d.velocity) - p->rows.data[q].bias +
                                (q == r ? p->rows.data[q].compliance : 0);
    }
    if (rows)
        assert_int_equal(LAPACKE_dgetrf(LAPACK_ROW_MAJOR, (int)rows, (int)rows, d.s, (int)rows, d.pivots), 0);
    return d;
}

static void dense_free(Dense *d) {
    free(d->loads), free(d->impulses), free(d->lambdas), free(d->s), free(d->pivots);
}

// ---- solving ---------------------------------------------------------------------------------------
static bool run_siconos(size_t width, size_t contacts, double *w, double *q, double *mu, double *mu_r,
                        double *reaction) {
    size_t n = width * contacts;
    double *u = calloc(n, sizeof *u);
    NumericsMatrix *matrix = NM_create_from_data(NM_DENSE, (int)n, (int)n, w);
    SolverOptions *options =
        solver_options_create(width == 3 ? SICONOS_FRICTION_3D_NSGS : SICONOS_ROLLING_FRICTION_3D_NSGS);
    options->dparam[SICONOS_DPARAM_TOL] = 1e-10;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = 10000;
    bool done;
    if (width == 3) {
        FrictionContactProblem *problem =
            frictionContactProblem_new_with_data(3, (int)contacts, matrix, q, mu);
        done = fc3d_driver(problem, reaction, u, options) == 0;
        frictionContactProblem_free(problem); // with matrix, q and mu
        free(mu_r);
    } else {
        RollingFrictionContactProblem *problem =
            rollingFrictionContactProblem_new_with_data(5, (int)contacts, matrix, q, mu, mu_r);
        done = rolling_fc3d_driver(problem, reaction, u, options) == 0;
        rollingFrictionContactProblem_free(problem); // likewise, and mu_r
    }
    solver_options_delete(options);
    free(u);
    return done;
}

// Impulses by Siconos, and velocities in d; false: it did not converge.
static bool solve_by_siconos(Dense *d) {
    const ContactProblem *p = d->p;
    size_t contacts = p->contacts.count, n = d->width * contacts;
    double *w = malloc(n * n * sizeof *w), *q = malloc(n * sizeof *q), *mu = malloc(contacts * sizeof *mu);
    double *mu_r = malloc(contacts * sizeof *mu_r), *reaction = calloc(n, sizeof *reaction);
    respond(d, false);
    at_contacts(d, false, q);
    for (size_t j = 0; j < n; j++) { // column by column
        mu[j / d->width] = p->contacts.data[j / d->width].friction;
        mu_r[j / d->width] = p->contacts.data[j / d->width].rolling / d->length;
        set_component(d, j, 1);
        respond(d, true);
        d->impulses[j / d->width] = (ContactImpulse){{0, 0, 0}, {0, 0, 0}};
        at_contacts(d, true, w + j * n);
    }
    // Siconos knows no units: let the blocks of its matrix have a diagonal of about one, as in residual.h.
    double *root = calloc(contacts, sizeof *root);
    for (size_t j = 0; j < n; j++)
        if (j % d->width < 3) root[j / d->width] += w[j * n + j] / 3;
    for (size_t i = 0; i < contacts; i++) root[i] = root[i] > 0 ? sqrt(root[i]) : 1;
    for (size_t j = 0; j < n; j++) {
        q[j] /= root[j / d->width];
        for (size_t k = 0; k < n; k++) w[j * n + k] /= root[j / d->width] * root[k / d->width];
    }
    bool done = run_siconos(d->width, contacts, w, q, mu, mu_r, reaction);
    for (size_t j = 0; j < n; j++) set_component(d, j, reaction[j] / root[j / d->width]);
    respond(d, false);
    free(reaction), free(root);
    return done;
}

// 3 or 5 components; 0: contacts resist spinning, which Siconos does not know.
static size_t width_for_siconos(const ContactProblem *p) {
    bool rolls = false;
    for (size_t i = 0; i < p->contacts.count; i++) {
        if (p->contacts.data[i].spinning > 0) return 0;
        rolls = rolls || p->contacts.data[i].rolling > 0;
    }
    return p->contacts.count == 0 ? 0 : rolls ? 5 : 3;
}

// ---- comparing -------------------------------------------------------------------------------------
typedef struct Tally {
    int problems, skipped, ours, theirs, equal, rows, rolling;
} Tally;

// Both answers are solutions for our residual; are they the same? Coulomb's law may have several.
static void compare(const ContactProblem *p, const ContactSolution *ours, const char *name, Tally *tally) {
    Dense d = dense_of(p, width_for_siconos(p));
    Twist *scratch = calloc(2 * p->bodies.count, sizeof *scratch);
    if (solve_by_siconos(&d)) {
        ContactResidual theirs = contact_residual(p, CONTACT_COULOMB, d.impulses, d.lambdas, 0, scratch);
        ContactResidual own =
            contact_residual(p, CONTACT_COULOMB, ours->impulses.data, ours->lambdas.data, 0, scratch);
        assert_true(own.relative < 1e-5);
        double size = 0, off = 0;
        for (size_t i = 0; i < p->bodies.count; i++) {
            off = fmax(off, vec3_norm(vec3_sub(d.velocity[i].linear, ours->velocity.data[i].linear)));
            size = fmax(size, vec3_norm(p->free_velocity.data[i].linear));
        }
        tally->theirs++;
        tally->rows += p->rows.count > 0, tally->rolling += d.width == 5;
        if (off <= 5e-6 * size) tally->equal++;
        else
            print_message("%s: velocities differ by %.3g of %.3g, residual %.1e and %.1e\n", name, off, size,
                          theirs.relative, own.relative);
    } else print_message("%s: Siconos does not converge\n", name);
    free(scratch);
    dense_free(&d);
}

// The dilation of the solution off the bias: Coulomb's law then has it, too.
static void take_dilation_off(ContactProblem *p, const ContactSolution *s) {
    for (size_t i = 0; i < p->contacts.count; i++) {
        ContactPoint *c = &p->contacts.data[i];
        Twist u = contact_problem_relative(p, i, s->velocity.data);
        Vec3 tangent = vec3_madd(u.linear, -vec3_dot(u.linear, c->normal), c->normal);
        Vec3 roll = vec3_madd(u.angular, -vec3_dot(u.angular, c->normal), c->normal);
        double dilation = c->friction * vec3_norm(tangent) + c->rolling * vec3_norm(roll);
        c->bias = vec3_madd(c->bias, -dilation, c->normal);
    }
}

static void try(ContactProblem *p, const char *name, ContactWorkspace *workspace, Tally *tally) {
    ContactSolution s = {0};
    ContactReport report;
    MrcError error;
    ContactOptions options = contact_options_default();
    options.tolerance = 1e-8;
    options.sweeps = 20000;
    tally->problems++;
    if (width_for_siconos(p) == 0) {
        tally->skipped++;
        return;
    }
    assert_int_equal(contact_solve(p, &options, workspace, &s, &report, &error), MRC_OK);
    if (!report.converged) print_message("%s: we do not converge, %.1e\n", name, report.residual.relative);
    tally->ours += report.converged;
    if (p->law == CONTACT_RELAXED) take_dilation_off(p, &s);
    compare(p, &s, name, tally);
    contact_solution_free(&s);
}

static void tell(const char *what, const Tally *t) {
    print_message(
        "%s: %d problems, %d with spinning friction that Siconos does not have; of the rest solved by us %d, "
        "by Siconos %d (%d with rows, %d with rolling), with the same velocities %d\n",
        what, t->problems, t->skipped, t->ours, t->theirs, t->rows, t->rolling, t->equal);
}

static Tally run_scenes(ContactLaw law) {
    Tally tally = {0};
    ContactWorkspace *workspace = contact_workspace_create();
    for (int which = 0; which < scene_count; which++) {
        ContactProblem p = {0};
        char name[32];
        snprintf(name, sizeof name, "scene %d", which);
        scene_make(&p, which);
        p.law = law;
        try(&p, name, workspace, &tally);
        contact_problem_free(&p);
    }
    contact_workspace_destroy(workspace);
    tell(law == CONTACT_RELAXED ? "scenes, relaxed" : "scenes, coulomb", &tally);
    return tally;
}

static void test_relaxed(void **state) {
    (void)state;
    Tally t = run_scenes(CONTACT_RELAXED);
    assert_int_equal(t.ours, t.problems - t.skipped);
    assert_true(t.equal >= 26);
}

static void test_coulomb(void **state) {
    (void)state;
    Tally t = run_scenes(CONTACT_COULOMB);
    assert_int_equal(t.ours, t.problems - t.skipped);
    assert_true(t.equal >= 24);
}

static void test_stored(void **state) {
    (void)state;
    const char *const folders[] = {"dumped", "made"};
    for (int k = 0; k < 2; k++) {
        Tally tally = {0};
        Stored list = stored_list(folders[k]);
        ContactWorkspace *workspace = contact_workspace_create();
        for (int i = 0; i < list.count; i++) {
            ContactProblem p = {0};
            stored_load(&p, list.names[i]);
            try(&p, list.names[i], workspace, &tally);
            contact_problem_free(&p);
        }
        contact_workspace_destroy(workspace);
        stored_free(&list);
        tell(folders[k], &tally);
        assert_true(k == 0 ? tally.equal >= 30 : tally.equal >= 4);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_relaxed), cmocka_unit_test(test_coulomb),
                                       cmocka_unit_test(test_stored)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
    printf("needs the package libsiconos-numerics-dev: contact problems are not compared with Siconos\n");
    return 77;
}
#endif
