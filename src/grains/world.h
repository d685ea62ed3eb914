// All beds among their ports: one step of everything that grains do to the machine and it to them.
//
// Ports are bodies. Each has, for the step, a pose at its start and a *free* twist: how it would move if no
// grain touched it, displacement/h and rotation vector/h from the pose at t to that at t + h, so that a
// container that is driven arrives exactly (TIGHT Eqs. 18 and 21). How a port answers to impulses is its
// mobility, an inverse mass of all ports together:
//
//     none                 ports move as they are told (imposed motion)
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

// A container with a mass of its own on the grains' side: a body that six bilateral rows hold to its port
// (TIGHT Eq. 18, EXPLICIT Eq. 18). The load on the port is then the reaction of these rows: that of the
// grains and what the container's own inertia and weight add to it. Without mass the reaction is the sum of
// contact impulses, and there is no such body.
typedef struct WorldContainer {
    double mass;  // [kg]
    Vec3 center;  // of mass, port axes [m]
    Mat3 inertia; // about the centre of mass, port axes [kg m^2]
} WorldContainer;

// What solving took, since the start.
typedef struct WorldCounts {
    int64_t solves;     // contact problems
    int64_t contacts;   // in them, all together
    int64_t iterations; // likewise
    int64_t fallbacks;  // how often a second method was tried
    int64_t loose;      // problems not solved to the tolerance
    int64_t unsolved;   // of them with a residual above the limit
    int64_t in_a_row;   // unsolved now
    double worst;       // largest residual
    double seconds;     // of wall time in solvers
} WorldCounts;

// `beds` and their wall_ports must outlive the world. `step`: of world_advance, for the sub-steps of smooth
// beds; their own step is made to divide it.
MrcStatus world_create(const WorldBed *beds, int bed_count, int port_count, double step, Vec3 gravity,
                       World **world, MrcError *error);
// One bed, each wall part being a port of its own.
MrcStatus world_create_alone(Grains *grains, World **world, MrcError *error);
void world_destroy(World *world); // not the beds

// NULL: no mass. Before the first step.
MrcStatus world_set_container(World *world, int port, const WorldContainer *container, MrcError *error);

// One step h; with smooth beds at most that of world_create, and of whole sub-steps. `ports`: pose at its
// start, velocity and angular velocity of the free twist, accelerations by which this changes during the
// step, its mean being the twist itself (smooth beds only; rigid ones see the mean). `mobility`: (6 n)^2
// numbers, row-major, velocities and angular velocities of port 0, 1, ...; NULL: none. `impulses`: on each
// port during the step, about its origin at the start. `after`: twist of each port with them, without what
// accelerations add; may be NULL. MRC_NOT_CONVERGED: the contact problem has been hopeless for many steps in
// a row.
MrcStatus world_advance(World *world, double h, const Motion *ports, const double *mobility, Load *impulses,
                        Twist *after, MrcError *error);

// The same with a machine that carries the first ports; those after them move as they are told. Of its ports
// only the poses count. All beds must be nonsmooth.
MrcStatus world_advance_machine(World *world, double h, const Motion *ports, const ContactMachine *machine,
                                Load *impulses, Twist *after, MrcError *error);

// Of the last step: impulses at its start that would have moved the ports as far as those that acted,
// sub-step after sub-step. Those of rigid beds belong to the whole step.
const Load *world_early(const World *world);

// Impulse on the port in the last step from the rows that hold its container, about its origin; false: it has
// none.
bool world_reaction(const World *world, int port, Load *impulse);

// Stored in contacts of smooth beds after the last step [J]; takes about as long as a sub-step.
double world_elastic(World *world);
int world_substeps(const World *world); // of smooth beds in a step; 0: there are none

// Back to where the last world_save was, as often as wanted.
MrcStatus world_save(World *world, MrcError *error);
MrcStatus world_restore(World *world, MrcError *error);
void world_archive(World *world, Archive *archive); // counts and containers; not the beds

WorldCounts world_counts(const World *world);
const ContactReport *world_report(const World *world); // of the last problem
// The problem that was solved worst, with the impulses reached; false: all were solved.
bool world_worst(const World *world, const ContactProblem **problem, const ContactSolution **solution);
const ContactProblem *world_problem(const World *world); // the last one

// The solver's options as a bed asks for them.
ContactOptions world_options(const GrainsDefinition *definition, double gravity, double step);

#endif
