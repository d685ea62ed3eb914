// Sizes: moments against closed forms, bounds, shares by number and by mass, totals that are met.
#include "check.h"

#include "grains/grain_sizes.h"

static ParticlesDefinition with(SizesDefinition sizes) {
    return (ParticlesDefinition){.sizes = sizes, .material = "steel"};
}

static void draw(const ParticlesDefinition *p, size_t count, double volume, RadiusList *radii) {
    MrcError error;
    *radii = (RadiusList){0};
    if (grain_sizes_draw(p, count, volume, radii, &error)) fail_msg("%s", error.text);
}

static double total_volume(const RadiusList *radii) {
    double sum = 0;
    for (size_t i = 0; i < radii->count; i++) sum += sphere_volume(radii->data[i]);
    return sum;
}

// Mean of radius^power over the grains drawn.
static double drawn_moment(const RadiusList *radii, int power) {
    double sum = 0;
    for (size_t i = 0; i < radii->count; i++) sum += pow(radii->data[i], power);
    return sum / (double)radii->count;
}

static void check_bounds(const RadiusList *radii, double from, double to) {
    for (size_t i = 0; i < radii->count; i++) assert_true(radii->data[i] >= from && radii->data[i] <= to);
}

static void test_uniform(void **state) {
    (void)state;
    ParticlesDefinition p = with((SizesDefinition){.uniform = {0.8e-3, 1.2e-3}, .seed = 3});
    SizeTable table;
    RadiusList radii;
    double least, largest;
    assert_int_equal(grain_sizes_create(&table, &p, NULL), MRC_OK);
    check_near(grain_sizes_moment(&table, 1), 1e-3, 1e-18);
    check_near(grain_sizes_moment(&table, 3), (pow(1.2e-3, 4) - pow(0.8e-3, 4)) / (4 * 0.4e-3), 1e-22);
    grain_sizes_range(&table, &least, &largest);
    assert_true(least == 0.8e-3 && largest == 1.2e-3);
    grain_sizes_free(&table);
    draw(&p, 1000, 0, &radii);
    assert_int_equal(radii.count, 1000);
    check_bounds(&radii, 0.8e-3, 1.2e-3);
    check_near(drawn_moment(&radii, 1), 1e-3, 2e-6); // independent draws would be off by 4e-6
    size_t lower = 0;
    for (size_t i = 0; i < radii.count; i++) lower += radii.data[i] < 0.9e-3;
    check_near((double)lower, 250, 3);
    array_free(&radii);
}

// Of a bell cut off at -a and +b deviations: mean = mu + sigma (phi(a) - phi(b)) / (Phi(b) - Phi(-a)).
static void test_truncated_normal(void **state) {
    (void)state;
    double mean = 1e-3, deviation = 0.2e-3;
    ParticlesDefinition p = with((SizesDefinition){.normal = {mean, deviation, 0.9e-3, 1.5e-3}, .seed = 1});
    SizeTable table;
    RadiusList radii;
    assert_int_equal(grain_sizes_create(&table, &p, NULL), MRC_OK);
    double a = -0.5, b = 2.5, density = exp(-a * a / 2) - exp(-b * b / 2);
    double expected =
        mean + deviation * density / sqrt(2 * M_PI) / (0.5 * (erf(b / sqrt(2)) - erf(a / sqrt(2))));
    check_near(grain_sizes_moment(&table, 1), expected, 1e-6 * expected);
    grain_sizes_free(&table);
    draw(&p, 5000, 0, &radii);
    check_bounds(&radii, 0.9e-3, 1.5e-3);
    check_near(drawn_moment(&radii, 1), expected, 1e-3 * expected);
    array_free(&radii);
    p.sizes.normal.from = p.sizes.normal.to = 0; // 3 deviations to both sides
    draw(&p, 5000, 0, &radii);
    check_bounds(&radii, 0.4e-3, 1.6e-3);
    check_near(sqrt(drawn_moment(&radii, 2) - pow(drawn_moment(&radii, 1), 2)), 0.9866 * deviation,
               0.005 * deviation);
    array_free(&radii);
}

// <r^n> = median^n exp(n^2 s^2 / 2) when next to nothing is cut off.
static void test_lognormal(void **state) {
    (void)state;
    double median = 1e-3, s = 0.25;
    ParticlesDefinition p = with((SizesDefinition){.lognormal = {median, s, 1e-4, 1e-2}, .seed = 1});
    SizeTable table;
    RadiusList radii;
    assert_int_equal(grain_sizes_create(&table, &p, NULL), MRC_OK);
    for (int n = 1; n <= 3; n++)
        check_near(grain_sizes_moment(&table, n) / (pow(median, n) * exp(0.5 * n * n * s * s)), 1, 3e-5);
    check_near(grain_sizes_at(&table, 0.5), median, 1e-6 * median);
    grain_sizes_free(&table);
    p.sizes.lognormal.from = 0.9e-3, p.sizes.lognormal.to = 1.1e-3;
    draw(&p, 1000, 0, &radii);
    check_bounds(&radii, 0.9e-3, 1.1e-3);
    array_free(&radii);
}

static void test_classes_by_number_and_by_mass(void **state) {
    (void)state;
    SizeClass by_number[] = {{.radius = 2e-3, .number = 1}, {.diameter = 2e-3, .number = 3}};
    SizeClass by_mass[] = {
        {.radius = 1e-3, .mass = 20}, {.radius = 2e-3, .mass = 50}, {.radius = 3e-3, .mass = 30}};
    ParticlesDefinition p = with((SizesDefinition){.classes = by_number, .class_count = 2, .seed = 1});
    RadiusList radii;
    draw(&p, 100, 0, &radii);
    size_t large = 0;
    for (size_t i = 0; i < radii.count; i++) large += radii.data[i] == 2e-3;
    check_near((double)large, 25, 1);
    array_free(&radii);
    for (int seed = 0; seed < 20; seed++) {
        double mass[4] = {0};
        p = with((SizesDefinition){.classes = by_mass, .class_count = 3, .seed = seed});
        draw(&p, 2000, 0, &radii);
        for (size_t i = 0; i < radii.count; i++)
            mass[(int)lround(1e3 * radii.data[i])] += sphere_volume(radii.data[i]) / total_volume(&radii);
        check_near(mass[1], 0.2, 0.01);
        check_near(mass[2], 0.5, 0.01);
        check_near(mass[3], 0.3, 0.01);
        array_free(&radii);
    }
}

// The curve that is measured on the grains drawn is the one asked for.
static void test_sieve_curve_is_reproduced(void **state) {
    (void)state;
    SieveOpening sieve[] = {{1e-3, 0}, {2e-3, 0.2}, {4e-3, 0.75}, {5.6e-3, 1}};
    ParticlesDefinition p = with((SizesDefinition){.sieve = sieve, .sieve_count = 4, .seed = 5});
    RadiusList radii;
    draw(&p, 20000, 0, &radii);
    check_bounds(&radii, 0.5e-3, 2.8e-3);
    const double openings[][2] = {
        {2e-3, 0.2}, {4e-3, 0.75}, {sqrt(8) * 1e-3, 0.475}}; // the last: half way, in logs
    for (int k = 0; k < 3; k++) {
        double passing = 0;
        for (size_t i = 0; i < radii.count; i++)
            if (2 * radii.data[i] < openings[k][0]) passing += sphere_volume(radii.data[i]);
        check_near(passing / total_volume(&radii), openings[k][1], 0.005);
    }
    array_free(&radii);
}

// As near as the next grain allows, for all kinds and seeds.
static void test_total_volume_is_met(void **state) {
    (void)state;
    for (int seed = 0; seed < 50; seed++) {
        ParticlesDefinition p = with((SizesDefinition){.uniform = {0.5e-3, 1.5e-3}, .seed = seed});
        RadiusList radii;
        double volume = (1 + 0.137 * seed) * 1e-7;
        draw(&p, 0, volume, &radii);
        assert_true(fabs(total_volume(&radii) - volume) <= 0.5 * sphere_volume(1.5e-3));
        array_free(&radii);
    }
}

static void test_seed_decides(void **state) {
    (void)state;
    ParticlesDefinition p = with((SizesDefinition){.uniform = {0.5e-3, 1.5e-3}, .seed = 4});
    RadiusList a, b, c;
    draw(&p, 300, 0, &a);
    draw(&p, 300, 0, &b);
    p.sizes.seed = 5;
    draw(&p, 300, 0, &c);
    assert_memory_equal(a.data, b.data, 300 * sizeof(double));
    assert_memory_not_equal(a.data, c.data, 300 * sizeof(double));
    array_free(&a);
    array_free(&b);
    array_free(&c);
}

static void test_nothing_between_the_bounds(void **state) {
    (void)state;
    MrcError error;
    SizeTable table;
    ParticlesDefinition p = with((SizesDefinition){.normal = {1e-3, 1e-5, 2e-3, 3e-3}});
    assert_int_equal(grain_sizes_create(&table, &p, &error), MRC_MODEL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_truncated_normal),
        cmocka_unit_test(test_lognormal),
        cmocka_unit_test(test_classes_by_number_and_by_mass),
        cmocka_unit_test(test_sieve_curve_is_reproduced),
        cmocka_unit_test(test_total_volume_is_met),
        cmocka_unit_test(test_seed_decides),
        cmocka_unit_test(test_nothing_between_the_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
