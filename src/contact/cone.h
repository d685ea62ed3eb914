// The cone of friction of one contact, in vectors (no tangents are needed).
//
// With the normal part x = p_n and the discs k = tangential, rolling, spinning, of radius c_k x:
//
//   minimise  w_n/2 (x - z_n)^2 + sum_k w_k/2 |p_k - z_k|^2   over p in K,   z = -q/w
//
// For given x each disc's part is z_k cut to its radius, so x is the root of the increasing, concave,
// piecewise linear function
//
//   g(x) = w_n (x - z_n) - sum_k w_k c_k max(0, |z_k| - c_k x),    or zero if g(0) >= 0.
//
// Newton's method from x = 0 reaches it in at most four steps, exactly. With unit weights this is the
// projection onto K; with the weights w_n, w_t of two spheres it solves their contact exactly, since the
// block of two spheres is diagonal: 1/m_a + 1/m_b along the normal, and with r^2/I added along the tangents.
#ifndef CONTACT_CONE_H
#define CONTACT_CONE_H

#include "contact/problem.h"
#include "contact/twist.h"

enum { CONE_TANGENT, CONE_ROLL, CONE_SPIN, CONE_DISCS };

typedef struct ConeWeights {
    double normal, disc[CONE_DISCS]; // w of the normal and of each disc
} ConeWeights;

typedef struct Cone {
    double radius[CONE_DISCS]; // of the discs, per unit of normal impulse
    bool turns;                // are there discs beyond the tangential one?
} Cone;

static inline Cone cone_of(const ContactPoint *c, double length) { // moments measured in units of `length`
    if (!contact_turns(c)) return (Cone){{c->friction, 0, 0}, false};
    return (Cone){{c->friction, c->rolling / length, c->spinning / length}, true};
}

// Normal part and discs of a linear and an angular vector.
typedef struct ConeParts {
    double normal, spin;
    Vec3 tangent, roll;
    double size[CONE_DISCS]; // lengths of the discs' vectors
} ConeParts;

static inline ConeParts cone_split(const Cone *cone, Vec3 n, Twist z) {
    ConeParts parts = {.normal = vec3_dot(z.linear, n)};
    parts.tangent = vec3_madd(z.linear, -parts.normal, n);
    parts.size[CONE_TANGENT] = vec3_norm(parts.tangent);
    if (cone->turns) {
        parts.spin = vec3_dot(z.angular, n);
        parts.roll = vec3_madd(z.angular, -parts.spin, n);
        parts.size[CONE_ROLL] = vec3_norm(parts.roll);
        parts.size[CONE_SPIN] = fabs(parts.spin);
    }
    return parts;
}

// D, the opening of the relaxed law: c . sizes of the velocity's discs.
static inline double cone_shift(const Cone *cone, Vec3 n, Twist u) {
    ConeParts parts = cone_split(cone, n, u);
    double shift = 0;
    for (int k = 0; k < CONE_DISCS; k++) shift += cone->radius[k] * parts.size[k];
    return shift;
}

// What Coulomb's law adds to the normal velocity (problem.h).
static inline double cone_excess(const Cone *cone, Vec3 n, Twist u, double dilation) {
    return dilation < INFINITY ? fmax(0, cone_shift(cone, n, u) - dilation) : 0;
}

static inline double cone_normal_root(const Cone *cone, const ConeWeights *w, const ConeParts *z) {
    double x = 0;
    for (int step = 0; step <= CONE_DISCS + 1; step++) {
        double value = -w->normal * z->normal, slope = w->normal;
        for (int k = 0; k < CONE_DISCS; k++) {
            double c = cone->radius[k];
            if (z->size[k] <= c * x) continue;
            value -= w->disc[k] * c * z->size[k];
            slope += w->disc[k] * c * c;
        }
        if (value >= 0) return 0;
        double next = -value / slope;
        if (!(next > x)) return x;
        x = next;
    }
    return x;
}

static inline double cone_cut(double radius, double size) { return size > radius ? radius / size : 1; }

// The minimiser above for the velocity q that the contact would have without its own impulse. With a bounded dilation d,
// x is the root of the larger one of two increasing functions, g(x) and w_n (x - z_n) - d, hence the smaller one of
// their roots; then the discs are cut.
static inline Twist cone_solve(const Cone *cone, const ConeWeights *w, Vec3 n, Twist q, double dilation) {
    ConeParts z = cone_split(cone, n, q);
    z.normal /= -w->normal;
    for (int k = 0; k < CONE_DISCS; k++) z.size[k] /= w->disc[k];
    double x = z.normal + dilation / w->normal;
    if (x > 0 && dilation > 0) x = fmin(x, cone_normal_root(cone, w, &z));
    if (!(x > 0)) return twist_zero();
    Twist p = {vec3_scale(x, n), {0, 0, 0}};
    double cut = cone_cut(cone->radius[CONE_TANGENT] * x, z.size[CONE_TANGENT]);
    p.linear = vec3_madd(p.linear, -cut / w->disc[CONE_TANGENT], z.tangent);
    if (cone->turns) {
        double roll = cone_cut(cone->radius[CONE_ROLL] * x, z.size[CONE_ROLL]) / w->disc[CONE_ROLL],
               spin = cone_cut(cone->radius[CONE_SPIN] * x, z.size[CONE_SPIN]) / w->disc[CONE_SPIN];
        p.angular = vec3_madd(vec3_scale(-roll, z.roll), -spin * z.spin, n);
    }
    return p;
}

static inline Twist cone_project(const Cone *cone, Vec3 n, Twist z) {
    static const ConeWeights unit = {1, {1, 1, 1}};
    Twist q = {vec3_neg(z.linear), vec3_neg(z.angular)};
    return cone_solve(cone, &unit, n, q, INFINITY);
}

#endif
