// The inside of a capsule: all points closer than R to a straight segment. With q the point of the segment
// closest to c and d = c - q:
//
//     gap = R - |d| - radius,   normal = -d / |d|
//
// The tube and its two round ends meet without an edge, so the whole room is one face.
#include "geometry/wall_internal.h"

enum { capsule_bands = 16, capsule_slices = 64 }; // of the picture: rings per half sphere, around the axis

// From the closest point of the segment to the point.
static Vec3 capsule_offset(const WallCapsule *capsule, Vec3 point) {
    Vec3 offset = vec3_sub(point, capsule->center);
    double half = 0.5 * capsule->length;
    double along = fmax(-half, fmin(half, vec3_dot(offset, capsule->axis)));
    return vec3_madd(offset, -along, capsule->axis);
}

static int capsule_contacts(const Wall *wall, Vec3 center, double radius, double margin,
                            WallContact *contacts) {
    const WallCapsule *capsule = &wall->capsule;
    Vec3 offset = capsule_offset(capsule, center);
    double distance = vec3_norm(offset), gap = capsule->radius - distance - radius;
    if (!(gap < margin)) return 0;
    // On the segment every direction across it is as good as another; nearer to it than rounding can tell,
    // the computed one is noise.
    Vec3 normal = distance > 1e-12 * capsule->radius ? vec3_scale(-1 / distance, offset)
                                                     : vec3_perpendicular(capsule->axis);
    return wall_contact_add(contacts, 0, gap, margin, normal, 0);
}

static double capsule_inset(const Wall *wall, Vec3 point) {
    return wall->capsule.radius - vec3_norm(capsule_offset(&wall->capsule, point));
}

static bool capsule_bounds(const Wall *wall, Vec3 *lower, Vec3 *upper) {
    const WallCapsule *capsule = &wall->capsule;
    Vec3 reach;
    for (int i = 0; i < 3; i++) {
        double end = 0.5 * capsule->length * fabs(vec3_component(capsule->axis, i));
        vec3_set_component(&reach, i, end + capsule->radius);
    }
    *lower = vec3_sub(capsule->center, reach);
    *upper = vec3_add(capsule->center, reach);
    return true;
}

static double capsule_volume(const Wall *wall) {
    double r = wall->capsule.radius;
    return M_PI * r * r * (wall->capsule.length + 4.0 / 3.0 * r);
}

// Ring of latitude `band`, counted from the lower pole: 0 ... capsule_bands on the lower half sphere, the
// rest on the upper one, so that the two equators are rings of their own.
static bool capsule_ring(const WallCapsule *capsule, Surface *surface, int band) {
    bool upper = band > capsule_bands;
    double latitude = M_PI / 2 * (upper ? band - capsule_bands - 1 : band - capsule_bands) / capsule_bands;
    double along = (upper ? 0.5 : -0.5) * capsule->length + capsule->radius * sin(latitude);
    double rho = capsule->radius * cos(latitude);
    Vec3 u = vec3_perpendicular(capsule->axis), v = vec3_cross(capsule->axis, u);
    Vec3 middle = vec3_madd(capsule->center, along, capsule->axis);
    for (int slice = 0; slice < capsule_slices; slice++) {
        double angle = 2 * M_PI * slice / capsule_slices;
        Vec3 point = vec3_madd(vec3_madd(middle, rho * cos(angle), u), rho * sin(angle), v);
        if (!surface_add_point(surface, point)) return false;
    }
    return true;
}

// Point 0 is the lower pole, the last one the upper.
static bool capsule_points(const WallCapsule *capsule, Surface *surface) {
    double reach = 0.5 * capsule->length + capsule->radius;
    if (!surface_add_point(surface, vec3_madd(capsule->center, -reach, capsule->axis))) return false;
    for (int band = 1; band < 2 * capsule_bands + 1; band++)
        if (!capsule_ring(capsule, surface, band)) return false;
    return surface_add_point(surface, vec3_madd(capsule->center, reach, capsule->axis));
}

static bool capsule_surface(const Wall *wall, Surface *surface) {
    const int rings = 2 * capsule_bands, last = 1 + rings * capsule_slices;
    int first = (int)surface->points.count;
    if (!capsule_points(&wall->capsule, surface)) return false;
    for (int band = 0; band <= rings; band++)
        for (int slice = 0; slice < capsule_slices; slice++) {
            int next = (slice + 1) % capsule_slices;
            int below = 1 + (band - 1) * capsule_slices, above = below + capsule_slices;
            int corners[4] = {below + slice, below + next, above + next, above + slice}, count = 4;
            if (band == 0) {
                corners[0] = 0;
                corners[1] = above + next;
                corners[2] = above + slice;
                count = 3;
            } else if (band == rings) {
                corners[2] = last;
                count = 3;
            }
            if (!surface_add_polygon(surface, corners, count, first)) return false;
        }
    return true;
}

const WallType wall_type_capsule = {
    .name = "capsule",
    .contacts = capsule_contacts,
    .contact_limit = 1,
    .inset = capsule_inset,
    .bounds = capsule_bounds,
    .volume = capsule_volume,
    .surface = capsule_surface,
};
