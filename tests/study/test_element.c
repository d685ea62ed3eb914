// Damper elements: values between the entries of a map, and files that are none.
#include "study/element.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static void fill(DamperElement *element) {
    static const double frequencies[] = {10, 20}, amplitudes[] = {1e-3, 4e-3};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            double w = 2 * 3.14159265358979323846 * frequencies[i], A = amplitudes[j], c = 1 + i + 2 * j;
            DamperEntry e = {.frequency = frequencies[i],
                             .amplitude = A,
                             .energy = 3.14159265358979323846 * w * A * A * c,
                             .mass = 0.1 * (1 + i + j)};
            assert_true(array_push(&element->entries, e));
        }
}

static void test_values(void **state) {
    (void)state;
    DamperElement element = {0};
    fill(&element);
    DamperValue v = element_value(&element, 10, 1e-3);
    check_near(v.dashpot, 1, 1e-12);
    check_near(v.mass, 0.1, 1e-15);
    assert_false(v.outside);
    v = element_value(&element, 20, 4e-3);
    check_near(v.dashpot, 4, 1e-12);
    v = element_value(&element, 10, 2e-3); // half-way in the logarithm
    check_near(v.dashpot, 2, 1e-12);
    v = element_value(&element, 10 * sqrt(2), 2e-3);
    check_near(v.dashpot, 2.5, 1e-12);
    check_near(v.mass, 0.2, 1e-12);
    assert_false(v.outside);
    v = element_value(&element, 40, 8e-3); // beyond: as at the end, and said so
    check_near(v.dashpot, 4, 1e-12);
    assert_true(v.outside);
    assert_true(element_value(&element, 5, 2e-3).outside);
    assert_true(element_value(&element, 15, 1e-5).outside);
    element_free(&element);
}

static void test_reading(void **state) {
    (void)state;
    char path[] = "/tmp/maraca-element-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    FILE *stream = fdopen(file, "w");
    fputs("{\"kind\": \"damper element\", \"mass_kg\": 0.5, \"entries\": [{\"frequency_hz\": 10, "
          "\"amplitude_m\": 0.001, "
          "\"energy_J\": 1e-3, \"energy_interval_J\": 1e-4, \"effective_mass_kg\": 0.4, "
          "\"effective_mass_interval_kg\": 0}]}",
          stream);
    fclose(stream);
    DamperElement element;
    MrcError error = {0};
    assert_int_equal(element_read(&element, path, &error), MRC_OK);
    check_near(element.grains, 0.5, 0);
    check_near(element.entries.data[0].energy, 1e-3, 0);
    element_free(&element);
    stream = fopen(path, "w");
    fputs("{\"kind\": \"damper element\", \"mass_kg\": 0.5, \"entries\": [{\"frequency_hz\": 10}]}", stream);
    fclose(stream);
    assert_int_equal(element_read(&element, path, &error), MRC_READ_FAILED);
    unlink(path);
    assert_int_equal(element_read(&element, path, &error), MRC_READ_FAILED);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_reading)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
