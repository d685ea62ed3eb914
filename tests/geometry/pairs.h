// Random convex bodies in random places, and their distance by comparing all features: what tests of contacts between
// polyhedra are measured against.
#ifndef TESTS_GEOMETRY_PAIRS_H
#define TESTS_GEOMETRY_PAIRS_H

#include "check_math.h"
#include "geometry/hull.h"
#include "geometry/shape.h"

typedef struct PairBody {
    Shape shape;
    Pose pose;
} PairBody;

static inline Hull *pairs_hull(const Vec3 *points, size_t count) {
    Hull *hull = NULL;
    MrcError error = {0};
    if (hull_create(&hull, points, count, "the body", &error) != MRC_OK) fail_msg("%s", error.text);
    return hull;
}

static inline Hull *pairs_box(double x, double y, double z) {
    Vec3 points[8];
    for (int i = 0; i < 8; i++) points[i] = vec3(i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
    return pairs_hull(points, 8);
}

// A stone with points on an ellipsoid, or a box.
static inline Hull *pairs_stone(Random *random, int count) {
    if (random_uniform(random) < 0.25)
        return pairs_box(0.2 + random_uniform(random), 0.2 + random_uniform(random),
                         0.2 + random_uniform(random));
    Vec3 points[200],
        axes = vec3(0.3 + random_uniform(random), 0.3 + random_uniform(random), 0.3 + random_uniform(random));
    for (int i = 0; i < count; i++) {
        Vec3 d = check_random_direction(random);
        points[i] = vec3(axes.x * d.x, axes.y * d.y, axes.z * d.z);
    }
    return pairs_hull(points, (size_t)count);
}

static inline Quaternion pairs_turn(Random *random) {
    double kind = random_uniform(random);
    if (kind < 0.7)
        return quaternion_from_rotation_vector(
            vec3_scale(3 * random_uniform(random), check_random_direction(random)));
    // Multiples of 45 degrees, and almost.
    Vec3 axis = vec3_zero();
    vec3_set_component(&axis, (int)(3 * random_uniform(random)),
                       M_PI / 4 * floor(8 * random_uniform(random)));
    Quaternion turn = quaternion_from_rotation_vector(axis);
    if (kind < 0.85) return turn;
    return quaternion_mul(quaternion_from_rotation_vector(vec3_scale(1e-7, check_random_direction(random))),
                          turn);
}

static inline void pairs_vertices(const PairBody *body, Vec3 *vertices) {
    const Hull *hull = body->shape.form;
    for (int i = 0; i < hull->vertex_count; i++)
        vertices[i] = vec3_add(
            body->pose.position,
            quaternion_rotate(body->pose.orientation, vec3_scale(body->shape.radius, hull->vertices[i])));
}

// ---- by comparing everything ---------------------------------------------------------------------
static inline double pairs_point_to_segment(Vec3 p, Vec3 a, Vec3 b) {
    Vec3 d = vec3_sub(b, a);
    double t = fmin(fmax(vec3_dot(vec3_sub(p, a), d) / vec3_norm2(d), 0), 1);
    return vec3_norm(vec3_sub(p, vec3_madd(a, t, d)));
}

static inline double pairs_segments(Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
    double least = fmin(fmin(pairs_point_to_segment(a, c, d), pairs_point_to_segment(b, c, d)),
                        fmin(pairs_point_to_segment(c, a, b), pairs_point_to_segment(d, a, b)));
    Vec3 u = vec3_sub(b, a), v = vec3_sub(d, c), w = vec3_sub(a, c), n = vec3_cross(u, v);
    double n2 = vec3_norm2(n);
    // Nearly parallel: their ends are right to the square of the angle, the perpendicular is noise.
    if (!(n2 > 1e-10 * vec3_norm2(u) * vec3_norm2(v))) return least;
    double s = vec3_dot(vec3_cross(v, w), n) / n2, t = vec3_dot(vec3_cross(u, w), n) / n2;
    if (s < 0 || s > 1 || t < 0 || t > 1) return least;
    return fmin(least, fabs(vec3_dot(w, n)) / sqrt(n2));
}

// Vertices of p over the insides of the faces of q.
static inline double pairs_vertex_face(const Vec3 *p, int p_count, const PairBody *body, const Vec3 *q) {
    const Hull *hull = body->shape.form;
    double least = INFINITY;
    for (int f = 0; f < hull->face_count; f++) {
        const HullFace *face = &hull->faces[f];
        const int *corners = hull->corners + face->first;
        Vec3 n = quaternion_rotate(body->pose.orientation, face->normal);
        for (int v = 0; v < p_count; v++) {
            double height = vec3_dot(n, vec3_sub(p[v], q[corners[0]]));
            bool over = height >= 0;
            for (int k = 0; over && k < face->count; k++) {
                Vec3 a = q[corners[k]], b = q[corners[(k + 1) % face->count]];
                over = vec3_dot(vec3_cross(n, vec3_sub(b, a)), vec3_sub(p[v], a)) >= 0;
            }
            if (over) least = fmin(least, height);
        }
    }
    return least;
}

static inline double pairs_separation(const Vec3 *a, int a_count, const Vec3 *b, int b_count, Vec3 n) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < a_count; i++) low = fmin(low, vec3_dot(n, a[i]));
    for (int i = 0; i < b_count; i++) high = fmax(high, vec3_dot(n, b[i]));
    return low - high;
}

// The largest separation along the normals of all faces and the common perpendiculars of all edges.
static inline double pairs_best_axis(const PairBody *a, const Vec3 *p, const PairBody *b, const Vec3 *q) {
    const Hull *ha = a->shape.form, *hb = b->shape.form;
    int na = ha->vertex_count, nb = hb->vertex_count;
    double best = -INFINITY;
    for (int f = 0; f < ha->face_count; f++)
        best = fmax(best,
                    pairs_separation(p, na, q, nb,
                                     vec3_neg(quaternion_rotate(a->pose.orientation, ha->faces[f].normal))));
    for (int f = 0; f < hb->face_count; f++)
        best = fmax(best, pairs_separation(p, na, q, nb,
                                           quaternion_rotate(b->pose.orientation, hb->faces[f].normal)));
    for (int e = 0; e < ha->edge_count; e++)
        for (int f = 0; f < hb->edge_count; f++) {
            Vec3 u = vec3_sub(p[ha->edges[e].vertex[1]], p[ha->edges[e].vertex[0]]);
            Vec3 v = vec3_sub(q[hb->edges[f].vertex[1]], q[hb->edges[f].vertex[0]]);
            Vec3 n = vec3_cross(u, v);
            if (vec3_norm(n) < 1e-7 * vec3_norm(u) * vec3_norm(v)) continue;
            n = vec3_normalize(n);
            best = fmax(best,
                        fmax(pairs_separation(p, na, q, nb, n), pairs_separation(p, na, q, nb, vec3_neg(n))));
        }
    return best;
}

static inline double pairs_distance(const PairBody *a, const PairBody *b) {
    static Vec3 p[HULL_POINTS_MAX], q[HULL_POINTS_MAX];
    const Hull *ha = a->shape.form, *hb = b->shape.form;
    pairs_vertices(a, p), pairs_vertices(b, q);
    double best = pairs_best_axis(a, p, b, q);
    if (best <= 0) return best;
    double least =
        fmin(pairs_vertex_face(p, ha->vertex_count, b, q), pairs_vertex_face(q, hb->vertex_count, a, p));
    for (int e = 0; e < ha->edge_count; e++)
        for (int f = 0; f < hb->edge_count; f++)
            least = fmin(least, pairs_segments(p[ha->edges[e].vertex[0]], p[ha->edges[e].vertex[1]],
                                               q[hb->edges[f].vertex[0]], q[hb->edges[f].vertex[1]]));
    return least;
}

// ---- a pair --------------------------------------------------------------------------------------
enum { pairs_hulls = 64 };
typedef struct PairsStock { // of bodies to draw from
    Hull *hulls[pairs_hulls];
    Random random;
} PairsStock;

static inline void pairs_stock(PairsStock *stock, uint64_t seed, int most_points) {
    stock->random = (Random){seed};
    for (int i = 0; i < pairs_hulls; i++)
        stock->hulls[i] =
            pairs_stone(&stock->random, 4 + (int)(random_uniform(&stock->random) * (most_points - 3)));
}
static inline void pairs_free(PairsStock *stock) {
    for (int i = 0; i < pairs_hulls; i++) hull_destroy(stock->hulls[i]);
}

// Two bodies that overlap, touch or are apart by up to the margin.
static inline void pairs_draw(PairsStock *stock, PairBody *a, PairBody *b) {
    Random *r = &stock->random;
    PairBody *bodies[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        bodies[k]->shape = (Shape){.kind = SHAPE_POLYHEDRON,
                                   .radius = 0.5 + random_uniform(r),
                                   .form = stock->hulls[(int)(pairs_hulls * random_uniform(r))]};
        bodies[k]->pose.orientation = pairs_turn(r);
    }
    a->pose.position = vec3_scale(3, check_random_vec3(r));
    Vec3 way = random_uniform(r) < 0.7 ? check_random_direction(r) : vec3(0, 0, 1);
    double distance = (a->shape.radius + b->shape.radius) * (0.3 + 0.8 * random_uniform(r));
    b->pose.position = vec3_madd(a->pose.position, distance, way);
    if (random_uniform(r) < 0.5) return;
    // To just touching, or nearly.
    static Vec3 p[HULL_POINTS_MAX], q[HULL_POINTS_MAX];
    const Hull *ha = a->shape.form, *hb = b->shape.form;
    pairs_vertices(a, p), pairs_vertices(b, q);
    double gap = pairs_separation(q, hb->vertex_count, p, ha->vertex_count, way), off = random_uniform(r);
    double wanted = off < 0.3 ? 0 : (off < 0.65 ? 1 : -1) * pow(10, -13 + 12 * random_uniform(r));
    b->pose.position = vec3_madd(b->pose.position, wanted - gap, way);
}

// The deepest gap that contacts report; INFINITY: none.
static inline double pairs_least_gap(const ShapeContact *contacts, int count) {
    double least = INFINITY;
    for (int c = 0; c < count; c++) least = fmin(least, contacts[c].gap);
    return least;
}

#endif
