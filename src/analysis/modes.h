// Modes of the linearised equations  M u'' + C u' + K u + G^T mu = 0,  G u = 0:  u = shape exp(lambda t).
#ifndef ANALYSIS_MODES_H
#define ANALYSIS_MODES_H

#include <complex.h>

#include "base/memory.h"
#include "mechanism/linearize.h"

typedef enum ModeKind {
    MODE_VIBRATION, // a pair of complex lambda, or of imaginary ones
    MODE_RIGID,     // lambda = 0: the mechanism is free to move so
    MODE_REAL,      // real lambda: creeps back, or, when positive, moves away
} ModeKind;

typedef struct Mode {
    ModeKind kind;
    double _Complex lambda; // of a pair the one with the positive imaginary part [1/s]
    double _Complex *shape; // of all freedoms; largest displacement 1, in phase where it is largest
} Mode;

typedef struct ModeList {
    ARRAY(Mode) modes; // by |lambda|, rigid ones first
    bool dense;        // all of them were computed
} ModeList;

// The `count` modes of lowest |lambda|. `length` weighs rotations against displacements [m].
MrcStatus modes_find(const MechanismLinear *linear, int count, double length, ModeList *list,
                     MrcError *error);
void modes_free(ModeList *list);

// ---- shared by its files -------------------------------------------------------------------------
enum { MODES_DENSE_MAX = 240 }; // freedoms up to which all modes are computed, which takes no longer then

// Adds a mode with a copy of the shape, unless it is the second of a pair.
bool modes_add(ModeList *list, const MechanismLinear *linear, double _Complex lambda,
               const double _Complex *shape);
double modes_highest(const MechanismLinear *linear); // an estimate of the largest |lambda| [1/s]
MrcStatus modes_dense(const MechanismLinear *linear, ModeList *list, MrcError *error); // all of them
MrcStatus modes_sparse(const MechanismLinear *linear, int count, ModeList *list, MrcError *error);

#endif
