// Three cases of bulk handling, after those of M. Dosta et al. 2024 (doi:10.1016/j.cpc.2023.109066), smaller and with a
// linear law: a silo that empties through its hopper, a drum that turns, a ball that falls into a bed. Equal glass spheres
// of 4 mm, springs and dashpots with a restitution of 0.5, friction 0.4 with memory.
#ifndef BENCH_BULK_H
#define BENCH_BULK_H

#include "grains/grains.h"

#define BULK_DIAMETER 4e-3
#define BULK_DENSITY 2500.0
#define BULK_STIFFNESS 1e4
#define BULK_FRICTION 0.4
#define BULK_RESTITUTION 0.5
#define BULK_STEP 8e-6
#define BULK_GRAVITY 9.81
#define BULK_BALL 10e-3 // radius of the ball [m]
#define BULK_BALL_DENSITY 7800.0

typedef enum BulkKind { BULK_SILO, BULK_DRUM, BULK_PENETRATION, BULK_COUNT } BulkKind;

typedef struct BulkCase {
    BulkKind kind;
    const char *name;
    double scale; // of all lengths of the machine: 1 for 10,000 grains
    double speed; // of the drum [rad/s]
} BulkCase;

// Lengths of the machines for 10,000 grains [m].
#define BULK_SILO_RADIUS 0.05
#define BULK_SILO_ORIFICE 0.015 // radius
#define BULK_SILO_HOPPER 0.035  // height of the cone
#define BULK_SILO_HEIGHT 0.2    // of the cylinder above it
#define BULK_DRUM_RADIUS 0.08
#define BULK_DRUM_LENGTH 0.08
#define BULK_BOX_WIDTH 0.1
#define BULK_BOX_HEIGHT 0.3

#endif
