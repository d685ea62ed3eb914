// The screw joint against closed forms; what all joints must satisfy is in test_joint_types.c.
#include "element_check.h"
#include "mechanism/joint_type.h"
#include "rig.h"

static const double pitch = 0.02, mass = 0.5, inertia = 3e-5, gravity = 9.81; // [m, kg, kg m^2, m/s^2]

static JointDefinition *add_screw(Rig *rig, const char *first, const char *second, Vec3 at, double advance) {
    JointDefinition *screw = rig_joint(rig, "screw", JOINT_SCREW, first, second, at, vec3(0, 0, 1));
    screw->parameters[0] = advance;
    return screw;
}

static void open_nut(Rig *rig, double advance) {
    rig_open(rig, 0.8);
    rig->setting.gravity = vec3(0, 0, -gravity);
    BodyDefinition *nut = rig_body(rig, "nut", vec3(0.3, -0.1, 2), mass);
    for (int k = 0; k < 6; k++) nut->inertia[k] = k < 3 ? inertia : 0;
    add_screw(rig, "ground", "nut", nut->pose.position, advance);
}

// A nut that falls down an upright screw drives its own turn: with w = 2 pi v/p,
//
//     (m + J (2 pi/p)^2) a = m g,      F = m (g - a) along the axis,      M = -(p/2 pi) F about it.
//
// The acceleration is constant, so the steps are exact; after 0.4 s the nut has turned five times.
static void check_fall(double advance) {
    Rig rig;
    open_nut(&rig, advance);
    rig_start(&rig);
    double per_metre = 2 * M_PI / advance;
    double a = gravity / (1 + inertia * per_metre * per_metre / mass), force = mass * (gravity - a);
    for (int step = 1; step <= 400; step++) {
        rig_step(&rig, 1e-3);
        double t = 1e-3 * step, angle = -per_metre * 0.5 * a * t * t;
        const NodeState *nut = rig_node(&rig, "nut");
        check_vec3_near(nut->x, vec3(0.3, -0.1, 2 - 0.5 * a * t * t), 1e-9);
        check_vec3_near(nut->v, vec3(0, 0, -a * t), 1e-8);
        check_vec3_near(nut->w, vec3(0, 0, -per_metre * a * t), 1e-6);
        check_mat3_near(nut->R, so3_exp(vec3(0, 0, angle)), 1e-6);
        Load reaction = mechanism_reaction(rig.mechanism, mechanism_find_joint(rig.mechanism, "screw"));
        check_vec3_near(reaction.force, vec3(0, 0, force), 1e-6);
        check_vec3_near(reaction.moment, vec3(0, 0, -force / per_metre), 1e-8);
        check_near(reaction.moment.z, inertia * nut->alpha.z, 1e-8);
    }
    assert_true(0.5 * a * 0.4 * 0.4 > 5 * fabs(advance)); // five turns
    rig_close(&rig);
}

static void test_falling_nut(void **state) {
    (void)state;
    check_fall(pitch);
    check_fall(-pitch); // left-handed
}

// Poses that the thread allows, over many turns: phi is zero, and the reaction does no work along them.
static void test_free_motion(void **state) {
    (void)state;
    Site site = {0};
    site_open(&site, 2, 5);
    JointDefinition screw = {.name = "screw",
                             .kind = JOINT_SCREW,
                             .nodes = {"a", "b"},
                             .axis = {0.6, 0, 0.8},
                             .parameters = {0.3}};
    site.definition.joints = &screw;
    site.definition.joint_count = 1;
    site_build(&site, &joint_part);
    Random random = {7};
    for (double angle = -30; angle < 30; angle += 1.3) {
        Trial trial = trial_random(&site, 0, &random);
        const Joint *joint = trial.element->data;
        NodeState *a = &trial.nodes[0], *b = &trial.nodes[1];
        Mat3 axes = mat3_mul(a->R, joint->markers[0].axes);
        Vec3 z = mat3_column(axes, 2), marker = vec3_add(a->x, mat3_apply(a->R, joint->markers[0].offset));
        double advance = 0.3 / (2 * M_PI), r[ELEMENT_ROWS];
        b->R = mat3_mul(mat3_mul(axes, so3_exp(vec3(0, 0, angle))), mat3_transpose(joint->markers[1].axes));
        Vec3 arm = mat3_apply(b->R, joint->markers[1].offset);
        b->x = vec3_sub(vec3_madd(marker, advance * angle, z), arm);
        a->v = a->w = vec3_zero();
        b->w = z;
        b->v = vec3_sub(vec3_scale(advance, z), vec3_cross(z, arm));
        trial.state[joint->turn_memory] = angle + 2 * sin(angle); // within half a turn
        trial_residual(&trial, r);
        for (int i = 0; i < 5; i++) check_near(r[12 + i], 0, 1e-12);
        check_near(trial_power(&trial), 0, 1e-12);
    }
    site_close(&site);
}

// A driven angle moves the nut, a driven position turns it, over many turns.
static void test_drives(void **state) {
    (void)state;
    for (int drive = 0; drive < 3; drive++) {
        Rig rig;
        open_nut(&rig, pitch);
        JointDefinition *screw = &rig.joints[0];
        if (drive == 0) screw->angle[2] = rig_expression(&rig, "60*t^2");
        if (drive == 1) screw->rate[2] = rig_expression(&rig, "120*t");
        if (drive == 2) screw->position[2] = rig_expression(&rig, "60*t^2*0.02/(2*pi)");
        rig_start(&rig);
        for (int step = 1; step <= 1000; step++) {
            rig_step(&rig, 1e-3);
            double t = 1e-3 * step, angle = 60 * t * t;
            const NodeState *nut = rig_node(&rig, "nut");
            check_near(nut->x.z, 2 + pitch * angle / (2 * M_PI), 1e-8);
            check_mat3_near(nut->R, so3_exp(vec3(0, 0, angle)), 1e-5);
        }
        rig_close(&rig);
    }
}

// A screw between two free bodies: their momenta along and about the axis are kept.
static void test_two_bodies(void **state) {
    (void)state;
    Rig rig;
    rig_open(&rig, 1);
    BodyDefinition *spindle = rig_body(&rig, "spindle", vec3(0, 0, 0), 2);
    BodyDefinition *nut = rig_body(&rig, "nut", vec3(0, 0, 0.1), mass);
    for (int k = 0; k < 6; k++) {
        spindle->inertia[k] = k < 3 ? 8e-5 : 0;
        nut->inertia[k] = k < 3 ? inertia : 0;
    }
    spindle->pose.angular_velocity = vec3(0, 0, 50);
    add_screw(&rig, "spindle", "nut", vec3(0, 0, 0.1), pitch);
    rig_start(&rig);
    const NodeState *a = rig_node(&rig, "spindle"), *b = rig_node(&rig, "nut");
    double momentum = 2 * a->v.z + mass * b->v.z, spin = 8e-5 * a->w.z + inertia * b->w.z;
    double energy = rig_energy(&rig);
    for (int step = 0; step < 1000; step++) rig_step(&rig, 1e-3);
    a = rig_node(&rig, "spindle"), b = rig_node(&rig, "nut");
    check_near(2 * a->v.z + mass * b->v.z, momentum, 1e-9);
    check_near(8e-5 * a->w.z + inertia * b->w.z, spin, 1e-9);
    check_near(b->v.z - a->v.z, pitch / (2 * M_PI) * (b->w.z - a->w.z), 1e-9);
    assert_true(fabs(b->w.z - a->w.z) > 10); // it turns on
    check_near(rig_energy(&rig), energy, 1e-9 * energy);
    rig_close(&rig);
}

// ---- messages ----------------------------------------------------------------------------------------
static void refuse(Rig *rig, const char *words) {
    assert_int_equal(mechanism_create(&rig->definition, &rig->setting, &rig->mechanism, &rig->error),
                     MRC_MODEL);
    if (!strstr(rig->error.text, words)) fail_msg("'%s' does not say '%s'", rig->error.text, words);
    rig_close(rig);
}

static void test_messages(void **state) {
    (void)state;
    Rig rig;
    open_nut(&rig, 0);
    refuse(&rig, "joint 'screw' has a 'pitch' of 0");
    open_nut(&rig, pitch);
    rig.joints[0].angle[2] = rig_expression(&rig, "t");
    rig.joints[0].speed[2] = rig_expression(&rig, "t");
    refuse(&rig, "only one can be driven");
    open_nut(&rig, pitch); // a second guide on the same axis
    rig_joint(&rig, "guide", JOINT_CYLINDRICAL, "ground", "nut", vec3(0.3, -0.1, 2), vec3(0, 0, 1));
    refuse(&rig, "4 of the 4 constraints of joint 'guide' repeat what 'screw' already fixes");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_falling_nut), cmocka_unit_test(test_free_motion), cmocka_unit_test(test_drives),
        cmocka_unit_test(test_two_bodies),  cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
