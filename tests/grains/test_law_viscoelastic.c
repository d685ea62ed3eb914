// Viscoelastic contacts: restitution against its series in the damping, against the speed in the engine itself, and
// the checks of its keys.
#include "grains/bed.h"

#include <stdlib.h>

#include "grains/law.h"
#include "maraca/maraca.h"

static const NormalLawType *const law = &normal_law_viscoelastic;

// 1 - e = C beta - 3/5 C^2 beta^2 + ..., with C from the work of the dashpot in an undamped collision (Schwager and
// Poeschel, Phys. Rev. E 57, 1998, doi:10.1103/PhysRevE.57.650).
static void test_restitution_equals_its_series(void **state) {
    (void)state;
    double c = 0.8 * pow(1.25, 0.6) * tgamma(0.6) * tgamma(1.5) / tgamma(2.1);
    check_near(c, 1.15344, 1e-5);
    for (double beta = 1e-3; beta < 0.05; beta *= 2)
        check_near(law->restitution(beta), 1 - c * beta + 0.6 * c * c * beta * beta,
                   3 * beta * beta * beta + 1e-6);
}

static void test_damping_inverts_restitution(void **state) {
    (void)state;
    for (double e = 0.05; e < 1; e += 0.05) check_near(law->restitution(law->damping(e)), e, 1e-6);
    check_near(law->damping(1), 0, 0);
}

// Two grains, or a grain and a wall, at `speed`; the restitution asked for is that at 1 m/s.
static double rebound(double restitution, double speed, bool pair, double phase) {
    Bed bed = bed_default();
    wall_set_vector(&bed.walls[0].shape, "size", vec3(0.1, 0.1, 0.1));
    bed.definition.contact.normal = NORMAL_VISCOELASTIC;
    bed.definition.contact.impact_speed = 1;
    bed.definition.particles.count = 2;
    bed_set_coefficients(&bed, restitution, 0, 0);
    bed_create(&bed);
    double r = 0.001, gap = speed * bed.step * (3 + phase);
    if (pair) {
        bed_place(&bed, 0, vec3(0, 0, r + 0.5 * gap), vec3(0, 0, -0.5 * speed), vec3_zero());
        bed_place(&bed, 1, vec3(0, 0, -r - 0.5 * gap), vec3(0, 0, 0.5 * speed), vec3_zero());
    } else {
        bed_place(&bed, 0, vec3(0, 0, -0.05 + r + gap), vec3(0, 0, -speed), vec3_zero());
        bed_place(&bed, 1, vec3(0.02, 0, 0), vec3_zero(), vec3_zero());
    }
    bool touched = false, parted = false;
    double start = bed_measure(&bed).kinetic;
    for (int n = 0; n < 100000 && !parted; n++) {
        bed_advance(&bed, 1);
        bool touches = bed_measure(&bed).contacts > 0;
        parted = touched && !touches;
        touched = touched || touches;
    }
    assert_true(parted);
    GrainsMeasure m = bed_measure(&bed);
    check_near((m.kinetic + m.impact) / start, 1, restitution < 1 ? 1e-3 : 2e-3);
    double after = pair ? bed_velocity(&bed, 0).z - bed_velocity(&bed, 1).z : bed_velocity(&bed, 0).z;
    bed_destroy(&bed);
    return after / speed;
}

static void test_rebound_at_the_expected_speed_is_the_restitution(void **state) {
    (void)state;
    for (int pair = 0; pair < 2; pair++)
        for (double e = 0.1; e < 1.05; e += 0.2)
            for (double phase = 0.1; phase < 1; phase += 0.4)
                check_near(rebound(e, 1, pair, phase) / e, 1, 1e-3);
}

// beta goes with speed^(1/5).
static void test_rebound_falls_with_the_speed(void **state) {
    (void)state;
    for (int pair = 0; pair < 2; pair++)
        for (double speed = 0.01; speed < 1; speed *= 4) {
            double expected = law->restitution(law->damping(0.5) * pow(speed, 0.2));
            assert_true(expected > 0.51);
            check_near(rebound(0.5, speed, pair, 0.3) / expected, 1, 1e-3);
        }
}

static void test_keys(void **state) {
    (void)state;
    const char *const parts[][2] = {
        {"normal: viscoelastic, tangential: mindlin, impact_speed: 0.5 m/s", NULL},
        {"normal: viscoelastic, tangential: elastic, impact_speed: 1 m/s",
         "for viscoelastic contacts it is 'mindlin'"},
        {"normal: viscoelastic, stiffness: 1e4, impact_speed: 1 m/s",
         "viscoelastic contacts are as stiff as"},
        {"normal: viscoelastic", "is that at 'impact_speed'"}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "maraca: 1\n"
                 "materials: {glass: {density: 2500 kg/m^3, young: 70 GPa, poisson: 0, friction: 0.3, "
                 "restitution: 0.9}}\n"
                 "grains:\n"
                 "  bed:\n"
                 "    wall: {plane: {normal: z}}\n"
                 "    particles: {radius: 1 mm, count: 3, material: glass}\n"
                 "    contact: {%s}\n"
                 "simulate: {duration: 1 ms, step: 1 us}\n",
                 parts[k][0]);
        MrcModel *model = mrc_model_parse(text, strlen(text), "test", NULL, 0);
        const char *expected = parts[k][1];
        if (expected) assert_non_null(strstr(mrc_model_diagnostic(model, 0)->text, expected));
        else {
            char *words = mrc_model_describe(model);
            assert_non_null(words);
            assert_non_null(
                strstr(words, "the viscoelastic law, E' = 35 GPa, with its restitution at impacts of "));
            free(words);
        }
        mrc_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restitution_equals_its_series),
        cmocka_unit_test(test_damping_inverts_restitution),
        cmocka_unit_test(test_rebound_at_the_expected_speed_is_the_restitution),
        cmocka_unit_test(test_rebound_falls_with_the_speed),
        cmocka_unit_test(test_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
