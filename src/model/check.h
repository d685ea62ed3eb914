// Checks that need more than one key: names that must exist, values that must fit together.
#ifndef MODEL_CHECK_H
#define MODEL_CHECK_H

#include "model/loader.h"
#include "sim/definition.h"

// Safe on a definition with errors in it: what was wrong already is zero and is passed over.
void check_model(Loader *loader, const SimDefinition *definition);

// ---- its parts that have files of their own ------------------------------------------------------
// Constants and inputs without effect, tables that do not suit their use; only for a model without errors.
void check_inputs(Loader *loader, const SimDefinition *definition);
void check_unused(Loader *loader, const SimDefinition *definition); // only for a model without errors
void check_flow(Loader *loader, const SimDefinition *definition);
void check_rooms(Loader *loader, const SimDefinition *definition); // only for a model without errors
void check_particles(Loader *loader, const SimDefinition *definition, const GrainsDefinition *grains);

// Rooms with `clearance` (grains/clearance.h): a height for the checks, and the one of the settled bed after them.
void clearance_prepare_rooms(Loader *loader, SimDefinition *definition);
void clearance_find_rooms(Loader *loader, SimDefinition *definition); // only for a model without errors

#endif
