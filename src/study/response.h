// A frequency response by stepped sine, for the kinds of studies that are made of responses.
#ifndef STUDY_RESPONSE_H
#define STUDY_RESPONSE_H

#include "study/dwell.h"
#include "study/plan.h"

typedef struct ResponseSetting {
    const char *signals[DWELL_SIGNALS]; // names; NULL: not looked at
    const char *units[DWELL_SIGNALS];
    bool continues;                // through all frequencies in one simulation
    const char *path;              // of the frequency: "inputs.frequency"
    const char *frequency, *phase; // inputs, without "inputs."
    const char *drive;             // input of the amplitude control; NULL: none
    char drive_unit[32];           // of that input
    double target, tolerance, steady_tolerance;
    int most;       // periods per frequency
    int stationary; // periods that are needed to call a response stationary
    const double *frequencies;
    int frequency_count;
} ResponseSetting;

// What the options say about this model; the frequencies as values, too.
MrcStatus response_read(const MrcModel *model, const MrcResponseOptions *options, Arena *arena,
                        ResponseSetting *setting, StudyAxis *axis, MrcError *error);
// Fills in the units of the signals; one that is not there is an error.
MrcStatus response_check_signals(const MrcModel *model, ResponseSetting *setting, Arena *arena,
                                 MrcError *error);
// Of all that changes results beside the model.
uint64_t response_identity(const ResponseSetting *setting);
// The value of the frequency with which the simulation of a walk begins, as an override; NULL: memory is out.
const char *response_start(const ResponseSetting *setting, bool down, Arena *arena);
// One run. `number`: 1 or -1, upwards or downwards through all frequencies, whose facts are called "0.amplitude",
// "1.amplitude", ... with rising frequency; when they are runs of their own, the frequency of this one [Hz].
MrcStatus response_run(const StudyJob *job, const ResponseSetting *setting, double number, FactList *facts,
                       MrcError *error);

// spectra.csv: amplitudes at the multiples of each frequency (response_spectra.c).
MrcStatus response_write_spectra(const StudyPlan *plan, const struct StudyTable *table, const char *folder,
                                 MrcError *error);

#endif
