// Cholesky's factor of a symmetric positive semidefinite matrix, with diagonal pivots, inside the module.
#ifndef CONTACT_DENSE_H
#define CONTACT_DENSE_H

#include <stddef.h>
#include <stdint.h>

// Factors a (n x n, row-major, overwritten): row k of `factor` (stride n) holds the row of L of the k-th
// pivot. Next is the index of whose diagonal the largest share is left; when that is below `tolerance`, all
// indices left depend on those before. Returns the rank; pivots[k] is the index of the k-th pivot, dependent
// ones follow.
// `own`: n numbers of scratch.
size_t dense_pivoted_cholesky(size_t n, double *a, double tolerance, double *factor, int32_t *pivots,
                              double *own);

// y = L^-1 x: x (n numbers) in the order of a, y (rank numbers) in the order of pivots.
void dense_pivoted_forward(size_t n, size_t rank, const double *factor, const int32_t *pivots,
                           const double *x, double *y);

// x = L^-T y in the order of a, zero for dependent indices; y is overwritten.
void dense_pivoted_backward(size_t n, size_t rank, const double *factor, const int32_t *pivots, double *y,
                            double *x);

#endif
