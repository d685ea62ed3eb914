// Rooms of revolution with two flat ends, of which one or both may be missing: what open cylinders and cones share.
// What is left is a thin surface then (profile.h), which grains can touch from outside and at its rims.
#ifndef GEOMETRY_OPEN_ENDS_H
#define GEOMETRY_OPEN_ENDS_H

#include "geometry/profile.h"

enum { OPEN_START = 1, OPEN_END = 4 }; // lines of the profile: end, side, end

typedef struct OpenEnds {
    Axis axis;                       // through the middle of the room
    double radius_start, radius_end; // inner [m]
    double height;                   // inner [m]
    int open;                        // OPEN_START, OPEN_END or both
} OpenEnds;

extern const SchemaChoice open_ends_choices[];
#define OPEN_ENDS_DOC                                                                                        \
    "Ends that are not there: `start` or `bottom`, `end` or `top`, along the axis. What is left is "         \
    "thin then: "                                                                                            \
    "grains can touch it from outside too."

void open_ends_describe(int open, Text *text); // ", open at its start"; nothing when it is closed
int open_ends_contacts(const OpenEnds *ends, const Vec3 *center, double radius, double margin,
                       WallContact *contacts);
void open_ends_faces(const OpenEnds *ends, const WallSpheres *spheres, WallFaces *faces);
double open_ends_distance(const OpenEnds *ends, Vec3 point);
void open_ends_pieces(const OpenEnds *ends, Vec3 center, double reach, WallPieceVisitor *visit, void *user);
bool open_ends_surface(const OpenEnds *ends, Surface *surface);

#endif
