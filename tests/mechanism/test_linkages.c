// Joints and forces in whole mechanisms, against closed forms.
#include "rig.h"

static const double pi = 3.14159265358979323846;

// ---- driven linkages: kinematics is exact whatever the masses ---------------------------------------
// A planar loop in space: the last pin keeps the two translations in the plane only, the rest is said
// already.
static void test_crank_slider(void **state) {
    (void)state;
    const double crank = 0.11, rod = 0.37, rate = 20, tilt = asin(crank * sin(0.4) / rod);
    Rig rig;
    rig_open(&rig, 0.6);
    rig.setting.gravity = vec3(0, -9.81, 0);
    Vec3 z = vec3(0, 0, 1), pin = vec3(crank * cos(0.4), crank * sin(0.4), 0);
    double reach = pin.x + rod * cos(tilt);
    rig_body(&rig, "crank", vec3_scale(0.5, pin), 0.8);
    rig_body(&rig, "rod", vec3(0.5 * (pin.x + reach), 0.5 * pin.y, 0.02), 0.5);
    rig_body(&rig, "slider", vec3(reach, 0, 0), 1.3);
    rig_joint(&rig, "shaft", JOINT_REVOLUTE, "ground", "crank", vec3_zero(), z)->angle[2] =
        rig_expression(&rig, "20*t");
    rig_joint(&rig, "big end", JOINT_REVOLUTE, "crank", "rod", pin, z);
    rig_joint(&rig, "small end", JOINT_POINT_ON_LINE, "rod", "slider", vec3(reach, 0, 0), z);
    rig_joint(&rig, "guide", JOINT_PRISMATIC, "slider", NULL, vec3(reach, 0, 0), vec3(1, 0, 0));
    rig_start(&rig);
    const double h = 1e-4;
    for (int i = 1; i <= 4000; i++) { // more than a turn
        rig_step(&rig, h);
        if (i % 50) continue;
        double angle = 0.4 + rate * h * i, across = crank * sin(angle),
               along = sqrt(rod * rod - across * across);
        const NodeState *slider = rig_node(&rig, "slider");
        check_near(slider->x.x, crank * cos(angle) + along, 1e-9);
        double speed = -crank * rate * sin(angle) * (1 + crank * cos(angle) / along);
        check_near(slider->v.x, speed, 2e-4 * crank * rate);
    }
    assert_true(mechanism_counts(rig.mechanism).violation < 1e-10);
    rig_close(&rig);
}

// Fork and cross: tan(out) = tan(in)/cos(bend) when the driving bar lies in the plane of the shafts at the
// start.
static void test_cardan(void **state) {
    (void)state;
    const double bend = 0.6, rate = 9;
    Vec3 in = vec3(0, 0, 1), out = vec3(sin(bend), 0, cos(bend));
    Rig rig;
    rig_open(&rig, 0.8);
    rig_body(&rig, "input", vec3(0, 0, -0.3), 1);
    rig_body(&rig, "output", vec3_scale(0.3, out), 2);
    rig_joint(&rig, "motor", JOINT_REVOLUTE, "ground", "input", vec3_zero(), in)->angle[2] =
        rig_expression(&rig, "9*t");
    rig_joint(&rig, "cross", JOINT_UNIVERSAL, "input", "output", vec3_zero(), in)->second_axis =
        vec3(1, 0, 0);
    JointDefinition *bearing =
        rig_joint(&rig, "bearing", JOINT_GENERAL, "ground", "output", vec3_zero(), out);
    bearing->rotations[0] = bearing->rotations[1] = true;
    rig_start(&rig);
    const double h = 2e-4;
    for (int i = 1; i <= 5000; i++) {
        rig_step(&rig, h);
        if (i % 100) continue;
        double angle = rate * h * i, c = cos(angle), s = sin(angle);
        double ratio = cos(bend) / (pow(cos(bend) * c, 2) + s * s);
        const NodeState *output = rig_node(&rig, "output");
        check_near(vec3_dot(output->w, out), rate * ratio, 2e-4 * rate);
        // the turn about `out`, seen by what was the y axis
        Vec3 y = mat3_column(output->R, 1);
        double turned = atan2(vec3_dot(y, vec3_cross(out, vec3(0, 1, 0))), y.y);
        double expected = atan2(s / cos(bend), c);
        check_near(remainder(turned - expected, 2 * pi), 0, 1e-9);
    }
    rig_close(&rig);
}

// A drive by its rate: position without drift over many turns, moment and power by Euler's equation.
static void test_driven_turns(void **state) {
    (void)state;
    Rig rig;
    rig_open(&rig, 0.5);
    BodyDefinition *wheel = rig_body(&rig, "wheel", vec3_zero(), 2);
    wheel->inertia[3] = 0;
    rig_joint(&rig, "shaft", JOINT_REVOLUTE, "ground", "wheel", vec3_zero(), vec3(0, 0, 1))->rate[2] =
        rig_expression(&rig, "200 + 30*sin(5*t)");
    rig_start(&rig);
    const double h = 1e-3, inertia = 0.08;
    for (int i = 1; i <= 3000; i++) { // about a hundred turns
        rig_step(&rig, h);
        double t = i * h, angle = 200 * t + 6 * (1 - cos(5 * t));
        const NodeState *node = rig_node(&rig, "wheel");
        check_near(remainder(atan2(node->R.m[1][0], node->R.m[0][0]) - angle, 2 * pi), 0, 1e-9);
        if (i < 10) continue;
        Load load = mechanism_reaction(rig.mechanism, mechanism_find_joint(rig.mechanism, "shaft"));
        double moment = inertia * 150 * cos(5 * t), rate = 200 + 30 * sin(5 * t);
        check_near(load.moment.z, moment, 2e-3 * inertia * 150);
        check_near(mechanism_energy(rig.mechanism).work, moment * rate, 2e-3 * inertia * 150 * 230);
    }
    rig_close(&rig);
}

// ---- free motions -----------------------------------------------------------------------------------
static void test_cylindrical_slide(void **state) {
    (void)state;
    Rig rig;
    rig_open(&rig, 0.7);
    Vec3 axis = vec3_normalize(vec3(1, 2, 2));
    rig.setting.gravity = vec3_scale(-4, axis);
    BodyDefinition *body = rig_body(&rig, "body", vec3(0.3, 0, 0.1), 1.5);
    body->inertia[0] = body->inertia[1] = body->inertia[2] = 0.05; // a ball: nothing shakes
    body->inertia[3] = 0;
    body->pose.velocity = vec3_scale(0.8, axis);
    body->pose.angular_velocity = vec3_scale(3, axis);
    rig_joint(&rig, "rail", JOINT_CYLINDRICAL, "body", NULL, vec3(0.3, 0, 0.1), axis);
    rig_start(&rig);
    for (int i = 0; i < 1000; i++) rig_step(&rig, 1e-3);
    const NodeState *node = rig_node(&rig, "body");
    check_vec3_near(node->x, vec3_madd(vec3(0.3, 0, 0.1), 0.8 - 2, axis), 1e-6);
    check_mat3_near(node->R, so3_exp(vec3_scale(3, axis)), 1e-6);
    Load load = mechanism_reaction(rig.mechanism, mechanism_find_joint(rig.mechanism, "rail"));
    check_vec3_near(load.force, vec3_zero(), 1e-6);
    rig_close(&rig);
}

// A mass between springs, twice: by a spring element and by a force that reads the node's own signals.
static void test_spring_and_feedback(void **state) {
    (void)state;
    static ExpressionSignal names[] = {{"body.x", DIM_LENGTH}, {"body.vx", DIM_VELOCITY}};
    static NodeSignal signals[] = {{"body", 0}, {"body", 6}};
    const double mass = 0.7, stiffness = 900, damping = 1.1, start = 0.01;
    double omega = sqrt(stiffness / mass), decay = damping / (2 * mass);
    double damped = sqrt(omega * omega - decay * decay);
    for (int feedback = 0; feedback < 2; feedback++) {
        Rig rig;
        rig_open(&rig, 1);
        rig_body(&rig, "body", vec3(start, 0, 0), mass);
        rig_joint(&rig, "guide", JOINT_PRISMATIC, "ground", "body", vec3_zero(), vec3(1, 0, 0));
        if (feedback) {
            ExpressionScope scope = {.signals = names, .signal_count = 2};
            rig.forces[0] = (ForceDefinition){.name = "control", .at = "body"};
            rig.forces[0].force[0] =
                expression_compile(rig.arena, "-900 N/m*body.x - 1.1 N*s/m*body.vx", &scope, NULL);
            rig.definition.force_count = 1;
            rig.definition.signals = signals;
            rig.definition.signal_count = 2;
        } else {
            rig.springs[0] = (SpringDefinition){.name = "spring",
                                                .nodes = {"body", NULL},
                                                .offsets = {{0, 0, 0}, {-0.5, 0, 0}},
                                                .stiffness = stiffness,
                                                .damping = damping,
                                                .length = 0.5};
            rig.definition.spring_count = 1;
        }
        rig_start(&rig);
        const double h = 2e-4;
        for (int i = 1; i <= 5000; i++) {
            rig_step(&rig, h);
            double t = i * h;
            double exact = start * exp(-decay * t) * (cos(damped * t) + decay / damped * sin(damped * t));
            // the scheme's period is long by (omega h)^2/12
            check_near(rig_node(&rig, "body")->x.x, exact,
                       start * (1e-6 + omega * t * pow(omega * h, 2) / 10));
        }
        rig_close(&rig);
    }
}

// A flywheel on a torsion spring wound up by several turns swings back as far.
static void test_torsion_oscillator(void **state) {
    (void)state;
    Rig rig;
    rig_open(&rig, 1);
    BodyDefinition *wheel = rig_body(&rig, "wheel", vec3_zero(), 1);
    wheel->inertia[3] = 0;
    const double inertia = 0.04, stiffness = 0.36, omega = 3, speed = 75; // amplitude 25 rad: four turns
    wheel->pose.angular_velocity = vec3(0, 0, speed);
    rig_joint(&rig, "shaft", JOINT_REVOLUTE, "wheel", NULL, vec3_zero(), vec3(0, 0, 1));
    rig.torsion_springs[0] = (TorsionSpringDefinition){
        .name = "spring", .nodes = {"wheel", NULL}, .axis = {0, 0, 1}, .stiffness = stiffness};
    rig.definition.torsion_spring_count = 1;
    rig_start(&rig);
    check_near(sqrt(stiffness / inertia), omega, 1e-15 * 8);
    const double h = 1e-3;
    for (int i = 1; i <= 4000; i++) {
        rig_step(&rig, h);
        check_near(rig_node(&rig, "wheel")->w.z, speed * cos(omega * h * i), 1e-4 * speed);
    }
    rig_close(&rig);
}

// ---- reactions --------------------------------------------------------------------------------------
static void test_clamped_weight(void **state) {
    (void)state;
    Rig rig;
    rig_open(&rig, 0.6);
    rig.setting.gravity = vec3(0, 0, -9.81);
    BodyDefinition *body = rig_body(&rig, "body", vec3(1, 2, 3), 2);
    body->center = vec3(0.1, 0, 0);
    body->pose.axis = vec3(0, 0, 1), body->pose.angle = 0.5;
    rig_joint(&rig, "clamp", JOINT_CLAMP, "ground", "body", vec3(0.4, 2, 3), vec3(0, 1, 0));
    rig.forces[0] = (ForceDefinition){.name = "pull", .at = "body", .offset = {0, 0, 0.2}};
    rig.forces[0].force[0] = rig_expression(&rig, "7 N");
    rig.definition.force_count = 1;
    rig_start(&rig);
    for (int i = 0; i < 20; i++) rig_step(&rig, 1e-3);
    Load load = mechanism_reaction(rig.mechanism, mechanism_find_joint(rig.mechanism, "clamp"));
    Vec3 weight = vec3(0, 0, -2 * 9.81), pull = vec3(7, 0, 0);
    Vec3 center = vec3(0.6 + 0.1 * cos(0.5), 0.1 * sin(0.5), 0), point = vec3(0.6, 0, 0.2); // from the clamp
    check_vec3_near(load.force, vec3_neg(vec3_add(weight, pull)), 1e-8);
    check_vec3_near(load.moment, vec3_neg(vec3_add(vec3_cross(center, weight), vec3_cross(point, pull))),
                    1e-8);
    rig_close(&rig);
}

// ---- closed loops -----------------------------------------------------------------------------------
static void test_four_bar(void **state) {
    (void)state;
    double energy[2];
    for (int i = 0; i < 2; i++) {
        Rig rig;
        rig_four_bar(&rig);
        FourBarRun run = rig_run_four_bar(&rig, i ? 5e-4 : 1e-3, 5);
        energy[i] = run.energy;
        assert_true(run.violation < 1e-12);
        rig_close(&rig);
    }
    assert_true(energy[1] < 1e-4);
    assert_true(energy[0] > 3.5 * energy[1]); // second order
}

// Bricard's: six pins, each square to its neighbours, along the edges of a cube. Thirty constraints for
// thirty freedoms, and yet it moves.
static void test_bricard_is_named(void **state) {
    (void)state;
    static const char *const names[] = {"ground", "one", "two", "three", "four", "five"};
    static const char *const pins[] = {"P0", "P1", "P2", "P3", "P4", "P5"};
    const Vec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
    Rig rig;
    rig_open(&rig, 0.6);
    // link k runs from corner k to corner k + 1; the ground is link 0
    for (int k = 1; k < 6; k++)
        rig_body(&rig, names[k], vec3_scale(0.5, vec3_add(corners[k], corners[(k + 1) % 6])), 1);
    for (int k = 0; k < 6; k++) {
        int before = (k + 5) % 6;
        Vec3 in = vec3_sub(corners[k], corners[before]), out = vec3_sub(corners[(k + 1) % 6], corners[k]);
        rig_joint(&rig, pins[k], JOINT_REVOLUTE, names[before], names[k], corners[k], vec3_cross(in, out));
    }
    assert_int_equal(mechanism_create(&rig.definition, &rig.setting, &rig.mechanism, &rig.error), MRC_MODEL);
    for (int k = 0; k < 6; k++)
        if (!strstr(rig.error.text, pins[k])) fail_msg("%s", rig.error.text);
    if (!strstr(rig.error.text, "1 redundant in all")) fail_msg("%s", rig.error.text);

    // With one turn of the last pin let go it is a mechanism of one freedom, and that turn does not happen.
    rig.setting.gravity = vec3(0, -9.81, 0);
    rig.definition.integrator.rho_inf = 1;
    rig.joints[5].kind = JOINT_GENERAL;
    for (int i = 0; i < 3; i++) rig.joints[5].translations[i] = true;
    rig.joints[5].rotations[0] = true;
    rig_start(&rig);
    Vec3 axis = vec3_normalize(rig.joints[5].axis);
    double start = rig_energy(&rig), largest = 0;
    for (int i = 0; i < 2000; i++) {
        rig_step(&rig, 1e-3);
        largest = fmax(largest, mechanism_energy(rig.mechanism).kinetic);
        check_near(rig_energy(&rig), start, 1e-4 * 5 * 9.81);
        check_vec3_near(mat3_apply(rig_node(&rig, "four")->R, axis),
                        mat3_apply(rig_node(&rig, "five")->R, axis), 1e-9);
    }
    assert_true(largest > 1); // it does move
    rig_close(&rig);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crank_slider),        cmocka_unit_test(test_cardan),
        cmocka_unit_test(test_driven_turns),        cmocka_unit_test(test_cylindrical_slide),
        cmocka_unit_test(test_spring_and_feedback), cmocka_unit_test(test_torsion_oscillator),
        cmocka_unit_test(test_clamped_weight),      cmocka_unit_test(test_four_bar),
        cmocka_unit_test(test_bricard_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
