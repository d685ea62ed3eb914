// Convex polyhedra near each other: the inside of shape_polyhedron.c.
//
//     polyhedron_distance.c   distance of two bodies that do not overlap, with the direction between them
//     polyhedron_overlap.c    the shortest way out of an overlap
//     polyhedron_passing.c    the axis of two bodies that pass each other within a step
//     polyhedron_manifold.c   the points of contact between two faces
//     polyhedron_walls.c      contacts with walls
//
// Two bodies a and b have an axis n, a unit vector from b to a, and the separation along it,
//
//     s(n) = min over a of n . x - max over b of n . x
//
// which is their distance for the n that makes it largest; when they overlap, -s is then the shortest way out. All of
// it is computed in the axes of one of the bodies, or of the wall.
#ifndef GEOMETRY_POLYHEDRON_H
#define GEOMETRY_POLYHEDRON_H

#include "geometry/hull.h"
#include "geometry/shape.h"
#include "math/simd.h"

enum { POLYHEDRON_POINTS = HULL_POINTS_MAX, POLYHEDRON_PADDED = (HULL_POINTS_MAX + 7) / 8 * 8 };

// The vertices of a body in the axes of the pair.
typedef struct PolyhedronView {
    const Hull *hull; // with two faces: a flat piece of a wall
    double scale;     // its radius [m]
    Vec3 center;      // [m]
    Mat3 axes;        // its own axes to those of the pair
    int count;
    // [m]; the last one is repeated until WIDE_LANES of them are full
    _Alignas(64) double x[POLYHEDRON_PADDED], y[POLYHEDRON_PADDED], z[POLYHEDRON_PADDED];
} PolyhedronView;

void polyhedron_view(PolyhedronView *view, const Hull *hull, double radius, Vec3 center, Mat3 axes);

static inline Vec3 polyhedron_vertex(const PolyhedronView *view, int i) {
    return (Vec3){view->x[i], view->y[i], view->z[i]};
}
static inline Vec3 polyhedron_normal(const PolyhedronView *view, int face) {
    return mat3_apply(view->axes, view->hull->faces[face].normal);
}
static inline bool polyhedron_is_flat(const PolyhedronView *view) { return view->hull->face_count == 2; }
int polyhedron_support(const PolyhedronView *view, Vec3 direction,
                       double *most); // the vertex furthest along it

// How two bodies are to each other.
typedef struct PolyhedronAxis {
    Vec3 normal;       // unit, from b to a
    double separation; // along it [m]
    Vec3 on_a, on_b; // the two nearest points; when they overlap, of the two features that are deepest inside
    int a[3], b[3];  // vertices between which they lie
    int a_count, b_count; // 1: a vertex; 2: an edge, or a line across a face; 3: a face
} PolyhedronAxis;

typedef enum PolyhedronPlace { POLYHEDRON_APART, POLYHEDRON_FAR, POLYHEDRON_OVERLAP } PolyhedronPlace;

// FAR: their distance is `margin` or more, along the normal of the axis; nothing else of the axis is set. OVERLAP:
// they overlap, or are nearer than rounding can tell; the axis is not set. `guess`: a direction from b to a to begin
// with.
PolyhedronPlace polyhedron_distance(const PolyhedronView *a, const PolyhedronView *b, Vec3 guess,
                                    double margin, PolyhedronAxis *axis);
// Two bodies that overlap, or nearly touch.
void polyhedron_overlap(const PolyhedronView *a, const PolyhedronView *b, PolyhedronAxis *axis);
// Two bodies with this axis, of which a moves by `way` against b: another axis, where that one would stop bodies that pass
// each other.
void polyhedron_pass(const PolyhedronView *a, const PolyhedronView *b, Vec3 way, PolyhedronAxis *axis);

// ---- faces that meet -----------------------------------------------------------------------------
// A face, or a flat piece of a wall, as a polygon.
typedef struct PolyhedronFace {
    Vec3 normal;   // unit, outward
    double offset; // normal . x of its points [m]
    int count;
    Vec3 corners[POLYHEDRON_POINTS]; // [m]
    int names[POLYHEDRON_POINTS];    // of the corners, and of the edges that begin at them
    int edges[POLYHEDRON_POINTS];
} PolyhedronFace;

// The face at the vertex that lies most across the direction.
void polyhedron_face(const PolyhedronView *view, int vertex, Vec3 direction, PolyhedronFace *face);

// The normal of a face instead of an axis that is as good but for rounding: of two bodies that are apart.
void polyhedron_straighten(const PolyhedronView *a, const PolyhedronView *b, const PolyhedronFace *face_a,
                           const PolyhedronFace *face_b, PolyhedronAxis *axis);

enum { POLYHEDRON_CONTACTS = 4 };
int polyhedron_manifold(const PolyhedronAxis *axis, const PolyhedronFace *a, const PolyhedronFace *b,
                        double margin, double size, Vec3 first, ShapePoints points, ShapeContact *contacts);

// Of contacts with about the same normal: at most POLYHEDRON_CONTACTS that hold as well as all of them.
int polyhedron_reduce(ShapeContact *contacts, int count, Vec3 first);
// The deepest SHAPE_CONTACT_MAX, in the order they have.
int polyhedron_keep_deepest(ShapeContact *contacts, int count);

// An edge by its ends.
static inline int polyhedron_edge_name(int i, int j) { return i < j ? i << 10 | j : j << 10 | i; }

// ---- walls ---------------------------------------------------------------------------------------
int polyhedron_wall_contacts(const Shape *shape, const Pose *pose, const Wall *wall,
                             const ShapeSearch *search, ShapeContact *contacts);

#endif
