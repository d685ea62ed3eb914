// Triangle meshes as walls. Refining a mesh does not change the physics:
//
// 1. A sphere touches a surface where the distance from its centre has a local minimum over the surface. That
//    is a property of the surface, not of its triangles: the foot of the perpendicular inside a triangle, or
//    a point of an edge or a vertex that is the closest point of all the triangles that meet there. A flat
//    patch gives one contact however finely it is cut; an inner corner one contact per face, as in a box; an
//    edge or a vertex that sticks out one contact at the edge or the vertex.
// 2. Facets that stand for a curved surface add minima which that surface does not have: the centre of a
//    sphere in a tube of n flat sides has feet on several of them. So triangles joined by edges that bend
//    less than MESH_SMOOTH_ANGLE form one region, and in a region a minimum counts only when no deeper one,
//    counted or not, has its normal within that angle. Chains of such comparisons leave the deepest of any
//    run of facets. The gap is then the exact distance to the mesh, and its gradient the normal, so forces
//    are conservative. For a round tube of radius R with n > 17 sides the gap is off by at most
//    R (1 - cos(pi / n)) = O(1/n^2) and the normal by pi / n, and one contact remains wherever the centre is.
//    (A sphere that nearly fills the tube may find the far side too, when the margin is larger than its play:
//    with a positive gap, so without a force.)
//    Weighting the normals of the facets by their overlaps was rejected: the force then turns gradually when
//    the sphere goes from facet to facet, but does work on closed paths, up to the order of the elastic
//    energy. The price: two true contacts within the angle, in one region, count as one: a ball in a groove
//    of two planes that bends less than the angle is pushed by one of them at a time, as by a facet of a
//    tube. Sharp edges, where regions meet, are joined to curves by the same rule: the rim of a round hole
//    acts like a rim, not like the n corners of a polygon.
// 3. The normal points from the closest point to the centre: both sides can be touched, and the way
//    that the triangles of the file face does not matter.
//
// Features: a region, a sharp curve and a lone sharp vertex each have one number, so that a grain keeps its
// tangential spring while it rolls or slides over any number of triangles. Only when a sphere touches the
// same region in several places (both walls of a tube, floor and wall joined by a small fillet) the place is
// part of the number: the direction of the normal, in cells less than 19 degrees wide.
//
// Meshes do not change once made, and all queries are thread-safe and free of allocations.
#ifndef GEOMETRY_MESH_H
#define GEOMETRY_MESH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "math/vec3.h"

#define MESH_SMOOTH_ANGLE (21 * M_PI / 180) // 18 sides and more are round, 17 and less have edges
#define MESH_TRIANGLES_MAX 50000000

typedef struct Mesh Mesh;

// From an STL file: each vertex x becomes scale x + offset.
MrcStatus mesh_read(Mesh **mesh, const char *path, double scale, Vec3 offset, MrcError *error);

// From the corners of triangles, three by three. Vertices nearer than rounding to single precision are one.
// `name` is for messages.
MrcStatus mesh_create(Mesh **mesh, const Vec3 *corners, size_t triangle_count, const char *name,
                      MrcError *error);
void mesh_destroy(Mesh *mesh); // NULL is fine

typedef struct MeshInfo {
    size_t triangle_count;   // that can be touched
    size_t vertex_count;     // after joining equal ones
    size_t degenerate_count; // triangles without area, which cannot be touched
    size_t open_edge_count;  // edges without a second triangle
    int region_count;        // smooth regions
    int group_count;         // regions, sharp curves and lone sharp vertices
    bool closed;             // every edge has two triangles (or four, ...): there is an inside
    double volume;           // inside; INFINITY when not closed [m^3]
    Vec3 lower, upper;       // box around it [m]
} MeshInfo;

const MeshInfo *mesh_info(const Mesh *mesh);
const Vec3 *mesh_vertices(const Mesh *mesh);                 // vertex_count
const int *mesh_triangle(const Mesh *mesh, size_t triangle); // its three vertices

// One place where a sphere is near the mesh.
typedef struct MeshContact {
    double gap;  // distance from the sphere's surface, negative when they overlap [m]
    Vec3 normal; // unit, from the mesh to the centre
    int feature; // see above
} MeshContact;

// Contacts of the sphere with gap < margin, by rising gap; the deepest `capacity` of them. Returns their
// number.
int mesh_contacts(const Mesh *mesh, Vec3 center, double radius, double margin, MeshContact *contacts,
                  int capacity);

// A lower bound on the distance from the point to the mesh: at least (1 - looseness) of it. The looser, the
// faster; 0 gives the distance.
double mesh_distance(const Mesh *mesh, Vec3 point, double looseness);

// Is the point inside the closed mesh? Counts the crossings of a ray, so the triangles may face either way.
bool mesh_contains(const Mesh *mesh, Vec3 point);

#endif
