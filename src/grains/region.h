// A region: the room of a closed wall, as a place where something happens.
#ifndef GRAINS_REGION_H
#define GRAINS_REGION_H

#include "geometry/wall.h"
#include "math/frame.h"
#include "schema/schema.h"

struct Periodic;

typedef struct RegionDefinition {
    Wall shape; // its room, in the axes of the port
} RegionDefinition;

typedef struct NamedRegion { // of a bed: a place where it is measured
    const char *name;
    RegionDefinition region;
} NamedRegion;

// A region where its port carries it now.
typedef struct PlacedRegion {
    const Wall *shape;
    Motion port;
    Vec3 lower, upper; // of the box around it, in world axes [m]
} PlacedRegion;
PlacedRegion region_place(const RegionDefinition *region, const Motion *port); // one with an end
// Is a place of the world in it, or, in a periodic bed, one of its images?
bool region_holds(const PlacedRegion *region, const struct Periodic *periodic, Vec3 place);

extern const SchemaObject region_schema, named_region_schema;

bool region_is_room(const RegionDefinition *region); // has its wall an inside?
// False, and reported, when it is no room. `what` and `name`: whose region it is, "inlet", "feed".
bool region_check(const RegionDefinition *region, const char *what, const char *name,
                  const Findings *findings);

#endif
