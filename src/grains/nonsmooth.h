// The inside of the methods of rigid grains: their contacts are collected into a contact problem
// (contact/problem.h), and its solution moves them.
//
//     nonsmooth.c            creation, measuring, saving
//     nonsmooth_lists.c      neighbour lists, and impulses of the last step in their order
//     nonsmooth_find.c       contacts of a step, into the problem
//     nonsmooth_condition.c  the law of each contact
//     nonsmooth_walls.c      contacts with walls
//     nonsmooth_shapes.c     the same for grains that are not spheres, and how they turn
//     nonsmooth_apply.c      the solution, back into the grains; energies and loads
//     nscd.c                 the method of Moreau and Jean: what it does otherwise
//     world.c                the step of one or more beds among their ports
//
// The step of the nonsmooth method is semi-implicit Euler at the level of impulses (Eq. 19 of
// doi:10.1016/j.mechmachtheory.2020.104181, TIGHT; Eqs. 11-12 of doi:10.1007/s11044-022-09829-w):
//
//     v(n+1) = v(n) + h g + M^-1 (impulses of contacts),      x(n+1) = x(n) + h v(n+1)
#ifndef GRAINS_NONSMOOTH_H
#define GRAINS_NONSMOOTH_H

#include "contact/problem.h"
#include "grains/engine.h"
#include "grains/method.h"

// Single instructions; fmin and fmax are library calls because of their rules for NaN. Returns NaN if a is NaN.
static inline double rigid_least(double a, double b) { return a >= b ? b : a; }
static inline double rigid_most(double a, double b) { return a <= b ? b : a; }

enum { RIGID_CHUNK = 512 }; // contacts whose energies are summed together
// Up to this number of chunks of grains or contacts is done by one thread. Entering a parallel region costs half a
// microsecond even if its `if` clause is false.
enum { RIGID_CHUNKS_ALONE = 8 };

// Coefficients of a pair of materials.
typedef struct RigidPair {
    double friction, restitution;
    double rolling, spinning; // over the effective radius
    double cohesion;          // [N]
} RigidPair;

typedef struct WallKey { // of a contact with a wall, the same from step to step
    int32_t grain, part;
    int64_t feature;
} WallKey;

// The contacts of a step: first pairs in the order of the neighbour lists, then walls in the order of grains.
typedef struct RigidContacts {
    ARRAY(int32_t) slots;    // of pairs: place in neighbours.index; grains with faces: one for each point
    ARRAY(int64_t) features; // of pairs of grains with faces, the name of the point; else empty
    ARRAY(WallKey) walls;    // of walls
    ARRAY(ContactImpulse) impulses; // pairs, then walls
} RigidContacts;

// A pair that is near enough to be in the problem.
typedef struct PairHit {
    int32_t i, j, slot;
} PairHit;

// A point of two grains with faces that is near enough to be in the problem.
typedef struct ShapeHit {
    int32_t i, j, slot;
    ShapeContact contact;
} ShapeHit;
typedef ARRAY(ShapeHit) ShapeHits;

typedef struct WallNear { // a grain near a wall part
    size_t i;
    int part;
    bool sphere;     // the grain is one
    Vec3 velocity;   // of the grain's point there against the wall, of a sphere that of its centre [m/s]
    double radius;   // [m]
    Vec3 center;     // [m]
    Vec3 normal;     // from the wall into the grain
    Vec3 arm;        // from the centre to the point of the grain [m]
    double gap;      // [m]
    int64_t feature; // names it
    int points;      // of the same face of grain and wall, which share cohesion
    double before;   // normal velocity before the step, against the wall as it moved then [m/s]
    double closing;  // at its end without contacts [m/s]
    Vec3 turning; // what is added to the relative velocity because the wall turns (nonsmooth_walls.c) [m/s]
} WallNear;
typedef ARRAY(WallNear) WallHits;

typedef struct FindSums { // of a chunk of grains
    size_t count;         // of its hits
    double ratio;         // largest overlap over the smaller radius
    int32_t grain, other; // where: grain, and grain or -1 - wall part
    bool by_coulomb;      // relaxed law: other shapes than spheres bounce there in this step
} FindSums;

typedef struct ApplySums {                           // of a chunk of contacts
    double impact, friction, rolling, stabilisation; // [J]
    double touching;
} ApplySums;

typedef struct Nonsmooth {
    RigidPair *pairs; // rows as in law.h: grain and grain a M + b, grain and wall (M + w) M + a
    double theta;  // share of the step in which grains move with the velocity at its end; 1: the whole step
    bool by_touch; // restitution acts on contacts that touch, not on those that will
    double activation;  // gap below which a contact may act, at least [m]
    double bounciest;   // largest restitution of all pairs; negative: the activation is given in the model
    double range;       // gap below which a contact may act in this step [m]; by nonsmooth_lists.c
    double reach;       // gap beyond which no pair can close in this step [m]; by nonsmooth_lists.c
    RigidContacts last; // of the last step: the warm start of the next
    RigidContacts now;  // being made
    ARRAY(double) recovery; // of each contact in the making: speed at which its overlap is undone [m/s]
    ARRAY(double)
    rebound; // likewise: normal velocity that restitution asks for after the step [m/s]; 0: none
    ARRAY(double) cohesion; // likewise: impulse that pulls the two together [N s]
    ARRAY(double) guards;   // of each contact by the relaxed law (nonsmooth_condition.c) [m/s]; else empty
    ARRAY(PairHit) hits;
    ARRAY(ShapeHits) shape_hits; // of each chunk of grains of nonsmooth_shapes.c; empty if all are spheres
    ARRAY(size_t) firsts;        // likewise: hits of the chunks before it
    ARRAY(WallHits) wall_hits;   // likewise
    ARRAY(ShapeAxis) axes;       // of each slot of the neighbour lists; no part of the state
    ARRAY(ShapeTurning) turning; // of each shape; empty if all are spheres
    ARRAY(FindSums) found;
    ARRAY(ApplySums) applied;
    ARRAY(Vec3) gains;       // of momentum, of each chunk of grains [kg m/s]
    ARRAY(int32_t) owner;    // scratch of nonsmooth_lists.c
    ARRAY(int32_t) place;    // likewise
    ARRAY(Motion) frames;    // of the wall parts, for finding lost grains
    ARRAY(RigidWall) middle; // the walls where contacts are looked for, if that is not where the step begins
    ARRAY(Load) loads;       // on each wall part: mean over the last step, about its port's origin
    double touching;         // contacts with an impulse in the last step
    struct World *alone;     // for grains_advance: a port of its own for every wall part
} Nonsmooth;

// ---- nonsmooth_lists.c ---------------------------------------------------------------------------
// Makes neighbour lists that hold for the step from here, if the present ones do not.
MrcStatus nonsmooth_lists(Grains *grains, const RigidStep *step, bool *made, MrcError *error);
// Grains leave and come: new lists, with the impulses of those contacts that are still there.
MrcStatus nonsmooth_change(Grains *grains, const struct GrainsChange *change, const int32_t *place,
                           const Motion *walls, MrcError *error);

// ---- nonsmooth_find.c ----------------------------------------------------------------------------
// Adds the bed's grains and contacts to the problem, and impulses to start from to the solution.
MrcStatus nonsmooth_collect(Grains *grains, RigidStep *step, ContactProblem *problem,
                            ContactSolution *solution, MrcError *error);

// What does not depend on the contact.
typedef struct FindContext {
    Grains *g;
    const RigidStep *step;
    double fall;     // of a grain that rests in the walls, in their axes [m/s^2]
    bool weightless; // no gravity
    double bounce;   // [m/s]
    double recovery; // most, as asked for [m/s]; 0: not given
    double reach;    // two grains may approach by this in a step [m]
    double closed;   // gaps and overlaps below this are zero [m]
    bool by_touch;   // as above, in Nonsmooth
    bool later;      // restitution at a wall acts after the step
    bool crowded;    // grains are near each other; known once pairs have been found
    bool relaxed;    // the law is the relaxed one
} FindContext;

// ---- nonsmooth_condition.c -----------------------------------------------------------------------
typedef struct SlidingLaw { // of a contact that may slide, by the relaxed law where restitution acts
    double friction;        // mu
    double more;            // to be added to the normal bias [m/s]
    double guard;    // what a second contact without friction has less than the bias [m/s]; 0: there is none
    bool by_coulomb; // the step is to be solved by Coulomb's law
} SlidingLaw;
SlidingLaw nonsmooth_sliding_law(const FindContext *find, const RigidPair *pair, double restitution,
                                 double gap, double bias, double before, double closing, double sliding);
double nonsmooth_sliding(Vec3 velocity, Vec3 normal); // speed across the normal
// Is it another one than that of friction alone? `before`: normal velocity before the step.
static inline bool nonsmooth_has_sliding_law(const FindContext *find, const RigidPair *pair, double before) {
    return find->relaxed && pair->restitution > 0 && fabs(before) > find->bounce;
}

// The bias of the normal velocity; *recovery is the speed at which an overlap is undone.
double nonsmooth_normal_bias(const FindContext *find, double gap, double before, double closing,
                             double speed2, double radius, const RigidPair *pair, double *recovery);
// The same of a contact that may part from a bounce, but still touches.
double nonsmooth_parting_bias(const FindContext *find, const RigidPair *pair, double gap, double radius,
                              double before, double bias, double *recovery);

static inline const RigidPair *nonsmooth_pair_of(const Grains *g, size_t i, size_t j) { // of two grains
    int row = g->uniform ? g->store.material[0] * (g->material_count + 1)
                         : g->store.material[i] * g->material_count + g->store.material[j];
    return &g->nonsmooth->pairs[row];
}
// Impulse that pulls two bodies together if they touch, or nearly. Smaller radius of the two.
double nonsmooth_cohesion(const FindContext *find, double gap, double radius, const RigidPair *pair);
// Does it close in this step, at more than the speed `bounce`?
bool nonsmooth_closes(const FindContext *find, double gap, double before, double closing);
bool nonsmooth_bounces(const FindContext *find, double gap, double before, double closing,
                       const RigidPair *pair);
// Will it bounce, but does not touch yet? Smaller radius of the two, sum of their inverse masses.
bool nonsmooth_waits(const FindContext *find, double gap, double before, const RigidPair *pair, double radius,
                     double inverse_mass);
bool nonsmooth_pair_waits(const FindContext *find, size_t i, size_t j, double gap, double before);

// ---- nonsmooth_walls.c ---------------------------------------------------------------------------
bool nonsmooth_find_walls(const FindContext *find, ContactProblem *problem, ContactSolution *solution);

// The velocity of the surface of a wall beyond that of its port; zero: it is no belt.
Vec3 nonsmooth_surface_velocity(const Grains *grains, const RigidStep *step, int part, Vec3 normal);

// Is it in the problem? Finds how it approaches.
bool nonsmooth_wall_acts(const FindContext *find, WallNear *near);
// Room for so many contacts with walls, after those of pairs.
bool nonsmooth_fit_walls(const FindContext *find, size_t walls, ContactProblem *problem,
                         ContactSolution *solution);
// Makes contact `own` of the bed. *at: a contact of the last step with a wall, at most the first one of this grain, which it
// becomes.
void nonsmooth_put_wall(const FindContext *find, const WallNear *near, size_t own, size_t *at,
                        FindSums *found, ContactProblem *problem, ContactSolution *solution);

// ---- nonsmooth_shapes.c --------------------------------------------------------------------------
static inline bool nonsmooth_all_spheres(const Nonsmooth *ns) { return ns->turning.count == 0; }
static inline bool nonsmooth_is_sphere(const Grains *g, size_t i) {
    return g->store.shapes[g->store.shape[i]].kind == SHAPE_SPHERE;
}
MrcStatus nonsmooth_shapes_create(Grains *grains, MrcError *error);
void nonsmooth_shapes_free(Nonsmooth *ns);
bool nonsmooth_add_shapes(const Grains *grains, double h, ContactProblem *problem);
bool nonsmooth_find_shape_pairs(const FindContext *find, ContactProblem *problem, ContactSolution *solution);
bool nonsmooth_find_shape_walls(const FindContext *find, ContactProblem *problem, ContactSolution *solution);
// Turns grain i by a step with the angular velocity `spin` at its beginning; returns that at its end.
Vec3 nonsmooth_turn(Grains *grains, size_t i, Vec3 spin, double h);
// Angular velocities and inertia of the bed's bodies where the grains are now: for the rebound.
void nonsmooth_turned(const Grains *grains, const RigidStep *step, ContactProblem *problem);

// ---- nonsmooth_apply.c ---------------------------------------------------------------------------
// Moves the grains. `mean` holds one twist per body of the problem, the mean of before and after the contacts
// act; those of the bed's grains are filled in here. `impulses`: on each wall part, about its port's origin. Impulses of
// guards become part of those of their contacts.
void nonsmooth_apply(Grains *grains, const RigidStep *step, const ContactProblem *problem,
                     ContactSolution *solution, Twist *mean, Load *impulses);

// The rebound after the step (world_rebound.c): velocities of the grains, energies, and the loads of contacts from..to - 1
// of its problem, which were those of index `source` of the step's.
void nonsmooth_rebound(Grains *grains, const RigidStep *step, const ContactProblem *problem,
                       const ContactSolution *solution, const size_t *source, size_t from, size_t to,
                       Twist *mean, Load *impulses);

// ---- nonsmooth.c ---------------------------------------------------------------------------------
MrcStatus nonsmooth_create(Grains *grains, const GrainsSetting *setting, MrcError *error);
void nonsmooth_destroy(Grains *grains);
MrcStatus nonsmooth_advance(Grains *grains, const Motion *walls, Load *loads, MrcError *error);
MrcStatus nonsmooth_measure(Grains *grains, const Motion *walls, Load *loads, GrainsMeasure *measure,
                            MrcError *error);
MrcStatus nonsmooth_resize(Grains *grains, size_t before, MrcError *error);
void nonsmooth_archive(Grains *grains, Archive *archive);
void nonsmooth_forces(const Grains *grains, GrainsForces *forces); // nonsmooth_forces.c
void nonsmooth_count(const Grains *grains, GrainsCounts *counts);
double nonsmooth_critical_step(const Grains *grains);
double nonsmooth_activation(const Grains *grains);
double nonsmooth_theta(const Grains *grains);
const double *nonsmooth_rebounds(const Grains *grains, size_t *count);
const double *nonsmooth_recoveries(const Grains *grains, size_t *count);
double nonsmooth_settling_step(const Grains *grains, double moment);
MrcStatus nonsmooth_is_open(Grains *grains, const Motion *walls, bool *open, MrcError *error);

// What the rows of all methods of rigid grains have in common: of GrainsRigid and of GrainsMethod (method.h).
#define RIGID_IN_COMMON                                                                                      \
    .activation = nonsmooth_activation, .dilates = true, .theta = nonsmooth_theta,                           \
    .rebounds = nonsmooth_rebounds, .recoveries = nonsmooth_recoveries, .turned = nonsmooth_turned,          \
    .rebound = nonsmooth_rebound
// Keys of `contact` that are of the smooth method only.
#define RIGID_UNUSED                                                                                         \
    "normal", "tangential", "rolling", "liquid", "stiffness", "wall_stiffness", "tangential_ratio", "sizing"
// Rigid grains do not oscillate, but a last one may roll for long: it is stopped when velocities are dropped.
#define RIGID_METHOD_IN_COMMON                                                                               \
    .memory_per_grain = 4500, .checkpoint_per_grain = 450,                                                   \
    .settling = {nonsmooth_settling_step, 1e-5, nonsmooth_is_open, NULL},                                    \
    .needs_speed = nonsmooth_needs_speed, .check = nonsmooth_check, .steps = nonsmooth_steps,                \
    .destroy = nonsmooth_destroy, .advance = nonsmooth_advance, .measure = nonsmooth_measure,                \
    .change = nonsmooth_change, .resize = nonsmooth_resize, .archive = nonsmooth_archive,                    \
    .count = nonsmooth_count, .forces = nonsmooth_forces, .critical_step = nonsmooth_critical_step

// ---- nonsmooth_model.c: before there are grains --------------------------------------------------
bool nonsmooth_needs_speed(const GrainsDefinition *definition);
void nonsmooth_check(const GrainsModel *model, const Findings *findings);
void nonsmooth_describe(const GrainsModel *model, const Material *grain, const Material *wall,
                        struct Text *text);
// "Coulomb's law, solved to 1e-06; restitution 0.5, friction 0.3"
void nonsmooth_describe_laws(const GrainsModel *model, const Material *grain, const Material *wall,
                             ContactLaw law, struct Text *text);
bool nonsmooth_steps(const GrainsDefinition *definition, const GrainsSetting *setting, GrainsSteps *steps);
void nonsmooth_write_identity(const GrainsModel *model, FILE *out);

#endif
