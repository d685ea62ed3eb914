// Drivers and followers joined at their ports, and the scheme that advances them together.
//
// A scheme (scheme.h) is written in the verbs below, which are those of the partners with the containers in between.
#ifndef COUPLING_COUPLING_H
#define COUPLING_COUPLING_H

#include "base/archive.h"
#include "coupling/container.h"
#include "coupling/divergence.h"
#include "coupling/drivers.h"
#include "coupling/followers.h"
#include "coupling/monitor.h"
#include "coupling/scheme.h"
#include "coupling/step_control.h"
#include "math/semidefinite.h"

// What was exchanged at a port, and how far to trust it. The port of the driver is called the marker, as opposed to
// the container that rides on it.
typedef struct CoupledPort {
    const char *name;
    Motion marker; // at the end of the last step
    Load load;     // on the driver in the last step
    Load
        reaction; // of that, what is reported: with a container's inertia and weight where the driver carries it
    Load past[2]; // in the two steps before
    Twist gap;    // container's pose less the marker's [m], [rad]
    Twist worked; // how the container moved in the last step, for the work of impulses
    ExchangeMonitor monitor;
} CoupledPort;

typedef struct CouplingCounts {
    int64_t steps, grain_solves;
    int64_t most_solves; // in one step
    int64_t unconverged; // steps in which the iteration of the tight scheme did not reach its tolerance
    double
        energy_error; // sum over the steps of load times (displacement of marker less that of container) [J]
    double energy_error_size; // the same, each step counted positive [J]
    double energy_passed;     // sum over the steps of |load times displacement of the marker| [J]
    double bend_work;         // of the loads, by the markers' velocities less their means over a step [J]
    double largest_gap;       // between container and marker [m]
    double largest_load;      // [N]
    double prescribed_work;   // done by ports with a prescribed motion [J]
    double prescribed_flow;   // the same, every step counted positive [J]
    double damped;            // taken by the dampers of containers [J]
} CouplingCounts;

// What one exchange step works with. Arrays have one item per port.
typedef struct ExchangeStep {
    double t;            // its beginning [s]
    int solves;          // how often the followers have advanced
    double round_growth; // iterating schemes: change of the load in the last round over that in the first
    bool driven;         // `driving` is set
    Motion *before;      // markers at its beginning                                     by exchange_begin
    Twist *twists;       // mean velocities that the markers are to have                 by the scheme
    Twist *bends;        // accelerations with which these change within the step        by exchange_bend
    Motion *given;       // to the followers: poses of the containers with free twists   by exchange_grains
    Twist *free;         // of the containers, if nothing touched them                   by exchange_grains
    Load *impulses;      // of the followers on the containers [N s], [N m s]  by exchange_grains, _rebound
    Load *early;         // those at the beginning that would have moved them as far     by exchange_grains
    Twist *moved;        // mean velocities that the containers had                      by exchange_grains
    Twist *ended;        // and those at the end of the step                             by exchange_grains
    Load *passed;        // impulses on the markers                                      by exchange_grains
    Load *passed_early;  // as `early`, on the markers                                   by exchange_grains
    Load *
        loads; // on the markers: passed/h, or extrapolated                    by exchange_grains, _extrapolate
    Load *driving; // that the drivers were advanced with                          by exchange_drive
    double *Y;     // mobility of the markers, 6p x 6p                             by exchange_mobility
    double *lasting,
        *yielding;   // the answer within small steps (PortAnswer)                  by exchange_divide
    double settling; // likewise [s]
    bool divided;    // there is one
    double *whole;   // mobility for impulses of the whole step beside others
    bool mixed;      // there are both
    double *scratch; // for its projection
    double *works;   // of the impulses on the ports [J]                             by exchange_works
    Twist *worked;   // mean velocities of the containers that it was found with     by exchange_works
    bool has_works;
    bool has_path; // works are those of the followers, on the way within the step
} ExchangeStep;

// Of the monolithic scheme with joints as rows: drivers and containers in the contact problem (joined_problem.c).
typedef struct JoinedProblem {
    MachinePort *markers;          // per port: the driver's body
    int32_t *bodies;               // per port: of a container with mass
    size_t *first_rows;            // likewise: of the joint that holds it
    const ContactSolution *solved; // of the last step
    const ContactProblem *problem; // likewise
} JoinedProblem;

// Energy of all sides together, and where it may have come from.
typedef struct EnergyWatch {
    PartnerEnergy start; // of partners and containers, after the first step
    double stored_range; // how far the stored energy has been from that at the start [J]
    double known; // energy of the start, work put in and change of potential energy, at the last check [J]
    double gain;  // energy in excess of the known sources [J]
} EnergyWatch;

typedef struct Coupling {
    const CouplingDefinition *definition;
    const SchemeType *scheme;
    SchemeSettings settings;
    Drivers drivers;
    Followers followers;
    Vec3 gravity; // [m/s^2]
    int count;    // of ports
    int yielding; // ports 0 ... yielding - 1 answer to loads; the motion of the others is prescribed
    CoupledPort *ports;
    Containers containers;
    double containers_start; // energy of the containers at the start [J]
    CouplingCounts counts;
    StepControl control; // of the exchange step
    double longest;      // exchange step, where they are cut; else 0 [s]
    double last_h;       // the last exchange step [s]
    EnergyWatch energy;
    DivergenceWatch divergence;
    ExchangeStep step;
    size_t history_size;
    double *history; // what the scheme keeps from step to step (SchemeType.history_size)
    JoinedProblem joined;
} Coupling;

// A port as the simulation describes it.
typedef struct CouplingPort {
    const char *name;
    const ContainerDefinition *container; // NULL: none
    bool carried;                         // its mass is the driver's
} CouplingPort;

// `drivers` stand at the start; those that yield come first. `ports` in the order of the drivers.
MrcStatus coupling_create(Coupling *coupling, const CouplingDefinition *definition, const Drivers *drivers,
                          const Followers *followers, const CouplingPort *ports, Vec3 gravity, Arena *arena,
                          MrcError *error);

// One step of the simulation from t to t + h; in shorter ones where the port energy error asks for it
// (step_control.h).
MrcStatus coupling_step(Coupling *coupling, double t, double h, MrcError *error);
MrcStatus coupling_exchange(Coupling *coupling, double t, double h, MrcError *error); // one exchange step

// Impulses at the beginning of a step that would move a container as far as those of a steady load, over the latter: 1
// where they belong to the whole step, (1 + 1/n)/2 with n small steps, 0 for semi-implicit Euler (mobility in
// partner/partner.h).
double coupling_early(const Coupling *coupling, double h);

int coupling_find_port(const Coupling *coupling, const char *name); // -1: none
void coupling_motions(const Coupling *coupling, Motion *ports);     // of the containers, now
// Of the grains alone on the container, without the inertia and the weight that the container adds to the load of the
// port: in the last exchange step. Zero before the first one, and after a state was read.
Load coupling_contact_load(const Coupling *coupling, int port);

// Signals of a port; `coupling` is NULL when only names are wanted.
void coupling_port_signals(const char *name, const Coupling *coupling, SignalList *list);
// To be called after all partners have added their energies: takes off what passed through ports, which is no work from
// outside.
void coupling_ledger(const Coupling *coupling, EnergySums *now);
void coupling_facts(const Coupling *coupling, FactList *list);
void coupling_archive(Coupling *coupling, Archive *archive);

// ---- verbs of schemes (exchange.c) ---------------------------------------------------------------
MrcStatus exchange_begin(Coupling *coupling, double h,
                         MrcError *error); // stores where markers are; predicts
void exchange_begin_euler(
    Coupling *coupling); // the same without the prediction: semi-implicit Euler has none
void exchange_follow(Coupling *coupling, double h); // twists: to where the markers are now
Twist exchange_twist_to(const Coupling *coupling, int port, double h, const Motion *target); // of a container
// The velocities of the markers change linearly over the step, from that at its beginning to that at its end. For
// schemes that know these velocities; only followers with small steps use it.
MrcStatus exchange_bend(Coupling *coupling, double h, MrcError *error); // after exchange_mobility
void exchange_bend_ends(Coupling *coupling,
                        double h); // the velocities that drivers without an answer have at both ends
// The same with semi-implicit Euler, whose forces are impulses at the beginning of the step: spread over it, as the loads of
// the grains are, they move nothing at rest.
void exchange_bend_euler(Coupling *coupling, double h);
MrcStatus exchange_mobility(Coupling *coupling, double h, const double **Y,
                            MrcError *error); // NULL where nothing yields
// The answer of the ports within small steps, where both sides support it. After exchange_mobility.
void exchange_divide(Coupling *coupling);
// Where rigid grains are beside smooth ones, the mobility for them. Before exchange_mobility.
MrcStatus exchange_whole(Coupling *coupling, MrcError *error);
// Followers and containers over the step, the markers moving by `twists` (+ Y times what is passed on when Y is
// given): fills `passed` and `loads`. Ports with a prescribed motion follow it, whatever `twists` say.
MrcStatus exchange_grains(Coupling *coupling, double h, const double *Y, MrcError *error);
void exchange_extrapolate(Coupling *coupling, int degree); // fills `loads` from the past: 0, 1, 2
MrcStatus exchange_drive(Coupling *coupling, const Load *loads,
                         MrcError *error);                                 // advances the drivers with them
MrcStatus exchange_impulse(Coupling *coupling, double h, MrcError *error); // hands `passed` to the drivers
// After exchange_impulse: rebounds of the followers that are to act after the step.
MrcStatus exchange_rebound(Coupling *coupling, double h, MrcError *error);
// Semi-implicit Euler evaluates everything at the beginning of the step: containers without mass are put where
// their markers are, twists are those of the markers with the errors of the others' poses taken back.
void exchange_follow_euler(Coupling *coupling, double h);
void exchange_settle_euler(Coupling *coupling,
                           double h); // the drivers have moved: so do containers without mass
// The same, drivers and containers being bodies of the contact problem and their joints rows of it; the drivers
// take the solution. After their euler.
MrcStatus exchange_joined(Coupling *coupling, double h, MrcError *error);
// Work of the impulses on each port, as the followers record it: with small steps that of the free motion and half of
// the answer, else with the mean of how the container moved in the last step and moves in this one (world_rigid.c).
void exchange_works(Coupling *coupling, double h);
// Makes the step final, once the scheme has ended: drivers commit, containers move, energies are recorded.
MrcStatus exchange_commit(Coupling *coupling, double h, MrcError *error);
// The energy error of the exchange and the energy that passed, all ports together, before the commit.
PortEnergy exchange_energy(const Coupling *coupling, double h);

bool joined_problem_is_used(const Coupling *coupling); // does the monolithic scheme go that way?
void explicit_weights(const CouplingDefinition *definition, double w[3]); // alpha, beta, gamma

#endif
