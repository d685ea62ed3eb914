// Ports that are moved or loaded by what is outside of the FMU, as partners of the simulation (maraca/partner.h).
#ifndef FMU_OUTSIDE_H
#define FMU_OUTSIDE_H

#include <maraca/sim.h>

enum { OUTSIDE_PORTS = 4, OUTSIDE_NUMBERS = 18, OUTSIDE_ROWS = 6 * OUTSIDE_PORTS };

// A partner that moves ports as the importer prescribes.
typedef struct OutsideDriver {
    char name[120];
    int port_count;
    struct {
        double given[OUTSIDE_PORTS][OUTSIDE_NUMBERS]; // x, rotation vector, v, w, a, angular acceleration
        double mobility[OUTSIDE_ROWS * OUTSIDE_ROWS]; // row by row, 6 port_count of them
        MrcMotion from[OUTSIDE_PORTS];                // at the last communication point
        MrcMotion now[OUTSIDE_PORTS];                 // as they stand
        MrcMotion present[OUTSIDE_PORTS];             // after the last commit
        double start, length;                         // of the communication step [s]
        double h;                                     // of the step that was begun [s]
        double
            ahead; // not zero: what is given holds at the end of the communication step, not at its beginning
    } state;
} OutsideDriver;

// A partner that loads ports as the importer prescribes.
typedef struct OutsideFollower {
    const char *ports[OUTSIDE_PORTS];
    int port_count;
    struct {
        double load[OUTSIDE_PORTS][6];
        // What the loads of the last communication step add to velocities and to poses at its end, row by row.
        double velocity[OUTSIDE_ROWS * OUTSIDE_ROWS], pose[OUTSIDE_ROWS * OUTSIDE_ROWS];
        double known; // not zero: these are there
    } state;
} OutsideFollower;

typedef struct Outside {
    OutsideDriver drivers[OUTSIDE_PORTS];
    int driver_count;
    OutsideFollower follower;
    MrcPartner partners[OUTSIDE_PORTS + 1];
    const MrcPartner *list[OUTSIDE_PORTS + 1];
    int count;
} Outside;

void outside_bind(Outside *outside, bool with_mobility);  // fills the partners
void outside_place(Outside *outside);                     // ports at the prescribed poses
void outside_begin(Outside *outside, double t, double h); // a communication step
void outside_rotation_vector(const double quaternion[4], double vector[3]);

#endif
