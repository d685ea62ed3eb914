// Between samples i and i + 1, h_i = t_(i+1) - t_i apart, a table is the cubic with the values y and the
// slopes s of both ends. With d_i = (y_(i+1) - y_i)/h_i and x = t - t_i,
//
//     y_i + s_i x + (3 d_i - 2 s_i - s_(i+1))/h_i x^2 + (s_i + s_(i+1) - 2 d_i)/h_i^2 x^3.
//
// The second derivative is continuous when, at every inner sample,
//
//     h_i s_(i-1) + 2 (h_(i-1) + h_i) s_i + h_(i-1) s_(i+1) = 3 (h_i d_(i-1) + h_(i-1) d_i).
//
// At the ends the third derivative is continuous across the second and the last but one sample ("not a
// knot"), so that every polynomial of degree three is met exactly; the natural spline, with second
// derivatives of zero at the ends, is of second order there only. Periodic tables have the equation above at
// the first sample, too. (de Boor, A Practical Guide to Splines, revised ed., 2001, chapter IV,
// doi:10.1007/978-1-4612-6333-3.)
//
// Linear interpolation is the same with s_i = s_(i+1) = d_i.
#include "math/table.h"

#include <math.h>

// ---- slopes --------------------------------------------------------------------------------------
// Row i of the equations: before x_(i-1) + own x_i + after x_(i+1) = right.
typedef struct TableRow {
    double before, own, after, right;
} TableRow;

// Solves in place, without pivoting; the solution is left in `right`.
static void table_solve(TableRow *rows, size_t count) {
    for (size_t i = 1; i < count; i++) {
        double factor = rows[i].before / rows[i - 1].own;
        rows[i].own -= factor * rows[i - 1].after;
        rows[i].right -= factor * rows[i - 1].right;
    }
    rows[count - 1].right /= rows[count - 1].own;
    for (size_t i = count - 1; i-- > 0;)
        rows[i].right = (rows[i].right - rows[i].after * rows[i + 1].right) / rows[i].own;
}

// The condition at a sample with the intervals h and g, of slopes d and e, before and after it.
static TableRow table_inner_row(double h, double d, double g, double e) {
    return (TableRow){g, 2 * (h + g), h, 3 * (g * d + h * e)};
}

// Not a knot: at the first sample of the intervals h and g, of slopes d and e. It is the difference of the
// third derivatives with the inner row taken off, so that it has two unknowns.
static TableRow table_end_row(double h, double d, double g, double e) {
    return (TableRow){0, g, h + g, ((h + 2 * (h + g)) * g * d + h * h * e) / (h + g)};
}

static void table_open_slopes(const double *h, const double *d, size_t pieces, TableRow *rows) {
    if (pieces == 1) {
        rows[0].right = rows[1].right = d[0];
        return;
    }
    if (pieces == 2) { // the parabola through three points
        double bend = (d[1] - d[0]) / (h[0] + h[1]);
        rows[0].right = d[0] - bend * h[0];
        rows[1].right = d[0] + bend * h[0];
        rows[2].right = d[1] + bend * h[1];
        return;
    }
    size_t n = pieces;
    rows[0] = table_end_row(h[0], d[0], h[1], d[1]);
    for (size_t i = 1; i < n; i++) rows[i] = table_inner_row(h[i - 1], d[i - 1], h[i], d[i]);
    TableRow end = table_end_row(h[n - 1], d[n - 1], h[n - 2], d[n - 2]);
    rows[n] = (TableRow){end.after, end.own, 0, end.right};
    table_solve(rows, n + 1);
}

// The corners of the periodic equations are taken off as a product of two vectors u v^T and put back by the
// formula of Sherman and Morrison: (A + u v^T)^-1 r = x - z (v x)/(1 + v z), A x = r, A z = u.
static void table_periodic_slopes(const double *h, const double *d, size_t pieces, TableRow *rows,
                                  TableRow *twin) {
    size_t n = pieces;
    if (n <= 2) { // both slopes are the same
        double slope = n == 1 ? 0 : (h[0] * d[1] + h[1] * d[0]) / (h[0] + h[1]);
        for (size_t i = 0; i <= n; i++) rows[i].right = slope;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        size_t before = i > 0 ? i - 1 : n - 1;
        rows[i] = table_inner_row(h[before], d[before], h[i], d[i]);
    }
    double first = rows[0].before, last = rows[n - 1].after, pivot = -rows[0].own;
    rows[0].own -= pivot;
    rows[n - 1].own -= first * last / pivot;
    for (size_t i = 0; i < n; i++) {
        twin[i] = rows[i];
        twin[i].right = i == 0 ? pivot : i == n - 1 ? last : 0;
    }
    table_solve(rows, n);
    table_solve(twin, n);
    double factor = (rows[0].right + first / pivot * rows[n - 1].right) /
                    (1 + twin[0].right + first / pivot * twin[n - 1].right);
    for (size_t i = 0; i < n; i++) rows[i].right -= factor * twin[i].right;
    rows[n].right = rows[0].right;
}

// ---- creation ------------------------------------------------------------------------------------
static MrcStatus table_check(const double *times, const double *values, size_t count, TableOutside outside,
                             MrcError *error) {
    if (count < 2) return error_set(error, MRC_READ_FAILED, "a table needs at least two samples");
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(times[i]) || !isfinite(values[i]))
            return error_set(error, MRC_READ_FAILED, "sample %zu is not a finite number", i + 1);
        if (i > 0 && !(times[i] > times[i - 1]))
            return error_set(error, MRC_READ_FAILED, "the time of sample %zu, %g s, is not after %g s", i + 1,
                             times[i], times[i - 1]);
    }
    if (outside == TABLE_REPEAT && values[0] != values[count - 1])
        return error_set(error, MRC_READ_FAILED,
                         "the first value is %.17g and the last one %.17g; to be repeated, the last sample "
                         "must be the first one of the next period",
                         values[0], values[count - 1]);
    return MRC_OK;
}

// Slopes in rows[i].right, for samples 0 to `pieces`.
static void table_find_slopes(const double *h, const double *d, size_t pieces, TableOutside outside,
                              TableRow *rows) {
    if (outside == TABLE_REPEAT) table_periodic_slopes(h, d, pieces, rows, rows + pieces + 1);
    else table_open_slopes(h, d, pieces, rows);
}

static bool table_fill(TablePiece *pieces, size_t count, const double *values, const double *h,
                       const double *d, const TableRow *rows, TableInterpolation interpolation) {
    bool finite = true;
    for (size_t i = 0; i < count; i++) {
        double s = interpolation == TABLE_LINEAR ? d[i] : rows[i].right;
        double e = interpolation == TABLE_LINEAR ? d[i] : rows[i + 1].right;
        pieces[i] = (TablePiece){.value = values[i], .rate = s};
        if (interpolation == TABLE_CUBIC) {
            pieces[i].half_second = (3 * d[i] - 2 * s - e) / h[i];
            pieces[i].sixth_third = (s + e - 2 * d[i]) / h[i] / h[i];
        }
        finite = finite && isfinite(pieces[i].rate) && isfinite(pieces[i].half_second) &&
                 isfinite(pieces[i].sixth_third);
    }
    return finite;
}

MrcStatus table_create(Arena *arena, const double *times, const double *values, size_t count,
                       TableInterpolation interpolation, TableOutside outside, const Table **out,
                       MrcError *error) {
    *out = NULL;
    MrcStatus status = table_check(times, values, count, outside, error);
    if (status != MRC_OK) return status;
    size_t pieces = count - 1;
    Table *table = arena_alloc(arena, sizeof *table);
    double *kept = arena_alloc(arena, count * sizeof *kept);
    TablePiece *filled = arena_alloc(arena, pieces * sizeof *filled);
    double *h = memory_alloc(pieces * sizeof *h), *d = memory_alloc(pieces * sizeof *d);
    TableRow *rows = memory_alloc((2 * count) * sizeof *rows);
    bool allocated = table && kept && filled && h && d && rows, finite = false;
    if (allocated) {
        memcpy(kept, times, count * sizeof *kept);
        for (size_t i = 0; i < pieces; i++) {
            h[i] = times[i + 1] - times[i];
            d[i] = (values[i + 1] - values[i]) / h[i];
        }
        if (interpolation == TABLE_CUBIC) table_find_slopes(h, d, pieces, outside, rows);
        finite = table_fill(filled, pieces, values, h, d, rows, interpolation);
        *table = (Table){.count = count,
                         .times = kept,
                         .pieces = filled,
                         .last_value = values[pieces],
                         .pieces_per_second = (double)pieces / (times[pieces] - times[0]),
                         .interpolation = interpolation,
                         .outside = outside};
    }
    memory_free(h);
    memory_free(d);
    memory_free(rows);
    if (!allocated) return error_memory(error, "the table");
    if (!finite || !isfinite(table->pieces_per_second))
        return error_set(error, MRC_READ_FAILED, "the numbers are too large, or the times too close");
    *out = table;
    return MRC_OK;
}

// ---- evaluation ----------------------------------------------------------------------------------
double table_first_time(const Table *table) { return table->times[0]; }
double table_last_time(const Table *table) { return table->times[table->count - 1]; }

// A time outside the samples by no more than this is outside by rounding only.
static double table_slack(const Table *table) {
    return 1e-9 * (table_last_time(table) - table_first_time(table));
}

bool table_covers(const Table *table, double begin, double end) {
    return begin >= table_first_time(table) - table_slack(table) &&
           end <= table_last_time(table) + table_slack(table);
}

// The piece that holds t, which is between the first and the last sample. Evenly sampled tables need no
// search.
static size_t table_find(const Table *table, double t) {
    const double *times = table->times;
    size_t low = 0, high = table->count - 1;
    size_t guess = (size_t)((t - times[0]) * table->pieces_per_second);
    if (guess < high && times[guess] <= t && t < times[guess + 1]) return guess;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (times[middle] <= t) low = middle;
        else high = middle;
    }
    return low;
}

static double table_wrap(const Table *table, double t) {
    double first = table_first_time(table), period = table_last_time(table) - first;
    double phase = fmod(t - first, period);
    return first + (phase < 0 ? phase + period : phase);
}

Jet table_jet(const Table *table, double t) {
    double first = table_first_time(table), last = table_last_time(table);
    if (t < first || t > last) {
        if (table->outside == TABLE_REPEAT) t = table_wrap(table, t);
        else if (table->outside == TABLE_REFUSE && !table_covers(table, t, t)) return (Jet){NAN, NAN, NAN};
        else if (t < first) return (Jet){.value = table->pieces[0].value};
        else if (t > last + table_slack(table)) return (Jet){.value = table->last_value};
        t = t > last ? last : t < first ? first : t;
    }
    if (!(t >= first)) return (Jet){NAN, NAN, NAN}; // t is NaN
    size_t i = table_find(table, t);
    const TablePiece *p = &table->pieces[i];
    double x = t - table->times[i];
    return (Jet){p->value + x * (p->rate + x * (p->half_second + x * p->sixth_third)),
                 p->rate + x * (2 * p->half_second + x * 3 * p->sixth_third),
                 2 * p->half_second + x * 6 * p->sixth_third};
}
