// maraca sweep: a model over a grid of values.
#include <stdlib.h>

#include "cli/command.h"
#include "cli/study.h"

typedef struct SweepWords {
    StudyWords study;
    OptionList vary;
} SweepWords;

#define SWEEP_OPTIONS(w)                                                                                     \
    {                                                                                                        \
        {"--vary",      NULL,                                                                                \
         "PATH=VALUES", OPTION_LIST,                                                                         \
         &(w)->vary,    "a value of the model and the values it takes; several of them make a grid"},        \
            STUDY_OPTIONS(&(w)->study),                                                                      \
    }
enum { sweep_option_count = 1 + STUDY_OPTION_COUNT };

static void sweep_help(bool json) {
    SweepWords words = {0};
    const Option options[sweep_option_count] = SWEEP_OPTIONS(&words);
    options_print_help(options, sweep_option_count, json);
    if (json) return;
    fputs(
        "\n"
        "VALUES is a list or a range; a unit at its end holds for all of it:\n"
        "  constants.f=8,10,12 Hz              three values\n"
        "  constants.f=8:16:17 Hz              17 values from 8 to 16 Hz\n"
        "  constants.f=5:100:13:log Hz         13 values with equal factors between them\n"
        "  coupling.scheme=condensed,tight     words\n"
        "\n"
        "Each run leaves its result in DIR/points; study.csv and study.json are written as results come. "
        "The\n"
        "same command again goes on where it was stopped and repeats nothing; started twice, or on several\n"
        "machines that share DIR, the processes share the runs. Other --measure need no new runs.\n"
        "\n"
        "  maraca sweep examples/saeki.yaml --vary constants.f=8:16:9 --beds 3 --measure "
        "'amplitudes.box.amplitude_m'\n",
        stdout);
}

static MrcStatus sweep_study(const void *self, const char *model, const MrcStudyOptions *options,
                             MrcStudy *study, MrcError *error) {
    const SweepWords *w = self;
    return mrc_sweep(model, w->vary.items, w->vary.count, options, study, error);
}

static int sweep_main(int word_count, char **words) {
    SweepWords w = {.vary.items = calloc((size_t)word_count + 1, sizeof(char *))};
    study_words_allocate(&w.study, word_count);
    const Option options[sweep_option_count] = SWEEP_OPTIONS(&w);
    int status = 2;
    if (options_parse("sweep", word_count, words, options, sweep_option_count, &w.study.model, 1)) {
        if (w.vary.count == 0 && w.study.beds <= 1 && !w.study.until)
            status = report_usage(
                "sweep", w.study.json,
                "what shall vary? Give e.g. --vary constants.f=8:16:17 --beds 3. See 'maraca help sweep'");
        else status = study_main("sweep", &w.study, sweep_study, &w);
    }
    study_words_free(&w.study);
    free(w.vary.items);
    return status;
}

const Command command_sweep = {
    .name = "sweep",
    .arguments = "MODEL --vary PATH=VALUES",
    .doc = "run a model over a grid of values and random beds, as a table",
    .run = sweep_main,
    .help = sweep_help,
};
