// Bodies with an inertia tensor: every solver against matrices that are assembled here, and against the same bodies as
// groups.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/random.h"
#include "contact/local.h"
#include "contact/solver.h"

enum { RIGID = 5, BODIES = 8, CONTACTS = 14, N = 6 * BODIES }; // bricks, then two spheres, then a wall

static Vec3 random_vector(Random *random, double size) {
    double x = random_normal(random), y = random_normal(random), z = random_normal(random);
    return vec3(size * x, size * y, size * z);
}

static Mat3 random_tensor(Random *random) {
    Quaternion q = quaternion_from_rotation_vector(random_vector(random, 1));
    Mat3 r = quaternion_to_matrix(q);
    double a = 1 + 4 * random_uniform(random), b = 1 + 4 * random_uniform(random);
    return mat3_mul(mat3_mul(r, mat3_diagonal(10, 10 * a, 10 * b)), mat3_transpose(r));
}

// `groups`: bricks are groups of one body. A joint between the first two bricks, if wanted.
static void make_problem(ContactProblem *p, uint64_t seed, bool turning, bool joint, bool groups) {
    Random random = {seed};
    contact_problem_clear(p);
    for (int i = 0; i < BODIES; i++) {
        Twist v = {random_vector(&random, 0.3), random_vector(&random, 1)};
        double inverse = 0.5 + random_uniform(&random);
        Mat3 tensor = random_tensor(&random);
        if (i < RIGID && !groups) contact_problem_add_rigid(p, inverse, tensor, v);
        else if (i < RIGID) {
            double block[36] = {0};
            for (int r = 0; r < 3; r++) {
                block[7 * r] = inverse;
                for (int c = 0; c < 3; c++) block[6 * (r + 3) + c + 3] = tensor.m[r][c];
            }
            int32_t body = contact_problem_add_body(p, 0, 0, v);
            contact_problem_add_group(p, 1, &body, block);
        } else
            contact_problem_add_body(p, i + 1 < BODIES ? inverse : 0, i + 1 < BODIES ? 10 * inverse : 0, v);
    }
    for (int k = 0; k < CONTACTS; k++) {
        int32_t a = (int32_t)(random_uniform(&random) * BODIES), b = (a + 1 + k % (BODIES - 1)) % BODIES;
        Vec3 n = vec3_normalize(random_vector(&random, 1));
        contact_problem_add_contact(p, (ContactPoint){.a = k == 0 ? -1 : a,
                                                      .b = b,
                                                      .normal = n,
                                                      .arm_a = random_vector(&random, 0.2),
                                                      .arm_b = random_vector(&random, 0.2),
                                                      .bias = vec3_scale(0.1 * random_uniform(&random), n),
                                                      .friction = 0.6 * random_uniform(&random),
                                                      .rolling = turning && k % 2 ? 0.01 : 0,
                                                      .spinning = turning && k % 3 ? 0.005 : 0});
    }
    for (int k = 0; k < 3 && joint; k++) {
        Vec3 e = {k == 0, k == 1, k == 2}, arm_a = {0.1, 0.02, 0}, arm_b = {-0.1, 0, 0.03};
        contact_problem_add_row(p, (ContactRow){.a = 0,
                                                .b = 1,
                                                .jacobian_a = {vec3_neg(e), vec3_neg(vec3_cross(arm_a, e))},
                                                .jacobian_b = {e, vec3_cross(arm_b, e)},
                                                .bias = 0.01 * k});
    }
}

// ---- dense matrices ------------------------------------------------------------------------------
static void dense_inverse_mass(const ContactProblem *p, double m[N][N]) {
    memset(m, 0, N * N * sizeof(double));
    for (int i = 0; i < BODIES; i++) {
        const ContactBody *body = &p->bodies.data[i];
        for (int r = 0; r < 3; r++) {
            m[6 * i + r][6 * i + r] = body->inverse_mass;
            for (int c = 0; c < 3; c++)
                m[6 * i + 3 + r][6 * i + 3 + c] = i < RIGID ? p->tensors.data[i].m[r][c]
                                                  : r == c  ? body->inverse_inertia
                                                            : 0;
        }
    }
}

// Row `axis` of u = J v: the relative velocity along x, y, z, then the relative angular velocity.
static void dense_row(const ContactPoint *c, int axis, double row[N]) {
    Vec3 e = {axis % 3 == 0, axis % 3 == 1, axis % 3 == 2};
    memset(row, 0, N * sizeof *row);
    for (int side = 0; side < 2; side++) {
        int32_t body = side ? c->b : c->a;
        Vec3 arm = side ? c->arm_b : c->arm_a, lever = vec3_cross(arm, e);
        double sign = side ? 1 : -1;
        if (body < 0) continue;
        for (int k = 0; k < 3; k++) {
            row[6 * body + k] = axis < 3 ? sign * vec3_component(e, k) : 0;
            row[6 * body + 3 + k] = sign * vec3_component(axis < 3 ? lever : e, k);
        }
    }
}

static void test_products_are_those_of_the_dense_matrices(void **state) {
    (void)state;
    static double m[N][N];
    ContactProblem p = {0};
    make_problem(&p, 1, true, false, false);
    dense_inverse_mass(&p, m);
    Random random = {5};
    Twist impulse[BODIES], velocity[BODIES];
    for (int i = 0; i < BODIES; i++)
        impulse[i] = (Twist){random_vector(&random, 1), random_vector(&random, 1)};
    contact_problem_apply_inverse_mass(&p, impulse, velocity);
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++) sum += m[i][j] * ((double *)impulse)[j];
        check_near(((double *)velocity)[i], sum, 1e-13);
    }
    for (int k = 0; k < CONTACTS; k++) {
        double block[6][6], rows[6][N], trace = 0;
        local_block(&p, &p.contacts.data[k], block);
        for (int r = 0; r < 6; r++) dense_row(&p.contacts.data[k], r, rows[r]);
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++) {
                double sum = 0;
                for (int i = 0; i < N; i++)
                    for (int j = 0; j < N; j++) sum += rows[r][i] * m[i][j] * rows[c][j];
                check_near(block[r][c], sum, 1e-12);
                if (r == c && r < 3) trace += sum;
            }
        check_near(local_scale(&p, &p.contacts.data[k]).w, trace / 3, 1e-12);
    }
    contact_problem_free(&p);
}

// ---- solvers -------------------------------------------------------------------------------------
static ContactSolution solve(const ContactProblem *p, ContactMethod method) {
    ContactSolution s = {0};
    ContactReport report;
    MrcError error;
    ContactWorkspace *workspace = contact_workspace_create();
    ContactOptions options = contact_options_default();
    options.method = method;
    options.tolerance = 1e-9;
    options.sweeps = options.gradient_iterations = 200000;
    assert_int_equal(contact_solve(p, &options, workspace, &s, &report, &error), MRC_OK);
    if (!report.converged)
        fail_msg("%s: residual %.3g", contact_method_name(method), report.residual.relative);
    contact_workspace_destroy(workspace);
    return s;
}

// p in the cone of friction, u in its dual, p . u = 0; velocities those of the dense matrices.
static void check_solution(const ContactProblem *p, const ContactSolution *s) {
    static double m[N][N];
    double load[N] = {0}, v[N], scale = 1;
    dense_inverse_mass(p, m);
    for (int k = 0; k < CONTACTS; k++)
        for (int axis = 0; axis < 6; axis++) {
            double row[N], force = ((const double *)&s->impulses.data[k])[axis];
            dense_row(&p->contacts.data[k], axis, row);
            for (int i = 0; i < N; i++) load[i] += row[i] * force;
        }
    for (size_t k = 0; k < p->rows.count; k++)
        for (int side = 0; side < 2; side++)
            for (int i = 0; i < 6; i++)
                load[6 * (side ? p->rows.data[k].b : p->rows.data[k].a) + i] +=
                    s->lambdas.data[k] *
                    ((const double *)(side ? &p->rows.data[k].jacobian_b : &p->rows.data[k].jacobian_a))[i];
    for (int i = 0; i < N; i++) {
        v[i] = ((double *)p->free_velocity.data)[i];
        for (int j = 0; j < N; j++) v[i] += m[i][j] * load[j];
        check_near(((double *)s->velocity.data)[i], v[i], 1e-11);
    }
    for (int k = 0; k < CONTACTS; k++) {
        const ContactPoint *c = &p->contacts.data[k];
        Vec3 linear = s->impulses.data[k].linear, angular = s->impulses.data[k].angular, u = c->bias, w = {0};
        if (p->bodies.data[c->b].inverse_mass == 0 && (c->a < 0 || p->bodies.data[c->a].inverse_mass == 0))
            continue;
        for (int axis = 0; axis < 3; axis++) {
            double row[N], sum = 0, turn = 0;
            dense_row(c, axis, row);
            for (int i = 0; i < N; i++) sum += row[i] * v[i];
            dense_row(c, axis + 3, row);
            for (int i = 0; i < N; i++) turn += row[i] * v[i];
            vec3_set_component(&u, axis, vec3_component(u, axis) + sum);
            vec3_set_component(&w, axis, turn);
        }
        double pn = vec3_dot(linear, c->normal), mn = vec3_dot(angular, c->normal);
        double pt = vec3_norm(vec3_madd(linear, -pn, c->normal)),
               mt = vec3_norm(vec3_madd(angular, -mn, c->normal));
        double un = vec3_dot(u, c->normal), wn = vec3_dot(w, c->normal);
        double ut = vec3_norm(vec3_madd(u, -un, c->normal)), wt = vec3_norm(vec3_madd(w, -wn, c->normal));
        assert_true(pn >= -1e-8 * scale && pt <= c->friction * pn + 1e-7 * scale);
        assert_true(mt <= c->rolling * pn + 1e-7 * scale && fabs(mn) <= c->spinning * pn + 1e-7 * scale);
        assert_true(un >= c->friction * ut + c->rolling * wt + c->spinning * fabs(wn) - 1e-6 * scale);
        check_near(vec3_dot(linear, u) + vec3_dot(angular, w), 0, 1e-6 * scale);
    }
}

static void test_solvers_against_the_dense_matrices(void **state) {
    (void)state;
    const ContactMethod methods[] = {CONTACT_NSGS, CONTACT_APGD, CONTACT_INTERIOR, CONTACT_AUTO};
    for (uint64_t seed = 1; seed < 9; seed++)
        for (int kind = 0; kind < 4; kind++) {
            ContactProblem p = {0}, same = {0};
            make_problem(&p, seed, kind & 1, kind & 2, false);
            make_problem(&same, seed, kind & 1, kind & 2, true);
            assert_int_equal(p.tensors.count, RIGID);
            for (int k = 0; k < 4; k++) {
                ContactSolution s = solve(&p, methods[k]), other = solve(&same, methods[k]);
                check_solution(&p, &s);
                for (int i = 0; i < N; i++)
                    check_near(((double *)s.velocity.data)[i], ((double *)other.velocity.data)[i], 1e-6);
                contact_solution_free(&s);
                contact_solution_free(&other);
            }
            contact_problem_free(&p);
            contact_problem_free(&same);
        }
}

static void test_multiples_of_the_identity_are_isotropic(void **state) {
    (void)state;
    ContactProblem p = {0};
    Twist still = {{0, 0, 0}, {0, 0, 0}};
    contact_problem_add_rigid(&p, 2, mat3_diagonal(3, 3, 3), still);
    contact_problem_add_rigid(&p, 2, mat3_diagonal(3, 3, 3.5), still);
    assert_int_equal(p.tensors.count, 1);
    check_near(p.bodies.data[0].inverse_inertia, 3, 0);
    assert_int_equal(p.bodies.data[0].tensor, 0);
    assert_int_equal(p.bodies.data[1].tensor, 1);
    contact_problem_free(&p);
}

// Bodies set by themselves, in whatever order, are those that are added one by one.
static void test_many_at_once(void **state) {
    (void)state;
    ContactProblem p = {0}, q = {0};
    Mat3 inertia[3] = {mat3_diagonal(3, 3, 3.5), mat3_diagonal(3, 3, 3), mat3_diagonal(1, 2, 3)};
    inertia[2].m[0][1] = 0.2; // its symmetric part counts
    contact_problem_add_body(&p, 1, 1, (Twist){{1, 2, 3}, {4, 5, 6}});
    contact_problem_add_body(&q, 1, 1, (Twist){{1, 2, 3}, {4, 5, 6}});
    assert_int_equal(contact_problem_add_rigids(&q, 3), 1);
    for (int k = 0; k < 3; k++) {
        int32_t turned = 2 - k;
        Twist velocity = {{k, 0, 1}, {0, k, 2}}, other = {{turned, 0, 1}, {0, turned, 2}};
        contact_problem_add_rigid(&p, 2 + k, inertia[k], velocity);
        contact_problem_set_rigid(&q, 1 + turned, 2 + turned, inertia[turned], other);
    }
    assert_int_equal(q.bodies.count, p.bodies.count);
    for (size_t i = 0; i < p.bodies.count; i++) {
        const ContactBody *a = &p.bodies.data[i], *b = &q.bodies.data[i];
        assert_true(a->inverse_mass == b->inverse_mass && a->inverse_inertia == b->inverse_inertia);
        assert_true(a->group == b->group && (a->tensor > 0) == (b->tensor > 0));
        if (a->tensor > 0)
            assert_memory_equal(&p.tensors.data[a->tensor - 1], &q.tensors.data[b->tensor - 1], sizeof(Mat3));
        assert_memory_equal(&p.free_velocity.data[i], &q.free_velocity.data[i], sizeof(Twist));
    }
    contact_problem_free(&p);
    contact_problem_free(&q);
}

static void test_files_keep_every_bit(void **state) {
    (void)state;
    char path[] = "/tmp/maraca-test-rigid-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    ContactProblem p = {0}, q = {0};
    MrcError error = {0};
    make_problem(&p, 3, true, true, false);
    assert_int_equal(contact_problem_save(&p, NULL, path, &error), MRC_OK);
    if (contact_problem_load(&q, NULL, path, &error)) fail_msg("%s", error.text);
    assert_int_equal(q.tensors.count, RIGID);
    assert_memory_equal(p.tensors.data, q.tensors.data, RIGID * sizeof *p.tensors.data);
    for (int i = 0; i < BODIES; i++) assert_int_equal(p.bodies.data[i].tensor, q.bodies.data[i].tensor);
    remove(path);
    contact_problem_free(&p);
    contact_problem_free(&q);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products_are_those_of_the_dense_matrices),
        cmocka_unit_test(test_solvers_against_the_dense_matrices),
        cmocka_unit_test(test_multiples_of_the_identity_are_isotropic),
        cmocka_unit_test(test_many_at_once),
        cmocka_unit_test(test_files_keep_every_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
