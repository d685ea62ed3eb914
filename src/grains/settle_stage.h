// One stage of settling (settle.c): a bed in the port's axes is made with the laws of the stage, advanced with a drag
// until it is at rest, and its places go back to the store.
#ifndef GRAINS_SETTLE_STAGE_H
#define GRAINS_SETTLE_STAGE_H

#include "grains/engine.h"
#include "grains/settle.h"

static const double settle_most_restitution = 0.1; // of springs before grains are rigid
// At rest a stage has at most this kinetic energy per grain, over what falling by a radius gives a mean grain.
static const double settle_stage_energy = 1e-5;
// The same of grains that are not spheres, before they rest by their own method. The steps of these stages are inexact:
// 6000 stones took as many steps again to get from 1e-3 to 1e-5, and sank by a hundredth of a radius in them.
static const double settle_shapes_energy = 1e-3;

typedef struct Settling {
    const Room *room;
    const GrainsWatch *watch; // may be NULL
    GrainStore *store;        // sizes and masses; places between stages, in order of id
    GrainsDefinition definition;
    GrainsSetting setting; // in the port's axes
    const GrainsSetting *given;
    BedData bed; // the places in `store`, as a bed
    ARRAY(Material) materials;
    ARRAY(MaterialPair) pairs;
    Motion port;
    ARRAY(Motion) walls;
    ARRAY(Load) loads;
    ARRAY(double) radii;  // in use: smaller while grains grow
    ARRAY(int32_t) forms; // of each grain: which of its kind's
    ARRAY(double)
    turns;          // rotation vectors of grains that are not spheres: all x, all y, all z; else empty [rad]
    double gravity; // [m/s^2]
    double radius;  // mean [m]
    double least;   // radius; of clumps on springs that of a part, which overlaps are compared with [m]
    double finest;  // that of a part over that of the grain; 1 but for clumps on springs
    double mass, most; // mean and largest, of a grain [kg]
    double moment;     // time to fall by a radius from rest [s]
    int rigid_rolling; // of the springs that rigid grains settle with
    bool growing;      // radii are not yet those of the bed
    bool falling;      // places are not yet those of rest
    bool sliding;      // without friction, for a moment
    bool placed;       // grains lay already when it began
    double time;       // simulated so far, of this portion [s]
    double earlier;    // of portions that were poured before it [s]
    int64_t steps;
    int64_t dragged; // step of the engine at which the drag last acted
} Settling;

// Makes the bed of a stage: springs of this stiffness, or with stiffness 0 the bed's own law.
MrcStatus settle_stage_begin(Settling *settling, double stiffness, Grains **grains, MrcError *error);
// The places go back to the store; velocities are dropped.
void settle_stage_end(Settling *settling, Grains *grains);
// The contacts of a stage with springs of this stiffness.
ContactDefinition settle_springs(const Settling *settling, double stiffness);
// Copies the orientations of the store to the columns of the bed.
void settle_take_turns(Settling *settling);

// `drag_rate`: at which velocities decay [1/s].
MrcStatus settle_advance(Settling *settling, Grains *grains, double drag_rate, MrcError *error);
MrcStatus settle_advance_for(Settling *settling, Grains *grains, double duration, double drag_rate,
                             MrcError *error);

typedef struct SettleState {
    double kinetic; // energy per grain, over what falling by a radius gives a mean grain
    double height;  // of the centre of mass [m]
    double load;    // force on the walls against the weight, off by this fraction of the weight
} SettleState;
SettleState settle_state(const Settling *settling, Grains *grains);

// Advances until three states in a row are at rest, with less than these values of SettleState; *height is that of the
// last one. MRC_NOT_CONVERGED: the packing's `limit` has passed.
MrcStatus settle_come_to_rest(Settling *settling, Grains *grains, double drag_rate, double kinetic,
                              double load, double *height, MrcError *error);

#endif
