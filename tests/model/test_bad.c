// Every broken file in tests/bad says what is wrong with it, word for word: NAME.yaml is loaded and its
// findings are compared with NAME.expected (lines `line:column: text`, the file's name left out). A first
// line `# --set path=value` is an override.
#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "maraca/maraca.h"

static bool ends_with(const char *name, const char *ending) {
    size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

static char *findings(const MrcModel *model) {
    Text text = {0};
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++) {
        const MrcDiagnostic *finding = mrc_model_diagnostic(model, i);
        text_add(&text, "%d:%d: %s%s\n", finding->line, finding->column, finding->warning ? "warning: " : "",
                 finding->text);
    }
    return text_take(&text);
}

static char *read_whole(const char *path) {
    char *text;
    size_t length;
    MrcError error;
    if (file_read(path, 1 << 20, &text, &length, &error) != MRC_OK) fail_msg("%s", error.text);
    return text;
}

static void check_file(const char *name, int *failures) {
    char expected_name[300], *text = read_whole(name);
    bool set = strncmp(text, "# --set ", 8) == 0;
    text[strcspn(text, "\n")] = '\0';
    const char *override = text + 8;
    MrcModel *model = mrc_model_load(name, &override, set ? 1 : 0);
    assert_non_null(model);
    assert_int_equal(mrc_model_status(model), MRC_MODEL);
    assert_int_equal(mrc_status_exit(mrc_model_status(model)), 2);
    char *found = findings(model);
    snprintf(expected_name, sizeof expected_name, "%.*s.expected", (int)(strlen(name) - 5), name);
    char *expected = read_whole(expected_name);
    if (strcmp(found, expected) != 0) {
        print_error("%s\nexpected:\n%sfound:\n%s\n", name, expected, found);
        (*failures)++;
    }
    free(expected);
    free(found);
    free(text);
    mrc_model_free(model);
}

static void test_every_bad_file(void **state) {
    (void)state;
    assert_int_equal(chdir(MARACA_SOURCE_DIR "/tests/bad"), 0);
    DIR *folder = opendir(".");
    assert_non_null(folder);
    int files = 0, expectations = 0, failures = 0;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (ends_with(entry->d_name, ".expected")) expectations++;
        if (!ends_with(entry->d_name, ".yaml")) continue;
        files++;
        check_file(entry->d_name, &failures);
    }
    closedir(folder);
    assert_int_equal(failures, 0);
    assert_int_equal(files, expectations);
    assert_true(files >= 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_bad_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
