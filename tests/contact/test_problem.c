#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/threads.h"
#include "check_math.h"
#include "contact/scenes.h"

static const double tiny = 1e-12;

// A bed in a container with a dense mobility, with rolling friction and a few rows: everything at once.
static void make_mixture(ContactProblem *p) {
    scene_bed(p, &(SceneBed){.nx = 3,
                             .ny = 2,
                             .nz = 3,
                             .friction = 0.4,
                             .rolling = 1e-5,
                             .spinning = 2e-5,
                             .jitter = 0.03,
                             .speed = 0.05,
                             .ratio = 20,
                             .step = 1e-4,
                             .container = 1,
                             .container_mass = 0.01,
                             .seed = 7});
    contact_problem_add_row(p, (ContactRow){.a = 1,
                                            .b = 2,
                                            .jacobian_a = {{1, 2, 3}, {4, 5, 6}},
                                            .jacobian_b = {{-1, 0, 1}, {0.5, 0, 2}},
                                            .bias = 0.3,
                                            .compliance = 0.1});
    contact_problem_add_row(
        p, (ContactRow){.a = -1, .b = 0, .jacobian_b = {{0, 0, 1}, {0, 0, 0}}, .bias = -0.2});
}

static void fill_impulses(const ContactProblem *p, ContactSolution *s) {
    Random random = {3};
    MrcError error;
    assert_int_equal(contact_solution_fit(s, p, &error), MRC_OK);
    for (size_t i = 0; i < s->impulses.count; i++) {
        for (int k = 0; k < 3; k++) (&s->impulses.data[i].linear.x)[k] = random_normal(&random);
        for (int k = 0; k < 3; k++) (&s->impulses.data[i].angular.x)[k] = random_normal(&random);
    }
    for (size_t i = 0; i < s->lambdas.count; i++) s->lambdas.data[i] = random_normal(&random);
}

static double power(const Twist *a, const Twist *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += vec3_dot(a[i].linear, b[i].linear) + vec3_dot(a[i].angular, b[i].angular);
    return sum;
}

// J^T is the transpose of J: impulses times relative velocities is loads times velocities.
static void test_products_are_transposed(void **state) {
    (void)state;
    ContactProblem p = {0};
    ContactSolution s = {0};
    make_mixture(&p);
    fill_impulses(&p, &s);
    size_t bodies = p.bodies.count;
    Twist *loads = calloc(3 * bodies, sizeof *loads), *v = loads + bodies, *zero = v + bodies;
    Random random = {5};
    for (size_t i = 0; i < 6 * bodies; i++) ((double *)v)[i] = random_normal(&random);
    contact_problem_loads(&p, s.impulses.data, s.lambdas.data, loads);
    double sum = 0;
    for (size_t i = 0; i < p.contacts.count; i++) {
        Twist u = contact_problem_relative(&p, i, v), bias = contact_problem_relative(&p, i, zero);
        sum += vec3_dot(vec3_sub(u.linear, bias.linear), s.impulses.data[i].linear);
        sum += vec3_dot(u.angular, s.impulses.data[i].angular);
    }
    for (size_t i = 0; i < p.rows.count; i++)
        sum += (contact_problem_row(&p, i, v) - p.rows.data[i].bias) * s.lambdas.data[i];
    double worth = power(loads, v, bodies);
    check_near(sum, worth, tiny * fabs(worth));
    free(loads);
    contact_problem_free(&p);
    contact_solution_free(&s);
}

static void times_two_bodies(void *user, const Twist *impulse, Twist *velocity) {
    const double *matrix = user, *x = (const double *)impulse;
    for (int i = 0; i < 12; i++) {
        ((double *)velocity)[i] = 0;
        for (int j = 0; j < 12; j++) ((double *)velocity)[i] += matrix[i * 12 + j] * x[j];
    }
}

// A group given by what it does is the group given by its numbers; the inverse mass is symmetric.
static void test_groups(void **state) {
    (void)state;
    double matrix[144];
    Random random = {9};
    for (int i = 0; i < 12; i++)
        for (int j = 0; j <= i; j++)
            matrix[i * 12 + j] = matrix[j * 12 + i] = random_normal(&random) + 5 * (i == j);
    ContactProblem p[2] = {{0}, {0}};
    for (int k = 0; k < 2; k++) {
        scene_sphere(&p[k], 2, 0.1, scene_still());
        int32_t bodies[2];
        for (int i = 0; i < 2; i++) bodies[1 - i] = contact_problem_add_body(&p[k], 0, 0, scene_still());
        if (k == 0) assert_true(contact_problem_add_group(&p[k], 2, bodies, matrix) >= 0);
        else assert_true(contact_problem_add_operator(&p[k], 2, bodies, times_two_bodies, matrix) >= 0);
    }
    Twist x[3], y[3], mx[2][3], my[3];
    for (int i = 0; i < 18; i++)
        ((double *)x)[i] = random_normal(&random), ((double *)y)[i] = random_normal(&random);
    for (int k = 0; k < 2; k++) contact_problem_apply_inverse_mass(&p[k], x, mx[k]);
    contact_problem_apply_inverse_mass(&p[0], y, my);
    for (int i = 0; i < 18; i++) check_near(((double *)mx[1])[i], ((double *)mx[0])[i], tiny);
    check_near(power(mx[0], y, 3), power(x, my, 3), 1e-10);
    check_near(mx[0][0].linear.y, x[0].linear.y / 2, tiny);
    check_near(mx[0][0].angular.z, x[0].angular.z / (0.4 * 2 * 0.01), 1e-10);
    // rows in the order of the group's bodies: its first is body 2
    double sum = 0;
    for (int j = 0; j < 12; j++) sum += matrix[j] * ((double *)&x[j < 6 ? 2 : 1])[j % 6];
    check_near(mx[0][2].linear.x, sum, tiny);
    for (int k = 0; k < 2; k++) contact_problem_free(&p[k]);
}

static void test_load_on(void **state) {
    (void)state;
    ContactProblem p = {0};
    ContactSolution s = {0};
    make_mixture(&p);
    p.rows.count = 0;
    fill_impulses(&p, &s);
    Twist *loads = calloc(p.bodies.count, sizeof *loads);
    contact_problem_loads(&p, s.impulses.data, NULL, loads);
    Twist on = contact_problem_load_on(&p, s.impulses.data, 0);
    check_vec3_near(on.linear, loads[0].linear, 1e-12);
    check_vec3_near(on.angular, loads[0].angular, 1e-12);
    free(loads);
    contact_problem_free(&p);
    contact_solution_free(&s);
}

// ---- files ---------------------------------------------------------------------------------------
static void test_round_trip(void **state) {
    (void)state;
    ContactProblem p = {0}, q = {0};
    ContactSolution s = {0}, t = {0};
    MrcError error;
    make_mixture(&p);
    p.law = CONTACT_COULOMB;
    fill_impulses(&p, &s);
    char path[] = "/tmp/maraca-contact-XXXXXX";
    close(mkstemp(path));
    assert_int_equal(contact_problem_save(&p, &s, path, &error), MRC_OK);
    assert_int_equal(contact_problem_load(&q, &t, path, &error), MRC_OK);
    assert_int_equal(q.law, CONTACT_COULOMB);
    assert_int_equal(q.bodies.count, p.bodies.count);
    assert_int_equal(q.contacts.count, p.contacts.count);
    assert_int_equal(q.rows.count, p.rows.count);
    assert_int_equal(q.groups.count, 1);
    assert_memory_equal(q.bodies.data, p.bodies.data, p.bodies.count * sizeof *p.bodies.data);
    assert_memory_equal(q.free_velocity.data, p.free_velocity.data, p.bodies.count * sizeof(Twist));
    assert_memory_equal(q.group_numbers.data, p.group_numbers.data, 36 * sizeof(double));
    assert_memory_equal(q.contacts.data, p.contacts.data, p.contacts.count * sizeof *p.contacts.data);
    assert_memory_equal(q.rows.data, p.rows.data, p.rows.count * sizeof *p.rows.data);
    assert_memory_equal(t.impulses.data, s.impulses.data, s.impulses.count * sizeof *s.impulses.data);
    assert_memory_equal(t.lambdas.data, s.lambdas.data, s.lambdas.count * sizeof(double));
    unlink(path);
    assert_int_equal(contact_problem_load(&q, NULL, path, &error), MRC_READ_FAILED);
    contact_problem_free(&p), contact_problem_free(&q);
    contact_solution_free(&s), contact_solution_free(&t);
}

static void test_broken_files(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "maraca contact problem 2\nend\n",
        "maraca contact problem 1\nlaw relaxed\n",
        "maraca contact problem 1\nbody 1 1 0 0 0 0 0\nend\n",
        "maraca contact problem 1\nbody 1 1 0 0 0 0 0 0 7\nend\n",
        "maraca contact problem 1\nsphere 1\nend\n",
        "maraca contact problem 1\ngroup 99999999 1\nend\n",
        "maraca contact problem 1\nbody 0 0 0 0 0 0 0 0\ngroup 1 4 1\nend\n",
        "maraca contact problem 1\nbody 0 0 0 0 0 0 0 0\ncontact 0 5 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0\nend\n",
        "maraca contact problem 1\nbody 0 0 nan 0 0 0 0 0\nend\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char path[] = "/tmp/maraca-contact-XXXXXX";
        FILE *file = fdopen(mkstemp(path), "w");
        fputs(texts[i], file);
        fclose(file);
        ContactProblem p = {0};
        MrcError error;
        assert_int_not_equal(contact_problem_load(&p, NULL, path, &error), MRC_OK);
        assert_true(error.text[0] != 0);
        unlink(path);
        contact_problem_free(&p);
    }
}

static void test_checks(void **state) {
    (void)state;
    ContactProblem p = {0};
    MrcError error;
    make_mixture(&p);
    assert_int_equal(contact_problem_check(&p, &error), MRC_OK);
    ContactPoint *c = &p.contacts.data[4], kept = *c;
    c->bias.x = NAN;
    assert_int_equal(contact_problem_check(&p, &error), MRC_NOT_FINITE);
    *c = kept, c->normal.x += 0.1;
    assert_int_equal(contact_problem_check(&p, &error), MRC_MODEL);
    *c = kept, c->b = (int32_t)p.bodies.count;
    assert_int_equal(contact_problem_check(&p, &error), MRC_MODEL);
    *c = kept, c->friction = -0.1;
    assert_int_equal(contact_problem_check(&p, &error), MRC_MODEL);
    *c = kept;
    p.free_velocity.data[2].angular.y = INFINITY;
    assert_int_equal(contact_problem_check(&p, &error), MRC_NOT_FINITE);
    p.free_velocity.data[2].angular.y = 0;
    p.rows.data[0].compliance = -1;
    assert_int_equal(contact_problem_check(&p, &error), MRC_MODEL);
    p.rows.data[0].compliance = 0;
    p.bodies.data[3].inverse_mass = -1;
    assert_int_equal(contact_problem_check(&p, &error), MRC_MODEL);
    contact_problem_free(&p);
}

// What an impulse does to the free velocities is what it does to the velocities.
static void test_push(void **state) {
    (void)state;
    ContactProblem p = {0};
    ContactSolution s = {0};
    MrcError error;
    make_mixture(&p);
    fill_impulses(&p, &s);
    memset(s.lambdas.data, 0, s.lambdas.count * sizeof *s.lambdas.data);
    size_t bodies = p.bodies.count;
    Twist *scratch = calloc(2 * bodies, sizeof *scratch), *velocity = scratch + bodies;
    for (size_t i = 0; i < s.impulses.count; i++) s.impulses.data[i].angular = vec3_zero();
    contact_problem_velocity(&p, s.impulses.data, s.lambdas.data, scratch, velocity);
    for (size_t i = 0; i < s.impulses.count; i++)
        contact_problem_push(&p, &p.contacts.data[i], s.impulses.data[i].linear);
    for (size_t b = 0; b < bodies; b++) {
        const Twist *pushed = &p.free_velocity.data[b];
        double size = vec3_norm(pushed->linear) + vec3_norm(pushed->angular) + 1;
        assert_true(vec3_norm(vec3_sub(pushed->linear, velocity[b].linear)) < tiny * size);
        assert_true(vec3_norm(vec3_sub(pushed->angular, velocity[b].angular)) < tiny * size);
    }
    assert_int_equal(contact_problem_check(&p, &error), MRC_OK);
    free(scratch);
    contact_problem_free(&p);
    contact_solution_free(&s);
}

// ---- threads -------------------------------------------------------------------------------------
// So many bodies and contacts that threads share them.
static void make_crowd(ContactProblem *p) {
    scene_bed(p, &(SceneBed){.nx = 16,
                             .ny = 15,
                             .nz = 12,
                             .friction = 0.4,
                             .rolling = 1e-5,
                             .jitter = 0.03,
                             .speed = 0.05,
                             .ratio = 20,
                             .step = 1e-4,
                             .container = 1,
                             .container_mass = 0.01,
                             .seed = 9});
    assert_true(p->bodies.count > THREADS_ALONE && p->contacts.count > THREADS_ALONE);
}

// Velocities by their parts, which one thread computes, bit by bit.
static void test_threads_sum_in_order(void **state) {
    (void)state;
    ContactProblem p = {0};
    ContactSolution s = {0};
    make_crowd(&p);
    contact_problem_add_row(&p, (ContactRow){.a = 1,
                                             .b = 2000,
                                             .jacobian_a = {{1, 2, 3}, {4, 5, 6}},
                                             .jacobian_b = {{1, 0, 1}, {0, 0, 0}}});
    fill_impulses(&p, &s);
    size_t bodies = p.bodies.count;
    Twist *loads = calloc(4 * bodies, sizeof *loads), *scratch = loads + bodies, *parts = scratch + bodies,
          *velocity = parts + bodies;
    contact_problem_loads(&p, s.impulses.data, s.lambdas.data, loads);
    contact_problem_apply_inverse_mass(&p, loads, parts);
    for (size_t i = 0; i < bodies; i++) {
        const Twist *free = &p.free_velocity.data[i];
        parts[i] = (Twist){vec3_madd(free->linear, 1, parts[i].linear),
                           vec3_madd(free->angular, 1, parts[i].angular)};
    }
    int before = threads_wanted();
    for (int threads = 1; threads <= 4; threads++) {
        threads_set(threads);
        memset(velocity, 0, bodies * sizeof *velocity);
        contact_problem_velocity(&p, s.impulses.data, s.lambdas.data, scratch, velocity);
        assert_memory_equal(velocity, parts, bodies * sizeof *velocity);
        assert_memory_equal(scratch, loads, bodies * sizeof *loads);
    }
    threads_set(before);
    free(loads);
    contact_problem_free(&p);
    contact_solution_free(&s);
}

// Of several that are wrong the first one is named, whichever thread finds it.
static void test_threads_name_the_first(void **state) {
    (void)state;
    ContactProblem p = {0};
    MrcError error;
    make_crowd(&p);
    int before = threads_wanted();
    for (int threads = 1; threads <= 4; threads++) {
        threads_set(threads);
        assert_int_equal(contact_problem_check(&p, &error), MRC_OK);
        size_t last = p.contacts.count - 1;
        p.contacts.data[last].friction = p.contacts.data[1234].friction = -1;
        assert_int_equal(contact_problem_check(&p, &error), MRC_MODEL);
        assert_non_null(strstr(error.text, "contact 1234 "));
        p.bodies.data[2100].inverse_mass = p.bodies.data[77].inverse_mass = -1;
        assert_int_equal(contact_problem_check(&p, &error), MRC_MODEL);
        assert_non_null(strstr(error.text, "body 77 "));
        p.bodies.data[2100].inverse_mass = p.bodies.data[77].inverse_mass = 1;
        p.contacts.data[last].friction = p.contacts.data[1234].friction = 0.4;
    }
    threads_set(before);
    contact_problem_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_push),
        cmocka_unit_test(test_products_are_transposed),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_load_on),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_broken_files),
        cmocka_unit_test(test_checks),
        cmocka_unit_test(test_threads_sum_in_order),
        cmocka_unit_test(test_threads_name_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
