// A walk through frequencies in one simulation, kept in a file after each of them: a killed one goes on with the next.
#ifndef STUDY_WALK_H
#define STUDY_WALK_H

#include "study/control.h"

typedef struct Walk {
    Dweller *dweller;
    ControlState *control;
    ControlResult *results; // of all frequencies, in the order of the walk
    int count, done;
} Walk;

// Writes FOLDER/walk.state; the folder is made when it is not there.
MrcStatus walk_write(const Walk *walk, const char *folder, MrcError *error);
// Goes on where such a file ends; without one nothing changes. MRC_CHECKPOINT: it is damaged, or of another build.
MrcStatus walk_read(Walk *walk, const char *folder, MrcError *error);

#endif
