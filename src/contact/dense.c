// Factors of small dense matrices: see dense.h.
//
// Cholesky's is right-looking, so that the diagonal left over is known at each step. QR is that of LAPACK's dgeqp3 and
// dtzrzf. It is written here because its result must not depend on the library's threads, and for matrices of some
// hundred rows the loops below, along rows, are several times as fast as the reference library's.
#include "contact/dense.h"

#include <math.h>
#include <string.h>

// Rows and columns k and l of the symmetric matrix whose lower triangle is in a change places; so do the rows
// of the factor that are done.
static void dense_swap_indices(size_t n, double *a, double *own, double *factor, int32_t *pivots, size_t k,
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
        dense_swap_indices(n, a, own, factor, pivots, k, best);
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

// ---- least squares -------------------------------------------------------------------------------
static void dense_qr_swap_columns(size_t n, double *a, double *left, double *before, int32_t *pivots,
                                  size_t k, size_t l) {
    if (k == l) return;
    int32_t pivot = pivots[k];
    pivots[k] = pivots[l], pivots[l] = pivot;
    left[l] = left[k], before[l] = before[k]; // column k is done
    for (size_t i = 0; i < n; i++) {
        double other = a[i * n + k];
        a[i * n + k] = a[i * n + l], a[i * n + l] = other;
    }
}

// 1 - factor v v^T, v_0 = 1, makes column k zero below row k. v is left there; returns the factor.
static double dense_qr_reflection(size_t n, double *a, size_t k) {
    double below = 0, head = a[k * n + k];
    for (size_t i = k + 1; i < n; i++) below += a[i * n + k] * a[i * n + k];
    if (below == 0) return 0;
    double size = -copysign(sqrt(head * head + below), head), unit = 1 / (head - size);
    for (size_t i = k + 1; i < n; i++) a[i * n + k] *= unit;
    a[k * n + k] = size;
    return (size - head) / size;
}

static void dense_qr_reflect(size_t n, double *restrict a, size_t k, double factor, double *restrict sums,
                             double *b) {
    double of_b = b[k];
    memcpy(sums, a + k * n, n * sizeof *sums);
    for (size_t i = k + 1; i < n; i++) {
        const double *row = a + i * n, v = row[k];
        for (size_t j = k + 1; j < n; j++) sums[j] += v * row[j];
        of_b += v * b[i];
    }
    for (size_t j = k + 1; j < n; j++) sums[j] *= factor, a[k * n + j] -= sums[j];
    b[k] -= factor * of_b;
    for (size_t i = k + 1; i < n; i++) {
        double *row = a + i * n, v = row[k];
        for (size_t j = k + 1; j < n; j++) row[j] -= v * sums[j];
        b[i] -= v * factor * of_b;
    }
}

// Squares of what is left of columns; those that have lost most of their digits are summed anew.
static void dense_qr_shorten(size_t n, const double *a, size_t k, double *left, double *before) {
    for (size_t j = k + 1; j < n; j++) {
        left[j] -= a[k * n + j] * a[k * n + j];
        if (left[j] > 1e-7 * before[j]) continue;
        left[j] = 0;
        for (size_t i = k + 1; i < n; i++) left[j] += a[i * n + j] * a[i * n + j];
        before[j] = left[j];
    }
}

void dense_qr(size_t n, double *a, double *b, int32_t *pivots, double *scratch) {
    double *left = scratch, *before = left + n, *sums = before + n;
    memset(left, 0, n * sizeof *left);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) left[j] += a[i * n + j] * a[i * n + j];
    for (size_t j = 0; j < n; j++) before[j] = left[j], pivots[j] = (int32_t)j;
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t j = k + 1; j < n; j++)
            if (left[j] > left[best]) best = j;
        dense_qr_swap_columns(n, a, left, before, pivots, k, best);
        double factor = dense_qr_reflection(n, a, k);
        if (factor != 0) dense_qr_reflect(n, a, k, factor, sums, b);
        dense_qr_shorten(n, a, k, left, before);
    }
}

size_t dense_qr_rank(size_t n, const double *a, double tolerance) {
    size_t rank = 0;
    while (rank < n && fabs(a[rank * (n + 1)]) > tolerance * fabs(a[0])) rank++;
    return rank;
}

// Makes row k zero from column `rank` on; the reflection acts on column k and on those. Returns its factor.
static double dense_qr_trim_row(size_t n, size_t rank, double *rows, size_t k) {
    double *row = rows + k * n, tail = 0, head = row[k];
    for (size_t j = rank; j < n; j++) tail += row[j] * row[j];
    if (tail == 0) return 0;
    double size = -copysign(sqrt(head * head + tail), head), unit = 1 / (head - size),
           factor = (size - head) / size;
    for (size_t j = rank; j < n; j++) row[j] *= unit;
    row[k] = size;
    for (size_t i = 0; i < k; i++) {
        double *other = rows + i * n, sum = other[k];
        for (size_t j = rank; j < n; j++) sum += row[j] * other[j];
        other[k] -= factor * sum;
        for (size_t j = rank; j < n; j++) other[j] -= factor * sum * row[j];
    }
    return factor;
}

void dense_qr_smallest(size_t n, size_t rank, const double *a, const double *b, const int32_t *pivots,
                       double *rows, double *scratch, double *x) {
    double *z = scratch, *factors = z + n;
    memcpy(rows, a, rank * n * sizeof *rows);
    for (size_t k = rank; k-- > 0;) factors[k] = dense_qr_trim_row(n, rank, rows, k);
    memset(z, 0, n * sizeof *z);
    for (size_t k = rank; k-- > 0;) {
        double sum = b[k];
        for (size_t j = k + 1; j < rank; j++) sum -= rows[k * n + j] * z[j];
        z[k] = sum / rows[k * n + k];
    }
    for (size_t k = 0; k < rank; k++) {
        const double *row = rows + k * n;
        double sum = z[k];
        for (size_t j = rank; j < n; j++) sum += row[j] * z[j];
        z[k] -= factors[k] * sum;
        for (size_t j = rank; j < n; j++) z[j] -= factors[k] * sum * row[j];
    }
    for (size_t k = 0; k < n; k++) x[pivots[k]] = z[k];
}
