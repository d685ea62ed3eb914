// Relative coordinates of two markers, with gradient and curvature.
//
// Nodes A and B have the origins x_A, x_B; b_A, b_B are the arms to the markers; D = x_B + b_B - x_A - b_A
// is the gap; f_i and g_j are the axes of the markers on A and on B (columns of F and E). With d f = d
// theta_A x f and d b = d theta x b:
//
//     translation   m = e . D             e: an axis on A; r = b_A + D: the second marker from A's origin
//                                         gradient (-e, -r x e, e, b_B x e)
//     crossing      m = f . g             gradient (0, f x g, 0, g x f)
//     rotation      m = psi_i             psi = log(F^T E),  d psi = T^-1(psi) F^T (d theta_B - d theta_A)
//                                         gradient (0, -p, 0, p),  p = F T^-T(psi) e_i = F T^-1(-psi) e_i
//     distance      m = sqrt(D.D + s^2)   n = D/m,  gradient (-n, -b_A x n, n, b_B x n)
//     turn          m = atan2(s, c)       s = f_y.g_x - f_x.g_y,  c = f_x.g_x + f_y.g_y
//
// The turn is what is left of the relative rotation when the shortest tilt between the two z axes is taken
// out (twice the angle of the quaternion's z and w components). It is not defined at a tilt of half a turn.
// atan2 gives it up to full turns; of these values the one nearest to MarkerPair.last_turn is taken.
//
// Translation and crossing are the dot-2 and dot-1 constraints of Haug, Computer Aided Kinematics and
// Dynamics of Mechanical Systems, Allyn and Bacon 1989, ch. 9; T is the tangent map of math/so3.h.
//
// The curvatures follow with (d theta x u) x v = v x (u x d theta). The velocity terms follow by
// differentiating twice in time: u' = w x u, u'' = w x (w x u) for a vector u fixed to a node.
#include "mechanism/relative.h"

#include <stddef.h>

#include "math/so3.h"

MarkerPair marker_pair(const NodeState *const nodes[2], const Marker markers[2], const Mat3 *driven,
                       bool rotates) {
    MarkerPair pair;
    pair.last_turn = 0;
    for (int i = 0; i < 2; i++) {
        pair.arm[i] = mat3_apply(nodes[i]->R, markers[i].offset);
        pair.axes[i] = mat3_mul(nodes[i]->R, markers[i].axes);
        const Vec3 v = nodes[i]->v, w = nodes[i]->w;
        const double velocity[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
        for (int k = 0; k < 6; k++) pair.velocity[6 * i + k] = velocity[k];
    }
    pair.base = pair.axes[0];
    if (driven) pair.axes[0] = mat3_mul(pair.base, *driven);
    pair.gap = vec3_add(vec3_sub(nodes[1]->x, nodes[0]->x), vec3_sub(pair.arm[1], pair.arm[0]));
    if (rotates) {
        pair.rotation = so3_log(mat3_mul(mat3_transpose(pair.axes[0]), pair.axes[1]));
        pair.tangent = so3_tangent_inverse(vec3_neg(pair.rotation));
    }
    return pair;
}

// The four displacements, three numbers each.
enum { X_A, TURN_A, X_B, TURN_B };

static void relative_put(double gradient[12], int place, double factor, Vec3 v) {
    gradient[3 * place] = factor * v.x;
    gradient[3 * place + 1] = factor * v.y;
    gradient[3 * place + 2] = factor * v.z;
}

static void relative_add_block(double H[12][12], int row, int column, double factor, Mat3 block) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) H[3 * row + i][3 * column + j] += factor * block.m[i][j];
}

// ---- translation ---------------------------------------------------------------------------------
static double relative_translation_value(const RelativeCoordinate *coordinate, const MarkerPair *pair,
                                         double *gradient) {
    Vec3 e = mat3_column(pair->base, coordinate->axis);
    if (gradient) {
        relative_put(gradient, X_A, -1, e);
        relative_put(gradient, TURN_A, -1, vec3_cross(vec3_add(pair->arm[0], pair->gap), e));
        relative_put(gradient, X_B, 1, e);
        relative_put(gradient, TURN_B, 1, vec3_cross(pair->arm[1], e));
    }
    return vec3_dot(e, pair->gap);
}

static void relative_translation_curvature(const RelativeCoordinate *coordinate, const MarkerPair *pair,
                                           double weight, double H[12][12]) {
    Mat3 e = mat3_skew(mat3_column(pair->base, coordinate->axis));
    Mat3 r = mat3_skew(vec3_add(pair->arm[0], pair->gap)), b = mat3_skew(pair->arm[1]);
    relative_add_block(H, X_A, TURN_A, weight, e);
    relative_add_block(H, X_B, TURN_A, -weight, e);
    // d(-r x e) = e x dr - r x de, dr = dx_B - b_B x d theta_B - dx_A
    relative_add_block(H, TURN_A, X_A, -weight, e);
    relative_add_block(H, TURN_A, TURN_A, weight, mat3_mul(r, e));
    relative_add_block(H, TURN_A, X_B, weight, e);
    relative_add_block(H, TURN_A, TURN_B, -weight, mat3_mul(e, b));
    relative_add_block(H, TURN_B, TURN_A, -weight, mat3_mul(b, e));
    relative_add_block(H, TURN_B, TURN_B, weight, mat3_mul(e, b));
}

typedef struct MovingVector { // a vector fixed to a node, or a sum of such, with its time derivatives
    Vec3 value, rate, second;
} MovingVector;

static Vec3 relative_part(const double v[12], int place) {
    return vec3(v[3 * place], v[3 * place + 1], v[3 * place + 2]);
}

// Fixed to a node with the constant angular velocity w.
static MovingVector relative_fixed_vector(Vec3 u, Vec3 w) {
    Vec3 rate = vec3_cross(w, u);
    return (MovingVector){u, rate, vec3_cross(w, rate)};
}

// Second derivative of a . b.
static double relative_dot_second(MovingVector a, MovingVector b) {
    return vec3_dot(a.second, b.value) + 2 * vec3_dot(a.rate, b.rate) + vec3_dot(a.value, b.second);
}

static MovingVector relative_gap_motion(const MarkerPair *pair, const double v[12]) {
    MovingVector a = relative_fixed_vector(pair->arm[0], relative_part(v, TURN_A)),
                 b = relative_fixed_vector(pair->arm[1], relative_part(v, TURN_B));
    Vec3 slide = vec3_sub(relative_part(v, X_B), relative_part(v, X_A));
    return (MovingVector){pair->gap, vec3_add(slide, vec3_sub(b.rate, a.rate)), vec3_sub(b.second, a.second)};
}

static double relative_translation_velocity_term(const RelativeCoordinate *coordinate, const MarkerPair *pair,
                                                 const double v[12]) {
    return relative_dot_second(
        relative_fixed_vector(mat3_column(pair->base, coordinate->axis), relative_part(v, TURN_A)),
        relative_gap_motion(pair, v));
}

// ---- crossing ------------------------------------------------------------------------------------
// factor f . g; adds its gradient.
static double relative_dot(Vec3 f, Vec3 g, double *gradient, double factor) {
    Vec3 across = vec3_cross(f, g);
    if (gradient)
        for (int i = 0; i < 3; i++) {
            gradient[3 * TURN_A + i] += factor * vec3_component(across, i);
            gradient[3 * TURN_B + i] -= factor * vec3_component(across, i);
        }
    return factor * vec3_dot(f, g);
}

static void relative_dot_curvature(Vec3 f, Vec3 g, double weight, double H[12][12]) {
    Mat3 by_a = mat3_mul(mat3_skew(g), mat3_skew(f)), by_b = mat3_mul(mat3_skew(f), mat3_skew(g));
    relative_add_block(H, TURN_A, TURN_A, weight, by_a);
    relative_add_block(H, TURN_A, TURN_B, -weight, by_b);
    relative_add_block(H, TURN_B, TURN_A, -weight, by_a);
    relative_add_block(H, TURN_B, TURN_B, weight, by_b);
}

static double relative_crossing_value(const RelativeCoordinate *coordinate, const MarkerPair *pair,
                                      double *gradient) {
    Vec3 f = mat3_column(pair->axes[0], coordinate->axis), g = mat3_column(pair->axes[1], coordinate->other);
    if (gradient)
        for (int i = 0; i < 12; i++) gradient[i] = 0;
    return relative_dot(f, g, gradient, coordinate->factor);
}

static void relative_crossing_curvature(const RelativeCoordinate *coordinate, const MarkerPair *pair,
                                        double weight, double H[12][12]) {
    relative_dot_curvature(mat3_column(pair->axes[0], coordinate->axis),
                           mat3_column(pair->axes[1], coordinate->other), weight * coordinate->factor, H);
}

static double relative_crossing_velocity_term(const RelativeCoordinate *coordinate, const MarkerPair *pair,
                                              const double v[12]) {
    return coordinate->factor *
           relative_dot_second(
               relative_fixed_vector(mat3_column(pair->axes[0], coordinate->axis), relative_part(v, TURN_A)),
               relative_fixed_vector(mat3_column(pair->axes[1], coordinate->other),
                                     relative_part(v, TURN_B)));
}

// ---- rotation ------------------------------------------------------------------------------------
static Vec3 relative_unit(int axis) { return vec3(axis == 0, axis == 1, axis == 2); }

static double relative_rotation_value(const RelativeCoordinate *coordinate, const MarkerPair *pair,
                                      double *gradient) {
    if (gradient) {
        Vec3 p = mat3_apply(pair->axes[0], mat3_column(pair->tangent, coordinate->axis));
        relative_put(gradient, X_A, 0, p);
        relative_put(gradient, TURN_A, -1, p);
        relative_put(gradient, X_B, 0, p);
        relative_put(gradient, TURN_B, 1, p);
    }
    return vec3_component(pair->rotation, coordinate->axis);
}

static void relative_rotation_curvature(const RelativeCoordinate *coordinate, const MarkerPair *pair,
                                        double weight, double H[12][12]) {
    Vec3 back = vec3_neg(pair->rotation);
    Mat3 F = pair->axes[0];
    Vec3 p = mat3_apply(F, mat3_column(pair->tangent, coordinate->axis));
    // dp = d theta_A x p - F d(T^-1 e_i)(-psi) d psi
    Mat3 derivative = mat3_mul(so3_tangent_inverse_derivative(back, relative_unit(coordinate->axis)),
                               mat3_transpose(pair->tangent));
    Mat3 N = mat3_scale(-1, mat3_mul(F, mat3_mul(derivative, mat3_transpose(F))));
    Mat3 by_a = mat3_add(mat3_skew(p), N);
    relative_add_block(H, TURN_B, TURN_A, -weight, by_a);
    relative_add_block(H, TURN_B, TURN_B, weight, N);
    relative_add_block(H, TURN_A, TURN_A, weight, by_a);
    relative_add_block(H, TURN_A, TURN_B, -weight, N);
}

// psi' = T^-1 u, u = F^T (w_B - w_A), u' = -F^T (w_A x (w_B - w_A)) = -F^T (w_A x w_B)
static double relative_rotation_velocity_term(const RelativeCoordinate *coordinate, const MarkerPair *pair,
                                              const double v[12]) {
    Vec3 w = relative_part(v, TURN_A), other = relative_part(v, TURN_B);
    Vec3 u = mat3_apply_transpose(pair->axes[0], vec3_sub(other, w));
    Vec3 u_rate = mat3_apply_transpose(pair->axes[0], vec3_cross(other, w));
    Vec3 rate = mat3_apply_transpose(pair->tangent, u);
    Vec3 second = vec3_add(so3_tangent_inverse_change(pair->rotation, u, rate),
                           mat3_apply_transpose(pair->tangent, u_rate));
    return vec3_component(second, coordinate->axis);
}

// ---- distance ------------------------------------------------------------------------------------
static double relative_distance_value(const RelativeCoordinate *coordinate, const MarkerPair *pair,
                                      double *gradient) {
    double length = sqrt(vec3_norm2(pair->gap) + coordinate->smoothing * coordinate->smoothing);
    if (gradient) {
        Vec3 n = vec3_scale(1 / length, pair->gap);
        relative_put(gradient, X_A, -1, n);
        relative_put(gradient, TURN_A, -1, vec3_cross(pair->arm[0], n));
        relative_put(gradient, X_B, 1, n);
        relative_put(gradient, TURN_B, 1, vec3_cross(pair->arm[1], n));
    }
    return length;
}

static void relative_distance_curvature(const RelativeCoordinate *coordinate, const MarkerPair *pair,
                                        double weight, double H[12][12]) {
    double length = relative_distance_value(coordinate, pair, NULL);
    Vec3 n = vec3_scale(1 / length, pair->gap);
    Mat3 K = mat3_scale(weight / length, mat3_sub(mat3_identity(), mat3_outer(n, n))); // dn = K dD / weight
    // dD = C_0 dx_A + C_1 d theta_A + C_2 dx_B + C_3 d theta_B; the gradient is C^T n
    const Mat3 C[4] = {mat3_diagonal(-1, -1, -1), mat3_skew(pair->arm[0]), mat3_identity(),
                       mat3_scale(-1, mat3_skew(pair->arm[1]))};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            relative_add_block(H, i, j, 1, mat3_mul(mat3_transpose(C[i]), mat3_mul(K, C[j])));
    relative_add_block(H, TURN_A, TURN_A, -weight, mat3_mul(mat3_skew(n), mat3_skew(pair->arm[0])));
    relative_add_block(H, TURN_B, TURN_B, weight, mat3_mul(mat3_skew(n), mat3_skew(pair->arm[1])));
}

// m m' = D . D', m m'' + m'^2 = D' . D' + D . D''
static double relative_distance_velocity_term(const RelativeCoordinate *coordinate, const MarkerPair *pair,
                                              const double v[12]) {
    MovingVector gap = relative_gap_motion(pair, v);
    double length = relative_distance_value(coordinate, pair, NULL),
           rate = vec3_dot(gap.value, gap.rate) / length;
    return (vec3_norm2(gap.rate) + vec3_dot(gap.value, gap.second) - rate * rate) / length;
}

// ---- turn ----------------------------------------------------------------------------------------
typedef struct TurnParts { // s and c with their gradients
    double s, c;
    double s_gradient[12], c_gradient[12];
} TurnParts;

static TurnParts relative_turn_parts(const MarkerPair *pair) {
    Vec3 fx = mat3_column(pair->base, 0), fy = mat3_column(pair->base, 1);
    Vec3 gx = mat3_column(pair->axes[1], 0), gy = mat3_column(pair->axes[1], 1);
    TurnParts parts = {0};
    parts.s = relative_dot(fy, gx, parts.s_gradient, 1) + relative_dot(fx, gy, parts.s_gradient, -1);
    parts.c = relative_dot(fx, gx, parts.c_gradient, 1) + relative_dot(fy, gy, parts.c_gradient, 1);
    return parts;
}

static double relative_turn_value(const RelativeCoordinate *coordinate, const MarkerPair *pair,
                                  double *gradient) {
    (void)coordinate;
    TurnParts parts = relative_turn_parts(pair);
    double square = parts.s * parts.s + parts.c * parts.c;
    if (gradient)
        for (int i = 0; i < 12; i++)
            gradient[i] = (parts.c * parts.s_gradient[i] - parts.s * parts.c_gradient[i]) / square;
    const double full_turn = 6.283185307179586477;
    double angle = atan2(parts.s, parts.c);
    return angle + full_turn * round((pair->last_turn - angle) / full_turn);
}

static void relative_turn_curvature(const RelativeCoordinate *coordinate, const MarkerPair *pair,
                                    double weight, double H[12][12]) {
    (void)coordinate;
    Vec3 fx = mat3_column(pair->base, 0), fy = mat3_column(pair->base, 1);
    Vec3 gx = mat3_column(pair->axes[1], 0), gy = mat3_column(pair->axes[1], 1);
    TurnParts parts = relative_turn_parts(pair);
    double s = parts.s, c = parts.c, square = s * s + c * c;
    relative_dot_curvature(fy, gx, weight * c / square, H);
    relative_dot_curvature(fx, gy, -weight * c / square, H);
    relative_dot_curvature(fx, gx, -weight * s / square, H);
    relative_dot_curvature(fy, gy, -weight * s / square, H);
    // second derivatives of atan2(s, c)
    double ss = -2 * s * c / (square * square), sc = (s * s - c * c) / (square * square);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            H[i][j] += weight * (ss * (parts.s_gradient[i] * parts.s_gradient[j] -
                                       parts.c_gradient[i] * parts.c_gradient[j]) +
                                 sc * (parts.s_gradient[i] * parts.c_gradient[j] +
                                       parts.c_gradient[i] * parts.s_gradient[j]));
}

static double relative_turn_velocity_term(const RelativeCoordinate *coordinate, const MarkerPair *pair,
                                          const double v[12]) {
    (void)coordinate;
    MovingVector f[2], g[2];
    for (int i = 0; i < 2; i++) {
        f[i] = relative_fixed_vector(mat3_column(pair->base, i), relative_part(v, TURN_A));
        g[i] = relative_fixed_vector(mat3_column(pair->axes[1], i), relative_part(v, TURN_B));
    }
    TurnParts parts = relative_turn_parts(pair);
    double s = parts.s, c = parts.c, square = s * s + c * c, s_rate = 0, c_rate = 0;
    for (int i = 0; i < 12; i++) s_rate += parts.s_gradient[i] * v[i], c_rate += parts.c_gradient[i] * v[i];
    double s_second = relative_dot_second(f[1], g[0]) - relative_dot_second(f[0], g[1]);
    double c_second = relative_dot_second(f[0], g[0]) + relative_dot_second(f[1], g[1]);
    double rate = (c * s_rate - s * c_rate) / square;
    return (c * s_second - s * c_second - 2 * rate * (s * s_rate + c * c_rate)) / square;
}

// ---- the kinds -----------------------------------------------------------------------------------
const RelativeKind relative_translation = {.value = relative_translation_value,
                                           .add_curvature = relative_translation_curvature,
                                           .velocity_term = relative_translation_velocity_term};
const RelativeKind relative_crossing = {.from_driven = true,
                                        .value = relative_crossing_value,
                                        .add_curvature = relative_crossing_curvature,
                                        .velocity_term = relative_crossing_velocity_term};
const RelativeKind relative_rotation = {.from_driven = true,
                                        .value = relative_rotation_value,
                                        .add_curvature = relative_rotation_curvature,
                                        .velocity_term = relative_rotation_velocity_term};
const RelativeKind relative_distance = {.value = relative_distance_value,
                                        .add_curvature = relative_distance_curvature,
                                        .velocity_term = relative_distance_velocity_term};
const RelativeKind relative_turn = {.value = relative_turn_value,
                                    .add_curvature = relative_turn_curvature,
                                    .velocity_term = relative_turn_velocity_term};
