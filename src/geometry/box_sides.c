// With p the centre of the sphere from the middle of the box and h the half lengths, the point of the side across
// axis i that is nearest to p is
//
//     q_i = -h_i or h_i,     q_j = p_j, at least -h_j and at most h_j, for the other two axes j
//
// It counts where it is a local minimum of the distance over all sides that are there (mesh.h): if q lies at an edge
// or in a corner, it must be the nearest point of each side that meets there. The side across axis j at the end of
// p_j, which is beyond h_j, has the same nearest point if p_i is beyond q_i too; else that side is nearer, or, inside
// the box, the edge is a fold. Of several sides with the same point the first counts.
//
// The feature says for each axis whether q is at the lower end, between, or at the upper end.
#include "geometry/box_sides.h"

// Is side `side` of axis `axis` there and q its nearest point too? q lies in its plane.
static bool box_sides_shares(const BoxSides *box, Vec3 p, int axis, int side, int first_axis, double q) {
    if (box->missing >> (2 * axis + side) & 1) return false;
    double along = vec3_component(p, first_axis), h = vec3_component(box->half, first_axis);
    return fmin(fmax(along, -h), h) == q;
}

// The contact with one side; false: what is nearest belongs to another one.
static bool box_sides_find(const BoxSides *box, Vec3 p, int axis, int side, Vec3 *nearest, int *feature) {
    static const int digits[3] = {1, 3, 9};
    double q = (side ? 1 : -1) * vec3_component(box->half, axis);
    *nearest = p;
    vec3_set_component(nearest, axis, q);
    *feature = digits[axis] * (side ? 2 : 1);
    for (int j = 0; j < 3; j++) {
        double along = vec3_component(p, j), h = vec3_component(box->half, j);
        if (j == axis || fabs(along) <= h) continue;
        int end = along > 0;
        vec3_set_component(nearest, j, end ? h : -h);
        *feature += digits[j] * (end ? 2 : 1);
        if (box->missing >> (2 * j + end) & 1) continue;
        if (!box_sides_shares(box, p, j, end, axis, q) || j < axis) return false;
    }
    return true;
}

int box_sides_contacts(const BoxSides *box, Vec3 center, double radius, double margin,
                       WallContact *contacts) {
    Vec3 p = vec3_sub(center, box->center);
    int count = 0;
    for (int face = 0; face < 6; face++) {
        Vec3 nearest;
        int feature, axis = face / 2, side = face % 2;
        if (box->missing >> face & 1) continue;
        double across = vec3_component(p, axis) - (side ? 1 : -1) * vec3_component(box->half, axis);
        if (!(fabs(across) < radius + margin) || !box_sides_find(box, p, axis, side, &nearest, &feature))
            continue;
        Vec3 way = vec3_sub(p, nearest), normal = vec3_zero();
        double distance = vec3_norm(way);
        if (distance > 1e-12 * vec3_component(box->half, axis)) normal = vec3_scale(1 / distance, way);
        else vec3_set_component(&normal, axis, side ? -1 : 1); // on it: into the box
        count = wall_contact_add(contacts, count, distance - radius, margin, normal, feature);
    }
    return count;
}

double box_sides_distance(const BoxSides *box, Vec3 point) {
    Vec3 p = vec3_sub(point, box->center);
    double least = INFINITY;
    for (int face = 0; face < 6; face++) {
        if (box->missing >> face & 1) continue;
        Vec3 way = vec3_zero();
        for (int j = 0; j < 3; j++) {
            double along = vec3_component(p, j), h = vec3_component(box->half, j);
            double beyond = j == face / 2 ? along - (face % 2 ? h : -h) : fmax(fabs(along) - h, 0);
            vec3_set_component(&way, j, beyond);
        }
        least = fmin(least, vec3_norm(way));
    }
    return least;
}

void box_sides_pieces(const BoxSides *box, Vec3 center, double reach, WallPieceVisitor *visit, void *user) {
    if (!(box_sides_distance(box, center) < reach)) return;
    WallPiece piece = {.count = 4};
    for (int face = 0; face < 6; face++) {
        if (box->missing >> face & 1) continue;
        for (int k = 0; k < 4; k++)
            piece.corners[k] = vec3_add(box->center, wall_box_corner(box->half, wall_box_faces[face][k]));
        piece.normal = vec3_zero();
        vec3_set_component(&piece.normal, face / 2, face % 2 ? 1 : -1);
        piece.group = piece.index = face;
        if (fabs(vec3_dot(piece.normal, vec3_sub(center, piece.corners[0]))) < reach) visit(user, &piece);
    }
}

bool box_sides_surface(const BoxSides *box, Surface *surface) {
    int first = (int)surface->points.count;
    for (int i = 0; i < 8; i++)
        if (!surface_add_point(surface, vec3_add(box->center, wall_box_corner(box->half, i)))) return false;
    for (int face = 0; face < 6; face++)
        if (!(box->missing >> face & 1) && !surface_add_polygon(surface, wall_box_faces[face], 4, first))
            return false;
    return true;
}
