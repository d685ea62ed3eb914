// Clumps: several spheres and convex polyhedra on one rigid body. The body is their union: where parts overlap, there is
// mass once. Parts need not touch: those that do not are held at their distance, as by a rod without mass or size.
//
// A clump is kept with its centre of mass at the origin and scaled to radius 1, as hulls are (hull.h), so that grains of any
// size can share it. Clumps do not change once made.
#ifndef GEOMETRY_CLUMP_H
#define GEOMETRY_CLUMP_H

#include "geometry/hull.h"
#include "geometry/shape.h"

enum { CLUMP_PARTS_MAX = 200 };

typedef struct ClumpPart {
    Shape shape; // a sphere or a polyhedron
    Vec3 center; // of the sphere, or centre of mass of the polyhedron; its axes are those of the clump
} ClumpPart;

typedef struct Clump {
    int part_count, polyhedron_count;
    ClumpPart *parts;
    ClumpPart outer;    // convex hull of all polyhedra, of two or more; its shape has no form: there is none
    int piece_count;    // groups of parts that touch each other
    double finest;      // radius of the smallest part, of the scaled clump
    double coarsest;    // of the largest
    double shaking;     // m w^2/k on springs k at its spheres (clump_shaking); 0: it has none
    double volume;      // of the scaled clump
    Mat3 second_moment; // integral of x x^T over it, divided by its volume
    Vec3 center;        // centre of mass of the parts given, in their axes [m]
    double radius;      // of the smallest sphere around it that holds all parts [m]
} Clump;

// Of parts with places and radii [m]. The clump takes over the hulls of the parts, also if it fails. `name` is for messages
// ("the body of 'stones'").
MrcStatus clump_create(Clump **clump, const ClumpPart *parts, int count, const char *name, MrcError *error);
void clump_destroy(Clump *clump); // NULL is fine

// How springs at its parts shake it: the largest eigenvalue m w^2/k of the clump on springs k at all spheres that a plane can touch
// at once, or at one of them; 0 without spheres. w is the angular frequency, m the mass.
double clump_shaking(const Clump *clump);

uint64_t clump_hash(const Clump *clump, uint64_t hash); // of its parts and of the radius it was made with

#endif
