// Pattern, places and factors. Every pair of unknowns of an element is an entry, except pairs of two
// different multipliers. The diagonal of multipliers is zero; the assembly puts ones there for constraints
// that it leaves out.
#include "mechanism/matrix.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

// KLU's reciprocal pivot growth below which new pivots are chosen: the factors lose about as many digits.
static const double matrix_growth_limit = 1e-6;

static int matrix_unknown(const Element *element, int local, int freedoms) { // -1: ground
    int node = local / 6;
    if (node >= element->node_count) return freedoms + element->multiplier + local - 6 * element->node_count;
    return element->node[node] < 0 ? -1 : 6 * element->node[node] + local % 6;
}

static bool matrix_is_entry(const Matrix *matrix, const Element *element, int i, int j) {
    if (matrix->of_mass && element->kind->massless) return false;
    return i < 6 * element->node_count || j < 6 * element->node_count || i == j;
}

static int matrix_compare_keys(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// keys: column * size + row of all entries, sorted, each once. Returns their number.
static size_t matrix_find_entries(const Matrix *matrix, const Element *elements, int element_count,
                                  int64_t *keys) {
    size_t count = 0;
    for (int e = 0; e < element_count; e++) {
        const Element *element = &elements[e];
        int local = 6 * element->node_count + element->multiplier_count;
        for (int i = 0; i < local; i++)
            for (int j = 0; j < local; j++) {
                int row = matrix_unknown(element, i, matrix->freedoms),
                    column = matrix_unknown(element, j, matrix->freedoms);
                if (row >= 0 && column >= 0 && matrix_is_entry(matrix, element, i, j))
                    keys[count++] = (int64_t)column * matrix->size + row;
            }
    }
    for (int i = 0; i < matrix->size; i++) keys[count++] = (int64_t)i * matrix->size + i;
    qsort(keys, count, sizeof *keys, matrix_compare_keys);
    size_t unique = 0;
    for (size_t k = 0; k < count; k++)
        if (!unique || keys[unique - 1] != keys[k]) keys[unique++] = keys[k];
    return unique;
}

static int matrix_place(const Matrix *matrix, int row, int column) {
    int low = matrix->starts[column], high = matrix->starts[column + 1];
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (matrix->rows[middle] <= row) low = middle;
        else high = middle;
    }
    return low;
}

static void matrix_find_places(Matrix *matrix, const Element *elements, int element_count) {
    for (int e = 0; e < element_count; e++) {
        const Element *element = &elements[e];
        int local = 6 * element->node_count + element->multiplier_count;
        int *places = matrix->places + matrix->first_place[e];
        for (int i = 0; i < local; i++)
            for (int j = 0; j < local; j++) {
                int row = matrix_unknown(element, i, matrix->freedoms),
                    column = matrix_unknown(element, j, matrix->freedoms);
                bool entry = row >= 0 && column >= 0 && matrix_is_entry(matrix, element, i, j);
                places[i * local + j] = entry ? matrix_place(matrix, row, column) : -1;
            }
    }
}

MrcStatus matrix_create(Matrix *matrix, const Element *elements, int element_count, int node_count,
                        int multiplier_count, bool of_mass, MrcError *error) {
    *matrix =
        (Matrix){.of_mass = of_mass, .freedoms = 6 * node_count, .size = 6 * node_count + multiplier_count};
    size_t entries = 0;
    matrix->first_place = memory_alloc(sizeof(size_t) * ((size_t)element_count + 1));
    if (!matrix->first_place) return error_memory(error, "the mechanism's matrix");
    for (int e = 0; e < element_count; e++) {
        size_t local = 6 * (size_t)elements[e].node_count + (size_t)elements[e].multiplier_count;
        matrix->first_place[e] = entries;
        entries += local * local;
    }
    size_t most = entries + (size_t)matrix->size;
    int64_t *keys = memory_alloc(sizeof(int64_t) * most);
    matrix->starts = memory_alloc(sizeof(int) * ((size_t)matrix->size + 1));
    matrix->rows = memory_alloc(sizeof(int) * most);
    matrix->diagonal = memory_alloc(sizeof(int) * (size_t)matrix->size);
    matrix->places = memory_alloc(sizeof(int) * (entries + 1));
    matrix->local = memory_alloc(sizeof(double) * ELEMENT_ROWS * ELEMENT_ROWS);
    matrix->local_part = memory_alloc(sizeof(double) * ELEMENT_ROWS * ELEMENT_ROWS);
    if (!keys || !matrix->starts || !matrix->rows || !matrix->diagonal || !matrix->places || !matrix->local ||
        !matrix->local_part) {
        memory_free(keys);
        return error_memory(error, "the mechanism's matrix");
    }
    size_t count = matrix_find_entries(matrix, elements, element_count, keys);
    for (size_t k = 0; k < count; k++) {
        matrix->rows[k] = (int)(keys[k] % matrix->size);
        matrix->starts[keys[k] / matrix->size + 1] = (int)k + 1;
    }
    memory_free(keys);
    for (int i = 0; i < matrix->size; i++) matrix->diagonal[i] = matrix_place(matrix, i, i);
    matrix_find_places(matrix, elements, element_count);
    klu_defaults(&matrix->common);
    matrix->symbolic = klu_analyze(matrix->size, matrix->starts, matrix->rows, &matrix->common);
    if (!matrix->symbolic) return error_memory(error, "the analysis of the mechanism's matrix");
    return MRC_OK;
}

void matrix_destroy(Matrix *matrix) {
    if (matrix->symbolic) klu_free_symbolic(&matrix->symbolic, &matrix->common);
    memory_free(matrix->first_place);
    memory_free(matrix->starts);
    memory_free(matrix->rows);
    memory_free(matrix->diagonal);
    memory_free(matrix->places);
    memory_free(matrix->local);
    memory_free(matrix->local_part);
}

bool factor_create(Matrix *matrix, Factor *factor) {
    *factor = (Factor){0};
    factor->values = memory_alloc(sizeof(double) * ((size_t)matrix->starts[matrix->size] + 1));
    return factor->values != NULL;
}

void factor_destroy(Matrix *matrix, Factor *factor) {
    if (factor->pivoted) klu_free_numeric(&factor->pivoted, &matrix->common);
    if (factor->spare) klu_free_numeric(&factor->spare, &matrix->common);
    panels_destroy(&factor->panels);
    memory_free(factor->values);
}

void factor_clear(const Matrix *matrix, Factor *factor) {
    memset(factor->values, 0, sizeof(double) * (size_t)matrix->starts[matrix->size]);
}

void factor_add(const Matrix *matrix, Factor *factor, int e, int local_size, const double *local) {
    const int *places = matrix->places + matrix->first_place[e];
    for (int k = 0; k < local_size * local_size; k++)
        if (places[k] >= 0) factor->values[places[k]] += local[k];
}

static klu_numeric *factor_with_new_pivots(Matrix *matrix, Factor *factor, int *column) {
    klu_numeric *numeric =
        klu_factor(matrix->starts, matrix->rows, factor->values, matrix->symbolic, &matrix->common);
    if (column) *column = matrix->common.singular_col;
    if (numeric && matrix->common.status == KLU_OK) return numeric;
    if (matrix->common.status == KLU_OUT_OF_MEMORY) matrix->out_of_memory = true;
    if (numeric) klu_free_numeric(&numeric, &matrix->common);
    return NULL;
}

bool factor_pivot(Matrix *matrix, Factor *factor, int *column) {
    if (factor->pivoted) klu_free_numeric(&factor->pivoted, &matrix->common);
    panels_destroy(&factor->panels);
    factor->panelled = PANELS_NONE;
    factor->pivoted = factor->numeric = factor_with_new_pivots(matrix, factor, column);
    return factor->numeric != NULL;
}

static void factor_make_panels(Matrix *matrix, Factor *factor) {
    if (factor->panelled == PANELS_IMPOSSIBLE) return;
    bool made = factor->panelled == PANELS_READY
                    ? panels_fill(&factor->panels, factor->pivoted, matrix->symbolic, &matrix->common)
                    : panels_create(&factor->panels, factor->pivoted, matrix->symbolic, &matrix->common);
    factor->panelled = made ? PANELS_READY : PANELS_IMPOSSIBLE;
}

bool factor_compute(Matrix *matrix, Factor *factor, int *column) {
    if (!factor->pivoted) return factor_pivot(matrix, factor, column);
    if (klu_refactor(matrix->starts, matrix->rows, factor->values, matrix->symbolic, factor->pivoted,
                     &matrix->common) &&
        matrix->common.status == KLU_OK &&
        klu_rgrowth(matrix->starts, matrix->rows, factor->values, matrix->symbolic, factor->pivoted,
                    &matrix->common) &&
        matrix->common.rgrowth > matrix_growth_limit) {
        factor->numeric = factor->pivoted;
        factor_make_panels(matrix, factor);
        return true;
    }
    if (factor->spare) klu_free_numeric(&factor->spare, &matrix->common);
    factor->spare = factor->numeric = factor_with_new_pivots(matrix, factor, column);
    return factor->numeric != NULL;
}

// Six columns at a time, so that the innermost loop has a fixed length; the rest one by one. (memcpy to
// `from` is avoided: gcc 12 with -O2 and AVX makes an aligned store of it although the address is not
// aligned.)
void factor_subtract_product(const Matrix *matrix, const Factor *factor, const double *x, double *r,
                             int columns) {
    enum { WIDE = 6 };
    int first = 0;
    for (; first + WIDE <= columns; first += WIDE)
        for (int j = 0; j < matrix->size; j++) {
            double from[WIDE];
            for (int c = 0; c < WIDE; c++) from[c] = x[(size_t)j * (size_t)columns + (size_t)(first + c)];
            for (int k = matrix->starts[j]; k < matrix->starts[j + 1]; k++) {
                double *to = r + (size_t)matrix->rows[k] * (size_t)columns + first;
                for (int c = 0; c < WIDE; c++) to[c] -= factor->values[k] * from[c];
            }
        }
    for (; first < columns; first++)
        for (int j = 0; j < matrix->size; j++) {
            double from = x[(size_t)j * (size_t)columns + first];
            for (int k = matrix->starts[j]; k < matrix->starts[j + 1]; k++)
                r[(size_t)matrix->rows[k] * (size_t)columns + first] -= factor->values[k] * from;
        }
}

bool factor_solve(Matrix *matrix, const Factor *factor, double *x, int count) {
    if (factor->numeric && factor->numeric == factor->pivoted && factor->panelled == PANELS_READY) {
        for (int c = 0; c < count; c++)
            panels_solve(&factor->panels, factor->numeric, matrix->symbolic,
                         x + (size_t)c * (size_t)matrix->size);
        return true;
    }
    return factor->numeric &&
           klu_solve(matrix->symbolic, factor->numeric, matrix->size, count, x, &matrix->common);
}

bool factor_solve_transposed(Matrix *matrix, const Factor *factor, double *x, int count) {
    return factor->numeric &&
           klu_tsolve(matrix->symbolic, factor->numeric, matrix->size, count, x, &matrix->common);
}
