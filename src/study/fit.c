// Parameters from measurements: runs over the ranges of the values, and then where the data make them likely
// (calibrate.c), compared by a few features of a free decay (fit_decay.c) or of a frequency response (fit_response.c). All
// rounds are one study whose plan grows, as that of an optimisation.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/quantity.h"
#include "math/table.h"
#include "model/model.h"
#include "model/yaml.h"
#include "output/plot.h"
#include "study/fit.h"
#include "study/surrogate.h"
#include "study/table.h"

enum { FIT_BEDS = 3, FIT_PLACES_MAX = 400, FIT_CHECKS_MAX = 6 };

typedef struct Fit {
    MrcFitOptions options;
    Arena *arena;
    Variable variables[VARIABLES_MAX];
    int variable_count;
    double (*places)[VARIABLES_MAX]; // in the order in which they were run
    int place_count, beds;
    FitData data;
    // From the table: places of which no run failed.
    double *good, *means, *scatter;
    size_t good_count;
    Calibration result;
    bool done, settled; // settled: runs at the ends of all intervals have confirmed them
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

// ---- one run -------------------------------------------------------------------------------------
static MrcStatus fit_run_point(const StudyJob *job, FactList *facts, MrcError *error) {
    const Fit *f = job->plan->self;
    double features[CALIBRATE_FEATURES_MAX];
    int per_run = f->data.count / f->data.runs;
    MrcStatus status = f->data.kind->run(&f->data, job, features, error);
    for (int k = 0; k < per_run && status == MRC_OK; k++)
        fact_number(facts, f->data.names[k], features[k], "1", "feature of the data");
    return status;
}

// ---- from the table ------------------------------------------------------------------------------
static bool fit_features(const Fit *f, const StudyTable *table, int place, int bed, double *features) {
    int per_run = f->data.count / f->data.runs;
    for (int run = 0; run < f->data.runs; run++) {
        size_t point = (size_t)(place * f->data.runs + run);
        const StudyResult *result = &table->results[point * (size_t)table->beds + (size_t)bed];
        if (!result->arena || result->status != MRC_OK || result->count != per_run) return false;
        for (int k = 0; k < per_run; k++) features[run * per_run + k] = result->facts[k].value;
    }
    return true;
}

// Pools the scatter of the beds over the half of all points that are nearest to the data: far from there, it is another one.
static void fit_pool(Fit *f, const double *all, const double *distances) {
    size_t M = (size_t)f->data.count;
    int nearer = 0, used = 0;
    memset(f->scatter, 0, M * M * sizeof *f->scatter);
    for (size_t i = 0; i < f->good_count && f->beds > 1; i++) {
        nearer = 0;
        for (size_t j = 0; j < f->good_count; j++) nearer += distances[j] < distances[i];
        if (2 * nearer > (int)f->good_count) continue;
        used++;
        for (int b = 0; b < f->beds; b++) {
            const double *x = all + (i * (size_t)f->beds + (size_t)b) * M, *mean = f->means + i * M;
            for (size_t k = 0; k < M; k++)
                for (size_t l = 0; l < M; l++)
                    f->scatter[k * M + l] += (x[k] - mean[k]) * (x[l] - mean[l]) / (f->beds - 1);
        }
    }
    for (size_t k = 0; k < M; k++)
        for (size_t l = 0; l < M; l++) // correlations of few values are too large
            f->scatter[k * M + l] *= (k == l ? 1 : 0.9) / (used > 0 ? used : 1);
}

static MrcStatus fit_finish(const StudyPlan *plan, const StudyTable *table, const char *folder,
                            MrcError *error) {
    Fit *f = (Fit *)plan->self;
    size_t M = (size_t)f->data.count;
    double *all = calloc((size_t)f->place_count * (size_t)f->beds * M + 1, sizeof *all);
    double *distances = calloc((size_t)f->place_count + 1, sizeof *distances);
    (void)folder;
    f->good_count = 0;
    for (int p = 0; all && distances && p < f->place_count; p++) {
        double *mean = f->means + f->good_count * M, *x = all + f->good_count * (size_t)f->beds * M;
        bool good = true;
        for (int b = 0; b < f->beds; b++) good = good && fit_features(f, table, p, b, x + (size_t)b * M);
        if (!good) continue;
        distances[f->good_count] = 0;
        for (size_t k = 0; k < M; k++) {
            mean[k] = 0;
            for (int b = 0; b < f->beds; b++) mean[k] += x[(size_t)b * M + k] / f->beds;
            double off = mean[k] - f->data.values[k];
            distances[f->good_count] += off * off;
        }
        for (int v = 0; v < f->variable_count; v++)
            f->good[f->good_count * (size_t)f->variable_count + (size_t)v] = f->places[p][v];
        f->good_count++;
    }
    bool good = all && distances;
    if (good) fit_pool(f, all, distances);
    free(all), free(distances);
    f->result = (Calibration){.variables = f->variable_count,
                              .features = f->data.count,
                              .count = f->good_count,
                              .places = f->good,
                              .means = f->means,
                              .data = f->data.values,
                              .scatter = f->scatter,
                              .noise = f->data.noise,
                              .beds = f->beds};
    return good ? MRC_OK : error_memory(error, "the features");
}

// ---- the report ----------------------------------------------------------------------------------
typedef struct FitValue { // in the unit of the variable
    double best, lower, upper;
} FitValue;

static FitValue fit_value(const Fit *f, int v) {
    const CalibrateInterval *i = &f->result.intervals[v];
    return (FitValue){variable_number(&f->variables[v], i->best), variable_number(&f->variables[v], i->lower),
                      variable_number(&f->variables[v], i->upper)};
}

// The first amplitude of the data over that of the model; 1 when it is no decay.
static double fit_start_ratio(const Fit *f) {
    return f->data.column ? 1 : exp(f->data.values[0] - f->result.fitted[0]);
}

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
        fact_flag(list, "lower_open", f->result.intervals[v].lower_open,
                  "its range ends there, or that of a value of its group");
        fact_flag(list, "upper_open", f->result.intervals[v].upper_open,
                  "its range ends there, or that of a value of its group");
        fact_count(list, "group", f->result.groups[v],
                   "values of one group are determined together only; 0: none");
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
    fact_flag(list, "settled", f->settled, "runs at the ends of the intervals have confirmed them");
    fact_number(list, "misfit", f->result.misfit, "1", "part of the amplitude that nothing explains");
    fact_number(list, "chi_square", f->result.chi_square, "1", "chi^2");
    if (!f->data.column)
        fact_number(list, "start_ratio", fit_start_ratio(f), "1",
                    "first amplitude of the data over the model's");
    fact_count(list, "freedoms", f->data.count - f->variable_count, "features less values");
    fact_group_end(list);
}

// If the model begins with another amplitude than the data, its decay cannot match them: damping that depends on the
// amplitude then differs, too.
static void fit_note_start(const Fit *f, Text *text) {
    const MrcFitOptions *o = &f->options;
    double ratio = fit_start_ratio(f);
    if (fabs(log(ratio)) < 0.1) return;
    text_add(text,
             "  not to be trusted: the decay of the data begins with %.3g times the amplitude of the model. "
             "The model begins at --model-from %g s",
             ratio, o->model_from);
    if (ratio < 1 && o->from > o->model_from)
        text_add(text, ", the data at --from %g s: give --model-from %g, too, if both start alike", o->from,
                 o->from);
    else text_add_string(text, ": choose that, or how it is set in motion, so that both begin alike");
    text_add_string(text, "\n");
}

// An end of the interval of v, and whose range ends there, if it is another one's.
static void fit_add_end(const Fit *f, int v, int side, double number, Text *text) {
    int stop = f->result.intervals[v].stops[side];
    text_add(text, " %s %.4g", side == 0 ? "from" : "to", number);
    if (stop >= 0 && stop != v) text_add(text, " (the range of %s ends)", f->variables[stop].path);
}

static void fit_note_value(const Fit *f, int v, Text *text) {
    const CalibrateInterval *i = &f->result.intervals[v];
    FitValue value = fit_value(f, v);
    text_add(text, "    %s = %.4g%s%s,", f->variables[v].path, value.best, *f->variables[v].unit ? " " : "",
             f->variables[v].unit);
    fit_add_end(f, v, 0, value.lower, text);
    fit_add_end(f, v, 1, value.upper, text);
    bool own = i->stops[0] == v || i->stops[1] == v;
    if (i->lower_open && i->upper_open) text_add_string(text, ": the data do not determine it");
    else if (i->lower_open || i->upper_open)
        text_add(text, "%s: the data do not bound it on that side", own ? ", where its range ends" : "");
    text_add_string(text, "\n");
}

// As "a, b and c".
static void fit_add_names(const Fit *f, const int *which, int count, Text *text) {
    for (int i = 0; i < count; i++) {
        const char *before = i == 0 ? "" : i == count - 1 ? " and " : ", ";
        text_add(text, "%s%s", before, f->variables[which[i]].path);
    }
}

static void fit_note_group(const Fit *f, int group, Text *text) {
    int members[VARIABLES_MAX], rising[VARIABLES_MAX], falling[VARIABLES_MAX], count = 0, up = 0, down = 0;
    bool clear = true; // all change with the first one, or against it
    for (int v = 0; v < f->variable_count; v++) {
        if (f->result.groups[v] != group) continue;
        members[count++] = v;
        double correlation = f->result.correlation[members[0]][v];
        clear = clear && fabs(correlation) > 0.5;
        if (correlation > 0) rising[up++] = v;
        else falling[down++] = v;
    }
    if (count < 2) return;
    text_add_string(text, "  the data do not determine ");
    fit_add_names(f, members, count, text);
    text_add_string(text, " separately: ");
    if (!clear || count == 2 || down == 0)
        text_add_string(text,
                        clear && down == 0 ? "they can rise together" : "they can change against each other");
    else {
        fit_add_names(f, rising, up, text);
        text_add_string(text, " can rise while ");
        fit_add_names(f, falling, down, text);
        text_add_string(text, down == 1 ? " falls" : " fall");
    }
    if (count == 2) text_add(text, " (correlation %.2f)", f->result.correlation[members[0]][members[1]]);
    text_add_string(text, "\n");
}

static void fit_notes(const StudyPlan *plan, const StudyTable *table, Text *text) {
    const Fit *f = plan->self;
    char number[QUANTITY_SIZE];
    (void)table;
    if (!f->done) return;
    text_add_string(text, "\n  values that fit the data, with their 95 % intervals:\n");
    for (int v = 0; v < f->variable_count; v++) fit_note_value(f, v, text);
    for (int group = 1; group <= f->variable_count; group++) fit_note_group(f, group, text);
    if (!f->settled)
        text_add_string(
            text,
            "  intervals may be wider: runs at their ends still moved them, or failed; more --rounds may "
            "help\n");
    text_add(text, "  with these values amplitudes are off by %s, beyond what the beds scatter\n",
             quantity_percent(number, f->result.misfit, 2));
    fit_note_start(f, text);
}

// ---- data and model beside each other ----------------------------------------------------------------
static MrcStatus fit_write_table(const Fit *f, const char *folder, MrcError *error) {
    FileWriter writer;
    char path[1100];
    snprintf(path, sizeof path, "%s/fit.csv", folder);
    MrcStatus status = file_open(&writer, path, error);
    if (status != MRC_OK) return status;
    fprintf(writer.stream, "%s,measured[%s],model[%s]\n", f->data.column ? "f[Hz]" : "t[s]", f->data.unit,
            f->data.unit);
    for (int k = 0; k < f->data.levels; k++) {
        const double values[] = {f->data.at[k], exp(f->data.values[k]), exp(f->result.fitted[k])};
        for (int i = 0; i < 3; i++) {
            char digits[TEXT_NUMBER_SIZE];
            text_number(digits, values[i]);
            fprintf(writer.stream, "%s%s", digits, i < 2 ? "," : "\n");
        }
    }
    return file_commit(&writer, error);
}

static MrcStatus fit_draw(const Fit *f, const char *folder, MrcError *error) {
    Plot plot = {0};
    PlotPanel *panel = plot_add_panel(&plot);
    char label[300];
    snprintf(label, sizeof label, "amplitude of %s%s%s [%s]", f->options.signal,
             f->options.reference ? " over that of " : "", f->options.reference ? f->options.reference : "",
             f->data.unit);
    bool good = panel, made; // without gnuplot there is no study.svg either, and the report says so
    for (int way = 0; way < 2 && good; way++) {
        PlotSeries *series = plot_add_series(panel);
        good = series;
        if (!good) break;
        series->name = way ? "model" : "measured", series->style = way ? PLOT_LINE : PLOT_POINTS;
        for (int k = 0; k < f->data.levels && good; k++) {
            double value = exp(way ? f->result.fitted[k] : f->data.values[k]);
            good = array_push(&series->points, (PlotPoint){f->data.at[k], value, NAN, NAN});
        }
    }
    if (good)
        panel->x = f->data.column ? "frequency [Hz]" : "time from the first extreme [s]", panel->y = label,
        panel->log_y = true;
    MrcStatus status =
        good ? plot_write(&plot, folder, "fit", &made, error) : error_memory(error, "the picture");
    plot_free(&plot);
    return status;
}

static MrcStatus fit_write(const StudyPlan *plan, const StudyTable *table, const char *folder,
                           MrcError *error) {
    const Fit *f = plan->self;
    (void)table;
    MrcStatus status = fit_write_table(f, folder, error);
    return status == MRC_OK ? fit_draw(f, folder, error) : status;
}

// ---- rounds --------------------------------------------------------------------------------------
static MrcStatus fit_plan_point(Fit *f, int place, int run, StudyPoint *point, MrcError *error) {
    int n = f->variable_count;
    StudyValue *labels = arena_alloc(f->arena, (size_t)(n + 1) * sizeof *labels);
    const char **overrides = arena_alloc(f->arena, (size_t)(n + FIT_OVERRIDES_MAX) * sizeof *overrides);
    bool good = labels && overrides;
    for (int v = 0; v < n && good; v++) {
        good = variable_value(&f->variables[v], f->places[place][v], f->arena, &labels[v]);
        overrides[v] = arena_printf(f->arena, "%s=%s", f->variables[v].path, labels[v].text);
        good = good && overrides[v];
    }
    int more = good ? f->data.kind->overrides(&f->data, run, overrides + n) : -1;
    if (more < 0) return error_memory(error, "the plan");
    if (f->data.run_column) labels[n] = f->data.run_labels[run];
    *point = (StudyPoint){overrides, n + more, labels, f->data.numbers ? &f->data.numbers[run] : NULL, 0};
    return MRC_OK;
}

static MrcStatus fit_round(Fit *f, StudyPlan *plan, const MrcStudyOptions *options, MrcStudy *study,
                           MrcError *error) {
    int n = f->variable_count, runs = f->data.runs;
    StudyColumn *columns = variable_columns(f->variables, n, f->arena); // with room for one more
    plan->columns = columns, plan->column_count = n + (f->data.run_column != NULL);
    plan->point_count = f->place_count * runs;
    plan->points = arena_alloc(f->arena, (size_t)plan->point_count * sizeof *plan->points);
    if (!columns || !plan->points) return error_memory(error, "the plan");
    if (f->data.run_column) columns[n] = *f->data.run_column;
    for (int p = 0; p < plan->point_count; p++) {
        MrcStatus status = fit_plan_point(f, p / runs, p % runs, &plan->points[p], error);
        if (status != MRC_OK) return status;
    }
    mrc_study_free(study);
    return study_run(plan, options, study, error);
}

static void fit_add(Fit *f, const double *place) {
    if (f->place_count >= FIT_PLACES_MAX) return;
    for (int v = 0; v < f->variable_count; v++)
        f->places[f->place_count][v] = variable_snap(&f->variables[v], place[v]);
    for (int p = 0; p < f->place_count; p++)
        if (memcmp(f->places[p], f->places[f->place_count], (size_t)f->variable_count * sizeof(double)) == 0)
            return;
    f->place_count++;
}

static void fit_start(Fit *f) {
    for (unsigned k = 0; f->place_count < 6 + 4 * f->variable_count; k++) {
        double place[VARIABLES_MAX];
        for (int v = 0; v < f->variable_count; v++) place[v] = surrogate_spread(k, v);
        fit_add(f, place);
    }
}

// What is run next: likely places, and in the end those that show whether the intervals are right. Done when there are none.
static MrcStatus fit_next(Fit *f, int round, MrcError *error) {
    int rounds = f->options.rounds > 0 ? f->options.rounds : f->data.kind->rounds;
    int batch = 4 + 2 * f->variable_count, most = 4 + 4 * f->variable_count, found = 0,
        before = f->place_count;
    double *next = calloc((size_t)(most * f->variable_count), sizeof *next);
    bool good = next;
    if (good && round < rounds) good = calibrate_propose(&f->result, batch, next, &found);
    else if (good) {
        good = calibrate(&f->result);
        if (good) calibrate_check(&f->result, next, &found);
        f->settled = found == 0;
        f->done = f->settled || round == rounds + FIT_CHECKS_MAX;
    }
    for (int i = 0; i < found && !f->done; i++) fit_add(f, next + i * f->variable_count);
    free(next);
    f->done = f->done || (round >= rounds && f->place_count == before);
    return good ? MRC_OK : error_memory(error, "the fit");
}

static MrcStatus fit_all(Fit *f, StudyPlan *plan, const MrcStudyOptions *options, MrcStudy *study,
                         MrcError *error) {
    fit_start(f);
    plan->unfinished = true;
    for (int round = 1;; round++) {
        MrcStatus status = fit_round(f, plan, options, study, error);
        if (status != MRC_OK) return status;
        if (f->good_count < (size_t)f->variable_count + 3)
            return error_set(error, MRC_NOT_FOUND, "only %zu of %d places gave a %s that can be compared",
                             f->good_count, f->place_count, f->data.kind->noun);
        status = fit_next(f, round, error);
        if (status != MRC_OK) return status;
        if (f->done) { // the table is written again with the result; nothing is run for that
            mrc_study_free(study);
            plan->finish = fit_write, plan->unfinished = false;
            return study_run(plan, options, study, error);
        }
    }
}

static MrcStatus fit_read_data(Fit *f, const char *path, const MrcModel *model, MrcError *error) {
    f->data = (FitData){.options = &f->options, .arena = f->arena};
    MrcStatus status = table_find_frequency(path, f->arena, &f->data.column, error);
    if (status != MRC_OK) return status;
    f->data.kind = f->data.column ? &fit_response : &fit_decay;
    status = f->data.kind->read(&f->data, path, model, error);
    if (status == MRC_OK && f->data.count <= f->variable_count)
        status = error_set(error, MRC_USAGE, "%d values cannot be found from %d numbers of the data",
                           f->variable_count, f->data.count);
    return status;
}

static MrcStatus fit_open(Fit *f, const char *data_path, const char *model_path,
                          const MrcStudyOptions *options, MrcStudyOptions *own, MrcError *error) {
    const char *seeds[STUDY_BED_OVERRIDES_MAX];
    int count;
    MrcModel *model = mrc_model_load(model_path, options->overrides, options->override_count);
    if (!model) return error_memory(error, "the model");
    MrcStatus status = mrc_model_status(model) == MRC_OK
                           ? fit_read_variables(f, model, error)
                           : error_set(error, MRC_MODEL, "the model has errors: see its diagnostics");
    bool random = status == MRC_OK && study_bed_overrides(model, 0, f->arena, seeds, &count);
    if (status == MRC_OK) status = fit_read_data(f, data_path, model, error);
    mrc_model_free(model);
    if (status != MRC_OK) return status;
    *own = mrc_study_options_default();
    memcpy(own, options, options->size > 0 && options->size < sizeof *own ? options->size : sizeof *own);
    f->beds = own->beds = options->beds > 0 ? options->beds : random ? FIT_BEDS : 1;
    if (own->until > 0 || own->slots > 0)
        return error_set(error, MRC_USAGE,
                         "a fit decides itself what is run next: it has no --until and no --slot; started "
                         "several times with one folder, the processes share the runs");
    size_t places = FIT_PLACES_MAX + 1, features = (size_t)f->data.count;
    f->places = arena_alloc(f->arena, places * sizeof *f->places);
    f->good = arena_alloc(f->arena, places * VARIABLES_MAX * sizeof(double));
    f->means = arena_alloc(f->arena, places * features * sizeof(double));
    f->scatter = arena_alloc(f->arena, features * features * sizeof(double));
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
    plan.identity = f.data.identity;
    if (status == MRC_OK) status = fit_all(&f, &plan, &own_options, study, error);
    if (f.arena) arena_destroy(f.arena);
    return status;
}
