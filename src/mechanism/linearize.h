// The equations of motion linearised about a steady state, for modes.
//
// At rest:  M u'' + C u' + K u + G^T mu = 0,  G u = 0,  with u the small displacements (dx, d theta) of all
// nodes, M = dr/da, C = dr/dv, K = dr/dq.
//
// In steady rotation with angular velocity W about a fixed axis through the point c, positions, velocities
// and accelerations are
//
//     x = c + Q (x0 - c),  R = Q R0,  v = W x (x - c),  w = W,  a = W x (W x (x - c)),  alpha = 0,
//
// with the rotation Q(t) about the axis. Displacements are in axes that rotate with it: dx = Q u, d theta =
// Q psi. Then, at the instant Q = 1,
//
//     dv     = u'  + W x u                         (d/dt of Q u)
//     da     = u'' + 2 W x u' + W x (W x u)
//     dw     = d/dt(d theta) + d theta x W = psi'  (from dR = skew(d theta) R and dR/dt = skew(w) R)
//     dalpha = d/dt(dw) = psi'' + W x psi'
//
// and dr = M da + C dv + K dq has constant coefficients in the rotating axes:
//
//     M' = M,   C' = C + M [2 W~, W~],   K' = K + C [W~, 0] + M [W~ W~, 0],
//
// where [A, B] applies A to the translation and B to the rotation of each node, and W~ = skew(W). The
// products with W~ are the Coriolis and centrifugal terms; the centrifugal stiffening is in K through the
// tension of the steady state. That state solves r(q, v(q), a(q), lambda) = 0, phi(q) = 0. K' is also the
// derivative of this r, so that Newton's iteration uses it.
#ifndef MECHANISM_LINEARIZE_H
#define MECHANISM_LINEARIZE_H

#include "mechanism/mechanism.h"

typedef enum SteadyKind {
    STEADY_REST,     // nothing moves
    STEADY_ROTATION, // all nodes rotate about one axis, and gravity is along it
    STEADY_NOT,      // the mechanism moves otherwise: the matrices are those of a frozen instant
} SteadyKind;

typedef struct MechanismLinear {
    int freedoms;       // six per node: dx, d theta
    int multipliers;    // rows of G
    int *starts, *rows; // compressed columns of all freedoms and multipliers; rows ascend
    // Values in that pattern. K has G in the rows of multipliers and G^T in their columns; there M and C are
    // zero.
    double *M, *C, *K;
    SteadyKind kind;
    Vec3 rotation;       // W [rad/s]
    Vec3 center;         // c [m]
    double acceleration; // largest of a node, not counting the steady rotation; 0: an equilibrium [m/s^2]
    double moved;        // largest displacement of a node by the steady rotation [m]
} MechanismLinear;

// About the present state of the mechanism. A steady rotation is found first, and the mechanism is left in
// it.
MrcStatus mechanism_linearize(Mechanism *mechanism, MechanismLinear *linear, MrcError *error);
void mechanism_linear_free(MechanismLinear *linear);

#endif
