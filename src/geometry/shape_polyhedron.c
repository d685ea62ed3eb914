// Convex polyhedra: the form is a hull (hull.h), which grains of any size share.
//
//     volume r^3 V, inertia m r^2 (tr(S) 1 - S),   V and S = second moment over volume of the hull of radius 1
//
// Contacts with spheres: the nearest point of the surface to the centre; when the centre is inside, that of the
// nearest face. Contacts with polyhedra and walls: polyhedron.h.
#include <math.h>

#include "geometry/polyhedron.h"
#include "geometry/wall_type.h"

static const Hull *polyhedron_hull(const Shape *shape) { return shape->form; }

static double shape_polyhedron_volume(const Shape *shape) {
    return polyhedron_hull(shape)->volume * shape->radius * shape->radius * shape->radius;
}

static Mat3 shape_polyhedron_inertia(const Shape *shape, double mass) {
    Mat3 s = polyhedron_hull(shape)->second_moment;
    double trace = mat3_trace(s);
    return mat3_scale(mass * shape->radius * shape->radius, mat3_sub(mat3_diagonal(trace, trace, trace), s));
}

static bool shape_polyhedron_surface(const Shape *shape, const Pose *pose, Surface *surface) {
    const Hull *hull = polyhedron_hull(shape);
    int first = (int)surface->points.count;
    for (int v = 0; v < hull->vertex_count; v++) {
        Vec3 own = vec3_scale(shape->radius, hull->vertices[v]);
        if (!surface_add_point(surface, vec3_add(pose->position, quaternion_rotate(pose->orientation, own))))
            return false;
    }
    for (int f = 0; f < hull->face_count; f++)
        if (!surface_add_polygon(surface, hull->corners + hull->faces[f].first, hull->faces[f].count, first))
            return false;
    return true;
}

// ---- spheres -------------------------------------------------------------------------------------
// The point of a segment that is nearest to p.
static Vec3 polyhedron_nearest_on_edge(Vec3 a, Vec3 b, Vec3 p) {
    Vec3 along = vec3_sub(b, a);
    double t = vec3_dot(vec3_sub(p, a), along) / vec3_norm2(along);
    return vec3_madd(a, t < 0 ? 0 : t > 1 ? 1 : t, along);
}

// The point of the surface, in the hull's own axes and lengths, that is nearest to p. Returns the signed distance.
static double polyhedron_nearest_to_point(const Hull *hull, Vec3 p, Vec3 *nearest, Vec3 *normal) {
    double deepest = -INFINITY, best2 = INFINITY;
    for (int f = 0; f < hull->face_count; f++) {
        const HullFace *face = &hull->faces[f];
        double height = vec3_dot(face->normal, p) - face->offset;
        if (height > deepest)
            deepest = height, *normal = face->normal, *nearest = vec3_madd(p, -height, face->normal);
    }
    if (deepest <= 0) return deepest;
    for (int f = 0; f < hull->face_count; f++) {
        const HullFace *face = &hull->faces[f];
        double height = vec3_dot(face->normal, p) - face->offset;
        if (!(height > 0) || height * height >= best2) continue;
        Vec3 foot = vec3_madd(p, -height, face->normal);
        bool inside = true;
        for (int k = 0; k < face->count; k++) {
            Vec3 a = hull->vertices[hull->corners[face->first + k]];
            Vec3 b = hull->vertices[hull->corners[face->first + (k + 1) % face->count]];
            if (vec3_dot(vec3_cross(face->normal, vec3_sub(b, a)), vec3_sub(foot, a)) >= 0) continue;
            inside = false;
            Vec3 on = polyhedron_nearest_on_edge(a, b, p);
            double distance2 = vec3_norm2(vec3_sub(p, on));
            if (distance2 < best2) best2 = distance2, *nearest = on;
        }
        if (inside) {
            *nearest = foot, *normal = face->normal;
            return height;
        }
    }
    double distance = sqrt(best2);
    *normal = vec3_scale(1 / distance, vec3_sub(p, *nearest));
    return distance;
}

static int polyhedron_sphere_contacts(const Shape *a, const Pose *pose_a, const Shape *sphere,
                                      const Pose *pose_b, double margin, ShapeContact *contacts) {
    Vec3 nearest = {0}, normal = {0};
    Vec3 local = quaternion_unrotate(pose_a->orientation, vec3_sub(pose_b->position, pose_a->position));
    double gap = a->radius * polyhedron_nearest_to_point(polyhedron_hull(a), vec3_scale(1 / a->radius, local),
                                                         &nearest, &normal) -
                 sphere->radius;
    if (!(gap < margin)) return 0;
    Vec3 out = quaternion_rotate(pose_a->orientation, normal);
    contacts[0] = (ShapeContact){.gap = gap,
                                 .normal = vec3_neg(out),
                                 .point = vec3_madd(pose_b->position, -(sphere->radius + 0.5 * gap), out),
                                 .feature = 0};
    return 1;
}

// ---- polyhedra -----------------------------------------------------------------------------------
static int polyhedron_pair_contacts(const Shape *a, const Pose *pose_a, const Shape *b, const Pose *pose_b,
                                    const ShapeSearch *search, Vec3 *apart, ShapeContact *contacts) {
    double margin = search->margin;
    // In the axes of a, about its centre: digits do not depend on where the pair is.
    Vec3 way = quaternion_unrotate(pose_a->orientation, vec3_sub(pose_b->position, pose_a->position));
    double reach = a->radius + b->radius + margin;
    if (vec3_norm2(way) >= reach * reach) return 0;
    Mat3 axes =
        quaternion_to_matrix(quaternion_mul(quaternion_conjugate(pose_a->orientation), pose_b->orientation));
    PolyhedronView view_a, view_b;
    polyhedron_view(&view_a, polyhedron_hull(a), a->radius, vec3_zero(), mat3_identity());
    polyhedron_view(&view_b, polyhedron_hull(b), b->radius, way, axes);
    PolyhedronAxis axis;
    PolyhedronPlace place = polyhedron_distance(&view_a, &view_b, vec3_neg(way), margin, &axis);
    if (place == POLYHEDRON_FAR) *apart = quaternion_rotate(pose_a->orientation, axis.normal);
    if (place == POLYHEDRON_FAR) return 0;
    if (place == POLYHEDRON_OVERLAP) polyhedron_overlap(&view_a, &view_b, &axis);
    if (!(axis.separation < margin)) return 0;
    polyhedron_pass(&view_a, &view_b, quaternion_unrotate(pose_a->orientation, search->way), &axis);
    PolyhedronFace face_a, face_b;
    polyhedron_face(&view_a, axis.a[0], vec3_neg(axis.normal), &face_a);
    polyhedron_face(&view_b, axis.b[0], axis.normal, &face_b);
    if (place == POLYHEDRON_APART) polyhedron_straighten(&view_a, &view_b, &face_a, &face_b, &axis);
    int count = polyhedron_manifold(&axis, &face_a, &face_b, margin, fmin(a->radius, b->radius),
                                    vec3(1, 0, 0), search->points, contacts);
    for (int c = 0; c < count; c++) {
        contacts[c].normal = quaternion_rotate(pose_a->orientation, contacts[c].normal);
        contacts[c].point =
            vec3_add(pose_a->position, quaternion_rotate(pose_a->orientation, contacts[c].point));
    }
    return count;
}

static int shape_polyhedron_pair_contacts(const Shape *a, const Pose *pose_a, const Shape *b,
                                          const Pose *pose_b, const ShapeSearch *search, Vec3 *axis,
                                          ShapeContact *contacts) {
    return b->kind == SHAPE_SPHERE
               ? polyhedron_sphere_contacts(a, pose_a, b, pose_b, search->margin, contacts)
               : polyhedron_pair_contacts(a, pose_a, b, pose_b, search, axis, contacts);
}

static double shape_polyhedron_reach(const Shape *shape, Vec3 direction) {
    return shape->radius * hull_reach(polyhedron_hull(shape), direction);
}

static bool shape_polyhedron_holds(const Shape *shape, Vec3 point) {
    const Hull *hull = polyhedron_hull(shape);
    for (int f = 0; f < hull->face_count; f++)
        if (vec3_dot(hull->faces[f].normal, point) > shape->radius * hull->faces[f].offset) return false;
    return true;
}

const ShapeType shape_type_polyhedron = {
    .name = "polyhedron",
    .round = false,
    .volume = shape_polyhedron_volume,
    .inertia = shape_polyhedron_inertia,
    .holds = shape_polyhedron_holds,
    .surface = shape_polyhedron_surface,
    .wall_contacts = polyhedron_wall_contacts,
    .reach = shape_polyhedron_reach,
    .pair_contacts = shape_polyhedron_pair_contacts,
};
