// Walls: surfaces that grains touch, in the axes of the port that carries them. Concave sides are inside:
// grains live inside a box, a cylinder, a capsule, a cone or a sphere, and on the side of a plane that its
// normal points to. A mesh is a thin surface that can be touched from both sides.
//
// A wall is plain data plus one row in the table of wall.c; adding a kind is one file wall_NAME.c and one
// row.
#ifndef GEOMETRY_WALL_H
#define GEOMETRY_WALL_H

#include "base/error.h"
#include "base/memory.h"
#include "geometry/mesh.h"
#include "math/vec3.h"

typedef enum WallKind {
    WALL_PLANE,
    WALL_BOX,
    WALL_CYLINDER,
    WALL_SPHERE,
    WALL_CAPSULE,
    WALL_CONE,
    WALL_MESH,
    WALL_KIND_COUNT
} WallKind;

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

typedef struct WallCapsule {
    Vec3 center;   // middle of the axis [m]
    Vec3 axis;     // unit
    double radius; // inner, of the tube and of the two half spheres [m]
    double length; // between the centres of the half spheres [m], >= 0
} WallCapsule;

typedef struct WallCone {
    Vec3 center;         // middle of the axis [m]
    Vec3 axis;           // unit, from start to end
    double radius_start; // inner, at center - axis height / 2 [m], >= 0; 0: the apex, no flat end there
    double radius_end;   // inner, at center + axis height / 2 [m], >= 0, not 0 together with radius_start
    double height;       // inner, between the two ends [m]
} WallCone;

typedef struct WallMesh {
    const char *file; // STL, binary or ASCII; relative to the folder given to wall_prepare
    double scale;     // metres per unit of the file [m]
    Vec3 offset;      // added after scaling [m]
    bool solid;       // a closed mesh is the skin of a body that grains stay out of, not of a room
    Mesh *mesh;       // by wall_prepare; copies of a Wall share it, one of them is released
} WallMesh;

typedef struct Wall {
    WallKind kind;
    union {
        WallPlane plane;
        WallBox box;
        WallCylinder cylinder;
        WallSphere sphere;
        WallCapsule capsule;
        WallCone cone;
        WallMesh mesh;
    };
} Wall;

// One place where a sphere is near a wall.
typedef struct WallContact {
    double gap;  // distance from the sphere's surface to the wall, negative when they overlap [m]
    Vec3 normal; // unit, from the wall into the grain
    int feature; // which part of the wall, >= 0: the same from step to step, no two contacts of a sphere with
                 // one wall share it. Small for all kinds but meshes (mesh.h): a key, not an index
} WallContact;

enum { WALL_CONTACT_MAX = 12 };

// Reads what the wall needs from files (meshes), relative to `folder`; other kinds need nothing. To be called
// once, before anything else is asked of the wall.
MrcStatus wall_prepare(Wall *wall, const char *folder, MrcError *error);
void wall_release(Wall *wall); // gives back what wall_prepare took
bool wall_is_prepared(const Wall *wall);

// Contacts of the sphere (center, radius) with gap < margin, the deepest WALL_CONTACT_MAX of them. Returns
// their number.
int wall_contacts(const Wall *wall, Vec3 center, double radius, double margin, WallContact *contacts);
int wall_contact_limit(const Wall *wall); // the most that this wall can have, at most WALL_CONTACT_MAX

// The largest distance by which the point is outside the room (0 when inside): for finding lost grains.
double wall_outside(const Wall *wall, Vec3 point);

// A lower bound on the distance from a point in the room to the wall, for leaving grains that are far from it
// alone: exact for all kinds but meshes, where it is above three quarters of the distance. 0 outside.
double wall_distance_bound(const Wall *wall, Vec3 point);

// The box around the room, for placing grains; false when it is unbounded (plane, mesh with holes).
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
