// The recorder: which signals go into series.csv, and in which columns.
#ifndef SIM_RECORDER_H
#define SIM_RECORDER_H

#include "sim/signals.h"

typedef struct Recorder {
    SignalName *signals; // all of the model
    size_t signal_count;
    size_t *columns; // of series.csv after the time: indices into `signals`
    size_t column_count;
    double every; // sampling interval [s]
} Recorder;

// In the order in which the model asks for them, each signal once; all signals when it asks for none.
MrcStatus recorder_create(Recorder *recorder, const SimDefinition *definition, Arena *arena, MrcError *error);

#endif
