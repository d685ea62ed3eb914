// What the user asks for in `coupling:`, and what may be said about a port that rides on the mechanism.
#ifndef COUPLING_DEFINITION_H
#define COUPLING_DEFINITION_H

#include <stdbool.h>
#include <stdint.h>

#include "math/vec3.h"

typedef enum SchemeKind {
    SCHEME_AUTO, // condensed
    SCHEME_LOOSE,
    SCHEME_TIGHT,
    SCHEME_EXPLICIT,
    SCHEME_OVERLAPPED,
    SCHEME_MULTIRATE,
    SCHEME_MONOLITHIC,
    SCHEME_CONDENSED,
    SCHEME_COUNT
} SchemeKind;

typedef enum InputsKind {
    INPUTS_INDEX_1,
    INPUTS_INDEX_2,
    INPUTS_INDEX_3,
    INPUTS_ORIGINAL,
    INPUTS_OWN
} InputsKind;
typedef enum OrderKind { ORDER_GAUSS_SEIDEL, ORDER_JACOBI } OrderKind;
typedef enum AccelerationKind {
    ACCELERATION_NONE,
    ACCELERATION_AITKEN,
    ACCELERATION_QUASI_NEWTON
} AccelerationKind;
typedef enum RepeatKind { REPEAT_STEP, REPEAT_NEWTON } RepeatKind;
typedef enum ExtrapolationKind {
    EXTRAPOLATION_NONE,
    EXTRAPOLATION_LINEAR,
    EXTRAPOLATION_QUADRATIC,
    EXTRAPOLATION_AUTO // what keeps the scheme stable: quadratic in multirate, none in overlapped
} ExtrapolationKind;

typedef enum JointsKind {
    JOINTS_AUTO, // rows in small machines
    JOINTS_ROWS,
    JOINTS_ELIMINATED
} JointsKind;
typedef enum LoadKind { LOAD_CONSTRAINT, LOAD_CONTACTS } LoadKind;

typedef struct CouplingDefinition {
    SchemeKind scheme;
    // monolithic
    JointsKind joints; // where the mechanism's joints are solved for
    // explicit
    InputsKind inputs;
    OrderKind order;
    double alpha, beta, gamma; // own inputs: multiples of 1/h^2, 1/h, 1
    // tight
    AccelerationKind acceleration;
    RepeatKind repeat;  // grains solved around a converged mechanism, or inside each of its Newton iterations
    double tolerance;   // of the load: change between iterations over its size
    int64_t iterations; // at most
    // multirate
    ExtrapolationKind extrapolation; // of the load over the coming step
    int64_t interval;                // smooth grains: their steps per exchange; 0: as many as they need
    // any
    double energy_tolerance; // port energy error over the energy passed, per step, above which steps are cut;
                             // 0: never
    int64_t most_cuts;       // halvings of the exchange step, at most
} CouplingDefinition;

// The container on the grains' side. Without a mass of its own it is just where the mechanism's port is.
typedef struct ContainerDefinition {
    double mass;         // [kg]; 0: none, the mechanism carries it
    LoadKind load;       // what the port is told: the constraint's reaction, or the sum of contact impulses
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

#endif
