// What the user asks for in `ports:`: frames with an imposed motion, or frames that ride on the mechanism.
#ifndef COUPLING_PORT_DEFINITION_H
#define COUPLING_PORT_DEFINITION_H

#include "coupling/definition.h"
#include "math/expression.h"
#include "math/vec3.h"

typedef struct PortDefinition {
    const char *name;
    const Expression *position[3]; // of the origin, function of time [m]
    Vec3 axis;                     // of the rotation, unit, in world axes
    const Expression *angle;       // about that axis, function of time [rad]
    const char *node;              // of the mechanism, that carries it; NULL: the motion is imposed
    Vec3 offset;                   // of the port's origin from the node's, node axes [m]
    Vec3 mount_axis;               // the port is turned against the node about this axis of the node
    double mount_angle;            // by this angle [rad]
    ContainerDefinition container; // on the grains' side
} PortDefinition;

#endif
