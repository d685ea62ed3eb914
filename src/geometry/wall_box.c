// A box along the port's axes. Each face is a half space, so a centre that has gone through one still gets
// its signed gap:
//
//     gap = size_i / 2 -+ (c - center)_i - radius        faces 2 i (lower) and 2 i + 1 (upper), i = x, y, z
//
// A sphere that reaches an edge or a corner from inside reaches the faces there first, so faces are enough.
#include "geometry/wall_pieces.h"

typedef struct WallBox {
    Vec3 center; // [m]
    Vec3 size;   // full inner lengths along x, y, z [m]
} WallBox;
WALL_FITS(WallBox);

// ---- the model file ------------------------------------------------------------------------------
static const SchemaKey wall_box_keys[] = {
    {"size", VECTOR(WallBox, size), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Inner lengths along x, y and z of the port."},
    {"center", VECTOR(WallBox, center), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Middle of the box."},
};
static const SchemaObject wall_box_schema = {.name = "box",
                                             .doc = "A closed box with grains inside.",
                                             .size = sizeof(WallBox),
                                             SCHEMA_KEYS(wall_box_keys)};

static void wall_box_describe(const Wall *wall, Text *text) {
    const WallBox *box = wall_definition(wall);
    text_add_string(text, "a box of ");
    human_add_size(text, box->size, DIM_LENGTH);
}

// ---- geometry ------------------------------------------------------------------------------------
static int wall_box_contacts(const Wall *wall, Vec3 center, double radius, double margin,
                             WallContact *contacts) {
    const WallBox *box = wall_definition(wall);
    Vec3 offset = vec3_sub(center, box->center);
    int count = 0;
    for (int i = 0; i < 3; i++) {
        double half = 0.5 * vec3_component(box->size, i), along = vec3_component(offset, i);
        Vec3 normal = vec3_zero();
        vec3_set_component(&normal, i, 1);
        count = wall_contact_add(contacts, count, half + along - radius, margin, normal, 2 * i);
        vec3_set_component(&normal, i, -1);
        count = wall_contact_add(contacts, count, half - along - radius, margin, normal, 2 * i + 1);
    }
    return count;
}

static double wall_box_inset(const Wall *wall, Vec3 point) {
    const WallBox *box = wall_definition(wall);
    Vec3 offset = vec3_sub(point, box->center);
    double x = 0.5 * box->size.x - fabs(offset.x);
    double y = 0.5 * box->size.y - fabs(offset.y);
    double z = 0.5 * box->size.z - fabs(offset.z);
    return fmin(x, fmin(y, z));
}

static bool wall_box_bounds(const Wall *wall, Vec3 *lower, Vec3 *upper) {
    const WallBox *box = wall_definition(wall);
    *lower = vec3_madd(box->center, -0.5, box->size);
    *upper = vec3_madd(box->center, 0.5, box->size);
    return true;
}

static double wall_box_volume(const Wall *wall) {
    const WallBox *box = wall_definition(wall);
    return box->size.x * box->size.y * box->size.z;
}

static bool wall_box_surface(const Wall *wall, Surface *surface) {
    const WallBox *box = wall_definition(wall);
    int first = (int)surface->points.count;
    for (int i = 0; i < 8; i++) {
        Vec3 corner = wall_box_corner(vec3_scale(0.5, box->size), i);
        if (!surface_add_point(surface, vec3_add(box->center, corner))) return false;
    }
    for (int i = 0; i < 6; i++)
        if (!surface_add_polygon(surface, wall_box_faces[i], 4, first)) return false;
    return true;
}

const WallType wall_type_box = {
    .schema.alternative = {.key = "box", .object = &wall_box_schema, .doc = "A closed box."},
    .describe = wall_box_describe,
    .contacts = wall_box_contacts,
    .contact_limit = 6,
    .inset = wall_box_inset,
    .bounds = wall_box_bounds,
    .volume = wall_box_volume,
    .surface = wall_box_surface,
};
