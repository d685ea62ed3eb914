// Unit quaternions for orientation: quaternion_rotate(q, v) takes body axes to world axes.
#ifndef MATH_QUATERNION_H
#define MATH_QUATERNION_H

#include "math/mat3.h"

typedef struct Quaternion {
    double w, x, y, z;
} Quaternion;

static inline Quaternion quaternion_identity(void) { return (Quaternion){1, 0, 0, 0}; }
static inline Quaternion quaternion_conjugate(Quaternion q) { return (Quaternion){q.w, -q.x, -q.y, -q.z}; }
static inline Quaternion quaternion_mul(Quaternion a, Quaternion b) { // first b, then a
    return (Quaternion){
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline double quaternion_dot(Quaternion a, Quaternion b) {
    return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline Vec3 quaternion_rotate(Quaternion q, Vec3 v) {
    Vec3 u = {q.x, q.y, q.z};
    Vec3 t = vec3_scale(2, vec3_cross(u, v));
    return vec3_add(vec3_madd(v, q.w, t), vec3_cross(u, t));
}
static inline Vec3 quaternion_unrotate(Quaternion q, Vec3 v) { // world axes to body axes
    return quaternion_rotate(quaternion_conjugate(q), v);
}

Quaternion quaternion_normalize(Quaternion q);
Quaternion quaternion_from_rotation_vector(Vec3 angle); // exponential map, accurate for any angle
Vec3 quaternion_to_rotation_vector(Quaternion q);       // logarithm, |angle| <= pi
Mat3 quaternion_to_matrix(Quaternion q);
Quaternion quaternion_from_matrix(Mat3 rotation);

#endif
