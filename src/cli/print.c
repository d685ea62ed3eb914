#include "cli/command.h"

#include <stdarg.h>
#include <string.h>

void print_json_text(FILE *stream, const char *text) {
    char *quoted = mrc_json_quoted(text);
    fputs(quoted ? quoted : "null", stream);
    mrc_text_free(quoted);
}

void print_json_diagnostics(FILE *stream, const MrcModel *model) {
    int count = mrc_model_diagnostic_count(model);
    fputs("[", stream);
    for (int i = 0; i < count; i++) {
        const MrcDiagnostic *d = mrc_model_diagnostic(model, i);
        fprintf(stream, "%s\n    {\"file\": ", i ? "," : "");
        print_json_text(stream, d->file);
        fprintf(stream, ", \"line\": %d, \"column\": %d, \"severity\": \"%s\", \"text\": ", d->line,
                d->column, d->warning ? "warning" : "error");
        print_json_text(stream, d->text);
        fputs("}", stream);
    }
    fputs(count ? "\n  ]" : "]", stream);
}

static void print_diagnostics(const MrcModel *model) {
    for (int i = 0; i < mrc_model_diagnostic_count(model); i++) {
        const MrcDiagnostic *d = mrc_model_diagnostic(model, i);
        fputs(d->file, stderr);
        if (d->line > 0) fprintf(stderr, ":%d:%d", d->line, d->column);
        fprintf(stderr, ": %s: %s\n", d->warning ? "warning" : "error", d->text);
    }
}

MrcModel *load_model(const char *command, const char *path, const char *const *overrides, int override_count,
                     bool json) {
    MrcError error = {MRC_USAGE, "which model? Give the path of a model file, e.g. examples/moving-box.yaml"};
    if (!path) {
        report_error(command, &error, json);
        return NULL;
    }
    MrcModel *model = mrc_model_load(path, overrides, override_count);
    MrcStatus status = mrc_model_status(model);
    if (status == MRC_MEMORY) { // findings are those of a part of the model
        error = (MrcError){MRC_MEMORY, "no memory left for the model"};
        program_end(report_error(command, &error, json));
    }
    print_diagnostics(model);
    if (status == MRC_OK) return model;
    if (json) {
        printf("{\n  \"status\": \"%s\",\n  \"diagnostics\": ", mrc_status_name(status));
        print_json_diagnostics(stdout, model);
        puts("\n}");
    }
    mrc_model_free(model);
    return NULL;
}

void print_error(const char *command, const MrcError *error) {
    fprintf(stderr, "maraca%s%s: %s: %s\n", command ? " " : "", command ? command : "",
            mrc_status_message(error->status), error->text);
}

int report_error(const char *command, const MrcError *error, bool json) {
    if (json) {
        printf("{\"status\": \"%s\", \"message\": ", mrc_status_name(error->status));
        print_json_text(stdout, error->text);
        puts("}");
    }
    print_error(command, error);
    return mrc_status_exit(error->status);
}

int report_usage(const char *command, bool json, const char *format, ...) {
    MrcError error = {.status = MRC_USAGE};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error.text, sizeof error.text, format, arguments);
    va_end(arguments);
    return report_error(command, &error, json);
}

bool wants_json(int word_count, char **words) {
    for (int i = 0; i < word_count && strcmp(words[i], "--") != 0; i++)
        if (strcmp(words[i], "--json") == 0) return true;
    return false;
}
