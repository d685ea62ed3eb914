// A solid box: grains stay outside. With p the centre of the sphere in the axes of the block, h its half lengths and
// q the point of the block nearest to p (each component of p, at least -h and at most h):
//
//     p outside   gap = |p - q| - radius,            normal = (p - q) / |p - q|
//     p inside    gap = -min_i (h_i - |p_i|) - radius, normal outward across the face that is nearest
//
// A block is convex, so a sphere touches it in one point. The feature of a contact says for each axis whether q is at
// the lower end, between or at the upper end: faces, edges and corners have numbers of their own.
//
// Grains with faces meet it as one of their kind.
#include "geometry/wall_pieces.h"
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

typedef struct WallBlockPlace {
    double distance; // from the surface, negative inside [m]
    Vec3 normal;     // outward, in the axes of the block
    int feature;
} WallBlockPlace;

static WallBlockPlace wall_block_place(Vec3 half, Vec3 p) {
    WallBlockPlace place = {.feature = 0};
    Vec3 beyond = vec3_zero();
    double depth = INFINITY;
    int face = 0;
    for (int i = 0, digit = 1; i < 3; i++, digit *= 3) {
        double x = vec3_component(p, i), h = vec3_component(half, i), out = fabs(x) - h;
        if (out > 0) vec3_set_component(&beyond, i, copysign(out, x));
        if (out > 0) place.feature += digit * (x < 0 ? 1 : 2);
        if (-out < depth) depth = -out, face = i;
    }
    place.distance = vec3_norm(beyond);
    if (place.distance > 0) {
        place.normal = vec3_scale(1 / place.distance, beyond);
        return place;
    }
    double side = vec3_component(p, face) < 0 ? -1 : 1;
    static const int digits[3] = {1, 3, 9};
    place.distance = -depth;
    place.normal = vec3_zero();
    vec3_set_component(&place.normal, face, side);
    place.feature = digits[face] * (side < 0 ? 1 : 2);
    return place;
}

static WallBlockPlace wall_block_find(const WallBlock *block, Vec3 point, Mat3 *axes) {
    *axes = wall_block_axes(block);
    return wall_block_place(wall_block_half(block),
                            mat3_apply_transpose(*axes, vec3_sub(point, block->center)));
}

static int wall_block_contacts(const Wall *wall, Vec3 center, double radius, double margin,
                               WallContact *contacts) {
    const WallBlock *block = wall_definition(wall);
    double far = 0.5 * vec3_norm(block->size) + radius + margin;
    if (vec3_norm2(vec3_sub(center, block->center)) > far * far) return 0;
    Mat3 axes;
    WallBlockPlace place = wall_block_find(block, center, &axes);
    return wall_contact_add(contacts, 0, place.distance - radius, margin, mat3_apply(axes, place.normal),
                            place.feature);
}

// The whole block: a prism on its upper face.
static void wall_block_pieces(const Wall *wall, Vec3 center, double reach, WallPieceVisitor *visit,
                              void *user) {
    const WallBlock *block = wall_definition(wall);
    Mat3 axes;
    if (!(wall_block_find(block, center, &axes).distance < reach)) return;
    WallPiece piece = {.count = 4};
    for (int k = 0; k < 4; k++)
        piece.corners[k] = vec3_add(
            block->center, mat3_apply(axes, wall_box_corner(wall_block_half(block), wall_box_faces[5][k])));
    piece.normal = mat3_column(axes, 2);
    piece.depth = vec3_scale(-block->size.z, piece.normal);
    visit(user, &piece);
}

static double wall_block_inset(const Wall *wall, Vec3 point) {
    Mat3 axes;
    return wall_block_find(wall_definition(wall), point, &axes).distance;
}

static bool wall_block_surface(const Wall *wall, Surface *surface) {
    const WallBlock *block = wall_definition(wall);
    Mat3 axes = wall_block_axes(block);
    int first = (int)surface->points.count;
    for (int i = 0; i < 8; i++) {
        Vec3 corner = mat3_apply(axes, wall_box_corner(wall_block_half(block), i));
        if (!surface_add_point(surface, vec3_add(block->center, corner))) return false;
    }
    for (int i = 0; i < 6; i++)
        if (!surface_add_polygon(surface, wall_box_faces[i], 4, first)) return false;
    return true;
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
