// Each feature has a surrogate (surrogate.c) along common axes, which are chosen by the points: with the slopes g of a first
// set of surrogates, in units of the scatter of their values, at all points i and for all features f,
//
//     G = sum g_if g_if^T = U diag U^T,
//
// the axes are the columns of U (active subspaces: Constantine, Dow and Wang 2014, doi:10.1137/130916138). Where only some
// combinations of the variables matter, such as k/m, the features do not change along the last of them, and its length,
// which is as free as those of the others, becomes large: along the axes of the variables a surrogate has to learn again at
// each place that they cancel, and is wrong between points. The axes are kept if they make the values of the points more
// probable; this is done twice, as the second set of slopes is better than the first.
//
// At a place x the residuals of the data have the covariance
//
//     C = S + V + N + s^2 I,      V_fg = R_fg d_f(x) d_g(x),
//
// where S is the covariance of the features of one bed, N that of the noise of the measurement, s the misfit, and d_f the
// deviation that surrogate f states. Surrogates of neighbouring features are wrong together, since they are made of the same
// points: R = mean of z z^T, of the errors z that each surrogate has in its own deviations at a point that is left out
// (Rasmussen and Williams 5.12). It is taken over the half of the points that is nearest to the data, because surrogates may
// be better or worse elsewhere. With V on the diagonal only, the errors of
// neighbours count as so many independent ones; with this, and surrogates along the variables, chi^2 went from 10 to 34
// along a valley in which that of the model does not change at all.
//
// The place with the smallest chi^2 = r^T C^-1 r is found by Levenberg's and Marquardt's method with C of the last place
// (doi:10.1137/0111030): valleys of which a variable is known to a thousandth and another one not at all are too narrow for
// a pattern search along the variables.
#include "study/calibrator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void calibrator_turn(const Calibrator *k, const double *place, double *along) {
    for (int v = 0; v < k->c->variables; v++) {
        along[v] = 0;
        for (int w = 0; w < k->c->variables; w++) along[v] += k->axes[v][w] * place[w];
    }
}

double calibrator_mean(const Calibrator *k, int feature, const double *place) {
    double along[VARIABLES_MAX];
    calibrator_turn(k, place, along);
    return surrogate_mean(&k->surrogates[feature], along);
}

// ---- making --------------------------------------------------------------------------------------
void calibrator_free(Calibrator *k) {
    for (int f = 0; f < CALIBRATE_FEATURES_MAX; f++) surrogate_free(&k->surrogates[f]);
    free(k->places), free(k->columns), free(k->variances);
}

// Surrogates along the present axes; *evidence: of all of them.
static bool calibrator_surrogates(Calibrator *k, double *evidence) {
    size_t n = k->c->count;
    int variables = k->c->variables;
    *evidence = 0;
    for (size_t i = 0; i < n; i++)
        calibrator_turn(k, k->c->places + i * (size_t)variables, k->places + i * (size_t)variables);
    for (size_t f = 0; f < (size_t)k->c->features; f++) {
        surrogate_free(&k->surrogates[f]);
        if (!surrogate_make(&k->surrogates[f], k->places, k->columns + f * n, k->variances + f * n, n,
                            variables))
            return false;
        *evidence += k->surrogates[f].evidence;
    }
    return true;
}

// Adds to G what the points say about feature f.
static void calibrator_add_slopes(const Calibrator *k, int f, double g[VARIABLES_MAX][VARIABLES_MAX]) {
    const double step = 0.02;
    int variables = k->c->variables;
    for (size_t i = 0; i < k->c->count; i++) {
        double slopes[VARIABLES_MAX];
        for (int v = 0; v < variables; v++) {
            double place[VARIABLES_MAX];
            memcpy(place, k->c->places + i * (size_t)variables, (size_t)variables * sizeof *place);
            place[v] += step;
            slopes[v] = calibrator_mean(k, f, place);
            place[v] -= 2 * step;
            slopes[v] = (slopes[v] - calibrator_mean(k, f, place)) / (2 * step * k->surrogates[f].scale);
        }
        for (int v = 0; v < variables; v++)
            for (int w = 0; w < variables; w++) g[v][w] += slopes[v] * slopes[w];
    }
}

// Makes a[p][q] of a symmetric matrix zero by a rotation, which is applied to the rows of `axes`, too (Jacobi's method: Golub
// and Van Loan, Matrix Computations, 8.5).
static void calibrator_rotate(int n, double a[VARIABLES_MAX][VARIABLES_MAX],
                              double axes[VARIABLES_MAX][VARIABLES_MAX], int p, int q) {
    double angle = 0.5 * atan2(2 * a[p][q], a[q][q] - a[p][p]), c = cos(angle), s = sin(angle);
    for (int i = 0; i < n; i++) {
        double x = a[i][p], y = a[i][q];
        a[i][p] = c * x - s * y, a[i][q] = s * x + c * y;
    }
    for (int i = 0; i < n; i++) {
        double x = a[p][i], y = a[q][i];
        a[p][i] = c * x - s * y, a[q][i] = s * x + c * y;
        x = axes[p][i], y = axes[q][i];
        axes[p][i] = c * x - s * y, axes[q][i] = s * x + c * y;
    }
}

static bool calibrator_choose_axes(Calibrator *k) {
    int n = k->c->variables;
    double evidence, before[VARIABLES_MAX][VARIABLES_MAX], turned;
    if (!calibrator_surrogates(k, &evidence)) return false;
    for (int round = 0; round < 2 && n > 1; round++) {
        double g[VARIABLES_MAX][VARIABLES_MAX] = {{0}};
        for (int f = 0; f < k->c->features; f++) calibrator_add_slopes(k, f, g);
        memcpy(before, k->axes, sizeof before);
        memset(k->axes, 0, sizeof k->axes);
        for (int v = 0; v < n; v++) k->axes[v][v] = 1;
        for (int sweep = 0; sweep < 12; sweep++)
            for (int p = 0; p < n; p++)
                for (int q = p + 1; q < n; q++) calibrator_rotate(n, g, k->axes, p, q);
        if (!calibrator_surrogates(k, &turned)) return false;
        if (!(turned > evidence)) {
            memcpy(k->axes, before, sizeof before);
            return calibrator_surrogates(k, &evidence);
        }
        evidence = turned;
    }
    return true;
}

// R, of the points nearest to the data. Correlations of few errors are too large.
static bool calibrator_find_errors(Calibrator *k) {
    size_t n = k->c->count, m = (size_t)k->c->features, used = 0;
    double *left_out = calloc(n * m + 1, sizeof *left_out), *distances = calloc(n + 1, sizeof *distances);
    bool good = left_out && distances;
    for (size_t f = 0; good && f < m; f++) {
        good = surrogate_left_out(&k->surrogates[f], left_out + f * n);
        for (size_t i = 0; i < n; i++) distances[i] += pow(k->columns[f * n + i] - k->c->data[f], 2);
    }
    for (size_t i = 0; good && i < n; i++) {
        size_t nearer = 0;
        for (size_t j = 0; j < n; j++) nearer += distances[j] < distances[i];
        if (2 * nearer > n) continue;
        used++;
        for (size_t f = 0; f < m; f++)
            for (size_t g = 0; g < m; g++) k->errors[f][g] += left_out[f * n + i] * left_out[g * n + i];
    }
    for (size_t f = 0; good && f < m; f++)
        for (size_t g = 0; g < m; g++) k->errors[f][g] *= (f == g ? 1 : 0.9) / (double)used;
    free(left_out), free(distances);
    return good;
}

bool calibrator_make(Calibrator *k, const Calibration *c) {
    size_t n = c->count, m = (size_t)c->features;
    *k = (Calibrator){.c = c};
    k->places = calloc(n * (size_t)c->variables + 1, sizeof(double));
    k->columns = calloc(n * m + 1, sizeof(double));
    k->variances = calloc(n * m + 1, sizeof(double));
    bool good = k->places && k->columns && k->variances;
    for (size_t f = 0; f < m && good; f++)
        for (size_t i = 0; i < n; i++) {
            k->columns[f * n + i] = c->means[i * m + f];
            k->variances[f * n + i] = c->scatter[f * m + f] / c->beds;
        }
    for (int v = 0; v < c->variables; v++) k->axes[v][v] = 1;
    good = good && calibrator_choose_axes(k) && calibrator_find_errors(k);
    if (!good) calibrator_free(k);
    return good;
}

// ---- chi^2 ---------------------------------------------------------------------------------------
typedef struct CalibratorResidual {
    double factor[CALIBRATE_FEATURES_MAX][CALIBRATE_FEATURES_MAX]; // of C, lower
    double values[CALIBRATE_FEATURES_MAX];                         // r through it
    double chi_square;
} CalibratorResidual;

static void calibrator_solve(const CalibratorResidual *r, int m, double *x) {
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < i; j++) x[i] -= r->factor[i][j] * x[j];
        x[i] /= r->factor[i][i];
    }
}

static void calibrator_residual(const Calibrator *k, const double *place, CalibratorResidual *r) {
    double along[VARIABLES_MAX], deviations[CALIBRATE_FEATURES_MAX];
    int m = k->c->features;
    calibrator_turn(k, place, along);
    r->chi_square = INFINITY;
    for (int f = 0; f < m; f++) {
        SurrogateValue v = surrogate_at(&k->surrogates[f], along);
        deviations[f] = v.deviation;
        for (int g = 0; g <= f; g++)
            r->factor[f][g] = k->c->scatter[f * m + g] + k->errors[f][g] * deviations[f] * deviations[g];
        r->factor[f][f] += k->misfit * k->misfit;
        if (k->c->noise) r->factor[f][f] += k->c->noise[f];
        r->values[f] = k->c->data[f] - v.mean;
    }
    for (int i = 0; i < m; i++) // Cholesky
        for (int j = 0; j <= i; j++) {
            double value = r->factor[i][j];
            for (int l = 0; l < j; l++) value -= r->factor[i][l] * r->factor[j][l];
            if (i == j && !(value > 0)) return;
            r->factor[i][j] = i == j ? sqrt(value) : value / r->factor[j][j];
        }
    calibrator_solve(r, m, r->values);
    r->chi_square = 0;
    for (int f = 0; f < m; f++) r->chi_square += r->values[f] * r->values[f];
}

double calibrator_chi_square(const Calibrator *k, const double *place) {
    CalibratorResidual r;
    calibrator_residual(k, place, &r);
    return r.chi_square;
}

// ---- descent -------------------------------------------------------------------------------------
typedef struct CalibratorSlope {
    double matrix[VARIABLES_MAX][VARIABLES_MAX]; // J^T C^-1 J, J: slopes of the features
    double vector[VARIABLES_MAX];                // J^T C^-1 r
} CalibratorSlope;

static void calibrator_slope(const Calibrator *k, const double *place, const CalibratorResidual *r,
                             CalibratorSlope *s) {
    double columns[VARIABLES_MAX][CALIBRATE_FEATURES_MAX], ahead[VARIABLES_MAX];
    const double step = 1e-4;
    int n = k->c->variables, m = k->c->features;
    memcpy(ahead, place, (size_t)n * sizeof *ahead);
    for (int v = 0; v < n; v++) {
        ahead[v] = place[v] + step;
        for (int f = 0; f < m; f++) columns[v][f] = calibrator_mean(k, f, ahead);
        ahead[v] = place[v] - step;
        for (int f = 0; f < m; f++)
            columns[v][f] = (columns[v][f] - calibrator_mean(k, f, ahead)) / (2 * step);
        ahead[v] = place[v];
        calibrator_solve(r, m, columns[v]);
    }
    *s = (CalibratorSlope){0};
    for (int v = 0; v < n; v++)
        for (int f = 0; f < m; f++) {
            s->vector[v] += columns[v][f] * r->values[f];
            for (int w = 0; w < n; w++) s->matrix[v][w] += columns[v][f] * columns[w][f];
        }
}

// The step of Marquardt's method, of at most a fifth of each range. What is held, or pushed out of its range, stays.
static void calibrator_step(const Calibrator *k, const CalibratorSlope *s, double damping,
                            const double *place, int held, double *next) {
    int n = k->c->variables, free_count = 0, which[VARIABLES_MAX];
    double a[VARIABLES_MAX][VARIABLES_MAX], x[VARIABLES_MAX], trace = 0;
    memcpy(next, place, (size_t)n * sizeof *next);
    for (int v = 0; v < n; v++) trace += s->matrix[v][v];
    for (int v = 0; v < n; v++)
        if (v != held && !(place[v] <= 0 && s->vector[v] < 0) && !(place[v] >= 1 && s->vector[v] > 0))
            which[free_count++] = v;
    for (int i = 0; i < free_count; i++) {
        x[i] = s->vector[which[i]];
        for (int j = 0; j < free_count; j++) a[i][j] = s->matrix[which[i]][which[j]];
        a[i][i] += damping * (a[i][i] + 1e-6 * trace) + 1e-12 * trace + 1e-300;
    }
    for (int i = 0; i < free_count; i++) // Gauss: the matrix is positive definite
        for (int j = i + 1; j < free_count; j++) {
            double part = a[j][i] / a[i][i];
            for (int l = i; l < free_count; l++) a[j][l] -= part * a[i][l];
            x[j] -= part * x[i];
        }
    for (int i = free_count; i-- > 0;) {
        for (int j = i + 1; j < free_count; j++) x[i] -= a[i][j] * x[j];
        x[i] /= a[i][i];
    }
    for (int i = 0; i < free_count; i++)
        next[which[i]] = fmin(fmax(place[which[i]] + fmin(fmax(x[i], -0.2), 0.2), 0), 1);
}

double calibrator_descend(const Calibrator *k, double *place, int held) {
    CalibratorResidual now, then;
    CalibratorSlope slope;
    double damping = 1e-3, next[VARIABLES_MAX];
    calibrator_residual(k, place, &now);
    for (int round = 0; round < 60 && isfinite(now.chi_square); round++) {
        calibrator_slope(k, place, &now, &slope);
        bool better = false;
        double gain = 0;
        for (; damping < 1e9 && !better; damping *= better ? 0.1 : 10) {
            calibrator_step(k, &slope, damping, place, held, next);
            calibrator_residual(k, next, &then);
            gain = now.chi_square - then.chi_square;
            better = gain > 0;
        }
        if (!better) break;
        memcpy(place, next, (size_t)k->c->variables * sizeof *place);
        now = then;
        damping = fmax(damping, 1e-6);
        if (gain < 1e-5 * now.chi_square) break;
    }
    return now.chi_square;
}
