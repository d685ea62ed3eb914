// The method of Moreau and Jean against closed forms: flight, Newton's law of impact, Coulomb's law, cohesion, moving
// walls. Beds of many grains are in test_nonsmooth_bed.c.
#include "bed.h"

#include "base/random.h"
#include "grains/method.h"
#include "grains/world.h"

static const double g = 9.81;

// One grain of 1 mm in a box of 2 m, exactly solved.
static void nscd_bed(Bed *bed, double theta, double step) {
    *bed = bed_default();
    wall_set_vector(&bed->walls[0].shape, "size", vec3(2, 2, 2));
    bed->definition.method = METHOD_NSCD;
    bed->definition.contact.theta = theta;
    bed->definition.contact.solver.tolerance = 1e-12;
    bed->gravity = vec3(0, 0, -g);
    bed->step = step;
    bed_set_coefficients(bed, 0, 0, 0);
}

static double bed_energy(Bed *bed) {
    GrainsMeasure m = bed_measure(bed);
    return m.kinetic + m.potential;
}

// x(n) = v t - g h^2 (n (n - 1)/2 + theta n): with theta = 1/2 the parabola itself, and its energy.
static void test_flies(void **state) {
    (void)state;
    const double thetas[] = {0, 0.5, 0.7, 1}; // 0: the default, 1/2
    for (int k = 0; k < 4; k++) {
        Bed bed;
        double theta = k == 0 ? 0.5 : thetas[k], n = 1000, h = 1e-4;
        nscd_bed(&bed, thetas[k], h);
        bed_create(&bed);
        bed_place(&bed, 0, vec3(0, 0, 0.2), vec3(1, 0, 0.8), vec3(0, 3, 0));
        double start = bed_energy(&bed), scale = bed.mass * g;
        bed_advance(&bed, (int64_t)n);
        Vec3 x = bed_position(&bed, 0), v = bed_velocity(&bed, 0);
        check_near(x.z, 0.2 + 0.8 * n * h - g * h * h * (n * (n - 1) / 2 + theta * n), 1e-12);
        check_near(x.x, 0.1, 1e-12);
        check_near(v.z, 0.8 - g * n * h, 1e-12);
        check_near(bed_spin(&bed, 0).y, 3, 0);
        GrainsMeasure m = bed_measure(&bed);
        if (theta == 0.5) check_near(bed_energy(&bed), start, 1e-12 * scale);
        check_near(bed_energy(&bed) + m.algorithm, start, 1e-12 * scale);
        check_near(m.algorithm, (theta - 0.5) * h * bed.mass * -g * (v.z - 0.8), 1e-12 * scale);
        bed_destroy(&bed);
    }
}

// Without gravity the rebound is e times the approach, exactly, whatever the phase of the step and theta.
static void test_newton(void **state) {
    (void)state;
    const double restitutions[] = {0, 0.3, 0.8, 1}, thetas[] = {0.5, 0.8, 1};
    for (int k = 0; k < 4; k++)
        for (int t = 0; t < 3; t++)
            for (int phase = 0; phase < 5; phase++) {
                Bed bed;
                nscd_bed(&bed, thetas[t], 1e-4);
                bed.gravity = vec3_zero();
                bed_set_coefficients(&bed, restitutions[k], 0.4, 0);
                bed_create(&bed);
                bed_place(&bed, 0, vec3(0, 0, -0.998 + 1.5e-5 * phase), vec3(0, 0, -0.7), vec3_zero());
                bed_advance(&bed, 60);
                check_near(bed_velocity(&bed, 0).z, 0.7 * restitutions[k], 1e-11);
                GrainsMeasure m = bed_measure(&bed);
                double lost = 0.5 * bed.mass * 0.49 * (1 - restitutions[k] * restitutions[k]);
                check_near(m.impact, lost, 1e-11 * bed.mass);
                assert_true(m.largest_overlap < 0.7 * 1e-4 / 1e-3);
                if (restitutions[k] == 0)
                    check_near(bed_position(&bed, 0).z, -0.999, 2e-11); // no overlap left
                bed_destroy(&bed);
            }
}

// Largest height over the floor until the next impact.
static double next_top(Bed *bed) {
    double top = -1;
    while (bed_velocity(bed, 0).z > 0) {
        top = fmax(top, bed_position(bed, 0).z + 0.999);
        bed_advance(bed, 1);
    }
    return top;
}

// A ball falls from H and bounces to e^2 H, e^4 H, ...; the error is that of the instant of impact, first order in h.
static double error_of_tops(double step) {
    Bed bed;
    double e = 0.7, H = 0.1, worst = 0;
    nscd_bed(&bed, 0.5, step);
    bed_set_coefficients(&bed, e, 0, 0);
    bed_create(&bed);
    bed_place(&bed, 0, vec3(0, 0, -0.999 + H), vec3_zero(), vec3_zero());
    for (int k = 1; k <= 4; k++) {
        do bed_advance(&bed, 1);
        while (bed_velocity(&bed, 0).z <= 0);
        worst = fmax(worst, fabs(next_top(&bed) / (H * pow(e, 2 * k)) - 1));
    }
    bed_destroy(&bed);
    return worst;
}

static void test_heights_of_rebounds(void **state) {
    (void)state;
    for (double h = 2e-4; h > 2e-6; h /= 4) {
        double bound =
            4 * sqrt(2 * g * 0.1) * h / (0.1 * pow(0.7, 8)) / 2; // some ways of a step, over the lowest top
        check_near(error_of_tops(h), 0, bound);
    }
    check_near(error_of_tops(1e-6), 0, 5e-4);
}

// It bounces to rest in the time of the geometric series, and then lies still, without a gap.
static void test_comes_to_rest(void **state) {
    (void)state;
    Bed bed;
    double e = 0.6, v = 0.5, flights = 2 * v / g / (1 - e);
    nscd_bed(&bed, 0.5, 1e-5);
    bed_set_coefficients(&bed, e, 0.4, 0);
    bed_create(&bed);
    bed_place(&bed, 0, vec3(0, 0, -0.999), vec3(0, 0, v), vec3_zero());
    bed_advance(&bed, (int64_t)(0.98 * 2 * v / g / bed.step));
    assert_true(bed_velocity(&bed, 0).z < -0.3);
    bed_advance(&bed, (int64_t)((1.1 * flights - 0.98 * 2 * v / g) / bed.step));
    check_near(bed_velocity(&bed, 0).z, 0, 1e-9);
    check_near(bed_position(&bed, 0).z, -0.999, 1e-8);
    check_near(bed.loads[0].force.z, -bed.mass * g, 1e-9 * bed.mass * g);
    bed_destroy(&bed);
}

// ---- friction ------------------------------------------------------------------------------------
// Rolls with 5/7 g sin where friction is enough (2/7 tan), else slides with g sin - mu (g cos + c/m), c being cohesion.
static void check_incline(double angle, double friction, double cohesion) {
    Bed bed;
    nscd_bed(&bed, 0.5, 1e-4);
    bed.gravity = vec3(g * sin(angle), 0, -g * cos(angle));
    bed_set_coefficients(&bed, 0, friction, 0);
    double mass = 2500 * 4.0 / 3 * M_PI * 1e-9, press = g * cos(angle) + cohesion * g;
    for (int m = 0; m < BED_MATERIALS; m++) bed.materials[m].cohesion = cohesion * mass * g;
    bed_create(&bed);
    bed_place(&bed, 0, vec3(-0.9, 0, -0.999), vec3_zero(), vec3_zero());
    bed_advance(&bed, 1000);
    double t = 1000 * bed.step, r = 1e-3;
    bool rolls = friction * press >= 2.0 / 7.0 * g * sin(angle);
    double expected = rolls ? 5.0 / 7.0 * g * sin(angle) : g * sin(angle) - friction * press;
    check_near(bed_velocity(&bed, 0).x, expected * t, 1e-9 * g * t);
    check_near(bed_position(&bed, 0).x, -0.9 + 0.5 * expected * t * t, 1e-9 * g * t * t);
    check_near(bed_position(&bed, 0).z, -0.999, 2e-11); // gaps below 1e-8 of a radius are zero
    check_near(bed_spin(&bed, 0).y, (rolls ? expected / r : 2.5 * friction * press / r) * t,
               1e-9 * g / r * t);
    check_near(bed.loads[0].force.z, -bed.mass * g * cos(angle), 1e-9 * bed.mass * g);
    if (rolls) check_near(bed_measure(&bed).friction, 0, 1e-12 * bed_measure(&bed).kinetic);
    bed_destroy(&bed);
}

static void test_rolls_or_slides(void **state) {
    (void)state;
    const double angles[] = {0.1, 0.45, 0.9};
    for (int k = 0; k < 3; k++) {
        double threshold = 2.0 / 7.0 * tan(angles[k]);
        check_incline(angles[k], 0.5 * threshold, 0);
        check_incline(angles[k], 0.999 * threshold, 0);
        check_incline(angles[k], 1.001 * threshold, 0);
        check_incline(angles[k], 5, 0);
    }
}

static void test_cohesion_adds_to_friction(void **state) {
    (void)state;
    check_incline(0.9, 0.1, 0.5);
    check_incline(0.9, 0.1, 20); // 0.1 (cos + 20) > 2/7 sin
}

// With rolling friction a sphere sticks below tan = mu_R and rolls with 5/7 g (sin - mu_R cos) above.
static void test_sticks(void **state) {
    (void)state;
    const double factors[] = {0.5, 0.999, 1.001, 1.5};
    for (int k = 0; k < 4; k++) {
        Bed bed;
        double rolling = 0.2, angle = atan(rolling * factors[k]);
        nscd_bed(&bed, 0.5, 1e-4);
        bed.gravity = vec3(g * sin(angle), 0, -g * cos(angle));
        bed_set_coefficients(&bed, 0, 0.9, rolling);
        bed_create(&bed);
        bed_place(&bed, 0, vec3(-0.9, 0, -0.999), vec3_zero(), vec3_zero());
        bed_advance(&bed, 1000);
        double beyond = 5.0 / 7.0 * g * (sin(angle) - rolling * cos(angle));
        check_near(bed_velocity(&bed, 0).x, factors[k] < 1 ? 0 : beyond * 0.1, 1e-9 * g);
        if (factors[k] < 1) check_near(bed_position(&bed, 0).x, -0.9, 1e-12);
        bed_destroy(&bed);
    }
}

// ---- chains --------------------------------------------------------------------------------------
// Five grains in a row with gaps hit each other one after the other: the last one leaves with ((1 + e)/2)^4 v.
static void test_chain(void **state) {
    (void)state;
    enum { count = 5 };
    const double restitutions[] = {1, 0.6};
    for (int k = 0; k < 2; k++) {
        Bed bed;
        double e = restitutions[k], v = 0.5;
        nscd_bed(&bed, 0.5, 1e-4);
        bed.gravity = vec3_zero();
        bed.definition.particles.count = count;
        bed_set_coefficients(&bed, e, 0.3, 0);
        bed_create(&bed);
        for (size_t i = 0; i < count; i++)
            bed_place(&bed, i, vec3(0.0025 * (double)i, 0, 0), vec3(i == 0 ? v : 0, 0, 0), vec3_zero());
        bed_advance(&bed, 120); // the slowest pairs have met once
        double share = 0.5 * (1 + e), moving = v;
        for (size_t i = 0; i + 1 < count; i++) {
            if (e == 1) check_near(bed_velocity(&bed, i).x, 0, 1e-12);
            moving *= share;
        }
        check_near(bed_velocity(&bed, count - 1).x, moving, 1e-12);
        Vec3 p, l;
        bed_momenta(&bed, &p, &l);
        check_near(p.x, bed.mass * v, 1e-15 * bed.mass);
        bed_destroy(&bed);
    }
}

// ---- cohesion ------------------------------------------------------------------------------------
// Two grains hang from the ceiling, one below the other: the upper contact carries 2 m g, the lower one m g.
static void test_cohesion_holds_and_parts(void **state) {
    (void)state;
    const double strengths[] = {2.01, 1.99, 1.01, 0.99}; // over m g
    for (int k = 0; k < 4; k++) {
        Bed bed;
        nscd_bed(&bed, 0.5, 1e-4);
        double mass = 2500 * 4.0 / 3 * M_PI * 1e-9;
        bed.definition.particles.count = 2;
        bed_set_coefficients(&bed, k % 2 ? 0.5 : 0, 0.4, 0);
        for (int m = 0; m < BED_MATERIALS; m++) bed.materials[m].cohesion = strengths[k] * mass * g;
        bed_create(&bed);
        bed_place(&bed, 0, vec3(0, 0, 0.999), vec3_zero(), vec3_zero());
        bed_place(&bed, 1, vec3(0, 0, 0.997), vec3_zero(), vec3_zero());
        bed_advance(&bed, 2000);
        double upper = bed_position(&bed, 0).z, lower = bed_position(&bed, 1).z, fall = 0.5 * g * 0.04;
        if (k == 0) { // both hold
            check_near(upper, 0.999, 1e-12);
            check_near(lower, 0.997, 1e-12);
            check_near(bed.loads[0].force.z, -2 * mass * g, 1e-9 * mass * g);
            check_near(bed_measure(&bed).contacts, 2, 0);
        } else if (k < 3) { // the ceiling lets go, the pair stays together
            assert_true(upper < 0.999 - 0.8 * fall);
            check_near(upper - lower, 0.002, 1e-9);
        } else { // the lower one falls alone
            assert_true(lower < 0.997 - 0.8 * fall);
        }
        GrainsMeasure m = bed_measure(&bed);
        double start = mass * g * 1.996; // energy
        check_near(m.kinetic + m.potential + m.impact + m.friction + m.stabilisation + m.algorithm, start,
                   1e-12 * mass * g);
        bed_destroy(&bed);
    }
}

// ---- walls that move -----------------------------------------------------------------------------
// A grain at rest on a floor that goes up and down follows it to second order in the step: A (omega h)^2 and no ratchet.
static double lag_on_shaker(double h, double restitution) {
    Bed bed;
    double A = 1e-3, omega = 2 * M_PI * 12, worst = 0; // 0.58 g
    nscd_bed(&bed, 0.5, h);
    bed_set_coefficients(&bed, restitution, 0.3, 0);
    bed_create(&bed);
    bed_place(&bed, 0, vec3(0, 0, -0.999 + A), vec3_zero(), vec3_zero());
    bed.motions[0].position.z = A;
    int64_t steps = (int64_t)(0.3 / h);
    for (int64_t n = 0; n < steps; n++) {
        Motion *port = &bed.motions[0];
        double next = A * cos(omega * (double)(n + 1) * h);
        port->velocity = vec3(0, 0, (next - port->position.z) / h);
        bed_advance(&bed, 1);
        port->position.z = next;
        if (n > 10) worst = fmax(worst, fabs(bed_position(&bed, 0).z + 0.999 - next));
    }
    bed_destroy(&bed);
    return worst;
}

static void test_follows_a_shaker(void **state) {
    (void)state;
    double A = 1e-3, omega = 2 * M_PI * 12;
    for (int k = 0; k < 2; k++)
        for (double h = 4e-4; h > 5e-5; h /= 2)
            check_near(lag_on_shaker(h, 0.5 * k) / (A * omega * omega * h * h), 0, 1);
}

// A grain that hits a free box of mass M: momentum is kept, and the two part with e times the speed of approach.
static void test_free_container(void **state) {
    (void)state;
    const double ratios[] = {1e-3, 0.1, 1, 30}; // container over grain
    for (int k = 0; k < 8; k++) {
        Bed bed;
        MrcError error = {0};
        double e = k % 2 ? 0.6 : 0, ratio = ratios[k / 2];
        nscd_bed(&bed, 0.5, 1e-4);
        bed.gravity = vec3_zero();
        bed_set_coefficients(&bed, e, 0, 0);
        bed_create(&bed);
        bed_place(&bed, 0, vec3(0, 0, -0.9985), vec3(0, 0, -0.6), vec3_zero());
        const int ports[1] = {0};
        WorldBed beds[1] = {{bed.grains, ports}};
        World *world;
        double mobility[36] = {0}, mass = ratio * bed.mass;
        for (int a = 0; a < 3; a++) mobility[7 * a] = 1 / mass;
        assert_int_equal(world_create(beds, 1, 1, bed.step, vec3_zero(), &world, &error), MRC_OK);
        Motion port = motion_at_rest();
        for (int n = 0; n < 100; n++) { // a last gap is halved in each step
            Load impulse;
            Twist after;
            if (world_advance(world, bed.step, &port, mobility, &impulse, &after, &error))
                fail_msg("%s", error.text);
            port.position = vec3_madd(port.position, bed.step, after.linear);
            port.velocity = after.linear;
        }
        double common = -0.6 / (1 + ratio);
        check_near(bed_velocity(&bed, 0).z, common + e * 0.6 * ratio / (1 + ratio), 1e-9);
        check_near(port.velocity.z, common - e * 0.6 / (1 + ratio), 1e-9);
        world_destroy(world);
        bed_destroy(&bed);
    }
}

// ---- many ----------------------------------------------------------------------------------------
// A closed box of flying grains: energy never grows by more than a step of gravity can give, and the ledger closes.
static void test_energy_never_grows(void **state) {
    (void)state;
    const double thetas[] = {0.5, 0.75, 1};
    for (int k = 0; k < 6; k++) {
        Bed bed;
        nscd_bed(&bed, thetas[k / 2], 1e-4);
        wall_set_vector(&bed.walls[0].shape, "size", vec3(0.012, 0.012, 0.012));
        bed.definition.particles.count = 40;
        bed.definition.contact.solver.tolerance = 1e-6;
        if (k % 2) bed.gravity = vec3_zero();
        bed_set_coefficients(&bed, 0.7, 0.3, 0);
        bed_create(&bed);
        Random random = {7 + (uint64_t)k};
        for (size_t i = 0; i < 40; i++) {
            Vec3 v = vec3(random_uniform(&random) - 0.5, random_uniform(&random) - 0.5,
                          random_uniform(&random) - 0.5);
            bed_place(&bed, i, bed_position(&bed, i), v, vec3_zero());
        }
        double last = bed_energy(&bed), start = last, worst = 0, first = last;
        double step_of_gravity = 40 * bed.mass * pow(g * bed.step, 2);
        for (int n = 0; n < 1500; n++) {
            bed_advance(&bed, 1);
            double now =
                bed_energy(&bed) + bed_measure(&bed).algorithm; // half a step's fall, which comes and goes
            worst = fmax(worst, now - last), last = now;
        }
        GrainsMeasure m = bed_measure(&bed);
        assert_true(last < 0.8 * start);
        check_near(m.kinetic + m.potential + m.impact + m.friction + m.stabilisation + m.algorithm, first,
                   1e-11 * (m.impact + m.friction));
        if (worst > step_of_gravity + 1e-6 * start) fail_msg("case %d: gained %g of %g J", k, worst, start);
        bed_destroy(&bed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flies),
        cmocka_unit_test(test_newton),
        cmocka_unit_test(test_heights_of_rebounds),
        cmocka_unit_test(test_comes_to_rest),
        cmocka_unit_test(test_rolls_or_slides),
        cmocka_unit_test(test_cohesion_adds_to_friction),
        cmocka_unit_test(test_sticks),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_cohesion_holds_and_parts),
        cmocka_unit_test(test_follows_a_shaker),
        cmocka_unit_test(test_free_container),
        cmocka_unit_test(test_energy_never_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
