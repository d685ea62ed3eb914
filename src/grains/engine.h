// The inside of grains, and of the smooth method, shared by its files:
//
//     grains.c      creation, choosing the method
//
//     neighbours.c  which pairs may touch within many steps       (every few hundred steps)
//     pruning.c     which of them may touch within a few steps    (every few dozen steps)
//     contact_memory.c  memory of touching pairs across these lists
//     layers.c      how the work is shared among threads
//     smooth_contacts.c, smooth_pairs.c, smooth_walls.c  the forces of this step   (every step)
//     smooth_shapes*.c  contacts and motion of grains that are not spheres
//     smooth.c      the step
//     measure.c     measuring
//     wear.c, spectra.c  energy lost at single walls, and in single collisions
//
// Pruning: the neighbour lists are reduced to the near pairs for an interval of steps, as molecular dynamics does
// with dual pair lists (Pall et al. 2020, doi:10.1063/5.0018516). At its start each grain is given a reach: how far
// it may deviate, during the interval, from free flight together with the bed (a frame that starts with the mean
// velocity and falls with gravity). Pairs whose gap is larger than the sum of their reaches cannot touch during the
// interval and are left out. A grain without near pairs and walls is in free flight: it is moved by all steps at
// once, in closed form, when the interval ends. If a grain leaves its reach, the interval ends early, before the
// next forces are computed, so that no contact is missed.
#ifndef GRAINS_ENGINE_H
#define GRAINS_ENGINE_H

#include <stdio.h>

#include "base/even_odd.h"
#include "base/memory.h"
#include "grains/grains.h"
#include "grains/law.h"
#include "grains/neighbours.h"
#include "grains/periodic.h"
#include "grains/spectra.h"
#include "grains/store.h"
#include "grains/time_steps.h"
#include "grains/turning.h"
#include "math/simd.h"

enum {
    CONTACT_CHUNK = 512, // pairs, and wall entries, whose sums are made together
    REPACK_STEPS = 16,   // steps between tests whether the touching pairs of a chunk are still together,
    REPACK_BLOCKS = 10,  // and blocks in excess from which on they are repacked
    GRAIN_CHUNK = 256,   // grains moved together
};

// The motion of a grain is one cache line: velocity [m/s], rim velocity (radius times angular velocity,
// [m/s]), radius [m], inverse mass [1/kg]. A contact needs v_i - v_j and r_i w_i + r_j w_j, so that lines can
// be combined before they are transposed for the vector kernels. The forces on a grain are a line with the same
// layout: force [N] and the sum of q [N], which accelerates the rim 5/2 times as much as a force the centre.
enum { QUAD = WIDE_QUAD, QUAD_REACH = 3 };
enum { GRAIN_LINE = WIDE_ROW, GRAIN_VELOCITY = 0, GRAIN_RIM = 3, GRAIN_RADIUS = 6, GRAIN_INVERSE_MASS = 7 };

// A contact's line is added to the forces on i, and with the sign of the force changed to those on j.
static const _Alignas(64) double line_side[2][GRAIN_LINE] = {{1, 1, 1, 1, 1, 1, 0, 0},
                                                             {-1, -1, -1, 1, 1, 1, 0, 0}};

// Memory of a contact from step to step, a row of single precision: its tangential spring u [m]; for the
// ledger the tangential force of the last step [N], or where that is -k u just k [N/m]; the damping force
// [N], if there is damping; for spectra the energy that impact has dissipated so far [J], in two parts, a rounded
// number and the rest; the rolling spring [rad] and moment [N m], if there is rolling. The rounding of 6e-8 is far
// below the error of the step.
enum { ROW_MOST = 15 };
typedef struct MemoryLayout { // where in the row, and how long it is
    size_t force, damping, spent, rolling, length;
    bool stiffness; // k in place of the force
} MemoryLayout;

// Pairs that may touch before the next pruning, in chunks of CONTACT_CHUNK. In each chunk those come first that
// touched at the last pruning, then the others, both sorted by i: in most blocks of eight pairs either all touch or
// none, and their memory is loaded by vectors, number by number.
enum { BLOCK = 8 };
typedef struct NearPairs {
    size_t count;
    ARRAY(int32_t) i, j;     // of each pair
    ARRAY(uint8_t) touching; // of each block, a bit per pair: as of the last step
    ARRAY(uint8_t) odd;      // of each block: has it a grain that is not the common one? Where there is one
    MemoryLayout row;
    ARRAY(float) rows; // memory: of each block, the first number of eight rows, the second number, ...
} NearPairs;
static inline size_t smooth_contacts_chunks(size_t items) {
    return (items + CONTACT_CHUNK - 1) / CONTACT_CHUNK;
}
static inline size_t near_blocks(size_t pairs) { return (pairs + BLOCK - 1) / BLOCK; }
static inline bool near_touches(const NearPairs *near, size_t slot) {
    return near->touching.data[slot / BLOCK] >> slot % BLOCK & 1;
}
// The first number of a pair's row; the others follow BLOCK apart.
static inline float *near_row(const NearPairs *near, size_t slot) {
    return near->rows.data + slot / BLOCK * (BLOCK * near->row.length) + slot % BLOCK;
}
static inline void near_clear_row(const NearPairs *near, size_t slot) {
    for (size_t c = 0; c < near->row.length; c++) near_row(near, slot)[c * BLOCK] = 0;
}
// For spectra: what impact has dissipated in this contact [J].
static inline double near_spent(const NearPairs *near, size_t slot) {
    const float *spent = near_row(near, slot) + near->row.spent * BLOCK;
    return (double)spent[0] + (double)spent[BLOCK];
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

// A grain near a wall part until the next pruning.
typedef struct WallEntry {
    int32_t grain, part;
    int32_t count, first; // of its touches, in `wall_touches`, which has room for all that its wall can make
    double spent;         // for spectra: dissipated by impact since it touches [J]
} WallEntry;

// What a chunk of contacts or grains adds up.
typedef struct ContactSums {
    double elastic, tangential_energy, rolling_energy;  // stored [J]
    double cohesion_energy;                             // of elastic, that of cohesion [J]
    double impact_power, friction_power, rolling_power; // [W]
    double belt_power;                                  // of moving surfaces on the grains [W]
    double pair_contacts, wall_contacts;                // numbers of them
    double overlap;                                     // largest [m]
    double overlap_ratio;                               // largest, over the smaller radius
    int32_t overlap_i, overlap_other;                   // where: grain, and grain or -1 - wall part
} ContactSums;

// Along it two grains with faces were apart when last looked at (shape_pair_contacts_again); zero: none is known.
typedef struct ShapeAxis {
    float x, y, z;
} ShapeAxis;

// Where a wall part is, in the axes of its port, for finding lost grains.
enum { FLOW_WAYS = 16 }; // planes of outlets that are known to be ahead of a falling grain

typedef struct WallExtent {
    Vec3 lower, upper;    // box around its surface [m]
    bool closed, endless; // it has a room; it is a plane
    Vec3 normal;          // of the plane
} WallExtent;

typedef struct Pruning {
    int64_t steps, length; // done, planned
    bool over;             // a grain has left its reach: it ends before the next forces
    Vec3 velocity;         // of the frame at its start [m/s]
    Vec3 drift;            // of the frame from the making of the neighbour lists to the last pruning [m]
    size_t capacity;       // of grains that there is room for
    double *start; // of all grains: where they were at its start, and how far they may stray, a QUAD each [m]
    Motion *wall_start;   // of each wall part at its start
    double *wall_reach;   // how far it may stray from the frame [m]
    double span;          // of the bed, for the sweep of turning walls [m]
    double ease;          // allowed reach of a typical grain, over its radius: tuned
    double caution;       // factor on reaches: tuned
    int64_t count, early; // prunings so far, and those that came early
} Pruning;

// The most common grain (common_grain.c).
typedef struct CommonGrain {
    bool found;
    double radius, inverse_mass; // [m], [1/kg]
    int32_t material;
    ARRAY(uint8_t) odd; // of each grain: it is another; not where all are uniform
} CommonGrain;

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
    Periodic periodic;
    GrainStore store;
    size_t capacity;     // of grains that there is room for in the next three
    double *position;    // x, y, z, radius of each grain, a QUAD [m]
    double *motion;      // a GRAIN_LINE per grain
    double *orientation; // w, x, y, z of a quaternion of each grain, a QUAD; NULL: not kept
    double least_radius; // [m]
    Neighbours neighbours;
    ARRAY(Load) measured;     // per wall part
    ARRAY(WallWear) worn;     // likewise
    ARRAY(double) wear_rates; // volume per work of friction, likewise [m^3/J]
    Spectra spectra;          // of impact energies
    int64_t steps;            // done since the start
    double work, input, impact, friction, rolling, stabilisation, algorithm; // since the start [J]
    double bonded;                   // energy of cohesion at the start [J]
    bool begun;                      // the sums begin where the contacts of the start are (measure.c)
    double carried, lifted, arrived; // by grains that came and left (grains.h) [J]
    ARRAY(int32_t) ids;              // of all grains, in order
    int64_t next_id;                 // of the next grain that comes
    ARRAY(int32_t) places;           // scratch of change.c
    ARRAY(WallExtent) extents;       // of the wall parts
    Vec3 flow_lower,
        flow_upper; // box around regions of flow (flow.h), world axes; empty: lower above upper [m]
    Vec3 flow_ways[FLOW_WAYS]; // normals of planes through which grains leave, world axes
    int flow_way_count;
    double belts;           // work of moving surfaces since the start [J]
    double largest_overlap; // since the start, over the radius
    const double (
        *mobility)[6][6]; // per wall part, about its port's origin; NULL: their motion is prescribed
    GrainStore view;      // as seen from outside: now, in order of id
    int64_t view_step;    // when it was made
    struct Archive
        *unmeasured; // the state before a measurement that changes it (measure.c); NULL: there was none

    ContactLaws laws;
    struct SmoothShapes *shapes; // of grains that are not spheres (smooth_shapes.h); NULL: all are
    double
        *forces; // on each grain, a GRAIN_LINE: added to by smooth_contacts.c, taken and zeroed by smooth.c
                 // (of grains that are not spheres: force [N], moment [N m])
    size_t force_capacity; // of grains that there is room for
    double *moments;       // rolling moments, likewise (4 numbers each); NULL without a rolling law
    int threads;           // that work until the next pruning
    ARRAY(Layer) layers;   // and one more, where the last one ends
    ARRAY(ChunkReach) reach;
    EvenOdd even_odd; // of layers
    Pruning pruning;
    CommonGrain common;
    NearPairs near;
    ARRAY(int32_t) pair_order;                // scratch of contact_memory.c
    ARRAY(WallEntry) entries, entries_before; // sorted by grain; those before the last pruning
    ARRAY(int32_t) entry_order;               // entries layer by layer, in each by wall part, then by grain
    ARRAY(int32_t) part_starts;               // scratch of layers.c
    ARRAY(WallTouch) wall_touches, wall_touches_before;
    size_t stepped;          // how many grains are moved step by step
    ARRAY(uint16_t) touches; // how many records of each grain are of touching contacts
    ARRAY(uint8_t) met; // has it touched anything since the last pruning? Only then may it leave its reach
    ARRAY(uint16_t) turned;  // steps since the last pruning that the orientation of each grain has followed
    ARRAY(uint8_t) stepping; // of each grain: 1: moved step by step, 0: in free flight
    ARRAY(uint8_t) kept;     // of each grain, from pruning_kept on: a bit per neighbour that may touch it
    ARRAY(ContactSums) sums; // per chunk of pairs; then of the wall entries of each layer
    ARRAY(Load) loads;       // per layer and wall part
    ARRAY(WallWear) wearing; // likewise: powers of this step [W]
    int64_t last_build;      // step of the last neighbour lists
};

// ---- grains.c ------------------------------------------------------------------------------------
MrcStatus grains_resize(Grains *grains, size_t count, MrcError *error); // room for another number of them

// ---- wear.c --------------------------------------------------------------------------------------
MrcStatus wear_create(Grains *grains, const struct GrainsSetting *setting, MrcError *error);
void wear_add(Grains *grains, int part, double friction, double impact); // [J]
void wear_archive(Grains *grains, Archive *archive);

// ---- change.c ------------------------------------------------------------------------------------
struct GrainsChange;
// Grains leave and come in the common arrays; methods update their own arrays before and after. `place`: new place of
// each grain, -1: it leaves.
MrcStatus change_grains(Grains *grains, const struct GrainsChange *change, const int32_t *place,
                        MrcError *error);

// ---- common_grain.c ------------------------------------------------------------------------------
bool common_grain_mark(Grains *grains); // false: memory ran out
void common_grain_mark_pairs(Grains *grains, size_t from, size_t to);

// ---- pruning.c -----------------------------------------------------------------------------------
MrcStatus pruning_create(Grains *grains, MrcError *error);
void pruning_free(Grains *grains);
MrcStatus pruning_begin(Grains *grains, const Motion *walls, MrcError *error);
MrcStatus pruning_resize(Grains *grains, size_t before,
                         MrcError *error); // another number of grains; `before`: kept
// After the grains have changed: their memory is in the first `kept` near pairs.
MrcStatus pruning_begin_anew(Grains *grains, const Motion *walls, size_t kept, MrcError *error);
MrcStatus pruning_find_pairs(Grains *grains, MrcError *error);       // the lists again, after loading a state
bool pruning_resize_near(Grains *grains, size_t kept, size_t count); // the first `kept` pairs stay
// The bits in `kept` of grain i, whole bytes for each grain: may neighbour c touch it?
static inline size_t pruning_kept(const Grains *grains, size_t i) {
    return (size_t)grains->neighbours.start.data[i] / 8 + i;
}
// The first neighbour from c on that may touch grain i, of `count`; `count`: none.
static inline int32_t pruning_next_near(const Grains *grains, size_t i, int32_t c, int32_t count) {
    const uint8_t *bytes = grains->kept.data + pruning_kept(grains, i);
    for (; c < count; c = (c / 8 + 1) * 8) {
        unsigned bits = (unsigned)bytes[c / 8] >> c % 8;
        if (bits) return c + __builtin_ctz(bits);
    }
    return count;
}
// The last one before c; -1: none.
static inline int32_t pruning_last_near(const Grains *grains, size_t i, int32_t c) {
    for (const uint8_t *bytes = grains->kept.data + pruning_kept(grains, i); c > 0; c = (c - 1) / 8 * 8) {
        unsigned bits = bytes[(c - 1) / 8] & (0xffu >> (7 - (c - 1) % 8));
        if (bits) return (c - 1) / 8 * 8 + 31 - __builtin_clz(bits);
    }
    return -1;
}
MrcStatus pruning_assign_records(Grains *grains, MrcError *error); // and their grains
void pruning_count_touches(Grains *grains); // from the marks of near pairs and wall entries
void pruning_end(Grains *grains);           // moves grains in free flight by all steps since the pruning
void pruning_arrive(Grains *grains);        // the same, when called from outside of the engine
bool pruning_walls_strayed(const Grains *grains, const Motion *walls);
// Displacement of the frame `steps` steps after the pruning, and its gain in velocity.
Vec3 pruning_displacement(const Grains *grains, Vec3 velocity, int64_t steps);
static inline Vec3 grain_center(const Grains *grains, size_t i) {
    const double *quad = grains->position + i * QUAD;
    return (Vec3){quad[0], quad[1], quad[2]};
}
static inline Pose grain_pose(const Grains *grains, size_t i) {
    const double *q = grains->orientation ? grains->orientation + i * QUAD : NULL;
    return (Pose){grain_center(grains, i), q ? (Quaternion){q[0], q[1], q[2], q[3]} : quaternion_identity()};
}
static inline Vec3 grain_velocity(const Grains *grains, size_t i) {
    const double *line = grains->motion + i * GRAIN_LINE;
    return (Vec3){line[0], line[1], line[2]};
}
static inline Vec3 grain_spin(const Grains *grains, size_t i) {
    const double *line = grains->motion + i * GRAIN_LINE, per_radius = 1 / line[GRAIN_RADIUS];
    return (Vec3){per_radius * line[GRAIN_RIM], per_radius * line[GRAIN_RIM + 1],
                  per_radius * line[GRAIN_RIM + 2]};
}
static inline double grain_inverse_mass(const Grains *grains, size_t i) {
    return grains->motion[i * GRAIN_LINE + GRAIN_INVERSE_MASS];
}
static inline Mat3 grain_inertia(const Grains *grains, size_t i, double mass) { // world axes [kg m^2]
    const Shape shape = store_shape(&grains->store, i);
    Mat3 own = shape_inertia(&shape, mass);
    if (shape_is_round(&shape)) return own;
    Mat3 axes = quaternion_to_matrix(grain_pose(grains, i).orientation);
    return mat3_mul(mat3_mul(axes, own), mat3_transpose(axes));
}
// The orientation after turning with a constant spin for a time [s]: q' = exp(time spin) q.
static inline Quaternion grain_turned(const Grains *grains, size_t i, Vec3 spin, double time) {
    Quaternion turn = quaternion_from_rotation_vector(vec3_scale(time, spin));
    return quaternion_normalize(quaternion_mul(turn, grain_pose(grains, i).orientation));
}
static inline void grain_turn(Grains *grains, size_t i, Vec3 spin, double time) {
    Quaternion q = grain_turned(grains, i, spin, time);
    const double quad[QUAD] = {q.w, q.x, q.y, q.z};
    memcpy(grains->orientation + i * QUAD, quad, sizeof quad);
}
static inline Vec3 pruning_velocity_gain(const Grains *grains, int64_t steps) {
    return vec3_scale((double)steps * grains->step, grains->gravity);
}

// ---- layers.c ------------------------------------------------------------------------------------
bool layers_make(Grains *grains, int threads); // of near pairs and wall entries; false: no memory
void layers_free(Grains *grains);
static inline int32_t layers_count(const Grains *grains) { return (int32_t)grains->layers.count - 1; }
static inline int32_t layers_evens(const Grains *grains) { return (layers_count(grains) + 1) / 2; }

// ---- grains.c ------------------------------------------------------------------------------------
void grains_sort(Grains *grains); // brings quads and lines into the order of the neighbour lists

// ---- measure.c -----------------------------------------------------------------------------------
typedef struct GrainMotion {
    Vec3 center, velocity, spin;
    Quaternion orientation; // the identity if it is not kept
} GrainMotion;
GrainMotion grain_now(const Grains *grains, size_t i); // where it is at this instant
Vec3 grain_center_now(const Grains *grains, size_t i); // likewise

// ---- lost.c --------------------------------------------------------------------------------------
MrcStatus lost_create(Grains *grains, MrcError *error);
void lost_include(Vec3 point, Vec3 *lower, Vec3 *upper); // makes the box hold the point

// ---- smooth.c, measure.c -------------------------------------------------------------------------
MrcStatus smooth_measure(Grains *grains, const Motion *walls, Load *loads, GrainsMeasure *measure,
                         MrcError *error);
MrcStatus smooth_prepare(Grains *grains, const Motion *walls,
                         MrcError *error); // prunes the lists if that is due

// ---- smooth_model.c: before there are grains ----------------------------------------------------
bool smooth_needs_speed(const GrainsDefinition *definition);
void smooth_check(const GrainsModel *model, const Findings *findings);
void smooth_check_effect(const GrainsModel *model, const Findings *findings);
void smooth_describe(const GrainsModel *model, const Material *grain, const Material *wall,
                     struct Text *text);
bool smooth_steps(const GrainsDefinition *definition, const GrainsSetting *setting, GrainsSteps *steps);
void smooth_write_identity(const GrainsModel *model, FILE *out);

// ---- contact_memory.c ----------------------------------------------------------------------------
size_t contact_memory_take_out(
    Grains *grains); // touching pairs to the front of the near pairs; returns their number
// After a sort: `now` holds the new number of each old grain.
MrcStatus contact_memory_sort(Grains *grains, size_t kept, const int32_t *now, MrcError *error);
// After it was taken out: pairs of grains with a place of -1 are dropped, others get their new numbers, which are in the
// same order. Returns how many are left.
size_t contact_memory_leave(Grains *grains, size_t kept, const int32_t *place);
void contact_memory_put_back(Grains *grains, size_t kept); // into the new list
// Touching pairs to the front of the chunk at `from` again, if too many blocks are half empty.
void contact_memory_repack(Grains *grains, size_t from);

// ---- smooth_contacts.c ---------------------------------------------------------------------------
// The contacts of a layer: adds to `forces` and `moments` of its grains and those of the next layer, and to
// `loads`. With `measuring` nothing else changes, and the caller has to zero these again.
void smooth_contacts_of_layer(Grains *grains, const Motion *walls, bool measuring, int32_t layer);
void smooth_contacts_wear(Grains *grains);                        // of the step, per wall part
void smooth_contacts_end_entry(Grains *grains, WallEntry *entry); // a grain has parted from a wall
ContactSums smooth_contacts_sum(const Grains *grains, Load *loads);

// ---- sums ----------------------------------------------------------------------------------------
void smooth_contacts_add(ContactSums *total, const ContactSums *part);

#endif
