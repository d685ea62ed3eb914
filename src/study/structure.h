// The receptance of a structure at the attachment point of a damper: displacement per unit force, over frequency.
#ifndef STUDY_STRUCTURE_H
#define STUDY_STRUCTURE_H

#include <complex.h>

#include "maraca/maraca.h"

typedef struct Structure Structure;

// A model file (its mechanism, without grains): `at` and `force_at` are NODE.x, NODE.y or NODE.z. A file *.csv with
// columns f[Hz], damping[1], mass[kg] has modes: damping ratios, and modal masses when the attachment point moves by one;
// with columns f[Hz], real[m/N], imaginary[m/N] the receptance of the attachment point, where the force acts, too.
MrcStatus structure_open(const char *path, const char *at, const char *force_at, const char *const *overrides,
                         int override_count, Structure **structure, MrcError *error);
void structure_free(Structure *structure);

typedef struct Receptance { // [m/N]
    double complex own;     // displacement of the attachment point by a force there
    double complex force;   // ... by the force that excites
    double complex rough;   // `own` by every second line of a table; without a table, `own` itself
} Receptance;
MrcStatus structure_receptance(const Structure *structure, double frequency, Receptance *receptance,
                               MrcError *error);

// The frequencies of a table of receptances; NULL: it is none.
const double *structure_frequencies(const Structure *structure, int *count);

#endif
