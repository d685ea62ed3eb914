// Which triangles share an edge, which vertices are joined by one; whether the mesh is closed, and its
// volume.
#include <stdlib.h>

#include "base/memory.h"
#include "geometry/mesh_internal.h"

// One side of a triangle, seen from the lower of its two vertices.
typedef struct MeshSide {
    int other; // the higher vertex
    int place; // 3 triangle + side
} MeshSide;

static int mesh_topology_compare_sides(const void *a, const void *b) {
    const MeshSide *p = a, *q = b;
    if (p->other != q->other) return p->other < q->other ? -1 : 1;
    return p->place < q->place ? -1 : p->place > q->place;
}

static int mesh_topology_side_vertex(const Mesh *mesh, int place, int step) {
    return mesh->triangles[place / 3].vertex[(place % 3 + step) % 3];
}

static int mesh_topology_lower_vertex(const Mesh *mesh, int place) {
    int a = mesh_topology_side_vertex(mesh, place, 0), b = mesh_topology_side_vertex(mesh, place, 1);
    return a < b ? a : b;
}

// All sides, sorted by lower vertex, higher vertex, place: equal edges are then neighbours.
static MeshSide *mesh_topology_sort_sides(const Mesh *mesh) {
    size_t count = 3 * mesh_all_triangles(mesh), vertices = mesh->info.vertex_count;
    MeshSide *sides = memory_alloc(count * sizeof *sides);
    size_t *start = memory_alloc((vertices + 2) * sizeof *start);
    if (sides && start) {
        for (size_t i = 0; i < count; i++) start[mesh_topology_lower_vertex(mesh, (int)i) + 2]++;
        for (size_t v = 2; v < vertices + 2; v++) start[v] += start[v - 1];
        for (size_t i = 0; i < count; i++) {
            int lower = mesh_topology_lower_vertex(mesh, (int)i);
            int other = mesh_topology_side_vertex(mesh, (int)i, 0) +
                        mesh_topology_side_vertex(mesh, (int)i, 1) - lower;
            sides[start[lower + 1]++] = (MeshSide){other, (int)i};
        }
        for (size_t v = 0; v < vertices; v++)
            qsort(&sides[start[v]], start[v + 1] - start[v], sizeof *sides, mesh_topology_compare_sides);
    } else {
        memory_free(sides);
        sides = NULL;
    }
    memory_free(start);
    return sides;
}

// edge_start, edge_opposite and the edges of the triangles, from the sorted sides.
static void mesh_topology_number_edges(Mesh *mesh, const MeshSide *sides) {
    size_t count = 3 * mesh_all_triangles(mesh), edge = 0;
    for (size_t i = 0; i < count; i++) {
        bool fresh = i == 0 || sides[i].other != sides[i - 1].other ||
                     mesh_topology_lower_vertex(mesh, sides[i].place) !=
                         mesh_topology_lower_vertex(mesh, sides[i - 1].place);
        if (fresh) mesh->edge_start[edge++] = (int)i;
        // A sliver cannot be touched: an end of the edge, which is never nearer, stands for its vertex.
        bool sliver = (size_t)sides[i].place / 3 >= mesh->info.triangle_count;
        mesh->edge_opposite[i] = mesh_topology_side_vertex(mesh, sides[i].place, sliver ? 0 : 2);
        mesh->triangles[sides[i].place / 3].edge[sides[i].place % 3] = (int)edge - 1;
    }
    mesh->edge_start[edge] = (int)count;
    mesh->edge_count = edge;
}

// vertex_start and vertex_neighbour.
static void mesh_topology_list_neighbours(Mesh *mesh, const MeshSide *sides) {
    size_t vertices = mesh->info.vertex_count;
    int *start = mesh->vertex_start;
    for (size_t e = 0; e < mesh->edge_count; e++) {
        int place = sides[mesh->edge_start[e]].place;
        start[mesh_topology_side_vertex(mesh, place, 0) + 2]++;
        start[mesh_topology_side_vertex(mesh, place, 1) + 2]++;
    }
    for (size_t v = 2; v < vertices + 2; v++) start[v] += start[v - 1];
    for (size_t e = 0; e < mesh->edge_count; e++) {
        int place = sides[mesh->edge_start[e]].place;
        int a = mesh_topology_side_vertex(mesh, place, 0), b = mesh_topology_side_vertex(mesh, place, 1);
        mesh->vertex_neighbour[start[a + 1]++] = b;
        mesh->vertex_neighbour[start[b + 1]++] = a;
    }
}

bool mesh_topology_build(Mesh *mesh) {
    size_t sides_max = 3 * mesh_all_triangles(mesh);
    MeshSide *sides = mesh_topology_sort_sides(mesh);
    mesh->edge_start = memory_alloc((sides_max + 1) * sizeof(int));
    mesh->edge_opposite = memory_alloc(sides_max * sizeof(int));
    mesh->vertex_start = memory_alloc((mesh->info.vertex_count + 2) * sizeof(int));
    bool made = sides && mesh->edge_start && mesh->edge_opposite && mesh->vertex_start;
    if (made) {
        mesh_topology_number_edges(mesh, sides);
        mesh->vertex_neighbour = memory_alloc(2 * mesh->edge_count * sizeof(int));
        made = mesh->vertex_neighbour;
    }
    if (made) mesh_topology_list_neighbours(mesh, sides);
    memory_free(sides);
    return made;
}

// ---- inside --------------------------------------------------------------------------------------
static double mesh_topology_signed_volume(const Mesh *mesh, const MeshTriangle *triangle) {
    Vec3 a = vec3_sub(mesh->vertices[triangle->vertex[0]], mesh->origin);
    Vec3 b = vec3_sub(mesh->vertices[triangle->vertex[1]], mesh->origin);
    Vec3 c = vec3_sub(mesh->vertices[triangle->vertex[2]], mesh->origin);
    return vec3_dot(a, vec3_cross(b, c)) / 6;
}

// Does the triangle run along the edge from its lower to its higher vertex?
static bool mesh_topology_runs_up(const Mesh *mesh, int triangle, int edge) {
    const MeshTriangle *t = &mesh->triangles[triangle];
    int k = t->edge[0] == edge ? 0 : t->edge[1] == edge ? 1 : 2;
    return t->vertex[k] < t->vertex[(k + 1) % 3];
}

typedef struct MeshVolume {
    int *partner;       // the two triangles of each edge, -1: not just two (2 edge_count)
    int *stack;         // triangles to go on from
    signed char *faces; // 1: as in the file, -1: turned over, 0: not reached yet
} MeshVolume;

// Of the piece of the mesh that hangs together with `first`. A piece whose triangles all agree keeps its
// sign, so that a cavity inside a body counts against it; else the piece is turned to hold a positive volume.
static double mesh_topology_piece_volume(const Mesh *mesh, MeshVolume *work, int first) {
    double sum = 0;
    bool turned = false;
    int depth = 0;
    work->stack[depth++] = first;
    work->faces[first] = 1;
    while (depth > 0) {
        int t = work->stack[--depth];
        sum += work->faces[t] * mesh_topology_signed_volume(mesh, &mesh->triangles[t]);
        for (int k = 0; k < 3; k++) {
            int edge = mesh->triangles[t].edge[k];
            int other = work->partner[2 * edge] == t ? work->partner[2 * edge + 1] : work->partner[2 * edge];
            if (other < 0 || work->faces[other] != 0) continue;
            bool agree = mesh_topology_runs_up(mesh, t, edge) != mesh_topology_runs_up(mesh, other, edge);
            work->faces[other] = (signed char)(agree ? work->faces[t] : -work->faces[t]);
            turned = turned || !agree;
            work->stack[depth++] = other;
        }
    }
    return turned ? fabs(sum) : sum;
}

void mesh_edge_partners(const Mesh *mesh, int *partner) {
    for (size_t i = 0; i < 2 * mesh->edge_count; i++) partner[i] = -1;
    for (size_t i = 0; i < 3 * mesh_all_triangles(mesh); i++) {
        int edge = mesh->triangles[i / 3].edge[i % 3];
        if (mesh->edge_start[edge + 1] - mesh->edge_start[edge] != 2) continue;
        partner[2 * edge + (partner[2 * edge] >= 0)] = (int)(i / 3);
    }
}

bool mesh_volume_build(Mesh *mesh) {
    size_t triangles = mesh_all_triangles(mesh);
    mesh->info.closed = true;
    mesh->info.volume = INFINITY;
    for (size_t e = 0; e < mesh->edge_count; e++) {
        int shared = mesh->edge_start[e + 1] - mesh->edge_start[e];
        if (shared % 2 == 1) mesh->info.closed = false;
        if (shared == 1) mesh->info.open_edge_count++;
    }
    if (!mesh->info.closed) return true;
    MeshVolume work = {.partner = memory_alloc(2 * mesh->edge_count * sizeof(int)),
                       .stack = memory_alloc(triangles * sizeof(int)),
                       .faces = memory_alloc(triangles)};
    bool made = work.partner && work.stack && work.faces;
    if (made) {
        double sum = 0;
        mesh_edge_partners(mesh, work.partner);
        for (size_t t = 0; t < triangles; t++)
            if (work.faces[t] == 0) sum += mesh_topology_piece_volume(mesh, &work, (int)t);
        mesh->info.volume = fabs(sum);
    }
    memory_free(work.partner);
    memory_free(work.stack);
    memory_free(work.faces);
    return made;
}
