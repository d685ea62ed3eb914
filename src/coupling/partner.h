// The two sides of a port, as schemes see them: only these verbs, so that a scheme never knows what a beam or
// a grain is, and so that anything that has them can be a partner. All arrays have one item per port.
#ifndef COUPLING_PARTNER_H
#define COUPLING_PARTNER_H

#include "base/error.h"
#include "contact/machine.h"
#include "math/frame.h"

// What a partner holds, and what came into it from outside other than through the ports.
typedef struct PartnerEnergy {
    double kinetic, stored; // [J]
    double worked;          // put in since the start [J]
    double flow;            // the same, every contribution counted positive [J]
} PartnerEnergy;

// What the grains' side of a port has to move.
typedef struct PartnerMass {
    double mass;  // [kg]
    double polar; // sum of mass times distance from the port's origin squared, and own inertia [kg m^2]
    bool held;    // something else holds it, too: the ground, or another port
} PartnerMass;

// Turns loads into motions.
typedef struct Driver {
    void *self;
    MrcStatus (*begin)(void *self, double h, MrcError *error); // predicts t + h; again: forgets the step
    Motion (*motion)(const void *self, int port);              // as it stands
    MrcStatus (*advance)(void *self, const Load *loads, MrcError *error); // to t + h, with these loads there
    MrcStatus (*iterate)(void *self, const Load *loads, double *left,
                         MrcError *error); // one iteration of that; converged when *left <= 1
    // Y, 6p x 6p: what impulses at the ports add to their velocities over the step that was advanced.
    MrcStatus (*mobility)(void *self, double *Y, MrcError *error);
    // Impulses on top of the advanced step, and `early`: those at its beginning that would move the ports as
    // far.
    MrcStatus (*impulse)(void *self, const Load *impulses, const Load *early, MrcError *error);
    MrcStatus (*commit)(void *self, MrcError *error);
    MrcStatus (*euler)(void *self, double h,
                       MrcError *error); // instead of begin and advance: one semi-implicit
                                         // Euler step, joints kept (TIGHT Eqs. 18-19)
    PartnerEnergy (*energy)(const void *self);
    Twist (*euler_twist)(const void *self, int port); // of a port over that step, its arm as at the beginning
    // After euler, as part of a contact problem: adds bodies and joints, and says which bodies carry the
    // ports; takes the solution instead of impulse (`impulses`: on the ports, for the books).
    int bodies; // that it would add; 0: it cannot
    MrcStatus (*join)(void *self, ContactProblem *problem, MachinePort *ports, MrcError *error);
    void (*take)(void *self, const ContactSolution *solution, const Load *impulses);
    double rho_inf; // of its integrator, for advice
} Driver;

// Turns motions into loads.
typedef struct Follower {
    void *self;
    MrcStatus (*save)(void *self, MrcError *error);
    MrcStatus (*restore)(void *self, MrcError *error);
    // One step of h. ports[p]: pose at the beginning; its velocities are what the container of the port would
    // have over the step if no grain touched it, on average; its accelerations, how they change meanwhile. Y:
    // 6p x 6p, what an impulse adds to that; NULL: nothing. Out: the impulse of the grains on each container,
    // about the port's origin, and that at the beginning of the step that would have moved it as far.
    MrcStatus (*advance)(void *self, double h, const Motion *ports, const double *Y, Load *impulses,
                         Load *early, MrcError *error);
    PartnerEnergy (*energy)(const void *self);
    int small_steps; // that it takes in the longest one of the driver's, and so notices accelerations; 0:
                     // just that
    // One step of h with a machine in its contact problem; NULL: it has none.
    MrcStatus (*advance_machine)(void *self, double h, const Motion *ports, const ContactMachine *machine,
                                 Load *impulses, MrcError *error);
    // All grains that can touch a port; NULL: there are none. Adds to `mass`.
    void (*carried)(const void *self, int port, Vec3 origin, PartnerMass *mass);
} Follower;

#endif
