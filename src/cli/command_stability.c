// maraca stability: spectral-radius maps of coupling schemes for the two-mass oscillator.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"

typedef struct StabilityWords {
    MrcStabilityOptions options;
    const char *rho, *omega_h, *file;
    bool json;
} StabilityWords;

#define STABILITY_OPTIONS(w)                                                                                  \
    {                                                                                                         \
        {"--scheme", NULL, "NAME", OPTION_TEXT, &(w)->options.scheme, mrc_stability_schemes()},               \
            {"--inputs",                                                                                      \
             NULL,                                                                                            \
             "NAME",                                                                                          \
             OPTION_TEXT,                                                                                     \
             &(w)->options.inputs,                                                                            \
             "explicit: original, index-1 (default), index-2 or index-3"},                                    \
            {"--alpha",                                                                                       \
             NULL,                                                                                            \
             "A",                                                                                             \
             OPTION_NUMBER,                                                                                   \
             &(w)->options.alpha,                                                                             \
             "explicit: own inputs, weight of the position error, times 1/h^2"},                              \
            {"--beta", NULL, "B", OPTION_NUMBER, &(w)->options.beta, "... of the velocity error, times 1/h"}, \
            {"--gamma", NULL, "C", OPTION_NUMBER, &(w)->options.gamma, "... of the acceleration error"},      \
            {"--order",                                                                                       \
             NULL,                                                                                            \
             "NAME",                                                                                          \
             OPTION_TEXT,                                                                                     \
             &(w)->options.order,                                                                             \
             "loose, explicit, multirate: gauss-seidel (default) or jacobi"},                                 \
            {"--extrapolation",                                                                               \
             NULL,                                                                                            \
             "NAME",                                                                                          \
             OPTION_TEXT,                                                                                     \
             &(w)->options.extrapolation,                                                                     \
             "multirate, overlapped: of the load, none, linear or quadratic"},                                \
            {"--mass-ratio",                                                                                  \
             NULL,                                                                                            \
             "R",                                                                                             \
             OPTION_NUMBER,                                                                                   \
             &(w)->options.mass_ratio,                                                                        \
             "m2/m1, grains over mechanism (1)"},                                                             \
            {"--frequency-ratio",                                                                             \
             NULL,                                                                                            \
             "R",                                                                                             \
             OPTION_NUMBER,                                                                                   \
             &(w)->options.frequency_ratio,                                                                   \
             "omega2/omega1, of each mass on its own spring (0)"},                                            \
            {"--damping-ratio",                                                                               \
             NULL,                                                                                            \
             "R",                                                                                             \
             OPTION_NUMBER,                                                                                   \
             &(w)->options.damping_ratio,                                                                     \
             "xi2/xi1, of each mass on its own damper (0)"},                                                  \
            {"--xi1", NULL, "XI", OPTION_NUMBER, &(w)->options.xi1, "damping ratio of the mechanism (0)"},    \
            {"--substeps",                                                                                    \
             NULL,                                                                                            \
             "N",                                                                                             \
             OPTION_COUNT,                                                                                    \
             &(w)->options.substeps,                                                                          \
             "steps of the grains per step of the mechanism (1)"},                                            \
            {"--contact",                                                                                     \
             NULL,                                                                                            \
             "W",                                                                                             \
             OPTION_NUMBER,                                                                                   \
             &(w)->options.contact,                                                                           \
             "condensed with --substeps: omega h of the grains on their contact (0: a link)"},                \
            {"--contact-damping",                                                                             \
             NULL,                                                                                            \
             "Z",                                                                                             \
             OPTION_NUMBER,                                                                                   \
             &(w)->options.contact_damping,                                                                   \
             "... and the damping ratio of the contact (0)"},                                                 \
            {"--rho",     NULL,      "A:B:N",                                                                 \
             OPTION_TEXT, &(w)->rho, "N values of rho_inf from A to B, or one value (0:1:41)"},               \
            {"--omega-h", NULL,          "A:B:N",                                                             \
             OPTION_TEXT, &(w)->omega_h, "the same for omega1 times the step (0.1:10:100)"},                  \
            {"--log", NULL, NULL, OPTION_FLAG, &(w)->options.logarithmic, "space omega h by equal factors"},  \
            {"--output",  "-o",       "FILE",                                                                 \
             OPTION_TEXT, &(w)->file, "write the map: .html, .csv, .json, .svg or .png"},                     \
            {"--json", NULL, NULL, OPTION_FLAG, &(w)->json, "print one JSON document"},                       \
    }
enum { stability_option_count = 19 };

static void stability_help(bool json) {
    StabilityWords words = {0};
    const Option options[stability_option_count] = STABILITY_OPTIONS(&words);
    options_print_help(options, stability_option_count, json);
}

// "0:1:41" or "0.6". Whether the values make sense is for the library to say.
static bool stability_read_range(const char *option, const char *text, MrcRange *range, bool json) {
    if (!text) return true;
    char *end;
    double first = strtod(text, &end), last = first, count = 1;
    bool good = end != text;
    if (good && *end == ':') {
        const char *second = end + 1;
        last = strtod(second, &end);
        good = end != second && *end == ':';
        if (good) {
            const char *third = end + 1;
            count = strtod(third, &end);
            good = end != third && count == floor(count) && fabs(count) < 1e9;
        }
    }
    if (!good || *end != '\0') {
        report_usage("stability", json, "%s takes A:B:N, N values from A to B, or one value, not '%s'",
                     option, text);
        return false;
    }
    *range = (MrcRange){first, last, (int)count};
    return true;
}

static int stability_print(const MrcStabilityMap *map, const StabilityWords *w) {
    MrcError error;
    if (w->file && mrc_stability_write(map, w->file, &error) != MRC_OK)
        return report_error("stability", &error, w->json);
    char *text = w->json ? mrc_stability_json(map) : mrc_stability_text(map);
    if (!text) return report_error("stability", &(MrcError){MRC_MEMORY, "no memory left"}, w->json);
    fputs(text, stdout);
    if (w->json) fputs("\n", stdout);
    else if (w->file) printf("\n  written to %s\n", w->file);
    mrc_text_free(text);
    return 0;
}

static int stability_main(int word_count, char **words) {
    StabilityWords w = {.options = mrc_stability_options_default()};
    const Option options[stability_option_count] = STABILITY_OPTIONS(&w);
    if (!options_parse("stability", word_count, words, options, stability_option_count, NULL, 0) ||
        !stability_read_range("--rho", w.rho, &w.options.rho, w.json) ||
        !stability_read_range("--omega-h", w.omega_h, &w.options.omega_h, w.json))
        return 2;
    MrcError error;
    MrcStabilityMap *map;
    if (mrc_stability(&w.options, &map, &error) != MRC_OK) return report_error("stability", &error, w.json);
    int status = stability_print(map, &w);
    mrc_stability_free(map);
    return status;
}

const Command command_stability = {
    .name = "stability",
    .arguments = "[options]",
    .doc = "map where a coupling scheme is stable, for the two-mass oscillator",
    .run = stability_main,
    .help = stability_help,
};
