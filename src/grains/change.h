// A bed whose number of grains changes: grains leave, others come. Between steps only.
//
// Grains that stay keep their order and the memory of their contacts; those that come are appended, with ids that were
// never used before. Neighbour lists are made anew, so changes are made in batches (flow.h). Memory grows by doubling
// and is used again: a steady flow takes no more of it.
#ifndef GRAINS_CHANGE_H
#define GRAINS_CHANGE_H

#include "grains/grains.h"

typedef struct GrainNewcomer {
    Vec3 center, velocity, spin; // world axes [m], [m/s], [rad/s]
    Quaternion orientation;      // own axes to world axes
    double radius, inverse_mass; // [m], [1/kg]
    int32_t shape, material, kind;
    int32_t marks;
} GrainNewcomer;

typedef struct GrainsChange {
    const uint8_t *leaving; // of each grain, in the order of the engine; NULL: none leaves
    size_t leaving_count;
    const GrainNewcomer *coming;
    size_t coming_count;
    double time; // [s]
} GrainsChange;

// `port` and `walls`: as for grains_measure. Energies are recorded in the bed's `carried`.
MrcStatus grains_change(Grains *grains, const GrainsChange *change, const Motion *port, const Motion *walls,
                        MrcError *error);

#endif
