// maraca modes: natural frequencies, damping ratios and mode shapes.
#include <stdlib.h>

#include "cli/command.h"
#include "cli/options.h"

typedef struct ModesWords {
    const char *model;
    OptionList overrides;
    int count;
    const char *folder;
    bool json;
} ModesWords;

#define MODES_OPTIONS(w)                                                                                     \
    {                                                                                                        \
        {"--count", "-n", "N", OPTION_COUNT, &(w)->count, "how many modes (10)"},                            \
            {"--output",  "-o",         "DIR",                                                               \
             OPTION_TEXT, &(w)->folder, "folder for modes.json and frames of the shapes (none)"},            \
            {"--set", NULL, "PATH=VALUE", OPTION_LIST, &(w)->overrides, "change one value of the model"},    \
            {"--json", NULL, NULL, OPTION_FLAG, &(w)->json, "print one JSON document"},                      \
    }
enum { modes_option_count = 4 };

static void modes_help(bool json) {
    ModesWords words = {0};
    const Option options[modes_option_count] = MODES_OPTIONS(&words);
    options_print_help(options, modes_option_count, json);
}

static void modes_print_message(void *user, bool warning, const char *text) {
    (void)user;
    fprintf(stderr, "maraca modes: %s%s\n", warning ? "warning: " : "", text);
}

static int modes_print(const MrcModel *model, const ModesWords *w) {
    MrcModesOptions options = {.count = w->count, .folder = w->folder, .message = modes_print_message};
    MrcModes modes;
    MrcError error;
    if (mrc_modes(model, &options, &modes, &error) != MRC_OK) return report_error("modes", &error, w->json);
    fputs(w->json ? modes.json : modes.report, stdout);
    mrc_modes_free(&modes);
    return 0;
}

static int modes_main(int word_count, char **words) {
    ModesWords w = {.overrides.items = calloc((size_t)word_count + 1, sizeof(char *))};
    const Option options[modes_option_count] = MODES_OPTIONS(&w);
    int status = 2;
    if (options_parse("modes", word_count, words, options, modes_option_count, &w.model, 1)) {
        MrcModel *model = load_model("modes", w.model, w.overrides.items, w.overrides.count, w.json);
        if (model) status = modes_print(model, &w);
        mrc_model_free(model);
    }
    free(w.overrides.items);
    return status;
}

const Command command_modes = {
    .name = "modes",
    .arguments = "MODEL [options]",
    .doc = "natural frequencies, damping ratios and mode shapes of a mechanism",
    .run = modes_main,
    .help = modes_help,
};
