// Clumps for tests.
#ifndef TESTS_CLUMPS_H
#define TESTS_CLUMPS_H

#include "check.h"

#include "geometry/clump.h"

static inline ClumpPart clumps_sphere(Vec3 center, double radius) {
    return (ClumpPart){{SHAPE_SPHERE, radius, NULL}, center};
}

// A box about `center`, turned by a rotation vector.
static inline ClumpPart clumps_turned_box(Vec3 center, Vec3 size, Vec3 turn) {
    Vec3 points[8];
    Hull *hull = NULL;
    MrcError error = {0};
    Quaternion q = quaternion_from_rotation_vector(turn);
    for (int i = 0; i < 8; i++) {
        Vec3 corner =
            vec3((i & 1 ? 0.5 : -0.5) * size.x, (i & 2 ? 0.5 : -0.5) * size.y, (i & 4 ? 0.5 : -0.5) * size.z);
        points[i] = vec3_add(center, quaternion_rotate(q, corner));
    }
    if (hull_create(&hull, points, 8, "a box", &error)) fail_msg("%s", error.text);
    return (ClumpPart){{SHAPE_POLYHEDRON, hull->radius, hull}, hull->center};
}
static inline ClumpPart clumps_box(Vec3 center, Vec3 size) {
    return clumps_turned_box(center, size, vec3_zero());
}

static inline Clump *clumps_make(const ClumpPart *parts, int count) {
    Clump *clump = NULL;
    MrcError error = {0};
    if (clump_create(&clump, parts, count, "the clump", &error)) fail_msg("%s", error.text);
    return clump;
}

// As large as it was given.
static inline Shape clumps_shape(const Clump *clump) { return (Shape){SHAPE_CLUMP, clump->radius, clump}; }

#endif
