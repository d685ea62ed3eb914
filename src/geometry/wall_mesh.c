// A wall given by a triangle mesh: mesh.h has the rules of contact.
//
// A closed mesh is the wall of the room inside it (or, when `solid`, the skin of a body that grains stay out
// of); a centre on the wrong side of it is lost. A mesh with holes has no inside: nothing can be lost there.
#include <assert.h>
#include <stdio.h>

#include "geometry/wall_internal.h"

static MrcStatus mesh_wall_prepare(Wall *wall, const char *folder, MrcError *error) {
    char path[4096];
    const char *file = wall->mesh.file;
    bool absolute = file[0] == '/' || !folder || !folder[0];
    int length = snprintf(path, sizeof path, "%s%s%s", absolute ? "" : folder, absolute ? "" : "/", file);
    if (length < 0 || (size_t)length >= sizeof path)
        return error_set(error, MRC_READ_FAILED, "cannot read '%.60s...': the path is too long", path);
    return mesh_read(&wall->mesh.mesh, path, wall->mesh.scale, wall->mesh.offset, error);
}

static void mesh_wall_release(Wall *wall) {
    mesh_destroy(wall->mesh.mesh);
    wall->mesh.mesh = NULL;
}

static const Mesh *prepared(const Wall *wall) {
    assert(wall->mesh.mesh && "wall_prepare comes first");
    return wall->mesh.mesh;
}

static bool is_room(const Wall *wall) { return mesh_info(prepared(wall))->closed && !wall->mesh.solid; }

static int mesh_wall_contacts(const Wall *wall, Vec3 center, double radius, double margin,
                              WallContact *contacts) {
    MeshContact found[WALL_CONTACT_MAX];
    int count = mesh_contacts(prepared(wall), center, radius, margin, found, WALL_CONTACT_MAX);
    for (int i = 0; i < count; i++)
        contacts[i] = (WallContact){found[i].gap, found[i].normal, found[i].feature};
    return count;
}

static double mesh_wall_inset(const Wall *wall, Vec3 point) {
    return mesh_distance(prepared(wall), point, 0.25);
}

static double mesh_wall_outside(const Wall *wall, Vec3 point) {
    const Mesh *mesh = prepared(wall);
    if (!mesh_info(mesh)->closed || mesh_contains(mesh, point) != wall->mesh.solid) return 0;
    return mesh_distance(mesh, point, 0);
}

static bool mesh_wall_bounds(const Wall *wall, Vec3 *lower, Vec3 *upper) {
    if (!is_room(wall)) return false;
    *lower = mesh_info(wall->mesh.mesh)->lower;
    *upper = mesh_info(wall->mesh.mesh)->upper;
    return true;
}

static double mesh_wall_volume(const Wall *wall) {
    return is_room(wall) ? mesh_info(wall->mesh.mesh)->volume : INFINITY;
}

static bool mesh_wall_surface(const Wall *wall, Surface *surface) {
    const Mesh *mesh = prepared(wall);
    const Vec3 *vertices = mesh_vertices(mesh);
    int first = (int)surface->points.count;
    for (size_t i = 0; i < mesh_info(mesh)->vertex_count; i++)
        if (!surface_add_point(surface, vertices[i])) return false;
    for (size_t i = 0; i < mesh_info(mesh)->triangle_count; i++)
        if (!surface_add_polygon(surface, mesh_triangle(mesh, i), 3, first)) return false;
    return true;
}

const WallType wall_type_mesh = {
    .name = "mesh",
    .contacts = mesh_wall_contacts,
    .contact_limit = WALL_CONTACT_MAX,
    .inset = mesh_wall_inset,
    .outside = mesh_wall_outside,
    .bounds = mesh_wall_bounds,
    .volume = mesh_wall_volume,
    .surface = mesh_wall_surface,
    .prepare = mesh_wall_prepare,
    .release = mesh_wall_release,
};
