// Speeds, accelerations and frequencies found in a motion; what is filled in from them.
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "sim/shaking.h"

#define PI 3.14159265358979323846

static MrcModel *load(const char *position, const char *rotation, const char *more) {
    char text[2000];
    snprintf(text, sizeof text,
             "maraca: 1\ngravity: 0 0 -9.81\nmaterials: {steel: {density: 7800, young: 200 GPa}}\n"
             "ports: {box: {position: [%s, 0, 0], rotation: {axis: z, angle: %s}}}\n"
             "grains:\n  bed:\n    port: box\n    wall: {box: {size: 60 80 100 mm}}\n"
             "    particles: {radius: 1 mm, count: 5, material: steel%s\nsimulate: {duration: 2 s}\n",
             position, rotation, more);
    MrcModel *model = mrc_model_parse(text, strlen(text), "test", NULL, 0);
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
        print_error("%s\n", mrc_model_diagnostic(model, i)->text);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    return model;
}

static Shaking shaking(const char *position, const char *rotation) {
    MrcModel *model = load(position, rotation, "}\n    contact: {stiffness: 1e4}");
    const SimDefinition *d = model_definition(model);
    Shaking found = shaking_of_bed(d, &d->grains[0]);
    mrc_model_free(model);
    return found;
}

static void test_motions(void **state) {
    (void)state;
    Shaking s = shaking("2 mm*sin(2*pi*15.5 Hz*t)", "0");
    check_near(s.speed, 0.002 * 2 * PI * 15.5, 1e-6);
    check_near(s.acceleration, 0.002 * pow(2 * PI * 15.5, 2), 1e-3);
    check_near(s.frequency, 15.5, 1e-4);
    s = shaking("1 um*sin(2*pi*5 kHz*t)", "0"); // 10000 periods: more looks are taken
    check_near(s.frequency, 5000, 0.05);
    check_near(s.speed, 1e-6 * 2 * PI * 5000, 1e-4);
    s = shaking("0",
                "0.1 rad*sin(2*pi*3 Hz*t)"); // corners are sqrt(3^2 + 4^2 + 5^2) cm from the origin, at most
    check_near(s.speed, 0.1 * 2 * PI * 3 * sqrt(50) * 0.01, 1e-5);
    check_near(s.frequency, 3, 1e-4);
    s = shaking("10 mm*t/(1 s)", "0"); // no way back
    check_near(s.speed, 0.01, 1e-12);
    check_near(s.frequency, 0, 0);
    // Frequency times duration a multiple of the number of samples: every even sample has the same phase.
    s = shaking("1 mm*sin(2*pi*2 kHz*t)", "0");
    check_near(s.frequency, 2000, 0.02);
    s = shaking("1 mm*(1 - cos(2*pi*2 kHz*t))", "0");
    check_near(s.frequency, 2000, 0.02);
    check_near(s.speed, 1e-3 * 2 * PI * 2000, 1e-2);
    s = shaking("1 mm*(1 - cos(2*pi*200 kHz*t))",
                "0"); // beyond the most samples: looked at in a shorter time
    check_near(s.frequency, 200e3, 20);
    check_near(s.speed, 1e-3 * 2 * PI * 200e3, 2);
    s = shaking("0", "0");
    check_near(s.speed + s.acceleration + s.frequency, 0, 0);
}

static void test_impact_speed(void **state) {
    (void)state;
    const char *hertz = "}\n    contact: {normal: hertz}";
    MrcModel *model = load("2 mm*sin(2*pi*10 Hz*t)", "0", hertz);
    check_near(model_definition(model)->grains[0].contact.impact_speed, 0.002 * 2 * PI * 10, 1e-6);
    assert_true(model_definition(model)->simulate.step > 0);
    mrc_model_free(model);
    model = load("0", "0", hertz); // a fall through the room
    check_near(model_definition(model)->grains[0].contact.impact_speed, sqrt(2 * 9.81 * 0.1), 1e-12);
    mrc_model_free(model);
    model = load("0", "0", ", velocity: 3 0 4 m/s}\n    contact: {normal: hertz}");
    check_near(model_definition(model)->grains[0].contact.impact_speed, 5, 1e-12);
    mrc_model_free(model);
    model = load("0", "0", "}\n    contact: {normal: hertz, impact_speed: 0.2 m/s}");
    check_near(model_definition(model)->grains[0].contact.impact_speed, 0.2, 0);
    mrc_model_free(model);
}

static void test_sizing_is_filled_in(void **state) {
    (void)state;
    MrcModel *model =
        load("2 mm*sin(2*pi*10 Hz*t)", "0", "}\n    contact: {stiffness: sized, sizing: {frequency: 12 Hz}}");
    const SizingDefinition *sizing = &model_definition(model)->grains[0].contact.sizing;
    check_near(sizing->speed, 0.002 * 2 * PI * 10, 1e-6);
    check_near(sizing->frequency, 12, 0);
    check_near(sizing->overlap, 0.05, 0);
    check_near(sizing->beta, 3, 0);
    check_near(sizing->contacts_per_period, 100, 0);
    mrc_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motions),
        cmocka_unit_test(test_impact_speed),
        cmocka_unit_test(test_sizing_is_filled_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
