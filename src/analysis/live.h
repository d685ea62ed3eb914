// The inside of MrcSim: what a run needs of it beyond the public functions.
#ifndef ANALYSIS_LIVE_H
#define ANALYSIS_LIVE_H

#include "maraca/sim.h"
#include "sim/sim.h"

struct MrcSim {
    const MrcModel *model;
    MrcSimOptions options;
    Sim *sim;
    Log log;              // to options.message
    double start_wall;    // wall-clock time at which it was created [s]
    double last_progress; // wall-clock time of the last report [s]
    bool sampled;         // signals are up to date
};

MrcStatus live_sample(MrcSim *live,
                      MrcError *error); // measures everything, unless that was done since the last step

#endif
