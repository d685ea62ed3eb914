// Rotations of nodes in a step, WIDE_LANES nodes at a time.
//
// For each node the equation of two_step.c is solved,
//
//     theta = theta~ + c T(theta)^-1 w,   T^-1(theta) w = w - theta x w/2 + z theta x (theta x w)
//
// with I - skew(u), u = c w/2, as derivative: (I - skew(u))^-1 b = (b + u x b + u (u.b))/(1 + u.u). Then R = exp(theta)
// R1. z and the coefficients of exp are series in |theta|^2 (so3.c), of which the first term left out is below 1e-19 up
// to the limit turns_small2. Nodes that turn further in a step are left to the functions for one node.
#include <math.h>

#include "math/so3.h"
#include "math/wide3.h"
#include "mechanism/internal.h"

static const double turns_small2 = 0.1; // |theta|^2

// ---- one node ------------------------------------------------------------------------------------
static Vec3 turns_solve_one(Vec3 base, double c, Vec3 w, Vec3 theta) {
    Vec3 u = vec3_scale(0.5 * c, w);
    double small = vec3_norm2(u) < 0.1 ? vec3_norm2(u) + 1e-16 : 1, inverse = 1 / (1 + vec3_norm2(u));
    for (int k = 0; k < 20; k++) {
        Vec3 rate = so3_tangent_inverse_apply(theta, w);
        Vec3 miss = vec3_sub(vec3_madd(base, c, rate), theta);
        Vec3 step = vec3_madd(vec3_add(miss, vec3_cross(u, miss)), vec3_dot(u, miss), u);
        theta = vec3_madd(theta, inverse, step);
        // The error left is of order |u|^2 times the miss.
        if (vec3_norm2(miss) * small * small <= 1e-34 * vec3_norm2(theta)) break;
    }
    return theta;
}

static void turns_move_one(Mechanism *m, Instant one, int n) {
    NodeState *y = &m->now.nodes[n];
    StepBase *base = &m->base[n];
    base->turn = turns_solve_one(base->theta, m->head->c, y->w, base->turn);
    y->R = mat3_mul(so3_exp(base->turn), one.nodes[n].R);
}

// ---- several -------------------------------------------------------------------------------------
static inline Wide turns_polynomial(const double *coefficients, int count, Wide s) {
    Wide sum = wide_set(coefficients[count - 1]);
    for (int k = count - 2; k >= 0; k--) sum = wide_fma(sum, s, wide_set(coefficients[k]));
    return sum;
}

enum { TURNS_TERMS = 7 };
static const double turns_sine[TURNS_TERMS] = {
    1, // sin(a)/a
    -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800.0};
static const double turns_cosine[TURNS_TERMS] = {0.5, // (1 - cos a)/a^2
                                                 -1.0 / 24,     1.0 / 720,        -1.0 / 40320,
                                                 1.0 / 3628800, -1.0 / 479001600, 1.0 / 87178291200.0};
static const double turns_cotangent[TURNS_TERMS] = {
    1.0 / 12, // (1 - a/2 cot(a/2))/a^2
    1.0 / 720, 1.0 / 30240, 1.0 / 1209600, 1.0 / 47900160, 691 / 1307674368000.0, 1.0 / 74724249600.0};

typedef struct Lanes3 {
    _Alignas(Wide) double x[WIDE_LANES], y[WIDE_LANES], z[WIDE_LANES];
} Lanes3;

static inline void turns_put(Lanes3 *lanes, int k, Vec3 v) {
    lanes->x[k] = v.x, lanes->y[k] = v.y, lanes->z[k] = v.z;
}
static inline Wide3 turns_read(const Lanes3 *lanes) {
    return (Wide3){*(const Wide *)lanes->x, *(const Wide *)lanes->y, *(const Wide *)lanes->z};
}
static inline void turns_write(Lanes3 *lanes, Wide3 v) {
    *(Wide *)lanes->x = v.x, *(Wide *)lanes->y = v.y, *(Wide *)lanes->z = v.z;
}

// False: some node turns too far, or does not converge.
static inline bool turns_solve(Wide3 base, Wide c, Wide3 w, Wide3 *theta) {
    const Wide one = wide_set(1), all = wide_set(turns_small2);
    Wide3 u = wide3_scale(wide_set(0.5) * c, w);
    Wide size = wide3_dot(u, u), small = size + wide_set(1e-16), inverse = one / (one + size);
    const unsigned every = (1u << WIDE_LANES) - 1;
    if ((wide_mask_bits(wide_less(size, all)) & every) != every) return false;
    for (int k = 0; k < 20; k++) {
        Wide3 once = wide3_cross(*theta, w), twice = wide3_cross(*theta, once);
        Wide z = turns_polynomial(turns_cotangent, TURNS_TERMS, wide3_dot(*theta, *theta));
        Wide3 rate = wide3_fma(z, twice, wide3_fma(wide_set(-0.5), once, w));
        Wide3 miss = wide3_sub(wide3_fma(c, rate, base), *theta);
        Wide3 step = wide3_fma(wide3_dot(u, miss), u, wide3_add(miss, wide3_cross(u, miss)));
        *theta = wide3_fma(inverse, step, *theta);
        Wide square = wide3_dot(*theta, *theta), left = wide3_dot(miss, miss) * small * small;
        if ((wide_mask_bits(wide_less(square, all)) & every) != every) return false; // NaN, too
        if ((wide_mask_bits(wide_less_equal(left, wide_set(1e-34) * square)) & every) == every) return true;
    }
    return false;
}

// exp(theta) r = r + sin(a)/a theta x r + (1 - cos a)/a^2 theta x (theta x r)
static inline Wide3 turns_rotate(Wide3 theta, Wide sine, Wide cosine, Wide3 r) {
    Wide3 once = wide3_cross(theta, r);
    return wide3_fma(cosine, wide3_cross(theta, once), wide3_fma(sine, once, r));
}

// From node `first` on, `count` of them; lanes beyond repeat the last.
static bool turns_move_several(Mechanism *m, Instant one, int first, int count) {
    Lanes3 base, w, theta, columns[3];
    for (int k = 0; k < WIDE_LANES; k++) {
        int n = first + (k < count ? k : count - 1);
        turns_put(&base, k, m->base[n].theta);
        turns_put(&w, k, m->now.nodes[n].w);
        turns_put(&theta, k, m->base[n].turn);
        for (int j = 0; j < 3; j++) turns_put(&columns[j], k, mat3_column(one.nodes[n].R, j));
    }
    Wide3 turn = turns_read(&theta);
    if (!turns_solve(turns_read(&base), wide_set(m->head->c), turns_read(&w), &turn)) return false;
    Wide square = wide3_dot(turn, turn), sine = turns_polynomial(turns_sine, TURNS_TERMS, square),
         cosine = turns_polynomial(turns_cosine, TURNS_TERMS, square);
    turns_write(&theta, turn);
    for (int j = 0; j < 3; j++)
        turns_write(&columns[j], turns_rotate(turn, sine, cosine, turns_read(&columns[j])));
    for (int k = 0; k < count; k++) {
        Mat3 *R = &m->now.nodes[first + k].R;
        m->base[first + k].turn = vec3(theta.x[k], theta.y[k], theta.z[k]);
        for (int j = 0; j < 3; j++)
            R->m[0][j] = columns[j].x[k], R->m[1][j] = columns[j].y[k], R->m[2][j] = columns[j].z[k];
    }
    return true;
}

void turns_move(Mechanism *m, Instant one) {
    for (int first = 0; first < m->node_count; first += WIDE_LANES) {
        int left = m->node_count - first, count = left < WIDE_LANES ? left : WIDE_LANES;
        if (turns_move_several(m, one, first, count)) continue;
        for (int n = first; n < first + count; n++) turns_move_one(m, one, n);
    }
}
