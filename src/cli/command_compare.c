// maraca compare: one model by several schemes or with several values, side by side.
#include <stdlib.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/waiting.h"

typedef struct CompareWords {
    const char *model, *variants, *folder;
    OptionList overrides;
    int threads;
    bool quiet, json;
} CompareWords;

#define COMPARE_OPTIONS(w)                                                                                   \
    {                                                                                                        \
        {"--schemes",    NULL,                                                                               \
         "A,B,...",      OPTION_TEXT,                                                                        \
         &(w)->variants, "what to compare, the first being what the others are measured against"},           \
            {"--set",         NULL,                                                                          \
             "PATH=VALUE",    OPTION_LIST,                                                                   \
             &(w)->overrides, "change one value of the model in all runs"},                                  \
            {"--output",  "-o",         "DIR",                                                               \
             OPTION_TEXT, &(w)->folder, "keep the results, in DIR/NAME each, and DIR/compare.json"},         \
            {"--threads", NULL, "N", OPTION_COUNT, &(w)->threads, "threads to use; default: all cores"},     \
            {"--quiet", "-q", NULL, OPTION_FLAG, &(w)->quiet, "no progress: tables and warnings only"},      \
            {"--json", NULL, NULL, OPTION_FLAG, &(w)->json, "print one JSON document"},                      \
    }
enum { compare_option_count = 6 };

static void compare_help(bool json) {
    CompareWords words = {0};
    const Option options[compare_option_count] = COMPARE_OPTIONS(&words);
    options_print_help(options, compare_option_count, json);
    if (json) return;
    fputs(
        "\n"
        "Each of A,B,... is one run:\n"
        "  tight                                  that coupling scheme (coupling.scheme=tight); they are\n"
        "                                         listed by 'maraca help stability'\n"
        "  tight+coupling.tolerance=1e-5          the scheme with further values, separated by +\n"
        "  simulate.step='1 ms'                   any value of the model, as with --set\n"
        "  rough:simulate.step='1 ms'+mechanism.integrator.rho_inf=0.2\n"
        "                                         any values, under a name of your own\n"
        "\n"
        "The first table has one line per run: grain solves, wall-clock time, and the energy error of the "
        "exchange\n"
        "at the ports. A run that diverges says so there, and the others go on. The second has one line per\n"
        "recorded series (record.series): the difference to the first run, or the first that\n"
        "got to its end, r.m.s. over r.m.s., at its instants.\n"
        "\n"
        "  maraca compare examples/two-mass.yaml --schemes condensed,tight,loose\n"
        "  maraca compare examples/two-mass.yaml --schemes \\\n"
        "      'fine:simulate.step=10 "
        "us,condensed,explicit,original:coupling.scheme=explicit+coupling.inputs=original'\n",
        stdout);
}

static int compare_print(const CompareWords *w) {
    if (!w->variants)
        return report_usage(
            "compare", w->json,
            "what is to be compared? Give e.g. --schemes condensed,tight. See 'maraca help compare'");
    Progress progress = progress_start(w->quiet || w->json);
    MrcCompareOptions options = {.variants = w->variants,
                                 .overrides = w->overrides.items,
                                 .override_count = w->overrides.count,
                                 .run = mrc_run_options_default()};
    options.run.folder = w->folder;
    options.run.threads = w->threads;
    options.run.stop = &signals_stop;
    options.run.progress = progress_show;
    options.run.message = progress_message;
    options.run.user = &progress;
    signals_catch(progress.terminal && !w->quiet);
    MrcComparison comparison;
    MrcError error = {0};
    MrcStatus status = mrc_compare(w->model, &options, &comparison, &error);
    progress_end(&progress);
    if (comparison.report) fputs(w->json ? comparison.json : comparison.report, stdout);
    if (status != MRC_OK && comparison.report) print_error("compare", &error);
    else if (status != MRC_OK) report_error("compare", &error, w->json);
    mrc_comparison_free(&comparison);
    return mrc_status_exit(status);
}

static int compare_main(int word_count, char **words) {
    CompareWords w = {.overrides.items = calloc((size_t)word_count + 1, sizeof(char *))};
    const Option options[compare_option_count] = COMPARE_OPTIONS(&w);
    int status = 2;
    if (options_parse("compare", word_count, words, options, compare_option_count, &w.model, 1)) {
        if (w.threads != 1) waiting_begin();
        signals_end_at_once("compare", w.json);
        // The model as it is, so that its errors are printed with all their places.
        MrcModel *model = load_model("compare", w.model, w.overrides.items, w.overrides.count, w.json);
        if (model) status = compare_print(&w);
        mrc_model_free(model);
    }
    free(w.overrides.items);
    return status;
}

const Command command_compare = {
    .name = "compare",
    .arguments = "MODEL --schemes A,B",
    .doc = "run a model by several coupling schemes or with several values, side by side",
    .run = compare_main,
    .help = compare_help,
};
