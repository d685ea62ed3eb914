// What recorded signals do at the end of a run, so that a study can ask for any of them: of the samples in the last quarter
// of the run, as of amplitudes (amplitude.h), the mean, the standard deviation about it, the least and the largest value.
#ifndef SIM_TALLY_H
#define SIM_TALLY_H

#include "base/archive.h"
#include "base/fact.h"
#include "sim/recorder.h"

typedef struct SignalTally {                     // doubles only: they are archived as one block
    double count, mean, squares, least, largest; // squares: sum of the squared distances from the mean
} SignalTally;

typedef struct Tallies {
    ARRAY(double) values; // a SignalTally of each column of the recorder
    int64_t names;        // hash of the names of the columns
} Tallies;

MrcStatus tallies_create(Tallies *tallies, const Recorder *recorder, MrcError *error);
void tallies_free(Tallies *tallies);
void tallies_take(Tallies *tallies, const Recorder *recorder); // a sample
void tallies_clear(Tallies *tallies);
void tallies_archive(Tallies *tallies, Archive *archive);
void tallies_facts(const Tallies *tallies, const Recorder *recorder, FactList *list);

#endif
