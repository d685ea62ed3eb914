// The inside of a sphere. With d = c - center:
//
//     gap = R - |d| - radius,   normal = -d / |d|
#include "geometry/wall_type.h"

typedef struct WallSphere {
    Vec3 center;   // [m]
    double radius; // inner [m]
} WallSphere;
WALL_FITS(WallSphere);

// ---- the model file ------------------------------------------------------------------------------
static const SchemaKey wall_sphere_keys[] = {
    {"radius", QUANTITY(WallSphere, radius), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Inner radius."},
    {"center", VECTOR(WallSphere, center), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Middle of the sphere."},
};
static const SchemaObject wall_sphere_schema = {.name = "sphere",
                                                .doc = "A hollow sphere with grains inside.",
                                                .size = sizeof(WallSphere),
                                                SCHEMA_KEYS(wall_sphere_keys)};

static void wall_sphere_describe(const Wall *wall, Text *text) {
    const WallSphere *sphere = wall_definition(wall);
    text_add_string(text, "a hollow sphere of radius ");
    human_add(text, sphere->radius, DIM_LENGTH);
}

// ---- geometry ------------------------------------------------------------------------------------
enum {
    wall_sphere_bands = 32,
    wall_sphere_slices = 64
}; // of its surface in frames: from pole to pole, around the axis

static int wall_sphere_contacts(const Wall *wall, const Vec3 *at, double radius, double margin,
                                WallContact *contacts) {
    const Vec3 center = *at;
    const WallSphere *sphere = wall_definition(wall);
    Vec3 offset = vec3_sub(center, sphere->center);
    double distance = vec3_norm(offset), gap = sphere->radius - distance - radius;
    if (!(gap < margin)) return 0;
    // In the very middle every direction is as good as another; nearer to it than rounding can tell, the
    // computed one is noise.
    Vec3 normal = distance > 1e-12 * sphere->radius ? vec3_scale(-1 / distance, offset) : vec3(0, 0, 1);
    return wall_contact_add(contacts, 0, gap, margin, normal, 0);
}

static double wall_sphere_inset(const Wall *wall, Vec3 point) {
    const WallSphere *sphere = wall_definition(wall);
    return sphere->radius - vec3_norm(vec3_sub(point, sphere->center));
}

static bool wall_sphere_bounds(const Wall *wall, Vec3 *lower, Vec3 *upper) {
    const WallSphere *sphere = wall_definition(wall);
    double r = sphere->radius;
    *lower = vec3_sub(sphere->center, vec3(r, r, r));
    *upper = vec3_add(sphere->center, vec3(r, r, r));
    return true;
}

static double wall_sphere_volume(const Wall *wall) {
    const WallSphere *sphere = wall_definition(wall);
    double r = sphere->radius;
    return 4.0 / 3.0 * M_PI * r * r * r;
}

static bool wall_sphere_surface(const Wall *wall, Surface *surface) {
    const WallSphere *sphere = wall_definition(wall);
    return surface_add_sphere(surface, sphere->center, sphere->radius, wall_sphere_bands, wall_sphere_slices);
}

const WallType wall_type_sphere = {
    .schema.alternative = {.key = "sphere", .object = &wall_sphere_schema, .doc = "A hollow sphere."},
    .describe = wall_sphere_describe,
    .contacts = wall_sphere_contacts,
    .contact_limit = 1,
    .inset = wall_sphere_inset,
    .bounds = wall_sphere_bounds,
    .volume = wall_sphere_volume,
    .surface = wall_sphere_surface,
};
