// Rooms whose height is that of the settled bed and a `clearance` above it. The bed settles in a room that is taller
// than it needs; its height is measured, and the room is then made as high as that and the clearance together:
//
//     height = (top of the grains - bottom of the tall room) + clearance
//
// The middle of the room stays where it is: the settled grains are moved up by (tall - height)/2, together, which
// leaves them at rest. All clearances have the same bed.
#ifndef GRAINS_CLEARANCE_H
#define GRAINS_CLEARANCE_H

#include "grains/grains.h"

// Is the height of one of its walls to be found? NULL, or the member `clearance` of that wall.
const double *clearance_of_bed(const GrainsDefinition *definition);

// Before the checks of the model: a height near the one that will be found, and the tall one. `up`: against gravity, in
// the port's axes, unit; zero: not known. A room that cannot have a clearance is an error.
MrcStatus clearance_prepare(GrainsDefinition *definition, const Material *materials, int material_count,
                            Vec3 up, MrcError *error);

// Settles the bed and sets the height. Of the setting, materials and gravity are needed.
MrcStatus clearance_find(GrainsDefinition *definition, const GrainsSetting *setting, MrcError *error);

// The settled bed in its room; called by packing_create.
MrcStatus clearance_create(const GrainsDefinition *definition, const GrainsSetting *setting,
                           GrainStore *store, MrcError *error);

#endif
