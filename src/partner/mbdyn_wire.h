// The messages of MBDyn's external structural force over a socket, as bytes. Whatever comes in: a motion or a message.
//
//     negotiation   9 bytes: 7, flags (u32), number of nodes (u32)
//     motion        a code, then field by field over all nodes: x, orientation, v, w [, a, alpha]
//     forces        a code, then F and M
//
// in native order, global axes, at the point of the offset; without orientations there are no w, alpha and M.
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
    WIRE_MOTION_MAX = 24 * WIRE_NODES_MAX * 8, // bytes
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
} Wire;

uint32_t wire_flags(const Wire *wire);
void wire_write_negotiation(const Wire *wire, unsigned char bytes[WIRE_NEGOTIATION_SIZE]);
// Does the other side mean the same? The message says in which words of MBDyn's input file it does not.
MrcStatus wire_check_negotiation(const Wire *wire, const unsigned char bytes[WIRE_NEGOTIATION_SIZE],
                                 MrcError *error);

size_t wire_motion_size(const Wire *wire); // bytes behind the code
MrcStatus wire_read_motion(const Wire *wire, const unsigned char *bytes, MrcMotion *motions, MrcError *error);
void wire_write_motion(const Wire *wire, const MrcMotion *motions, unsigned char *bytes);

size_t wire_forces_size(const Wire *wire);
void wire_write_forces(const Wire *wire, const MrcLoad *loads, unsigned char *bytes);
void wire_read_forces(const Wire *wire, const unsigned char *bytes, MrcLoad *loads);

#endif
