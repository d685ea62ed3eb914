// How springs at the spheres of a clump shake it, for time steps. A plane with the normal n that touches the spheres p of a set
// pushes each with a spring k at c_p + r_p n, and so through its centre c_p. With the mass m and the inertia m J
//
//     m w^2 / k  =  the largest eigenvalue of  sum over p of h_p h_p^T,     h_p = (1, J^(-1/2) (c_p x n))
//
// (of n alone and of turning: translations across n have no spring). A set with one sphere has 1 + (c x n) . J^-1 (c x n), the most
// of which over n is an eigenvalue. Planes that touch more are those on three spheres; on two, where no third one is near, they
// can be turned about the two, and are taken along three axes:
//
//     n . u = r_i - r_j,  u = c_j - c_i     and, of three,     n . v = r_i - r_k,  v = c_k - c_i
//
// Spheres whose distance from the plane is below a hundredth of their radius count: springs are compressed by that much.
#include <math.h>

#include "geometry/clump.h"

static const double shaking_near = 0.01; // over the radius

typedef struct Shaking {
    const Clump *clump;
    Mat3 root;   // J^(-1/2)
    double most; // so far
} Shaking;

static Mat3 shaking_root(const Clump *clump) {
    double trace = mat3_trace(clump->second_moment);
    Mat3 axes, inertia = mat3_sub(mat3_diagonal(trace, trace, trace), clump->second_moment);
    Vec3 values = mat3_symmetric_eigen(inertia, &axes);
    Mat3 roots = mat3_diagonal(1 / sqrt(values.x), 1 / sqrt(values.y), 1 / sqrt(values.z));
    return mat3_mul(mat3_mul(axes, roots), mat3_transpose(axes));
}

// The largest eigenvalue of a symmetric matrix without negative ones, by powers: a little too small at most.
static double shaking_eigenvalue(const double m[4][4]) {
    double v[4] = {1, 0.7, 0.5, 0.3}, size = 0;
    for (int n = 0; n < 40; n++) {
        double next[4] = {0};
        size = 0;
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++) next[i] += m[i][j] * v[j];
            size += next[i] * next[i];
        }
        size = sqrt(size);
        for (int i = 0; i < 4 && size > 0; i++) v[i] = next[i] / size;
    }
    return size;
}

// By a plane on sphere `first` with this normal, out of the clump, if all spheres are below it. Planes that touch an earlier
// sphere, too, have been looked at: of a flat plate all triples have the same one.
static void shaking_by_plane(Shaking *s, Vec3 n, int first) {
    const Clump *clump = s->clump;
    double sum[4][4] = {{0}};
    double height = vec3_dot(n, clump->parts[first].center) + clump->parts[first].shape.radius;
    for (int p = 0; p < clump->part_count; p++) {
        const ClumpPart *part = &clump->parts[p];
        if (part->shape.kind != SHAPE_SPHERE) continue;
        double below = height - vec3_dot(n, part->center) - part->shape.radius,
               near = shaking_near * part->shape.radius;
        if (below < -near) return;
        if (below > near) continue;
        if (p < first) return;
        Vec3 turn = mat3_apply(s->root, vec3_cross(part->center, n));
        const double h[4] = {1, turn.x, turn.y, turn.z};
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) sum[i][j] += h[i] * h[j];
    }
    s->most = fmax(s->most, shaking_eigenvalue((const double(*)[4])sum));
}

// The unit vectors n with n . u = a and n . v = b.
static void shaking_by_two_rows(Shaking *s, int first, Vec3 u, double a, Vec3 v, double b) {
    Vec3 m = vec3_cross(u, v);
    double area2 = vec3_norm2(m);
    if (!(area2 > 1e-12 * vec3_norm2(u) * vec3_norm2(v))) return;
    Vec3 within = vec3_scale(1 / area2, vec3_madd(vec3_scale(a, vec3_cross(v, m)), b, vec3_cross(m, u)));
    double rest = 1 - vec3_norm2(within);
    if (!(rest > 0)) return;
    for (int side = -1; side <= 1; side += 2) {
        Vec3 n = vec3_madd(within, side * sqrt(rest / area2), m);
        shaking_by_plane(s, n, first);
    }
}

static void shaking_by_one(Shaking *s, const ClumpPart *part) {
    Mat3 axes, arm = mat3_mul(s->root, mat3_skew(part->center));
    Vec3 values = mat3_symmetric_eigen(mat3_mul(mat3_transpose(arm), arm), &axes);
    s->most = fmax(s->most, 1 + fmax(values.x, fmax(values.y, values.z)));
}

double clump_shaking(const Clump *clump) {
    Shaking s = {clump, shaking_root(clump), 0};
    const ClumpPart *parts = clump->parts;
    static const Vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < clump->part_count; i++) {
        if (parts[i].shape.kind != SHAPE_SPHERE) continue;
        shaking_by_one(&s, &parts[i]);
        for (int j = i + 1; j < clump->part_count; j++) {
            if (parts[j].shape.kind != SHAPE_SPHERE) continue;
            Vec3 u = vec3_sub(parts[j].center, parts[i].center);
            double a = parts[i].shape.radius - parts[j].shape.radius;
            for (int k = 0; k < 3; k++) shaking_by_two_rows(&s, i, u, a, axes[k], 0); // n across the axis
            for (int k = j + 1; k < clump->part_count; k++)
                if (parts[k].shape.kind == SHAPE_SPHERE)
                    shaking_by_two_rows(&s, i, u, a, vec3_sub(parts[k].center, parts[i].center),
                                        parts[i].shape.radius - parts[k].shape.radius);
        }
    }
    return s.most;
}
