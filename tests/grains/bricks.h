// Beds of boxes for tests of grains with faces.
#ifndef TESTS_GRAINS_BRICKS_H
#define TESTS_GRAINS_BRICKS_H

#include "bed.h"

#include "geometry/hull.h"
#include "grains/method.h"

typedef struct Bricks {
    Bed bed;
    Hull *hull;
    Shape shape;
} Bricks;

static inline Hull *bricks_hull(Vec3 size) {
    Vec3 points[8];
    Hull *hull = NULL;
    MrcError error = {0};
    for (int i = 0; i < 8; i++)
        points[i] =
            vec3((i & 1 ? 0.5 : -0.5) * size.x, (i & 2 ? 0.5 : -0.5) * size.y, (i & 4 ? 0.5 : -0.5) * size.z);
    if (hull_create(&hull, points, 8, "the brick", &error)) fail_msg("%s", error.text);
    return hull;
}

// `count` boxes of this size in a room of 20 m whose floor is at z = 0; to be changed, then bed_create.
static inline void bricks_default(Bricks *b, Vec3 size, int count) {
    b->bed = bed_default();
    b->hull = bricks_hull(size);
    b->shape = (Shape){.kind = SHAPE_POLYHEDRON, .radius = b->hull->radius, .form = b->hull};
    b->bed.definition.method = METHOD_NONSMOOTH;
    b->bed.definition.particles.shapes = &b->shape;
    b->bed.definition.particles.shape_count = 1;
    b->bed.definition.particles.radius = b->hull->radius;
    b->bed.definition.particles.count = count;
    b->bed.definition.contact.solver.tolerance = 1e-8;
    wall_set_vector(&b->bed.walls[0].shape, "size", vec3(20, 20, 20));
    wall_set_vector(&b->bed.walls[0].shape, "center", vec3(0, 0, 10));
    b->bed.gravity = vec3(0, 0, -9.81);
    b->bed.step = 1e-3;
    bed_set_coefficients(&b->bed, 0, 0.5, 0);
}

static inline void bricks_place(Bricks *b, size_t i, Vec3 position, Quaternion turn) {
    bed_place(&b->bed, i, position, vec3_zero(), vec3_zero());
    const double quad[QUAD] = {turn.w, turn.x, turn.y, turn.z};
    memcpy(b->bed.grains->orientation + i * QUAD, quad, sizeof quad);
}

static inline void bricks_destroy(Bricks *b) {
    bed_destroy(&b->bed);
    hull_destroy(b->hull);
}

#endif
