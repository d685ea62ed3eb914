// JSON: exact texts, awkward strings, misuse caught.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "check.h"

static void check_string(const char *text, const char *expected) {
    Json json = {0};
    json_string(&json, text);
    assert_string_equal(json_text(&json), expected);
    json_free(&json);
}

static void write_sample(Json *json) {
    json_object_begin(json);
    json_key(json, "name");
    json_string(json, "saeki");
    json_key(json, "steps");
    json_integer(json, INT64_MIN);
    json_key(json, "list");
    json_array_begin(json);
    json_number(json, 0.1);
    json_number(json, NAN);
    json_number(json, -INFINITY);
    json_bool(json, true);
    json_bool(json, false);
    json_null(json);
    json_array_begin(json);
    json_array_end(json);
    json_object_begin(json);
    json_object_end(json);
    json_array_end(json);
    json_object_end(json);
}

static void writes_on_one_line(void **state) {
    (void)state;
    Json json = {0};
    write_sample(&json);
    assert_string_equal(json_text(&json), "{\"name\": \"saeki\", \"steps\": -9223372036854775808, "
                                          "\"list\": [0.1, null, null, true, false, null, [], {}]}");
    json_free(&json);
}

static void writes_indented(void **state) {
    (void)state;
    Json json = {.indent = 2};
    write_sample(&json);
    const char *expected = "{\n  \"name\": \"saeki\",\n  \"steps\": -9223372036854775808,\n"
                           "  \"list\": [\n    0.1,\n    null,\n    null,\n    true,\n    false,\n"
                           "    null,\n    [],\n    {}\n  ]\n}\n";
    assert_string_equal(json_text(&json), expected);
    assert_string_equal(json_text(&json), expected); // asking twice changes nothing
    char *taken = json_take(&json);
    assert_string_equal(taken, expected);
    assert_int_equal(json.text.length, 0);
    free(taken);
}

static void escapes_strings(void **state) {
    (void)state;
    check_string("", "\"\"");
    check_string(NULL, "null");
    check_string("a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
    check_string("\b\f\n\r\t\x01\x1f\x7f", "\"\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\"");
    check_string("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
    check_string("a\xff"
                 "b\xc3",
                 "\"a\xef\xbf\xbd"
                 "b\xef\xbf\xbd\"");
    check_string("\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void keys_are_escaped(void **state) {
    (void)state;
    Json json = {0};
    json_object_begin(&json);
    json_key(&json, "a\"\n");
    json_number(&json, 1e-7);
    json_object_end(&json);
    assert_string_equal(json_text(&json), "{\"a\\\"\\n\": 1e-07}");
    json_free(&json);
}

static void memory_failure_sticks(void **state) {
    (void)state;
    Json json = {0};
    json_array_begin(&json);
    json.text.failed = true; // as if an allocation had failed here
    json_number(&json, 1);
    json_string(&json, "text");
    json_array_end(&json);
    assert_null(json_text(&json));
    assert_null(json_take(&json));
    json.text.failed = true; // from the very start
    json_null(&json);
    assert_null(json_text(&json));
    json_free(&json);
}

static void value_without_key(Json *json) {
    json_object_begin(json);
    json_number(json, 1);
}
static void key_in_array(Json *json) {
    json_array_begin(json);
    json_key(json, "a");
}
static void key_without_value(Json *json) {
    json_object_begin(json);
    json_key(json, "a");
    json_object_end(json);
}
static void wrong_end(Json *json) {
    json_object_begin(json);
    json_array_end(json);
}
static void two_values(Json *json) {
    json_null(json);
    json_null(json);
}
static void unfinished(Json *json) {
    json_array_begin(json);
    json_text(json);
}
static void too_deep(Json *json) {
    for (int i = 0; i <= JSON_DEPTH_MAX; i++) json_array_begin(json);
}

static void misuse_is_caught(void **state) {
    (void)state;
    void (*const misuses[])(Json *) = {value_without_key, key_in_array, key_without_value, wrong_end,
                                       two_values,        unfinished,   too_deep};
    for (size_t i = 0; i < sizeof misuses / sizeof *misuses; i++) {
        pid_t child = fork();
        if (child == 0) {
            Json json = {0};
            signal(SIGABRT, SIG_DFL);
            if (!freopen("/dev/null", "w", stderr)) _exit(1);
            misuses[i](&json);
            _exit(0);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_on_one_line),    cmocka_unit_test(writes_indented),
        cmocka_unit_test(escapes_strings),       cmocka_unit_test(keys_are_escaped),
        cmocka_unit_test(memory_failure_sticks), cmocka_unit_test(misuse_is_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
