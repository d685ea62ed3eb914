// The cone of friction with rolling and spinning (cone.h), WIDE_LANES contacts at a time.
//
// Since max(0, y) is the larger one of 0 and y, g(x) of cone.h is the smallest of eight lines, one for each set S of discs:
//   g(x) = min over S of  w_n (x - z_n) - sum over S of w_k c_k (|z_k| - c_k x)
// All of them increase, so the root of g is the largest one of their roots. With q = -w z,
//   x = max over S of  (-q_n + sum over S of c_k |q_k|)/(w_n + sum over S of w_k c_k^2),   or zero
// whose denominators are known beforehand: no division, and no steps of Newton's method that differ from lane to lane.
#ifndef CONTACT_WIDE_CONE_H
#define CONTACT_WIDE_CONE_H

#include <float.h>

#include "contact/cone.h"
#include "math/wide3.h"

enum { WIDE_CONE_SETS = 1 << CONE_DISCS };

// 1/(w_n + sum over S of w_k c_k^2), S given by its bits.
static inline void wide_cone_slopes(Wide normal, const Wide disc[CONE_DISCS], const Wide radius[CONE_DISCS],
                                    Wide inverse[WIDE_CONE_SETS]) {
    Wide slope[WIDE_CONE_SETS];
    slope[0] = normal;
    for (unsigned set = 1; set < WIDE_CONE_SETS; set++) {
        int k = __builtin_ctz(set);
        slope[set] = wide_fma(disc[k] * radius[k], radius[k], slope[set & (set - 1)]);
    }
    for (int set = 0; set < WIDE_CONE_SETS; set++)
        inverse[set] = wide_set(1) / wide_max(slope[set], wide_set(DBL_MIN));
}

// back: -q_n; pull: c_k |q_k|.
static inline Wide wide_cone_root(Wide back, const Wide pull[CONE_DISCS],
                                  const Wide inverse[WIDE_CONE_SETS]) {
    Wide sum[WIDE_CONE_SETS], x = wide_max(back * inverse[0], wide_set(0));
    sum[0] = back;
    for (unsigned set = 1; set < WIDE_CONE_SETS; set++) {
        sum[set] = sum[set & (set - 1)] + pull[__builtin_ctz(set)];
        x = wide_max(sum[set] * inverse[set], x);
    }
    return x;
}

// A linear and an angular vector along the normal and in the discs.
typedef struct WideParts {
    Wide normal, spin;
    Wide3 tangent, roll;
    Wide size[CONE_DISCS], inverse[CONE_DISCS]; // lengths of the discs' vectors, and 1 over them
} WideParts;

static inline WideParts wide_cone_split(Wide3 n, Wide3 linear, Wide3 angular) {
    const Wide tiny = wide_set(1e-200); // avoids denormal numbers, which are slow
    WideParts z = {.normal = wide3_dot(linear, n), .spin = wide3_dot(angular, n)};
    z.tangent = wide3_fma(-z.normal, n, linear);
    z.roll = wide3_fma(-z.spin, n, angular);
    Wide square[CONE_DISCS] = {wide3_dot(z.tangent, z.tangent), wide3_dot(z.roll, z.roll), z.spin * z.spin};
    for (int k = 0; k < CONE_DISCS; k++) {
        square[k] = wide_max(square[k], tiny);
        z.inverse[k] = wide_inverse_sqrt(square[k]);
        z.size[k] = square[k] * z.inverse[k];
    }
    return z;
}

static inline Wide wide_cone_square(const WideParts *z) {
    Wide sum = z->normal * z->normal;
    for (int k = 0; k < CONE_DISCS; k++) sum = wide_fma(z->size[k], z->size[k], sum);
    return sum;
}

// The projection onto K with unit weights: its normal part, and by how much the discs' vectors are cut.
typedef struct WideKept {
    Wide normal, disc[CONE_DISCS];
} WideKept;

static inline WideKept wide_cone_project(const WideParts *z, const Wide radius[CONE_DISCS],
                                         const Wide inverse[WIDE_CONE_SETS]) {
    const Wide one = wide_set(1);
    Wide pull[CONE_DISCS];
    for (int k = 0; k < CONE_DISCS; k++) pull[k] = radius[k] * z->size[k];
    WideKept kept = {.normal = wide_cone_root(z->normal, pull, inverse)};
    for (int k = 0; k < CONE_DISCS; k++)
        kept.disc[k] = wide_min(one, radius[k] * kept.normal * z->inverse[k]);
    return kept;
}

// |P_K(-u)|: how far u is from the dual cone.
static inline Wide wide_cone_from_dual(const WideParts *u, const Wide radius[CONE_DISCS],
                                       const Wide inverse[WIDE_CONE_SETS]) {
    WideParts away = *u;
    away.normal = -u->normal;
    WideKept kept = wide_cone_project(&away, radius, inverse);
    Wide sum = kept.normal * kept.normal;
    for (int k = 0; k < CONE_DISCS; k++) {
        Wide size = kept.disc[k] * u->size[k];
        sum = wide_fma(size, size, sum);
    }
    return wide_quick_sqrt(sum);
}

#endif
