// What single types of joints do; what all types must satisfy is in test_joint_types.c.
#include "element_check.h"
#include "mechanism/joint.h"

static Expression *compile(Site *site, const char *text) {
    ExpressionError error = {0};
    Expression *expression = expression_compile(site->builder.arena, text, NULL, &error);
    if (!expression) fail_msg("'%s': %s", text, error.text);
    return expression;
}

// Every choice of components of a general joint.
static void test_general(void **state) {
    (void)state;
    Random random = {3};
    for (int mask = 1; mask < 64; mask++) {
        Site site = {0};
        site_open(&site, 2, 11);
        JointDefinition joint = {.name = "general",
                                 .kind = JOINT_GENERAL,
                                 .nodes = {"a", "b"},
                                 .axis = {0.6, 0, 0.8},
                                 .second_axis = {0.3, 1, 0.1}};
        int kept = 0;
        for (int k = 0; k < 3; k++) {
            joint.translations[k] = mask >> k & 1;
            joint.rotations[k] = mask >> (3 + k) & 1;
            kept += joint.translations[k] + joint.rotations[k];
        }
        site.definition.joints = &joint;
        site.definition.joint_count = 1;
        site_build(&site, &joint_part);
        Trial trial = trial_random(&site, 0, &random);
        assert_int_equal(trial.element->multiplier_count, kept);
        check_jacobian(&trial, 1e-8);
        check_balance(&trial);
        site_close(&site);
    }
}

// ---- what a joint leaves free ----------------------------------------------------------------------
// The second marker in the axes of the first: where, and how turned.
typedef struct Relative {
    Vec3 place;
    Mat3 turn;
} Relative;

static Mat3 about(int axis, double angle) {
    return so3_exp(vec3_scale(angle, vec3(axis == 0, axis == 1, axis == 2)));
}

// A pose that the joint allows, with s for its freedoms.
static Relative allowed(JointKind kind, const double *s) {
    Relative relative = {vec3_zero(), mat3_identity()};
    Mat3 any = so3_exp(vec3(s[3], s[4], s[5]));
    switch (kind) {
    case JOINT_REVOLUTE:
        relative.turn = about(2, s[0]);
        break;
    case JOINT_SPHERICAL:
        relative.turn = any;
        break;
    case JOINT_PRISMATIC:
        relative.place = vec3(0, 0, s[0]);
        break;
    case JOINT_CYLINDRICAL:
        relative = (Relative){vec3(0, 0, s[0]), about(2, s[1])};
        break;
    case JOINT_UNIVERSAL:
        relative.turn = mat3_mul(about(0, s[0]), about(1, s[1]));
        break;
    case JOINT_PLANAR:
        relative = (Relative){vec3(s[0], s[1], 0), about(2, s[2])};
        break;
    case JOINT_POINT_ON_LINE:
        relative = (Relative){vec3(0, 0, s[0]), any};
        break;
    case JOINT_POINT_IN_PLANE:
        relative = (Relative){vec3(s[0], s[1], 0), any};
        break;
    default:
        break;
    }
    return relative;
}

// Puts the second node where its marker has the pose `relative` to the first node's.
static void place_second(Trial *trial, Relative relative) {
    const Joint *joint = trial->element->data;
    NodeState *a = &trial->nodes[0], *b = &trial->nodes[1];
    Mat3 axes = mat3_mul(a->R, joint->markers[0].axes);
    Vec3 at = vec3_add(vec3_add(a->x, mat3_apply(a->R, joint->markers[0].offset)),
                       mat3_apply(axes, relative.place));
    b->R = mat3_mul(mat3_mul(axes, relative.turn), mat3_transpose(joint->markers[1].axes));
    b->x = vec3_sub(at, mat3_apply(b->R, joint->markers[1].offset));
}

// Large motions along the free directions keep phi at zero, and the reaction does no work in them.
static void check_free_motions(JointKind kind, int freedoms, const char *second) {
    Site site = {0};
    site_open(&site, 2, 11);
    JointDefinition joint = {.name = "j",
                             .kind = kind,
                             .nodes = {"a", second},
                             .at = {0.3, -0.7, 0.4},
                             .has_at = true,
                             .axis = {0.6, 0, 0.8},
                             .second_axis = {0.3, 1, 0.1}};
    site.definition.joints = &joint;
    site.definition.joint_count = 1;
    site_build(&site, &joint_part);
    Random random = {13};
    for (int trial_count = 0; trial_count < 20; trial_count++) {
        Trial trial = trial_random(&site, 0, &random);
        assert_int_equal(6 - trial.element->multiplier_count, freedoms);
        double s[6], rates[6], r[ELEMENT_ROWS], size = 1;
        for (int k = 0; k < 6; k++) s[k] = 2 * random_normal(&random), rates[k] = random_normal(&random);
        place_second(&trial, allowed(kind, s));
        trial_residual(&trial, r);
        for (int i = 0; i < trial.element->multiplier_count; i++) check_near(r[12 + i], 0, 1e-14 * 8);
        // the velocity of the second node along that motion, by differences; the first node keeps still
        const double h = 1e-3;
        static const double offsets[4] = {-2, -1, 1, 2}, weights[4] = {1, -8, 8, -1};
        Vec3 v = vec3_zero(), w = vec3_zero();
        for (int p = 0; p < 4; p++) {
            double shifted[6];
            for (int k = 0; k < 6; k++) shifted[k] = s[k] + h * offsets[p] * rates[k];
            Trial other = trial;
            place_second(&other, allowed(kind, shifted));
            v = vec3_madd(v, weights[p] / (12 * h), other.nodes[1].x);
            w = vec3_madd(w, weights[p] / (12 * h),
                          so3_log(mat3_mul(other.nodes[1].R, mat3_transpose(trial.nodes[1].R))));
        }
        trial.nodes[0].v = trial.nodes[0].w = vec3_zero();
        trial.nodes[1].v = v, trial.nodes[1].w = w;
        size += vec3_norm(v) + vec3_norm(w);
        check_near(trial_power(&trial), 0, 1e-8 * size * size);
    }
    site_close(&site);
}

static void test_free_motions(void **state) {
    (void)state;
    static const struct {
        JointKind kind;
        int freedoms;
    } cases[] = {{JOINT_CLAMP, 0},     {JOINT_REVOLUTE, 1},      {JOINT_SPHERICAL, 3},
                 {JOINT_PRISMATIC, 1}, {JOINT_CYLINDRICAL, 2},   {JOINT_UNIVERSAL, 2},
                 {JOINT_PLANAR, 3},    {JOINT_POINT_ON_LINE, 4}, {JOINT_POINT_IN_PLANE, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_free_motions(cases[i].kind, cases[i].freedoms, "b");
        check_free_motions(cases[i].kind, cases[i].freedoms, NULL);
    }
}

// ---- drives ----------------------------------------------------------------------------------------
static Trial driven_trial(Site *site, const JointDefinition *joint, double t) {
    site->definition.joints = (JointDefinition *)joint;
    site->definition.joint_count = 1;
    site->builder.element_count = 0;
    site_build(site, &joint_part);
    Trial trial = trial_at_start(site, 0);
    trial.t = t;
    if (trial.element->kind->begin_step && trial.element->state_count > 0)
        for (int i = 1; i <= 64; i++) { // step by step, as in a run
            ElementInput in = trial_input(&trial);
            in.t = t * i / 64;
            trial.element->kind->begin_step(trial.element, &in, t / 64, trial.state);
        }
    return trial;
}

static void check_satisfied(const Trial *trial, Relative relative) {
    Trial placed = *trial;
    double r[ELEMENT_ROWS];
    place_second(&placed, relative);
    trial_residual(&placed, r);
    for (int i = 0; i < trial->element->multiplier_count; i++) check_near(r[12 + i], 0, 1e-11);
}

static void test_drives(void **state) {
    (void)state;
    Site site = {0};
    site_open(&site, 2, 17);
    double t = 1.7;
    JointDefinition revolute = {.name = "r", .kind = JOINT_REVOLUTE, .nodes = {"a", "b"}, .axis = {1, 2, -2}};
    revolute.angle[2] = compile(&site, "40*t^2"); // eighteen turns
    Trial trial = driven_trial(&site, &revolute, t);
    assert_int_equal(trial.element->multiplier_count, 6);
    check_satisfied(&trial, (Relative){vec3_zero(), about(2, 40 * t * t)});

    revolute.angle[2] = NULL;
    revolute.rate[2] = compile(&site, "12*cos(3*t)"); // from 0
    trial = driven_trial(&site, &revolute, t);
    assert_int_equal(trial.element->state_count, 2); // the angle of the drive, and turns
    check_satisfied(&trial, (Relative){vec3_zero(), about(2, 4 * sin(3 * t))});

    JointDefinition slide = {.name = "s", .kind = JOINT_CYLINDRICAL, .nodes = {"a", "b"}};
    slide.speed[2] = compile(&site, "0.3*exp(-t)");
    trial = driven_trial(&site, &slide, t);
    assert_int_equal(trial.element->multiplier_count, 5); // still turns
    check_satisfied(&trial, (Relative){vec3(0, 0, 0.3 * (1 - exp(-t))), about(2, 0.8)});
    slide.angle[2] = compile(&site, "5*t");
    trial = driven_trial(&site, &slide, t);
    assert_int_equal(trial.element->multiplier_count, 6);
    check_satisfied(&trial, (Relative){vec3(0, 0, 0.3 * (1 - exp(-t))), about(2, 5 * t)});

    JointDefinition clamp = {.name = "c", .kind = JOINT_CLAMP, .nodes = {"a", "b"}};
    clamp.position[0] = compile(&site, "0.1*t");
    clamp.speed[1] = compile(&site, "0.2*t");
    clamp.angle[0] = compile(&site, "0.4*t");
    clamp.rate[2] = compile(&site, "0.5");
    trial = driven_trial(&site, &clamp, t);
    check_satisfied(&trial, (Relative){vec3(0.1 * t, 0.1 * t * t, 0), so3_exp(vec3(0.4 * t, 0, 0.5 * t))});

    JointDefinition cross = {.name = "u", .kind = JOINT_UNIVERSAL, .nodes = {"a", "b"}};
    cross.angle[2] = compile(&site, "7*t"); // the first fork turns in its node
    trial = driven_trial(&site, &cross, t);
    check_satisfied(
        &trial, (Relative){vec3_zero(), mat3_mul(about(2, 7 * t), mat3_mul(about(0, 0.4), about(1, -0.9)))});
    site_close(&site);
}

// Offsets belong to the names as they stand: with a single name the second one is a point of the world.
static void test_offsets(void **state) {
    (void)state;
    Site site = {0};
    site_open(&site, 2, 19);
    JointDefinition rod = {.name = "rod",
                           .kind = JOINT_DISTANCE,
                           .nodes = {"a"},
                           .offsets = {{0.1, 0.2, 0.3}, {4, 5, 6}},
                           .has_offsets = true};
    Trial trial = driven_trial(&site, &rod, 0);
    NodeState *a = &trial.nodes[1]; // the ground is the first
    double r[ELEMENT_ROWS],
        start = vec3_norm(vec3_sub(vec3_add(a->x, mat3_apply(a->R, rod.offsets[0])), rod.offsets[1]));
    a->R = so3_exp(vec3(0.3, 1, -0.2));
    a->x = vec3_sub(vec3(4, 5, 6 + start), mat3_apply(a->R, rod.offsets[0]));
    trial_residual(&trial, r);
    check_near(r[12], 0, 1e-14);
    rod.length = start + 0.25;
    trial = driven_trial(&site, &rod, 0);
    trial_residual(&trial, r);
    check_near(r[12], -0.25, 1e-14);
    site_close(&site);
}

// A point carries no moment, and about the joint's marker there is none.
static void test_marker(void **state) {
    (void)state;
    static const JointKind points[] = {JOINT_SPHERICAL, JOINT_DISTANCE, JOINT_POINT_ON_LINE,
                                       JOINT_POINT_IN_PLANE};
    Site site = {0};
    site_open(&site, 2, 11);
    Random random = {23};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        JointDefinition joint = {.name = "j",
                                 .kind = points[i],
                                 .nodes = {"a", "b"},
                                 .axis = {0.6, 0, 0.8},
                                 .offsets = {{0.1, 0.2, -0.4}, {2.3, 0.1, 0.5}},
                                 .has_offsets = true};
        site.definition.joints = &joint;
        site.definition.joint_count = 1;
        site.builder.element_count = 0;
        site_build(&site, &joint_part);
        Trial trial = trial_random(&site, 0, &random);
        double r[ELEMENT_ROWS];
        trial_residual(&trial, r);
        ElementInput in = trial_input(&trial);
        Vec3 arm = vec3_sub(trial.element->kind->marker(trial.element, &in), trial.nodes[1].x);
        Vec3 moment = vec3_sub(vec3(r[9], r[10], r[11]), vec3_cross(arm, vec3(r[6], r[7], r[8])));
        check_vec3_near(moment, vec3_zero(), 1e-14);
    }
    site_close(&site);
}

// ---- messages --------------------------------------------------------------------------------------
static void refuse(Site *site, JointDefinition joint, const char *words) {
    site->definition.joints = &joint;
    site->definition.joint_count = 1;
    site_refuse(site, &joint_part, words);
}

static void test_messages(void **state) {
    (void)state;
    Site site = {0};
    site_open(&site, 2, 29);
    NodeState node = *builder_node(&site.builder, 0);
    builder_add_node(&site.builder, "crank", &node);
    JointDefinition good = {.name = "j", .kind = JOINT_REVOLUTE, .nodes = {"a", "b"}}, bad;
    Expression *ramp = compile(&site, "0.3*t");

    bad = good, bad.nodes[1] = "crnak";
    refuse(&site, bad, "joint 'j': there is no node or body 'crnak'; did you mean 'crank'?");
    bad = good, bad.nodes[0] = "flywheel";
    refuse(&site, bad, "'flywheel'; there are ground, a, b, crank");
    bad = good, bad.nodes[1] = "a";
    refuse(&site, bad, "both ends are on 'a'");
    bad = good, bad.nodes[0] = "ground", bad.nodes[1] = NULL;
    refuse(&site, bad, "both ends are on 'ground'");
    bad = good, bad.second_axis = vec3(0, 0, -2);
    refuse(&site, bad, "the second axis points along the first");
    bad = good, bad.position[2] = ramp, bad.kind = JOINT_PLANAR;
    bad.position[2] = NULL, bad.position[0] = ramp;
    refuse(&site, bad, "joint 'j' (planar) leaves the translation along x free");
    bad = good, bad.kind = JOINT_SPHERICAL, bad.rate[1] = ramp;
    refuse(&site, bad, "leaves the rotation about y free");
    bad = good, bad.kind = JOINT_GENERAL;
    refuse(&site, bad, "keeps nothing");
    bad = good, bad.angle[2] = bad.rate[2] = ramp;
    refuse(&site, bad, "angle and rate drive the same component");
    bad = good, bad.angle[2] = compile(&site, "sqrt(t)");
    refuse(&site, bad, "not finite at t = 0");
    bad = good, bad.has_at = bad.has_offsets = true;
    refuse(&site, bad, "give `at` or offsets");

    ExpressionSignal signal = {"b.x", DIM_LENGTH};
    ExpressionScope scope = {.signals = &signal, .signal_count = 1};
    bad = good, bad.angle[2] = expression_compile(site.builder.arena, "b.x/1 m", &scope, NULL);
    refuse(&site, bad, "a function of time only");

    JointDefinition rod = {.name = "rod", .kind = JOINT_DISTANCE, .nodes = {"a", "crank"}};
    refuse(&site, rod, "coincide at the start");
    rod.nodes[1] = "b", rod.position[0] = ramp;
    refuse(&site, rod, "leaves the translation along x free");
    rod.position[0] = NULL, rod.distance = ramp;
    refuse(&site, rod, "the distance is 0 m at the start");
    rod.length = 2;
    refuse(&site, rod, "length or distance");
    site_close(&site);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_general), cmocka_unit_test(test_free_motions), cmocka_unit_test(test_drives),
        cmocka_unit_test(test_offsets), cmocka_unit_test(test_marker),       cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
