// The store of grains: structure of arrays, one aligned block per quantity. Methods keep the grains sorted by place
// (neighbours.c); `id` identifies them.
#ifndef GRAINS_STORE_H
#define GRAINS_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "base/archive.h"
#include "base/error.h"
#include "geometry/shape.h"

typedef struct GrainStore {
    size_t count, capacity;
    double *x, *y, *z;         // centre, world axes [m]
    double *vx, *vy, *vz;      // velocity [m/s]; NULL in the engine, which keeps it in lines (engine.h)
    double *wx, *wy, *wz;      // angular velocity [rad/s]; likewise
    double *qw, *qx, *qy, *qz; // orientation, own axes to world axes; NULL: not kept, or as for velocities
    double *radius;            // [m]
    double *inverse_mass;      // [1/kg]; likewise
    const Shape *shapes;       // the forms that its grains have, with any radius
    int32_t *shape;            // of each grain: index in shapes
    int32_t *material;         // index
    int32_t *id;               // as in files and messages, from 0; never that of a grain that has left
    int32_t *kind;             // index; NULL: the bed has one kind only
    double *born;              // when it came into the bed [s]; NULL: not kept
    int32_t *marks;            // bits that meters set (flow.h); NULL: not kept
} GrainStore;

MrcStatus store_create(GrainStore *store, size_t count, MrcError *error);
MrcStatus store_add_orientation(GrainStore *store, MrcError *error);
void store_drop_orientation(GrainStore *store); // methods keep it elsewhere
MrcStatus store_add_kinds(GrainStore *store, MrcError *error);
MrcStatus store_add_history(GrainStore *store, MrcError *error); // born and marks
// Room for `count` grains; what there is stays. It grows by doubling.
MrcStatus store_reserve(GrainStore *store, size_t count, MrcError *error);
// Grain i becomes grain place[i] <= i; those with a place of -1 leave. The number of grains is set by the caller.
void store_compact(GrainStore *store, const int32_t *place);
void store_free(GrainStore *store);
void store_archive(GrainStore *store, Archive *archive);

// Reorders all arrays: grain k becomes the one that was order[k]. `scratch` holds `count` doubles.
void store_permute(GrainStore *store, const int32_t *order, double *scratch);

// Takes out all grains but those of these indices, which increase.
void store_keep(GrainStore *store, const int32_t *kept, size_t count);

Mat3 store_inertia(const GrainStore *store, size_t i); // about the centre of mass, world axes [kg m^2]

static inline Shape store_shape(const GrainStore *store, size_t i) {
    Shape shape = store->shapes[store->shape[i]];
    shape.radius = store->radius[i];
    return shape;
}
// How far the grain reaches from its centre along a unit vector of the world [m].
static inline double store_reach(const GrainStore *store, size_t i, Vec3 along) {
    Shape shape = store_shape(store, i);
    if (store->qw)
        along =
            quaternion_unrotate((Quaternion){store->qw[i], store->qx[i], store->qy[i], store->qz[i]}, along);
    return shape_reach(&shape, along);
}

// Kinetic energy of its turning [J].
static inline double store_spin_energy(const GrainStore *store, size_t i, double mass, Quaternion orientation,
                                       Vec3 spin) {
    Shape shape = store_shape(store, i);
    if (shape.kind == SHAPE_SPHERE) return 0.2 * mass * shape.radius * shape.radius * vec3_norm2(spin);
    Vec3 own = quaternion_unrotate(orientation, spin);
    return 0.5 * vec3_dot(own, mat3_apply(shape_inertia(&shape, mass), own));
}

#endif
