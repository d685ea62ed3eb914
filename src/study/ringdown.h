// A free decay as a few numbers that two decays can be compared by, although their motions differ in every detail.
#ifndef STUDY_RINGDOWN_H
#define STUDY_RINGDOWN_H

#include <stdbool.h>
#include <stddef.h>

enum { RINGDOWN_LEVELS = 12, RINGDOWN_FEATURES = RINGDOWN_LEVELS + 1 };

typedef struct Ringdown {
    double spacing;   // of the times of the levels, from the first extreme on [s]
    double floor;     // amplitudes below count as this
    double frequency; // of the data [Hz]
} Ringdown;

// What a measured decay is compared by. NULL: fine; otherwise what is wrong with it.
const char *ringdown_start(Ringdown *r, const double *t, const double *x, size_t count);
// The logarithms of the amplitude at the times of the levels, and ten times that of the frequency over the measured one.
// False: memory is out. NAN: it does not vibrate.
bool ringdown_features(const Ringdown *r, const double *t, const double *x, size_t count,
                       double features[RINGDOWN_FEATURES]);
// Their variances by the noise of the signal. False: memory is out.
bool ringdown_noise(const Ringdown *r, const double *t, const double *x, size_t count,
                    double variances[RINGDOWN_FEATURES]);

#endif
