// Walls made of a triangle mesh: what those from a file (wall_mesh.c) share with those that are built of keys, whose struct
// begins with a WallMesh.
#ifndef GEOMETRY_WALL_MESH_H
#define GEOMETRY_WALL_MESH_H

#include "geometry/wall_type.h"

typedef struct WallMesh {
    const char *file; // STL, binary or ASCII; relative to the folder given to wall_prepare
    double scale;     // metres per unit of the file [m]
    Vec3 offset;      // added after scaling [m]
    bool solid;       // a closed mesh is the skin of a body that grains stay out of, not of a room
    Mesh *mesh;       // by wall_prepare; copies of a Wall share it, one of them is released
} WallMesh;

void wall_mesh_release(Wall *wall);
bool wall_mesh_is_prepared(const Wall *wall);
uint64_t wall_mesh_hash_files(const Wall *wall, uint64_t hash);
int wall_mesh_contacts(const Wall *wall, const Vec3 *at, double radius, double margin, WallContact *contacts);
void wall_mesh_pieces(const Wall *wall, Vec3 center, double reach, WallPieceVisitor *visit, void *user);
bool wall_mesh_bears(const Wall *wall, const WallPiece *piece, Vec3 point, Vec3 direction);
double wall_mesh_inset(const Wall *wall, Vec3 point);
double wall_mesh_outside(const Wall *wall, Vec3 point);
bool wall_mesh_bounds(const Wall *wall, Vec3 *lower, Vec3 *upper);
double wall_mesh_volume(const Wall *wall);
bool wall_mesh_surface(const Wall *wall, Surface *surface);

// The rows of a type that they fill.
#define WALL_MESH_GEOMETRY                                                                                   \
    .contacts = wall_mesh_contacts, .pieces = wall_mesh_pieces, .bears = wall_mesh_bears,                    \
    .contact_limit = WALL_CONTACT_MAX, .inset = wall_mesh_inset, .outside = wall_mesh_outside,               \
    .bounds = wall_mesh_bounds, .volume = wall_mesh_volume, .surface = wall_mesh_surface,                    \
    .release = wall_mesh_release, .is_prepared = wall_mesh_is_prepared, .hash_files = wall_mesh_hash_files

#endif
