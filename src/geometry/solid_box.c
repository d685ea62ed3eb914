#include "geometry/solid_box.h"

SolidBoxPlace solid_box_place(Vec3 half, Vec3 p) {
    SolidBoxPlace place = {.feature = 0};
    Vec3 beyond = vec3_zero();
    double depth = INFINITY;
    int face = 0;
    for (int i = 0, digit = 1; i < 3; i++, digit *= 3) {
        double x = vec3_component(p, i), h = vec3_component(half, i), out = fabs(x) - h;
        if (out > 0) vec3_set_component(&beyond, i, copysign(out, x));
        if (out > 0) place.feature += digit * (x < 0 ? 1 : 2);
        if (-out < depth) depth = -out, face = i;
    }
    place.distance = vec3_norm(beyond);
    if (place.distance > 0) {
        place.normal = vec3_scale(1 / place.distance, beyond);
        return place;
    }
    double side = vec3_component(p, face) < 0 ? -1 : 1;
    static const int digits[3] = {1, 3, 9};
    place.distance = -depth;
    place.normal = vec3_zero();
    vec3_set_component(&place.normal, face, side);
    place.feature = digits[face] * (side < 0 ? 1 : 2);
    return place;
}

void solid_box_piece(Vec3 center, Vec3 half, Mat3 axes, WallPiece *piece) {
    piece->count = 4;
    for (int k = 0; k < 4; k++)
        piece->corners[k] = vec3_add(center, mat3_apply(axes, wall_box_corner(half, wall_box_faces[5][k])));
    piece->normal = mat3_column(axes, 2);
    piece->depth = vec3_scale(-2 * half.z, piece->normal);
    piece->group = piece->index = 0;
}

bool solid_box_surface(Vec3 center, Vec3 half, Mat3 axes, Surface *surface) {
    int first = (int)surface->points.count;
    for (int i = 0; i < 8; i++)
        if (!surface_add_point(surface, vec3_add(center, mat3_apply(axes, wall_box_corner(half, i)))))
            return false;
    for (int i = half.z > 0 ? 0 : 5; i < 6; i++)
        if (!surface_add_polygon(surface, wall_box_faces[i], 4, first)) return false;
    return true;
}
