// Least squares: with the base functions b = (1, cos w t, sin w t, ...), the coefficients solve (sum b b^T) c = sum b x.
#include "study/harmonic.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

// Solves the symmetric positive definite system A c = y of n rows in place by Cholesky's method; nonzero: it is singular.
static int harmonic_solve(size_t n, double *A, double *y) {
    for (size_t i = 0; i < n; i++) {
        double *row = A + i * n, full = row[i];
        for (size_t k = 0; k < i; k++) row[i] -= row[k] * row[k];
        if (!(row[i] > 1e-9 * full)) return 1;
        row[i] = sqrt(row[i]);
        for (size_t j = i + 1; j < n; j++) {
            for (size_t k = 0; k < i; k++) A[j * n + i] -= A[j * n + k] * row[k];
            A[j * n + i] /= row[i];
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) y[i] -= A[i * n + k] * y[k];
        y[i] /= A[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) y[i] -= A[k * n + i] * y[k];
        y[i] /= A[i * n + i];
    }
    return 0;
}

Harmonic harmonic_fit(const double *t, const double *x, size_t count, double omega) {
    Harmonic h = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    double A[3][3] = {{0}}, c[3] = {0}, least = INFINITY, most = -INFINITY, offset = 0;
    if (count < 4) return h;
    for (size_t i = 0; i < count; i++) offset += x[i] / (double)count; // small differences of large values
    for (size_t i = 0; i < count; i++) {
        const double b[3] = {1, cos(omega * t[i]), sin(omega * t[i])};
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k <= j; k++) A[j][k] += b[j] * b[k];
            c[j] += b[j] * (x[i] - offset);
        }
        least = fmin(least, x[i]), most = fmax(most, x[i]);
    }
    if (harmonic_solve(3, &A[0][0], c)) return h;
    double rest =
        0; // the r.m.s. value is put together, so that a window of other than whole periods does not matter
    for (size_t i = 0; i < count; i++) {
        double off = x[i] - offset - c[0], wave = c[1] * cos(omega * t[i]) + c[2] * sin(omega * t[i]);
        rest += (off - wave) * (off - wave);
    }
    return (Harmonic){.cosine = c[1],
                      .sine = c[2],
                      .amplitude = hypot(c[1], c[2]),
                      .phase = atan2(c[1], c[2]),
                      .mean = offset + c[0],
                      .rms = sqrt(0.5 * (c[1] * c[1] + c[2] * c[2]) + rest / (double)count),
                      .rest = sqrt(rest / (double)count),
                      .peak = 0.5 * (most - least)};
}

// Fills A and c, of 1 + 2 n rows; b is room for as many.
static void harmonic_sum(const double *t, const double *x, size_t count, double omega,
                         const double *multiples, size_t n, double *A, double *c, double *b) {
    size_t size = 1 + 2 * n;
    for (size_t i = 0; i < count; i++) {
        b[0] = 1;
        for (size_t k = 0; k < n; k++) {
            double angle = multiples[k] * omega * t[i];
            b[1 + 2 * k] = cos(angle), b[2 + 2 * k] = sin(angle);
        }
        for (size_t j = 0; j < size; j++) {
            for (size_t k = 0; k <= j; k++) A[j * size + k] += b[j] * b[k];
            c[j] += b[j] * (x[i] - x[0]); // small differences of large values
        }
    }
}

void harmonic_fit_several(const double *t, const double *x, size_t count, double omega,
                          const double *multiples, size_t multiple_count, double *amplitudes) {
    size_t size = 1 + 2 * multiple_count;
    double *A = calloc(size * (size + 2), sizeof *A);
    bool good = A && count > size;
    if (good) {
        double *c = A + size * size, *b = c + size;
        harmonic_sum(t, x, count, omega, multiples, multiple_count, A, c, b);
        good = harmonic_solve(size, A, c) == 0;
        for (size_t k = 0; k < multiple_count; k++) amplitudes[k] = hypot(c[1 + 2 * k], c[2 + 2 * k]);
    }
    for (size_t k = 0; k < multiple_count && !good; k++) amplitudes[k] = NAN;
    free(A);
}
