// The distance of two convex bodies by the algorithm of Gilbert, Johnson and Keerthi (1988, doi:10.1109/56.2083): the
// point v of the difference {x_a - x_b} that is nearest to zero, among ever better simplices of up to four of its
// vertices w. |v| is never less than the distance, and v . w/|v|, for the w furthest against v, never more: both agree
// at the end, or the result is not taken. Then, and that is rare, all pairs of features are compared.
#include <math.h>

#include "geometry/polyhedron.h"
#include "math/simd.h"

typedef struct GjkVertex {
    Vec3 w;
    int a, b;
} GjkVertex;

typedef struct GjkSimplex {
    int count;
    GjkVertex vertex[4];
    double weight[4];
    Vec3 nearest; // point of the simplex to zero
} GjkSimplex;

enum { gjk_rounds = 64 };
static const double gjk_touching = 1e-10;  // of the size: nearer is left to polyhedron_overlap
static const double gjk_agreement = 1e-14; // of the size: between the two bounds of the distance
static const double gjk_allowed = 1e-11;   // the same where rounding allows no better

void polyhedron_view(PolyhedronView *view, const Hull *hull, double radius, Vec3 center, Mat3 axes) {
    view->hull = hull;
    view->scale = radius;
    view->center = center;
    view->axes = axes;
    view->count = hull->vertex_count;
    Mat3 scaled = mat3_scale(radius, axes);
    for (int i = 0; i < hull->vertex_count; i++) {
        Vec3 p = vec3_add(center, mat3_apply(scaled, hull->vertices[i]));
        view->x[i] = p.x, view->y[i] = p.y, view->z[i] = p.z;
    }
    int last = view->count - 1;
    for (int i = view->count; i % WIDE_LANES != 0; i++)
        view->x[i] = view->x[last], view->y[i] = view->y[last], view->z[i] = view->z[last];
}

// The first of those that are as far.
int polyhedron_support(const PolyhedronView *view, Vec3 d, double *most) {
    _Alignas(64) double along[POLYHEDRON_PADDED];
    const Wide x = wide_set(d.x), y = wide_set(d.y), z = wide_set(d.z);
    Wide top = wide_set(-INFINITY);
    for (int i = 0; i < view->count; i += WIDE_LANES) {
        Wide here = x * wide_load(view->x + i) + y * wide_load(view->y + i) + z * wide_load(view->z + i);
        wide_store(along + i, here);
        top = wide_max(here, top);
    }
    *most = wide_largest(top);
    const Wide largest = wide_set(*most);
    for (int i = 0; i < view->count; i += WIDE_LANES) {
        unsigned found = wide_mask_bits(wide_less_equal(largest, wide_load(along + i)));
        if (found) return i + __builtin_ctz(found);
    }
    return 0; // not a number
}

// ---- the nearest point of a simplex --------------------------------------------------------------
static void gjk_keep(GjkSimplex *s, int count, const GjkVertex *vertices, const double *weights) {
    s->count = 0;
    s->nearest = vec3_zero();
    for (int i = 0; i < count; i++) {
        if (!(weights[i] > 0)) continue;
        s->vertex[s->count] = vertices[i];
        s->weight[s->count++] = weights[i];
        s->nearest = vec3_madd(s->nearest, weights[i], vertices[i].w);
    }
}

static void gjk_nearest_on_line(GjkSimplex *s, const GjkVertex v[2]) {
    Vec3 ab = vec3_sub(v[1].w, v[0].w);
    double length2 = vec3_norm2(ab), t = length2 > 0 ? -vec3_dot(v[0].w, ab) / length2 : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    gjk_keep(s, 2, v, (const double[]){1 - t, t});
}

// Ericson, Real-Time Collision Detection, 2005, 5.1.5, for the point zero.
static void gjk_nearest_on_triangle(GjkSimplex *s, const GjkVertex v[3]) {
    Vec3 a = v[0].w, b = v[1].w, c = v[2].w, ab = vec3_sub(b, a), ac = vec3_sub(c, a);
    double d1 = -vec3_dot(ab, a), d2 = -vec3_dot(ac, a), d3 = -vec3_dot(ab, b), d4 = -vec3_dot(ac, b),
           d5 = -vec3_dot(ab, c), d6 = -vec3_dot(ac, c);
    double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    if (d1 <= 0 && d2 <= 0) gjk_keep(s, 1, v, (const double[]){1});
    else if (d3 >= 0 && d4 <= d3) gjk_keep(s, 1, v + 1, (const double[]){1});
    else if (d6 >= 0 && d5 <= d6) gjk_keep(s, 1, v + 2, (const double[]){1});
    else if (vc <= 0 && d1 >= 0 && d3 <= 0) gjk_nearest_on_line(s, v);
    else if (vb <= 0 && d2 >= 0 && d6 <= 0) gjk_nearest_on_line(s, (const GjkVertex[]){v[0], v[2]});
    else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) gjk_nearest_on_line(s, v + 1);
    else {
        double scale = 1 / (va + vb + vc);
        gjk_keep(s, 3, v, (const double[]){va * scale, vb * scale, vc * scale});
        // By its plane: the sum of weighted corners loses digits where the corners are far from zero.
        Vec3 normal = vec3_cross(ab, ac);
        double length2 = vec3_norm2(normal);
        if (length2 > 0) s->nearest = vec3_scale(vec3_dot(normal, a) / length2, normal);
    }
}

// The nearest of the faces that zero is outside of; false: zero is inside.
static bool gjk_nearest_on_tetrahedron(GjkSimplex *s, const GjkVertex v[4]) {
    static const int faces[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
    double best = INFINITY;
    for (int f = 0; f < 4; f++) {
        const GjkVertex corner[3] = {v[faces[f][0]], v[faces[f][1]], v[faces[f][2]]};
        Vec3 normal = vec3_cross(vec3_sub(corner[1].w, corner[0].w), vec3_sub(corner[2].w, corner[0].w));
        double inside = vec3_dot(normal, vec3_sub(v[faces[f][3]].w, corner[0].w));
        double zero = -vec3_dot(normal, corner[0].w);
        if (inside * zero > 0 && fabs(inside) > 0) continue;
        GjkSimplex face;
        gjk_nearest_on_triangle(&face, corner);
        double distance2 = vec3_norm2(face.nearest);
        if (distance2 < best) best = distance2, *s = face;
    }
    return best < INFINITY;
}

static bool gjk_nearest(GjkSimplex *s) {
    GjkVertex v[4];
    for (int i = 0; i < s->count; i++) v[i] = s->vertex[i];
    switch (s->count) {
    case 1:
        gjk_keep(s, 1, v, (const double[]){1});
        return true;
    case 2:
        gjk_nearest_on_line(s, v);
        return true;
    case 3:
        gjk_nearest_on_triangle(s, v);
        return true;
    default:
        return gjk_nearest_on_tetrahedron(s, v);
    }
}

// ---- the result ----------------------------------------------------------------------------------
static void polyhedron_add_name(int *names, int *count, int name) {
    for (int i = 0; i < *count; i++)
        if (names[i] == name) return;
    if (*count < 3) names[(*count)++] = name;
}

static void gjk_axis(const PolyhedronView *a, const PolyhedronView *b, const GjkSimplex *s, double distance,
                     PolyhedronAxis *axis) {
    *axis =
        (PolyhedronAxis){.normal = vec3_scale(1 / vec3_norm(s->nearest), s->nearest), .separation = distance};
    double sum = 0;
    for (int i = 0; i < s->count; i++) sum += s->weight[i];
    for (int i = 0; i < s->count; i++) {
        double weight = s->weight[i] / sum;
        axis->on_a = vec3_madd(axis->on_a, weight, polyhedron_vertex(a, s->vertex[i].a));
        axis->on_b = vec3_madd(axis->on_b, weight, polyhedron_vertex(b, s->vertex[i].b));
        polyhedron_add_name(axis->a, &axis->a_count, s->vertex[i].a);
        polyhedron_add_name(axis->b, &axis->b_count, s->vertex[i].b);
    }
}

// ---- all pairs of features, for what rounding does not decide -------------------------------------
typedef struct NearestPair {
    double distance2;
    GjkSimplex simplex;
} NearestPair;

static void polyhedron_try(NearestPair *pair, const GjkSimplex *s) {
    double distance2 = vec3_norm2(s->nearest);
    if (distance2 < pair->distance2) pair->distance2 = distance2, pair->simplex = *s;
}

static GjkVertex polyhedron_difference(const PolyhedronView *a, const PolyhedronView *b, int i, int j) {
    return (GjkVertex){vec3_sub(polyhedron_vertex(a, i), polyhedron_vertex(b, j)), i, j};
}

// The triangles of the faces of one body with the vertices of the other.
static void polyhedron_try_faces(NearestPair *pair, const PolyhedronView *a, const PolyhedronView *b,
                                 bool of_a) {
    const PolyhedronView *faces = of_a ? a : b, *vertices = of_a ? b : a;
    const Hull *hull = faces->hull;
    for (int f = 0; f < hull->face_count; f++)
        for (int k = 1; k + 1 < hull->faces[f].count; k++)
            for (int v = 0; v < vertices->count; v++) {
                const int *corners = hull->corners + hull->faces[f].first, at[3] = {0, k, k + 1};
                GjkVertex triangle[3];
                for (int c = 0; c < 3; c++)
                    triangle[c] = of_a ? polyhedron_difference(a, b, corners[at[c]], v)
                                       : polyhedron_difference(a, b, v, corners[at[c]]);
                GjkSimplex s;
                gjk_nearest_on_triangle(&s, triangle);
                polyhedron_try(pair, &s);
            }
}

// Two edges span a parallelogram of the difference: two triangles.
static void polyhedron_try_edges(NearestPair *pair, const PolyhedronView *a, const PolyhedronView *b) {
    for (int e = 0; e < a->hull->edge_count; e++)
        for (int f = 0; f < b->hull->edge_count; f++) {
            const int *p = a->hull->edges[e].vertex, *q = b->hull->edges[f].vertex;
            const GjkVertex w[4] = {
                polyhedron_difference(a, b, p[0], q[0]), polyhedron_difference(a, b, p[1], q[0]),
                polyhedron_difference(a, b, p[1], q[1]), polyhedron_difference(a, b, p[0], q[1])};
            GjkSimplex s;
            gjk_nearest_on_triangle(&s, w);
            polyhedron_try(pair, &s);
            gjk_nearest_on_triangle(&s, (const GjkVertex[]){w[0], w[2], w[3]});
            polyhedron_try(pair, &s);
        }
}

static PolyhedronPlace polyhedron_compare_all(const PolyhedronView *a, const PolyhedronView *b,
                                              double touching, PolyhedronAxis *axis) {
    NearestPair pair = {.distance2 = INFINITY};
    polyhedron_try_faces(&pair, a, b, true);
    polyhedron_try_faces(&pair, a, b, false);
    polyhedron_try_edges(&pair, a, b);
    double distance = sqrt(pair.distance2), most_a, most_b;
    if (!(distance > touching)) return POLYHEDRON_OVERLAP;
    gjk_axis(a, b, &pair.simplex, distance, axis);
    polyhedron_support(a, vec3_neg(axis->normal), &most_a);
    polyhedron_support(b, axis->normal, &most_b);
    return -most_a - most_b > 0.5 * distance ? POLYHEDRON_APART : POLYHEDRON_OVERLAP;
}

// ---- Gilbert, Johnson, Keerthi -------------------------------------------------------------------
static bool gjk_has(const GjkSimplex *s, const GjkVertex *w) {
    for (int i = 0; i < s->count; i++)
        if (s->vertex[i].a == w->a && s->vertex[i].b == w->b) return true;
    return false;
}

PolyhedronPlace polyhedron_distance(const PolyhedronView *a, const PolyhedronView *b, Vec3 guess,
                                    double margin, PolyhedronAxis *axis) {
    double size = a->scale + b->scale, lower = -INFINITY, distance = INFINITY, most;
    GjkSimplex s = {.count = 0, .nearest = vec3_norm2(guess) > 0 ? guess : vec3(1, 0, 0)};
    for (int round = 0; round < gjk_rounds; round++) {
        Vec3 v = s.nearest;
        double length = vec3_norm(v);
        GjkVertex next = {.a = polyhedron_support(a, vec3_neg(v), &most),
                          .b = polyhedron_support(b, v, &most)};
        next = polyhedron_difference(a, b, next.a, next.b);
        lower = fmax(lower, vec3_dot(v, next.w) / length);
        if (lower >= margin) {
            axis->normal = vec3_scale(1 / length, v); // before it had been less
            return POLYHEDRON_FAR;
        }
        if (s.count > 0 && (distance - lower <= gjk_agreement * size || gjk_has(&s, &next))) break;
        GjkSimplex before = s;
        s.vertex[s.count++] = next;
        if (!gjk_nearest(&s)) return POLYHEDRON_OVERLAP;
        double now = vec3_norm(s.nearest);
        if (before.count > 0 && !(now < distance)) {
            s = before;
            break;
        }
        distance = now;
        if (!(distance > gjk_touching * size)) return POLYHEDRON_OVERLAP;
    }
    if (!(distance - lower <= gjk_allowed * size))
        return polyhedron_compare_all(a, b, gjk_touching * size, axis);
    gjk_axis(a, b, &s, distance, axis);
    return POLYHEDRON_APART;
}

// The axis of a face instead, where it is as good: free of the rounding of a direction between two near points.
void polyhedron_straighten(const PolyhedronView *a, const PolyhedronView *b, const PolyhedronFace *face_a,
                           const PolyhedronFace *face_b, PolyhedronAxis *axis) {
    double tolerance = 1e-13 * (a->scale + b->scale), most;
    polyhedron_support(b, vec3_neg(face_a->normal), &most);
    double over_a = -most - face_a->offset;
    polyhedron_support(a, vec3_neg(face_b->normal), &most);
    double over_b = -most - face_b->offset;
    if (fmax(over_a, over_b) < axis->separation - tolerance) return;
    axis->normal = over_b >= over_a ? face_b->normal : vec3_neg(face_a->normal);
    axis->separation = fmax(over_a, over_b);
}
