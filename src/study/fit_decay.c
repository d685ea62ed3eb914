// A measured free decay: amplitudes over time, and the frequency (ringdown.c).
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/hash.h"
#include "math/expression.h"
#include "math/table.h"
#include "study/fit.h"
#include "study/response.h"
#include "study/ringdown.h"
#include "study/sweep.h"

typedef struct FitDecay {
    Ringdown ringdown;
    double duration; // of the data that is looked at [s]
} FitDecay;

static MrcStatus fit_decay_start(FitData *data, FitDecay *decay, const char *path, const double *t,
                                 const double *x, size_t count, MrcError *error) {
    const char *wrong = ringdown_start(&decay->ringdown, t, x, count);
    if (wrong) return error_set(error, MRC_USAGE, "'%s' is no decay to fit: %s", path, wrong);
    decay->duration = t[count - 1] - t[0];
    data->self = decay;
    data->runs = 1, data->count = RINGDOWN_FEATURES, data->levels = RINGDOWN_LEVELS;
    for (int k = 0; k < RINGDOWN_FEATURES; k++) {
        data->names[k] =
            k < RINGDOWN_LEVELS ? arena_printf(data->arena, "log_amplitude_%02d", k) : "log_frequency";
        if (!data->names[k]) return error_memory(error, "the data");
        data->at[k] = k * decay->ringdown.spacing;
    }
    data->identity = hash_bytes(HASH_START, &decay->ringdown, sizeof decay->ringdown);
    data->identity = hash_bytes(data->identity, &data->options->model_from, sizeof data->options->model_from);
    return ringdown_features(&decay->ringdown, t, x, count, data->values) &&
                   ringdown_noise(&decay->ringdown, t, x, count, data->noise)
               ? MRC_OK
               : error_memory(error, "the data");
}

// Amplitudes are compared as such: those of the data must be what the model gives.
static MrcStatus fit_decay_check_unit(FitData *data, const MrcModel *model, const TableSamples *samples,
                                      MrcError *error) {
    ResponseSetting signal = {.signals[DWELL_RESPONSE] = data->options->signal};
    Units own;
    ExpressionError wrong;
    char given[96], expected[96];
    MrcStatus status = response_check_signals(model, &signal, data->arena, error);
    if (status != MRC_OK) return status;
    data->unit = signal.units[DWELL_RESPONSE];
    if (!samples->has_unit || !expression_units(data->unit, &own, &wrong)) return MRC_OK;
    if (dimension_accepts(own.dimension, samples->units.dimension)) return MRC_OK;
    return error_set(error, MRC_USAGE, "the data is %s, but '%s' is %s",
                     dimension_describe(samples->units.dimension, given, sizeof given), data->options->signal,
                     dimension_describe(own.dimension, expected, sizeof expected));
}

static MrcStatus fit_decay_read(FitData *data, const char *path, const MrcModel *model, MrcError *error) {
    const MrcFitOptions *o = data->options;
    TableSamples samples;
    FitDecay *decay = arena_alloc(data->arena, sizeof *decay);
    if (!decay) return error_memory(error, "the data");
    if (!o->signal)
        return error_set(error, MRC_USAGE,
                         "the decay of what? Give e.g. --signal box.x; 'maraca signals' "
                         "lists those of the model");
    if (o->reference || o->direction || o->frequency)
        return error_set(error, MRC_USAGE,
                         "'%s' is a table over time: --reference, --direction and --frequency belong to a "
                         "table over frequency",
                         path);
    MrcStatus status =
        table_read(path, NULL, o->column ? o->column : o->signal, data->arena, &samples, error);
    if (status == MRC_OK) status = fit_decay_check_unit(data, model, &samples, error);
    if (status != MRC_OK) return status;
    double to = o->to > 0 ? o->to : INFINITY;
    size_t first = 0, count = 0;
    while (first < samples.count && samples.times[first] < o->from) first++;
    while (first + count < samples.count && samples.times[first + count] <= to) count++;
    if (count < 8) return error_set(error, MRC_USAGE, "'%s' has fewer than 8 samples there", path);
    return fit_decay_start(data, decay, path, samples.times + first, samples.values + first, count, error);
}

static int fit_decay_overrides(const FitData *data, int run, const char *overrides[FIT_OVERRIDES_MAX]) {
    const FitDecay *decay = data->self;
    (void)run;
    overrides[0] =
        arena_printf(data->arena, "simulate.duration=%.9g s", data->options->model_from + decay->duration);
    overrides[1] = arena_printf(data->arena, "record.every=%.6g s", 1 / (60 * decay->ringdown.frequency));
    overrides[2] = arena_printf(data->arena, "record.series=[%s]", data->options->signal);
    return overrides[0] && overrides[1] && overrides[2] ? 3 : -1;
}

static MrcStatus fit_decay_measure(const FitData *data, const char *path, Arena *arena, double *features,
                                   MrcError *error) {
    const FitDecay *decay = data->self;
    TableSamples samples;
    MrcStatus status = table_read(path, NULL, data->options->signal, arena, &samples, error);
    if (status != MRC_OK) return status;
    size_t first = 0;
    while (first < samples.count && samples.times[first] < data->options->model_from) first++;
    if (!ringdown_features(&decay->ringdown, samples.times + first, samples.values + first,
                           samples.count - first, features))
        return error_memory(error, "the decay");
    for (int k = 0; k < RINGDOWN_FEATURES; k++)
        if (isnan(features[k]))
            return error_set(error, MRC_USAGE, "'%s' does not vibrate", data->options->signal);
    return MRC_OK;
}

static MrcStatus fit_decay_run(const FitData *data, const StudyJob *job, double *features, MrcError *error) {
    char path[1100];
    FactList all;
    Arena *arena = arena_create();
    if (!arena) return error_memory(error, "the decay");
    fact_list_start(&all, arena);
    MrcStatus status = sweep_run_point(job, &all, error);
    fact_list_free(&all);
    snprintf(path, sizeof path, "%s/series.csv", job->folder);
    if (status == MRC_OK) status = fit_decay_measure(data, path, arena, features, error);
    arena_destroy(arena);
    return status;
}

const FitKind fit_decay = {"decay", 3, fit_decay_read, fit_decay_overrides, fit_decay_run};
