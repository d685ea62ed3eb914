// Calibration by surrogates (Kennedy and O'Hagan 2001, doi:10.1111/1467-9868.00294, without a term for the model's own error
// that depends on where one is): each feature of the data, such as the amplitude at one time, has a surrogate over the
// variables (surrogate.c), made of means over random beds. What was measured is one bed, so that with the residuals r
//
//     chi^2 = r^T C^-1 r,    C = S + V + N + s^2 I,
//
// where S is the covariance of the features of one bed, V the variance of the surrogates, N that of the
// noise of the measurement where it is known, and s what these do not explain, such as the error of the model. s is the smallest that makes chi^2 of the best values no larger than
// the number of features less that of variables.
//
// The interval of a variable is where chi^2, made smallest over the others (profile), is above its smallest value by no
// more than Student's t^2 at 95 %. Correlations are those of places weighted by exp(-chi^2/2).
#include "study/calibrate.h"

#include <math.h>
#include <stdlib.h>

#include "study/statistics.h"
#include "study/surrogate.h"

enum { CALIBRATE_SAMPLES = 2000, CALIBRATE_PROFILE = 50 };

typedef struct Calibrator {
    const Calibration *c;
    Surrogate surrogates[CALIBRATE_FEATURES_MAX];
    double *columns; // values of each feature, side by side
    double *variances;
    double misfit;
} Calibrator;

static void calibrator_free(Calibrator *k) {
    for (int f = 0; f < CALIBRATE_FEATURES_MAX; f++) surrogate_free(&k->surrogates[f]);
    free(k->columns), free(k->variances);
}

static bool calibrator_make(Calibrator *k, const Calibration *c) {
    size_t n = c->count, m = (size_t)c->features;
    *k = (Calibrator){.c = c};
    k->columns = calloc(n * m + 1, sizeof(double));
    k->variances = calloc(n * m + 1, sizeof(double));
    bool good = k->columns && k->variances;
    for (size_t f = 0; f < m && good; f++) {
        for (size_t i = 0; i < n; i++) {
            k->columns[f * n + i] = c->means[i * m + f];
            k->variances[f * n + i] = c->scatter[f * m + f] / c->beds;
        }
        good = surrogate_make(&k->surrogates[f], c->places, k->columns + f * n, k->variances + f * n, n,
                              c->variables);
    }
    if (!good) calibrator_free(k);
    return good;
}

// ---- chi^2 ---------------------------------------------------------------------------------------
static double calibrator_chi_square(const Calibrator *k, const double *place) {
    double a[CALIBRATE_FEATURES_MAX][CALIBRATE_FEATURES_MAX], r[CALIBRATE_FEATURES_MAX], sum = 0;
    int m = k->c->features;
    for (int f = 0; f < m; f++) {
        SurrogateValue v = surrogate_at(&k->surrogates[f], place);
        for (int g = 0; g <= f; g++) a[f][g] = k->c->scatter[f * m + g];
        a[f][f] += v.deviation * v.deviation + k->misfit * k->misfit;
        if (k->c->noise) a[f][f] += k->c->noise[f];
        r[f] = k->c->data[f] - v.mean;
    }
    for (int i = 0; i < m; i++) { // Cholesky, and r through the lower factor
        for (int j = 0; j <= i; j++) {
            double value = a[i][j];
            for (int l = 0; l < j; l++) value -= a[i][l] * a[j][l];
            if (i == j && !(value > 0)) return INFINITY;
            a[i][j] = i == j ? sqrt(value) : value / a[j][j];
        }
        for (int l = 0; l < i; l++) r[i] -= a[i][l] * r[l];
        r[i] /= a[i][i];
        sum += r[i] * r[i];
    }
    return sum;
}

// One step along each variable but `held` that makes chi^2 smaller.
static double calibrator_explore(const Calibrator *k, double *place, int held, double step, double best) {
    for (int v = 0; v < k->c->variables; v++)
        for (int sign = -1; sign <= 1 && v != held; sign += 2) {
            double before = place[v];
            place[v] = fmin(fmax(before + sign * step, 0), 1);
            double now = place[v] == before ? INFINITY : calibrator_chi_square(k, place);
            if (now < best - 1e-9) best = now;
            else place[v] = before;
        }
    return best;
}

// Makes chi^2 smaller from the place on, `held` (-1: none) staying as it is: pattern search after Hooke and Jeeves 1961
// (doi:10.1145/321062.321069), which goes on in the direction that helped, along narrow valleys too.
static double calibrator_descend(const Calibrator *k, double *place, int held, double step) {
    double best = calibrator_chi_square(k, place), base[VARIABLES_MAX], trial[VARIABLES_MAX] = {0};
    for (; step > 0.0002; step /= 2)
        for (;;) {
            memcpy(base, place, sizeof base);
            double now = calibrator_explore(k, place, held, step, best);
            if (!(now < best)) break;
            best = now;
            for (int i = 0; i < 50; i++) {
                for (int v = 0; v < k->c->variables; v++) trial[v] = fmin(fmax(2 * place[v] - base[v], 0), 1);
                now = calibrator_explore(k, trial, held, step, calibrator_chi_square(k, trial));
                if (!(now < best - 1e-9)) break;
                best = now;
                memcpy(base, place, sizeof base);
                memcpy(place, trial, sizeof trial);
            }
        }
    return best;
}

static double calibrator_best(const Calibrator *k, double *place) {
    double least = INFINITY;
    for (unsigned i = 0; i < CALIBRATE_SAMPLES / 4; i++) {
        double trial[VARIABLES_MAX] = {0};
        for (int v = 0; v < k->c->variables; v++) trial[v] = surrogate_spread(i, v);
        double value = calibrator_chi_square(k, trial);
        if (value < least) least = value, memcpy(place, trial, sizeof trial);
    }
    return calibrator_descend(k, place, -1, 0.1);
}

// The smallest misfit with which the best values fit. It is made smaller step by step, so that valleys become narrow only
// once the place is in them.
static double calibrator_find_misfit(Calibrator *k, double *place) {
    double wanted = fmax(1, k->c->features - k->c->variables), size = 0, low, high;
    for (int f = 0; f < k->c->features; f++) // data may be far from all that the model gives
        size = fmax(size, fmax(k->surrogates[f].scale, fabs(k->c->data[f] - k->surrogates[f].mean)));
    high = k->misfit = fmax(10 * size, 1e-12);
    calibrator_best(k, place);
    for (low = high / 2; low > 1e-6 * size; high = low, low /= 2) {
        k->misfit = low;
        if (calibrator_descend(k, place, -1, 0.1) > wanted) break;
    }
    while (high > 1.02 * low && low > 1e-6 * size) {
        k->misfit = sqrt(low * high);
        if (calibrator_descend(k, place, -1, 0.05) > wanted) low = k->misfit;
        else high = k->misfit;
    }
    k->misfit = high;
    return calibrator_descend(k, place, -1, 0.1);
}

// ---- intervals -----------------------------------------------------------------------------------
// From the best place outwards until chi^2 is too large. The other variables follow.
static double calibrator_walk(const Calibrator *k, const double *best, int variable, int sign, double limit,
                              bool *open) {
    double place[VARIABLES_MAX] = {0}, last = best[variable], last_value = 0, step = 1.0 / CALIBRATE_PROFILE;
    double least = calibrator_chi_square(k, best);
    memcpy(place, best, (size_t)k->c->variables * sizeof *place);
    *open = false;
    for (;;) {
        if (sign < 0 ? last <= 0 : last >= 1) {
            *open = true;
            return last;
        }
        place[variable] = fmin(fmax(last + sign * step, 0), 1);
        double value = calibrator_descend(k, place, variable, 0.04) - least;
        if (value > limit) { // between the two
            if (step > 0.0005) {
                step /= 4;
                continue;
            }
            double part = (limit - last_value) / fmax(value - last_value, 1e-12);
            return last + sign * step * fmin(fmax(part, 0), 1);
        }
        last = place[variable], last_value = value;
    }
}

// Of the place, in the box of all intervals.
static void calibrator_correlate(const Calibrator *k, Calibration *c) {
    double sum = 0, mean[VARIABLES_MAX] = {0}, product[VARIABLES_MAX][VARIABLES_MAX] = {{0}};
    for (unsigned i = 0; i < CALIBRATE_SAMPLES; i++) {
        double place[VARIABLES_MAX];
        for (int v = 0; v < c->variables; v++)
            place[v] = c->intervals[v].lower +
                       surrogate_spread(i, v) * (c->intervals[v].upper - c->intervals[v].lower);
        double weight = exp(-0.5 * (calibrator_chi_square(k, place) - c->chi_square));
        if (!isfinite(weight)) continue;
        sum += weight;
        for (int v = 0; v < c->variables; v++) {
            mean[v] += weight * place[v];
            for (int w = 0; w < c->variables; w++) product[v][w] += weight * place[v] * place[w];
        }
    }
    for (int v = 0; v < c->variables; v++)
        for (int w = 0; w < c->variables; w++) {
            double vv = product[v][v] / sum - mean[v] * mean[v] / (sum * sum);
            double ww = product[w][w] / sum - mean[w] * mean[w] / (sum * sum);
            double vw = product[v][w] / sum - mean[v] * mean[w] / (sum * sum);
            c->correlation[v][w] = vv > 0 && ww > 0 ? vw / sqrt(vv * ww) : v == w;
        }
}

bool calibrate(Calibration *c) {
    Calibrator k;
    double best[VARIABLES_MAX] = {0};
    if (!calibrator_make(&k, c)) return false;
    c->chi_square = calibrator_find_misfit(&k, best);
    c->misfit = k.misfit;
    double t = student_quantile(0.975, fmax(1, c->features - c->variables));
    for (int v = 0; v < c->variables; v++) {
        CalibrateInterval *interval = &c->intervals[v];
        interval->best = best[v];
        interval->lower = calibrator_walk(&k, best, v, -1, t * t, &interval->lower_open);
        interval->upper = calibrator_walk(&k, best, v, 1, t * t, &interval->upper_open);
    }
    for (int f = 0; f < c->features; f++) c->fitted[f] = surrogate_at(&k.surrogates[f], best).mean;
    calibrator_correlate(&k, c);
    calibrator_free(&k);
    return true;
}

// ---- further runs --------------------------------------------------------------------------------
static double calibrator_distance(const Calibration *c, const double *place, const double *others,
                                  size_t count) {
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double squares = 0;
        for (int v = 0; v < c->variables; v++) {
            double off = place[v] - others[i * (size_t)c->variables + (size_t)v];
            squares += off * off;
        }
        least = fmin(least, squares);
    }
    return sqrt(least);
}

bool calibrate_propose(const Calibration *c, int count, double *places, int *found) {
    Calibrator k;
    double best[VARIABLES_MAX] = {0};
    *found = 0;
    if (!calibrator_make(&k, c)) return false;
    double least = calibrator_find_misfit(&k, best);
    double *chi = calloc(CALIBRATE_SAMPLES, sizeof *chi);
    for (unsigned i = 0; chi && i < CALIBRATE_SAMPLES; i++) {
        double trial[VARIABLES_MAX];
        for (int v = 0; v < c->variables; v++) trial[v] = surrogate_spread(i, v);
        chi[i] = calibrator_chi_square(&k, trial) - least;
    }
    double limit = 16; // four deviations; more where so few are likely that their neighbours are worth a run
    for (int near = 0; chi && near < 8 * count && limit < 1e6; limit *= 2) {
        near = 0;
        for (int i = 0; i < CALIBRATE_SAMPLES; i++) near += chi[i] <= limit;
        if (near >= 8 * count) break;
    }
    for (; chi && *found < count; (*found)++) {
        double *next = places + *found * c->variables, largest = 0;
        if (*found == 0) {
            memcpy(next, best, (size_t)c->variables * sizeof *next);
            continue;
        }
        for (unsigned i = 0; i < CALIBRATE_SAMPLES; i++) {
            double trial[VARIABLES_MAX];
            if (chi[i] > limit) continue;
            for (int v = 0; v < c->variables; v++) trial[v] = surrogate_spread(i, v);
            double distance = fmin(calibrator_distance(c, trial, c->places, c->count),
                                   calibrator_distance(c, trial, places, (size_t)*found));
            if (distance > largest)
                largest = distance, memcpy(next, trial, (size_t)c->variables * sizeof *next);
        }
        if (!(largest > 0.01)) break;
    }
    calibrator_free(&k);
    free(chi);
    return chi != NULL;
}
