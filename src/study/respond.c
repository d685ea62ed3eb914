// The response of a structure with damper elements: balance.c at every frequency, followed upwards and downwards.
//
// Of several possible amplitudes, the one nearest to that of the frequency before is taken, in the logarithm; a branch that
// ends makes the response jump, upwards at another frequency than downwards. The band is the smallest and largest
// amplitude when effective mass and dashpot of all elements are shifted by their intervals, in all four combinations, and
// at least 2 % on both sides. When the structure is a table of receptances, it also reaches to the amplitude that every
// second line of the table gives.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/number.h"
#include "base/quantity.h"
#include "output/page.h"
#include "output/plot.h"
#include "study/balance.h"
#include "study/picture.h"
#include "study/structure.h"

typedef struct RespondRow {
    double frequency;
    double up, down;     // amplitude [m]
    double lower, upper; // band of both
    double phase;        // of the upward one before the force [rad]
    double bare, fixed;  // without dampers, and with the mass of their grains fixed
    bool several, outside;
    bool rough; // every second line of the table of receptances gives an amplitude beyond the band
} RespondRow;

typedef struct Respond {
    Arena *arena;
    Structure *structure;
    DamperElement *elements;
    BalanceDamper *dampers;
    int damper_count;
    RespondRow *rows;
    Receptance *receptances;
    int count;
    double force; // [N]
} Respond;

// ---- reading -------------------------------------------------------------------------------------
// "3*element.json": three of them.
static MrcStatus respond_read_dampers(Respond *r, const MrcRespondOptions *o, MrcError *error) {
    r->elements = calloc((size_t)o->damper_count + 1, sizeof *r->elements);
    r->dampers = calloc((size_t)o->damper_count + 1, sizeof *r->dampers);
    if (!r->elements || !r->dampers) return error_memory(error, "the dampers");
    for (int i = 0; i < o->damper_count; i++) {
        const char *path = o->dampers[i];
        char *end;
        double count = number_read(path, &end);
        if (end != path && *end == '*') path = end + 1;
        else count = 1;
        if (!(count > 0 && count <= 1e6 && count == floor(count)))
            return error_set(error, MRC_USAGE,
                             "'%s': how many dampers? 3*FILE stands for three of them; their number is whole",
                             o->dampers[i]);
        MrcStatus status = element_read(&r->elements[i], path, error);
        if (status != MRC_OK) return status;
        r->dampers[r->damper_count++] = (BalanceDamper){&r->elements[i], count};
    }
    return MRC_OK;
}

static MrcStatus respond_read_frequencies(Respond *r, const char *text, MrcError *error) {
    StudyAxis axis = {0};
    int count;
    const double *own = structure_frequencies(r->structure, &count);
    if (!text && !own)
        return error_set(error, MRC_USAGE, "which frequencies? Give e.g. --frequency '10:30:201 Hz'");
    if (text) {
        MrcStatus status = study_axis_read(text, "frequency", r->arena, &axis, error);
        if (status != MRC_OK) return status;
        count = axis.count;
    }
    r->count = count;
    r->rows = calloc((size_t)count, sizeof *r->rows);
    r->receptances = calloc((size_t)count, sizeof *r->receptances);
    if (!r->rows || !r->receptances) return error_memory(error, "the response");
    for (int i = 0; i < count; i++) {
        double *f = &r->rows[i].frequency;
        MrcStatus status = text ? study_value_to_si(&axis.values[i], "Hz", f, error) : MRC_OK;
        if (!text) *f = own[i];
        if (status != MRC_OK) return status;
        if (!(*f > 0) || (i > 0 && !(*f > r->rows[i - 1].frequency)))
            return error_set(error, MRC_USAGE, "frequencies must be positive and rise");
        status = structure_receptance(r->structure, *f, &r->receptances[i], error);
        if (status != MRC_OK) return status;
    }
    return MRC_OK;
}

// ---- solving -------------------------------------------------------------------------------------
static Balance respond_balance(const Respond *r, int row) {
    return (Balance){.frequency = r->rows[row].frequency,
                     .own = r->receptances[row].own,
                     .free = r->receptances[row].force * r->force,
                     .dampers = r->dampers,
                     .damper_count = r->damper_count};
}

// Every other root is unstable: there a larger amplitude needs a smaller force (balance.c), and no motion stays.
static double respond_nearest(const double *roots, int count, double to) {
    int best = 0;
    for (int i = 2; i < count; i += 2)
        if (fabs(log(roots[i] / to)) < fabs(log(roots[best] / to))) best = i;
    return roots[best];
}

static const double respond_least =
    0.02; // of the amplitude: what one harmonic and a map with another step leave out

static void respond_widen(RespondRow *row, Balance b) {
    static const double corners[4][2] = {{-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
    row->lower = (1 - respond_least) * fmin(row->up, row->down);
    row->upper = (1 + respond_least) * fmax(row->up, row->down);
    for (int k = 0; k < 4; k++) {
        double roots[BALANCE_ROOTS_MAX];
        b.mass_side = corners[k][0], b.dashpot_side = corners[k][1];
        int count = balance_solve(&b, roots);
        double up = respond_nearest(roots, count, row->up), down = respond_nearest(roots, count, row->down);
        row->lower = fmin(row->lower, fmin(up, down));
        row->upper = fmax(row->upper, fmax(up, down));
    }
}

// The force acts where the dampers are when the structure is a table.
static void respond_widen_by_table(RespondRow *row, Balance b, const Receptance *receptance, double force) {
    if (receptance->rough == receptance->own) return;
    double roots[BALANCE_ROOTS_MAX];
    b.own = receptance->rough, b.free = receptance->rough * force;
    int count = balance_solve(&b, roots);
    double up = respond_nearest(roots, count, row->up), down = respond_nearest(roots, count, row->down);
    double low = fmin(up, down), high = fmax(up, down);
    row->rough = low < row->lower || high > row->upper;
    row->lower = fmin(row->lower, low), row->upper = fmax(row->upper, high);
}

static void respond_solve(Respond *r) {
    double grains = 0, last_up = NAN, last_down = NAN;
    for (int i = 0; i < r->damper_count; i++) grains += r->dampers[i].count * r->dampers[i].element->grains;
    for (int k = 0; k < r->count; k++) { // upwards; from the lowest branch
        Balance b = respond_balance(r, k);
        double roots[BALANCE_ROOTS_MAX], w = 2 * 3.14159265358979323846 * b.frequency;
        int count = balance_solve(&b, roots);
        RespondRow *row = &r->rows[k];
        row->several = count > 1;
        row->up = last_up = isnan(last_up) ? roots[0] : respond_nearest(roots, count, last_up);
        row->bare = cabs(b.free);
        row->fixed = cabs(b.free / (1 - b.own * w * w * grains));
        row->phase = carg(balance_displacement(&b, row->up));
        row->outside = balance_is_outside(&b, row->up);
    }
    for (int k = r->count - 1; k >= 0; k--) {
        Balance b = respond_balance(r, k);
        double roots[BALANCE_ROOTS_MAX];
        int count = balance_solve(&b, roots);
        RespondRow *row = &r->rows[k];
        row->down = last_down = isnan(last_down) ? roots[0] : respond_nearest(roots, count, last_down);
        respond_widen(row, b);
        respond_widen_by_table(row, b, &r->receptances[k], r->force);
    }
}

// ---- the report ----------------------------------------------------------------------------------
typedef struct RespondPeak {
    double amplitude, frequency;
    const RespondRow *row;
} RespondPeak;

static RespondPeak respond_peak(const Respond *r, size_t offset) {
    RespondPeak peak = {-1, 0, NULL};
    for (int k = 0; k < r->count; k++) {
        double value = *(const double *)((const char *)&r->rows[k] + offset);
        if (value > peak.amplitude) peak = (RespondPeak){value, r->rows[k].frequency, &r->rows[k]};
    }
    return peak;
}

static void respond_facts(const Respond *r, FactList *list) {
    static const struct {
        const char *name, *words;
        size_t offset;
    } peaks[] = {{"without", "without dampers", offsetof(RespondRow, bare)},
                 {"fixed", "with the mass of the grains fixed", offsetof(RespondRow, fixed)},
                 {"up", "with dampers, upwards", offsetof(RespondRow, up)},
                 {"down", "with dampers, downwards", offsetof(RespondRow, down)}};
    int several = 0, outside = 0, rough = 0;
    double dampers = 0;
    for (int i = 0; i < r->damper_count; i++) dampers += r->dampers[i].count;
    fact_number(list, "force_N", r->force, "N", "force");
    fact_count(list, "dampers", (int64_t)dampers, "dampers");
    fact_group_begin(list, "peaks");
    for (size_t i = 0; i < sizeof peaks / sizeof *peaks; i++) {
        RespondPeak peak = respond_peak(r, peaks[i].offset);
        fact_group_begin(list, peaks[i].name);
        fact_number(list, "amplitude_m", peak.amplitude, "m", peaks[i].words);
        fact_number(list, "frequency_hz", peak.frequency, "Hz", "its frequency");
        if (i >= 2) fact_number(list, "lower_m", peak.row->lower, "m", "lower end of the band there");
        if (i >= 2) fact_number(list, "upper_m", peak.row->upper, "m", "upper end of the band there");
        fact_group_end(list);
    }
    fact_group_end(list);
    for (int k = 0; k < r->count; k++)
        several += r->rows[k].several, outside += r->rows[k].outside, rough += r->rows[k].rough;
    fact_count(list, "frequencies", r->count, "frequencies");
    fact_count(list, "several", several, "frequencies with several possible amplitudes");
    fact_count(list, "outside", outside, "frequencies at which amplitude or frequency is outside of the map");
    fact_count(list, "rough", rough, "frequencies for which the lines of the receptance are too far apart");
}

static char *respond_report(const FactList *facts, const char *folder) {
    static const char *const names[] = {"without", "fixed", "up", "down"};
    Text text = {0};
    bool damped = fact_find(facts, "dampers")->count > 0;
    for (int i = 0; i < (damped ? 4 : 1); i++) {
        char group[32], amplitude[QUANTITY_SIZE], low[QUANTITY_SIZE], high[QUANTITY_SIZE],
            frequency[QUANTITY_SIZE];
        snprintf(group, sizeof group, "peaks.%s", names[i]);
        const MrcFact *a = fact_find_in(facts, group, "amplitude_m"),
                      *f = fact_find_in(facts, group, "frequency_hz");
        const char *band = damped ? group : "peaks.up"; // without dampers, it is the same amplitude
        const MrcFact *lower = fact_find_in(facts, band, "lower_m"),
                      *upper = fact_find_in(facts, band, "upper_m");
        text_add(&text, "  largest amplitude %-34s %s at %s", a->words,
                 quantity_text(amplitude, a->number, "m", 4), quantity_text(frequency, f->number, "Hz", 5));
        if (lower)
            text_add(&text, ", between %s and %s", quantity_text(low, lower->number, "m", 4),
                     quantity_text(high, upper->number, "m", 4));
        text_add_string(&text, "\n");
    }
    if (!damped) text_add_string(&text, "  no --damper was given: this is the structure alone\n");
    const MrcFact *several = fact_find(facts, "several"), *outside = fact_find(facts, "outside");
    const MrcFact *rough = fact_find(facts, "rough"), *all = fact_find(facts, "frequencies");
    if (several->count > 0)
        text_add(&text, "  at %lld frequencies several amplitudes are possible: the response jumps\n",
                 (long long)several->count);
    if (outside->count > 0)
        text_add(&text,
                 "  at %lld of %lld frequencies amplitude or frequency is outside of the map: values of its "
                 "ends were "
                 "taken, and the "
                 "band means little there\n",
                 (long long)outside->count, (long long)all->count);
    if (rough->count > 0)
        text_add(&text,
                 "  at %lld of %lld frequencies every second line of the receptance gives another amplitude: "
                 "its lines are too far apart, and the band reaches to that amplitude\n",
                 (long long)rough->count, (long long)all->count);
    if (folder) text_add(&text, "\n  results in %s: respond.csv, respond.json, report.html\n", folder);
    return text_take(&text);
}

static char *respond_csv(const Respond *r) {
    Text text = {0};
    text_add_string(&text,
                    "f[Hz],up[m],down[m],lower[m],upper[m],phase[rad],without[m],fixed[m],several,outside\n");
    for (int k = 0; k < r->count; k++) {
        const RespondRow *row = &r->rows[k];
        const double values[] = {row->frequency, row->up,    row->down, row->lower,
                                 row->upper,     row->phase, row->bare, row->fixed};
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            char digits[TEXT_NUMBER_SIZE];
            text_number(digits, values[i]);
            text_add(&text, "%s,", digits);
        }
        text_add(&text, "%d,%d\n", row->several, row->outside);
    }
    return text_take(&text);
}

static MrcStatus respond_write(const char *folder, const char *name, const char *content, MrcError *error) {
    FileWriter writer;
    char path[1100];
    if (!content) return error_memory(error, "the response");
    MrcStatus status = file_make_folder(folder, error);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (status == MRC_OK) status = file_open(&writer, path, error);
    if (status != MRC_OK) return status;
    fputs(content, writer.stream);
    return file_commit(&writer, error);
}

static bool respond_add_curve(const Respond *r, PlotPanel *panel, const char *name, PlotStyle style,
                              size_t offset) {
    PlotSeries *series = plot_add_series(panel);
    if (!series) return false;
    series->name = name, series->style = style;
    for (int k = 0; k < r->count; k++) {
        const RespondRow *row = &r->rows[k];
        double value = *(const double *)((const char *)row + offset);
        if (!array_push(&series->points, (PlotPoint){row->frequency, value, row->lower, row->upper}))
            return false;
    }
    return true;
}

static MrcStatus respond_draw(const Respond *r, const char *folder, bool *made, MrcError *error) {
    Plot plot = {0};
    PlotPanel *panel = plot_add_panel(&plot);
    bool good = panel && respond_add_curve(r, panel, "band", PLOT_BAND, offsetof(RespondRow, up));
    if (good && r->damper_count > 0)
        good = respond_add_curve(r, panel, "with dampers, upwards", PLOT_LINE, offsetof(RespondRow, up)) &&
               respond_add_curve(r, panel, "downwards", PLOT_LINE, offsetof(RespondRow, down)) &&
               respond_add_curve(r, panel, "grains fixed", PLOT_LINE, offsetof(RespondRow, fixed));
    good = good && respond_add_curve(r, panel, "without dampers", PLOT_LINE, offsetof(RespondRow, bare));
    if (good) panel->x = "frequency [Hz]", panel->y = "amplitude [m]", panel->log_y = true;
    MrcStatus status =
        good ? plot_write(&plot, folder, "respond", made, error) : error_memory(error, "the picture");
    plot_free(&plot);
    return status;
}

static MrcStatus respond_tell(const Respond *r, const char *folder, MrcStudy *study, MrcError *error) {
    study->points = study->done = r->count;
    study->facts = facts_create();
    if (!study->facts) return error_memory(error, "the response");
    respond_facts(r, &study->facts->list);
    study->json = json_of_facts(&study->facts->list);
    study->report = study->json ? respond_report(&study->facts->list, folder) : NULL;
    if (!study->report) return error_memory(error, "the response");
    if (!folder) return MRC_OK;
    char *csv = respond_csv(r);
    MrcStatus status = respond_write(folder, "respond.csv", csv, error);
    free(csv);
    bool made = true;
    if (status == MRC_OK) status = respond_write(folder, "respond.json", study->json, error);
    if (status == MRC_OK) status = respond_draw(r, folder, &made, error);
    const PageItem items[] = {{"report", study->report, true}};
    if (status == MRC_OK) status = page_write_report(folder, items, 1, error);
    return made || status != MRC_OK ? status : picture_tell_missing(&study->report, error);
}

static MrcStatus respond_read(Respond *r, const char *structure, const MrcRespondOptions *o,
                              MrcError *error) {
    StudyAxis force;
    if (!o->force) return error_set(error, MRC_USAGE, "how large is the force? Give e.g. --force '0.25 N'");
    MrcStatus status = study_axis_read(o->force, "force", r->arena, &force, error);
    if (status == MRC_OK) status = study_value_to_si(&force.values[0], "N", &r->force, error);
    if (status == MRC_OK && (force.count != 1 || !(r->force > 0)))
        status = error_set(error, MRC_USAGE, "--force takes one positive value");
    if (status == MRC_OK) status = respond_read_dampers(r, o, error);
    if (status == MRC_OK)
        status = structure_open(structure, o->at, o->force_at, o->overrides, o->override_count, &r->structure,
                                error);
    return status == MRC_OK ? respond_read_frequencies(r, o->frequency, error) : status;
}

MrcStatus mrc_respond(const char *structure, const MrcRespondOptions *options, MrcStudy *study,
                      MrcError *error) {
    MrcRespondOptions o = mrc_respond_options_default();
    MrcError own;
    Respond r = {.arena = arena_create()};
    memcpy(&o, options, options->size > 0 && options->size < sizeof o ? options->size : sizeof o);
    if (!error) error = &own;
    *study = (MrcStudy){0};
    MrcStatus status = r.arena ? respond_read(&r, structure, &o, error) : error_memory(error, "the response");
    if (status == MRC_OK) {
        respond_solve(&r);
        status = respond_tell(&r, o.folder, study, error);
    }
    for (int i = 0; i < r.damper_count; i++) element_free(&r.elements[i]);
    structure_free(r.structure);
    free(r.elements), free(r.dampers), free(r.rows), free(r.receptances);
    if (r.arena) arena_destroy(r.arena);
    return status;
}
