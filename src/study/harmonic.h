// The part of a signal that has the frequency of its drive.
#ifndef STUDY_HARMONIC_H
#define STUDY_HARMONIC_H

#include <stddef.h>

typedef struct Harmonic {
    double cosine, sine; // x = mean + cosine cos(w t) + sine sin(w t) + rest
    double amplitude;    // of the first harmonic
    double phase;        // x = mean + amplitude sin(w t + phase) + rest [rad]
    double mean;
    double rms;  // of x - mean
    double rest; // r.m.s. of what is not the first harmonic
    double peak; // half of largest minus smallest
} Harmonic;

// By least squares, so that the samples need not be evenly spaced nor the window be whole periods. All NAN: fewer than
// four samples, or the harmonic cannot be separated from the mean (a window far shorter than a period).
Harmonic harmonic_fit(const double *t, const double *x, size_t count, double omega);

// Amplitudes of several frequencies that are fitted together with the mean, `multiples[k]` times omega [rad/s]; NAN in all of
// them: there are too few samples to tell them apart, or memory is out.
void harmonic_fit_several(const double *t, const double *x, size_t count, double omega,
                          const double *multiples, size_t multiple_count, double *amplitudes);

#endif
