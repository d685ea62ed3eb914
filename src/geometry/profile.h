// Thin surfaces with a profile: a chain of straight lines, turned about an axis or drawn along one. They can be touched
// from both sides.
//
// A sphere touches such a surface where the distance from its centre has a local minimum over the surface (mesh.h). In
// the plane of the profile that is the foot of the perpendicular inside a line, or an end of a line that is the nearest
// point of all the lines that meet there: an inner corner has one contact per line, an edge that sticks out one at the
// edge.
//
// Contacts with line k have the feature 2 k + 1, those with point k the feature 2 k.
#ifndef GEOMETRY_PROFILE_H
#define GEOMETRY_PROFILE_H

#include "geometry/wall_type.h"

typedef struct ProfilePoint {
    double at
        [2]; // turned: distance from the axis and place along it; drawn: along the two directions across [m]
} ProfilePoint;

enum { PROFILE_POINTS = 64, PROFILE_SIDES = 128 };

typedef struct Profile {
    const ProfilePoint *points;
    int count;        // of the points; line k goes from point k to point k + 1
    uint64_t missing; // bit k: line k is not there
    bool closed;      // another line goes from the last point to the first
} Profile;

typedef struct ProfileContact {
    double distance;     // from the surface [m]
    double direction[2]; // from it to the place, unit; zero: the place is on a point of the surface
    int feature;
    double across[2]; // of a line: unit, to the left of it; of a point: that of one of its lines
} ProfileContact;

// Local minima of the distance below `reach`; returns how many, at most WALL_CONTACT_MAX.
int profile_contacts(const Profile *profile, const double at[2], double reach, ProfileContact *contacts);
double profile_distance(const Profile *profile, const double at[2]);

// ---- turned about an axis ------------------------------------------------------------------------
typedef struct Axis {
    Vec3 center; // where the second coordinate is 0 [m]
    Vec3 axis;   // unit
} Axis;

int profile_turned_contacts(const Profile *profile, const Axis *axis, const Vec3 *center, double radius,
                            double margin, WallContact *contacts);
// The same in vectors: ends of lines, and places on the axis, are undecided. At most WALL_FACES lines.
void profile_turned_faces(const Profile *profile, const Axis *axis, const WallSpheres *spheres,
                          WallFaces *faces);
double profile_turned_distance(const Profile *profile, const Axis *axis, Vec3 point);
void profile_turned_pieces(const Profile *profile, const Axis *axis, Vec3 center, double reach,
                           WallPieceVisitor *visit, void *user);
bool profile_turned_surface(const Profile *profile, const Axis *axis, Surface *surface);
double profile_size(const Profile *profile); // the largest coordinate

#endif
