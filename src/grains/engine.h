// The inside of grains, and of the smooth method, shared by its files:
//
//     grains.c      creation, choosing the method
//
//     neighbours.c  which pairs may touch within many steps       (every few hundred steps)
//     epoch.c       which of them may touch within a few steps    (every few dozen steps)
//     carry.c       what touching pairs remember, across these lists
//     layers.c      how threads go through them
//     contacts.c    the forces of this step: pairs.c, walls.c     (every step)
//     smooth.c      the step
//     measure.c     looking
//
// An epoch is a stretch of steps. At its start each grain is given a reach: how far it may stray, in the time
// of the epoch, from free flight together with the bed (a frame that starts with the mean velocity and falls
// with gravity). Pairs whose gap is larger than their two reaches cannot touch during the epoch and are left
// out; a grain with no pair left, and no wall near, is in free flight and is not even looked at until the
// epoch ends, when it is moved by all of its steps at once, in closed form. If a grain strays further than
// its reach, the epoch ends early, before forces are computed: nothing is ever missed.
#ifndef GRAINS_ENGINE_H
#define GRAINS_ENGINE_H

#include <stdio.h>

#include "base/joints.h"
#include "base/memory.h"
#include "grains/grains.h"
#include "grains/law.h"
#include "grains/neighbours.h"
#include "grains/steps.h"
#include "grains/store.h"
#include "math/simd.h"

enum {
    CONTACT_CHUNK = 512, // pairs, and wall entries, whose sums are made together
    TIDY_STEPS = 16,     // steps between looks whether touching pairs are still together, in each chunk,
    TIDY_BLOCKS = 10,    // and so many blocks too many are worth the work
    GRAIN_CHUNK = 256,   // grains moved together
};

// The motion of a grain is one cache line: velocity [m/s], rim velocity (radius times angular velocity,
// [m/s]), radius [m], inverse mass [1/kg]. A contact needs v_i - v_j and r_i w_i + r_j w_j, so that lines can
// be combined before they are turned over for the vector kernels. The forces on a grain are a line of the
// same make: force [N] and the sum of q [N], which turns the rim as force moves the centre, 5/2 times as
// much.
enum { QUAD = WIDE_QUAD, QUAD_REACH = 3 };
enum { LINE = WIDE_ROW, LINE_VELOCITY = 0, LINE_RIM = 3, LINE_RADIUS = 6, LINE_INVERSE_MASS = 7 };

// A contact's line is added to the forces on i, and with the force turned round to those on j.
static const _Alignas(64) double line_side[2][LINE] = {{1, 1, 1, 1, 1, 1, 0, 0}, {-1, -1, -1, 1, 1, 1, 0, 0}};

// What a contact remembers from step to step, a row of single precision: its tangential spring u [m]; for the
// ledger the tangential force of the last step [N], or where that is -k u just k [N/m]; the damping force
// [N], if there is damping; the rolling spring [rad] and moment [N m], if there is rolling. The rounding of
// 6e-8 is far below what the step makes of a spring.
enum { ROW_MOST = 13 };
typedef struct RowShape { // where in the row, and how long it is
    size_t force, damping, rolling, length;
    bool stiffness; // k in place of the force
} RowShape;

// Pairs that may touch in this epoch, in chunks of CONTACT_CHUNK. In each chunk come first those that touched
// when the epoch began, then the others, both sorted by i: so blocks of eight pairs mostly touch all or not
// at all, and what they remember is loaded as it lies, number by number.
enum { BLOCK = 8 };
typedef struct Near {
    size_t count;
    ARRAY(int32_t) i, j;     // of each pair
    ARRAY(uint8_t) touching; // of each block, a bit per pair: as of the last step
    RowShape row;
    ARRAY(float) rows; // memory: of each block, the first number of eight rows, the second number, ...
} Near;
static inline size_t contact_chunks(size_t items) { return (items + CONTACT_CHUNK - 1) / CONTACT_CHUNK; }
static inline size_t near_blocks(size_t pairs) { return (pairs + BLOCK - 1) / BLOCK; }
static inline bool near_touches(const Near *near, size_t slot) {
    return near->touching.data[slot / BLOCK] >> slot % BLOCK & 1;
}
// The first number of a pair's row; the others follow BLOCK apart.
static inline float *near_row(const Near *near, size_t slot) {
    return near->rows.data + slot / BLOCK * (BLOCK * near->row.length) + slot % BLOCK;
}
static inline void near_clear_row(const Near *near, size_t slot) {
    for (size_t c = 0; c < near->row.length; c++) near_row(near, slot)[c * BLOCK] = 0;
}

// Grows an array without keeping more of it than `kept` items: a second copy of the largest arrays would be
// the peak of all memory.
#define RESIZE(array, kept_items, items)                                                                     \
    ((array)->capacity < (items)                                                                             \
         ? ((array)->capacity = (kept_items), array_reserve((array), (items) + (items) / 64)) &&             \
               array_resize((array), (items))                                                                \
         : array_resize((array), (items)))

typedef struct WallTouch {
    int32_t feature;                    // of the wall
    double u[3], r[3];                  // tangential spring [m], rolling spring [rad]
    float force[3], damping, moment[3]; // of the last step, for the ledger [N], [N], [N m]
} WallTouch;

// Layers (layers.c).
typedef struct Layer {
    int32_t chunk, grain, entry; // the first chunk of its pairs, its first grain, its first wall entry
} Layer;
typedef struct ChunkReach {
    int32_t first, last; // grain that its pairs touch
} ChunkReach;

// A grain near a wall part in this epoch.
typedef struct WallEntry {
    int32_t grain, part;
    int32_t count, first; // of its touches, in `wall_touches`, which has room for all that its wall can make
} WallEntry;

// What a chunk of contacts or grains adds up.
typedef struct Sums {
    double elastic, tangential_energy, rolling_energy;  // stored [J]
    double impact_power, friction_power, rolling_power; // [W]
    double contacts;
    double overlap;                   // largest [m]
    double overlap_ratio;             // largest, over the smaller radius
    int32_t overlap_i, overlap_other; // where: grain, and grain or -1 - wall part
} Sums;

typedef struct Epoch {
    int64_t steps, length; // done, planned
    bool over;             // somebody strayed too far: it ends before the next forces
    Vec3 velocity;         // of the frame at its start [m/s]
    Vec3 drift;            // of the frame from the making of the neighbour lists to the epoch's start [m]
    double *start; // of all grains: where they were at its start, and how far they may stray, a QUAD each [m]
    Motion *wall_start;   // of each wall part at its start
    double *wall_reach;   // how far it may stray from the frame [m]
    double span;          // of the bed, for the sweep of turning walls [m]
    double ease;          // allowed reach of a typical grain, over its radius: tuned
    double caution;       // factor on reaches: tuned
    int64_t count, early; // epochs so far, and those that ended early
} Epoch;

// The first part is common to all methods, the second belongs to the smooth one.
struct Grains {
    const GrainsDefinition *definition;
    const struct GrainsMethod *method;
    struct Nonsmooth *nonsmooth; // NULL in other methods
    const Material *materials;
    int material_count;
    Vec3 gravity;
    double step;   // h [s]
    bool uniform;  // all grains have the same radius, mass and material
    double radius; // mean [m]
    double mass;   // of all grains [kg]
    GrainStore store;
    double *position;    // x, y, z, radius of each grain, a QUAD [m]
    double *motion;      // a LINE per grain
    double least_radius; // [m]
    Neighbours neighbours;
    ARRAY(Load) measured;                                                    // per wall part
    int64_t steps;                                                           // done since the start
    double work, input, impact, friction, rolling, stabilisation, algorithm; // since the start [J]
    double largest_overlap; // since the start, over the radius
    const double (
        *mobility)[6][6]; // per wall part, about its port's origin; NULL: walls move as they are told
    GrainStore view;      // as seen from outside: now, in order of id
    int64_t view_step;    // when it was made

    ContactLaws laws;
    double *forces;      // on each grain, a LINE: added to by contacts.c, taken and zeroed by smooth.c
    double *moments;     // rolling moments, likewise (4 numbers each); NULL without a rolling law
    int threads;         // that work in this epoch
    ARRAY(Layer) layers; // and one more, where the last one ends
    ARRAY(ChunkReach) reach;
    Joints joints; // of layers
    Epoch epoch;
    Near near;
    ARRAY(int32_t) carry;                     // scratch of carry.c
    ARRAY(WallEntry) entries, entries_before; // sorted by grain; those of the last epoch
    ARRAY(WallTouch) wall_touches, wall_touches_before;
    size_t stepped;          // how many grains are moved step by step
    ARRAY(uint16_t) touches; // how many records of each grain are of touching contacts
    ARRAY(uint8_t) met; // has it touched anything in this epoch? Only then can it stray further than planned
    ARRAY(uint8_t) stepping; // of each grain: is it moved step by step, and not in free flight?
    ARRAY(uint8_t) kept;     // of each grain, from epoch_kept on: a bit per neighbour that may touch it
    ARRAY(Sums) sums;        // per chunk of pairs; then of the wall entries of each layer
    ARRAY(Load) loads;       // per layer and wall part
    int64_t last_build;      // step of the last neighbour lists
};

// ---- epoch.c -------------------------------------------------------------------------------------
MrcStatus epoch_create(Grains *grains, MrcError *error);
void epoch_free(Grains *grains);
MrcStatus epoch_begin(Grains *grains, const Motion *walls, MrcError *error);
MrcStatus epoch_find_pairs(Grains *grains, MrcError *error);       // the lists again, after loading a state
bool epoch_resize_near(Grains *grains, size_t kept, size_t count); // the first `kept` pairs stay
// The bits in `kept` of grain i, whole bytes for each grain; may neighbour c of grain i touch it?
static inline size_t epoch_kept(const Grains *grains, size_t i) {
    return (size_t)grains->neighbours.start.data[i] / 8 + i;
}
static inline bool epoch_is_near(const Grains *grains, size_t i, int32_t c) {
    return grains->kept.data[epoch_kept(grains, i) + (size_t)c / 8] >> c % 8 & 1;
}
MrcStatus epoch_assign_records(Grains *grains, MrcError *error); // and who they belong to
void epoch_count_touches(Grains *grains); // from the marks of near pairs and wall entries
void epoch_end(Grains *grains);           // free grains are moved by all steps of the epoch
bool epoch_walls_strayed(const Grains *grains, const Motion *walls);
// Displacement of the frame after `steps` steps of the epoch, and its gain in velocity.
Vec3 epoch_displacement(const Grains *grains, Vec3 velocity, int64_t steps);
static inline Vec3 grain_center(const Grains *grains, size_t i) {
    const double *quad = grains->position + i * QUAD;
    return (Vec3){quad[0], quad[1], quad[2]};
}
static inline Vec3 grain_velocity(const Grains *grains, size_t i) {
    const double *line = grains->motion + i * LINE;
    return (Vec3){line[0], line[1], line[2]};
}
static inline Vec3 grain_spin(const Grains *grains, size_t i) {
    const double *line = grains->motion + i * LINE, per_radius = 1 / line[LINE_RADIUS];
    return (Vec3){per_radius * line[LINE_RIM], per_radius * line[LINE_RIM + 1],
                  per_radius * line[LINE_RIM + 2]};
}
static inline double grain_inverse_mass(const Grains *grains, size_t i) {
    return grains->motion[i * LINE + LINE_INVERSE_MASS];
}
static inline Vec3 epoch_gain(const Grains *grains, int64_t steps) {
    return vec3_scale((double)steps * grains->step, grains->gravity);
}

// ---- layers.c ------------------------------------------------------------------------------------
bool layers_make(Grains *grains, int threads); // of near pairs and wall entries; false: no memory
void layers_free(Grains *grains);
static inline int32_t layers_count(const Grains *grains) { return (int32_t)grains->layers.count - 1; }
static inline int32_t layers_evens(const Grains *grains) { return (layers_count(grains) + 1) / 2; }

// ---- grains.c ------------------------------------------------------------------------------------
void grains_follow_sort(Grains *grains); // brings quads and lines into the order of the neighbour lists

// ---- smooth.c, measure.c -------------------------------------------------------------------------
MrcStatus measure_smooth(Grains *grains, const Motion *walls, Load *loads, GrainsMeasure *measure,
                         double *lag, MrcError *error);
MrcStatus grains_prepare(Grains *grains, const Motion *walls,
                         MrcError *error); // begins a new epoch if one is due

// ---- smooth_model.c: before there are grains ----------------------------------------------------
bool smooth_needs_speed(const GrainsDefinition *definition);
void smooth_check(const GrainsModel *model, const Findings *findings);
void smooth_check_effect(const GrainsModel *model, const Findings *findings);
void smooth_describe(const GrainsModel *model, const Material *grain, const Material *wall,
                     struct Text *text);
bool smooth_steps(const GrainsDefinition *definition, const GrainsSetting *setting, GrainsSteps *steps);
void smooth_write_identity(const GrainsModel *model, FILE *out);

// ---- carry.c -------------------------------------------------------------------------------------
size_t carry_take_out(Grains *grains); // touching pairs to the front of the near pairs; returns their number
// After a sort: `now` says where each old grain is.
MrcStatus carry_follow_sort(Grains *grains, size_t kept, const int32_t *now, MrcError *error);
void carry_put_back(Grains *grains, size_t kept); // into the new list
// Touching pairs to the front of the chunk at `from` again, if too many blocks are half empty.
void carry_tidy(Grains *grains, size_t from);

// ---- contacts.c ----------------------------------------------------------------------------------
// The contacts of a layer: adds to `forces` and `moments` of its grains and those of the next layer, and to
// `loads`. With `look`, nothing that the next step would remember is touched but these, and the caller has to
// zero them again.
void contacts_of_layer(Grains *grains, const Motion *walls, bool look, int32_t layer);
Sums contacts_sum(const Grains *grains, Load *loads);

// ---- sums ----------------------------------------------------------------------------------------
void sums_add(Sums *total, const Sums *part);

#endif
