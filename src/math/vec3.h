// Three-vectors, by value.
#ifndef MATH_VEC3_H
#define MATH_VEC3_H

#include <math.h>
#include <stdbool.h>

typedef struct Vec3 {
    double x, y, z;
} Vec3;

static inline Vec3 vec3(double x, double y, double z) { return (Vec3){x, y, z}; }
static inline Vec3 vec3_zero(void) { return (Vec3){0, 0, 0}; }
static inline Vec3 vec3_add(Vec3 a, Vec3 b) { return (Vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline Vec3 vec3_sub(Vec3 a, Vec3 b) { return (Vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline Vec3 vec3_neg(Vec3 a) { return (Vec3){-a.x, -a.y, -a.z}; }
static inline Vec3 vec3_scale(double s, Vec3 a) { return (Vec3){s * a.x, s * a.y, s * a.z}; }
static inline Vec3 vec3_madd(Vec3 a, double s, Vec3 b) { // a + s b
    return (Vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double vec3_dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline Vec3 vec3_cross(Vec3 a, Vec3 b) {
    return (Vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double vec3_norm2(Vec3 a) { return vec3_dot(a, a); }
static inline double vec3_norm(Vec3 a) { return sqrt(vec3_dot(a, a)); }
static inline Vec3 vec3_normalize(Vec3 a) { // zero stays zero
    double n = vec3_norm(a);
    return n > 0 ? vec3_scale(1 / n, a) : a;
}
static inline double vec3_component(Vec3 a, int i) { return i == 0 ? a.x : i == 1 ? a.y : a.z; }
static inline void vec3_set_component(Vec3 *a, int i, double value) {
    if (i == 0) a->x = value;
    else if (i == 1) a->y = value;
    else a->z = value;
}
static inline bool vec3_is_finite(Vec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

// A unit vector at right angles to the unit vector n.
static inline Vec3 vec3_perpendicular(Vec3 n) {
    Vec3 other = fabs(n.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0);
    return vec3_normalize(vec3_cross(n, other));
}

#endif
