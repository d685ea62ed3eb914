// A screw flight: a thin helicoid that can be touched from both sides. With the angle t about the axis, from 0 to
// 2 pi turns (negative turns: left-handed), and the distance s from it, inner <= s <= outer, its points are
//
//     x(s, t) = center + s (cos t u + sin t v) + (c t - length / 2) axis,    c = pitch / (2 pi)
//
// The centre of a sphere is at the angle a, the distance rho and the height z above the start. For a given t the nearest s
// is rho cos(t - a), at least `inner` and at most `outer`, and the distance is the root of
//
//     f(t) = (rho cos(t - a) - s)^2 + rho^2 sin^2(t - a) + (z - c t)^2
//     f'/2 = rho s sin(t - a) - c (z - c t),    s as above
//
// Its minima within a turn and a quarter are bracketed by samples and found by Newton's method with bisection. Each of
// them is a contact: features 0, 2, ... with turns below the centre, 1, 3, ... with those above. The first and the last
// edge of the flight count where f rises from there into the flight.
//
// Grains with faces touch triangles between wall_screw_steps lines per turn.
#include "geometry/wall_pieces.h"

typedef struct WallScrew {
    Vec3 center;   // middle of the axis [m]
    Vec3 axis;     // unit
    double inner;  // radius at the shaft [m]
    double outer;  // [m]
    double pitch;  // advance along the axis per turn [m]
    double length; // along the axis [m]
    bool left;     // left-handed
    double start;  // angle of the flight where the axis starts [rad]
} WallScrew;
WALL_FITS(WallScrew);

enum { wall_screw_steps = 96 };

// ---- the model file ------------------------------------------------------------------------------
static const SchemaKey wall_screw_keys[] = {
    {"outer", QUANTITY(WallScrew, outer), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Outer radius of the flight."},
    {"inner", QUANTITY(WallScrew, inner), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Inner radius, where it stands on its shaft; the shaft is a wall of its own, a rod."},
    {"pitch", QUANTITY(WallScrew, pitch), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Advance along the axis per turn."},
    {"length", QUANTITY(WallScrew, length), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Length along the axis."},
    {"left", BOOLEAN(WallScrew, left), .fallback = "false", .doc = "Left-handed."},
    {"start", QUANTITY(WallScrew, start), .dimension = DIM_ANGLE, .fallback = "0 rad",
     .doc = "Angle about the axis at which the flight begins."},
    {"axis", AXIS(WallScrew, axis), .fallback = "z", .doc = "Direction of the axis."},
    {"center", VECTOR(WallScrew, center), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Middle of the axis."},
};
static const SchemaObject wall_screw_schema = {
    .name = "screw",
    .doc = "The flight of a screw: a thin helicoid that can be touched from both sides.",
    .size = sizeof(WallScrew),
    SCHEMA_KEYS(wall_screw_keys),
    .example = "walls:\n"
               "  tube: {cylinder: {radius: 26 mm, height: 300 mm, axis: x, open: [start, end]}}\n"
               "  shaft: {rod: {radius: 8 mm, length: 300 mm, axis: x}, port: screw}\n"
               "  flight: {screw: {outer: 25 mm, inner: 8 mm, pitch: 40 mm, length: 300 mm, axis: x}, port: "
               "screw}\n"};

static void wall_screw_check(const Wall *wall, const Findings *findings) {
    const WallScrew *screw = wall_definition(wall);
    if (screw->outer > 0 && screw->inner > 0 && !(screw->inner < screw->outer))
        findings_error(findings, &screw->inner, "'inner' must be smaller than 'outer'");
    if (screw->pitch > 0 && screw->length > 1000 * screw->pitch)
        findings_error(findings, &screw->pitch, "the screw has %.0f turns; at most 1000 are possible",
                       screw->length / screw->pitch);
}

static void wall_screw_describe(const Wall *wall, Text *text) {
    const WallScrew *screw = wall_definition(wall);
    text_add_string(text, screw->left ? "a left-handed screw of radius " : "a screw of radius ");
    human_add(text, screw->outer, DIM_LENGTH);
    text_add_string(text, " and pitch ");
    human_add(text, screw->pitch, DIM_LENGTH);
}

// ---- geometry ------------------------------------------------------------------------------------
typedef struct ScrewPlace { // of a point, as seen from the start of the flight, right-handed
    double rho, angle, z, c;
    double last; // angle at the end of the flight [rad]
    Vec3 u, v;   // across the axis; v is reversed for a left-handed flight
} ScrewPlace;

static ScrewPlace wall_screw_place(const WallScrew *screw, Vec3 point) {
    Vec3 e = vec3_perpendicular(screw->axis), f = vec3_cross(screw->axis, e);
    ScrewPlace place = {.c = screw->pitch / (2 * M_PI), .last = 2 * M_PI * screw->length / screw->pitch};
    place.u = vec3_madd(vec3_scale(cos(screw->start), e), sin(screw->start), f);
    place.v = vec3_scale(screw->left ? -1 : 1, vec3_cross(screw->axis, place.u));
    Vec3 offset = vec3_sub(point, screw->center);
    double x = vec3_dot(offset, place.u), y = vec3_dot(offset, place.v);
    place.rho = hypot(x, y), place.angle = atan2(y, x);
    place.z = vec3_dot(offset, screw->axis) + 0.5 * screw->length;
    return place;
}

static double wall_screw_radius(const WallScrew *screw, const ScrewPlace *p, double t) {
    return fmin(fmax(p->rho * cos(t - p->angle), screw->inner), screw->outer);
}

static double wall_screw_slope(const WallScrew *screw, const ScrewPlace *p, double t) {
    return p->rho * wall_screw_radius(screw, p, t) * sin(t - p->angle) - p->c * (p->z - p->c * t);
}

static Vec3 wall_screw_point(const WallScrew *screw, const ScrewPlace *p, double s, double t) {
    Vec3 out = vec3_madd(vec3_scale(cos(t), p->u), sin(t), p->v);
    return vec3_madd(vec3_madd(screw->center, s, out), p->c * t - 0.5 * screw->length, screw->axis);
}

static double wall_screw_square(const WallScrew *screw, const ScrewPlace *p, double t) {
    double s = wall_screw_radius(screw, p, t), in = p->rho * cos(t - p->angle) - s;
    double across = p->rho * sin(t - p->angle), along = p->z - p->c * t;
    return in * in + across * across + along * along;
}

// The minimum between two angles; f falls at the first and rises at the second.
static double wall_screw_nearest(const WallScrew *screw, const ScrewPlace *p, double low, double high) {
    double t = 0.5 * (low + high);
    for (int k = 0; k < 60; k++) {
        double slope = wall_screw_slope(screw, p, t);
        if (slope > 0) high = t;
        else low = t;
        double s = wall_screw_radius(screw, p, t), bend = p->rho * s * cos(t - p->angle) + p->c * p->c;
        if (s > screw->inner && s < screw->outer) {
            double across = p->rho * sin(t - p->angle);
            bend -= across * across;
        }
        double next = bend > 0 ? t - slope / bend : low;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (fabs(next - t) < 1e-14 * (1 + fabs(t))) return next;
        t = next;
    }
    return t;
}

enum { screw_places = 4, screw_samples = 40 };

// Angles of local minima of f within a turn and a quarter of the height of the point, and their features.
static int wall_screw_places(const WallScrew *screw, const ScrewPlace *p, double t[screw_places],
                             int feature[screw_places]) {
    double level = fmin(fmax(p->z / p->c, 0), p->last), from = fmax(level - 2.5 * M_PI, 0),
           to = fmin(level + 2.5 * M_PI, p->last), step = (to - from) / screw_samples;
    double before = INFINITY, here = wall_screw_square(screw, p, from);
    int count = 0, below = 0, above = 0;
    for (int k = 0; k <= screw_samples && count < screw_places; k++) {
        double at = from + k * step;
        double after = k < screw_samples ? wall_screw_square(screw, p, at + step) : INFINITY;
        if (here <= before && here < after) {
            bool first = k == 0 && wall_screw_slope(screw, p, at) >= 0,
                 last = k == screw_samples && wall_screw_slope(screw, p, at) <= 0;
            t[count] =
                first || last ? at : wall_screw_nearest(screw, p, fmax(at - step, from), fmin(at + step, to));
            feature[count] = t[count] < p->z / p->c ? 2 * below++ : 2 * above++ + 1;
            count++;
        }
        before = here, here = after;
    }
    return count;
}

static int wall_screw_contacts(const Wall *wall, const Vec3 *at, double radius, double margin,
                               WallContact *contacts) {
    const Vec3 center = *at;
    const WallScrew *screw = wall_definition(wall);
    ScrewPlace p = wall_screw_place(screw, center);
    double reach = radius + margin, t[screw_places];
    int feature[screw_places];
    if (p.rho > screw->outer + reach || p.z < -reach || p.z > screw->length + reach ||
        p.rho < screw->inner - reach)
        return 0;
    int count = 0, places = wall_screw_places(screw, &p, t, feature);
    for (int k = 0; k < places; k++) {
        Vec3 way = vec3_sub(center, wall_screw_point(screw, &p, wall_screw_radius(screw, &p, t[k]), t[k]));
        double distance = vec3_norm(way);
        Vec3 normal = distance > 1e-12 * screw->outer ? vec3_scale(1 / distance, way)
                                                      : vec3_scale(feature[k] % 2 == 0 ? 1 : -1, screw->axis);
        count = wall_contact_add(contacts, count, distance - radius, margin, normal, feature[k]);
    }
    return count;
}

static double wall_screw_inset(const Wall *wall, Vec3 point) {
    const WallScrew *screw = wall_definition(wall);
    ScrewPlace p = wall_screw_place(screw, point);
    double t[screw_places], least = INFINITY;
    int feature[screw_places], places = wall_screw_places(screw, &p, t, feature);
    for (int k = 0; k < places; k++) least = fmin(least, wall_screw_square(screw, &p, t[k]));
    return sqrt(least);
}

// ---- pieces and surface --------------------------------------------------------------------------
static int wall_screw_lines(const WallScrew *screw) {
    return (int)ceil(wall_screw_steps * screw->length / screw->pitch);
}

static void wall_screw_quad(const WallScrew *screw, const ScrewPlace *p, int step, Vec3 corners[4]) {
    double a = p->last * step / wall_screw_lines(screw), b = p->last * (step + 1) / wall_screw_lines(screw);
    corners[0] = wall_screw_point(screw, p, screw->inner, a);
    corners[1] = wall_screw_point(screw, p, screw->outer, a);
    corners[2] = wall_screw_point(screw, p, screw->outer, b);
    corners[3] = wall_screw_point(screw, p, screw->inner, b);
}

static void wall_screw_pieces(const Wall *wall, Vec3 center, double reach, WallPieceVisitor *visit,
                              void *user) {
    static const int parts[2][3] = {{0, 1, 2}, {0, 2, 3}};
    const WallScrew *screw = wall_definition(wall);
    ScrewPlace p = wall_screw_place(screw, center);
    int lines = wall_screw_lines(screw);
    // A piece is within half a step of its lines, so that only those at these heights can be near.
    double step = p.c * p.last / lines;
    int from = (int)fmin(fmax(floor((p.z - reach) / step) - 1, 0), lines),
        to = (int)fmin(fmax(ceil((p.z + reach) / step) + 1, 0), lines);
    for (int k = from; k < to; k++) {
        Vec3 corners[4];
        wall_screw_quad(screw, &p, k, corners);
        for (int half = 0; half < 2; half++) {
            WallPiece piece = {.count = 3, .group = 0, .index = 2 * k + half};
            for (int c = 0; c < 3; c++) piece.corners[c] = corners[parts[half][c]];
            piece.normal = vec3_normalize(vec3_cross(vec3_sub(piece.corners[1], piece.corners[0]),
                                                     vec3_sub(piece.corners[2], piece.corners[0])));
            visit(user, &piece);
        }
    }
}

static bool wall_screw_bears(const Wall *wall, const WallPiece *piece, Vec3 point, Vec3 direction) {
    (void)piece;
    const WallScrew *screw = wall_definition(wall);
    return wall_pieces_bear(wall, screw->outer, point, direction);
}

static bool wall_screw_surface(const Wall *wall, Surface *surface) {
    const WallScrew *screw = wall_definition(wall);
    ScrewPlace p = wall_screw_place(screw, screw->center);
    for (int k = 0; k < wall_screw_lines(screw); k++) {
        static const int polygon[4] = {0, 1, 2, 3};
        int first = (int)surface->points.count;
        Vec3 corners[4];
        wall_screw_quad(screw, &p, k, corners);
        for (int c = 0; c < 4; c++)
            if (!surface_add_point(surface, corners[c])) return false;
        if (!surface_add_polygon(surface, polygon, 4, first)) return false;
    }
    return true;
}

const WallType wall_type_screw = {
    .schema.alternative = {.key = "screw", .object = &wall_screw_schema, .doc = "The flight of a screw."},
    .check = wall_screw_check,
    .describe = wall_screw_describe,
    .contacts = wall_screw_contacts,
    .pieces = wall_screw_pieces,
    .bears = wall_screw_bears,
    .contact_limit = screw_places,
    .inset = wall_screw_inset,
    .surface = wall_screw_surface,
};
