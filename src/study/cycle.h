// What a port does to the grains on it, cycle by cycle: energy and effective mass by the complex power of the load.
#ifndef STUDY_CYCLE_H
#define STUDY_CYCLE_H

#include <complex.h>

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

// Measures cycle by cycle: begun before the first step, it looks at the simulation after each one.
typedef struct CycleSums {
    double complex force[3], velocity[3]; // integrals over the cycle of F e^(-i w t), v e^(-i w t)
    double push[3], pull[3];              // integrals of the positive and negative parts of F
    double collective, scattered;
    int samples;
} CycleSums;

typedef struct CycleMeter {
    int port;
    const int *beds; // numbers of those on the port
    int bed_count;
    double frequency;
    int skip, count;                 // cycles that are left out, and those that are measured
    Cycles *cycles;                  // where they go
    int64_t cycle;                   // under way
    double start, last, next_sample; // [s]
    double early;     // by how much the load is that of an instant before the middle of a step [s]
    MrcMotion before; // of the port
    CycleSums sums;
} CycleMeter;

// All members up to `cycles` are set.
MrcStatus cycles_begin(CycleMeter *meter, const MrcSim *sim, MrcError *error);
MrcStatus cycles_take(CycleMeter *meter, MrcSim *sim, MrcError *error); // after a step
static inline bool cycles_are_done(const CycleMeter *meter) {
    return meter->cycle >= meter->skip + meter->count;
}
void cycles_free(Cycles *cycles);

#endif
