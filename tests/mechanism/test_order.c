// Second order in the step of positions, velocities, accelerations and reactions, for a pendulum, a double
// pendulum and a heavy top, whatever rho_inf is, in the absolute form, in the relative form with ball joints in the
// tree, and in the relative form with free bodies whose balls are loops; and the answers are right, by equations of
// motion written in another way.
#include "mechanism/parts.h"

static const Vec3 gravity = {0, 0, -9.81};

// ---- systems -----------------------------------------------------------------------------------------------
static MrcStatus hang_one(Builder *builder, MrcError *error) {
    (void)error;
    add_ball(builder, "pivot", -1, vec3_zero(), 0, vec3(-0.4, 0, 0));
    return MRC_OK;
}
static MrcStatus hang_two(Builder *builder, MrcError *error) {
    add_ball(builder, "elbow", 0, vec3(0.3, 0, 0), 1, vec3(-0.25, 0.1, 0));
    return hang_one(builder, error);
}

typedef struct Sample {
    double value[12]; // position, velocity, acceleration, reaction of the last body's node
} Sample;

static Sample sample(const Mechanism *m) {
    const NodeState *node = mechanism_node(m, mechanism_node_count(m) - 1);
    Load load = mechanism_reaction(m, mechanism_find_joint(m, "pivot"));
    Vec3 all[] = {node->x, node->v, node->a, load.force};
    Sample s;
    for (int i = 0; i < 12; i++) s.value[i] = vec3_component(all[i / 3], i % 3);
    return s;
}

typedef enum Form { ABSOLUTE, TREE, LOOPS, FORMS } Form;

static Sample run(BodyDefinition *bodies, int count, MrcStatus (*joints)(Builder *, MrcError *), Form form,
                  double rho, double h, double end) {
    JointDefinition balls[] = {{.name = "pivot",
                                .kind = JOINT_SPHERICAL,
                                .nodes = {"ground", bodies[0].name},
                                .has_offsets = true,
                                .offsets = {{0, 0, 0}, {-0.4, 0, 0}}},
                               {.name = "elbow",
                                .kind = JOINT_SPHERICAL,
                                .nodes = {bodies[0].name, bodies[count - 1].name},
                                .has_offsets = true,
                                .offsets = {{0.3, 0, 0}, {-0.25, 0.1, 0}}}};
    MechanismDefinition definition = {
        .integrator = integrator(rho, 1e-11), .bodies = bodies, .body_count = count};
    if (form != ABSOLUTE) definition.formulation = FORMULATION_RELATIVE;
    if (form == TREE) definition.joints = balls, definition.joint_count = count;
    Mechanism *m = must_create(&definition, gravity, form == TREE ? NULL : joints);
    for (int n = 0; n < (int)round(end / h); n++) step(m, h, NULL);
    assert_true(mechanism_counts(m).violation < 1e-10);
    Sample s = sample(m);
    mechanism_destroy(m);
    return s;
}

static double distance(Sample a, Sample b, int group) {
    double sum = 0;
    for (int i = 3 * group; i < 3 * group + 3; i++)
        sum += (a.value[i] - b.value[i]) * (a.value[i] - b.value[i]);
    return sqrt(sum);
}

static void check_order(BodyDefinition *bodies, int count, MrcStatus (*joints)(Builder *, MrcError *),
                        double h, double end, const Sample *exact) {
    const double rhos[] = {0, 0.6, 1};
    for (int r = 0; r < 3 * FORMS; r++) {
        Sample s[3];
        for (int k = 0; k < 3; k++)
            s[k] = run(bodies, count, joints, (Form)(r / 3), rhos[r % 3], h / (1 << k), end);
        for (int g = 0; g < 4; g++) {
            double coarse = distance(s[0], s[1], g), fine = distance(s[1], s[2], g);
            double order = log2(coarse / fine);
            check_near(order, 2, 0.15);
            if (exact) assert_true(distance(s[2], *exact, g) < 0.6 * fine);
        }
    }
}

// ---- pendulum: theta'' = -m g l sin(theta)/J_pivot -----------------------------------------------------------
static void pendulum_is_of_second_order(void **state) {
    (void)state;
    double l = 0.4, m = 1.7, J = 0.05, w0 = 2.5, end = 0.7, h = 1e-5;
    BodyDefinition body = {
        .name = "bob",
        .mass = m,
        .inertia = {0.01, J, 0.04},
        .pose = {.position = {l, 0, 0}, .velocity = {0, 0, -w0 * l}, .angular_velocity = {0, w0, 0}}};
    // angle below the horizontal, by Runge and Kutta
    double y = 0, w = w0, p2 = m * 9.81 * l / (J + m * l * l);
    for (int n = 0; n < (int)round(end / h); n++) {
        double k1 = w, l1 = p2 * cos(y), k2 = w + h / 2 * l1, l2 = p2 * cos(y + h / 2 * k1);
        double k3 = w + h / 2 * l2, l3 = p2 * cos(y + h / 2 * k2), k4 = w + h * l3, l4 = p2 * cos(y + h * k3);
        y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        w += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    double alpha = p2 * cos(y);
    Vec3 out = vec3(cos(y), 0, -sin(y)), along = vec3(-sin(y), 0, -cos(y));
    Vec3 a = vec3_madd(vec3_scale(alpha * l, along), -w * w * l, out);
    Vec3 all[] = {vec3_scale(l, out), vec3_scale(w * l, along), a, vec3_scale(m, vec3_sub(a, gravity))};
    Sample exact;
    for (int i = 0; i < 12; i++) exact.value[i] = vec3_component(all[i / 3], i % 3);
    check_order(&body, 1, hang_one, 1e-3, end, &exact);
}

static void double_pendulum_is_of_second_order(void **state) {
    (void)state;
    BodyDefinition bodies[] = {{.name = "upper",
                                .mass = 1.2,
                                .inertia = {0.01, 0.03, 0.025, 0.002, 0.001, -0.003},
                                .center = {0.05, 0.02, 0},
                                .pose = {.position = {0.4, 0, 0}}},
                               {.name = "lower",
                                .mass = 0.8,
                                .inertia = {0.02, 0.01, 0.022},
                                .pose = {.position = {0.95, -0.1, 0}}}};
    check_order(bodies, 2, hang_two, 2e-3, 0.6, NULL);
}

// ---- heavy top: Euler about the fixed point, in body axes ------------------------------------------------------
typedef struct Top {
    Vec3 w;
    Quaternion q;
} Top;
static const Vec3 top_J = {0.3, 0.28, 0.25}; // about the fixed point
static const double top_m = 1.1, top_l = 0.4;

static Vec3 top_acceleration(Top top) {
    Vec3 pull = quaternion_unrotate(top.q, gravity), w = top.w;
    Vec3 moment = vec3_cross(vec3(top_l, 0, 0), vec3_scale(top_m, pull));
    Vec3 spin = vec3(top_J.x * w.x, top_J.y * w.y, top_J.z * w.z);
    Vec3 rest = vec3_sub(moment, vec3_cross(w, spin));
    return vec3(rest.x / top_J.x, rest.y / top_J.y, rest.z / top_J.z);
}
static Top top_rate(Top top) {
    Quaternion w = {0, top.w.x, top.w.y, top.w.z}, q = quaternion_mul(top.q, w);
    return (Top){top_acceleration(top), {0.5 * q.w, 0.5 * q.x, 0.5 * q.y, 0.5 * q.z}};
}
static Top top_madd(Top a, double s, Top b) {
    return (Top){vec3_madd(a.w, s, b.w),
                 {a.q.w + s * b.q.w, a.q.x + s * b.q.x, a.q.y + s * b.q.y, a.q.z + s * b.q.z}};
}

static void heavy_top_is_of_second_order(void **state) {
    (void)state;
    double h = 2e-5, end = 0.4;
    Vec3 axis = vec3_normalize(vec3(0.2, -1, 0.1)), w0 = vec3(60, 0, 0);
    Quaternion q0 = quaternion_from_rotation_vector(vec3_scale(0.9, axis));
    Mat3 R0 = quaternion_to_matrix(q0);
    BodyDefinition body = {
        .name = "top",
        .mass = top_m,
        .inertia = {top_J.x, top_J.y - top_m * top_l * top_l, top_J.z - top_m * top_l * top_l},
        .pose = {.position = mat3_apply(R0, vec3(top_l, 0, 0)),
                 .axis = axis,
                 .angle = 0.9,
                 .angular_velocity = mat3_apply(R0, w0)}};
    Top top = {w0, q0};
    for (int n = 0; n < (int)round(end / h); n++) {
        Top k1 = top_rate(top), k2 = top_rate(top_madd(top, h / 2, k1));
        Top k3 = top_rate(top_madd(top, h / 2, k2)), k4 = top_rate(top_madd(top, h, k3));
        top = top_madd(top_madd(top_madd(top_madd(top, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
        top.q = quaternion_normalize(top.q);
    }
    Mat3 R = quaternion_to_matrix(top.q);
    Vec3 arm = mat3_apply(R, vec3(top_l, 0, 0)), w = mat3_apply(R, top.w);
    Vec3 alpha = mat3_apply(R, top_acceleration(top)); // w x w = 0
    Vec3 a = vec3_add(vec3_cross(alpha, arm), vec3_cross(w, vec3_cross(w, arm)));
    Vec3 all[] = {arm, vec3_cross(w, arm), a, vec3_scale(top_m, vec3_sub(a, gravity))};
    Sample exact;
    for (int i = 0; i < 12; i++) exact.value[i] = vec3_component(all[i / 3], i % 3);
    check_order(&body, 1, hang_one, 5e-4, end, &exact);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_is_of_second_order),
        cmocka_unit_test(double_pendulum_is_of_second_order),
        cmocka_unit_test(heavy_top_is_of_second_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
