// The recorder: which signals go into series.csv, and in which columns.
#ifndef SIM_RECORDER_H
#define SIM_RECORDER_H

#include "partner/signal.h"
#include "sim/definition.h"

typedef struct Recorder {
    SignalList signals; // all of the simulation
    size_t *columns;    // of series.csv after the time: indices into `signals`
    size_t column_count;
    double every; // sampling interval [s]
} Recorder;

double record_every(const SimDefinition *definition); // time between two samples [s]

// Of the signals that are listed already: in the order in which the model asks for them, each once; all when it asks
// for none.
MrcStatus recorder_create(Recorder *recorder, const SimDefinition *definition, Arena *arena, MrcError *error);
void recorder_free(Recorder *recorder);

#endif
