// Volume, first and second moments of the union of spheres and convex polyhedra: what several overlap in counts once.
#ifndef GEOMETRY_UNION_MOMENTS_H
#define GEOMETRY_UNION_MOMENTS_H

#include "geometry/hull.h"

typedef struct UnionPart {
    const Hull *hull; // NULL: a sphere
    Vec3 center;      // of the sphere, or centre of mass of the hull [m]
    double radius;    // of the sphere, or what the hull of radius 1 is scaled with [m]
} UnionPart;

typedef struct UnionMoments {
    double volume; // [m^3]
    Vec3 first;    // integral of x [m^4]
    Mat3 second;   // integral of x x^T [m^5]
} UnionMoments;

UnionMoments union_moments_of_part(const UnionPart *part); // one part alone, in closed form

// All parts together. Relative error: rounding where all parts are polyhedra and no three of them meet in a point that is a
// corner of none, else 1e-11 of what a sphere around all of them has.
MrcStatus union_moments(const UnionPart *parts, int count, UnionMoments *sum, MrcError *error);

#endif
