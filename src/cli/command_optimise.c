// maraca optimise: the values of a model that make a fact best.
#include <stdlib.h>

#include "cli/command.h"
#include "cli/study.h"

typedef struct OptimiseWords {
    StudyWords study;
    MrcOptimiseOptions options;
    OptionList vary, limits, over;
    double to; // percent
} OptimiseWords;

#define OPTIMISE_OPTIONS(w)                                                                                   \
    {                                                                                                         \
        {"--vary",    NULL,       "PATH=RANGE",                                                               \
         OPTION_LIST, &(w)->vary, "a value of the model and what it may be, such as constants.h=4:12 mm"},    \
            {"--minimise", NULL, "FACT", OPTION_TEXT, &(w)->options.minimise, "fact to be made smallest"},    \
            {"--maximise", NULL, "FACT", OPTION_TEXT, &(w)->options.maximise, "fact to be made largest"},     \
            {"--subject-to", NULL,         "FACT<=VALUE",                                                     \
             OPTION_LIST,    &(w)->limits, "a limit, also FACT>=VALUE, such as grains.damper.mass_kg<=7 g"},  \
            {"--over",    NULL,       "PATH=VALUES",                                                          \
             OPTION_LIST, &(w)->over, "conditions under which every candidate is run; their mean counts"},    \
            {"--worst", NULL, NULL, OPTION_FLAG, &(w)->options.worst, "of the conditions the worst counts"},  \
            {"--candidates",                                                                                  \
             NULL,                                                                                            \
             "N",                                                                                             \
             OPTION_COUNT,                                                                                    \
             &(w)->options.candidates,                                                                        \
             "at most; default: 10 and 6 for each variable"},                                                 \
            {"--to", NULL, "P", OPTION_NUMBER, &(w)->to, "end when less than P % of it is to be gained (1)"}, \
            STUDY_OPTIONS(&(w)->study),                                                                       \
    }
enum { optimise_option_count = 8 + STUDY_OPTION_COUNT };

static void optimise_help(bool json) {
    OptimiseWords words = {0};
    const Option options[optimise_option_count] = OPTIMISE_OPTIONS(&words);
    options_print_help(options, optimise_option_count, json);
    if (json) return;
    fputs("\n"
          "RANGE is what a value may be:\n"
          "  constants.clearance=4:12 mm                    any number between the ends\n"
          "  constants.clearance=1:50:log mm                the same, equal factors being equal steps\n"
          "  grains.damper.particles.count=50:300:integer   whole numbers\n"
          "  grains.damper.particles.radius=1,1.5,2,3 mm    a catalogue\n"
          "  grains.damper.method=smooth,nonsmooth          words\n"
          "\n"
          "Each candidate is run with the same --beds random beds (3). The best ones are run again with beds "
          "that the\n"
          "search has not seen, and the report says how sure the winner is. The same command again goes on "
          "where it\n"
          "was stopped; started several times, the processes share the runs.\n"
          "\n"
          "  maraca optimise examples/cantilever-damper.yaml --vary 'constants.clearance=2:12 mm' \\\n"
          "      --minimise amplitudes.shell.amplitude_m\n",
          stdout);
}

static MrcStatus optimise_study(const void *self, const char *model, const MrcStudyOptions *options,
                                MrcStudy *study, MrcError *error) {
    const OptimiseWords *w = self;
    MrcOptimiseOptions o = w->options;
    o.vary = w->vary.items, o.vary_count = w->vary.count;
    o.limits = w->limits.items, o.limit_count = w->limits.count;
    o.over = w->over.items, o.over_count = w->over.count;
    o.to = w->to / 100;
    return mrc_optimise(model, &o, options, study, error);
}

static int optimise_main(int word_count, char **words) {
    OptimiseWords w = {.options = mrc_optimise_options_default(), .to = 1};
    OptionList *lists[] = {&w.vary, &w.limits, &w.over};
    for (size_t i = 0; i < 3; i++) lists[i]->items = calloc((size_t)word_count + 1, sizeof(char *));
    study_words_allocate(&w.study, word_count);
    const Option options[optimise_option_count] = OPTIMISE_OPTIONS(&w);
    int status = 2;
    if (options_parse("optimise", word_count, words, options, optimise_option_count, &w.study.model, 1)) {
        if (!(w.to > 0)) status = report_usage("optimise", w.study.json, "--to is a positive percentage");
        else w.study.rounds = true, status = study_main("optimise", &w.study, optimise_study, &w);
    }
    study_words_free(&w.study);
    for (size_t i = 0; i < 3; i++) free(lists[i]->items);
    return status;
}

const Command command_optimise = {
    .name = "optimise",
    .arguments = "MODEL --vary PATH=RANGE --minimise FACT",
    .doc = "find the values of a model for which a fact of its runs is best",
    .run = optimise_main,
    .help = optimise_help,
};
