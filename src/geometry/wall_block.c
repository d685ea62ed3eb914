// A solid box: grains stay outside. It is convex, so a sphere touches it in one point (solid_box.h):
//
//     gap = distance - radius
//
// For grains with faces it is a convex polyhedron like them.
#include "geometry/solid_box.h"
#include "math/so3.h"

typedef struct WallBlock {
    Vec3 center;  // [m]
    Vec3 size;    // full lengths along its axes [m]
    Vec3 axis;    // about which it is turned, unit
    double angle; // by which it is turned [rad]
} WallBlock;
WALL_FITS(WallBlock);

// ---- the model file ------------------------------------------------------------------------------
static const SchemaKey wall_block_keys[] = {
    {"size", VECTOR(WallBlock, size), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Lengths along x, y and z, before it is turned."},
    {"center", VECTOR(WallBlock, center), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Middle of the block."},
    {"axis", AXIS(WallBlock, axis), .fallback = "z", .doc = "Axis about which it is turned."},
    {"angle", QUANTITY(WallBlock, angle), .dimension = DIM_ANGLE, .fallback = "0 rad",
     .doc = "Angle by which it is turned about `axis` and its middle."},
};
static const SchemaObject wall_block_schema = {
    .name = "block",
    .doc = "A solid box that grains stay out of: a lifter, a stamp, a step. It closes no room by itself.",
    .size = sizeof(WallBlock),
    SCHEMA_KEYS(wall_block_keys),
    .example = "walls:\n"
               "  room: {box: {size: 100 100 100 mm}}\n"
               "  step: {block: {size: 40 100 20 mm, center: 30 0 -40 mm}}\n"};

static void wall_block_describe(const Wall *wall, Text *text) {
    const WallBlock *block = wall_definition(wall);
    text_add_string(text, "a block of ");
    human_add_size(text, block->size, DIM_LENGTH);
}

// ---- geometry ------------------------------------------------------------------------------------
static Mat3 wall_block_axes(const WallBlock *block) {
    return block->angle == 0 ? mat3_identity() : so3_exp(vec3_scale(block->angle, block->axis));
}

static Vec3 wall_block_half(const WallBlock *block) { return vec3_scale(0.5, block->size); }

static SolidBoxPlace wall_block_find(const WallBlock *block, Vec3 point, Mat3 *axes) {
    *axes = wall_block_axes(block);
    return solid_box_place(wall_block_half(block),
                           mat3_apply_transpose(*axes, vec3_sub(point, block->center)));
}

static int wall_block_contacts(const Wall *wall, const Vec3 *at, double radius, double margin,
                               WallContact *contacts) {
    const Vec3 center = *at;
    const WallBlock *block = wall_definition(wall);
    double far = 0.5 * vec3_norm(block->size) + radius + margin;
    if (vec3_norm2(vec3_sub(center, block->center)) > far * far) return 0;
    Mat3 axes;
    SolidBoxPlace place = wall_block_find(block, center, &axes);
    return wall_contact_add(contacts, 0, place.distance - radius, margin, mat3_apply(axes, place.normal),
                            place.feature);
}

static void wall_block_pieces(const Wall *wall, Vec3 center, double reach, WallPieceVisitor *visit,
                              void *user) {
    const WallBlock *block = wall_definition(wall);
    Mat3 axes;
    if (!(wall_block_find(block, center, &axes).distance < reach)) return;
    WallPiece piece = {.count = 4};
    solid_box_piece(block->center, wall_block_half(block), axes, &piece);
    visit(user, &piece);
}

static double wall_block_inset(const Wall *wall, Vec3 point) {
    Mat3 axes;
    return wall_block_find(wall_definition(wall), point, &axes).distance;
}

static bool wall_block_surface(const Wall *wall, Surface *surface) {
    const WallBlock *block = wall_definition(wall);
    return solid_box_surface(block->center, wall_block_half(block), wall_block_axes(block), surface);
}

const WallType wall_type_block = {
    .schema.alternative = {.key = "block",
                           .object = &wall_block_schema,
                           .doc = "A solid box that grains stay out of."},
    .describe = wall_block_describe,
    .contacts = wall_block_contacts,
    .pieces = wall_block_pieces,
    .contact_limit = 1,
    .inset = wall_block_inset,
    .surface = wall_block_surface,
};
