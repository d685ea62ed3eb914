// How a grain turns by itself: turning.c.
#ifndef GRAINS_TURNING_H
#define GRAINS_TURNING_H

#include "geometry/shape.h"

typedef struct ShapeTurning { // of a shape of mass 1 and radius 1, own axes
    Mat3 inertia, inverse;
    bool round; // a sphere: it turns with a constant spin
} ShapeTurning;

ShapeTurning turning_of_shape(const Shape *shape); // of any radius

// Turns the orientation (w, x, y, z) for the time h, from a spin in world axes; returns the spin afterwards.
Vec3 turning_turn(const ShapeTurning *turning, double orientation[4], Vec3 spin, double h);

// World axes, of a grain of this radius and inverse mass [1/(kg m^2)].
Mat3 turning_inverse_inertia(const ShapeTurning *turning, Quaternion orientation, double radius,
                             double inverse_mass);

#endif
