// One frequency of a stepped sine: a simulation is driven until its response is steady, or for long enough.
//
// The drive of the model is amplitude*sin(2*pi*f*t + phase). Frequency and phase are inputs when the simulation goes on from
// one frequency to the next: at a change, the phase is set so that the sine goes on. It is made where the sine has its
// top, so that a prescribed position goes on with its velocity, too.
#ifndef STUDY_DWELL_H
#define STUDY_DWELL_H

#include "maraca/sim.h"
#include "study/harmonic.h"
#include "study/steady.h"

enum { DWELL_SIGNALS = 3 };
typedef enum DwellSignal { DWELL_RESPONSE, DWELL_REFERENCE, DWELL_CONTROL } DwellSignal;

typedef struct Dweller {
    MrcSim *sim;
    int signals[DWELL_SIGNALS];       // handles; -1: not looked at
    int frequency_input, phase_input; // handles; -1: the frequency is that of the model
    double frequency, phase;          // of the drive now [Hz], [rad]
    SteadyOptions steady;
    size_t most;              // periods per frequency
    const volatile int *stop; // non-zero: a dwell ends with MRC_INTERRUPTED; NULL: it cannot be stopped
} Dweller;

// Half multiples of the frequency of the drive, up to the tenth multiple.
enum { DWELL_MULTIPLES = 20 };
static inline double dwell_multiple(int k) { return 0.5 * (k + 1); }

typedef struct DwellResult {
    Steady steady;                    // of the response
    Harmonic harmonic[DWELL_SIGNALS]; // over the last periods that `steady` is about
    double spectrum
        [DWELL_MULTIPLES]; // amplitudes of the response, likewise; NAN: not looked for, or beyond the samples
    size_t periods;        // that it took
    bool cut;              // ended early by `decide`
} DwellResult;

// Called after each period, with the r.m.s. values of the control signal so far; true: the dwell ends.
typedef bool (*DwellDecide)(void *user, const double *control_rms, size_t count);

// MRC_USAGE: the step is longer than an eighth of a period [s], [Hz].
MrcStatus dwell_step_fits(double step, double frequency, MrcError *error);

// Drives with this frequency until the response is steady. `decide` may be NULL.
MrcStatus dwell(Dweller *d, double frequency, DwellDecide decide, void *user, DwellResult *result,
                MrcError *error);

#endif
