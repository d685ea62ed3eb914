// Free rotation of a grain: its angular momentum L is constant in the axes of the world. In its own axes, P = R^T L
// follows Euler's equations, which are taken at the midpoint:
//
//     P' = P x J^-1 P:     P(m) = P(n) + h/2 P(m) x O,   O = J^-1 P(m),   P(n+1) = 2 P(m) - P(n)
//     R(n+1) = R(n) cay(h O),     the rotation about O by the angle 2 atan(h |O| / 2)
//
// (Austin, Krishnaprasad and Wang 1993, doi:10.1006/jcph.1993.1128). P(n+1) = cay(h O)^T P(n), so R P = L is kept in
// direction and length, and the midpoint rule keeps the kinetic energy P . J^-1 P / 2, both to rounding and for any step.
#include "grains/turning.h"

#include <math.h>
#include <string.h>

static const double turning_most =
    0.25; // angle of a part of the step, up to which Newton's method is safe [rad]
enum { turning_rounds = 20 };

ShapeTurning turning_of_shape(const Shape *shape) {
    Shape unit = *shape;
    unit.radius = 1;
    Mat3 inertia = shape_inertia(&unit, 1);
    return (ShapeTurning){inertia, mat3_inverse(inertia), shape_is_round(shape)};
}

Mat3 turning_inverse_inertia(const ShapeTurning *turning, Quaternion orientation, double radius,
                             double inverse_mass) {
    if (turning->round) return mat3_scale(inverse_mass / (radius * radius), turning->inverse);
    Mat3 axes = quaternion_to_matrix(orientation);
    return mat3_scale(inverse_mass / (radius * radius),
                      mat3_mul(mat3_mul(axes, turning->inverse), mat3_transpose(axes)));
}

// P(m) by Newton's method, from P(n).
static Vec3 turning_middle(Mat3 inverse, Vec3 start, double half) {
    Vec3 p = start;
    for (int round = 0; round < turning_rounds; round++) {
        Vec3 spin = mat3_apply(inverse, p);
        Vec3 error = vec3_sub(vec3_sub(p, start), vec3_scale(half, vec3_cross(p, spin)));
        Mat3 slope = mat3_sub(mat3_mul(mat3_skew(p), inverse), mat3_skew(spin));
        Vec3 change = mat3_apply(mat3_inverse(mat3_sub(mat3_identity(), mat3_scale(half, slope))), error);
        p = vec3_sub(p, change);
        if (!(vec3_norm2(change) > 1e-30 * vec3_norm2(p))) break;
    }
    return p;
}

static void turning_store(Quaternion q, double orientation[4]) {
    const double quad[4] = {q.w, q.x, q.y, q.z};
    memcpy(orientation, quad, sizeof quad);
}

Vec3 turning_turn(const ShapeTurning *turning, double orientation[4], Vec3 spin, double h) {
    Quaternion q = {orientation[0], orientation[1], orientation[2], orientation[3]};
    if (turning->round) {
        Quaternion turn = quaternion_from_rotation_vector(vec3_scale(h, spin));
        turning_store(quaternion_normalize(quaternion_mul(turn, q)), orientation);
        return spin;
    }
    Vec3 p = mat3_apply(turning->inertia, quaternion_unrotate(q, spin));
    double angle = h * vec3_norm(spin);
    int parts = angle > turning_most && isfinite(angle) ? (int)ceil(fmin(angle / turning_most, 1000)) : 1;
    for (int part = 0; part < parts; part++) {
        double half = 0.5 * h / parts;
        Vec3 middle = turning_middle(turning->inverse, p, half);
        Vec3 o = vec3_scale(half, mat3_apply(turning->inverse, middle));
        q = quaternion_normalize(quaternion_mul(q, (Quaternion){1, o.x, o.y, o.z}));
        p = vec3_sub(vec3_scale(2, middle), p);
    }
    turning_store(q, orientation);
    return quaternion_rotate(q, mat3_apply(turning->inverse, p));
}
