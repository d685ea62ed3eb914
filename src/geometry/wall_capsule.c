// The inside of a capsule: all points closer than R to a straight segment. With q the point of the segment
// closest to c and d = c - q:
//
//     gap = R - |d| - radius,   normal = -d / |d|
//
// The tube and its two round ends meet without an edge, so the whole room is one face.
#include "geometry/wall_type.h"

typedef struct WallCapsule {
    Vec3 center;   // middle of the axis [m]
    Vec3 axis;     // unit
    double radius; // inner, of the tube and of the two half spheres [m]
    double length; // between the centres of the half spheres [m], >= 0
} WallCapsule;
WALL_FITS(WallCapsule);

// ---- the model file ------------------------------------------------------------------------------
static const SchemaKey wall_capsule_keys[] = {
    {"radius", QUANTITY(WallCapsule, radius), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Inner radius of the tube and of its two round ends."},
    {"length", QUANTITY(WallCapsule, length), .dimension = DIM_LENGTH, .range = NON_NEGATIVE,
     .required = true,
     .doc = "Length of the tube without its ends: from centre to centre of the two half spheres."},
    {"axis", AXIS(WallCapsule, axis), .fallback = "z", .doc = "Direction of the capsule's axis."},
    {"center", VECTOR(WallCapsule, center), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Middle of the axis."},
};
static const SchemaObject wall_capsule_schema = {.name = "capsule",
                                                 .doc =
                                                     "A tube closed by two half spheres, with grains inside.",
                                                 .size = sizeof(WallCapsule),
                                                 SCHEMA_KEYS(wall_capsule_keys)};

static void wall_capsule_describe(const Wall *wall, Text *text) {
    const WallCapsule *capsule = wall_definition(wall);
    text_add_string(text, "a capsule of radius ");
    human_add(text, capsule->radius, DIM_LENGTH);
    text_add_string(text, " and length ");
    human_add(text, capsule->length, DIM_LENGTH);
}

// ---- geometry ------------------------------------------------------------------------------------
enum {
    wall_capsule_bands = 16,
    wall_capsule_slices = 64
}; // of its surface in frames: rings per half sphere, around the axis

// From the closest point of the segment to the point.
static Vec3 wall_capsule_offset(const WallCapsule *capsule, Vec3 point) {
    Vec3 offset = vec3_sub(point, capsule->center);
    double half = 0.5 * capsule->length;
    double along = fmax(-half, fmin(half, vec3_dot(offset, capsule->axis)));
    return vec3_madd(offset, -along, capsule->axis);
}

static int wall_capsule_contacts(const Wall *wall, const Vec3 *at, double radius, double margin,
                                 WallContact *contacts) {
    const Vec3 center = *at;
    const WallCapsule *capsule = wall_definition(wall);
    Vec3 offset = wall_capsule_offset(capsule, center);
    double distance = vec3_norm(offset), gap = capsule->radius - distance - radius;
    if (!(gap < margin)) return 0;
    // On the segment every direction across it is as good as another; nearer to it than rounding can tell,
    // the computed one is noise.
    Vec3 normal = distance > 1e-12 * capsule->radius ? vec3_scale(-1 / distance, offset)
                                                     : vec3_perpendicular(capsule->axis);
    return wall_contact_add(contacts, 0, gap, margin, normal, 0);
}

static double wall_capsule_inset(const Wall *wall, Vec3 point) {
    const WallCapsule *capsule = wall_definition(wall);
    return capsule->radius - vec3_norm(wall_capsule_offset(capsule, point));
}

static bool wall_capsule_bounds(const Wall *wall, Vec3 *lower, Vec3 *upper) {
    const WallCapsule *capsule = wall_definition(wall);
    Vec3 reach;
    for (int i = 0; i < 3; i++) {
        double end = 0.5 * capsule->length * fabs(vec3_component(capsule->axis, i));
        vec3_set_component(&reach, i, end + capsule->radius);
    }
    *lower = vec3_sub(capsule->center, reach);
    *upper = vec3_add(capsule->center, reach);
    return true;
}

static double wall_capsule_volume(const Wall *wall) {
    const WallCapsule *capsule = wall_definition(wall);
    double r = capsule->radius;
    return M_PI * r * r * (capsule->length + 4.0 / 3.0 * r);
}

// Ring of latitude `band`, counted from the lower pole: 0 ... wall_capsule_bands on the lower half sphere, the
// rest on the upper one, so that the two equators are rings of their own.
static bool wall_capsule_ring(const WallCapsule *capsule, Surface *surface, int band) {
    bool upper = band > wall_capsule_bands;
    double latitude =
        M_PI / 2 * (upper ? band - wall_capsule_bands - 1 : band - wall_capsule_bands) / wall_capsule_bands;
    double along = (upper ? 0.5 : -0.5) * capsule->length + capsule->radius * sin(latitude);
    double rho = capsule->radius * cos(latitude);
    Vec3 u = vec3_perpendicular(capsule->axis), v = vec3_cross(capsule->axis, u);
    Vec3 middle = vec3_madd(capsule->center, along, capsule->axis);
    for (int slice = 0; slice < wall_capsule_slices; slice++) {
        double angle = 2 * M_PI * slice / wall_capsule_slices;
        Vec3 point = vec3_madd(vec3_madd(middle, rho * cos(angle), u), rho * sin(angle), v);
        if (!surface_add_point(surface, point)) return false;
    }
    return true;
}

// Point 0 is the lower pole, the last one the upper.
static bool wall_capsule_points(const WallCapsule *capsule, Surface *surface) {
    double reach = 0.5 * capsule->length + capsule->radius;
    if (!surface_add_point(surface, vec3_madd(capsule->center, -reach, capsule->axis))) return false;
    for (int band = 1; band < 2 * wall_capsule_bands + 1; band++)
        if (!wall_capsule_ring(capsule, surface, band)) return false;
    return surface_add_point(surface, vec3_madd(capsule->center, reach, capsule->axis));
}

static bool wall_capsule_surface(const Wall *wall, Surface *surface) {
    int first = (int)surface->points.count;
    return wall_capsule_points(wall_definition(wall), surface) &&
           surface_add_bands(surface, 2 * wall_capsule_bands + 1, wall_capsule_slices, first);
}

const WallType wall_type_capsule = {
    .schema.alternative = {.key = "capsule",
                           .object = &wall_capsule_schema,
                           .doc = "A tube with round ends."},
    .describe = wall_capsule_describe,
    .contacts = wall_capsule_contacts,
    .contact_limit = 1,
    .inset = wall_capsule_inset,
    .bounds = wall_capsule_bounds,
    .volume = wall_capsule_volume,
    .surface = wall_capsule_surface,
};
