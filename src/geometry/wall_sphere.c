// The inside of a sphere. With d = c - center:
//
//     gap = R - |d| - radius,   normal = -d / |d|
#include "geometry/wall_internal.h"

enum { sphere_bands = 32, sphere_slices = 64 }; // of the picture: from pole to pole, around the axis

static int sphere_contacts(const Wall *wall, Vec3 center, double radius, double margin,
                           WallContact *contacts) {
    const WallSphere *sphere = &wall->sphere;
    Vec3 offset = vec3_sub(center, sphere->center);
    double distance = vec3_norm(offset), gap = sphere->radius - distance - radius;
    if (!(gap < margin)) return 0;
    // In the very middle every direction is as good as another; nearer to it than rounding can tell, the
    // computed one is noise.
    Vec3 normal = distance > 1e-12 * sphere->radius ? vec3_scale(-1 / distance, offset) : vec3(0, 0, 1);
    return wall_contact_add(contacts, 0, gap, margin, normal, 0);
}

static double sphere_inset(const Wall *wall, Vec3 point) {
    return wall->sphere.radius - vec3_norm(vec3_sub(point, wall->sphere.center));
}

static bool sphere_bounds(const Wall *wall, Vec3 *lower, Vec3 *upper) {
    double r = wall->sphere.radius;
    *lower = vec3_sub(wall->sphere.center, vec3(r, r, r));
    *upper = vec3_add(wall->sphere.center, vec3(r, r, r));
    return true;
}

static double sphere_volume(const Wall *wall) {
    double r = wall->sphere.radius;
    return 4.0 / 3.0 * M_PI * r * r * r;
}

// Rings of points between the poles; point 0 is the lower pole, the last one the upper.
static bool sphere_points(const WallSphere *sphere, Surface *surface) {
    if (!surface_add_point(surface, vec3_sub(sphere->center, vec3(0, 0, sphere->radius)))) return false;
    for (int band = 1; band < sphere_bands; band++) {
        double latitude = M_PI * band / sphere_bands - M_PI / 2;
        for (int slice = 0; slice < sphere_slices; slice++) {
            double longitude = 2 * M_PI * slice / sphere_slices;
            Vec3 direction = {cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude)};
            if (!surface_add_point(surface, vec3_madd(sphere->center, sphere->radius, direction)))
                return false;
        }
    }
    return surface_add_point(surface, vec3_add(sphere->center, vec3(0, 0, sphere->radius)));
}

static bool sphere_surface(const Wall *wall, Surface *surface) {
    int first = (int)surface->points.count, last = 1 + (sphere_bands - 1) * sphere_slices;
    if (!sphere_points(&wall->sphere, surface)) return false;
    for (int band = 0; band < sphere_bands; band++)
        for (int slice = 0; slice < sphere_slices; slice++) {
            int next = (slice + 1) % sphere_slices;
            int below = 1 + (band - 1) * sphere_slices, above = below + sphere_slices;
            int corners[4] = {below + slice, below + next, above + next, above + slice}, count = 4;
            if (band == 0) {
                corners[0] = 0;
                corners[1] = above + next;
                corners[2] = above + slice;
                count = 3;
            } else if (band == sphere_bands - 1) {
                corners[2] = last;
                count = 3;
            }
            if (!surface_add_polygon(surface, corners, count, first)) return false;
        }
    return true;
}

const WallType wall_type_sphere = {
    .name = "sphere",
    .contacts = sphere_contacts,
    .contact_limit = 1,
    .inset = sphere_inset,
    .bounds = sphere_bounds,
    .volume = sphere_volume,
    .surface = sphere_surface,
};
