// maraca size: how soft the contacts of a damper may be.
#include <stdlib.h>

#include "cli/command.h"
#include "cli/study.h"

typedef struct SizeWords {
    StudyWords study;
    MrcSizeOptions options;
    double limit; // percent
} SizeWords;

#define SIZE_OPTIONS(w)                                                                                      \
    {                                                                                                        \
        {"--bed", NULL, "NAME", OPTION_TEXT, &(w)->options.bed, "of grains; default: the only one"},         \
            {"--reference",                                                                                  \
             NULL,                                                                                           \
             "VALUE",                                                                                        \
             OPTION_TEXT,                                                                                    \
             &(w)->options.reference,                                                                        \
             "stiffness to compare with, such as '90 kN/m'; default: that of the material"},                 \
            {"--within", NULL, "P", OPTION_NUMBER, &(w)->limit, "measures may change by P percent (5)"},     \
            {"--decades",                                                                                    \
             NULL,                                                                                           \
             "X",                                                                                            \
             OPTION_POSITIVE,                                                                                \
             &(w)->options.decades,                                                                          \
             "how far down to go from the reference (4)"},                                                   \
            {"--levels", NULL, "N", OPTION_COUNT, &(w)->options.levels, "of stiffness (9)"},                 \
            STUDY_OPTIONS(&(w)->study),                                                                      \
    }
enum { size_option_count = 5 + STUDY_OPTION_COUNT };

static void size_help(bool json) {
    SizeWords words = {0};
    const Option options[size_option_count] = SIZE_OPTIONS(&words);
    options_print_help(options, size_option_count, json);
    if (json) return;
    fputs("\n"
          "Runs the model with softer and softer contacts. eta is the largest overlap, over the radius, that "
          "leaves the\n"
          "measures as they are; beta is the largest overlap over that of one grain that hits a wall at the "
          "largest speed\n"
          "of the enclosure. From them follow the least stiffness and how much longer steps become. "
          "speed-up.csv has\n"
          "what they make of other frequencies and accelerations.\n"
          "\n"
          "  maraca size examples/damping-map.yaml --beds 3 --measure periods.dissipated_mean_J\n",
          stdout);
}

static MrcStatus size_study(const void *self, const char *model, const MrcStudyOptions *options,
                            MrcStudy *study, MrcError *error) {
    const SizeWords *w = self;
    MrcSizeOptions o = w->options;
    o.limit = w->limit / 100;
    return mrc_size(model, &o, options, study, error);
}

static int size_main(int word_count, char **words) {
    SizeWords w = {.options = mrc_size_options_default(), .limit = 5};
    study_words_allocate(&w.study, word_count);
    const Option options[size_option_count] = SIZE_OPTIONS(&w);
    int status = 2;
    if (options_parse("size", word_count, words, options, size_option_count, &w.study.model, 1)) {
        w.study.rounds = true;
        if (!(w.limit > 0)) status = report_usage("size", w.study.json, "--within is a positive percentage");
        else status = study_main("size", &w.study, size_study, &w);
    }
    study_words_free(&w.study);
    return status;
}

const Command command_size = {
    .name = "size",
    .arguments = "MODEL [--measure FACT]",
    .doc = "how soft the contacts of a damper may be: eta, beta, least stiffness",
    .run = size_main,
    .help = size_help,
};
