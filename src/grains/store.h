// The grains' state: structure of arrays, one aligned block per quantity. Grains are kept sorted by place
// (neighbours.c); `id` says who they are.
#ifndef GRAINS_STORE_H
#define GRAINS_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "base/archive.h"
#include "base/error.h"

typedef struct GrainStore {
    size_t count;
    double *x, *y, *z;    // centre, world axes [m]
    double *vx, *vy, *vz; // velocity [m/s]; NULL in the engine, which keeps it in lines (engine.h)
    double *wx, *wy, *wz; // angular velocity [rad/s]; likewise
    double *radius;       // [m]
    double *inverse_mass; // [1/kg]; likewise
    int32_t *material;    // index
    int32_t *id;          // as in files and messages, from 0
} GrainStore;

MrcStatus store_create(GrainStore *store, size_t count, MrcError *error);
void store_free(GrainStore *store);
void store_archive(GrainStore *store, Archive *archive);

// Reorders all arrays: grain k becomes the one that was order[k]. `scratch` holds `count` doubles.
void store_permute(GrainStore *store, const int32_t *order, double *scratch);

#endif
