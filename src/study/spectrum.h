// Spectra: how much of a signal is at which frequency.
#ifndef STUDY_SPECTRUM_H
#define STUDY_SPECTRUM_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Spectrum {
    double *amplitude; // of a sine of each frequency (count)
    size_t count;
    double spacing; // of the frequencies, from 0 [Hz]
} Spectrum;

// Of `count` samples at the interval `step` [s], without their mean, behind a Hann window. In single precision: what is
// 10^6 times smaller than the largest amplitude is noise. False: memory is out, or fewer than 8 samples.
bool spectrum_make(const double *values, size_t count, double step, Spectrum *spectrum);
void spectrum_free(Spectrum *spectrum);

#endif
