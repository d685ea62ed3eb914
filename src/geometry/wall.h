// Walls: surfaces that grains touch, in the axes of the port that carries them. Concave sides are inside:
// grains live inside a box, a cylinder or a sphere, and on the side of a plane that its normal points to.
//
// A wall is plain data plus one row in the table of wall.c; adding a kind is one file wall_NAME.c and one
// row.
#ifndef GEOMETRY_WALL_H
#define GEOMETRY_WALL_H

#include "base/error.h"
#include "base/memory.h"
#include "math/vec3.h"

typedef enum WallKind { WALL_PLANE, WALL_BOX, WALL_CYLINDER, WALL_SPHERE, WALL_KIND_COUNT } WallKind;

typedef struct WallPlane {
    Vec3 point;  // any point of the plane [m]
    Vec3 normal; // unit, into the room of the grains
} WallPlane;

typedef struct WallBox {
    Vec3 center; // [m]
    Vec3 size;   // full inner lengths along x, y, z [m]
} WallBox;

typedef struct WallCylinder {
    Vec3 center;   // middle of the axis [m]
    Vec3 axis;     // unit
    double radius; // inner [m]
    double height; // inner, between the two flat ends [m]
} WallCylinder;

typedef struct WallSphere {
    Vec3 center;   // [m]
    double radius; // inner [m]
} WallSphere;

typedef struct Wall {
    WallKind kind;
    union {
        WallPlane plane;
        WallBox box;
        WallCylinder cylinder;
        WallSphere sphere;
    };
} Wall;

// One place where a sphere is near a wall.
typedef struct WallContact {
    double gap;  // distance from the sphere's surface to the wall, negative when they overlap [m]
    Vec3 normal; // unit, from the wall into the grain
    int feature; // which face of the wall: stable from step to step, below WALL_CONTACT_MAX per wall
} WallContact;

enum { WALL_CONTACT_MAX = 6 };

// Contacts of the sphere (center, radius) with gap < margin; at most WALL_CONTACT_MAX. Returns their number.
int wall_contacts(const Wall *wall, Vec3 center, double radius, double margin, WallContact *contacts);

// The largest distance by which the point is outside the room (0 when inside): for finding lost grains.
double wall_outside(const Wall *wall, Vec3 point);

// The box around the room, for placing grains; false when it is unbounded (plane).
bool wall_bounds(const Wall *wall, Vec3 *lower, Vec3 *upper);

double wall_volume(const Wall *wall); // of the room; INFINITY when unbounded

// A surface for pictures: points and polygons (VTK order: outward or not does not matter).
typedef struct Surface {
    ARRAY(Vec3) points;
    ARRAY(int) corners; // of all polygons, one after the other
    ARRAY(int) ends;    // index after the last corner of each polygon
} Surface;

MrcStatus wall_surface(const Wall *wall, Surface *surface, MrcError *error); // appends
void surface_free(Surface *surface);

const char *wall_kind_name(WallKind kind); // "cylinder"

#endif
