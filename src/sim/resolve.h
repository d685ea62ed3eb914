// What the user leaves to the program is filled in: speeds and frequencies found in the motion of the ports,
// and the time step.
#ifndef SIM_RESOLVE_H
#define SIM_RESOLVE_H

#include "grains/steps.h"
#include "sim/definition.h"

// Values that are not zero stay; values that cannot be found stay zero. Safe on a definition with errors in
// it.
void sim_resolve(SimDefinition *definition);

// The steps of a bed; false when the definition is not complete.
bool sim_steps(const SimDefinition *definition, const GrainsDefinition *grains, GrainsSteps *steps);

#endif
