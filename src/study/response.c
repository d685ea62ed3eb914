// A frequency response by stepped sine: forces, imposed motions, or a controlled amplitude.
//
// When frequency and phase of the drive are inputs, one simulation goes through all frequencies, upwards or downwards, each
// from the steady state of the one before, so that a hysteresis shows. When the frequency is a constant, every frequency
// begins from rest, as a point of its own.
#include "study/response.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/nearest.h"
#include "model/model.h"
#include "study/bandwidth.h"
#include "study/drive.h"
#include "study/sweep.h"
#include "study/table.h"
#include "study/walk.h"

#define RESPONSE_PI 3.14159265358979323846

static const char *const response_measures[] = {
    "amplitude", "phase_rad", "transmissibility",   "rms",      "steady",
    "periods",   "drive",     "converged",          "peak",     "rest_rms",
    "mean",      "reference", "amplitude_interval", "attempts", "controlled_rms",
    NULL};

// ---- one run -------------------------------------------------------------------------------------
static double response_turn(double angle) { return remainder(angle, 2 * RESPONSE_PI); }

static void response_facts(const ResponseSetting *s, double frequency, const ControlResult *c,
                           FactList *list) {
    const DwellResult *r = &c->dwell;
    const Harmonic *x = &r->harmonic[DWELL_RESPONSE], *ref = &r->harmonic[DWELL_REFERENCE];
    const char *unit = s->units[DWELL_RESPONSE];
    bool referred = s->signals[DWELL_REFERENCE];
    fact_number(list, "frequency_hz", frequency, "Hz", "frequency");
    fact_number(list, "amplitude", x->amplitude, unit, "amplitude of the first harmonic");
    fact_number(list, "amplitude_interval", r->steady.interval, unit,
                "half of its 95 % interval over periods");
    fact_number(list, "phase_rad", response_turn(x->phase - (referred ? ref->phase : 0)), "rad",
                "phase before the reference, or the sine of the drive");
    fact_number(list, "rms", x->rms, unit, "r.m.s. about the mean");
    fact_number(list, "peak", x->peak, unit, "half of largest minus smallest");
    fact_number(list, "mean", x->mean, unit, "mean");
    fact_number(list, "rest_rms", x->rest, unit, "r.m.s. of what is not the first harmonic");
    if (referred) {
        fact_number(list, "reference", ref->amplitude, s->units[DWELL_REFERENCE],
                    "amplitude of the reference");
        fact_number(list, "transmissibility", x->amplitude / ref->amplitude, "1",
                    "amplitude over that of the reference");
    }
    fact_number(list, "steady", r->steady.kind, "1",
                "0 not reached, 1 periodic, 2 two-periodic, 3 stationary");
    fact_number(list, "periods", (double)r->periods, "1", "periods that it took");
    fact_group_begin(list, "spectrum");
    for (int k = 0; k < DWELL_MULTIPLES; k++) {
        char name[16];
        snprintf(name, sizeof name, "%g", dwell_multiple(k));
        fact_number(list, name, r->spectrum[k], unit, "amplitude of this multiple of the frequency");
    }
    fact_group_end(list);
    if (!s->drive) return;
    fact_number(list, "drive", c->drive, s->drive_unit, "amplitude of the drive");
    fact_number(list, "controlled_rms", c->rms, s->units[DWELL_CONTROL], "r.m.s. of the controlled signal");
    fact_number(list, "attempts", c->attempts, "1", "amplitudes of the drive that were tried");
    fact_number(list, "converged", c->converged, "1", "1: the amplitude is within the tolerance");
}

static MrcStatus response_find_input(MrcSim *sim, const char *name, int *handle, MrcError *error) {
    *handle = mrc_sim_find_input(sim, name);
    return *handle >= 0 ? MRC_OK : error_set(error, MRC_USAGE, "the model has no input '%s'", name);
}

static MrcStatus response_one(Dweller *d, const ResponseSetting *s, ControlState *control, double frequency,
                              ControlResult *result, MrcError *error) {
    *result = (ControlResult){0};
    if (!s->drive) return dwell(d, frequency, NULL, NULL, &result->dwell, error);
    ControlOptions o = {.target = s->target, .tolerance = s->tolerance, .most = 12};
    MrcStatus status = response_find_input(d->sim, s->drive, &o.input, error);
    return status == MRC_OK ? control_dwell(d, &o, control, frequency, result, error) : status;
}

static double response_input_default(const MrcModel *model, const char *name) {
    const SimDefinition *d = model_definition(model);
    int i = input_find(d->inputs, d->input_count, name);
    return i >= 0 ? d->inputs[i].fallback : NAN;
}

static void response_find_drive_unit(const MrcModel *model, ResponseSetting *s) {
    const SimDefinition *d = model_definition(model);
    int i = input_find(d->inputs, d->input_count, s->drive);
    if (i >= 0) dimension_unit(d->inputs[i].dimension, s->drive_unit, sizeof s->drive_unit);
}

static void response_name_frequency(double frequency, MrcError *error) {
    MrcError own = *error;
    error_set(error, own.status, "at %.6g Hz: %.900s", frequency, own.text);
}

// What was done before a failure is kept.
static MrcStatus response_walk(Dweller *d, const StudyJob *job, const ResponseSetting *s, bool down,
                               ControlState *control, FactList *facts, MrcError *error) {
    int count = s->frequency_count;
    Walk walk = {d, control, calloc((size_t)count, sizeof *walk.results), count, 0};
    MrcStatus status =
        walk.results ? walk_read(&walk, job->folder, error) : error_memory(error, "the response");
    while (status == MRC_OK && walk.done < count) {
        study_job_tell(job, (double)walk.done / count);
        double f = s->frequencies[down ? count - 1 - walk.done : walk.done];
        status = response_one(d, s, control, f, &walk.results[walk.done], error);
        if (status != MRC_OK) response_name_frequency(f, error);
        else if (++walk.done < count) status = walk_write(&walk, job->folder, error);
    }
    for (int row = 0; row < count && walk.results; row++) { // rising, whatever the way through them was
        char name[16];
        if ((down ? count - 1 - row : row) >= walk.done) continue; // it failed before
        snprintf(name, sizeof name, "%d", row);
        fact_group_begin(facts, name);
        response_facts(s, s->frequencies[row], &walk.results[down ? count - 1 - row : row], facts);
        fact_group_end(facts);
    }
    free(walk.results);
    return status;
}

MrcStatus response_run(const StudyJob *job, const ResponseSetting *s, double number, FactList *facts,
                       MrcError *error) {
    MrcSimOptions options = mrc_sim_options_default();
    Dweller d = {.frequency_input = -1,
                 .phase_input = -1,
                 .steady = steady_options_default(),
                 .most = (size_t)s->most,
                 .stop = job->stop};
    ControlState control = {s->drive ? response_input_default(job->model, s->drive) : 0};
    options.threads = 1;
    options.stop = job->stop;
    d.steady.tolerance = s->steady_tolerance;
    d.steady.stationary = (size_t)s->stationary;
    MrcStatus status = mrc_sim_create(job->model, &options, &d.sim, error);
    if (status != MRC_OK) return status;
    for (int i = 0; i < DWELL_SIGNALS; i++)
        d.signals[i] = s->signals[i] ? mrc_sim_find_signal(d.sim, s->signals[i]) : -1;
    if (s->continues) {
        status = response_find_input(d.sim, s->frequency, &d.frequency_input, error);
        if (status == MRC_OK) status = response_find_input(d.sim, s->phase, &d.phase_input, error);
        if (status == MRC_OK) status = response_walk(&d, job, s, number < 0, &control, facts, error);
    } else {
        ControlResult result;
        status = response_one(&d, s, &control, number, &result, error);
        if (status == MRC_OK) response_facts(s, number, &result, facts);
    }
    mrc_sim_free(d.sim);
    return status == MRC_OK && job->keep && !s->continues ? sweep_keep_run(job, error) : status;
}

static MrcStatus response_run_point(const StudyJob *job, FactList *facts, MrcError *error) {
    return response_run(job, job->plan->self, job->point->numbers[0], facts, error);
}

// ---- damping -------------------------------------------------------------------------------------
static ResponseKind response_kind(const ResponseSetting *s) {
    if (s->signals[DWELL_REFERENCE]) return RESPONSE_TRANSMISSIBILITY;
    if (strcmp(s->units[DWELL_RESPONSE], "m/s") == 0) return RESPONSE_MOBILITY;
    return strcmp(s->units[DWELL_RESPONSE], "m/s^2") == 0 ? RESPONSE_ACCELERANCE : RESPONSE_RECEPTANCE;
}

// Of a linear model, responses to other drives are in proportion to them. A transmissibility is free of the drive already.
static Bandwidth response_bandwidth(const ResponseSetting *s, const StudyTable *table, int point) {
    double *f = malloc((size_t)s->frequency_count * 2 * sizeof *f), *a = f + s->frequency_count;
    bool referred = s->signals[DWELL_REFERENCE];
    size_t count = 0;
    if (!f) return bandwidth_find(NULL, NULL, 0, response_kind(s));
    for (int i = 0; i < s->frequency_count; i++) {
        int p = s->continues ? point : i, row = s->continues ? i : 0;
        double value = study_table_estimate(table, p, row, referred ? "transmissibility" : "amplitude").mean;
        double drive = s->drive && !referred ? study_table_estimate(table, p, row, "drive").mean : 1;
        if (isfinite(value) && value > 0) f[count] = s->frequencies[i], a[count++] = value / drive;
    }
    Bandwidth b = bandwidth_find(f, a, count, response_kind(s));
    free(f);
    for (int i = 0; i < s->frequency_count && !b.doubt; i++) {
        bool used = s->frequencies[i] >= b.lower && s->frequencies[i] <= b.upper;
        double steady =
            study_table_estimate(table, s->continues ? point : i, s->continues ? i : 0, "steady").mean;
        if (used && steady < 1) b.doubt = "between the half-power points the response did not become steady";
    }
    return b;
}

static void response_note_damping(const ResponseSetting *s, const StudyTable *table, int point,
                                  const char *name, Text *text) {
    Bandwidth b = response_bandwidth(s, table, point);
    if (isfinite(b.damping_ratio))
        text_add(text, "\n  %shalf-power bandwidth: damping ratio %.3g %%, natural frequency %.5g Hz%s%s\n",
                 name, 100 * b.damping_ratio, b.natural_frequency, b.doubt ? "; not to be trusted: " : "",
                 b.doubt ? b.doubt : "");
    else text_add(text, "\n  %sno half-power bandwidth: %s\n", name, b.doubt);
}

static void response_notes(const StudyPlan *plan, const StudyTable *table, Text *text) {
    const ResponseSetting *s = plan->self;
    int unsteady = 0, wrong = 0, other = 0;
    for (int p = 0; p < plan->point_count; p++)
        for (int row = 0; row < study_table_rows(table); row++) {
            unsteady += study_table_estimate(table, p, row, "steady").mean < 1;
            wrong += s->drive && study_table_estimate(table, p, row, "converged").mean < 1;
            other += study_table_estimate(table, p, row, "rest_rms").mean >
                     sqrt(0.5) * study_table_estimate(table, p, row, "amplitude").mean;
        }
    if (unsteady > 0)
        text_add(text,
                 "\n  at %d of %d frequencies some beds did not become steady within %d periods (steady "
                 "below 1)\n",
                 unsteady, plan->point_count * study_table_rows(table), s->most);
    if (other > 0)
        text_add(
            text,
            "\n  at %d of %d frequencies most of the response is not of that frequency (rest_rms): is it "
            "that of the drive?\n",
            other, plan->point_count * study_table_rows(table));
    if (wrong > 0)
        text_add(text, "\n  at %d frequencies the amplitude could not be held (converged below 1)\n", wrong);
    for (int p = 0; p < (s->continues ? plan->point_count : 1); p++) {
        char name[40] = "";
        if (s->continues) snprintf(name, sizeof name, "%s: ", plan->points[p].labels[0].text);
        response_note_damping(s, table, p, name, text);
    }
}

// The same for study.json: one for each way through the frequencies, or one of all that begin from rest.
static void response_study_facts(const StudyPlan *plan, const StudyTable *table, FactList *list) {
    const ResponseSetting *s = plan->self;
    fact_array_begin(list, "half_power");
    for (int p = 0; p < (s->continues ? plan->point_count : 1); p++) {
        Bandwidth b = response_bandwidth(s, table, p);
        fact_group_begin(list, NULL);
        fact_text(list, "direction", s->continues ? plan->points[p].labels[0].text : "from rest",
                  "direction");
        fact_number(list, "damping_ratio", b.damping_ratio, "1", "damping ratio");
        fact_number(list, "natural_frequency_hz", b.natural_frequency, "Hz", "natural frequency");
        fact_number(list, "lower_hz", b.lower, "Hz", "lower frequency of half the power");
        fact_number(list, "upper_hz", b.upper, "Hz", "upper one");
        fact_flag(list, "trusted", !b.doubt, "nothing speaks against it");
        fact_text(list, "doubt", b.doubt ? b.doubt : "", "why it should not be trusted");
        fact_group_end(list);
    }
    fact_group_end(list);
}

// ---- the plan ------------------------------------------------------------------------------------
MrcStatus response_check_signals(const MrcModel *model, ResponseSetting *s, Arena *arena, MrcError *error) {
    MrcSignals all;
    MrcStatus status = mrc_signals(model, true, &all, error);
    const char **names = status == MRC_OK ? calloc((size_t)all.count + 1, sizeof *names) : NULL;
    if (status == MRC_OK && !names) status = error_memory(error, "the signals");
    for (int i = 0; status == MRC_OK && i < all.count; i++) names[i] = all.signals[i].name;
    for (int k = 0; k < DWELL_SIGNALS && status == MRC_OK; k++) {
        if (!s->signals[k]) continue;
        for (int i = 0; i < all.count; i++)
            if (strcmp(names[i], s->signals[k]) == 0) s->units[k] = arena_strdup(arena, all.signals[i].unit);
        if (s->units[k]) continue;
        const char *near = nearest_word(s->signals[k], strlen(s->signals[k]), names, (size_t)all.count);
        status = error_set(error, MRC_USAGE, "there is no signal '%s'%s%s%s; 'maraca signals' lists them",
                           s->signals[k], near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    free(names);
    mrc_signals_free(&all);
    return status;
}

// "base.ax=0.75 g": the signal and its r.m.s. value.
static MrcStatus response_read_control(const MrcResponseOptions *o, ResponseSetting *s, Arena *arena,
                                       MrcError *error) {
    if (!o->control) return MRC_OK;
    const char *equals = strchr(o->control, '=');
    if (!equals || equals == o->control || !o->drive)
        return error_set(
            error, MRC_USAGE,
            "amplitude control needs --control SIGNAL=RMS, such as base.ax='0.75 g', and --drive INPUT, the "
            "input whose value is changed");
    s->signals[DWELL_CONTROL] = arena_strndup(arena, o->control, (size_t)(equals - o->control));
    s->drive = arena_strdup(arena, o->drive);
    return s->signals[DWELL_CONTROL] && s->drive ? MRC_OK : error_memory(error, "the plan");
}

static MrcStatus response_read_target(const MrcModel *model, const MrcResponseOptions *o, ResponseSetting *s,
                                      Arena *arena, MrcError *error) {
    StudyAxis axis;
    if (!o->control) return MRC_OK;
    MrcStatus status = study_axis_read(strchr(o->control, '=') + 1, "control", arena, &axis, error);
    if (status == MRC_OK)
        status = study_value_to_si(&axis.values[0], s->units[DWELL_CONTROL], &s->target, error);
    if (status == MRC_OK && (axis.count != 1 || !(s->target > 0)))
        status = error_set(error, MRC_USAGE, "--control takes one positive value");
    double start = response_input_default(model, s->drive);
    response_find_drive_unit(model, s);
    if (status == MRC_OK && isnan(start))
        status = error_set(error, MRC_USAGE, "the model has no input '%s' for --drive", s->drive);
    if (status == MRC_OK && !(start > 0))
        status = error_set(error, MRC_USAGE, "input '%s' needs a positive default to begin with", s->drive);
    return status;
}

// Which frequencies, and can one simulation go through them?
static MrcStatus response_read_frequencies(const MrcModel *model, const MrcResponseOptions *o,
                                           ResponseSetting *s, StudyAxis *axis, Arena *arena,
                                           MrcError *error) {
    const char *path = study_find_name(model, "frequency", arena);
    if (!path) path = study_find_name(model, "f", arena);
    if (!o->frequency)
        return error_set(error, MRC_USAGE, "which frequencies? Give e.g. --frequency '8:16:17 Hz'");
    if (!path && !strchr(o->frequency, '='))
        return error_set(
            error, MRC_USAGE,
            "the model has no constant or input 'frequency' or 'f'; name it: --frequency PATH=VALUES");
    MrcStatus status = study_axis_read_in(o->frequency, path, "Hz", arena, axis, error);
    if (status != MRC_OK) return status;
    const char *meant = strchr(axis->path, '.') ? NULL : study_find_name(model, axis->path, arena);
    if (meant)
        return error_set(error, MRC_USAGE, "'%s' is no path of a value in the model; did you mean '%s'?",
                         axis->path, meant);
    double *f = arena_alloc(arena, (size_t)axis->count * sizeof *f);
    if (!f) return error_memory(error, "the plan");
    for (int i = 0; i < axis->count; i++) {
        status = study_value_to_si(&axis->values[i], "Hz", &f[i], error);
        if (status != MRC_OK) return status;
        if (!(f[i] > 0) || (i > 0 && !(f[i] > f[i - 1])))
            return error_set(error, MRC_USAGE, "frequencies must be positive and rise");
    }
    s->frequencies = f, s->frequency_count = axis->count, s->path = axis->path;
    const char *phase = o->phase ? o->phase : "phase";
    bool input = strncmp(axis->path, "inputs.", 7) == 0;
    s->continues = input && !isnan(response_input_default(model, phase)) && !o->from_rest;
    s->frequency = input ? axis->path + 7 : NULL;
    s->phase = s->continues ? arena_strdup(arena, phase) : NULL;
    if (o->from_rest && o->direction && strcmp(o->direction, "up") != 0)
        return error_set(error, MRC_USAGE,
                         "every frequency from rest, and '%s' through them, exclude each other: leave out "
                         "--from-rest or --direction",
                         o->direction);
    bool asked = o->phase || (o->direction && strcmp(o->direction, "up") != 0);
    if (!s->continues && asked && !o->from_rest)
        return error_set(error, MRC_USAGE,
                         "to go through the frequencies, the drive of the model must be made of inputs: "
                         "sin(2*pi*frequency*t "
                         "+ phase) with 'inputs: {frequency: 10 Hz, phase: 0}'");
    return MRC_OK;
}

// That of the first dwell.
const char *response_start(const ResponseSetting *s, bool down, Arena *arena) {
    return arena_printf(arena, "%s=%.15g Hz", s->path, s->frequencies[down ? s->frequency_count - 1 : 0]);
}

static MrcStatus response_plan_walks(const MrcResponseOptions *o, const ResponseSetting *s,
                                     const StudyAxis *axis, Arena *arena, StudyPlan *plan, MrcError *error) {
    static const StudyColumn column = {"direction", NULL};
    static const StudyValue words[2] = {{"up", NAN, ""}, {"down", NAN, ""}};
    static const double ways[2] = {1, -1};
    const char *wanted = o->direction ? o->direction : "up";
    bool both = strcmp(wanted, "both") == 0, down = strcmp(wanted, "down") == 0;
    if (!both && !down && strcmp(wanted, "up") != 0)
        return error_set(error, MRC_USAGE, "the direction is up, down or both, not '%s'", wanted);
    plan->columns = &column, plan->column_count = 1;
    plan->point_count = both ? 2 : 1;
    plan->points = arena_alloc(arena, 2 * sizeof *plan->points);
    if (!plan->points) return error_memory(error, "the plan");
    for (int p = 0; p < plan->point_count; p++) {
        int way = both ? p : down;
        const char **overrides = arena_alloc(arena, sizeof *overrides);
        if (overrides) overrides[0] = response_start(s, way == 1, arena);
        if (!overrides || !overrides[0]) return error_memory(error, "the plan");
        plan->points[p] = (StudyPoint){overrides, 1, &words[way], &ways[way], 0};
    }
    plan->row_count = axis->count;
    plan->row_column = (StudyColumn){axis->path, study_axis_unit(axis)};
    plan->rows = axis->values;
    return MRC_OK;
}

uint64_t response_identity(const ResponseSetting *s) {
    double numbers[] = {s->target, s->tolerance, s->steady_tolerance, s->most, s->stationary, s->continues};
    uint64_t identity = hash_bytes(HASH_START, numbers, sizeof numbers);
    for (int k = 0; k < DWELL_SIGNALS; k++)
        if (s->signals[k]) identity = hash_bytes(identity, s->signals[k], strlen(s->signals[k]) + 1);
    if (s->drive) identity = hash_bytes(identity, s->drive, strlen(s->drive) + 1);
    if (!s->continues) return identity;
    return hash_bytes(identity, s->frequencies, (size_t)s->frequency_count * sizeof(double));
}

static MrcStatus response_plan(const MrcResponseOptions *o, const ResponseSetting *s, const StudyAxis *axis,
                               Arena *arena, StudyPlan *plan, MrcError *error) {
    plan->identity = response_identity(s);
    // Upwards and downwards begin with other frequencies, which are part of their models.
    if (s->continues) return response_plan_walks(o, s, axis, arena, plan, error);
    MrcStatus status = study_plan_grid(axis, 1, arena, plan, error);
    for (int p = 0; p < plan->point_count && status == MRC_OK; p++)
        plan->points[p].numbers = &s->frequencies[p];
    return status;
}

// The model of the study with one more override; *error when that is no model.
static MrcModel *response_load(const char *model_path, const MrcStudyOptions *o, const char *override,
                               Arena *arena, MrcError *error) {
    const char **all = arena_alloc(arena, (size_t)(o->override_count + 1) * sizeof *all);
    for (int i = 0; all && override && i < o->override_count; i++) all[i] = o->overrides[i];
    if (all) all[o->override_count] = override;
    MrcModel *model = all && override ? mrc_model_load(model_path, all, o->override_count + 1) : NULL;
    if (!model) error_memory(error, "the plan");
    return model;
}

// A step that is too long for one of the frequencies is found before anything runs. Another frequency may be another model
// with another step.
static MrcStatus response_check_steps(const char *model_path, const MrcStudyOptions *o,
                                      const ResponseSetting *s, const StudyPlan *plan, Arena *arena,
                                      MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int p = 0; p < plan->point_count && status == MRC_OK; p++) {
        MrcModel *model = response_load(model_path, o, plan->points[p].overrides[0], arena, error);
        if (!model) return MRC_MEMORY;
        bool good = mrc_model_status(model) == MRC_OK;
        const SimulateDefinition *simulate = &model_definition(model)->simulate;
        double step = good && simulate->source == STEP_GIVEN ? simulate->step : 0;
        int first = s->continues ? 0 : p, end = s->continues ? s->frequency_count : p + 1;
        for (int i = first; i < end && status == MRC_OK; i++)
            status = dwell_step_fits(step, s->frequencies[i], error);
        mrc_model_free(model);
    }
    return status;
}

// Has the drive another course with the other of two values? Where one of them makes no model, this is found elsewhere.
static MrcStatus response_compare(const char *model_path, const MrcStudyOptions *o, const char *these,
                                  const char *those, Arena *arena, bool *differs, MrcError *error) {
    MrcModel *a = response_load(model_path, o, these, arena, error);
    MrcModel *b = a ? response_load(model_path, o, those, arena, error) : NULL;
    MrcStatus status = b ? MRC_OK : MRC_MEMORY;
    *differs = !b || mrc_model_status(a) != MRC_OK || mrc_model_status(b) != MRC_OK || drive_differs(a, b);
    mrc_model_free(a);
    mrc_model_free(b);
    return status;
}

// What is stepped must be the frequency of the drive: with that of something else, the numbers mean nothing.
static MrcStatus response_check_drive(const char *model_path, const MrcStudyOptions *o,
                                      const ResponseSetting *s, Arena *arena, MrcError *error) {
    double f = s->frequencies[0];
    bool differs;
    MrcStatus status =
        response_compare(model_path, o, arena_printf(arena, "%s=%.15g Hz", s->path, f),
                         arena_printf(arena, "%s=%.15g Hz", s->path, 1.37 * f), arena, &differs, error);
    if (status == MRC_OK && !differs)
        return error_set(error, MRC_USAGE,
                         "no drive of the model depends on '%s': what is stepped must be the frequency of a "
                         "force or an imposed motion, such as A*sin(2*pi*frequency*t)",
                         s->path);
    if (status != MRC_OK || !s->continues) return status;
    status = response_compare(model_path, o, arena_printf(arena, "inputs.%s=0", s->phase),
                              arena_printf(arena, "inputs.%s=1", s->phase), arena, &differs, error);
    if (status == MRC_OK && !differs)
        return error_set(
            error, MRC_USAGE,
            "no drive of the model depends on the phase 'inputs.%s', which makes the drive go on "
            "without a jump where its frequency changes: sin(2*pi*%s*t + %s); or give "
            "--from-rest",
            s->phase, s->frequency, s->phase);
    return status;
}

MrcStatus response_read(const MrcModel *model, const MrcResponseOptions *o, Arena *arena, ResponseSetting *s,
                        StudyAxis *axis, MrcError *error) {
    *s = (ResponseSetting){.signals = {o->signal, o->reference},
                           .tolerance = o->tolerance > 0 ? o->tolerance : 0.05,
                           .steady_tolerance = o->steady > 0 ? o->steady : 0.01,
                           .most = o->most > 0 ? o->most : 200,
                           .stationary =
                               o->stationary > 0 ? o->stationary : (int)steady_options_default().stationary};
    if (!(o->steady >= 0 && o->steady < 0.5))
        return error_set(error, MRC_USAGE,
                         "--steady is the part of the amplitude that may still be missing, such as 0.01, and "
                         "below 0.5, not %g",
                         o->steady);
    if (s->stationary < 8)
        return error_set(error, MRC_USAGE, "a stationary response needs at least 8 periods, not %d",
                         s->stationary);
    if (!o->signal)
        return error_set(error, MRC_USAGE,
                         "the response of what? Give e.g. --signal box.x; 'maraca signals' lists them");
    MrcStatus status = response_read_control(o, s, arena, error);
    if (status == MRC_OK) status = response_check_signals(model, s, arena, error);
    if (status == MRC_OK) status = response_read_target(model, o, s, arena, error);
    if (status == MRC_OK) status = response_read_frequencies(model, o, s, axis, arena, error);
    return status;
}

MrcStatus mrc_response(const char *model_path, const MrcResponseOptions *response,
                       const MrcStudyOptions *options, MrcStudy *study, MrcError *error) {
    MrcResponseOptions o = mrc_response_options_default();
    MrcError own;
    memcpy(&o, response, response->size > 0 && response->size < sizeof o ? response->size : sizeof o);
    if (!error) error = &own;
    *study = (MrcStudy){0};
    ResponseSetting s;
    StudyPlan plan = {.kind = "response",
                      .model_path = model_path,
                      .measures = response_measures,
                      .run = response_run_point,
                      .self = &s,
                      .notes = response_notes,
                      .facts = response_study_facts,
                      .finish = response_write_spectra};
    StudyAxis axis;
    Arena *arena = arena_create();
    MrcModel *model = mrc_model_load(model_path, options->overrides, options->override_count);
    MrcStatus status = arena && model ? MRC_OK : error_memory(error, "the plan");
    if (status == MRC_OK && mrc_model_status(model) != MRC_OK)
        status = error_set(error, MRC_MODEL, "the model has errors: see its diagnostics");
    if (status == MRC_OK) status = response_read(model, &o, arena, &s, &axis, error);
    if (status == MRC_OK) status = response_plan(&o, &s, &axis, arena, &plan, error);
    if (status == MRC_OK) status = response_check_steps(model_path, options, &s, &plan, arena, error);
    if (status == MRC_OK) status = response_check_drive(model_path, options, &s, arena, error);
    if (status == MRC_OK) status = study_run(&plan, options, study, error);
    mrc_model_free(model);
    if (arena) arena_destroy(arena);
    return status;
}
