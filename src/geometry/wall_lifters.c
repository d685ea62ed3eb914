// Lifters: a ring of equal solid bars inside a drum, each a box (solid_box.h) whose foot touches the drum. Bar k stands
// at the angle 2 pi k / count about the axis, from the direction across it that vec3_perpendicular gives. A sphere is
// compared with the two bars beside it, in the axes of each. Feature: 27 k + that of the box.
#include "geometry/solid_box.h"

typedef struct WallLifters {
    Vec3 center;   // of the ring [m]
    Vec3 axis;     // unit, of the drum
    double radius; // of the drum: where the bars stand [m]
    double height; // towards the axis [m]
    double width;  // around the drum [m]
    double length; // along the axis [m]
    int64_t count;
} WallLifters;
WALL_FITS(WallLifters);

// ---- the model file ------------------------------------------------------------------------------
static const SchemaKey wall_lifters_keys[] = {
    {"count", INTEGER(WallLifters, count), .range = FROM_TO(1, 360), .required = true, .doc = "How many."},
    {"radius", QUANTITY(WallLifters, radius), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Inner radius of the drum that they stand on."},
    {"height", QUANTITY(WallLifters, height), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Towards the axis."},
    {"width", QUANTITY(WallLifters, width), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Around the drum."},
    {"length", QUANTITY(WallLifters, length), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Along the axis."},
    {"axis", AXIS(WallLifters, axis), .fallback = "z", .doc = "Axis of the drum."},
    {"center", VECTOR(WallLifters, center), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Middle of the ring."},
};
static const SchemaObject wall_lifters_schema = {
    .name = "lifters",
    .doc = "A ring of equal bars inside a drum. They close no room by themselves.",
    .size = sizeof(WallLifters),
    SCHEMA_KEYS(wall_lifters_keys),
    .example =
        "walls:\n"
        "  drum: {cylinder: {radius: 100 mm, height: 50 mm, axis: y}}\n"
        "  bars: {lifters: {count: 8, radius: 100 mm, height: 8 mm, width: 6 mm, length: 50 mm, axis: y}}\n"};

static void wall_lifters_check(const Wall *wall, const Findings *findings) {
    const WallLifters *l = wall_definition(wall);
    if (l->radius > 0 && !(l->height < l->radius))
        findings_error(findings, &l->height,
                       "'height' must be smaller than 'radius': the bars would meet on the axis");
    if (l->count > 1 && l->height < l->radius &&
        l->width > 2 * (l->radius - l->height) * tan(M_PI / (double)l->count))
        findings_error(findings, &l->width, "%lld bars of this width overlap at their tops",
                       (long long)l->count);
}

static void wall_lifters_describe(const Wall *wall, Text *text) {
    const WallLifters *l = wall_definition(wall);
    text_add(text, "%lld lifters of ", (long long)l->count);
    human_add_size(text, vec3(l->height, l->width, l->length), DIM_LENGTH);
}

// ---- geometry ------------------------------------------------------------------------------------
// The axes of bar k: towards the drum, around it, along the axis.
static Mat3 wall_lifters_axes(const WallLifters *l, int64_t k) {
    Vec3 u = vec3_perpendicular(l->axis), v = vec3_cross(l->axis, u);
    double angle = 2 * M_PI * (double)k / (double)l->count;
    Vec3 out = vec3_madd(vec3_scale(cos(angle), u), sin(angle), v);
    return mat3_columns(out, vec3_cross(l->axis, out), l->axis);
}

static Vec3 wall_lifters_half(const WallLifters *l) {
    return vec3(0.5 * l->height, 0.5 * l->width, 0.5 * l->length);
}

static Vec3 wall_lifters_middle(const WallLifters *l, const Mat3 *axes) {
    return vec3_madd(l->center, l->radius - 0.5 * l->height, mat3_column(*axes, 0));
}

// The two bars beside the point.
static void wall_lifters_beside(const WallLifters *l, Vec3 point, int64_t bars[2]) {
    Vec3 u = vec3_perpendicular(l->axis), v = vec3_cross(l->axis, u), offset = vec3_sub(point, l->center);
    double turns = atan2(vec3_dot(offset, v), vec3_dot(offset, u)) / (2 * M_PI) * (double)l->count;
    int64_t below = isnan(turns) ? 0 : (int64_t)floor(turns); // of a grain that is nowhere: either bar
    bars[0] = (below + l->count) % l->count, bars[1] = (below + 1 + l->count) % l->count;
}

static int wall_lifters_contacts(const Wall *wall, const Vec3 *at, double radius, double margin,
                                 WallContact *contacts) {
    const Vec3 center = *at;
    const WallLifters *l = wall_definition(wall);
    Vec3 offset = vec3_sub(center, l->center);
    double along = vec3_dot(offset, l->axis), rho2 = vec3_norm2(offset) - along * along;
    double near = l->radius - l->height - radius - margin;
    if (near > 0 && rho2 < near * near) return 0;
    int64_t bars[2];
    int count = 0;
    wall_lifters_beside(l, center, bars);
    for (int i = 0; i < (bars[0] == bars[1] ? 1 : 2); i++) {
        Mat3 axes = wall_lifters_axes(l, bars[i]);
        SolidBoxPlace place =
            solid_box_place(wall_lifters_half(l),
                            mat3_apply_transpose(axes, vec3_sub(center, wall_lifters_middle(l, &axes))));
        count =
            wall_contact_add(contacts, count, place.distance - radius, margin, mat3_apply(axes, place.normal),
                             (int)bars[i] * SOLID_BOX_FEATURES + place.feature);
    }
    return count;
}

static double wall_lifters_inset(const Wall *wall, Vec3 point) {
    const WallLifters *l = wall_definition(wall);
    int64_t bars[2];
    double least = INFINITY;
    wall_lifters_beside(l, point, bars);
    for (int i = 0; i < 2; i++) {
        Mat3 axes = wall_lifters_axes(l, bars[i]);
        Vec3 p = mat3_apply_transpose(axes, vec3_sub(point, wall_lifters_middle(l, &axes)));
        least = fmin(least, solid_box_place(wall_lifters_half(l), p).distance);
    }
    return least;
}

static void wall_lifters_pieces(const Wall *wall, Vec3 center, double reach, WallPieceVisitor *visit,
                                void *user) {
    const WallLifters *l = wall_definition(wall);
    Vec3 half = wall_lifters_half(l);
    WallPiece piece = {.count = 4};
    for (int64_t k = 0; k < l->count; k++) {
        Mat3 axes = wall_lifters_axes(l, k);
        Vec3 middle = wall_lifters_middle(l, &axes);
        Vec3 p = mat3_apply_transpose(axes, vec3_sub(center, middle));
        if (!(solid_box_place(half, p).distance < reach)) continue;
        solid_box_piece(middle, half, axes, &piece);
        piece.group = piece.index = (int)k;
        visit(user, &piece);
    }
}

static bool wall_lifters_surface(const Wall *wall, Surface *surface) {
    const WallLifters *l = wall_definition(wall);
    for (int64_t k = 0; k < l->count; k++) {
        Mat3 axes = wall_lifters_axes(l, k);
        if (!solid_box_surface(wall_lifters_middle(l, &axes), wall_lifters_half(l), axes, surface))
            return false;
    }
    return true;
}

const WallType wall_type_lifters = {
    .schema.alternative = {.key = "lifters",
                           .object = &wall_lifters_schema,
                           .doc = "A ring of bars inside a drum."},
    .check = wall_lifters_check,
    .describe = wall_lifters_describe,
    .contacts = wall_lifters_contacts,
    .pieces = wall_lifters_pieces,
    .contact_limit = 2,
    .inset = wall_lifters_inset,
    .surface = wall_lifters_surface,
};
