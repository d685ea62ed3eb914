// All modes, by LAPACK.
//
// The columns of Z span the motions that the joints allow, G Z = 0 (QR of G^T with pivoting), and u = Z s:
//
//     Ms s'' + Cs s' + Ks s = 0,    Ms = Z^T M Z, ...
//
// Without damping and with symmetric matrices that is the symmetric problem Ks s = w^2 Ms s, lambda = i w
// (dsygv). Otherwise, with a real shift S = Ks + sigma Cs + sigma^2 Ms, the pair (s, s') of lambda is an
// eigenvector of
//
//     B = [ -S^-1 (Cs + sigma Ms)               -S^-1 Ms       ]
//         [ 1 - sigma S^-1 (Cs + sigma Ms)      -sigma S^-1 Ms ]     to   1/(lambda - sigma)    (dgeev),
//
// which finds low frequencies most exactly. Nodes without mass have the eigenvalue 0.
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/modes.h"
#include "base/error.h"
#include "math/blas.h"

typedef struct Dense {
    int n, f;  // freedoms before and after the joints
    double *Z; // n x f, column-major, as are all
    double *M, *C, *K;
} Dense;

static double *modes_dense_square(int n) { return calloc((size_t)n * (size_t)n + 1, sizeof(double)); }

static void modes_dense_release(Dense *d) {
    free(d->Z), free(d->M), free(d->C), free(d->K);
    *d = (Dense){0};
}

// Columns of Z: an orthonormal basis of the null space of G.
static bool modes_dense_null_space(const MechanismLinear *l, Dense *d) {
    int n = d->n, m = l->multipliers, rank = 0;
    double *Q = calloc((size_t)n * (size_t)(n > m ? n : m) + 1, sizeof *Q);
    double *tau = calloc((size_t)(n + m) + 1, sizeof *tau);
    lapack_int *pivot = calloc((size_t)m + 1, sizeof *pivot);
    bool good = Q && tau && pivot;
    for (int j = 0; j < m && good; j++) // column n + j of K is that of G^T
        for (int i = l->starts[n + j]; i < l->starts[n + j + 1]; i++)
            if (l->rows[i] < n) Q[(size_t)j * (size_t)n + (size_t)l->rows[i]] = l->K[i];
    if (good && m > 0) good = BLAS_ALONE(LAPACKE_dgeqp3(LAPACK_COL_MAJOR, n, m, Q, n, pivot, tau)) == 0;
    int least = n < m ? n : m;
    for (int j = 0; j < least && good && fabs(Q[(size_t)j * (size_t)n + (size_t)j]) > 1e-10 * fabs(Q[0]); j++)
        rank++;
    d->f = n - rank;
    d->Z = calloc((size_t)n * (size_t)d->f + 1, sizeof *d->Z);
    good = good && d->Z;
    for (int j = 0; j < d->f && good; j++) d->Z[(size_t)j * (size_t)n + (size_t)(rank + j)] = 1;
    if (good && rank > 0 && d->f > 0)
        good = BLAS_ALONE(LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'N', n, d->f, rank, Q, n, tau, d->Z, n)) == 0;
    free(Q), free(tau), free(pivot);
    return good;
}

// Z^T A Z, A sparse.
static double *modes_dense_project(const MechanismLinear *l, const Dense *d, const double *values) {
    size_t n = (size_t)d->n, f = (size_t)d->f;
    double *AZ = calloc(n + 1, sizeof *AZ), *result = modes_dense_square(d->f);
    for (size_t k = 0; k < f && AZ && result; k++) {
        const double *z = &d->Z[k * n];
        for (size_t i = 0; i < n; i++) AZ[i] = 0;
        for (int j = 0; j < d->n; j++)
            for (int i = l->starts[j]; i < l->starts[j + 1]; i++)
                if (l->rows[i] < d->n) AZ[l->rows[i]] += values[i] * z[j];
        for (size_t p = 0; p < f; p++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++) sum += d->Z[p * n + i] * AZ[i];
            result[k * f + p] = sum;
        }
    }
    if (!AZ) free(result), result = NULL;
    free(AZ);
    return result;
}

static double modes_dense_largest(const double *A, size_t count) {
    double value = 0;
    for (size_t i = 0; i < count; i++) value = fmax(value, fabs(A[i]));
    return value;
}

static double modes_dense_skewness(const double *A, int f) {
    double value = 0;
    for (int i = 0; i < f; i++)
        for (int j = 0; j < i; j++)
            value = fmax(value,
                         fabs(A[(size_t)i * (size_t)f + (size_t)j] - A[(size_t)j * (size_t)f + (size_t)i]));
    return value;
}

// u = Z s of one eigenvector.
static bool modes_dense_add_mode(const MechanismLinear *l, const Dense *d, ModeList *list,
                                 double _Complex lambda, const double *real, const double *imaginary,
                                 double sign, double _Complex *shape) {
    for (int i = 0; i < d->n; i++) shape[i] = 0;
    for (int k = 0; k < d->f; k++) {
        double _Complex s = real[k] + (imaginary ? sign * imaginary[k] : 0) * _Complex_I;
        for (int i = 0; i < d->n; i++) shape[i] += d->Z[(size_t)k * (size_t)d->n + (size_t)i] * s;
    }
    return modes_add(list, l, lambda, shape);
}

// False when Ms is not positive definite; then nothing has been added.
static bool modes_dense_symmetric(const MechanismLinear *l, const Dense *d, ModeList *list,
                                  double _Complex *shape, bool *memory) {
    size_t count = (size_t)d->f * (size_t)d->f;
    double *K = malloc((count + 1) * sizeof *K), *M = malloc((count + 1) * sizeof *M);
    double *w = calloc((size_t)d->f + 1, sizeof *w);
    *memory = K && M && w;
    bool solved = *memory;
    for (size_t i = 0; i < count && solved; i++) K[i] = d->K[i], M[i] = d->M[i];
    if (solved)
        solved = BLAS_ALONE(LAPACKE_dsygv(LAPACK_COL_MAJOR, 1, 'V', 'U', d->f, K, d->f, M, d->f, w)) == 0;
    for (int k = 0; k < d->f && solved; k++) {
        const double *s = &K[(size_t)k * (size_t)d->f];
        double _Complex lambda = w[k] >= 0 ? sqrt(w[k]) * _Complex_I : sqrt(-w[k]);
        *memory = *memory && modes_dense_add_mode(l, d, list, lambda, s, NULL, 0, shape);
        if (w[k] < 0) *memory = *memory && modes_dense_add_mode(l, d, list, -lambda, s, NULL, 0, shape);
    }
    free(K), free(M), free(w);
    return solved;
}

static bool modes_dense_general(const MechanismLinear *l, const Dense *d, ModeList *list,
                                double _Complex *shape) {
    int f = d->f, two = 2 * f;
    size_t F = (size_t)f, T = (size_t)two;
    double sigma = 1e-4 * modes_highest(l);
    if (!(sigma > 0)) sigma = 1;
    double scale = sigma; // of velocities, so that both halves of a vector are alike
    double *S = modes_dense_square(f), *right = calloc(2 * F * F + 1, sizeof *right),
           *B = modes_dense_square(two), *V = modes_dense_square(two);
    double *wr = calloc(T + 1, sizeof *wr), *wi = calloc(T + 1, sizeof *wi);
    lapack_int *pivot = calloc(F + 1, sizeof *pivot);
    bool good = S && right && B && V && wr && wi && pivot;
    for (size_t i = 0; i < F * F && good; i++) {
        S[i] = d->K[i] + sigma * (d->C[i] + sigma * d->M[i]);
        right[i] = -(d->C[i] + sigma * d->M[i]);
        right[F * F + i] = -d->M[i];
    }
    if (good) good = BLAS_ALONE(LAPACKE_dgesv(LAPACK_COL_MAJOR, f, two, S, f, pivot, right, f)) == 0;
    for (size_t j = 0; j < T && good; j++)
        for (size_t i = 0; i < F; i++) { // the second half of vectors is s'/scale
            double x = right[j * F + i] * (j < F ? 1 : scale);
            B[j * T + i] = x;
            B[j * T + F + i] = (sigma * x + (i == j ? 1 : 0)) / scale;
        }
    if (good)
        good =
            BLAS_ALONE(LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'V', two, B, two, wr, wi, NULL, 1, V, two)) == 0;
    double limit = 0;
    for (size_t k = 0; k < T && good; k++) limit = fmax(limit, hypot(wr[k], wi[k]));
    for (size_t k = 0; k < T && good; k++) {
        double _Complex theta = wr[k] + wi[k] * _Complex_I;
        if (cabs(theta) < 1e-13 * limit) continue; // no mass there
        // LAPACK keeps a pair as real and imaginary part in two columns.
        bool pair = wi[k] != 0, second = wi[k] < 0;
        const double *real = &V[(second ? k - 1 : k) * T], *imaginary = pair ? real + T : NULL;
        good = modes_dense_add_mode(l, d, list, sigma + 1 / theta, real, imaginary, second ? -1 : 1, shape);
    }
    free(S), free(right), free(B), free(V), free(wr), free(wi), free(pivot);
    return good;
}

MrcStatus modes_dense(const MechanismLinear *l, ModeList *list, MrcError *error) {
    Dense d = {.n = l->freedoms};
    double _Complex *shape = malloc((size_t)(l->freedoms + 1) * sizeof *shape);
    bool good = shape && modes_dense_null_space(l, &d);
    if (good && d.f == 0) {
        modes_dense_release(&d);
        free(shape);
        return MRC_OK; // nothing can move
    }
    if (good) {
        d.M = modes_dense_project(l, &d, l->M);
        d.C = modes_dense_project(l, &d, l->C);
        d.K = modes_dense_project(l, &d, l->K);
        good = d.M && d.C && d.K;
    }
    if (good) {
        size_t count = (size_t)d.f * (size_t)d.f;
        double k = modes_dense_largest(d.K, count), m = modes_dense_largest(d.M, count),
               c = modes_dense_largest(d.C, count);
        bool plain = c <= 1e-12 * sqrt(k * m) && modes_dense_skewness(d.K, d.f) <= 1e-9 * k &&
                     modes_dense_skewness(d.M, d.f) <= 1e-9 * m;
        bool memory = true;
        if (!plain || !modes_dense_symmetric(l, &d, list, shape, &memory))
            good = memory && modes_dense_general(l, &d, list, shape);
        good = good && memory;
    }
    modes_dense_release(&d);
    free(shape);
    return good ? MRC_OK
                : error_set(error, MRC_NOT_CONVERGED,
                            "the eigenvalues of the linearised mechanism were not found");
}
