// maraca signals: every signal of a model with unit, sign and axes.
#include <stdlib.h>

#include "cli/command.h"
#include "cli/options.h"

typedef struct SignalsWords {
    const char *model;
    OptionList overrides;
    bool all, json;
} SignalsWords;

#define SIGNALS_OPTIONS(w)                                                                                   \
    {                                                                                                        \
        {"--all",     NULL,      NULL,                                                                       \
         OPTION_FLAG, &(w)->all, "also those of nodes within beams, and of second names"},                   \
            {"--set", NULL, "PATH=VALUE", OPTION_LIST, &(w)->overrides, "change one value of the model"},    \
            {"--json", NULL, NULL, OPTION_FLAG, &(w)->json, "print one JSON document"},                      \
    }
enum { signals_option_count = 3 };

static void signals_help(bool json) {
    SignalsWords words = {0};
    const Option options[signals_option_count] = SIGNALS_OPTIONS(&words);
    options_print_help(options, signals_option_count, json);
}

static int signals_print(const MrcModel *model, const SignalsWords *w) {
    MrcSignals signals;
    MrcError error;
    if (mrc_signals(model, w->all, &signals, &error) != MRC_OK)
        return report_error("signals", &error, w->json);
    fputs(w->json ? signals.json : signals.report, stdout);
    mrc_signals_free(&signals);
    return 0;
}

// A model whose only fault is a wrong name in `record` still has its signals: they are what the name is looked for among.
static void signals_print_without_record(SignalsWords *w) {
    w->overrides.items[w->overrides.count] = "record={}"; // there is room for one more than there are words
    MrcModel *model = mrc_model_load(w->model, w->overrides.items, w->overrides.count + 1);
    if (mrc_model_status(model) == MRC_OK) {
        fputs("\nThe signals of the model without its 'record':\n\n", stdout);
        signals_print(model, w);
    }
    mrc_model_free(model);
}

static int signals_main(int word_count, char **words) {
    SignalsWords w = {.overrides.items = calloc((size_t)word_count + 1, sizeof(char *))};
    const Option options[signals_option_count] = SIGNALS_OPTIONS(&w);
    int status = 2;
    if (options_parse("signals", word_count, words, options, signals_option_count, &w.model, 1)) {
        MrcModel *model = load_model("signals", w.model, w.overrides.items, w.overrides.count, w.json);
        if (model) status = signals_print(model, &w);
        else if (w.model && !w.json) signals_print_without_record(&w);
        mrc_model_free(model);
    }
    free(w.overrides.items);
    return status;
}

const Command command_signals = {
    .name = "signals",
    .arguments = "MODEL [options]",
    .doc = "list every signal that can be recorded, with unit, sign and axes",
    .run = signals_main,
    .help = signals_help,
};
