// Amplitude control: the drive is changed until the r.m.s. value of a signal is as wanted (DAMPER 2.4.2,
// doi:10.3390/pr10071247).
#ifndef STUDY_CONTROL_H
#define STUDY_CONTROL_H

#include "study/dwell.h"

typedef struct ControlOptions {
    int input;        // that is changed: handle
    double target;    // r.m.s. value of DWELL_CONTROL
    double tolerance; // part of the target
    int most;         // attempts per frequency
} ControlOptions;

typedef struct ControlState { // goes on from one frequency to the next
    double drive;             // present value of the input
} ControlState;

typedef struct ControlResult {
    DwellResult dwell; // with the last or, when none was within the tolerance, the best drive
    double drive, rms; // of it
    int attempts;
    bool converged;
} ControlResult;

MrcStatus control_dwell(Dweller *d, const ControlOptions *o, ControlState *state, double frequency,
                        ControlResult *result, MrcError *error);

// The next drive after the attempts so far (drives and r.m.s. values, `count` of each).
double control_next(const double *drives, const double *rms, int count, double target, double tolerance);

#endif
