// maraca response: a frequency response by stepped sine.
#include "cli/command.h"
#include "cli/study.h"

typedef struct ResponseWords {
    StudyWords study;
    MrcResponseOptions response;
} ResponseWords;

#define RESPONSE_OPTIONS(w)                                                                                    \
    {                                                                                                          \
        {"--frequency",                                                                                        \
         NULL,                                                                                                 \
         "[PATH=]VALUES",                                                                                      \
         OPTION_TEXT,                                                                                          \
         &(w)->response.frequency,                                                                             \
         "of the drive; PATH is the input or constant frequency, or f, by default"},                           \
            {"--signal", NULL, "NAME", OPTION_TEXT, &(w)->response.signal, "the response, such as box.x"},     \
            {"--reference",                                                                                    \
             NULL,                                                                                             \
             "NAME",                                                                                           \
             OPTION_TEXT,                                                                                      \
             &(w)->response.reference,                                                                         \
             "signal that it is divided by: transmissibility"},                                                \
            {"--direction", NULL, "WAY", OPTION_TEXT, &(w)->response.direction, "up (default), down or both"}, \
            {"--from-rest",                                                                                    \
             NULL,                                                                                             \
             NULL,                                                                                             \
             OPTION_FLAG,                                                                                      \
             &(w)->response.from_rest,                                                                         \
             "begin every frequency from rest, each as a run of its own"},                                     \
            {"--phase", NULL, "INPUT", OPTION_TEXT, &(w)->response.phase, "phase of the drive (phase)"},       \
            {"--control",                                                                                      \
             NULL,                                                                                             \
             "SIGNAL=RMS",                                                                                     \
             OPTION_TEXT,                                                                                      \
             &(w)->response.control,                                                                           \
             "amplitude control: hold the r.m.s. value of a signal"},                                          \
            {"--drive", NULL, "INPUT", OPTION_TEXT, &(w)->response.drive, "input that is changed for that"},   \
            {"--tolerance",                                                                                    \
             NULL,                                                                                             \
             "PART",                                                                                           \
             OPTION_NUMBER,                                                                                    \
             &(w)->response.tolerance,                                                                         \
             "of the controlled value (0.05)"},                                                                \
            {"--steady",                                                                                       \
             NULL,                                                                                             \
             "PART",                                                                                           \
             OPTION_NUMBER,                                                                                    \
             &(w)->response.steady,                                                                            \
             "of the amplitude that may be missing in a steady response (0.01)"},                              \
            {"--most", NULL, "N", OPTION_COUNT, &(w)->response.most, "periods per frequency (200)"},           \
            {"--stationary",                                                                                   \
             NULL,                                                                                             \
             "N",                                                                                              \
             OPTION_COUNT,                                                                                     \
             &(w)->response.stationary,                                                                        \
             "periods whose mean counts when all of them differ (20)"},                                        \
            STUDY_OPTIONS(&(w)->study),                                                                        \
    }
enum { response_option_count = 12 + STUDY_OPTION_COUNT };

static void response_help(bool json) {
    ResponseWords words = {0};
    const Option options[response_option_count] = RESPONSE_OPTIONS(&words);
    options_print_help(options, response_option_count, json);
    if (json) return;
    fputs(
        "\n"
        "A drive that is made of inputs, X*sin(2*pi*frequency*t + phase), is stepped within one simulation, "
        "so that\n"
        "each frequency begins with the steady state of the one before. Otherwise every frequency begins "
        "from rest.\n"
        "Each is held until the response is steady: column 'steady' is 1 for periodic, 2 for two-periodic, 3 "
        "for\n"
        "statistically stationary, and 0 when it was not reached within the periods allowed.\n"
        "\n"
        "  maraca response examples/saeki.yaml --frequency '8:16:17 Hz' --signal box.x --reference foot.x\n",
        stdout);
}

static MrcStatus response_study(const void *self, const char *model, const MrcStudyOptions *options,
                                MrcStudy *study, MrcError *error) {
    const ResponseWords *w = self;
    return mrc_response(model, &w->response, options, study, error);
}

static int response_main(int word_count, char **words) {
    ResponseWords w = {.response = mrc_response_options_default()};
    study_words_allocate(&w.study, word_count);
    const Option options[response_option_count] = RESPONSE_OPTIONS(&w);
    int status = 2;
    if (options_parse("response", word_count, words, options, response_option_count, &w.study.model, 1))
        status = study_main("response", &w.study, response_study, &w);
    study_words_free(&w.study);
    return status;
}

const Command command_response = {
    .name = "response",
    .arguments = "MODEL --frequency VALUES --signal NAME",
    .doc = "frequency response by stepped sine, with amplitude control if wanted",
    .run = response_main,
    .help = response_help,
};
