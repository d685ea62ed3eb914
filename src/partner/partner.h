// A partner: anything that sits on one side of a port. It is the unit of a simulation.
//
// A driver turns loads into motions: a mechanism, a prescribed motion. A follower turns motions into loads:
// beds of grains. A partner may be both. Coupling schemes use the verbs of drivers and followers; the
// simulation uses what every partner has besides: signals, energies, a state, frames and facts. A new kind
// of partner is one file with one PartnerType.
//
// Ports are numbered through all drivers, in the order of the drivers: arrays of motions and loads have one
// item per port. A driver has its own ports only, a follower all of them.
#ifndef PARTNER_PARTNER_H
#define PARTNER_PARTNER_H

#include "base/archive.h"
#include "base/error.h"
#include "base/fact.h"
#include "base/log.h"
#include "base/memory.h"
#include "contact/machine.h"
#include "math/frame.h"
#include "math/input.h"
#include "partner/frame_part.h"
#include "partner/ledger.h"
#include "partner/signal.h"

// Energy of a partner, and what came into it from outside other than through ports.
typedef struct PartnerEnergy {
    double kinetic, stored; // [J]
    double worked;          // put in since the start [J]
    double flow;            // the same, every contribution counted positive [J]
    double unseen;          // what lifts all grains by a hundredth of their radius: less is as none [J]
} PartnerEnergy;

// What a follower has to move at a port.
typedef struct PartnerMass {
    double mass;  // [kg]
    double polar; // sum of all mass times its distance from the port's origin squared [kg m^2]
    bool held;    // something else holds it, too: the ground, or another port
} PartnerMass;

// What a follower got and lost at a port since the start.
typedef struct PartnerLosses {
    double impact, friction, rolling; // dissipated [J]
    double work;                      // done on it by walls [J]
    double mass;                      // of it [kg]
} PartnerLosses;

// Ports of the simulation as they are when a partner is made.
typedef struct PartnerPorts {
    const char *const *names;
    const Motion *motions;
    int count;
} PartnerPorts;

int partner_find_port(const PartnerPorts *ports, const char *name); // -1: NULL, or there is none

// Ports and nodes that a section of the model file names.
typedef ARRAY(const char *) PartnerNames;
bool partner_name(PartnerNames *names, const char *port); // NULL is passed over; false: no memory

// What a partner of the model file is made with.
typedef struct PartnerSetting {
    PartnerPorts ports;           // of the whole simulation
    const struct Partner *others; // partners that were made before
    int other_count;
    const Inputs *inputs;
    const Log *log;                     // NULL: none
    const struct GrainsSetting *grains; // materials and gravity, among others
    const struct BedsSteps *steps;      // how beds divide the step
} PartnerSetting;

// What a partner is able to do. The verbs of what it cannot do may be NULL.
typedef struct PartnerAbilities {
    // of drivers
    bool yields;    // its ports answer to loads; false: the motion is prescribed
    bool mobility;  // their response can be computed: mobility and impulse
    bool euler;     // it can take a semi-implicit Euler step: euler and euler_twist
    bool once;      // it can be advanced only once in a step
    bool iterates;  // `advance` is one iteration towards its end only
    int bodies;     // that it adds to a contact problem: join and take; 0: it cannot
    double rho_inf; // of its integrator, for advice; NAN: unknown
    // of followers
    bool restore;    // it can go back to the beginning of a step: save and restore
    bool rows;       // it has a contact problem that bodies and joints can join: advance_machine
    int small_steps; // its steps within the longest step of the driver: it uses accelerations; 0: it takes
                     // that one
    bool divides;    // it has small steps and uses PortAnswer: set_answer and path
    bool mixed;      // some of its impulses belong to the whole step: whole
    // of both
    bool energy; // its energy can be computed
} PartnerAbilities;

// How ports answer to loads within a step, for followers with small steps: an impulse p changes velocities by `lasting`
// p for good, and those with which ports yield go to `yielding` h F, F being the load, with the time constant
// `settling`. Both matrices are 6p x 6p.
typedef struct PortAnswer {
    const double *lasting, *yielding; // NULL: by the mobility
    double settling;                  // [s]
    // Mobility for impulses that belong to the whole step, where others do not; NULL: likewise.
    const double *whole;
} PortAnswer;

// Turns loads into motions. `loads` and `impulses` have one item per port of the driver.
typedef struct DriverVerbs {
    MrcStatus (*begin)(void *self, double t, double h,
                       MrcError *error);          // predicts t + h; again: discards the step
    Motion (*motion)(const void *self, int port); // as it stands
    MrcStatus (*advance)(void *self, const Load *loads, MrcError *error); // to t + h, with these loads there
    // One iteration of that; converged when *left <= 1.
    MrcStatus (*iterate)(void *self, const Load *loads, double *left, MrcError *error);
    // Y, 6p x 6p: what impulses at the ports add to their velocities over the step that was advanced. `early`: the
    // impulses at its beginning that would move the ports as far as those of a steady load, over the latter; 0: the
    // answer of the masses alone, for semi-implicit Euler.
    MrcStatus (*mobility)(void *self, double early, double *Y, MrcError *error);
    // How the ports' velocities change over the step that was advanced, impulses aside, for followers with small
    // steps. After mobility. NULL: by the difference of the velocities at its ends.
    MrcStatus (*curve)(void *self, Twist *changes, MrcError *error);
    // As PortAnswer says, of its own ports, and so are impulses taken then. After mobility. False, or NULL: there is no
    // such answer, but only the mobility.
    bool (*divide)(void *self, double *lasting, double *yielding, double *settling);
    // Impulses on top of the advanced step, and `early`: those at its beginning that would move the ports as far.
    // `works`: of the impulses at each port, as the other side records it [J]; NULL: unknown.
    MrcStatus (*impulse)(void *self, const Load *impulses, const Load *early, const double *works,
                         MrcError *error);
    // The energy that a part of these impulses has brought, without the work of drives. After impulse. NULL, or false:
    // it is not known.
    bool (*jump_energy)(void *self, const Load *impulses, double *gained);
    // Of the velocities that the last impulse would have given the ports, what dampers took at once; false: nothing. NULL:
    // they never do.
    bool (*stopped)(const void *self, Twist *lost);
    MrcStatus (*commit)(void *self, MrcError *error); // makes t + h the present
    // Instead of begin and advance: one semi-implicit Euler step, joints kept
    // (doi:10.1016/j.mechmachtheory.2020.104181, Eqs. 18-19).
    MrcStatus (*euler)(void *self, double t, double h, MrcError *error);
    Twist (*euler_twist)(const void *self, int port); // of a port over that step, its arm as at the beginning
    // After euler, as part of a contact problem: adds bodies and joints, and says which bodies carry the ports;
    // takes the solution instead of impulse (`impulses`: on the ports, for the ledger).
    MrcStatus (*join)(void *self, ContactProblem *problem, MachinePort *ports, MrcError *error);
    void (*take)(void *self, const ContactSolution *solution, const Load *impulses, const double *works);
} DriverVerbs;

// Turns motions into loads. Arrays have one item per port of the simulation.
typedef struct FollowerVerbs {
    MrcStatus (*save)(void *self, MrcError *error);
    MrcStatus (*restore)(void *self, MrcError *error);
    // One step of h. ports[p]: pose at the beginning; its velocities are what the container of the port would
    // have over the step if no grain touched it, on average; its accelerations, how they change meanwhile. Y:
    // 6p x 6p, what an impulse adds to that; NULL: nothing. Out: the impulse of the grains on each container,
    // about the port's origin, and that at the beginning of the step that would have moved it as far.
    MrcStatus (*advance)(void *self, double h, const Motion *ports, const double *Y, Load *impulses,
                         Load *early, MrcError *error);
    // The ports of the next step answer like this, whatever Y says; NULL: by Y. And after the step, how they have moved,
    // on average, and the work of the impulses on them. NULL: only by Y.
    void (*set_answer)(void *self, const PortAnswer *answer);
    void (*path)(const void *self, Twist *moved, double *works);
    const Load *(*whole)(
        const void *self); // the impulses that belong to the whole step; only with a PortAnswer
    // One step of h with a machine in its contact problem.
    MrcStatus (*advance_machine)(void *self, double h, const Motion *ports, const ContactMachine *machine,
                                 Load *impulses, MrcError *error);
    // Restitution at ports with a mobility may act after the step: see world_set_later in grains/world.h. NULL: it does
    // not.
    void (*set_later)(void *self, bool later);
    bool (*rebounds)(const void *self);
    // Impulses of the step on the ports by contacts that are to rebound. Returns the energy that they took from the
    // follower, less that lost by friction [J].
    double (*rebounding)(void *self, Load *impulses);
    // `limit`: energy that the rebound may give at most [J].
    MrcStatus (*rebound)(void *self, double h, const Motion *ports, const double *masses, double limit,
                         Load *impulses, MrcError *error);
    void (*stopped)(void *self,
                    const Twist *lost); // after it: what the ports have lost of it (DriverVerbs.stopped)
    // Adds everything that can touch a port.
    void (*carried)(const void *self, int port, Vec3 origin, PartnerMass *mass);
    // Adds what it lost at a port since the start, as of the last `measure`.
    void (*losses)(const void *self, int port, PartnerLosses *sum);
} FollowerVerbs;

// How a partner is made from its section of the model file. A row of SIM_PARTNERS (sim/partners.h) says where in the
// definition of a simulation that section is.
typedef struct PartnerSection {
    bool (*is_given)(const void *definition);                   // NULL: there is always such a partner
    bool (*ports)(const void *definition, PartnerNames *names); // that it names; false: no memory
    // Fills *self also when it fails half-way, so that it can be destroyed.
    MrcStatus (*create)(const void *definition, const PartnerSetting *setting, Arena *arena, void **self,
                        MrcError *error);
} PartnerSection;

typedef struct PartnerType {
    const char *kind;              // "mechanism"
    const PartnerSection *section; // NULL: it is not made from a section of its own
    const DriverVerbs *driver;     // NULL: it is no driver
    const FollowerVerbs *follower; // NULL: it is no follower
    PartnerAbilities (*abilities)(const void *self);
    PartnerEnergy (*energy)(const void *self);
    // Lists its signals. `definition` is what the partner is made of; `self` is NULL when only names are wanted,
    // and then no signal has a value. One function for both, so that names and values cannot drift apart.
    void (*signals)(const void *definition, void *self, SignalList *list);
    // Computes the present values for signals, ledger, frames and facts. `ports`: where all ports are now.
    MrcStatus (*measure)(void *self, const Motion *ports, MrcError *error);
    void (*ledger)(const void *self, EnergySums *now); // adds its energies, as of the last `measure`
    void (*archive)(void *self, Archive *archive);     // its whole state
    // Adds what frames show. `view`: in which axes; a part that has no container is shown in world axes only.
    MrcStatus (*frames)(void *self, FrameView view, FrameList *list, MrcError *error);
    void (*facts)(const void *self, FactList *list);
    MrcStatus (*check_finite)(void *self, MrcError *error); // MRC_NOT_FINITE names the grain or node
    // What it does before a step, outside of the coupling, when it is due. `ports`: where all ports are now.
    bool (*is_due)(const void *self, double time);
    MrcStatus (*before_step)(void *self, double time, const Motion *ports, MrcError *error);
    void (*destroy)(void *self);
} PartnerType;

typedef struct Partner {
    const PartnerType *type;
    const void *definition; // that `signals` takes
    void *self;
} Partner;

void *partner_find(const Partner *partners, int count,
                   const PartnerType *type); // its self; NULL: there is none

#endif
