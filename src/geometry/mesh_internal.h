// What the files of a mesh share: its arrays, the tree of boxes around its triangles, and walking through it.
#ifndef GEOMETRY_MESH_INTERNAL_H
#define GEOMETRY_MESH_INTERNAL_H

#include "geometry/mesh.h"

#include <stdint.h>

// Eight boxes fill a vector of floats and make the tree of 100 000 triangles five levels deep.
enum { MESH_WIDTH = 8, MESH_LEAF = 4, MESH_STACK = 512 };

typedef struct MeshNode {
    float lower[3][MESH_WIDTH],
        upper[3][MESH_WIDTH];  // from mesh->origin, rounded outward [m]; unused: inverted
    int32_t first[MESH_WIDTH]; // node, or first triangle of a leaf
    int32_t count[MESH_WIDTH]; // triangles of a leaf; 0: node
} MeshNode;

typedef struct MeshTriangle {
    int vertex[3];
    int edge[3]; // edge k goes from vertex k to vertex (k + 1) % 3
    int group;   // its region
} MeshTriangle;

struct Mesh {
    MeshInfo info;
    Vec3 origin;      // middle of the box around the mesh [m]
    double size;      // largest coordinate of a vertex, seen from zero [m]
    double tolerance; // places nearer to each other are the same [m]

    // Those that can be touched come first, in the order of the leaves; then `sliver_count` others, which
    // hold their neighbours together but are too thin to have a direction.
    MeshTriangle *triangles;
    size_t sliver_count;
    Vec3 *vertices; // in order of first use by the triangles, for the cache's sake
    size_t edge_count;

    // What a point of an edge is compared with: the vertices opposite to it, of all triangles that share it.
    int *edge_start;          // into edge_opposite (edge_count + 1)
    int *edge_opposite;       // vertex
    int *edge_group;          // region when smooth, else curve (edge_count)
    unsigned char *edge_seam; // triangles may meet here that do not share the edge (edge_count)

    // The same for vertices: the other ends of all edges.
    int *vertex_start;     // into vertex_neighbour (vertex_count + 1)
    int *vertex_neighbour; // vertex
    int *vertex_group;     // (vertex_count)
    unsigned char *vertex_seam;

    MeshNode *nodes; // node 0 is the root
    size_t node_count;
};

static inline size_t mesh_all_triangles(const Mesh *mesh) {
    return mesh->info.triangle_count + mesh->sliver_count;
}

// ---- making: each returns false when memory runs out ---------------------------------------------
bool mesh_tree_build(Mesh *mesh);     // nodes; reorders the triangles
bool mesh_topology_build(Mesh *mesh); // edges and neighbours
bool mesh_groups_build(Mesh *mesh);   // regions, curves, lone vertices
bool mesh_volume_build(Mesh *mesh);   // info.closed, info.volume

// The two triangles of each edge, -1 where there are not just two (2 edge_count).
void mesh_edge_partners(const Mesh *mesh, int *partner);

// ---- where the closest point of a triangle lies --------------------------------------------------
typedef enum MeshPlace { MESH_FACE, MESH_EDGE, MESH_VERTEX } MeshPlace;

typedef struct MeshClosest {
    Vec3 point;
    MeshPlace place;
    int index; // which edge or vertex of the triangle, 0 to 2
} MeshClosest;

// Ericson, Real-Time Collision Detection, 2005, 5.1.5 (Voronoi regions of a triangle).
static inline MeshClosest mesh_closest(const Mesh *mesh, const MeshTriangle *triangle, Vec3 p) {
    Vec3 a = mesh->vertices[triangle->vertex[0]], b = mesh->vertices[triangle->vertex[1]],
         c = mesh->vertices[triangle->vertex[2]];
    Vec3 ab = vec3_sub(b, a), ac = vec3_sub(c, a), ap = vec3_sub(p, a);
    double d1 = vec3_dot(ab, ap), d2 = vec3_dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) return (MeshClosest){a, MESH_VERTEX, 0};
    Vec3 bp = vec3_sub(p, b);
    double d3 = vec3_dot(ab, bp), d4 = vec3_dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) return (MeshClosest){b, MESH_VERTEX, 1};
    double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return (MeshClosest){vec3_madd(a, d1 / (d1 - d3), ab), MESH_EDGE, 0};
    Vec3 cp = vec3_sub(p, c);
    double d5 = vec3_dot(ab, cp), d6 = vec3_dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) return (MeshClosest){c, MESH_VERTEX, 2};
    double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return (MeshClosest){vec3_madd(a, d2 / (d2 - d6), ac), MESH_EDGE, 2};
    double va = d3 * d6 - d5 * d4, along = d4 - d3, back = d5 - d6;
    if (va <= 0 && along >= 0 && back >= 0)
        return (MeshClosest){vec3_madd(b, along / (along + back), vec3_sub(c, b)), MESH_EDGE, 1};
    double scale = 1 / (va + vb + vc);
    return (MeshClosest){vec3_madd(vec3_madd(a, vb * scale, ab), vc * scale, ac), MESH_FACE, 0};
}

static inline Vec3 mesh_triangle_normal(const Mesh *mesh, const MeshTriangle *triangle) {
    Vec3 a = mesh->vertices[triangle->vertex[0]];
    Vec3 ab = vec3_sub(mesh->vertices[triangle->vertex[1]], a);
    Vec3 ac = vec3_sub(mesh->vertices[triangle->vertex[2]], a);
    return vec3_normalize(vec3_cross(ab, ac));
}

// ---- walking through all leaves whose box is within reach of a point -----------------------------
//     MeshWalk walk = mesh_walk(mesh, point, reach);
//     for (int first, count; mesh_walk_next(&walk, mesh, &first, &count);) ...
typedef struct MeshWalk {
    float x, y, z, reach2;
    int depth;
    struct {
        int32_t first, count;
    } stack[MESH_STACK];
} MeshWalk;

// How far single precision may be off for this point [m].
static inline double mesh_float_slack(const Mesh *mesh, Vec3 local) {
    return 5e-7 * (mesh->size + fabs(local.x) + fabs(local.y) + fabs(local.z));
}

// Squares of the distances to the boxes of the node; INFINITY for unused ones.
static inline void mesh_node_distances(const MeshNode *node, float x, float y, float z, float *distance2) {
    for (int i = 0; i < MESH_WIDTH; i++) {
        float dx = node->lower[0][i] - x, ex = x - node->upper[0][i];
        float dy = node->lower[1][i] - y, ey = y - node->upper[1][i];
        float dz = node->lower[2][i] - z, ez = z - node->upper[2][i];
        dx = dx > ex ? dx : ex;
        dy = dy > ey ? dy : ey;
        dz = dz > ez ? dz : ez;
        dx = dx > 0 ? dx : 0;
        dy = dy > 0 ? dy : 0;
        dz = dz > 0 ? dz : 0;
        distance2[i] = dx * dx + dy * dy + dz * dz;
    }
}

static inline void mesh_walk_begin(MeshWalk *walk, const Mesh *mesh, Vec3 point, double reach) {
    Vec3 local = vec3_sub(point, mesh->origin);
    float wide = (float)(reach + mesh_float_slack(mesh, local));
    walk->x = (float)local.x;
    walk->y = (float)local.y;
    walk->z = (float)local.z;
    walk->reach2 = wide * wide;
    walk->depth = 1;
    walk->stack[0].first = walk->stack[0].count = 0;
}

static inline bool mesh_walk_next(MeshWalk *walk, const Mesh *mesh, int *first, int *count) {
    while (walk->depth > 0) {
        int32_t at = walk->stack[--walk->depth].first;
        *first = at;
        *count = walk->stack[walk->depth].count;
        if (*count) return true;
        const MeshNode *node = &mesh->nodes[at];
        float distance2[MESH_WIDTH];
        mesh_node_distances(node, walk->x, walk->y, walk->z, distance2);
        for (int i = 0; i < MESH_WIDTH; i++) {
            if (!(distance2[i] < walk->reach2)) continue;
            walk->stack[walk->depth].first = node->first[i];
            walk->stack[walk->depth++].count = node->count[i];
        }
    }
    return false;
}

#endif
