// What each period of a port's motion dissipates, and the damping ratio it is worth (DAMPER 2.3).
//
// With the energy E dissipated in a period by grains of mass m_p in all, and the largest speed A_V of the
// port in it, a mass on a spring that has the same frequency and m_p/mu as its mass would dissipate as much
// with the damping ratio
//
//     zeta = mu E / (2 pi m_p A_V^2)        (Eqs. 10-11)
//
// Periods count from t = 0. Their ends fall between two steps: energies are interpolated linearly.
// DAMPER is doi:10.3390/pr10071247.
#ifndef SIM_PERIODS_H
#define SIM_PERIODS_H

#include "base/archive.h"
#include "math/unit.h"
#include "sim/definition.h"

// Energies since the start [J].
typedef struct PeriodEnergy {
    double impact, friction, rolling, work;
} PeriodEnergy;

// One line of periods.csv.
typedef struct PeriodRow {
    double number;                    // from 0
    double start;                     // [s]
    double impact, friction, rolling; // dissipated [J]
    double dissipated;                // their sum [J]
    double work;                      // done by the walls [J]
    double speed;                     // largest of the port, A_V [m/s]
    double damping;                   // zeta
} PeriodRow;

// Mean and squares of deviations of a growing sample (Welford).
typedef struct PeriodMean {
    double mean, squares;
} PeriodMean;

typedef struct Periods {
    const PeriodsDefinition *definition; // NULL: periods are not looked at
    const PortDefinition *port;
    const Inputs *inputs; // of the simulation
    int port_number;      // in the coupling
    double step;          // of the clock [s]
    double mass;          // of the grains [kg]
    PeriodEnergy last;    // at the last end of a period
    PeriodEnergy before;  // at the last step before the next end
    bool waiting;         // `before` has been taken
    int64_t done;         // periods
    int64_t counted;      // of them in the means
    PeriodMean dissipated, damping;
    PeriodRow row;    // of the last period that ended
    int64_t row_step; // the step at which it ended; 0: none did, or it is written
} Periods;

// Must the energies be looked at, `now` steps after the start?
bool periods_is_due(const Periods *periods, int64_t now);
// Takes in the energies of step `now`. If a period ends with it, `row` and `row_step` are set.
void periods_take(Periods *periods, int64_t now, const PeriodEnergy *energy);

double period_deviation(const Periods *periods, const PeriodMean *mean); // standard deviation of the sample

void periods_archive(Periods *periods, Archive *archive);

// The columns of periods.csv: name, unit, and where it is in a row.
typedef struct PeriodColumn {
    const char *name, *unit;
    size_t offset;
} PeriodColumn;
extern const PeriodColumn period_columns[];
enum { period_column_count = 9 };

#endif
