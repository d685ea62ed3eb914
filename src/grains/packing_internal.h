// What one packing provides, a row of the table; and what packings share: the room that the walls leave.
#ifndef GRAINS_PACKING_INTERNAL_H
#define GRAINS_PACKING_INTERNAL_H

#include "grains/packing.h"
#include "grains/periodic.h"

typedef struct Room {
    const GrainsDefinition *definition;
    Motion *walls;     // of each wall part, seen from the port (wall_count)
    Vec3 lower, upper; // box around it, port axes [m]
    Vec3 across1, across2, up, center;
    double extent1, extent2, extent_up; // half lengths along the three directions [m]
    Periodic periodic;                  // port axes
    double radius;                      // of the largest grain [m]
    double gap;                         // to keep between grains, and to the walls [m]
} Room;

// Does a grain of this shape fit in there, in the port's axes, with the room's gap around it?
bool room_fits(const Room *room, const Shape *shape, Vec3 center);

typedef struct PackingType {
    SchemaType schema; // its word in the model file, and its keys
    bool of_run;       // that file is the folder of another run
    bool given;        // how many grains there are, and where, is read from a file: no room is needed
    // NULL: nothing to check, no file, as gravity has it
    void (*check)(const GrainsDefinition *definition, Vec3 gravity, const Findings *findings);
    const char *const *(*file)(const PackingDefinition *packing);
    Vec3 (*direction)(const PackingDefinition *packing); // of the fall, port axes; zero: that of gravity
    void (*describe)(const PackingDefinition *packing, struct Text *text);
    // Fills in the places of all grains of the store, whose radii are known. `given`: without walls in the room.
    MrcStatus (*place)(const Room *room, const GrainsSetting *setting, GrainStore *store, MrcError *error);
} PackingType;

#define PACKING_DECLARE(number, name) extern const PackingType packing_type_##name;
PACKING_TYPES(PACKING_DECLARE)
#undef PACKING_DECLARE

// Places by lattice and at random, which settling starts from.
MrcStatus packing_place_lattice(const Room *room, bool close_packed, GrainStore *store, MrcError *error);
// `patience`: tries for one grain before packing fails; 0: only the tries of the whole bed are limited.
MrcStatus packing_place_random(const Room *room, uint64_t seed, size_t patience, GrainStore *store,
                               MrcError *error);

// Places from a file, which other packings read, too.
void packing_file_check(const GrainsDefinition *definition, Vec3 gravity, const Findings *findings);
MrcStatus packing_file_place(const Room *room, const GrainsSetting *setting, GrainStore *store,
                             MrcError *error);

static inline void packing_place_grain(GrainStore *store, size_t i, Vec3 p) {
    store->x[i] = p.x;
    store->y[i] = p.y;
    store->z[i] = p.z;
}

#endif
