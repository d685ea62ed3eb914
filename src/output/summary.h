// All facts of a run: what summary.json holds (as json_of_facts writes it) and what the report prints (report.h).
#ifndef OUTPUT_SUMMARY_H
#define OUTPUT_SUMMARY_H

#include "base/fact.h"
#include "sim/sim.h"

typedef struct RunFacts {
    const Sim *sim;
    MrcStatus status;    // how it ended
    const char *message; // NULL when it went well
    uint64_t model_hash;
    int threads;
    bool resumed;
    bool settled;         // beds were settled before the first step
    double wall_seconds;  // of the whole run, earlier parts included
    double setup_seconds; // of these before the first step: placing and settling grains, joints, equilibrium
    double cpu_seconds;
    int64_t frames;        // written
    int64_t replay_frames; // recorded for report.html; 0: it is not written
    const char *const *warnings;
    size_t warning_count;
    // Of the ports that yield, with the mass of the grains fixed to them; NULL: not known.
    const PortAmplitude *lumped;
} RunFacts;

MrcFacts *summary_facts(const RunFacts *run); // NULL: out of memory
// What does not depend on how the simulation is run: partners, coupling, energies, periods. After sim_sample.
void summary_sim_facts(const Sim *sim, FactList *list);

#endif
