// What the user asks for in `ports:`: frames with a prescribed motion, frames that ride on the mechanism, and
// the containers on the grains' side of them.
#ifndef PARTNER_PORT_DEFINITION_H
#define PARTNER_PORT_DEFINITION_H

#include "math/expression.h"
#include "math/vec3.h"

// Which load a port gets from a container with mass.
typedef enum LoadKind { LOAD_CONSTRAINT, LOAD_CONTACTS } LoadKind;

// The container on the grains' side. Without a mass of its own it is just where the mechanism's port is.
typedef struct ContainerDefinition {
    double mass;         // [kg]; 0: none, the mechanism carries it
    LoadKind load;       // what the port gets: the constraint's reaction, or the sum of contact impulses
    double inertia[6];   // about the centre of mass, port axes: xx, yy, zz, xy, yz, zx [kg m^2]
    Vec3 center;         // of mass, from the port's origin, port axes [m]
    const char **slides; // axes of the container along which the coupling joint lets it slide: "x", "y", "z"
    int slide_count;
    const char **turns; // and about which it lets it turn
    int turn_count;
    double stiffness[3];   // springs to where it started, world axes [N/m]
    double damping[3];     // dampers to the ground, world axes [N s/m]
    Vec3 angular_velocity; // at the start, beyond the port's, about free axes, world axes [rad/s]
} ContainerDefinition;

typedef struct PortDefinition {
    const char *name;
    const Expression *position[3]; // of the origin, function of time [m]
    Vec3 axis;                     // of the rotation, unit, in world axes
    const Expression *angle;       // about that axis, function of time [rad]
    const char *node;              // of the mechanism, that carries it; NULL: none
    const char *partner;           // of the program that uses the library, that moves it; NULL: none
    Vec3 offset;                   // of the port's origin from the node's, node axes [m]
    Vec3 mount_axis;               // the port is turned against the node about this axis of the node
    double mount_angle;            // by this angle [rad]
    ContainerDefinition container; // on the grains' side
} PortDefinition;

// The motion of the port is given by its expressions.
static inline bool port_is_prescribed(const PortDefinition *port) { return !port->node && !port->partner; }

#endif
