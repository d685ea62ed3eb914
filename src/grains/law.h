// Contact laws work on batches: structure-of-arrays slices of touching pairs, small enough for the first
// cache. The engine fills in the geometry, then calls one normal, one tangential and one rolling law on the
// batch.
//
// Adding a law is one file law_NAME.c, friction_NAME.c or rolling_NAME.c with one function, and one row in
// law.c.
#ifndef GRAINS_LAW_H
#define GRAINS_LAW_H

#include <stdint.h>

#include "base/error.h"
#include "geometry/material.h"
#include "grains/definition.h"
#include "math/simd.h"

enum { BATCH = 128 }; // contacts; a multiple of every SIMD width

// Parameters of a pair of materials. Which of them a law reads, and in which unit, is said in its file.
typedef enum LawParameter {
    LAW_STIFFNESS,          // normal
    LAW_DAMPING,            // normal, dimensionless
    LAW_FRICTION,           // Coulomb coefficient
    LAW_TANGENTIAL,         // tangential stiffness
    LAW_TANGENTIAL_DAMPING, // dimensionless
    LAW_ROLLING_FRICTION,   // rolling coefficient
    LAW_PARAMETER_COUNT
} LawParameter;

typedef struct LawTable {
    double *values[LAW_PARAMETER_COUNT]; // one value per pair of materials (count)
    int count;
    bool damped;  // some pair has normal damping
    bool rubbing; // some pair has friction
} LawTable;

typedef struct ContactBatch {
    int count;   // of contacts
    double step; // h [s]
    // geometry, by the engine
    _Alignas(64) double nx[BATCH];
    double ny[BATCH], nz[BATCH];            // unit normal, from the other body into grain i
    double overlap[BATCH];                  // s [m]
    double approach[BATCH];                 // -v.n, speed at which the overlap grows [m/s]
    double tx[BATCH], ty[BATCH], tz[BATCH]; // sliding velocity of i against the other body [m/s]
    double wx[BATCH], wy[BATCH],
        wz[BATCH];         // angular velocity of i against the other [rad/s]; rolling laws only
    double mass[BATCH];    // effective mass m [kg]
    double radius[BATCH];  // effective radius R [m]
    double inertia[BATCH]; // effective moment of inertia [kg m^2]; rolling laws only
    int32_t law[BATCH];    // row of the law table
    // memory of the contact, read and written by the laws
    double ux[BATCH], uy[BATCH], uz[BATCH]; // tangential spring [m]
    double rx[BATCH], ry[BATCH], rz[BATCH]; // rolling spring [rad]
    // results of the normal law
    double normal[BATCH];    // f_n >= 0 [N]
    double spring[BATCH];    // its elastic part [N]
    double energy[BATCH];    // stored in the spring [J]
    double stiffness[BATCH]; // d spring / d s [N/m]
    double contact[BATCH];   // radius of the contact area [m]; Hertz only
    // results of the tangential law: force on grain i [N]
    double fx[BATCH], fy[BATCH], fz[BATCH];
    // results of the rolling law: moment on grain i [N m]
    double mx[BATCH], my[BATCH], mz[BATCH];
    double tangential_energy[BATCH]; // stored in the tangential and rolling springs [J]
} ContactBatch;

typedef void (*LawFunction)(ContactBatch *batch, const LawTable *table);

typedef struct ContactLaws {
    LawFunction normal, tangential, rolling; // tangential and rolling may be NULL
    LawTable table;
} ContactLaws;

// Rows: grain against grain for materials a, b at a * M + b; grain of material a against wall part w at
// M * M + w * M + a, M = material_count.
struct GrainsSetting;
MrcStatus laws_create(ContactLaws *laws, const GrainsDefinition *definition,
                      const struct GrainsSetting *setting, MrcError *error);
void laws_free(ContactLaws *laws);

// ---- for writing laws ----------------------------------------------------------------------------
static inline Wide law_parameter(const LawTable *table, LawParameter parameter, const int32_t *rows) {
    const double *values = table->values[parameter];
    return table->count == 1 ? wide_set(values[0]) : wide_gather(values, wide_index_load(rows));
}

// ---- the laws ------------------------------------------------------------------------------------
void law_linear(ContactBatch *batch, const LawTable *table);
void law_hertz(ContactBatch *batch, const LawTable *table);
void friction_directional(ContactBatch *batch, const LawTable *table);
void friction_elastic(ContactBatch *batch, const LawTable *table);
void friction_mindlin(ContactBatch *batch, const LawTable *table);
void rolling_constant(ContactBatch *batch, const LawTable *table);
void rolling_spring(ContactBatch *batch, const LawTable *table);

double linear_restitution(double damping_ratio); // e of a damping ratio
double linear_damping_ratio(double restitution); // its inverse
double hertz_restitution(double damping);        // e of the damping parameter alpha
double hertz_damping(double restitution);        // its inverse

#endif
