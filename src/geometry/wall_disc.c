// A thin flat disc, or a ring when it has a hole, that can be touched from both sides: a lid, a baffle, the plate
// of a press. With d = c - center, z = d . axis, rho = |d - z axis|, e = (d - z axis) / rho, the closest point of
// the disc is
//
//     q = center + rho_q e,   rho_q = rho, at least the radius of the hole and at most that of the disc
//
//     gap = |c - q| - radius,   normal = (c - q) / |c - q|
//
// A disc has no thickness: on which side a grain is, is known by its centre only. A grain of radius r that comes
// through by more than r in one step, or between two steps, is on the other side; max_overlap stops a run before
// that. A centre on the disc itself is pushed along the axis.
//
// On the axis of a hole the whole rim is equally near, and what it pushes across the axis cancels: the normal is
// along the axis there, as in wall_cone.c.
//
// Grains with faces touch it as a polygon of WALL_PIECE_CORNERS sides: its rim is 7.5e-5 of its radius short between
// two corners, its sides are exact.
//
// Nothing is outside a disc, so that it needs other walls to close a room.
#include "geometry/wall_type.h"

typedef struct WallDisc {
    Vec3 center;   // [m]
    Vec3 axis;     // unit, across the disc
    double radius; // [m]
    double hole;   // radius of the hole in its middle [m]; 0: none
} WallDisc;
WALL_FITS(WallDisc);

enum { wall_disc_sides = 64 }; // of its surface in frames

// ---- the model file ------------------------------------------------------------------------------
static const SchemaKey wall_disc_keys[] = {
    {"radius", QUANTITY(WallDisc, radius), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Outer radius."},
    {"hole", QUANTITY(WallDisc, hole), .dimension = DIM_LENGTH, .range = NON_NEGATIVE, .fallback = "0 m",
     .doc = "Radius of a round hole in the middle; 0 is none."},
    {"axis", AXIS(WallDisc, axis), .fallback = "z", .doc = "Direction across the disc."},
    {"center", VECTOR(WallDisc, center), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Middle of the disc."},
};
static const SchemaObject wall_disc_schema = {
    .name = "disc",
    .doc = "A thin flat disc, or a ring, that can be touched from both sides. It closes no room by itself.",
    .size = sizeof(WallDisc),
    SCHEMA_KEYS(wall_disc_keys),
    .example = "walls:\n"
               "  mill: {cylinder: {radius: 20 mm, height: 60 mm}}\n"
               "  baffle: {disc: {radius: 20 mm, hole: 8 mm}}\n"};

static void wall_disc_check(const Wall *wall, const Findings *findings) {
    const WallDisc *disc = wall_definition(wall);
    if (disc->radius > 0 && !(disc->hole < disc->radius))
        findings_error(findings, &disc->hole,
                       "'hole' must be smaller than 'radius': it is %g mm, and the radius %g mm",
                       1e3 * disc->hole, 1e3 * disc->radius);
}

static void wall_disc_describe(const Wall *wall, Text *text) {
    const WallDisc *disc = wall_definition(wall);
    text_add_string(text, "a disc of radius ");
    human_add(text, disc->radius, DIM_LENGTH);
    if (!(disc->hole > 0)) return;
    text_add_string(text, " with a hole of ");
    human_add(text, disc->hole, DIM_LENGTH);
}

// ---- geometry ------------------------------------------------------------------------------------
typedef struct WallDiscPlace {
    double along;    // the axis, from the middle [m]
    Vec3 offset;     // from the closest point of the disc [m]
    double distance; // its length [m]
    bool on_axis;    // of a hole
} WallDiscPlace;

static WallDiscPlace wall_disc_place(const WallDisc *disc, Vec3 point) {
    Vec3 offset = vec3_sub(point, disc->center);
    WallDiscPlace place = {.along = vec3_dot(offset, disc->axis)};
    Vec3 across = vec3_scale(place.along, disc->axis), radial = vec3_sub(offset, across);
    double rho = vec3_norm(radial), nearest = fmin(fmax(rho, disc->hole), disc->radius);
    place.on_axis = disc->hole > 0 && !(rho > 1e-12 * disc->radius);
    place.offset = rho > 0 ? vec3_madd(across, (rho - nearest) / rho, radial) : across;
    place.distance = sqrt(place.along * place.along + (rho - nearest) * (rho - nearest));
    return place;
}

static int wall_disc_contacts(const Wall *wall, const Vec3 *at, double radius, double margin,
                              WallContact *contacts) {
    const Vec3 center = *at;
    const WallDisc *disc = wall_definition(wall);
    WallDiscPlace place = wall_disc_place(disc, center);
    double gap = place.distance - radius;
    if (!(gap < margin)) return 0;
    Vec3 normal = vec3_scale(place.along < 0 ? -1 : 1, disc->axis);
    if (!place.on_axis && place.distance > 1e-12 * disc->radius)
        normal = vec3_scale(1 / place.distance, place.offset);
    return wall_contact_add(contacts, 0, gap, margin, normal, 0);
}

// ---- pieces: a polygon of many sides, or the sectors of a ring --------------------------------------
static Vec3 wall_disc_corner(const WallDisc *disc, double radius, int side) {
    Vec3 u = vec3_perpendicular(disc->axis), v = vec3_cross(disc->axis, u);
    double angle = 2 * M_PI * side / WALL_PIECE_CORNERS;
    return vec3_madd(vec3_madd(disc->center, radius * cos(angle), u), radius * sin(angle), v);
}

static void wall_disc_pieces(const Wall *wall, Vec3 center, double reach, WallPieceVisitor *visit,
                             void *user) {
    const WallDisc *disc = wall_definition(wall);
    if (!(wall_disc_place(disc, center).distance < reach)) return;
    WallPiece piece = {.count = WALL_PIECE_CORNERS, .normal = disc->axis};
    if (!(disc->hole > 0)) {
        for (int i = 0; i < WALL_PIECE_CORNERS; i++)
            piece.corners[i] = wall_disc_corner(disc, disc->radius, i);
        visit(user, &piece);
        return;
    }
    piece.count = 4;
    for (int i = 0; i < WALL_PIECE_CORNERS; i++) {
        piece.corners[0] = wall_disc_corner(disc, disc->hole, i);
        piece.corners[1] = wall_disc_corner(disc, disc->radius, i);
        piece.corners[2] = wall_disc_corner(disc, disc->radius, i + 1);
        piece.corners[3] = wall_disc_corner(disc, disc->hole, i + 1);
        piece.index = i;
        Vec3 middle = vec3_scale(0.5, vec3_add(piece.corners[0], piece.corners[2]));
        if (vec3_norm(vec3_sub(center, middle)) <
            reach + vec3_norm(vec3_sub(piece.corners[2], piece.corners[0])))
            visit(user, &piece);
    }
}

// Across the disc everywhere; beside it at the rim only, outward, and at the hole inward.
static bool wall_disc_bears(const Wall *wall, const WallPiece *piece, Vec3 point, Vec3 direction) {
    (void)piece;
    const WallDisc *disc = wall_definition(wall);
    Vec3 beside = vec3_madd(direction, -vec3_dot(direction, disc->axis), disc->axis);
    double share = vec3_norm(beside);
    if (share < 1e-6) return true;
    Vec3 offset = vec3_sub(point, disc->center),
         radial = vec3_madd(offset, -vec3_dot(offset, disc->axis), disc->axis);
    double rho = vec3_norm(radial), short_of = 1 - cos(M_PI / WALL_PIECE_CORNERS) + 1e-9;
    double outward = rho > 0 ? vec3_dot(beside, radial) / (rho * share) : 0;
    if (rho >= disc->radius * (1 - short_of)) return outward > 0.99;
    return rho <= disc->hole * (1 + short_of) && outward < -0.99;
}

static double wall_disc_inset(const Wall *wall, Vec3 point) {
    return wall_disc_place(wall_definition(wall), point).distance;
}

static Vec3 wall_disc_rim(const WallDisc *disc, double radius, int side) {
    Vec3 u = vec3_perpendicular(disc->axis), v = vec3_cross(disc->axis, u);
    double angle = 2 * M_PI * side / wall_disc_sides;
    return vec3_madd(vec3_madd(disc->center, radius * cos(angle), u), radius * sin(angle), v);
}

// Points 2 i at the hole (or in the middle) and 2 i + 1 at the outer rim, pieces between them.
static bool wall_disc_surface(const Wall *wall, Surface *surface) {
    const WallDisc *disc = wall_definition(wall);
    int first = (int)surface->points.count, count = disc->hole > 0 ? 4 : 3;
    for (int i = 0; i < wall_disc_sides; i++) {
        if (!surface_add_point(surface, wall_disc_rim(disc, disc->hole, i))) return false;
        if (!surface_add_point(surface, wall_disc_rim(disc, disc->radius, i))) return false;
    }
    for (int i = 0; i < wall_disc_sides; i++) {
        int next = (i + 1) % wall_disc_sides;
        int corners[4] = {2 * i, 2 * i + 1, 2 * next + 1, 2 * next};
        if (!surface_add_polygon(surface, corners, count, first)) return false;
    }
    return true;
}

const WallType wall_type_disc = {
    .schema.alternative = {.key = "disc",
                           .object = &wall_disc_schema,
                           .doc = "A thin disc or ring, with two sides."},
    .check = wall_disc_check,
    .describe = wall_disc_describe,
    .contacts = wall_disc_contacts,
    .pieces = wall_disc_pieces,
    .bears = wall_disc_bears,
    .contact_limit = 1,
    .inset = wall_disc_inset,
    .surface = wall_disc_surface,
};
