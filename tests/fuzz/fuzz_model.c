// Fuzz target of the model loader: whatever the bytes, nothing crashes, leaks or hangs, and a model written
// back as YAML reads back as the same model.
//
//     fuzz_model -dict=tests/fuzz/model.dict -max_total_time=60 CORPUS tests/fuzz/seeds tests/bad examples
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maraca/maraca.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Our own bug: stops the fuzzer, which keeps the bytes.
static void require(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "fuzz_model: %s\n", what);
    abort();
}

static void check_round_trip(const char *text) {
    MrcModel *again = mrc_model_parse(text, strlen(text), "again", NULL, 0);
    require(again != NULL, "memory");
    char *twice = mrc_model_text(again);
    require(twice && strcmp(text, twice) == 0, "the model's text does not read back");
    mrc_text_free(twice);
    mrc_model_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)data;
    size_t length = size;
    char *override = NULL;
    // A first line "--set path=value" is taken as an override.
    if (size > 6 && memcmp(text, "--set ", 6) == 0) {
        const char *end = memchr(text, '\n', size);
        size_t line = end ? (size_t)(end - text) : size;
        override = strndup(text + 6, line - 6);
        text = end ? end + 1 : text + size;
        length = size - (size_t)(text - (const char *)data);
    }
    const char *overrides[] = {override};
    MrcModel *model = mrc_model_parse(text, length, "fuzz", overrides, override ? 1 : 0);
    require(model != NULL, "memory");
    require(mrc_model_status(model) == MRC_OK || mrc_model_diagnostic_count(model) > 0,
            "a model is refused without a reason");
    char *words = mrc_model_describe(model), *written = mrc_model_text(model);
    require(words && written, "memory");
    if (written[0]) check_round_trip(written);
    mrc_text_free(words);
    mrc_text_free(written);
    mrc_model_free(model);
    free(override);
    return 0;
}
