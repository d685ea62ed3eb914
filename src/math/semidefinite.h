// Symmetric matrices without negative eigenvalues.
#ifndef MATH_SEMIDEFINITE_H
#define MATH_SEMIDEFINITE_H

#include <stdbool.h>
#include <stddef.h>

// The symmetric part of a matrix of n rows, its negative eigenvalues replaced by zero: such a matrix is the inverse of a
// mass, and rounding or approximate factors leave small negative ones where something can hardly move. Eigenvalues are
// those after rows and columns have been scaled to a diagonal of ones, so that units do not matter. `scratch`:
// semidefinite_scratch(n) numbers.
void semidefinite_project(int n, double *matrix, double *scratch);
size_t semidefinite_scratch(int n);

#endif
