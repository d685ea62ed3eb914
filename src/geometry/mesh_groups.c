// Parts of a mesh that act as one on a grain (mesh.h): smooth regions of triangles, curves of sharp edges, and
// vertices that are corners.
//
// An edge is smooth when two triangles meet there and the unit vectors u1, u2 that lead from the edge into
// the two of them satisfy -u1 . u2 > cos(MESH_SMOOTH_ANGLE): no matter which way the triangles face. Slivers
// have no such vector; the triangles on their sides are joined when their planes are within the angle.
#include "base/memory.h"
#include "geometry/mesh_internal.h"

typedef struct MeshGroups {
    Mesh *mesh;
    int *triangle_set;         // sets of triangles, as trees of parents
    int *edge_set;             // of sharp edges
    int *partner;              // the two triangles of each edge, -1: not just two (2 edge_count)
    int *edge_vertex;          // its two ends (2 edge_count)
    unsigned char *sharp;      // per edge
    int *sharp_edges;          // the first two sharp edges of each vertex (2 vertex_count)
    int *sharp_count, *region; // of each vertex: sharp edges there; region there, -1 none, -2 several
    double cos_smooth;
} MeshGroups;

static int mesh_groups_set_root(int *set, int item) {
    while (set[item] != item) item = set[item] = set[set[item]];
    return item;
}

// The lowest member is the root, so that numbering does not depend on the order of joining.
static void mesh_groups_set_join(int *set, int a, int b) {
    a = mesh_groups_set_root(set, a);
    b = mesh_groups_set_root(set, b);
    if (a < b) set[b] = a;
    else set[a] = b;
}

static bool mesh_groups_is_sliver(const MeshGroups *groups, int triangle) {
    return (size_t)triangle >= groups->mesh->info.triangle_count;
}

// From the edge to the opposite vertex, across the edge.
static Vec3 mesh_groups_into_triangle(const MeshGroups *groups, int edge, int which) {
    const Mesh *mesh = groups->mesh;
    Vec3 a = mesh->vertices[groups->edge_vertex[2 * edge]];
    Vec3 along = vec3_normalize(vec3_sub(mesh->vertices[groups->edge_vertex[2 * edge + 1]], a));
    Vec3 d = vec3_sub(mesh->vertices[mesh->edge_opposite[mesh->edge_start[edge] + which]], a);
    return vec3_normalize(vec3_madd(d, -vec3_dot(d, along), along));
}

static bool mesh_groups_bends_little(const MeshGroups *groups, int edge) {
    return -vec3_dot(mesh_groups_into_triangle(groups, edge, 0), mesh_groups_into_triangle(groups, edge, 1)) >
           groups->cos_smooth;
}

static void mesh_groups_list_edges(MeshGroups *groups) {
    const Mesh *mesh = groups->mesh;
    mesh_edge_partners(mesh, groups->partner);
    for (size_t i = 0; i < 3 * mesh_all_triangles(mesh); i++) {
        const MeshTriangle *triangle = &mesh->triangles[i / 3];
        size_t k = i % 3, edge = (size_t)triangle->edge[k];
        groups->edge_vertex[2 * edge] = triangle->vertex[k];
        groups->edge_vertex[2 * edge + 1] = triangle->vertex[(k + 1) % 3];
    }
}

static void mesh_groups_join_over_sliver(MeshGroups *groups, int sliver) {
    const Mesh *mesh = groups->mesh;
    int beside[3], count = 0;
    for (int k = 0; k < 3; k++) {
        int edge = mesh->triangles[sliver].edge[k];
        int other =
            groups->partner[2 * edge] == sliver ? groups->partner[2 * edge + 1] : groups->partner[2 * edge];
        if (other >= 0 && !mesh_groups_is_sliver(groups, other)) beside[count++] = other;
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++) {
            Vec3 a = mesh_triangle_normal(mesh, &mesh->triangles[beside[i]]);
            Vec3 b = mesh_triangle_normal(mesh, &mesh->triangles[beside[j]]);
            if (fabs(vec3_dot(a, b)) <= groups->cos_smooth) continue;
            mesh_groups_set_join(groups->triangle_set, beside[i], beside[j]);
            mesh_groups_set_join(groups->triangle_set, beside[i], sliver);
        }
}

// Joins triangles over smooth edges, and marks sharp edges and seams.
static void mesh_groups_find_regions(MeshGroups *groups) {
    Mesh *mesh = groups->mesh;
    size_t all = mesh_all_triangles(mesh);
    for (size_t t = 0; t < all; t++) groups->triangle_set[t] = (int)t;
    for (size_t e = 0; e < mesh->edge_count; e++) {
        int a = groups->partner[2 * e], b = groups->partner[2 * e + 1];
        groups->sharp[e] = 1;
        mesh->edge_seam[e] = mesh->edge_start[e + 1] - mesh->edge_start[e] == 1;
        if (a < 0) continue;
        mesh->edge_seam[e] = mesh_groups_is_sliver(groups, a) || mesh_groups_is_sliver(groups, b);
        if (mesh->edge_seam[e] || !mesh_groups_bends_little(groups, (int)e)) continue;
        groups->sharp[e] = 0;
        mesh_groups_set_join(groups->triangle_set, a, b);
    }
    for (size_t t = mesh->info.triangle_count; t < all; t++) mesh_groups_join_over_sliver(groups, (int)t);
    for (size_t e = 0; e < mesh->edge_count; e++) {
        int a = groups->partner[2 * e], b = groups->partner[2 * e + 1];
        if (a < 0 || !mesh->edge_seam[e]) continue;
        groups->sharp[e] =
            mesh_groups_set_root(groups->triangle_set, a) != mesh_groups_set_root(groups->triangle_set, b);
    }
}

static bool mesh_groups_runs_straight_on(const MeshGroups *groups, int vertex, int first, int second) {
    const Vec3 *vertices = groups->mesh->vertices;
    const int *ends = groups->edge_vertex;
    int p = ends[2 * first] + ends[2 * first + 1] - vertex,
        q = ends[2 * second] + ends[2 * second + 1] - vertex;
    Vec3 a = vec3_normalize(vec3_sub(vertices[p], vertices[vertex]));
    Vec3 b = vec3_normalize(vec3_sub(vertices[q], vertices[vertex]));
    return -vec3_dot(a, b) > groups->cos_smooth;
}

// Joins sharp edges that meet two by two without a corner; marks the vertices between them with count 0.
static void mesh_groups_find_curves(MeshGroups *groups) {
    Mesh *mesh = groups->mesh;
    for (size_t e = 0; e < mesh->edge_count; e++) {
        groups->edge_set[e] = (int)e;
        for (int end = 0; end < 2; end++) {
            int v = groups->edge_vertex[2 * e + (size_t)end];
            if (mesh->edge_seam[e]) mesh->vertex_seam[v] = 1;
            if (!groups->sharp[e]) continue;
            if (groups->sharp_count[v] < 2) groups->sharp_edges[2 * v + groups->sharp_count[v]] = (int)e;
            groups->sharp_count[v]++;
        }
    }
    for (size_t v = 0; v < mesh->info.vertex_count; v++) {
        int first = groups->sharp_edges[2 * v], second = groups->sharp_edges[2 * v + 1];
        if (groups->sharp_count[v] == 2 && mesh_groups_runs_straight_on(groups, (int)v, first, second))
            mesh_groups_set_join(groups->edge_set, first, second);
    }
}

// Roots get the next free numbers in order, members the number of their root.
static void mesh_groups_number_regions(MeshGroups *groups) {
    Mesh *mesh = groups->mesh;
    size_t all = mesh_all_triangles(mesh);
    int next = 0;
    for (size_t t = 0; t < all; t++) {
        int root = mesh_groups_set_root(groups->triangle_set, (int)t);
        mesh->triangles[t].group = root == (int)t ? next++ : mesh->triangles[root].group;
    }
    mesh->info.region_count = mesh->info.group_count = next;
    for (size_t v = 0; v < mesh->info.vertex_count; v++) groups->region[v] = -1;
    for (size_t i = 0; i < 3 * mesh->info.triangle_count; i++) {
        int *region = &groups->region[mesh->triangles[i / 3].vertex[i % 3]];
        int here = mesh->triangles[i / 3].group;
        *region = *region == -1 || *region == here ? here : -2;
    }
}

static void mesh_groups_number_edges_and_vertices(MeshGroups *groups) {
    Mesh *mesh = groups->mesh;
    int next = mesh->info.region_count;
    for (size_t e = 0; e < mesh->edge_count; e++) {
        int root = mesh_groups_set_root(groups->edge_set, (int)e);
        if (!groups->sharp[e]) mesh->edge_group[e] = mesh->triangles[groups->partner[2 * e]].group;
        else mesh->edge_group[e] = root == (int)e ? next++ : mesh->edge_group[root];
    }
    for (size_t v = 0; v < mesh->info.vertex_count; v++) {
        int first = groups->sharp_edges[2 * v], second = groups->sharp_edges[2 * v + 1];
        bool curve = groups->sharp_count[v] == 2 && mesh_groups_set_root(groups->edge_set, first) ==
                                                        mesh_groups_set_root(groups->edge_set, second);
        if (groups->sharp_count[v] == 0 && groups->region[v] >= 0) mesh->vertex_group[v] = groups->region[v];
        else mesh->vertex_group[v] = curve ? mesh->edge_group[first] : next++;
    }
    mesh->info.group_count = next;
}

static bool mesh_groups_allocate(MeshGroups *groups) {
    Mesh *mesh = groups->mesh;
    size_t edges = mesh->edge_count, vertices = mesh->info.vertex_count;
    mesh->edge_group = memory_alloc(edges * sizeof(int));
    mesh->edge_seam = memory_alloc(edges);
    mesh->vertex_group = memory_alloc(vertices * sizeof(int));
    mesh->vertex_seam = memory_alloc(vertices);
    groups->triangle_set = memory_alloc(mesh_all_triangles(mesh) * sizeof(int));
    groups->edge_set = memory_alloc(edges * sizeof(int));
    groups->partner = memory_alloc(2 * edges * sizeof(int));
    groups->edge_vertex = memory_alloc(2 * edges * sizeof(int));
    groups->sharp = memory_alloc(edges);
    groups->sharp_edges = memory_alloc(2 * vertices * sizeof(int));
    groups->sharp_count = memory_alloc(vertices * sizeof(int));
    groups->region = memory_alloc(vertices * sizeof(int));
    return mesh->edge_group && mesh->edge_seam && mesh->vertex_group && mesh->vertex_seam &&
           groups->triangle_set && groups->edge_set && groups->partner && groups->edge_vertex &&
           groups->sharp && groups->sharp_edges && groups->sharp_count && groups->region;
}

bool mesh_groups_build(Mesh *mesh) {
    MeshGroups groups = {.mesh = mesh, .cos_smooth = cos(MESH_SMOOTH_ANGLE)};
    bool made = mesh_groups_allocate(&groups);
    if (made) {
        mesh_groups_list_edges(&groups);
        mesh_groups_find_regions(&groups);
        mesh_groups_find_curves(&groups);
        mesh_groups_number_regions(&groups);
        mesh_groups_number_edges_and_vertices(&groups);
    }
    void *blocks[] = {groups.triangle_set, groups.edge_set,    groups.partner,     groups.edge_vertex,
                      groups.sharp,        groups.sharp_edges, groups.sharp_count, groups.region};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) memory_free(blocks[i]);
    return made;
}
