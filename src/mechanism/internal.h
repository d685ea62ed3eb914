// What the files of the mechanism's core share. Everybody else sees mechanism.h.
//
//     builder.c      definitions -> nodes and elements
//     matrix.c       sparse matrix and factors
//     equations.c    residual, Jacobian and rates of the whole
//     two_step.c     the integrator: coefficients, prediction, motion from accelerations
//     newton.c       solves one step
//     consistent.c   velocities and accelerations that fit the constraints
//     step.c         begin, advance, iterate, commit; smaller steps when Newton fails
//     assembly.c     initial positions and velocities that fit the joints
//     redundancy.c   joints that say the same thing twice
//     equilibrium.c  static equilibrium
//     mobility.c     port mobility; impulse.c: velocity jumps
//     euler.c        a step of semi-implicit Euler instead; rows.c: as part of a contact problem
#ifndef MECHANISM_INTERNAL_H
#define MECHANISM_INTERNAL_H

#include "base/error.h"
#include "math/so3.h"
#include "math/two_step.h"
#include "mechanism/builder.h"
#include "mechanism/matrix.h"
#include "mechanism/mechanism.h"

typedef struct Port {
    int node;
    Vec3 offset; // node axes [m]
    Quaternion orientation;
} Port;

enum { PORTS_MAX = 64 };

// Parts of a step's motion that do not depend on the acceleration sought, per node.
typedef struct StepBase {
    Vec3 x, v, w, theta; // what the two-step formula gives without the terms of the new instant
    Vec3 turn;           // rotation vector from the orientation at t to that at t + h
} StepBase;

// Nodes, multipliers and elements' memory at one instant, and the inputs that held then: factors that are
// computed again when a run is resumed need them.
typedef struct Instant {
    NodeState *nodes;
    double *lambda;
    double *memory; // of elements
    Inputs inputs;  // none when the mechanism has none
} Instant;

typedef enum Stage {
    STAGE_IDLE,      // at t, between steps
    STAGE_PREDICTED, // after begin
    STAGE_ITERATED,  // Newton has begun, or come to its end
    STAGE_SOLVED,    // velocities and accelerations fit the constraints, too
} Stage;

// The numbers of the state. They stand at the head of the state's block; arrays follow.
typedef struct StateHead {
    double t;      // of the last commit
    double h;      // of the step in progress, or of the last one
    double past_h; // from the commit before to the last one; 0: there was none
    int64_t stage;
    int64_t parts;          // in which the step was walked
    int64_t euler;          // the step in progress is one of semi-implicit Euler
    int64_t past_shifted;   // by impulses in the last step
    TwoStep scheme;         // of the step in progress
    double c;               // h b0: by how much the velocity answers the acceleration
    double last_correction; // size of Newton's last one
    double reaction_error;  // that it left in the multipliers, over what is allowed
    // The matrices in use were computed at the states `step_point` and `mass_point`:
    int64_t step_serial, mass_serial; // Factor.serial; 0: none
    double step_c, step_t, mass_t;
    double step_rate; // convergence that was seen with it, per iteration
    double pivot_c;   // c of the matrix that the order of pivots was chosen for; 0: none yet
    // Integrated from the start [J]
    double dissipated, work, flow, port_work, impulse_work;
    double step_impulse_work; // of the step in progress
    double step_drive_work;   // of driven joints under its impulses
    double start_energy;
    ElementEnergy power; // at the last commit (only the powers are used)
    double port_power;
} StateHead;

// Answers to unit impulses on the p ports, see mobility.c: 6p columns side by side, row after row.
typedef struct Mobility {
    double *block;                   // of all arrays
    double *answer;                  // D0, of all velocities and multipliers
    double *left;                    // D0 of the transposed equations
    double *error;                   // R, what D0 leaves of the equations
    double *unit_answer, *unit_left; // of the step's factors as they are, to unit loads on the ports' nodes
    double *columns;                 // scratch, column after column
    int64_t serial;                  // Factor.serial of unit_answer and unit_left
    bool known;                      // in this step
    bool corrected;                  // with R; else D0 is exact
} Mobility;
// The mechanism in a contact problem (rows.c).
typedef struct MechanismRows {
    int32_t first_body;  // of the nodes
    size_t first_row;    // of the multipliers
    ARRAY(double) asked; // right-hand side of the step: impulses of forces, then what rows ask of G (v - v0)
    // scratch
    ARRAY(double) mass;
    ARRAY(int32_t) bodies, parent, place, members;
} MechanismRows;

struct Mechanism {
    const MechanismDefinition *definition;
    Arena *arena;
    Log log;
    Vec3 gravity;
    const Inputs *inputs; // of the simulation, taken over when a step begins; NULL: there are none
    int node_count;
    const char **node_names;
    Element *elements;
    int element_count, multiplier_count, memory_count;
    Element **constraints; // those elements that have multipliers
    int constraint_count;
    Builder builder; // for names
    Port ports[PORTS_MAX];
    int port_count;

    // ---- the state: one block
    char *block;
    size_t block_size;
    StateHead *head;                // in the block, as are:
    Instant now;                    // t + h once begun
    Instant one;                    // t
    Instant two;                    // t - past_h; its memory and multipliers are not needed
    Instant step_point, mass_point; // where the factored matrices were computed
    Vec3 *step_turns;               // StepBase.turn there
    StepBase *base;
    Load *loads, *loads_one; // at the ports, at t + h and at t
    double *shift;           // by impulses: of the velocities at t, six per node, then of the poses there
    double *push;            // what impulses over h add to the multipliers, in the last step

    // ---- not of the state
    char *scratch;
    Instant start;            // as assembled at t = 0
    Instant sub_one, sub_two; // smaller steps begin here
    Instant trial;
    Matrix matrix, mass_matrix;
    Factor step_factor, mass_factor, plain_factor, work_factor;
    double plain_pivot_c; // as pivot_c, of plain_factor
    bool plain_known;     // are the values of plain_factor those of Newton's last iteration?
    int64_t serial;       // of the last factorization
    double pivot_c;       // c of the matrix whose pivots are in use
    double *residual, *unknown, *rates, *seconds, *saved; // vectors for anyone to use
    double
        *jump; // by impulses: of velocities, with the answers of multipliers, then of poses over h, likewise
    double *massless; // per freedom: 0, or the mass that stands in for a missing one in matrices
    int massless_count;
    Mat3 *turns;       // per node, see step_turns
    bool *of_beam;     // per node
    double *phi_scale; // per multiplier: violation that moves a node by length or turns it by 1
    Mobility mobility;
    MechanismRows in_problem;
    double length;     // typical of the mechanism [m]
    double mass_scale; // typical mass of a node [kg]
    MechanismAssembly assembly;
    MechanismCounts counts;
};

// ---- mechanism.c -----------------------------------------------------------------------------------
// mechanism_create with things that the definition cannot say: `more` (may be NULL) adds them.
MrcStatus mechanism_create_with(const MechanismDefinition *definition, const MechanismSetting *setting,
                                MrcStatus (*more)(Builder *, MrcError *), Mechanism **mechanism,
                                MrcError *error);
void instant_copy(const Mechanism *m, Instant to, Instant from);

// ---- equations.c -----------------------------------------------------------------------------------
ElementInput element_input(const Mechanism *m, const Element *element, Instant at, double t);
// r of all rows: forces and moments of nodes, then phi. `loads` may be NULL.
void mech_residual(Mechanism *m, Instant at, double t, const Load *loads, double *r);
void mech_phi(const Mechanism *m, Instant at, double t, double *phi); // phi alone
void mech_jacobian(Mechanism *m, Instant at, double t, double cm, double cc, double ck, Factor *factor);
void mech_mass(Mechanism *m, Instant at, double t, Factor *factor); // of m->mass_matrix
// M + c C + c^2 K for a step in which the nodes turn by `turns` (NULL: not), see newton.c.
void mech_step_jacobian(Mechanism *m, Instant at, const Vec3 *turns, double t, double c, Factor *factor);
void mech_rates(Mechanism *m, Instant at, double t, double *rate, double *second); // either may be NULL
Load port_load_on_node(const Mechanism *m, Instant at, int port, Load load);
double mech_violation(const Mechanism *m, const double *phi, int *worst); // largest, in units of phi_scale
ElementEnergy mech_energy(const Mechanism *m, Instant at, double t);
ElementEnergy mech_power(const Mechanism *m, Instant at, double t); // of which only the powers hold
const Element *mech_constraint(const Mechanism *m, int multiplier); // the element that it belongs to
const Element *mech_not_finite(const Mechanism *m, Instant at,
                               double t); // whose share is no number; NULL: none
// Moves a node by dx and turns it by d(theta).
void node_displace(NodeState *node, const double *d);

// ---- two_step.c ------------------------------------------------------------------------------------
TwoStep two_step_variable(double rho_inf, double past); // past: last step over this one; 0: no past
// Sets scheme, c and base for a step of h from `one` and predicts `now`.
void step_predict(Mechanism *m, Instant one, Instant two, double past_h, double t, double h);
// A node at t + h as MBDyn predicts it (TIGHT Eqs. 5-6, EXPLICIT Eqs. 33-35): what coupling schemes
// extrapolate with. Newton starts elsewhere: from extrapolated accelerations.
NodeState step_prediction(const Mechanism *m, int node);
// Another prediction of `now`, after that one, that trusts nothing but poses.
void step_extrapolate(Mechanism *m, Instant one, Instant two, double past_h, double h);
// Velocities and positions of `now` from its accelerations.
void step_move(Mechanism *m, Instant one);
// B^-1, d(rotation) = c^2 B d(alpha), for a node that has turned by theta in the step. False: it is the unit
// matrix, as far as matters.
bool turn_inverse(Vec3 theta, Vec3 w, double c, Mat3 *inverse);

// ---- newton.c --------------------------------------------------------------------------------------
typedef struct NewtonResult {
    bool converged, finite, singular;
    int iterations;
    double correction; // last, over what is allowed
    int worst;         // unknown of the largest correction
} NewtonResult;
// Error of accelerations that is allowed [m/s^2]; `before`: the nodes at the beginning of the step.
double newton_allowed(const Mechanism *m, const NodeState *before, double c);
// Error of multipliers over what is allowed: relative, by what they exert; or as of accelerations if that is
// more.
double newton_reactions(const Mechanism *m, const double *correction, double allowed);
double newton_size(const Mechanism *m, const double *d, int *worst); // of a correction, by node
bool newton_prepare(Mechanism *m, double t);                         // factors that will do
bool newton_iterate(Mechanism *m, Instant one, double t, const Load *loads, double *correction, int *worst);
NewtonResult newton_solve(Mechanism *m, Instant one, double t, const Load *loads);
bool step_matrix(Mechanism *m, double t);  // computes and factors that of the step at `now`
bool step_matrix_in_use(Mechanism *m);     // has the factors that the state says are in use
bool step_solve(Mechanism *m, double *x);  // with the step's factors, turned to where nodes are now
const Mat3 *step_turns(Mechanism *m);      // by which they are turned, per node; nodes of beams only
bool plain_matrix(Mechanism *m, double t); // that of the step without what newton.c does about fast turns
// r -= A x with that, A as it was when it was first asked for since Newton's last iteration. Columns stand
// side by side, row after row.
void plain_subtract(Mechanism *m, double t, const double *x, double *r, int columns);
bool mass_matrix(Mechanism *m, double t);
bool mass_matrix_in_use(Mechanism *m);

// ---- consistent.c ----------------------------------------------------------------------------------
// All change `now`; false: no convergence.
bool consistent_positions(Mechanism *m, double t, double allowed); // [m]
bool consistent_velocities(Mechanism *m, double t, double allowed, bool *changed);
bool consistent_accelerations(Mechanism *m, double t, const Load *loads, double allowed, bool from_step);
bool consistent_step(Mechanism *m, Instant one, double t, const Load *loads); // after Newton's

// ---- impulse.c -------------------------------------------------------------------------------------
// A step of Euler's: jumps of velocities and what multipliers answer, and jumps of poses over h.
void impulse_on_euler(Mechanism *m, const Load *impulses, const double *dv, const double *du);

// ---- rows.c ----------------------------------------------------------------------------------------
void mech_rows_free(Mechanism *m);

// ---- step.c ------------------------------------------------------------------------------------------
MrcStatus mechanism_finish(Mechanism *m, MrcError *error); // what follows Newton, if it has not been done

// ---- mobility.c --------------------------------------------------------------------------------------
// Jump of all velocities by impulses, and impulses of the joints: x[matrix.size]. Before anything is moved.
bool mobility_answer(Mechanism *m, const Load *impulses, double *x);
// Velocity of a port that belongs to the velocities of the nodes in x.
Twist mobility_port(const Mechanism *m, int port, const double *x);

// ---- assembly.c, redundancy.c, equilibrium.c ---------------------------------------------------------
MrcStatus mech_assemble(Mechanism *m, MrcError *error);
MrcStatus mech_refit_velocities(Mechanism *m, MrcError *error); // after `now` was moved along the constraints
MrcStatus mech_equilibrium(Mechanism *m, MrcError *error);

typedef struct Redundancy {
    bool *redundant;      // per multiplier: follows from those before it
    int count;            // of them
    const Element *joint; // the first that has some
    char partners[256];   // names of those that say the same
} Redundancy;
// At `now`. `nothing`: what may be left of a row that counts as redundant, of 1; usually redundant_rows.
MrcStatus mech_find_redundant(const Mechanism *m, double nothing, Redundancy *result, MrcError *error);
extern const double redundant_rows;
// The error that tells; `contradiction` NULL: they agree.
MrcStatus mech_redundancy_error(const Redundancy *found, const char *contradiction, MrcError *error);
// Do joints nearly block each other at `now`? Then `text` gets their names.
bool mech_find_blocked(const Mechanism *m, char *text, size_t size);

#endif
