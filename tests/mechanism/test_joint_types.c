// What every type of joint must satisfy: these tests run over all rows of joint_types.
#include <stdio.h>

#include "element_check.h"
#include "maraca/maraca.h"
#include "mechanism/joint_type.h"
#include "model/model.h"
#include "rig.h"

static Expression *compile(Site *site, const char *text) {
    ExpressionError error = {0};
    Expression *expression = expression_compile(site->builder.arena, text, NULL, &error);
    if (!expression) fail_msg("'%s': %s", text, error.text);
    return expression;
}

// Keys of its own that a type needs: 0.3 for quantities, one component for lists of axes.
static void fill_own_keys(JointDefinition *joint) {
    const SchemaType *schema = &joint_types[joint->kind]->schema;
    for (size_t k = 0; k < schema->key_count; k++) {
        char *member = (char *)joint + schema->keys[k].offset;
        if (schema->keys[k].kind == SCHEMA_QUANTITY) *(double *)member = 0.3;
        if (schema->keys[k].kind == SCHEMA_AXES) ((bool *)member)[1] = true;
    }
}

static JointDefinition joint_of(JointKind kind) {
    JointDefinition joint = {.name = joint_types[kind]->schema.alternative.key,
                             .kind = kind,
                             .nodes = {"a", "b"},
                             .at = {0.3, -0.7, 0.4},
                             .has_at = true,
                             .axis = {0.6, 0, 0.8},
                             .second_axis = {0.3, 1, 0.1}};
    if (joint_types[kind]->between_origins) {
        joint.has_at = false;
        joint.has_offsets = true;
        joint.offsets[0] = vec3(0.1, 0.2, -0.4);
        joint.offsets[1] = vec3(2.3, 0.1, 0.5);
    }
    fill_own_keys(&joint);
    return joint;
}

// ---- every type, between two nodes and between ground and a node, undriven and with every drive ----
enum { CASES_MAX = 1000, UNDRIVEN = -1, DRIVES = 12 };

typedef struct Cases {
    Site site;
    JointDefinition joints[CASES_MAX];
} Cases;

// Drive 0 to 2: position, 3 to 5: speed, 6 to 8: angle, 9 to 11: rate.
static void set_drive(JointDefinition *joint, int drive, const Expression *expression) {
    const Expression **const lists[] = {joint->position, joint->speed, joint->angle, joint->rate};
    lists[drive / 3][drive % 3] = expression;
}

static bool may_drive(const JointDefinition *joint, int drive) {
    JointComponents drivable = joint_drivable(joint);
    return drive < 6 ? drivable.along[drive % 3] : drivable.about[drive % 3];
}

static void count_finding(void *self, FindingLevel level, const void *address, bool object,
                          const char *text) {
    (void)level, (void)address, (void)object, (void)text;
    ++*(int *)self;
}

static void add_case(Cases *cases, JointDefinition joint) {
    const JointType *type = joint_types[joint.kind];
    int *count = &cases->site.definition.joint_count, found = 0;
    if (type->check) type->check(&joint, &(Findings){&found, count_finding});
    if (found) return;
    assert_true(*count + 2 <= CASES_MAX);
    cases->joints[(*count)++] = joint;
    joint.nodes[1] = NULL;
    cases->joints[(*count)++] = joint;
}

static void add_type(Cases *cases, JointDefinition joint) {
    static const char *const formulas[3] = {"0.4*sin(2*t)", "0.2*t^3 - 0.1", "0.3*exp(-t)"};
    JointDefinition all = joint;
    add_case(cases, joint);
    for (int drive = 0; drive < DRIVES; drive++) {
        if (!may_drive(&joint, drive)) continue;
        Expression *formula = compile(&cases->site, formulas[drive % 3]);
        JointDefinition driven = joint;
        set_drive(&driven, drive, formula);
        add_case(cases, driven);
        if (drive < 3 || drive >= 9) set_drive(&all, drive, formula); // positions and rates
    }
    add_case(cases, all);
}

static void open_cases(Cases *cases) {
    memset(cases, 0, sizeof *cases);
    cases->site.definition.joints = cases->joints;
    site_open(&cases->site, 2, 11);
    for (int kind = 0; kind < JOINT_COUNT; kind++) add_type(cases, joint_of(kind));
    site_build(&cases->site, &joint_part);
    assert_int_equal(cases->site.builder.element_count, cases->site.definition.joint_count);
    assert_true(cases->site.builder.element_count > 8 * JOINT_COUNT);
}

static void test_jacobians(void **state) {
    (void)state;
    static Cases cases;
    open_cases(&cases);
    Random random = {3};
    for (int e = 0; e < cases.site.builder.element_count; e++)
        for (int i = 0; i < 3; i++) {
            Trial trial = trial_random(&cases.site, e, &random);
            check_jacobian(&trial, 1e-8);
            check_balance(&trial);
        }
    site_close(&cases.site);
}

static void test_rates(void **state) {
    (void)state;
    static Cases cases;
    open_cases(&cases);
    Random random = {5};
    for (int e = 0; e < cases.site.builder.element_count; e++)
        for (int i = 0; i < 2; i++) {
            Trial trial = trial_random(&cases.site, e, &random);
            trial.t = 0;
            for (int n = 0; n < 2; n++) trial.nodes[n].w = vec3_scale(0.3, trial.nodes[n].w);
            check_rates(&trial, 0.4);
        }
    site_close(&cases.site);
}

// The power that a joint takes is lambda dphi/dt less what its drives put in.
static void test_power(void **state) {
    (void)state;
    static Cases cases;
    open_cases(&cases);
    Random random = {7};
    for (int e = 0; e < cases.site.builder.element_count; e++) {
        Trial trial = trial_random(&cases.site, e, &random);
        double rate[6], second[6], expected = 0;
        ElementInput in = trial_input(&trial);
        trial.element->kind->rates(trial.element, &in, rate, second);
        for (int i = 0; i < trial.element->multiplier_count; i++) expected += trial.lambda[i] * rate[i];
        ElementEnergy energy = trial_energy(&trial);
        check_near(trial_power(&trial) + energy.work, expected, 1e-13 * (10 + fabs(expected)));
        assert_true(energy.kinetic == 0 && energy.potential == 0 && energy.elastic == 0 &&
                    energy.dissipated == 0);
    }
    site_close(&cases.site);
}

// ---- at the start ------------------------------------------------------------------------------------
// Smallest part of a row of G that the rows before it do not have: the rank is full when it is not small.
static double independence(const Trial *trial) {
    static double J[ELEMENT_ROWS * ELEMENT_ROWS];
    int size = trial_size(trial), first = 12, count = trial->element->multiplier_count;
    ElementInput in = trial_input(trial);
    memset(J, 0, sizeof J);
    trial->element->kind->jacobian(trial->element, &in, 0, 0, 0, J);
    double smallest = 1;
    for (int i = 0; i < count; i++) {
        double *row = &J[(first + i) * size], norm = 0;
        for (int other = 0; other < i; other++) {
            const double *before = &J[(first + other) * size];
            double overlap = 0;
            for (int k = 6; k < 12; k++) overlap += row[k] * before[k];
            for (int k = 6; k < 12; k++) row[k] -= overlap * before[k];
        }
        for (int k = 6; k < 12; k++) norm += row[k] * row[k]; // of the second node alone
        norm = sqrt(norm);
        for (int k = 6; k < 12; k++) row[k] /= norm;
        smallest = fmin(smallest, norm);
    }
    return smallest;
}

static void test_start(void **state) {
    (void)state;
    static Cases cases;
    open_cases(&cases);
    for (int e = 0; e < cases.site.builder.element_count; e++) {
        const JointDefinition *joint = &cases.joints[e];
        Trial trial = trial_at_start(&cases.site, e);
        double r[ELEMENT_ROWS];
        JointComponents kept = joint_kept(joint);
        int rows = joint_types[joint->kind]->add_rows ? 1 : 0;
        for (int k = 0; k < 3; k++) {
            rows += kept.along[k] || joint->position[k] || joint->speed[k];
            rows += kept.about[k] || joint->angle[k] || joint->rate[k];
        }
        assert_int_equal(trial.element->multiplier_count, rows);
        assert_true(independence(&trial) > 0.01);
        bool driven = ((const Joint *)trial.element->data)->driven;
        trial_residual(&trial, r);
        for (int i = 0; i < trial.element->multiplier_count && !driven; i++) check_near(r[12 + i], 0, 1e-14);
    }
    site_close(&cases.site);
}

// ---- drives ------------------------------------------------------------------------------------------
static void test_drives_are_as_declared(void **state) {
    (void)state;
    Site site = {0};
    site_open(&site, 2, 17);
    Expression *formula = compile(&site, "0.3*t");
    for (int kind = 0; kind < JOINT_COUNT; kind++)
        for (int drive = 0; drive < DRIVES; drive++) {
            JointDefinition joint = joint_of(kind);
            set_drive(&joint, drive, formula);
            site.definition.joints = &joint;
            site.definition.joint_count = 1;
            site.builder.element_count = 0;
            if (may_drive(&joint, drive)) site_build(&site, &joint_part);
            else site_refuse(&site, &joint_part, "free, so it cannot be driven");
        }
    site_close(&site);
}

// ---- in a mechanism ----------------------------------------------------------------------------------
static void check_balance_of_body(const Rig *rig, const BodyDefinition *body, const char *joint) {
    const NodeState *node = rig_node(rig, body->name);
    Load reaction = mechanism_reaction(rig->mechanism, mechanism_find_joint(rig->mechanism, joint));
    // the joint's point on the body, which the moment is about
    Vec3 marker = vec3_add(node->x, mat3_apply(node->R, rig->joints[0].offsets[1]));
    Vec3 force = vec3_scale(body->mass, vec3_sub(node->a, rig->setting.gravity));
    Mat3 tensor = mat3_mul(mat3_mul(node->R, inertia_matrix(body->inertia)), mat3_transpose(node->R));
    Vec3 moment = vec3_add(mat3_apply(tensor, node->alpha), vec3_cross(node->w, mat3_apply(tensor, node->w)));
    moment = vec3_sub(moment, vec3_cross(vec3_sub(marker, node->x), reaction.force));
    double size = 1 + vec3_norm(force) + vec3_norm(moment);
    check_vec3_near(reaction.force, force, 1e-7 * size);
    check_vec3_near(reaction.moment, moment, 1e-7 * size);
}

// A body that hangs on the joint, with a push: Newton and Euler hold with the joint's reaction, the joint
// stays closed, and no energy is lost.
static void test_reactions(void **state) {
    (void)state;
    for (int kind = 0; kind < JOINT_COUNT; kind++) {
        Rig rig;
        rig_open(&rig, 1);
        rig.setting.gravity = vec3(1, -9.81, 2);
        BodyDefinition *body = rig_body(&rig, "body", vec3(0.4, 0.1, -0.2), 2);
        body->pose.velocity = vec3(0.5, 0.3, -0.4);
        body->pose.angular_velocity = vec3(1, -2, 1.5);
        JointDefinition *joint = &rig.joints[rig.definition.joint_count++];
        *joint = joint_of(kind);
        joint->name = "joint", joint->nodes[0] = "ground", joint->nodes[1] = "body";
        joint->has_at = false, joint->has_offsets = true;
        joint->offsets[1] = vec3(0.2, -0.1, 0.3);
        joint->offsets[0] = vec3_add(body->pose.position, joint->offsets[1]);
        if (joint_types[kind]->between_origins) joint->offsets[0].y += 0.5;
        rig_start(&rig);
        double start = rig_energy(&rig);
        for (int step = 0; step < 200; step++) {
            rig_step(&rig, 1e-3);
            if (step % 20 == 0) check_balance_of_body(&rig, body, "joint");
        }
        assert_true(mechanism_counts(rig.mechanism).violation < 1e-9);
        check_near(rig_energy(&rig), start, 1e-4 * fabs(start) + 1e-3);
        rig_close(&rig);
    }
}

// The same joint twice is redundant, and the message names both.
static void test_redundancy(void **state) {
    (void)state;
    for (int kind = 0; kind < JOINT_COUNT; kind++) {
        Rig rig;
        rig_open(&rig, 1);
        rig_body(&rig, "a", vec3(0, 0, 0), 1);
        rig_body(&rig, "b", vec3(1, 0.3, 0.1), 2);
        for (int i = 0; i < 2; i++) {
            rig.joints[i] = joint_of(kind);
            rig.joints[i].name = i ? "second" : "first";
        }
        rig.definition.joint_count = 2;
        MrcStatus status = mechanism_create(&rig.definition, &rig.setting, &rig.mechanism, &rig.error);
        assert_int_equal(status, MRC_MODEL);
        if (!strstr(rig.error.text, "over-constrained") || !strstr(rig.error.text, "'first'") ||
            !strstr(rig.error.text, "'second'"))
            fail_msg("'%s'", rig.error.text);
        rig_close(&rig);
    }
}

// ---- in a model file ---------------------------------------------------------------------------------
static void test_model_file(void **state) {
    (void)state;
    for (int kind = 0; kind < JOINT_COUNT; kind++) {
        const SchemaType *schema = &joint_types[kind]->schema;
        char text[1024], own[256] = "", unit[64];
        for (size_t k = 0; k < schema->key_count; k++) {
            const SchemaKey *key = &schema->keys[k];
            size_t used = strlen(own);
            if (key->kind == SCHEMA_QUANTITY)
                snprintf(own + used, sizeof own - used, ", %s: 0.3 %s", key->key,
                         dimension_unit(key->dimension, unit, sizeof unit));
            if (key->kind == SCHEMA_AXES) snprintf(own + used, sizeof own - used, ", %s: [y]", key->key);
        }
        snprintf(text, sizeof text,
                 "maraca: 1\n"
                 "mechanism:\n"
                 "  bodies:\n"
                 "    a: {mass: 1 kg, inertia: 1 1 1 g*m^2}\n"
                 "    b: {mass: 1 kg, inertia: 1 1 1 g*m^2, position: 1 0 0 m}\n"
                 "  joints: {j: {%s: [a, b]%s}}\n"
                 "simulate: {duration: 1 ms, step: 1 ms}\n",
                 schema->alternative.key, own);
        MrcModel *model = mrc_model_parse(text, strlen(text), "test", NULL, 0);
        for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
            fail_msg("%s: %s", schema->alternative.key, mrc_model_diagnostic(model, i)->text);
        const JointDefinition *joint = &model_definition(model)->mechanism.joints[0];
        assert_int_equal(joint->kind, kind);
        char *words = mrc_model_describe(model), sentence[128];
        snprintf(sentence, sizeof sentence, "Joint j: b %s a", joint_types[kind]->words);
        if (!strstr(words, sentence)) fail_msg("'%s' is not in '%s'", sentence, words);
        mrc_text_free(words);
        mrc_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jacobians),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_power),
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_drives_are_as_declared),
        cmocka_unit_test(test_reactions),
        cmocka_unit_test(test_redundancy),
        cmocka_unit_test(test_model_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
