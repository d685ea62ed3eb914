// The grains' state: structure of arrays, one aligned block per quantity.
#ifndef GRAINS_STORE_H
#define GRAINS_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "base/archive.h"
#include "base/error.h"

typedef struct GrainStore {
    size_t count;
    double *x, *y, *z;    // centre, world axes [m]
    double *vx, *vy, *vz; // velocity [m/s]
    double *wx, *wy, *wz; // angular velocity [rad/s]
    double *fx, *fy, *fz; // force [N], by smooth_forces
    double *tx, *ty, *tz; // moment about the centre [N m], by smooth_forces
    double *sx, *sy, *sz; // the part of the force that is friction [N]
    double *dx, *dy, *dz; // the part of the force that is normal damping [N]
    double *radius;       // [m]
    double *mass;         // [kg]
    int64_t *id;          // as in files and messages, from 0
} GrainStore;

MrcStatus store_create(GrainStore *store, size_t count, MrcError *error);
void store_free(GrainStore *store);
void store_archive(GrainStore *store, Archive *archive); // what changes: positions and velocities

#endif
