// All drivers of a simulation as one: ports are numbered through them, each driver has a stretch of them.
#ifndef COUPLING_DRIVERS_H
#define COUPLING_DRIVERS_H

#include "partner/partner.h"

typedef struct Drivers {
    const Partner *items;
    int count;
    int port_count;
    int *first;     // of each driver: its first port; one more at the end
    int *driver_of; // of each port
    PartnerAbilities *abilities;
    PartnerAbilities all; // what they can do together: yields, mobility of those that yield, euler, bodies
    double *block;        // two matrices of one driver
} Drivers;

// `items` and their selves must outlive it. `port_counts`: one per driver.
MrcStatus drivers_create(Drivers *drivers, const Partner *items, const int *port_counts, int count,
                         Arena *arena, MrcError *error);

bool drivers_port_yields(const Drivers *drivers, int port);
Motion drivers_motion(const Drivers *drivers, int port); // as it stands

MrcStatus drivers_begin(const Drivers *drivers, double t, double h, MrcError *error);
MrcStatus drivers_advance(const Drivers *drivers, const Load *loads, MrcError *error); // NULL: no loads
MrcStatus drivers_iterate(const Drivers *drivers, const Load *loads, double *left, MrcError *error);
// Y of all ports; ports that do not yield have zeros.
MrcStatus drivers_mobility(const Drivers *drivers, double early, double *Y, MrcError *error);
// How the velocities of their ports change over the step; after drivers_mobility.
MrcStatus drivers_curve(const Drivers *drivers, const Motion *before, Twist *changes, MrcError *error);
// The answer within small steps (PortAnswer), if only one driver yields; after drivers_mobility. False: there is none.
bool drivers_divide(const Drivers *drivers, double *lasting, double *yielding, double *settling);
MrcStatus drivers_impulse(const Drivers *drivers, const Load *impulses, const Load *early,
                          const double *works, MrcError *error);
MrcStatus drivers_commit(const Drivers *drivers, MrcError *error);
MrcStatus drivers_euler(const Drivers *drivers, double t, double h, MrcError *error);
Twist drivers_euler_twist(const Drivers *drivers, int port);
MrcStatus drivers_join(const Drivers *drivers, ContactProblem *problem, MachinePort *ports, MrcError *error);
void drivers_take(const Drivers *drivers, const ContactSolution *solution, const Load *impulses,
                  const double *works);

// Energy that a part of the impulses has brought; for drivers without this function, impulses times `moved` of their
// ports.
double drivers_jump_energy(const Drivers *drivers, const Load *impulses, const Twist *moved);
// DriverVerbs.stopped of all ports. False: nothing.
bool drivers_stopped(const Drivers *drivers, Twist *lost);
PartnerEnergy partners_energy(const Partner *items, int count); // of all whose energy is known

#endif
