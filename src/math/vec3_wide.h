// Three-vectors, one per lane (simd.h); what vec3.h does with one of them.
#ifndef MATH_VEC3_WIDE_H
#define MATH_VEC3_WIDE_H

#include "math/mat3.h"
#include "math/simd.h"

typedef struct Vec3Wide {
    Wide x, y, z;
} Vec3Wide;

static inline Vec3Wide vec3_wide_set(Vec3 a) { // the same in all lanes
    return (Vec3Wide){wide_set(a.x), wide_set(a.y), wide_set(a.z)};
}
static inline Vec3Wide vec3_wide_add(Vec3Wide a, Vec3Wide b) {
    return (Vec3Wide){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline Vec3Wide vec3_wide_sub(Vec3Wide a, Vec3Wide b) {
    return (Vec3Wide){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline Vec3Wide vec3_wide_scale(Wide s, Vec3Wide a) { return (Vec3Wide){s * a.x, s * a.y, s * a.z}; }
static inline Vec3Wide vec3_wide_madd(Vec3Wide a, Wide s, Vec3Wide b) { // a + s b
    return (Vec3Wide){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline Wide vec3_wide_dot(Vec3Wide a, Vec3Wide b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline Vec3Wide vec3_wide_cross(Vec3Wide a, Vec3Wide b) {
    return (Vec3Wide){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline Vec3Wide mat3_apply_wide(const Mat3 *m, Vec3Wide a) {
    return (Vec3Wide){wide_set(m->m[0][0]) * a.x + wide_set(m->m[0][1]) * a.y + wide_set(m->m[0][2]) * a.z,
                      wide_set(m->m[1][0]) * a.x + wide_set(m->m[1][1]) * a.y + wide_set(m->m[1][2]) * a.z,
                      wide_set(m->m[2][0]) * a.x + wide_set(m->m[2][1]) * a.y + wide_set(m->m[2][2]) * a.z};
}

#endif
