// What the user asks for in `ports:`: frames with an imposed motion.
#ifndef COUPLING_PORT_DEFINITION_H
#define COUPLING_PORT_DEFINITION_H

#include "math/expression.h"
#include "math/vec3.h"

typedef struct PortDefinition {
    const char *name;
    const Expression *position[3]; // of the origin, function of time [m]
    Vec3 axis;                     // of the rotation, unit, in world axes
    const Expression *angle;       // about that axis, function of time [rad]
} PortDefinition;

#endif
