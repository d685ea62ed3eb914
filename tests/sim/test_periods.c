// Energy per period: exact ends, means, and a damper whose loss is known in closed form.
#include "sim/periods.h"

#include "sim/run.h"

#define PI 3.14159265358979323846

static void test_ends_between_steps(void **state) {
    (void)state;
    PeriodsDefinition definition = {.port = "p", .frequency = 3, .mass_ratio = 0.01, .skip = 2};
    PortDefinition port = {.name = "p"};
    Periods periods = {.definition = &definition, .port = &port, .step = 0.01, .mass = 1};
    const PeriodRow *row = &periods.row;
    int ended = 0;
    double sum = 0, squares = 0;
    for (int64_t n = 0; n <= 200; n++) {
        if (!periods_is_due(&periods, n)) continue;
        double t = 0.01 * (double)n;
        PeriodEnergy energy = {.impact = 5 * t, .friction = t * t, .rolling = 1, .work = 2 * t};
        periods_take(&periods, n, &energy);
        if (n == 0 || periods.row_step != n) continue;
        double from = ended / 3.0, to = (ended + 1) / 3.0;
        check_near(row->number, ended, 0);
        check_near(row->start, from, 1e-15);
        check_near(row->impact, 5 / 3.0, 1e-12); // linear in time: exact
        check_near(row->friction, to * to - from * from, 0.01 * 0.01 / 2);
        check_near(row->rolling, 0, 0);
        check_near(row->work, 2 / 3.0, 1e-12);
        check_near(row->dissipated, row->impact + row->friction, 1e-15);
        ended++;
        if (ended > 2) sum += row->dissipated, squares += row->dissipated * row->dissipated;
    }
    assert_int_equal(ended, 6);
    assert_int_equal(periods.counted, 4);
    check_near(periods.dissipated.mean, sum / 4, 1e-12);
    check_near(period_deviation(&periods, &periods.dissipated), sqrt((squares - sum * sum / 4) / 3), 1e-9);
}

static void test_periods_of_whole_steps(void **state) {
    (void)state;
    PeriodsDefinition definition = {.port = "p", .frequency = 10, .mass_ratio = 0.01};
    PortDefinition port = {.name = "p"};
    Periods periods = {.definition = &definition, .port = &port, .step = 0.01, .mass = 1};
    int ended = 0, looks = 0;
    for (int64_t n = 0; n <= 100; n++) {
        PeriodEnergy energy = {.impact = (double)n};
        if (!periods_is_due(&periods, n)) continue;
        looks++;
        periods_take(&periods, n, &energy);
        if (n == 0 || periods.row_step != n) continue;
        ended++;
        check_near(periods.row.impact, 10, 1e-4);
    }
    assert_int_equal(ended, 10);
    assert_true(looks <= 21);
}

// A grain that does not rebound, in a box with the clearance d, shaken with the amplitude A and no gravity:
// it leaves a wall where that is fastest, flies at A w, and meets the other wall at the phase x with x - sin
// x = d/A, at the relative speed A w (1 - cos x), all of which is lost, twice in a period.
static const char model_text[] = "maraca: 1\n"
                                 "constants: {f: 10 Hz, A: 1 mm}\n"
                                 "materials: {dull: {density: 2500, restitution: 0}}\n"
                                 "ports: {box: {position: [A*sin(2*pi*f*t), 0, 0]}}\n"
                                 "grains:\n"
                                 "  one:\n"
                                 "    port: box\n"
                                 "    wall: {box: {size: 3 4 4 mm}}\n"
                                 "    particles: {radius: 1 mm, count: 1, material: dull}\n"
                                 "    contact: {stiffness: 20 kN/m}\n"
                                 "simulate: {duration: 0.45 s}\n"
                                 "periods: {port: box, mass_ratio: 1 %, skip: 2}\n";

static void test_grain_that_does_not_rebound(void **state) {
    (void)state;
    Run run = start_text(model_text);
    double x = 2, mass = 2500 * 4.0 / 3.0 * PI * 1e-9, speed = 2 * PI * 10 * 1e-3;
    for (int i = 0; i < 50; i++) x -= (x - sin(x) - 1) / (1 - cos(x));
    double expected = mass * speed * speed * pow(1 - cos(x), 2);
    check_near(fact(&run, "periods.frequency_hz"), 10, 1e-3); // found in the motion
    MrcState *half = NULL;
    MrcError error;
    double first[2] = {0};
    for (int again = 0; again < 2; again++) { // the second time from a state that was saved
        while (!is_done(&run)) {
            if (!again && !half && now(&run) > 0.34)
                assert_int_equal(mrc_sim_save(run.sim, &half, &error), MRC_OK);
            step(&run);
        }
        check_near(fact(&run, "periods.count"), 4, 0);
        check_near(fact(&run, "periods.counted"), 2, 0);
        double lost = fact(&run, "periods.dissipated_mean_J"),
               damping = fact(&run, "periods.damping_ratio_mean");
        check_near(lost / expected, 1, 3e-3);
        check_near(fact(&run, "periods.dissipated_deviation_J") / expected, 0, 3e-3);
        check_near(damping, 0.01 * lost / (2 * PI * mass * speed * speed), 1e-5 * damping);
        if (again) check_near(lost, first[0], 0), check_near(damping, first[1], 0);
        first[0] = lost, first[1] = damping;
        assert_int_equal(mrc_sim_restore(run.sim, half, &error), MRC_OK);
    }
    mrc_state_free(half);
    end(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends_between_steps),
        cmocka_unit_test(test_periods_of_whole_steps),
        cmocka_unit_test(test_grain_that_does_not_rebound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
