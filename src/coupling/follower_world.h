// All beds of grains as the follower of a coupling. Ports with an imposed motion are among theirs: they move
// by their own expressions while the coupled ones do what the scheme says.
#ifndef COUPLING_FOLLOWER_WORLD_H
#define COUPLING_FOLLOWER_WORLD_H

#include "coupling/coupling.h"
#include "coupling/port_definition.h"
#include "grains/world.h"

typedef struct WorldFollower {
    World *world;
    const WorldBed *beds;
    int bed_count;
    Vec3 gravity;
    int coupled;                    // ports 0 ... coupled - 1 of the world
    int imposed;                    // and those after them
    const PortDefinition **motions; // of the imposed ones
    double t;                       // [s]
    double worked, flow;            // by the imposed ports [J]
    double saved[3];                // t, worked and flow at the last save
    // of one step
    Motion *ports;
    Load *impulses;
    double *Y;
} WorldFollower;

MrcStatus world_follower_create(WorldFollower *follower, Arena *arena,
                                MrcError *error); // the arrays of one step
Follower world_follower(WorldFollower *follower);
void world_follower_archive(WorldFollower *follower, Archive *archive);

#endif
