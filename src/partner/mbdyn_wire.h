// The messages of MBDyn's external structural force over a socket, as bytes. Any bytes received give a motion or an
// error message.
//
//     negotiation   9 bytes: 7, flags (u32), number of nodes (u32)
//     motion        a code, then field by field over all nodes: x, orientation, v, w [, a, alpha]
//     forces        a code, then F and M
//
// in native order, global axes, at the point of the offset; without orientations there are no w, alpha and M.
//
// With labels, those of the nodes come before their fields, in both directions: u32 each, their number made even.
//
// With a reference node (x0, R0, v0, w0), its own block of label and fields comes first, and the motions of the nodes
// are relative to it: R0'(x - x0), R0'R, R0'(v - v0 - w0 x (x - x0)), R0'(w - w0). Forces are in its axes. Before them
// goes the resultant of all of them at the reference node: MBDyn puts what is beyond the sum of the others there, which
// is nothing.
#ifndef PARTNER_MBDYN_WIRE_H
#define PARTNER_MBDYN_WIRE_H

#include <stdint.h>

#include "base/error.h"
#include "maraca/partner.h"

enum {
    WIRE_DATA = 2,      // not converged
    WIRE_GO_ON = 4,     // converged, the last data hold
    WIRE_ABORT = 5,     // the end
    WIRE_DATA_LAST = 6, // data, and on to the next step
    WIRE_NEGOTIATE = 7,
    WIRE_OK = 8,
    WIRE_NEGOTIATION_SIZE = 9,
    WIRE_NODES_MAX = 8,
    WIRE_MOTION_MAX = (24 * 8 + 8) * (WIRE_NODES_MAX + 1), // bytes
    WIRE_FORCES_MAX = (6 * 8 + 8) * (WIRE_NODES_MAX + 1),
};
enum {
    WIRE_NODAL = 2,
    WIRE_REFERENCE = 4,
    WIRE_ACCELERATIONS = 8,
    WIRE_LABELS = 0x10,
    WIRE_VECTOR = 0x100,
    WIRE_MATRIX = 0x200,
    WIRE_EULER = 0x400,
};
typedef enum WireOrientation {
    ORIENTATION_MATRIX,
    ORIENTATION_VECTOR,
    ORIENTATION_EULER,
    ORIENTATION_NONE
} WireOrientation;

typedef struct Wire {
    WireOrientation orientation;
    bool accelerations;
    int nodes;
    bool labels, reference;
    uint32_t label[WIRE_NODES_MAX + 1]; // as last read; that of the reference node is the last one
    MrcMotion frame;                    // of the reference node, as last read
    double place[WIRE_NODES_MAX][3];    // of the nodes, from there, world axes [m]
} Wire;

uint32_t wire_flags(const Wire *wire);
void wire_write_negotiation(const Wire *wire, unsigned char bytes[WIRE_NEGOTIATION_SIZE]);
// Does the other side mean the same? The message says in which words of MBDyn's input file it does not.
MrcStatus wire_check_negotiation(const Wire *wire, const unsigned char bytes[WIRE_NEGOTIATION_SIZE],
                                 MrcError *error);

size_t wire_motion_size(const Wire *wire); // bytes behind the code
MrcStatus wire_read_motion(Wire *wire, const unsigned char *bytes, MrcMotion *motions, MrcError *error);
size_t wire_forces_size(const Wire *wire);
void wire_write_forces(const Wire *wire, const MrcLoad *loads, unsigned char *bytes);

// As MBDyn does, without labels and reference node.
void wire_write_motion(const Wire *wire, const MrcMotion *motions, unsigned char *bytes);
void wire_read_forces(const Wire *wire, const unsigned char *bytes, MrcLoad *loads);

#endif
