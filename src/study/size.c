// Stiffness sizing (DAMPER 2.2 and 3.3, Biondani et al. 2022, doi:10.3390/pr10071247). The model is run with the stiffness of
// its material, or one that is given, and with softer ones. With the largest overlap s of a run, the largest speed v of the
// enclosure, and mass m and radius r of a grain,
//
//     eta_i = s_i / r,    beta_i = s_i / (v_i sqrt(m / k_i)),
//
// and a stiffness k_i is too soft when it, or a stiffer one, fails or changes a measure by more than the limit and by more
// than the 95 % interval of that change over the beds: what is smaller may be an accident. With the others,
//
//     eta = max eta_i,  beta = max beta_i,  k_min = m (beta v / (eta r))^2          (Eqs. 7-9)
//
// The first stiffness that is too soft bounds eta from above; beta has the interval of its beds. The speed-up is that
// of the time step, sqrt(k/k_min). Figure 2: for a sine of frequency f and acceleration a, v = a/(2 pi f), k is the larger one
// of k_min and of that with which a contact lasts a hundredth of a period, and k_ref that of the material at v.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/quantity.h"
#include "grains/contact_stiffness.h"
#include "grains/grain_sizes.h"
#include "grains/grains.h"
#include "math/table.h"
#include "model/model.h"
#include "output/text_table.h"
#include "study/sweep.h"
#include "study/table.h"

#define SIZE_PI 3.14159265358979323846

static const char *const size_measures[] = {
    "amplitudes.*.amplitude_m", "periods.dissipated_mean_J", "sizing.eta", "sizing.beta",
    "sizing.speed_m_per_s",     "sizing.stiffness_N_per_m",  "steps",      NULL};

typedef struct Size {
    MrcSizeOptions options;
    Arena *arena;
    const char *bed, *port; // names
    double radius, mass;    // of a grain [m], [kg]
    double young;           // effective, of two grains [Pa]; 0: not known
    double duration;        // of a run [s]
    double reference;       // stiffness, known after the first run [N/m]
    bool all;               // all levels are planned
} Size;

// ---- one run -------------------------------------------------------------------------------------
static MrcStatus size_read_speed(const Size *s, const char *folder, double *speed, MrcError *error) {
    char path[1100];
    TableSamples axes[3];
    Arena *arena = arena_create();
    MrcStatus status = arena ? MRC_OK : error_memory(error, "the speeds");
    snprintf(path, sizeof path, "%s/series.csv", folder);
    for (int i = 0; i < 3 && status == MRC_OK; i++) {
        char name[300];
        snprintf(name, sizeof name, "%s.v%c", s->port, 'x' + i);
        status = table_read(path, NULL, name, arena, &axes[i], error);
    }
    *speed = 0;
    for (size_t k = 0; status == MRC_OK && k < axes[0].count; k++)
        *speed = fmax(*speed, hypot(hypot(axes[0].values[k], axes[1].values[k]), axes[2].values[k]));
    if (arena) arena_destroy(arena);
    if (status == MRC_OK && !(*speed > 0))
        status =
            error_set(error, MRC_USAGE, "port '%s' does not move: there is nothing to size for", s->port);
    return status;
}

static MrcStatus size_run_point(const StudyJob *job, FactList *facts, MrcError *error) {
    const Size *s = job->plan->self;
    char name[300];
    double speed = 0;
    MrcStatus status = sweep_run_point(job, facts, error);
    if (status == MRC_OK) status = size_read_speed(s, job->folder, &speed, error);
    if (status != MRC_OK) return status;
    snprintf(name, sizeof name, "grains.%s.stiffness_N_per_m", s->bed);
    const MrcFact *stiffness = fact_find(facts, name);
    snprintf(name, sizeof name, "grains.%s.largest_overlap", s->bed);
    const MrcFact *overlap = fact_find(facts, name);
    double eta = overlap ? overlap->number : NAN, k = stiffness ? stiffness->number : NAN;
    fact_group_begin(facts, "sizing");
    fact_number(facts, "eta", eta, "1", "largest overlap over radius");
    fact_number(facts, "beta", eta * s->radius / (speed * sqrt(s->mass / k)), "1",
                "largest overlap over that of one grain");
    fact_number(facts, "speed_m_per_s", speed, "m/s", "largest speed of the enclosure");
    fact_number(facts, "stiffness_N_per_m", k, "N/m", "stiffness of contacts");
    fact_group_end(facts);
    return MRC_OK;
}

// ---- what the table says -------------------------------------------------------------------------
typedef struct SizeLevel {
    double stiffness, eta, speed; // eta: largest over the beds
    Estimate beta;
    double change, change_interval; // of the measure that changes most, over its value
    bool acceptable;
} SizeLevel;

static bool size_is_judged(const char *measure) {
    return strncmp(measure, "sizing.", 7) != 0 && strcmp(measure, "steps") != 0;
}

static double size_result(const StudyTable *table, int point, int bed, const char *measure) {
    const StudyResult *result = &table->results[point * table->beds + bed];
    const StudyFact *fact =
        result->arena && result->status == MRC_OK ? study_result_find(result, measure) : NULL;
    return fact ? fact->value : NAN;
}

// Bed by bed, of the level from the reference.
static Estimate size_change(const StudyTable *table, int point, const char *measure) {
    double *values = calloc((size_t)table->beds + 1, sizeof *values);
    size_t count = 0;
    if (!values) return estimate_independent(NULL, 0);
    for (int b = 0; b < table->beds; b++) {
        double change = size_result(table, point, b, measure) - size_result(table, 0, b, measure);
        if (isfinite(change)) values[count++] = change;
    }
    Estimate e = estimate_independent(values, count);
    free(values);
    return e;
}

static SizeLevel size_level(const Size *s, const StudyTable *table, int point, bool stiffer_are_good) {
    SizeLevel level = {.stiffness = table->plan->points[point].labels[0].number,
                       .speed = study_table_estimate(table, point, 0, "sizing.speed_m_per_s").mean,
                       .beta = study_table_estimate(table, point, 0, "sizing.beta"),
                       .eta = NAN,
                       .change_interval = NAN};
    for (int b = 0; b < table->beds; b++) {
        double eta = size_result(table, point, b, "sizing.eta");
        if (isfinite(eta)) level.eta = fmax(isnan(level.eta) ? 0 : level.eta, eta);
    }
    bool known = isfinite(level.eta), changed = false;
    for (int m = 0; m < table->measure_count; m++) {
        const char *measure = table->measures[m].name;
        double value = fabs(study_table_estimate(table, 0, 0, measure).mean);
        if (!size_is_judged(measure) || !isfinite(value) || !(value > 0)) continue;
        Estimate e = size_change(table, point, measure);
        bool accident = e.count > 1 && fabs(e.mean) <= e.interval;
        changed = changed || (fabs(e.mean) > s->options.limit * value && !accident);
        if (!(fabs(e.mean) / value <= level.change))
            level.change = fabs(e.mean) / value, level.change_interval = e.interval / value;
    }
    level.acceptable = stiffer_are_good && known && !changed;
    return level;
}

typedef struct Sizing {
    double eta, eta_above; // largest acceptable, and that of the first level that is not (NAN: all are)
    double beta, beta_interval;
    double speed, stiffness, speed_up;
    double scatter; // largest interval of a change among the acceptable levels
    int acceptable; // levels
    bool all;       // of them
} Sizing;

static Sizing size_judge(const Size *s, const StudyTable *table) {
    Sizing z = {.eta_above = NAN, .beta_interval = NAN};
    bool good = true;
    for (int p = 0; p < table->plan->point_count; p++) {
        SizeLevel level = size_level(s, table, p, good);
        if (good && !level.acceptable) z.eta_above = level.eta;
        good = level.acceptable;
        if (!good) break;
        z.acceptable++;
        z.eta = fmax(z.eta, level.eta);
        z.speed = fmax(z.speed, level.speed);
        if (level.beta.mean > z.beta) z.beta = level.beta.mean, z.beta_interval = level.beta.interval;
        if (p > 0 && isfinite(level.change_interval) && level.change > 0)
            z.scatter = fmax(z.scatter, level.change_interval);
    }
    z.all = z.acceptable == table->plan->point_count;
    z.stiffness = contact_stiffness_for_overlap(s->mass, s->radius, z.speed, z.beta, z.eta);
    z.speed_up = sqrt(s->reference / z.stiffness);
    return z;
}

// ---- the report ----------------------------------------------------------------------------------
static void size_facts(const StudyPlan *plan, const StudyTable *table, FactList *list) {
    const Size *s = plan->self;
    if (!s->all) return;
    Sizing z = size_judge(s, table);
    fact_group_begin(list, "sizing");
    fact_number(list, "eta", z.eta, "1", "largest acceptable overlap over radius");
    fact_number(list, "eta_above", z.eta_above, "1", "overlap of the first stiffness that is not acceptable");
    fact_number(list, "beta", z.beta, "1", "largest overlap over that of one grain");
    fact_number(list, "beta_interval", z.beta_interval, "1", "half of its 95 % interval");
    fact_number(list, "speed_m_per_s", z.speed, "m/s", "largest speed of the enclosure");
    fact_number(list, "reference_N_per_m", s->reference, "N/m", "stiffness of the reference");
    fact_number(list, "stiffness_N_per_m", z.stiffness, "N/m", "least stiffness");
    fact_number(list, "speed_up", z.speed_up, "1", "speed-up of the time step");
    fact_count(list, "acceptable", z.acceptable, "levels");
    fact_group_end(list);
}

static void size_notes(const StudyPlan *plan, const StudyTable *table, Text *text) {
    const Size *s = plan->self;
    if (!s->all) return;
    char a[QUANTITY_SIZE], b[QUANTITY_SIZE];
    TextTable rows = {.align = "rrrrl"};
    const char *const titles[] = {"stiffness", "overlap/radius", "beta", "measures change by", ""};
    for (int i = 0; i < 5; i++) text_table_cell(&rows, titles[i]);
    bool good = true;
    for (int p = 0; p < plan->point_count; p++) {
        SizeLevel level = size_level(s, table, p, good);
        char cell[2 * QUANTITY_SIZE + 8];
        good = level.acceptable;
        text_table_cell(&rows, quantity_text(a, level.stiffness, "N/m", 4));
        text_table_cell(&rows, quantity_percent(a, level.eta, 3));
        text_table_cell(&rows, quantity_number(a, level.beta.mean, 3));
        quantity_percent(a, level.change, 3);
        if (p > 0 && isfinite(level.change_interval))
            snprintf(cell, sizeof cell, "%s +- %s", a, quantity_percent(b, level.change_interval, 2));
        else snprintf(cell, sizeof cell, "%s", p > 0 ? a : "");
        text_table_cell(&rows, cell);
        text_table_cell(&rows, p == 0 ? "reference" : good ? "acceptable" : "too soft");
    }
    text_add_string(text, "\n");
    text_table_add(text, "  ", &rows);
    text_table_free(&rows);
    Sizing z = size_judge(s, table);
    text_add(text, "\n  eta = %s", quantity_number(a, z.eta, 3));
    if (isfinite(z.eta_above)) text_add(text, " (%s is too much)", quantity_number(a, z.eta_above, 3));
    else
        text_add_string(text, z.all ? " at least: even the softest contacts change nothing"
                                    : " (the next softer contacts fail)");
    text_add(text, ", beta = %s", quantity_number(a, z.beta, 3));
    if (isfinite(z.beta_interval)) text_add(text, " +- %s", quantity_number(a, z.beta_interval, 2));
    text_add(text, "; least stiffness %s for walls of at most %s, steps %s times as long\n",
             quantity_text(a, z.stiffness, "N/m", 3), quantity_text(b, z.speed, "m/s", 3),
             quantity_number((char[QUANTITY_SIZE]){0}, z.speed_up, 3));
    if (z.scatter > s->options.limit)
        text_add(text, "  changes are known to %s only: more --beds make it surer\n",
                 quantity_percent(a, z.scatter, 2));
    text_add(text, "  in the model file: contact: {stiffness: sized, sizing: {overlap: %.3g, beta: %.3g}}\n",
             z.eta, z.beta);
}

static void size_figure(const Size *s, const Sizing *z, Text *text) {
    enum { COUNT = 25 };
    text_add_string(text, "f[Hz],acceleration[m/s^2],speed_up[1],stiffness[N/m],criterion\n");
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < COUNT; j++) {
            double f = 2 * pow(200.0 / 2, i / (COUNT - 1.0)), a = 9.80665 * 0.5 * pow(200, j / (COUNT - 1.0));
            double v = a / (2 * SIZE_PI * f);
            double material = s->young > 0
                                  ? contact_stiffness_of_material(v, s->mass / 2, s->radius / 2, s->young)
                                  : s->reference;
            double overlap = contact_stiffness_for_overlap(s->mass, s->radius, v, z->beta, z->eta);
            double brief = contact_stiffness_for_duration(s->mass / 2, 1 / f, 100), k = fmax(overlap, brief);
            const char *word = k >= material ? "material" : overlap >= brief ? "overlap" : "duration";
            k = fmin(k, material);
            text_add(text, "%.6g,%.6g,%.6g,%.6g,%s\n", f, a, sqrt(material / k), k, word);
        }
}

static MrcStatus size_finish(const StudyPlan *plan, const StudyTable *table, const char *folder,
                             MrcError *error) {
    Size *s = (Size *)plan->self;
    FileWriter writer;
    char path[1100];
    Text text = {0};
    s->reference = study_table_estimate(table, 0, 0, "sizing.stiffness_N_per_m").mean;
    if (!s->all) return MRC_OK;
    Sizing z = size_judge(s, table);
    size_figure(s, &z, &text);
    snprintf(path, sizeof path, "%s/speed-up.csv", folder);
    char *content = text_take(&text);
    MrcStatus status = content ? file_open(&writer, path, error) : error_memory(error, "the figure");
    if (status == MRC_OK) {
        fputs(content, writer.stream);
        status = file_commit(&writer, error);
    }
    free(content);
    return status;
}

// ---- the plan ------------------------------------------------------------------------------------
static MrcStatus size_find_bed(Size *s, const SimDefinition *d, MrcError *error) {
    const char *names[64];
    int count = 0, found = -1;
    for (int g = 0; g < d->grains_count && count < 64; g++) {
        if (grains_are_rigid(&d->grains[g])) continue;
        names[count++] = d->grains[g].name;
        if (!s->options.bed || strcmp(s->options.bed, d->grains[g].name) == 0) found = g;
    }
    const char *near =
        s->options.bed ? nearest_word(s->options.bed, strlen(s->options.bed), names, (size_t)count) : NULL;
    if (count == 0)
        return error_set(
            error, MRC_USAGE,
            "no grains of the model have springs as contacts ('method: smooth'): nothing to size");
    if (!s->options.bed && count > 1)
        return error_set(error, MRC_USAGE,
                         "several beds have springs, such as '%s' and '%s': name one with --bed", names[0],
                         names[1]);
    if (found < 0)
        return error_set(error, MRC_USAGE, "there are no smooth grains '%s'%s%s%s", s->options.bed,
                         near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    const GrainsDefinition *g = &d->grains[found];
    for (int w = 0; w < g->wall_count && !s->port; w++) s->port = grains_wall_port(g, w);
    if (!s->port)
        return error_set(error, MRC_USAGE, "no wall of '%s' is on a port: nothing shakes it", g->name);
    int material = material_find(d->materials, d->material_count, g->particles.material);
    s->bed = arena_strdup(s->arena, g->name), s->port = arena_strdup(s->arena, s->port);
    s->radius = grain_sizes_mean_radius(&g->particles);
    s->duration = d->simulate.duration;
    if (material >= 0) {
        const Material *m = &d->materials[material];
        s->mass = m->density * 4.0 / 3.0 * SIZE_PI * s->radius * s->radius * s->radius;
        if (m->young > 0) s->young = material_effective_young(m, m);
    }
    if (!(s->mass > 0) || !(s->radius > 0))
        return error_set(error, MRC_USAGE, "the grains of '%s' have no radius and density", g->name);
    if (!s->options.reference && !(s->young > 0))
        return error_set(error, MRC_USAGE,
                         "the material of '%s' has no 'young', from which the stiffness of real grains "
                         "follows: add it, or give the stiffness to compare with: --reference '90 kN/m'",
                         g->name);
    return s->bed && s->port ? MRC_OK : error_memory(error, "the plan");
}

static MrcStatus size_plan(const Size *s, StudyPlan *plan, MrcError *error) {
    static const StudyColumn column = {"stiffness", "N/m"};
    int levels = s->all ? (s->options.levels > 0 ? s->options.levels : 9) : 1;
    double decades = s->options.decades > 0 ? s->options.decades : 4;
    plan->columns = &column, plan->column_count = 1, plan->point_count = levels;
    plan->points = arena_alloc(s->arena, (size_t)levels * sizeof *plan->points);
    if (!plan->points) return error_memory(error, "the plan");
    for (int p = 0; p < levels; p++) {
        StudyValue *label = arena_alloc(s->arena, sizeof *label);
        const char **overrides = arena_alloc(s->arena, 4 * sizeof *overrides);
        if (!label || !overrides) return error_memory(error, "the plan");
        double k = s->reference * pow(10, -decades * p / (levels > 1 ? levels - 1 : 1));
        const char *text = p == 0 ? (s->options.reference ? s->options.reference : "material")
                                  : arena_printf(s->arena, "%.5g N/m", k);
        *label = (StudyValue){text, p == 0 ? s->reference : k, "N/m"};
        overrides[0] = arena_printf(s->arena, "grains.%s.contact.stiffness=%s", s->bed, text ? text : "");
        overrides[1] = arena_printf(s->arena, "record.every=%.9g s", s->duration / 2000);
        overrides[2] =
            arena_printf(s->arena, "record.series=[%s.vx, %s.vy, %s.vz]", s->port, s->port, s->port);
        // Soft contacts are what is looked for: how deep they get is found out here.
        overrides[3] = arena_printf(s->arena, "grains.%s.contact.max_overlap=0.95", s->bed);
        if (!text || !overrides[0] || !overrides[1] || !overrides[2] || !overrides[3])
            return error_memory(error, "the plan");
        plan->points[p] = (StudyPoint){overrides, 4, label, NULL, 0};
    }
    return MRC_OK;
}

// The measures asked for, and those that eta and beta are made from.
static MrcStatus size_add_measures(const Size *s, MrcStudyOptions *o, MrcError *error) {
    static const char *const own[] = {"sizing.eta", "sizing.beta", "sizing.speed_m_per_s",
                                      "sizing.stiffness_N_per_m"};
    if (o->measure_count == 0) return MRC_OK;
    const char **names = arena_alloc(s->arena, (size_t)(o->measure_count + 4) * sizeof *names);
    if (!names) return error_memory(error, "the measures");
    for (int i = 0; i < o->measure_count + 4; i++)
        names[i] = i < o->measure_count ? o->measures[i] : own[i - o->measure_count];
    o->measures = names, o->measure_count += 4;
    return MRC_OK;
}

MrcStatus mrc_size(const char *model_path, const MrcSizeOptions *size, const MrcStudyOptions *options,
                   MrcStudy *study, MrcError *error) {
    Size s = {.options = mrc_size_options_default(), .arena = arena_create(), .reference = NAN};
    StudyPlan plan = {.kind = "size",
                      .model_path = model_path,
                      .measures = size_measures,
                      .run = size_run_point,
                      .unfinished = true,
                      .self = &s,
                      .notes = size_notes,
                      .facts = size_facts,
                      .finish = size_finish};
    MrcStudyOptions o = mrc_study_options_default();
    MrcError own;
    if (!error) error = &own;
    *study = (MrcStudy){0};
    memcpy(&s.options, size, size->size > 0 && size->size < sizeof s.options ? size->size : sizeof s.options);
    memcpy(&o, options, options->size > 0 && options->size < sizeof o ? options->size : sizeof o);
    if (!(s.options.limit > 0)) s.options.limit = 0.05;
    MrcModel *model = mrc_model_load(model_path, o.overrides, o.override_count);
    MrcStatus status = s.arena && model ? MRC_OK : error_memory(error, "the plan");
    if (status == MRC_OK && mrc_model_status(model) != MRC_OK)
        status = error_set(error, MRC_MODEL, "the model has errors: see its diagnostics");
    if (status == MRC_OK) status = size_find_bed(&s, model_definition(model), error);
    mrc_model_free(model);
    if (status == MRC_OK) status = size_add_measures(&s, &o, error);
    if (status == MRC_OK) status = size_plan(&s, &plan, error); // the reference alone, for its stiffness
    if (status == MRC_OK) status = study_run(&plan, &o, study, error);
    if (status == MRC_OK && !(s.reference > 0))
        status =
            error_set(error, MRC_USAGE, "the reference stiffness is not known: give it with --reference");
    if (status == MRC_OK) {
        mrc_study_free(study);
        s.all = true, plan.unfinished = false;
        status = size_plan(&s, &plan, error);
        if (status == MRC_OK) status = study_run(&plan, &o, study, error);
    }
    if (s.arena) arena_destroy(s.arena);
    return status;
}
