// Energy per period: exact ends, means, and a damper whose loss is known in closed form.
#include "check.h"

#include <string.h>

#include "model/model.h"
#include "sim/sim.h"

#define PI 3.14159265358979323846

static void test_ends_between_steps(void **state) {
    (void)state;
    PeriodsDefinition definition = {.port = "p", .frequency = 3, .mass_ratio = 0.01, .skip = 2};
    PortDefinition port = {.name = "p"};
    Periods periods = {.definition = &definition, .port = &port, .step = 0.01, .mass = 1};
    PeriodRow row = {0};
    int ended = 0;
    double sum = 0, squares = 0;
    for (int64_t now = 0; now <= 200; now++) {
        if (!periods_is_due(&periods, now)) continue;
        double t = 0.01 * (double)now;
        PeriodEnergy energy = {.impact = 5 * t, .friction = t * t, .rolling = 1, .work = 2 * t};
        if (!periods_take(&periods, now, &energy, &row)) continue;
        double from = ended / 3.0, to = (ended + 1) / 3.0;
        check_near(row.number, ended, 0);
        check_near(row.start, from, 1e-15);
        check_near(row.impact, 5 / 3.0, 1e-12); // linear in time: exact
        check_near(row.friction, to * to - from * from, 0.01 * 0.01 / 2);
        check_near(row.rolling, 0, 0);
        check_near(row.work, 2 / 3.0, 1e-12);
        check_near(row.dissipated, row.impact + row.friction, 1e-15);
        ended++;
        if (ended > 2) sum += row.dissipated, squares += row.dissipated * row.dissipated;
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
    for (int64_t now = 0; now <= 100; now++) {
        PeriodRow row;
        PeriodEnergy energy = {.impact = (double)now};
        if (!periods_is_due(&periods, now)) continue;
        looks++;
        if (!periods_take(&periods, now, &energy, &row)) continue;
        ended++;
        check_near(row.impact, 10, 1e-4);
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
    MrcModel *model = mrc_model_parse(model_text, strlen(model_text), "test", NULL, 0);
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
        print_error("%s\n", mrc_model_diagnostic(model, i)->text);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    check_near(model_definition(model)->periods.frequency, 10, 1e-3); // found in the motion
    Sim *sim;
    MrcError error;
    assert_int_equal(sim_create(model_definition(model), NULL, &sim, &error), MRC_OK);
    double x = 2, mass = 2500 * 4.0 / 3.0 * PI * 1e-9, speed = 2 * PI * 10 * 1e-3;
    for (int i = 0; i < 50; i++) x -= (x - sin(x) - 1) / (1 - cos(x));
    double expected = mass * speed * speed * pow(1 - cos(x), 2);
    int ended = 0;
    for (;;) {
        bool end;
        PeriodRow row;
        assert_int_equal(sim_look_at_periods(sim, &end, &row, &error), MRC_OK);
        if (end && ++ended > 2) {
            check_near(row.dissipated / expected, 1, 3e-3);
            check_near(row.work / expected, 1, 3e-3);
            check_near(row.speed, speed, 2e-6 * speed);
            check_near(row.damping, 0.01 * row.dissipated / (2 * PI * mass * row.speed * row.speed), 1e-9);
        }
        if (sim_is_done(sim)) break;
        assert_int_equal(sim_step(sim, &error), MRC_OK);
    }
    assert_int_equal(ended, 4);
    check_near(sim->periods.dissipated.mean / expected, 1, 3e-3);
    sim_destroy(sim);
    mrc_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends_between_steps),
        cmocka_unit_test(test_periods_of_whole_steps),
        cmocka_unit_test(test_grain_that_does_not_rebound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
