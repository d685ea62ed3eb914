// The points of contact between two bodies with the axis n: their two faces that lie most across n at the deepest
// place are seen along n, and the corners of what both cover are the points: a corner of one face over the other, or
// the crossing of two edges. At each the gap is measured along n, from face to face.
//
// One axis serves all points. It is exact at the deepest one; at others it is off by the angle between the axis and
// the face. A point that is not touching yet is therefore taken only where this angle is small:
//
//     gap < d + (margin - d) min(1, 0.1 / tan(angle)),     d the distance of the two bodies
//
// Where all points are asked for, those that touch are taken whatever the angle.
//
// Points keep their names while the bodies move a little: corners count as inside a face up to `slack` beyond its
// border, and crossings that near to a corner are the corner.
#include <math.h>

#include "geometry/polyhedron.h"

static const double manifold_slack = 1e-4; // of the size
static const double manifold_slope =
    0.1; // tangent of the angle up to which all points within the margin count
enum { manifold_points = 64 };

typedef struct ManifoldPlane { // the plane across the axis
    Vec3 normal, u, v;
    double slack;
} ManifoldPlane;

typedef struct ManifoldFace {
    const PolyhedronFace *face;
    double along;                                      // its normal . the axis
    double x[POLYHEDRON_POINTS], y[POLYHEDRON_POINTS]; // corners in the plane
    double turn;                                       // 1: counter-clockwise there, -1: clockwise
} ManifoldFace;

typedef struct ManifoldPoint {
    double x, y, gap, height; // in the plane; along the axis, in the middle of the gap
    int64_t feature;
} ManifoldPoint;

typedef struct Manifold {
    int count;
    ManifoldPoint points[manifold_points];
} Manifold;

void polyhedron_face(const PolyhedronView *view, int vertex, Vec3 direction, PolyhedronFace *face) {
    const Hull *hull = view->hull;
    int best = -1;
    double most = -INFINITY;
    for (int k = hull->vertex_start[vertex]; k < hull->vertex_start[vertex + 1]; k++) {
        double along = vec3_dot(polyhedron_normal(view, hull->vertex_faces[k]), direction);
        if (along > most) most = along, best = hull->vertex_faces[k];
    }
    const HullFace *found = &hull->faces[best];
    face->normal = polyhedron_normal(view, best);
    face->offset = view->scale * found->offset + vec3_dot(face->normal, view->center);
    face->count = found->count;
    for (int k = 0; k < found->count; k++) {
        face->names[k] = hull->corners[found->first + k];
        face->edges[k] =
            polyhedron_edge_name(face->names[k], hull->corners[found->first + (k + 1) % found->count]);
        face->corners[k] = polyhedron_vertex(view, face->names[k]);
    }
}

// ---- in the plane --------------------------------------------------------------------------------
static void manifold_project(const ManifoldPlane *plane, const PolyhedronFace *face, ManifoldFace *flat) {
    flat->face = face;
    flat->along = vec3_dot(face->normal, plane->normal);
    flat->turn = flat->along > 0 ? 1 : -1;
    for (int k = 0; k < face->count; k++) {
        flat->x[k] = vec3_dot(plane->u, face->corners[k]);
        flat->y[k] = vec3_dot(plane->v, face->corners[k]);
    }
}

// How far the place is inside the polygon; negative outside.
static double manifold_inset(const ManifoldFace *flat, double x, double y) {
    double least = INFINITY;
    for (int k = 0, count = flat->face->count; k < count; k++) {
        int next = k + 1 < count ? k + 1 : 0;
        double dx = flat->x[next] - flat->x[k], dy = flat->y[next] - flat->y[k],
               length = sqrt(dx * dx + dy * dy);
        if (!(length > 0)) continue;
        double inset = flat->turn * (dx * (y - flat->y[k]) - dy * (x - flat->x[k])) / length;
        least = inset < least ? inset : least;
    }
    return least;
}

// Where the face is along the axis, over this place.
static double manifold_height(const ManifoldPlane *plane, const ManifoldFace *flat, double x, double y) {
    Vec3 across = vec3_madd(vec3_scale(x, plane->u), y, plane->v);
    return (flat->face->offset - vec3_dot(flat->face->normal, across)) / flat->along;
}

static bool manifold_is_at(const ManifoldPoint *p, double x, double y, double slack) {
    double dx = p->x - x, dy = p->y - y;
    return dx * dx + dy * dy < slack * slack;
}

static void manifold_add(Manifold *m, const ManifoldPlane *plane, double x, double y, double height_a,
                         double height_b, int64_t feature) {
    for (int i = 0; i < m->count; i++)
        if (manifold_is_at(&m->points[i], x, y, 2 * plane->slack)) return;
    if (m->count == manifold_points) return;
    m->points[m->count++] = (ManifoldPoint){x, y, height_a - height_b, 0.5 * (height_a + height_b), feature};
}

static void manifold_add_corners(Manifold *m, const ManifoldPlane *plane, const ManifoldFace *a,
                                 const ManifoldFace *b) {
    for (int k = 0; k < a->face->count; k++)
        if (manifold_inset(b, a->x[k], a->y[k]) > -plane->slack)
            manifold_add(m, plane, a->x[k], a->y[k], vec3_dot(plane->normal, a->face->corners[k]),
                         manifold_height(plane, b, a->x[k], a->y[k]),
                         shape_feature(FEATURE_VERTEX_OF_A, a->face->names[k], 0));
    for (int k = 0; k < b->face->count; k++)
        if (manifold_inset(a, b->x[k], b->y[k]) > -plane->slack)
            manifold_add(m, plane, b->x[k], b->y[k], manifold_height(plane, a, b->x[k], b->y[k]),
                         vec3_dot(plane->normal, b->face->corners[k]),
                         shape_feature(FEATURE_VERTEX_OF_B, 0, b->face->names[k]));
}

static void manifold_add_crossing(Manifold *m, const ManifoldPlane *plane, const ManifoldFace *a, int i,
                                  const ManifoldFace *b, int j) {
    int next_i = i + 1 < a->face->count ? i + 1 : 0, next_j = j + 1 < b->face->count ? j + 1 : 0;
    double ux = a->x[next_i] - a->x[i], uy = a->y[next_i] - a->y[i];
    double vx = b->x[next_j] - b->x[j], vy = b->y[next_j] - b->y[j];
    double wx = b->x[j] - a->x[i], wy = b->y[j] - a->y[i], cross = ux * vy - uy * vx;
    double s = wx * vy - wy * vx, t = wx * uy - wy * ux;
    if (cross < 0) cross = -cross, s = -s, t = -t;
    if (!(cross > 0 && s > 0 && s < cross && t > 0 && t < cross)) return;
    s /= cross, t /= cross;
    Vec3 on_a = vec3_madd(a->face->corners[i], s, vec3_sub(a->face->corners[next_i], a->face->corners[i]));
    Vec3 on_b = vec3_madd(b->face->corners[j], t, vec3_sub(b->face->corners[next_j], b->face->corners[j]));
    manifold_add(m, plane, a->x[i] + s * ux, a->y[i] + s * uy, vec3_dot(plane->normal, on_a),
                 vec3_dot(plane->normal, on_b),
                 shape_feature(FEATURE_EDGES, a->face->edges[i], b->face->edges[j]));
}

// ---- the deepest point ---------------------------------------------------------------------------
static int64_t manifold_axis_feature(const PolyhedronAxis *axis) {
    if (axis->a_count == 1) return shape_feature(FEATURE_VERTEX_OF_A, axis->a[0], 0);
    if (axis->b_count == 1) return shape_feature(FEATURE_VERTEX_OF_B, 0, axis->b[0]);
    return shape_feature(FEATURE_EDGES, polyhedron_edge_name(axis->a[0], axis->a[1]),
                         polyhedron_edge_name(axis->b[0], axis->b[1]));
}

// It is among the corners of what both faces cover, but where corners and edges pass each other without covering.
static void manifold_add_deepest(Manifold *m, const ManifoldPlane *plane, const PolyhedronAxis *axis) {
    double tolerance = 1e-8 * plane->slack / manifold_slack;
    bool there = false;
    for (int i = 0; i < m->count; i++) {
        m->points[i].gap = fmax(m->points[i].gap, axis->separation); // less only beyond a border
        there |= m->points[i].gap <= axis->separation + 1e-3 * tolerance;
    }
    if (there) return;
    Vec3 middle = vec3_scale(0.5, vec3_add(axis->on_a, axis->on_b));
    double x = vec3_dot(plane->u, middle), y = vec3_dot(plane->v, middle);
    ManifoldPoint deepest = {x, y, axis->separation, vec3_dot(plane->normal, middle),
                             manifold_axis_feature(axis)};
    for (int i = 0; i < m->count; i++)
        if (m->points[i].feature == deepest.feature ||
            manifold_is_at(&m->points[i], x, y, 2 * plane->slack)) {
            deepest.feature = m->points[i].feature;
            m->points[i] = deepest;
            return;
        }
    if (m->count == manifold_points) m->count--;
    m->points[m->count++] = deepest;
}

int polyhedron_manifold(const PolyhedronAxis *axis, const PolyhedronFace *a, const PolyhedronFace *b,
                        double margin, double size, Vec3 first, ShapePoints points, ShapeContact *contacts) {
    ManifoldPlane plane = {.normal = axis->normal, .slack = manifold_slack * size};
    plane.u = vec3_perpendicular(axis->normal);
    plane.v = vec3_cross(axis->normal, plane.u);
    Manifold m; // setting all of it to zero would take longer than the rest
    m.count = 0;
    ManifoldFace flat_a, flat_b;
    manifold_project(&plane, a, &flat_a);
    manifold_project(&plane, b, &flat_b);
    double steepest = fmax(-flat_a.along, flat_b.along); // of the face that lies more across
    if (-flat_a.along > 0.01 && flat_b.along > 0.01) {
        manifold_add_corners(&m, &plane, &flat_a, &flat_b);
        for (int i = 0; i < a->count; i++)
            for (int j = 0; j < b->count; j++) manifold_add_crossing(&m, &plane, &flat_a, i, &flat_b, j);
    }
    manifold_add_deepest(&m, &plane, axis);
    double slope = sqrt(fmax(1 - steepest * steepest, 0)) / fmax(steepest, 1e-3);
    double share = slope > manifold_slope ? manifold_slope / slope : 1;
    double limit = axis->separation + (margin - axis->separation) * share;
    if (points == SHAPE_ALL_POINTS) limit = fmax(limit, fmin(margin, 0));
    int count = 0;
    ShapeContact found[manifold_points];
    for (int i = 0; i < m.count; i++) {
        const ManifoldPoint *p = &m.points[i];
        if (!(p->gap < limit || p->gap == axis->separation)) continue;
        Vec3 across = vec3_madd(vec3_scale(p->x, plane.u), p->y, plane.v);
        found[count++] =
            (ShapeContact){p->gap, axis->normal, vec3_madd(across, p->height, axis->normal), p->feature};
    }
    count = points == SHAPE_FEW_POINTS ? polyhedron_reduce(found, count, first)
                                       : polyhedron_keep_deepest(found, count);
    for (int i = 0; i < count; i++) contacts[i] = found[i];
    return count;
}

// ---- fewer points --------------------------------------------------------------------------------
// The points that would touch first if the bodies tilted towards four directions in the plane of contact, the first of which is
// fixed to a body: those that are furthest, less the gap over the tilt. Of those within a thousandth the one with the lowest
// name. Then the deepest one takes the place of the one nearest to it. (By distance alone, points that are a little apart
// took the place of those that carry: stones rocked by a step's fall for ever, and did not settle.) Bodies that are fast have
// points with large gaps, any of which may touch if they turn: the tilt follows from these.
static const double reduce_least_tilt = 2e-3, reduce_tilt = 4; // over the gaps' range by the extent

typedef struct Reduction {
    const ShapeContact *contacts;
    int count;
    double slack, tilt;
} Reduction;

static int reduce_furthest(const Reduction *r, Vec3 direction) {
    const ShapeContact *c = r->contacts;
    int best = 0;
    for (int i = 1; i < r->count; i++) {
        double more =
            vec3_dot(direction, vec3_sub(c[i].point, c[best].point)) - (c[i].gap - c[best].gap) / r->tilt;
        if (more > r->slack || (more > -r->slack && c[i].feature < c[best].feature)) best = i;
    }
    return best;
}

int polyhedron_keep_deepest(ShapeContact *contacts, int count) {
    while (count > SHAPE_CONTACT_MAX) {
        int shallowest = 0;
        for (int i = 1; i < count; i++)
            if (contacts[i].gap > contacts[shallowest].gap) shallowest = i;
        for (int i = shallowest + 1; i < count; i++) contacts[i - 1] = contacts[i];
        count--;
    }
    return count;
}

static bool reduce_has(const int *chosen, int count, int item) {
    for (int k = 0; k < count; k++)
        if (chosen[k] == item) return true;
    return false;
}

int polyhedron_reduce(ShapeContact *contacts, int count, Vec3 first) {
    if (count <= POLYHEDRON_CONTACTS) return count;
    int deepest = 0, kept = 0, chosen[POLYHEDRON_CONTACTS];
    double extent = 0, widest = contacts[0].gap;
    for (int i = 1; i < count; i++) {
        if (contacts[i].gap < contacts[deepest].gap) deepest = i;
        widest = fmax(widest, contacts[i].gap);
        extent = fmax(extent, vec3_norm(vec3_sub(contacts[i].point, contacts[0].point)));
    }
    Vec3 n = contacts[deepest].normal, u = vec3_normalize(vec3_madd(first, -vec3_dot(first, n), n));
    if (!(vec3_norm2(u) > 0.5)) u = vec3_perpendicular(n);
    Vec3 v = vec3_cross(n, u);
    // Turned, so that the sides of faces are not along these directions: two of their corners would be as far.
    Vec3 p = vec3_madd(vec3_scale(0.9, u), 0.43588989435406735, v), q = vec3_cross(n, p);
    const Vec3 directions[POLYHEDRON_CONTACTS] = {p, q, vec3_neg(p), vec3_neg(q)};
    double range = reduce_tilt * (widest - contacts[deepest].gap);
    const Reduction r = {contacts, count, 1e-3 * extent,
                         range > reduce_least_tilt * extent ? range / extent : reduce_least_tilt};
    for (int k = 0; k < POLYHEDRON_CONTACTS; k++) {
        int found = reduce_furthest(&r, directions[k]);
        if (!reduce_has(chosen, kept, found)) chosen[kept++] = found;
    }
    if (!reduce_has(chosen, kept, deepest)) {
        int nearest = 0;
        for (int k = 1; k < kept; k++)
            if (vec3_norm2(vec3_sub(contacts[chosen[k]].point, contacts[deepest].point)) <
                vec3_norm2(vec3_sub(contacts[chosen[nearest]].point, contacts[deepest].point)))
                nearest = k;
        double deeper = contacts[chosen[nearest]].gap - contacts[deepest].gap;
        for (int k = 0; k < kept; k++) deeper = fmin(deeper, contacts[chosen[k]].gap - contacts[deepest].gap);
        if (kept < POLYHEDRON_CONTACTS) chosen[kept++] = deepest;
        else if (deeper > 1e-10 * extent) chosen[nearest] = deepest;
    }
    ShapeContact result[POLYHEDRON_CONTACTS];
    for (int k = 0; k < kept; k++) result[k] = contacts[chosen[k]];
    for (int k = 0; k < kept; k++) contacts[k] = result[k];
    return kept;
}
