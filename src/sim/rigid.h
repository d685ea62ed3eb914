// Nonsmooth beds of a simulation: they are advanced together, as the world of beds among ports
// (grains/world.h).
#ifndef SIM_RIGID_H
#define SIM_RIGID_H

#include "sim/sim.h"

// Makes sim->world, if there are nonsmooth beds. After all beds have been made.
MrcStatus sim_create_world(Sim *sim, MrcError *error);
// Containers with mass on ports whose motion is imposed, and whose load is the reaction of what holds them.
MrcStatus sim_set_containers(Sim *sim, MrcError *error);
int sim_world_port(const Sim *sim, int port); // which of the world's ports it is
// One step of all nonsmooth beds: ports go from where they are to where they will be.
MrcStatus sim_advance_world(Sim *sim, MrcError *error);

// How a port moves during a step: from one pose to another with constant velocity and angular velocity.
Motion motion_over_step(const Motion *from, const Motion *to, double step);

#endif
