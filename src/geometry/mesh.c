// Making meshes: corners to vertices and triangles, then one file per further step.
#include "geometry/mesh.h"

#include "base/memory.h"
#include "geometry/mesh_internal.h"
#include "geometry/stl.h"

// Coordinates of an STL file have 24 bits. Corners that differ by less than two units of the last place of
// the largest coordinate are the same vertex. Triangles thinner than 20 times that have no certain direction.
static const double mesh_weld_share = 2.5e-7, mesh_sliver_share = 20 * 2.5e-7;

// No sensible mesh reaches these limits, and their squares are within the range of single precision [m].
static const double mesh_coordinate_max = 1e9, mesh_size_min = 1e-9;

// ---- joining equal corners -----------------------------------------------------------------------
// A hash table of cubes somewhat larger than the tolerance. A corner is searched in all cubes that a vertex
// within the tolerance could be in: one, or up to eight when it is near the sides of its cube.
typedef struct MeshWeld {
    double tolerance, cell;
    size_t mask;
    int *head; // vertex + 1 per slot; 0: none
    int *next; // the same, per vertex
    Vec3 *vertices;
    size_t count;
} MeshWeld;

static size_t mesh_weld_slot(const MeshWeld *weld, int64_t x, int64_t y, int64_t z) {
    uint64_t hash = (uint64_t)x * 0x9E3779B97F4A7C15u ^ (uint64_t)y * 0xC2B2AE3D27D4EB4Fu ^
                    (uint64_t)z * 0x165667B19E3779F9u;
    return (hash ^ hash >> 29) & weld->mask;
}

static int64_t mesh_weld_cell(const MeshWeld *weld, double x) { return (int64_t)floor(x / weld->cell); }

// The first vertex made of those within the tolerance, or -1.
static int mesh_weld_find(const MeshWeld *weld, Vec3 p) {
    double t = weld->tolerance;
    int64_t lower[3], upper[3];
    for (int k = 0; k < 3; k++) {
        lower[k] = mesh_weld_cell(weld, vec3_component(p, k) - t);
        upper[k] = mesh_weld_cell(weld, vec3_component(p, k) + t);
    }
    int found = -1;
    for (int64_t x = lower[0]; x <= upper[0]; x++)
        for (int64_t y = lower[1]; y <= upper[1]; y++)
            for (int64_t z = lower[2]; z <= upper[2]; z++)
                for (int v = weld->head[mesh_weld_slot(weld, x, y, z)] - 1; v >= 0; v = weld->next[v] - 1)
                    if ((found < 0 || v < found) && vec3_norm2(vec3_sub(weld->vertices[v], p)) <= t * t)
                        found = v;
    return found;
}

static int mesh_weld_vertex(MeshWeld *weld, Vec3 p) {
    int vertex = mesh_weld_find(weld, p);
    if (vertex >= 0) return vertex;
    vertex = (int)weld->count++;
    size_t slot =
        mesh_weld_slot(weld, mesh_weld_cell(weld, p.x), mesh_weld_cell(weld, p.y), mesh_weld_cell(weld, p.z));
    weld->vertices[vertex] = p;
    weld->next[vertex] = weld->head[slot];
    weld->head[slot] = vertex + 1;
    return vertex;
}

static double mesh_thickness(const Vec3 *vertices, const int *corner) {
    Vec3 a = vertices[corner[0]], b = vertices[corner[1]], c = vertices[corner[2]];
    Vec3 ab = vec3_sub(b, a), bc = vec3_sub(c, b), ca = vec3_sub(a, c);
    double longest2 = fmax(vec3_norm2(ab), fmax(vec3_norm2(bc), vec3_norm2(ca)));
    return vec3_norm(vec3_cross(ab, bc)) / sqrt(longest2);
}

// Collects triangles that can be touched at the front of the list and slivers at its back; drops those with two
// corners in one place.
static void mesh_sort_triangles(Mesh *mesh, MeshWeld *weld, const Vec3 *corners, size_t count) {
    size_t front = 0, back = count;
    for (size_t i = 0; i < count; i++) {
        MeshTriangle triangle = {0};
        int *v = triangle.vertex;
        for (int k = 0; k < 3; k++) v[k] = mesh_weld_vertex(weld, corners[3 * i + (size_t)k]);
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) continue;
        bool thin = mesh_thickness(weld->vertices, v) <= mesh->tolerance;
        mesh->triangles[thin ? --back : front++] = triangle;
    }
    mesh->info.triangle_count = front;
    mesh->sliver_count = count - back;
    mesh->info.degenerate_count = count - front;
    memmove(&mesh->triangles[front], &mesh->triangles[back], mesh->sliver_count * sizeof(MeshTriangle));
}

static bool mesh_weld_corners(Mesh *mesh, const Vec3 *corners, size_t count) {
    size_t slots = 64;
    while (slots < 2 * count) slots *= 2;
    MeshWeld weld = {.tolerance = mesh_weld_share * mesh->size, .mask = slots - 1};
    weld.cell = 16 * weld.tolerance;
    weld.head = memory_alloc(slots * sizeof *weld.head);
    weld.next = memory_alloc(3 * count * sizeof *weld.next);
    weld.vertices = memory_alloc(3 * count * sizeof *weld.vertices);
    mesh->triangles = memory_alloc(count * sizeof *mesh->triangles);
    bool made = weld.head && weld.next && weld.vertices && mesh->triangles;
    if (made) mesh_sort_triangles(mesh, &weld, corners, count);
    memory_free(weld.head);
    memory_free(weld.next);
    mesh->vertices = weld.vertices;
    mesh->info.vertex_count = weld.count;
    return made;
}

// Numbers the vertices in the order in which the triangles use them, and drops the unused.
static bool mesh_order_vertices(Mesh *mesh) {
    size_t used = 0, triangles = mesh_all_triangles(mesh);
    int *number = memory_alloc(mesh->info.vertex_count * sizeof *number); // + 1; 0: not yet seen
    Vec3 *ordered = memory_alloc(mesh->info.vertex_count * sizeof *ordered);
    if (!number || !ordered) {
        memory_free(number);
        memory_free(ordered);
        return false;
    }
    for (size_t i = 0; i < 3 * triangles; i++) {
        int *vertex = &mesh->triangles[i / 3].vertex[i % 3];
        if (number[*vertex] == 0) {
            ordered[used++] = mesh->vertices[*vertex];
            number[*vertex] = (int)used;
        }
        *vertex = number[*vertex] - 1;
    }
    memory_free(number);
    memory_free(mesh->vertices);
    mesh->vertices = ordered;
    mesh->info.vertex_count = used;
    return true;
}

// ---- making and unmaking -------------------------------------------------------------------------
static MrcStatus mesh_measure(Mesh *mesh, const Vec3 *corners, size_t count, const char *name,
                              MrcError *error) {
    Vec3 lower = {INFINITY, INFINITY, INFINITY}, upper = {-INFINITY, -INFINITY, -INFINITY};
    if (count == 0) return error_set(error, MRC_READ_FAILED, "mesh '%s': it has no triangles", name);
    if (count > MESH_TRIANGLES_MAX)
        return error_set(error, MRC_READ_FAILED, "mesh '%s': it has more than %d triangles", name,
                         MESH_TRIANGLES_MAX);
    for (size_t i = 0; i < 3 * count; i++) {
        Vec3 p = corners[i];
        double size = fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
        if (!vec3_is_finite(p) || size > mesh_coordinate_max)
            return error_set(
                error, MRC_READ_FAILED,
                "mesh '%s': a corner of triangle %zu is at %g %g %g m; check the file and its scale", name,
                i / 3 + 1, p.x, p.y, p.z);
        lower = vec3(fmin(lower.x, p.x), fmin(lower.y, p.y), fmin(lower.z, p.z));
        upper = vec3(fmax(upper.x, p.x), fmax(upper.y, p.y), fmax(upper.z, p.z));
        mesh->size = fmax(mesh->size, size);
    }
    if (mesh->size < mesh_size_min)
        return error_set(error, MRC_READ_FAILED, "mesh '%s': it is only %g m large; check its scale", name,
                         mesh->size);
    mesh->origin = vec3_scale(0.5, vec3_add(lower, upper));
    mesh->tolerance = mesh_sliver_share * mesh->size;
    mesh->info.lower = lower;
    mesh->info.upper = upper;
    return MRC_OK;
}

MrcStatus mesh_create(Mesh **made, const Vec3 *corners, size_t triangle_count, const char *name,
                      MrcError *error) {
    *made = NULL;
    Mesh *mesh = memory_alloc(sizeof *mesh);
    if (!mesh) return error_memory(error, name);
    MrcStatus status = mesh_measure(mesh, corners, triangle_count, name, error);
    if (status == MRC_OK && !mesh_weld_corners(mesh, corners, triangle_count))
        status = error_memory(error, name);
    if (status == MRC_OK && mesh->info.triangle_count == 0)
        status = error_set(error, MRC_READ_FAILED, "mesh '%s': none of its triangles has an area", name);
    if (status == MRC_OK &&
        !(mesh_tree_build(mesh) && mesh_order_vertices(mesh) && mesh_topology_build(mesh) &&
          mesh_groups_build(mesh) && mesh_volume_build(mesh)))
        status = error_memory(error, name);
    if (status == MRC_OK) *made = mesh;
    else mesh_destroy(mesh);
    return status;
}

MrcStatus mesh_read(Mesh **mesh, const char *path, double scale, Vec3 offset, MrcError *error) {
    StlTriangles triangles = {0};
    *mesh = NULL;
    MrcStatus status = stl_read(&triangles, path, error);
    if (status == MRC_OK) {
        Vec3 *corners = triangles.corners.data;
        for (size_t i = 0; i < triangles.corners.count; i++)
            corners[i] = vec3_madd(offset, scale, corners[i]);
        status = mesh_create(mesh, corners, triangles.corners.count / 3, path, error);
    }
    stl_free(&triangles);
    return status;
}

void mesh_destroy(Mesh *mesh) {
    if (!mesh) return;
    void *blocks[] = {mesh->triangles,    mesh->vertices,    mesh->edge_start,   mesh->edge_opposite,
                      mesh->edge_group,   mesh->edge_seam,   mesh->vertex_start, mesh->vertex_neighbour,
                      mesh->vertex_group, mesh->vertex_seam, mesh->nodes};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) memory_free(blocks[i]);
    memory_free(mesh);
}

const MeshInfo *mesh_info(const Mesh *mesh) { return &mesh->info; }
const Vec3 *mesh_vertices(const Mesh *mesh) { return mesh->vertices; }
const int *mesh_triangle(const Mesh *mesh, size_t triangle) { return mesh->triangles[triangle].vertex; }
