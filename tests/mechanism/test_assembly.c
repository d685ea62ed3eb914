// Closing joints, finding those that repeat or contradict each other, static equilibrium, freedoms without
// mass.
#include "mechanism/parts.h"

static const Vec3 gravity = {0, 0, -9.81};

static MrcStatus try_create(const MechanismDefinition *definition, MrcStatus (*more)(Builder *, MrcError *),
                            MrcError *error) {
    MechanismSetting setting = {.gravity = gravity};
    Mechanism *m;
    MrcStatus status = mechanism_create_with(definition, &setting, more, &m, error);
    mechanism_destroy(m);
    return status;
}

// ---- assembly ----------------------------------------------------------------------------------------------
static MrcStatus hang_two(Builder *builder, MrcError *error) {
    (void)error;
    add_ball(builder, "pivot", -1, vec3_zero(), 0, vec3(-0.4, 0, 0));
    add_ball(builder, "elbow", 0, vec3(0.3, 0, 0), 1, vec3(-0.25, 0.1, 0));
    return MRC_OK;
}

static void ill_placed_bodies_are_moved_least(void **state) {
    (void)state;
    BodyDefinition bodies[] = {{.name = "upper",
                                .mass = 1,
                                .inertia = {1, 1, 1},
                                .pose = {.position = {0.42, 0.01, 0}, .velocity = {1, 0, 0}}},
                               {.name = "lower",
                                .mass = 1,
                                .inertia = {1, 1, 1},
                                .pose = {.position = {0.9, -0.1, 0.03}, .axis = {0, 0, 1}, .angle = 0.05}}};
    MechanismDefinition definition = {.integrator = integrator(0.6, 1e-6), .bodies = bodies, .body_count = 2};
    Mechanism *m = must_create(&definition, gravity, hang_two);
    assert_true(mechanism_counts(m).violation < 1e-12);
    const MechanismAssembly *assembly = mechanism_assembly(m);
    assert_true(assembly->moved > 1e-3 && assembly->moved < 0.1 && assembly->turned < 0.2);
    assert_non_null(assembly->node);
    assert_true(assembly->velocity > 0.1);
    double rate[6];
    mech_rates(m, m->now, 0, rate, NULL);
    for (int i = 0; i < 6; i++) check_near(rate[i], 0, 1e-13);
    // The smallest change: moving along the constraints does not make it smaller. Directions along them are
    // those that the projection leaves alone; here the free turn of each body about its joints.
    double least = 0, L = m->length;
    Random random = {5};
    for (int trial = -1; trial < 30; trial++) {
        if (trial >= 0)
            for (int n = 0; n < 2; n++) {
                double d[6];
                for (int k = 0; k < 6; k++) d[k] = 1e-3 * random_normal(&random);
                m->now.nodes[n] = m->start.nodes[n];
                node_displace(&m->now.nodes[n], d);
            }
        // back to the joints, by the shortest way from there
        NodeState *kept = m->builder.nodes;
        if (trial >= 0) {
            NodeState near[2] = {m->now.nodes[0], m->now.nodes[1]};
            m->builder.nodes = near;
            MrcError error;
            must(mech_assemble(m, &error), &error);
            m->builder.nodes = kept;
        }
        double sum = 0;
        for (int n = 0; n < 2; n++) {
            Vec3 turn = so3_log(mat3_mul(m->now.nodes[n].R, mat3_transpose(kept[n].R)));
            sum += vec3_norm2(vec3_sub(m->now.nodes[n].x, kept[n].x)) + L * L * vec3_norm2(turn);
        }
        if (trial < 0) least = sum;
        else assert_true(sum > least * (1 - 1e-6));
    }
    mechanism_destroy(m);
}

static void well_placed_bodies_are_not_moved(void **state) {
    (void)state;
    BodyDefinition bodies[] = {
        {.name = "upper", .mass = 1, .inertia = {1, 1, 1}, .pose = {.position = {0.4, 0, 0}}},
        {.name = "lower", .mass = 1, .inertia = {1, 1, 1}, .pose = {.position = {0.95, -0.1, 0}}}};
    MechanismDefinition definition = {.integrator = integrator(0.6, 1e-6), .bodies = bodies, .body_count = 2};
    Mechanism *m = must_create(&definition, gravity, hang_two);
    assert_true(mechanism_assembly(m)->moved < 1e-15 && mechanism_assembly(m)->velocity == 0);
    mechanism_destroy(m);
}

// ---- redundancy --------------------------------------------------------------------------------------------
static double second_point;
static MrcStatus hang_twice(Builder *builder, MrcError *error) { // one body, three balls: 9 constraints
    (void)error;
    add_ball(builder, "left", -1, vec3_zero(), 0, vec3_zero());
    add_ball(builder, "right", -1, vec3(1, 0, 0), 0, vec3(second_point, 0, 0));
    return MRC_OK;
}

static void two_balls_on_one_body_repeat_each_other(void **state) {
    (void)state;
    BodyDefinition body = {.name = "bar", .mass = 1, .inertia = {1, 1, 1}};
    MechanismDefinition definition = {.integrator = integrator(0.6, 1e-6), .bodies = &body, .body_count = 1};
    MrcError error = {0};
    second_point = 1;
    assert_int_equal(try_create(&definition, hang_twice, &error), MRC_MODEL);
    assert_non_null(strstr(error.text, "over-constrained"));
    assert_non_null(strstr(error.text, "'right'"));
    assert_non_null(strstr(error.text, "'left'"));
    assert_non_null(strstr(error.text, "1 of the 3"));
    second_point = 1.1; // does not fit
    assert_int_equal(try_create(&definition, hang_twice, &error), MRC_MODEL);
    assert_non_null(strstr(error.text, "contradicts"));
    assert_non_null(strstr(error.text, "0.1 m"));
}

static MrcStatus too_far(Builder *builder, MrcError *error) { // two bars cannot span 5 m
    (void)error;
    add_ball(builder, "left", -1, vec3_zero(), 0, vec3_zero());
    add_ball(builder, "elbow", 0, vec3(1, 0, 0), 1, vec3_zero());
    add_ball(builder, "right", -1, vec3(5, 0, 0), 1, vec3(1, 0, 0));
    return MRC_OK;
}

static void joints_that_cannot_be_closed_are_named(void **state) {
    (void)state;
    BodyDefinition bodies[] = {
        {.name = "a", .mass = 1, .inertia = {1, 1, 1}, .pose = {.axis = {0, 0, 1}, .angle = 0.5}},
        {.name = "b",
         .mass = 1,
         .inertia = {1, 1, 1},
         .pose = {.position = {0.9, 0.5, 0}, .axis = {0, 0, 1}, .angle = -0.5}}};
    MechanismDefinition definition = {.integrator = integrator(0.6, 1e-6), .bodies = bodies, .body_count = 2};
    MrcError error = {0};
    assert_int_equal(try_create(&definition, too_far, &error), MRC_MODEL);
    assert_true(strstr(error.text, "stays open") || strstr(error.text, "contradicts"));
}

// ---- equilibrium -------------------------------------------------------------------------------------------
static MrcStatus hang_sprung(Builder *builder, MrcError *error) {
    add_anchor(builder, 1, vec3(40, 0, 0), vec3_zero());
    return hang_two(builder, error);
}

// A double pendulum placed almost upright settles hanging, drawn aside by a spring: all forces balance, and
// the energy is a minimum.
static void equilibrium_is_where_forces_balance(void **state) {
    (void)state;
    BodyDefinition bodies[] = {{.name = "upper",
                                .mass = 1.2,
                                .inertia = {0.01, 0.03, 0.02},
                                .center = {0.1, 0, 0},
                                .pose = {.position = {0.1, 0, 0.39}, .axis = {0, -1, 0}, .angle = 1.3}},
                               {.name = "lower",
                                .mass = 0.8,
                                .inertia = {0.02, 0.01, 0.03},
                                .pose = {.position = {0.3, -0.1, 0.9}, .axis = {0, -1, 0}, .angle = 1.1}}};
    MechanismDefinition definition = {
        .integrator = integrator(0.6, 1e-8), .bodies = bodies, .body_count = 2, .start = START_EQUILIBRIUM};
    Mechanism *m = must_create(&definition, gravity, hang_sprung);
    assert_true(mechanism_assembly(m)->equilibrium_moved > 0.3);
    for (int n = 0; n < 2; n++) {
        check_vec3_near(mechanism_node(m, n)->a, vec3_zero(), 1e-6);
        check_vec3_near(mechanism_node(m, n)->alpha, vec3_zero(), 1e-6);
        assert_true(mechanism_node(m, n)->x.z < 0); // hanging
    }
    NodeState before = *mechanism_node(m, 1);
    for (int n = 0; n < 1000; n++) step(m, 1e-3, NULL);
    check_vec3_near(mechanism_node(m, 1)->x, before.x, 1e-7);
    mechanism_destroy(m);
}

static void falling_body_has_no_equilibrium(void **state) {
    (void)state;
    BodyDefinition body = {.name = "stone", .mass = 1, .inertia = {1, 1, 1}};
    MechanismDefinition definition = {
        .integrator = integrator(0.6, 1e-6), .bodies = &body, .body_count = 1, .start = START_EQUILIBRIUM};
    MrcError error = {0};
    assert_int_equal(try_create(&definition, NULL, &error), MRC_MODEL);
    assert_non_null(strstr(error.text, "'stone'"));
}

// ---- freedoms without mass -----------------------------------------------------------------------------------
// A bob on a string of two massless nodes joined by balls: rods without mass. It must swing as the pendulum
// of the whole length, and the pull must go through the nodes.
static MrcStatus hang_by_massless(Builder *builder, MrcError *error) {
    (void)error;
    NodeState rod = node_ground;
    rod.x = vec3(0.25, 0, 0);
    int node = builder_add_node(builder, "rod", &rod);
    add_ball(builder, "pivot", -1, vec3_zero(), node, vec3(-0.25, 0, 0));
    add_ball(builder, "hook", node, vec3(0.25, 0, 0), 0, vec3_zero());
    return MRC_OK;
}

static void rod_without_mass_passes_forces_on(void **state) {
    (void)state;
    double rhos[] = {0, 0.6, 1}, l = 0.5, mass = 1.4;
    for (int c = 0; c < 3; c++) {
        BodyDefinition body = {.name = "bob", .mass = mass, .pose = {.position = {l, 0, 0}}}; // a point
        MechanismDefinition definition = {
            .integrator = integrator(rhos[c], 1e-8), .bodies = &body, .body_count = 1};
        Mechanism *m = must_create(&definition, gravity, hang_by_massless);
        double h = 2e-4, y = 0, w = 0, worst = 0, pull = 0;
        for (int n = 0; n < 3000; n++) {
            step(m, h, NULL);
            for (int i = 0; i < 10; i++) { // midpoint rule, ten times finer
                double s = h / 10, half = y + 0.5 * s * w, wh = w + 0.5 * s * 9.81 / l * cos(y);
                y += s * wh, w += s * 9.81 / l * cos(half);
            }
            const NodeState *bob = mechanism_node(m, 0);
            worst = fmax(worst, vec3_norm(vec3_sub(bob->x, vec3(l * cos(y), 0, -l * sin(y)))));
            double expected = mass * (w * w * l + 9.81 * sin(y));
            Load load = mechanism_reaction(m, mechanism_find_joint(m, "pivot"));
            pull = fmax(pull, fabs(vec3_norm(load.force) - fabs(expected)));
        }
        assert_true(worst < 2e-4);
        assert_true(pull < 5e-3 * mass * 9.81 * 3);
        assert_true(mechanism_counts(m).violation < 1e-9);
        mechanism_destroy(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ill_placed_bodies_are_moved_least),
        cmocka_unit_test(well_placed_bodies_are_not_moved),
        cmocka_unit_test(two_balls_on_one_body_repeat_each_other),
        cmocka_unit_test(joints_that_cannot_be_closed_are_named),
        cmocka_unit_test(equilibrium_is_where_forces_balance),
        cmocka_unit_test(falling_body_has_no_equilibrium),
        cmocka_unit_test(rod_without_mass_passes_forces_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
