// The mechanism: nodes, bodies, beams, joints and forces. It turns loads at its ports into motions of its
// ports.
//
// A step:
//
//     mechanism_begin(m, h)                  predicts the state at t + h
//     mechanism_motion(m, port)              the motion of a port in that state, at any stage
//     mechanism_advance(m, loads)            solves for t + h with these loads; may be repeated with others
//     mechanism_iterate(m, loads, &error)    the same, one Newton iteration at a time
//     mechanism_mobility(m, early, Y)        velocities of the ports per impulse, from a factored matrix
//     mechanism_impulse(m, impulses)         velocity jumps after the advance (condensed scheme)
//     mechanism_commit(m)                    makes t + h the present
//
// mechanism_begin may be called again instead of mechanism_commit; the step is then discarded.
// mechanism_save and mechanism_restore keep a whole state, also over several steps.
#ifndef MECHANISM_MECHANISM_H
#define MECHANISM_MECHANISM_H

#include "base/archive.h"
#include "base/log.h"
#include "contact/machine.h"
#include "geometry/material.h"
#include "math/frame.h"
#include "math/unit.h"
#include "mechanism/definition.h"
#include "mechanism/element.h"

typedef struct Mechanism Mechanism;

typedef struct MechanismSetting {
    const Material *materials;
    int material_count;
    Vec3 gravity;         // [m/s^2]
    const Inputs *inputs; // of the simulation, which they outlive; NULL: none is ever set
    const Log *log;       // for notes and warnings; may be NULL
} MechanismSetting;

// How far the given initial state was from one that the joints allow.
typedef struct MechanismAssembly {
    double moved, turned;     // largest change of a node's position [m] and orientation [rad]
    double velocity, angular; // largest change of velocity [m/s] and angular velocity [rad/s]
    const char *node;         // that was displaced most
    double equilibrium_moved; // largest displacement to the static equilibrium [m]; 0: not asked for
    int equilibrium_iterations;
} MechanismAssembly;

// `definition` must outlive the mechanism. Assembles, finds the equilibrium when asked for, and computes
// consistent accelerations and reactions. Redundant or contradictory joints: MRC_MODEL, naming them.
MrcStatus mechanism_create(const MechanismDefinition *definition, const MechanismSetting *setting,
                           Mechanism **mechanism, MrcError *error);
void mechanism_destroy(Mechanism *mechanism);
const MechanismAssembly *mechanism_assembly(const Mechanism *mechanism);

// ---- nodes and ports -----------------------------------------------------------------------------
int mechanism_node_count(const Mechanism *mechanism);
int mechanism_find_node(const Mechanism *mechanism,
                        const char *name); // node, body or beam end; -1: ground; -2: none
const NodeState *mechanism_node(const Mechanism *mechanism, int node); // now (after begin: at t + h)
const char *mechanism_node_name(const Mechanism *mechanism, int node);
// Its axes as given, before joints were closed and the equilibrium was found. Rotations count from there.
Mat3 mechanism_written_axes(const Mechanism *mechanism, int node);

// A port is fixed to a node, with its origin at `offset` and turned by `orientation`, both in node axes.
// Ports are added before the first step and numbered from 0.
MrcStatus mechanism_add_port(Mechanism *mechanism, int node, Vec3 offset, Quaternion orientation, int *port,
                             MrcError *error);
int mechanism_port_count(const Mechanism *mechanism);
Motion mechanism_motion(const Mechanism *mechanism, int port);

// ---- the step ------------------------------------------------------------------------------------
double mechanism_time(const Mechanism *mechanism); // of the last commit [s]
double mechanism_rho_inf(const Mechanism *mechanism);
MrcStatus mechanism_begin(Mechanism *mechanism, double h, MrcError *error);
// `loads`: one per port, about its origin, world axes; NULL: none. The step is divided internally when
// Newton's iteration does not converge; MRC_NOT_CONVERGED when that does not help either.
MrcStatus mechanism_advance(Mechanism *mechanism, const Load *loads, MrcError *error);
// One Newton iteration; *error_norm is the error over the allowed one (converged when <= 1).
MrcStatus mechanism_iterate(Mechanism *mechanism, const Load *loads, double *error_norm, MrcError *error);
// Instead of begin and advance: one step of semi-implicit Euler (monolithic scheme).
MrcStatus mechanism_euler(Mechanism *mechanism, double h, MrcError *error);
Twist mechanism_euler_twist(const Mechanism *mechanism,
                            int port); // over that step, with the arm of the port at its beginning
MrcStatus mechanism_commit(Mechanism *mechanism, MrcError *error);

// Y: 6p x 6p for p ports, row-major: velocity jump (v, w at each port's origin) per impulse (force, moment).
// After mechanism_advance or mechanism_iterate. `early`: the impulses at the beginning of a step that would
// move a port as far as those of a steady load do, over the latter (jump.c): 1 where impulses belong to the
// whole step, (1 + 1/n)/2 where they come in n small steps.
MrcStatus mechanism_mobility(Mechanism *mechanism, double early, double *Y, MrcError *error);
static const double MOBILITY_OF_MASSES = 0; // instead of `early`: that of M alone, for semi-implicit Euler
// The same by M + square K, without dampers, to look at a mechanism and not for a step.
MrcStatus mechanism_mobility_undamped(Mechanism *mechanism, double square, double *Y, MrcError *error);
// How the velocities of the ports change over the advanced step, impulses aside, for followers that divide it into
// small steps. After mechanism_mobility. False: it cannot be found.
bool mechanism_curve(Mechanism *mechanism, Twist *changes);
// The answer of the ports within the advanced step, for followers that divide it into small steps: `lasting` and `yielding`
// as in stiff.c, each 6p x 6p, and the time [s] in which they yield. From then on the impulses of the step are divided.
// After mechanism_mobility. False: there is none, and they are not.
bool mechanism_divide(Mechanism *mechanism, double *lasting, double *yielding, double *settling);
// Impulses P at the ports, one Load [N s, N m s] each (condensed scheme): velocities jump by D P, poses by
// h D E, and the stored past is shifted accordingly (impulse.c). `early` is E, the impulses at the
// beginning of the step that would move the ports as far as P does; NULL: E = P. `works`: of the impulses at
// each port, as the other side records it [J]; NULL: unknown. Uses the last mobility, which must have been
// computed since the advance.
MrcStatus mechanism_impulse(Mechanism *mechanism, const Load *impulses, const Load *early,
                            const double *works, MrcError *error);

// After mechanism_impulse: the energy that these impulses, a part of those that were given, have brought [J],
// less the work that driven joints did against them (jump_energy.c). False: it is unknown.
bool mechanism_jump_energy(Mechanism *mechanism, const Load *impulses, double *gained);
// Of the velocities of the ports by the masses alone after the last mechanism_impulse, what dampers took (rebound.c).
// False: nothing.
bool mechanism_stopped(const Mechanism *mechanism, Twist *lost);

// After mechanism_euler, instead of mechanism_impulse: the same step as part of a contact problem.
// mechanism_join adds nodes as bodies and joints as bilateral rows, mechanism_take takes the solution;
// `impulses` at the ports are for the energy ledger only.
int mechanism_body_count(const Mechanism *mechanism); // of bodies that it would add; 0: it cannot be added
MrcStatus mechanism_join(Mechanism *mechanism, ContactProblem *problem, MachinePort *ports, MrcError *error);
void mechanism_take(Mechanism *mechanism, const ContactSolution *solution, const Load *impulses,
                    const double *works);

// ---- state ---------------------------------------------------------------------------------------
void mechanism_archive(Mechanism *mechanism, Archive *archive);
size_t mechanism_state_size(const Mechanism *mechanism); // bytes that save needs
void mechanism_save(const Mechanism *mechanism, void *state);
void mechanism_restore(Mechanism *mechanism, const void *state);

// ---- what can be measured ------------------------------------------------------------------------
// The present as the equations of motion give it with the mean load of the last step: velocities without the
// lag of impulses (jump.c), accelerations and reactions with their mean. To be called before the two after it;
// between steps.
MrcStatus mechanism_report(Mechanism *mechanism, MrcError *error);
const NodeState *mechanism_reported_node(const Mechanism *mechanism, int node);
struct SpringValues mechanism_reported_spring(const Mechanism *mechanism, const char *name);
// The same of a torsion spring: angle and rate, and its moment on the second node.
struct SpringValues mechanism_reported_torsion_spring(const Mechanism *mechanism, const char *name);
struct ForceValues mechanism_reported_force(const Mechanism *mechanism, const char *name);
struct ActuatorValues mechanism_reported_actuator(const Mechanism *mechanism, const char *name);
Load mechanism_reported_reaction(const Mechanism *mechanism, int joint);
struct JointValues mechanism_reported_joint(const Mechanism *mechanism, int joint);
// What the velocity of a node lags behind, between steps.
Twist mechanism_lag(const Mechanism *mechanism, int node);

ElementEnergy mechanism_energy(const Mechanism *mechanism); // now
// Between steps, without the lag of velocities: at rest under a load the kinetic energy is zero.
ElementEnergy mechanism_settled_energy(const Mechanism *mechanism);

// The energy ledger up to the last commit [J]: energies, and powers integrated by the trapezoidal rule.
typedef struct MechanismLedger {
    double kinetic, potential, elastic; // now
    double start;                       // their sum at the start
    double dissipated;                  // in dampers and in material damping
    double work;                        // by forces and driven joints
    double port_work, impulse_work;     // by loads and by impulses at the ports
    double flow;                        // sum of the absolute work of all steps
    double algorithmic;                 // numerical dissipation and integration error: what the rest leaves
} MechanismLedger;
MechanismLedger mechanism_ledger(const Mechanism *mechanism);

// Reaction of a joint: force and moment that the joint exerts on its second node, about the joint's second
// marker, world axes.
int mechanism_find_joint(const Mechanism *mechanism, const char *name); // -1: none
Load mechanism_reaction(const Mechanism *mechanism, int joint);

typedef struct MechanismCounts {
    int64_t steps, iterations, factorizations, retries;
    double violation; // largest error of a position constraint; rotations times the length [m]
} MechanismCounts;
MechanismCounts mechanism_counts(const Mechanism *mechanism);

#endif
