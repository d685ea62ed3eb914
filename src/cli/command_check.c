// maraca check: read and check a model, and say in words what would be simulated.
#include <stdlib.h>

#include "cli/command.h"
#include "cli/options.h"

typedef struct CheckWords {
    const char *model;
    OptionList overrides;
    bool json;
} CheckWords;

#define CHECK_OPTIONS(w)                                                                                     \
    {                                                                                                        \
        {"--set", NULL, "PATH=VALUE", OPTION_LIST, &(w)->overrides, "change one value of the model"},        \
            {"--json", NULL, NULL, OPTION_FLAG, &(w)->json, "print one JSON document"},                      \
    }
enum { check_option_count = 2 };

static void check_help(bool json) {
    CheckWords words = {0};
    const Option options[check_option_count] = CHECK_OPTIONS(&words);
    options_print_help(options, check_option_count, json);
}

static int check_print(const MrcModel *model, bool json) {
    MrcError error;
    if (mrc_model_assemble(model, &error) != MRC_OK) return report_error("check", &error, json);
    char *text = mrc_model_describe(model), *sizes = NULL;
    if (json) {
        MrcFacts *facts = mrc_model_facts(model);
        sizes = mrc_facts_json(facts);
        mrc_facts_free(facts);
    }
    if (!text || (json && !sizes))
        return report_error("check", &(MrcError){MRC_MEMORY, "no memory left"}, json);
    if (json) {
        fputs("{\n  \"status\": \"OK\",\n  \"diagnostics\": ", stdout);
        print_json_diagnostics(stdout, model);
        fputs(",\n  \"description\": ", stdout);
        print_json_text(stdout, text);
        fputs(",\n  \"sizes\": ", stdout);
        fputs(sizes, stdout);
        puts("}");
    } else {
        fputs(text, stdout);
    }
    mrc_text_free(text);
    mrc_text_free(sizes);
    return 0;
}

static int check_main(int word_count, char **words) {
    CheckWords w = {.overrides.items = calloc((size_t)word_count + 1, sizeof(char *))};
    const Option options[check_option_count] = CHECK_OPTIONS(&w);
    int status = 2;
    if (options_parse("check", word_count, words, options, check_option_count, &w.model, 1)) {
        MrcModel *model = load_model("check", w.model, w.overrides.items, w.overrides.count, w.json);
        if (model) status = check_print(model, w.json);
        mrc_model_free(model);
    }
    free(w.overrides.items);
    return status;
}

const Command command_check = {
    .name = "check",
    .arguments = "MODEL [options]",
    .doc = "check a model and say in words what would be simulated",
    .run = check_main,
    .help = check_help,
};
