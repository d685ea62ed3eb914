// Beams in motion, stepped by the mechanism.
#include <stdio.h>
#include <string.h>

#include "check_math.h"
#include "mechanism/beam_mesh.h"
#include "mechanism/mechanism.h"

// ---- a mechanism of one beam with what it needs --------------------------------------------------
typedef struct Model {
    Arena *arena;
    MechanismDefinition definition;
    BeamDefinition beam;
    BodyDefinition body;
    JointDefinition joint;
    Vec3 gravity; // [m/s^2]
    Mechanism *mechanism;
} Model;

static const Expression *formula(Model *model, const char *text) {
    ExpressionScope scope = {0};
    ExpressionError error;
    const Expression *expression = expression_compile(model->arena, text, &scope, &error);
    if (!expression) fail_msg("%s: %s", text, error.text);
    return expression;
}

static void model_open(Model *model, double rho_inf) {
    *model = (Model){.arena = arena_create()};
    model->definition.integrator =
        (IntegratorDefinition){.rho_inf = rho_inf, .tolerance = 1e-8, .iterations = 20};
    model->definition.beams = &model->beam, model->definition.beam_count = 1;
}
static void model_with_body(Model *model) {
    model->definition.bodies = &model->body, model->definition.body_count = 1;
}
static void model_with_joint(Model *model) {
    model->definition.joints = &model->joint, model->definition.joint_count = 1;
}
static void model_start(Model *model) {
    MrcError error = {0};
    MechanismSetting setting = {.gravity = model->gravity};
    if (mechanism_create(&model->definition, &setting, &model->mechanism, &error)) fail_msg("%s", error.text);
}
static void model_close(Model *model) {
    mechanism_destroy(model->mechanism);
    arena_destroy(model->arena);
}
static void model_step(Model *model, double h) {
    MrcError error = {0};
    if (mechanism_begin(model->mechanism, h, &error) || mechanism_advance(model->mechanism, NULL, &error) ||
        mechanism_commit(model->mechanism, &error))
        fail_msg("%s", error.text);
}
static const NodeState *model_node(const Model *model, const char *name) {
    return mechanism_node(model->mechanism, mechanism_find_node(model->mechanism, name));
}
static double energy_of(const Model *model) {
    ElementEnergy energy = mechanism_energy(model->mechanism);
    return energy.kinetic + energy.elastic + energy.potential;
}

// ---- a beam thrown through the air, with a body beside its end -----------------------------------
typedef struct Momentum {
    Vec3 linear, angular; // about the world's origin
} Momentum;

static void add_momentum(Momentum *sum, const NodeState *node, Inertia body) {
    Vec3 arm = mat3_apply(node->R, body.centre);
    Vec3 p = vec3_scale(body.mass, vec3_add(node->v, vec3_cross(node->w, arm)));
    Vec3 spin = mat3_apply(node->R, mat3_apply(body.tensor, mat3_apply_transpose(node->R, node->w)));
    sum->linear = vec3_add(sum->linear, p);
    sum->angular = vec3_add(sum->angular, vec3_add(spin, vec3_cross(vec3_add(node->x, arm), p)));
}

static Momentum momentum_of(const Model *model, const BeamMesh *mesh) {
    Momentum sum = {0};
    for (int n = 0; n < mesh->node_count; n++)
        add_momentum(&sum, mechanism_node(model->mechanism, n), mesh->masses[n]);
    const double *J = model->body.inertia;
    Inertia body = {model->body.mass, model->body.center, mat3_diagonal(J[0], J[1], J[2])};
    add_momentum(&sum, model_node(model, "arm.end"), body);
    return sum;
}

static void throw_beam(Model *model, int64_t elements) {
    model_open(model, 1);
    model_with_body(model);
    model->beam = (BeamDefinition){.name = "arm",
                                   .to = vec3(1, 0, 0),
                                   .elements = elements,
                                   .section = {.kind = SECTION_GIVEN,
                                               .axial = 2e4,
                                               .shear_y = 1e4,
                                               .shear_z = 1e4,
                                               .torsion = 0.8,
                                               .bending_y = 1.2,
                                               .bending_z = 1,
                                               .mass = 1,
                                               .inertia = {2e-3, 1e-3, 1e-3}},
                                   .velocity = vec3(1, -2, 0.5),
                                   .angular_velocity = vec3(1, 4, 8)};
    model->body = (BodyDefinition){.name = "stone",
                                   .node = "arm.end",
                                   .mass = 0.4,
                                   .inertia = {3e-3, 4e-3, 5e-3},
                                   .center = vec3(0.05, 0.1, -0.08)};
    model_start(model);
}

static void test_thrown_beam_keeps_momentum_and_energy(void **state) {
    (void)state;
    double drift[2];
    for (int i = 0; i < 2; i++) {
        Model model;
        throw_beam(&model, 4 << i);
        BeamMesh mesh;
        MrcError error;
        beam_mesh_create(&model.beam, NULL, model.arena, &mesh, &error);
        Momentum before = momentum_of(&model, &mesh);
        double start = energy_of(&model), bent = 0, low = start, high = start;
        for (int k = 0; k < 4000; k++) {
            model_step(&model, 2.5e-4);
            double now = energy_of(&model);
            low = fmin(low, now), high = fmax(high, now);
            Mat3 turn = mat3_mul(mat3_transpose(model_node(&model, "arm.start")->R),
                                 model_node(&model, "arm.end")->R);
            bent = fmax(bent, acos(fmin(1, 0.5 * (mat3_trace(turn) - 1))));
        }
        Momentum after = momentum_of(&model, &mesh);
        double p = vec3_norm(before.linear), L = vec3_norm(before.angular);
        assert_true(bent > 0.5);
        check_vec3_near(after.linear, before.linear, 1e-6 * p);
        check_vec3_near(after.angular, before.angular, 1e-5 * L);
        drift[i] = (high - low) / start;
        model_close(&model);
    }
    // The elastic energy is Gauss's sum over the cuts; the forces of finite volumes are its derivative up to
    // terms of second order in the size of elements. Nothing else is lost.
    check_near(drift[0], 0, 5e-4);
    check_near(drift[0] / drift[1], 4, 1.2);
}

// ---- material damping: ratio of the first mode b omega/2 -----------------------------------------
static void cantilever_define(Model *model, const char *damping, int64_t elements) {
    model_open(model, 1);
    model_with_joint(model);
    model->beam = (BeamDefinition){.name = "arm",
                                   .to = vec3(1, 0, 0),
                                   .elements = elements,
                                   .section = {.kind = SECTION_GIVEN,
                                               .axial = 1e6,
                                               .shear_y = 4e5,
                                               .shear_z = 4e5,
                                               .torsion = 40,
                                               .bending_y = 90,
                                               .bending_z = 60,
                                               .mass = 0.8},
                                   .angular_velocity = vec3(0, 0, 0.01)};
    model->joint = (JointDefinition){.name = "wall", .kind = JOINT_CLAMP, .nodes = {"arm.start"}};
    if (damping) model->beam.damping = formula(model, damping);
}
static void cantilever(Model *model, const char *damping) {
    cantilever_define(model, damping, 6);
    model_start(model);
}

// Height of the next maximum of the end's deflection and its time, by a parabola through three steps.
static double next_peak(Model *model, double h, double *time) {
    double y[3] = {0, 0, 0};
    for (int k = 0; k < 100000; k++) {
        model_step(model, h);
        y[0] = y[1], y[1] = y[2], y[2] = model_node(model, "arm.end")->x.y;
        if (k >= 2 && y[1] > y[0] && y[1] >= y[2] && y[1] > 0) {
            double slope = 0.5 * (y[2] - y[0]), bend = y[2] - 2 * y[1] + y[0];
            *time = mechanism_time(model->mechanism) - h - h * slope / bend;
            return y[1] - 0.5 * slope * slope / bend;
        }
    }
    fail_msg("no maximum");
    return 0;
}

static void test_damping_ratio(void **state) {
    (void)state;
    Model model;
    cantilever(&model, "4 ms");
    double t[2], peak[2], h = 2e-4;
    for (int i = 0; i < 5; i++) peak[0] = next_peak(&model, h, &t[0]); // higher modes are gone by then
    for (int i = 0; i < 4; i++) peak[1] = next_peak(&model, h, &t[1]);
    double period = (t[1] - t[0]) / 4, omega = 2 * M_PI / period;
    double euler = 1.8751 * 1.8751 * sqrt(60 / 0.8);
    check_near(omega, euler, 0.01 * euler);
    // y = exp(-zeta omega_0 t): zeta omega_0 = log(...)/T, omega = omega_0 sqrt(1 - zeta^2), zeta = b
    // omega_0/2
    double decay = log(peak[0] / peak[1]) / (t[1] - t[0]), natural = hypot(omega, decay);
    check_near(decay / natural, 0.5 * 4e-3 * natural, 2e-3 * decay / natural);
    model_close(&model);
}

// Damping that fades away: decay while it lasts, none afterwards.
static void test_fading_damping(void **state) {
    (void)state;
    Model model;
    cantilever(&model, "max(0, 20 ms - t/50)");
    double t, first = next_peak(&model, 5e-4, &t), last[2] = {0};
    while (mechanism_time(model.mechanism) < 1.05) last[0] = next_peak(&model, 5e-4, &t);
    for (int i = 0; i < 4; i++) last[1] = next_peak(&model, 5e-4, &t);
    assert_true(last[0] < 0.1 * first);
    check_near(last[1], last[0], 0.01 * last[0]);
    model_close(&model);
}

// ---- a cantilever under its own weight -----------------------------------------------------------
// Deflection of the end m g L^4/(8 EI) + m g L^2/(2 GA), exact with any number of elements: the pieces weigh
// what they should, about where they should. Started in equilibrium, it stays there.
static void test_sag(void **state) {
    (void)state;
    const double g = 1e-3, weight = 0.8 * g, expected = weight / (8 * 60) + weight / (2 * 4e5);
    for (int64_t elements = 1; elements <= 9; elements += 4) {
        Model model;
        cantilever_define(&model, NULL, elements);
        model.beam.angular_velocity = vec3_zero();
        model.definition.start = START_EQUILIBRIUM;
        model.gravity = vec3(0, -g, 0);
        model_start(&model);
        double sag = -model_node(&model, "arm.end")->x.y;
        check_near(sag, expected, 1e-8 * expected);
        for (int k = 0; k < 20; k++) model_step(&model, 1e-3);
        check_near(-model_node(&model, "arm.end")->x.y, sag, 1e-6 * sag);
        model_close(&model);
    }
}

// ---- spin-up of a flexible arm -------------------------------------------------------------------
// Simo and Vu-Quoc, J. Appl. Mech. 53 (1986) 855: length 10, EA = 2.8e7, GA = 1e7, EI = 1.4e4, mass 1.2 per
// length; turned up to 6 rad/s in 15 s. Its end lags behind, catches up, and in the end the arm is stretched
// by m w^2 L^3/(3 EA) = 5.14e-4.
//
// The deflection v = sum q_i (x/L)^(i + 2) of a linear arm in the turning frame, with the stiffness that the
// centrifugal tension T = m w^2 (L^2 - x^2)/2 gives it:
//
//     M q'' + (K + w^2 (S - M)) q = -w' P,    M = m int f f,  K = EI int f'' f'',  S = int T/w^2 f' f',  P =
//     m int x f
enum { TERMS = 5 };
typedef struct Arm {
    double M[TERMS][TERMS], K[TERMS][TERMS], S[TERMS][TERMS], P[TERMS];
    double q[TERMS], rate[TERMS];
} Arm;

static double spin_angle_rate(double t) {
    return t < 15 ? 0.4 * (t - 15 / (2 * M_PI) * sin(2 * M_PI * t / 15)) : 6;
}
static double spin_acceleration(double t) { return t < 15 ? 0.4 * (1 - cos(2 * M_PI * t / 15)) : 0; }

static void arm_create(Arm *arm, double m, double EI, double L) {
    *arm = (Arm){0};
    for (int i = 0; i < TERMS; i++) {
        int a = i + 2;
        arm->P[i] = m * L * L / (a + 2);
        for (int j = 0; j < TERMS; j++) {
            int b = j + 2;
            arm->M[i][j] = m * L / (a + b + 1);
            arm->K[i][j] = EI / (L * L * L) * a * (a - 1) * b * (b - 1) / (a + b - 3);
            arm->S[i][j] = 0.5 * m * L * a * b * (1.0 / (a + b - 1) - 1.0 / (a + b + 1));
        }
    }
}

static void solve_small(double A[TERMS][TERMS], double b[TERMS]) {
    for (int k = 0; k < TERMS; k++)
        for (int i = k + 1; i < TERMS; i++) {
            double f = A[i][k] / A[k][k];
            for (int j = k; j < TERMS; j++) A[i][j] -= f * A[k][j];
            b[i] -= f * b[k];
        }
    for (int k = TERMS - 1; k >= 0; k--) {
        for (int j = k + 1; j < TERMS; j++) b[k] -= A[k][j] * b[j];
        b[k] /= A[k][k];
    }
}

// One step of the trapezoidal rule on (q, q'): (M + h^2/4 K_t) (r_new) = ...
static void arm_step(Arm *arm, double t, double h) {
    double A[TERMS][TERMS], b[TERMS], w0 = spin_angle_rate(t), w1 = spin_angle_rate(t + h);
    double p = 0.5 * (spin_acceleration(t) + spin_acceleration(t + h));
    for (int i = 0; i < TERMS; i++) {
        b[i] = -h * p * arm->P[i];
        for (int j = 0; j < TERMS; j++) {
            double k0 = arm->K[i][j] + w0 * w0 * (arm->S[i][j] - arm->M[i][j]);
            double k1 = arm->K[i][j] + w1 * w1 * (arm->S[i][j] - arm->M[i][j]);
            A[i][j] = arm->M[i][j] + 0.25 * h * h * k1;
            b[i] += arm->M[i][j] * arm->rate[j] -
                    0.5 * h * (k0 * arm->q[j] + k1 * (arm->q[j] + 0.5 * h * arm->rate[j]));
        }
    }
    solve_small(A, b);
    for (int i = 0; i < TERMS; i++) {
        arm->q[i] += 0.5 * h * (arm->rate[i] + b[i]);
        arm->rate[i] = b[i];
    }
}

static void test_spin_up(void **state) {
    (void)state;
    const double L = 10, h = 5e-3;
    Model model;
    model_open(&model, 0.8);
    model_with_joint(&model);
    model.beam = (BeamDefinition){.name = "arm",
                                  .to = vec3(L, 0, 0),
                                  .elements = 5,
                                  .section = {.kind = SECTION_GIVEN,
                                              .axial = 2.8e7,
                                              .shear_y = 1e7,
                                              .shear_z = 1e7,
                                              .torsion = 1.4e4,
                                              .bending_y = 1.4e4,
                                              .bending_z = 1.4e4,
                                              .mass = 1.2,
                                              .inertia = {1.2e-3, 6e-4, 6e-4}}};
    model.joint = (JointDefinition){.name = "motor", .kind = JOINT_REVOLUTE, .nodes = {"arm.start"}};
    model.joint.angle[2] =
        formula(&model, "0.4*(min(t/(1 s), 15)^2/2 + (15/(2*pi))^2*(cos(2*pi*min(t/(1 s), 15)/15) - 1))"
                        " + 6*max(t/(1 s) - 15, 0)");
    model_start(&model);
    Arm arm;
    arm_create(&arm, 1.2, 1.4e4, L);
    double deepest = 0, expected = 0, largest_difference = 0, stretch = 0;
    int count = 0;
    for (int k = 0; k < 4000; k++) {
        model_step(&model, h);
        arm_step(&arm, k * h, h);
        double t = (k + 1) * h, linear = 0;
        for (int i = 0; i < TERMS; i++) linear += arm.q[i];
        Vec3 tip = mat3_apply_transpose(model_node(&model, "arm.start")->R, model_node(&model, "arm.end")->x);
        deepest = fmin(deepest, tip.y);
        expected = fmin(expected, linear);
        largest_difference = fmax(largest_difference, fabs(tip.y - linear));
        if (t > 18) stretch += tip.x - L, count++;
    }
    check_near(deepest, expected, 0.01 * fabs(expected));
    check_near(largest_difference, 0, 0.02 * fabs(expected));
    check_near(stretch / count, 1.2 * 36 * L * L * L / (3 * 2.8e7), 0.02 * 5.14e-4);
    model_close(&model);
}

// ---- a rotating beam is stiffer across ------------------------------------------------------------
// Flapping of a uniform blade from the axis of rotation on: with w in units of sqrt(EI/(m L^4)), the first
// frequency is 3.5160, 4.7973, 7.3604, 13.170 at speeds of 0, 3, 6, 12 (Wright, Smith, Thresher, Wang, J.
// Appl. Mech. 49 (1982) 197, doi:10.1115/1.3161966).
static double flapping(double speed) {
    Model model;
    model_open(&model, 0.8);
    model_with_joint(&model);
    const double unit = 20; // sqrt(EI/(m L^4)) [rad/s]
    model.beam = (BeamDefinition){.name = "arm",
                                  .to = vec3(1, 0, 0),
                                  .elements = 6,
                                  .section = {.kind = SECTION_GIVEN,
                                              .axial = 1e7,
                                              .shear_y = 4e6,
                                              .shear_z = 4e6,
                                              .torsion = 400,
                                              .bending_y = unit * unit,
                                              .bending_z = unit * unit,
                                              .mass = 1,
                                              .inertia = {1e-5, 5e-6, 5e-6}},
                                  .angular_velocity = vec3(0, -0.01, speed * unit)};
    model.beam.damping = formula(&model, "0.5 ms");
    model.joint = (JointDefinition){.name = "hub", .kind = JOINT_REVOLUTE, .nodes = {"arm.start"}};
    char text[64];
    snprintf(text, sizeof text, "%.17g*t/(1 s)", speed * unit);
    model.joint.angle[2] = formula(&model, text);
    model_start(&model);
    const double h = speed > 10 ? 1e-4 : 3e-4;
    double before = 0, first = 0, last = 0;
    int crossings = 0;
    while (crossings < 7) {
        model_step(&model, h);
        double z = model_node(&model, "arm.end")->x.z, t = mechanism_time(model.mechanism);
        if (t > 0.3 && before > 0 && z <= 0) { // downwards; higher modes are gone by then
            last = t - h + h * before / (before - z);
            if (crossings++ == 0) first = last;
        }
        before = z;
        assert_true(t < 2);
    }
    model_close(&model);
    return 2 * M_PI * 6 / (last - first) / unit;
}

static void test_rotation_stiffens(void **state) {
    (void)state;
    static const double speed[4] = {0, 3, 6, 12}, published[4] = {3.5160, 4.7973, 7.3604, 13.170};
    for (int i = 0; i < 4; i++) {
        double omega = flapping(speed[i]);
        check_near(omega, published[i], 5e-3 * published[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thrown_beam_keeps_momentum_and_energy),
        cmocka_unit_test(test_damping_ratio),
        cmocka_unit_test(test_fading_damping),
        cmocka_unit_test(test_sag),
        cmocka_unit_test(test_spin_up),
        cmocka_unit_test(test_rotation_stiffens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
