// Motors and cylinders: Jacobian against difference quotients, within and at their limits.
#include "element_check.h"

static const Expression *formula(Site *site, const char *text) {
    ExpressionError error;
    ExpressionScope scope = {0};
    const Expression *expression = expression_compile(site->builder.arena, text, &scope, &error);
    if (!expression) fail_msg("%s", error.text);
    return expression;
}

static void test_motor(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        Site site = {0};
        site_open(&site, 2, 7);
        ActuatorPoint curve[3] = {{-20, 9}, {1, 5}, {30, -4}};
        MotorDefinition motor = {.name = "motor",
                                 .nodes = {"a", "b"},
                                 .axis = {0.6, 0, 0.8},
                                 .curve = curve,
                                 .curve_count = 3,
                                 .gain = 30,
                                 .rate_gain = 2};
        if (k < 2) motor.command = formula(&site, k == 0 ? "0.7" : "-0.4");
        else motor.angle = formula(&site, k == 2 ? "0.1*t" : "100"); // within the limit, and at it
        site.definition.motors = &motor, site.definition.motor_count = 1;
        site_build(&site, &motor_part);
        Random random = {3};
        for (int trials = 0; trials < 20; trials++) {
            Trial trial = trial_random(&site, 0, &random);
            check_jacobian(&trial, 1e-7);
        }
        site_close(&site);
    }
}

static void test_cylinder(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        Site site = {0};
        site_open(&site, 2, 5);
        CylinderDefinition cylinder = {.name = "cylinder",
                                       .nodes = {"a", "b"},
                                       .offsets = {{0.1, 0.2, 0.3}, {-0.2, 0.1, 0}},
                                       .pressure = 4e4,
                                       .piston = 0.1,
                                       .rod = 0.05,
                                       .flow = 0.5,
                                       .gain = 50,
                                       .rate_gain = 3};
        const char *const lengths[] = {"1", "100", "0-100"};
        cylinder.length = formula(&site, lengths[k]);
        site.definition.cylinders = &cylinder, site.definition.cylinder_count = 1;
        site_build(&site, &cylinder_part);
        Random random = {3};
        for (int trials = 0; trials < 20; trials++) {
            Trial trial = trial_random(&site, 0, &random);
            check_jacobian(&trial, 1e-7);
        }
        site_close(&site);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_motor), cmocka_unit_test(test_cylinder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
