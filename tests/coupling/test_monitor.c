// The signs of a bad exchange: seen where they are, not where they are not.
#include "coupling/monitor.h"

#include "check.h"

// 1000 steps of x = sin(w t) under the load -x, with faults.
typedef struct Faults {
    double velocity; // the marker's is larger by this factor
    int flip;        // the load changes its sign every so many steps; 0: never
    double leak;     // of the energy that passes
} Faults;

static ExchangeMonitor run(Faults faults, double omega_h, bool jumps) {
    ExchangeMonitor signs = {0};
    Load past = {0};
    double h = 0.001, w = omega_h / h;
    for (int n = 0; n < 1000; n++) {
        double a = omega_h * n, b = omega_h * (n + 1);
        Motion before = motion_at_rest(), after = before;
        before.position.x = sin(a), before.velocity.x = faults.velocity * w * cos(a);
        after.position.x = sin(b), after.velocity.x = faults.velocity * w * cos(b);
        Load load = {.force.x = -sin(b) * (faults.flip && n / faults.flip % 2 ? -1 : 1)};
        double passed = fabs(load.force.x * (sin(b) - sin(a)));
        monitor_step(
            &signs, &(MonitorStep){&before, &after, &load, &past, h, faults.leak * passed, passed, jumps, 1});
        past = load;
    }
    return signs;
}

static void check(ExchangeMonitor signs, bool velocity, bool load, bool energy) {
    assert_int_equal(signs.found[MONITOR_VELOCITY], velocity);
    assert_int_equal(signs.found[MONITOR_LOAD], load);
    assert_int_equal(signs.found[MONITOR_ENERGY], energy);
}

static void signs_are_seen(void **state) {
    (void)state;
    for (double omega_h = 0.001; omega_h < 0.6; omega_h *= 3) {
        check(run((Faults){1, 0, 0}, omega_h, false), false, false, false);
        check(run((Faults){1.5, 0, 0}, omega_h, false), true, false, false);
        check(run((Faults){1.1, 0, 0}, omega_h, false), false, false, false);
        check(run((Faults){1.5, 0, 0}, omega_h, true), false, false, false);
        check(run((Faults){1, 1, 0}, omega_h, false), false, true, false);
        check(run((Faults){1, 3, 0}, omega_h, false), false, false, false);
        check(run((Faults){1, 0, 0.1}, omega_h, false), false, false, true);
        check(run((Faults){1, 0, -0.1}, omega_h, true), false, false, true);
        check(run((Faults){1, 0, 0.02}, omega_h, false), false, false, false);
    }
}

// A port that stands still under a load: what rounding makes of it is no sign, ten nanometres per second are one.
static ExchangeMonitor stand(double speed) {
    ExchangeMonitor signs = {0};
    Motion still = motion_at_rest();
    Load load = {.force.z = -2};
    double h = 5e-4;
    for (int n = 0; n < 1000; n++)
        monitor_step(&signs, &(MonitorStep){&still, &still, &load, &load, h, 2 * speed * h, 0, false, 0});
    return signs;
}

static void rounding_is_no_sign(void **state) {
    (void)state;
    check(stand(1e-16), false, false, false);
    check(stand(1e-8), false, false, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(signs_are_seen),
                                       cmocka_unit_test(rounding_is_no_sign)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
