// Clumps: the form is a clump of spheres and convex polyhedra (clump.h), which grains of any size share.
//
//     volume r^3 V, inertia m r^2 (tr(S) 1 - S),   V and S = second moment over volume of the clump of radius 1
//
// Contacts are those of the parts with the parts of the other grain, or with the wall; pairs of parts whose spheres are apart
// are left out. The points of a part are named as they would be alone, with the number of the part in the upper bits.
//
// Not all of these are contacts of the clump as a whole. A point of a part is dropped
//
// - if it lies inside another part of the same clump: it is no point of the surface, and the other part is nearer;
// - if it belongs to another part, too, which is nearer elsewhere with about the same normal: of a convex part, the nearest
//   point is the only one that has none nearer around it;
// - if its normal is none of the clump's: that of a face that another part covers, or of an edge of such a face. A body that
//   slides across the seam of two parts would run against it.
//
// But something always stays. Where a corner has sunk in right at a seam, the shortest way out of each part leads into the
// other one, and all points are inside.
//
// Rooms are convex: of polyhedra, only corners of the convex hull of them all can touch. So a box made of two boxes has the
// contacts of the whole box. Points with nearly the same normal are reduced to four (polyhedron_reduce), as those of a face
// are.
//
// Where all points are asked for (shape_pair_points, for springs), nothing is reduced, and less is dropped: a point that
// carries a spring must not be switched off by a small move. Points that overlap are all within the overlap of the surface of
// the clump: those that are inside another part are duplicates of points of that part, or belong to a corner between the
// two, and the law of springs shares its stiffness among points at one place. What is dropped are points of two parts with
// faces whose normal is none of the clump's, as above. Where such a point is dropped, the part beside it has points at the seam,
// which take the load over. Where nothing would stay, the corners of the other grain that have sunk in at the seam are
// taken instead, along the normal of the face there: what the whole body would have.
#include <math.h>

#include "geometry/clump.h"
#include "geometry/polyhedron.h"
#include "geometry/wall_type.h"

enum { clump_points = SHAPE_POINTS_MAX, clump_bands = 6, clump_slices = 8 };
static const double clump_same_way =
    0.99; // cosine of the angle between normals of points that stand for each other
static const double clump_same_side = 0.9; // likewise, of points in a seam
// A point counts as inside another part if, moved outward by the first, of the radius of that part, it is in this part made
// smaller by the second. Where a body lies in an inner corner and overlaps one part a little, it is still on the other one.
static const double clump_outward = 1e-3, clump_depth = 1e-4;
static const double clump_belonging = 1e-7; // it belongs to a part this much larger
// A point is on a face up to the first of these lengths; whether other parts cover the face is looked for at the second beside
// it and at the third above it, of the radius of the part, in those parts made smaller by the fourth.
static const double clump_on_face = 1e-6, clump_aside = 1e-4, clump_over_face = 1e-5,
                    clump_cover_depth = 1e-7;
static const double clump_shared = 1e-3; // a part this much larger has the point of a seam
static const double clump_cone = 0.01;   // angle up to which normals are the same [rad]

static const Clump *shape_clump(const Shape *shape) { return shape->form; }

static double shape_clump_volume(const Shape *shape) {
    return shape_clump(shape)->volume * shape->radius * shape->radius * shape->radius;
}

static Mat3 shape_clump_inertia(const Shape *shape, double mass) {
    Mat3 s = shape_clump(shape)->second_moment;
    double trace = mat3_trace(s);
    return mat3_scale(mass * shape->radius * shape->radius, mat3_sub(mat3_diagonal(trace, trace, trace), s));
}

// ---- parts ---------------------------------------------------------------------------------------
typedef struct PlacedPart { // of one grain
    Shape shape;
    Pose pose;
    int number; // in its clump
} PlacedPart;

static PlacedPart clump_place(const Shape *shape, const Pose *pose, const ClumpPart *part, int number) {
    PlacedPart placed = {part->shape, *pose, number};
    placed.shape.radius *= shape->radius;
    placed.pose.position = vec3_add(
        pose->position, quaternion_rotate(pose->orientation, vec3_scale(shape->radius, part->center)));
    return placed;
}

static bool clump_spheres_meet(Vec3 a, double radius_a, Vec3 b, double radius_b, double margin) {
    double reach = radius_a + radius_b + margin;
    return vec3_norm2(vec3_sub(a, b)) < reach * reach;
}

// The parts within reach of a sphere. A grain that is no clump is its own only part.
static int clump_parts_near(const Shape *shape, const Pose *pose, Vec3 center, double reach,
                            PlacedPart *near) {
    if (shape->kind != SHAPE_CLUMP) {
        near[0] = (PlacedPart){*shape, *pose, 0};
        return clump_spheres_meet(pose->position, shape->radius, center, reach, 0);
    }
    const Clump *clump = shape_clump(shape);
    int count = 0;
    for (int p = 0; p < clump->part_count; p++) {
        near[count] = clump_place(shape, pose, &clump->parts[p], p);
        count += clump_spheres_meet(near[count].pose.position, near[count].shape.radius, center, reach, 0);
    }
    return count;
}

static bool clump_part_holds(const PlacedPart *part, Vec3 point, double shrunk) {
    Shape smaller = part->shape;
    smaller.radius *= 1 - shrunk;
    return shape_holds(&smaller,
                       quaternion_unrotate(part->pose.orientation, vec3_sub(point, part->pose.position)));
}

typedef struct ClumpPair { // the parts of two grains that are near the other grain; of a wall, b has none
    PlacedPart a[CLUMP_PARTS_MAX], b[CLUMP_PARTS_MAX];
    int a_count, b_count;
} ClumpPair;

// ---- points --------------------------------------------------------------------------------------
typedef struct ClumpPoints {
    ShapePoints wanted;
    int count, sources; // points; how many parts or pairs of parts they are of
    double near; // points this near to each other with about the same normal are one, of few points [m]
    ShapeContact points[clump_points];
} ClumpPoints;

// With the numbers of the parts of a and of b; the latter not for walls, whose own names may be that long. Edges of
// polyhedra have names below 2^20 (polyhedron_edge_name).
_Static_assert((int)CLUMP_PARTS_MAX < SHAPE_PARTS_END && HULL_POINTS_MAX <= 1024,
               "names of points are too small for this");
static int64_t clump_name(int64_t feature, int part_a, int part_b) {
    if (feature >> 60 == 0) feature = shape_feature(FEATURE_ROUND, 0, feature & 0x3fffffff);
    return shape_feature_of_parts(feature, part_a, part_b);
}

static void clump_begin(ClumpPoints *found, ShapePoints wanted, double size) {
    found->wanted = wanted;
    found->count = found->sources = 0; // setting all of it to zero would take longer than the rest
    found->near = 1e-6 * size;
}

// On a seam two parts have the same point: one of them will do, where few are asked for.
static bool clump_merge(ClumpPoints *found, const ShapeContact *point) {
    for (int i = 0; i < found->count; i++) {
        ShapeContact *known = &found->points[i];
        if (vec3_norm2(vec3_sub(known->point, point->point)) > found->near * found->near ||
            vec3_dot(known->normal, point->normal) < clump_same_way)
            continue;
        if (point->gap < known->gap - 1e-3 * found->near) *known = *point;
        return true;
    }
    return false;
}

// When the list is full, the least deep point gives way.
static void clump_add(ClumpPoints *found, const ShapeContact *point) {
    int at = found->count;
    if (found->wanted == SHAPE_FEW_POINTS && clump_merge(found, point)) return;
    if (at == clump_points) {
        at = 0;
        for (int i = 1; i < clump_points; i++)
            if (found->points[i].gap > found->points[at].gap) at = i;
        if (found->points[at].gap <= point->gap) return;
    } else found->count++;
    found->points[at] = *point;
}

// ---- points that are none ------------------------------------------------------------------------
static bool clump_is_inside(const PlacedPart *parts, int count, int own, Vec3 point, Vec3 outward) {
    for (int p = 0; p < count; p++)
        if (parts[p].number != own &&
            clump_part_holds(&parts[p], vec3_madd(point, clump_outward * parts[p].shape.radius, outward),
                             clump_depth))
            return true;
    return false;
}

// Around this point of its border or inside, all in units and axes of the part.
static bool clump_face_is_covered(const PlacedPart *parts, int count, const PlacedPart *own,
                                  const HullFace *face, Vec3 point) {
    const Hull *hull = own->shape.form;
    const int *corners = hull->corners + face->first;
    Vec3 middle = vec3_zero();
    for (int k = 0; k < face->count; k++)
        middle = vec3_madd(middle, 1.0 / face->count, hull->vertices[corners[k]]);
    for (int k = 0; k < face->count; k++) {
        Vec3 target = vec3_madd(vec3_scale(0.99, hull->vertices[corners[k]]), 0.01, middle);
        Vec3 way = vec3_sub(target, point);
        double length = vec3_norm(way);
        if (!(length > clump_aside)) continue;
        Vec3 beside = vec3_madd(vec3_madd(point, clump_aside / length, way), clump_over_face, face->normal);
        Vec3 place = vec3_add(own->pose.position, quaternion_rotate(own->pose.orientation,
                                                                    vec3_scale(own->shape.radius, beside)));
        bool held = false;
        for (int p = 0; p < count && !held; p++)
            held = parts[p].number != own->number && clump_part_holds(&parts[p], place, clump_cover_depth);
        if (!held) return false;
    }
    return true;
}

// Is d a sum of these unit vectors with weights that are not negative, to half a degree?
static bool clump_is_in_cone(const Vec3 *normals, int count, Vec3 d) {
    if (count == 0) return false;
    if (count == 1) return vec3_dot(normals[0], d) > 1 - clump_cone * clump_cone;
    if (count > 2) return true;
    double g = vec3_dot(normals[0], normals[1]), a = vec3_dot(normals[0], d), b = vec3_dot(normals[1], d);
    double first = (a - g * b) / (1 - g * g), second = (b - g * a) / (1 - g * g);
    Vec3 rest = vec3_madd(vec3_madd(d, -first, normals[0]), -second, normals[1]);
    return first > -clump_cone && second > -clump_cone && vec3_norm(rest) < clump_cone;
}

// A point of a part where it meets other parts: the faces of the part that it is on.
typedef struct ClumpSeam {
    int covered, bare; // by other parts; of the surface of the clump, no more than three are counted
    Vec3 normals[3];   // of the bare ones, outward
} ClumpSeam;

static ClumpSeam clump_seam_at(const PlacedPart *parts, int count, int number, Vec3 point) {
    ClumpSeam seam = {0};
    const PlacedPart *own = NULL;
    bool shared = false;
    for (int p = 0; p < count; p++)
        if (parts[p].number == number) own = &parts[p];
        else shared = shared || clump_part_holds(&parts[p], point, -clump_shared);
    if (!shared || !own || own->shape.kind != SHAPE_POLYHEDRON) return seam;
    const Hull *hull = own->shape.form;
    Vec3 local = vec3_scale(1 / own->shape.radius,
                            quaternion_unrotate(own->pose.orientation, vec3_sub(point, own->pose.position)));
    for (int f = 0; f < hull->face_count && seam.bare < 3; f++) {
        const HullFace *face = &hull->faces[f];
        if (fabs(vec3_dot(face->normal, local) - face->offset) > clump_on_face) continue;
        if (clump_face_is_covered(parts, count, own, face, local)) seam.covered++;
        else seam.normals[seam.bare++] = quaternion_rotate(own->pose.orientation, face->normal);
    }
    return seam;
}

// Does the outward normal at this point of a part come from faces that other parts cover?
static bool clump_is_seam(const PlacedPart *parts, int count, int number, Vec3 point, Vec3 outward) {
    ClumpSeam seam = clump_seam_at(parts, count, number, point);
    return seam.covered > 0 && !clump_is_in_cone(seam.normals, seam.bare, outward);
}

static bool clump_belongs(const PlacedPart *parts, int count, int number, Vec3 point) {
    for (int p = 0; p < count; p++)
        if (parts[p].number == number) return clump_part_holds(&parts[p], point, -clump_belonging);
    return false;
}

static bool clump_drops(const ClumpPoints *found, const ClumpPair *pair, int i) {
    const ShapeContact *c = &found->points[i];
    int own_a = shape_part_number_of_a(c->feature), own_b = shape_part_number_of_b(c->feature);
    Vec3 on_a = vec3_madd(c->point, 0.5 * c->gap, c->normal),
         on_b = vec3_madd(c->point, -0.5 * c->gap, c->normal);
    bool all = found->wanted == SHAPE_ALL_POINTS;
    if (!all && (clump_is_inside(pair->a, pair->a_count, own_a, on_a, vec3_neg(c->normal)) ||
                 clump_is_inside(pair->b, pair->b_count, own_b, on_b, c->normal)))
        return true;
    if (clump_is_seam(pair->a, pair->a_count, own_a, on_a, vec3_neg(c->normal)) ||
        clump_is_seam(pair->b, pair->b_count, own_b, on_b, c->normal))
        return true;
    if (all) return false;
    for (int j = 0; j < found->count; j++) {
        const ShapeContact *d = &found->points[j];
        if (!(d->gap < c->gap - found->near) || vec3_dot(c->normal, d->normal) < clump_same_side) continue;
        int other_a = shape_part_number_of_a(d->feature), other_b = shape_part_number_of_b(d->feature);
        if ((other_a != own_a && clump_belongs(pair->a, pair->a_count, other_a, on_a)) ||
            (other_b != own_b && clump_belongs(pair->b, pair->b_count, other_b, on_b)))
            return true;
    }
    return false;
}

static void clump_keep(ClumpPoints *found, const bool *dropped) {
    int kept = 0;
    for (int i = 0; i < found->count; i++)
        if (!dropped[i]) found->points[kept++] = found->points[i];
    found->count = kept;
}

// ---- corners at seams ----------------------------------------------------------------------------
static bool clump_has_name(const ClumpPoints *found, int64_t feature) {
    for (int i = 0; i < found->count; i++)
        if (found->points[i].feature == feature) return true;
    return false;
}

// The corners of `other` inside the parts of a clump, below the plane with this outward normal through a point of part
// `number`. `of_a`: the clump is grain a.
static void clump_add_corners(ClumpPoints *found, const PlacedPart *parts, int count, int number,
                              const PlacedPart *other, Vec3 on, Vec3 outward, bool of_a) {
    if (other->shape.kind != SHAPE_POLYHEDRON) return;
    const Hull *hull = other->shape.form;
    for (int v = 0; v < hull->vertex_count; v++) {
        Vec3 corner = vec3_add(
            other->pose.position,
            quaternion_rotate(other->pose.orientation, vec3_scale(other->shape.radius, hull->vertices[v])));
        double depth = vec3_dot(outward, vec3_sub(on, corner));
        bool inside = false;
        for (int p = 0; p < count && depth > 0 && !inside; p++)
            inside = clump_part_holds(&parts[p], corner, -clump_belonging);
        int64_t name = of_a ? clump_name(shape_feature(FEATURE_VERTEX_OF_B, 0, v), number, other->number)
                            : clump_name(shape_feature(FEATURE_VERTEX_OF_A, v, 0), other->number, number);
        if (!inside || clump_has_name(found, name)) continue;
        clump_add(found, &(ShapeContact){.gap = -depth,
                                         .normal = vec3_scale(of_a ? -1 : 1, outward),
                                         .point = vec3_madd(corner, 0.5 * depth, outward),
                                         .feature = name});
    }
}

static const PlacedPart *clump_find_part(const PlacedPart *parts, int count, int number) {
    for (int p = 0; p < count; p++)
        if (parts[p].number == number) return &parts[p];
    return NULL;
}

static void clump_add_corners_at(ClumpPoints *found, const ClumpPair *pair, const ShapeContact *c,
                                 bool of_a) {
    const PlacedPart *parts = of_a ? pair->a : pair->b;
    int count = of_a ? pair->a_count : pair->b_count;
    int own = of_a ? shape_part_number_of_a(c->feature) : shape_part_number_of_b(c->feature);
    const PlacedPart *other =
        of_a ? clump_find_part(pair->b, pair->b_count, shape_part_number_of_b(c->feature))
             : clump_find_part(pair->a, pair->a_count, shape_part_number_of_a(c->feature));
    Vec3 on = vec3_madd(c->point, of_a ? 0.5 * c->gap : -0.5 * c->gap, c->normal),
         outward = vec3_scale(of_a ? -1 : 1, c->normal);
    ClumpSeam seam = clump_seam_at(parts, count, own, on);
    double most = 0;
    int best = -1;
    for (int k = 0; k < seam.bare; k++)
        if (vec3_dot(seam.normals[k], outward) > most) most = vec3_dot(seam.normals[k], outward), best = k;
    if (!other || seam.covered == 0 || best < 0) return;
    clump_add_corners(found, parts, count, own, other, on, seam.normals[best], of_a);
}

// All points of two parts with faces are of seams: the corners that have sunk in take their place, if there are any.
static void clump_replace_by_corners(ClumpPoints *found, const ClumpPair *pair, const bool *seams) {
    ClumpPoints corners;
    clump_begin(&corners, found->wanted, 0);
    for (int i = 0; i < found->count; i++) {
        if (!seams[i]) continue;
        clump_add_corners_at(&corners, pair, &found->points[i], true);
        clump_add_corners_at(&corners, pair, &found->points[i], false);
    }
    if (corners.count == 0) return;
    clump_keep(found, seams);
    for (int i = 0; i < corners.count; i++) clump_add(found, &corners.points[i]);
}

// Of all points those of spheres always stay.
static void clump_drop(ClumpPoints *found, const ClumpPair *pair) {
    bool dropped[clump_points], all = found->wanted == SHAPE_ALL_POINTS;
    int kept = 0, asked = 0;
    for (int i = 0; i < found->count; i++) {
        bool asks = !all || found->points[i].feature >> 60 != FEATURE_ROUND;
        dropped[i] = asks && clump_drops(found, pair, i);
        asked += asks, kept += asks && !dropped[i];
    }
    if (kept > 0 && kept < asked) clump_keep(found, dropped);
    else if (kept == 0 && asked > 0 && all) clump_replace_by_corners(found, pair, dropped);
}

// Round the deepest point all that push the same way, then the rest likewise.
static int clump_reduce(ClumpPoints *found, const ClumpPair *pair, Vec3 first, ShapeContact *contacts) {
    int count = 0;
    if (found->sources > 1) clump_drop(found, pair);
    if (found->wanted == SHAPE_ALL_POINTS) {
        for (; count < found->count; count++) contacts[count] = found->points[count];
        return count;
    }
    while (found->count > 0 && count < SHAPE_CONTACT_MAX) {
        ShapeContact group[clump_points];
        int size = 0, rest = 0, deepest = 0;
        bool all = found->sources < 2 && found->count <= SHAPE_CONTACT_MAX; // reduced already
        for (int i = 1; i < found->count; i++)
            if (found->points[i].gap < found->points[deepest].gap) deepest = i;
        Vec3 normal = found->points[deepest].normal;
        for (int i = 0; i < found->count; i++)
            if (all || vec3_dot(found->points[i].normal, normal) > clump_same_way)
                group[size++] = found->points[i];
            else found->points[rest++] = found->points[i];
        found->count = rest;
        if (!all) size = polyhedron_reduce(group, size, first);
        for (int i = 0; i < size && count < SHAPE_CONTACT_MAX; i++) contacts[count++] = group[i];
    }
    return count;
}

// ---- walls ---------------------------------------------------------------------------------------
static void clump_part_and_wall(const PlacedPart *part, const Wall *wall, const ShapeSearch *search,
                                ClumpPoints *found) {
    ShapeContact contacts[SHAPE_CONTACT_MAX];
    double margin = search->margin;
    if (wall_distance_bound(wall, part->pose.position) >= part->shape.radius + margin) return;
    int count =
        found->wanted == SHAPE_ALL_POINTS
            ? shape_wall_points(&part->shape, &part->pose, wall, margin, contacts)
            : shape_wall_contacts_passing(&part->shape, &part->pose, wall, margin, search->way, contacts);
    found->sources += count > 0;
    for (int c = 0; c < count; c++) {
        contacts[c].feature = clump_name(contacts[c].feature, part->number, 0);
        clump_add(found, &contacts[c]);
    }
}

static int shape_clump_wall_contacts(const Shape *shape, const Pose *pose, const Wall *wall,
                                     const ShapeSearch *search, ShapeContact *contacts) {
    const Clump *clump = shape_clump(shape);
    if (wall_distance_bound(wall, pose->position) >= shape->radius + search->margin) return 0;
    bool by_hull = clump->outer.shape.form && !wall_has_pieces(wall);
    ClumpPair pair;
    ClumpPoints found;
    clump_begin(&found, search->points, shape->radius);
    if (by_hull) {
        PlacedPart outer = clump_place(shape, pose, &clump->outer, clump->part_count);
        clump_part_and_wall(&outer, wall, search, &found);
    }
    pair.a_count = clump->part_count, pair.b_count = 0;
    for (int p = 0; p < clump->part_count; p++) {
        pair.a[p] = clump_place(shape, pose, &clump->parts[p], p);
        if (!by_hull || pair.a[p].shape.kind == SHAPE_SPHERE)
            clump_part_and_wall(&pair.a[p], wall, search, &found);
    }
    return clump_reduce(&found, &pair, quaternion_rotate(pose->orientation, vec3(1, 0, 0)), contacts);
}

// ---- pairs ---------------------------------------------------------------------------------------
static void clump_parts_meet(const PlacedPart *a, const PlacedPart *b, const ShapeSearch *search, Vec3 *axis,
                             ClumpPoints *found) {
    ShapeContact contacts[SHAPE_CONTACT_MAX];
    double margin = search->margin;
    int count = found->wanted == SHAPE_ALL_POINTS
                    ? shape_pair_points(&a->shape, &a->pose, &b->shape, &b->pose, margin, axis, contacts)
                    : shape_pair_contacts_again(&a->shape, &a->pose, &b->shape, &b->pose, margin, search->way,
                                                axis, contacts);
    found->sources += count > 0;
    for (int c = 0; c < count; c++) {
        contacts[c].feature = clump_name(contacts[c].feature, a->number, b->number);
        clump_add(found, &contacts[c]);
    }
}

static bool clump_are_apart(const Shape *a, const Pose *pose_a, const Shape *b, const Pose *pose_b,
                            double margin, Vec3 axis) {
    double length = vec3_norm(axis);
    if (!(length > 0)) return false;
    Vec3 unit = vec3_scale(1 / length, axis);
    return vec3_dot(unit, vec3_sub(pose_a->position, pose_b->position)) -
               shape_reach(a, quaternion_unrotate(pose_a->orientation, vec3_neg(unit))) -
               shape_reach(b, quaternion_unrotate(pose_b->orientation, unit)) >=
           margin;
}

// Along which two grains without contacts are apart, as whole bodies: zero if neither the axis of their nearest parts nor the
// line between their centres will do.
static Vec3 clump_apart_along(const Shape *a, const Pose *pose_a, const Shape *b, const Pose *pose_b,
                              double margin, Vec3 axis) {
    if (clump_are_apart(a, pose_a, b, pose_b, margin, axis)) return axis;
    axis = vec3_sub(pose_a->position, pose_b->position);
    return clump_are_apart(a, pose_a, b, pose_b, margin, axis) ? axis : vec3_zero();
}

static int shape_clump_pair_contacts(const Shape *a, const Pose *pose_a, const Shape *b, const Pose *pose_b,
                                     const ShapeSearch *search, Vec3 *axis, ShapeContact *contacts) {
    double margin = search->margin;
    if (!clump_spheres_meet(pose_a->position, a->radius, pose_b->position, b->radius, margin)) return 0;
    ClumpPair pair;
    ClumpPoints found;
    clump_begin(&found, search->points, fmin(a->radius, b->radius));
    pair.a_count = clump_parts_near(a, pose_a, pose_b->position, b->radius + margin, pair.a);
    pair.b_count =
        pair.a_count ? clump_parts_near(b, pose_b, pose_a->position, a->radius + margin, pair.b) : 0;
    Vec3 apart = vec3_zero();
    for (int i = 0; i < pair.a_count; i++)
        for (int j = 0; j < pair.b_count; j++) {
            const PlacedPart *p = &pair.a[i], *q = &pair.b[j];
            if (!clump_spheres_meet(p->pose.position, p->shape.radius, q->pose.position, q->shape.radius,
                                    margin))
                continue;
            Vec3 between = vec3_zero();
            clump_parts_meet(p, q, search, &between, &found);
            if (vec3_norm2(between) > 0) apart = between;
        }
    if (found.count == 0) {
        *axis = clump_apart_along(a, pose_a, b, pose_b, margin, apart);
        return 0;
    }
    return clump_reduce(&found, &pair, quaternion_rotate(pose_a->orientation, vec3(1, 0, 0)), contacts);
}

// ---- the rest ------------------------------------------------------------------------------------
static Shape shape_clump_part(const Shape *shape, int number) {
    const Clump *clump = shape_clump(shape);
    Shape part = number < clump->part_count ? clump->parts[number].shape : clump->outer.shape;
    part.radius *= shape->radius;
    return part;
}

static double shape_clump_finest_radius(const Shape *shape) {
    return shape->radius * shape_clump(shape)->finest;
}

static double shape_clump_reach(const Shape *shape, Vec3 direction) {
    const Clump *clump = shape_clump(shape);
    const Hull *outer = clump->outer.shape.form;
    double length = vec3_norm(direction), most = -INFINITY;
    if (outer)
        most = vec3_dot(direction, clump->outer.center) +
               clump->outer.shape.radius * hull_reach(outer, direction);
    for (int p = 0; p < clump->part_count; p++) {
        const ClumpPart *part = &clump->parts[p];
        if (part->shape.kind == SHAPE_POLYHEDRON && outer) continue;
        double own = part->shape.kind == SHAPE_SPHERE ? length : hull_reach(part->shape.form, direction);
        most = fmax(most, vec3_dot(direction, part->center) + part->shape.radius * own);
    }
    return shape->radius * most;
}

static bool shape_clump_holds(const Shape *shape, Vec3 point) {
    const Clump *clump = shape_clump(shape);
    const Pose pose = {vec3_zero(), quaternion_identity()};
    for (int p = 0; p < clump->part_count; p++) {
        PlacedPart part = clump_place(shape, &pose, &clump->parts[p], p);
        if (clump_part_holds(&part, point, 0)) return true;
    }
    return false;
}

static bool shape_clump_surface(const Shape *shape, const Pose *pose, Surface *surface) {
    const Clump *clump = shape_clump(shape);
    MrcError error;
    for (int p = 0; p < clump->part_count; p++) {
        PlacedPart part = clump_place(shape, pose, &clump->parts[p], p);
        bool added = part.shape.kind == SHAPE_SPHERE
                         ? surface_add_sphere(surface, part.pose.position, part.shape.radius, clump_bands,
                                              clump_slices)
                         : shape_surface(&part.shape, &part.pose, surface, &error) == MRC_OK;
        if (!added) return false;
    }
    return true;
}

const ShapeType shape_type_clump = {
    .name = "clump",
    .round = false,
    .volume = shape_clump_volume,
    .inertia = shape_clump_inertia,
    .holds = shape_clump_holds,
    .surface = shape_clump_surface,
    .wall_contacts = shape_clump_wall_contacts,
    .reach = shape_clump_reach,
    .part = shape_clump_part,
    .finest_radius = shape_clump_finest_radius,
    .pair_contacts = shape_clump_pair_contacts,
};
