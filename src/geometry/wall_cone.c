// A truncated cone with flat ends; an end of radius 0 is the apex and has no flat face. With d = c - center,
// z = d . axis, rho = |d - z axis|, e = (d - z axis) / rho, the radius of the room r(z) = r_m + k z where
// r_m = (r_start + r_end) / 2, k = (r_end - r_start) / height, and cos b = 1 / sqrt(1 + k^2), sin b = k cos
// b:
//
//     side        gap = (r(z) - rho) cos b - radius,  normal = -e cos b + axis sin b     face 0
//     lower end   gap = height / 2 + z - radius,      normal =  axis                     face 1
//     upper end   gap = height / 2 - z - radius,      normal = -axis                     face 2
//
// The side is the whole cone up to its apex, not only the part between the ends: the inside of a cone is
// convex, so the nearest point is on the straight line of the side that e points to, and a sphere of any
// radius touches that line before all others. Where that point lies beyond the small end, the sphere reaches
// the flat end first; the side counts there only for a sphere whose centre is nearer to the end than
// radius sin b, that is, one which has gone through the end. All faces stay right when the centre has gone
// through them; behind the apex (foot of the perpendicular at rho < 0) the nearest point is the apex itself.
//
// On the axis all lines of the side are equally near. The sphere touches along a ring, what pushes across the
// axis cancels, and the resultant points along the axis to the wide side: this is the normal reported for
// rho = 0, so that a sphere dropped exactly down the axis comes back up the axis. The gap is still the
// distance to the side, so the force is that of one contact, as beside the axis. (Beside the axis only
// sin b of it acts along the axis, in the mean over the sphere's flutter from side to side; the axial force
// is larger than that by 1 / sin b, the axial stiffness k sin b still below that of a flat wall.) A cone of
// equal radii is a cylinder: there the resultant vanishes, and any direction across the axis is as good as
// another.
//
// With `open` an end or both are not there. What is left is thin then (open_ends.h): grains may leave, and meet it from
// outside and at its rims.
#include "geometry/open_ends.h"
#include "geometry/wall_pieces.h"

typedef struct WallCone {
    Vec3 center;         // middle of the axis [m]
    Vec3 axis;           // unit, from start to end
    double radius_start; // inner, at center - axis height / 2 [m], >= 0; 0: the apex, no flat end there
    double radius_end;   // inner, at center + axis height / 2 [m], >= 0, not 0 together with radius_start
    double height;       // inner, between the two ends [m]
    int open;            // ends that are not there (open_ends.h)
} WallCone;
WALL_FITS(WallCone);

// ---- the model file ------------------------------------------------------------------------------
static const SchemaKey wall_cone_keys[] = {
    {"radius_start", QUANTITY(WallCone, radius_start), .dimension = DIM_LENGTH, .range = NON_NEGATIVE,
     .required = true, .doc = "Inner radius where the axis starts; 0 is a point."},
    {"radius_end", QUANTITY(WallCone, radius_end), .dimension = DIM_LENGTH, .range = NON_NEGATIVE,
     .required = true, .doc = "Inner radius where the axis ends; 0 is a point."},
    {"height", QUANTITY(WallCone, height), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Inner distance between the two ends."},
    {"axis", AXIS(WallCone, axis), .fallback = "z", .doc = "Direction of the axis, from start to end."},
    {"center", VECTOR(WallCone, center), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Middle of the axis."},
    {"open", CHOICES(WallCone, open, open_ends_choices), .fallback_words = "none", .doc = OPEN_ENDS_DOC},
};
static const SchemaObject wall_cone_schema = {
    .name = "cone",
    .doc = "A cone, whole or cut off, with grains inside, with flat ends or open.",
    .size = sizeof(WallCone),
    SCHEMA_KEYS(wall_cone_keys)};

// At least one end is not a point.
static void wall_cone_check(const Wall *wall, const Findings *findings) {
    const WallCone *cone = wall_definition(wall);
    if (cone->height > 0 && !(cone->radius_start + cone->radius_end > 0))
        findings_error(findings, &cone->radius_end,
                       "'radius_start' and 'radius_end' are both 0: there is no room in this cone");
}

static void wall_cone_describe(const Wall *wall, Text *text) {
    const WallCone *cone = wall_definition(wall);
    text_add_string(text, "a cone of radius ");
    human_add(text, cone->radius_start, DIM_LENGTH);
    text_add_string(text, " to ");
    human_add(text, cone->radius_end, DIM_LENGTH);
    text_add_string(text, " and height ");
    human_add(text, cone->height, DIM_LENGTH);
    open_ends_describe(cone->open, text);
}

// ---- open ----------------------------------------------------------------------------------------
static bool wall_cone_is_open(const Wall *wall) { return ((const WallCone *)wall_definition(wall))->open; }

static OpenEnds wall_cone_ends(const WallCone *cone) {
    return (OpenEnds){
        {cone->center, cone->axis}, cone->radius_start, cone->radius_end, cone->height, cone->open};
}

static double wall_cone_distance(const Wall *wall, Vec3 point) {
    OpenEnds ends = wall_cone_ends(wall_definition(wall));
    return open_ends_distance(&ends, point);
}

static void wall_cone_pieces(const Wall *wall, Vec3 center, double reach, WallPieceVisitor *visit,
                             void *user) {
    OpenEnds ends = wall_cone_ends(wall_definition(wall));
    open_ends_pieces(&ends, center, reach, visit, user);
}

static bool wall_cone_bears(const Wall *wall, const WallPiece *piece, Vec3 point, Vec3 direction) {
    (void)piece;
    const WallCone *cone = wall_definition(wall);
    return wall_pieces_bear(wall, cone->height, point, direction);
}

// ---- geometry ------------------------------------------------------------------------------------
enum { wall_cone_sides = 64 };

typedef struct WallConePlace {
    double along;    // the axis, from the middle [m]
    Vec3 radial;     // from the axis to the point [m]
    double rho;      // its length [m]
    double side;     // signed distance to the side, inside positive [m]
    double cos, sin; // of the angle b between side and axis, positive when the cone opens along the axis
    bool behind;     // the apex: the nearest point of the side is the apex
    Vec3 to_apex;    // from the point, when behind [m]
} WallConePlace;

static double wall_cone_slope(const WallCone *cone) {
    return (cone->radius_end - cone->radius_start) / cone->height;
}

static WallConePlace wall_cone_place(const WallCone *cone, Vec3 point) {
    WallConePlace place = {0};
    Vec3 offset = vec3_sub(point, cone->center);
    place.along = vec3_dot(offset, cone->axis);
    place.radial = vec3_madd(offset, -place.along, cone->axis);
    place.rho = vec3_norm(place.radial);
    double slope = wall_cone_slope(cone), middle = 0.5 * (cone->radius_start + cone->radius_end);
    place.cos = 1 / sqrt(1 + slope * slope);
    place.sin = slope * place.cos;
    place.side = (middle + slope * place.along - place.rho) * place.cos;
    if (place.rho + place.side * place.cos < 0) {
        place.behind = true;
        place.to_apex = vec3_sub(vec3_scale(-middle / slope, cone->axis), offset);
        place.side = -vec3_norm(place.to_apex);
    }
    return place;
}

static double wall_cone_size(const WallCone *cone) { return fmax(cone->radius_start, cone->radius_end); }

// From the side into the room. Nearer to the axis than rounding can tell, the direction across it is noise.
static Vec3 wall_cone_side_normal(const WallCone *cone, const WallConePlace *place) {
    if (place->behind) return vec3_scale(-1 / place->side, place->to_apex);
    if (place->rho > 1e-12 * wall_cone_size(cone))
        return vec3_madd(vec3_scale(-place->cos / place->rho, place->radial), place->sin, cone->axis);
    if (place->sin == 0) return vec3_perpendicular(cone->axis);
    return vec3_scale(place->sin > 0 ? 1 : -1, cone->axis);
}

static int wall_cone_contacts(const Wall *wall, const Vec3 *at, double radius, double margin,
                              WallContact *contacts) {
    const Vec3 center = *at;
    const WallCone *cone = wall_definition(wall);
    if (cone->open) {
        OpenEnds ends = wall_cone_ends(cone);
        return open_ends_contacts(&ends, at, radius, margin, contacts);
    }
    WallConePlace place = wall_cone_place(cone, center);
    double side = place.side - radius;
    double lower = 0.5 * cone->height + place.along - radius;
    double upper = 0.5 * cone->height - place.along - radius;
    int count = 0;
    if (side < margin)
        count = wall_contact_add(contacts, count, side, margin, wall_cone_side_normal(cone, &place), 0);
    if (cone->radius_start > 0) count = wall_contact_add(contacts, count, lower, margin, cone->axis, 1);
    if (cone->radius_end > 0)
        count = wall_contact_add(contacts, count, upper, margin, vec3_neg(cone->axis), 2);
    return count;
}

// On the axis and behind the apex: undecided.
static bool wall_cone_faces(const Wall *wall, const WallSpheres *spheres, WallFaces *faces) {
    const WallCone *cone = wall_definition(wall);
    if (cone->open) {
        OpenEnds ends = wall_cone_ends(cone);
        open_ends_faces(&ends, spheres, faces);
        return true;
    }
    double slope = wall_cone_slope(cone), cosine = 1 / sqrt(1 + slope * slope), sine = slope * cosine;
    Vec3Wide axis = vec3_wide_set(cone->axis),
             offset = vec3_wide_sub(spheres->center, vec3_wide_set(cone->center));
    Wide along = vec3_wide_dot(offset, axis), half = wide_set(0.5 * cone->height);
    Vec3Wide radial = vec3_wide_madd(offset, -along, axis);
    Wide rho = wide_sqrt(vec3_wide_dot(radial, radial)),
         middle = wide_set(0.5 * (cone->radius_start + cone->radius_end));
    Wide side = (middle + wide_set(slope) * along - rho) * wide_set(cosine);
    wall_faces_begin(faces);
    faces->undecided = wide_mask_or(wide_less_equal(rho, wide_set(1e-12 * wall_cone_size(cone))),
                                    wide_less(rho + side * wide_set(cosine), wide_set(0)));
    Vec3Wide normal = vec3_wide_madd(vec3_wide_scale(wide_set(-cosine) / rho, radial), wide_set(sine), axis);
    wall_faces_add(faces, spheres, side - spheres->radius, normal, 0);
    if (cone->radius_start > 0) wall_faces_add(faces, spheres, half + along - spheres->radius, axis, 1);
    if (cone->radius_end > 0)
        wall_faces_add(faces, spheres, half - along - spheres->radius, vec3_wide_set(vec3_neg(cone->axis)),
                       2);
    return true;
}

static double wall_cone_inset(const Wall *wall, Vec3 point) {
    const WallCone *cone = wall_definition(wall);
    WallConePlace place = wall_cone_place(cone, point);
    double inset = place.side;
    if (cone->radius_start > 0) inset = fmin(inset, 0.5 * cone->height + place.along);
    if (cone->radius_end > 0) inset = fmin(inset, 0.5 * cone->height - place.along);
    return inset;
}

// A disc with unit normal a reaches R sqrt(1 - a_i^2) along direction i; the room is the hull of its ends.
static bool wall_cone_bounds(const Wall *wall, Vec3 *lower, Vec3 *upper) {
    const WallCone *cone = wall_definition(wall);
    for (int i = 0; i < 3; i++) {
        double a = vec3_component(cone->axis, i), across = sqrt(fmax(0, 1 - a * a));
        double middle = vec3_component(cone->center, i), half = 0.5 * cone->height * a;
        double start = cone->radius_start * across, end = cone->radius_end * across;
        vec3_set_component(lower, i, middle + fmin(-half - start, half - end));
        vec3_set_component(upper, i, middle + fmax(-half + start, half + end));
    }
    return true;
}

static double wall_cone_volume(const Wall *wall) {
    const WallCone *cone = wall_definition(wall);
    double a = cone->radius_start, b = cone->radius_end;
    return M_PI / 3 * cone->height * (a * a + a * b + b * b);
}

// One end: a ring of wall_cone_sides points, or the apex alone; the number of points.
static int wall_cone_ring(const WallCone *cone, Surface *surface, bool end) {
    Vec3 u = vec3_perpendicular(cone->axis), v = vec3_cross(cone->axis, u);
    Vec3 middle = vec3_madd(cone->center, (end ? 0.5 : -0.5) * cone->height, cone->axis);
    double radius = end ? cone->radius_end : cone->radius_start;
    int count = radius > 0 ? wall_cone_sides : 1;
    for (int i = 0; i < count; i++) {
        double angle = 2 * M_PI * i / wall_cone_sides;
        Vec3 point = vec3_madd(vec3_madd(middle, radius * cos(angle), u), radius * sin(angle), v);
        if (!surface_add_point(surface, point)) return -1;
    }
    return count;
}

static bool wall_cone_disc(Surface *surface, int first, bool end) {
    int corners[wall_cone_sides];
    for (int i = 0; i < wall_cone_sides; i++) corners[end ? i : wall_cone_sides - 1 - i] = i;
    return surface_add_polygon(surface, corners, wall_cone_sides, first);
}

static bool wall_cone_surface(const Wall *wall, Surface *surface) {
    const WallCone *cone = wall_definition(wall);
    if (cone->open) {
        OpenEnds ends = wall_cone_ends(cone);
        return open_ends_surface(&ends, surface);
    }
    int first = (int)surface->points.count;
    int lower = wall_cone_ring(cone, surface, false), upper = wall_cone_ring(cone, surface, true);
    if (lower < 0 || upper < 0) return false;
    for (int i = 0; i < wall_cone_sides; i++) {
        int next = (i + 1) % wall_cone_sides, corners[4], count = 0;
        corners[count++] = i % lower;
        if (lower > 1) corners[count++] = next;
        if (upper > 1) corners[count++] = lower + next;
        corners[count++] = lower + i % upper;
        if (!surface_add_polygon(surface, corners, count, first)) return false;
    }
    if (lower > 1 && !wall_cone_disc(surface, first, false)) return false;
    return upper == 1 || wall_cone_disc(surface, first + lower, true);
}

const WallType wall_type_cone = {
    .schema.alternative = {.key = "cone",
                           .object = &wall_cone_schema,
                           .doc = "A closed cone, whole or cut off."},
    .check = wall_cone_check,
    .describe = wall_cone_describe,
    .contacts = wall_cone_contacts,
    .faces = wall_cone_faces,
    .pieces = wall_cone_pieces,
    .bears = wall_cone_bears,
    .contact_limit = 3,
    .inset = wall_cone_inset,
    .open = wall_cone_is_open,
    .distance = wall_cone_distance,
    .bounds = wall_cone_bounds,
    .volume = wall_cone_volume,
    .surface = wall_cone_surface,
};
