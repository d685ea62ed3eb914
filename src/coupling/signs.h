// Signs, measured while a coupling runs, that its results are not to be trusted (MULTIRATE 4.3). They are
// judged over windows of 100 steps; each is told once.
//
//     velocity   the marker's velocity is not the derivative of its position: sum |way - mean velocity|^2
//     over
//                sum |velocity|^2 above 0.3^2. The exchange interval is too long.
//     load       it reverses from step to step, in four of five steps of a window: the two sides play
//     ping-pong. energy     the energy error of the exchange is above 5 % of the energy that passed, in the
//     window and since
//                the start.
//
// Schemes that hand impulses over make velocities jump, so that only the other two are looked at.
#ifndef COUPLING_SIGNS_H
#define COUPLING_SIGNS_H

#include <stdbool.h>
#include <stdint.h>

#include "math/frame.h"

typedef enum SignKind { SIGN_VELOCITY, SIGN_LOAD, SIGN_ENERGY, SIGN_COUNT } SignKind;

typedef struct PortSigns {
    // of the window so far
    int64_t steps, reversed;
    double slip2, speed2; // sums of squares [m^2/s^2]
    double error, passed; // energies [J]
    // of the run
    double fastest2;                  // largest mean of speed2 in a window
    double error_before, error_total; // [J]
    double passed_total;              // [J]
    bool seen[SIGN_COUNT];
} PortSigns;

// What happened at a port in one step of h.
typedef struct PortStep {
    const Motion *before, *after; // of the marker
    const Load *load, *past;      // on it, in this step and in the one before
    double h, error, passed;      // energy error of the exchange, and energy that passed [J]
    bool jumps;                   // impulses make velocities jump
    double known;                 // energy in play [J]
} PortStep;

void signs_take(PortSigns *signs, const PortStep *step);

#endif
