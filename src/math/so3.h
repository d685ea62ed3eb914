// Maps between rotation matrices and three parameters, with their differentials.
//
// Angular velocities and rotation increments are in world axes: d(R) R^T = skew(d theta).
#ifndef MATH_SO3_H
#define MATH_SO3_H

#include "math/mat3.h"

// ---- rotation vector phi = angle times axis ------------------------------------------------------
Mat3 so3_exp(Vec3 phi);                                    // rotation matrix
Vec3 so3_log(Mat3 rotation);                               // |phi| <= pi; at exactly pi one of the two signs
Mat3 so3_tangent(Vec3 phi);                                // T: d(exp(phi)) exp(phi)^T = skew(T d phi)
Mat3 so3_tangent_inverse(Vec3 phi);                        // singular at |phi| = 2 pi, 4 pi, ...
Vec3 so3_tangent_inverse_apply(Vec3 phi, Vec3 v);          // T^-1 v, quicker
Mat3 so3_tangent_derivative(Vec3 phi, Vec3 v);             // d(T(phi) v)/d phi, v held constant
Mat3 so3_tangent_inverse_derivative(Vec3 phi, Vec3 v);     // d(T^-1(phi) v)/d phi
Vec3 so3_tangent_inverse_change(Vec3 phi, Vec3 v, Vec3 d); // that times d, quicker

#endif
