// How the walls of a bed move: the figures that contact stiffness and time step are sized by.
#ifndef SIM_SHAKING_H
#define SIM_SHAKING_H

#include "sim/definition.h"

typedef struct Shaking {
    double speed;        // largest of any point of the walls [m/s]
    double acceleration; // largest of the ports' origins [m/s^2]
    double frequency; // of the fastest component of motion, from the zeros of its velocity [Hz]; 0: no period
} Shaking;

// Found by looking at the motion at many instants of the run.
Shaking shaking_of_port(const PortDefinition *port, double duration, double reach); // reach of its walls [m]
Shaking shaking_of_bed(const SimDefinition *definition, const GrainsDefinition *grains);

// The largest speed of the grains at the start, towards walls or each other [m/s]: as given for all, or in a file.
double shaking_thrown_speed(const GrainsDefinition *grains);

// Speed at which grains are expected to hit walls and each other [m/s]: that of the walls, or the grains' own
// at the start; when nothing moves, that of a fall through the room. 0: unknown.
double shaking_impact_speed(const SimDefinition *definition, const GrainsDefinition *grains);

#endif
