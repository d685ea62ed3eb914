// maraca fit: values of a model from a measured free decay or frequency response.
#include <stdlib.h>

#include "cli/command.h"
#include "cli/study.h"

typedef struct FitWords {
    StudyWords study;
    MrcFitOptions options;
    OptionList vary;
    const char *data;
} FitWords;

#define FIT_OPTIONS(w)                                                                                         \
    {                                                                                                          \
        {"--vary",    NULL,       "PATH=a:b",                                                                  \
         OPTION_LIST, &(w)->vary, "a value and its range; also friction,restitution of the only material"},    \
            {"--signal", NULL, "NAME", OPTION_TEXT, &(w)->options.signal, "of the model: box.x"},              \
            {"--column", NULL, "NAME", OPTION_TEXT, &(w)->options.column, "of DATA; default: the signal"},     \
            {"--from", NULL, "T", OPTION_NUMBER, &(w)->options.from, "leave out DATA before [s], [Hz]"},       \
            {"--to", NULL, "T", OPTION_NUMBER, &(w)->options.to, "leave out DATA after [s], [Hz]"},            \
            {"--model-from",                                                                                   \
             NULL,                                                                                             \
             "T",                                                                                              \
             OPTION_NUMBER,                                                                                    \
             &(w)->options.model_from,                                                                         \
             "where the decay of the model begins [s] (0)"},                                                   \
            {"--reference",                                                                                    \
             NULL,                                                                                             \
             "NAME",                                                                                           \
             OPTION_TEXT,                                                                                      \
             &(w)->options.reference,                                                                          \
             "of a response: signal that it is divided by"},                                                   \
            {"--direction",                                                                                    \
             NULL,                                                                                             \
             "WAY",                                                                                            \
             OPTION_TEXT,                                                                                      \
             &(w)->options.direction,                                                                          \
             "of a response: up (default) or down"},                                                           \
            {"--frequency",                                                                                    \
             NULL,                                                                                             \
             "PATH",                                                                                           \
             OPTION_TEXT,                                                                                      \
             &(w)->options.frequency,                                                                          \
             "of the drive: the input or constant frequency, or f, by default"},                               \
            {"--frequencies",                                                                                  \
             NULL,                                                                                             \
             "N",                                                                                              \
             OPTION_COUNT,                                                                                     \
             &(w)->options.frequencies,                                                                        \
             "of a response that are compared (16)"},                                                          \
            {"--steady", NULL, "PART", OPTION_NUMBER, &(w)->options.steady, "as of 'maraca response' (0.01)"}, \
            {"--most", NULL, "N", OPTION_COUNT, &(w)->options.most, "periods per frequency (200)"},            \
            {"--rounds",                                                                                       \
             NULL,                                                                                             \
             "N",                                                                                              \
             OPTION_COUNT,                                                                                     \
             &(w)->options.rounds,                                                                             \
             "of runs, each nearer to it (3; of a response 4)"},                                               \
            STUDY_OPTIONS(&(w)->study),                                                                        \
    }
enum { fit_option_count = 13 + STUDY_OPTION_COUNT };

static void fit_help(bool json) {
    FitWords words = {0};
    const Option options[fit_option_count] = FIT_OPTIONS(&words);
    options_print_help(options, fit_option_count, json);
    if (json) return;
    fputs("\n"
          "DATA is a table of a measured free decay, t[s],box.x[m], with whose motion MODEL begins; or of a "
          "frequency\n"
          "response, f[Hz],box.x[m] or the table of 'maraca response', to the drive that MODEL has. The "
          "model is run over\n"
          "the ranges, then where the data make values likely, with --beds random beds each (3); the report "
          "has the\n"
          "values, their 95 % intervals, and which of them the data do not determine separately.\n"
          "\n"
          "  maraca fit decay.csv damper.yaml --vary friction,restitution --signal box.x\n"
          "  maraca fit sweep.csv damper.yaml --vary 'constants.k=1:4 kN/m' --signal box.x --reference "
          "foot.x\n",
          stdout);
}

static MrcStatus fit_study(const void *self, const char *model, const MrcStudyOptions *options,
                           MrcStudy *study, MrcError *error) {
    const FitWords *w = self;
    MrcFitOptions o = w->options;
    o.vary = w->vary.items, o.vary_count = w->vary.count;
    return mrc_fit(w->data, model, &o, options, study, error);
}

static int fit_main(int word_count, char **words) {
    FitWords w = {.options = mrc_fit_options_default()};
    const char *files[2] = {NULL, NULL};
    w.vary.items = calloc((size_t)word_count + 1, sizeof(char *));
    study_words_allocate(&w.study, word_count);
    const Option options[fit_option_count] = FIT_OPTIONS(&w);
    int status = 2;
    if (options_parse("fit", word_count, words, options, fit_option_count, files, 2)) {
        w.data = files[0], w.study.model = files[1];
        w.study.rounds = true, status = study_main("fit", &w.study, fit_study, &w);
    }
    study_words_free(&w.study);
    free(w.vary.items);
    return status;
}

const Command command_fit = {
    .name = "fit",
    .arguments = "DATA MODEL --vary PATH=a:b --signal NAME",
    .doc = "values of a model from a measured decay or response, with intervals",
    .run = fit_main,
    .help = fit_help,
};
