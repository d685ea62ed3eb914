#include "geometry/wall_pieces.h"

typedef struct PiecesBearing {
    Vec3 point, direction;
    double near; // two points that are nearer are one [m]
    bool bears;
} PiecesBearing;

static bool wall_pieces_is_on(const WallPiece *piece, Vec3 point, double near) {
    if (fabs(vec3_dot(piece->normal, vec3_sub(point, piece->corners[0]))) > near) return false;
    for (int k = 0; k < piece->count; k++) {
        Vec3 a = piece->corners[k], along = vec3_sub(piece->corners[(k + 1) % piece->count], a);
        Vec3 inward = vec3_cross(piece->normal, along);
        if (vec3_dot(inward, vec3_sub(point, a)) < -near * vec3_norm(along)) return false;
    }
    return true;
}

static void wall_pieces_test(void *user, const WallPiece *piece) {
    PiecesBearing *b = user;
    if (!b->bears || !wall_pieces_is_on(piece, b->point, b->near)) return;
    for (int k = 0; k < piece->count; k++) {
        Vec3 way = vec3_sub(piece->corners[k], b->point);
        if (vec3_dot(way, b->direction) > 1e-6 * vec3_norm(way) + b->near) b->bears = false;
    }
}

bool wall_pieces_bear(const Wall *wall, double size, Vec3 point, Vec3 direction) {
    PiecesBearing bearing = {point, direction, 1e-9 * size, true};
    wall_visit_pieces(wall, point, 2e-9 * size, wall_pieces_test, &bearing);
    return bearing.bears;
}

const int wall_box_faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                  {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

Vec3 wall_box_corner(Vec3 half, int corner) {
    return vec3(corner & 1 ? half.x : -half.x, corner & 2 ? half.y : -half.y, corner & 4 ? half.z : -half.z);
}
