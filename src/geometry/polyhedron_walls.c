// Contacts of a polyhedron with a wall.
//
// A room is convex: the polyhedron is inside if its vertices are, and touches with those that are near, each as a
// sphere of radius 0. A solid wall is the other body of a pair. Thin walls (discs, meshes) are made of flat convex
// pieces. Each piece is treated as such a body too. A contact with a piece counts if the pieces beside it allow its
// direction (wall_piece_bears); otherwise only vertices of the polyhedron right above or below the piece count, along its
// normal, on the side from which they came (walls_side). So a flat floor is flat however it is cut.
//
// Of all points found, those with about the same normal are reduced together to four (polyhedron_reduce), unless all are
// asked for. Then points on the edges between pieces of a flat region are left out: those that could not push if their
// direction leaned a little over the edge. And then the border of a region counts for all of its pieces.
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

// Up to `near` beyond its edges, so that no place between two pieces is lost by rounding.
static bool walls_is_over(const WallPiece *piece, Vec3 point, double near) {
    for (int k = 0; k < piece->count; k++) {
        Vec3 a = piece->corners[k], along = vec3_sub(piece->corners[(k + 1) % piece->count], a);
        double inset = vec3_dot(vec3_cross(piece->normal, along), vec3_sub(point, a));
        if (inset < 0 && inset * inset > near * near * vec3_norm2(along)) return false;
    }
    return true;
}

static double walls_height(const WallPiece *piece, Vec3 point) {
    return vec3_dot(piece->normal, vec3_sub(point, piece->corners[0]));
}

// The line from a vertex over a piece to the centre of the polyhedron. All of it is inside the polyhedron: where the wall
// crosses it, the vertex has come through.
typedef struct WallsLine {
    Vec3 vertex, center;         // [m]
    const WallPiece *piece;      // that the vertex is over
    double depth, near;          // of the vertex in it; what rounding can tell [m]
    bool crosses, crosses_other; // its region; another one
    bool nearer;                 // the vertex is through another piece, by less
} WallsLine;

static void walls_visit_line(void *user, const WallPiece *piece) {
    WallsLine *line = user;
    double height = walls_height(piece, line->vertex), far = walls_height(piece, line->center);
    if (!(height * far < 0) || fabs(height) <= line->near) return;
    if (fabs(height) < line->depth - line->near && walls_is_over(piece, line->vertex, line->near))
        line->nearer = true;
    Vec3 way = vec3_sub(line->center, line->vertex);
    Vec3 place = vec3_madd(line->vertex, height / (height - far), way);
    if (!walls_is_over(piece, place, line->near)) return;
    if (piece->group == line->piece->group) line->crosses = true;
    else line->crosses_other = true;
}

// The side of a piece on which a vertex that is over it is held: 1, -1, or 0 for neither. A vertex whose line to the centre
// crosses the region of this piece has come through, and is held on the side of the centre by the piece in which it is least
// deep. One whose line crosses nothing is held where it is. One whose line crosses another region only is held by that. (The
// side of the centre alone is wrong where the surface ends or folds before the centre, and the shortest way out of a small
// piece leads over its edges: one in seven poses of a stone over the edge of a box of triangles had a wrong point.)
static double walls_side(const WallPoints *found, const WallPiece *piece, Vec3 vertex, double height) {
    Vec3 center = found->view->center;
    double near = 1e-9 * found->view->scale, far = walls_height(piece, center), side = far < 0 ? -1 : 1;
    bool opposite = height * far < 0;
    if (opposite && -side * height <= near) return side;
    WallsLine line = {vertex, center, piece, fabs(height), near, false, false, false};
    double half = 0.5 * vec3_norm(vec3_sub(center, vertex));
    wall_visit_pieces(found->wall, vec3_scale(0.5, vec3_add(vertex, center)), half, walls_visit_line, &line);
    if (opposite && line.crosses) return line.nearer ? 0 : side;
    if (line.crosses || line.crosses_other) return 0;
    return opposite ? -side : side;
}

// Vertices right above or below the piece, along its normal.
static void walls_add_vertices(WallPoints *found, const WallPiece *piece) {
    const PolyhedronView *view = found->view;
    double near = 1e-9 * view->scale, far = walls_height(piece, view->center);
    for (int v = 0; v < view->count; v++) {
        Vec3 vertex = polyhedron_vertex(view, v);
        double height = walls_height(piece, vertex);
        bool opposite = height * far < 0;
        if (!(fabs(height) < (opposite ? view->scale : found->margin))) continue;
        if (!walls_is_over(piece, vertex, near)) continue;
        double side = walls_side(found, piece, vertex, height);
        if (side == 0 || !(side * height < found->margin)) continue;
        Vec3 normal = vec3_scale(side, piece->normal);
        ShapeContact point = {.gap = side * height,
                              .normal = normal,
                              .point = vec3_madd(vertex, -0.5 * height, piece->normal),
                              .feature = shape_feature(FEATURE_VERTEX_OF_A, v, piece->group)};
        walls_add(found, &point);
    }
}

// Is a point on edges of a flat piece, and does the surface go on beyond all of them? (At a corner of the border it ends
// beyond one.)
static bool walls_is_inner(const WallPoints *found, const WallPiece *piece, const ShapeContact *point) {
    static const double lean = 0.01;
    double near = 1e-6 * found->view->scale;
    Vec3 on = vec3_madd(point->point, -0.5 * point->gap, point->normal);
    bool inner = false;
    if (point->feature >> 60 == FEATURE_VERTEX_OF_A) return false;
    for (int k = 0; k < piece->count; k++) {
        Vec3 a = piece->corners[k], along = vec3_sub(piece->corners[(k + 1) % piece->count], a);
        Vec3 outward = vec3_normalize(vec3_cross(along, piece->normal));
        if (fabs(vec3_dot(outward, vec3_sub(on, a))) >= near) continue;
        if (wall_piece_bears(found->wall, piece, on, vec3_normalize(vec3_madd(point->normal, lean, outward))))
            return false;
        inner = true;
    }
    return inner;
}

// Of the points between two faces: all; without those on inner edges; of these not the vertices of the polyhedron either.
typedef enum WallsKept { WALLS_ALL, WALLS_NOT_INNER, WALLS_BORDER } WallsKept;

static void walls_add_manifold(WallPoints *found, const WallPiece *piece, const PolyhedronView *flat,
                               const PolyhedronAxis *axis, WallsKept kept) {
    const PolyhedronView *view = found->view;
    PolyhedronFace face_a, face_b;
    ShapeContact points[SHAPE_CONTACT_MAX];
    polyhedron_face(view, axis->a[0], vec3_neg(axis->normal), &face_a);
    polyhedron_face(flat, axis->b[0], axis->normal, &face_b);
    int count = polyhedron_manifold(axis, &face_a, &face_b, found->margin, view->scale,
                                    mat3_column(view->axes, 0), found->wanted, points);
    for (int i = 0; i < count; i++) {
        if (kept == WALLS_BORDER && points[i].feature >> 60 == FEATURE_VERTEX_OF_A) continue;
        if (kept != WALLS_ALL && walls_is_inner(found, piece, &points[i])) continue;
        points[i].feature = walls_name(piece, points[i].feature);
        walls_add(found, &points[i]);
    }
}

// Where the way out leans little, points on the border of the surface carry as well, along the normal. (While only the piece
// with the deepest point had them, the springs of a brick over the rim of a ring came and went, and its energy doubled.)
static void walls_add_border(WallPoints *found, const WallPiece *piece, const PolyhedronView *flat,
                             const PolyhedronAxis *axis) {
    static const double upright = 0.995; // cosine
    double along = vec3_dot(axis->normal, piece->normal), most;
    if (fabs(along) < upright) return;
    PolyhedronAxis across = {.normal = vec3_scale(along < 0 ? -1 : 1, piece->normal), .a_count = 1};
    across.a[0] = polyhedron_support(found->view, vec3_neg(across.normal), &most);
    across.separation = -most - vec3_dot(across.normal, piece->corners[0]);
    across.on_a = across.on_b = polyhedron_vertex(found->view, across.a[0]);
    walls_add_manifold(found, piece, flat, &across, WALLS_BORDER);
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
    bool solid = vec3_norm2(piece->depth) > 0;
    if (place == POLYHEDRON_FAR) {
        // Vertices of a slanting tip may be through it where the tip itself is not over it.
        double along = vec3_dot(piece->normal, axis.normal);
        if (!solid && along * walls_height(piece, view->center) < 0) walls_add_vertices(found, piece);
        return;
    }
    if (place == POLYHEDRON_OVERLAP) polyhedron_overlap(view, &flat, &axis);
    if (!(axis.separation < found->margin)) return;
    polyhedron_pass(view, &flat, found->way, &axis);
    if (place == POLYHEDRON_APART) {
        PolyhedronFace face_a, face_b;
        polyhedron_face(view, axis.a[0], vec3_neg(axis.normal), &face_a);
        polyhedron_face(&flat, axis.b[0], axis.normal, &face_b);
        polyhedron_straighten(view, &flat, &face_a, &face_b, &axis);
    }
    bool all = found->wanted == SHAPE_ALL_POINTS;
    if (solid || wall_piece_bears(found->wall, piece, axis.on_b, axis.normal)) {
        walls_add_manifold(found, piece, &flat, &axis, !solid && all ? WALLS_NOT_INNER : WALLS_ALL);
        return;
    }
    walls_add_vertices(found, piece);
    if (all) walls_add_border(found, piece, &flat, &axis);
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
