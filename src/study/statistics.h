// Means with their 95 % confidence intervals: of independent values, and of a series whose values are correlated.
#ifndef STUDY_STATISTICS_H
#define STUDY_STATISTICS_H

#include <stddef.h>

typedef struct Estimate {
    double mean;      // NAN: there are no values
    double deviation; // standard deviation of the sample; NAN: fewer than two values
    double interval;  // half the width of the 95 % confidence interval of the mean; NAN: unknown
    size_t count;     // values
    size_t batches;   // that the interval was made from; `count` of independent values
} Estimate;

// The t that a Student-distributed value with so many degrees of freedom stays below with the probability p.
double student_quantile(double p, double freedoms);
double student_above(double t, double freedoms); // the probability that it is above t

Estimate estimate_independent(const double *values, size_t count);

// Of a stationary series, such as the energy of period after period: neighbours are alike, so that the values say less
// than as many independent ones.
Estimate estimate_series(const double *values, size_t count);

#endif
