// maraca certify: error bars for the numbers of a run.
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/study.h"

typedef struct CertifyWords {
    StudyWords study;
    const char *to; // wanted error, "5" or "5%"
    double limit;   // the same, in percent
} CertifyWords;

#define CERTIFY_OPTIONS(w)                                                                                   \
    {                                                                                                        \
        {"--to", NULL, "P", OPTION_TEXT, &(w)->to, "wanted error in percent of the value (5)"},              \
            STUDY_OPTIONS(&(w)->study),                                                                      \
    }
enum { certify_option_count = 1 + STUDY_OPTION_COUNT };

static void certify_help(bool json) {
    CertifyWords words = {0};
    const Option options[certify_option_count] = CERTIFY_OPTIONS(&words);
    options_print_help(options, certify_option_count, json);
    if (json) return;
    fputs("\n"
          "Runs the model as it is, with half the step, a contact solver ten times as strict and another "
          "coupling\n"
          "scheme, each with the same --beds random beds (one unless given). Exit status 1: a number is not "
          "known to --to percent.\n"
          "\n"
          "  maraca certify examples/cantilever-damper.yaml --measure amplitudes.shell.amplitude_m --to 10\n",
          stdout);
}

static MrcStatus certify_study(const void *self, const char *model, const MrcStudyOptions *options,
                               MrcStudy *study, MrcError *error) {
    const CertifyWords *w = self;
    return mrc_certify(model, w->limit / 100, options, study, error);
}

static bool certify_read_limit(const char *text, double *percent) {
    char *end;
    *percent = strtod(text, &end);
    if (end == text) return false;
    end += strspn(end, " ");
    end += *end == '%';
    return *end == '\0' && *percent > 0;
}

static int certify_main(int word_count, char **words) {
    CertifyWords w = {.limit = 5};
    study_words_allocate(&w.study, word_count);
    const Option options[certify_option_count] = CERTIFY_OPTIONS(&w);
    int status = 2;
    if (options_parse("certify", word_count, words, options, certify_option_count, &w.study.model, 1)) {
        if (w.to && !certify_read_limit(w.to, &w.limit))
            status = report_usage("certify", w.study.json,
                                  "--to is a positive percentage, such as 5%%, not '%s'", w.to);
        else status = study_main("certify", &w.study, certify_study, &w);
    }
    study_words_free(&w.study);
    return status;
}

const Command command_certify = {
    .name = "certify",
    .arguments = "MODEL [--to P]",
    .doc = "error bars for the numbers of a run: step, solver, scheme, beds, ledger",
    .run = certify_main,
    .help = certify_help,
};
