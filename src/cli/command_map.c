// maraca map: the damping map of an isolated damper, and the damper element made from it.
#include "cli/command.h"
#include "cli/study.h"

typedef struct MapWords {
    StudyWords study;
    MrcMapOptions map;
} MapWords;

#define MAP_OPTIONS(w)                                                                                         \
    {                                                                                                          \
        {"--frequency",       NULL,                                                                            \
         "[PATH=]VALUES",     OPTION_TEXT,                                                                     \
         &(w)->map.frequency, "of the motion; PATH is the constant or input f by default"},                    \
            {"--amplitude",       NULL,                                                                        \
             "[PATH=]VALUES",     OPTION_TEXT,                                                                 \
             &(w)->map.amplitude, "of the motion; PATH is the constant or input A by default"},                \
            {"--acceleration",       NULL,                                                                     \
             "[PATH=]VALUES",        OPTION_TEXT,                                                              \
             &(w)->map.acceleration, "instead: largest acceleration, in m/s^2 or g"},                          \
            {"--port", NULL, "NAME", OPTION_TEXT, &(w)->map.port, "that moves; default: the one with grains"}, \
            {"--mass-ratio",                                                                                   \
             NULL,                                                                                             \
             "MU",                                                                                             \
             OPTION_POSITIVE,                                                                                  \
             &(w)->map.mass_ratio,                                                                             \
             "of the equivalent damping ratio (0.01)"},                                                        \
            {"--skip", NULL, "N", OPTION_COUNT, &(w)->map.skip, "cycles left out at the start (10)"},          \
            {"--periods", NULL, "N", OPTION_COUNT, &(w)->map.periods, "cycles that are measured (40)"},        \
            STUDY_OPTIONS(&(w)->study),                                                                        \
    }
enum { map_option_count = 7 + STUDY_OPTION_COUNT };

static void map_help(bool json) {
    MapWords words = {0};
    const Option options[map_option_count] = MAP_OPTIONS(&words);
    options_print_help(options, map_option_count, json);
    if (json) return;
    fputs("\n"
          "The port of the damper must move as A*sin(2*pi*f*t), A and f being constants or inputs. VALUES "
          "are as in\n"
          "'maraca help sweep'; 10..100 in them is a number that goes from 10 at the lowest frequency to "
          "100 at the\n"
          "highest. Per point: energy per cycle, equivalent damping ratio, loss factor, "
          "effective mass,\n"
          "and the zone: 0 solid, 1 bouncing bed, 2 fluidised. DIR/element.json is the damper element that "
          "'maraca\n"
          "respond' uses; element.csv and element.bdf (Nastran PBUSHT) hold the same.\n"
          "\n"
          "  maraca map examples/damping-map.yaml --frequency 10,20,50 --acceleration '1,2,4,8 g' --beds 3\n",
          stdout);
}

static MrcStatus map_study(const void *self, const char *model, const MrcStudyOptions *options,
                           MrcStudy *study, MrcError *error) {
    const MapWords *w = self;
    return mrc_map(model, &w->map, options, study, error);
}

static int map_main(int word_count, char **words) {
    MapWords w = {.map = mrc_map_options_default()};
    study_words_allocate(&w.study, word_count);
    const Option options[map_option_count] = MAP_OPTIONS(&w);
    int status = 2;
    if (options_parse("map", word_count, words, options, map_option_count, &w.study.model, 1))
        status = study_main("map", &w.study, map_study, &w);
    study_words_free(&w.study);
    return status;
}

const Command command_map = {
    .name = "map",
    .arguments = "MODEL --frequency VALUES --acceleration VALUES",
    .doc = "a damper's loss and effective mass over frequency and amplitude: a damper element",
    .run = map_main,
    .help = map_help,
};
