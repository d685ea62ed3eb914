// Stiffness sizing against the numbers of paper DAMPER.
// DAMPER is doi:10.3390/pr10071247.
#include "check.h"

#include "grains/contact_stiffness.h"
#include "grains/grains.h"

#define PI 3.14159265358979323846

static const Material steel = {.name = "steel", .density = 7800, .young = 200e9, .poisson = 0.3};

static double mass_of(double radius) { return steel.density * 4.0 / 3.0 * PI * radius * radius * radius; }

static double steel_stiffness(double diameter, double speed) {
    double radius = diameter / 2;
    return contact_stiffness_of_material(speed, mass_of(radius) / 2, radius / 2,
                                         material_effective_young(&steel, &steel));
}

// Table 3: one speed for all diameters. It is 1/sqrt(1000) of the wall's largest speed, 2 pi 10 Hz 10 mm, as
// if the density had been taken as 7.8 instead of 7800 in sqrt(m').
static void test_table_3(void **state) {
    (void)state;
    static const double table[][2] = {{3e-3, 1.182e6},    {2e-3, 7.883e5},    {1.5e-3, 5.912e5},
                                      {1e-3, 3.941e5},    {0.75e-3, 2.956e5}, {0.5e-3, 1.971e5},
                                      {0.25e-3, 9.853e4}, {0.15e-3, 5.912e4}};
    double speed = 2 * PI * 10 * 0.01 / sqrt(1000);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        check_near(steel_stiffness(table[i][0], speed) / table[i][1], 1, 5e-4);
    // What Eq. 12 gives with the data of Table 2.
    check_near(steel_stiffness(3e-3, 2 * PI * 10 * 0.01), 4.707e6, 1e3);
}

// Fig. 7: grain to wall over grain to grain, 1.37e5 over 9.06e4: twice the mass and radius, sqrt(2) 2 to the
// 2/5.
static void test_walls_are_stiffer(void **state) {
    (void)state;
    double ratio = contact_stiffness_of_material(1, 2, 2, 3) / contact_stiffness_of_material(1, 1, 1, 3);
    check_near(ratio, pow(2, 0.6), 1e-12);
    check_near(ratio, 1.37e5 / 9.06e4, 0.005);
    GrainsDefinition grains = {.particles = {.radius = 0.003},
                               .contact = {.source = STIFFNESS_MATERIAL, .impact_speed = 0.3}};
    check_near(contact_stiffness_of_pair(&grains, &steel, &steel, true) /
                   contact_stiffness_of_pair(&grains, &steel, &steel, false),
               ratio, 1e-12);
}

static double speed_up(double frequency, double acceleration) {
    double radius = 1.5e-3, mass = mass_of(radius), speed = acceleration * 9.81 / (2 * PI * frequency);
    double overlap = contact_stiffness_for_overlap(mass, radius, speed, 3, 0.05);
    double duration = contact_stiffness_for_duration(mass / 2, 1 / frequency, 100);
    return sqrt(steel_stiffness(3e-3, speed) / fmax(overlap, duration));
}

// Fig. 2: 3 mm steel, beta = 3, eta = 5 %: "for accelerations of few gs, and frequencies between 5 Hz and 10
// Hz speed-up ratios up to 16 can be achieved"; the overlap governs at low frequency, the duration at high
// frequency.
static void test_speed_up_of_figure_2(void **state) {
    (void)state;
    check_near(speed_up(10, 1.76), 16, 0.1);
    assert_true(speed_up(5, 2) > 8 && speed_up(10, 2) < 16 && speed_up(10, 4) > 8);
    assert_true(speed_up(100, 1) > speed_up(1000, 1));
    assert_true(speed_up(5, 1) < speed_up(20, 1));
}

// Eqs. 7-9: with this stiffness one grain that hits a wall at beta times the speed overlaps by just eta
// radii.
static void test_overlap_and_duration(void **state) {
    (void)state;
    double k = contact_stiffness_for_overlap(2e-5, 1e-3, 0.4, 3, 0.1);
    check_near(3 * 0.4 * sqrt(2e-5 / k) / 1e-3, 0.1, 1e-12);
    k = contact_stiffness_for_duration(1e-5, 0.02, 100);
    check_near(PI * sqrt(1e-5 / k), 0.02 / 100, 1e-15);
}

// Sized: the larger of the two, never more than the material's.
static void test_sized_is_never_stiffer_than_the_material(void **state) {
    (void)state;
    GrainsDefinition grains = {
        .particles = {.radius = 1.5e-3},
        .contact = {
            .source = STIFFNESS_SIZED,
            .impact_speed = 0.6,
            .sizing = {
                .speed = 0.6, .overlap = 0.05, .beta = 3, .frequency = 10, .contacts_per_period = 100}}};
    double mass = mass_of(1.5e-3);
    check_near(contact_stiffness_of_pair(&grains, &steel, &steel, false),
               contact_stiffness_for_overlap(mass, 1.5e-3, 0.6, 3, 0.05), 1e-6);
    grains.contact.sizing.frequency = 500;
    check_near(contact_stiffness_of_pair(&grains, &steel, &steel, false),
               contact_stiffness_for_duration(mass / 2, 2e-3, 100), 1e-6);
    grains.contact.sizing.speed = 1000;
    check_near(contact_stiffness_of_pair(&grains, &steel, &steel, false), steel_stiffness(3e-3, 0.6), 1e-3);
}

// Of two kinds: with the effective mass and radius of the pair, whichever of the two comes first.
static void test_two_kinds(void **state) {
    (void)state;
    const Material ore = {.name = "ore", .density = 2500, .young = 30e9, .poisson = 0.2};
    ParticlesDefinition more = {.radius = 0.002, .material = "ore"};
    GrainsDefinition grains = {.particles = {.radius = 0.01, .material = "steel"},
                               .more = &more,
                               .more_count = 1,
                               .contact = {.source = STIFFNESS_MATERIAL, .impact_speed = 0.3}};
    double large = mass_of(0.01), small = mass_of(0.002) * 2500 / 7800;
    double material = contact_stiffness_of_material(
        0.3, large * small / (large + small), 0.01 * 0.002 / 0.012, material_effective_young(&steel, &ore));
    for (int sized = 0; sized < 2; sized++) {
        grains.contact.source = sized ? STIFFNESS_SIZED : STIFFNESS_MATERIAL;
        grains.contact.sizing = (SizingDefinition){.speed = 0.3, .overlap = 0.05, .beta = 3};
        double forward = contact_stiffness_of_pair(&grains, &steel, &ore, false),
               backward = contact_stiffness_of_pair(&grains, &ore, &steel, false);
        check_near(forward / backward, 1, 1e-14);
        if (!sized) check_near(forward / material, 1, 1e-12);
        else assert_true(forward < material);
    }
    // The small kind with itself is as in a bed of its own.
    const GrainsDefinition alone = grains_of_kind(&grains, 1);
    check_near(contact_stiffness_of_pair(&grains, &ore, &ore, false),
               contact_stiffness_of_pair(&alone, &ore, &ore, false), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_3),
        cmocka_unit_test(test_walls_are_stiffer),
        cmocka_unit_test(test_speed_up_of_figure_2),
        cmocka_unit_test(test_overlap_and_duration),
        cmocka_unit_test(test_sized_is_never_stiffer_than_the_material),
        cmocka_unit_test(test_two_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
