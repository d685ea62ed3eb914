// Going on with a run whose model has another duration now, or records other things.
//
// The folder's model.yaml says for which duration the run was begun. Where the model at hand is the same but for that,
// the run goes on, and automatic values that depend on the duration (step, contacts, samples, periods) stay as they were
// at its beginning: the model gets simulate.planned. A run that is extended gives the same series.csv, byte for byte,
// as one of that model that was long from the start.
//
// What is recorded (`record`, `frames`, `checkpoint`, `title`) does not change the motion, and may differ, too.
#ifndef ANALYSIS_EXTEND_H
#define ANALYSIS_EXTEND_H

#include "base/log.h"
#include "maraca/maraca.h"

typedef struct Extension {
    bool found;        // the checkpoint is of the same model with another duration
    bool recording;    // the checkpoint is of a model that records other things
    MrcModel *model;   // to run instead of the one at hand; NULL: that one
    uint64_t expected; // hash of the checkpoint's model
    int64_t old_total; // steps of the run as it was
} Extension;

// Looks at the folder of a run that is to be resumed.
MrcStatus extend_find(const MrcModel *model, const char *folder, const Log *log, Extension *extension,
                      MrcError *error);
void extend_free(Extension *extension);

#endif
