// Every example loads without a word of complaint, is described, and reads back from its own text.
#include "check.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "maraca/maraca.h"
#include "model/model.h"

static void check_example(const char *name) {
    MrcModel *model = mrc_model_load(name, NULL, 0);
    assert_non_null(model);
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++) {
        const MrcDiagnostic *finding = mrc_model_diagnostic(model, i);
        fail_msg("%s:%d:%d: %s", finding->file, finding->line, finding->column, finding->text);
    }
    char *words = mrc_model_describe(model), *text = mrc_model_text(model);
    assert_non_null(words);
    assert_non_null(strstr(words, "Simulates "));
    MrcModel *again = mrc_model_parse(text, strlen(text), name, NULL, 0);
    assert_int_equal(mrc_model_status(again), MRC_OK);
    assert_true(model_hash(model) == model_hash(again));
    mrc_text_free(words);
    mrc_text_free(text);
    mrc_model_free(again);
    mrc_model_free(model);
}

static void test_every_example(void **state) {
    (void)state;
    assert_int_equal(chdir(MARACA_SOURCE_DIR "/examples"), 0);
    DIR *folder = opendir(".");
    assert_non_null(folder);
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        size_t length = strlen(entry->d_name);
        if (length < 6 || strcmp(entry->d_name + length - 5, ".yaml") != 0) continue;
        check_example(entry->d_name);
        count++;
    }
    closedir(folder);
    assert_true(count > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_example)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
