// Each wall part has its own load, and they add up to that of the bed.
#include "check.h"

#include <string.h>

#include "model/model.h"
#include "sim/sim.h"

static const char text[] = "maraca: 1\n"
                           "gravity: 0 0 -9.81\n"
                           "materials: {glass: {density: 2500, restitution: 0.5}}\n"
                           "grains:\n"
                           "  bed:\n"
                           "    walls:\n"
                           "      floor: {plane: {normal: z, point: 0 0 -5 mm}}\n"
                           "      sides: {box: {size: 10 10 30 mm}}\n"
                           "    particles: {radius: 1 mm, count: 32, material: glass}\n"
                           "    contact: {stiffness: 2 kN/m}\n"
                           "simulate: {duration: 0.1 s}\n"
                           "record: {series: [bed.floor, bed.sides.load.fz, bed.load.fz]}\n";

static double value(const Sim *sim, const char *name) {
    const SignalList *list = &sim->recorder.signals;
    for (size_t s = 0; s < list->signals.count; s++)
        if (strcmp(list->signals.data[s].name, name) == 0) return *list->signals.data[s].value;
    fail_msg("no signal '%s'", name);
    return 0;
}

static void test_parts_add_up(void **state) {
    (void)state;
    MrcModel *model = mrc_model_parse(text, strlen(text), "test", NULL, 0);
    if (mrc_model_status(model) != MRC_OK) fail_msg("%s", mrc_model_diagnostic(model, 0)->text);
    Sim *sim;
    MrcError error;
    if (sim_create(model_definition(model), NULL, &sim, &error) != MRC_OK) fail_msg("%s", error.text);
    assert_int_equal(sim->recorder.column_count, 6 + 1 + 1);
    double largest = 0;
    while (!sim_is_done(sim)) {
        if (sim_step(sim, &error) != MRC_OK) fail_msg("%s", error.text);
        if (sim->clock.now % 500 != 0) continue;
        assert_int_equal(sim_sample(sim, &error), MRC_OK);
        double floor_force = value(sim, "bed.floor.load.fz"), all = value(sim, "bed.load.fz");
        check_near(floor_force + value(sim, "bed.sides.load.fz"), all, 1e-12);
        check_near(value(sim, "bed.sides.load.fz"), 0, 1e-12); // the plane is the floor
        largest = fmax(largest, -floor_force);
    }
    assert_true(largest > 0);
    check_near(-value(sim, "bed.floor.load.fz"), grains_mass(sim->beds->items[0].grains) * 9.81,
               2e-3); // at rest by now
    sim_destroy(sim);
    mrc_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts_add_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
