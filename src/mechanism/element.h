// Nodes, and elements that act between them: the mechanism consists of these two.
//
// Every node has six degrees of freedom: the position x of its origin and its orientation R (node axes to
// world axes). All vectors are in world axes. An infinitesimal rotation is a world vector d(theta):
// dR = skew(d theta) R. Velocities are v = dx/dt and the angular velocity w: dR/dt = skew(w) R.
//
// The equations of motion, with constraints phi and their multipliers lambda:
//
//     r(q, v, a, lambda, t) = M(q) a + f(q, v, t) + G(q)^T lambda = 0,      phi(q, t) = 0,
//
// G being the derivative of phi with respect to the displacements (dx, d theta) of the nodes. An element
// adds its share of r to the six rows of each of its nodes: force, then moment about the node's origin,
// both with the sign of a load that the element needs, that is minus what it exerts. If it has constraints,
// phi is in rows of its own.
//
// A kind of element is one ElementKind: residual, Jacobian, rates of its constraints, energy.
#ifndef MECHANISM_ELEMENT_H
#define MECHANISM_ELEMENT_H

#include <stdbool.h>

#include "math/input.h"
#include "math/mat3.h"
#include "math/simd.h"

typedef struct NodeState {
    Vec3 x;        // position of the origin [m]
    Mat3 R;        // node axes to world axes
    Vec3 v, w;     // velocity, angular velocity [m/s, rad/s]
    Vec3 a, alpha; // acceleration, angular acceleration [m/s^2, rad/s^2]
} NodeState;

enum {
    ELEMENT_NODES = 8,       // at most, per element; the ground is a node that never moves
    ELEMENT_MULTIPLIERS = 6, // at most
    ELEMENT_ROWS = 6 * ELEMENT_NODES + ELEMENT_MULTIPLIERS
};

// What an element may depend on.
typedef struct ElementInput {
    double t;                             // [s]
    Inputs inputs;                        // values of the external inputs at t
    Vec3 gravity;                         // [m/s^2]
    const NodeState *node[ELEMENT_NODES]; // nodes of the element, in its order
    const double *lambda;                 // its multipliers
    const double *state;                  // its memory (Element.state_count numbers); NULL: none
} ElementInput;

// The time and the inputs that expressions are evaluated at.
static inline TimePoint element_time(const ElementInput *in) {
    return (TimePoint){in->t, in->inputs.count > 0 ? &in->inputs : NULL};
}

// Energies and powers at one instant, summed over elements.
typedef struct ElementEnergy {
    double kinetic;    // [J]
    double potential;  // in gravity, zero at the world's origin [J]
    double elastic;    // [J]
    double dissipated; // power dissipated in dampers and by material damping [W]
    double work;       // power of forces and of driven joints [W]
} ElementEnergy;

typedef struct Element Element;

typedef struct ElementKind {
    const char *name; // "beam", "joint", for messages
    bool massless;    // dr/da is always zero, and there are no multipliers

    // Writes r[6 node_count + multiplier_count], the share of the residual: six rows per node, then phi.
    void (*residual)(const Element *element, const ElementInput *in, double *r);

    // J = cm dr/da + cc dr/dv + ck dr/dq, dense and row-major, 6 node_count + multiplier_count rows and
    // columns (zeroed by the caller). The rows of constraints are G and the columns of multipliers G^T, both
    // without a factor. With cm = 1 and the others 0 it is the mass matrix, and so on.
    void (*jacobian)(const Element *element, const ElementInput *in, double cm, double cc, double ck,
                     double *J);

    // r = J x for WIDE_LANES times `wides` directions at a time: row i of x and of r begins at i * wides. NULL: the
    // matrix is made and multiplied.
    void (*product)(const Element *element, const ElementInput *in, double cm, double cc, double ck,
                    int wides, const Wide *x, Wide *r);

    // First and, unless it is NULL, second time derivative of phi along the motion (node v, w, a, alpha); drives
    // included.
    // NULL when there are no constraints.
    void (*rates)(const Element *element, const ElementInput *in, double *rate, double *second);

    // Adds its energies and powers. NULL: it has none.
    void (*energy)(const Element *element, const ElementInput *in, ElementEnergy *energy);

    // Are its powers always zero? NULL: they may not be.
    bool (*powerless)(const Element *element);

    // Updates the memory (an angle counted over turns, an integrated speed) once, when a step from t - h to t
    // begins. NULL: there is none. `in` has the nodes at t - h and the time t; `state` is the memory of t - h
    // and becomes that of t.
    void (*begin_step)(const Element *element, const ElementInput *in, double h, double *state);

    // The point that the moment of a reaction is about, world axes. NULL: the origin of the last node.
    Vec3 (*marker)(const Element *element, const ElementInput *in);
} ElementKind;

struct Element {
    const ElementKind *kind;
    const char *name; // as the user gave it
    const void *data; // parameters, in the arena of the mechanism
    int node_count;
    int node[ELEMENT_NODES]; // indices; -1: ground
    int multiplier_count;
    int state_count;
    // By mechanism_create:
    int multiplier; // index of the first
    int state;      // index of the first
};

#endif
