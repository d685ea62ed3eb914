// Measures between two markers, with gradient and curvature.
//
// Nodes A and B with origins x_A, x_B; arms b_A, b_B to the markers; gap D = x_B + b_B - x_A - b_A; axes f_i
// on A and g_j on B (columns of F and E). With d f = d theta_A x f, d b = d theta x b:
//
//   translation  m = e . D            e an axis on A; r = b_A + D is the second marker seen from A's origin
//                g = (-e, -r x e, e, b_B x e)
//   crossing     m = f . g            g = (0, f x g, 0, g x f)
//   rotation     m = psi_i            psi = log(F^T E), d psi = T^-1(psi) F^T (d theta_B - d theta_A),
//                                     g = (0, -p, 0, p), p = F T^-T(psi) e_i = F T^-1(-psi) e_i
//   distance     m = sqrt(D.D + s^2)  n = D/m, g = (-n, -b_A x n, n, b_B x n)
//   turn         m = atan2(s, c)      s = f_y.g_x - f_x.g_y, c = f_x.g_x + f_y.g_y: twice the angle of the
//                                     quaternion's z and w, so the turn that is left when the shortest tilt
//                                     between the two z axes is taken out; not defined at a tilt of half a
//                                     turn
//
// The curvatures follow by (d theta x u) x v = v x (u x d theta). What bends a measure at steady velocities
// follows by differentiating twice in time: u' = w x u, u'' = w x (w x u) for all that rides on a node.
#include "mechanism/measure.h"

#include <stddef.h>

#include "math/so3.h"

MarkerPair marker_pair(const NodeState *const nodes[2], const Marker markers[2], const Mat3 *turn,
                       bool rotates) {
    MarkerPair pair;
    for (int i = 0; i < 2; i++) {
        pair.arm[i] = mat3_apply(nodes[i]->R, markers[i].offset);
        pair.axes[i] = mat3_mul(nodes[i]->R, markers[i].axes);
        const Vec3 v = nodes[i]->v, w = nodes[i]->w;
        const double velocity[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
        for (int k = 0; k < 6; k++) pair.velocity[6 * i + k] = velocity[k];
    }
    pair.base = pair.axes[0];
    if (turn) pair.axes[0] = mat3_mul(pair.base, *turn);
    pair.gap = vec3_add(vec3_sub(nodes[1]->x, nodes[0]->x), vec3_sub(pair.arm[1], pair.arm[0]));
    if (rotates) {
        pair.rotation = so3_log(mat3_mul(mat3_transpose(pair.axes[0]), pair.axes[1]));
        pair.tangent = so3_tangent_inverse(vec3_neg(pair.rotation));
    }
    return pair;
}

// Places of the four displacements.
enum { X_A, TURN_A, X_B, TURN_B };

static void put(double gradient[12], int place, double factor, Vec3 v) {
    gradient[3 * place] = factor * v.x;
    gradient[3 * place + 1] = factor * v.y;
    gradient[3 * place + 2] = factor * v.z;
}

static void add(double H[12][12], int row, int column, double factor, Mat3 block) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) H[3 * row + i][3 * column + j] += factor * block.m[i][j];
}

// ---- translation ---------------------------------------------------------------------------------
static double translation(const Measure *measure, const MarkerPair *pair, double *gradient) {
    Vec3 e = mat3_column(pair->base, measure->axis);
    if (gradient) {
        put(gradient, X_A, -1, e);
        put(gradient, TURN_A, -1, vec3_cross(vec3_add(pair->arm[0], pair->gap), e));
        put(gradient, X_B, 1, e);
        put(gradient, TURN_B, 1, vec3_cross(pair->arm[1], e));
    }
    return vec3_dot(e, pair->gap);
}

static void translation_curvature(const Measure *measure, const MarkerPair *pair, double weight,
                                  double H[12][12]) {
    Mat3 e = mat3_skew(mat3_column(pair->base, measure->axis));
    Mat3 r = mat3_skew(vec3_add(pair->arm[0], pair->gap)), b = mat3_skew(pair->arm[1]);
    add(H, X_A, TURN_A, weight, e);
    add(H, X_B, TURN_A, -weight, e);
    // d(-r x e) = e x dr - r x de, dr = dx_B - b_B x d theta_B - dx_A
    add(H, TURN_A, X_A, -weight, e);
    add(H, TURN_A, TURN_A, weight, mat3_mul(r, e));
    add(H, TURN_A, X_B, weight, e);
    add(H, TURN_A, TURN_B, -weight, mat3_mul(e, b));
    add(H, TURN_B, TURN_A, -weight, mat3_mul(b, e));
    add(H, TURN_B, TURN_B, weight, mat3_mul(e, b));
}

typedef struct Twice { // a vector that rides on a node, or a sum of such, with two derivatives
    Vec3 value, rate, second;
} Twice;

static Vec3 part(const double v[12], int place) {
    return vec3(v[3 * place], v[3 * place + 1], v[3 * place + 2]);
}

static Twice riding(Vec3 u, Vec3 w) {
    Vec3 rate = vec3_cross(w, u);
    return (Twice){u, rate, vec3_cross(w, rate)};
}

static double dot_bend(Twice a, Twice b) {
    return vec3_dot(a.second, b.value) + 2 * vec3_dot(a.rate, b.rate) + vec3_dot(a.value, b.second);
}

static Twice gap_twice(const MarkerPair *pair, const double v[12]) {
    Twice a = riding(pair->arm[0], part(v, TURN_A)), b = riding(pair->arm[1], part(v, TURN_B));
    Vec3 slide = vec3_sub(part(v, X_B), part(v, X_A));
    return (Twice){pair->gap, vec3_add(slide, vec3_sub(b.rate, a.rate)), vec3_sub(b.second, a.second)};
}

static double translation_bend(const Measure *measure, const MarkerPair *pair, const double v[12]) {
    return dot_bend(riding(mat3_column(pair->base, measure->axis), part(v, TURN_A)), gap_twice(pair, v));
}

// ---- crossing ------------------------------------------------------------------------------------
static double dot(Vec3 f, Vec3 g, double *gradient, double factor) { // adds to the gradient
    Vec3 across = vec3_cross(f, g);
    if (gradient)
        for (int i = 0; i < 3; i++) {
            gradient[3 * TURN_A + i] += factor * vec3_component(across, i);
            gradient[3 * TURN_B + i] -= factor * vec3_component(across, i);
        }
    return factor * vec3_dot(f, g);
}

static void dot_curvature(Vec3 f, Vec3 g, double weight, double H[12][12]) {
    Mat3 by_a = mat3_mul(mat3_skew(g), mat3_skew(f)), by_b = mat3_mul(mat3_skew(f), mat3_skew(g));
    add(H, TURN_A, TURN_A, weight, by_a);
    add(H, TURN_A, TURN_B, -weight, by_b);
    add(H, TURN_B, TURN_A, -weight, by_a);
    add(H, TURN_B, TURN_B, weight, by_b);
}

static double crossing(const Measure *measure, const MarkerPair *pair, double *gradient) {
    Vec3 f = mat3_column(pair->axes[0], measure->axis), g = mat3_column(pair->axes[1], measure->other);
    if (gradient)
        for (int i = 0; i < 12; i++) gradient[i] = 0;
    return dot(f, g, gradient, measure->sign);
}

static void crossing_curvature(const Measure *measure, const MarkerPair *pair, double weight,
                               double H[12][12]) {
    dot_curvature(mat3_column(pair->axes[0], measure->axis), mat3_column(pair->axes[1], measure->other),
                  weight * measure->sign, H);
}

static double crossing_bend(const Measure *measure, const MarkerPair *pair, const double v[12]) {
    return measure->sign * dot_bend(riding(mat3_column(pair->axes[0], measure->axis), part(v, TURN_A)),
                                    riding(mat3_column(pair->axes[1], measure->other), part(v, TURN_B)));
}

// ---- rotation ------------------------------------------------------------------------------------
static Vec3 unit(int axis) { return vec3(axis == 0, axis == 1, axis == 2); }

static double rotation(const Measure *measure, const MarkerPair *pair, double *gradient) {
    if (gradient) {
        Vec3 p = mat3_apply(pair->axes[0], mat3_column(pair->tangent, measure->axis));
        put(gradient, X_A, 0, p);
        put(gradient, TURN_A, -1, p);
        put(gradient, X_B, 0, p);
        put(gradient, TURN_B, 1, p);
    }
    return vec3_component(pair->rotation, measure->axis);
}

static void rotation_curvature(const Measure *measure, const MarkerPair *pair, double weight,
                               double H[12][12]) {
    Vec3 back = vec3_neg(pair->rotation);
    Mat3 F = pair->axes[0];
    Vec3 p = mat3_apply(F, mat3_column(pair->tangent, measure->axis));
    // dp = d theta_A x p - F d(T^-1 e_i)(-psi) d psi
    Mat3 derivative =
        mat3_mul(so3_tangent_inverse_derivative(back, unit(measure->axis)), mat3_transpose(pair->tangent));
    Mat3 N = mat3_scale(-1, mat3_mul(F, mat3_mul(derivative, mat3_transpose(F))));
    Mat3 by_a = mat3_add(mat3_skew(p), N);
    add(H, TURN_B, TURN_A, -weight, by_a);
    add(H, TURN_B, TURN_B, weight, N);
    add(H, TURN_A, TURN_A, weight, by_a);
    add(H, TURN_A, TURN_B, -weight, N);
}

// psi' = T^-1 u, u = F^T (w_B - w_A), u' = -F^T (w_A x (w_B - w_A)) = -F^T (w_A x w_B)
static double rotation_bend(const Measure *measure, const MarkerPair *pair, const double v[12]) {
    Vec3 w = part(v, TURN_A), other = part(v, TURN_B);
    Vec3 u = mat3_apply_transpose(pair->axes[0], vec3_sub(other, w));
    Vec3 bent = mat3_apply_transpose(pair->axes[0], vec3_cross(other, w));
    Mat3 derivative = so3_tangent_inverse_derivative(pair->rotation, u);
    Vec3 second = vec3_add(mat3_apply(derivative, mat3_apply_transpose(pair->tangent, u)),
                           mat3_apply_transpose(pair->tangent, bent));
    return vec3_component(second, measure->axis);
}

// ---- distance ------------------------------------------------------------------------------------
static double distance(const Measure *measure, const MarkerPair *pair, double *gradient) {
    double length = sqrt(vec3_norm2(pair->gap) + measure->smoothing * measure->smoothing);
    if (gradient) {
        Vec3 n = vec3_scale(1 / length, pair->gap);
        put(gradient, X_A, -1, n);
        put(gradient, TURN_A, -1, vec3_cross(pair->arm[0], n));
        put(gradient, X_B, 1, n);
        put(gradient, TURN_B, 1, vec3_cross(pair->arm[1], n));
    }
    return length;
}

static void distance_curvature(const Measure *measure, const MarkerPair *pair, double weight,
                               double H[12][12]) {
    double length = distance(measure, pair, NULL);
    Vec3 n = vec3_scale(1 / length, pair->gap);
    Mat3 K = mat3_scale(weight / length, mat3_sub(mat3_identity(), mat3_outer(n, n))); // dn = K dD / weight
    // dD = C_0 dx_A + C_1 d theta_A + C_2 dx_B + C_3 d theta_B; the gradient is C^T n
    const Mat3 C[4] = {mat3_diagonal(-1, -1, -1), mat3_skew(pair->arm[0]), mat3_identity(),
                       mat3_scale(-1, mat3_skew(pair->arm[1]))};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) add(H, i, j, 1, mat3_mul(mat3_transpose(C[i]), mat3_mul(K, C[j])));
    add(H, TURN_A, TURN_A, -weight, mat3_mul(mat3_skew(n), mat3_skew(pair->arm[0])));
    add(H, TURN_B, TURN_B, weight, mat3_mul(mat3_skew(n), mat3_skew(pair->arm[1])));
}

// m m' = D . D', m m'' + m'^2 = D' . D' + D . D''
static double distance_bend(const Measure *measure, const MarkerPair *pair, const double v[12]) {
    Twice gap = gap_twice(pair, v);
    double length = distance(measure, pair, NULL), rate = vec3_dot(gap.value, gap.rate) / length;
    return (vec3_norm2(gap.rate) + vec3_dot(gap.value, gap.second) - rate * rate) / length;
}

// ---- turn ----------------------------------------------------------------------------------------
typedef struct TurnParts {
    double s, c;
    double s_gradient[12], c_gradient[12];
} TurnParts;

static TurnParts turn_parts(const MarkerPair *pair) {
    Vec3 fx = mat3_column(pair->axes[0], 0), fy = mat3_column(pair->axes[0], 1);
    Vec3 gx = mat3_column(pair->axes[1], 0), gy = mat3_column(pair->axes[1], 1);
    TurnParts parts = {0};
    parts.s = dot(fy, gx, parts.s_gradient, 1) + dot(fx, gy, parts.s_gradient, -1);
    parts.c = dot(fx, gx, parts.c_gradient, 1) + dot(fy, gy, parts.c_gradient, 1);
    return parts;
}

static double turn(const Measure *measure, const MarkerPair *pair, double *gradient) {
    (void)measure;
    TurnParts parts = turn_parts(pair);
    double square = parts.s * parts.s + parts.c * parts.c;
    if (gradient)
        for (int i = 0; i < 12; i++)
            gradient[i] = (parts.c * parts.s_gradient[i] - parts.s * parts.c_gradient[i]) / square;
    return atan2(parts.s, parts.c);
}

static void turn_curvature(const Measure *measure, const MarkerPair *pair, double weight, double H[12][12]) {
    (void)measure;
    Vec3 fx = mat3_column(pair->axes[0], 0), fy = mat3_column(pair->axes[0], 1);
    Vec3 gx = mat3_column(pair->axes[1], 0), gy = mat3_column(pair->axes[1], 1);
    TurnParts parts = turn_parts(pair);
    double s = parts.s, c = parts.c, square = s * s + c * c;
    dot_curvature(fy, gx, weight * c / square, H);
    dot_curvature(fx, gy, -weight * c / square, H);
    dot_curvature(fx, gx, -weight * s / square, H);
    dot_curvature(fy, gy, -weight * s / square, H);
    // second derivatives of atan2(s, c)
    double ss = -2 * s * c / (square * square), sc = (s * s - c * c) / (square * square);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            H[i][j] += weight * (ss * (parts.s_gradient[i] * parts.s_gradient[j] -
                                       parts.c_gradient[i] * parts.c_gradient[j]) +
                                 sc * (parts.s_gradient[i] * parts.c_gradient[j] +
                                       parts.c_gradient[i] * parts.s_gradient[j]));
}

static double turn_bend(const Measure *measure, const MarkerPair *pair, const double v[12]) {
    (void)measure;
    Twice f[2], g[2];
    for (int i = 0; i < 2; i++) {
        f[i] = riding(mat3_column(pair->axes[0], i), part(v, TURN_A));
        g[i] = riding(mat3_column(pair->axes[1], i), part(v, TURN_B));
    }
    TurnParts parts = turn_parts(pair);
    double s = parts.s, c = parts.c, square = s * s + c * c, s_rate = 0, c_rate = 0;
    for (int i = 0; i < 12; i++) s_rate += parts.s_gradient[i] * v[i], c_rate += parts.c_gradient[i] * v[i];
    double s_bend = dot_bend(f[1], g[0]) - dot_bend(f[0], g[1]);
    double c_bend = dot_bend(f[0], g[0]) + dot_bend(f[1], g[1]);
    double rate = (c * s_rate - s * c_rate) / square;
    return (c * s_bend - s * c_bend - 2 * rate * (s * s_rate + c * c_rate)) / square;
}

// ---- the table -----------------------------------------------------------------------------------
static const struct {
    double (*value)(const Measure *measure, const MarkerPair *pair, double *gradient);
    void (*curvature)(const Measure *measure, const MarkerPair *pair, double weight, double H[12][12]);
    double (*bend)(const Measure *measure, const MarkerPair *pair, const double v[12]);
} kinds[] = {
    [MEASURE_TRANSLATION] = {translation, translation_curvature, translation_bend},
    [MEASURE_CROSSING] = {crossing, crossing_curvature, crossing_bend},
    [MEASURE_ROTATION] = {rotation, rotation_curvature, rotation_bend},
    [MEASURE_DISTANCE] = {distance, distance_curvature, distance_bend},
    [MEASURE_TURN] = {turn, turn_curvature, turn_bend},
};

double measure_value(const Measure *measure, const MarkerPair *pair, double gradient[12]) {
    return kinds[measure->kind].value(measure, pair, gradient);
}

void measure_add_curvature(const Measure *measure, const MarkerPair *pair, double weight, double H[12][12]) {
    kinds[measure->kind].curvature(measure, pair, weight, H);
}

double measure_bend(const Measure *measure, const MarkerPair *pair, const double v[12]) {
    return kinds[measure->kind].bend(measure, pair, v);
}
