// Interval of a mean of n independent values with the deviation s: t(0.975, n - 1) s / sqrt(n), after Student.
//
// Correlated series (batch means; Law and Kelton, Operations Research 30 (1982) 169-184, doi:10.1287/opre.30.1.169,
// compare the methods): neighbours are joined to batches of 1, 2, 4, ... values until the batch means are no longer
// alike. They count as independent when their lag-1 correlation r, corrected for its bias of -1/b, is below 1/4, or when
// fewer than 2 LEAST batches are left. What correlation remains widens the interval: the variance of the mean of b values
// with r^k between the k-th neighbours is that of independent ones times (1 + r)/(1 - r) for large b, and that many
// fewer values count as independent in Student's t. Joining until the test passes is what keeps the coverage near 95 %
// from no correlation to a time of 20 values in a series of 400 (tests/study/test_statistics.c).
//
// Single values that are opposite to their neighbours, r below -2/sqrt(b), as those of a motion that repeats every other
// cycle, are joined to pairs as well: they would make the interval too wide, and hide a slow wandering of the mean. Of such
// pairs r may be negative, down to -0.3, and narrows the interval.
#include "study/statistics.h"

#include <math.h>
#include <stdbool.h>

// ---- Student's t ---------------------------------------------------------------------------------
// The continued fraction of the incomplete beta function, by Lentz's method.
static double statistics_fraction(double a, double b, double x) {
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double value = d;
    for (int m = 1; m < 500; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        const double terms[2] = {even, odd};
        double change = 1;
        for (int k = 0; k < 2; k++) {
            d = 1 + terms[k] * d;
            c = 1 + terms[k] / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            change = c * d;
            value *= change;
        }
        if (fabs(change - 1) < 1e-15) break;
    }
    return value;
}

static double statistics_beta(double a, double b, double x) { // regularised
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * statistics_fraction(a, b, x) / a
                                     : 1 - front * statistics_fraction(b, a, 1 - x) / b;
}

static double statistics_student_tail(double t, double freedoms) { // P(T > t), t >= 0
    return 0.5 * statistics_beta(freedoms / 2, 0.5, freedoms / (freedoms + t * t));
}

double student_above(double t, double freedoms) {
    return t >= 0 ? statistics_student_tail(t, freedoms) : 1 - statistics_student_tail(-t, freedoms);
}

double student_quantile(double p, double freedoms) {
    if (!(freedoms > 0) || !(p > 0 && p < 1)) return NAN;
    if (p < 0.5) return -student_quantile(1 - p, freedoms);
    double low = 0, high = 1;
    while (statistics_student_tail(high, freedoms) > 1 - p && high < 1e15) high *= 2;
    for (int i = 0; i < 200 && high - low > 1e-14 * high; i++) {
        double middle = 0.5 * (low + high);
        if (statistics_student_tail(middle, freedoms) > 1 - p) low = middle;
        else high = middle;
    }
    return 0.5 * (low + high);
}

// ---- means ---------------------------------------------------------------------------------------
Estimate estimate_independent(const double *values, size_t count) {
    Estimate e = {NAN, NAN, NAN, count, count};
    double mean = 0, squares = 0;
    if (count == 0) return e;
    for (size_t i = 0; i < count; i++) { // Welford
        double off = values[i] - mean;
        mean += off / (double)(i + 1);
        squares += off * (values[i] - mean);
    }
    e.mean = mean;
    if (count < 2) return e;
    e.deviation = sqrt(squares / (double)(count - 1));
    e.interval = student_quantile(0.975, (double)(count - 1)) * e.deviation / sqrt((double)count);
    return e;
}

enum { STATISTICS_LEAST = 6 }; // batches that an interval is made from

// Means of `size` neighbours each, from the end: the beginning, which may not be steady yet, is what is left out.
static double statistics_batch(const double *values, size_t count, size_t size, size_t batch,
                               size_t batches) {
    const double *first = values + (count - batches * size) + batch * size;
    double sum = 0;
    for (size_t i = 0; i < size; i++) sum += first[i];
    return sum / (double)size;
}

static double statistics_batch_correlation(const double *values, size_t count, size_t size, size_t batches) {
    double mean = 0, squares = 0, products = 0, last = 0;
    for (size_t b = 0; b < batches; b++) mean += statistics_batch(values, count, size, b, batches);
    mean /= (double)batches;
    for (size_t b = 0; b < batches; b++) {
        double off = statistics_batch(values, count, size, b, batches) - mean;
        squares += off * off;
        if (b > 0) products += last * off;
        last = off;
    }
    return squares > 0 ? products / squares : 0;
}

Estimate estimate_series(const double *values, size_t count) {
    Estimate e = estimate_independent(values, count);
    if (count < 4) return e;
    size_t size = 1;
    double correlation;
    bool opposite = false; // neighbours, one by one
    for (;; size *= 2) {
        size_t batches = count / size;
        correlation = statistics_batch_correlation(values, count, size, batches) + 1 / (double)batches;
        if (size == 1) opposite = correlation < -2 / sqrt((double)batches);
        if ((correlation < 0.25 && !(opposite && size == 1)) || batches < 2 * STATISTICS_LEAST) break;
    }
    size_t batches = count / size;
    double squares = 0, mean = 0;
    for (size_t b = 0; b < batches; b++) mean += statistics_batch(values, count, size, b, batches);
    mean /= (double)batches;
    for (size_t b = 0; b < batches; b++) {
        double off = statistics_batch(values, count, size, b, batches) - mean;
        squares += off * off;
    }
    double least = opposite && size == 2 ? -0.3 : 0, left = fmin(fmax(correlation, least), 0.9);
    double widened = (1 + left) / (1 - left), freedoms = fmax(1, (double)batches / fmax(widened, 1) - 1);
    double variance = squares / ((double)batches - 1) * widened / (double)batches;
    e.interval = student_quantile(0.975, freedoms) * sqrt(variance);
    e.batches = batches;
    return e;
}
