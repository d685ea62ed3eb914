#include "math/semidefinite.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "math/blas.h"

static const double semidefinite_shift =
    1e-12; // more than rounding leaves in a matrix with a diagonal of ones

size_t semidefinite_scratch(int n) {
    return (size_t)n * (size_t)(n + 5);
} // matrix, scales, eigenvalues, 3 n of LAPACK

// Cholesky's factors of the matrix with its diagonal shifted, in place. False: it has a negative eigenvalue.
static bool semidefinite_factor(int n, double *c) {
    for (int j = 0; j < n; j++) {
        double pivot = c[j * n + j] + semidefinite_shift;
        for (int k = 0; k < j; k++) pivot -= c[j * n + k] * c[j * n + k];
        if (!(pivot > 0)) return false;
        c[j * n + j] = pivot = sqrt(pivot);
        for (int i = j + 1; i < n; i++) {
            double sum = c[i * n + j];
            for (int k = 0; k < j; k++) sum -= c[i * n + k] * c[j * n + k];
            c[i * n + j] = sum / pivot;
        }
    }
    return true;
}

// The scaled matrix; rows that cannot be scaled become those of the unit matrix.
static void semidefinite_scale(int n, const double *matrix, const double *scales, double *c) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            bool known = scales[i] > 0 && scales[j] > 0;
            c[i * n + j] = known ? matrix[i * n + j] / (scales[i] * scales[j]) : i == j;
        }
}

void semidefinite_project(int n, double *matrix, double *scratch) {
    double *c = scratch, *scales = c + n * n, *values = scales + n, *work = values + n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            matrix[i * n + j] = matrix[j * n + i] = 0.5 * (matrix[i * n + j] + matrix[j * n + i]);
    for (int i = 0; i < n; i++) scales[i] = matrix[i * n + i] > 0 ? sqrt(matrix[i * n + i]) : 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (!(scales[i] > 0 && scales[j] > 0)) matrix[i * n + j] = 0;
    semidefinite_scale(n, matrix, scales, c);
    if (semidefinite_factor(n, c)) return;
    semidefinite_scale(n, matrix, scales, c);
    lapack_int failed =
        BLAS_ALONE(LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', n, c, n, values, work, 3 * n));
    if (failed) return; // left as it is: the check of the contact problem reports a negative mass
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += fmax(values[k], 0) * c[k * n + i] * c[k * n + j];
            matrix[i * n + j] = matrix[j * n + i] = sum * scales[i] * scales[j];
        }
}
