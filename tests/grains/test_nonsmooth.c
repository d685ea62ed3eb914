// Single rigid grains and columns: fall, rest, roll, slip, bounce, spin; all against closed forms of the
// scheme.
#include "bed.h"

#include "grains/method.h"
#include "grains/world.h"

static const double g = 9.81;

// A grain of 1 mm on the floor of a box of 2 m (so that it has way to go), gravity leaning by `angle` towards
// x.
static void on_incline(Bed *bed, double angle, double friction, double rolling, ContactLaw law) {
    *bed = bed_default();
    wall_set_vector(&bed->walls[0].shape, "size", vec3(2, 2, 2));
    bed->definition.method = METHOD_NONSMOOTH;
    bed->definition.contact.solver.tolerance = 1e-12;
    bed->definition.contact.law = law;
    bed->gravity = vec3(g * sin(angle), 0, -g * cos(angle));
    bed->step = 1e-4;
    bed_set_coefficients(bed, 0, friction, rolling);
    bed_create(bed);
    bed_place(bed, 0, vec3(-0.9, 0, -0.999), vec3_zero(), vec3_zero());
}

static void test_falls(void **state) {
    (void)state;
    Bed bed;
    on_incline(&bed, 0, 0.5, 0, CONTACT_RELAXED);
    bed_place(&bed, 0, vec3(0, 0, 0.5), vec3(1, 0, 0), vec3(0, 3, 0));
    bed_advance(&bed, 1000);
    // Semi-implicit Euler: x = v t - g h^2 n (n + 1)/2
    check_near(bed_position(&bed, 0).z, 0.5 - 0.5 * g * 1e-8 * 1000 * 1001, 1e-12);
    check_near(bed_position(&bed, 0).x, 0.1, 1e-12);
    check_near(bed_spin(&bed, 0).y, 3, 0);
    bed_destroy(&bed);
}

// Without slip a = 5/7 g sin, which needs friction of 2/7 tan; with less, a = g (sin - mu cos).
static void check_incline(double angle, double friction, ContactLaw law) {
    Bed bed;
    on_incline(&bed, angle, friction, 0, law);
    bed_advance(&bed, 60); // until the gap of a sliding contact has opened
    Vec3 start = bed_velocity(&bed, 0), spun = bed_spin(&bed, 0);
    bed_advance(&bed, 1000);
    double t = 1000 * bed.step, r = 1e-3;
    double a = vec3_sub(bed_velocity(&bed, 0), start).x / t, turn = vec3_sub(bed_spin(&bed, 0), spun).y / t;
    bool rolls = friction >= 2.0 / 7.0 * tan(angle);
    double expected = rolls ? 5.0 / 7.0 * g * sin(angle) : g * (sin(angle) - friction * cos(angle));
    double expected_turn = rolls ? expected / r : 2.5 * friction * g * cos(angle) / r;
    // While the gap still opens, at h mu a, the floor pushes that much more.
    double opening = rolls ? 0 : friction * friction * bed.step / t * expected, error = 1e-6 * g + opening;
    check_near(a, expected, error);
    check_near(turn, expected_turn, 2.5 * error / r);
    GrainsMeasure m = bed_measure(&bed);
    if (rolls) check_near(m.friction, 0, 1e-9 * m.kinetic);
    bed_destroy(&bed);
}

static void test_rolls_or_slips(void **state) {
    (void)state;
    const double angles[] = {0.1, 0.45, 0.9};
    for (int k = 0; k < 3; k++)
        for (int law = CONTACT_RELAXED; law <= CONTACT_COULOMB; law++) {
            double threshold = 2.0 / 7.0 * tan(angles[k]);
            check_incline(angles[k], 0.5 * threshold, law);
            check_incline(angles[k], 0.999 * threshold, law);
            check_incline(angles[k], 1.001 * threshold, law);
            check_incline(angles[k], 3 * threshold, law);
            check_incline(angles[k], 10, law);
        }
}

// An oblique impact on the floor, in closed form: the normal velocity is turned round and multiplied by e; the impulse
// mu (1 + e) m v_n along the floor slows the point of contact by 7/2 of what it slows the grain, or stops it. Coulomb's
// law is off by no more than the speed g h at which its contacts may open. The relaxed law gives the same where restitution
// acts: left alone, it brakes a grain that flies along the floor before it closes, and at 10 m/s along and 1 m/s down
// nothing is left of the rebound. `away`: gap at the start, in steps.
static void check_impact(ContactLaw law, double away, double e, double friction, double along, double h) {
    Bed bed = bed_default();
    wall_set_vector(&bed.walls[0].shape, "size", vec3(2, 2, 2));
    bed.definition.method = METHOD_NONSMOOTH;
    bed.definition.contact.solver.tolerance = 1e-12;
    bed.definition.contact.law = law;
    bed.gravity = vec3(0, 0, -g);
    bed.step = h;
    bed_set_coefficients(&bed, e, friction, 0);
    bed_create(&bed);
    int steps = away > 0 ? 2 + 2 * (int)away : 1; // as long away from the floor as before
    bed_place(&bed, 0, vec3(-0.5, 0, -0.999 + h * away), vec3(along, 0, -1), vec3_zero());
    bed_advance(&bed, steps);
    double taken = fmin(friction * (1 + e), along / 3.5);
    double error = 2 * g * h * steps * (1 + friction);
    check_near(bed_velocity(&bed, 0).z, e, error);
    check_near(bed_velocity(&bed, 0).x, along - taken, error);
    check_near(bed_spin(&bed, 0).y, 2.5 * taken / 1e-3, 2.5 * error / 1e-3);
    bed_destroy(&bed);
}

static void test_oblique_impacts(void **state) {
    (void)state;
    static const double restitutions[] = {0, 0.3, 1}, frictions[] = {0.1, 0.3, 0.8},
                        speeds[] = {0.1, 1, 3, 10, 100}, steps[] = {1e-4, 1e-6};
    for (int e = 0; e < 3; e++)
        for (int f = 0; f < 3; f++)
            for (int v = 0; v < 5; v++)
                for (int h = 0; h < 2; h++)
                    for (int away = 0; away < 2; away++) {
                        double gap = 5.3 * away, e_now = restitutions[e], mu = frictions[f];
                        check_impact(CONTACT_COULOMB, gap, e_now, mu, speeds[v], steps[h]);
                        if (e) check_impact(CONTACT_RELAXED, gap, e_now, mu, speeds[v], steps[h]);
                    }
}

// With rolling friction a sphere stays where tan <= mu_R, if it does not slip.
static void test_sticks(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        double rolling = 0.2, factors[] = {0.5, 0.999, 1.001, 1.5}, angle = atan(rolling * factors[k]);
        Bed bed;
        on_incline(&bed, angle, 0.9, rolling, CONTACT_RELAXED);
        bed_advance(&bed, 1);
        Vec3 first = bed_velocity(&bed, 0);
        bed_advance(&bed, 1000);
        double a = (bed_velocity(&bed, 0).x - first.x) / (1000 * bed.step);
        // Beyond it: m a = m g sin - F, I w' = F r - mu_R r N
        double beyond = 5.0 / 7.0 * g * (sin(angle) - rolling * cos(angle));
        check_near(a, factors[k] < 1 ? 0 : beyond, 1e-6 * g);
        if (factors[k] < 1) check_near(bed_position(&bed, 0).x, -0.9, 1e-12);
        GrainsMeasure m = bed_measure(&bed);
        if (factors[k] > 1.1) assert_true(m.rolling > 0.1 * m.kinetic);
        bed_destroy(&bed);
    }
}

// A top on the floor: spinning friction takes w by 5/2 mu_s g/r each second until it stands.
static void test_spins_down(void **state) {
    (void)state;
    Bed bed = bed_default();
    wall_set_vector(&bed.walls[0].shape, "size", vec3(2, 2, 2));
    bed.definition.method = METHOD_NONSMOOTH;
    bed.definition.contact.solver.tolerance = 1e-12;
    bed.gravity = vec3(0, 0, -g);
    bed.step = 1e-4;
    bed_set_coefficients(&bed, 0, 0.3, 0);
    for (int m = 0; m < 2; m++) bed.materials[m].spinning_friction = 0.02;
    bed_create(&bed);
    double rate = 2.5 * 0.02 * g / 1e-3, w = 50.5 * rate * bed.step; // it stands in the 51st step
    bed_place(&bed, 0, vec3(0, 0, -0.999), vec3_zero(), vec3(0, 0, w));
    for (int n = 1; n <= 60; n++) {
        bed_advance(&bed, 1);
        // The relaxed law lifts the grain a little as long as it spins: its change matters in the first step.
        double expected = fmax(w - rate * bed.step * n, 0);
        check_near(bed_spin(&bed, 0).z, expected, 0.03 * w);
    }
    check_near(bed_spin(&bed, 0).z, 0, 1e-9 * w);
    bed_destroy(&bed);
}

// Newton's law: rebound over approach is e, whatever the gap was a step before; no bounce below the
// threshold.
static void test_bounces(void **state) {
    (void)state;
    const double restitutions[] = {0, 0.3, 0.8, 1};
    for (int k = 0; k < 4; k++)
        for (int offset = 0; offset < 5; offset++) {
            Bed bed = bed_default();
            bed.definition.method = METHOD_NONSMOOTH;
            bed.definition.contact.solver.tolerance = 1e-12;
            bed.step = 1e-4;
            bed_set_coefficients(&bed, restitutions[k], 0.4, 0);
            bed_create(&bed);
            bed_place(&bed, 0, vec3(0, 0, -0.008 + 1e-5 * offset), vec3(0, 0, -0.7), vec3_zero());
            bed_advance(&bed, 50);
            check_near(bed_velocity(&bed, 0).z, 0.7 * restitutions[k], 1e-9);
            GrainsMeasure m = bed_measure(&bed);
            double lost = 0.5 * bed.mass * 0.49 * (1 - restitutions[k] * restitutions[k]);
            check_near(m.impact, lost, 1e-9 * bed.mass);
            bed_destroy(&bed);
        }
}

// Bouncing to rest: the time is that of the geometric series of flights, and then it lies still.
static void test_bounces_to_rest(void **state) {
    (void)state;
    Bed bed = bed_default();
    double e = 0.6, v = 0.5;
    bed.definition.method = METHOD_NONSMOOTH;
    bed.definition.contact.solver.tolerance = 1e-12;
    bed.gravity = vec3(0, 0, -g);
    bed.step = 1e-5;
    bed_set_coefficients(&bed, e, 0.4, 0);
    bed_create(&bed);
    bed_place(&bed, 0, vec3(0, 0, -0.009), vec3(0, 0, v), vec3_zero());
    double flights = 2 * v / g / (1 - e);
    bed_advance(&bed, (int64_t)(0.9 * 2 * v / g / bed.step));
    assert_true(bed_velocity(&bed, 0).z < -0.3);
    bed_advance(&bed, (int64_t)((1.02 * flights - 0.9 * 2 * v / g) / bed.step));
    check_near(bed_velocity(&bed, 0).z, 0, 1e-9);
    check_near(bed_position(&bed, 0).z, -0.009, 1e-8);
    bed_destroy(&bed);
}

// Twenty spheres on top of each other stand still for 10 s.
static void test_column_stands(void **state) {
    (void)state;
    Bed bed = bed_default();
    enum { count = 20 };
    wall_set_vector(&bed.walls[0].shape, "size", vec3(0.05, 0.05, 0.05));
    bed.definition.method = METHOD_NONSMOOTH;
    bed.definition.contact.solver.tolerance = 1e-9;
    bed.definition.particles.count = count;
    bed.gravity = vec3(0, 0, -g);
    bed.step = 1e-3;
    bed_set_coefficients(&bed, 0, 0.5, 0.01);
    bed_create(&bed);
    for (size_t i = 0; i < count; i++)
        bed_place(&bed, i, vec3(0, 0, -0.024 + 0.002 * (double)i), vec3_zero(), vec3_zero());
    bed_advance(&bed, 10000);
    for (size_t i = 0; i < count; i++) {
        Vec3 p = bed_position(&bed, i);
        check_near(p.x, 0, 1e-6 * 1e-3);
        check_near(p.y, 0, 1e-6 * 1e-3);
        check_near(p.z, -0.024 + 0.002 * (double)i, 1e-6 * 1e-3);
    }
    check_near(bed.loads[0].force.z, -count * bed.mass * g, 1e-6 * count * bed.mass * g);
    bed_destroy(&bed);
}

// Two grains of different sizes collide off centre with friction: momenta are kept to rounding.
static void test_collision_keeps_momenta(void **state) {
    (void)state;
    Bed bed = bed_default();
    SizeClass classes[2] = {{.radius = 1e-3, .number = 1}, {.radius = 2.5e-3, .number = 1}};
    wall_set_vector(&bed.walls[0].shape, "size", vec3(0.1, 0.1, 0.1));
    bed.definition.method = METHOD_NONSMOOTH;
    bed.definition.contact.solver.tolerance = 1e-12;
    bed.definition.particles = (ParticlesDefinition){
        .count = 2, .material = "grain", .sizes = {.classes = classes, .class_count = 2}};
    bed.step = 1e-4;
    bed_set_coefficients(&bed, 0.5, 0.3, 0.02);
    bed_create(&bed);
    bed_place(&bed, 0, vec3(-0.004, 0.0012, 0.0003), vec3(0.5, -0.1, 0), vec3(10, 20, -30));
    bed_place(&bed, 1, vec3(0.004, 0, 0), vec3(-0.2, 0, 0.05), vec3(0, -15, 5));
    Vec3 p, l, p1, l1;
    bed_momenta(&bed, &p, &l);
    double before = bed_measure(&bed).kinetic;
    bed_advance(&bed, 150);
    bed_momenta(&bed, &p1, &l1);
    GrainsMeasure m = bed_measure(&bed);
    assert_true(m.impact > 0.05 * before && m.friction > 0);
    check_near(vec3_norm(vec3_sub(p1, p)), 0, 1e-15 * vec3_norm(p) + 1e-20);
    check_near(vec3_norm(vec3_sub(l1, l)), 0, 1e-14 * vec3_norm(l));
    check_near(m.kinetic + m.impact + m.friction + m.rolling + m.stabilisation + m.algorithm, before,
               1e-13 * before);
    bed_destroy(&bed);
}

// The container of twice the mobility: a grain that hits a free box of mass M sticks to it: v = m v0/(m + M).
static void test_plastic_impact_on_free_container(void **state) {
    (void)state;
    const double ratios[] = {1e-3, 0.1, 1, 30, 1000}; // container over grain
    for (int k = 0; k < 5; k++) {
        Bed bed = bed_default();
        MrcError error = {0};
        bed.definition.method = METHOD_NONSMOOTH;
        bed.definition.contact.solver.tolerance = 1e-12;
        bed.step = 1e-4;
        bed_set_coefficients(&bed, 0, 0, 0);
        bed_create(&bed);
        bed_place(&bed, 0, vec3(0, 0, -0.0085), vec3(0, 0, -0.6), vec3_zero());
        const int ports[1] = {0};
        WorldBed beds[1] = {{bed.grains, ports}};
        World *world;
        double mobility[36] = {0}, mass = ratios[k] * bed.mass;
        for (int a = 0; a < 3; a++) mobility[7 * a] = 1 / mass;
        assert_int_equal(world_create(beds, 1, 1, bed.step, vec3_zero(), &world, &error), MRC_OK);
        Motion port = motion_at_rest();
        Vec3 total = vec3_zero();
        for (int n = 0; n < 40; n++) {
            Load impulse;
            Twist after;
            if (world_advance(world, bed.step, &port, mobility, &impulse, &after, &error))
                fail_msg("%s", error.text);
            total = vec3_add(total, impulse.force);
            port.position = vec3_madd(port.position, bed.step, after.linear);
            port.velocity = after.linear;
        }
        double common = -0.6 / (1 + ratios[k]);
        check_near(bed_velocity(&bed, 0).z, common, 1e-10);
        check_near(port.velocity.z, common, 1e-10);
        check_near(total.z, mass * common, 1e-10 * mass);
        world_destroy(world);
        bed_destroy(&bed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_falls),
        cmocka_unit_test(test_rolls_or_slips),
        cmocka_unit_test(test_oblique_impacts),
        cmocka_unit_test(test_sticks),
        cmocka_unit_test(test_spins_down),
        cmocka_unit_test(test_bounces),
        cmocka_unit_test(test_bounces_to_rest),
        cmocka_unit_test(test_column_stands),
        cmocka_unit_test(test_collision_keeps_momenta),
        cmocka_unit_test(test_plastic_impact_on_free_container),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
