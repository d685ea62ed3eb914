// A scheme with its settings, and its step of the two-mass oscillator.
#ifndef TESTS_COUPLING_SCHEME_MAP_H
#define TESTS_COUPLING_SCHEME_MAP_H

#include "coupling/stability.h"

typedef struct SchemeMap {
    const SchemeType *scheme;
    bool jacobi;
    int extrapolation;
    bool original;
    Real alpha, beta, gamma_;
} SchemeMap;

static inline SchemeSettings map_settings(const SchemeMap *map) {
    return (SchemeSettings){map->jacobi, map->extrapolation, map->original,
                            map->alpha,  map->beta,          map->gamma_};
}
static inline double map_radius(const SchemeMap *map, const TwoMassParameters *parameters) {
    SchemeSettings settings = map_settings(map);
    return stability_radius(map->scheme, &settings, parameters);
}
static inline void map_step(const SchemeMap *map, const TwoMass *system, TwoMassState *state) {
    SchemeSettings settings = map_settings(map);
    map->scheme->recurrence(&settings, system, state);
}

#endif
