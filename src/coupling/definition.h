// The section `coupling:` of the model file as plain structs.
#ifndef COUPLING_DEFINITION_H
#define COUPLING_DEFINITION_H

#include <stdbool.h>
#include <stdint.h>

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
typedef struct CouplingDefinition {
    int scheme; // place in scheme_types (scheme.h); 0: the default
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

#endif
