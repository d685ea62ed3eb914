// Convex polyhedra: the convex hull of points, as tables of faces, edges and vertices, with its mass properties.
//
// Faces of the hull that lie in one plane, to 1e-6 of the radius, are one face; points inside a face or an edge are
// no vertices. The hull is kept with its centre of mass at the origin and scaled to radius 1, so that grains of any
// size can share it; its axes are those of the points. Hulls do not change once made.
#ifndef GEOMETRY_HULL_H
#define GEOMETRY_HULL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "math/mat3.h"

enum { HULL_POINTS_MAX = 1000 };

typedef struct HullFace {
    Vec3 normal;      // unit, outward
    double offset;    // normal . x <= offset for all points of the polyhedron
    int first, count; // its corners, counter-clockwise seen from outside: corners[first...]
} HullFace;

typedef struct HullEdge {
    int vertex[2];
    int face[2]; // face[0] has it from vertex[0] to vertex[1], face[1] the other way round
} HullEdge;

typedef struct Hull {
    int vertex_count, edge_count, face_count, corner_count;
    Vec3 *vertices;
    double *columns; // the same as all x, all y, all z, for hull_reach; NULL: not made
    HullEdge *edges;
    HullFace *faces;
    int *corners;      // vertices of all faces, face by face
    int *corner_edges; // the edge that leads from each corner to the next one of its face
    int *
        vertex_faces; // the faces around each vertex: vertex_faces[vertex_start[v]...vertex_start[v + 1] - 1]
    int *vertex_start;   // (vertex_count + 1)
    double volume;       // of the scaled hull
    Mat3 second_moment;  // integral of x x^T over it, divided by its volume
    double inner_radius; // of the largest sphere around the centre of mass inside
    Vec3 center;         // centre of mass of the points given, in their axes [m]
    double radius;       // largest distance of a vertex from it [m]
} Hull;

// The hull of points. All of them must be corners of it, or lie in its faces: a point further inside is an error, as
// are points that span no volume, and more than HULL_POINTS_MAX. `name` is for messages ("'vertices' of 'stones'").
MrcStatus hull_create(Hull **hull, const Vec3 *points, size_t count, const char *name, MrcError *error);

// The same of any points: those inside the hull are left out.
MrcStatus hull_around(Hull **hull, const Vec3 *points, size_t count, const char *name, MrcError *error);

// The same from the corners of triangles, three by three, which must face outward and bound a convex body.
MrcStatus hull_from_triangles(Hull **hull, const Vec3 *corners, size_t triangle_count, const char *name,
                              MrcError *error);
void hull_destroy(Hull *hull); // NULL is fine

double hull_reach(const Hull *hull, Vec3 direction); // the most of direction . vertex

uint64_t hull_hash(const Hull *hull, uint64_t hash); // of the vertices, and of the radius it was made with

#endif
