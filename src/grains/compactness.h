// How dense a bed is in a part of its room: `regions` of grains.
#ifndef GRAINS_COMPACTNESS_H
#define GRAINS_COMPACTNESS_H

#include "grains/grains.h"

enum { COMPACTNESS_POINTS = 48 }; // along each axis of the box around a region
enum { COMPACTNESS_CELLS = COMPACTNESS_POINTS * COMPACTNESS_POINTS * COMPACTNESS_POINTS };

typedef struct RegionMeasure {
    double compactness; // share of the region that is inside grains
    double count;       // grains whose centre is in it
} RegionMeasure;

// `cells`: COMPACTNESS_CELLS bytes of scratch.
RegionMeasure compactness_measure(Grains *grains, const Motion *port, const RegionDefinition *region,
                                  unsigned char *cells);

#endif
