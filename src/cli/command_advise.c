// maraca advise: critical time steps, a suggested step, and how soft contacts may be.
#include <stdlib.h>

#include "cli/command.h"
#include "cli/options.h"

typedef struct AdviseWords {
    const char *model;
    OptionList overrides;
    const char *page;
    bool json;
} AdviseWords;

#define ADVISE_OPTIONS(w)                                                                                    \
    {                                                                                                        \
        {"--set", NULL, "PATH=VALUE", OPTION_LIST, &(w)->overrides, "change one value of the model"},        \
            {"--output", "-o", "FILE.html", OPTION_TEXT, &(w)->page, "write a page for the browser"},        \
            {"--json", NULL, NULL, OPTION_FLAG, &(w)->json, "print one JSON document"},                      \
    }
enum { advise_option_count = 3 };

static void advise_help(bool json) {
    AdviseWords words = {0};
    const Option options[advise_option_count] = ADVISE_OPTIONS(&words);
    options_print_help(options, advise_option_count, json);
}

static int advise(const MrcModel *model, const char *page, bool json) {
    MrcAdvice advice;
    MrcError error;
    if (mrc_advise(model, &advice, &error) != MRC_OK) return report_error("advise", &error, json);
    MrcStatus status = page ? mrc_advice_write(&advice, page, &error) : MRC_OK;
    if (status == MRC_OK) fputs(json ? advice.json : advice.report, stdout);
    else report_error("advise", &error, json);
    mrc_advice_free(&advice);
    return mrc_status_exit(status);
}

static int advise_main(int word_count, char **words) {
    AdviseWords w = {.overrides.items = calloc((size_t)word_count + 1, sizeof(char *))};
    const Option options[advise_option_count] = ADVISE_OPTIONS(&w);
    int status = 2;
    if (options_parse("advise", word_count, words, options, advise_option_count, &w.model, 1)) {
        MrcModel *model = load_model("advise", w.model, w.overrides.items, w.overrides.count, w.json);
        if (model) status = advise(model, w.page, w.json);
        mrc_model_free(model);
    }
    free(w.overrides.items);
    return status;
}

const Command command_advise = {
    .name = "advise",
    .arguments = "MODEL [options]",
    .doc = "critical time steps, how soft contacts may be, which coupling schemes are stable",
    .run = advise_main,
    .help = advise_help,
};
