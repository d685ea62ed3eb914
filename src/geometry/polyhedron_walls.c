// Contacts of a polyhedron with a wall.
//
// A room is convex: the polyhedron is inside if its vertices are, and touches with those that are near, each as a
// sphere of radius 0. A solid wall is the other body of a pair. Thin walls (discs, meshes) are made of flat convex
// pieces. Each piece is treated as such a body too, on the side where the polyhedron is. A contact with a piece
// counts if the pieces beside it allow its direction (wall_piece_bears); otherwise only vertices of the polyhedron
// right above or below the piece count, along its normal. So a flat floor is flat however it is cut.
//
// Of all points found, those with about the same normal are reduced together to four (polyhedron_reduce), unless all are
// asked for. Then points on the edges between pieces of a flat region are left out: those that could not push if their
// direction leaned a little over the edge.
#include <math.h>

#include "geometry/polyhedron.h"

enum { walls_points = 256 };
static const double walls_same_side =
    0.9; // cosine of the angle between normals of points that stand for each other

typedef struct WallPoints {
    const PolyhedronView *view;
    const Wall *wall;
    double margin;
    ShapePoints wanted;
    Vec3 way; // of the polyhedron in the step [m]
    int count;
    ShapeContact points[walls_points];
} WallPoints;

// The same vertex on two pieces of a region, or the same place on two pieces: the deeper one counts.
static void walls_add(WallPoints *found, const ShapeContact *point) {
    double near = 1e-6 * found->view->scale;
    int shallowest = 0;
    for (int i = 0; i < found->count; i++) {
        ShapeContact *known = &found->points[i];
        bool same = known->feature == point->feature ||
                    (vec3_norm2(vec3_sub(known->point, point->point)) < near * near &&
                     vec3_dot(known->normal, point->normal) > walls_same_side);
        if (same) {
            if (point->gap < known->gap) *known = *point;
            return;
        }
        if (known->gap > found->points[shallowest].gap) shallowest = i;
    }
    if (found->count < walls_points) found->points[found->count++] = *point;
    else if (point->gap < found->points[shallowest].gap) found->points[shallowest] = *point;
}

// ---- rooms ---------------------------------------------------------------------------------------
static void walls_visit_room(WallPoints *found) {
    for (int v = 0; v < found->view->count; v++) {
        WallContact contacts[WALL_CONTACT_MAX];
        Vec3 vertex = polyhedron_vertex(found->view, v);
        int count = wall_contacts_of_sphere(found->wall, vertex, 0, found->margin, contacts);
        for (int c = 0; c < count; c++) {
            ShapeContact point = {.gap = contacts[c].gap,
                                  .normal = contacts[c].normal,
                                  .point = vec3_madd(vertex, -0.5 * contacts[c].gap, contacts[c].normal),
                                  .feature = shape_feature(FEATURE_VERTEX_OF_A, v, contacts[c].feature)};
            // Vertices near the axis of a tube can touch its side in two directions: both are kept.
            if (found->count < walls_points) found->points[found->count++] = point;
            else walls_add(found, &point);
        }
    }
}

// ---- pieces --------------------------------------------------------------------------------------
// The piece as a body: with two faces, or a prism with these and one for each side.
enum { plate_corners = 2 * WALL_PIECE_CORNERS };
typedef struct PieceBody {
    Hull hull;
    HullFace faces[WALL_PIECE_CORNERS + 2];
    HullEdge edges[3 * WALL_PIECE_CORNERS];
    Vec3 vertices[plate_corners];
    int corners[3 * plate_corners], vertex_faces[3 * plate_corners];
    int vertex_start[plate_corners + 1];
    Vec3 center;
    double radius;
} PieceBody;

static void walls_place_plate(const WallPiece *piece, bool solid, PieceBody *plate) {
    int count = piece->count;
    plate->center = vec3_scale(0.5, piece->depth), plate->radius = 0;
    for (int k = 0; k < count; k++) plate->center = vec3_madd(plate->center, 1.0 / count, piece->corners[k]);
    for (int k = 0; k < count; k++) {
        plate->vertices[k] = vec3_sub(piece->corners[k], plate->center);
        if (solid) plate->vertices[count + k] = vec3_add(plate->vertices[k], piece->depth);
        plate->radius = fmax(plate->radius, vec3_norm(plate->vertices[k]));
        if (solid) plate->radius = fmax(plate->radius, vec3_norm(plate->vertices[count + k]));
    }
    for (int k = 0; k < (solid ? 2 : 1) * count; k++)
        plate->vertices[k] = vec3_scale(1 / plate->radius, plate->vertices[k]);
}

// Vertices 0 ... n - 1 are those of the given face 0, n ... 2 n - 1 those of the opposite face 1; face 2 + k stands on the
// edge from corner k to the next one.
static void walls_make_prism(int n, PieceBody *plate) {
    int *corner = plate->corners + 2 * n;
    for (int k = 0; k < n; k++) {
        int next = (k + 1) % n, before = (k + n - 1) % n;
        Vec3 a = plate->vertices[k], along = vec3_sub(plate->vertices[next], a);
        Vec3 normal = vec3_normalize(vec3_cross(vec3_sub(plate->vertices[n + k], a), along));
        plate->faces[2 + k] = (HullFace){normal, vec3_dot(normal, a), 2 * n + 4 * k, 4};
        *corner++ = next, *corner++ = k, *corner++ = n + k, *corner++ = n + next;
        plate->edges[k] = (HullEdge){{k, next}, {0, 2 + k}};
        plate->edges[n + k] = (HullEdge){{n + next, n + k}, {1, 2 + k}};
        plate->edges[2 * n + k] = (HullEdge){{k, n + k}, {2 + k, 2 + before}};
        for (int end = 0; end < 2; end++) {
            int *faces = plate->vertex_faces + 3 * (end * n + k);
            faces[0] = end, faces[1] = 2 + k, faces[2] = 2 + before;
            plate->vertex_start[end * n + k] = 3 * (end * n + k);
        }
    }
    plate->vertex_start[2 * n] = 6 * n;
}

static void walls_make_flat(int n, PieceBody *plate) {
    for (int k = 0; k < n; k++) {
        plate->edges[k] = (HullEdge){.vertex = {k, (k + 1) % n}, .face = {0, 1}};
        plate->vertex_faces[2 * k] = 0, plate->vertex_faces[2 * k + 1] = 1;
        plate->vertex_start[k] = 2 * k;
    }
    plate->vertex_start[n] = 2 * n;
}

static void walls_make_plate(const WallPiece *piece, PieceBody *plate) {
    int n = piece->count, back = vec3_norm2(piece->depth) > 0 ? n : 0;
    walls_place_plate(piece, back > 0, plate);
    if (back) walls_make_prism(n, plate);
    else walls_make_flat(n, plate);
    for (int k = 0; k < n; k++) plate->corners[k] = k, plate->corners[n + k] = back + n - 1 - k;
    Vec3 opposite = vec3_neg(piece->normal);
    plate->faces[0] = (HullFace){piece->normal, vec3_dot(piece->normal, plate->vertices[0]), 0, n};
    plate->faces[1] = (HullFace){opposite, vec3_dot(opposite, plate->vertices[back]), n, n};
    plate->hull = (Hull){.vertex_count = back + n,
                         .edge_count = back ? 3 * n : n,
                         .face_count = back ? n + 2 : 2,
                         .corner_count = back ? 6 * n : 2 * n,
                         .vertices = plate->vertices,
                         .edges = plate->edges,
                         .faces = plate->faces,
                         .corners = plate->corners,
                         .vertex_faces = plate->vertex_faces,
                         .vertex_start = plate->vertex_start};
}

// The names of points on pieces: a vertex by the region it touches, the rest by the piece.
static int64_t walls_name(const WallPiece *piece, int64_t feature) {
    int64_t kind = feature >> 60, a = feature >> 30 & 0x3fffffff, b = feature & 0x3fffffff;
    if (kind == FEATURE_VERTEX_OF_A) return shape_feature(FEATURE_VERTEX_OF_A, a, piece->group);
    int64_t part = ((int64_t)piece->index * 1031 + b) & 0x3fffffff;
    return shape_feature((ShapeFeature)kind, a, part);
}

static bool walls_is_over(const WallPiece *piece, Vec3 point) {
    for (int k = 0; k < piece->count; k++) {
        Vec3 a = piece->corners[k], b = piece->corners[(k + 1) % piece->count];
        if (vec3_dot(vec3_cross(piece->normal, vec3_sub(b, a)), vec3_sub(point, a)) < 0) return false;
    }
    return true;
}

// On which side of a thin piece the polyhedron is: 1 or -1. That of its centre, unless the centre is beyond an edge of the
// piece, where it may pass the plane while the rest stays: then that of the way out or, where this leads sideways, that of
// the vertex farthest from the plane.
static double walls_side(const PolyhedronView *view, const WallPiece *piece, Vec3 out) {
    static const double sideways = 0.3, near = 0.05; // cosine; of the size
    double side = vec3_dot(piece->normal, vec3_sub(view->center, piece->corners[0]));
    double along = vec3_dot(piece->normal, out), farthest = 0;
    if (walls_is_over(piece, view->center)) return side < 0 ? -1 : 1;
    if (fabs(along) > sideways) return along < 0 ? -1 : 1;
    for (int v = 0; v < view->count; v++) {
        Vec3 vertex = polyhedron_vertex(view, v);
        double height = vec3_dot(piece->normal, vec3_sub(vertex, piece->corners[0]));
        if (fabs(height) > fabs(farthest) && walls_is_over(piece, vertex)) farthest = height;
    }
    if (fabs(farthest) > near * view->scale) side = farthest;
    return side < 0 ? -1 : 1;
}

// Vertices right above or below the piece, along its normal on the side where the polyhedron is.
static void walls_add_vertices(WallPoints *found, const WallPiece *piece, Vec3 out) {
    const PolyhedronView *view = found->view;
    double side = walls_side(view, piece, out);
    Vec3 normal = vec3_scale(side, piece->normal);
    for (int v = 0; v < view->count; v++) {
        Vec3 vertex = polyhedron_vertex(view, v);
        double height = vec3_dot(normal, vec3_sub(vertex, piece->corners[0]));
        if (!(height < found->margin) || height < -view->scale || !walls_is_over(piece, vertex)) continue;
        ShapeContact point = {.gap = height,
                              .normal = normal,
                              .point = vec3_madd(vertex, -0.5 * height, normal),
                              .feature = shape_feature(FEATURE_VERTEX_OF_A, v, piece->group)};
        walls_add(found, &point);
    }
}

// Is a point on the edges of a flat piece one where the surface goes on?
static bool walls_is_inner(const WallPoints *found, const WallPiece *piece, const ShapeContact *point) {
    static const double lean = 0.01;
    double near = 1e-6 * found->view->scale;
    Vec3 on = vec3_madd(point->point, -0.5 * point->gap, point->normal), out = vec3_zero();
    if (point->feature >> 60 == FEATURE_VERTEX_OF_A) return false;
    for (int k = 0; k < piece->count; k++) {
        Vec3 a = piece->corners[k], along = vec3_sub(piece->corners[(k + 1) % piece->count], a);
        Vec3 outward = vec3_normalize(vec3_cross(along, piece->normal));
        if (fabs(vec3_dot(outward, vec3_sub(on, a))) < near) out = vec3_add(out, outward);
    }
    if (!(vec3_norm2(out) > 0)) return false;
    Vec3 direction = vec3_normalize(vec3_madd(point->normal, lean, vec3_normalize(out)));
    return !wall_piece_bears(found->wall, piece, on, direction);
}

static void walls_visit_piece(void *user, const WallPiece *piece) {
    WallPoints *found = user;
    const PolyhedronView *view = found->view;
    PieceBody plate;
    PolyhedronView flat;
    PolyhedronAxis axis;
    walls_make_plate(piece, &plate);
    polyhedron_view(&flat, &plate.hull, plate.radius, plate.center, mat3_identity());
    PolyhedronPlace place =
        polyhedron_distance(view, &flat, vec3_sub(view->center, plate.center), found->margin, &axis);
    if (place == POLYHEDRON_FAR) return;
    if (place == POLYHEDRON_OVERLAP) polyhedron_overlap(view, &flat, &axis);
    if (!(axis.separation < found->margin)) return;
    polyhedron_pass(view, &flat, found->way, &axis);
    PolyhedronFace face_a, face_b;
    polyhedron_face(view, axis.a[0], vec3_neg(axis.normal), &face_a);
    polyhedron_face(&flat, axis.b[0], axis.normal, &face_b);
    if (place == POLYHEDRON_APART) polyhedron_straighten(view, &flat, &face_a, &face_b, &axis);
    bool solid = vec3_norm2(piece->depth) > 0;
    if (!solid && !wall_piece_bears(found->wall, piece, axis.on_b, axis.normal)) {
        walls_add_vertices(found, piece, axis.normal);
        return;
    }
    ShapeContact points[SHAPE_CONTACT_MAX];
    int count = polyhedron_manifold(&axis, &face_a, &face_b, found->margin, view->scale,
                                    mat3_column(view->axes, 0), found->wanted, points);
    bool flat_too = !solid && found->wanted == SHAPE_ALL_POINTS;
    for (int i = 0; i < count; i++) {
        if (flat_too && walls_is_inner(found, piece, &points[i])) continue;
        points[i].feature = walls_name(piece, points[i].feature);
        walls_add(found, &points[i]);
    }
}

// ---- all -----------------------------------------------------------------------------------------
// Round the deepest point all that push the same way, then the rest likewise.
static int walls_reduce(WallPoints *found, Vec3 first, ShapeContact *contacts) {
    int count = 0;
    if (found->wanted == SHAPE_ALL_POINTS) {
        count = polyhedron_keep_deepest(found->points, found->count);
        for (int i = 0; i < count; i++) contacts[i] = found->points[i];
        return count;
    }
    while (found->count > 0 && count < SHAPE_CONTACT_MAX) {
        ShapeContact group[walls_points];
        int size = 0, rest = 0, deepest = 0;
        for (int i = 1; i < found->count; i++)
            if (found->points[i].gap < found->points[deepest].gap) deepest = i;
        Vec3 normal = found->points[deepest].normal;
        for (int i = 0; i < found->count; i++)
            if (vec3_dot(found->points[i].normal, normal) > walls_same_side) group[size++] = found->points[i];
            else found->points[rest++] = found->points[i];
        found->count = rest;
        size = polyhedron_reduce(group, size, first);
        for (int i = 0; i < size && count < SHAPE_CONTACT_MAX; i++) contacts[count++] = group[i];
    }
    return count;
}

int polyhedron_wall_contacts(const Shape *shape, const Pose *pose, const Wall *wall,
                             const ShapeSearch *search, ShapeContact *contacts) {
    double margin = search->margin;
    if (wall_distance_bound(wall, pose->position) >= shape->radius + margin) return 0;
    PolyhedronView view;
    polyhedron_view(&view, shape->form, shape->radius, pose->position,
                    quaternion_to_matrix(pose->orientation));
    WallPoints found; // setting all of it to zero would take longer than the rest
    found.view = &view, found.wall = wall, found.margin = margin, found.wanted = search->points;
    found.way = search->way, found.count = 0;
    if (wall_has_pieces(wall))
        wall_visit_pieces(wall, pose->position, shape->radius + margin, walls_visit_piece, &found);
    else walls_visit_room(&found);
    return walls_reduce(&found, mat3_column(view.axes, 0), contacts);
}
