// maraca respond: a structure with damper elements, by harmonic balance.
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"
#include "maraca/study.h"

typedef struct RespondWords {
    MrcRespondOptions options;
    const char *structure;
    OptionList dampers, overrides;
    bool json;
} RespondWords;

#define RESPOND_OPTIONS(w)                                                                                   \
    {                                                                                                        \
        {"--damper",  NULL,          "[N*]FILE",                                                             \
         OPTION_LIST, &(w)->dampers, "element.json or the folder of 'maraca map'; N of them"},               \
            {"--force", NULL, "VALUE", OPTION_TEXT, &(w)->options.force, "amplitude of the force: 0.25 N"},  \
            {"--frequency", NULL, "VALUES", OPTION_TEXT, &(w)->options.frequency, "as 10:30:201 Hz"},        \
            {"--at",           NULL,                                                                         \
             "NODE.AXIS",      OPTION_TEXT,                                                                  \
             &(w)->options.at, "of a model: where the dampers are, such as arm.end.y"},                      \
            {"--force-at",                                                                                   \
             NULL,                                                                                           \
             "NODE.AXIS",                                                                                    \
             OPTION_TEXT,                                                                                    \
             &(w)->options.force_at,                                                                         \
             "where the force acts; default: at the dampers"},                                               \
            {"--set", NULL, "PATH=VALUE", OPTION_LIST, &(w)->overrides, "change one value of the model"},    \
            {"--output",                                                                                     \
             "-o",                                                                                           \
             "DIR",                                                                                          \
             OPTION_TEXT,                                                                                    \
             &(w)->options.folder,                                                                           \
             "write respond.csv and respond.json there"},                                                    \
            {"--json", NULL, NULL, OPTION_FLAG, &(w)->json, "print one JSON document"},                      \
    }
enum { respond_option_count = 8 };

static void respond_help(bool json) {
    RespondWords words = {0};
    const Option options[respond_option_count] = RESPOND_OPTIONS(&words);
    options_print_help(options, respond_option_count, json);
    if (json) return;
    fputs("\n"
          "STRUCTURE is a model file, whose mechanism is taken without its grains, or a table:\n"
          "  f[Hz],damping[1],mass[kg]             modes: damping ratio, modal mass when the attachment "
          "point moves by 1\n"
          "  f[Hz],real[m/N],imaginary[m/N]        receptance of the attachment point\n"
          "The result has the amplitude with dampers, upwards and downwards in frequency, the band that the "
          "intervals\n"
          "of the map imply, and the amplitudes without dampers and with the mass of the grains fixed.\n"
          "\n"
          "  maraca respond examples/cantilever-damper.yaml --at arm.end.y --force '0.25 N' \\\n"
          "      --frequency '14:18:201 Hz' --damper damper.map/element.json -o beam.respond\n",
          stdout);
}

static int respond_main(int word_count, char **words) {
    RespondWords w = {.options = mrc_respond_options_default()};
    w.dampers.items = calloc((size_t)word_count + 1, sizeof(char *));
    w.overrides.items = calloc((size_t)word_count + 1, sizeof(char *));
    const Option options[respond_option_count] = RESPOND_OPTIONS(&w);
    int exit_status = 2;
    if (options_parse("respond", word_count, words, options, respond_option_count, &w.structure, 1)) {
        MrcStudy study;
        MrcError error = {0};
        w.options.dampers = w.dampers.items, w.options.damper_count = w.dampers.count;
        w.options.overrides = w.overrides.items, w.options.override_count = w.overrides.count;
        MrcStatus status = mrc_respond(w.structure, &w.options, &study, &error);
        exit_status = mrc_status_exit(status);
        if (status == MRC_OK) fputs(w.json ? study.json : study.report, stdout);
        else report_error("respond", &error, w.json);
        mrc_study_free(&study);
    }
    free(w.dampers.items);
    free(w.overrides.items);
    return exit_status;
}

const Command command_respond = {
    .name = "respond",
    .arguments = "STRUCTURE --damper FILE --force VALUE",
    .doc = "response of a structure with damper elements, in seconds",
    .run = respond_main,
    .help = respond_help,
};
