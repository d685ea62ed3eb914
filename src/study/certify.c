// Error bars for the headline numbers of a run: the model is run again with half the step, a stricter contact solver and
// another coupling scheme, each with the same random beds.
//
//     beds      95 % interval of the mean over the beds
//     step      2 |x - x(h/2)|: the whole error of a method of first order, more than that of one of second order
//     solver    |x - x(tolerance/10)|
//     scheme    |x - x(other scheme)|
//     ledger    part of the energy that is missing in the balance, times |x|
//
// Differences are means over pairs of runs with the same bed. In a chaotic bed every pair differs, so that a difference
// counts only when it is larger than its own 95 % interval: a smaller one belongs to the scatter of the beds, which is
// counted already. The other scheme may itself be the wrong one, as an iterating one is at impacts: when it loses or gains
// more than a twentieth of all energy at the ports, and twice as much as the model as it is, it tells nothing about the
// latter, and is left out. The parts are added as squares. A run that fails leaves its part unknown, and the number with it:
// that part is infinite.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/quantity.h"
#include "coupling/scheme.h"
#include "grains/method.h"
#include "model/model.h"
#include "output/text_table.h"
#include "study/plan.h"
#include "study/sweep.h"
#include "study/table.h"

typedef enum CertifyPart {
    CERTIFY_BEDS,
    CERTIFY_STEP,
    CERTIFY_SOLVER,
    CERTIFY_SCHEME,
    CERTIFY_LEDGER
} CertifyPart;
enum { CERTIFY_PARTS = 5 };
static const char *const certify_parts[CERTIFY_PARTS] = {"beds", "step", "solver", "scheme", "ledger"};

static const char *const certify_measures[] = {"amplitudes.*.amplitude_m", "periods.dissipated_mean_J",
                                               "periods.damping_ratio_mean", "energy.work", NULL};

typedef struct CertifySetting {
    double limit;              // wanted: error over value
    int points[CERTIFY_PARTS]; // which point of the plan has the change; -1: none
    char worst[200];           // measure with the largest error over value, set by certify_finish
    double worst_part;         // that error
    bool judged;
    int known; // numbers that are not zero
} CertifySetting;

// ---- error bars ----------------------------------------------------------------------------------
typedef struct CertifyBar {
    double value, total;
    bool applies; // to this model
    double
        scale; // what errors are measured by: the value, or of an energy at least 1 % of all energy that took part
    double parts[CERTIFY_PARTS]; // NAN: not checked; INFINITY: runs failed that it would follow from
} CertifyBar;

static bool certify_has_failed(const StudyTable *table, int point) {
    for (int b = 0; b < table->beds; b++) {
        const StudyResult *result = &table->results[point * table->beds + b];
        if (result->arena && result->status != MRC_OK) return true;
    }
    return false;
}

static bool certify_has_result(const StudyTable *table, int point) {
    for (int b = 0; b < table->beds; b++)
        if (table->results[point * table->beds + b].arena) return true;
    return false;
}

static bool certify_is_named(const StudyTable *table, const char *measure) {
    for (int i = 0; i < table->options->measure_count; i++)
        if (strcmp(table->options->measures[i], measure) == 0) return true;
    return false;
}

// The mean difference of a point from the first one, over beds that both have; 0 when it is not significant.
static double certify_difference(const StudyTable *table, int point, const char *measure) {
    double *differences = calloc((size_t)table->beds + 1, sizeof *differences);
    size_t count = 0;
    if (!differences) return NAN;
    for (int b = 0; b < table->beds; b++) {
        const StudyResult *x = &table->results[b], *y = &table->results[point * table->beds + b];
        const StudyFact *a = x->arena && x->status == MRC_OK ? study_result_find(x, measure) : NULL;
        const StudyFact *c = y->arena && y->status == MRC_OK ? study_result_find(y, measure) : NULL;
        if (a && c && isfinite(a->value) && isfinite(c->value)) differences[count++] = c->value - a->value;
    }
    Estimate e = estimate_independent(differences, count);
    free(differences);
    if (count == 0) return NAN;
    return isfinite(e.interval) && fabs(e.mean) <= e.interval ? 0 : fabs(e.mean);
}

// Energy that the exchange at the ports has lost or gained, over all that took part; 0: not known.
static double certify_lost_at_ports(const StudyTable *table, int point) {
    double lost = study_table_estimate(table, point, 0, "energy.ports").mean;
    double all = study_table_estimate(table, point, 0, "energy.in_play").mean;
    return isfinite(lost) && all > 0 ? fabs(lost) / all : 0;
}

static bool certify_scheme_is_wrong(const CertifySetting *s, const StudyTable *table) {
    if (s->points[CERTIFY_SCHEME] <= 0) return false;
    double lost = certify_lost_at_ports(table, s->points[CERTIFY_SCHEME]);
    return lost > 0.05 && lost > 2 * certify_lost_at_ports(table, 0);
}

static CertifyBar certify_bar(const CertifySetting *s, const StudyTable *table, const char *measure) {
    Estimate e = study_table_estimate(table, 0, 0, measure);
    CertifyBar bar = {.value = e.mean, .scale = fabs(e.mean)};
    double squares = 0;
    for (int k = 0; k < CERTIFY_PARTS; k++)
        bar.parts[k] = s->points[k] <= 0 ? NAN
                       : certify_has_failed(table, s->points[k])
                           ? INFINITY
                           : (k == CERTIFY_STEP ? 2 : 1) * certify_difference(table, s->points[k], measure);
    if (certify_scheme_is_wrong(s, table)) bar.parts[CERTIFY_SCHEME] = NAN;
    bar.parts[CERTIFY_BEDS] = certify_has_failed(table, 0) ? INFINITY : table->beds > 1 ? e.interval : NAN;
    bar.parts[CERTIFY_LEDGER] =
        fabs(study_table_estimate(table, 0, 0, "energy.relative_error").mean * e.mean);
    for (int k = 0; k < CERTIFY_PARTS; k++)
        if (!isnan(bar.parts[k])) squares += bar.parts[k] * bar.parts[k];
    bar.total = sqrt(squares);
    // What does not apply to this model needs no error bar, unless it was asked for.
    bar.applies = isfinite(bar.value) || certify_has_failed(table, 0) || certify_is_named(table, measure);
    if (!isfinite(bar.value)) bar.total = INFINITY;
    if (strncmp(measure, "energy.", 7) == 0)
        bar.scale = fmax(bar.scale, 0.01 * study_table_estimate(table, 0, 0, "energy.in_play").mean);
    return bar;
}

static double certify_share(const CertifyBar *bar) { // error over value
    if (!bar->applies || bar->total == 0) return 0;
    return isfinite(bar->total) ? bar->total / bar->scale : INFINITY;
}

static bool certify_is_good(const CertifySetting *s, const CertifyBar *bar) {
    return certify_share(bar) <= s->limit;
}

// ---- the report ----------------------------------------------------------------------------------
static void certify_notes(const StudyPlan *plan, const StudyTable *table, Text *text) {
    const CertifySetting *s = plan->self;
    TextTable rows = {.align = "lrrrrrrrl"};
    char cell[QUANTITY_SIZE];
    text_add_string(text, "\n  error bars: 95 %, in parts of the value\n");
    text_table_cell(&rows, "number"), text_table_cell(&rows, "value");
    for (int k = 0; k < CERTIFY_PARTS; k++) text_table_cell(&rows, certify_parts[k]);
    text_table_cell(&rows, "all"), text_table_cell(&rows, "");
    for (int m = 0; m < table->measure_count; m++) {
        CertifyBar bar = certify_bar(s, table, table->measures[m].name);
        if (!bar.applies) continue;
        text_table_cell(&rows, table->measures[m].name);
        text_table_cell(&rows, quantity_text(cell, bar.value, table->measures[m].unit, 4));
        for (int k = 0; k < CERTIFY_PARTS; k++)
            text_table_cell(&rows, isfinite(bar.parts[k])
                                       ? quantity_percent(cell, bar.parts[k] / bar.scale, 2)
                                   : isinf(bar.parts[k]) ? "failed"
                                                         : "-");
        text_table_cell(&rows,
                        isfinite(bar.total) ? quantity_percent(cell, certify_share(&bar), 2) : "not known");
        text_table_cell(&rows, certify_is_good(s, &bar) ? "good" : "NOT good enough");
    }
    text_table_add(text, "  ", &rows);
    text_table_free(&rows);
    int scheme = s->points[CERTIFY_SCHEME];
    if (certify_scheme_is_wrong(s, table))
        text_add(text,
                 "\n  left out: scheme '%s', which itself loses or gains %s of the energy at the ports\n",
                 plan->points[scheme].labels[0].text,
                 quantity_percent(cell, certify_lost_at_ports(table, scheme), 2));
}

// The contents of certificate.json, also for study.json and --json.
static void certify_facts(const StudyPlan *plan, const StudyTable *table, FactList *list) {
    const CertifySetting *s = plan->self;
    fact_group_begin(list, "certificate");
    fact_number(list, "limit", s->limit, "1", "wanted error over value");
    fact_group_begin(list, "numbers");
    for (int m = 0; m < table->measure_count; m++) {
        CertifyBar bar = certify_bar(s, table, table->measures[m].name);
        const char *unit = table->measures[m].unit;
        fact_group_begin(list, table->measures[m].name);
        fact_number(list, "value", bar.value, unit, "value");
        fact_text(list, "unit", unit, "its unit");
        fact_number(list, "error", bar.total, unit, "95 % error");
        for (int k = 0; k < CERTIFY_PARTS; k++)
            fact_number(list, certify_parts[k], bar.parts[k], unit, "part of it");
        fact_flag(list, "good", certify_is_good(s, &bar), "as good as wanted");
        fact_group_end(list);
    }
    fact_group_end(list);
    fact_group_end(list);
}

static MrcStatus certify_finish(const StudyPlan *plan, const StudyTable *table, const char *folder,
                                MrcError *error) {
    CertifySetting *s = (CertifySetting *)plan->self;
    Json json = {.indent = 2};
    char path[1100];
    FileWriter writer;
    s->judged = table->measure_count > 0;
    for (int p = 0; p < plan->point_count; p++) // others of a schedule may not have been there yet
        s->judged = s->judged && certify_has_result(table, p);
    json_object_begin(&json);
    json_member_number(&json, "limit", s->limit);
    json_key(&json, "numbers");
    json_object_begin(&json);
    for (int m = 0; m < table->measure_count; m++) {
        CertifyBar bar = certify_bar(s, table, table->measures[m].name);
        double part = certify_share(&bar);
        s->known += bar.applies && !(bar.value == 0 && bar.total == 0);
        if (!(part <= s->worst_part)) {
            s->worst_part = part;
            snprintf(s->worst, sizeof s->worst, "%s", table->measures[m].name);
        }
        json_key(&json, table->measures[m].name);
        json_object_begin(&json);
        json_member_number(&json, "value", bar.value);
        json_member_string(&json, "unit", table->measures[m].unit);
        json_member_number(&json, "error", bar.total);
        for (int k = 0; k < CERTIFY_PARTS; k++) json_member_number(&json, certify_parts[k], bar.parts[k]);
        json_member_bool(&json, "good", certify_is_good(s, &bar));
        json_object_end(&json);
    }
    json_object_end(&json);
    json_object_end(&json);
    snprintf(path, sizeof path, "%s/certificate.json", folder);
    const char *text = json_text(&json);
    MrcStatus status = text ? file_open(&writer, path, error) : error_memory(error, "the certificate");
    if (status == MRC_OK) {
        fputs(text, writer.stream);
        status = file_commit(&writer, error);
    }
    json_free(&json);
    return status;
}

// ---- the plan ------------------------------------------------------------------------------------
static MrcStatus certify_add(StudyPlan *plan, CertifySetting *s, CertifyPart part, const char *name,
                             const char **overrides, int count, Arena *arena, MrcError *error) {
    StudyValue *label = arena_alloc(arena, sizeof *label);
    if (!label) return error_memory(error, "the plan");
    *label = (StudyValue){name, NAN, ""};
    s->points[part] = plan->point_count;
    plan->points[plan->point_count++] = (StudyPoint){overrides, count, label, NULL, 0};
    return MRC_OK;
}

static MrcStatus certify_plan(const MrcModel *model, CertifySetting *s, Arena *arena, StudyPlan *plan,
                              MrcError *error) {
    static const StudyColumn column = {"variant", NULL};
    const SimDefinition *d = model_definition(model);
    const char **step = arena_alloc(arena, sizeof *step), **scheme = arena_alloc(arena, sizeof *scheme);
    const char **solver = arena_alloc(arena, (size_t)(d->grains_count + 1) * sizeof *solver);
    int rigid = 0;
    plan->columns = &column, plan->column_count = 1;
    plan->points = arena_alloc(arena, CERTIFY_PARTS * sizeof *plan->points);
    if (!step || !scheme || !solver || !plan->points) return error_memory(error, "the plan");
    *step = arena_printf(arena, "simulate.step=%.15g s", 0.5 * d->simulate.step);
    for (int g = 0; g < d->grains_count; g++) {
        double tolerance = d->grains[g].contact.solver.tolerance;
        if (!grains_method(&d->grains[g])->rigid) continue;
        solver[rigid++] = arena_printf(arena, "grains.%s.contact.solver.tolerance=%.6g", d->grains[g].name,
                                       0.1 * (tolerance > 0 ? tolerance : 1e-4));
    }
    const SchemeType *other = scheme_types[scheme_of(&d->coupling) == scheme_types[0] ? 1 : 0];
    *scheme = arena_printf(arena, "coupling.scheme=%s", other->choice.word);
    MrcStatus status = certify_add(plan, s, CERTIFY_BEDS, "as it is", NULL, 0, arena, error);
    if (status == MRC_OK) status = certify_add(plan, s, CERTIFY_STEP, "half the step", step, 1, arena, error);
    if (status == MRC_OK && rigid > 0)
        status = certify_add(plan, s, CERTIFY_SOLVER, "stricter solver", solver, rigid, arena, error);
    if (status == MRC_OK && d->has_mechanism && d->grains_count > 0)
        status = certify_add(plan, s, CERTIFY_SCHEME, other->choice.word, scheme, 1, arena, error);
    return status;
}

static MrcStatus certify_refuse(const CertifySetting *s, const MrcStudy *study, MrcError *error) {
    if (s->known == 0)
        return error_set(
            error, MRC_UNCERTAIN,
            "nothing was certified: no headline number of this model is there and not zero. Name "
            "what matters, such as --measure 'signals.box.x.amplitude'; 'maraca run --json' "
            "prints all facts of a model");
    if (isfinite(s->worst_part))
        return error_set(error, MRC_UNCERTAIN, "'%s' is known to %.2g %% only; %.2g %% were asked for",
                         s->worst, 100 * s->worst_part, 100 * s->limit);
    if (study->failed > 0)
        return error_set(error, MRC_UNCERTAIN, "'%s' is not known: %d of %d runs failed", s->worst,
                         study->failed, study->done);
    return error_set(error, MRC_UNCERTAIN, "'%s' has no value in this model, or is zero", s->worst);
}

MrcStatus mrc_certify(const char *model_path, double limit, const MrcStudyOptions *options, MrcStudy *study,
                      MrcError *error) {
    CertifySetting s = {.limit = limit > 0 ? limit : 0.05, .points = {-1, -1, -1, -1, -1}};
    StudyPlan plan = {.kind = "certify",
                      .model_path = model_path,
                      .measures = certify_measures,
                      .run = sweep_run_point,
                      .self = &s,
                      .notes = certify_notes,
                      .facts = certify_facts,
                      .finish = certify_finish};
    MrcError own;
    if (!error) error = &own;
    *study = (MrcStudy){0};
    Arena *arena = arena_create();
    MrcModel *model = mrc_model_load(model_path, options->overrides, options->override_count);
    MrcStatus status = arena && model ? MRC_OK : error_memory(error, "the plan");
    if (status == MRC_OK && mrc_model_status(model) != MRC_OK)
        status = error_set(error, MRC_MODEL, "the model has errors: see its diagnostics");
    if (status == MRC_OK) status = certify_plan(model, &s, arena, &plan, error);
    if (status == MRC_OK) status = study_run(&plan, options, study, error);
    if (status == MRC_OK && s.judged && (s.known == 0 || !(s.worst_part <= s.limit)))
        status = certify_refuse(&s, study, error);
    mrc_model_free(model);
    if (arena) arena_destroy(arena);
    return status;
}
