// Swept profiles: a square is the box of the same size, a concave profile has the volume of its area, end plates close
// what they should, and profiles that are none are refused.
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "model/model.h"
#include "walls.h"

static MrcModel *sweep_model(const char *sweep) {
    char text[2000];
    int length =
        snprintf(text, sizeof text,
                 "maraca: 1\n"
                 "gravity: 0 0 -9.81 m/s^2\n"
                 "materials: {glass: {density: 2500 kg/m^3}}\n"
                 "grains:\n"
                 "  bed:\n"
                 "    walls:\n"
                 "      room: {box: {size: 1 1 1 m}}\n"
                 "      part: {sweep: {%s}}\n"
                 "    particles: {radius: 10 mm, count: 1, material: glass}\n"
                 "    packing: {random: {region: {box: {size: 0.1 0.1 0.1 m, center: 0.4 0.4 0.4 m}}}}\n"
                 "    contact: {stiffness: 10 kN/m}\n"
                 "simulate: {duration: 1 ms, step: 10 us}\n",
                 sweep);
    return mrc_model_parse(text, (uint64_t)length, "sweep.yaml", NULL, 0);
}

static const Wall *sweep_wall(const MrcModel *model) {
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
        print_message("%s\n", mrc_model_diagnostic(model, i)->text);
    assert_int_equal(mrc_model_status(model), MRC_OK);
    return &model_definition(model)->grains[0].walls[1].shape;
}

static void test_square_is_a_box(void **state) {
    (void)state;
    MrcModel *model = sweep_model(
        "profile: [-50 -30 mm, 50 -30 mm, 50 30 mm, -50 30 mm], length: 80 mm, closed: true, ends: true");
    const Wall *sweep = sweep_wall(model), box = box_wall(vec3_zero(), vec3(0.1, 0.06, 0.08));
    Vec3 lower, upper;
    check_near(wall_volume(sweep), wall_volume(&box), 1e-10);
    assert_true(wall_bounds(sweep, &lower, &upper));
    check_near(upper.x, 0.05, 1e-9), check_near(upper.y, 0.03, 1e-9), check_near(upper.z, 0.04, 1e-9);
    Random random = {7};
    for (int n = 0; n < 500; n++) {
        Vec3 at = vec3(0.08 * (random_uniform(&random) - 0.5), 0.04 * (random_uniform(&random) - 0.5),
                       0.06 * (random_uniform(&random) - 0.5));
        WallContact a[WALL_CONTACT_MAX], b[WALL_CONTACT_MAX];
        int count = wall_contacts_of_sphere(sweep, at, 0.012, 0, a);
        assert_int_equal(count, wall_contacts_of_sphere(&box, at, 0.012, 0, b));
        double least_a = 0, least_b = 0;
        for (int k = 0; k < count; k++) least_a = fmin(least_a, a[k].gap), least_b = fmin(least_b, b[k].gap);
        check_near(least_a, least_b, 1e-8);
        assert_true((wall_outside(sweep, at) > 0) == (wall_outside(&box, at) > 0));
    }
    assert_true(wall_outside(sweep, vec3(0.06, 0, 0)) > 0);
    mrc_model_free(model);
}

// An L of three unit squares, along axes of its own; by its area and length.
static void test_concave(void **state) {
    (void)state;
    static const char *const orders[] = {"0 0 mm, 40 0 mm, 40 20 mm, 20 20 mm, 20 40 mm, 0 40 mm",
                                         "0 40 mm, 20 40 mm, 20 20 mm, 40 20 mm, 40 0 mm, 0 0 mm"};
    for (int k = 0; k < 2; k++) {
        char text[300];
        snprintf(
            text, sizeof text,
            "profile: [%s], length: 50 mm, axis: 1 2 2, along: 2 1 -2, center: 10 20 30 mm, closed: true, "
            "ends: true, solid: true",
            orders[k]);
        MrcModel *model = sweep_model(text);
        const Wall *sweep = sweep_wall(model);
        assert_true(isinf(wall_volume(sweep))); // a body is no room
        Vec3 x = vec3_normalize(vec3(2, 1, -2)), axis = vec3_normalize(vec3(1, 2, 2)),
             y = vec3_cross(axis, x);
        Vec3 inside = vec3_madd(vec3_madd(vec3(0.01, 0.02, 0.03), 0.03, x), 0.01, y);
        Vec3 notch = vec3_madd(vec3_madd(vec3(0.01, 0.02, 0.03), 0.03, x), 0.03, y);
        assert_true(wall_outside(sweep, inside) > 0); // grains are lost inside a body
        assert_true(wall_outside(sweep, notch) == 0);
        mrc_model_free(model);
    }
    MrcModel *model = sweep_model("profile: [0 0 mm, 40 0 mm, 40 20 mm, 20 20 mm, 20 40 mm, 0 40 mm], "
                                  "length: 50 mm, closed: true, ends: true");
    check_near(wall_volume(sweep_wall(model)), 1200e-6 * 0.05, 1e-9);
    mrc_model_free(model);
}

// A trough with ends holds a ball at its ends, one without does not.
static void test_ends(void **state) {
    (void)state;
    for (int ends = 0; ends < 2; ends++) {
        char text[300];
        snprintf(text, sizeof text,
                 "profile: [-40 40 mm, 0 0 mm, 40 40 mm], length: 100 mm, axis: -y, ends: %s",
                 ends ? "true" : "false");
        MrcModel *model = sweep_model(text);
        WallContact contacts[WALL_CONTACT_MAX];
        int count = wall_contacts_of_sphere(sweep_wall(model), vec3(0, 0.046, 0.025), 0.005, 0, contacts);
        assert_int_equal(count, ends);
        if (ends) check_near(contacts[0].gap, -0.001, 1e-9), check_near(contacts[0].normal.y, -1, 1e-9);
        mrc_model_free(model);
    }
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *sweep, *says;
    } cases[] = {
        {"profile: [0 0 mm, 40 40 mm, 40 0 mm, 0 40 mm], length: 50 mm, ends: true", "crosses itself"},
        {"profile: [0 0 mm, 10 0 mm, 20 0 mm], length: 50 mm, ends: true", "on a line"},
        {"profile: [0 0 mm, 0 0 mm, 20 0 mm], length: 50 mm", "coincide"},
        {"profile: [0 0 mm], length: 50 mm", "at least 2"},
        {"profile: [0 0 mm, 1 0 mm], length: 50 mm, ends: true", "at least 3"},
        {"profile: [0 0 mm, 1 0 mm], length: 50 mm, axis: x", "'along' has the direction of 'axis'"},
        {"profile: [0 0 mm, 9 0 mm, 9 9 mm], length: 50 mm, ends: true, solid: true", "bounds a body"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        MrcModel *model = sweep_model(cases[k].sweep);
        assert_int_equal(mrc_model_status(model), MRC_MODEL);
        bool said = false;
        for (int i = 0; i < mrc_model_diagnostic_count(model); i++)
            said = said || strstr(mrc_model_diagnostic(model, i)->text, cases[k].says);
        if (!said) print_message("%s: %s\n", cases[k].sweep, mrc_model_diagnostic(model, 0)->text);
        assert_true(said);
        mrc_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_square_is_a_box), cmocka_unit_test(test_concave),
                                       cmocka_unit_test(test_ends), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
