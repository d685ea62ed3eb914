// The nearest point of a solid box, or of a thin rectangle when it has no height. With p the place in the axes of the
// box, h its half lengths and q the point of the box nearest to p (each component of p, at least -h and at most h):
//
//     p outside   distance = |p - q|,               normal = (p - q) / |p - q|
//     p inside    distance = -min_i (h_i - |p_i|),  normal outward across the face that is nearest
//
// The feature says for each axis whether q is at the lower end, between or at the upper end: faces, edges and corners
// have numbers of their own, from 1 to 26.
#ifndef GEOMETRY_SOLID_BOX_H
#define GEOMETRY_SOLID_BOX_H

#include "geometry/wall_pieces.h"
#include "math/mat3.h"

typedef struct SolidBoxPlace {
    double distance; // from the surface, negative inside [m]
    Vec3 normal;     // outward, in the axes of the box
    int feature;
} SolidBoxPlace;

enum { SOLID_BOX_FEATURES = 27 };

SolidBoxPlace solid_box_place(Vec3 half, Vec3 p);
// The box as a prism on its upper face, or, when it has no height, as a rectangle.
void solid_box_piece(Vec3 center, Vec3 half, Mat3 axes, WallPiece *piece);
bool solid_box_surface(Vec3 center, Vec3 half, Mat3 axes, Surface *surface);

#endif
