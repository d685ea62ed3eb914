// What a port does to the grains on it, cycle by cycle: energy and effective mass by the complex power of the load.
#ifndef STUDY_CYCLE_H
#define STUDY_CYCLE_H

#include "base/memory.h"
#include "maraca/sim.h"

typedef struct Cycle {
    double energy;     // given to the grains [J]
    double mass;       // effective [kg]
    double velocity;   // largest of the port, first harmonic [m/s]
    double collective; // mean square of the mean velocity of the grains relative to the port [m^2/s^2]
    double scattered;  // mean square of the velocities about their mean [m^2/s^2]
    double push, pull; // impulses on the port forwards and backwards along its motion [N s]
} Cycle;

typedef struct Cycles {
    ARRAY(Cycle) list;
} Cycles;

// Steps the simulation through `skip` cycles that are left out and `count` that are measured. `beds` are the numbers of
// those on the port.
MrcStatus cycles_measure(MrcSim *sim, int port, const int *beds, int bed_count, double frequency, int skip,
                         int count, Cycles *cycles, MrcError *error);
void cycles_free(Cycles *cycles);

#endif
