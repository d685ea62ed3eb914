// A surrogate: what is to be expected of a noisy function between the points at which it has been evaluated.
#ifndef STUDY_SURROGATE_H
#define STUDY_SURROGATE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Surrogate {
    int dimensions;
    size_t count;           // points
    const double *points;   // coordinates, about 0 to 1, point by point; the caller's
    double mean, scale;     // of the values: what the rest is about is (value - mean)/scale
    double *logs;           // logarithms of the lengths of each coordinate, of the variance and of the noise
    double *rates;          // 1/length of each coordinate, and the variance
    double evidence;        // logarithm of the posterior probability of these, up to a constant
    double *factor;         // Cholesky factor of the covariance, lower, row by row
    double *weights;        // inverse covariance times values
    const double *variance; // of the mean of each value; the caller's, or NULL: not known
} Surrogate;

typedef struct SurrogateValue {
    double mean;
    double deviation; // of the function without its noise
} SurrogateValue;

// The points and variances must live as long as the surrogate. At least two points. False: memory is out.
bool surrogate_make(Surrogate *s, const double *points, const double *values, const double *variance,
                    size_t count, int dimensions);
void surrogate_free(Surrogate *s);
SurrogateValue surrogate_at(const Surrogate *s, const double *point);
double surrogate_mean(const Surrogate *s, const double *point); // the mean alone, which is much quicker

// The error of each value when the surrogate is made without it, in deviations. False: memory is out.
bool surrogate_left_out(const Surrogate *s, double *errors);

// How much lower than `best` a value with this mean and deviation may be expected to be.
double surrogate_improvement(SurrogateValue value, double best);
double normal_below(double z); // the probability that a normal value is below z deviations

// The k-th of points that fill the unit cube evenly, however many there are (Halton): one coordinate of it.
double surrogate_spread(unsigned k, int coordinate);

#endif
