// Damping from a frequency response: the half-power bandwidth, and whether it means anything.
#ifndef STUDY_BANDWIDTH_H
#define STUDY_BANDWIDTH_H

#include <stddef.h>

typedef enum ResponseKind {
    RESPONSE_RECEPTANCE,  // displacement over force; also relative displacement over acceleration of the foot
    RESPONSE_MOBILITY,    // velocity over force
    RESPONSE_ACCELERANCE, // acceleration over force; also relative displacement over displacement of the foot
    RESPONSE_TRANSMISSIBILITY // absolute motion over the same motion of the foot
} ResponseKind;

typedef struct Bandwidth {
    double damping_ratio;     // NAN: unknown
    double natural_frequency; // [Hz]
    double peak_frequency;    // of the largest response as given [Hz]
    double lower, upper; // frequencies of half the power [Hz]; of the receptance, unless transmissibility
    double asymmetry;    // of the peak: 0 for a linear oscillator
    const char *doubt;   // why it should not be trusted; NULL: no reason was found
} Bandwidth;

// The response at rising frequencies [Hz].
Bandwidth bandwidth_find(const double *frequency, const double *response, size_t count, ResponseKind kind);

#endif
