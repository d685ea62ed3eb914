// The arithmetic of the energy ledger.
#include "partner/ledger.h"

#include <string.h>

#include "check.h"

static const EnergySums start = {.kinetic = 3, .potential = -10, .elastic = 0.5};

static void test_start_is_the_initial_energy(void **state) {
    (void)state;
    Ledger ledger = {0};
    ledger_update(&ledger, &start);
    check_near(ledger.initial, -6.5, 0);
    check_near(ledger.error, 0, 0);
    check_near(ledger.largest_error, 0, 0);
    check_near(ledger_scale(&ledger), 3.5, 0); // kinetic and elastic: potential energy has no zero
    assert_int_equal(ledger.samples, 1);
}

static void test_balanced_ledger(void **state) {
    (void)state;
    Ledger ledger = {0};
    ledger_update(&ledger, &start);
    // 4 J put in and 1 J taken out again, 0.75 J lost: -6.5 + 3 = (5 - 9.5 + 0.25) + (0.5 + 0.25)
    EnergySums now = {.work = 3,
                      .input = 4,
                      .kinetic = 5,
                      .potential = -9.5,
                      .elastic = 0.25,
                      .impact = 0.5,
                      .friction = 0.25};
    ledger_update(&ledger, &now);
    check_near(ledger.error, 0, 1e-15);
    // Drives 4, start 3.5, and 0.5 between the highest and the lowest potential energy.
    check_near(ledger_scale(&ledger), 8, 1e-15);
    check_near(ledger.initial, -6.5, 0); // stays
}

static void test_error_is_what_is_missing(void **state) {
    (void)state;
    Ledger ledger = {0};
    ledger_update(&ledger, &start);
    EnergySums now = start;
    now.kinetic -= 0.25; // gone, without a loss
    ledger_update(&ledger, &now);
    check_near(ledger.error, 0.25, 0);
    now.kinetic += 0.75; // more than there was
    ledger_update(&ledger, &now);
    check_near(ledger.error, -0.5, 0);
    check_near(ledger.largest_error, 0.5, 0);
    ledger_update(&ledger, &start); // closed again, but not forgotten
    check_near(ledger.error, 0, 0);
    check_near(ledger.largest_error, 0.5, 0);
}

static void test_scale_keeps_the_whole_range_of_the_potential_energy(void **state) {
    (void)state;
    Ledger ledger = {0};
    EnergySums now = {0};
    const double heights[] = {0, 5, -2, 1};
    for (int i = 0; i < 4; i++) {
        now.potential = heights[i];
        ledger_update(&ledger, &now);
    }
    check_near(ledger_scale(&ledger), 7, 0);
}

// Elastic energies below zero: cohesion binds. Work that takes contacts apart is in play, and what new ones set free, too.
static void test_scale_with_energies_that_bind(void **state) {
    (void)state;
    Ledger ledger = {0};
    EnergySums now = {.kinetic = 1, .elastic = -4};
    ledger_update(&ledger, &now);
    check_near(ledger_scale(&ledger), 1, 0);
    now = (EnergySums){.kinetic = 1, .work = 4, .input = 4};
    ledger_update(&ledger, &now);
    check_near(ledger.error, 0, 0);
    check_near(ledger_scale(&ledger), 5, 0);
    now = (EnergySums){.kinetic = 1, .elastic = -6, .impact = 6, .work = 4, .input = 4};
    ledger_update(&ledger, &now);
    check_near(ledger.error, 0, 0);
    check_near(ledger_scale(&ledger), 7, 0); // 2 below the start
    check_near(ledger_available(&ledger), 7, 0);
}

static void test_entries_are_the_fields_by_name(void **state) {
    (void)state;
    const Ledger ledger = {
        .work = 1, .kinetic = 2, .potential = 3, .elastic = 4, .impact = 5, .friction = 6, .error = 7};
    const char *names[] = {"work", "kinetic", "potential", "elastic", "impact", "friction", "error"};
    for (int n = 0; n < 7; n++) {
        int e = 0;
        while (e < ledger_entry_count && strcmp(ledger_entries[e].name, names[n]) != 0) e++;
        assert_true(e < ledger_entry_count);
        check_near(ledger_value(&ledger, e), n + 1, 0);
    }
    assert_string_equal(ledger_entries[ledger_entry_count - 1].name, "error"); // what all the others leave
}

// Every field is a number of 8 bytes, and each gets another value here, also those that are yet to come.
static void test_saved_and_restored_to_the_last_bit(void **state) {
    (void)state;
    Ledger ledger = {0}, before, other = {0};
    assert_int_equal(offsetof(Ledger, samples) + sizeof ledger.samples, sizeof ledger);
    for (size_t offset = 0; offset < offsetof(Ledger, samples); offset += sizeof(double)) {
        double value = 0.1 + (double)offset;
        memcpy((char *)&ledger + offset, &value, sizeof value);
    }
    ledger.samples = 77;
    before = ledger;
    Archive *archive = archive_memory_create();
    archive_memory_save(archive);
    ledger_archive(&ledger, archive);
    assert_memory_equal(&ledger, &before, sizeof ledger); // saving changes nothing
    archive_memory_load(archive);
    ledger_archive(&other, archive);
    assert_int_equal(archive_status(archive, NULL), MRC_OK);
    archive_destroy(archive);
    assert_memory_equal(&other, &before, sizeof other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start_is_the_initial_energy),
        cmocka_unit_test(test_balanced_ledger),
        cmocka_unit_test(test_error_is_what_is_missing),
        cmocka_unit_test(test_scale_keeps_the_whole_range_of_the_potential_energy),
        cmocka_unit_test(test_scale_with_energies_that_bind),
        cmocka_unit_test(test_entries_are_the_fields_by_name),
        cmocka_unit_test(test_saved_and_restored_to_the_last_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
