#include "geometry/profile.h"

// ---- in the plane --------------------------------------------------------------------------------
static int profile_lines(const Profile *p) { return p->closed ? p->count : p->count - 1; }

static bool profile_has(const Profile *p, int line) {
    if (line < 0 || line >= profile_lines(p) || p->missing >> line & 1) return false;
    const double *a = p->points[line].at, *b = p->points[(line + 1) % p->count].at;
    return a[0] != b[0] || a[1] != b[1];
}

// Where the foot of the perpendicular is on the line, from 0 to 1; beyond its ends 0 or 1.
static double profile_foot(const Profile *p, int line, const double at[2]) {
    const double *a = p->points[line].at, *b = p->points[(line + 1) % p->count].at;
    double u[2] = {b[0] - a[0], b[1] - a[1]};
    double t = (u[0] * (at[0] - a[0]) + u[1] * (at[1] - a[1])) / (u[0] * u[0] + u[1] * u[1]);
    return t < 0 ? 0 : t > 1 ? 1 : t;
}

// The line beside this one that is there, behind its end or before its start; -1: none.
static int profile_beside(const Profile *p, int line, bool end) {
    int lines = profile_lines(p), other = line;
    for (int tried = 0; tried < lines; tried++) { // past lines without length
        other += end ? 1 : -1;
        if (p->closed) other = (other + lines) % lines;
        if (other < 0 || other >= lines || other == line) return -1;
        if (profile_has(p, other)) return other;
        if (p->missing >> other & 1) return -1;
    }
    return -1;
}

// From the foot of the perpendicular to the place.
static void profile_way(const Profile *p, int line, double t, const double at[2], double way[2]) {
    const double *a = p->points[line].at, *b = p->points[(line + 1) % p->count].at;
    for (int k = 0; k < 2; k++) way[k] = at[k] - a[k] - t * (b[k] - a[k]);
}

static ProfileContact profile_contact(const Profile *p, int line, double t, const double way[2]) {
    const double *a = p->points[line].at, *b = p->points[(line + 1) % p->count].at;
    double u[2] = {b[0] - a[0], b[1] - a[1]}, length = sqrt(u[0] * u[0] + u[1] * u[1]);
    ProfileContact c = {.distance = sqrt(way[0] * way[0] + way[1] * way[1]),
                        .across = {-u[1] / length, u[0] / length}};
    c.feature = t == 0 ? 2 * line : t == 1 ? 2 * ((line + 1) % p->count) : 2 * line + 1;
    if (c.feature & 1) { // exactly across it, however near
        double side = way[0] * c.across[0] + way[1] * c.across[1] < 0 ? -1 : 1;
        c.direction[0] = side * c.across[0], c.direction[1] = side * c.across[1];
    } else if (c.distance > 1e-12 * length) {
        c.direction[0] = way[0] / c.distance, c.direction[1] = way[1] / c.distance;
    }
    return c;
}

int profile_contacts(const Profile *p, const double at[2], double reach, ProfileContact *contacts) {
    int count = 0;
    for (int line = 0; line < profile_lines(p) && count < WALL_CONTACT_MAX; line++) {
        if (!profile_has(p, line)) continue;
        double t = profile_foot(p, line, at), way[2];
        profile_way(p, line, t, at, way);
        if (!(way[0] * way[0] + way[1] * way[1] < reach * reach)) continue; // no roots for lines out of reach
        if (t == 0 || t == 1) {
            int other = profile_beside(p, line, t == 1);
            // A corner counts if it is the nearest point of both lines, and once: for the first of them.
            if (other >= 0 && (profile_foot(p, other, at) != (t == 1 ? 0 : 1) || other < line)) continue;
        }
        contacts[count++] = profile_contact(p, line, t, way);
    }
    return count;
}

double profile_distance(const Profile *p, const double at[2]) {
    double least = INFINITY;
    for (int line = 0; line < profile_lines(p); line++)
        if (profile_has(p, line)) {
            double way[2];
            profile_way(p, line, profile_foot(p, line, at), at, way);
            least = fmin(least, way[0] * way[0] + way[1] * way[1]);
        }
    return sqrt(least);
}

double profile_size(const Profile *p) {
    double size = 0;
    for (int k = 0; k < p->count; k++)
        for (int c = 0; c < 2; c++)
            if (fabs(p->points[k].at[c]) > size) size = fabs(p->points[k].at[c]);
    return size;
}

// ---- turned about an axis ------------------------------------------------------------------------
static void profile_turned_place(const Axis *axis, const Vec3 *point, double at[2], Vec3 *radial) {
    Vec3 offset = vec3_sub(*point, axis->center);
    at[1] = vec3_dot(offset, axis->axis);
    *radial = vec3_madd(offset, -at[1], axis->axis);
    at[0] = vec3_norm(*radial);
}

// On the axis every direction across it is as good as another, and what a ring pushes across it cancels: the normal is
// along the axis there, if it has a part along it (wall_cone.c).
static Vec3 profile_turned_normal(const Profile *p, const Axis *axis, const ProfileContact *c, double rho,
                                  Vec3 radial) {
    double across = c->direction[0], along = c->direction[1];
    if (across == 0 && along == 0) across = c->across[0], along = c->across[1];
    if (rho > 1e-12 * profile_size(p)) return vec3_madd(vec3_scale(across / rho, radial), along, axis->axis);
    if (fabs(along) < 1e-12) return vec3_perpendicular(axis->axis);
    return vec3_scale(along < 0 ? -1 : 1, axis->axis);
}

int profile_turned_contacts(const Profile *p, const Axis *axis, const Vec3 *center, double radius,
                            double margin, WallContact *contacts) {
    double at[2];
    Vec3 radial;
    ProfileContact found[WALL_CONTACT_MAX];
    profile_turned_place(axis, center, at, &radial);
    int count = 0, near = profile_contacts(p, at, radius + margin, found);
    for (int i = 0; i < near; i++)
        count = wall_contact_add(contacts, count, found[i].distance - radius, margin,
                                 profile_turned_normal(p, axis, &found[i], at[0], radial), found[i].feature);
    return count;
}

// One line, for spheres at `rho` from the axis and `along` it.
static void profile_turned_face(const Profile *p, int line, const WallSpheres *spheres, Wide rho, Wide along,
                                Vec3Wide radial, Vec3Wide axis, WallFaces *faces) {
    const double *a = p->points[line].at, *b = p->points[(line + 1) % p->count].at;
    double u[2] = {b[0] - a[0], b[1] - a[1]}, square = u[0] * u[0] + u[1] * u[1], length = sqrt(square);
    Wide zero = wide_set(0), one = wide_set(1), from[2] = {rho - wide_set(a[0]), along - wide_set(a[1])};
    Wide t = (wide_set(u[0]) * from[0] + wide_set(u[1]) * from[1]) / wide_set(square);
    WideMask inside = wide_mask_and(wide_less(zero, t), wide_less(t, one));
    t = wide_min(wide_max(t, zero), one);
    const Wide way[2] = {from[0] - t * wide_set(u[0]), from[1] - t * wide_set(u[1])};
    Wide far = way[0] * way[0] + way[1] * way[1], reach = spheres->radius + spheres->margin;
    WideMask near = wide_less(far, reach * reach);
    if (!wide_mask_any(near)) return;
    faces->undecided = wide_mask_or(faces->undecided, wide_mask_and(near, wide_mask_not(inside)));
    double across[2] = {-u[1] / length, u[0] / length};
    WideMask right = wide_less(way[0] * wide_set(across[0]) + way[1] * wide_set(across[1]), zero);
    Wide side = wide_select(right, wide_set(-1), one);
    Vec3Wide normal = vec3_wide_madd(vec3_wide_scale(side * wide_set(across[0]) / rho, radial),
                                     side * wide_set(across[1]), axis);
    wall_faces_add(faces, spheres, wide_sqrt(far) - spheres->radius, normal, 2 * line + 1);
}

void profile_turned_faces(const Profile *p, const Axis *axis, const WallSpheres *spheres, WallFaces *faces) {
    Vec3Wide direction = vec3_wide_set(axis->axis),
             offset = vec3_wide_sub(spheres->center, vec3_wide_set(axis->center));
    Wide along = vec3_wide_dot(offset, direction);
    Vec3Wide radial = vec3_wide_madd(offset, -along, direction);
    Wide rho = wide_sqrt(vec3_wide_dot(radial, radial));
    wall_faces_begin(faces);
    faces->undecided = wide_less_equal(rho, wide_set(1e-12 * profile_size(p)));
    for (int line = 0; line < profile_lines(p); line++)
        if (profile_has(p, line)) profile_turned_face(p, line, spheres, rho, along, radial, direction, faces);
}

double profile_turned_distance(const Profile *p, const Axis *axis, Vec3 point) {
    double at[2];
    Vec3 radial;
    profile_turned_place(axis, &point, at, &radial);
    return profile_distance(p, at);
}

// The profile is turned in steps from `u` towards `v`, both across the axis.
typedef struct ProfileTurn {
    Vec3 u, v;
    double cosines[PROFILE_SIDES + 1], sines[PROFILE_SIDES + 1]; // of the edges between facets that are near
} ProfileTurn;

static void profile_turn_across(const Axis *axis, Vec3 *u, Vec3 *v) {
    *u = vec3_perpendicular(axis->axis), *v = vec3_cross(axis->axis, *u);
}

static Vec3 profile_turned_point(const Axis *axis, const double at[2], Vec3 u, Vec3 v, double cosine,
                                 double sine) {
    Vec3 middle = vec3_madd(axis->center, at[1], axis->axis);
    return vec3_madd(vec3_madd(middle, at[0] * cosine, u), at[0] * sine, v);
}

static Vec3 profile_turned_corner(const Axis *axis, const ProfileTurn *turn, const double at[2], int edge) {
    return profile_turned_point(axis, at, turn->u, turn->v, turn->cosines[edge], turn->sines[edge]);
}

// One facet: a triangle where the line begins or ends on the axis.
static void profile_turned_facet(const Profile *p, const Axis *axis, const ProfileTurn *turn, int line,
                                 int side, WallPiece *piece) {
    const double *a = p->points[line].at, *b = p->points[(line + 1) % p->count].at;
    piece->count = 0;
    piece->corners[piece->count++] = profile_turned_corner(axis, turn, a, side);
    if (a[0] > 0) piece->corners[piece->count++] = profile_turned_corner(axis, turn, a, side + 1);
    piece->corners[piece->count++] = profile_turned_corner(axis, turn, b, side + 1);
    if (b[0] > 0) piece->corners[piece->count++] = profile_turned_corner(axis, turn, b, side);
    Vec3 first = vec3_sub(piece->corners[1], piece->corners[0]),
         second = vec3_sub(piece->corners[2], piece->corners[0]);
    piece->normal = vec3_normalize(vec3_cross(first, second));
    piece->group = line;
    piece->index = line * PROFILE_SIDES + side;
}

// Facets within reach of a point at the distance rho from the axis are at most asin(reach/rho) to either side of it. Marks
// them, and finds where their edges are.
static void profile_turn_near(const Axis *axis, Vec3 center, double reach, ProfileTurn *turn, bool *near) {
    const double step = 2 * M_PI / PROFILE_SIDES;
    double at[2], most = M_PI;
    Vec3 radial;
    profile_turned_place(axis, &center, at, &radial);
    profile_turn_across(axis, &turn->u, &turn->v);
    double middle = atan2(vec3_dot(radial, turn->v), vec3_dot(radial, turn->u));
    if (at[0] > reach) most = asin(reach / at[0]) + step;
    for (int side = 0; side < PROFILE_SIDES; side++) {
        near[side] = fabs(remainder((side + 0.5) * step - middle, 2 * M_PI)) <= most;
        for (int edge = side; edge <= side + 1 && near[side]; edge++) {
            double angle = 2 * M_PI * edge / PROFILE_SIDES;
            turn->cosines[edge] = cos(angle), turn->sines[edge] = sin(angle);
        }
    }
}

void profile_turned_pieces(const Profile *p, const Axis *axis, Vec3 center, double reach,
                           WallPieceVisitor *visit, void *user) {
    WallPiece piece = {.count = 0};
    ProfileTurn turn;
    bool near[PROFILE_SIDES];
    double slack = profile_size(p) * (1 - cos(M_PI / PROFILE_SIDES)); // facets lie that much inside
    if (!(profile_turned_distance(p, axis, center) < reach + slack)) return;
    profile_turn_near(axis, center, reach, &turn, near);
    for (int line = 0; line < profile_lines(p); line++)
        for (int side = 0; side < PROFILE_SIDES && profile_has(p, line); side++) {
            if (!near[side]) continue;
            profile_turned_facet(p, axis, &turn, line, side, &piece);
            Vec3 middle = vec3_scale(0.5, vec3_add(piece.corners[0], piece.corners[2]));
            double extent = 0;
            for (int k = 0; k < piece.count; k++)
                extent = fmax(extent, vec3_norm(vec3_sub(piece.corners[k], middle)));
            if (vec3_norm(vec3_sub(center, middle)) < reach + extent) visit(user, &piece);
        }
}

bool profile_turned_surface(const Profile *p, const Axis *axis, Surface *surface) {
    enum { sides = 64 };
    int first = (int)surface->points.count;
    Vec3 u, v;
    profile_turn_across(axis, &u, &v);
    for (int k = 0; k < p->count; k++)
        for (int side = 0; side < sides; side++)
            if (!surface_add_point(surface, profile_turned_point(axis, p->points[k].at, u, v,
                                                                 cos(2 * M_PI * side / sides),
                                                                 sin(2 * M_PI * side / sides))))
                return false;
    for (int line = 0; line < profile_lines(p); line++)
        for (int side = 0; side < sides && profile_has(p, line); side++) {
            int a = line * sides, b = (line + 1) % p->count * sides, next = (side + 1) % sides, count = 0,
                corners[4];
            corners[count++] = a + side;
            if (p->points[line].at[0] > 0) corners[count++] = a + next;
            corners[count++] = b + next;
            if (p->points[(line + 1) % p->count].at[0] > 0) corners[count++] = b + side;
            if (!surface_add_polygon(surface, corners, count, first)) return false;
        }
    return true;
}
