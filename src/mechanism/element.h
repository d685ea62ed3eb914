// What the mechanism is made of: nodes, and elements that act between them.
//
// Every node has six degrees of freedom: the position x of its origin and its orientation R (node axes to
// world axes). All vectors are in world axes. An infinitesimal rotation is a world vector d(theta):
// dR = skew(d theta) R. Velocities are v = dx/dt and the angular velocity w: dR/dt = skew(w) R.
//
// The equations of motion, with constraints phi and their multipliers lambda:
//
//     r(q, v, a, lambda, t) = M(q) a + f(q, v, t) + G(q)^T lambda = 0,      phi(q, t) = 0,
//
// G being the derivative of phi with respect to the nodes' displacements (dx, d theta). An element adds its
// share of r to the six rows of each of its nodes (force, then moment about the node's origin; what it
// *needs* to be moved, that is minus the force it exerts), and, when it has constraints, phi to its own rows.
//
// An element is one file and one ElementKind: residual, Jacobian, rates of its constraints, energy.
#ifndef MECHANISM_ELEMENT_H
#define MECHANISM_ELEMENT_H

#include <stdbool.h>

#include "math/input.h"
#include "math/mat3.h"

typedef struct NodeState {
    Vec3 x;        // position of the origin [m]
    Mat3 R;        // node axes to world axes
    Vec3 v, w;     // velocity, angular velocity [m/s, rad/s]
    Vec3 a, alpha; // acceleration, angular acceleration [m/s^2, rad/s^2]
} NodeState;

enum {
    ELEMENT_NODES = 8,       // at most, per element; ground is a node that never moves
    ELEMENT_MULTIPLIERS = 6, // at most
    ELEMENT_ROWS = 6 * ELEMENT_NODES + ELEMENT_MULTIPLIERS
};

// All that an element may look at.
typedef struct ElementInput {
    double t;                             // [s]
    Inputs inputs;                        // that hold; none: none is set
    Vec3 gravity;                         // [m/s^2]
    const NodeState *node[ELEMENT_NODES]; // those of the element, in its order
    const double *lambda;                 // its multipliers
    const double *state;                  // its own memory (ElementKind.states numbers); NULL: none
} ElementInput;

// When its expressions are evaluated.
static inline TimePoint element_time(const ElementInput *in) {
    return (TimePoint){in->t, in->inputs.count > 0 ? &in->inputs : NULL};
}

// Energies and powers at one instant; elements add to them.
typedef struct ElementEnergy {
    double kinetic;    // [J]
    double potential;  // in gravity, zero at the world's origin [J]
    double elastic;    // [J]
    double dissipated; // power lost in dampers and in material damping [W]
    double work;       // power put in by forces and by driven joints [W]
} ElementEnergy;

typedef struct Element Element;

typedef struct ElementKind {
    const char *name; // "beam", "joint", for messages
    bool massless;    // dr/da is zero, always

    // r[6 node_count + multiplier_count] = share of the residual (written, not added): six rows per node,
    // then phi per multiplier.
    void (*residual)(const Element *element, const ElementInput *in, double *r);

    // J = cm dr/da + cc dr/dv + ck dr/dq, dense and row-major, 6 node_count + multiplier_count rows and
    // columns (the caller hands it in zeroed). In the rows of constraints G, in the columns of multipliers
    // G^T, both without a factor. With cm = 1 and the others 0 it is the mass matrix, and so on.
    void (*jacobian)(const Element *element, const ElementInput *in, double cm, double cc, double ck,
                     double *J);

    // First and second time derivative of phi along the motion (node v, w, a, alpha); drives included.
    // NULL when there are no constraints.
    void (*rates)(const Element *element, const ElementInput *in, double *rate, double *second);

    // Adds. NULL: none.
    void (*energy)(const Element *element, const ElementInput *in, ElementEnergy *energy);

    // Does it never dissipate nor put in anything? NULL: it may.
    bool (*powerless)(const Element *element);

    // Own memory that changes from step to step (an angle counted over turns, an integrated speed): called
    // once when a step from t - h to t begins. NULL: none.
    // `in` holds the nodes at t - h, and t; `state` is what they were at t - h and becomes what holds at t.
    void (*begin_step)(const Element *element, const ElementInput *in, double h, double *state);

    // The point about which the reaction of a joint is told, world axes. NULL: the origin of its last node.
    Vec3 (*marker)(const Element *element, const ElementInput *in);
} ElementKind;

struct Element {
    const ElementKind *kind;
    const char *name; // as the user gave it
    const void *data; // parameters, owned by the mechanism's arena
    int node_count;
    int node[ELEMENT_NODES]; // indices; -1: ground
    int multiplier_count;
    int state_count;
    // filled by the mechanism
    int multiplier; // index of the first
    int state;      // index of the first
};

#endif
