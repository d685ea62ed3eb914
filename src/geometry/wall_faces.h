// Contacts of a vector of spheres with one wall: what wall_contacts_at finds for one sphere, for as many of them as there
// are lanes (simd.h). Only the plain cases are done in vectors, a sphere against the inside of a flat or round face. Lanes with
// others, as a sphere at a rim or on an axis, are left to wall_contacts_at.
#ifndef GEOMETRY_WALL_FACES_H
#define GEOMETRY_WALL_FACES_H

#include "geometry/wall.h"
#include "math/vec3_wide.h"

typedef struct WallSpheres {
    Vec3Wide center; // in the axes of the wall [m]
    Wide radius;     // [m]
    Wide margin;     // contacts with a gap below it are found [m]
} WallSpheres;

typedef struct WallFace {
    WideMask lanes; // that touch this face
    Wide gap;       // as those of a WallContact
    Vec3Wide normal;
    int32_t feature;
} WallFace;

enum { WALL_FACES = 6 };
typedef struct WallFaces {
    int count; // of faces that some lane touches
    WallFace faces[WALL_FACES];
    WideMask undecided; // lanes to be done by wall_contacts_at, whatever the faces say
} WallFaces;

// False: this wall has no such function. Faces come in the order in which wall_contacts_at finds them.
bool wall_faces(const Wall *wall, const WallSpheres *spheres, WallFaces *faces);

// ---- for kinds of walls --------------------------------------------------------------------------
static inline void
wall_faces_begin(WallFaces *faces) { // the faces themselves are some 2 kB: left as they are
    faces->count = 0;
    faces->undecided = wide_mask_first(0);
}

// Appends the face for the lanes that it is in reach of.
static inline void wall_faces_add(WallFaces *faces, const WallSpheres *spheres, Wide gap, Vec3Wide normal,
                                  int32_t feature) {
    WideMask lanes = wide_less(gap, spheres->margin);
    if (!wide_mask_any(lanes)) return;
    faces->faces[faces->count++] =
        (WallFace){.lanes = lanes, .gap = gap, .normal = normal, .feature = feature};
}

#endif
