// Methods of moving grains: one row of functions each, in the table of grains.c. Adding a method is one file
// with these functions, and one row.
#ifndef GRAINS_METHOD_H
#define GRAINS_METHOD_H

#include "grains/grains.h"

typedef struct GrainsMethod {
    // The grains are in their places and move with their port: `store`, `position` and `motion` are filled.
    MrcStatus (*create)(Grains *grains, const GrainsSetting *setting, MrcError *error);
    void (*destroy)(Grains *grains); // what create made; also after create has failed
    MrcStatus (*advance)(Grains *grains, const Motion *walls, Load *loads, MrcError *error);
    // Contacts, loads on the wall parts, and energies since the start. What follows from places and
    // velocities alone is added by grains_measure. *lag: by how much of a step velocities lag behind places.
    MrcStatus (*measure)(Grains *grains, const Motion *walls, Load *loads, GrainsMeasure *measure,
                         double *lag, MrcError *error);
    void (*archive)(Grains *grains, Archive *archive); // what is not common to all methods
    void (*count)(const Grains *grains, GrainsCounts *counts);
    double (*critical_step)(const Grains *grains); // [s]
} GrainsMethod;

extern const GrainsMethod method_smooth, method_nonsmooth;

#endif
