#include "base/error.h"

#include <string.h>

#include "check.h"

static void test_error_carries_status_and_text(void **state) {
    (void)state;
    MrcError error = {0};
    assert_int_equal(error_set(&error, MRC_MODEL, "line %d: '%s' is not a length", 12, "58 kg"), MRC_MODEL);
    assert_int_equal(error.status, MRC_MODEL);
    assert_string_equal(error.text, "line 12: '58 kg' is not a length");
}

static void test_nobody_listening(void **state) {
    (void)state;
    assert_int_equal(error_set(NULL, MRC_DIVERGED, "%d", 1), MRC_DIVERGED);
    assert_int_equal(error_memory(NULL, "the grains"), MRC_MEMORY);
}

static void test_memory_error_names_what(void **state) {
    (void)state;
    MrcError error = {0};
    assert_int_equal(error_memory(&error, "the contact list"), MRC_MEMORY);
    assert_int_equal(error.status, MRC_MEMORY);
    assert_non_null(strstr(error.text, "the contact list"));
}

static void test_long_text_is_cut_not_overrun(void **state) {
    (void)state;
    struct {
        MrcError error;
        char guard[8];
    } box = {.guard = "guarded"};
    error_set(&box.error, MRC_USAGE, "%05000d", 1);
    assert_int_equal(strlen(box.error.text), sizeof box.error.text - 1);
    assert_string_equal(box.guard, "guarded");
}

static void test_status_table(void **state) {
    (void)state;
    assert_string_equal(mrc_status_name(MRC_OK), "OK");
    assert_string_equal(mrc_status_name(MRC_LOST_GRAIN), "LOST_GRAIN");
    assert_string_equal(mrc_status_name(MRC_USAGE), "USAGE");
    assert_string_equal(mrc_status_message(MRC_DIVERGED), "the simulation diverged");
    assert_int_equal(mrc_status_exit(MRC_OK), 0);
    assert_int_equal(mrc_status_exit(MRC_NOT_CONVERGED), 1);
    assert_int_equal(mrc_status_exit(MRC_MODEL), 2);
    for (int code = MRC_OK + 1; code <= MRC_USAGE; code++) {
        int status = mrc_status_exit((MrcStatus)code);
        assert_true(status == 1 || status == 2); // the command line's contract
        assert_true(strlen(mrc_status_message((MrcStatus)code)) > 0);
    }
}

static void test_unknown_status(void **state) {
    (void)state;
    assert_string_equal(mrc_status_name((MrcStatus)12345), "UNKNOWN");
    assert_string_equal(mrc_status_message((MrcStatus)12345), "unknown status");
    assert_int_equal(mrc_status_exit((MrcStatus)12345), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_carries_status_and_text),
        cmocka_unit_test(test_nobody_listening),
        cmocka_unit_test(test_memory_error_names_what),
        cmocka_unit_test(test_long_text_is_cut_not_overrun),
        cmocka_unit_test(test_status_table),
        cmocka_unit_test(test_unknown_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
