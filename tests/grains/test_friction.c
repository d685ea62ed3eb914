// A sphere on an incline: it rolls, slips or stays as theory says. Gravity is tilted instead of the floor.
#include "grains/bed.h"
#include "grains/law.h"

static const double radius = 0.001, gravity = 9.81;

// `count` grains over the floor at z = -50 mm, gravity tilted by `angle` towards +x.
static void incline(Bed *bed, TangentialLaw law, RollingLaw rolling, double friction, double rolling_friction,
                    double angle, int count) {
    *bed = bed_default();
    wall_set_vector(&bed->walls[0].shape, "size", vec3(2, 0.1, 0.1));
    bed->gravity = vec3(gravity * sin(angle), 0, -gravity * cos(angle));
    bed->definition.particles.count = count;
    bed->definition.contact.tangential = law;
    bed->definition.contact.rolling = rolling;
    bed->definition.contact.impact_speed = 0.1;
    if (law == TANGENTIAL_MINDLIN) bed->definition.contact.normal = NORMAL_HERTZ;
    bed_set_coefficients(bed, 0.5, friction, rolling_friction);
    bed_create(bed);
}

// On the floor, sunk in as far as its weight asks for.
static void rest_on_floor(Bed *bed, size_t i, double x, double y, Vec3 velocity, Vec3 spin) {
    double weight = -bed->mass * bed->gravity.z, sunk = weight / 1e4;
    if (bed->definition.contact.normal == NORMAL_HERTZ)
        sunk = pow(weight / (4.0 / 3.0 * 0.5 * 70e6 / 0.91 * sqrt(radius)), 2.0 / 3.0);
    bed_place(bed, i, vec3(x, y, -0.05 + radius - sunk), velocity, spin);
}

// Accelerations of the centre and of the surface, once the springs have come to rest.
static void accelerations(Bed *bed, double *along, double *spin) {
    rest_on_floor(bed, 0, -0.9, 0, vec3_zero(), vec3_zero());
    bed_advance(bed, (int64_t)(0.01 / bed->step));
    double v = bed_velocity(bed, 0).x, w = bed_spin(bed, 0).y, start = bed->time;
    bed_advance(bed, (int64_t)(0.03 / bed->step));
    *along = (bed_velocity(bed, 0).x - v) / (bed->time - start);
    *spin = radius * (bed_spin(bed, 0).y - w) / (bed->time - start);
    bed_destroy(bed);
}

// tan(angle) < 3.5 mu: rolls with 5/7 g sin. Beyond: slips with g (sin - mu cos), and friction spins it up
// with 5/2 mu g cos. 1 % as asked for; the overlap shortens the arm by 1e-5.
static void test_sphere_on_incline_rolls_or_slips(void **state) {
    (void)state;
    const TangentialLaw laws[] = {TANGENTIAL_DIRECTIONAL, TANGENTIAL_ELASTIC, TANGENTIAL_MINDLIN};
    const double angles[] = {5, 20, 33, 37, 50, 70}; // degrees; 3.5 mu = tan(35)
    double mu = 0.2;
    for (int l = 0; l < 3; l++)
        for (int a = 0; a < 6; a++) {
            double angle = angles[a] * M_PI / 180, along, spin;
            Bed bed;
            incline(&bed, laws[l], ROLLING_NONE, mu, 0, angle, 1);
            accelerations(&bed, &along, &spin);
            bool rolls = tan(angle) < 3.5 * mu;
            double expected =
                rolls ? 5.0 / 7.0 * gravity * sin(angle) : gravity * (sin(angle) - mu * cos(angle));
            double turning = rolls ? expected : 2.5 * mu * gravity * cos(angle);
            check_near(along, expected, 0.01 * expected);
            check_near(spin, turning, 0.01 * turning);
        }
}

// A sphere that slides on the level ends rolling with 5/7 of its speed, whatever the law.
static void test_sliding_ends_rolling_at_five_sevenths(void **state) {
    (void)state;
    const TangentialLaw laws[] = {TANGENTIAL_DIRECTIONAL, TANGENTIAL_ELASTIC, TANGENTIAL_MINDLIN};
    for (int l = 0; l < 3; l++) {
        Bed bed;
        incline(&bed, laws[l], ROLLING_NONE, 0.3, 0, 0, 1);
        rest_on_floor(&bed, 0, -0.9, 0, vec3(0.05, 0, 0), vec3_zero());
        bed_advance(&bed, (int64_t)(0.03 / bed.step)); // sliding takes 2/7 v/(mu g) = 4.9 ms
        check_near(bed_velocity(&bed, 0).x, 0.05 * 5 / 7, 0.01 * 0.05 * 5 / 7);
        check_near(bed_spin(&bed, 0).y * radius, 0.05 * 5 / 7, 0.01 * 0.05 * 5 / 7);
        bed_destroy(&bed);
    }
}

// At rest below the friction angle: kept from rolling by the rolling spring, the sphere moves by what its
// springs give at first, then not at all. Bound: 1e-9 radii in 1e5 steps. It is 0 when walls keep springs in
// double precision; in single precision a step's way is rounded away from the spring and the sphere creeps
// for ever, by 4.5e-8 radii in 1e5 steps.
static void test_sphere_below_the_friction_angle_does_not_creep(void **state) {
    (void)state;
    const TangentialLaw laws[] = {TANGENTIAL_ELASTIC, TANGENTIAL_MINDLIN};
    for (int l = 0; l < 2; l++) {
        Bed bed;
        incline(&bed, laws[l], ROLLING_SPRING, 0.5, 0.8, 20 * M_PI / 180, 1);
        rest_on_floor(&bed, 0, 0, 0, vec3_zero(), vec3_zero());
        bed_advance(&bed, 50000);
        Vec3 start = bed_position(&bed, 0);
        bed_advance(&bed, 100000);
        double creep = vec3_norm(vec3_sub(bed_position(&bed, 0), start)) / radius;
        print_message("creep of a sphere in 1e5 steps: %.1e radii\n", creep);
        assert_true(start.x < 0.01 * radius);
        check_near(creep, 0, 1e-9);
        bed_destroy(&bed);
    }
}

// Four grains in a pyramid: pairs keep their springs in single precision, whose rounding of 6e-8 must not add
// up to a creep either. Bound: 1e-6 radii in 1e5 steps.
static void test_pyramid_below_the_friction_angle_does_not_creep(void **state) {
    (void)state;
    Bed bed;
    incline(&bed, TANGENTIAL_ELASTIC, ROLLING_SPRING, 0.5, 0.3, 8 * M_PI / 180, 4);
    double side = 2 * radius;
    Vec3 none = vec3_zero();
    rest_on_floor(&bed, 0, 0, 0, none, none);
    rest_on_floor(&bed, 1, side, 0, none, none);
    rest_on_floor(&bed, 2, 0.5 * side, sqrt(0.75) * side, none, none);
    bed_place(&bed, 3, vec3(0.5 * side, sqrt(0.75) / 3 * side, -0.05 + radius + sqrt(2.0 / 3.0) * side), none,
              none);
    bed_advance(&bed, 200000);
    Vec3 start[4];
    for (size_t i = 0; i < 4; i++) start[i] = bed_position(&bed, i);
    assert_true(start[3].z > -0.05 + 2 * radius); // it still stands
    bed_advance(&bed, 100000);
    double creep = 0;
    for (size_t i = 0; i < 4; i++)
        creep = fmax(creep, vec3_norm(vec3_sub(bed_position(&bed, i), start[i])) / radius);
    print_message("creep of a pyramid in 1e5 steps: %.1e radii\n", creep);
    check_near(creep, 0, 1e-6);
    bed_destroy(&bed);
}

// A sphere is thrown at the floor and slides off it. With strong dashpots its contact ends while it still overlaps, and a
// contact without force cannot hold a spring: it had one of -c_T v/k_T, energy that nothing had put in, taken off what
// friction had lost. Losses never fall from step to step by more than rounding.
static void test_losses_do_not_fall_when_a_contact_ends(void **state) {
    (void)state;
    const double restitutions[] = {0, 0.05, 0.3, 0.8};
    for (int k = 0; k < 4; k++) {
        Bed bed = bed_default();
        wall_set_vector(&bed.walls[0].shape, "size", vec3(2, 0.1, 0.1));
        bed.gravity = vec3(0, 0, -gravity);
        bed.definition.contact.tangential = TANGENTIAL_ELASTIC;
        bed_set_coefficients(&bed, restitutions[k], 0.1, 0);
        bed_create(&bed);
        bed_place(&bed, 0, vec3(-0.9, 0, -0.05 + 1.01 * radius), vec3(1, 0, -0.2), vec3_zero());
        GrainsMeasure m = bed_measure(&bed);
        double start = bed_ledger(&m), energy = m.kinetic, most = 0, fall = 0, stored = 0;
        for (int64_t n = 0; n < 4000; n++) {
            bed_advance(&bed, 1);
            m = bed_measure(&bed);
            fall = fmax(fall, most - m.friction), most = fmax(most, m.friction);
            stored = fmax(stored, m.elastic);
        }
        check_near(fall, 0, 1e-12 * energy);
        assert_true(most > 0.01 * energy && stored < 0.04 * energy); // what falls has 1/26 of it
        check_near(bed_ledger(&m), start, 1e-3 * most);
        bed_destroy(&bed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sphere_on_incline_rolls_or_slips),
        cmocka_unit_test(test_sliding_ends_rolling_at_five_sevenths),
        cmocka_unit_test(test_sphere_below_the_friction_angle_does_not_creep),
        cmocka_unit_test(test_pyramid_below_the_friction_angle_does_not_creep),
        cmocka_unit_test(test_losses_do_not_fall_when_a_contact_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
