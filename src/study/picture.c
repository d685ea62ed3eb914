// A grid has one panel per measure: means with the intervals of the beds over the column with the most values, one line
// for each combination of the others. Candidates of a search, which lie anywhere, have one panel per variable instead: the
// first measure over it.
#include "study/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "output/plot.h"

const char picture_missing[] = "no picture was drawn: gnuplot is not installed (package gnuplot-nox)";

enum { PICTURE_PANELS_MAX = 6, PICTURE_SERIES_MAX = 24 };

// One line of the table: what distinguishes it, as columns with the rows of a run behind those of the points.
typedef struct PictureLine {
    int point, row;
} PictureLine;

static int picture_columns(const StudyTable *t) { return t->plan->column_count + (t->plan->row_count > 0); }

static const StudyColumn *picture_column(const StudyTable *t, int column) {
    return column < t->plan->column_count ? &t->plan->columns[column] : &t->plan->row_column;
}

static const StudyValue *picture_label(const StudyTable *t, PictureLine line, int column) {
    return column < t->plan->column_count ? &t->plan->points[line.point].labels[column]
                                          : &t->plan->rows[line.row];
}

static PictureLine picture_line(const StudyTable *t, int number) {
    return (PictureLine){number / study_table_rows(t), number % study_table_rows(t)};
}

static int picture_line_count(const StudyTable *t) { return t->plan->point_count * study_table_rows(t); }

static int picture_compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// How many different numbers a column has, and their range; 0: it has texts.
static int picture_values(const StudyTable *t, int column, double *least, double *largest) {
    int count = picture_line_count(t), different = 0;
    double *values = calloc((size_t)count + 1, sizeof *values);
    if (!picture_column(t, column)->unit || !values) {
        free(values);
        return 0;
    }
    for (int i = 0; i < count; i++) values[i] = picture_label(t, picture_line(t, i), column)->number;
    qsort(values, (size_t)count, sizeof *values, picture_compare);
    for (int i = 0; i < count; i++) different += i == 0 || values[i] != values[i - 1];
    *least = values[0], *largest = values[count - 1];
    free(values);
    return different;
}

// The column to draw over; -1: none.
static int picture_choose(const StudyTable *t) {
    int best = -1, most = 1;
    double least, largest;
    for (int c = 0; c < picture_columns(t); c++) {
        int different = picture_values(t, c, &least, &largest);
        if (different > most || (different == most && best >= 0 && c == t->plan->column_count))
            best = c, most = different;
    }
    return best;
}

static bool picture_is_like(const StudyTable *t, PictureLine a, PictureLine b, int but) {
    for (int c = 0; c < picture_columns(t); c++)
        if (c != but && strcmp(picture_label(t, a, c)->text, picture_label(t, b, c)->text) != 0) return false;
    return true;
}

static const char *picture_name(const StudyTable *t, PictureLine line, int but, Arena *arena) {
    const char *name = NULL;
    for (int c = 0; c < picture_columns(t); c++) {
        const char *path = picture_column(t, c)->name, *dot = strrchr(path, '.');
        if (c == but) continue;
        name = arena_printf(arena, "%s%s%s = %s", name ? name : "", name ? ", " : "", dot ? dot + 1 : path,
                            picture_label(t, line, c)->text);
    }
    return name;
}

static bool picture_add_point(const StudyTable *t, PictureLine line, int column, const char *measure,
                              PlotSeries *series) {
    Estimate e = study_table_estimate(t, line.point, line.row, measure);
    if (!isfinite(e.mean)) return true;
    PlotPoint point = {picture_label(t, line, column)->number, e.mean, NAN, NAN};
    if (isfinite(e.interval)) point.low = e.mean - e.interval, point.high = e.mean + e.interval;
    return array_push(&series->points, point);
}

static const char *picture_axis(const StudyColumn *column, Arena *arena) {
    return *column->unit ? arena_printf(arena, "%s [%s]", column->name, column->unit) : column->name;
}

// `alone`: all lines are one series of points.
static bool picture_panel(const StudyTable *t, int column, const StudyMeasure *measure, bool alone,
                          Arena *arena, Plot *plot) {
    PlotPanel *panel = plot_add_panel(plot);
    double least = 0, largest = 0;
    int count = picture_line_count(t);
    if (!panel) return false;
    picture_values(t, column, &least, &largest);
    panel->log_x = least > 0 && largest > 30 * least;
    panel->x = picture_axis(picture_column(t, column), arena);
    panel->y = strcmp(measure->unit, "1") == 0 ? measure->name
                                               : arena_printf(arena, "%s [%s]", measure->name, measure->unit);
    for (int i = 0; i < count && panel->series.count < PICTURE_SERIES_MAX; i++) {
        bool first = i == 0 || !alone;
        for (int j = 0; j < i && first; j++)
            first = !picture_is_like(t, picture_line(t, i), picture_line(t, j), column);
        if (!first) continue;
        PlotSeries *series = plot_add_series(panel);
        if (!series) return false;
        series->style = alone ? PLOT_POINTS : PLOT_LINE_POINTS;
        series->name = alone ? NULL : picture_name(t, picture_line(t, i), column, arena);
        for (int j = i; j < count; j++)
            if ((alone || picture_is_like(t, picture_line(t, i), picture_line(t, j), column)) &&
                !picture_add_point(t, picture_line(t, j), column, measure->name, series))
                return false;
    }
    return true;
}

// The point that was found best, in the panel over this column.
static bool picture_mark_winner(const StudyTable *t, int column, PlotPanel *panel) {
    int point = t->plan->winner ? t->plan->winner(t->plan, t) : -1;
    if (point < 0) return true;
    PlotSeries *series = plot_add_series(panel);
    if (!series) return false;
    series->style = PLOT_POINTS, series->name = "best";
    return picture_add_point(t, (PictureLine){.point = point}, column, t->measures[0].name, series);
}

static bool picture_panels(const StudyTable *t, Arena *arena, Plot *plot) {
    double least, largest;
    if (t->plan->scattered) {
        for (int c = 0; c < t->plan->column_count && plot->panels.count < PICTURE_PANELS_MAX; c++)
            if (picture_values(t, c, &least, &largest) > 1 &&
                !(picture_panel(t, c, &t->measures[0], true, arena, plot) &&
                  picture_mark_winner(t, c, &plot->panels.data[plot->panels.count - 1])))
                return false;
        return true;
    }
    int column = picture_choose(t);
    for (int m = 0; column >= 0 && m < t->measure_count && plot->panels.count < PICTURE_PANELS_MAX; m++)
        if (!picture_panel(t, column, &t->measures[m], false, arena, plot)) return false;
    return true;
}

MrcStatus picture_tell_missing(char **report, MrcError *error) {
    Text text = {0};
    text_add(&text, "%s  %s\n", *report, picture_missing);
    char *longer = text_take(&text);
    if (!longer) return error_memory(error, "the report");
    free(*report);
    *report = longer;
    return MRC_OK;
}

MrcStatus picture_write(const StudyTable *table, const char *folder, bool *made, MrcError *error) {
    Plot plot = {0};
    Arena *arena = arena_create();
    *made = true;
    bool good = arena && (table->measure_count == 0 || picture_panels(table, arena, &plot));
    MrcStatus status = good ? MRC_OK : error_memory(error, "the picture");
    if (good && plot.panels.count > 0) status = plot_write(&plot, folder, "study", made, error);
    plot_free(&plot);
    if (arena) arena_destroy(arena);
    return status;
}
