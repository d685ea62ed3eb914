// Containers that are fixed to a port of the mechanism, in the condensed scheme: bodies of the mechanism.
//
// Fixed to its node, a container is a part of that body, and the scheme is exact for it then: its mass is in the matrix of the
// jump. As a body of its own on the grains' side it takes part by the joint's impulses, whose lag in the velocities, dt/2 F/m
// with the small step dt, the joint's force F and the mechanism's mass m, acts on the container's mass M as a delay of M/m dt/2:
// a negative damping.
#ifndef SIM_CARRIED_H
#define SIM_CARRIED_H

#include "base/memory.h"
#include "sim/definition.h"

bool carried_by_mechanism(const SimDefinition *sim, const PortDefinition *port);

// The mechanism with these containers. NULL: no memory.
const MechanismDefinition *carried_mechanism(const SimDefinition *sim, Arena *arena);

#endif
