// Rolling resistance against closed forms, on the level and on an incline (gravity is tilted).
#include "grains/bed.h"
#include "grains/law.h"

static const double radius = 0.001, gravity = 9.81, stiffness = 1e4;

static void on_floor(Bed *bed, RollingLaw law, double friction, double rolling_friction, double angle,
                     double spin) {
    *bed = bed_default();
    wall_set_vector(&bed->walls[0].shape, "size", vec3(2, 0.1, 0.1));
    bed->gravity = vec3(gravity * sin(angle), 0, -gravity * cos(angle));
    bed->definition.contact.tangential = TANGENTIAL_ELASTIC;
    bed->definition.contact.rolling = law;
    bed_set_coefficients(bed, 0.5, friction, rolling_friction);
    bed_create(bed);
    double sunk = bed->mass * gravity * cos(angle) / stiffness;
    bed_place(bed, 0, vec3(-0.9, 0, -0.05 + radius - sunk), vec3(friction > 0 ? spin * radius : 0, 0, 0),
              vec3(0, spin, 0));
}

static double inertia(const Bed *bed) { return 0.4 * bed->mass * radius * radius; }

// Without friction the moment mu_R R f_n alone slows the spin: dw/dt = -mu_R R m g/I = -5/2 mu_R g/R, until
// it stands still. A rolling sphere is slowed by 5/7 mu_R g (the moment also has to slow the centre down).
static void test_constant_moment_slows_down(void **state) {
    (void)state;
    double spin = 100, mu = 0.05;
    Bed bed;
    on_floor(&bed, ROLLING_CONSTANT, 0, mu, 0, spin);
    double rate = mu * radius * bed.mass * gravity / inertia(&bed);
    bed_advance(&bed, (int64_t)(0.5 * spin / rate / bed.step));
    check_near(bed_spin(&bed, 0).y, spin - rate * bed.time, 1e-4 * spin);
    bed_advance(&bed, (int64_t)(0.6 * spin / rate / bed.step));
    check_near(bed_spin(&bed, 0).y, 0, 1e-9 * spin); // and stays there
    bed_destroy(&bed);
    on_floor(&bed, ROLLING_CONSTANT, 0.5, mu, 0, spin);
    bed_advance(&bed, (int64_t)(0.1 / bed.step));
    double slower = 5.0 / 7.0 * mu * gravity;
    check_near(bed_velocity(&bed, 0).x, spin * radius - slower * bed.time, 0.01 * slower * bed.time);
    bed_destroy(&bed);
}

// Below its limit the spring law is a damped oscillator, I w' = -k_r r - c_r w, with the damping ratio 0.3:
//     w = w0 exp(-z W t)(cos(D t) - z W/D sin(D t)),    W^2 = k_r/I, D = W sqrt(1 - z^2),
// k_r = 9/4 k (mu_R R)^2. 1 % of the first amplitude; there are some 150 steps in a period. The first kick finds a spring
// that has been wound for a step: it began a step before.
static void test_spring_oscillates(void **state) {
    (void)state;
    double mu = 0.1, spin = 1e-3;
    Bed bed;
    on_floor(&bed, ROLLING_SPRING, 0, mu, 0, spin);
    double own = sqrt(2.25 * stiffness * mu * mu * radius * radius / inertia(&bed)), ratio = 0.3;
    double damped = own * sqrt(1 - ratio * ratio);
    for (int sample = 0; sample < 20; sample++) {
        bed_advance(&bed, (int64_t)(0.1 * 2 * M_PI / damped / bed.step));
        double middle = bed.time + 0.5 * bed.step; // velocities belong to the middle of a step
        double expected = spin * exp(-ratio * own * middle) *
                          (cos(damped * middle) - ratio * own / damped * sin(damped * middle));
        check_near(bed_spin(&bed, 0).y, expected, 0.01 * spin);
    }
    bed_destroy(&bed);
}

// A fast spin slips at first, with the constant moment, then comes to rest for good.
static void test_spring_stops_a_fast_spin(void **state) {
    (void)state;
    double mu = 0.05, spin = 100;
    Bed bed;
    on_floor(&bed, ROLLING_SPRING, 0, mu, 0, spin);
    double rate = mu * radius * bed.mass * gravity / inertia(&bed);
    bed_advance(&bed, (int64_t)(0.5 * spin / rate / bed.step));
    check_near(bed_spin(&bed, 0).y, spin - rate * bed.time, 0.01 * spin);
    bed_advance(&bed, (int64_t)(1.5 * spin / rate / bed.step));
    check_near(bed_spin(&bed, 0).y, 0, 1e-9 * spin);
    bed_destroy(&bed);
}

// On an incline the weight's moment about the contact is m g R sin; the spring holds mu_R R m g cos. Below
// tan(angle) = mu_R the sphere stays; beyond, it rolls with 5/7 g (sin - mu_R cos).
static void test_spring_holds_or_rolls_on_an_incline(void **state) {
    (void)state;
    double mu = 0.2;
    for (int k = 0; k < 2; k++) {
        double angle = atan(k ? 1.5 * mu : 0.9 * mu);
        Bed bed;
        on_floor(&bed, ROLLING_SPRING, 0.5, mu, angle, 0);
        bed_advance(&bed, (int64_t)(0.02 / bed.step));
        double v = bed_velocity(&bed, 0).x, start = bed.time;
        Vec3 x = bed_position(&bed, 0);
        bed_advance(&bed, (int64_t)(0.1 / bed.step));
        double expected = 5.0 / 7.0 * gravity * (sin(angle) - mu * cos(angle));
        if (k) check_near((bed_velocity(&bed, 0).x - v) / (bed.time - start), expected, 0.01 * expected);
        else check_near(bed_position(&bed, 0).x - x.x, 0, 1e-9 * radius);
        bed_destroy(&bed);
    }
}

// The constant law has no memory: on the incline it cannot hold, but resists the same way when rolling.
static void test_constant_moment_on_an_incline(void **state) {
    (void)state;
    double mu = 0.2, angle = atan(1.5 * mu), expected = 5.0 / 7.0 * gravity * (sin(angle) - mu * cos(angle));
    Bed bed;
    on_floor(&bed, ROLLING_CONSTANT, 0.5, mu, angle, 10);
    bed_advance(&bed, (int64_t)(0.02 / bed.step));
    double v = bed_velocity(&bed, 0).x, start = bed.time;
    bed_advance(&bed, (int64_t)(0.1 / bed.step));
    check_near((bed_velocity(&bed, 0).x - v) / (bed.time - start), expected, 0.01 * expected);
    bed_destroy(&bed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant_moment_slows_down),
        cmocka_unit_test(test_spring_oscillates),
        cmocka_unit_test(test_spring_stops_a_fast_spin),
        cmocka_unit_test(test_spring_holds_or_rolls_on_an_incline),
        cmocka_unit_test(test_constant_moment_on_an_incline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
