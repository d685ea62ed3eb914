// Damping from a free decay: logarithmic decrement as a function of amplitude.
#ifndef STUDY_DECAY_H
#define STUDY_DECAY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"

typedef struct DecayRow {      // about one window of the decay
    double time;               // of its middle [s]
    double amplitude;          // there, in the unit of the signal
    double decrement;          // ln of the ratio of two amplitudes a cycle apart
    double decrement_interval; // half of its 95 % interval; NAN: unknown
    double damping_ratio;      // zeta
    double capacity;           // specific damping capacity: part of the energy lost in a cycle
    double frequency;          // damped [Hz]
} DecayRow;

typedef struct Decay {
    ARRAY(DecayRow) rows; // from large to small amplitude
    DecayRow whole;       // all of it as one window
    const char *doubt;    // why it should not be trusted; NULL: no reason was found
    double noise;         // standard deviation of the noise, in the unit of the signal; 0: not known
    bool in_noise;        // it was followed down to ten times the noise
    bool depends;         // the damping depends on the amplitude: `whole` is a mean of different things
} Decay;

// The signal x at the times t, rising. Each row is about `cycles` cycles (at least 1). Extremes smaller than `floor` times
// the largest are left out. False: memory is out.
bool decay_analyse(const double *t, const double *x, size_t count, int cycles, double floor, Decay *decay);
void decay_free(Decay *decay);

// The amplitude at each extreme but the first and the last, whatever the offset.
typedef struct DecayPoint {
    double time, amplitude;
    double noise;      // standard deviation of the amplitude by the noise of the signal
    double time_noise; // and of the time [s]
} DecayPoint;
typedef ARRAY(DecayPoint) DecayEnvelope;
bool decay_envelope(const double *t, const double *x, size_t count,
                    DecayEnvelope *envelope); // false: memory is out

double decay_damping_ratio(double decrement); // zeta = d / sqrt(4 pi^2 + d^2)

#endif
