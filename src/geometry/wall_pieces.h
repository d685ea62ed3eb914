// Flat convex pieces that kinds of walls make themselves, for grains with faces (wall_visit_pieces).
#ifndef GEOMETRY_WALL_PIECES_H
#define GEOMETRY_WALL_PIECES_H

#include "geometry/wall_type.h"

// Can the wall push along this direction at this point? A point of a piece can, if no piece that the point lies on
// goes further that way: inside a piece along its normal only, at an edge that sticks out along any direction between
// those of its pieces, in a fold along none. `size`: of the wall, for what rounding can tell [m].
bool wall_pieces_bear(const Wall *wall, double size, Vec3 point, Vec3 direction);

// The corners of a box, bit 0 for x, bit 1 for y, bit 2 for z, and its faces 2 i (lower) and 2 i + 1 (upper).
Vec3 wall_box_corner(Vec3 half, int corner);
extern const int wall_box_faces[6][4];

#endif
