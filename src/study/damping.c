// Damping from a recorded free decay: the decrement over the amplitude (decay.c), and the spectrum of the signal.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/quantity.h"
#include "maraca/study.h"
#include "math/table.h"
#include "output/page.h"
#include "output/plot.h"
#include "output/text_table.h"
#include "study/decay.h"
#include "study/picture.h"
#include "study/spectrum.h"

typedef struct Damping {
    Arena *arena;
    TableSamples samples;
    size_t first, count; // of the samples that are looked at
    char unit[64];
    Decay decay;
    Spectrum spectrum;
} Damping;

// ---- reading -------------------------------------------------------------------------------------
static MrcStatus damping_read(Damping *d, const char *path, const MrcDampingOptions *o, MrcError *error) {
    struct stat status;
    char file[1100];
    bool folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    snprintf(file, sizeof file, "%s%s", path, folder ? "/series.csv" : "");
    if (!o->signal) return error_set(error, MRC_USAGE, "the decay of what? Give e.g. --signal shell.y");
    MrcStatus outcome = table_read(file, NULL, o->signal, d->arena, &d->samples, error);
    if (outcome != MRC_OK) return outcome;
    double to = o->to > 0 ? o->to : INFINITY;
    while (d->first < d->samples.count && d->samples.times[d->first] < o->from) d->first++;
    while (d->first + d->count < d->samples.count && d->samples.times[d->first + d->count] <= to) d->count++;
    if (d->count < 8 && isinf(to))
        return error_set(error, MRC_USAGE, "'%s' has fewer than 8 samples from %g s on", file, o->from);
    if (d->count < 8)
        return error_set(error, MRC_USAGE, "'%s' has fewer than 8 samples between %g s and %g s", file,
                         o->from, to);
    if (d->samples.has_unit) dimension_unit(d->samples.units.dimension, d->unit, sizeof d->unit);
    else snprintf(d->unit, sizeof d->unit, "1");
    return MRC_OK;
}

// Rounding of numbers with nine digits makes a damping ratio of this size.
static const double damping_least = 1e-9;

// ---- the report ----------------------------------------------------------------------------------
static void damping_row_facts(const DecayRow *row, const char *unit, FactList *list) {
    fact_number(list, "time_s", row->time, "s", "time of its middle");
    fact_number(list, "amplitude", row->amplitude, unit, "amplitude there");
    fact_number_with_error(list, "decrement", row->decrement, row->decrement_interval, "1",
                           "logarithmic decrement");
    fact_number(list, "decrement_interval", row->decrement_interval, "1", "half of its 95 % interval");
    fact_number(list, "damping_ratio", row->damping_ratio, "1", "damping ratio");
    fact_number(list, "capacity", row->capacity, "1", "specific damping capacity");
    fact_number(list, "frequency_hz", row->frequency, "Hz", "frequency");
}

static void damping_facts(const Damping *d, const MrcDampingOptions *o, FactList *list) {
    fact_text(list, "signal", o->signal, "signal");
    fact_text(list, "doubt", d->decay.doubt, "why it should not be trusted");
    fact_flag(list, "depends_on_amplitude", d->decay.depends, "the damping depends on the amplitude");
    fact_number(list, "noise", d->decay.noise, d->unit, "standard deviation of the noise");
    fact_flag(list, "ends_in_noise", d->decay.in_noise, "amplitudes below ten times the noise were left out");
    fact_group_begin(list, "whole");
    damping_row_facts(&d->decay.whole, d->unit, list);
    fact_group_end(list);
    fact_array_begin(list, "rows");
    for (size_t i = 0; i < d->decay.rows.count; i++) {
        fact_group_begin(list, NULL);
        damping_row_facts(&d->decay.rows.data[i], d->unit, list);
        fact_group_end(list);
    }
    fact_group_end(list);
}

static void damping_cells(TextTable *table, const DecayRow *row, const char *unit) {
    char buffer[QUANTITY_SIZE], half[QUANTITY_SIZE], cell[2 * QUANTITY_SIZE + 8];
    text_table_cell(table, quantity_text(buffer, row->amplitude, unit, 3));
    text_table_cell(table, quantity_text(buffer, row->frequency, "Hz", 5));
    quantity_number(buffer, row->decrement, 4);
    if (isfinite(row->decrement_interval))
        snprintf(cell, sizeof cell, "%s +- %s", buffer, quantity_number(half, row->decrement_interval, 2));
    else snprintf(cell, sizeof cell, "%s", buffer);
    text_table_cell(table, cell);
    text_table_cell(table, quantity_percent(buffer, row->damping_ratio, 3));
    text_table_cell(table, quantity_percent(buffer, row->capacity, 3));
}

static char *damping_report(const Damping *d, const char *folder) {
    static const char *const titles[] = {"amplitude", "frequency", "decrement", "damping ratio",
                                         "lost per cycle"};
    Text text = {0};
    TextTable table = {.align = "rrrrr"};
    for (int i = 0; i < 5; i++) text_table_cell(&table, titles[i]);
    for (size_t i = 0; i < d->decay.rows.count; i++) damping_cells(&table, &d->decay.rows.data[i], d->unit);
    text_table_add(&text, "  ", &table);
    text_table_free(&table);
    char ratio[QUANTITY_SIZE], noise[QUANTITY_SIZE];
    if (fabs(d->decay.whole.damping_ratio) < damping_least)
        text_add_string(&text, "\n  all of it: no damping that could be measured\n");
    else
        text_add(&text, "\n  all of it: damping ratio %s\n",
                 quantity_percent(ratio, d->decay.whole.damping_ratio, 4));
    if (d->decay.doubt) text_add(&text, "  not to be trusted: %s\n", d->decay.doubt);
    if (d->decay.depends) text_add_string(&text, "  the damping depends on the amplitude: see the table\n");
    if (d->decay.in_noise)
        text_add(&text, "  left out: amplitudes below ten times the noise, which is %s r.m.s.\n",
                 quantity_text(noise, d->decay.noise, d->unit, 2));
    if (folder)
        text_add(&text, "\n  results in %s: damping.json, decay.csv, spectrum.csv, report.html\n", folder);
    return text_take(&text);
}

// ---- files ---------------------------------------------------------------------------------------
static void damping_add_numbers(Text *text, const double *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char digits[TEXT_NUMBER_SIZE];
        text_number(digits, values[i]);
        text_add(text, "%s%s", isfinite(values[i]) ? digits : "", i + 1 < count ? "," : "\n");
    }
}

static MrcStatus damping_write(const char *folder, const char *name, const char *content, MrcError *error) {
    FileWriter writer;
    char path[1100];
    if (!content) return error_memory(error, "the results");
    snprintf(path, sizeof path, "%s/%s", folder, name);
    MrcStatus status = file_open(&writer, path, error);
    if (status != MRC_OK) return status;
    fputs(content, writer.stream);
    return file_commit(&writer, error);
}

static MrcStatus damping_write_files(const Damping *d, const char *folder, const char *json,
                                     MrcError *error) {
    Text decay = {0}, spectrum = {0};
    text_add(
        &decay,
        "t[s],amplitude[%s],decrement[1],decrement.interval[1],damping_ratio[1],capacity[1],frequency[Hz]\n",
        d->unit);
    for (size_t i = 0; i < d->decay.rows.count; i++) {
        const DecayRow *r = &d->decay.rows.data[i];
        const double values[] = {r->time,          r->amplitude, r->decrement, r->decrement_interval,
                                 r->damping_ratio, r->capacity,  r->frequency};
        damping_add_numbers(&decay, values, sizeof values / sizeof *values);
    }
    text_add(&spectrum, "f[Hz],amplitude[%s]\n", d->unit);
    for (size_t k = 0; k < d->spectrum.count; k++) {
        const double values[] = {(double)k * d->spectrum.spacing, d->spectrum.amplitude[k]};
        damping_add_numbers(&spectrum, values, 2);
    }
    MrcStatus status = file_make_folder(folder, error);
    if (status == MRC_OK) status = damping_write(folder, "damping.json", json, error);
    if (status == MRC_OK)
        status = damping_write(folder, "decay.csv", decay.failed ? NULL : decay.data, error);
    if (status == MRC_OK)
        status = damping_write(folder, "spectrum.csv", spectrum.failed ? NULL : spectrum.data, error);
    text_free(&decay);
    text_free(&spectrum);
    return status;
}

static MrcStatus damping_draw(const Damping *d, const char *signal_name, const char *folder, bool *made,
                              MrcError *error) {
    Plot plot = {0};
    PlotPanel *motion = plot_add_panel(&plot), *ratio = motion ? plot_add_panel(&plot) : NULL;
    PlotSeries *signal = ratio ? plot_add_series(&plot.panels.data[0]) : NULL;
    PlotSeries *rows = signal ? plot_add_series(&plot.panels.data[1]) : NULL;
    bool good = rows != NULL;
    for (size_t i = 0; i < d->count && good; i++) {
        size_t k = d->first + i;
        good = array_push(&signal->points, (PlotPoint){d->samples.times[k], d->samples.values[k], NAN, NAN});
    }
    for (size_t i = 0; i < d->decay.rows.count && good; i++) {
        const DecayRow *r = &d->decay.rows.data[i];
        double low = decay_damping_ratio(r->decrement - r->decrement_interval);
        double high = decay_damping_ratio(r->decrement + r->decrement_interval);
        good = array_push(&rows->points, (PlotPoint){r->amplitude, r->damping_ratio, low, high});
    }
    MrcStatus status = good ? MRC_OK : error_memory(error, "the picture");
    if (good) {
        char amplitude[100], name[200];
        snprintf(name, sizeof name, "%s [%s]", signal_name, d->unit);
        snprintf(amplitude, sizeof amplitude, "amplitude [%s]", d->unit);
        rows->style = PLOT_LINE_POINTS;
        plot.panels.data[0].x = "t [s]", plot.panels.data[0].y = name;
        plot.panels.data[1].x = amplitude, plot.panels.data[1].y = "damping ratio";
        if (d->decay.rows.count == 0) plot.panels.count = 1, array_free(&plot.panels.data[1].series);
        status = plot_write(&plot, folder, "decay", made, error);
    }
    plot_free(&plot);
    return status;
}

// ---- the whole -----------------------------------------------------------------------------------
static MrcStatus damping_analyse(Damping *d, const MrcDampingOptions *o, MrcStudy *study, MrcError *error) {
    const double *t = d->samples.times + d->first, *x = d->samples.values + d->first;
    int cycles = o->cycles > 0 ? o->cycles : 4;
    double step = (t[d->count - 1] - t[0]) / (double)(d->count - 1);
    if (!decay_analyse(t, x, d->count, cycles, o->floor > 0 ? o->floor : 0.01, &d->decay) ||
        !spectrum_make(x, d->count, step, &d->spectrum))
        return error_memory(error, "the decay");
    study->points = study->done = (int)d->decay.rows.count;
    study->facts = facts_create();
    if (!study->facts) return error_memory(error, "the results");
    damping_facts(d, o, &study->facts->list);
    study->json = json_of_facts(&study->facts->list);
    study->report = damping_report(d, o->folder);
    if (!study->json || !study->report) return error_memory(error, "the results");
    bool made = true;
    MrcStatus status = o->folder ? damping_write_files(d, o->folder, study->json, error) : MRC_OK;
    if (o->folder && status == MRC_OK) status = damping_draw(d, o->signal, o->folder, &made, error);
    const PageItem items[] = {{"report", study->report, true}};
    if (o->folder && status == MRC_OK) status = page_write_report(o->folder, items, 1, error);
    return made || status != MRC_OK ? status : picture_tell_missing(&study->report, error);
}

MrcStatus mrc_damping(const char *path, const MrcDampingOptions *options, MrcStudy *study, MrcError *error) {
    MrcDampingOptions o = mrc_damping_options_default();
    MrcError own;
    Damping d = {.arena = arena_create()};
    memcpy(&o, options, options->size > 0 && options->size < sizeof o ? options->size : sizeof o);
    if (!error) error = &own;
    *study = (MrcStudy){0};
    if (d.arena && !(o.floor >= 0 && o.floor < 1)) {
        arena_destroy(d.arena);
        return error_set(error, MRC_USAGE,
                         "--floor is a part of the largest amplitude, such as 0.01, and below 1, not %g",
                         o.floor);
    }
    MrcStatus status = d.arena ? damping_read(&d, path, &o, error) : error_memory(error, "the samples");
    if (status == MRC_OK) status = damping_analyse(&d, &o, study, error);
    decay_free(&d.decay);
    spectrum_free(&d.spectrum);
    if (d.arena) arena_destroy(d.arena);
    return status;
}
