// Parameters from a measured free decay: runs over the ranges of the values, and then where the data make them likely
// (calibrate.c), compared by amplitudes over time (ringdown.c). All rounds are one study whose plan grows, as that of
// an optimisation.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/quantity.h"
#include "math/table.h"
#include "model/model.h"
#include "model/yaml.h"
#include "output/text_table.h"
#include "study/calibrate.h"
#include "study/ringdown.h"
#include "study/surrogate.h"
#include "study/sweep.h"
#include "study/table.h"

enum { FIT_BEDS = 3, FIT_POINTS_MAX = 400 };

typedef struct Fit {
    MrcFitOptions options;
    Arena *arena;
    Variable variables[VARIABLES_MAX];
    int variable_count;
    double (*places)[VARIABLES_MAX]; // of all points, in the order in which they were run
    int point_count, beds;
    Ringdown ringdown;
    double data[RINGDOWN_FEATURES], duration; // of the data that is looked at [s]
    // From the table: points that did not fail.
    double *good, *means, *scatter;
    size_t good_count;
    Calibration result;
    bool done;
} Fit;

// ---- names of values -----------------------------------------------------------------------------
// "friction" stands for that of the only material that has one.
static MrcStatus fit_expand(const MrcModel *model, const char *name, Arena *arena, const char **text,
                            MrcError *error) {
    char *model_text = mrc_model_text(model);
    Diagnostics diagnostics = {.arena = arena};
    const YamlNode *root = model_text
                               ? yaml_parse(arena, model_text, strlen(model_text),
                                            diagnostics_add_file(&diagnostics, "model"), false, &diagnostics)
                               : NULL;
    const YamlNode *materials = root ? yaml_get(root, "materials") : NULL;
    const char *owner = NULL;
    int found = 0;
    for (size_t i = 0; materials && materials->kind == YAML_MAPPING && i < materials->count; i++)
        if (materials->pairs[i].value->kind == YAML_MAPPING && yaml_find(materials->pairs[i].value, name))
            owner = materials->pairs[i].key->text, found++;
    if (found == 1)
        *text = arena_printf(arena, "materials.%s.%s=%s", owner, name,
                             strcmp(name, "restitution") == 0 ? "0.02:0.98" : "0.02:1");
    diagnostics_free(&diagnostics);
    mrc_text_free(model_text);
    bool ratio = strcmp(name, "friction") == 0 || strcmp(name, "restitution") == 0;
    if (found == 1 && ratio) return *text ? MRC_OK : error_memory(error, "the values");
    return error_set(
        error, MRC_USAGE,
        "'%s': %s; give the value and its range, such as --vary materials.steel.friction=0.1:0.8", name,
        found > 1 ? "several materials have it"
        : ratio   ? "no material has it"
                  : "only 'friction' and 'restitution' can do without a range");
}

static MrcStatus fit_read_variables(Fit *f, const MrcModel *model, MrcError *error) {
    const char *texts[VARIABLES_MAX];
    int count = 0;
    for (int i = 0; i < f->options.vary_count; i++) {
        char *rest = NULL, *copy = arena_strdup(f->arena, f->options.vary[i]);
        bool whole = strchr(f->options.vary[i], '=') != NULL;
        if (!copy) return error_memory(error, "the values");
        for (char *name = whole ? copy : strtok_r(copy, ", ", &rest); name;
             name = whole ? NULL : strtok_r(NULL, ", ", &rest)) {
            if (count == VARIABLES_MAX)
                return error_set(error, MRC_USAGE, "at most %d values can be varied", VARIABLES_MAX);
            texts[count] = name;
            MrcStatus status = whole ? MRC_OK : fit_expand(model, name, f->arena, &texts[count], error);
            if (status != MRC_OK) return status;
            count++;
        }
    }
    f->variable_count = count;
    MrcStatus status = variables_read(texts, count, f->arena, f->variables, error);
    for (int i = 0; i < count && status == MRC_OK; i++)
        if (f->variables[i].kind != VARIABLE_REAL)
            status = error_set(error, MRC_USAGE, "'%s': a fit takes a range of numbers, such as 0.1:0.8",
                               f->variables[i].path);
    return status;
}

// ---- the data ------------------------------------------------------------------------------------
static MrcStatus fit_read_data(Fit *f, const char *path, MrcError *error) {
    const MrcFitOptions *o = &f->options;
    TableSamples samples;
    if (!o->signal)
        return error_set(error, MRC_USAGE,
                         "the decay of what? Give e.g. --signal box.x; 'maraca signals' "
                         "lists those of the model");
    MrcStatus status = table_read(path, NULL, o->column ? o->column : o->signal, f->arena, &samples, error);
    if (status != MRC_OK) return status;
    double to = o->to > 0 ? o->to : INFINITY;
    size_t first = 0, count = 0;
    while (first < samples.count && samples.times[first] < o->from) first++;
    while (first + count < samples.count && samples.times[first + count] <= to) count++;
    if (count < 8) return error_set(error, MRC_USAGE, "'%s' has fewer than 8 samples there", path);
    const double *t = samples.times + first, *x = samples.values + first;
    const char *wrong = ringdown_start(&f->ringdown, t, x, count);
    if (wrong) return error_set(error, MRC_USAGE, "'%s' is no decay to fit: %s", path, wrong);
    f->duration = t[count - 1] - t[0];
    return ringdown_features(&f->ringdown, t, x, count, f->data) ? MRC_OK : error_memory(error, "the data");
}

// ---- one run -------------------------------------------------------------------------------------
static MrcStatus fit_run_point(const StudyJob *job, FactList *facts, MrcError *error) {
    const Fit *f = job->plan->self;
    char path[1100];
    double features[RINGDOWN_FEATURES];
    TableSamples samples;
    FactList all;
    Arena *arena = arena_create();
    if (!arena) return error_memory(error, "the decay");
    fact_list_start(&all, arena);
    MrcStatus status = sweep_run_point(job, &all, error);
    fact_list_free(&all);
    snprintf(path, sizeof path, "%s/series.csv", job->folder);
    if (status == MRC_OK) status = table_read(path, NULL, f->options.signal, arena, &samples, error);
    if (status == MRC_OK) {
        size_t first = 0;
        while (first < samples.count && samples.times[first] < f->options.model_from) first++;
        if (!ringdown_features(&f->ringdown, samples.times + first, samples.values + first,
                               samples.count - first, features))
            status = error_memory(error, "the decay");
    }
    for (int k = 0; k < RINGDOWN_FEATURES && status == MRC_OK; k++) {
        char name[40];
        snprintf(name, sizeof name, k < RINGDOWN_LEVELS ? "log_amplitude_%02d" : "log_frequency", k);
        if (isnan(features[k]))
            status = error_set(error, MRC_USAGE, "'%s' does not vibrate", f->options.signal);
        fact_number(facts, name, features[k], "1", "feature of the decay");
    }
    arena_destroy(arena);
    return status;
}

// ---- from the table ------------------------------------------------------------------------------
static bool fit_features(const StudyTable *table, int point, int bed, double *features) {
    const StudyResult *result = &table->results[(size_t)point * (size_t)table->beds + (size_t)bed];
    bool good = result->arena && result->status == MRC_OK && result->count == RINGDOWN_FEATURES;
    for (int k = 0; k < RINGDOWN_FEATURES && good; k++) features[k] = result->facts[k].value;
    return good;
}

// Pools the scatter of the beds over the half of all points that are nearest to the data: far from there, it is another one.
static void fit_pool(Fit *f, const double *all, const double *distances) {
    enum { M = RINGDOWN_FEATURES };
    int nearer = 0, used = 0;
    memset(f->scatter, 0, M * M * sizeof *f->scatter);
    for (size_t i = 0; i < f->good_count && f->beds > 1; i++) {
        nearer = 0;
        for (size_t j = 0; j < f->good_count; j++) nearer += distances[j] < distances[i];
        if (2 * nearer > (int)f->good_count) continue;
        used++;
        for (int b = 0; b < f->beds; b++) {
            const double *x = all + (i * (size_t)f->beds + (size_t)b) * M, *mean = f->means + i * M;
            for (int k = 0; k < M; k++)
                for (int l = 0; l < M; l++)
                    f->scatter[k * M + l] += (x[k] - mean[k]) * (x[l] - mean[l]) / (f->beds - 1);
        }
    }
    for (int k = 0; k < M; k++)
        for (int l = 0; l < M; l++) // correlations of few values are too large
            f->scatter[k * M + l] *= (k == l ? 1 : 0.9) / (used > 0 ? used : 1);
}

static MrcStatus fit_finish(const StudyPlan *plan, const StudyTable *table, const char *folder,
                            MrcError *error) {
    enum { M = RINGDOWN_FEATURES };
    Fit *f = (Fit *)plan->self;
    double *all = calloc((size_t)f->point_count * (size_t)f->beds * M + 1, sizeof *all);
    double *distances = calloc((size_t)f->point_count + 1, sizeof *distances);
    (void)folder;
    f->good_count = 0;
    for (int p = 0; all && distances && p < f->point_count; p++) {
        double *mean = f->means + f->good_count * M, *x = all + f->good_count * (size_t)f->beds * M;
        bool good = true;
        for (int b = 0; b < f->beds; b++) good = good && fit_features(table, p, b, x + b * M);
        if (!good) continue;
        distances[f->good_count] = 0;
        for (int k = 0; k < M; k++) {
            mean[k] = 0;
            for (int b = 0; b < f->beds; b++) mean[k] += x[b * M + k] / f->beds;
            distances[f->good_count] += (mean[k] - f->data[k]) * (mean[k] - f->data[k]);
        }
        for (int v = 0; v < f->variable_count; v++)
            f->good[f->good_count * (size_t)f->variable_count + (size_t)v] = f->places[p][v];
        f->good_count++;
    }
    bool good = all && distances;
    if (good) fit_pool(f, all, distances);
    free(all), free(distances);
    f->result = (Calibration){.variables = f->variable_count,
                              .features = M,
                              .count = f->good_count,
                              .places = f->good,
                              .means = f->means,
                              .data = f->data,
                              .scatter = f->scatter,
                              .beds = f->beds};
    return good ? MRC_OK : error_memory(error, "the decays");
}

// ---- telling -------------------------------------------------------------------------------------
typedef struct FitValue { // in the unit of the variable
    double best, lower, upper;
    bool told; // the data bound it on at least one side
} FitValue;

static FitValue fit_value(const Fit *f, int v) {
    const CalibrateInterval *i = &f->result.intervals[v];
    return (FitValue){variable_number(&f->variables[v], i->best), variable_number(&f->variables[v], i->lower),
                      variable_number(&f->variables[v], i->upper), !(i->lower_open && i->upper_open)};
}

static bool fit_is_one(const Fit *f, int v, int w) { return fabs(f->result.correlation[v][w]) > 0.9; }

static void fit_facts(const StudyPlan *plan, const StudyTable *table, FactList *list) {
    const Fit *f = plan->self;
    (void)table;
    if (!f->done) return;
    fact_group_begin(list, "fit");
    fact_group_begin(list, "values");
    for (int v = 0; v < f->variable_count; v++) {
        FitValue value = fit_value(f, v);
        const char *unit = *f->variables[v].unit ? f->variables[v].unit : "1";
        fact_group_begin(list, f->variables[v].path);
        fact_number(list, "value", value.best, unit, "best value");
        fact_number(list, "lower", value.lower, unit, "lower end of the 95 % interval");
        fact_number(list, "upper", value.upper, unit, "upper end");
        fact_flag(list, "lower_open", f->result.intervals[v].lower_open, "its range ends there");
        fact_flag(list, "upper_open", f->result.intervals[v].upper_open, "its range ends there");
        fact_group_end(list);
    }
    fact_group_end(list);
    fact_array_begin(list, "correlations");
    for (int v = 0; v < f->variable_count; v++)
        for (int w = 0; w < v; w++) {
            fact_group_begin(list, NULL);
            fact_text(list, "first", f->variables[w].path, "");
            fact_text(list, "second", f->variables[v].path, "");
            fact_number(list, "correlation", f->result.correlation[v][w], "1", "correlation");
            fact_group_end(list);
        }
    fact_group_end(list);
    fact_number(list, "misfit", f->result.misfit, "1", "part of the amplitude that nothing explains");
    fact_number(list, "chi_square", f->result.chi_square, "1", "chi^2");
    fact_count(list, "freedoms", RINGDOWN_FEATURES - f->variable_count, "features less values");
    fact_group_end(list);
}

static void fit_notes(const StudyPlan *plan, const StudyTable *table, Text *text) {
    const Fit *f = plan->self;
    char number[QUANTITY_SIZE];
    (void)table;
    if (!f->done) return;
    text_add_string(text, "\n  values that fit the data, with their 95 % intervals:\n");
    for (int v = 0; v < f->variable_count; v++) {
        FitValue value = fit_value(f, v);
        const CalibrateInterval *i = &f->result.intervals[v];
        text_add(text, "    %s = %.4g%s%s, from %.4g to %.4g%s\n", f->variables[v].path, value.best,
                 *f->variables[v].unit ? " " : "", f->variables[v].unit, value.lower, value.upper,
                 !value.told ? ": the data say nothing about it"
                 : i->lower_open || i->upper_open
                     ? ", where its range ends: the data do not bound it on that side"
                     : "");
    }
    for (int v = 0; v < f->variable_count; v++)
        for (int w = 0; w < v; w++)
            if (fit_is_one(f, v, w))
                text_add(text,
                         "  the data do not determine %s and %s separately: they can %s (correlation %.2f)\n",
                         f->variables[w].path, f->variables[v].path,
                         f->result.correlation[v][w] > 0 ? "rise together" : "change against each other",
                         f->result.correlation[v][w]);
    text_add(text, "  with these values amplitudes are off by %s, beyond what the beds scatter\n",
             quantity_percent(number, f->result.misfit, 2));
}

// ---- rounds --------------------------------------------------------------------------------------
static MrcStatus fit_round(Fit *f, StudyPlan *plan, const MrcStudyOptions *options, MrcStudy *study,
                           MrcError *error) {
    int n = f->variable_count;
    plan->columns = variable_columns(f->variables, n, f->arena), plan->column_count = n;
    plan->point_count = f->point_count;
    plan->points = arena_alloc(f->arena, (size_t)f->point_count * sizeof *plan->points);
    if (!plan->columns || !plan->points) return error_memory(error, "the plan");
    for (int p = 0; p < f->point_count; p++) {
        StudyValue *labels = arena_alloc(f->arena, (size_t)n * sizeof *labels);
        const char **overrides = arena_alloc(f->arena, (size_t)(n + 3) * sizeof *overrides);
        bool good = labels && overrides;
        for (int v = 0; v < n && good; v++) {
            good = variable_value(&f->variables[v], f->places[p][v], f->arena, &labels[v]);
            overrides[v] = arena_printf(f->arena, "%s=%s", f->variables[v].path, labels[v].text);
            good = good && overrides[v];
        }
        if (!good) return error_memory(error, "the plan");
        overrides[n] =
            arena_printf(f->arena, "simulate.duration=%.9g s", f->options.model_from + f->duration);
        overrides[n + 1] = arena_printf(f->arena, "record.every=%.6g s", 1 / (60 * f->ringdown.frequency));
        overrides[n + 2] = arena_printf(f->arena, "record.series=[%s]", f->options.signal);
        if (!overrides[n] || !overrides[n + 1] || !overrides[n + 2]) return error_memory(error, "the plan");
        plan->points[p] = (StudyPoint){overrides, n + 3, labels, NULL, 0};
    }
    mrc_study_free(study);
    return study_run(plan, options, study, error);
}

static void fit_add(Fit *f, const double *place) {
    if (f->point_count >= FIT_POINTS_MAX) return;
    for (int v = 0; v < f->variable_count; v++)
        f->places[f->point_count][v] = variable_snap(&f->variables[v], place[v]);
    for (int p = 0; p < f->point_count; p++)
        if (memcmp(f->places[p], f->places[f->point_count], (size_t)f->variable_count * sizeof(double)) == 0)
            return;
    f->point_count++;
}

static MrcStatus fit_all(Fit *f, StudyPlan *plan, const MrcStudyOptions *options, MrcStudy *study,
                         MrcError *error) {
    int rounds = f->options.rounds > 0 ? f->options.rounds : 3, batch = 4 + 2 * f->variable_count;
    for (unsigned k = 0; f->point_count < 6 + 4 * f->variable_count; k++) {
        double place[VARIABLES_MAX];
        for (int v = 0; v < f->variable_count; v++) place[v] = surrogate_spread(k, v);
        fit_add(f, place);
    }
    plan->unfinished = true;
    for (int round = 1;; round++) {
        MrcStatus status = fit_round(f, plan, options, study, error);
        if (status != MRC_OK) return status;
        if (f->good_count < (size_t)f->variable_count + 3)
            return error_set(error, MRC_NOT_CONVERGED,
                             "only %zu of %d runs gave a decay that can be compared", f->good_count,
                             f->point_count);
        double *next = calloc((size_t)(batch * f->variable_count) + 1, sizeof *next);
        int found = 0;
        bool good = next;
        if (good && round < rounds) good = calibrate_propose(&f->result, batch, next, &found);
        else if (good) good = calibrate(&f->result), f->done = true;
        for (int i = 0; i < found; i++) fit_add(f, next + i * f->variable_count);
        free(next);
        if (!good) return error_memory(error, "the fit");
        if (f->done) { // the table is written again with the result; nothing is run for that
            mrc_study_free(study);
            plan->finish = NULL, plan->unfinished = false;
            return study_run(plan, options, study, error);
        }
    }
}

static MrcStatus fit_open(Fit *f, const char *data_path, const char *model_path,
                          const MrcStudyOptions *options, MrcStudyOptions *own, MrcError *error) {
    enum { M = RINGDOWN_FEATURES };
    const char *seeds[STUDY_BED_OVERRIDES_MAX];
    int count;
    MrcModel *model = mrc_model_load(model_path, options->overrides, options->override_count);
    if (!model) return error_memory(error, "the model");
    MrcStatus status = mrc_model_status(model) == MRC_OK
                           ? fit_read_variables(f, model, error)
                           : error_set(error, MRC_MODEL, "the model has errors: see its diagnostics");
    bool random = status == MRC_OK && study_bed_overrides(model, 0, f->arena, seeds, &count);
    mrc_model_free(model);
    if (status == MRC_OK) status = fit_read_data(f, data_path, error);
    if (status != MRC_OK) return status;
    *own = mrc_study_options_default();
    memcpy(own, options, options->size > 0 && options->size < sizeof *own ? options->size : sizeof *own);
    f->beds = own->beds = options->beds > 0 ? options->beds : random ? FIT_BEDS : 1;
    if (own->until > 0 || own->slots > 0)
        return error_set(error, MRC_USAGE,
                         "a fit decides itself what is run next: it has no --until and no --slot; started "
                         "several times with one folder, the processes share the runs");
    size_t points = FIT_POINTS_MAX + 1;
    f->places = arena_alloc(f->arena, points * sizeof *f->places);
    f->good = arena_alloc(f->arena, points * VARIABLES_MAX * sizeof(double));
    f->means = arena_alloc(f->arena, points * M * sizeof(double));
    f->scatter = arena_alloc(f->arena, M * M * sizeof(double));
    return f->places && f->good && f->means && f->scatter ? MRC_OK : error_memory(error, "the fit");
}

MrcStatus mrc_fit(const char *data_path, const char *model_path, const MrcFitOptions *fit,
                  const MrcStudyOptions *options, MrcStudy *study, MrcError *error) {
    static const char *const measures[] = {"log_*", NULL};
    Fit f = {.options = mrc_fit_options_default(), .arena = arena_create()};
    StudyPlan plan = {.kind = "fit",
                      .model_path = model_path,
                      .measures = measures,
                      .run = fit_run_point,
                      .scattered = true,
                      .self = &f,
                      .notes = fit_notes,
                      .facts = fit_facts,
                      .finish = fit_finish};
    MrcStudyOptions own_options;
    MrcError own;
    if (!error) error = &own;
    *study = (MrcStudy){0};
    memcpy(&f.options, fit, fit->size > 0 && fit->size < sizeof f.options ? fit->size : sizeof f.options);
    MrcStatus status = f.arena ? fit_open(&f, data_path, model_path, options, &own_options, error)
                               : error_memory(error, "the fit");
    // What a result is made of beside its model.
    plan.identity = hash_bytes(HASH_START, &f.ringdown, sizeof f.ringdown);
    plan.identity = hash_bytes(plan.identity, &f.options.model_from, sizeof f.options.model_from);
    if (status == MRC_OK) status = fit_all(&f, &plan, &own_options, study, error);
    if (f.arena) arena_destroy(f.arena);
    return status;
}
