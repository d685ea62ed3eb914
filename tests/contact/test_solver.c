#include <malloc.h>
#include <stdlib.h>

#include "base/threads.h"
#include "check_math.h"
#include "contact/scenes.h"
#include "contact/solver.h"

static const ContactMethod methods[] = {CONTACT_NSGS, CONTACT_APGD, CONTACT_INTERIOR, CONTACT_AUTO};
enum { method_count = sizeof methods / sizeof *methods };

typedef struct Solved {
    ContactSolution solution;
    ContactReport report;
} Solved;

static ContactOptions options_of(ContactMethod method, double tolerance) {
    ContactOptions options = contact_options_default();
    options.method = method;
    options.tolerance = tolerance;
    options.sweeps = 20000;
    return options;
}

static Solved solve_with(const ContactProblem *p, ContactOptions options) {
    Solved s = {0};
    MrcError error;
    ContactWorkspace *workspace = contact_workspace_create();
    assert_int_equal(contact_solve(p, &options, workspace, &s.solution, &s.report, &error), MRC_OK);
    contact_workspace_destroy(workspace);
    return s;
}

static Solved solve_to(const ContactProblem *p, ContactMethod method, double tolerance) {
    Solved s = solve_with(p, options_of(method, tolerance));
    if (!s.report.converged)
        print_error("%s: residual %.3g after %d\n", contact_method_name(method), s.report.residual.relative,
                    s.report.iterations);
    assert_true(s.report.converged);
    return s;
}

static Solved solve(const ContactProblem *p, ContactMethod method) { return solve_to(p, method, 1e-10); }

// ---- closed forms --------------------------------------------------------------------------------
// A block (it cannot turn) on an incline, one step from rest: free velocity g h (sin, 0, -cos).
// It sticks while tan <= mu. Beyond, relaxed: p_n/m = (c + mu s)/(1 + mu^2) and it lifts by mu times its
// sliding; Coulomb: p_n/m = c and it stays down.
static void test_block_on_incline(void **state) {
    (void)state;
    double mu = 0.4, m = 2.5, gh = 9.81e-3;
    const double slopes[] = {0.1, 0.39999, 0.40001, 0.8, 1.4};
    for (int law = 0; law < 2; law++)
        for (int i = 0; i < 5; i++)
            for (int k = 0; k < method_count; k++) {
                double angle = atan(slopes[i]), s = gh * sin(angle), c = gh * cos(angle);
                ContactProblem p = {.law = law ? CONTACT_COULOMB : CONTACT_RELAXED};
                contact_problem_add_body(&p, 1 / m, 0, scene_velocity(s, 0, -c));
                contact_problem_add_contact(
                    &p, (ContactPoint){.a = -1, .b = 0, .normal = {0, 0, 1}, .friction = mu});
                Solved r = solve(&p, methods[k]);
                double push = slopes[i] <= mu ? c : law ? c : (c + mu * s) / (1 + mu * mu);
                double slide = slopes[i] <= mu ? 0 : s - mu * push;
                double rub = slopes[i] <= mu ? s : mu * push;
                check_vec3_near(r.solution.velocity.data[0].linear, vec3(slide, 0, push - c), 1e-9 * gh);
                check_vec3_near(r.solution.impulses.data[0].linear, vec3(-m * rub, 0, m * push),
                                1e-9 * m * gh);
                contact_solution_free(&r.solution);
                contact_problem_free(&p);
            }
}

// A solid sphere on an incline rolls with 5/7 of the free velocity while tan <= 7/2 mu.
static void test_sphere_on_incline(void **state) {
    (void)state;
    double mu = 0.2, m = 0.7, radius = 0.03, gh = 9.81e-4;
    for (int k = 0; k < method_count; k++)
        for (int slips = 0; slips < 2; slips++) {
            double angle = atan(3.5 * mu * (slips ? 1.02 : 0.98)), s = gh * sin(angle), c = gh * cos(angle);
            ContactProblem p = {.law = CONTACT_COULOMB};
            scene_sphere(&p, m, radius, scene_velocity(s, 0, -c));
            contact_problem_add_contact(
                &p, (ContactPoint){
                        .a = -1, .b = 0, .normal = {0, 0, 1}, .arm_b = {0, 0, -radius}, .friction = mu});
            Solved r = solve(&p, methods[k]);
            Twist v = r.solution.velocity.data[0];
            double speed = slips ? s - mu * c : 5.0 / 7 * s,
                   turn = slips ? 2.5 * mu * c / radius : speed / radius;
            check_vec3_near(v.linear, vec3(speed, 0, 0), 1e-9 * gh);
            check_vec3_near(v.angular, vec3(0, turn, 0), 1e-9 * gh / radius);
            contact_solution_free(&r.solution);
            contact_problem_free(&p);
        }
}

// Rolling friction: the sphere does not start to roll while tan <= rolling/radius (and mu holds it).
static void test_rolling_friction(void **state) {
    (void)state;
    double m = 0.7, radius = 0.03, rolling = 0.002, gh = 9.81e-4;
    for (int k = 0; k < method_count; k++)
        for (int rolls = 0; rolls < 2; rolls++) {
            double t = rolling / radius * (rolls ? 1.5 : 0.98), s = gh * sin(atan(t)), c = gh * cos(atan(t));
            ContactProblem p = {.law = CONTACT_COULOMB};
            scene_sphere(&p, m, radius, scene_velocity(s, 0, -c));
            contact_problem_add_contact(&p, (ContactPoint){.a = -1,
                                                           .b = 0,
                                                           .normal = {0, 0, 1},
                                                           .arm_b = {0, 0, -radius},
                                                           .friction = 0.6,
                                                           .rolling = rolling});
            Solved r = solve(&p, methods[k]);
            // m v = m s - f, I w = f radius - rolling m c, v = w radius: v = (s - c rolling/radius) 5/7
            double speed = rolls ? (s - c * rolling / radius) * 5 / 7 : 0;
            check_vec3_near(r.solution.velocity.data[0].linear, vec3(speed, 0, 0), 1e-8 * gh);
            contact_solution_free(&r.solution);
            contact_problem_free(&p);
        }
}

// Spinning friction alone: a top on its tip loses at most spinning p_n/I.
static void test_spinning_friction(void **state) {
    (void)state;
    double m = 2, radius = 0.1, spinning = 0.004, inertia = 0.4 * m * radius * radius, fall = 0.05, turn = 3;
    for (int k = 0; k < method_count; k++) {
        ContactProblem p = {.law = CONTACT_COULOMB};
        scene_sphere(&p, m, radius, (Twist){{0, 0, -fall}, {0, 0, turn}});
        contact_problem_add_contact(
            &p, (ContactPoint){
                    .a = -1, .b = 0, .normal = {0, 0, 1}, .arm_b = {0, 0, -radius}, .spinning = spinning});
        Solved r = solve(&p, methods[k]);
        check_near(r.solution.velocity.data[0].angular.z, turn - spinning * m * fall / inertia, 1e-8);
        check_near(r.solution.velocity.data[0].linear.z, 0, 1e-8);
        contact_solution_free(&r.solution);
        contact_problem_free(&p);
    }
}

// In a column that comes to rest each contact carries what is above it.
static void test_column(void **state) {
    (void)state;
    for (int k = 0; k < method_count; k++) {
        ContactProblem p = {0};
        int count = 12;
        double fall = 0.02, growth = 0.8, above = 0;
        scene_column(&p, count, growth, 0.3, fall);
        Solved r = solve(&p, methods[k]);
        for (int i = count - 1; i >= 0; i--) {
            above += pow(growth, i);
            check_vec3_near(r.solution.impulses.data[i].linear, vec3(0, 0, above * fall), 1e-7 * fall);
            check_vec3_near(r.solution.velocity.data[i].linear, vec3(0, 0, 0), 1e-8 * fall);
        }
        contact_solution_free(&r.solution);
        contact_problem_free(&p);
    }
}

// A smooth sphere driven into a wedge: p_n = m v/(2 sin angle) on each side.
static void test_wedge(void **state) {
    (void)state;
    for (int k = 0; k < method_count; k++) {
        ContactProblem p = {0};
        double angle = 0.4, speed = 0.3;
        scene_wedge(&p, angle, 0, scene_velocity(0, 0.1, -speed));
        Solved r = solve(&p, methods[k]);
        for (int i = 0; i < 2; i++)
            check_near(vec3_dot(r.solution.impulses.data[i].linear, p.contacts.data[i].normal),
                       2 * speed / (2 * sin(angle)), 1e-8);
        check_vec3_near(r.solution.velocity.data[0].linear, vec3(0, 0.1, 0), 1e-9);
        contact_solution_free(&r.solution);
        contact_problem_free(&p);
    }
}

// ---- rows ----------------------------------------------------------------------------------------
// A body held by a spring taken implicitly and one held by a joint; a row given twice changes nothing.
static void test_rows(void **state) {
    (void)state;
    for (int k = 0; k < method_count; k++) {
        ContactProblem p = {0};
        double m = 2, compliance = 0.3;
        for (int i = 0; i < 2; i++)
            contact_problem_add_body(&p, 1 / m, 0, scene_velocity(i ? -1 : 0.5, 0, -1));
        Twist down = {{0, 0, 1}, {0, 0, 0}};
        contact_problem_add_row(
            &p, (ContactRow){.a = -1, .b = 0, .jacobian_b = down, .bias = 0.2, .compliance = compliance});
        for (int i = 0; i < 2; i++)
            contact_problem_add_row(&p, (ContactRow){.a = -1, .b = 1, .jacobian_b = down, .bias = 0.2});
        contact_problem_add_contact(&p,
                                    (ContactPoint){.a = 0, .b = 1, .normal = {-1, 0, 0}, .friction = 0.1});
        Solved r = solve(&p, methods[k]);
        double lambda = 0.8 / (1 / m + compliance);
        check_near(r.solution.lambdas.data[0], lambda, 1e-9);
        check_near(r.solution.velocity.data[0].linear.z, -1 + lambda / m, 1e-9);
        check_near(r.solution.velocity.data[1].linear.z, -0.2, 1e-9);
        check_near(r.solution.lambdas.data[1] + r.solution.lambdas.data[2], 0.8 * m, 1e-8);
        check_near(r.report.residual.bilateral, 0, 1e-10);
        contact_solution_free(&r.solution);
        contact_problem_free(&p);
    }
}

// A container whose motion is prescribed by six rows feels what one that cannot move feels, whatever its mass,
// and the reaction of the rows is the load of the contacts plus what its own mass takes.
static void test_prescribed_motion(void **state) {
    (void)state;
    for (int k = 0; k < method_count; k++) {
        ContactProblem p = {0}, q = {0};
        SceneBed bed = {.nx = 3,
                        .ny = 3,
                        .nz = 3,
                        .friction = 0.4,
                        .jitter = 0.03,
                        .speed = 0.02,
                        .ratio = 3,
                        .step = 1e-4,
                        .seed = 11};
        scene_bed(&p, &bed);
        scene_bed(&q, &bed);
        Twist motion = {{0.03, -0.02, 0.1}, {1, -2, 0.5}};
        p.free_velocity.data[0] = motion;
        double mass = 1e-6; // far lighter than its grains
        double y[36] = {0};
        for (int i = 0; i < 6; i++) y[i * 7] = i < 3 ? 1 / mass : 1e9;
        int32_t box = 0;
        contact_problem_add_group(&q, 1, &box, y);
        for (int i = 0; i < 6; i++) {
            ContactRow row = {.a = -1, .b = 0, .bias = -((double *)&motion)[i]};
            ((double *)&row.jacobian_b)[i] = 1;
            contact_problem_add_row(&q, row);
        }
        Solved a = solve_to(&p, methods[k], 1e-9), b = solve_to(&q, methods[k], 1e-9);
        for (size_t i = 0; i < p.bodies.count; i++) {
            check_vec3_near(b.solution.velocity.data[i].linear, a.solution.velocity.data[i].linear, 1e-8);
            check_vec3_near(b.solution.velocity.data[i].angular, a.solution.velocity.data[i].angular, 1e-5);
        }
        Twist load = contact_problem_load_on(&q, b.solution.impulses.data, 0);
        Twist jump = b.solution.velocity.data[0], before = q.free_velocity.data[0];
        double reaction = b.solution.lambdas.data[2], own = mass * (jump.linear.z - before.linear.z);
        check_near(reaction, own - load.linear.z, 1e-8 * fabs(load.linear.z));
        contact_solution_free(&a.solution), contact_solution_free(&b.solution);
        contact_problem_free(&p), contact_problem_free(&q);
    }
}

// ---- balances ------------------------------------------------------------------------------------
// What the container gains and the grains gain of momentum is the rows' and nothing else's.
static void test_momentum(void **state) {
    (void)state;
    ContactProblem p = {0};
    double mass = 0.01;
    scene_bed(&p, &(SceneBed){.nx = 4,
                              .ny = 3,
                              .nz = 4,
                              .friction = 0.5,
                              .rolling = 2e-5,
                              .spinning = 1e-5,
                              .jitter = 0.03,
                              .speed = 0.1,
                              .ratio = 10,
                              .step = 1e-4,
                              .seed = 21});
    int32_t box = 0;
    double y[36] = {0};
    for (int i = 0; i < 6; i++) y[i * 7] = i < 3 ? 1 / mass : 1 / (mass * 1e-4);
    contact_problem_add_group(&p, 1, &box, y);
    Solved r = solve_with(&p, options_of(CONTACT_AUTO, 1e-6));
    Vec3 total = vec3_zero(), size = vec3_zero();
    for (size_t i = 0; i < p.bodies.count; i++) {
        double m = i ? 1 / p.bodies.data[i].inverse_mass : mass;
        Vec3 change = vec3_sub(r.solution.velocity.data[i].linear, p.free_velocity.data[i].linear);
        total = vec3_madd(total, m, change);
        size = vec3_add(size, vec3(m * fabs(change.x), m * fabs(change.y), m * fabs(change.z)));
    }
    check_vec3_near(total, vec3(0, 0, 0), 1e-13 * vec3_norm(size));
    contact_solution_free(&r.solution);
    contact_problem_free(&p);
}

// ---- threads, memory, warm starts ----------------------------------------------------------------
// One member of a team solves alone (the overlapped scheme does): all contacts are its own, as without a
// team.
static void test_alone_in_a_team(void **state) {
    (void)state;
    ContactProblem p = {.law = CONTACT_RELAXED};
    scene_bed(&p, &(SceneBed){.nx = 4,
                              .ny = 4,
                              .nz = 4,
                              .friction = 0.5,
                              .jitter = 0.03,
                              .speed = 0.02,
                              .ratio = 1,
                              .step = 1e-4,
                              .seed = 8});
    ContactOptions options = options_of(CONTACT_NSGS, 1e-6);
    options.parallel_contacts = p.contacts.count + 1;
    Solved outside = solve_with(&p, options), inside = {0};
#pragma omp parallel num_threads(3)
    {
#pragma omp single
        inside = solve_with(&p, options);
    }
    assert_true(outside.report.converged && inside.report.converged);
    assert_int_equal(inside.report.iterations, outside.report.iterations);
    assert_memory_equal(inside.solution.impulses.data, outside.solution.impulses.data,
                        p.contacts.count * sizeof(ContactImpulse));
    contact_solution_free(&outside.solution);
    contact_solution_free(&inside.solution);
    contact_problem_free(&p);
}

static void test_threads_change_no_bit(void **state) {
    (void)state;
    int wanted = threads_wanted();
    for (int kind = 0; kind < 4; kind++) {
        ContactProblem p = {.law = kind == 3 ? CONTACT_COULOMB : CONTACT_RELAXED};
        scene_bed(&p, &(SceneBed){.nx = 9,
                                  .ny = 8,
                                  .nz = 8,
                                  .friction = 0.5,
                                  .rolling = kind == 1 ? 1e-5 : 0,
                                  .jitter = 0.03,
                                  .speed = 0.02,
                                  .ratio = 4,
                                  .step = 1e-4,
                                  .container = kind == 2,
                                  .container_mass = 0.1,
                                  .seed = 5});
        for (int k = 0; k < 2; k++) {
            ContactImpulse *first = NULL;
            size_t bytes = p.contacts.count * sizeof *first;
            for (int threads = 1; threads <= 3; threads++) {
                threads_set(threads);
                ContactOptions options = options_of(methods[k], 1e-6);
                options.parallel_contacts = 1;
                Solved r = solve_with(&p, options);
                if (threads == 1) {
                    first = malloc(bytes);
                    memcpy(first, r.solution.impulses.data, bytes);
                } else assert_memory_equal(first, r.solution.impulses.data, bytes);
                contact_solution_free(&r.solution);
            }
            free(first);
        }
        contact_problem_free(&p);
    }
    threads_set(wanted);
}

// The second step needs no new memory, and a warm start from the answer needs hardly any work.
static void test_warm_start(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        ContactProblem p = {0};
        ContactSolution s = {0};
        ContactReport cold, warm;
        MrcError error;
        ContactWorkspace *workspace = contact_workspace_create();
        ContactOptions options = options_of(methods[k], 1e-7), tight = options_of(methods[k], 1e-9);
        scene_bed(&p, &(SceneBed){.nx = 5,
                                  .ny = 5,
                                  .nz = 5,
                                  .friction = 0.5,
                                  .jitter = 0.03,
                                  .speed = 0.02,
                                  .ratio = 1,
                                  .step = 1e-4,
                                  .container = 1,
                                  .container_mass = 0.05,
                                  .seed = 5});
        assert_int_equal(contact_solve(&p, &tight, workspace, &s, &cold, &error), MRC_OK);
        size_t before = mallinfo2().uordblks;
        assert_int_equal(contact_solve(&p, &options, workspace, &s, &warm, &error), MRC_OK);
        assert_int_equal(mallinfo2().uordblks, before);
        assert_true(cold.converged && warm.converged);
        assert_true(cold.iterations > 20 && warm.iterations <= 5);
        options.warm = false;
        assert_int_equal(contact_solve(&p, &options, workspace, &s, &cold, &error), MRC_OK);
        assert_true(cold.iterations > 10);
        contact_workspace_destroy(workspace);
        contact_solution_free(&s);
        contact_problem_free(&p);
    }
}

static void test_history(void **state) {
    (void)state;
    ContactProblem p = {0};
    scene_column(&p, 20, 1, 0.3, 1e-3);
    ContactOptions options = options_of(CONTACT_NSGS, 1e-8);
    Solved r = solve_with(&p, options);
    assert_true(r.report.iterations > CONTACT_HISTORY); // so that the list was thinned
    assert_in_range(r.report.history_count, CONTACT_HISTORY / 2, CONTACT_HISTORY);
    for (int k = 1; k < r.report.history_count; k++)
        assert_true(r.report.history_iteration[k] > r.report.history_iteration[k - 1]);
    assert_int_equal(r.report.history_iteration[r.report.history_count - 1], r.report.iterations);
    assert_true(r.report.seconds >= 0);
    contact_solution_free(&r.solution);
    contact_problem_free(&p);
}

// ---- bad cases -----------------------------------------------------------------------------------
static void test_nothing_to_do(void **state) {
    (void)state;
    for (int k = 0; k < method_count; k++) {
        ContactProblem p = {0};
        Solved r = solve(&p, methods[k]); // no bodies
        contact_solution_free(&r.solution);
        scene_sphere(&p, 1, 0.1, scene_velocity(1, 2, 3));
        r = solve(&p, methods[k]); // no contacts
        check_vec3_near(r.solution.velocity.data[0].linear, vec3(1, 2, 3), 0);
        contact_solution_free(&r.solution);
        p.free_velocity.data[0] = scene_still(); // at rest, touching: nothing to do even for a warm start
        contact_problem_add_contact(&p,
                                    (ContactPoint){.a = -1, .b = 0, .normal = {0, 0, 1}, .friction = 0.3});
        ContactWorkspace *workspace = contact_workspace_create();
        ContactOptions options = options_of(methods[k], 1e-8);
        ContactSolution pushed = {0};
        MrcError error;
        assert_int_equal(contact_solution_fit(&pushed, &p, &error), MRC_OK);
        pushed.impulses.data[0].linear.z = 1;
        assert_int_equal(contact_solve(&p, &options, workspace, &pushed, &r.report, &error), MRC_OK);
        assert_true(r.report.converged);
        check_vec3_near(pushed.velocity.data[0].linear, vec3(0, 0, 0), 0);
        contact_workspace_destroy(workspace);
        contact_solution_free(&pushed);
        p.contacts.count = 0;
        p.free_velocity.data[0] = scene_velocity(1, 2, 3);
        contact_problem_add_body(&p, 0, 0,
                                 scene_velocity(0, 0, 5)); // two that cannot move, running into each other
        contact_problem_add_contact(&p,
                                    (ContactPoint){.a = -1, .b = 1, .normal = {0, 0, -1}, .friction = 0.3});
        contact_problem_add_contact(&p,
                                    (ContactPoint){.a = -1, .b = 0, .normal = {0, 0, 1}, .friction = 0.3});
        contact_problem_add_row(&p, (ContactRow){.a = -1, .b = 1, .jacobian_b = {{0, 0, 1}, {0, 0, 0}}});
        r = solve(&p, methods[k]);
        assert_int_equal(r.report.ignored, 2);
        check_vec3_near(r.solution.impulses.data[0].linear, vec3(0, 0, 0), 0);
        check_vec3_near(r.solution.velocity.data[0].linear, vec3(1, 2, 3), 1e-7);
        contact_solution_free(&r.solution);
        contact_problem_free(&p);
    }
}

// No friction, hardly any, and far too much of it: first-order methods agree on what the container feels. The
// interior point method is not asked: in a jammed bed impulses are not bounded, and it goes for their middle.
static void test_extreme_friction(void **state) {
    (void)state;
    const double frictions[] = {0, 1e-6, 10, 1000};
    for (int i = 0; i < 4; i++) {
        Vec3 first = {0, 0, 0};
        for (int k = 0; k < 2; k++) {
            ContactProblem p = {0};
            scene_bed(&p, &(SceneBed){.nx = 3,
                                      .ny = 3,
                                      .nz = 3,
                                      .friction = frictions[i],
                                      .jitter = 0.03,
                                      .speed = 0.02,
                                      .ratio = 1,
                                      .step = 1e-4,
                                      .seed = 5});
            ContactOptions options = options_of(methods[k], 1e-6);
            Solved r = solve_with(&p, options);
            assert_true(r.report.converged);
            Twist load = contact_problem_load_on(&p, r.solution.impulses.data, 0);
            if (k == 0) first = load.linear;
            check_vec3_near(load.linear, first, 1e-3 * vec3_norm(first));
            contact_solution_free(&r.solution);
            p.law = CONTACT_COULOMB;
            options.method = CONTACT_AUTO;
            r = solve_with(&p, options);
            assert_true(r.report.converged);
            contact_solution_free(&r.solution);
            contact_problem_free(&p);
        }
    }
}

// A sphere squeezed by two walls that move towards each other: nothing satisfies that. Every method ends
// within its caps, says so, and returns finite numbers.
static void test_impossible(void **state) {
    (void)state;
    for (int law = 0; law < 2; law++)
        for (int k = 0; k < method_count; k++) {
            ContactProblem p = {.law = law ? CONTACT_COULOMB : CONTACT_RELAXED};
            double r = 0.1;
            scene_sphere(&p, 1, r, scene_velocity(0, 0, -0.1));
            for (int side = -1; side <= 1; side += 2) {
                int32_t wall = contact_problem_add_body(&p, 0, 0, scene_velocity(side, 0, 0));
                contact_problem_add_contact(&p, (ContactPoint){.a = wall,
                                                               .b = 0,
                                                               .normal = {side, 0, 0},
                                                               .arm_b = {-side * r, 0, 0},
                                                               .friction = 0.5});
            }
            ContactOptions options = options_of(methods[k], 1e-6);
            options.sweeps = 500, options.gradient_iterations = 500, options.outer_iterations = 20;
            Solved s = solve_with(&p, options);
            assert_false(s.report.converged);
            assert_true(s.report.residual.relative > 0.1);
            assert_true(s.report.iterations <= 500 + 500 + 20 * options.interior_iterations);
            assert_true(vec3_is_finite(s.solution.velocity.data[0].linear));
            contact_solution_free(&s.solution);
            contact_problem_free(&p);
        }
}

static void test_bad_numbers(void **state) {
    (void)state;
    for (int k = 0; k < method_count; k++) {
        ContactProblem p = {0};
        Solved s = {0};
        MrcError error;
        ContactWorkspace *workspace = contact_workspace_create();
        ContactOptions options = options_of(methods[k], 1e-6);
        scene_wedge(&p, 0.3, 0.2, scene_velocity(0, NAN, -1));
        assert_int_equal(contact_solve(&p, &options, workspace, &s.solution, &s.report, &error),
                         MRC_NOT_FINITE);
        p.free_velocity.data[0].linear.y = 0;
        assert_int_equal(contact_solve(&p, &options, workspace, &s.solution, &s.report, &error), MRC_OK);
        s.solution.impulses.data[1].linear.x = INFINITY; // a warm start that is broken
        assert_int_equal(contact_solve(&p, &options, workspace, &s.solution, &s.report, &error),
                         MRC_NOT_FINITE);
        contact_workspace_destroy(workspace);
        contact_solution_free(&s.solution);
        contact_problem_free(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_on_incline),
        cmocka_unit_test(test_sphere_on_incline),
        cmocka_unit_test(test_rolling_friction),
        cmocka_unit_test(test_spinning_friction),
        cmocka_unit_test(test_column),
        cmocka_unit_test(test_wedge),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_prescribed_motion),
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_alone_in_a_team),
        cmocka_unit_test(test_threads_change_no_bit),
        cmocka_unit_test(test_warm_start),
        cmocka_unit_test(test_history),
        cmocka_unit_test(test_nothing_to_do),
        cmocka_unit_test(test_extreme_friction),
        cmocka_unit_test(test_impossible),
        cmocka_unit_test(test_bad_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
