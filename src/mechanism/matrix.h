// The sparse matrix of Newton's iteration and its factors (SuiteSparse KLU).
//
//     [ S  G^T ]   S = cm dr/da + cc dr/dv + ck dr/dq, summed over the elements
//     [ G   0  ]   G = derivatives of the constraints
//
// Symbolic analysis and the place of every element's entries are worked out once. All matrices of a mechanism
// (of the step, of the mobilities, of the assembly) share them, but for that of the accelerations, S = M,
// which is nearly diagonal.
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
    bool of_mass;        // only of elements that may have mass, and constraints: S = M
    int *starts, *rows;  // columns, compressed: entries starts[j] ... starts[j+1] of column j
    int *diagonal;       // place of entry (i, i)
    int *places;         // of each element's entries, row-major, one element after the other; -1: none
    size_t *first_place; // of each element
    klu_symbolic *symbolic;
    klu_common common;
    double *local, *local_part; // one element's Jacobian
} Matrix;

// Numbers of one matrix with their factors.
typedef struct Factor {
    double *values;
    klu_numeric *pivoted; // the order of pivots that suited a typical matrix; refactored with it
    klu_numeric *spare;   // factors with pivots of their own, for a matrix that order does not suit
    klu_numeric *numeric; // the one of them that holds now
    int64_t serial;       // says which matrix is factored; 0: none
    Panels panels;        // `pivoted` in another form, once it has been refactored
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
// Looks for pivots. False: singular; then *column (may be NULL) is an unknown that nothing determines.
bool factor_pivot(Matrix *matrix, Factor *factor, int *column);
// Factors with the pivots found then, or with others when those have become bad.
bool factor_compute(Matrix *matrix, Factor *factor, int *column);
// r -= A x, for columns that stand side by side, row after row.
void factor_subtract_product(const Matrix *matrix, const Factor *factor, const double *x, double *r,
                             int columns);
// Solves in place for `count` right-hand sides, `size` numbers each.
bool factor_solve(Matrix *matrix, const Factor *factor, double *x, int count);
bool factor_solve_transposed(Matrix *matrix, const Factor *factor, double *x, int count); // by A^T

#endif
