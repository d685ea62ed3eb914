// Driver and follower joined at their ports, and the scheme that advances them together.
//
// A scheme is a function of one file, scheme_NAME.c, and a row in the table of coupling.c. It is written in
// the verbs below, which are those of the partners with the containers in between.
#ifndef COUPLING_COUPLING_H
#define COUPLING_COUPLING_H

#include "base/archive.h"
#include "coupling/adaption.h"
#include "coupling/bound.h"
#include "coupling/container.h"
#include "coupling/partner.h"
#include "coupling/signs.h"

// What was exchanged at a port, and how far to trust it.
typedef struct CoupledPort {
    const char *name;
    Motion marker; // of the mechanism, at the end of the last step
    Load load;     // on the mechanism in the last step
    Load past[2];  // in the two steps before
    Twist gap;     // container's pose less the marker's [m], [rad]
    PortSigns signs;
} CoupledPort;

typedef struct CouplingCounts {
    int64_t steps, grain_solves;
    int64_t most_solves;      // in one step
    int64_t unconverged;      // steps in which the iteration of the tight scheme did not reach its tolerance
    double energy_error;      // sum over the steps of load times (marker's way - container's way) [J]
    double energy_error_size; // the same, each step counted positive [J]
    double energy_passed;     // sum over the steps of |load times marker's way| [J]
    double bend_work;    // of the loads, by the markers' velocities being above or below their mean then [J]
    double largest_gap;  // between container and marker [m]
    double largest_load; // [N]
} CouplingCounts;

// Of the monolithic scheme with joints as rows: the mechanism and its containers in the contact problem
// (machine.c).
typedef struct CouplingMachine {
    MachinePort *markers;          // per port: the mechanism's body
    int32_t *bodies;               // per port: of a container with mass
    size_t *first_rows;            // likewise: of the joint that holds it
    const ContactSolution *solved; // of the last step
    const ContactProblem *problem; // likewise
} CouplingMachine;

typedef struct Coupling Coupling;
typedef MrcStatus Scheme(Coupling *coupling, double h, MrcError *error);

struct Coupling {
    const CouplingDefinition *definition;
    SchemeKind scheme; // never SCHEME_AUTO
    Driver driver;
    Follower follower;
    Vec3 gravity; // [m/s^2]
    int count;    // of ports
    CoupledPort *ports;
    Containers containers;
    CouplingCounts counts;
    Adaption adaption;   // of the exchange step
    double longest;      // exchange step, where they are cut; else 0 [s]
    double last_h;       // the last exchange step [s]
    PartnerEnergy start; // of both partners and the containers together, after the first step
    double stored_range; // how far the stored energy has been from that at the start [J]
    double known;        // energy that was there, put in or moved between heights, when last looked at [J]
    double gain;         // energy that is there now and came from nowhere [J]
    CouplingBound bound; // of the load
    // of one step
    Motion *before; // markers at its beginning
    Twist *twists;  // what the markers are to do
    Twist *bends;   // by which accelerations that changes within the step
    Twist *free;    // what the containers would do
    Twist *moved;   // what they did, on average
    Twist *ended;   // and at the end of the step
    Motion *given;  // to the grains: poses with free twists
    Load *impulses; // of the grains on the containers
    Load *early;    // at the beginning of the step, they would have moved the containers as far
    Load *passed;   // on the mechanism's markers [N s]
    Load *passed_early;
    Load *loads;         // the same as loads [N]
    Load *driving;       // what the driver was given meanwhile, if that was something else
    bool driven;         // by `driving`; else by `passed`
    double *Y;           // mobility of the markers
    int64_t solves;      // of the grains in this step
    double round_growth; // change of the load in the last round of the step over that in the first
    double *history;     // of the tight scheme's acceleration
    CouplingMachine machine;
};

MrcStatus coupling_create(Coupling *coupling, const CouplingDefinition *definition, int count, Arena *arena,
                          MrcError *error);
// To be called for each port, once driver and follower are set and the driver stands at the start.
void coupling_place(Coupling *coupling, int port, const char *name, const ContainerDefinition *container);

// One exchange step; in shorter ones where the port energy error asks for it (adaption.h).
MrcStatus coupling_exchange(Coupling *coupling, double h, MrcError *error);
MrcStatus coupling_step(Coupling *coupling, double h, MrcError *error);
void coupling_archive(Coupling *coupling, Archive *archive);
const char *scheme_name(SchemeKind scheme);    // "condensed"
const char *scheme_instead(SchemeKind scheme); // what to use when it does not do

// What is amiss at a port and what to do about it, for each sign that was seen (signs.h); NULL: not seen.
// `buffer` holds the text.
const char *coupling_sign(const Coupling *coupling, int port, SignKind sign, char *buffer, size_t size);

// ---- verbs of schemes (exchange.c) ---------------------------------------------------------------
MrcStatus exchange_begin(Coupling *coupling, double h,
                         MrcError *error); // predict; remembers where markers were
void exchange_follow(Coupling *coupling,
                     double h); // twists: lead the containers to where the markers are now
Twist exchange_twist_to(const Coupling *coupling, int port, double h, const Motion *target); // of a container
// The markers begin and end the step with the velocities that they have there: only schemes in which these
// are not guesses ask for it, and only smooth grains notice.
void exchange_bend(Coupling *coupling, double h);
// Grains and containers over the step, the markers moving by `twists` (+ Y times what is passed on when Y is
// given): fills `passed` and `loads`.
MrcStatus exchange_grains(Coupling *coupling, double h, const double *Y, MrcError *error);
void exchange_extrapolate(Coupling *coupling, ExtrapolationKind kind); // fills `loads` from the past
MrcStatus exchange_drive(Coupling *coupling, const Load *loads,
                         MrcError *error); // advances the driver with them
// Semi-implicit Euler evaluates everything at the beginning of the step: containers without mass are put
// where their markers are, twists are those of the markers with the errors of the others' poses taken back.
void exchange_follow_euler(Coupling *coupling, double h);
void exchange_settle_euler(Coupling *coupling,
                           double h); // once the driver has moved: so do containers without mass
// The same, mechanism and containers being bodies of the contact problem and their joints rows of it; the
// driver takes the solution. After its euler.
MrcStatus exchange_machine(Coupling *coupling, double h, MrcError *error);
bool coupling_has_rows(const Coupling *coupling); // does the monolithic scheme go that way?
// The step is final: containers move, the driver commits, energy errors are booked.
MrcStatus exchange_end(Coupling *coupling, double h, MrcError *error);

size_t tight_history_size(int ports); // numbers that the tight scheme keeps in `history`
void explicit_weights(const CouplingDefinition *definition, double w[3]); // alpha, beta, gamma

Scheme scheme_loose, scheme_tight, scheme_explicit, scheme_overlapped, scheme_multirate, scheme_monolithic,
    scheme_condensed;

#endif
