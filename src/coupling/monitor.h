// Monitor of the exchange at a port: findings that the results are not to be trusted (Lommen et al. 2018, section
// 4.3, doi:10.1108/EC-07-2017-0246). They are judged over windows of 100 steps; each is reported once.
//
//     velocity   The port's velocity is not the derivative of its position: sum |displacement/h - mean velocity|^2
//                over sum |velocity|^2 is above 0.3^2. The exchange interval is too long.
//     load       The load reverses from step to step, in four of five steps of a window.
//     energy     The energy error of the exchange is above 5 % of the energy that passed, in the window and since
//                the start, above 1e-6 of the energy in play and above what the load does at 1e-9 m/s.
//
// Schemes that hand over impulses make velocities jump; there, only the other two are judged.
#ifndef COUPLING_MONITOR_H
#define COUPLING_MONITOR_H

#include "base/archive.h"
#include "math/frame.h"

typedef enum MonitorFinding {
    MONITOR_VELOCITY,
    MONITOR_LOAD,
    MONITOR_ENERGY,
    MONITOR_FINDING_COUNT
} MonitorFinding;

typedef struct ExchangeMonitor {
    // of the window so far
    int64_t steps, reversed;
    double slip2, speed2; // sums of squares [m^2/s^2]
    double error, passed; // energies [J]
    // of the run
    double fastest2;                  // largest mean of speed2 in a window
    double error_before, error_total; // [J]
    double passed_total;              // [J]
    bool found[MONITOR_FINDING_COUNT];
} ExchangeMonitor;

// What happened at a port in one step of h.
typedef struct MonitorStep {
    const Motion *before, *after; // of the port
    const Load *load, *past;      // on it, in this step and in the one before
    double h, error, passed;      // energy error of the exchange, and energy that passed [J]
    bool jumps;                   // impulses make velocities jump
    double known;                 // energy in play [J]
} MonitorStep;

void monitor_step(ExchangeMonitor *monitor, const MonitorStep *step);
// The finding in words, and what to do about it; NULL: it was not found. `instead`: what to use.
const char *monitor_message(const ExchangeMonitor *monitor, MonitorFinding finding, const char *port,
                            const char *instead, char *buffer, size_t size);
void monitor_archive(ExchangeMonitor *monitor, Archive *archive);

#endif
