// The verbs of a step: repeating, forgetting, saving and resuming; steps of changing length; smaller steps
// when Newton fails, and the error when that does not help; the ledger.
#include "base/archive.h"
#include "mechanism/parts.h"

static const Vec3 gravity = {0, 0, -9.81};

static MrcStatus hang_two(Builder *builder, MrcError *error) {
    (void)error;
    add_ball(builder, "pivot", -1, vec3_zero(), 0, vec3(-0.4, 0, 0));
    add_ball(builder, "elbow", 0, vec3(0.3, 0, 0), 1, vec3(-0.25, 0.1, 0));
    add_anchor(builder, 1, vec3(30, 20, 10), vec3(0.5, 0.2, 0.1));
    return MRC_OK;
}

static BodyDefinition two_bodies[] = {
    {.name = "upper",
     .mass = 1.2,
     .inertia = {0.01, 0.03, 0.025, 0.002, 0.001, -0.003},
     .center = {0.05, 0.02, 0},
     .pose = {.position = {0.4, 0, 0}}},
    {.name = "lower", .mass = 0.8, .inertia = {0.02, 0.01, 0.022}, .pose = {.position = {0.95, -0.1, 0}}}};

static MechanismDefinition arm(double rho, double tolerance) {
    return (MechanismDefinition){
        .integrator = integrator(rho, tolerance), .bodies = two_bodies, .body_count = 2};
}

static Mechanism *create_arm(const MechanismDefinition *definition, int *port) {
    MrcError error;
    Mechanism *m = must_create(definition, gravity, hang_two);
    must(mechanism_add_port(m, 1, vec3(0.1, 0.05, -0.02), quaternion_identity(), port, &error), &error);
    return m;
}

static Load load_at(int n) {
    return (Load){vec3(sin(0.1 * n), 0.5 * cos(0.07 * n), 0.2), vec3(0, 0.1 * sin(0.3 * n), 0)};
}

static void check_same(const Mechanism *a, const Mechanism *b) {
    for (int n = 0; n < 2; n++)
        assert_memory_equal(mechanism_node(a, n), mechanism_node(b, n), sizeof(NodeState));
    assert_memory_equal(a->now.lambda, b->now.lambda, sizeof(double) * (size_t)a->multiplier_count);
}

// ---- going back --------------------------------------------------------------------------------------------
static void restored_state_goes_on_bit_by_bit(void **state) {
    (void)state;
    MechanismDefinition definition = arm(0.6, 1e-6);
    int port;
    Mechanism *a = create_arm(&definition, &port), *b = create_arm(&definition, &port);
    void *saved = malloc(mechanism_state_size(a));
    for (int n = 0; n < 400; n++) {
        Load load = load_at(n);
        if (n == 150) mechanism_save(a, saved);
        step(a, 1e-3, &load);
        step(b, 1e-3, &load);
    }
    check_same(a, b);
    for (int n = 0; n < 50; n++) step(a, 2.3e-3, NULL); // somewhere else, with other factors
    mechanism_restore(a, saved);
    for (int n = 150; n < 400; n++) {
        Load load = load_at(n);
        step(a, 1e-3, &load);
    }
    check_same(a, b);
    assert_true(mechanism_time(a) == mechanism_time(b));
    free(saved);
    mechanism_destroy(a);
    mechanism_destroy(b);
}

static void resumed_run_goes_on_bit_by_bit(void **state) {
    (void)state;
    MechanismDefinition definition = arm(0.3, 1e-7);
    int port;
    Mechanism *a = create_arm(&definition, &port);
    Archive *archive = archive_memory_create();
    for (int n = 0; n < 300; n++) {
        Load load = load_at(n);
        if (n == 120) {
            archive_memory_save(archive);
            mechanism_archive(a, archive);
        }
        step(a, 1e-3, &load);
    }
    Mechanism *b = create_arm(&definition, &port);
    archive_memory_load(archive);
    mechanism_archive(b, archive);
    MrcError error;
    must(archive_status(archive, &error), &error);
    for (int n = 120; n < 300; n++) {
        Load load = load_at(n);
        step(b, 1e-3, &load);
    }
    check_same(a, b);
    assert_int_equal(mechanism_counts(a).steps, mechanism_counts(b).steps);
    archive_destroy(archive);
    mechanism_destroy(a);
    mechanism_destroy(b);
}

// Steps that are begun and not committed leave no trace but in the last digits that Newton leaves open.
static void forgotten_steps_leave_no_trace(void **state) {
    (void)state;
    MechanismDefinition definition = arm(0.6, 1e-10);
    int port;
    Mechanism *a = create_arm(&definition, &port), *b = create_arm(&definition, &port);
    MrcError error;
    double Y[36];
    for (int n = 0; n < 100; n++) {
        Load load = load_at(n), other = {vec3(30, -20, 10), vec3(1, 2, 3)};
        step(a, 1e-3, &load);
        must(mechanism_begin(b, 1.7e-3, &error), &error);
        must(mechanism_advance(b, &other, &error), &error);
        must(mechanism_mobility(b, 1, Y, &error), &error);
        must(mechanism_impulse(b, &other, NULL, NULL, &error), &error);
        must(mechanism_begin(b, 1e-3, &error), &error);
        must(mechanism_advance(b, &other, &error), &error);
        must(mechanism_advance(b, &load, &error), &error);
        must(mechanism_commit(b, &error), &error);
    }
    for (int n = 0; n < 2; n++) {
        check_vec3_near(mechanism_node(a, n)->x, mechanism_node(b, n)->x, 1e-9);
        check_vec3_near(mechanism_node(a, n)->w, mechanism_node(b, n)->w, 1e-8);
    }
    check_near(mechanism_ledger(a).port_work, mechanism_ledger(b).port_work, 1e-8);
    mechanism_destroy(a);
    mechanism_destroy(b);
}

// Newton's iterations one by one end where advance does.
static void iterating_equals_advancing(void **state) {
    (void)state;
    MechanismDefinition definition = arm(0.6, 1e-10);
    int port;
    Mechanism *a = create_arm(&definition, &port), *b = create_arm(&definition, &port);
    MrcError error;
    for (int n = 0; n < 100; n++) {
        Load load = load_at(n);
        double left = 2;
        step(a, 1e-3, &load);
        must(mechanism_begin(b, 1e-3, &error), &error);
        for (int k = 0; left > 1; k++) {
            assert_true(k < 20);
            must(mechanism_iterate(b, &load, &left, &error), &error);
        }
        must(mechanism_commit(b, &error), &error);
    }
    for (int n = 0; n < 2; n++) {
        check_vec3_near(mechanism_node(a, n)->x, mechanism_node(b, n)->x, 1e-9);
        check_vec3_near(mechanism_node(a, n)->a, mechanism_node(b, n)->a, 1e-6);
    }
    mechanism_destroy(a);
    mechanism_destroy(b);
}

// ---- steps of changing length --------------------------------------------------------------------------------
// A sequence of steps of lengths 1, 0.6, 1.4, 0.3, 1.7 (mean 1) is of second order, too.
static Vec3 end_of_uneven_run(double rho, double h) {
    MechanismDefinition definition = arm(rho, 1e-11);
    const double lengths[] = {1, 0.6, 1.4, 0.3, 1.7};
    Mechanism *m = must_create(&definition, gravity, hang_two);
    for (int n = 0; n < (int)round(0.4 / h); n++) step(m, h * lengths[n % 5], NULL);
    Vec3 x = vec3_madd(mechanism_node(m, 1)->x, 0.1, mechanism_node(m, 1)->v);
    mechanism_destroy(m);
    return x;
}

static void uneven_steps_are_of_second_order(void **state) {
    (void)state;
    const double rhos[] = {0, 0.6, 1};
    for (int r = 0; r < 3; r++) {
        Vec3 x[3];
        for (int k = 0; k < 3; k++) x[k] = end_of_uneven_run(rhos[r], 1e-3 / (1 << k));
        double coarse = vec3_norm(vec3_sub(x[0], x[1])), fine = vec3_norm(vec3_sub(x[1], x[2]));
        check_near(log2(coarse / fine), 2, 0.25);
    }
}

// ---- when Newton fails -------------------------------------------------------------------------------------------
// Three iterations a step are too few for steps of this length: many are walked in parts, beside a
// spring that is much too stiff for them. The motion is that of short steps, and nothing grows.
static MrcStatus hang_two_stiffly(Builder *builder, MrcError *error) {
    (void)error;
    add_ball(builder, "pivot", -1, vec3_zero(), 0, vec3(-0.4, 0, 0));
    add_ball(builder, "elbow", 0, vec3(0.3, 0, 0), 1, vec3(-0.25, 0.1, 0));
    Anchor anchor = {.k = {0, 1e7, 0}, .c = {0.5, 0.2, 0.1}, .from = {0, -0.1, 0}};
    builder_add_element(builder, &anchor_kind, "anchor", &anchor, sizeof anchor, 1, (int[]){1}, 0, 0);
    return MRC_OK;
}

static void hard_steps_are_walked_in_parts(void **state) {
    (void)state;
    MechanismDefinition strict = arm(0.6, 1e-9), easy = arm(0.6, 1e-9);
    strict.integrator.iterations = 3;
    Mechanism *a = must_create(&strict, gravity, hang_two_stiffly);
    Mechanism *b = must_create(&easy, gravity, hang_two_stiffly);
    double h = 8e-3;
    int steps = 75;
    ElementEnergy start = mechanism_energy(a);
    for (int n = 0; n < steps; n++) step(a, h, NULL);
    for (int n = 0; n < 40 * steps; n++) step(b, h / 40, NULL);
    assert_true(mechanism_counts(a).retries > steps / 3);
    assert_int_equal(mechanism_counts(a).steps, steps);
    check_near(mechanism_time(a), steps * h, 1e-12);
    check_vec3_near(mechanism_node(a, 1)->x, mechanism_node(b, 1)->x, 1e-3);
    ElementEnergy end = mechanism_energy(a);
    assert_true(end.kinetic + end.potential + end.elastic <
                start.kinetic + start.potential + start.elastic + 0.02);
    assert_true(mechanism_counts(a).violation < 1e-8);
    mechanism_destroy(a);
    mechanism_destroy(b);
}

static void bomb_residual(const Element *element, const ElementInput *in, double *r) {
    (void)element;
    for (int i = 0; i < 6; i++) r[i] = in->t > 0.0105 ? NAN : 0;
}
static void bomb_jacobian(const Element *element, const ElementInput *in, double cm, double cc, double ck,
                          double *J) {
    (void)element, (void)in, (void)cm, (void)cc, (void)ck, (void)J;
}
static const ElementKind bomb_kind = {.name = "bomb", .residual = bomb_residual, .jacobian = bomb_jacobian};
static MrcStatus add_bomb(Builder *builder, MrcError *error) {
    builder_add_element(builder, &bomb_kind, "bomb", "", 1, 1, (int[]){1}, 0, 0);
    return hang_two(builder, error);
}

static void hopeless_step_says_where(void **state) {
    (void)state;
    MechanismDefinition definition = arm(0.6, 1e-6);
    Mechanism *m = must_create(&definition, gravity, add_bomb);
    MrcError error = {0};
    for (int n = 0; n < 10; n++) step(m, 1e-3, NULL);
    must(mechanism_begin(m, 1e-3, &error), &error);
    assert_int_equal(mechanism_advance(m, NULL, &error), MRC_NOT_CONVERGED);
    assert_non_null(strstr(error.text, "t = 0.01 s"));
    assert_non_null(strstr(error.text, "what bomb 'bomb' exerts"));
    assert_non_null(strstr(error.text, "not a number"));
    mechanism_destroy(m);
}

// Two bars whose ends are driven apart: stretched out, they block.
static MrcStatus pull_apart(Builder *builder, MrcError *error) {
    (void)error;
    add_ball(builder, "left", -1, vec3_zero(), 0, vec3(-0.5, 0, 0));
    add_ball(builder, "elbow", 0, vec3(0.5, 0, 0), 1, vec3(-0.5, 0, 0));
    Ball ball = {{vec3(1.2, 0, 0), vec3(0.5, 0, 0)}, vec3(1, 0, 0)};
    builder_add_element(builder, &ball_kind, "right", &ball, sizeof ball, 2, (int[]){-1, 1}, 3, 0);
    return MRC_OK;
}

static void blocked_mechanism_names_its_joints(void **state) {
    (void)state;
    double angle = acos(0.6);
    BodyDefinition bodies[] = {{.name = "a",
                                .mass = 1,
                                .inertia = {0.1, 0.1, 0.1},
                                .pose = {.position = {0.3, 0.4, 0}, .axis = {0, 0, 1}, .angle = angle}},
                               {.name = "b",
                                .mass = 1,
                                .inertia = {0.1, 0.1, 0.1},
                                .pose = {.position = {0.9, 0.4, 0}, .axis = {0, 0, 1}, .angle = -angle}}};
    MechanismDefinition definition = {.integrator = integrator(0.6, 1e-6), .bodies = bodies, .body_count = 2};
    Mechanism *m = must_create(&definition, vec3_zero(), pull_apart);
    MrcError error = {0};
    MrcStatus status = MRC_OK;
    for (int n = 0; n < 2000 && status == MRC_OK; n++) {
        must(mechanism_begin(m, 1e-3, &error), &error);
        status = mechanism_advance(m, NULL, &error);
        if (status == MRC_OK) status = mechanism_commit(m, &error);
    }
    assert_int_equal(status, MRC_NOT_CONVERGED);
    check_near(mechanism_time(m), 0.8, 2e-3);
    assert_true(mechanism_counts(m).violation < 1e-8);
    assert_non_null(strstr(error.text, "singular position"));
    assert_non_null(strstr(error.text, "'right'"));
    assert_non_null(strstr(error.text, "'elbow'"));
    mechanism_destroy(m);
}

// ---- memory -----------------------------------------------------------------------------------------------------
static int klu_allocations;
static void *counting_malloc(size_t size) {
    klu_allocations++;
    return malloc(size);
}

// Steps take no memory (what the mechanism itself has is taken when it is created; this watches the sparse
// solver).
static void steps_take_no_memory(void **state) {
    (void)state;
    MechanismDefinition definition = arm(0.6, 1e-7);
    int port;
    Mechanism *m = create_arm(&definition, &port);
    for (int n = 0; n < 20; n++) step(m, 1e-3, NULL);
    void *(*before)(size_t) = SuiteSparse_config.malloc_func;
    SuiteSparse_config.malloc_func = counting_malloc;
    klu_allocations = 0;
    for (int n = 0; n < 3000; n++) step(m, 1e-3, NULL);
    SuiteSparse_config.malloc_func = before;
    assert_true(mechanism_counts(m).factorizations > 100);
    assert_int_equal(klu_allocations, 0);
    mechanism_destroy(m);
}

// ---- ledger ----------------------------------------------------------------------------------------------------
static void ledger_closes(void **state) {
    (void)state;
    double missing[2];
    for (int fine = 0; fine < 2; fine++) {
        MechanismDefinition definition = arm(1, 1e-9);
        int port;
        Mechanism *m = create_arm(&definition, &port);
        double h = fine ? 2.5e-4 : 5e-4;
        for (int n = 1; n <= (int)round(0.5 / h); n++) {
            double t = n * h;
            Load load = {vec3(3 * sin(9 * t), 2 * t, 0.2), vec3(0, 0.3 * sin(30 * t), 0)};
            step(m, h, &load);
        }
        MechanismLedger ledger = mechanism_ledger(m);
        assert_true(fabs(ledger.port_work) > 0.05 && ledger.dissipated > 0.05);
        missing[fine] = fabs(ledger.algorithmic);
        mechanism_destroy(m);
    }
    assert_true(missing[1] < 2e-4);
    assert_true(missing[1] < 0.35 * missing[0]); // second order: 0.25
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restored_state_goes_on_bit_by_bit),
        cmocka_unit_test(resumed_run_goes_on_bit_by_bit),
        cmocka_unit_test(forgotten_steps_leave_no_trace),
        cmocka_unit_test(iterating_equals_advancing),
        cmocka_unit_test(uneven_steps_are_of_second_order),
        cmocka_unit_test(hard_steps_are_walked_in_parts),
        cmocka_unit_test(hopeless_step_says_where),
        cmocka_unit_test(ledger_closes),
        cmocka_unit_test(blocked_mechanism_names_its_joints),
        cmocka_unit_test(steps_take_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
