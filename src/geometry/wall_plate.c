// A rectangular plate, thin or with a thickness; grains touch both its sides and its edges (solid_box.h). Of a thin one
// it is known by the centre of a grain only on which side it is, as with a disc (wall_disc.c).
#include "geometry/solid_box.h"

typedef struct WallPlate {
    Vec3 center;      // [m]
    Vec3 axis;        // unit, across the plate
    Vec3 along;       // unit, the direction of the first length; its part along the axis does not count
    double size[2];   // lengths along `along` and across it [m]
    double thickness; // [m]; 0: thin
} WallPlate;
WALL_FITS(WallPlate);

// ---- the model file ------------------------------------------------------------------------------
static const SchemaKey wall_plate_keys[] = {
    {"size", NUMBERS(WallPlate, size, 2), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Lengths in the plane of the plate: along `along`, and across it."},
    {"axis", AXIS(WallPlate, axis), .fallback = "z", .doc = "Direction across the plate."},
    {"along", AXIS(WallPlate, along), .fallback = "x", .doc = "Direction of the first length, in the plane."},
    {"center", VECTOR(WallPlate, center), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Middle of the plate."},
    {"thickness", QUANTITY(WallPlate, thickness), .dimension = DIM_LENGTH, .range = NON_NEGATIVE,
     .fallback = "0 m", .doc = "Thickness, half of it on each side of the middle; 0 is a thin plate."},
};
static const SchemaObject wall_plate_schema = {
    .name = "plate",
    .doc = "A rectangular plate that can be touched from both sides: a chute, a baffle, a belt. It closes no "
           "room by "
           "itself.",
    .size = sizeof(WallPlate),
    SCHEMA_KEYS(wall_plate_keys),
    .example = "walls:\n"
               "  chute: {plate: {size: 300 80 mm, axis: 1 0 2, along: 2 0 -1}}\n"};

// The direction of the first length, and whether there is one.
static Vec3 wall_plate_along(const WallPlate *plate) {
    return vec3_madd(plate->along, -vec3_dot(plate->along, plate->axis), plate->axis);
}

static void wall_plate_check(const Wall *wall, const Findings *findings) {
    const WallPlate *plate = wall_definition(wall);
    if (vec3_norm(wall_plate_along(plate)) < 1e-6)
        findings_error(findings, &plate->along,
                       "'along' is across the plate, like 'axis': give a direction in its plane");
}

static void wall_plate_describe(const Wall *wall, Text *text) {
    const WallPlate *plate = wall_definition(wall);
    text_add_string(text, "a plate of ");
    human_add(text, plate->size[0], DIM_LENGTH);
    text_add_string(text, " x ");
    human_add(text, plate->size[1], DIM_LENGTH);
    if (!(plate->thickness > 0)) return;
    text_add_string(text, ", thickness ");
    human_add(text, plate->thickness, DIM_LENGTH);
}

// ---- geometry ------------------------------------------------------------------------------------
static Mat3 wall_plate_axes(const WallPlate *plate) {
    Vec3 along = wall_plate_along(plate);
    Vec3 u = vec3_norm(along) < 1e-6 ? vec3_perpendicular(plate->axis) : vec3_normalize(along);
    return mat3_columns(u, vec3_cross(plate->axis, u), plate->axis);
}

static Vec3 wall_plate_half(const WallPlate *plate) {
    return vec3(0.5 * plate->size[0], 0.5 * plate->size[1], 0.5 * plate->thickness);
}

static int wall_plate_contacts(const Wall *wall, const Vec3 *at, double radius, double margin,
                               WallContact *contacts) {
    const Vec3 center = *at;
    const WallPlate *plate = wall_definition(wall);
    Vec3 offset = vec3_sub(center, plate->center);
    if (fabs(vec3_dot(offset, plate->axis)) > 0.5 * plate->thickness + radius + margin) return 0;
    Mat3 axes = wall_plate_axes(plate);
    SolidBoxPlace place = solid_box_place(wall_plate_half(plate), mat3_apply_transpose(axes, offset));
    return wall_contact_add(contacts, 0, place.distance - radius, margin, mat3_apply(axes, place.normal),
                            place.feature);
}

static double wall_plate_inset(const Wall *wall, Vec3 point) {
    const WallPlate *plate = wall_definition(wall);
    return solid_box_place(wall_plate_half(plate),
                           mat3_apply_transpose(wall_plate_axes(plate), vec3_sub(point, plate->center)))
        .distance;
}

static void wall_plate_pieces(const Wall *wall, Vec3 center, double reach, WallPieceVisitor *visit,
                              void *user) {
    const WallPlate *plate = wall_definition(wall);
    if (!(wall_plate_inset(wall, center) < reach)) return;
    WallPiece piece = {.count = 4};
    solid_box_piece(plate->center, wall_plate_half(plate), wall_plate_axes(plate), &piece);
    visit(user, &piece);
}

static bool wall_plate_bears(const Wall *wall, const WallPiece *piece, Vec3 point, Vec3 direction) {
    (void)piece;
    const WallPlate *plate = wall_definition(wall);
    return wall_pieces_bear(wall, plate->size[0] + plate->size[1], point, direction);
}

static bool wall_plate_surface(const Wall *wall, Surface *surface) {
    const WallPlate *plate = wall_definition(wall);
    return solid_box_surface(plate->center, wall_plate_half(plate), wall_plate_axes(plate), surface);
}

const WallType wall_type_plate = {
    .schema.alternative = {.key = "plate",
                           .object = &wall_plate_schema,
                           .doc = "A rectangular plate, with two sides."},
    .check = wall_plate_check,
    .describe = wall_plate_describe,
    .contacts = wall_plate_contacts,
    .pieces = wall_plate_pieces,
    .bears = wall_plate_bears,
    .contact_limit = 1,
    .inset = wall_plate_inset,
    .surface = wall_plate_surface,
};
