// The suggested step keeps its promises, for single collisions in the engine itself; and its formulas are
// right.
#include "check.h"

#include "grains/contact_stiffness.h"
#include "grains/law.h"
#include "grains/packing.h"
#include "grains/time_steps.h"
#include "walls.h"

#define PI 3.14159265358979323846

typedef struct Bed {
    Material material;
    WallDefinition wall;
    GrainsDefinition definition;
    GrainsSetting setting;
    Motion port;
    Grains *grains;
    GrainsMeasure measure;
} Bed;

// A shaft just wide enough for one grain above the other, falling down it at `speed`. No gravity.
static void bed_create(Bed *bed, NormalLaw law, double restitution, int64_t count, double speed,
                       double finer) {
    *bed = (Bed){.material = {.name = "glass",
                              .density = 2500,
                              .young = 1e9,
                              .poisson = 0.25,
                              .restitution = restitution},
                 .wall = {.name = "wall", .shape = box_wall(vec3_zero(), vec3(0.0031, 0.0031, 0.02))},
                 .port = motion_at_rest()};
    bed->definition = (GrainsDefinition){
        .name = "bed",
        .walls = &bed->wall,
        .wall_count = 1,
        .particles = {.radius = 0.001, .count = count, .material = "glass", .velocity = {0, 0, -speed}},
        .packing = {.kind = PACKING_CUBIC, .gap = 5e-4},
        .contact = {.normal = law,
                    .stiffness = law == NORMAL_LINEAR ? 1e4 : 0,
                    .impact_speed = 2 * speed,
                    .max_overlap = 0.5},
    };
    bed->setting = (GrainsSetting){
        .materials = &bed->material, .material_count = 1, .port = &bed->port, .walls = &bed->port};
    GrainsSteps steps;
    MrcError error = {0};
    assert_true(time_steps_of_bed(&bed->definition, &bed->setting, &steps));
    bed->setting.step = steps.suggested / finer;
    if (grains_create(&bed->definition, &bed->setting, &bed->grains, &error)) fail_msg("%s", error.text);
}

static void bed_look(Bed *bed) {
    MrcError error;
    if (grains_measure(bed->grains, &bed->port, &bed->port, &bed->measure, &error))
        fail_msg("%s", error.text);
}

static void bed_step(Bed *bed) {
    MrcError error;
    Load load;
    if (grains_advance(bed->grains, &bed->port, &load, &error)) fail_msg("%s", error.text);
    bed_look(bed);
}

// To the end of the next contact; how many steps it took is returned.
static int bed_next_contact(Bed *bed, double *overlap, double *force) {
    int touching = 0;
    *overlap = *force = 0;
    for (int i = 0; i < 10000000; i++) {
        bed_step(bed);
        if (bed->measure.contacts > 0) touching++;
        else if (touching > 0) return touching;
        *overlap = fmax(*overlap, bed->measure.overlap);
        *force = fmax(*force, fabs(bed->measure.load.force.z));
    }
    fail_msg("no contact");
    return 0;
}

static const double restitutions[] = {0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1};
enum { restitution_count = 7, phase_count = 4 };

// Rebound within 0.1 %, wherever between two steps the contact begins. So is the energy of a damped contact;
// without damping, nothing is booked and the error of the energy is twice that of the speed.
static void check_rebound(NormalLaw law, bool pair) {
    for (int k = 0; k < restitution_count; k++)
        for (int phase = 0; phase < phase_count; phase++) {
            Bed bed;
            double e = restitutions[k], speed = 0.5 * (1 + 0.0137 * phase), overlap, force;
            bed_create(&bed, law, e, pair ? 2 : 1, speed, 1);
            bed_look(&bed);
            double start = bed.measure.kinetic;
            bed_next_contact(&bed, &overlap, &force); // the lower grain and the floor
            const GrainStore *v = grains_view(bed.grains);
            double before = speed, after = v->vz[0];
            if (pair) {
                before = v->vz[0] - v->vz[1];
                bed_next_contact(&bed, &overlap, &force);
                v = grains_view(bed.grains);
                after = v->vz[1] - v->vz[0];
            }
            if (fabs(after / (e * before) - 1) > 1e-3)
                fail_msg("law %d, %s, e = %g, phase %d: rebound is off by %.3g", (int)law,
                         pair ? "grains" : "wall", e, phase, after / (e * before) - 1);
            double ledger = (bed.measure.kinetic + bed.measure.impact) / start - 1;
            if (fabs(ledger) > (e < 1 ? 1e-3 : 2e-3))
                fail_msg("law %d, %s, e = %g, phase %d: the ledger is off by %.3g", (int)law,
                         pair ? "grains" : "wall", e, phase, ledger);
            grains_destroy(bed.grains);
        }
}

static void test_linear_rebound_from_a_wall(void **state) {
    (void)state, check_rebound(NORMAL_LINEAR, false);
}
static void test_linear_rebound_of_two_grains(void **state) {
    (void)state, check_rebound(NORMAL_LINEAR, true);
}
static void test_hertz_rebound_from_a_wall(void **state) { (void)state, check_rebound(NORMAL_HERTZ, false); }
static void test_hertz_rebound_of_two_grains(void **state) { (void)state, check_rebound(NORMAL_HERTZ, true); }

// Duration, largest overlap and largest force as the textbooks have them.
static void test_contacts_are_as_long_and_deep_as_theory_says(void **state) {
    (void)state;
    for (int law = 0; law < 2; law++) {
        Bed bed;
        double overlap, force, mass = 2500 * 4.0 / 3.0 * PI * 1e-9, v = 0.5;
        bed_create(&bed, law, 1, 1, v, 50);
        double duration = bed_next_contact(&bed, &overlap, &force) * bed.setting.step;
        double modulus = 4.0 / 3.0 * material_effective_young(&bed.material, &bed.material);
        LawImpact impact = law_normal(law)->impact(mass, 0.001, law == NORMAL_HERTZ ? modulus : 1e4, v);
        double s = impact.overlap;
        double f = law == NORMAL_HERTZ ? modulus * sqrt(0.001 * s) * s : 1e4 * s;
        double t = impact.duration;
        check_near(duration / t, 1, 5e-3);
        check_near(overlap / s, 1, 5e-3);
        check_near(force / f, 1, 5e-3);
        if (law == NORMAL_HERTZ) {
            check_near(0.4 * modulus * sqrt(0.001) * pow(s, 2.5), 0.5 * mass * v * v, 1e-12);
            check_near(t * v / s, 2.9433, 1e-3); // Johnson, Contact Mechanics, Eq. 11.24
        }
        grains_destroy(bed.grains);
    }
}

// The bracket in Rayleigh's step is the ratio of the speeds of Rayleigh and shear waves, so it stands outside
// the root.
static void test_rayleigh_bracket_is_a_ratio_of_speeds(void **state) {
    (void)state;
    for (double nu = 0; nu <= 0.5; nu += 0.05) {
        double k = (1 - 2 * nu) / (2 * (1 - nu)), low = 0.1, high = 0.999; // x: ratio of speeds, squared
        for (int i = 0; i < 100; i++) {
            double x = 0.5 * (low + high);
            double value = x * x * x - 8 * x * x + (24 - 16 * k) * x - 16 * (1 - k);
            if (value < 0) low = x;
            else high = x;
        }
        check_near(0.1631 * nu + 0.8766, sqrt(low), 0.004);
        Material material = {.density = 2000, .young = 5e9, .poisson = nu};
        double shear_speed = sqrt(material.young / (2 * (1 + nu)) / material.density);
        check_near(time_steps_rayleigh(0.01, &material) * sqrt(low) * shear_speed / (PI * 0.01), 1, 0.005);
    }
}

static void test_governing_criterion(void **state) {
    (void)state;
    Bed bed;
    GrainsSteps steps;
    bed_create(&bed, NORMAL_LINEAR, 1, 1, 0.5, 1);
    double mass = 2500 * 4.0 / 3.0 * PI * 1e-9;
    assert_true(time_steps_of_bed(&bed.definition, &bed.setting, &steps));
    assert_int_equal(steps.governing, STEP_BY_CONTACT);
    check_near(steps.limit[STEP_BY_CONTACT], PI * sqrt(mass / 2e4), 1e-12);
    check_near(steps.limit[STEP_BY_HART], 2 * sqrt(mass / 2e4), 1e-12);
    check_near(steps.critical, steps.limit[STEP_BY_HART], 0);
    assert_true(isinf(steps.limit[STEP_BY_RAYLEIGH]));
    assert_true(steps.suggested <= steps.limit[STEP_BY_CONTACT] / 28 &&
                steps.suggested > steps.limit[STEP_BY_CONTACT] / 28.5);
    // Walls that are much stiffer: Hart's criterion looks at the stiffest contact of a grain.
    bed.definition.contact.wall_stiffness = 4e4;
    assert_true(time_steps_of_bed(&bed.definition, &bed.setting, &steps));
    check_near(steps.limit[STEP_BY_HART], 2 * sqrt(mass / 8e4), 1e-12);
    // Fast Hertz contacts: Hart's criterion. A Hertz bed that is barely moved: waves.
    bed.definition.contact.normal = NORMAL_HERTZ;
    assert_true(time_steps_of_bed(&bed.definition, &bed.setting, &steps));
    assert_int_equal(steps.governing, STEP_BY_HART);
    bed.definition.contact.impact_speed = 1e-6;
    assert_true(time_steps_of_bed(&bed.definition, &bed.setting, &steps));
    assert_int_equal(steps.governing, STEP_BY_RAYLEIGH);
    bed.definition.contact.impact_speed = 0; // unknown
    assert_false(time_steps_of_bed(&bed.definition, &bed.setting, &steps));
    grains_destroy(bed.grains);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_rebound_from_a_wall),
        cmocka_unit_test(test_linear_rebound_of_two_grains),
        cmocka_unit_test(test_hertz_rebound_from_a_wall),
        cmocka_unit_test(test_hertz_rebound_of_two_grains),
        cmocka_unit_test(test_contacts_are_as_long_and_deep_as_theory_says),
        cmocka_unit_test(test_rayleigh_bracket_is_a_ratio_of_speeds),
        cmocka_unit_test(test_governing_criterion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
