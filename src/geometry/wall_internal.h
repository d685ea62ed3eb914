// What one kind of wall provides: a row of the table in wall.c.
#ifndef GEOMETRY_WALL_INTERNAL_H
#define GEOMETRY_WALL_INTERNAL_H

#include "geometry/wall.h"

typedef struct WallType {
    const char *name; // as in the model file
    int (*contacts)(const Wall *wall, Vec3 center, double radius, double margin, WallContact *contacts);
    int contact_limit;                               // most contacts that it can find
    double (*inset)(const Wall *wall, Vec3 point);   // smallest signed distance to the faces, inside positive
    double (*outside)(const Wall *wall, Vec3 point); // NULL: where the inset is negative
    bool (*bounds)(const Wall *wall, Vec3 *lower, Vec3 *upper);
    double (*volume)(const Wall *wall);
    bool (*surface)(const Wall *wall, Surface *surface);                   // appends; false: out of memory
    MrcStatus (*prepare)(Wall *wall, const char *folder, MrcError *error); // NULL: nothing to do
    void (*release)(Wall *wall);                                           // NULL: nothing to do
} WallType;

extern const WallType wall_type_plane, wall_type_box, wall_type_cylinder, wall_type_sphere, wall_type_capsule,
    wall_type_cone, wall_type_mesh;

// Appends the contact when it is within reach; returns the new number of contacts.
static inline int wall_contact_add(WallContact *contacts, int count, double gap, double margin, Vec3 normal,
                                   int feature) {
    if (!(gap < margin)) return count;
    contacts[count] = (WallContact){.gap = gap, .normal = normal, .feature = feature};
    return count + 1;
}

// Pieces of pictures. Corners are numbered from `first`, the number of points before this wall's own.
bool surface_add_point(Surface *surface, Vec3 point);
bool surface_add_polygon(Surface *surface, const int *corners, int count, int first);

#endif
