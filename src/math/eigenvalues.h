// Eigenvalues of small dense matrices, in extended precision.
//
// A recurrence on the border of stability often has a double eigenvalue there with one eigenvector only.
// Rounding by e moves such a pair by sqrt(e): 1e-8 in double precision, which would decide whether a scheme
// is called stable. In extended precision it is 2e-10. That is why this is not LAPACK's dgeev; tests compare
// the two.
#ifndef MATH_EIGENVALUES_H
#define MATH_EIGENVALUES_H

#include <complex.h>
#include <stdbool.h>

enum { EIGENVALUES_MAX = 32 };

// All eigenvalues of the `n` x `n` matrix (row by row, n <= EIGENVALUES_MAX), in no particular order. False
// when a number is not finite or the iteration does not end.
bool eigenvalues(int n, const long double *matrix, long double complex *values);

// The largest modulus of the eigenvalues; NAN when they cannot be found.
long double spectral_radius(int n, const long double *matrix);

#endif
