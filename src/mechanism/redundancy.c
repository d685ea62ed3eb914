// Redundant constraints: joints that fix the same motion.
//
// The rows of G (derivatives of the constraints), made dimensionless, are reduced one after the other by
// the rows before them (Gaussian elimination of sparse rows, with the largest remaining entry as pivot). A
// row that vanishes is a combination of earlier ones. Each row carries the coefficients of its combination,
// which give the joints that are involved.
//
// assembly.c closes the mechanism without the redundant rows. Their errors then show whether the joints
// repeat or contradict each other.
#include <math.h>
#include <stdio.h>

#include "mechanism/internal.h"

// A row of size 1 vanishes when less than this is left. Coordinates with seven digits make dependent rows
// differ by that much, and reactions too large in proportion.
const double redundant_rows = 1e-7;

typedef struct SparseRow {
    int *columns;
    double *values;
    int count, pivot; // column of the pivot, where the value is 1
} SparseRow;

typedef struct Elimination {
    const Mechanism *m;
    double *work; // one row: degrees of freedom, then the coefficients of its combination
    int width;
    SparseRow *rows;
    int row_count;
} Elimination;

static void redundancy_load_row(Elimination *e, const double *row, const Element *element, int k) {
    const Mechanism *m = e->m;
    memset(e->work, 0, sizeof(double) * (size_t)e->width);
    double scale = 1 / m->phi_scale[element->multiplier + k];
    for (int j = 0; j < 6 * element->node_count; j++) {
        int node = element->node[j / 6];
        if (node >= 0) e->work[6 * node + j % 6] += scale * row[j] / (j % 6 < 3 ? 1 : m->length);
    }
    e->work[m->matrix.freedoms + element->multiplier + k] = 1;
}

static double redundancy_reduce_row(Elimination *e, int *pivot) {
    for (int r = 0; r < e->row_count; r++) {
        const SparseRow *row = &e->rows[r];
        double factor = e->work[row->pivot];
        if (factor == 0) continue;
        for (int i = 0; i < row->count; i++) e->work[row->columns[i]] -= factor * row->values[i];
        e->work[row->pivot] = 0;
    }
    double largest = 0;
    for (int j = 0; j < e->m->matrix.freedoms; j++)
        if (fabs(e->work[j]) > largest) {
            largest = fabs(e->work[j]);
            *pivot = j;
        }
    return largest;
}

static bool redundancy_keep_row(Elimination *e, int pivot) {
    int count = 0;
    for (int j = 0; j < e->width; j++) {
        if (fabs(e->work[j]) < 1e-14) e->work[j] = 0; // rounding would fill the rows
        count += e->work[j] != 0;
    }
    SparseRow *row = &e->rows[e->row_count];
    row->columns = memory_alloc(sizeof(int) * (size_t)count);
    row->values = memory_alloc(sizeof(double) * (size_t)count);
    if (!row->columns || !row->values) return false;
    row->pivot = pivot;
    for (int j = 0; j < e->width; j++) {
        if (e->work[j] == 0) continue;
        row->columns[row->count] = j;
        row->values[row->count++] = e->work[j] / e->work[pivot];
    }
    e->row_count++;
    return true;
}

// Names of the joints that the row in `work` is a combination of, except its own.
static void redundancy_name_partners(const Elimination *e, const Element *own, char *text, size_t size) {
    const double *record = e->work + e->m->matrix.freedoms;
    size_t used = 0;
    text[0] = 0;
    for (int c = 0; c < e->m->constraint_count; c++) {
        const Element *element = e->m->constraints[c];
        bool takes_part = false;
        for (int k = 0; k < element->multiplier_count; k++)
            takes_part |= fabs(record[element->multiplier + k]) > 1e-6;
        if (!takes_part || element == own || used + strlen(element->name) + 8 > size) continue;
        used += (size_t)snprintf(text + used, size - used, "%s'%s'", used ? ", " : "", element->name);
    }
}

MrcStatus mech_find_redundant(const Mechanism *m, double nothing, Redundancy *result, MrcError *error) {
    Elimination e = {.m = m, .width = m->matrix.size};
    double *local = memory_alloc(sizeof(double) * ELEMENT_ROWS * ELEMENT_ROWS);
    e.work = memory_alloc(sizeof(double) * (size_t)e.width);
    e.rows = memory_alloc(sizeof(SparseRow) * ((size_t)m->multiplier_count + 1));
    bool good = local && e.work && e.rows;
    result->count = 0;
    for (int c = 0; c < m->constraint_count && good; c++) {
        const Element *element = m->constraints[c];
        int size = 6 * element->node_count + element->multiplier_count;
        ElementInput in = element_input(m, element, m->now, m->head->t);
        memset(local, 0, sizeof(double) * (size_t)(size * size));
        element->kind->jacobian(element, &in, 0, 0, 0, local);
        for (int k = 0; k < element->multiplier_count && good; k++) {
            int pivot = 0;
            redundancy_load_row(&e, local + (6 * element->node_count + k) * size, element, k);
            bool redundant = redundancy_reduce_row(&e, &pivot) < nothing;
            result->redundant[element->multiplier + k] = redundant;
            if (!redundant) good = redundancy_keep_row(&e, pivot);
            else if (result->count++ == 0) {
                result->joint = element;
                redundancy_name_partners(&e, element, result->partners, sizeof result->partners);
            }
        }
    }
    for (int r = 0; r < m->multiplier_count && e.rows; r++) {
        memory_free(e.rows[r].columns);
        memory_free(e.rows[r].values);
    }
    memory_free(e.rows);
    memory_free(e.work);
    memory_free(local);
    return good ? MRC_OK : error_memory(error, "the check of the joints");
}

MrcStatus mech_redundancy_error(const Redundancy *found, const char *contradiction, MrcError *error) {
    int of_first = 0;
    for (int k = 0; k < found->joint->multiplier_count; k++)
        of_first += found->redundant[found->joint->multiplier + k];
    const char *with = found->partners[0] ? found->partners : "itself";
    if (contradiction)
        return error_set(
            error, MRC_MODEL,
            "joint '%s' contradicts %s: both fix the same motion, but not to the same value (%s)",
            found->joint->name, with, contradiction);
    return error_set(
        error, MRC_MODEL,
        "the mechanism is over-constrained: %d of the %d constraints of joint '%s' repeat%s what %s "
        "already fix%s (%d redundant in all). Reactions would be undetermined; use joints that fix less, "
        "such as spherical, point_on_line or general",
        of_first, found->joint->multiplier_count, found->joint->name, of_first == 1 ? "s" : "", with,
        strchr(with, ',') ? "" : "es", found->count);
}

bool mech_find_blocked(const Mechanism *m, char *text, size_t size) {
    if (!m->constraint_count) return false;
    Redundancy found = {.redundant = memory_alloc((size_t)m->multiplier_count)};
    bool blocked = found.redundant && mech_find_redundant(m, 0.1, &found, NULL) == MRC_OK && found.count > 0;
    if (blocked)
        snprintf(text, size, "'%s'%s%s", found.joint->name, found.partners[0] ? ", " : "", found.partners);
    memory_free(found.redundant);
    return blocked;
}
