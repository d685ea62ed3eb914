// Measures of the kinds of grains in one bed: how much of each there is, where it is, and how well they are mixed.
#ifndef GRAINS_KINDS_H
#define GRAINS_KINDS_H

#include "grains/grains.h"

typedef struct KindMeasure {
    double count, mass; // [kg]
    Vec3 center;        // of mass [m]; zero: there is none
} KindMeasure;

// Scratch for the mixing index.
typedef struct KindCells {
    ARRAY(double) counts; // of each cell and kind
} KindCells;
void kinds_free(KindCells *cells);

// One measure per kind; *mixing: the index of Lacey, 0 of kinds that are apart, 1 of a random mixture.
MrcStatus kinds_measure(Grains *grains, KindMeasure *kinds, KindCells *cells, double *mixing,
                        MrcError *error);

#endif
