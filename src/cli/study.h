// What the commands of studies share: their options, progress and outcome.
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include "cli/options.h"
#include "maraca/study.h"

typedef struct StudyWords {
    const char *model, *folder, *until, *slot;
    OptionList overrides, measures;
    int threads, beds, budget, slurm;
    bool keep, retry, quiet, json, leave;
    bool rounds; // the command decides by results what is run next, so that its processes wait for each other
} StudyWords;

// Rows of the table of options, behind those of the command.
#define STUDY_OPTIONS(w)                                                                                     \
    {"--measure", NULL,           "FACT,...",                                                                \
     OPTION_LIST, &(w)->measures, "facts that go into the table; a * in FACT stands for anything"},          \
        {"--set", NULL, "PATH=VALUE", OPTION_LIST, &(w)->overrides, "change one value of the model"},        \
        {"--beds",     NULL,       "N",                                                                      \
         OPTION_COUNT, &(w)->beds, "random beds per point, with the same seeds at every point; default: 1"}, \
        {"--until",   NULL,                                                                                  \
         "P%",        OPTION_TEXT,                                                                           \
         &(w)->until, "more beds until the 95 % interval of each measure is within P % of its mean"},        \
        {"--budget", NULL, "N", OPTION_COUNT, &(w)->budget, "with --until: beds per point at most (20)"},    \
        {"--output", "-o", "DIR", OPTION_TEXT, &(w)->folder, "folder of the study"},                         \
        {"--threads", NULL, "N", OPTION_COUNT, &(w)->threads, "runs side by side; default: all cores"},      \
        {"--slot",    NULL,       "I/N",                                                                     \
         OPTION_TEXT, &(w)->slot, "only every N-th point, from the I-th on; for schedulers"},                \
        {"--leave", NULL, NULL, OPTION_FLAG, &(w)->leave, "end instead of waiting for other processes"},     \
        {"--slurm", NULL, "N", OPTION_COUNT, &(w)->slurm, "write a job array of N jobs for Slurm instead"},  \
        {"--keep", NULL, NULL, OPTION_FLAG, &(w)->keep, "keep the result folder of every run"},              \
        {"--retry", NULL, NULL, OPTION_FLAG, &(w)->retry, "run again what failed before"},                   \
        {"--quiet", "-q", NULL, OPTION_FLAG, &(w)->quiet, "no progress: tables and warnings only"}, {        \
        "--json", NULL, NULL, OPTION_FLAG, &(w)->json, "print one JSON document"                             \
    }
enum { STUDY_OPTION_COUNT = 14 };

// A study: given its options, does it and prints its outcome.
typedef MrcStatus (*StudyFunction)(const void *self, const char *model, const MrcStudyOptions *options,
                                   MrcStudy *study, MrcError *error);

// Checks the model (its errors are printed with their places), runs the study, prints; the exit status. `command` is
// also the ending of the folder's name when none is given: damper.sweep.
int study_main(const char *command, const StudyWords *words, StudyFunction function, const void *self);

void study_words_allocate(StudyWords *words, int word_count);
void study_words_free(StudyWords *words);

#endif
