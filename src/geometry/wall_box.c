// A box along the port's axes. Each face is a half space, so a centre that has gone through one still gets
// its signed gap:
//
//     gap = size_i / 2 -+ (c - center)_i - radius        faces 2 i (lower) and 2 i + 1 (upper), i = x, y, z
//
// A sphere that reaches an edge or a corner from inside reaches the faces there first, so faces are enough.
//
// With `open` some faces are not there. The others are thin then (box_sides.c): grains may leave, and meet them from
// outside and at their rims.
#include "geometry/box_sides.h"

typedef struct WallBox {
    Vec3 center;      // [m]
    Vec3 size;        // full inner lengths along x, y, z [m]
    double clearance; // between the settled bed and the upper face [m]; 0: size.z is given
    int open;         // bit 2 i: there is no lower face across axis i; bit 2 i + 1: no upper one
} WallBox;
WALL_FITS(WallBox);

// ---- the model file ------------------------------------------------------------------------------
static const SchemaChoice wall_box_sides[] = {
    {"x-", 1, ""},  {"x+", 2, ""},      {"y-", 4, ""},   {"y+", 8, ""},   {"z-", 16, ""},
    {"z+", 32, ""}, {"bottom", 16, ""}, {"top", 32, ""}, {NULL, 0, NULL},
};
static const SchemaKey wall_box_keys[] = {
    {"size", VECTOR(WallBox, size), .short_length = 2, .dimension = DIM_LENGTH, .range = POSITIVE,
     .required = true,
     .doc = "Inner lengths along x, y and z of the port; with `clearance` only the first two."},
    {"clearance", QUANTITY(WallBox, clearance), .dimension = DIM_LENGTH, .range = POSITIVE,
     .fallback_words = "the height is given", .doc = WALL_CLEARANCE_DOC},
    {"center", VECTOR(WallBox, center), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Middle of the box."},
    {"open", CHOICES(WallBox, open, wall_box_sides), .fallback_words = "none",
     .doc = "Sides that are not there; `top` is `z+`, `bottom` is `z-`. The other sides are thin then: "
            "grains can touch "
            "them from outside too."},
};
static const SchemaObject wall_box_schema = {.name = "box",
                                             .doc = "A box with grains inside, closed or with open sides.",
                                             .size = sizeof(WallBox),
                                             SCHEMA_KEYS(wall_box_keys)};

static void wall_box_check(const Wall *wall, const Findings *findings) {
    const WallBox *box = wall_definition(wall);
    if (box->open == 63)
        findings_error(findings, &box->open, "'open' names all six sides: nothing is left of the box");
    if (box->size.x > 0 && box->size.y > 0 && !(box->size.z > 0) && !(box->clearance > 0))
        findings_error(findings, &box->size,
                       "'size' has two lengths: give the third one too, or 'clearance' above a settled bed");
}

static WallHeight wall_box_height(Wall *wall) {
    WallBox *box = (WallBox *)wall->definition;
    return (WallHeight){&box->size.z, &box->clearance, vec3(0, 0, 1)};
}

static void wall_box_describe(const Wall *wall, Text *text) {
    const WallBox *box = wall_definition(wall);
    text_add_string(text, "a box of ");
    human_add_size(text, box->size, DIM_LENGTH);
    wall_describe_clearance(box->clearance, text);
    for (int k = 0; k < 6; k++)
        if (box->open >> k & 1)
            text_add(text, "%s%s", box->open & ((1 << k) - 1) ? ", " : ", open at ", wall_box_sides[k].word);
}

static bool wall_box_is_open(const Wall *wall) { return ((const WallBox *)wall_definition(wall))->open; }

static BoxSides wall_box_thin(const Wall *wall) {
    const WallBox *box = wall_definition(wall);
    return (BoxSides){box->center, vec3_scale(0.5, box->size), box->open};
}

// ---- geometry ------------------------------------------------------------------------------------
static int wall_box_contacts(const Wall *wall, const Vec3 *at, double radius, double margin,
                             WallContact *contacts) {
    const Vec3 center = *at;
    const WallBox *box = wall_definition(wall);
    if (box->open) {
        BoxSides thin = wall_box_thin(wall);
        return box_sides_contacts(&thin, center, radius, margin, contacts);
    }
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

static bool wall_box_touched_faces(const Wall *wall, const WallSpheres *spheres, WallFaces *faces) {
    const WallBox *box = wall_definition(wall);
    if (box->open) return false;
    Vec3Wide offset = vec3_wide_sub(spheres->center, vec3_wide_set(box->center));
    const Wide along[3] = {offset.x, offset.y, offset.z};
    wall_faces_begin(faces);
    for (int i = 0; i < 3; i++) {
        Wide half = wide_set(0.5 * vec3_component(box->size, i));
        Vec3 normal = vec3_zero();
        vec3_set_component(&normal, i, 1);
        wall_faces_add(faces, spheres, half + along[i] - spheres->radius, vec3_wide_set(normal), 2 * i);
        vec3_set_component(&normal, i, -1);
        wall_faces_add(faces, spheres, half - along[i] - spheres->radius, vec3_wide_set(normal), 2 * i + 1);
    }
    return true;
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

static double wall_box_distance(const Wall *wall, Vec3 point) {
    BoxSides thin = wall_box_thin(wall);
    return box_sides_distance(&thin, point);
}

static void wall_box_pieces(const Wall *wall, Vec3 center, double reach, WallPieceVisitor *visit,
                            void *user) {
    BoxSides thin = wall_box_thin(wall);
    box_sides_pieces(&thin, center, reach, visit, user);
}

static bool wall_box_bears(const Wall *wall, const WallPiece *piece, Vec3 point, Vec3 direction) {
    (void)piece;
    const WallBox *box = wall_definition(wall);
    return wall_pieces_bear(wall, vec3_norm(box->size), point, direction);
}

static bool wall_box_surface(const Wall *wall, Surface *surface) {
    BoxSides thin = wall_box_thin(wall);
    return box_sides_surface(&thin, surface);
}

const WallType wall_type_box = {
    .schema.alternative = {.key = "box", .object = &wall_box_schema, .doc = "A box."},
    .check = wall_box_check,
    .describe = wall_box_describe,
    .height = wall_box_height,
    .contacts = wall_box_contacts,
    .faces = wall_box_touched_faces,
    .pieces = wall_box_pieces,
    .bears = wall_box_bears,
    .contact_limit = 6,
    .inset = wall_box_inset,
    .open = wall_box_is_open,
    .distance = wall_box_distance,
    .bounds = wall_box_bounds,
    .volume = wall_box_volume,
    .surface = wall_box_surface,
};
