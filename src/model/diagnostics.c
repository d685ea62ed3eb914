#include "model/diagnostics.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int diagnostics_add_file(Diagnostics *diagnostics, const char *name) {
    const char *kept = arena_strdup(diagnostics->arena, name);
    if (!kept || !array_push(&diagnostics->files, kept)) {
        diagnostics_memory(diagnostics);
        return 0;
    }
    return (int)diagnostics->files.count - 1;
}

void diagnostics_memory(Diagnostics *diagnostics) { diagnostics->out_of_memory = true; }

static const char *diagnostics_file_name(const Diagnostics *diagnostics, int file) {
    return file >= 0 && (size_t)file < diagnostics->files.count ? diagnostics->files.data[file] : "";
}

static bool diagnostics_is_known(const Diagnostics *diagnostics, Place place, const char *text) {
    for (size_t i = 0; i < diagnostics->list.count; i++) {
        const Finding *other = &diagnostics->list.data[i];
        if (other->place.file == place.file && other->place.line == place.line &&
            other->place.column == place.column && strcmp(other->shown.text, text) == 0)
            return true;
    }
    return false;
}

static void diagnostics_add(Diagnostics *diagnostics, Place place, bool warning, const char *format,
                            va_list arguments) {
    char buffer[1024];
    vsnprintf(buffer, sizeof buffer, format, arguments);
    if (strstr(buffer, "no memory left")) diagnostics->out_of_memory = true; // the model is not to blame
    if (diagnostics_is_known(diagnostics, place, buffer)) return;
    if (!warning) diagnostics->error_count++;
    if (diagnostics->list.count >= DIAGNOSTICS_LIMIT) return;
    Finding finding = {.place = place, .order = diagnostics->list.count};
    finding.shown = (MrcDiagnostic){.file = diagnostics_file_name(diagnostics, place.file),
                                    .line = place.line,
                                    .column = place.column,
                                    .warning = warning,
                                    .text = arena_strdup(diagnostics->arena, buffer)};
    if (!finding.shown.text || !array_push(&diagnostics->list, finding)) diagnostics_memory(diagnostics);
}

void diagnostics_error(Diagnostics *diagnostics, Place place, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    diagnostics_add(diagnostics, place, false, format, arguments);
    va_end(arguments);
}

void diagnostics_warning(Diagnostics *diagnostics, Place place, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    diagnostics_add(diagnostics, place, true, format, arguments);
    va_end(arguments);
}

static int diagnostics_compare(const void *left, const void *right) {
    const Finding *a = left, *b = right;
    if (a->place.file != b->place.file) return a->place.file < b->place.file ? -1 : 1;
    if (a->place.line != b->place.line) return a->place.line < b->place.line ? -1 : 1;
    if (a->place.column != b->place.column) return a->place.column < b->place.column ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

void diagnostics_finish(Diagnostics *diagnostics) {
    size_t shown = 0;
    for (size_t i = 0; i < diagnostics->list.count; i++) shown += !diagnostics->list.data[i].shown.warning;
    if (diagnostics->list.count > 1)
        qsort(diagnostics->list.data, diagnostics->list.count, sizeof *diagnostics->list.data,
              diagnostics_compare);
    if (diagnostics->error_count <= shown) return;
    const char *text = arena_printf(diagnostics->arena, "and %zu more errors; mend these first",
                                    diagnostics->error_count - shown);
    Finding rest = {.shown = {.file = diagnostics_file_name(diagnostics, 0), .text = text}};
    if (!text || !array_push(&diagnostics->list, rest)) diagnostics_memory(diagnostics);
}

void diagnostics_free(Diagnostics *diagnostics) {
    array_free(&diagnostics->list);
    array_free(&diagnostics->files);
}
