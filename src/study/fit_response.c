// A measured frequency response: amplitudes over frequency, at a drive that the model has as well, or over the amplitude
// of a reference.
//
// Compared are logarithms of amplitudes at some of the frequencies of the data, so that a factor counts the same on the
// peak and beside it, and so that neither needs to be interpolated. A table of an analyser has far more lines than are
// worth a run: they are chosen at equal distances along the curve of log a over f, both in units of their ranges, which
// puts more of them where the curve is steep, about the resonances. The model is driven by a stepped sine at each of them
// (response.c): in one simulation if its frequency is an input, otherwise each in a run of its own.
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/hash.h"
#include "math/expression.h"
#include "math/table.h"
#include "study/fit.h"
#include "study/response.h"

enum { FIT_RESPONSE_LEAST = 4, FIT_RESPONSE_DEFAULT = 16 };

typedef struct FitResponse {
    ResponseSetting setting;
    bool down;
    double floor; // amplitudes below count as this
} FitResponse;

// ---- the data ------------------------------------------------------------------------------------
static const char *fit_response_measure(const MrcFitOptions *o) {
    return o->reference ? "transmissibility" : "amplitude";
}

// The column of amplitudes: the one that is named, that of the signal, or as `maraca response` calls it.
static MrcStatus fit_response_table(const FitData *data, const char *path, TableSamples *samples,
                                    MrcError *error) {
    const MrcFitOptions *o = data->options;
    MrcError own;
    const char *first = o->column ? o->column : o->signal;
    MrcStatus status = table_read_over_frequency(path, data->column, first, data->arena, samples, error);
    if (status == MRC_OK || o->column) return status;
    return table_read_over_frequency(path, data->column, fit_response_measure(o), data->arena, samples,
                                     &own) == MRC_OK
               ? MRC_OK
               : status;
}

// The lines from `first` on that are chosen, in rising order; how many.
static int fit_response_choose(const double *f, const double *a, size_t count, int wanted, size_t *chosen) {
    double low = INFINITY, high = -INFINITY, length = 0, walked = 0;
    int found = 0;
    for (size_t i = 0; i < count; i++) low = fmin(low, log(a[i])), high = fmax(high, log(a[i]));
    double tall = high > low ? high - low : 1, wide = f[count - 1] - f[0];
    for (size_t i = 1; i < count; i++) length += hypot((f[i] - f[i - 1]) / wide, log(a[i] / a[i - 1]) / tall);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) walked += hypot((f[i] - f[i - 1]) / wide, log(a[i] / a[i - 1]) / tall);
        bool needed = (int)(count - i) <= wanted - found, last = i == count - 1 && found < wanted;
        if (found < wanted && (needed || last || walked >= length * found / (wanted - 1) * (1 - 1e-9)))
            chosen[found++] = i;
    }
    return found;
}

static MrcStatus fit_response_check(const char *path, const TableSamples *s, size_t first, size_t count,
                                    MrcError *error) {
    if (count < FIT_RESPONSE_LEAST)
        return error_set(error, MRC_USAGE, "'%s' has fewer than %d frequencies there", path,
                         FIT_RESPONSE_LEAST);
    for (size_t i = first; i < first + count; i++)
        if (!(s->values[i] > 0) || !(s->times[i] > 0))
            return error_set(error, MRC_READ_FAILED,
                             "'%s': amplitudes and frequencies must be positive, not %g at %g Hz", path,
                             s->values[i], s->times[i]);
    return MRC_OK;
}

// Fills values and frequencies; *text: the frequencies as those of a response, "inputs.frequency=8,9 Hz".
static MrcStatus fit_response_take(FitData *data, FitResponse *r, const char *path, const char **text,
                                   TableSamples *samples, MrcError *error) {
    const MrcFitOptions *o = data->options;
    MrcStatus status = fit_response_table(data, path, samples, error);
    if (status != MRC_OK) return status;
    size_t first = 0, count = 0, chosen[CALIBRATE_FEATURES_MAX];
    while (first < samples->count && samples->times[first] < o->from) first++;
    while (first + count < samples->count && !(o->to > 0 && samples->times[first + count] > o->to)) count++;
    status = fit_response_check(path, samples, first, count, error);
    if (status != MRC_OK) return status;
    int wanted = o->frequencies > 0 ? o->frequencies : FIT_RESPONSE_DEFAULT;
    if (wanted < FIT_RESPONSE_LEAST || wanted > CALIBRATE_FEATURES_MAX)
        return error_set(error, MRC_USAGE, "a response is compared at %d to %d frequencies",
                         FIT_RESPONSE_LEAST, CALIBRATE_FEATURES_MAX);
    const double *f = samples->times + first, *a = samples->values + first;
    data->count = data->levels = fit_response_choose(f, a, count, wanted, chosen);
    const char *list = o->frequency ? arena_printf(data->arena, "%s=", o->frequency) : "";
    r->floor = INFINITY;
    for (int k = 0; k < data->count && list; k++) {
        data->at[k] = f[chosen[k]], data->values[k] = log(a[chosen[k]]);
        r->floor = fmin(r->floor, 1e-3 * a[chosen[k]]);
        data->names[k] = arena_printf(data->arena, "log_amplitude_%02d", k);
        list = arena_printf(data->arena, "%s%s%.12g", list, k > 0 ? "," : "", data->at[k]);
        if (!data->names[k]) list = NULL;
    }
    *text = list ? arena_printf(data->arena, "%s Hz", list) : NULL;
    return *text ? MRC_OK : error_memory(error, "the data");
}

// Amplitudes are compared as such: those of the data must be what the model gives.
static MrcStatus fit_response_check_unit(FitData *data, const FitResponse *r, const TableSamples *samples,
                                         MrcError *error) {
    const char *const *units = r->setting.units;
    Units own = {.factor = 1}, reference = {.factor = 1};
    ExpressionError wrong;
    char given[96], expected[96];
    bool referred = r->setting.signals[DWELL_REFERENCE];
    data->unit = units[DWELL_RESPONSE];
    if (!expression_units(units[DWELL_RESPONSE], &own, &wrong)) return MRC_OK;
    if (referred && !expression_units(units[DWELL_REFERENCE], &reference, &wrong)) return MRC_OK;
    Dimension ours = dimension_div(own.dimension, reference.dimension);
    if (referred) data->unit = arena_strdup(data->arena, dimension_unit(ours, given, sizeof given));
    if (!data->unit) return error_memory(error, "the data");
    if (!samples->has_unit) return MRC_OK;
    if (dimension_accepts(ours, samples->units.dimension)) return MRC_OK;
    return error_set(error, MRC_USAGE, "the data is %s, but '%s'%s is %s",
                     dimension_describe(samples->units.dimension, given, sizeof given),
                     r->setting.signals[DWELL_RESPONSE], referred ? " over its reference" : "",
                     dimension_describe(ours, expected, sizeof expected));
}

// ---- the runs ------------------------------------------------------------------------------------
static MrcStatus fit_response_plan(FitData *data, FitResponse *r, const StudyAxis *axis, MrcError *error) {
    static const double ways[2] = {1, -1};
    StudyColumn *column = arena_alloc(data->arena, sizeof *column);
    if (!column) return error_memory(error, "the plan");
    data->self = r;
    data->identity = response_identity(&r->setting);
    data->identity = hash_bytes(data->identity, &r->floor, sizeof r->floor);
    data->runs = r->setting.continues ? 1 : data->count;
    data->numbers = r->setting.continues ? &ways[r->down] : r->setting.frequencies;
    if (r->setting.continues) return MRC_OK;
    *column = (StudyColumn){axis->path, study_axis_unit(axis)};
    data->run_column = column, data->run_labels = axis->values;
    return MRC_OK;
}

static MrcStatus fit_response_read(FitData *data, const char *path, const MrcModel *model, MrcError *error) {
    const MrcFitOptions *o = data->options;
    FitResponse *r = arena_alloc(data->arena, sizeof *r);
    MrcResponseOptions options = mrc_response_options_default();
    TableSamples samples;
    StudyAxis axis;
    if (!r) return error_memory(error, "the data");
    *r = (FitResponse){.down = o->direction && strcmp(o->direction, "down") == 0};
    if (!o->signal)
        return error_set(error, MRC_USAGE,
                         "the response of what? Give e.g. --signal box.x; 'maraca signals' lists those of "
                         "the model");
    if (o->model_from > 0)
        return error_set(error, MRC_USAGE,
                         "'%s' is a table over frequency, to which --model-from does not apply", path);
    if (o->direction && !r->down && strcmp(o->direction, "up") != 0)
        return error_set(error, MRC_USAGE, "the direction of the data is up or down, not '%s'", o->direction);
    MrcStatus status = fit_response_take(data, r, path, &options.frequency, &samples, error);
    options.signal = o->signal, options.reference = o->reference, options.direction = o->direction;
    options.steady = o->steady, options.most = o->most;
    if (status == MRC_OK) status = response_read(model, &options, data->arena, &r->setting, &axis, error);
    if (status == MRC_OK) status = fit_response_check_unit(data, r, &samples, error);
    return status == MRC_OK ? fit_response_plan(data, r, &axis, error) : status;
}

static int fit_response_overrides(const FitData *data, int run, const char *overrides[FIT_OVERRIDES_MAX]) {
    const FitResponse *r = data->self;
    overrides[0] = r->setting.continues
                       ? response_start(&r->setting, r->down, data->arena)
                       : arena_printf(data->arena, "%s=%.15g Hz", r->setting.path, data->at[run]);
    return overrides[0] ? 1 : -1;
}

static MrcStatus fit_response_run(const FitData *data, const StudyJob *job, double *features,
                                  MrcError *error) {
    const FitResponse *r = data->self;
    const char *measure = fit_response_measure(data->options);
    FactList all;
    Arena *arena = arena_create();
    if (!arena) return error_memory(error, "the response");
    fact_list_start(&all, arena);
    MrcStatus status = response_run(job, &r->setting, job->point->numbers[0], &all, error);
    bool vibrates = false;
    for (int k = 0; k < data->count / data->runs && status == MRC_OK; k++) {
        char name[FIT_NAME_SIZE];
        snprintf(name, sizeof name, "%d.%s", k, measure);
        const MrcFact *fact = fact_find(&all, r->setting.continues ? name : measure);
        if (!fact || !isfinite(fact->number))
            status = error_set(error, MRC_USAGE, "'%s' has no amplitude at %g Hz", data->options->signal,
                               data->at[k]);
        else features[k] = log(fmax(fact->number, r->floor)), vibrates = vibrates || fact->number > r->floor;
    }
    if (status == MRC_OK && !vibrates)
        status = error_set(error, MRC_USAGE, "'%s' does not vibrate", data->options->signal);
    fact_list_free(&all);
    arena_destroy(arena);
    return status;
}

const FitKind fit_response = {"response", 4, fit_response_read, fit_response_overrides, fit_response_run};
