// What is measured between two markers, one on each of two nodes: how far apart, how much turned. A joint
// keeps a measure at a value, a spring pulls by it.
//
// With q the twelve displacements of the two nodes (dx, d theta of the first, then of the second), a measure
// has a value m, a gradient g: dm = g . dq, and a curvature H: dg = H dq. H is not symmetric, because the
// d theta are no coordinates; it is what changes of the force lambda g need, and
//
//     dm/dt = g . v,      d2m/dt2 = g . a + v . H v,      d(g . v) = (v^T H) dq   with v held constant.
#ifndef MECHANISM_MEASURE_H
#define MECHANISM_MEASURE_H

#include "mechanism/element.h"

// A point and axes that ride on a node.
typedef struct Marker {
    Vec3 offset; // from the node's origin, node axes [m]
    Mat3 axes;   // marker axes to node axes
} Marker;

// The two markers at one instant, world axes.
typedef struct MarkerPair {
    Vec3 arm[2];   // from the node's origin to the marker [m]
    Vec3 gap;      // from the first marker to the second [m]
    Mat3 base;     // axes of the first marker
    Mat3 axes[2];  // axes that turns are measured between: the first as its drive has turned it
    Vec3 rotation; // rotation vector psi of axes[0]^T axes[1] [rad], and T^-1(-psi); only when asked for
    Mat3 tangent;
    double velocity[12]; // v, w of the first and the second node
} MarkerPair;

// `turn`: the drive's rotation of the first marker's axes; NULL: none. `rotates`: there are rotations to
// measure.
MarkerPair marker_pair(const NodeState *const nodes[2], const Marker markers[2], const Mat3 *turn,
                       bool rotates);

typedef enum MeasureKind {
    MEASURE_TRANSLATION, // component `axis` of the gap, in the axes of the first marker [m]
    MEASURE_CROSSING,    // sign (axis `axis` of the first) . (axis `other` of the second): 0 when square
    MEASURE_ROTATION,    // component `axis` of the rotation vector [rad]
    MEASURE_DISTANCE,    // length of the gap, rounded off at `smoothing` [m]
    MEASURE_TURN,        // turn of the second about z, between half a turn back and half a turn on [rad]
} MeasureKind;

typedef struct Measure {
    MeasureKind kind;
    int axis, other;
    double sign;      // crossing
    double smoothing; // distance: sqrt(gap^2 + smoothing^2) [m]
} Measure;

// The value; the gradient when it is not NULL.
double measure_value(const Measure *measure, const MarkerPair *pair, double gradient[12]);
// Adds weight H.
void measure_add_curvature(const Measure *measure, const MarkerPair *pair, double weight, double H[12][12]);
// v . H v, the second derivative of the measure when the nodes keep the velocities v; without building H.
double measure_bend(const Measure *measure, const MarkerPair *pair, const double v[12]);

#endif
