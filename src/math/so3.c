// With S = skew(phi), a = |phi|:
//
//   exp(phi) = I + sin(a)/a S + (1 - cos a)/a^2 S^2
//   T(phi)   = I + (1 - cos a)/a^2 S + (a - sin a)/a^3 S^2
//   T^-1     = I - 1/2 S + (1 - a/2 cot(a/2))/a^2 S^2
//
//   d(S v)/d phi = -skew(v),  d(S^2 v)/d phi = -skew(phi x v) - S skew(v),  and a coefficient c(a^2) adds
//   its polynomial times 2 dc/d(a^2) phi^T.
//
// (Iserles, Munthe-Kaas, Norsett, Zanna, Acta Numerica 9 (2000) 215, doi:10.1017/S0962492900002154.)
#include "math/so3.h"

#include "math/quaternion.h"

// x I + y skew(v) + z skew(v)^2
static Mat3 so3_skew_polynomial(double x, double y, double z, Vec3 v) {
    Mat3 square = mat3_outer(v, v);
    double norm2 = vec3_norm2(v);
    for (int i = 0; i < 3; i++) square.m[i][i] -= norm2;
    Mat3 sum = mat3_add(mat3_scale(y, mat3_skew(v)), mat3_scale(z, square));
    for (int i = 0; i < 3; i++) sum.m[i][i] += x;
    return sum;
}

// sin(a)/a; below the limit the next term of the series is under 1e-22.
static double so3_sine_ratio(double square) {
    double a = sqrt(square);
    return square < 1e-6 ? 1 - square * (1.0 / 6 - square / 120) : sin(a) / a;
}

// (1 - cos a)/a^2 = 1/2 (sin(a/2)/(a/2))^2: no cancellation at any angle.
static double so3_cosine_ratio(double square) {
    double half = so3_sine_ratio(0.25 * square);
    return 0.5 * half * half;
}

// (a - sin a)/a^3 = 1/6 - a^2/120 + a^4/5040 - ... ; for a < 1 the first term left out is 1/21!.
static double so3_sine_defect(double square) {
    if (square >= 1) return (1 - so3_sine_ratio(square)) / square;
    double sum = 1;
    for (int k = 8; k > 0; k--) sum = 1 - sum * square / ((2 * k + 2) * (2 * k + 3));
    return sum / 6;
}

// (1 - a/2 cot(a/2))/a^2 = sum |B_2n|/(2n)! a^(2n-2); below the limit the first term left out is under 1e-17.
static double so3_cotangent_defect(double square) {
    if (square < 0.1)
        return 1.0 / 12 +
               square * (1.0 / 720 +
                         square * (1.0 / 30240 +
                                   square * (1.0 / 1209600 +
                                             square * (1.0 / 47900160 + square * (691 / 1307674368000.0)))));
    double half = 0.5 * sqrt(square);
    return (1 - half * cos(half) / sin(half)) / square;
}

// Of the three coefficients above, twice the derivative with respect to a^2, by their series where the closed
// form would cancel.
static double so3_cosine_ratio_slope(double square) {
    if (square >= 1) return (so3_sine_ratio(square) - 2 * so3_cosine_ratio(square)) / square;
    double sum = 1;
    for (int k = 9; k > 0; k--) sum = 1 - sum * square * (k + 1) / (k * (2.0 * k + 3) * (2.0 * k + 4));
    return -sum / 12;
}

static double so3_sine_defect_slope(double square) {
    if (square >= 1) return (so3_cosine_ratio(square) - 3 * so3_sine_defect(square)) / square;
    double sum = 1;
    for (int k = 9; k > 0; k--) sum = 1 - sum * square * (k + 1) / (k * (2.0 * k + 4) * (2.0 * k + 5));
    return -sum / 60;
}

static double so3_cotangent_defect_slope(double square) {
    if (square < 1) {
        static const double series[] = {// |B_2n|/(2n)!, n = 2, 3, ...
                                        1.0 / 720,
                                        1.0 / 30240,
                                        1.0 / 1209600,
                                        1.0 / 47900160,
                                        691 / 1307674368000.0,
                                        1.0 / 74724249600.0,
                                        3617 / 10670622842880000.0,
                                        43867 / 5109094217170944000.0,
                                        174611 / 802857662698291200000.0};
        double sum = 0;
        for (int n = sizeof series / sizeof *series; n > 0; n--) sum = sum * square + n * series[n - 1];
        return 2 * sum;
    }
    double half = 0.5 * sqrt(square), sine = sin(half), cotangent = cos(half) / sine;
    double first = (half / (sine * sine) - cotangent) / (4 * half * half);
    return (first - (1 - half * cotangent) / (2 * half * half * half)) / (4 * half);
}

// ---- rotation vector -----------------------------------------------------------------------------
Mat3 so3_exp(Vec3 phi) {
    double square = vec3_norm2(phi);
    return so3_skew_polynomial(1, so3_sine_ratio(square), so3_cosine_ratio(square), phi);
}

// Acos of the trace would lose half the digits near 0 and near pi. Angles below 0.1, which are those of a step, come
// from the skew part of the matrix, n sin(a), and the series of arcsin(s)/s; others by way of the quaternion.
Vec3 so3_log(Mat3 rotation) {
    const double(*m)[3] = (const double(*)[3])rotation.m;
    Vec3 sine = vec3(0.5 * (m[2][1] - m[1][2]), 0.5 * (m[0][2] - m[2][0]), 0.5 * (m[1][0] - m[0][1]));
    double square = vec3_norm2(sine);
    if (square > 0.01 || m[0][0] + m[1][1] + m[2][2] < 1)
        return quaternion_to_rotation_vector(quaternion_from_matrix(rotation));
    static const double ratios[] = {1.0 / 6,    9.0 / 20,    25.0 / 42,
                                    49.0 / 72, // (2k - 1)^2/(2k (2k + 1))
                                    81.0 / 110, 121.0 / 156, 169.0 / 210};
    double sum = 1;
    for (int k = sizeof ratios / sizeof *ratios; k > 0; k--) sum = 1 + sum * square * ratios[k - 1];
    return vec3_scale(sum, sine);
}

Mat3 so3_tangent(Vec3 phi) {
    double square = vec3_norm2(phi);
    return so3_skew_polynomial(1, so3_cosine_ratio(square), so3_sine_defect(square), phi);
}

Mat3 so3_tangent_inverse(Vec3 phi) {
    return so3_skew_polynomial(1, -0.5, so3_cotangent_defect(vec3_norm2(phi)), phi);
}

Vec3 so3_tangent_inverse_apply(Vec3 phi, Vec3 v) {
    Vec3 cross = vec3_cross(phi, v);
    return vec3_madd(vec3_madd(v, -0.5, cross), so3_cotangent_defect(vec3_norm2(phi)),
                     vec3_cross(phi, cross));
}

// d(y S v + z S^2 v)/d phi, with twice the derivatives of y and z with respect to |phi|^2.
static Mat3 so3_skew_polynomial_derivative(double y, double y_slope, double z, double z_slope, Vec3 phi,
                                           Vec3 v) {
    Vec3 once = vec3_cross(phi, v), twice = vec3_cross(phi, once);
    Mat3 square = mat3_add(mat3_skew(once), mat3_mul(mat3_skew(phi), mat3_skew(v)));
    Mat3 sum = mat3_add(mat3_scale(-y, mat3_skew(v)), mat3_scale(-z, square));
    return mat3_add(sum, mat3_outer(vec3_madd(vec3_scale(y_slope, once), z_slope, twice), phi));
}

Mat3 so3_tangent_derivative(Vec3 phi, Vec3 v) {
    double square = vec3_norm2(phi);
    return so3_skew_polynomial_derivative(so3_cosine_ratio(square), so3_cosine_ratio_slope(square),
                                          so3_sine_defect(square), so3_sine_defect_slope(square), phi, v);
}

// T^-1(phi) v = v - 1/2 phi x v + z phi x (phi x v), differentiated.
Vec3 so3_tangent_inverse_change(Vec3 phi, Vec3 v, Vec3 d) {
    double square = vec3_norm2(phi);
    Vec3 once = vec3_cross(phi, v), turned = vec3_cross(d, v);
    Vec3 sum =
        vec3_scale(so3_cotangent_defect(square), vec3_add(vec3_cross(d, once), vec3_cross(phi, turned)));
    sum = vec3_madd(sum, so3_cotangent_defect_slope(square) * vec3_dot(phi, d), vec3_cross(phi, once));
    return vec3_madd(sum, -0.5, turned);
}

Mat3 so3_tangent_inverse_derivative(Vec3 phi, Vec3 v) {
    double square = vec3_norm2(phi);
    return so3_skew_polynomial_derivative(-0.5, 0, so3_cotangent_defect(square),
                                          so3_cotangent_defect_slope(square), phi, v);
}
