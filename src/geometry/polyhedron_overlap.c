// The shortest way out of an overlap of two convex polyhedra: the axis of largest separation among the normals of
// their faces and the common perpendiculars of their edges (separating axes). Two edges count only where their arcs on
// the Gauss map cross, because no others make a face of the difference of the two bodies (Gregorius, "The Separating
// Axis Test between Convex Polyhedra", GDC 2013).
//
// Most edges are passed over: let n0 be the best axis among the faces, with depth d0. The best pair of edges, if it is
// better, comes as near as its depth, so nearer than d0 to the other body: an edge of a reaches below
// min_a n0 . x + 2 d0, and one of b beyond max_b n0 . x - 2 d0. In a shallow contact these are a handful.
#include <math.h>

#include "geometry/polyhedron.h"

typedef struct OverlapBest {
    Vec3 normal;
    double separation;
    int face_a, face_b; // -1: not this one
    int edge_a, edge_b;
    int vertex; // that is nearest to the face
} OverlapBest;

// The faces of `view` against the vertices of `other`; sign -1: `view` is a, whose normals point against the axis. A face
// over which any point of the other body is as low as the best one's vertex is no better; this settles most of them with
// one product, if the first one tried is good: that over which the centre of the other body is highest.
typedef struct OverlapSide {
    const PolyhedronView *view, *other;
    double sign;
} OverlapSide;

static double overlap_height(const PolyhedronView *view, int face, Vec3 local) {
    const HullFace *f = &view->hull->faces[face];
    return view->scale * (vec3_dot(f->normal, local) - f->offset);
}

static Vec3 overlap_to_local(const PolyhedronView *view, Vec3 point) {
    return vec3_scale(1 / view->scale, mat3_apply_transpose(view->axes, vec3_sub(point, view->center)));
}

static bool overlap_try_face(const OverlapSide *side, int face, OverlapBest *best) {
    const PolyhedronView *view = side->view;
    Vec3 n = polyhedron_normal(view, face);
    double most, offset = view->scale * view->hull->faces[face].offset + vec3_dot(n, view->center);
    int vertex = polyhedron_support(side->other, vec3_neg(n), &most);
    if (!(-most - offset > best->separation)) return false;
    bool of_a = side->sign < 0;
    *best = (OverlapBest){
        vec3_scale(side->sign, n), -most - offset, of_a ? face : -1, of_a ? -1 : face, -1, -1, vertex};
    return true;
}

static void overlap_try_faces(const OverlapSide *side, OverlapBest *best) {
    const PolyhedronView *view = side->view;
    Vec3 center = overlap_to_local(view, side->other->center), lowest = center;
    int first = 0, count = view->hull->face_count;
    bool flat = polyhedron_is_flat(view);
    for (int f = 1; f < count; f++)
        if (overlap_height(view, f, center) > overlap_height(view, first, center)) first = f;
    if (overlap_try_face(side, first, best))
        lowest = overlap_to_local(view, polyhedron_vertex(side->other, best->vertex));
    for (int f = 0; f < count && !flat; f++) { // of a flat piece the first is the side that counts
        if (f == first || !(overlap_height(view, f, lowest) > best->separation)) continue;
        if (overlap_try_face(side, f, best))
            lowest = overlap_to_local(view, polyhedron_vertex(side->other, best->vertex));
    }
}

typedef struct OverlapEdge {
    int index;
    Vec3 start, along; // [m]
    Vec3 left, right;  // normals of its faces; of b with the other sign
} OverlapEdge;

// Edges that come below the height along the direction.
static int overlap_list_edges(const PolyhedronView *view, Vec3 direction, double height, double sign,
                              OverlapEdge *edges) {
    int count = 0;
    for (int e = 0; e < view->hull->edge_count; e++) {
        const HullEdge *edge = &view->hull->edges[e];
        Vec3 p = polyhedron_vertex(view, edge->vertex[0]), q = polyhedron_vertex(view, edge->vertex[1]);
        if (fmin(vec3_dot(direction, p), vec3_dot(direction, q)) > height) continue;
        OverlapEdge found = {.index = e,
                             .start = p,
                             .along = vec3_sub(q, p),
                             .left = vec3_scale(sign, polyhedron_normal(view, edge->face[0])),
                             .right = vec3_scale(sign, polyhedron_normal(view, edge->face[1]))};
        edges[count++] = found;
        if (!polyhedron_is_flat(view)) continue;
        // The arc between opposite normals: half a circle, by way of what points away from the piece.
        Vec3 away =
            vec3_scale(sign, vec3_normalize(vec3_cross(found.along, polyhedron_normal(view, edge->face[0]))));
        edges[count - 1].right = found.left = away;
        edges[count++] = found;
    }
    return count;
}

// Do the arcs cross? The edge is perpendicular to both normals of its own arc.
static bool overlap_arcs_cross(const OverlapEdge *a, const OverlapEdge *b) {
    double left_b = vec3_dot(b->left, a->along), right_b = vec3_dot(b->right, a->along);
    if (left_b * right_b >= 0) return false;
    double left_a = vec3_dot(a->left, b->along), right_a = vec3_dot(a->right, b->along);
    if (left_a * right_a >= 0) return false;
    // Both in the same half of the sphere, not opposite to each other.
    Vec3 side = vec3_cross(a->left, a->right); // along the edge
    return vec3_dot(b->left, side) * vec3_dot(a->right, vec3_cross(b->left, b->right)) > 0;
}

static void overlap_try_edges(const PolyhedronView *a, const PolyhedronView *b, OverlapBest *best) {
    OverlapEdge edges_a[3 * POLYHEDRON_POINTS], edges_b[3 * POLYHEDRON_POINTS];
    double depth = fmax(-best->separation, 0) + 1e-9 * (a->scale + b->scale), most;
    Vec3 axis = best->normal;
    polyhedron_support(a, vec3_neg(axis), &most);
    int count_a = overlap_list_edges(a, axis, -most + 2 * depth, 1, edges_a);
    polyhedron_support(b, axis, &most);
    int count_b = overlap_list_edges(b, vec3_neg(axis), -most + 2 * depth, -1, edges_b);
    for (int i = 0; i < count_a; i++)
        for (int j = 0; j < count_b; j++) {
            const OverlapEdge *p = &edges_a[i], *q = &edges_b[j];
            if (!overlap_arcs_cross(p, q)) continue;
            Vec3 n = vec3_cross(p->along, q->along);
            double length = vec3_norm(n);
            if (!(length > 1e-9 * vec3_norm(p->along) * vec3_norm(q->along))) continue; // parallel: faces do
            n = vec3_scale(1 / length, n);
            if (vec3_dot(n, p->left) + vec3_dot(n, p->right) > 0)
                n = vec3_neg(n); // into a, against its faces
            if (!(vec3_dot(n, vec3_sub(p->start, q->start)) > best->separation)) continue;
            // Arcs that nearly coincide may seem to cross where they do not: all vertices decide.
            double most_a, most_b;
            polyhedron_support(a, vec3_neg(n), &most_a), polyhedron_support(b, n, &most_b);
            if (-most_a - most_b > best->separation)
                *best = (OverlapBest){n, -most_a - most_b, -1, -1, p->index, q->index, -1};
        }
}

// The points of two lines that are nearest to each other.
static void overlap_nearest_on_edges(const PolyhedronView *a, const PolyhedronView *b,
                                     const OverlapBest *best, PolyhedronAxis *axis) {
    const int *p = a->hull->edges[best->edge_a].vertex, *q = b->hull->edges[best->edge_b].vertex;
    Vec3 x = polyhedron_vertex(a, p[0]), y = polyhedron_vertex(b, q[0]);
    Vec3 u = vec3_sub(polyhedron_vertex(a, p[1]), x), v = vec3_sub(polyhedron_vertex(b, q[1]), y);
    Vec3 w = vec3_sub(x, y), cross = vec3_cross(u, v);
    double scale = 1 / vec3_norm2(cross);
    double s = vec3_dot(vec3_cross(v, w), cross) * scale, t = vec3_dot(vec3_cross(u, w), cross) * scale;
    axis->on_a = vec3_madd(x, fmin(fmax(s, 0), 1), u);
    axis->on_b = vec3_madd(y, fmin(fmax(t, 0), 1), v);
    axis->a_count = axis->b_count = 2;
    for (int k = 0; k < 2; k++) axis->a[k] = p[k], axis->b[k] = q[k];
}

void polyhedron_overlap(const PolyhedronView *a, const PolyhedronView *b, PolyhedronAxis *axis) {
    OverlapBest best = {.separation = -INFINITY};
    overlap_try_faces(&(OverlapSide){b, a, 1}, &best);
    overlap_try_faces(&(OverlapSide){a, b, -1}, &best);
    overlap_try_edges(a, b, &best);
    *axis = (PolyhedronAxis){.normal = best.normal, .separation = best.separation};
    if (best.edge_a >= 0) {
        overlap_nearest_on_edges(a, b, &best, axis);
    } else if (best.face_b >= 0) {
        axis->a[0] = best.vertex, axis->a_count = 1, axis->b_count = 3;
        for (int k = 0; k < 3; k++) axis->b[k] = b->hull->corners[b->hull->faces[best.face_b].first + k];
        axis->on_a = polyhedron_vertex(a, best.vertex);
        axis->on_b = vec3_madd(axis->on_a, -best.separation, best.normal);
    } else {
        axis->b[0] = best.vertex, axis->b_count = 1, axis->a_count = 3;
        for (int k = 0; k < 3; k++) axis->a[k] = a->hull->corners[a->hull->faces[best.face_a].first + k];
        axis->on_b = polyhedron_vertex(b, best.vertex);
        axis->on_a = vec3_madd(axis->on_b, best.separation, best.normal);
    }
}
