// The moving box of DAMPER Tables 2 and 3, for benchmarks and for comparisons with other programs: steel
// spheres in a vertical cylinder of 25 x 25 mm, from a face-centred cubic lattice on its floor; Hertz,
// Mindlin with memory, friction 0.3, restitution 1. The whole cylinder moves as z = A (1 - cos(w t)), 10 Hz
// and 10 mm: that starts at rest, and it is the motion that LAMMPS calls `wiggle`.
// DAMPER is doi:10.3390/pr10071247.
#ifndef BENCH_MOVING_BOX_H
#define BENCH_MOVING_BOX_H

#include "grains/grains.h"

typedef struct BoxCase {
    int64_t count;
    double diameter;       // of the grains [m]
    double step;           // [s]
    double radius, height; // of the cylinder [m]; 0: 12.5 mm, 25 mm
} BoxCase;

extern const BoxCase box_cases[4]; // N = 151, 1569, 12383, 41203

#define BOX_AMPLITUDE 0.01
#define BOX_FREQUENCY 10.0
#define BOX_OMEGA (2 * 3.14159265358979323846 * BOX_FREQUENCY)
#define BOX_GRAVITY 9.81
#define BOX_DENSITY 7800.0
#define BOX_YOUNG 200e9
#define BOX_POISSON 0.3
#define BOX_FRICTION 0.3

// The grains of a box and all they refer to; does not move in memory while in use.
typedef struct Box {
    BoxCase size;
    Material steel;
    WallDefinition wall;
    GrainsDefinition definition;
    Grains *grains;
    int64_t step; // number of the next one
} Box;

// What another program needs to go on from here. Contact memory is not part of it.
typedef struct BoxState {
    int64_t count, step;
    double *values; // per grain, in order of id: position, velocity half a step ago, angular velocity (9)
} BoxState;

MrcStatus box_create(Box *box, const BoxCase *size, MrcError *error);
void box_destroy(Box *box);

Motion box_motion(const BoxCase *size, int64_t step);
MrcStatus box_advance(Box *box, int64_t steps, MrcError *error);

bool box_state_get(Box *box, BoxState *state);       // into a new block; false: no memory
void box_state_set(Box *box, const BoxState *state); // before the first step only
void box_stir(Box *box, double speed); // a velocity of its own for each grain, up to `speed` along each axis
void box_state_free(BoxState *state);

#endif
