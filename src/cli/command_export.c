// maraca export: a model as an FMU.
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/options.h"
#include "maraca/study.h"

typedef struct ExportWords {
    const char *model, *path, *binary;
    OptionList overrides;
    int fmi;
    bool json;
} ExportWords;

#define EXPORT_OPTIONS(w)                                                                                     \
    {                                                                                                         \
        {"--fmi", NULL, "N", OPTION_COUNT, &(w)->fmi, "version of FMI: 2 or 3 (3)"},                          \
            {"--output", "-o", "FILE", OPTION_TEXT, &(w)->path, "the FMU (the name of the model with .fmu)"}, \
            {"--binary",  NULL,         "FILE",                                                               \
             OPTION_TEXT, &(w)->binary, "maraca-fmu.so, if it is not where the program expects it"},          \
            {"--set", NULL, "PATH=VALUE", OPTION_LIST, &(w)->overrides, "change one value of the model"},     \
            {"--json", NULL, NULL, OPTION_FLAG, &(w)->json, "errors as one JSON document"},                   \
    }
enum { export_option_count = 5 };

static void export_help(bool json) {
    ExportWords words = {0};
    const Option options[export_option_count] = EXPORT_OPTIONS(&words);
    options_print_help(options, export_option_count, json);
    if (json) return;
    fputs("\n"
          "An FMU for co-simulation, with the model and the files that it names inside. Inputs of the model "
          "are\n"
          "its inputs; ports with 'partner:' are moved by the importer, ports of the mechanism that carry "
          "nothing\n"
          "are loaded by it; recorded signals are its outputs, constants its parameters. docs/connect.md "
          "says more.\n"
          "\n"
          "  maraca export examples/cantilever-damper.yaml --fmi 3 -o damper.fmu\n",
          stdout);
}

// Beside the program, as it is built, or where it is installed.
static bool export_find_binary(const char *name, char path[PATH_MAX]) {
    static const char *const places[] = {"", "../lib/maraca/", "../" MARACA_LIBDIR "/maraca/"};
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash) slash[1] = '\0';
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        int size = snprintf(path, PATH_MAX, "%s%s%s", slash ? program : "", places[k], name);
        if (size > 0 && size < PATH_MAX && access(path, R_OK) == 0) return true;
    }
    return false;
}

// `model` NULL: the file is a damper element.
static int command_export_write(const MrcModel *model, const ExportWords *w) {
    char found[PATH_MAX], own[PATH_MAX];
    const char *slash = strrchr(w->model, '/'), *binary = model ? "maraca-fmu.so" : "maraca-element.so";
    MrcExportOptions options = mrc_export_options_default();
    MrcError error;
    snprintf(own, sizeof own - 8, "%s", slash ? slash + 1 : w->model);
    char *dot = strrchr(own, '.');
    strcpy(dot ? dot : own + strlen(own), ".fmu");
    options.version = w->fmi ? w->fmi : 3;
    options.path = w->path ? w->path : own;
    options.binary = w->binary;
    if (!options.binary && export_find_binary(binary, found)) options.binary = found;
    if (!options.binary)
        return report_usage("export", w->json, "%s is not beside the program; name it with --binary FILE",
                            binary);
    MrcStatus status =
        model ? mrc_export_fmi(model, &options, &error) : mrc_export_element(w->model, &options, &error);
    if (status != MRC_OK) return report_error("export", &error, w->json);
    if (!w->json) printf("%s: an FMU for co-simulation, FMI %d.0\n", options.path, options.version);
    return 0;
}

static int export_main(int word_count, char **words) {
    ExportWords w = {.overrides.items = calloc((size_t)word_count + 1, sizeof(char *))};
    const Option options[export_option_count] = EXPORT_OPTIONS(&w);
    int status = 2;
    if (options_parse("export", word_count, words, options, export_option_count, &w.model, 1)) {
        size_t length = w.model ? strlen(w.model) : 0;
        if (!w.model) status = report_usage("export", w.json, "which MODEL? See 'maraca help export'");
        else if (length > 5 && strcmp(w.model + length - 5, ".json") == 0)
            status = command_export_write(NULL, &w);
        else {
            MrcModel *model = load_model("export", w.model, w.overrides.items, w.overrides.count, w.json);
            if (model) status = command_export_write(model, &w);
            mrc_model_free(model);
        }
    }
    free(w.overrides.items);
    return status;
}

const Command command_export = {
    .name = "export",
    .arguments = "MODEL|element.json [--fmi 2|3] [-o FILE]",
    .doc = "write the model as an FMU for co-simulation, for other simulation programs",
    .run = export_main,
    .help = export_help,
};
