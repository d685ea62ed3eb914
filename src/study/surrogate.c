// Gaussian process regression (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, chapters 2, 4, 5).
// With the covariance
//
//     k(x, x') = s^2 (1 + r + r^2/3) exp(-r),   r^2 = 5 sum ((x_i - x'_i)/l_i)^2         (Matern 5/2)
//
// between values and K = k(x_i, x_j) + (v_i + n^2) delta_ij, where v_i is the variance of the mean of value i, the function
// at x has
//
//     mean k^T K^-1 y,   variance s^2 - k^T K^-1 k.
//
// Lengths l_i, variance s^2 and noise n^2 are those of the largest posterior probability, log p(y) + log priors:
// normal in their logarithms, about l = 1/2, s = 1, n^2 = 1e-3 of the variance of the values. The priors matter as
// long as there are few points, and bound the parameters that the data do not determine. The search is a pattern
// search, because it is deterministic and the function has few coordinates.
//
// The error at point i of the surrogate that is made without it, in units of the deviation that this one states there, is
// w_i / sqrt(K^-1_ii) with w = K^-1 y (the same, 5.12).
//
// Expected improvement after Jones, Schonlau and Welch 1998 (doi:10.1023/A:1008306431147).
#include "study/surrogate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SURROGATE_PI 3.14159265358979323846

// ---- covariance ----------------------------------------------------------------------------------
static double surrogate_kernel(const Surrogate *s, const double *x, const double *y) {
    double squares = 0;
    for (int i = 0; i < s->dimensions; i++) {
        double off = (x[i] - y[i]) * s->rates[i];
        squares += off * off;
    }
    double r = sqrt(5 * squares);
    return s->rates[s->dimensions] * (1 + r + r * r / 3) * exp(-r);
}

// In place, lower; false: not positive definite.
static bool surrogate_factorise(double *a, size_t n) {
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++) {
            double sum = a[i * n + j];
            for (size_t k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
            if (i == j && !(sum > 0)) return false;
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
    return true;
}

static void surrogate_solve_lower(const double *l, size_t n, double *x) {
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) x[i] -= l[i * n + k] * x[k];
        x[i] /= l[i * n + i];
    }
}

static void surrogate_solve_upper(const double *l, size_t n, double *x) { // with the transpose
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) x[i] -= l[k * n + i] * x[k];
        x[i] /= l[i * n + i];
    }
}

static double surrogate_prior(const Surrogate *s) {
    int d = s->dimensions;
    double sum = 0;
    for (int i = 0; i < d; i++) {
        double off = s->logs[i] - log(0.5);
        sum += off * off;
    }
    double noise = (s->logs[d + 1] - log(1e-3)) / 2;
    return -0.5 * (sum + s->logs[d] * s->logs[d] + noise * noise);
}

// Factor and weights for the present logarithms; the logarithm of their posterior probability, up to a constant.
static double surrogate_judge(Surrogate *s, const double *scaled) {
    size_t n = s->count;
    double noise = exp(s->logs[s->dimensions + 1]), logarithm = 0, product = 0;
    for (int i = 0; i < s->dimensions; i++) s->rates[i] = exp(-s->logs[i]);
    s->rates[s->dimensions] = exp(s->logs[s->dimensions]);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            s->factor[i * n + j] = surrogate_kernel(s, s->points + i * (size_t)s->dimensions,
                                                    s->points + j * (size_t)s->dimensions);
            if (i == j)
                s->factor[i * n + j] +=
                    noise + 1e-10 + (s->variance ? s->variance[i] / (s->scale * s->scale) : 0);
        }
    if (!surrogate_factorise(s->factor, n)) return -INFINITY;
    memcpy(s->weights, scaled, n * sizeof *scaled);
    surrogate_solve_lower(s->factor, n, s->weights);
    for (size_t i = 0; i < n; i++) {
        logarithm += log(s->factor[i * n + i]);
        product += s->weights[i] * s->weights[i];
    }
    surrogate_solve_upper(s->factor, n, s->weights);
    return -0.5 * product - logarithm + surrogate_prior(s);
}

// ---- making --------------------------------------------------------------------------------------
static void surrogate_search(Surrogate *s, const double *scaled) {
    double best = surrogate_judge(s, scaled);
    for (double step = 1.6; step > 0.08; step /= 2)
        for (bool better = true; better;) {
            better = false;
            for (int i = 0; i < s->dimensions + 2; i++)
                for (int sign = -1; sign <= 1; sign += 2) {
                    double before = s->logs[i];
                    s->logs[i] += sign * step;
                    double value = surrogate_judge(s, scaled);
                    if (value > best + 1e-6) best = value, better = true;
                    else s->logs[i] = before;
                }
        }
    s->evidence = surrogate_judge(s, scaled);
}

bool surrogate_make(Surrogate *s, const double *points, const double *values, const double *variance,
                    size_t count, int dimensions) {
    size_t d = (size_t)dimensions;
    *s = (Surrogate){
        .dimensions = dimensions, .count = count, .points = points, .variance = variance, .scale = 1};
    s->logs = calloc(d + 2, sizeof *s->logs);
    s->rates = calloc(d + 1, sizeof *s->rates);
    s->factor = calloc(count * count, sizeof *s->factor);
    s->weights = calloc(count, sizeof *s->weights);
    double *scaled = calloc(count, sizeof *scaled), squares = 0;
    bool good = s->logs && s->rates && s->factor && s->weights && scaled;
    for (size_t i = 0; i < count; i++) s->mean += values[i] / (double)count;
    for (size_t i = 0; i < count; i++) squares += (values[i] - s->mean) * (values[i] - s->mean);
    if (squares > 0) s->scale = sqrt(squares / (double)count);
    for (size_t i = 0; good && i < count; i++) scaled[i] = (values[i] - s->mean) / s->scale;
    for (size_t i = 0; good && i < d; i++) s->logs[i] = log(0.5);
    if (good) s->logs[d + 1] = log(1e-3), surrogate_search(s, scaled);
    free(scaled);
    if (!good) surrogate_free(s);
    return good;
}

void surrogate_free(Surrogate *s) {
    free(s->logs);
    free(s->rates);
    free(s->factor);
    free(s->weights);
    *s = (Surrogate){0};
}

// ---- using ---------------------------------------------------------------------------------------
SurrogateValue surrogate_at(const Surrogate *s, const double *point) {
    enum { FEW = 256 };
    double few[FEW], *k = s->count <= FEW ? few : malloc(s->count * sizeof *k);
    double mean = 0, variance = s->rates[s->dimensions];
    if (!k) return (SurrogateValue){s->mean, s->scale};
    for (size_t i = 0; i < s->count; i++) {
        k[i] = surrogate_kernel(s, point, s->points + i * (size_t)s->dimensions);
        mean += k[i] * s->weights[i];
    }
    surrogate_solve_lower(s->factor, s->count, k);
    for (size_t i = 0; i < s->count; i++) variance -= k[i] * k[i];
    if (k != few) free(k);
    return (SurrogateValue){s->mean + s->scale * mean, s->scale * sqrt(fmax(variance, 0))};
}

double surrogate_mean(const Surrogate *s, const double *point) {
    double mean = 0;
    for (size_t i = 0; i < s->count; i++)
        mean += surrogate_kernel(s, point, s->points + i * (size_t)s->dimensions) * s->weights[i];
    return s->mean + s->scale * mean;
}

bool surrogate_left_out(const Surrogate *s, double *errors) {
    size_t n = s->count;
    double *column = calloc(n + 1, sizeof *column);
    for (size_t i = 0; column && i < n; i++) {
        double inverse = 0; // the i-th on the diagonal of that of the covariance
        memset(column, 0, n * sizeof *column);
        column[i] = 1;
        surrogate_solve_lower(s->factor, n, column);
        for (size_t j = i; j < n; j++) inverse += column[j] * column[j];
        errors[i] = s->weights[i] / sqrt(inverse);
    }
    free(column);
    return column != NULL;
}

double normal_below(double z) { return 0.5 * erfc(-z / sqrt(2)); }

double surrogate_improvement(SurrogateValue value, double best) {
    double gain = best - value.mean;
    if (!(value.deviation > 0)) return fmax(gain, 0);
    double z = gain / value.deviation;
    return gain * normal_below(z) + value.deviation * exp(-0.5 * z * z) / sqrt(2 * SURROGATE_PI);
}

double surrogate_spread(unsigned k, int coordinate) {
    static const unsigned primes[] = {2,  3,  5,  7,  11, 13, 17, 19, 23, 29, 31,
                                      37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79};
    unsigned base = primes[(size_t)coordinate % (sizeof primes / sizeof *primes)];
    double value = 0, part = 1;
    for (k++; k > 0; k /= base) part /= base, value += part * (k % base);
    return value;
}
