// All beds and their ports: one step of grains and walls together.
//
// Ports are bodies. Each has, for the step, a pose at its start and a *free* twist: its motion without contacts,
// displacement/h and rotation vector/h from the pose at t to that at t + h, so that a container with prescribed
// motion arrives exactly (Eqs. 18 and 21 of doi:10.1016/j.mechmachtheory.2020.104181). The response of ports to
// impulses is their mobility, an inverse mass of all ports together:
//
//     none                 the motion of the ports is prescribed
//     a matrix             twist after = free twist + Y impulse: the condensed scheme, and bodies with mass
//     a machine            its bodies and joints are in the same contact problem: the monolithic scheme
//
// Nonsmooth beds are solved for exactly with it, all beds in one contact problem; without it each bed has its
// own. Smooth beds take sub-steps: each changes the ports' velocities by Y F dt, and Y enters the effective
// mass of their contacts.
//
// Coupling: world_save, world_advance, world_restore, world_advance, ... The state is that of the beds and
// nothing else but counts; what was not restored is committed.
#ifndef GRAINS_WORLD_H
#define GRAINS_WORLD_H

#include "contact/machine.h"
#include "contact/solver.h"
#include "grains/grains.h"

typedef struct World World;

typedef struct WorldBed {
    Grains *grains;
    const int *wall_ports; // per wall part: port, or -1: the ground
} WorldBed;

// What solving took, since the start.
typedef struct WorldCounts {
    int64_t solves;     // contact problems
    int64_t contacts;   // in them, all together
    int64_t iterations; // likewise
    int64_t fallbacks;  // how often a second method was tried
    int64_t loose;      // problems not solved to the tolerance
    int64_t unsolved;   // of them with a residual above the limit
    int64_t rebounds;   // steps with a rebound after them (world_rebound.c)
    int64_t limited;    // of them those in which it was limited by the energy that there was
    int64_t locked;     // steps in which overlaps stayed, locked by friction (world_locked.c)
    double worst;       // largest residual
    double seconds;     // of wall-clock time in solvers
} WorldCounts;

// `beds` and their wall_ports must outlive the world. `step`: of world_advance, for the sub-steps of smooth
// beds; their own step is made to divide it.
MrcStatus world_create(const WorldBed *beds, int bed_count, int port_count, double step, Vec3 gravity,
                       World **world, MrcError *error);
// Where the ports are before the first step, for what is measured then; without it, at the origin and at rest.
void world_place_ports(World *world, const Motion *ports);
// One bed, each wall part being a port of its own.
MrcStatus world_create_alone(Grains *grains, World **world, MrcError *error);
void world_destroy(World *world); // not the beds

// One step h; with smooth beds at most that of world_create, and of whole sub-steps. `ports`: pose at its
// start, velocity and angular velocity of the free twist, accelerations by which this changes during the
// step, its mean being the twist itself (smooth beds only; rigid ones use the mean). `mobility`: (6 n)^2
// numbers, row-major, velocities and angular velocities of port 0, 1, ...; NULL: none. `impulses`: on each
// port during the step, about its origin at the start. `after`: twist of each port with them, without what
// accelerations add; may be NULL. MRC_NOT_CONVERGED: the contact problem has not been solved for many steps in
// a row.
MrcStatus world_advance(World *world, double h, const Motion *ports, const double *mobility, Load *impulses,
                        Twist *after, MrcError *error);

// The same with a machine that carries the first ports; the motion of the others is prescribed. Of the ports of
// the machine only the poses are used. All beds must be nonsmooth.
MrcStatus world_advance_machine(World *world, double h, const Motion *ports, const ContactMachine *machine,
                                Load *impulses, Twist *after, MrcError *error);

// How the ports answer to smooth beds within the next step, instead of by the mobility (coupling/scheme_condensed.c): an
// impulse p changes velocities by `lasting` p for good, and others, with which they yield, go to `yielding` h F with the
// time constant `settling`. NULL: by the mobility alone. With it come the mean twists of the ports in the step and the
// works of the impulses on them.
// `whole`: the mobility for the impulses of rigid beds, which belong to the whole step, where there are smooth ones, too.
void world_set_answer(World *world, const double *lasting, const double *yielding, double settling,
                      const double *whole);
const Load *world_whole(const World *world); // impulses of the rigid beds, with `whole`
const Twist *world_moved(const World *world);
const double *world_works(const World *world);

// From now on restitution of rigid grains at ports with mobility acts after the step: world_advance is plastic there, and
// world_rebound gives the grains and ports their rebound, if world_rebounds says that there is one. `ports`: at the poses
// of world_advance, with the velocities at its end; `masses`: the mobility of the machine's masses alone. `impulses`: on
// each port, about that pose (world_rebound.c). `limit`: energy that the rebound may give grains and ports at most [J].
// world_rebounding: impulses of world_advance on the ports by the contacts that will rebound; it returns the energy that
// they took from the grains, less that lost by friction. world_stopped: what ports have lost of their part of the rebound,
// because dampers of the machine took it at once.
void world_set_later(World *world, bool later);
bool world_rebounds(const World *world);
double world_rebounding(const World *world, Load *impulses);
MrcStatus world_rebound(World *world, double h, const Motion *ports, const double *masses, double limit,
                        Load *impulses, MrcError *error);
void world_stopped(World *world, const Twist *lost);

// Of the last step: impulses at its start that would have moved the ports as far as those that acted,
// sub-step after sub-step. Those of rigid beds belong to the whole step.
const Load *world_early(const World *world);

// Of the last step: mean loads on the wall parts of a smooth bed, each about the origin of its port. NULL: of a rigid
// bed, which measures them itself, or before the first step.
const Load *world_mean_loads(const World *world, int bed);

// Stored in contacts of smooth beds after the last step [J]; takes about as long as a sub-step.
double world_elastic(World *world);
bool world_is_mixed(const World *world); // it has beds of both methods
int world_substeps(const World *world);  // of smooth beds in a step; 0: there are none

// Back to where the last world_save was, as often as wanted.
MrcStatus world_save(World *world, MrcError *error);
MrcStatus world_restore(World *world, MrcError *error);
void world_archive(World *world, Archive *archive); // counts; not the beds

WorldCounts world_counts(const World *world);
const ContactReport *world_report(const World *world); // of the last problem
// The problem that was solved worst, with the impulses reached; false: all were solved.
bool world_worst(const World *world, const ContactProblem **problem, const ContactSolution **solution);
const ContactProblem *world_problem(const World *world); // the last one

// The solver's options as given in the definition of a bed; `weight` of a grain at rest, over its mass [m/s^2];
// `size` of what gaps are the differences of, the longest arm of a contact [m].
ContactOptions world_options(const GrainsDefinition *definition, double weight, double step, double size);

#endif
