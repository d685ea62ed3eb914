// Contact laws work on batches: structure-of-arrays slices of touching pairs, small enough for the first
// cache. The engine fills in the geometry, then calls one normal, one tangential and one rolling law on the
// batch.
//
// A law is one file, law_NAME.c (normal), friction_NAME.c (tangential), rolling_NAME.c or cohesion_NAME.c, and one row
// in the tables below. The file has all there is about it: forces, parameters, word in the model file, checks,
// description and what it needs of the time step.
#ifndef GRAINS_LAW_H
#define GRAINS_LAW_H

#include <stdint.h>

#include "base/error.h"
#include "geometry/material.h"
#include "grains/definition.h"
#include "math/simd.h"
#include "schema/findings.h"
#include "schema/schema.h"

struct Text;
struct GrainsSetting;

// ---- the tables: one row per law -----------------------------------------------------------------
#define NORMAL_LAWS(ROW)                                                                                     \
    ROW(NORMAL_LINEAR, linear)                                                                               \
    ROW(NORMAL_HERTZ, hertz)                                                                                 \
    ROW(NORMAL_VISCOELASTIC, viscoelastic)

#define TANGENTIAL_LAWS(ROW)                                                                                 \
    ROW(TANGENTIAL_NONE, none)                                                                               \
    ROW(TANGENTIAL_DIRECTIONAL, directional)                                                                 \
    ROW(TANGENTIAL_ELASTIC, elastic)                                                                         \
    ROW(TANGENTIAL_MINDLIN, mindlin)

#define ROLLING_LAWS(ROW)                                                                                    \
    ROW(ROLLING_NONE, none)                                                                                  \
    ROW(ROLLING_CONSTANT, constant)                                                                          \
    ROW(ROLLING_SPRING, spring)

#define COHESION_LAWS(ROW)                                                                                   \
    ROW(COHESION_NONE, none)                                                                                 \
    ROW(COHESION_CONSTANT, constant)                                                                         \
    ROW(COHESION_DMT, dmt)                                                                                   \
    ROW(COHESION_JKR, jkr)                                                                                   \
    ROW(COHESION_CAPILLARY, capillary)

// Rows, as definitions of contacts hold them.
#define LAW_NUMBER(number, name) number,
typedef enum NormalLaw { NORMAL_LAWS(LAW_NUMBER) NORMAL_LAW_COUNT } NormalLaw;
typedef enum TangentialLaw { TANGENTIAL_LAWS(LAW_NUMBER) TANGENTIAL_LAW_COUNT } TangentialLaw;
typedef enum RollingLaw { ROLLING_LAWS(LAW_NUMBER) ROLLING_LAW_COUNT } RollingLaw;
typedef enum CohesionLaw { COHESION_LAWS(LAW_NUMBER) COHESION_LAW_COUNT } CohesionLaw;
#undef LAW_NUMBER

// ---- batches -------------------------------------------------------------------------------------

enum { BATCH = 128 }; // contacts; a multiple of every SIMD width

// Parameters of a pair of materials. Which of them a law reads, and in which unit, is said in its file.
typedef enum LawParameter {
    LAW_STIFFNESS,          // normal
    LAW_RESTITUTION,        // prescribed
    LAW_DAMPING,            // normal: what gives that restitution
    LAW_FRICTION,           // Coulomb coefficient
    LAW_TANGENTIAL,         // tangential stiffness
    LAW_TANGENTIAL_DAMPING, // dimensionless
    LAW_ROLLING_FRICTION,   // rolling coefficient
    LAW_COHESION,           // by the law of cohesion
    LAW_COHESION_SECOND,    // likewise
    LAW_COHESION_ANGLE,     // likewise [rad]
    LAW_PARAMETER_COUNT
} LawParameter;

typedef struct LawTable {
    double *values[LAW_PARAMETER_COUNT]; // one value per pair of materials (count)
    int count;
    bool damped;  // some pair has normal damping
    bool coheres; // some pair has cohesion
    bool rubbing; // some pair has friction
} LawTable;

typedef struct ContactBatch {
    int count;      // of contacts
    int single;     // row of the law table of all contacts; -1: each has its own
    bool alike;     // all have that row, the same mass and the same radius
    double step;    // h [s]
    bool measuring; // tangential energies are wanted
    // geometry, by the engine
    _Alignas(64) double nx[BATCH];
    double ny[BATCH], nz[BATCH]; // unit normal, from the other body into grain i
    double overlap[BATCH];       // s [m]
    double gap[BATCH];           // distance of the surfaces, while cohesion holds [m]; cohesion only
    double approach[BATCH];      // -v.n, speed at which the overlap grows [m/s]
    double tx[BATCH], ty[BATCH], tz[BATCH]; // sliding velocity of i against the other body [m/s]
    double wx[BATCH], wy[BATCH],
        wz[BATCH];         // angular velocity of i against the other [rad/s]; rolling laws only
    double mass[BATCH];    // effective mass m [kg]
    double radius[BATCH];  // effective radius R [m]
    double inertia[BATCH]; // effective moment of inertia [kg m^2]; rolling laws only
    int32_t law[BATCH];    // row of the law table, when `single` is negative
    // memory of the contact, read and written by the laws
    double ux[BATCH], uy[BATCH], uz[BATCH]; // tangential spring [m]
    double rx[BATCH], ry[BATCH], rz[BATCH]; // rolling spring [rad]
    // results of the normal law
    double normal[BATCH];    // f_n >= 0 [N]
    double spring[BATCH];    // its elastic part, as recorded in the ledger [N]
    double energy[BATCH];    // stored in the spring [J]
    double stiffness[BATCH]; // d spring / d s [N/m]
    double contact[BATCH];   // radius of the contact area [m]; Hertz only
    // results of the law of cohesion
    double pull[BATCH];        // force that attracts [N]
    double pull_energy[BATCH]; // stored in it since the bodies touched first [J]
    // results of the tangential law: force on grain i [N]
    double fx[BATCH], fy[BATCH], fz[BATCH];
    // results of the rolling law: moment on grain i [N m]
    double mx[BATCH], my[BATCH], mz[BATCH];
    double tangent[BATCH];           // k of a tangential force -k u: laws with memory, without damping
    double tangential_energy[BATCH]; // stored in the tangential spring [J], by the tangential law
    double rolling_energy[BATCH];    // stored in the rolling spring [J], by the rolling law
} ContactBatch;

typedef void (*LawFunction)(ContactBatch *batch, const LawTable *table);

// ---- rows ----------------------------------------------------------------------------------------
// Two materials that meet in a bed.
typedef struct LawPair {
    const GrainsDefinition *grains;
    const Material *grain, *other;
    bool wall; // the other is a wall
} LawPair;

// An impact without damping.
typedef struct LawImpact {
    double duration;  // [s]
    double overlap;   // largest [m]
    double stiffness; // largest [N/m]
} LawImpact;

typedef struct NormalLawType {
    SchemaChoice choice;
    const char *contacts; // what contacts with this law are called in messages: "Hertz"
    LawFunction forces;
    // Stiffness follows from the materials' `young` and grows with the overlap; the radius of the contact area is
    // filled in for tangential laws.
    bool elastic_bodies;
    bool (*needs_speed)(const ContactDefinition *contact);         // does it need the speed of impact?
    double (*stiffness)(const LawPair *pair);                      // LAW_STIFFNESS
    double (*damping)(double restitution);                         // dimensionless
    double (*restitution)(double damping);                         // its inverse
    double (*damping_unit)(const LawPair *pair, double stiffness); // LAW_DAMPING over that; NULL: 1
    // At this speed, with the effective mass and radius and LAW_STIFFNESS.
    LawImpact (*impact)(double mass, double radius, double stiffness, double speed);
    double (*steps_per_contact)(double restitution); // for rebound speeds within 0.1 %
    double (*rest_stiffness)(const LawPair *pair, double radius, double force); // under a force at rest [N/m]
    void (*check)(const GrainsModel *model, const Findings *findings);
    // "a linear spring of 10 kN/m"; `wall`: the material of the first wall
    void (*describe)(const GrainsModel *model, const Material *grain, const Material *wall,
                     struct Text *text);
} NormalLawType;

typedef enum LawNormalKind { LAW_ANY_NORMAL, LAW_CONSTANT_STIFFNESS, LAW_ELASTIC_BODIES } LawNormalKind;

typedef struct TangentialLawType {
    SchemaChoice choice;
    const char *words;       // "elastic friction"
    LawFunction forces;      // NULL: none
    LawNormalKind goes_with; // which normal laws
    bool spring;             // the force is -k u while there is no damping
    bool creeps;             // without memory: heaps creep under it, and so do not settle
    double (*stiffness)(const LawPair *pair, double normal); // LAW_TANGENTIAL; NULL: not used
    double (*shortening)(const ContactDefinition *contact);  // of the shortest contact by its spring; NULL: 1
} TangentialLawType;

typedef struct RollingLawType {
    SchemaChoice choice;
    const char *words;  // after "rolling friction": "(with a spring) "
    LawFunction forces; // NULL: none
} RollingLawType;

// Parameters of a law of cohesion: LAW_COHESION, LAW_COHESION_SECOND, LAW_COHESION_ANGLE.
typedef struct LawCohesion {
    double first, second, angle;
} LawCohesion;

struct LawCoefficients;
// Acts after the other laws, so that friction is that of the force with which the surfaces are pressed together.
typedef struct CohesionLawType {
    SchemaChoice choice;
    const char *words;  // after "cohesion ": "by liquid bridges"
    LawFunction forces; // NULL: none
    LawCohesion (*values)(const LawPair *pair, const struct LawCoefficients *coefficients);
    double (*range)(LawCohesion value, double radius); // gap at which it breaks [m]; NULL: 0
    bool by_adhesion, by_liquid;                       // which keys it needs
    bool needs_hertz;
} CohesionLawType;

#define LAW_DECLARE_NORMAL(number, name) extern const NormalLawType normal_law_##name;
#define LAW_DECLARE_TANGENTIAL(number, name) extern const TangentialLawType tangential_law_##name;
#define LAW_DECLARE_ROLLING(number, name) extern const RollingLawType rolling_law_##name;
NORMAL_LAWS(LAW_DECLARE_NORMAL)
TANGENTIAL_LAWS(LAW_DECLARE_TANGENTIAL)
ROLLING_LAWS(LAW_DECLARE_ROLLING)
#define LAW_DECLARE_COHESION(number, name) extern const CohesionLawType cohesion_law_##name;
COHESION_LAWS(LAW_DECLARE_COHESION)

const NormalLawType *law_normal(int row);
const TangentialLawType *law_tangential(int row);
const RollingLawType *law_rolling(int row);
const CohesionLawType *law_cohesion(int row);
extern const SchemaChoice *const cohesion_law_choices[];
extern const SchemaChoice *const normal_law_choices[], *const tangential_law_choices[],
                                                           *const rolling_law_choices[];

// The tangential law to use with this normal law: `tangential` or, if the two do not go together, its counterpart.
int law_tangential_beside(int normal, int tangential);
// The tangential law that a bed with these laws settles by: one with memory.
int law_tangential_settling(int normal, int tangential);

// Do the laws of the model go together, and do materials and keys have what they need?
void laws_check(const GrainsModel *model, const Findings *findings);

// ---- laws at work --------------------------------------------------------------------------------
typedef struct ContactLaws {
    LawFunction normal, tangential, rolling; // tangential and rolling may be NULL
    const CohesionLawType *cohesion;         // NULL: none
    bool along_spring;                       // the tangential force is -k u
    bool elastic_bodies;                     // as in the row of the normal law
    LawTable table;
} ContactLaws;

// Rows of the table: grain against grain for materials a, b at a * M + b; grain of material a against wall part w at
// M * M + w * M + a, M = material_count.
MrcStatus laws_create(ContactLaws *laws, const GrainsDefinition *definition,
                      const struct GrainsSetting *setting, MrcError *error);
void laws_free(ContactLaws *laws);
// The gap at which the contact of two materials breaks, by the row of their table; 0 without cohesion.
double laws_range(const ContactLaws *laws, int row, double radius);
double laws_longest_range(const ContactLaws *laws, double radius);

// Coefficients of two materials against each other: those of their pair, or the smaller ones of the two.
typedef struct LawCoefficients {
    double friction, restitution, rolling_friction, spinning_friction;
    double cohesion; // [N]
    double adhesion; // [J/m^2]
} LawCoefficients;
LawCoefficients law_coefficients(const struct GrainsSetting *setting, const Material *a, const Material *b);
// The smallest restitution of springs and dashpots: e = 0 would need unbounded damping, which no step resolves. 1e-4 of
// the energy of an impact is left.
static const double law_least_restitution = 0.01;
void law_describe_coefficient(struct Text *text, double between, double at_wall); // "0.3 (0.5 at walls)"

// ---- for writing laws ----------------------------------------------------------------------------
static inline Wide law_parameter(const LawTable *table, LawParameter parameter, const ContactBatch *b,
                                 int k) {
    const double *values = table->values[parameter];
    return b->single >= 0 ? wide_set(values[b->single]) : wide_gather(values, wide_index_load(b->law + k));
}

// At the beginning of a contact the overlap changes so much within a step that a damping that depends on it needs its
// mean over the kick. The overlap grows there from `from` to `to` times its value in the middle; `ratio` is the
// difference of the two.
typedef struct LawGrowth {
    Wide ratio, from, to;
    WideMask early; // where that matters: the overlap grows by more than a twentieth of itself
} LawGrowth;

// False: it matters nowhere, and *out is left as it is.
static inline bool law_growth(Wide overlap, Wide approach, Wide step, LawGrowth *out) {
    Wide way = approach * step, one = wide_set(1), half = wide_set(0.5), zero = wide_set(0);
    WideMask early = wide_less(wide_set(0.05) * overlap, way);
    if (!wide_mask_any(early)) return false;
    Wide ratio = way / wide_max(overlap, wide_set(1e-6) * way);
    Wide from = wide_select(wide_less_equal(one, ratio), zero, wide_max(one - half * ratio, zero));
    *out = (LawGrowth){ratio, from, one + half * wide_max(ratio, zero), early};
    return true;
}

// The part of a force that the ledger counts as that of the spring, in a damped contact. Between the first and
// the last step of a contact it is the force of the spring. But the first force acts over the whole way since the
// last kick, part of which was without contact, and the last one before a way on which the contact ends, which is
// not recorded any more. With the ways w1 and w2 before and after the kick and the energy E of the spring, the
// sum is right with
//
//     first (s < w1):    (2 E + spring w2)/(w1 + w2)
//     last (s < -w2):    spring + (2 E + force w2)/|w1|
//
// Without it, the ledger misses some (omega h)^2/6 of the energy of each impact: 0.8 % of all energy in a
// shaken bed at 20 steps per contact and e = 0.8. (The speeds before and after are right, only the
// recorded loss was wrong. Contacts without damping gain at their end what they lose at their start and need none of
// this.)
static inline Wide law_ledger_spring(Wide overlap, Wide approach, Wide step, Wide mass, Wide spring,
                                     Wide energy, Wide force) {
    Wide zero = wide_set(0), before = approach * step, after_mass = before * mass - step * step * force;
    WideMask first = wide_less(overlap, before);
    WideMask last = wide_mask_and(wide_less(overlap * mass, zero - after_mass), wide_less(before, zero));
    if (!wide_mask_any(wide_mask_or(first, last))) return spring; // as a rule
    Wide after = after_mass / mass, twice = energy + energy;
    Wide recorded = wide_select(first, (twice + spring * after) / (before + after), spring);
    return wide_select(last, spring - (twice + force * after) / before, recorded);
}

// The rebound speed of a collision in dimensionless form: x'' = -force(x, x', damping) from x = 0, x' = 1, until the
// force ends.
double law_collide(double (*force)(double overlap, double approach, double damping), double damping);
// The damping that gives a restitution, `restitution` falling with it; at most 2 `most`, found by `halvings`.
double law_find_damping(double (*restitution)(double damping), double wanted, double most, int halvings);
// For laws of elastic bodies: the materials have `young`, and no stiffness is given.
void law_check_elastic_bodies(const GrainsModel *model, const Findings *findings);
// Every material of the bed has `young`, which `why` needs.
void law_check_young(const GrainsModel *model, const char *why, const Findings *findings);

#endif
