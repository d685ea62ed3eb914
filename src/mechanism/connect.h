// Joints, springs and bushings are between two nodes: the nodes by name, and markers on them.
#ifndef MECHANISM_CONNECT_H
#define MECHANISM_CONNECT_H

#include "mechanism/builder.h"
#include "mechanism/relative.h"

// What a message is about.
typedef struct Subject {
    const char *what; // "joint"
    const char *name; // as the user gave it
} Subject;

// The node of that name. The error names similar names when there is none.
MrcStatus connect_node(const Builder *builder, Subject subject, const char *name, int *node, MrcError *error);
// Both nodes. With a single name (`names[1]` is NULL) that node is the second and the ground is the first.
// *single (may be NULL): there is a single name.
MrcStatus connect_nodes(const Builder *builder, Subject subject, const char *const names[2], int nodes[2],
                        bool *single, MrcError *error);

// Right-handed axes from a z axis (zero: that of the world) and an x axis, which is made square to z (zero:
// x of the world, or y for a z axis within 37 degrees of x).
MrcStatus connect_axes(Subject subject, Vec3 axis, Vec3 second_axis, Mat3 *axes, MrcError *error);

// The marker that is at `at` with `axes` at the start, both in world axes.
Marker connect_marker(const Builder *builder, int node, Vec3 at, Mat3 axes);
// Where the marker is at the start, world axes.
Vec3 connect_place(const Builder *builder, int node, const Marker *marker);

#endif
