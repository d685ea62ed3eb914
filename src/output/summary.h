// summary.json and the report: one run told to machines and to people.
#ifndef OUTPUT_SUMMARY_H
#define OUTPUT_SUMMARY_H

#include "sim/sim.h"

typedef struct RunFacts {
    const Sim *sim;
    MrcStatus status;    // how it ended
    const char *message; // NULL when it went well
    uint64_t model_hash;
    int threads;
    bool resumed;
    int64_t steps_here;  // done by this process; a resumed run has more behind it
    double wall_seconds; // of the whole run, earlier parts included
    double cpu_seconds;
    int64_t frames;     // written
    const char *folder; // NULL: nothing was written
    const char *const *warnings;
    size_t warning_count;
    const PortAmplitude
        *lumped; // of the ports that yield, with the mass of the grains fixed to them; NULL: not known
} RunFacts;

void summary_facts(const RunFacts *run, FactList *list); // everything that is known of the run
char *summary_json(const RunFacts *facts);               // malloc'ed; NULL: out of memory
char *summary_report(const RunFacts *facts);             // malloc'ed, several lines
double summary_real_time_factor(const RunFacts *facts);

#endif
