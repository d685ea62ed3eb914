// The section `grains:` of the model file as plain structs. Filled by the model loader, read once when grains are
// created.
#ifndef GRAINS_DEFINITION_H
#define GRAINS_DEFINITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contact/solver.h"
#include "geometry/material.h"
#include "geometry/shape.h"
#include "geometry/wall.h"
#include "grains/region.h"

typedef enum StiffnessSource { STIFFNESS_GIVEN, STIFFNESS_MATERIAL, STIFFNESS_SIZED } StiffnessSource;

typedef struct WallDefinition {
    const char *name;      // of the part; "wall" when there is only one
    const char *port;      // name of the port that carries it; NULL: that of the grains
    const char *material;  // name; NULL: that of the particles
    Wall shape;            // in the port's axes
    Vec3 surface_velocity; // of the surface against the port, in the port's axes: a belt [m/s]
} WallDefinition;

// Radii that differ. A bound that is 0 was not given (grain_sizes.c has its default).
typedef struct UniformSizes {
    double from, to; // [m]
} UniformSizes;

typedef struct NormalSizes {
    double mean, deviation; // before the tails are cut off [m]
    double from, to;        // [m]
} NormalSizes;

typedef struct LognormalSizes {
    double median;    // before the tails are cut off [m]
    double deviation; // of ln(radius)
    double from, to;  // [m]
} LognormalSizes;

typedef struct SizeClass {
    double radius, diameter; // [m]; the one that is not given is 0
    double number, mass;     // share; the one that is not given is 0
} SizeClass;

typedef struct SieveOpening {
    double opening; // lets smaller diameters through [m]
    double passing; // share of the mass that comes through, 0 to 1
} SieveOpening;

// Exactly one of the five is given.
typedef struct SizesDefinition {
    UniformSizes uniform;
    NormalSizes normal;
    LognormalSizes lognormal;
    SizeClass *classes;
    int class_count;
    SieveOpening *sieve;
    int sieve_count;
    int64_t seed; // of the order in which sizes come
} SizesDefinition;

// Grains with given places, in the port's axes. A column that is not given is NULL.
typedef enum BedColumn {
    BED_X, // centre [m]
    BED_Y,
    BED_Z,
    BED_RADIUS, // [m]
    BED_VX,     // velocity beyond that of the port [m/s]
    BED_VY,
    BED_VZ,
    BED_WX, // angular velocity beyond that of the port [rad/s]
    BED_WY,
    BED_WZ,
    BED_TX, // rotation vector from the port's axes [rad]
    BED_TY,
    BED_TZ,
    BED_KIND, // number of its kind, from 0
    BED_FORM, // number of its form among those of its kind, from 0
    BED_COLUMN_COUNT
} BedColumn;

typedef struct BedData {
    size_t count;
    const int32_t *kinds;              // of each grain: which of the bed's; NULL: all of the first
    const int32_t *forms;              // of each grain: which of its kind's; NULL: in turn
    double *columns[BED_COLUMN_COUNT]; // `count` numbers each
} BedData;

// The form of grains (forms.c).
typedef enum FormKind { FORM_SPHERE, FORM_BOX, FORM_POLYHEDRON, FORM_BALLAST, FORM_CLUMP } FormKind;
typedef struct BoxForm {
    Vec3 size; // [m]
} BoxForm;
typedef struct FormVertex {
    Vec3 point; // [m]
} FormVertex;
typedef struct PolyhedronForm {
    FormVertex *vertices;
    int vertex_count;
    const char *file; // STL; NULL: by vertices
    double scale;     // metres per unit of the file [m]
} PolyhedronForm;
typedef struct BallastForm {
    int64_t vertices, forms, seed;
    double elongation, flatness; // longest over middle, middle over smallest width
} BallastForm;
typedef struct SphereOfClump {
    Vec3 center;   // [m]
    double radius; // [m]
} SphereOfClump;
typedef struct PartOfClump {
    FormKind kind; // a box or a polyhedron
    BoxForm box;
    PolyhedronForm polyhedron;
    Vec3 center; // where the origin of its axes is [m]
    Vec3 turn;   // rotation vector of its axes [rad]
} PartOfClump;
typedef struct ClumpForm {
    SphereOfClump *spheres;
    int sphere_count;
    PartOfClump *parts;
    int part_count;
} ClumpForm;
typedef struct FormsDefinition {
    FormKind kind;
    BoxForm box;
    PolyhedronForm polyhedron;
    BallastForm ballast;
    ClumpForm clump;
} FormsDefinition;

typedef enum StartOrientation { ORIENTATION_AUTO, ORIENTATION_PORT, ORIENTATION_RANDOM } StartOrientation;

typedef struct ParticlesDefinition {
    const char *name; // of the kind, where there are several; NULL: that of its material
    double radius;    // of all grains [m]; 0: by `sizes`, or in `bed`
    FormsDefinition form;
    StartOrientation orientation; // at the start
    const Shape *shapes;          // made of `form`, they take turns; NULL: all grains of the bed are spheres
    double *stretch;              // of each: radius over the one that is drawn; NULL: 1
    int shape_count;
    int first_shape; // row of the first one in the table of the bed (grains_shapes)
    bool turned;     // begin turned at random, else with the axes of the port
    SizesDefinition sizes;
    const BedData *bed;   // its grains alone, as a file has them (packing: file); NULL: none
    int64_t count;        // 0: follows from total_mass, filling or bed
    double total_mass;    // [kg], 0: not given
    double filling;       // volume of grains over volume of the room, 0: not given
    const char *material; // name
    Vec3 velocity;        // at the start, beyond that of the port [m/s]
} ParticlesDefinition;

typedef struct PackingDefinition {
    int kind;                // row of the table of packings (packing.h)
    double gap;              // between neighbours, and to the walls [m]
    int64_t seed;            // of the random packing, and of the start of settling
    const char *path;        // of the file, or of the folder of another run, as written
    const char *bed;         // of that run; NULL: the one of the same name
    Vec3 direction;          // of the fall when settling, port axes, unit; zero: that of gravity
    int64_t shakes;          // at most, when settling
    int64_t stages;          // portions in which the grains are poured when settling; 0, 1: all at once
    double limit;            // of the simulated time of settling [s]
    bool cache;              // keep settled beds for the next run
    RegionDefinition region; // in which grains are placed, port axes
    bool in_region;          // it is given
    double
        depth; // of the settled bed above the bottom of the room, beyond which grains are taken away [m]; 0: none
    const char **without; // walls that are not there while grains settle
    int without_count;
    double own[8]; // the struct of a packing that needs members of its own, in its file
} PackingDefinition;

// How a softer contact stiffness is sized for a shaken damper (doi:10.3390/pr10071247, 2.2).
typedef struct SizingDefinition {
    double speed;               // largest of the walls [m/s]
    double overlap;             // eta: allowed overlap over radius
    double beta;                // largest overlap over that of one grain hitting a wall at that speed
    double frequency;           // of the shaking [Hz]; 0: contact durations do not matter
    double contacts_per_period; // how many contacts a period must be able to hold
} SizingDefinition;

// How the contact problem of a step is solved, of rigid grains. Zero: the default.
typedef struct SolverDefinition {
    ContactMethod method;
    double tolerance;   // for the relative residual (contact/residual.h)
    int64_t iterations; // at most, of each method
    double limit;       // residual above which a step counts as unsolved
} SolverDefinition;

// Of liquid bridges (cohesion_capillary.c).
typedef struct LiquidDefinition {
    double surface_tension; // [N/m]
    double angle;           // of contact [rad]
    double volume;          // of each bridge [m^3]
} LiquidDefinition;

typedef struct ContactDefinition {
    // of the smooth method
    int normal, tangential, rolling, cohesion; // rows of the tables of laws (law.h)
    LiquidDefinition liquid;
    bool liquid_given;                  // the key is in the model file
    StiffnessSource source;             // of the linear stiffness
    bool stiffness_given, sizing_given; // these keys are in the model file
    bool tangential_given;              // likewise
    double stiffness;                   // normal, between grains [N/m]; 0: by `source`
    double wall_stiffness;   // normal, between grain and wall [N/m]; 0: as between grains, or by `source`
    double impact_speed;     // for the stiffness from the material [m/s]
    double tangential_ratio; // tangential over normal stiffness, linear law
    SizingDefinition sizing;
    double max_overlap; // fraction of the smaller radius at which the run is stopped; of all methods
    // of rigid grains; lengths and speeds that are 0 are worked out (nonsmooth.c)
    ContactLaw law;    // of the nonsmooth method
    bool law_given;    // this key is in the model file
    double theta;      // of the method nscd; 0: 1/2
    double activation; // gap below which a contact may act [m]
    double recovery;   // speed at which overlaps are undone, at most [m/s]
    double bounce;     // approach speed below which nothing bounces [m/s]
    SolverDefinition solver;
} ContactDefinition;

// Directions in which the bed repeats itself, as ranges along the axes of the world, from the port's origin at the start.
enum { PERIODIC_LEAST = 8 }; // length of a range, over the largest radius
typedef struct PeriodicDefinition {
    double x[2], y[2], z[2]; // [m]
    bool along_x, along_y, along_z;
} PeriodicDefinition;

typedef struct SpectraDefinition {
    int64_t per_decade; // classes
    bool given;         // they are kept
} SpectraDefinition;

typedef struct GrainsDefinition {
    const char *name;
    const char *port; // name; NULL: the ground
    int method;       // row of the table of methods (method.h)
    WallDefinition *walls;
    int wall_count;
    NamedRegion *regions; // in which the bed is measured, port axes
    int region_count;
    ParticlesDefinition particles; // of the first kind
    ParticlesDefinition *more;     // of the others
    int more_count;
    const BedData *bed; // grains of all kinds, read from a file (packing: file); NULL: none
    PackingDefinition packing;
    PeriodicDefinition periodic;
    SpectraDefinition spectra; // of impact energies
    ContactDefinition contact;
    bool contact_given; // the key is in the model file
    bool fed;           // an inlet feeds it: it may begin empty; by sim_resolve
    double tall;        // of a room with `clearance`: its height while the bed settles [m]; 0: as it is
    bool settling;      // belts stand still, and grains begin without `velocity`
} GrainsDefinition;

// All beds of a model.
typedef struct BedsDefinition {
    GrainsDefinition *grains;
    int count;
} BedsDefinition;

// The port that carries a wall part; NULL: the ground.
static inline const char *grains_wall_port(const GrainsDefinition *grains, int wall) {
    return grains->walls[wall].port ? grains->walls[wall].port : grains->port;
}

static inline bool grains_wall_is_belt(const GrainsDefinition *grains, int wall) {
    return vec3_norm2(grains->walls[wall].surface_velocity) > 0 && !grains->settling;
}

// The velocity of a wall's surface beyond that of its port, where its normal is `normal` (both in the port's axes): a
// surface moves along itself.
static inline Vec3 grains_surface_velocity(const GrainsDefinition *grains, int wall, Vec3 normal) {
    Vec3 v = grains->walls[wall].surface_velocity;
    return vec3_madd(v, -vec3_dot(v, normal), normal);
}

// ---- kinds of grains -----------------------------------------------------------------------------
static inline int grains_kind_count(const GrainsDefinition *grains) { return 1 + grains->more_count; }
static inline const ParticlesDefinition *grains_kind(const GrainsDefinition *grains, int kind) {
    return kind == 0 ? &grains->particles : &grains->more[kind - 1];
}
static inline const char *grains_kind_name(const GrainsDefinition *grains, int kind) {
    const ParticlesDefinition *p = grains_kind(grains, kind);
    return p->name ? p->name : p->material;
}
// The same bed with this kind alone.
static inline GrainsDefinition grains_of_kind(const GrainsDefinition *grains, int kind) {
    GrainsDefinition one = *grains;
    one.particles = *grains_kind(grains, kind);
    one.particles.first_shape = 0;
    one.more_count = 0;
    one.bed = one.particles.bed;
    return one;
}
// The table of shapes of a bed: those of its kinds, one kind after the other. It is empty if all grains are spheres; spheres
// among others have one row.
static inline const Shape *grains_shapes(const GrainsDefinition *grains) { return grains->particles.shapes; }
static inline int grains_shape_count(const GrainsDefinition *grains) {
    const ParticlesDefinition *last = grains_kind(grains, grains->more_count);
    return last->first_shape + last->shape_count;
}

// A bed as given in the model file: input of checks and descriptions before there are grains.
typedef struct GrainsModel {
    const GrainsDefinition *grains;
    const struct GrainsSetting *setting; // materials and their pairs; nothing else is known yet
    bool automatic_step;                 // the time step is left to the program
} GrainsModel;

#endif
