// Some of the six sides of a box, as thin rectangles that can be touched from both sides: box_sides.c.
#ifndef GEOMETRY_BOX_SIDES_H
#define GEOMETRY_BOX_SIDES_H

#include "geometry/wall_pieces.h"

typedef struct BoxSides {
    Vec3 center; // [m]
    Vec3 half;   // half lengths along x, y, z [m]
    int missing; // bit 2 i: the lower side across axis i is not there; bit 2 i + 1: the upper one
} BoxSides;

int box_sides_contacts(const BoxSides *box, Vec3 center, double radius, double margin, WallContact *contacts);
double box_sides_distance(const BoxSides *box, Vec3 point);
void box_sides_pieces(const BoxSides *box, Vec3 center, double reach, WallPieceVisitor *visit, void *user);
bool box_sides_surface(const BoxSides *box, Surface *surface);

#endif
