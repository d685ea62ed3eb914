// The mechanism: nodes, bodies, beams, joints and forces, as one partner of a simulation. Loads at its ports
// go in, motions of its ports come out.
//
// A step, in the verbs that coupling schemes are written in:
//
//     mechanism_begin(m, h)              predicts the state at t + h
//     mechanism_motion(m, port)          ... of which this is the motion, at any stage
//     mechanism_advance(m, loads)        solves for t + h with these loads there; may be called again with
//     others mechanism_iterate(m, loads, &e)    the same, one Newton iteration at a time
//     mechanism_mobility(m, kind, Y)     how port velocities answer impulses, from the factored matrix
//     mechanism_impulse(m, impulses)     velocity jump on top of the advanced state (condensed scheme)
//     mechanism_commit(m)                makes t + h the present
//
// mechanism_begin may be called again instead of committing: the step is then forgotten. mechanism_save and
// mechanism_restore keep a whole state aside, several steps back if need be.
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

// How far the user's initial state was from what the joints allow.
typedef struct MechanismAssembly {
    double moved, turned;     // largest change of a node's position [m] and orientation [rad]
    double velocity, angular; // of its velocity [m/s] and angular velocity [rad/s]
    const char *node;         // the one that moved most
    double equilibrium_moved; // largest displacement by the static equilibrium [m]; 0: not asked for
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
// Its axes as they were written, before joints were closed and the equilibrium found: rotations count from
// there.
Mat3 mechanism_written_axes(const Mechanism *mechanism, int node);

// A port rides on a node: its origin `offset` away and turned by `orientation`, both in node axes. Ports are
// added before the first step and numbered from 0.
MrcStatus mechanism_add_port(Mechanism *mechanism, int node, Vec3 offset, Quaternion orientation, int *port,
                             MrcError *error);
int mechanism_port_count(const Mechanism *mechanism);
Motion mechanism_motion(const Mechanism *mechanism, int port);

// ---- the step ------------------------------------------------------------------------------------
double mechanism_time(const Mechanism *mechanism); // of the last commit [s]
double mechanism_rho_inf(const Mechanism *mechanism);
MrcStatus mechanism_begin(Mechanism *mechanism, double h, MrcError *error);
// `loads`: one per port, about its origin, world axes; NULL: none. Halves the step inside when Newton does
// not converge; MRC_NOT_CONVERGED when that does not help either.
MrcStatus mechanism_advance(Mechanism *mechanism, const Load *loads, MrcError *error);
// One Newton iteration; *error_norm is what is left (converged when <= 1).
MrcStatus mechanism_iterate(Mechanism *mechanism, const Load *loads, double *error_norm, MrcError *error);
// Instead of begin and advance: one step of semi-implicit Euler (monolithic scheme).
MrcStatus mechanism_euler(Mechanism *mechanism, double h, MrcError *error);
Twist mechanism_euler_twist(const Mechanism *mechanism,
                            int port); // over that step, the port's arm being that of its beginning
MrcStatus mechanism_commit(Mechanism *mechanism, MrcError *error);

typedef enum MobilityKind {
    MOBILITY_STEP,     // with the matrix of the implicit step: M + h b0 C + (h b0)^2 K
    MOBILITY_EXPLICIT, // with M alone
} MobilityKind;
// Y: 6p x 6p for p ports, row-major: velocity jump (v, w of each port's origin) per impulse (force, moment).
// After mechanism_advance or mechanism_iterate.
MrcStatus mechanism_mobility(Mechanism *mechanism, MobilityKind kind, double *Y, MrcError *error);
// Impulses at the ports, one Load [N s, N m s] each: velocities jump by D P, poses by h D E, and the stored
// past is shifted to match (condensed scheme). `early` is E: impulses at the beginning of the step that would
// have moved the ports as far as those that really acted, at this time or that; NULL: all acted there, E = P.
// Uses the mobility of the last call of mechanism_mobility, which must have been since the advance.
MrcStatus mechanism_impulse(Mechanism *mechanism, const Load *impulses, const Load *early, MrcError *error);

// The same step as part of a contact problem, after mechanism_euler: nodes are added as bodies, joints as
// bilateral rows, and the solution is taken instead of mechanism_impulse; `impulses` at the ports are for the
// books only.
int mechanism_body_count(const Mechanism *mechanism); // that it would add; 0: it cannot be added
MrcStatus mechanism_join(Mechanism *mechanism, ContactProblem *problem, MachinePort *ports, MrcError *error);
void mechanism_take(Mechanism *mechanism, const ContactSolution *solution, const Load *impulses);

// ---- state ---------------------------------------------------------------------------------------
void mechanism_archive(Mechanism *mechanism, Archive *archive);
size_t mechanism_state_size(const Mechanism *mechanism); // bytes that save needs
void mechanism_save(const Mechanism *mechanism, void *state);
void mechanism_restore(Mechanism *mechanism, const void *state);

// ---- what can be measured ------------------------------------------------------------------------
ElementEnergy mechanism_energy(const Mechanism *mechanism); // now; powers with the loads of the last step

// Where energy came from, where it is, where it went, up to the last commit [J]. Powers are integrated by the
// trapezoidal rule.
typedef struct MechanismLedger {
    double kinetic, potential, elastic; // now
    double start;                       // their sum at the start
    double dissipated;                  // in dampers and in material damping
    double work;                        // by forces and driven joints
    double port_work, impulse_work;     // by loads and by impulses at the ports
    double flow;                        // work, every contribution counted positive
    double algorithmic;                 // what is missing: damped by the integrator, and its errors
} MechanismLedger;
MechanismLedger mechanism_ledger(const Mechanism *mechanism);

// Reaction of a joint: force and moment that the joint exerts on its second node, about the joint's second
// marker, world axes.
int mechanism_find_joint(const Mechanism *mechanism, const char *name); // -1: none
Load mechanism_reaction(const Mechanism *mechanism, int joint);

typedef struct MechanismCounts {
    int64_t steps, iterations, factorizations, retries;
    double violation; // of position constraints, largest now; turns by the mechanism's length [m]
} MechanismCounts;
MechanismCounts mechanism_counts(const Mechanism *mechanism);

#endif
