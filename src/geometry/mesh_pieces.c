// Triangles for grains with faces. A point inside a triangle can push along its normal only. A point of an edge or a
// vertex can push along any direction in which no triangle that meets there goes further: otherwise what is touched is
// that triangle, or, in a fold, nothing.
#include "geometry/mesh_pieces.h"

#include "geometry/mesh_internal.h"

void mesh_visit_triangles(const Mesh *mesh, Vec3 center, double reach, WallPieceVisitor *visit, void *user) {
    MeshWalk walk;
    WallPiece piece = {.count = 3};
    mesh_walk_begin(&walk, mesh, center, reach);
    for (int first, count; mesh_walk_next(&walk, mesh, &first, &count);)
        for (int t = first; t < first + count; t++) {
            const MeshTriangle *triangle = &mesh->triangles[t];
            for (int k = 0; k < 3; k++) piece.corners[k] = mesh->vertices[triangle->vertex[k]];
            piece.normal = mesh_triangle_normal(mesh, triangle);
            piece.group = triangle->group;
            piece.index = t;
            visit(user, &piece);
        }
}

static bool mesh_pieces_reach_further(const Mesh *mesh, Vec3 point, Vec3 direction, const int *vertex,
                                      const int *end) {
    for (; vertex < end; vertex++) {
        Vec3 way = vec3_sub(mesh->vertices[*vertex], point);
        if (vec3_dot(way, direction) > 1e-6 * vec3_norm(way)) return true;
    }
    return false;
}

bool mesh_triangle_bears(const Mesh *mesh, int index, Vec3 point, Vec3 direction) {
    const MeshTriangle *triangle = &mesh->triangles[index];
    Vec3 normal = mesh_triangle_normal(mesh, triangle);
    if (fabs(vec3_dot(normal, direction)) > 1 - 1e-12) return true;
    double near = 4 * mesh->tolerance + 1e-9 * mesh->size;
    for (int k = 0; k < 3; k++) {
        int vertex = triangle->vertex[k];
        if (vec3_norm(vec3_sub(mesh->vertices[vertex], point)) > near) continue;
        return !mesh_pieces_reach_further(mesh, point, direction,
                                          mesh->vertex_neighbour + mesh->vertex_start[vertex],
                                          mesh->vertex_neighbour + mesh->vertex_start[vertex + 1]);
    }
    for (int k = 0; k < 3; k++) {
        Vec3 a = mesh->vertices[triangle->vertex[k]], b = mesh->vertices[triangle->vertex[(k + 1) % 3]];
        Vec3 along = vec3_normalize(vec3_sub(b, a)), way = vec3_sub(point, a);
        if (vec3_norm(vec3_madd(way, -vec3_dot(way, along), along)) > near) continue;
        int edge = triangle->edge[k];
        return !mesh_pieces_reach_further(mesh, point, direction,
                                          mesh->edge_opposite + mesh->edge_start[edge],
                                          mesh->edge_opposite + mesh->edge_start[edge + 1]);
    }
    return false;
}
