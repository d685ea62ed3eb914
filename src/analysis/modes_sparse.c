// The lowest modes of a large mechanism, by ARPACK's implicitly restarted Arnoldi iteration.
//
// For a real shift sigma and S = K + sigma C + sigma^2 M, the pair (u, u') of lambda is an eigenvector, to
// the eigenvalue theta = 1/(lambda - sigma), of the operator that takes (u, v) to
//
//     [ S  G^T ] [ u' ]   [ -(M v + (C + sigma M) u) ]
//     [ G   0  ] [ mu ] = [             0            ],      v' = u + sigma u'.
//
// One factorization (KLU) serves all of its applications. Motions that the joints forbid belong to theta = 0
// (they are gone after the operator has been applied twice), so that nothing has to be projected.
#include <arpack/arpack.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <suitesparse/klu.h>

#include "analysis/modes.h"
#include "base/error.h"
#include "math/blas.h"

// ARPACK keeps its state between calls in static variables.
static pthread_mutex_t arpack_lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct Operator {
    const MechanismLinear *linear;
    double sigma, scale; // the second half of vectors is v/scale
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    double *values, *work;
} Operator;

static void modes_sparse_operator_release(Operator *o) {
    klu_free_numeric(&o->numeric, &o->common);
    klu_free_symbolic(&o->symbolic, &o->common);
    free(o->values), free(o->work);
    *o = (Operator){0};
}

// False: S is singular, or memory is out.
static bool modes_sparse_operator_prepare(Operator *o, const MechanismLinear *l, double sigma) {
    int size = l->freedoms + l->multipliers;
    *o = (Operator){.linear = l, .sigma = sigma, .scale = 1};
    klu_defaults(&o->common);
    o->values = malloc(((size_t)l->starts[size] + 1) * sizeof *o->values);
    o->work = malloc(((size_t)size + 1) * sizeof *o->work);
    if (!o->values || !o->work) return false;
    for (int i = 0; i < l->starts[size]; i++) o->values[i] = l->K[i] + sigma * (l->C[i] + sigma * l->M[i]);
    o->symbolic = klu_analyze(size, l->starts, l->rows, &o->common);
    if (o->symbolic) o->numeric = klu_factor(l->starts, l->rows, o->values, o->symbolic, &o->common);
    if (!o->numeric) return false;
    klu_rcond(o->symbolic, o->numeric, &o->common);
    return o->common.rcond > 0;
}

static void modes_sparse_operator_apply(Operator *o, const double *x, double *y) {
    const MechanismLinear *l = o->linear;
    int n = l->freedoms, size = n + l->multipliers;
    const double *u = x, *v = x + n;
    for (int i = 0; i < size; i++) o->work[i] = 0;
    for (int j = 0; j < n; j++) {
        double at_m = o->scale * v[j] + o->sigma * u[j], at_c = u[j];
        for (int i = l->starts[j]; i < l->starts[j + 1]; i++)
            if (l->rows[i] < n) o->work[l->rows[i]] -= l->M[i] * at_m + l->C[i] * at_c;
    }
    klu_solve(o->symbolic, o->numeric, size, 1, o->work, &o->common);
    for (int i = 0; i < n; i++) {
        double old = u[i];
        y[i] = o->work[i];
        y[n + i] = (old + o->sigma * o->work[i]) / o->scale;
    }
}

// About the lowest |lambda|: inverse iteration, (0, v) -> -S^-1 M v.
static double modes_sparse_estimate_lowest(Operator *o, double *x, double *y) {
    int n = o->linear->freedoms;
    double growth = 1;
    for (int i = 0; i < n; i++) y[i] = sin(1.0 + 7.3 * i);
    for (int k = 0; k < 12 && growth > 0; k++) {
        double norm = 0, next = 0;
        for (int i = 0; i < n; i++) norm += y[i] * y[i];
        for (int i = 0; i < n; i++) x[i] = 0, x[n + i] = y[i] / sqrt(norm);
        modes_sparse_operator_apply(o, x, y);
        for (int i = 0; i < n; i++) next += y[i] * y[i];
        growth = sqrt(next);
    }
    return growth > 0 ? 1 / sqrt(growth) : 0;
}

// A shift that keeps S regular when the mechanism is free to move, but is small against its vibrations.
static bool modes_sparse_choose_shift(const MechanismLinear *l, Operator *o, double *x, double *y) {
    double highest = modes_highest(l);
    double sigma = highest > 0 ? 1e-6 * highest : 1;
    if (!modes_sparse_operator_prepare(o, l, sigma)) return false;
    double lowest = modes_sparse_estimate_lowest(o, x, y);
    if (!(lowest > 0)) lowest = sigma;
    modes_sparse_operator_release(o);
    sigma = fmax(0.5 * lowest, 1e-7 * highest);
    if (!modes_sparse_operator_prepare(o, l, sigma)) return false;
    o->scale = sigma;
    return true;
}

typedef struct Arnoldi {
    a_int n, wanted, columns, lworkl;
    double *residual, *v, *workd, *workl, *real, *imaginary, *z, *workev;
    a_int *select;
} Arnoldi;

static bool modes_sparse_arnoldi_create(Arnoldi *a, int n, int wanted) {
    *a = (Arnoldi){.n = n};
    a->wanted = wanted < n - 2 ? wanted : n - 2;
    a->columns = 2 * a->wanted + 20 < n ? 2 * a->wanted + 20 : n;
    a->lworkl = 3 * a->columns * a->columns + 6 * a->columns;
    size_t N = (size_t)n, columns = (size_t)a->columns, w = (size_t)a->wanted;
    a->residual = calloc(N, sizeof(double));
    a->v = calloc(N * columns, sizeof(double));
    a->workd = calloc(3 * N, sizeof(double));
    a->workl = calloc((size_t)a->lworkl, sizeof(double));
    a->real = calloc(w + 2, sizeof(double));
    a->imaginary = calloc(w + 2, sizeof(double));
    a->z = calloc(N * (w + 2), sizeof(double));
    a->workev = calloc(3 * columns, sizeof(double));
    a->select = calloc(columns, sizeof *a->select);
    return a->residual && a->v && a->workd && a->workl && a->real && a->imaginary && a->z && a->workev &&
           a->select;
}

static void modes_sparse_arnoldi_free(Arnoldi *a) {
    free(a->residual), free(a->v), free(a->workd), free(a->workl), free(a->real), free(a->imaginary);
    free(a->z), free(a->workev), free(a->select);
}

// Iterates; false when it does not converge. *found: how many eigenvalues there are then.
static bool modes_sparse_arnoldi_run(Arnoldi *a, Operator *o, a_int *found) {
    a_int ido = 0, info = 1, iparam[11] = {0}, ipntr[14] = {0};
    iparam[0] = 1;    // exact shifts
    iparam[2] = 1000; // restarts
    iparam[6] = 1;    // the operator as it is
    for (int i = 0; i < a->n; i++) a->workd[i] = sin(1.0 + 3.7 * i);
    modes_sparse_operator_apply(o, a->workd, a->residual); // a start without forbidden motions
    modes_sparse_operator_apply(o, a->residual, a->workd);
    modes_sparse_operator_apply(o, a->workd, a->residual);
    do {
        dnaupd_c(&ido, "I", a->n, "LM", a->wanted, 1e-12, a->residual, a->columns, a->v, a->n, iparam, ipntr,
                 a->workd, a->workl, a->lworkl, &info);
        if (ido == -1 || ido == 1)
            modes_sparse_operator_apply(o, &a->workd[ipntr[0] - 1], &a->workd[ipntr[1] - 1]);
    } while (ido == -1 || ido == 1);
    if (info < 0 || iparam[4] == 0) return false;
    a_int trouble = 0;
    dneupd_c(1, "A", a->select, a->real, a->imaginary, a->z, a->n, 0, 0, a->workev, "I", a->n, "LM",
             a->wanted, 1e-12, a->residual, a->columns, a->v, a->n, iparam, ipntr, a->workd, a->workl,
             a->lworkl, &trouble);
    *found = iparam[4];
    return trouble == 0 && info == 0;
}

static bool modes_sparse_collect(const Arnoldi *a, const Operator *o, a_int found, ModeList *list) {
    int n = o->linear->freedoms;
    double _Complex *shape = malloc((size_t)(n + 1) * sizeof *shape);
    bool good = shape != NULL;
    double largest = 0;
    for (int k = 0; k < found; k++) largest = fmax(largest, hypot(a->real[k], a->imaginary[k]));
    for (int k = 0; k < found && good; k++) {
        double _Complex theta = a->real[k] + a->imaginary[k] * _Complex_I;
        if (cabs(theta) <= 1e-12 * largest) continue; // a motion that joints forbid
        bool pair = a->imaginary[k] != 0, second = pair && k > 0 && a->imaginary[k - 1] == -a->imaginary[k] &&
                                                   a->real[k - 1] == a->real[k];
        const double *real = &a->z[(size_t)(second ? k - 1 : k) * (size_t)a->n], *imaginary = real + a->n;
        for (int i = 0; i < n; i++)
            shape[i] = real[i] + (pair ? (second ? -1 : 1) * imaginary[i] : 0) * _Complex_I;
        good = modes_add(list, o->linear, o->sigma + 1 / theta, shape);
    }
    free(shape);
    return good;
}

MrcStatus modes_sparse(const MechanismLinear *l, int count, ModeList *list, MrcError *error) {
    int n = 2 * l->freedoms;
    Operator o = {0};
    Arnoldi a = {0};
    a_int found = 0;
    // A vibration is two eigenvalues, and so is a rigid motion.
    bool good = modes_sparse_arnoldi_create(&a, n, 2 * count + 4);
    if (!good) {
        modes_sparse_arnoldi_free(&a);
        return error_memory(error, "the modes");
    }
    int before = blas_alone();
    pthread_mutex_lock(&arpack_lock);
    good = modes_sparse_choose_shift(l, &o, a.workd, a.residual) && modes_sparse_arnoldi_run(&a, &o, &found);
    pthread_mutex_unlock(&arpack_lock);
    blas_as_before(before);
    if (good) good = modes_sparse_collect(&a, &o, found, list);
    modes_sparse_operator_release(&o);
    modes_sparse_arnoldi_free(&a);
    return good ? MRC_OK
                : error_set(error, MRC_NOT_CONVERGED,
                            "the modes were not found: the iteration of ARPACK did not converge");
}
