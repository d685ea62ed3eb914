// A solid round rod with flat ends: grains stay outside. In the plane of the axis and the centre of the sphere, with its
// distance rho from the axis and its place z along it, the rod is the rectangle rho <= R, |z| <= length / 2, and the
// nearest point that of a rectangle (solid_box.h). Across the axis the normal is e = (d - z axis) / rho.
//
// Features: the side, the two ends, the two rims. Grains with faces meet it as a prism of wall_rod_sides sides, which is
// R (1 - cos(pi / sides)) short between two corners: 1.2e-3 of the radius.
#include "geometry/solid_box.h"

typedef struct WallRod {
    Vec3 center;   // [m]
    Vec3 axis;     // unit
    double radius; // [m]
    double length; // [m]
} WallRod;
WALL_FITS(WallRod);

enum { wall_rod_sides = 64 };

// ---- the model file ------------------------------------------------------------------------------
static const SchemaKey wall_rod_keys[] = {
    {"radius", QUANTITY(WallRod, radius), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Radius."},
    {"length", QUANTITY(WallRod, length), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Length between the two flat ends."},
    {"axis", AXIS(WallRod, axis), .fallback = "z", .doc = "Direction of its axis."},
    {"center", VECTOR(WallRod, center), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Middle of its axis."},
};
static const SchemaObject wall_rod_schema = {
    .name = "rod",
    .doc =
        "A solid round rod that grains stay out of: a shaft, a stirrer, a roll. It closes no room by itself.",
    .size = sizeof(WallRod),
    SCHEMA_KEYS(wall_rod_keys),
    .example = "walls:\n"
               "  room: {box: {size: 100 100 100 mm}}\n"
               "  shaft: {rod: {radius: 8 mm, length: 100 mm, axis: y}}\n"};

static void wall_rod_describe(const Wall *wall, Text *text) {
    const WallRod *rod = wall_definition(wall);
    text_add_string(text, "a rod of radius ");
    human_add(text, rod->radius, DIM_LENGTH);
    text_add_string(text, " and length ");
    human_add(text, rod->length, DIM_LENGTH);
}

// ---- geometry ------------------------------------------------------------------------------------
// In the plane: x is the distance from the axis, z the place along it. Distances and normals are those of a rectangle
// without an end across it, so that its middle is never nearest to the third direction.
static SolidBoxPlace wall_rod_place(const WallRod *rod, Vec3 point, Vec3 *across) {
    Vec3 offset = vec3_sub(point, rod->center);
    double z = vec3_dot(offset, rod->axis);
    Vec3 radial = vec3_madd(offset, -z, rod->axis);
    double rho = vec3_norm(radial);
    *across = rho > 1e-12 * rod->radius ? vec3_scale(1 / rho, radial) : vec3_perpendicular(rod->axis);
    return solid_box_place(vec3(rod->radius, INFINITY, 0.5 * rod->length), vec3(rho, 0, z));
}

static int wall_rod_contacts(const Wall *wall, const Vec3 *at, double radius, double margin,
                             WallContact *contacts) {
    const Vec3 center = *at;
    const WallRod *rod = wall_definition(wall);
    Vec3 across;
    SolidBoxPlace place = wall_rod_place(rod, center, &across);
    Vec3 normal = vec3_madd(vec3_scale(place.normal.x, across), place.normal.z, rod->axis);
    return wall_contact_add(contacts, 0, place.distance - radius, margin, normal, place.feature);
}

static double wall_rod_inset(const Wall *wall, Vec3 point) {
    Vec3 across;
    return wall_rod_place(wall_definition(wall), point, &across).distance;
}

static Vec3 wall_rod_corner(const WallRod *rod, double along, int side) {
    Vec3 u = vec3_perpendicular(rod->axis), v = vec3_cross(rod->axis, u);
    double angle = 2 * M_PI * side / wall_rod_sides;
    Vec3 middle = vec3_madd(rod->center, along, rod->axis);
    return vec3_madd(vec3_madd(middle, rod->radius * cos(angle), u), rod->radius * sin(angle), v);
}

static void wall_rod_pieces(const Wall *wall, Vec3 center, double reach, WallPieceVisitor *visit,
                            void *user) {
    const WallRod *rod = wall_definition(wall);
    if (!(wall_rod_inset(wall, center) < reach)) return;
    WallPiece piece = {
        .count = wall_rod_sides, .normal = rod->axis, .depth = vec3_scale(-rod->length, rod->axis)};
    for (int k = 0; k < wall_rod_sides; k++) piece.corners[k] = wall_rod_corner(rod, 0.5 * rod->length, k);
    visit(user, &piece);
}

// Points 2 k at the lower end and 2 k + 1 at the upper one.
static bool wall_rod_surface(const Wall *wall, Surface *surface) {
    const WallRod *rod = wall_definition(wall);
    int first = (int)surface->points.count, lower[wall_rod_sides], upper[wall_rod_sides];
    for (int k = 0; k < wall_rod_sides; k++) {
        if (!surface_add_point(surface, wall_rod_corner(rod, -0.5 * rod->length, k))) return false;
        if (!surface_add_point(surface, wall_rod_corner(rod, 0.5 * rod->length, k))) return false;
        lower[wall_rod_sides - 1 - k] = 2 * k, upper[k] = 2 * k + 1;
    }
    for (int k = 0; k < wall_rod_sides; k++) {
        int next = (k + 1) % wall_rod_sides;
        const int corners[4] = {2 * k, 2 * next, 2 * next + 1, 2 * k + 1};
        if (!surface_add_polygon(surface, corners, 4, first)) return false;
    }
    return surface_add_polygon(surface, lower, wall_rod_sides, first) &&
           surface_add_polygon(surface, upper, wall_rod_sides, first);
}

const WallType wall_type_rod = {
    .schema.alternative = {.key = "rod",
                           .object = &wall_rod_schema,
                           .doc = "A solid round rod that grains stay out of."},
    .describe = wall_rod_describe,
    .contacts = wall_rod_contacts,
    .pieces = wall_rod_pieces,
    .contact_limit = 1,
    .inset = wall_rod_inset,
    .surface = wall_rod_surface,
};
