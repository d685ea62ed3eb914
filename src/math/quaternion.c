// Unit quaternions: q = (cos(a/2), sin(a/2) n) turns by the angle a about the unit vector n.
//
//   exponential  phi = a n  ->  q = (cos(a/2), sin(a/2)/a phi)
//   logarithm    q = (w, u) ->  phi = 2 atan2(|u|, w)/|u| u, taken with w >= 0 so that |phi| <= pi
//   matrix       R = I + 2 w skew(u) + 2 skew(u)^2
//   from matrix  by the largest of the four components: Shepperd, J. Guidance and Control 1 (1978) 223,
//                doi:10.2514/3.55767b
#include "math/quaternion.h"

static Quaternion quaternion_scaled(double s, Quaternion q) {
    return (Quaternion){s * q.w, s * q.x, s * q.y, s * q.z};
}

Quaternion quaternion_normalize(Quaternion q) {
    double norm2 = quaternion_dot(q, q);
    // Outside this range the squares overflow or lose digits to underflow; bring the largest component to 1.
    if (!(norm2 > 1e-200 && norm2 < 1e200)) {
        double largest = fmax(fmax(fabs(q.w), fabs(q.x)), fmax(fabs(q.y), fabs(q.z)));
        if (largest == 0) return quaternion_identity();
        // Divided, not multiplied by 1/largest: that overflows when largest is subnormal.
        q = (Quaternion){q.w / largest, q.x / largest, q.y / largest, q.z / largest};
        norm2 = quaternion_dot(q, q);
    }
    return quaternion_scaled(1 / sqrt(norm2), q);
}

Quaternion quaternion_from_rotation_vector(Vec3 angle) {
    double square = vec3_norm2(angle);
    double a = sqrt(square);
    // sin(a/2)/a. The series is for a = 0 and for a^2 that underflows; its next term is below 1e-23.
    double factor = square < 1e-6 ? 0.5 - square * (1.0 / 48 - square / 3840) : sin(0.5 * a) / a;
    return (Quaternion){cos(0.5 * a), factor * angle.x, factor * angle.y, factor * angle.z};
}

Vec3 quaternion_to_rotation_vector(Quaternion q) {
    q = quaternion_normalize(q);
    if (q.w < 0) q = quaternion_scaled(-1, q);
    Vec3 u = {q.x, q.y, q.z};
    double square = vec3_norm2(u);
    // 2 atan2(s, w)/s; atan2 keeps all digits at both ends (acos loses half of them near 0, asin near pi).
    // The series is again for s^2 that underflows; w is then 1 to within square/2.
    double s = sqrt(square);
    double factor = square < 1e-12 ? 2 + square / 3 : 2 * atan2(s, q.w) / s;
    return vec3_scale(factor, u);
}

Mat3 quaternion_to_matrix(Quaternion q) {
    q = quaternion_normalize(q);
    double xx = 2 * q.x * q.x, yy = 2 * q.y * q.y, zz = 2 * q.z * q.z;
    double xy = 2 * q.x * q.y, xz = 2 * q.x * q.z, yz = 2 * q.y * q.z;
    double wx = 2 * q.w * q.x, wy = 2 * q.w * q.y, wz = 2 * q.w * q.z;
    return (Mat3){{{1 - (yy + zz), xy - wz, xz + wy},
                   {xy + wz, 1 - (xx + zz), yz - wx},
                   {xz - wy, yz + wx, 1 - (xx + yy)}}};
}

// 4 q_i q_j for every j is a sum of matrix entries. Dividing by the largest q_i is always well conditioned.
Quaternion quaternion_from_matrix(Mat3 rotation) {
    double(*m)[3] = rotation.m;
    double trace = mat3_trace(rotation);
    Quaternion q;
    if (trace >= m[0][0] && trace >= m[1][1] && trace >= m[2][2])
        q = (Quaternion){1 + trace, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
    else if (m[0][0] >= m[1][1] && m[0][0] >= m[2][2])
        q = (Quaternion){m[2][1] - m[1][2], 1 + m[0][0] - m[1][1] - m[2][2], m[1][0] + m[0][1],
                         m[0][2] + m[2][0]};
    else if (m[1][1] >= m[2][2])
        q = (Quaternion){m[0][2] - m[2][0], m[1][0] + m[0][1], 1 + m[1][1] - m[2][2] - m[0][0],
                         m[2][1] + m[1][2]};
    else
        q = (Quaternion){m[1][0] - m[0][1], m[0][2] + m[2][0], m[2][1] + m[1][2],
                         1 + m[2][2] - m[0][0] - m[1][1]};
    q = quaternion_normalize(q);
    return q.w < 0 ? quaternion_scaled(-1, q) : q;
}
