// Sizes of grains: one value, classes, a sieve curve or a distribution, all as one table of bins.
#ifndef GRAINS_GRAIN_SIZES_H
#define GRAINS_GRAIN_SIZES_H

#include "base/error.h"
#include "base/memory.h"
#include "grains/definition.h"

// Radii between `low` and `high`, all equally frequent; low = high: one radius.
typedef struct SizeBin {
    double low, high; // [m]
    double share;     // by number: of this bin and all before it, 1 for the last
} SizeBin;

typedef struct SizeTable {
    ARRAY(SizeBin) bins; // from small to large, except classes: as given
} SizeTable;

MrcStatus grain_sizes_create(SizeTable *table, const ParticlesDefinition *particles, MrcError *error);
void grain_sizes_free(SizeTable *table);

double grain_sizes_at(const SizeTable *table,
                      double share); // the radius at a share by number, 0 <= share < 1
double grain_sizes_moment(const SizeTable *table, int power); // mean over grains of radius^power, power <= 3
void grain_sizes_range(const SizeTable *table, double *least, double *largest); // [m]

double grain_sizes_mean_radius(
    const ParticlesDefinition *particles); // over the number of grains [m]; NAN: not known
double grain_sizes_least_radius(const ParticlesDefinition *particles); // [m]; likewise

// Is any distribution of radii given?
bool grain_sizes_are_given(const SizesDefinition *sizes);

// Do all grains have the same radius?
bool grain_sizes_are_equal(const ParticlesDefinition *particles);

// The bounds of a distribution, given or not. 0 or less: there is none that makes sense.
void grain_sizes_bounds(const SizesDefinition *sizes, double *from, double *to);

// `count` radii or, when it is 0, as many as come nearest to `volume` in all. Shares are met as closely as
// the number of grains allows, whatever the seed.
typedef ARRAY(double) RadiusList;
MrcStatus grain_sizes_draw(const ParticlesDefinition *particles, size_t count, double volume,
                           RadiusList *radii, MrcError *error);

static inline double sphere_volume(double radius) {
    return 4.0 / 3.0 * 3.14159265358979323846 * radius * radius * radius;
}

#endif
