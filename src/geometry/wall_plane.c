// A plane: all points x with (x - point) . normal = 0. The room is the half space with values above zero.
//
//     gap = (c - point) . normal - radius
#include "geometry/wall_type.h"

typedef struct WallPlane {
    Vec3 point;  // any point of the plane [m]
    Vec3 normal; // unit, into the room of the grains
} WallPlane;
WALL_FITS(WallPlane);

// ---- the model file ------------------------------------------------------------------------------
static const SchemaKey wall_plane_keys[] = {
    {"point", VECTOR(WallPlane, point), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "A point of the plane."},
    {"normal", AXIS(WallPlane, normal), .required = true, .doc = "Direction into the room of the grains."},
};
static const SchemaObject wall_plane_schema = {.name = "plane",
                                               .doc = "An endless plane with grains on one side.",
                                               .size = sizeof(WallPlane),
                                               SCHEMA_KEYS(wall_plane_keys)};

static void wall_plane_describe(const Wall *wall, Text *text) {
    (void)wall;
    text_add_string(text, "a plane");
}

// ---- geometry ------------------------------------------------------------------------------------
static double wall_plane_height(const WallPlane *plane, Vec3 point) {
    return vec3_dot(vec3_sub(point, plane->point), plane->normal);
}

static int wall_plane_contacts(const Wall *wall, const Vec3 *at, double radius, double margin,
                               WallContact *contacts) {
    const Vec3 center = *at;
    const WallPlane *plane = wall_definition(wall);
    return wall_contact_add(contacts, 0, wall_plane_height(plane, center) - radius, margin, plane->normal, 0);
}

static bool wall_plane_faces(const Wall *wall, const WallSpheres *spheres, WallFaces *faces) {
    const WallPlane *plane = wall_definition(wall);
    Vec3Wide normal = vec3_wide_set(plane->normal);
    Wide height = vec3_wide_dot(vec3_wide_sub(spheres->center, vec3_wide_set(plane->point)), normal);
    wall_faces_begin(faces);
    wall_faces_add(faces, spheres, height - spheres->radius, normal, 0);
    return true;
}

static double wall_plane_inset(const Wall *wall, Vec3 point) {
    return wall_plane_height(wall_definition(wall), point);
}

// Frames show the endless plane as a square of 1 m by 1 m around `point`.
static bool wall_plane_surface(const Wall *wall, Surface *surface) {
    const double half = 0.5;
    const WallPlane *plane = wall_definition(wall);
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
    .schema.alternative = {.key = "plane", .object = &wall_plane_schema, .doc = "An endless plane."},
    .describe = wall_plane_describe,
    .contacts = wall_plane_contacts,
    .faces = wall_plane_faces,
    .contact_limit = 1,
    .inset = wall_plane_inset,
    .surface = wall_plane_surface,
};
