// Relative coordinates: numbers that describe the position of a marker on one node relative to a marker on
// another. A joint keeps a coordinate at a value, a spring exerts a force along it.
//
// With q the twelve displacements of the two nodes (dx, d theta of the first node, then of the second), a
// coordinate has a value m, a gradient g with dm = g . dq, and a curvature H with dg = H dq. H is not
// symmetric, because the rotations d theta are not coordinates. It gives the change of a force lambda g, and
//
//     dm/dt = g . v,      d2m/dt2 = g . a + v . H v,      d(g . v) = (v^T H) dq   at constant v.
//
// A kind of coordinate is a RelativeKind; the equations of those below are in relative.c. A joint may bring
// one of its own.
#ifndef MECHANISM_RELATIVE_H
#define MECHANISM_RELATIVE_H

#include "mechanism/element.h"

// A point and axes fixed to a node.
typedef struct Marker {
    Vec3 offset; // from the node's origin, node axes [m]
    Mat3 axes;   // marker axes to node axes
} Marker;

// The two markers at one instant, world axes. By marker_pair.
typedef struct MarkerPair {
    Vec3 arm[2];         // from the node's origin to the marker [m]
    Vec3 gap;            // from the first marker to the second [m]
    Mat3 base;           // axes of the first marker
    Mat3 axes[2];        // axes between which rotations count: the first as turned by driven angles
    Vec3 rotation;       // rotation vector psi of axes[0]^T axes[1] [rad]; only with `rotates`
    Mat3 tangent;        // T^-1(-psi); only with `rotates`
    double velocity[12]; // v, w of the first and of the second node [m/s, rad/s]
    double last_turn; // value of relative_turn near which it is looked for [rad]; 0 unless the caller sets it
} MarkerPair;

// `driven`: rotation of the first marker's axes by driven angles; NULL: none. `rotates`: the rotation vector
// is needed.
MarkerPair marker_pair(const NodeState *const nodes[2], const Marker markers[2], const Mat3 *driven,
                       bool rotates);

typedef struct RelativeKind RelativeKind;

typedef struct RelativeCoordinate {
    const RelativeKind *kind;
    int axis, other;  // marker axes, 0 to 2; see the kinds
    double factor;    // see the kinds
    double smoothing; // of a distance [m]
} RelativeCoordinate;

struct RelativeKind {
    bool from_driven; // depends on axes[0], which driven angles turn; otherwise on `base`
    // The value; the gradient when it is not NULL.
    double (*value)(const RelativeCoordinate *coordinate, const MarkerPair *pair, double *gradient);
    // Adds weight H.
    void (*add_curvature)(const RelativeCoordinate *coordinate, const MarkerPair *pair, double weight,
                          double H[12][12]);
    // v . H v, without forming H.
    double (*velocity_term)(const RelativeCoordinate *coordinate, const MarkerPair *pair, const double v[12]);
};

extern const RelativeKind
    relative_translation, // component `axis` of the gap, in the axes of the first marker [m]
    relative_crossing,    // factor (axis `axis` of the first) . (axis `other` of the second) [1]; 0: square
    relative_rotation,    // component `axis` of the rotation vector [rad]
    relative_distance,    // sqrt(gap^2 + smoothing^2) [m]
    relative_turn;        // turn of the second marker about z, within half a turn of last_turn [rad]

static inline double relative_value(const RelativeCoordinate *coordinate, const MarkerPair *pair,
                                    double gradient[12]) {
    return coordinate->kind->value(coordinate, pair, gradient);
}
static inline void relative_add_curvature(const RelativeCoordinate *coordinate, const MarkerPair *pair,
                                          double weight, double H[12][12]) {
    coordinate->kind->add_curvature(coordinate, pair, weight, H);
}
static inline double relative_velocity_term(const RelativeCoordinate *coordinate, const MarkerPair *pair,
                                            const double v[12]) {
    return coordinate->kind->velocity_term(coordinate, pair, v);
}

#endif
