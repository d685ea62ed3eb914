// The triangles of a mesh one by one, for grains with faces.
#ifndef GEOMETRY_MESH_PIECES_H
#define GEOMETRY_MESH_PIECES_H

#include "geometry/mesh.h"
#include "geometry/wall.h"

// Those with a box around them that is nearer to the point than `reach`.
void mesh_visit_triangles(const Mesh *mesh, Vec3 center, double reach, WallPieceVisitor *visit, void *user);

// Does no triangle around this point of the triangle reach further along the direction?
bool mesh_triangle_bears(const Mesh *mesh, int triangle, Vec3 point, Vec3 direction);

#endif
