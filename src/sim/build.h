// How a simulation is put together: drivers with their ports, followers, the coupling, and what acts between the steps.
#ifndef SIM_BUILD_H
#define SIM_BUILD_H

#include "sim/sim.h"

// Fills inputs, ports, partners and coupling of a simulation that has its definition and arena.
MrcStatus sim_build(Sim *sim, const SimSetting *setting, MrcError *error);

#endif
