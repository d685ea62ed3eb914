// Port mobility against a difference quotient of real steps, and impulses: plastic impacts on free and
// jointed bodies, and the recurrence of the condensed scheme on a two-mass oscillator.
#include "math/two_step.h"
#include "mechanism/parts.h"

static MrcStatus hang_two(Builder *builder, MrcError *error) {
    (void)error;
    add_ball(builder, "pivot", -1, vec3_zero(), 0, vec3(-0.4, 0, 0));
    add_ball(builder, "elbow", 0, vec3(0.3, 0, 0), 1, vec3(-0.25, 0.1, 0));
    add_anchor(builder, 1, vec3(3000, 2000, 1000), vec3(5, 2, 1));
    return MRC_OK;
}
static BodyDefinition two_bodies[] = {{.name = "upper",
                                       .mass = 1.2,
                                       .inertia = {0.01, 0.03, 0.025, 0.002, 0.001, -0.003},
                                       .center = {0.05, 0.02, 0},
                                       .pose = {.position = {0.4, 0, 0}, .angular_velocity = {0, 1, 2}}},
                                      {.name = "lower",
                                       .mass = 0.8,
                                       .inertia = {0.02, 0.01, 0.022},
                                       .pose = {.position = {0.95, -0.1, 0}, .angular_velocity = {1, 0, 0}}}};

// Two ports on two bodies. A load at the end of a step changes velocities there by c Y times itself.
static void mobility_is_the_difference_quotient_of_a_step(void **state) {
    (void)state;
    MechanismDefinition definition = {
        .integrator = integrator(0.6, 1e-12), .bodies = two_bodies, .body_count = 2};
    Mechanism *m = must_create(&definition, vec3(0, 0, -9.81), hang_two);
    MrcError error;
    int ports[3];
    double h = 1e-4, Y[18 * 18], quotient[18 * 18], largest = 0;
    must(mechanism_add_port(m, 1, vec3(0.1, 0.05, -0.2), quaternion_identity(), &ports[0], &error), &error);
    must(mechanism_add_port(m, 0, vec3(0.1, 0, 0.1), quaternion_identity(), &ports[1], &error), &error);
    must(mechanism_add_port(m, -1, vec3(1, 0, 0), quaternion_identity(), &ports[2], &error), &error);
    for (int n = 0; n < 30; n++) step(m, h, NULL);
    must(mechanism_begin(m, h, &error), &error);
    must(mechanism_advance(m, NULL, &error), &error);
    must(mechanism_mobility(m, 1, Y, &error), &error);
    double c = h * two_step(0.6).b0;
    for (int j = 0; j < 18; j++) {
        double v[2][18], size = 1;
        for (int s = 0; s < 2; s++) {
            Load loads[3] = {0};
            Vec3 *part = j % 6 < 3 ? &loads[j / 6].force : &loads[j / 6].moment;
            vec3_set_component(part, j % 3, s ? size : -size);
            must(mechanism_begin(m, h, &error), &error);
            must(mechanism_advance(m, loads, &error), &error);
            for (int p = 0; p < 3; p++) {
                Motion motion = mechanism_motion(m, p);
                for (int i = 0; i < 6; i++)
                    v[s][6 * p + i] =
                        vec3_component(i < 3 ? motion.velocity : motion.angular_velocity, i % 3);
            }
        }
        for (int i = 0; i < 18; i++) {
            quotient[18 * i + j] = (v[1][i] - v[0][i]) / (2 * size * c);
            largest = fmax(largest, fabs(quotient[18 * i + j]));
        }
    }
    // Newton's matrix leaves out how rotation vectors bend, of order h w; the angular velocities here are a
    // few rad/s.
    for (int i = 0; i < 18 * 18; i++) check_near(Y[i], quotient[i], 5e-4 * largest);
    for (int i = 0; i < 18; i++)
        for (int j = 0; j < 18; j++) {
            check_near(Y[18 * i + j], Y[18 * j + i], 5e-3 * largest); // but for gyroscopic terms
            if (i >= 12 || j >= 12) assert_true(Y[18 * i + j] == 0);  // the ground
        }
    // The explicit mobility is that of ever smaller steps.
    double explicit[18 * 18];
    must(mechanism_mobility(m, MOBILITY_OF_MASSES, explicit, &error), &error);
    for (int i = 0; i < 18; i++)
        for (int j = 0; j < 18; j++) check_near(explicit[18 * i + j], explicit[18 * j + i], 1e-12 * largest);
    must(mechanism_begin(m, 1e-6, &error), &error);
    must(mechanism_advance(m, NULL, &error), &error);
    must(mechanism_mobility(m, 1, Y, &error), &error);
    must(mechanism_mobility(m, MOBILITY_OF_MASSES, explicit, &error), &error);
    for (int i = 0; i < 18 * 18; i++) check_near(explicit[i], Y[i], 1e-4 * largest);
    mechanism_destroy(m);
}

static void resting_mechanism_has_symmetric_mobility(void **state) {
    (void)state;
    BodyDefinition bodies[] = {two_bodies[0], two_bodies[1]};
    bodies[0].pose.angular_velocity = bodies[1].pose.angular_velocity = vec3_zero();
    MechanismDefinition definition = {
        .integrator = integrator(0.6, 1e-10), .bodies = bodies, .body_count = 2};
    Mechanism *m = must_create(&definition, vec3_zero(), hang_two);
    MrcError error;
    int port;
    double Y[36];
    must(mechanism_add_port(m, 1, vec3(0.1, 0.05, -0.2), quaternion_identity(), &port, &error), &error);
    must(mechanism_begin(m, 1e-5, &error), &error);
    must(mechanism_advance(m, NULL, &error), &error);
    must(mechanism_mobility(m, 1, Y, &error), &error);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) check_near(Y[6 * i + j], Y[6 * j + i], 1e-5 * fabs(Y[0]));
    mechanism_destroy(m);
}

// ---- condensed scheme: two masses that touch always -----------------------------------------------------------------
static double stiffness, damping;
static MrcStatus add_spring(Builder *builder, MrcError *error) {
    (void)error;
    add_anchor(builder, 0, vec3(stiffness, 0, 0), vec3(damping, 0, 0));
    return MRC_OK;
}

static void condensed_recurrence_is_met_to_rounding(void **state) {
    (void)state;
    double ratios[] = {0.1, 1, 30}, rhos[] = {0, 0.6, 1}, h = 1e-3, m1 = 1.3;
    for (int c = 0; c < 9; c++) {
        double m2 = ratios[c % 3] * m1, rho = rhos[c / 3];
        stiffness = 5000, damping = 3;
        BodyDefinition body = {.name = "box",
                               .mass = m1,
                               .inertia = {1, 1, 1},
                               .pose = {.position = {0.01, 0, 0}, .velocity = {1, 0, 0}}};
        MechanismDefinition definition = {
            .integrator = integrator(rho, 1e-13), .bodies = &body, .body_count = 1};
        Mechanism *m = must_create(&definition, vec3_zero(), add_spring);
        MrcError error;
        int port;
        must(mechanism_add_port(m, 0, vec3_zero(), quaternion_identity(), &port, &error), &error);
        // The recurrence: state and past of the box, position and velocity of the grain.
        double q = 0.01, v = 1, a = -(stiffness * q + damping * v) / m1, qp = 0, vp = 0, ap = 0, x2 = q,
               v2 = v;
        TwoStep s = {.a1 = 1, .b0 = 0.5, .b1 = 0.5};
        double grain_x = q, grain_v = v;
        for (int n = 0; n < 200; n++) {
            double vr = s.a1 * v + s.a2 * vp + h * (s.b1 * a + s.b2 * ap);
            double qr = s.a1 * q + s.a2 * qp + h * (s.b1 * v + s.b2 * vp), k = h * s.b0;
            double S = m1 + k * damping + k * k * stiffness,
                   as = -(stiffness * (qr + k * vr) + damping * vr) / S;
            double vs = vr + k * as, qs = qr + k * vs, share = s.b0 / (s.b0 + s.b1 + s.b2),
                   J = m1 + h * (0.5 + share) * damping + h * h * share * stiffness, // S'(1), jump.c
                P = m2 * (v2 - (qs - q) / h + (x2 - q) / h) / (1 + m2 / J);
            v2 = (qs - q) / h + P / J - (x2 - q) / h, x2 += h * v2;
            qp = q, vp = v + P / J, ap = a;
            q = qs + h * P / J, v = vs + P / J, a = -(stiffness * q + damping * v) / m1;
            s = two_step(rho);

            double Y[36], before = mechanism_node(m, 0)->x.x;
            must(mechanism_begin(m, h, &error), &error);
            must(mechanism_advance(m, NULL, &error), &error);
            must(mechanism_mobility(m, 1, Y, &error), &error);
            double free = (mechanism_motion(m, port).position.x - before) / h, gap = (grain_x - before) / h;
            Load impulse = {vec3(m2 * (grain_v - free + gap) / (1 + m2 * Y[0]), 0, 0), vec3_zero()};
            grain_v = free + Y[0] * impulse.force.x - gap, grain_x += h * grain_v;
            must(mechanism_impulse(m, &impulse, NULL, NULL, &error), &error);
            must(mechanism_commit(m, &error), &error);
            const NodeState *node = mechanism_node(m, 0);
            check_near(node->x.x, q, 1e-11);
            check_near(node->v.x, v, 1e-9);
            check_near(node->a.x, a, 1e-7);
            check_near(grain_x, x2, 1e-11);
        }
        mechanism_destroy(m);
    }
}

// ---- impulses that act throughout a step -----------------------------------------------------------------
// A lasting force F, handed over as P = F h in each step. Its parts act at all times of the step alike, so
// that they move things half as far as if they had come at its beginning, E = P/2: uniform acceleration is
// exact.
static void lasting_forces_are_exact(void **state) {
    (void)state;
    const double rhos[] = {0, 0.6, 1}, h = 0.01, mass = 0.6, force = 3;
    for (int c = 0; c < 3; c++) {
        BodyDefinition body = {.name = "box", .mass = mass, .inertia = {0.01, 0.02, 0.015}};
        MechanismDefinition definition = {
            .integrator = integrator(rhos[c], 1e-10), .bodies = &body, .body_count = 1};
        Mechanism *m = must_create(&definition, vec3_zero(), NULL);
        MrcError error;
        int port;
        must(mechanism_add_port(m, 0, vec3_zero(), quaternion_identity(), &port, &error), &error);
        for (int n = 1; n <= 100; n++) {
            double Y[36], t = n * h;
            Load whole = {vec3(force * h, 0, 0), vec3_zero()},
                 early = {vec3(0.5 * force * h, 0, 0), vec3_zero()};
            must(mechanism_begin(m, h, &error), &error);
            must(mechanism_advance(m, NULL, &error), &error);
            must(mechanism_mobility(m, MOBILITY_OF_MASSES, Y, &error), &error);
            must(mechanism_impulse(m, &whole, &early, NULL, &error), &error);
            must(mechanism_commit(m, &error), &error);
            check_near(mechanism_node(m, 0)->v.x, force / mass * t, 1e-12);
            check_near(mechanism_node(m, 0)->x.x, 0.5 * force / mass * t * t, 1e-12);
        }
        MechanismLedger ledger = mechanism_ledger(m);
        check_near(ledger.impulse_work, 0.5 * mass * pow(force / mass, 2), 1e-10); // at t = 1 s
        mechanism_destroy(m);
    }
}

// A clamp holds against impulses: its reaction is their mean over the step, about the joint; the port cannot
// move.
static void joints_report_what_impulses_do_to_them(void **state) {
    (void)state;
    BodyDefinition body = {.name = "box", .mass = 0.6, .inertia = {0.01, 0.02, 0.015}};
    JointDefinition joint = {.name = "root", .kind = JOINT_CLAMP, .nodes = {"box"}};
    MechanismDefinition definition = {.integrator = integrator(0.6, 1e-10),
                                      .bodies = &body,
                                      .body_count = 1,
                                      .joints = &joint,
                                      .joint_count = 1};
    Mechanism *m = must_create(&definition, vec3(0, -9.81, 0), NULL);
    MrcError error;
    int port, root = mechanism_find_joint(m, "root");
    const double h = 0.01;
    must(mechanism_add_port(m, 0, vec3(0.2, 0, 0), quaternion_identity(), &port, &error), &error);
    for (int n = 0; n < 5; n++) {
        double Y[36];
        Load impulse = {vec3(0.02, n % 2 ? 0.03 : 0, -0.01), vec3(0, 0.004, 0)};
        must(mechanism_begin(m, h, &error), &error);
        must(mechanism_advance(m, NULL, &error), &error);
        must(mechanism_mobility(m, n < 2 ? 1 : MOBILITY_OF_MASSES, Y, &error), &error);
        for (int i = 0; i < 36; i++) assert_true(Y[i] == 0); // not even rounding
        must(mechanism_impulse(m, &impulse, NULL, NULL, &error), &error);
        must(mechanism_commit(m, &error), &error);
        Load reaction = mechanism_reaction(m, root);
        Vec3 force = vec3_scale(1 / h, impulse.force), moment = vec3_scale(1 / h, impulse.moment);
        moment = vec3_add(moment, vec3_cross(vec3(0.2, 0, 0), force));
        check_near(reaction.force.x, -force.x, 1e-9);
        check_near(reaction.force.y, -force.y + 0.6 * 9.81, 1e-9);
        check_near(reaction.force.z, -force.z, 1e-9);
        check_near(reaction.moment.y, -moment.y, 1e-9);
        check_near(reaction.moment.z, -moment.z, 1e-9);
    }
    must(mechanism_begin(m, h, &error), &error); // a step without impulses: only the weight is left
    must(mechanism_advance(m, NULL, &error), &error);
    must(mechanism_commit(m, &error), &error);
    check_near(mechanism_reaction(m, root).force.x, 0, 1e-9);
    mechanism_destroy(m);
}

// ---- plastic impacts --------------------------------------------------------------------------------------------------
// A grain hits the body at a port and sticks: from then on both move on together, and nothing rings.
typedef struct Impact {
    Vec3 velocity;       // of the port after the impact
    double largest_jump; // of that velocity's component along the blow later, without further impulses
} Impact;

static Impact hit(Mechanism *m, int port, Vec3 direction, double mass, double speed, double h, int later) {
    MrcError error;
    double Y[36];
    for (int n = 0; n < 3; n++) step(m, h, NULL);
    must(mechanism_begin(m, h, &error), &error);
    must(mechanism_advance(m, NULL, &error), &error);
    must(mechanism_mobility(m, 1, Y, &error), &error);
    Vec3 e = direction;
    double d[3] = {e.x, e.y, e.z}, y = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) y += d[i] * Y[6 * i + j] * d[j];
    double u = vec3_dot(mechanism_motion(m, port).velocity, e);
    Load impulse = {vec3_scale(mass * (speed - u) / (1 + mass * y), e), vec3_zero()};
    must(mechanism_impulse(m, &impulse, NULL, NULL, &error), &error);
    must(mechanism_commit(m, &error), &error);
    Impact impact = {.velocity = mechanism_motion(m, port).velocity};
    for (int n = 0; n < later; n++) {
        step(m, h, NULL);
        double now = vec3_dot(mechanism_motion(m, port).velocity, e);
        impact.largest_jump = fmax(impact.largest_jump, fabs(now - vec3_dot(impact.velocity, e)));
    }
    return impact;
}

static void plastic_impact_on_a_free_body_is_exact(void **state) {
    (void)state;
    double ratios[] = {0.1, 1, 100}, rhos[] = {0, 0.6, 1};
    for (int c = 0; c < 9; c++) {
        double mass = 0.6, grain = ratios[c % 3] * mass;
        BodyDefinition body = {.name = "box", .mass = mass, .inertia = {0.01, 0.02, 0.015}};
        MechanismDefinition definition = {
            .integrator = integrator(rhos[c / 3], 1e-10), .bodies = &body, .body_count = 1};
        Mechanism *m = must_create(&definition, vec3_zero(), NULL);
        MrcError error;
        int port;
        must(mechanism_add_port(m, 0, vec3(0.1, 0, 0), quaternion_identity(), &port, &error), &error);
        Impact impact = hit(m, port, vec3(1, 0, 0), grain, 2, 1e-3, 40);
        check_near(impact.velocity.x, 2 * grain / (mass + grain), 1e-12);
        assert_true(impact.largest_jump < 1e-11);
        MechanismLedger ledger = mechanism_ledger(m);
        check_near(ledger.impulse_work, ledger.kinetic, 1e-12); // the impulse did all the work
        mechanism_destroy(m);
    }
}

// On a pendulum's bob, across: angular momentum about the pivot is kept, w = m2 u r/(J + m2 r^2).
static MrcStatus hang_one(Builder *builder, MrcError *error) {
    (void)error;
    add_ball(builder, "pivot", -1, vec3_zero(), 0, vec3(-0.5, 0, 0));
    return MRC_OK;
}

static void plastic_impact_on_a_pendulum_keeps_angular_momentum(void **state) {
    (void)state;
    double rhos[] = {0, 0.6, 1};
    for (int c = 0; c < 3; c++) {
        double mass = 0.6, grain = 0.9, r = 0.7, J = 0.02 + mass * 0.25, u = 1.5;
        BodyDefinition body = {
            .name = "bob", .mass = mass, .inertia = {0.01, 0.015, 0.02}, .pose = {.position = {0.5, 0, 0}}};
        MechanismDefinition definition = {
            .integrator = integrator(rhos[c], 1e-10), .bodies = &body, .body_count = 1};
        Mechanism *m = must_create(&definition, vec3_zero(), hang_one);
        MrcError error;
        int port;
        must(mechanism_add_port(m, 0, vec3(r - 0.5, 0, 0), quaternion_identity(), &port, &error), &error);
        hit(m, port, vec3(0, 1, 0), grain, u, 1e-4, 200);
        double w = grain * u * r / (J + grain * r * r);
        const NodeState *node = mechanism_node(m, 0);
        check_vec3_near(node->w, vec3(0, 0, w), 1e-5 * w); // without gravity it goes on turning like this
        check_near(vec3_norm(node->x), 0.5, 1e-9);
        check_near(mechanism_energy(m).kinetic, 0.5 * J * w * w, 1e-5 * J * w * w);
        mechanism_destroy(m);
    }
}

// On a body at the end of a beam: the port takes the common velocity at once, and what follows is the answer
// of the beam to a short push of the same impulse, computed with short steps.
static double push_beam(double h, bool short_push, double *after) {
    const double impulse = 3e-3, end = 0.02;
    BodyDefinition body = {
        .name = "shell", .node = "arm.end", .mass = 0.0485, .inertia = {2.66e-6, 4.85e-6, 2.66e-6}};
    BeamDefinition beam = {.name = "arm",
                           .to = {0.25, 0, 0},
                           .elements = 6,
                           .section = {.kind = SECTION_GIVEN,
                                       .axial = 1.26e7,
                                       .shear_y = 4e6,
                                       .shear_z = 4e6,
                                       .torsion = 5,
                                       .bending_y = 945,
                                       .bending_z = 4.2,
                                       .mass = 0.47,
                                       .inertia = {3.5e-5, 3.5e-5, 1.6e-7}}};
    JointDefinition joint = {.name = "root", .kind = JOINT_CLAMP, .nodes = {"arm.start"}};
    MechanismDefinition definition = {.integrator = integrator(0.6, 1e-8),
                                      .bodies = &body,
                                      .body_count = 1,
                                      .beams = &beam,
                                      .beam_count = 1,
                                      .joints = &joint,
                                      .joint_count = 1};
    Mechanism *m = must_create(&definition, vec3_zero(), NULL);
    MrcError error;
    double Y[36];
    int port, steps = (int)round(end / h);
    must(mechanism_add_port(m, mechanism_find_node(m, "shell"), vec3_zero(), quaternion_identity(), &port,
                            &error),
         &error);
    step(m, h, NULL);
    for (int n = 0; n < steps; n++) {
        Load load = {vec3(0, short_push && n < 20 ? impulse / (20 * h) : 0, 0), vec3_zero()};
        must(mechanism_begin(m, h, &error), &error);
        must(mechanism_advance(m, &load, &error), &error);
        if (!short_push && n == 0) {
            must(mechanism_mobility(m, 1, Y, &error), &error);
            Load blow = {vec3(0, impulse, 0), vec3_zero()};
            must(mechanism_impulse(m, &blow, NULL, NULL, &error), &error);
            // What a grain that sticks has after it, too.
            check_near(mechanism_motion(m, port).velocity.y, Y[7] * impulse, 1e-10);
            *after = mechanism_motion(m, port).velocity.y;
        }
        must(mechanism_commit(m, &error), &error);
    }
    double y = mechanism_motion(m, port).position.y;
    mechanism_destroy(m);
    return y;
}

static void impulse_on_a_beam_is_a_short_push(void **state) {
    (void)state;
    double coarse, fine, none, expected = push_beam(2e-6, true, &none);
    double one = push_beam(1e-4, false, &coarse), two = push_beam(5e-5, false, &fine);
    assert_true(fabs(expected) > 1e-4);
    check_near(one, expected, 0.02 * fabs(expected));
    check_near(two, expected, 0.01 * fabs(expected));
    assert_true(coarse > 0 && coarse < fine &&
                fine < 3e-3 / 0.0485); // the beam takes part, less in shorter steps
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mobility_is_the_difference_quotient_of_a_step),
        cmocka_unit_test(resting_mechanism_has_symmetric_mobility),
        cmocka_unit_test(condensed_recurrence_is_met_to_rounding),
        cmocka_unit_test(lasting_forces_are_exact),
        cmocka_unit_test(joints_report_what_impulses_do_to_them),
        cmocka_unit_test(plastic_impact_on_a_free_body_is_exact),
        cmocka_unit_test(plastic_impact_on_a_pendulum_keeps_angular_momentum),
        cmocka_unit_test(impulse_on_a_beam_is_a_short_push),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
