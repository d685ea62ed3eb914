// Pivoted Cholesky: see dense.h. Right-looking, so that the diagonal left over is known at each step.
#include "contact/dense.h"

#include <math.h>

size_t dense_pivoted_cholesky(size_t n, double *a, double tolerance, double *factor, int32_t *pivots) {
    for (size_t i = 0; i < n; i++) pivots[i] = (int32_t)i;
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        double share = -1; // of its own diagonal that is left
        for (size_t i = k; i < n; i++) {
            size_t at = (size_t)pivots[i];
            double own = a[at * (n + 1)];
            for (size_t l = 0; l < k; l++) own += factor[i * n + l] * factor[i * n + l];
            double left = own > 0 ? a[at * (n + 1)] / own : 0;
            if (left > share) share = left, best = i;
        }
        if (!(share > tolerance)) return k;
        int32_t pivot = pivots[best];
        pivots[best] = pivots[k];
        pivots[k] = pivot;
        for (size_t l = 0; l < k; l++) {
            double swap = factor[best * n + l];
            factor[best * n + l] = factor[k * n + l];
            factor[k * n + l] = swap;
        }
        double root = sqrt(a[(size_t)pivot * (n + 1)]);
        factor[k * n + k] = root;
        for (size_t i = k + 1; i < n; i++)
            factor[i * n + k] = a[(size_t)pivots[i] * n + (size_t)pivot] / root;
        for (size_t i = k + 1; i < n; i++) {
            double f = factor[i * n + k];
            double *row = a + (size_t)pivots[i] * n;
            if (f == 0) continue;
            for (size_t j = k + 1; j < n; j++) row[pivots[j]] -= f * factor[j * n + k];
        }
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
