// A gas of elastic grains without friction keeps its energy: less than 0.1 % drift over 1e6 steps. The suggested step makes
// impacts right to 0.1 %, and the errors of many of them are a random walk (0.03 to 0.11 % by other starts and roundings);
// half that step keeps it a long way from the limit.
#include "grains/bed.h"

#include "base/random.h"
#include "grains/law.h"
#include "grains/rooms.h"

static void check_gas(NormalLaw law, Room kind) {
    enum { count = 200, steps = 1000000 };
    Bed bed = bed_default();
    bed.walls[0].shape = room(kind, 0.008);
    bed.definition.particles.count = count;
    bed.definition.contact.normal = law;
    bed.definition.contact.impact_speed = 1;
    bed_create(&bed);
    bed_destroy(&bed);
    bed.step *= 0.5; // of the suggested one
    bed_create(&bed);
    Random random = {7};
    for (size_t i = 0; i < count; i++) {
        const double *x = bed.grains->position + i * QUAD;
        bed_place(&bed, i, vec3(x[0], x[1], x[2]), vec3_scale(0.3, random_direction(&random)), vec3_zero());
    }
    GrainsMeasure m = bed_measure(&bed);
    double start = m.kinetic + m.elastic, worst = 0;
    for (int n = 0; n < steps; n += 10000) {
        bed_advance(&bed, 10000);
        m = bed_measure(&bed);
        worst = fmax(worst, fabs((m.kinetic + m.elastic) / start - 1));
    }
    print_message("gas in a %s, law %d, step %.3g us: energy changed by %.2e, at most %.2e\n",
                  room_names[kind], law, 1e6 * bed.step, (m.kinetic + m.elastic) / start - 1, worst);
    check_near(worst, 0, 1e-3);
    bed_destroy(&bed);
    wall_release(&bed.walls[0].shape);
}

static void test_linear_gas_in_a_box(void **state) {
    (void)state;
    check_gas(NORMAL_LINEAR, BOX);
}

static void test_linear_gas_in_a_cylinder(void **state) {
    (void)state;
    check_gas(NORMAL_LINEAR, CYLINDER);
}

static void test_hertz_gas_in_a_box(void **state) {
    (void)state;
    check_gas(NORMAL_HERTZ, BOX);
}

static void test_hertz_gas_in_a_cylinder(void **state) {
    (void)state;
    check_gas(NORMAL_HERTZ, CYLINDER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_gas_in_a_box),
        cmocka_unit_test(test_linear_gas_in_a_cylinder),
        cmocka_unit_test(test_hertz_gas_in_a_box),
        cmocka_unit_test(test_hertz_gas_in_a_cylinder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
