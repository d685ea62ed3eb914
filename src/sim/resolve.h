// What the user leaves to the program is filled in: speeds and frequencies found in the motion of the ports,
// and the time step.
#ifndef SIM_RESOLVE_H
#define SIM_RESOLVE_H

#include "grains/time_steps.h"
#include "partner/beds.h"
#include "sim/definition.h"

// Values that are not zero stay; values that cannot be found stay zero. Safe on a definition with errors in
// it.
void sim_resolve(SimDefinition *definition);

// The same for the contacts of one bed.
void sim_resolve_contact(const SimDefinition *definition, GrainsDefinition *grains);

// Which automatic values of two definitions differ, in words: "the step, the time between samples"; empty: none. The
// definitions are those of one model with two durations.
void sim_differences(const SimDefinition *a, const SimDefinition *b, char *text, size_t size);

// How beds divide the step of the simulation. `yields`: is there a port that answers to loads?
BedsSteps sim_beds_steps(const SimDefinition *definition, bool yields);

// Materials and their pairs, as beds take them.
GrainsSetting sim_grains_setting(const SimDefinition *definition);

// The steps of a bed; false when the definition is not complete.
bool sim_steps(const SimDefinition *definition, const GrainsDefinition *grains, GrainsSteps *steps);

#endif
