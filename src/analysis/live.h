// The inside of MrcSim: what a run needs of it beyond the public functions.
#ifndef ANALYSIS_LIVE_H
#define ANALYSIS_LIVE_H

#include "base/watch.h"
#include "maraca/sim.h"
#include "sim/sim.h"

struct MrcSim {
    const MrcModel *model;
    MrcSimOptions options;
    Sim *sim;
    Log log;              // to options.message
    double start_wall;    // wall-clock time at which it was created [s]
    double last_progress; // wall-clock time of the last report [s]
    bool settled;         // beds were settled
    bool sampled;         // signals are up to date
    Watch watch;          // of long operations: requests to stop, and progress
    MrcProgress progress; // the last report of the phase: "starting", "settling", "running"
    double step_seconds;  // wall-clock time of the last step [s]
    bool stepped;         // there was one
    MrcState *before;     // the state before the step, while steps take long; NULL: they do not
    bool saved;           // `before` is that of the step under way
    bool broken; // a step was stopped in its middle without a state before it, or a state was refused
};

MrcStatus live_sample(MrcSim *live,
                      MrcError *error); // measures everything, unless that was done since the last step

#endif
