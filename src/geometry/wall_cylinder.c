// A cylinder with two flat ends. With d = c - center, z = d . axis, and the distance from the axis
// rho = |d - z axis|:
//
//     side        gap = R - rho - radius,         normal = -(d - z axis) / rho      face 0
//     lower end   gap = height / 2 + z - radius,  normal =  axis                    face 1
//     upper end   gap = height / 2 - z - radius,  normal = -axis                    face 2
//
// All three stay right when the centre has gone through the face.
//
// With `open` an end or both are not there. What is left is thin then (open_ends.h): grains may leave, and meet it from
// outside and at its rims.
#include "geometry/open_ends.h"
#include "geometry/wall_pieces.h"

typedef struct WallCylinder {
    Vec3 center;      // middle of the axis [m]
    Vec3 axis;        // unit
    double radius;    // inner [m]
    double height;    // inner, between the two flat ends [m]
    double clearance; // between the settled bed and the upper end [m]; 0: `height` is given
    int open;         // ends that are not there (open_ends.h)
} WallCylinder;
WALL_FITS(WallCylinder);

// ---- the model file ------------------------------------------------------------------------------
static const SchemaKey wall_cylinder_keys[] = {
    {"radius", QUANTITY(WallCylinder, radius), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Inner radius."},
    {"height", QUANTITY(WallCylinder, height), .dimension = DIM_LENGTH, .range = POSITIVE,
     .doc = "Inner distance between the two flat ends."},
    {"clearance", QUANTITY(WallCylinder, clearance), .dimension = DIM_LENGTH, .range = POSITIVE,
     .doc = WALL_CLEARANCE_DOC},
    {"axis", AXIS(WallCylinder, axis), .fallback = "z", .doc = "Direction of the cylinder's axis."},
    {"center", VECTOR(WallCylinder, center), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Middle of the axis."},
    {"open", CHOICES(WallCylinder, open, open_ends_choices), .fallback_words = "none", .doc = OPEN_ENDS_DOC},
};
static const SchemaObject wall_cylinder_schema = {
    .name = "cylinder",
    .doc = "A cylinder with grains inside, with flat ends or open.",
    .size = sizeof(WallCylinder),
    SCHEMA_KEYS(wall_cylinder_keys),
    .exactly_one = {"height clearance"}};

static WallHeight wall_cylinder_height(Wall *wall) {
    WallCylinder *cylinder = (WallCylinder *)wall->definition;
    return (WallHeight){&cylinder->height, &cylinder->clearance, cylinder->axis};
}

static void wall_cylinder_describe(const Wall *wall, Text *text) {
    const WallCylinder *cylinder = wall_definition(wall);
    text_add_string(text, "a cylinder of radius ");
    human_add(text, cylinder->radius, DIM_LENGTH);
    text_add_string(text, " and height ");
    human_add(text, cylinder->height, DIM_LENGTH);
    wall_describe_clearance(cylinder->clearance, text);
    open_ends_describe(cylinder->open, text);
}

// ---- open ----------------------------------------------------------------------------------------
static bool wall_cylinder_is_open(const Wall *wall) {
    return ((const WallCylinder *)wall_definition(wall))->open;
}

static OpenEnds wall_cylinder_ends(const WallCylinder *cylinder) {
    return (OpenEnds){{cylinder->center, cylinder->axis},
                      cylinder->radius,
                      cylinder->radius,
                      cylinder->height,
                      cylinder->open};
}

static double wall_cylinder_distance(const Wall *wall, Vec3 point) {
    OpenEnds ends = wall_cylinder_ends(wall_definition(wall));
    return open_ends_distance(&ends, point);
}

static void wall_cylinder_pieces(const Wall *wall, Vec3 center, double reach, WallPieceVisitor *visit,
                                 void *user) {
    OpenEnds ends = wall_cylinder_ends(wall_definition(wall));
    open_ends_pieces(&ends, center, reach, visit, user);
}

static bool wall_cylinder_bears(const Wall *wall, const WallPiece *piece, Vec3 point, Vec3 direction) {
    (void)piece;
    const WallCylinder *cylinder = wall_definition(wall);
    return wall_pieces_bear(wall, cylinder->height, point, direction);
}

// ---- geometry ------------------------------------------------------------------------------------
enum { wall_cylinder_sides = 64 };

typedef struct WallCylinderPlace {
    double along; // the axis, from the middle [m]
    Vec3 radial;  // from the axis to the point [m]
    double rho;   // its length [m]
} WallCylinderPlace;

static WallCylinderPlace wall_cylinder_place(const WallCylinder *cylinder, Vec3 point) {
    Vec3 offset = vec3_sub(point, cylinder->center);
    double along = vec3_dot(offset, cylinder->axis);
    Vec3 radial = vec3_madd(offset, -along, cylinder->axis);
    return (WallCylinderPlace){along, radial, vec3_norm(radial)};
}

// From the side towards the axis. On the axis every direction is as good as another; nearer to it than
// rounding can tell, the computed direction is noise and may even lean along the axis.
static Vec3 wall_cylinder_side_normal(const WallCylinder *cylinder, const WallCylinderPlace *place) {
    if (place->rho > 1e-12 * cylinder->radius) return vec3_scale(-1 / place->rho, place->radial);
    return vec3_perpendicular(cylinder->axis);
}

static int wall_cylinder_contacts(const Wall *wall, const Vec3 *at, double radius, double margin,
                                  WallContact *contacts) {
    const Vec3 center = *at;
    const WallCylinder *cylinder = wall_definition(wall);
    if (cylinder->open) {
        OpenEnds ends = wall_cylinder_ends(cylinder);
        return open_ends_contacts(&ends, at, radius, margin, contacts);
    }
    Vec3 offset = vec3_sub(center, cylinder->center);
    double along = vec3_dot(offset, cylinder->axis);
    double lower = 0.5 * cylinder->height + along - radius, upper = 0.5 * cylinder->height - along - radius;
    // Most grains are far from the side: no root for them. (offset^2 - along^2 would lose digits near the
    // axis, but there it does not matter.)
    double far = cylinder->radius - radius - margin;
    int count = 0;
    if (!(far > 0 && vec3_norm2(offset) - along * along < 0.999999 * far * far)) {
        WallCylinderPlace place = wall_cylinder_place(cylinder, center);
        count = wall_contact_add(contacts, count, cylinder->radius - place.rho - radius, margin,
                                 wall_cylinder_side_normal(cylinder, &place), 0);
    }
    count = wall_contact_add(contacts, count, lower, margin, cylinder->axis, 1);
    return wall_contact_add(contacts, count, upper, margin, vec3_neg(cylinder->axis), 2);
}

// On the axis the side has no normal of its own: undecided.
static bool wall_cylinder_faces(const Wall *wall, const WallSpheres *spheres, WallFaces *faces) {
    const WallCylinder *cylinder = wall_definition(wall);
    if (cylinder->open) {
        OpenEnds ends = wall_cylinder_ends(cylinder);
        open_ends_faces(&ends, spheres, faces);
        return true;
    }
    Vec3Wide axis = vec3_wide_set(cylinder->axis),
             offset = vec3_wide_sub(spheres->center, vec3_wide_set(cylinder->center));
    Wide along = vec3_wide_dot(offset, axis), half = wide_set(0.5 * cylinder->height);
    Vec3Wide radial = vec3_wide_madd(offset, -along, axis);
    Wide rho = wide_sqrt(vec3_wide_dot(radial, radial)),
         gap = wide_set(cylinder->radius) - rho - spheres->radius;
    wall_faces_begin(faces);
    faces->undecided = wide_mask_and(wide_less_equal(rho, wide_set(1e-12 * cylinder->radius)),
                                     wide_less(gap, spheres->margin));
    wall_faces_add(faces, spheres, gap, vec3_wide_scale(wide_set(-1) / rho, radial), 0);
    wall_faces_add(faces, spheres, half + along - spheres->radius, axis, 1);
    wall_faces_add(faces, spheres, half - along - spheres->radius, vec3_wide_set(vec3_neg(cylinder->axis)),
                   2);
    return true;
}

static double wall_cylinder_inset(const Wall *wall, Vec3 point) {
    const WallCylinder *cylinder = wall_definition(wall);
    WallCylinderPlace place = wall_cylinder_place(cylinder, point);
    return fmin(cylinder->radius - place.rho, 0.5 * cylinder->height - fabs(place.along));
}

// A disc with unit normal a reaches R sqrt(1 - a_i^2) along direction i.
static bool wall_cylinder_bounds(const Wall *wall, Vec3 *lower, Vec3 *upper) {
    const WallCylinder *cylinder = wall_definition(wall);
    Vec3 reach;
    for (int i = 0; i < 3; i++) {
        double a = vec3_component(cylinder->axis, i);
        double disc = cylinder->radius * sqrt(fmax(0, 1 - a * a));
        vec3_set_component(&reach, i, disc + 0.5 * cylinder->height * fabs(a));
    }
    *lower = vec3_sub(cylinder->center, reach);
    *upper = vec3_add(cylinder->center, reach);
    return true;
}

static double wall_cylinder_volume(const Wall *wall) {
    const WallCylinder *cylinder = wall_definition(wall);
    return M_PI * cylinder->radius * cylinder->radius * cylinder->height;
}

// Points 2 i (lower) and 2 i + 1 (upper) around the circle; quadrilaterals between them, a disc at each end.
static bool wall_cylinder_surface(const Wall *wall, Surface *surface) {
    const WallCylinder *cylinder = wall_definition(wall);
    if (cylinder->open) {
        OpenEnds ends = wall_cylinder_ends(cylinder);
        return open_ends_surface(&ends, surface);
    }
    Vec3 u = vec3_perpendicular(cylinder->axis), v = vec3_cross(cylinder->axis, u);
    Vec3 half = vec3_scale(0.5 * cylinder->height, cylinder->axis);
    int first = (int)surface->points.count, lower[wall_cylinder_sides], upper[wall_cylinder_sides];
    for (int i = 0; i < wall_cylinder_sides; i++) {
        double angle = 2 * M_PI * i / wall_cylinder_sides;
        Vec3 radial = vec3_add(vec3_scale(cylinder->radius * cos(angle), u),
                               vec3_scale(cylinder->radius * sin(angle), v));
        Vec3 middle = vec3_add(cylinder->center, radial);
        if (!surface_add_point(surface, vec3_sub(middle, half))) return false;
        if (!surface_add_point(surface, vec3_add(middle, half))) return false;
        lower[wall_cylinder_sides - 1 - i] = 2 * i;
        upper[i] = 2 * i + 1;
    }
    for (int i = 0; i < wall_cylinder_sides; i++) {
        int next = (i + 1) % wall_cylinder_sides;
        int corners[4] = {2 * i, 2 * next, 2 * next + 1, 2 * i + 1};
        if (!surface_add_polygon(surface, corners, 4, first)) return false;
    }
    return surface_add_polygon(surface, lower, wall_cylinder_sides, first) &&
           surface_add_polygon(surface, upper, wall_cylinder_sides, first);
}

const WallType wall_type_cylinder = {
    .schema.alternative = {.key = "cylinder", .object = &wall_cylinder_schema, .doc = "A cylinder."},
    .describe = wall_cylinder_describe,
    .height = wall_cylinder_height,
    .contacts = wall_cylinder_contacts,
    .faces = wall_cylinder_faces,
    .pieces = wall_cylinder_pieces,
    .bears = wall_cylinder_bears,
    .contact_limit = 3,
    .inset = wall_cylinder_inset,
    .open = wall_cylinder_is_open,
    .distance = wall_cylinder_distance,
    .bounds = wall_cylinder_bounds,
    .volume = wall_cylinder_volume,
    .surface = wall_cylinder_surface,
};
