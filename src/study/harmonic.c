// Least squares: with the base functions b = (1, cos w t, sin w t), the coefficients solve (sum b b^T) c = sum b x.
#include "study/harmonic.h"

#include <math.h>

// Solves the symmetric positive definite system A c = y of three rows in place by Cholesky's method; nonzero: it is
// singular.
static int harmonic_solve(double A[3][3], double y[3]) {
    for (int i = 0; i < 3; i++) {
        double full = A[i][i];
        for (int k = 0; k < i; k++) A[i][i] -= A[i][k] * A[i][k];
        if (!(A[i][i] > 1e-9 * full)) return 1;
        A[i][i] = sqrt(A[i][i]);
        for (int j = i + 1; j < 3; j++) {
            for (int k = 0; k < i; k++) A[j][i] -= A[i][k] * A[j][k];
            A[j][i] /= A[i][i];
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < i; k++) y[i] -= A[i][k] * y[k];
        y[i] /= A[i][i];
    }
    for (int i = 2; i >= 0; i--) {
        for (int k = i + 1; k < 3; k++) y[i] -= A[k][i] * y[k];
        y[i] /= A[i][i];
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
    if (harmonic_solve(A, c)) return h;
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
