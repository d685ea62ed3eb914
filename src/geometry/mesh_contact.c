// Contacts of a sphere with a mesh: the rules are in mesh.h.
#include "geometry/mesh_internal.h"

// More minima than these are only found around spheres that fill their room; the deepest are kept.
enum { minima_max = 64 };

typedef struct MeshMinimum {
    double distance;
    Vec3 point, normal;
    int group, triangle;
} MeshMinimum;

typedef struct MeshMinima {
    const Mesh *mesh;
    Vec3 center;
    double reach2;
    int count;
    MeshMinimum list[minima_max];
} MeshMinima;

// Of two equally deep ones the one on the lower triangle, so that there is always an order.
static bool mesh_contact_is_deeper(const MeshMinimum *a, const MeshMinimum *b) {
    return a->distance < b->distance || (a->distance == b->distance && a->triangle < b->triangle);
}

// The same place, found on two triangles, or on an edge and beside it.
static bool mesh_contact_coincide(const Mesh *mesh, const MeshMinimum *a, const MeshMinimum *b) {
    return vec3_norm2(vec3_sub(a->point, b->point)) <= 16 * mesh->tolerance * mesh->tolerance;
}

static void mesh_contact_add_minimum(MeshMinima *minima, const MeshMinimum *found) {
    int worst = 0;
    for (int i = 0; i < minima->count; i++) {
        MeshMinimum *known = &minima->list[i];
        if (known->group == found->group && mesh_contact_coincide(minima->mesh, known, found)) {
            if (mesh_contact_is_deeper(found, known)) *known = *found;
            return;
        }
        if (mesh_contact_is_deeper(&minima->list[worst], known)) worst = i;
    }
    if (minima->count < minima_max) minima->list[minima->count++] = *found;
    else if (mesh_contact_is_deeper(found, &minima->list[worst])) minima->list[worst] = *found;
}

// ---- is it a minimum of the surface, not only of one triangle? -----------------------------------
// Does going from the point towards the vertices come nearer to the centre, by more than rounding?
static bool mesh_contact_falls_towards(const Mesh *mesh, Vec3 point, Vec3 to_center, const int *vertex,
                                       const int *end) {
    double slack = 1e-10 * mesh->size;
    for (; vertex < end; vertex++) {
        Vec3 way = vec3_sub(mesh->vertices[*vertex], point);
        double fall = vec3_dot(to_center, way);
        if (fall > 0 && fall * fall > slack * slack * vec3_norm2(way)) return true;
    }
    return false;
}

// Where triangles may meet that do not share an edge or a vertex: does one that passes through the point, and
// does not end there, come nearer to the centre?
static bool mesh_contact_falls_beyond_seam(const Mesh *mesh, Vec3 point, Vec3 center) {
    double tolerance2 = mesh->tolerance * mesh->tolerance, here2 = vec3_norm2(vec3_sub(center, point));
    MeshWalk walk;
    mesh_walk_begin(&walk, mesh, point, mesh->tolerance);
    for (int first, count; mesh_walk_next(&walk, mesh, &first, &count);)
        for (int t = first; t < first + count; t++) {
            const MeshTriangle *triangle = &mesh->triangles[t];
            Vec3 beside = mesh_closest(mesh, triangle, point).point;
            if (vec3_norm2(vec3_sub(beside, point)) > tolerance2) continue;
            Vec3 nearest = mesh_closest(mesh, triangle, center).point;
            if (vec3_norm2(vec3_sub(center, nearest)) < here2 &&
                vec3_norm2(vec3_sub(nearest, point)) > 4 * tolerance2)
                return true;
        }
    return false;
}

// Also returns the group of the place.
static bool mesh_contact_is_minimum(const Mesh *mesh, const MeshTriangle *triangle,
                                    const MeshClosest *closest, Vec3 center, Vec3 to_center, int *group) {
    *group = triangle->group;
    if (closest->place == MESH_FACE) return true;
    bool falls, seam;
    if (closest->place == MESH_EDGE) {
        int edge = triangle->edge[closest->index], start = mesh->edge_start[edge];
        falls = mesh_contact_falls_towards(mesh, closest->point, to_center, &mesh->edge_opposite[start],
                                           &mesh->edge_opposite[mesh->edge_start[edge + 1]]);
        seam = mesh->edge_seam[edge];
        *group = mesh->edge_group[edge];
    } else {
        int vertex = triangle->vertex[closest->index], start = mesh->vertex_start[vertex];
        falls = mesh_contact_falls_towards(mesh, closest->point, to_center, &mesh->vertex_neighbour[start],
                                           &mesh->vertex_neighbour[mesh->vertex_start[vertex + 1]]);
        seam = mesh->vertex_seam[vertex];
        *group = mesh->vertex_group[vertex];
    }
    return !falls && !(seam && mesh_contact_falls_beyond_seam(mesh, closest->point, center));
}

static void mesh_contact_visit_triangle(MeshMinima *minima, int index) {
    const Mesh *mesh = minima->mesh;
    const MeshTriangle *triangle = &mesh->triangles[index];
    MeshClosest closest = mesh_closest(mesh, triangle, minima->center);
    Vec3 to_center = vec3_sub(minima->center, closest.point);
    double distance2 = vec3_norm2(to_center);
    if (!(distance2 < minima->reach2)) return;
    MeshMinimum found = {.distance = sqrt(distance2), .point = closest.point, .triangle = index};
    if (!mesh_contact_is_minimum(mesh, triangle, &closest, minima->center, to_center, &found.group)) return;
    // A centre in the surface: either side is as good as the other.
    bool certain = found.distance > 1e-12 * mesh->size;
    found.normal = certain ? vec3_scale(1 / found.distance, to_center) : mesh_triangle_normal(mesh, triangle);
    mesh_contact_add_minimum(minima, &found);
}

// ---- which minima count --------------------------------------------------------------------------
static bool mesh_contact_counts(const MeshMinima *minima, int i, double cos_smooth) {
    const MeshMinimum *a = &minima->list[i];
    for (int j = 0; j < minima->count; j++) {
        const MeshMinimum *b = &minima->list[j];
        if (j == i || !mesh_contact_is_deeper(b, a)) continue;
        if (a->group == b->group && vec3_dot(a->normal, b->normal) > cos_smooth) return false;
        if (mesh_contact_coincide(minima->mesh, a, b)) return false;
    }
    return true;
}

// The direction in one of 6 * 7 * 7 cells: faces of a cube, cut into equal angles of 90/7 degrees, so that
// directions more than MESH_SMOOTH_ANGLE apart are never in the same cell.
static int mesh_contact_direction_cell(Vec3 n) {
    enum { cuts = 7 };
    double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z), main = fmax(x, fmax(y, z));
    int axis = main == x ? 0 : main == y ? 1 : 2;
    double u = vec3_component(n, (axis + 1) % 3) / main, v = vec3_component(n, (axis + 2) % 3) / main;
    int i = (int)(cuts * (0.5 + atan(u) * (2 / M_PI))), j = (int)(cuts * (0.5 + atan(v) * (2 / M_PI)));
    i = i < cuts ? i : cuts - 1;
    j = j < cuts ? j : cuts - 1;
    return ((2 * axis + (vec3_component(n, axis) > 0)) * cuts + i) * cuts + j;
}

// The group alone, or the group and the direction when the sphere touches the group more than once. What is
// near but does not touch must not change the number of what does, so that numbers do not depend on the
// margin. Numbers beyond the range of int (more than 7 million groups) start again: two contacts of one
// sphere will not meet.
static int mesh_contact_feature_of(const Mesh *mesh, const MeshMinimum *kept, int count, int i,
                                   double radius) {
    int others = 0, touching = 0;
    for (int j = 0; j < count; j++) {
        if (j == i || kept[j].group != kept[i].group) continue;
        others++;
        touching += kept[j].distance < radius;
    }
    if (others == 0 || (touching == 0 && kept[i].distance < radius)) return kept[i].group;
    int64_t number =
        kept[i].group + (int64_t)mesh->info.group_count * (1 + mesh_contact_direction_cell(kept[i].normal));
    return (int)(number % INT32_MAX);
}

int mesh_contacts(const Mesh *mesh, Vec3 center, double radius, double margin, MeshContact *contacts,
                  int capacity) {
    double reach = radius + margin;
    if (!(reach > 0)) return 0;
    MeshMinima minima;
    minima.mesh = mesh;
    minima.center = center;
    minima.reach2 = reach * reach;
    minima.count = 0;
    MeshWalk walk;
    mesh_walk_begin(&walk, mesh, center, reach);
    for (int first, count; mesh_walk_next(&walk, mesh, &first, &count);)
        for (int t = first; t < first + count; t++) mesh_contact_visit_triangle(&minima, t);
    MeshMinimum kept[minima_max];
    int count = 0;
    double cos_smooth = cos(MESH_SMOOTH_ANGLE);
    for (int i = 0; i < minima.count; i++) {
        if (minima.count > 1 && !mesh_contact_counts(&minima, i, cos_smooth)) continue;
        int at = count++;
        for (; at > 0 && mesh_contact_is_deeper(&minima.list[i], &kept[at - 1]); at--)
            kept[at] = kept[at - 1];
        kept[at] = minima.list[i];
    }
    if (count > capacity) count = capacity;
    for (int i = 0; i < count; i++) {
        int feature = mesh_contact_feature_of(mesh, kept, count, i, radius);
        contacts[i] = (MeshContact){kept[i].distance - radius, kept[i].normal, feature};
    }
    return count;
}
