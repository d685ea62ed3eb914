// Initial positions. Each packing proposes sites in its own order; those whose sphere fits into the room of
// all walls are taken until the wanted number is reached.
#ifndef GRAINS_PACKING_H
#define GRAINS_PACKING_H

#include "grains/definition.h"
#include "grains/store.h"

// How many grains the definition asks for.
MrcStatus packing_count(const GrainsDefinition *definition, double density, size_t *count, MrcError *error);

// Creates the store and fills in sizes, masses, materials and positions (in the port's axes). `up` is where
// "up" is: layers are filled from the bottom; zero takes +z.
MrcStatus packing_create(const GrainsDefinition *definition, const Material *materials, int material_count,
                         Vec3 up, GrainStore *store, MrcError *error);

#endif
