// Containers that are fixed to a port of the mechanism, in the condensed scheme: bodies of the mechanism.
//
// A container that is fixed to its node becomes a part of that body: its mass is in the matrix of the jump, and the
// scheme is exact for it. As a body of its own on the grains' side it would be coupled by the joint's impulses, whose
// lag in the velocities, dt/2 F/m with the small step dt, the joint's force F and the mechanism's mass m, acts on the
// container's mass M as a delay of M/m dt/2: a negative damping.
#ifndef SIM_CARRIED_H
#define SIM_CARRIED_H

#include "base/memory.h"
#include "sim/definition.h"

bool carried_by_mechanism(const SimDefinition *sim, const PortDefinition *port);

// The mechanism with these containers. NULL: no memory.
const MechanismDefinition *carried_mechanism(const SimDefinition *sim, Arena *arena);
// The same with all containers that are fixed to it, whatever the scheme and the grains: how it vibrates and rests.
const MechanismDefinition *carried_with_all(const SimDefinition *sim, Arena *arena);
// Has the port of a mechanism a container with mass on the grains' side, and is it fixed to its node?
bool carried_has_container(const PortDefinition *port);
bool carried_is_fixed(const PortDefinition *port);

#endif
