// Pivoted Cholesky: see dense.h. Right-looking, so that the diagonal left over is known at each step.
#include "contact/dense.h"

#include <math.h>

// Rows and columns k and l of the symmetric matrix whose lower triangle is in a change places; so do the rows
// of the factor that are done.
static void swap_indices(size_t n, double *a, double *own, double *factor, int32_t *pivots, size_t k,
                         size_t l) {
    if (k == l) return;
    int32_t pivot = pivots[k];
    pivots[k] = pivots[l], pivots[l] = pivot;
    double other = own[k];
    own[k] = own[l], own[l] = other;
    for (size_t j = 0; j < n; j++) {
        other = a[k * n + j];
        a[k * n + j] = a[l * n + j], a[l * n + j] = other;
    }
    for (size_t i = 0; i < n; i++) {
        other = a[i * n + k];
        a[i * n + k] = a[i * n + l], a[i * n + l] = other;
    }
    for (size_t j = 0; j < k; j++) {
        other = factor[k * n + j];
        factor[k * n + j] = factor[l * n + j], factor[l * n + j] = other;
    }
}

size_t dense_pivoted_cholesky(size_t n, double *a, double tolerance, double *factor, int32_t *pivots,
                              double *own) {
    for (size_t i = 0; i < n; i++) pivots[i] = (int32_t)i, own[i] = a[i * (n + 1)];
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        double share = -1; // of its own diagonal that is left
        for (size_t i = k; i < n; i++) {
            double left = own[i] > 0 ? a[i * (n + 1)] / own[i] : 0;
            if (left > share) share = left, best = i;
        }
        if (!(share > tolerance)) return k;
        swap_indices(n, a, own, factor, pivots, k, best);
        double root = sqrt(a[k * (n + 1)]),
               *column = factor + k * n; // kept right of the diagonal while in use
        for (size_t i = k + 1; i < n; i++) column[i] = factor[i * n + k] = a[i * n + k] / root;
        for (size_t i = k + 1; i < n; i++) {
            double f = factor[i * n + k], *row = a + i * n;
            if (f == 0) continue;
            for (size_t j = k + 1; j < n; j++) row[j] -= f * column[j];
        }
        factor[k * n + k] = root;
    }
    return n;
}

void dense_pivoted_forward(size_t n, size_t rank, const double *factor, const int32_t *pivots,
                           const double *x, double *y) {
    for (size_t k = 0; k < rank; k++) {
        double sum = x[pivots[k]];
        for (size_t l = 0; l < k; l++) sum -= factor[k * n + l] * y[l];
        y[k] = sum / factor[k * n + k];
    }
}

void dense_pivoted_backward(size_t n, size_t rank, const double *factor, const int32_t *pivots, double *y,
                            double *x) {
    for (size_t k = rank; k < n; k++) x[pivots[k]] = 0;
    for (size_t k = rank; k-- > 0;) {
        double value = y[k] / factor[k * n + k];
        x[pivots[k]] = value;
        for (size_t l = 0; l < k; l++) y[l] -= factor[k * n + l] * value;
    }
}
