// A profile swept along an axis: a thin wall of flat strips, such as a chute, a bucket, a plough. With `ends` the profile,
// closed by the line from its last point to the first, is the outline of two end plates. A profile that is closed itself
// and has ends bounds a room, or a body when `solid`.
//
// The wall is a triangle mesh (mesh.h): two triangles per strip, and the triangles of the plates by cutting off ears (G. H.
// Meisters 1975, doi:10.1080/00029890.1975.11993898): a corner whose triangle holds no other corner is cut off until three
// are left.
#include <assert.h>

#include "geometry/wall_mesh.h"

typedef struct SweepPoint {
    double at[2]; // along `along`, and across it [m]
} SweepPoint;

typedef struct WallSweep {
    WallMesh mesh; // made of the others; its offset is the middle of the axis
    SweepPoint *points;
    int count;
    bool closed, ends;
    double length; // along the axis [m]
    Vec3 axis;     // unit
    Vec3 along;    // of the first coordinate, unit; made square to the axis
} WallSweep;
WALL_FITS(WallSweep);

// ---- the model file ------------------------------------------------------------------------------
static const SchemaKey sweep_point_keys[] = {
    {"point", NUMBERS(SweepPoint, at, 2), .dimension = DIM_LENGTH, .doc = "Along `along`, and across it."},
};
static const SchemaObject sweep_point_schema = {.name = "profile_point",
                                                .doc = "A point of a profile, with its unit: `10 5 mm`.",
                                                .size = sizeof(SweepPoint),
                                                SCHEMA_KEYS(sweep_point_keys),
                                                .bare = true};

static const SchemaKey wall_sweep_keys[] = {
    {"profile", LIST(WallSweep, points, count, sweep_point_schema), .required = true,
     .doc = "Points of the profile, in order: along `along`, and along the direction across both, axis x "
            "along."},
    {"length", QUANTITY(WallSweep, length), .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Along the axis."},
    {"axis", AXIS(WallSweep, axis), .fallback = "z", .doc = "Direction along which the profile is swept."},
    {"along", AXIS(WallSweep, along), .fallback = "x",
     .doc = "Direction of the first coordinate of the points, made square to the axis."},
    {"center", VECTOR(WallSweep, mesh.offset), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "Where the origin of the profile is, in the middle of the length."},
    {"closed", BOOLEAN(WallSweep, closed), .fallback = "false",
     .doc = "The last point is joined to the first one."},
    {"ends", BOOLEAN(WallSweep, ends), .fallback = "false",
     .doc =
         "Flat plates at both ends, bounded by the profile and the line from its last point to its first."},
    {"solid", BOOLEAN(WallSweep, mesh.solid), .fallback = "false",
     .doc = "A closed profile with ends is a body that grains stay out of, not a room that they are in."},
};
static const SchemaObject wall_sweep_schema = {
    .name = "sweep",
    .doc = "A profile that is swept along an axis: a chute, a bucket, a plough. A thin wall that can be "
           "touched from both "
           "sides.",
    .size = sizeof(WallSweep),
    SCHEMA_KEYS(wall_sweep_keys),
    .example = "walls:\n"
               "  bucket: {sweep: {profile: [-80 60 mm, -60 0 mm, 0 -25 mm, 70 0 mm], length: 120 mm, axis: "
               "y, along: x, "
               "ends: true}}\n"
               "  plough: {sweep: {profile: [-60 40 mm, 0 0 mm, -60 -40 mm], length: 50 mm}}\n"};

static void wall_sweep_check(const Wall *wall, const Findings *findings) {
    const WallSweep *s = wall_definition(wall);
    int least = s->closed || s->ends ? 3 : 2;
    if (s->points && s->count < least)
        findings_error(findings, &s->points, "'profile' has %d point%s; it needs at least %d", s->count,
                       s->count == 1 ? "" : "s", least);
    if (vec3_norm(s->axis) > 0 && vec3_norm(vec3_cross(s->axis, s->along)) < 1e-6)
        findings_error(findings, &s->along, "'along' has the direction of 'axis'; it must lie across it");
    if (s->mesh.solid && !(s->closed && s->ends))
        findings_error(findings, &s->mesh.solid,
                       "only a profile that is 'closed' and has 'ends' bounds a body");
}

static void wall_sweep_describe(const Wall *wall, Text *text) {
    const WallSweep *s = wall_definition(wall);
    text_add(text, "a profile of %d points, swept over ", s->count);
    human_add(text, s->length, DIM_LENGTH);
    if (s->ends)
        text_add_string(text, s->mesh.solid ? ", a body"
                              : s->closed   ? ", a closed room"
                                            : ", with end plates");
}

// ---- end plates ----------------------------------------------------------------------------------
typedef ARRAY(Vec3) SweepCorners;

static double sweep_area(const SweepPoint *a, const SweepPoint *b, const SweepPoint *c) {
    return (b->at[0] - a->at[0]) * (c->at[1] - a->at[1]) - (c->at[0] - a->at[0]) * (b->at[1] - a->at[1]);
}

static double sweep_turn(const WallSweep *s) { // twice the area within the profile, with its sign
    double sum = 0;
    for (int i = 1; i + 1 < s->count; i++) sum += sweep_area(&s->points[0], &s->points[i], &s->points[i + 1]);
    return sum;
}

// Do two sides of the closed profile cross each other?
static bool sweep_crosses(const WallSweep *s) {
    for (int i = 0; i < s->count; i++)
        for (int j = i + 1; j < s->count; j++) {
            const SweepPoint *a = &s->points[i], *b = &s->points[(i + 1) % s->count], *c = &s->points[j],
                             *d = &s->points[(j + 1) % s->count];
            if (sweep_area(a, b, c) * sweep_area(a, b, d) < 0 &&
                sweep_area(c, d, a) * sweep_area(c, d, b) < 0)
                return true;
        }
    return false;
}

static bool sweep_is_ear(const WallSweep *s, const int *left, int count, int k, double sign) {
    const SweepPoint *a = &s->points[left[(k + count - 1) % count]], *b = &s->points[left[k]],
                     *c = &s->points[left[(k + 1) % count]];
    if (!(sign * sweep_area(a, b, c) > 0)) return false;
    for (int i = 0; i < count; i++) {
        const SweepPoint *p = &s->points[left[i]];
        if (p == a || p == b || p == c) continue;
        if (sign * sweep_area(a, b, p) >= 0 && sign * sweep_area(b, c, p) >= 0 &&
            sign * sweep_area(c, a, p) >= 0)
            return false;
    }
    return true;
}

static Vec3 sweep_place(const WallSweep *s, int point, double along_axis) {
    Vec3 x = vec3_normalize(vec3_madd(s->along, -vec3_dot(s->along, s->axis), s->axis));
    Vec3 y = vec3_cross(s->axis, x), at = vec3_madd(s->mesh.offset, along_axis, s->axis);
    return vec3_madd(vec3_madd(at, s->points[point].at[0], x), s->points[point].at[1], y);
}

static bool sweep_add_triangle(const WallSweep *s, SweepCorners *corners, const int points[3],
                               const double at[3]) {
    for (int k = 0; k < 3; k++)
        if (!array_push(corners, sweep_place(s, points[k], at[k]))) return false;
    return true;
}

// False in *fits: the profile crosses itself.
static bool sweep_add_ends(const WallSweep *s, SweepCorners *corners, bool *fits) {
    int count = s->count, *left = memory_alloc((size_t)count * sizeof *left);
    double half = 0.5 * s->length, sign = sweep_turn(s) > 0 ? 1 : -1;
    bool good = left;
    *fits = fabs(sweep_turn(s)) > 0 && !sweep_crosses(s);
    for (int i = 0; good && i < count; i++) left[i] = i;
    while (good && *fits && count >= 3) {
        int ear = 0;
        while (ear < count && count > 3 && !sweep_is_ear(s, left, count, ear, sign)) ear++;
        *fits = ear < count;
        if (!*fits) break;
        const int points[3] = {left[(ear + count - 1) % count], left[ear], left[(ear + 1) % count]};
        for (int side = -1; side <= 1 && good; side += 2)
            good = sweep_add_triangle(s, corners, points,
                                      (const double[]){side * half, side * half, side * half});
        for (int i = ear; i + 1 < count; i++) left[i] = left[i + 1];
        count--;
    }
    memory_free(left);
    return good;
}

// ---- the mesh ------------------------------------------------------------------------------------
static bool wall_sweep_is_complete(const Wall *wall) {
    const WallSweep *s = wall_definition(wall);
    return s->count >= (s->closed || s->ends ? 3 : 2) && s->length > 0 &&
           vec3_norm(vec3_cross(s->axis, s->along)) > 1e-6;
}

static MrcStatus wall_sweep_prepare(Wall *wall, const char *folder, MrcError *error) {
    (void)folder;
    WallSweep *s = (WallSweep *)wall->definition;
    SweepCorners corners = {0};
    double half = 0.5 * s->length;
    bool good = true, fits = true;
    for (int i = 0; i < s->count - !s->closed && good; i++) {
        int j = (i + 1) % s->count;
        good =
            sweep_add_triangle(s, &corners, (const int[]){i, j, j}, (const double[]){-half, -half, half}) &&
            sweep_add_triangle(s, &corners, (const int[]){i, j, i}, (const double[]){-half, half, half});
    }
    if (good && s->ends) good = sweep_add_ends(s, &corners, &fits);
    MrcStatus status =
        !good   ? error_memory(error, "the swept profile")
        : !fits ? error_set(error, MRC_MODEL, "the profile crosses itself, or its points lie on a line")
                : mesh_create(&s->mesh.mesh, corners.data, corners.count / 3, "profile", error);
    if (status == MRC_OK && mesh_info(s->mesh.mesh)->degenerate_count > 0) {
        wall_mesh_release(wall);
        status = error_set(error, MRC_MODEL, "two points of the profile that follow each other coincide");
    }
    array_free(&corners);
    return status;
}

const WallType wall_type_sweep = {
    .schema.alternative = {.key = "sweep",
                           .object = &wall_sweep_schema,
                           .doc = "A profile swept along an axis."},
    .check = wall_sweep_check,
    .describe = wall_sweep_describe,
    WALL_MESH_GEOMETRY,
    .is_complete = wall_sweep_is_complete,
    .prepare = wall_sweep_prepare,
};
