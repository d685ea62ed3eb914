#include "geometry/wall.h"

#include <assert.h>

#include "geometry/wall_internal.h"

static const WallType *const wall_types[WALL_KIND_COUNT] = {
    [WALL_PLANE] = &wall_type_plane,       [WALL_BOX] = &wall_type_box,
    [WALL_CYLINDER] = &wall_type_cylinder, [WALL_SPHERE] = &wall_type_sphere,
    [WALL_CAPSULE] = &wall_type_capsule,   [WALL_CONE] = &wall_type_cone,
    [WALL_MESH] = &wall_type_mesh,
};

static const WallType *wall_type(WallKind kind) {
    assert((unsigned)kind < WALL_KIND_COUNT);
    return wall_types[kind];
}

MrcStatus wall_prepare(Wall *wall, const char *folder, MrcError *error) {
    const WallType *type = wall_type(wall->kind);
    return type->prepare ? type->prepare(wall, folder, error) : MRC_OK;
}

void wall_release(Wall *wall) {
    const WallType *type = wall_type(wall->kind);
    if (type->release) type->release(wall);
}

bool wall_is_prepared(const Wall *wall) { return wall->kind != WALL_MESH || wall->mesh.mesh; }

int wall_contacts(const Wall *wall, Vec3 center, double radius, double margin, WallContact *contacts) {
    return wall_type(wall->kind)->contacts(wall, center, radius, margin, contacts);
}

int wall_contact_limit(const Wall *wall) { return wall_type(wall->kind)->contact_limit; }

double wall_outside(const Wall *wall, Vec3 point) {
    const WallType *type = wall_type(wall->kind);
    return type->outside ? type->outside(wall, point) : fmax(0, -type->inset(wall, point));
}

double wall_distance_bound(const Wall *wall, Vec3 point) {
    return fmax(0, wall_type(wall->kind)->inset(wall, point));
}

bool wall_bounds(const Wall *wall, Vec3 *lower, Vec3 *upper) {
    return wall_type(wall->kind)->bounds(wall, lower, upper);
}

double wall_volume(const Wall *wall) { return wall_type(wall->kind)->volume(wall); }

MrcStatus wall_surface(const Wall *wall, Surface *surface, MrcError *error) {
    if (wall_type(wall->kind)->surface(wall, surface)) return MRC_OK;
    return error_memory(error, "the picture of a wall");
}

const char *wall_kind_name(WallKind kind) { return wall_type(kind)->name; }

// ---- surfaces ------------------------------------------------------------------------------------
bool surface_add_point(Surface *surface, Vec3 point) { return array_push(&surface->points, point); }

bool surface_add_polygon(Surface *surface, const int *corners, int count, int first) {
    for (int i = 0; i < count; i++)
        if (!array_push(&surface->corners, first + corners[i])) return false;
    return array_push(&surface->ends, (int)surface->corners.count);
}

void surface_free(Surface *surface) {
    array_free(&surface->points);
    array_free(&surface->corners);
    array_free(&surface->ends);
}
