// The sparse matrix of Newton's iteration and its factors (SuiteSparse KLU).
//
//     [ S  G^T ]   S = cm dr/da + cc dr/dv + ck dr/dq, summed over the elements
//     [ G   0  ]   G = derivatives of the constraints
//
// The symbolic analysis and the places of the elements' entries are computed once. All matrices of a
// mechanism (step, mobilities, assembly) share them, except that of the accelerations, S = M, which is
// nearly diagonal.
#ifndef MECHANISM_MATRIX_H
#define MECHANISM_MATRIX_H

#include <stdint.h>
#include <suitesparse/klu.h>

#include "base/error.h"
#include "mechanism/element.h"
#include "mechanism/panels.h"

typedef struct Matrix {
    int size;            // unknowns: six per node, then the multipliers
    int freedoms;        // six per node
    bool of_mass;        // S = M: only elements that may have mass, and constraints
    int *starts, *rows;  // compressed columns: column j has the entries starts[j] to starts[j+1] - 1
    int *diagonal;       // place of entry (i, i)
    int *places;         // of the elements' entries, row-major, one element after the other; -1: none
    size_t *first_place; // of each element
    klu_symbolic *symbolic;
    klu_common common;
    bool out_of_memory;         // the reason why a factorisation failed; otherwise the matrix is singular
    double *local, *local_part; // Jacobian of one element
} Matrix;

// The values of one matrix and their factors.
typedef struct Factor {
    double *values;
    klu_numeric *pivoted; // with the order of pivots of a typical matrix, refactored
    klu_numeric *spare;   // with pivots of their own, for a matrix that this order does not suit
    klu_numeric *numeric; // the one of the two that is in use
    int64_t serial;       // number of the factored matrix; 0: none
    Panels panels;        // `pivoted` as dense panels, once it has been refactored
    enum { PANELS_NONE, PANELS_READY, PANELS_IMPOSSIBLE } panelled;
} Factor;

MrcStatus matrix_create(Matrix *matrix, const Element *elements, int element_count, int node_count,
                        int multiplier_count, bool of_mass, MrcError *error);
void matrix_destroy(Matrix *matrix);
bool factor_create(Matrix *matrix, Factor *factor);
void factor_destroy(Matrix *matrix, Factor *factor);

void factor_clear(const Matrix *matrix, Factor *factor); // all values 0
// Adds the Jacobian of element e, dense and row-major, to the values.
void factor_add(const Matrix *matrix, Factor *factor, int e, int local_size, const double *local);
static inline void factor_add_diagonal(const Matrix *matrix, Factor *factor, int i, double value) {
    factor->values[matrix->diagonal[i]] += value;
}
// Chooses pivots and factors. False: singular; *column (may be NULL) is then an unknown that is not
// determined.
bool factor_pivot(Matrix *matrix, Factor *factor, int *column);
// Factors with those pivots, or with new ones when their growth is too large.
bool factor_compute(Matrix *matrix, Factor *factor, int *column);
// r -= A x for several columns; x and r are row-major.
void factor_subtract_product(const Matrix *matrix, const Factor *factor, const double *x, double *r,
                             int columns);
// Solves in place for `count` right-hand sides, `size` numbers each.
bool factor_solve(Matrix *matrix, const Factor *factor, double *x, int count);
bool factor_solve_transposed(Matrix *matrix, const Factor *factor, double *x, int count); // with A^T

#endif
