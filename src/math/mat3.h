// Three-by-three matrices, by value, row-major.
#ifndef MATH_MAT3_H
#define MATH_MAT3_H

#include "math/vec3.h"

typedef struct Mat3 {
    double m[3][3];
} Mat3;

static inline Mat3 mat3_zero(void) { return (Mat3){{{0}}}; }
static inline Mat3 mat3_diagonal(double a, double b, double c) {
    return (Mat3){{{a, 0, 0}, {0, b, 0}, {0, 0, c}}};
}
static inline Mat3 mat3_identity(void) { return mat3_diagonal(1, 1, 1); }
static inline Mat3 mat3_columns(Vec3 a, Vec3 b, Vec3 c) {
    return (Mat3){{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
}
static inline Vec3 mat3_column(Mat3 a, int j) { return (Vec3){a.m[0][j], a.m[1][j], a.m[2][j]}; }
static inline Vec3 mat3_row(Mat3 a, int i) { return (Vec3){a.m[i][0], a.m[i][1], a.m[i][2]}; }
static inline Mat3 mat3_add(Mat3 a, Mat3 b) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) a.m[i][j] += b.m[i][j];
    return a;
}
static inline Mat3 mat3_scale(double s, Mat3 a) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) a.m[i][j] *= s;
    return a;
}
static inline Mat3 mat3_sub(Mat3 a, Mat3 b) { return mat3_add(a, mat3_scale(-1, b)); }
static inline Mat3 mat3_transpose(Mat3 a) {
    return (Mat3){{{a.m[0][0], a.m[1][0], a.m[2][0]},
                   {a.m[0][1], a.m[1][1], a.m[2][1]},
                   {a.m[0][2], a.m[1][2], a.m[2][2]}}};
}
static inline Mat3 mat3_mul(Mat3 a, Mat3 b) {
    Mat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
    return c;
}
static inline Vec3 mat3_apply(Mat3 a, Vec3 v) { // a v
    return (Vec3){a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z,
                  a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
                  a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z};
}
static inline Vec3 mat3_apply_transpose(Mat3 a, Vec3 v) { // a^T v
    return (Vec3){a.m[0][0] * v.x + a.m[1][0] * v.y + a.m[2][0] * v.z,
                  a.m[0][1] * v.x + a.m[1][1] * v.y + a.m[2][1] * v.z,
                  a.m[0][2] * v.x + a.m[1][2] * v.y + a.m[2][2] * v.z};
}
static inline Mat3 mat3_outer(Vec3 a, Vec3 b) { // a b^T
    return (Mat3){{{a.x * b.x, a.x * b.y, a.x * b.z},
                   {a.y * b.x, a.y * b.y, a.y * b.z},
                   {a.z * b.x, a.z * b.y, a.z * b.z}}};
}
static inline Mat3 mat3_skew(Vec3 a) { // mat3_skew(a) v = a x v
    return (Mat3){{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
}
static inline Vec3 mat3_unskew(Mat3 a) { // of the skew part of a
    return (Vec3){0.5 * (a.m[2][1] - a.m[1][2]), 0.5 * (a.m[0][2] - a.m[2][0]),
                  0.5 * (a.m[1][0] - a.m[0][1])};
}
static inline double mat3_trace(Mat3 a) { return a.m[0][0] + a.m[1][1] + a.m[2][2]; }
static inline double mat3_determinant(Mat3 a) {
    return vec3_dot(mat3_row(a, 0), vec3_cross(mat3_row(a, 1), mat3_row(a, 2)));
}
// The inverse by cofactors; not finite when a is singular.
static inline Mat3 mat3_inverse(Mat3 a) {
    Vec3 r0 = mat3_row(a, 0), r1 = mat3_row(a, 1), r2 = mat3_row(a, 2);
    Mat3 cofactors = mat3_columns(vec3_cross(r1, r2), vec3_cross(r2, r0), vec3_cross(r0, r1));
    return mat3_scale(1 / mat3_determinant(a), cofactors);
}

// The eigenvalues of the symmetric part of a, ascending: a = axes diag(values) axes^T. *axes (which may be
// NULL) holds the eigenvectors as columns and is a rotation, never a reflection.
Vec3 mat3_symmetric_eigen(Mat3 a, Mat3 *axes);

#endif
