// Initial positions. Each packing proposes sites in its own order; those whose sphere fits into the room of
// all walls are taken until every grain has one.
#ifndef GRAINS_PACKING_H
#define GRAINS_PACKING_H

#include "grains/grains.h"

// How many grains the definition asks for. With sizes that differ, and a mass or a filling instead of a
// count, it is the number to expect: the grains drawn may be a few more or less.
MrcStatus packing_count(const GrainsDefinition *definition, double density, size_t *count, MrcError *error);

// Creates the store and fills in sizes, masses, materials and positions, and velocities relative to the port
// (in the port's axes). Layers are filled from the bottom, which is where gravity points; without gravity,
// -z.
MrcStatus packing_create(const GrainsDefinition *definition, const GrainsSetting *setting, GrainStore *store,
                         MrcError *error);

// Reads places, radii and velocities from a CSV file with a line of names and units: x[mm],y[mm],z[mm].
MrcStatus bed_read(const char *path, Arena *arena, BedData **bed, MrcError *error);

#endif
