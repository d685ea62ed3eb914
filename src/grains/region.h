// A region: the room of a closed wall, as a place where something happens.
#ifndef GRAINS_REGION_H
#define GRAINS_REGION_H

#include "geometry/wall.h"
#include "schema/schema.h"

typedef struct RegionDefinition {
    Wall shape; // its room, in the axes of the port
} RegionDefinition;

typedef struct NamedRegion { // of a bed: a place where it is measured
    const char *name;
    RegionDefinition region;
} NamedRegion;

extern const SchemaObject region_schema, named_region_schema;

// False, and reported, when it is no room. `what` and `name`: whose region it is, "inlet", "feed".
bool region_check(const RegionDefinition *region, const char *what, const char *name,
                  const Findings *findings);

#endif
