// What the packings share: the room that the walls leave.
#ifndef GRAINS_PACKING_INTERNAL_H
#define GRAINS_PACKING_INTERNAL_H

#include "grains/packing.h"

typedef struct Room {
    const GrainsDefinition *definition;
    Motion *walls;     // of each wall part, seen from the port (wall_count)
    Vec3 lower, upper; // box around it, port axes [m]
    Vec3 across1, across2, up, center;
    double extent1, extent2, extent_up; // half lengths along the three directions [m]
    double radius;                      // of the largest grain [m]
    double gap;                         // to keep between grains, and to the walls [m]
} Room;

// Does a sphere fit, with the room's gap around it?
bool room_fits(const Room *room, Vec3 center, double radius);

// Each fills in the places of all grains of the store, whose radii are known.
MrcStatus place_lattice(const Room *room, bool close_packed, GrainStore *store, MrcError *error);
// `patience`: how often one grain may be thrown in before all is given up; 0: as long as a whole bed may
// take.
MrcStatus place_random(const Room *room, uint64_t seed, size_t patience, GrainStore *store, MrcError *error);
MrcStatus place_settled(const Room *room, const GrainsSetting *setting, GrainStore *store, MrcError *error);

static inline void place_grain(GrainStore *store, size_t i, Vec3 p) {
    store->x[i] = p.x;
    store->y[i] = p.y;
    store->z[i] = p.z;
}

#endif
