// What definitions of joints, springs and bushings have in common: two nodes by name, and markers on them.
#ifndef MECHANISM_CONNECT_H
#define MECHANISM_CONNECT_H

#include "mechanism/builder.h"
#include "mechanism/relative.h"

// Who speaks in messages.
typedef struct Subject {
    const char *what; // "joint"
    const char *name; // as the user gave it
} Subject;

// The node of that name; an error that names near ones when there is none.
MrcStatus connect_node(const Builder *builder, Subject subject, const char *name, int *node, MrcError *error);
// Both: `names[1]` may be NULL. The second node is the one that is held; with a single name it is that one,
// and the first is the ground. *swapped (may be NULL): whether it was so.
MrcStatus connect_nodes(const Builder *builder, Subject subject, const char *const names[2], int nodes[2],
                        bool *swapped, MrcError *error);

// Right-handed axes from a z axis (zero: the world's) and, roughly, an x axis (zero: the world's x, or y when
// that is closer to square).
MrcStatus connect_axes(Subject subject, Vec3 axis, Vec3 second_axis, Mat3 *axes, MrcError *error);

// The marker that is at `at` with `axes`, both in the world as the node stands at the start.
Marker connect_marker(const Builder *builder, int node, Vec3 at, Mat3 axes);
// Where the marker is at the start, world axes.
Vec3 connect_place(const Builder *builder, int node, const Marker *marker);

#endif
