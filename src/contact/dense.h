// Small dense matrices that may be singular, inside the module: Cholesky's factor of a symmetric positive semidefinite
// matrix with diagonal pivots, and least squares by a QR factorisation with column pivots.
#ifndef CONTACT_DENSE_H
#define CONTACT_DENSE_H

#include <stddef.h>
#include <stdint.h>

// Factors a (n x n, row-major, overwritten): row k of `factor` (stride n) holds the row of L of the k-th
// pivot. The next pivot is the index whose diagonal entry has kept the largest share of its first value; when this
// share is below `tolerance`, all indices left depend on those before. Returns the rank; pivots[k] is the index of
// the k-th pivot, dependent ones follow.
// `own`: n numbers of scratch.
size_t dense_pivoted_cholesky(size_t n, double *a, double tolerance, double *factor, int32_t *pivots,
                              double *own);

// y = L^-1 x: x (n numbers) in the order of a, y (rank numbers) in the order of pivots.
void dense_pivoted_forward(size_t n, size_t rank, const double *factor, const int32_t *pivots,
                           const double *x, double *y);

// x = L^-T y in the order of a, zero for dependent indices; y is overwritten.
void dense_pivoted_backward(size_t n, size_t rank, const double *factor, const int32_t *pivots, double *y,
                            double *x);

// ---- least squares -------------------------------------------------------------------------------
// Q R of a (n x n, row-major) by Householder's reflections; the next pivot is the column with the largest rest. R
// stays in the upper triangle, its columns in the order of `pivots`; b (n numbers) becomes Q^T b. `scratch`: 3 n
// numbers.
void dense_qr(size_t n, double *a, double *b, int32_t *pivots, double *scratch);

// Diagonal entries of R before the first one below `tolerance` times the largest.
size_t dense_qr_rank(size_t n, const double *a, double tolerance);

// The smallest x among those for which the first `rank` rows of R x = Q^T b hold. R P = [T 0] Z with another `rank`
// reflections. `rows`: rank n numbers of scratch, `scratch`: 2 n.
void dense_qr_smallest(size_t n, size_t rank, const double *a, const double *b, const int32_t *pivots,
                       double *rows, double *scratch, double *x);

#endif
