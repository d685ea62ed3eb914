// Forces, springs, torsion springs and bushings.
// NSCD is doi:10.1007/s11044-019-09721-0.
#include <stdio.h>
#include <stdlib.h>

#include "element_check.h"
#include "mechanism/compliance.h"

static const double pi = 3.14159265358979323846;

// ---- forces ----------------------------------------------------------------------------------------
// Signals of nodes a, b, c: a.x ... a.wz, b.x ...
enum { COMPONENTS = 12 };
static const char *const components[COMPONENTS] = {"x",  "y",  "z",  "rx", "ry", "rz",
                                                   "vx", "vy", "vz", "wx", "wy", "wz"};
typedef struct Scope {
    char names[10 * COMPONENTS][8];
    ExpressionSignal expressions[10 * COMPONENTS];
    NodeSignal nodes[10 * COMPONENTS];
    ExpressionScope scope;
} Scope;

static void open_scope(Scope *scope, Site *site) {
    for (int n = 0; n < site->builder.node_count; n++)
        for (int c = 0; c < COMPONENTS; c++) {
            int i = n * COMPONENTS + c;
            snprintf(scope->names[i], sizeof scope->names[i], "%s.%s", site->builder.node_names[n],
                     components[c]);
            scope->expressions[i] = (ExpressionSignal){scope->names[i], DIM_NUMBER};
            scope->nodes[i] = (NodeSignal){site->builder.node_names[n], c};
        }
    int count = site->builder.node_count * COMPONENTS;
    scope->scope = (ExpressionScope){.signals = scope->expressions, .signal_count = (size_t)count};
    site->definition.signals = scope->nodes;
    site->definition.signal_count = count;
}

static Expression *compile(Site *site, const Scope *scope, const char *text) {
    ExpressionError error = {0};
    Expression *expression =
        expression_compile(site->builder.arena, text, scope ? &scope->scope : NULL, &error);
    if (!expression) fail_msg("'%s': %s", text, error.text);
    return expression;
}

static void test_force_jacobians(void **state) {
    (void)state;
    static const char *const texts[][6] = {
        {"3", "-2*t", "0.5", NULL, NULL, "4"},                           // given in time
        {"-7*(a.x - 0.2)", "-3*a.y - 0.4*a.vy", NULL, NULL, NULL, NULL}, // spring and damper on itself
        {"-7*(b.x - a.x)^3", "sin(b.vy)*a.z", "c.y*b.wz", "a.rx*c.rz", "-2*a.wx", "b.ry^2*t"},
        {"b.rx*b.ry", "a.rx + a.ry*a.rz", "a.vx*a.vy*a.vz", "a.wx*a.wy", "exp(-c.x^2)", NULL},
    };
    enum { COUNT = 2 * sizeof texts / sizeof *texts };
    Site site = {0};
    static Scope scope;
    ForceDefinition forces[COUNT] = {0};
    site_open(&site, 3, 31);
    open_scope(&scope, &site);
    for (int i = 0; i < COUNT; i++) {
        forces[i] =
            (ForceDefinition){.name = "f", .at = "a", .offset = {0.4, -0.3, 0.7}, .follower = i % 2 == 1};
        for (int k = 0; k < 6; k++)
            if (texts[i / 2][k])
                (k < 3 ? &forces[i].force[k] : &forces[i].moment[k - 3])[0] =
                    compile(&site, &scope, texts[i / 2][k]);
    }
    site.definition.forces = forces;
    site.definition.force_count = COUNT;
    site_build(&site, &force_part);
    Random random = {37};
    for (int e = 0; e < COUNT; e++)
        for (int i = 0; i < 10; i++) {
            Trial trial = trial_random(&site, e, &random);
            check_jacobian(&trial, 1e-8);
            // the work is what goes in, that is the power which the residual does not need
            double needed = trial_power(&trial);
            check_near(trial_energy(&trial).work, -needed, 1e-13 * (10 + fabs(needed)));
        }
    assert_int_equal(site.builder.elements[0].node_count, 1);
    assert_int_equal(site.builder.elements[4].node_count, 3);
    site_close(&site);
}

static Trial build_one_force(Site *site, const ForceDefinition *force) {
    site->definition.forces = (ForceDefinition *)force;
    site->definition.force_count = 1;
    site->builder.element_count = 0;
    site_build(site, &force_part);
    return trial_at_start(site, 0);
}

static void test_force_values(void **state) {
    (void)state;
    Site site = {0};
    static Scope scope;
    site_open(&site, 2, 41);
    open_scope(&scope, &site);
    ForceDefinition force = {.name = "f", .at = "a", .offset = {0.2, 0, -0.1}};
    force.force[1] = compile(&site, &scope, "-200*(b.y - 0.1) - 5*b.vy"); // NSCD Eqs. 34-36
    force.moment[0] = compile(&site, &scope, "3*t");
    Trial trial = build_one_force(&site, &force);
    trial.t = 2;
    trial.nodes[1].x.y = 0.4, trial.nodes[1].v.y = -1.5;
    double r[ELEMENT_ROWS], expected = -200 * 0.3 + 5 * 1.5;
    trial_residual(&trial, r);
    Vec3 arm = mat3_apply(trial.nodes[0].R, force.offset);
    Vec3 moment = vec3_add(vec3_cross(arm, vec3(0, expected, 0)), vec3(6, 0, 0));
    check_vec3_near(vec3(-r[0], -r[1], -r[2]), vec3(0, expected, 0), 1e-13);
    check_vec3_near(vec3(-r[3], -r[4], -r[5]), moment, 1e-13);
    for (int i = 6; i < 12; i++) check_near(r[i], 0, 0); // nothing acts on what is listened to

    // Following: in the node's axes both force and moment stay the same however it turns.
    ForceDefinition follower = {.name = "f", .at = "a", .offset = {0.2, 0, -0.1}, .follower = true};
    follower.force[2] = compile(&site, NULL, "7");
    trial = build_one_force(&site, &follower);
    trial.nodes[0].R = so3_exp(vec3(2, -1, 0.4));
    trial_residual(&trial, r);
    check_vec3_near(mat3_apply_transpose(trial.nodes[0].R, vec3(-r[0], -r[1], -r[2])), vec3(0, 0, 7), 1e-14);
    check_vec3_near(mat3_apply_transpose(trial.nodes[0].R, vec3(-r[3], -r[4], -r[5])),
                    vec3_cross(follower.offset, vec3(0, 0, 7)), 1e-14);

    // The rotation vector counts from the start.
    ForceDefinition turned = {.name = "f", .at = "b"};
    turned.moment[2] = compile(&site, &scope, "-4*a.rz");
    trial = build_one_force(&site, &turned);
    trial_residual(&trial, r);
    check_near(r[5], 0, 1e-15);
    trial.nodes[1].R = mat3_mul(so3_exp(vec3(0, 0, 0.3)), trial.nodes[1].R);
    trial_residual(&trial, r);
    check_near(r[5], 1.2, 1e-14);
    site_close(&site);
}

static void test_force_messages(void **state) {
    (void)state;
    Site site = {0};
    static Scope scope;
    site_open(&site, 10, 43);
    open_scope(&scope, &site);
    ForceDefinition force = {.name = "push", .at = "ground"};
    site.definition.forces = &force;
    site.definition.force_count = 1;
    site_refuse(&site, &force_part, "acts on the ground");
    force.at = "aa";
    site_refuse(&site, &force_part, "force 'push': there is no node or body 'aa'");
    force.at = "a";
    force.force[0] = compile(&site, &scope, "a.x + b.x + c.x + d.x + e.x + f.x + g.x + h.x");
    site_build(&site, &force_part);
    assert_int_equal(site.builder.elements[0].node_count, ELEMENT_NODES);
    force.force[1] = compile(&site, &scope, "i.vx");
    site_refuse(&site, &force_part, "force 'push' depends on more than 8 nodes; split");
    scope.nodes[8 * COMPONENTS + 6].node = "nowhere";
    site_refuse(&site, &force_part, "'nowhere'");
    site_close(&site);
}

// ---- springs of all kinds --------------------------------------------------------------------------
typedef struct Springs {
    Site site;
    SpringDefinition springs[4];
    TorsionSpringDefinition torsion[3];
    BushingDefinition bushings[3];
} Springs;

static void open_springs(Springs *all) {
    memset(all, 0, sizeof *all);
    Site *site = &all->site;
    site_open(site, 2, 47);
    SpringDefinition spring = {.name = "s",
                               .nodes = {"a", "b"},
                               .offsets = {{0.1, 0.2, 0.3}, {-0.4, 0.1, 0}},
                               .stiffness = 30,
                               .length = 0.7};
    all->springs[0] = spring;
    spring.damping = 2, spring.preload = -5, spring.length = -1;
    all->springs[1] = spring;
    spring.nodes[1] = NULL, spring.offsets[1] = vec3(2, 3, -1); // a point of the world
    all->springs[2] = spring;
    spring.stiffness = spring.preload = spring.length = 0; // a damper
    all->springs[3] = spring;
    TorsionSpringDefinition torsion = {
        .name = "t", .nodes = {"a", "b"}, .axis = {2, -1, 2}, .stiffness = 4, .angle = 0.3};
    all->torsion[0] = torsion;
    torsion.damping = 0.7, torsion.preload = 2;
    all->torsion[1] = torsion;
    torsion.nodes[1] = NULL;
    all->torsion[2] = torsion;
    BushingDefinition bushing = {.name = "b",
                                 .nodes = {"a", "b"},
                                 .at = {0.5, -0.2, 0.1},
                                 .has_at = true,
                                 .axis = {1, 1, 0},
                                 .stiffness = {10, 20, 30},
                                 .rotational_stiffness = {4, 5, 6}};
    all->bushings[0] = bushing;
    for (int k = 0; k < 3; k++) {
        bushing.damping[k] = 1 + k, bushing.rotational_damping[k] = 3 - 0.5 * k;
        bushing.preload[k] = 2 - k, bushing.moment_preload[k] = k - 0.5;
    }
    all->bushings[1] = bushing;
    bushing.nodes[1] = NULL;
    bushing.has_at = false;
    all->bushings[2] = bushing;
    site->definition.springs = all->springs, site->definition.spring_count = 4;
    site->definition.torsion_springs = all->torsion, site->definition.torsion_spring_count = 3;
    site->definition.bushings = all->bushings, site->definition.bushing_count = 3;
    site_build(site, &spring_part);
    site_build(site, &torsion_spring_part);
    site_build(site, &bushing_part);
    assert_int_equal(site->builder.element_count, 10);
}

static void test_spring_jacobians(void **state) {
    (void)state;
    Springs all;
    open_springs(&all);
    Random random = {53};
    for (int e = 0; e < 10; e++)
        for (int i = 0; i < 20; i++) {
            Trial trial = trial_random(&all.site, e, &random);
            trial.state[0] = 2 * pi * 3; // torsion springs: three turns on
            check_jacobian(&trial, 1e-8);
            check_balance(&trial);
        }
    site_close(&all.site);
}

// What the nodes put in is stored or lost, along any motion.
static void test_spring_energy(void **state) {
    (void)state;
    Springs all;
    open_springs(&all);
    Random random = {59};
    for (int e = 0; e < 10; e++)
        for (int i = 0; i < 10; i++) {
            Trial start = trial_random(&all.site, e, &random);
            const double t = 0.3, h = 1e-3;
            double rate = 0;
            static const double offsets[4] = {-2, -1, 1, 2}, weights[4] = {1, -8, 8, -1};
            for (int p = 0; p < 4; p++) {
                Trial other = trial_along(&start, t + h * offsets[p]);
                rate += weights[p] * trial_energy(&other).elastic / (12 * h);
            }
            Trial now = trial_along(&start, t);
            ElementEnergy energy = trial_energy(&now);
            double power = trial_power(&now);
            check_near(power, rate + energy.dissipated, 1e-7 * (1 + fabs(power) + energy.dissipated));
            assert_true(energy.dissipated >= 0 && energy.work == 0);
        }
    site_close(&all.site);
}

static Trial build_one_spring(Site *site, const SpringDefinition *spring) {
    site->definition.springs = (SpringDefinition *)spring;
    site->definition.spring_count = 1;
    site->builder.element_count = 0;
    site_build(site, &spring_part);
    return trial_at_start(site, 0);
}

static void test_spring_values(void **state) {
    (void)state;
    Site site = {0};
    site_open(&site, 1, 61);
    SpringDefinition spring = {.name = "s",
                               .nodes = {"a", "ground"},
                               .offsets = {{0, 0, 0}, {1, 2, 3}},
                               .stiffness = 50,
                               .damping = 3,
                               .length = 2,
                               .preload = 10};
    Trial trial = build_one_spring(&site, &spring);
    trial.nodes[0].x = vec3(1, 2, -2); // five below
    trial.nodes[0].v = vec3(4, 0, -0.5);
    double r[ELEMENT_ROWS];
    trial_residual(&trial, r);
    double tension = 10 + 50 * 3 + 3 * 0.5; // pulls up
    check_vec3_near(vec3(-r[0], -r[1], -r[2]), vec3(0, 0, tension), 1e-9);
    // A spring without rest length is linear through zero.
    spring.length = spring.preload = spring.damping = 0;
    trial = build_one_spring(&site, &spring);
    for (int i = -2; i <= 2; i++) {
        Vec3 gap = vec3(1e-7 * i, -3e-8 * i, 0);
        trial.nodes[0].x = vec3_add(vec3(1, 2, 3), gap);
        trial_residual(&trial, r);
        check_vec3_near(vec3(r[0], r[1], r[2]), vec3_scale(50, gap), 1e-13);
        check_jacobian(&trial, 1e-8);
    }
    site_close(&site);
}

// A dashpot acts with c v on a motion along its line at any length, also where the points meet.
static void test_dashpot_through_zero(void **state) {
    (void)state;
    Site site = {0};
    site_open(&site, 1, 71);
    SpringDefinition spring = {
        .name = "s", .nodes = {"a", "ground"}, .offsets = {{0, 0, 0}, {1, 2, 3}}, .damping = 3, .length = 0};
    Trial trial = build_one_spring(&site, &spring);
    Vec3 along = vec3(0.6, 0, -0.8);
    trial.nodes[0].v = vec3_scale(7, along), trial.nodes[0].w = vec3_zero();
    for (int k = -8; k <= 8; k++) {
        double r[ELEMENT_ROWS], away = k == 0 ? 0 : copysign(pow(10, abs(k) - 9), k);
        trial.nodes[0].x = vec3_madd(vec3(1, 2, 3), away, along);
        trial_residual(&trial, r);
        check_vec3_near(vec3(r[0], r[1], r[2]), vec3_scale(21, along), 1e-7);
        check_near(trial_energy(&trial).dissipated, 3 * 49, 1e-6);
    }
    site_close(&site);
}

// Jacobian and power near the point where the ends meet, of a spring so long that the smoothing is seen.
static void test_spring_where_points_meet(void **state) {
    (void)state;
    Site site = {0};
    site_open(&site, 2, 73);
    SpringDefinition spring = {.name = "s",
                               .nodes = {"a", "b"},
                               .offsets = {{0.1, 0.2, -0.3}, {0, 0, 3e5}},
                               .stiffness = 50,
                               .damping = 3,
                               .length = 0};
    Trial trial = build_one_spring(&site, &spring);
    ((Compliance *)trial.element->data)->markers[1].offset = vec3(0.2, -0.1, 0.1);
    for (int k = 0; k < 6; k++) {
        Vec3 first = vec3_add(trial.nodes[0].x, mat3_apply(trial.nodes[0].R, spring.offsets[0]));
        Vec3 arm = mat3_apply(trial.nodes[1].R, vec3(0.2, -0.1, 0.1));
        trial.nodes[1].x = vec3_add(vec3_sub(first, arm), vec3(0.1 * k, -0.03 * k, 0.2 * k));
        check_jacobian(&trial, 1e-6);
        Trial later = trial; // power in = change of what is stored + what is dissipated
        double elastic = trial_energy(&trial).elastic, h = 1e-6;
        for (int n = 0; n < 2; n++) {
            NodeState *node = &later.nodes[n];
            node->x = vec3_madd(node->x, h, node->v);
            node->R = mat3_mul(so3_exp(vec3_scale(h, node->w)), node->R);
        }
        double rate = (trial_energy(&later).elastic - elastic) / h;
        check_near(trial_power(&trial), rate + trial_energy(&trial).dissipated, 1e-3);
    }
    site_close(&site);
}

// With a driven length L(t): its force, and the power of its drive, which with that of its ends is what is stored and
// dissipated.
static void test_actuator(void **state) {
    (void)state;
    Site site = {0};
    Arena *arena = arena_create();
    site_open(&site, 1, 71);
    SpringDefinition spring = {.name = "s",
                               .nodes = {"a", "ground"},
                               .offsets = {{0, 0, 0}, {1, 2, 3}},
                               .stiffness = 50,
                               .damping = 3,
                               .length = -1,
                               .driven_length = expression_compile(arena, "2 m + 0.5 m/s*t", NULL, NULL)};
    assert_non_null(spring.driven_length);
    Trial trial = build_one_spring(&site, &spring);
    trial.nodes[0].x = vec3(1, 2, -2); // five below
    trial.nodes[0].v = vec3(4, 0, -0.5);
    trial.t = 2;
    double r[ELEMENT_ROWS], tension = 50 * (5 - 3) + 3 * 0.5;
    trial_residual(&trial, r);
    check_vec3_near(vec3(-r[0], -r[1], -r[2]), vec3(0, 0, tension), 1e-9);
    check_jacobian(&trial, 1e-6);
    ElementEnergy energy = trial_energy(&trial);
    check_near(energy.elastic, 0.5 * 50 * 4, 1e-9);
    check_near(energy.dissipated, 3 * 0.25, 1e-9);
    check_near(energy.work, -50 * 2 * 0.5, 1e-9);
    // d(elastic)/dt = k d (0.5 - 0.5): what the end brings in is dissipated or taken by the drive
    check_near(tension * 0.5 + energy.work - energy.dissipated, 50 * 2 * (0.5 - 0.5), 1e-9);
    site_close(&site);
    arena_destroy(arena);
}

static void test_spring_messages(void **state) {
    (void)state;
    Site site = {0};
    site_open(&site, 2, 67);
    SpringDefinition spring = {.name = "s", .nodes = {"a", "ground"}, .stiffness = 5, .length = 0.1};
    spring.offsets[1] = builder_node(&site.builder, 0)->x;
    site.definition.springs = &spring;
    site.definition.spring_count = 1;
    site_refuse(&site, &spring_part, "its two points coincide at the start");
    spring.length = -1, spring.preload = 3;
    site_refuse(&site, &spring_part, "its two points coincide at the start");
    spring.preload = 0;
    site_build(&site, &spring_part);
    spring.nodes[1] = "a";
    site_refuse(&site, &spring_part, "both ends are on 'a'");
    spring.nodes[1] = "q";
    site_refuse(&site, &spring_part, "spring 's': there is no node or body 'q'");
    BushingDefinition bushing = {.name = "b", .nodes = {"a", "b"}, .second_axis = {0, 0, 1}};
    site.definition.bushings = &bushing;
    site.definition.bushing_count = 1;
    site_refuse(&site, &bushing_part, "the second axis points along the first");
    site_close(&site);
}

// Wound up over several turns, both ways, in steps of a third of a turn.
static void test_torsion_over_turns(void **state) {
    (void)state;
    Site site = {0};
    site_open(&site, 2, 71);
    TorsionSpringDefinition spring = {
        .name = "t", .nodes = {"a", "b"}, .axis = {1, 2, 3}, .stiffness = 4, .angle = 0.5, .preload = 0.25};
    site.definition.torsion_springs = &spring;
    site.definition.torsion_spring_count = 1;
    site_build(&site, &torsion_spring_part);
    Trial trial = trial_at_start(&site, 0);
    Mat3 start = trial.nodes[1].R;
    Vec3 axis = vec3_normalize(spring.axis);
    double angle = 0;
    for (int i = 0; i < 60; i++) {
        ElementInput in = trial_input(&trial);
        double r[ELEMENT_ROWS];
        trial.element->kind->begin_step(trial.element, &in, 0.1, trial.state);
        angle += i < 20 ? 2.0 : -2.0;
        trial.nodes[1].R = mat3_mul(so3_exp(vec3_scale(angle, axis)), start);
        trial_residual(&trial, r);
        Vec3 moment = vec3_scale(0.25 + 4 * (angle - 0.5), axis);
        check_vec3_near(vec3(r[9], r[10], r[11]), moment, 1e-12 * (1 + fabs(angle)));
        check_vec3_near(vec3(r[3], r[4], r[5]), vec3_neg(moment), 1e-12 * (1 + fabs(angle)));
        check_near(trial_energy(&trial).elastic, 2 * pow(angle - 0.5, 2) + 0.25 * (angle - 0.5), 1e-10);
    }
    site_close(&site);
}

static void test_bushing_values(void **state) {
    (void)state;
    Springs all;
    open_springs(&all);
    Trial trial = trial_at_start(&all.site, 7);
    double r[ELEMENT_ROWS];
    trial_residual(&trial, r);
    for (int i = 0; i < 12; i++) check_near(r[i], 0, 1e-13); // at rest at the start
    check_near(trial_energy(&trial).elastic, 0, 1e-28);
    // shifted along the world's z, which is one of its axes: z x axis, axis = (1, 1, 0)
    trial.nodes[1].x = vec3_add(trial.nodes[1].x, vec3(0, 0, 0.01));
    trial_residual(&trial, r);
    // axis (1,1,0)/sqrt 2 is the joint's z; its x is the world's x made square to it, so y is along -z
    check_vec3_near(vec3(-r[6], -r[7], -r[8]), vec3(0, 0, -0.01 * 20), 1e-13);
    // turned about that axis and about its marker: a moment alone
    trial = trial_at_start(&all.site, 7);
    Mat3 turn = so3_exp(vec3(0, 0, 0.8));
    Vec3 at = all.bushings[0].at;
    trial.nodes[1].x = vec3_add(at, mat3_apply(turn, vec3_sub(trial.nodes[1].x, at)));
    trial.nodes[1].R = mat3_mul(turn, trial.nodes[1].R);
    trial_residual(&trial, r);
    Vec3 force = vec3(-r[6], -r[7], -r[8]), moment = vec3(-r[9], -r[10], -r[11]);
    check_vec3_near(force, vec3_zero(), 1e-12);
    check_vec3_near(moment, vec3(0, 0, -0.8 * 5), 1e-12);
    site_close(&all.site);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_force_jacobians),
        cmocka_unit_test(test_force_values),
        cmocka_unit_test(test_force_messages),
        cmocka_unit_test(test_spring_jacobians),
        cmocka_unit_test(test_spring_energy),
        cmocka_unit_test(test_spring_values),
        cmocka_unit_test(test_dashpot_through_zero),
        cmocka_unit_test(test_spring_where_points_meet),
        cmocka_unit_test(test_actuator),
        cmocka_unit_test(test_spring_messages),
        cmocka_unit_test(test_torsion_over_turns),
        cmocka_unit_test(test_bushing_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
