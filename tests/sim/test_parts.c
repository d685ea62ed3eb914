// Each wall part has its own load, and they add up to that of the bed.
#include "sim/run.h"

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

static void test_parts_add_up(void **state) {
    (void)state;
    Run run = start(mrc_model_parse(text, strlen(text), "test", NULL, 0));
    double largest = 0;
    while (!is_done(&run)) {
        step(&run);
        if (mrc_sim_step_count(run.sim) % 500 != 0) continue;
        double floor_force = value(&run, "bed.floor.load.fz"), all = value(&run, "bed.load.fz");
        check_near(floor_force + value(&run, "bed.sides.load.fz"), all, 1e-12);
        check_near(value(&run, "bed.sides.load.fz"), 0, 1e-12); // the plane is the floor
        largest = fmax(largest, -floor_force);
    }
    assert_true(largest > 0);
    check_near(-value(&run, "bed.floor.load.fz"), fact(&run, "grains.bed.mass_kg") * 9.81,
               2e-3); // at rest by now
    end(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts_add_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
