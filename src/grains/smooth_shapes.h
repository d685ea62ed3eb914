// Grains that are not spheres in the smooth method.
//
//     smooth_shapes.c         the law of their contacts, and forces
//     smooth_shapes_memory.c  memory of contact points, across lists and in checkpoints
//     smooth_shapes_motion.c  creation, and how they move
#ifndef GRAINS_SMOOTH_SHAPES_H
#define GRAINS_SMOOTH_SHAPES_H

#include "grains/smooth_contacts.h"
#include "grains/turning.h"

// Memory of a contact point from step to step. The struct has no padding, since it is saved byte by byte.
typedef struct ShapeTouch {
    int64_t feature;    // names the point (geometry/shape.h)
    double u[3];        // tangential spring, of grain a against the other [m]
    float force[3];     // tangential, of the last step, for the ledger [N]
    float damping;      // force, likewise [N]
    float arm[3];       // from the centre of grain a [m]
    int32_t slot, a, b; // near pair or wall entry; ids of its grains, b of a wall: -1 - part
} ShapeTouch;
_Static_assert(sizeof(ShapeTouch) == 72, "no padding");
typedef ARRAY(ShapeTouch) ShapeTouches;

// Of a chunk of near pairs, or of the wall entries of a layer, in the order of their slots.
typedef struct ShapeRecords {
    ShapeTouches last, now; // of the last step; of this step, in the making
} ShapeRecords;

typedef struct SmoothShapes {
    ARRAY(ShapeTurning) turning; // per form
    ARRAY(ShapeAxis) axes;       // per near pair; no part of the state
    ARRAY(ShapeRecords) pairs;   // per chunk of near pairs; more are empty
    ARRAY(ShapeRecords) walls;   // per layer, likewise
    ShapeTouches kept;           // between lists
    int failed;                  // a step ran out of memory
} SmoothShapes;

// ---- smooth_shapes_motion.c ----------------------------------------------------------------------
MrcStatus smooth_shapes_create(Grains *grains, MrcError *error); // nothing, if all grains are spheres
void smooth_shapes_free(Grains *grains);
// Kick, drift and turn of grains from..to - 1; `frame`: as in smooth.c. Has one strayed?
bool smooth_shapes_move(Grains *grains, size_t from, size_t to, Vec3 frame);
Mat3 smooth_shapes_inverse_inertia(const Grains *grains, size_t i); // world axes [1/(kg m^2)]

// ---- smooth_shapes.c -----------------------------------------------------------------------------
void smooth_shapes_pairs(ContactWork *work, size_t from, size_t to); // of one chunk
void smooth_shapes_walls(ContactWork *work, int32_t layer, size_t from, size_t to, Load *loads);

// ---- smooth_shapes_memory.c ----------------------------------------------------------------------
bool smooth_shapes_take_out(Grains *grains); // before lists change; false: no memory
bool smooth_shapes_put_back(Grains *grains); // when near pairs, entries and layers are known
void smooth_shapes_clear(Grains *grains);    // as before the first step
void smooth_shapes_archive(Grains *grains, Archive *archive);

#endif
