// Mass properties of a rigid body.
#ifndef MATH_INERTIA_H
#define MATH_INERTIA_H

#include "math/mat3.h"

typedef struct Inertia {
    double mass; // [kg]
    Vec3 centre; // centre of mass, from the origin of the axes in use [m]
    Mat3 tensor; // about the centre of mass, in the axes in use [kg m^2]
} Inertia;

// The symmetric tensor with the elements xx, yy, zz, xy, yz, zx, as model files give them.
static inline Mat3 inertia_matrix(const double six[6]) {
    return (Mat3){{{six[0], six[3], six[5]}, {six[3], six[1], six[4]}, {six[5], six[4], six[2]}}};
}

// ---- change of point, axes and composition -------------------------------------------------------
Mat3 inertia_about(Inertia body, Vec3 point); // tensor about another point than the centre of mass
Inertia inertia_from_point(double mass, Vec3 centre, Mat3 tensor_about_point, Vec3 point); // the way back
Inertia inertia_translate(Inertia body, Vec3 shift);                                       // the body moved
Inertia inertia_rotate(Inertia body, Mat3 rotation); // the body turned about the origin
Inertia inertia_add(Inertia a, Inertia b);           // both as one rigid body
Vec3 inertia_principal(Inertia body, Mat3 *axes);    // principal moments, ascending; axes as columns, or NULL

// Finite, mass above zero, tensor symmetric and positive definite, and no principal moment above the sum of
// the other two: what a distribution of mass in space can have.
bool inertia_is_valid(Inertia body);

// ---- simple solids, centred on the origin; axis of revolution z ----------------------------------
Inertia inertia_sphere(double mass, double radius);
Inertia inertia_box(double mass, Vec3 sides); // full lengths
Inertia inertia_cylinder(double mass, double radius, double height);
Inertia inertia_tube(double mass, double inner_radius, double outer_radius, double height);

#endif
