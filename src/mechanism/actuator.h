// Motors and cylinders: a force along a relative coordinate (relative.h) that a limit, falling with speed, bounds. The equations
// are in actuator.c.
#ifndef MECHANISM_ACTUATOR_H
#define MECHANISM_ACTUATOR_H

#include "math/expression.h"
#include "mechanism/definition.h"
#include "mechanism/relative.h"

typedef struct Actuator {
    Marker markers[2];
    RelativeCoordinate coordinate;
    bool counts_turns;
    const ActuatorPoint *forward, *backward; // largest force over the speed in that direction
    int forward_count, backward_count;
    const Expression *command; // -1 to 1, share of the limit; NULL: by the target
    const Expression *target;  // of the coordinate; NULL: by the command
    double offset;             // coordinate at which the target is 0 [m, rad]
    double gain, rate_gain;    // of the target [N/m, N s/m; N m/rad, N m s/rad]
} Actuator;

typedef struct ActuatorValues {
    double coordinate; // [m, rad]
    double rate;       // [m/s, rad/s]
    double force;      // along the coordinate [N, N m]
    double power;      // that it gives to the mechanism [W]
} ActuatorValues;

extern const ElementKind actuator_motor_kind, actuator_cylinder_kind;

ActuatorValues actuator_values(const Element *element, const ElementInput *in);

#endif
