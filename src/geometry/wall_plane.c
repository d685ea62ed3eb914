// A plane: all points x with (x - point) . normal = 0. The room is the half space with values above zero.
//
//     gap = (c - point) . normal - radius
#include "geometry/wall_internal.h"

static double plane_height(const WallPlane *plane, Vec3 point) {
    return vec3_dot(vec3_sub(point, plane->point), plane->normal);
}

static int plane_contacts(const Wall *wall, Vec3 center, double radius, double margin,
                          WallContact *contacts) {
    double gap = plane_height(&wall->plane, center) - radius;
    return wall_contact_add(contacts, 0, gap, margin, wall->plane.normal, 0);
}

static double plane_inset(const Wall *wall, Vec3 point) { return plane_height(&wall->plane, point); }

static bool plane_bounds(const Wall *wall, Vec3 *lower, Vec3 *upper) {
    (void)wall;
    (void)lower;
    (void)upper;
    return false;
}

static double plane_volume(const Wall *wall) {
    (void)wall;
    return INFINITY;
}

// The picture of the endless plane is a square of 1 m by 1 m around `point`.
static bool plane_surface(const Wall *wall, Surface *surface) {
    const double half = 0.5;
    const WallPlane *plane = &wall->plane;
    Vec3 u = vec3_perpendicular(plane->normal), v = vec3_cross(plane->normal, u);
    int first = (int)surface->points.count;
    for (int i = 0; i < 4; i++) {
        double along_u = i == 0 || i == 3 ? -half : half, along_v = i < 2 ? -half : half;
        Vec3 corner = vec3_madd(vec3_madd(plane->point, along_u, u), along_v, v);
        if (!surface_add_point(surface, corner)) return false;
    }
    return surface_add_polygon(surface, (const int[]){0, 1, 2, 3}, 4, first);
}

const WallType wall_type_plane = {
    .name = "plane",
    .contacts = plane_contacts,
    .contact_limit = 1,
    .inset = plane_inset,
    .bounds = plane_bounds,
    .volume = plane_volume,
    .surface = plane_surface,
};
