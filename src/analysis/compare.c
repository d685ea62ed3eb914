// `maraca compare`: reads the variants, runs them one after the other, and measures how far apart they are.
//
// The difference of a series b from the same series a of the reference, the first variant that gets to its end, is
//
//     sqrt(sum (b - a)^2) / sqrt(sum a^2)
//
// over the instants of a; b is interpolated linearly where its own instants are others. Steps of another
// length end at another instant: what is beyond the end of b is left out, up to half of it.
#include "analysis/compare.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "model/model.h"
#include "output/page.h"

// ---- reading -------------------------------------------------------------------------------------
// A '+' parts two settings only where a path and '=' follow: 1e+3 and a+b stay whole.
static const char *compare_find_plus(const char *text) {
    for (const char *end = text_find_separator(text, '+');; end = text_find_separator(end + 1, '+')) {
        if (!*end) return end;
        const char *c = end + 1;
        if (!isalpha((unsigned char)*c)) continue;
        while (isalnum((unsigned char)*c) || *c == '_' || *c == '-' || *c == '.') c++;
        if (*c == '=') return end;
    }
}

static MrcStatus compare_read_settings(const char *text, Arena *arena, Variant *v, MrcError *error) {
    int most = 1;
    for (const char *c = text; *c; c++) most += *c == '+';
    v->overrides = arena_alloc(arena, (size_t)most * sizeof *v->overrides);
    if (!v->overrides) return error_memory(error, "the variants");
    while (true) {
        const char *end = compare_find_plus(text), *equals = memchr(text, '=', (size_t)(end - text));
        char *part = arena_strndup(arena, text, (size_t)(end - text));
        if (end == text || equals == text)
            return error_set(error, MRC_USAGE,
                             "the variant '%s' sets nothing; expected a scheme or path=value", v->name);
        v->by_scheme = v->by_scheme || !equals;
        if (!equals && part) part = arena_printf(arena, "coupling.scheme=%s", part);
        if (!part) return error_memory(error, "the variants");
        v->overrides[v->override_count++] = part;
        if (!*end) return MRC_OK;
        text = end + 1;
    }
}

static MrcStatus compare_read_variant(const char *item, Arena *arena, Variant *v, MrcError *error) {
    const char *colon = strchr(item, ':'), *equals = strchr(item, '=');
    bool named = colon && (!equals || colon < equals);
    *v = (Variant){.name = named ? arena_strndup(arena, item, (size_t)(colon - item)) : item};
    if (!v->name) return error_memory(error, "the variants");
    if (*v->name == '\0') return error_set(error, MRC_USAGE, "a variant has no name: '%s'", item);
    return compare_read_settings(named ? colon + 1 : item, arena, v, error);
}

MrcStatus compare_read(const char *text, Arena *arena, Variant **variants, int *count, MrcError *error) {
    size_t most = 1;
    for (const char *c = text; *c; c++) most += *c == ',';
    Variant *list = arena_alloc(arena, most * sizeof *list);
    *variants = list, *count = 0;
    if (!list) return error_memory(error, "the variants");
    while (true) {
        const char *end = text_find_separator(text, ',');
        while (text < end && isspace((unsigned char)*text)) text++;
        char *item = arena_strndup(arena, text, (size_t)(end - text));
        if (!item) return error_memory(error, "the variants");
        MrcStatus status = compare_read_variant(item, arena, &list[*count], error);
        if (status != MRC_OK) return status;
        for (int i = 0; i < *count; i++)
            if (strcmp(list[i].name, list[*count].name) == 0)
                return error_set(error, MRC_USAGE, "two variants are called '%s'; give them names: one:%s",
                                 list[i].name, item);
        (*count)++;
        if (!*end) return MRC_OK;
        text = end + 1;
    }
}

// ---- models --------------------------------------------------------------------------------------
static MrcStatus compare_load_variant(const char *path, const MrcCompareOptions *options, const Variant *v,
                                      Arena *arena, MrcModel **model, MrcError *error) {
    int count = options->override_count + v->override_count;
    const char **overrides = arena_alloc(arena, (size_t)(count + 1) * sizeof *overrides);
    if (!overrides) return error_memory(error, "the variants");
    for (int i = 0; i < count; i++)
        overrides[i] =
            i < options->override_count ? options->overrides[i] : v->overrides[i - options->override_count];
    *model = mrc_model_load(path, overrides, count);
    if (!*model) return error_memory(error, "the model");
    if (mrc_model_status(*model) == MRC_OK) {
        if (v->by_scheme && !model_definition(*model)->has_mechanism)
            return error_set(
                error, MRC_USAGE,
                "the model has no mechanism to be coupled with, so that the scheme of '%s' changes "
                "nothing; compare values as path=value",
                v->name);
        return MRC_OK;
    }
    for (int i = 0; i < mrc_model_diagnostic_count(*model); i++) {
        const MrcDiagnostic *d = mrc_model_diagnostic(*model, i);
        if (d->warning) continue;
        char place[48] = "";
        if (d->line > 0) snprintf(place, sizeof place, ":%d:%d", d->line, d->column);
        return error_set(error, mrc_model_status(*model), "%s%s: %s", d->file, place, d->text);
    }
    return error_set(error, mrc_model_status(*model), "the model has errors");
}

// ---- runs ----------------------------------------------------------------------------------------
typedef struct CompareCaller {    // and the variant that is being run
    const MrcRunOptions *options; // of the caller
    Variant *variant;
    Arena *arena;
    bool failed; // out of memory
} CompareCaller;

static void compare_pass_progress(void *user, const MrcProgress *progress) {
    const CompareCaller *caller = user;
    caller->options->progress(caller->options->user, progress);
}

static void compare_pass_message(void *user, bool warning, const char *text) {
    const CompareCaller *caller = user;
    char named[1200];
    snprintf(named, sizeof named, "%s: %s", caller->variant->name, text);
    caller->options->message(caller->options->user, warning, named);
}

static void compare_keep_row(void *user, const MrcRow *row) {
    CompareCaller *caller = user;
    Variant *v = caller->variant;
    if (!v->names) {
        v->column_count = row->count;
        v->names = arena_alloc(caller->arena, (size_t)row->count * sizeof *v->names);
        v->units = arena_alloc(caller->arena, (size_t)row->count * sizeof *v->units);
        for (int c = 0; v->names && v->units && c < row->count; c++) {
            v->names[c] = arena_strdup(caller->arena, row->names[c]);
            v->units[c] = arena_strdup(caller->arena, row->units[c]);
            caller->failed = caller->failed || !v->names[c] || !v->units[c];
        }
        caller->failed = caller->failed || !v->names || !v->units;
    }
    for (int c = 0; c < row->count && !caller->failed; c++)
        caller->failed = !array_push(&v->values, row->values[c]);
}

// Folders of variants are named after them, but stay inside.
static const char *compare_folder_of(const char *folder, const char *name, Arena *arena) {
    char *path = arena_printf(arena, "%s/%s", folder, name);
    for (char *c = path ? path + strlen(folder) + 1 : NULL; c && *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_-.+=", *c)) *c = '_';
    return path;
}

// Was the failure an interrupt, or due to disk or memory? Any other failure ends its variant only.
static bool compare_ends_all(MrcStatus status) {
    return status == MRC_INTERRUPTED || status == MRC_MEMORY || status == MRC_WRITE_FAILED ||
           status == MRC_FOLDER;
}

static MrcStatus compare_run_variant(const MrcModel *model, const MrcCompareOptions *options, Variant *v,
                                     Arena *arena, MrcError *error) {
    CompareCaller caller = {&options->run, v, arena, false};
    MrcRunOptions run = options->run;
    MrcError own = {0};
    run.user = &caller;
    run.row = compare_keep_row;
    if (run.progress) run.progress = compare_pass_progress;
    if (run.message) run.message = compare_pass_message;
    if (run.folder) run.folder = compare_folder_of(options->run.folder, v->name, arena);
    MrcStatus linked = run.folder ? file_refuse_link(run.folder, error) : MRC_OK;
    if (linked != MRC_OK) return linked;
    v->status = mrc_run(model, &run, &v->info, &own);
    if (caller.failed || (options->run.folder && !run.folder)) return error_memory(error, "the series");
    if (v->status != MRC_OK) snprintf(v->message, sizeof v->message, "%s", own.text);
    if (!compare_ends_all(v->status)) return MRC_OK;
    *error = own;
    return v->status;
}

// ---- differences ---------------------------------------------------------------------------------
const Variant *compare_reference(const Variant *variants, int count) {
    for (int i = 0; i < count; i++)
        if (variants[i].status == MRC_OK) return &variants[i];
    return &variants[0];
}

static size_t compare_row_count(const Variant *v) {
    return v->column_count > 0 ? v->values.count / (size_t)v->column_count : 0;
}

// The value of a column at the time t; *at is the row where it was found last.
static double compare_value_at(const Variant *v, int column, double t, size_t *at) {
    size_t n = compare_row_count(v), width = (size_t)v->column_count;
    const double *rows = v->values.data;
    while (*at + 2 < n && rows[(*at + 1) * width] <= t) (*at)++;
    const double *a = rows + *at * width, *b = n > 1 ? a + width : a;
    double share = b[0] > a[0] ? (t - a[0]) / (b[0] - a[0]) : 0;
    if (share > 1 + 1e-6) return NAN; // beyond its end
    if (share < 1e-9) return a[column];
    return share > 1 - 1e-9 ? b[column] : a[column] + share * (b[column] - a[column]);
}

static double compare_difference(const Variant *first, int column, const Variant *other, int column_there) {
    size_t at = 0, width = (size_t)first->column_count, compared = 0;
    double sum = 0, size = 0;
    for (size_t i = 0; i < compare_row_count(first); i++) {
        const double *row = first->values.data + i * width;
        double there = compare_value_at(other, column_there, row[0], &at);
        if (isnan(there)) continue;
        compared++;
        sum += (there - row[column]) * (there - row[column]);
        size += row[column] * row[column];
    }
    if (2 * compared < compare_row_count(first)) return NAN;
    return sum == 0 ? 0 : sqrt(sum / size);
}

MrcStatus compare_series(const Variant *first, Variant *other, Arena *arena, MrcError *error) {
    other->difference = arena_alloc(arena, (size_t)(first->column_count + 1) * sizeof(double));
    if (!other->difference) return error_memory(error, "the differences");
    for (int c = 0; c < first->column_count; c++) {
        other->difference[c] = NAN;
        if (first->status != MRC_OK || other->status != MRC_OK) continue;
        for (int k = 0; k < other->column_count; k++)
            if (strcmp(first->names[c], other->names[k]) == 0)
                other->difference[c] = compare_difference(first, c, other, k);
    }
    return MRC_OK;
}

// ---- all of it -----------------------------------------------------------------------------------
static MrcStatus compare_write_json(const char *folder, const char *json, Arena *arena, MrcError *error) {
    FileWriter writer;
    const char *path = arena_printf(arena, "%s/compare.json", folder);
    if (!path) return error_memory(error, "the comparison");
    MrcStatus status = file_open(&writer, path, error);
    if (status != MRC_OK) return status;
    fputs(json, writer.stream);
    return file_commit(&writer, error);
}

static MrcStatus compare_name(const Variant *v, MrcError *error) {
    char text[sizeof error->text];
    snprintf(text, sizeof text, "%s", error->text);
    return error_set(error, error->status, "variant '%s': %.900s", v->name, text);
}

// A variant whose values do not fit the model is left out, and reported before anything is run.
static void compare_refuse(const MrcCompareOptions *options, Variant *v, MrcStatus status,
                           const MrcError *error) {
    CompareCaller caller = {.options = &options->run, .variant = v};
    v->status = status;
    snprintf(v->message, sizeof v->message, "%s", error->text);
    if (options->run.message) compare_pass_message(&caller, true, error->text);
}

static MrcStatus compare_run_all(const char *path, const MrcCompareOptions *options, MrcModel **models,
                                 Variant *variants, int count, Arena *arena, MrcError *error) {
    MrcStatus status = MRC_OK;
    int refused = 0;
    for (int i = 0; i < count && status == MRC_OK; i++) {
        status = compare_load_variant(path, options, &variants[i], arena, &models[i], error);
        if (status != MRC_MODEL) continue;
        if (++refused == count) return compare_name(&variants[i], error); // nothing is left to be run
        compare_refuse(options, &variants[i], status, error);
        status = MRC_OK;
    }
    if (status == MRC_OK && options->run.folder) status = file_make_folder(options->run.folder, error);
    for (int i = 0; i < count && status == MRC_OK; i++)
        if (variants[i].status == MRC_OK)
            status = compare_run_variant(models[i], options, &variants[i], arena, error);
    const Variant *reference = compare_reference(variants, count);
    for (int i = 0; i < count && status == MRC_OK; i++)
        status = compare_series(reference, &variants[i], arena, error);
    return status;
}

static MrcStatus compare_write_results(const char *path, const MrcCompareOptions *options,
                                       const Variant *variants, int count, Arena *arena, MrcComparison *out,
                                       MrcError *error) {
    out->count = count;
    for (int i = 0; i < count; i++) out->failed += variants[i].status != MRC_OK;
    out->facts = facts_create();
    if (!out->facts) return error_memory(error, "the comparison");
    compare_facts(path, variants, count, &out->facts->list);
    out->json = json_of_facts(&out->facts->list);
    out->report = out->json ? compare_report(&out->facts->list) : NULL;
    if (!out->report) return error_memory(error, "the comparison");
    if (!options->run.folder) return MRC_OK;
    const PageItem items[] = {{"report", out->report, true}};
    MrcStatus status = compare_write_json(options->run.folder, out->json, arena, error);
    return status == MRC_OK ? page_write_report(options->run.folder, items, 1, error) : status;
}

// Errors that are returned although the tables are complete.
static MrcStatus compare_outcome(const Variant *variants, int count, MrcError *error) {
    const Variant *reference = compare_reference(variants, count);
    if (reference->status != MRC_OK)
        return error_set(error, reference->status, "no variant got to its end; '%s': %.900s", reference->name,
                         reference->message);
    if (reference != &variants[0])
        return error_set(error, variants[0].status,
                         "variant '%s', so that '%s' is what others are compared with: %.800s",
                         variants[0].name, reference->name, variants[0].message);
    for (int i = 0; i < count; i++)
        if (variants[i].status == MRC_MODEL && !variants[i].info.facts)
            return error_set(error, MRC_MODEL, "variant '%s': %.900s", variants[i].name, variants[i].message);
    return MRC_OK;
}

MrcStatus mrc_compare(const char *path, const MrcCompareOptions *options, MrcComparison *out,
                      MrcError *error) {
    Arena *arena = arena_create();
    Variant *variants = NULL;
    int count = 0;
    MrcError own;
    if (!error) error = &own;
    *out = (MrcComparison){0};
    if (!arena) return error_memory(error, "the comparison");
    MrcStatus status = compare_read(options->variants, arena, &variants, &count, error);
    MrcModel **models = arena_alloc(arena, (size_t)(count + 1) * sizeof *models);
    if (!models) status = error_memory(error, "the models");
    if (status == MRC_OK) status = compare_run_all(path, options, models, variants, count, arena, error);
    if (status == MRC_OK) status = compare_write_results(path, options, variants, count, arena, out, error);
    if (status == MRC_OK) status = compare_outcome(variants, count, error);
    for (int i = 0; i < count; i++) {
        if (models) mrc_model_free(models[i]);
        mrc_run_info_free(&variants[i].info);
        array_free(&variants[i].values);
    }
    arena_destroy(arena);
    return status;
}

void mrc_comparison_free(MrcComparison *comparison) {
    mrc_facts_free(comparison->facts);
    mrc_text_free(comparison->report);
    mrc_text_free(comparison->json);
    *comparison = (MrcComparison){0};
}
