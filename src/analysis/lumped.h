// The machine without its grains: their mass fixed to the ports that carry them.
#ifndef ANALYSIS_LUMPED_H
#define ANALYSIS_LUMPED_H

#include "sim/sim.h"

// Runs the mechanism of a coupled simulation from the start to the time that the simulation has reached, with
// the mass of each bed (and of a container on the grains' side) as a body at the origin of its port, and
// measures the amplitudes of the ports: one per coupled port. MRC_USAGE when containers can move
// against their ports. The motion of the ports goes to a file like series.csv, at the times of its rows; `path` NULL: to
// none. `stop` may be NULL.
MrcStatus lumped_run(const Sim *sim, const char *path, PortAmplitude *amplitudes, const volatile int *stop,
                     MrcError *error);

#endif
