// Rigid bodies: Jacobian against difference quotients, free flight, tumbling about the middle axis.
#include "mechanism/parts.h"
#include "mechanism/product_check.h"

extern const ElementKind body_kind;

static Inertia random_inertia(Random *random) {
    Inertia sum = {0};
    for (int i = 0; i < 4; i++) {
        Vec3 at = check_random_vec3(random), sides = {0.2 + 0.1 * i, 0.5, 0.3};
        sum = inertia_add(sum, inertia_translate(inertia_box(0.5 + 0.3 * i, sides), at));
    }
    return sum;
}

// ---- Jacobian ----------------------------------------------------------------------------------------------
// dr/d(a, v, q) in the three parts, each along every direction.
static void displace(NodeState *node, int part, int k, double d) {
    Vec3 unit = vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    Vec3 *linear[] = {&node->a, &node->v, &node->x}, *angular[] = {&node->alpha, &node->w};
    if (k < 3) *linear[part] = vec3_madd(*linear[part], d, unit);
    else if (part < 2) *angular[part] = vec3_madd(*angular[part], d, unit);
    else node->R = mat3_mul(so3_exp(vec3_scale(d, unit)), node->R);
}

static Inertia built_inertia;
static MrcStatus add_random(Builder *builder, MrcError *error) {
    (void)error;
    NodeState start = node_ground;
    builder_add_mass(builder, "body", builder_add_node(builder, "body", &start), built_inertia);
    return MRC_OK;
}

static void jacobian_is_the_difference_quotient(void **state) {
    (void)state;
    Random random = {7};
    for (int trial = 0; trial < 20; trial++) {
        built_inertia = random_inertia(&random);
        MechanismDefinition definition = {.integrator = integrator(0.6, 1e-6)};
        Mechanism *m = must_create(&definition, vec3(1, -9.81, 0.4), add_random);
        NodeState node = {.x = check_random_vec3(&random),
                          .R = so3_exp(check_random_vec3(&random)),
                          .v = check_random_vec3(&random),
                          .w = check_random_vec3(&random),
                          .a = check_random_vec3(&random),
                          .alpha = check_random_vec3(&random)};
        ElementInput in = {.gravity = m->gravity, .node = {&node}};
        for (int part = 0; part < 3; part++) {
            double J[36] = {0}, size = 0;
            body_kind.jacobian(&m->elements[0], &in, part == 0, part == 1, part == 2, J);
            for (int i = 0; i < 36; i++) size = fmax(size, fabs(J[i]));
            for (int k = 0; k < 6; k++) {
                double plus[6], minus[6], d = 1e-5;
                NodeState kept = node;
                displace(&node, part, k, d);
                body_kind.residual(&m->elements[0], &in, plus);
                node = kept;
                displace(&node, part, k, -d);
                body_kind.residual(&m->elements[0], &in, minus);
                node = kept;
                for (int i = 0; i < 6; i++)
                    check_near(J[6 * i + k], (plus[i] - minus[i]) / (2 * d), 1e-6 * fmax(size, 1));
            }
        }
        for (int part = 0; part < 3; part++)
            check_product(&m->elements[0], &in, part == 0, part == 1, part == 2);
        check_product(&m->elements[0], &in, 1, 0.1, 0.02);
        mechanism_destroy(m);
    }
}

// ---- free flight -------------------------------------------------------------------------------------------
// Whatever the offset of the node and the spin, the centre of mass falls on its parabola, and angular
// momentum about it and energy stay.
static void thrown_body_keeps_momentum_and_energy(void **state) {
    (void)state;
    Random random = {11};
    built_inertia = random_inertia(&random);
    built_inertia.centre = vec3(0.3, -0.2, 0.15);
    Vec3 gravity = vec3(0, 0, -9.81);
    double drift[2];
    for (int fine = 0; fine < 2; fine++) {
        MechanismDefinition definition = {.integrator = integrator(1, 1e-12)};
        Mechanism *m = must_create(&definition, gravity, add_random);
        NodeState *node = &m->one.nodes[0];
        Vec3 w = vec3(2, -3, 1.5), c = built_inertia.centre;
        node->v = vec3(0.4, 0.1, 3), node->w = w;
        Vec3 v0 = vec3_add(node->v, vec3_cross(w, c));
        instant_copy(m, m->now, m->one);
        assert_true(consistent_accelerations(m, 0, NULL, 0, false));
        instant_copy(m, m->one, m->now);
        Vec3 momentum = mat3_apply(built_inertia.tensor, w);
        ElementEnergy start = mechanism_energy(m);
        double h = fine ? 5e-4 : 1e-3, end = 0.5;
        for (int n = 0; n < (int)round(end / h); n++) step(m, h, NULL);
        const NodeState *now = mechanism_node(m, 0);
        Vec3 arm = mat3_apply(now->R, c);
        Vec3 expected = vec3_madd(vec3_madd(c, end, v0), 0.5 * end * end, gravity);
        drift[fine] = vec3_norm(vec3_sub(vec3_add(now->x, arm), expected));
        Vec3 spin =
            mat3_apply(now->R, mat3_apply(built_inertia.tensor, mat3_apply_transpose(now->R, now->w)));
        check_vec3_near(spin, momentum, 2e-5 * vec3_norm(momentum));
        ElementEnergy last = mechanism_energy(m);
        check_near(last.kinetic + last.potential, start.kinetic + start.potential, 1e-4 * start.kinetic);
        mechanism_destroy(m);
    }
    assert_true(drift[0] < 1e-5);
    check_near(drift[0] / drift[1], 4, 0.3); // second order
}

// ---- Dzhanibekov -------------------------------------------------------------------------------------------
// Spun about the middle axis with a small disturbance, the axis turns over and back. The time between two
// flips is that of Euler's equations: period of w2 = 4 K(k)/p with Jacobi's elliptic functions; here found
// from them by integrating Euler's equations with a fine Runge-Kutta rule.
static Vec3 euler_rate(Vec3 J, Vec3 w) {
    return vec3((J.y - J.z) * w.y * w.z / J.x, (J.z - J.x) * w.z * w.x / J.y, (J.x - J.y) * w.x * w.y / J.z);
}

static void tumbling_body_flips(void **state) {
    (void)state;
    Vec3 J = vec3(0.02, 0.05, 0.06), w = vec3(0.01, 12, -0.02);
    BodyDefinition body = {.name = "nut",
                           .mass = 1.3,
                           .inertia = {J.x, J.y, J.z},
                           .pose = {.axis = {0.6, 0, 0.8}, .angle = 0.7}};
    body.pose.angular_velocity = mat3_apply(so3_exp(vec3_scale(0.7, body.pose.axis)), w);
    MechanismDefinition definition = {.integrator = integrator(1, 1e-10), .bodies = &body, .body_count = 1};
    Mechanism *m = must_create(&definition, vec3_zero(), NULL);
    Vec3 momentum = mat3_apply(mechanism_node(m, 0)->R, vec3(J.x * w.x, J.y * w.y, J.z * w.z));
    double energy = mechanism_energy(m).kinetic, h = 2e-4, low = 1;
    int flips = 0, flips_exact = 0;
    double last = 1, last_exact = 1, t_flip = 0, t_exact = 0;
    for (int n = 1; n <= 40000; n++) {
        step(m, h, NULL);
        const NodeState *node = mechanism_node(m, 0);
        Vec3 local = mat3_apply_transpose(node->R, node->w);
        low = fmin(low, local.y);
        if (last * local.y < 0) flips++, t_flip = n * h;
        last = local.y;
        Vec3 k1 = euler_rate(J, w), k2 = euler_rate(J, vec3_madd(w, h / 2, k1));
        Vec3 k3 = euler_rate(J, vec3_madd(w, h / 2, k2)), k4 = euler_rate(J, vec3_madd(w, h, k3));
        w = vec3_madd(w, h / 6, vec3_add(vec3_add(k1, k4), vec3_scale(2, vec3_add(k2, k3))));
        if (last_exact * w.y < 0) flips_exact++, t_exact = n * h;
        last_exact = w.y;
        Vec3 spin = mat3_apply(node->R, vec3(J.x * local.x, J.y * local.y, J.z * local.z));
        check_vec3_near(spin, momentum, 2e-4 * vec3_norm(momentum));
    }
    assert_true(flips >= 3);
    assert_int_equal(flips, flips_exact);
    check_near(t_flip, t_exact, 2e-3 * t_exact);
    assert_true(low < -11.9);
    check_near(mechanism_energy(m).kinetic, energy, 1e-4 * energy);
    mechanism_destroy(m);
}

// A steady spin about a principal axis is exact, however long the step (up to half a turn).
static void steady_spin_is_exact(void **state) {
    (void)state;
    BodyDefinition body = {
        .name = "rotor", .mass = 1, .inertia = {1, 1, 2}, .pose = {.angular_velocity = {0, 0, 100}}};
    MechanismDefinition definition = {.integrator = integrator(0.6, 1e-10), .bodies = &body, .body_count = 1};
    Mechanism *m = must_create(&definition, vec3_zero(), NULL);
    for (int n = 0; n < 1000; n++) step(m, 0.02, NULL); // 2 rad a step
    check_mat3_near(mechanism_node(m, 0)->R, so3_exp(vec3(0, 0, fmod(2000, 2 * acos(-1)))), 1e-9);
    mechanism_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobian_is_the_difference_quotient),
        cmocka_unit_test(thrown_body_keeps_momentum_and_energy),
        cmocka_unit_test(tumbling_body_flips),
        cmocka_unit_test(steady_spin_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
