// Vectors, WIDE_LANES of them at a time.
#ifndef MATH_WIDE3_H
#define MATH_WIDE3_H

#include "math/mat3.h"
#include "math/simd.h"

typedef struct Wide3 {
    Wide x, y, z;
} Wide3;

static inline Wide3 wide3_set(Vec3 a) { return (Wide3){wide_set(a.x), wide_set(a.y), wide_set(a.z)}; }
static inline Wide3 wide3_add(Wide3 a, Wide3 b) { return (Wide3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline Wide3 wide3_sub(Wide3 a, Wide3 b) { return (Wide3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline Wide3 wide3_scale(Wide s, Wide3 a) { return (Wide3){s * a.x, s * a.y, s * a.z}; }
static inline Wide3 wide3_cross(Wide3 a, Wide3 b) {
    return (Wide3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline Wide3 wide3_cross_add(Wide3 a, Wide3 b, Wide3 c) { // a x b + c
    return (Wide3){wide_fma(a.y, b.z, wide_fma(-a.z, b.y, c.x)), wide_fma(a.z, b.x, wide_fma(-a.x, b.z, c.y)),
                   wide_fma(a.x, b.y, wide_fma(-a.y, b.x, c.z))};
}
static inline Wide wide3_dot(Wide3 a, Wide3 b) { return wide_fma(a.x, b.x, wide_fma(a.y, b.y, a.z * b.z)); }
static inline Wide3 wide3_fma(Wide s, Wide3 a, Wide3 b) { // s a + b
    return (Wide3){wide_fma(s, a.x, b.x), wide_fma(s, a.y, b.y), wide_fma(s, a.z, b.z)};
}
static inline Wide3 wide3_apply(const Mat3 *m, Wide3 a) { // the same matrix in all lanes
    return (Wide3){wide3_dot(wide3_set(mat3_row(*m, 0)), a), wide3_dot(wide3_set(mat3_row(*m, 1)), a),
                   wide3_dot(wide3_set(mat3_row(*m, 2)), a)};
}
static inline Wide3 wide3_apply_transpose(const Mat3 *m, Wide3 a) {
    return wide3_fma(
        a.x, wide3_set(mat3_row(*m, 0)),
        wide3_fma(a.y, wide3_set(mat3_row(*m, 1)), wide3_scale(a.z, wide3_set(mat3_row(*m, 2)))));
}

#endif
