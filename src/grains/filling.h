// How a room is filled: where the bed ends, how much of the room it takes, how dense it is.
#ifndef GRAINS_FILLING_H
#define GRAINS_FILLING_H

#include "grains/grains.h"

typedef struct BedFilling {
    double top, bottom; // highest and lowest point of all grains, against gravity from the world's origin [m]
    double height;      // between them [m]
    double filling;     // volume of the grains over that of the room; 0: the room has no end
} BedFilling;

BedFilling filling_of_bed(Grains *grains);

// Share of the room that grains do not take, in the middle of the bed; NAN: there are too few. Takes some milliseconds.
double filling_porosity(Grains *grains, const Motion *walls);

#endif
