// KLU's factors are (R^-1 A)(P, Q) = L U (R: scales of rows; P, Q: orders of rows and columns), so that
//
//     x = (R^-1 b)(P),   L y = x,   U z = y,   b(Q) = z
//
// A panel [T; V] of L or U, T being its triangle, gives its unknowns t and subtracts them from the other
// rows:
//
//     t = T^-1 x_own,   x_other -= V t        that is   [t; d] = [T^-1; V T^-1] x_own,   x_other -= d
//
// The matrix on the right is computed once per factorization. Columns are added to a panel as long as at
// most half of its entries are zeros.
#include "mechanism/panels.h"

#include <string.h>

#include "base/memory.h"
#include "math/simd.h"

enum { WIDEST = 16, BLOCK = WIDE_LANES }; // most columns of a panel; rows that are summed together

// Columns in the order of use: of L forwards, of U backwards.
static int panels_column_at(const Panels *s, bool upper, int k) { return upper ? s->size - 1 - k : k; }

// Does the row come after the k-th column in the order of use?
static bool panels_is_later(const Panels *s, bool upper, int row, int k) {
    return upper ? row < s->size - 1 - k : row > k;
}

// Marks the rows of a column in `mark` with `stamp`; returns how many were not marked.
static int panels_mark_rows(const Panels *s, bool upper, int column, int *mark, int stamp) {
    const int *starts = upper ? s->upper_starts : s->lower_starts,
              *rows = upper ? s->upper_rows : s->lower_rows;
    int added = 0;
    for (int p = starts[column]; p < starts[column + 1]; p++) {
        if (mark[rows[p]] != stamp) added++;
        mark[rows[p]] = stamp;
    }
    return added;
}

static int panels_column_length(const Panels *s, bool upper, int column) {
    const int *starts = upper ? s->upper_starts : s->lower_starts;
    return starts[column + 1] - starts[column];
}

// The panel that begins with the k-th column in the order of use. Fills `rows` with its other rows.
static Panel panels_find(const Panels *s, bool upper, int k, int *mark, int *rows) {
    Panel panel = {.width = 1};
    int numbers = panels_column_length(s, upper, panels_column_at(s, upper, k));
    int height =
        panels_mark_rows(s, upper, panels_column_at(s, upper, k), mark, k + 1); // own rows and others
    while (panel.width < WIDEST && k + panel.width < s->size) {
        int column = panels_column_at(s, upper, k + panel.width), wider = panel.width + 1;
        int length = panels_column_length(s, upper, column), fresh = 0;
        const int *starts = upper ? s->upper_starts : s->lower_starts,
                  *column_rows = upper ? s->upper_rows : s->lower_rows;
        for (int p = starts[column]; p < starts[column + 1]; p++) fresh += mark[column_rows[p]] != k + 1;
        int stored = wider * (height + fresh) - wider * (wider - 1) / 2;
        if (2 * (stored - numbers - length) > stored) break;
        numbers += length;
        height += panels_mark_rows(s, upper, column, mark, k + 1);
        panel.width = wider;
    }
    int last = k + panel.width - 1;
    panel.first = upper ? panels_column_at(s, upper, last) : k;
    for (int row = 0; row < s->size; row++)
        if (mark[row] == k + 1 && panels_is_later(s, upper, row, last)) rows[panel.row_count++] = row;
    panel.height = (panel.width + panel.row_count + BLOCK - 1) / BLOCK * BLOCK;
    return panel;
}

static void panels_find_places(const Panels *s, bool upper, const Panel *panel, int *place, size_t *places) {
    const int *starts = upper ? s->upper_starts : s->lower_starts,
              *rows = upper ? s->upper_rows : s->lower_rows;
    for (int i = 0; i < panel->width; i++) place[panel->first + i] = i;
    for (int i = 0; i < panel->row_count; i++) place[s->rows[panel->rows + (size_t)i]] = panel->width + i;
    for (int j = 0; j < panel->width; j++)
        for (int p = starts[panel->first + j]; p < starts[panel->first + j + 1]; p++)
            places[p] = panel->values + (size_t)(j * panel->height + place[rows[p]]);
}

// Called twice: to count, and to store (`keep`).
static void panels_lay_out(Panels *s, bool keep, size_t *row_total, size_t *value_total, int *mark,
                           int *found) {
    *row_total = *value_total = 0;
    for (int upper = 0; upper < 2; upper++) {
        int count = 0;
        memset(mark, 0, sizeof(int) * (size_t)s->size);
        for (int k = 0; k < s->size;) {
            Panel panel = panels_find(s, upper, k, mark, found);
            panel.rows = *row_total, panel.values = *value_total;
            *row_total += (size_t)panel.row_count;
            *value_total += (size_t)(panel.width * panel.height);
            k += panel.width;
            if (keep) {
                memcpy(s->rows + panel.rows, found, sizeof(int) * (size_t)panel.row_count);
                (upper ? s->upper : s->lower)[count] = panel;
            }
            count++;
        }
        *(upper ? &s->upper_count : &s->lower_count) = count;
    }
    for (int upper = 0; upper < 2 && keep; upper++)
        for (int i = 0; i < (upper ? s->upper_count : s->lower_count); i++)
            panels_find_places(s, upper, upper ? &s->upper[i] : &s->lower[i], mark,
                               upper ? s->upper_places : s->lower_places);
}

bool panels_create(Panels *s, klu_numeric *numeric, klu_symbolic *symbolic, klu_common *common) {
    *s = (Panels){.size = symbolic->n};
    if (symbolic->nblocks != 1 || s->size < 2) return false;
    size_t n = (size_t)s->size, lower = (size_t)numeric->lnz, upper = (size_t)numeric->unz, rows, values;
    int *mark = memory_alloc(sizeof(int) * n), *found = memory_alloc(sizeof(int) * n);
    s->lower_starts = memory_alloc(sizeof(int) * (n + 1));
    s->upper_starts = memory_alloc(sizeof(int) * (n + 1));
    s->lower_rows = memory_alloc(sizeof(int) * lower);
    s->upper_rows = memory_alloc(sizeof(int) * upper);
    s->lower_numbers = memory_alloc(sizeof(double) * lower);
    s->upper_numbers = memory_alloc(sizeof(double) * upper);
    s->lower_places = memory_alloc(sizeof(size_t) * lower);
    s->upper_places = memory_alloc(sizeof(size_t) * upper);
    s->scale = memory_alloc(sizeof(double) * n);
    s->x = memory_alloc(sizeof(double) * n);
    s->sums = memory_alloc(sizeof(double) * (n + 2 * BLOCK));
    bool good =
        mark && found && s->lower_starts && s->upper_starts && s->lower_rows && s->upper_rows &&
        s->lower_numbers && s->upper_numbers && s->lower_places && s->upper_places && s->scale && s->x &&
        s->sums &&
        klu_extract(numeric, symbolic, s->lower_starts, s->lower_rows, s->lower_numbers, s->upper_starts,
                    s->upper_rows, s->upper_numbers, NULL, NULL, NULL, NULL, NULL, NULL, NULL, common);
    if (good) {
        panels_lay_out(s, false, &rows, &values, mark, found);
        s->lower = memory_alloc(sizeof(Panel) * (size_t)s->lower_count);
        s->upper = memory_alloc(sizeof(Panel) * (size_t)s->upper_count);
        s->rows = memory_alloc(sizeof(int) * (rows + 1));
        s->values = memory_alloc(sizeof(double) * values);
        s->product = memory_alloc(sizeof(double) * values);
        good = s->lower && s->upper && s->rows && s->values && s->product;
    }
    if (good) panels_lay_out(s, true, &rows, &values, mark, found);
    memory_free(mark);
    memory_free(found);
    return good && panels_fill(s, numeric, symbolic, common);
}

void panels_destroy(Panels *s) {
    void *parts[] = {s->lower,        s->upper,      s->rows,          s->values,       s->product,
                     s->scale,        s->x,          s->sums,          s->lower_starts, s->lower_rows,
                     s->lower_places, s->upper_rows, s->lower_numbers, s->upper_starts, s->upper_places,
                     s->upper_numbers};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) memory_free(parts[i]);
    *s = (Panels){0};
}

// [T^-1; V T^-1], column by column: T c = e_j, then V c. T is an upper triangle with its own diagonal
// (`upper`), or a lower one with ones on the diagonal.
static void panels_multiply(const Panels *s, const Panel *panel, bool upper) {
    const double *values = s->values + panel->values;
    double *product = s->product + panel->values;
    int w = panel->width, height = panel->height;
    for (int j = 0; j < w; j++) {
        double c[WIDEST] = {0};
        c[j] = 1;
        for (int i = upper ? w - 1 - j : j; i < w; i++) {
            int k = upper ? w - 1 - i : i;
            if (upper) c[k] /= values[k * height + k];
            for (int r = upper ? 0 : k + 1; r < (upper ? k : w); r++) c[r] -= values[k * height + r] * c[k];
        }
        double *restrict sum = s->sums;
        for (int r = 0; r < height; r++) sum[r] = 0;
        for (int k = upper ? 0 : j; k < (upper ? j + 1 : w); k++) // c is zero elsewhere
            for (int r = 0; r < height; r++) sum[r] += values[k * height + r] * c[k];
        memcpy(sum, c, sizeof(double) * (size_t)w);
        for (int r = 0; r < height; r++) product[(r / BLOCK * w + j) * BLOCK + r % BLOCK] = sum[r];
    }
}

bool panels_fill(Panels *s, klu_numeric *numeric, klu_symbolic *symbolic, klu_common *common) {
    if (!klu_extract(numeric, symbolic, s->lower_starts, s->lower_rows, s->lower_numbers, s->upper_starts,
                     s->upper_rows, s->upper_numbers, NULL, NULL, NULL, NULL, NULL, NULL, NULL, common))
        return false;
    for (int p = 0; p < s->lower_starts[s->size]; p++) s->values[s->lower_places[p]] = s->lower_numbers[p];
    for (int p = 0; p < s->upper_starts[s->size]; p++) s->values[s->upper_places[p]] = s->upper_numbers[p];
    for (int i = 0; i < s->lower_count; i++) panels_multiply(s, &s->lower[i], false);
    for (int i = 0; i < s->upper_count; i++) panels_multiply(s, &s->upper[i], true);
    const double *scale = numeric->Rs;
    for (int k = 0; k < s->size; k++) s->scale[k] = scale ? 1 / scale[k] : 1;
    return true;
}

static void panels_apply(const Panels *s, const Panel *panel) {
    const Wide *product = (const Wide *)(s->product + panel->values);
    const int *rows = s->rows + panel->rows;
    int w = panel->width, count = w + panel->row_count;
    double *t = s->x + panel->first, *sums = s->sums;
    for (int first = 0; first < count; first += BLOCK, product += w) {
        Wide sum = wide_set(0);
        for (int j = 0; j < w; j++) sum = wide_fma(product[j], wide_set(t[j]), sum);
        *(WideUnaligned *)(sums + first) = sum;
    }
    for (int i = 0; i < w; i++)
        t[i] = sums[i] + 0.0; // a plain copy would become a call of memcpy, which takes longer
    for (int i = 0; i < panel->row_count; i++) s->x[rows[i]] -= sums[w + i];
}

void panels_solve(const Panels *s, const klu_numeric *numeric, const klu_symbolic *symbolic, double *b) {
    for (int k = 0; k < s->size; k++) s->x[k] = b[numeric->Pnum[k]] * s->scale[k];
    for (int i = 0; i < s->lower_count; i++) panels_apply(s, &s->lower[i]);
    for (int i = 0; i < s->upper_count; i++) panels_apply(s, &s->upper[i]);
    for (int k = 0; k < s->size; k++) b[symbolic->Q[k]] = s->x[k];
}
