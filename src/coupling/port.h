// Ports with an imposed motion: the frame follows the user's expressions exactly, velocity and acceleration
// being the exact derivatives of the position.
#ifndef COUPLING_PORT_H
#define COUPLING_PORT_H

#include "coupling/port_definition.h"
#include "math/frame.h"

Motion port_motion(const PortDefinition *port, double t);

// The table of signals of a port: suffix, dimension, and where it is in a Motion.
typedef struct PortSignal {
    const char *suffix;
    Dimension dimension;
    size_t offset;
} PortSignal;
extern const PortSignal port_signals[];
extern const int port_signal_count;

#endif
