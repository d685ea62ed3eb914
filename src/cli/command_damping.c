// maraca damping: the logarithmic decrement of a recorded free decay, over the amplitude.
#include "cli/command.h"
#include "cli/options.h"
#include "maraca/study.h"

typedef struct DampingWords {
    MrcDampingOptions options;
    const char *path;
    bool json;
} DampingWords;

#define DAMPING_OPTIONS(w)                                                                                   \
    {                                                                                                        \
        {                                                                                                    \
            "--signal",                                                                                      \
            NULL,                                                                                            \
            "NAME",                                                                                          \
            OPTION_TEXT,                                                                                     \
            &(w)->options.signal,                                                                            \
            "column that decays, such as shell.y"},                                                          \
            {"--from", NULL, "T", OPTION_TIME, &(w)->options.from, "leave out what is before [s]"},          \
            {"--to", NULL, "T", OPTION_TIME, &(w)->options.to, "leave out what is after [s]"},               \
            {"--cycles", NULL, "N", OPTION_COUNT, &(w)->options.cycles, "cycles per line of the table (4)"}, \
            {"--floor",                                                                                      \
             NULL,                                                                                           \
             "PART",                                                                                         \
             OPTION_NUMBER,                                                                                  \
             &(w)->options.floor,                                                                            \
             "end where the amplitude is below this part of the largest (0.01)"},                            \
            {"--output",                                                                                     \
             "-o",                                                                                           \
             "DIR",                                                                                          \
             OPTION_TEXT,                                                                                    \
             &(w)->options.folder,                                                                           \
             "write damping.json, decay.csv and spectrum.csv there"},                                        \
            {"--json", NULL, NULL, OPTION_FLAG, &(w)->json, "print one JSON document"},                      \
    }
enum { damping_option_count = 7 };

static void damping_help(bool json) {
    DampingWords words = {0};
    const Option options[damping_option_count] = DAMPING_OPTIONS(&words);
    options_print_help(options, damping_option_count, json);
    if (json) return;
    fputs("\n"
          "DATA is the folder of a run, whose series.csv is read, or any such table: t[s],shell.y[m]. It "
          "says when the\n"
          "result should not be trusted, and whether the damping depends on the amplitude.\n"
          "\n"
          "  maraca damping strip.run --signal shell.y --from 0.5\n",
          stdout);
}

static int damping_main(int word_count, char **words) {
    DampingWords w = {.options = mrc_damping_options_default()};
    const Option options[damping_option_count] = DAMPING_OPTIONS(&w);
    if (!options_parse("damping", word_count, words, options, damping_option_count, &w.path, 1)) return 2;
    MrcStudy study;
    MrcError error = {0};
    MrcStatus status = mrc_damping(w.path, &w.options, &study, &error);
    if (status == MRC_OK) fputs(w.json ? study.json : study.report, stdout);
    else report_error("damping", &error, w.json);
    mrc_study_free(&study);
    return mrc_status_exit(status);
}

const Command command_damping = {
    .name = "damping",
    .arguments = "DATA --signal NAME",
    .doc = "logarithmic decrement of a recorded free decay, over the amplitude",
    .run = damping_main,
    .help = damping_help,
};
