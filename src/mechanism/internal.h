// What the files of the mechanism's core share. All other code includes mechanism.h.
//
//     builder.c      nodes and elements from definitions
//     matrix.c       sparse matrix and factors
//     equations.c    residual, Jacobian and rates of the whole mechanism
//     product.c      products with the Jacobian
//     two_step.c     the integrator: coefficients, prediction, motion from accelerations
//     newton.c       solves one step
//     consistent.c   velocities and accelerations that satisfy the constraints
//     step.c         begin, advance, iterate, commit; shorter steps when Newton's iteration fails
//     assembly.c     initial positions and velocities that satisfy the constraints
//     redundancy.c   redundant constraints
//     equilibrium.c  static equilibrium
//     jump.c         the matrix of velocity jumps
//     mobility.c     mobility of the ports
//     stiff.c        forces instead of jumps along stiff directions
//     impulse.c      velocity jumps by impulses at the ports
//     rebound.c      those of rebounds, where dampers are strong
//     euler.c        a step of semi-implicit Euler
//     bilateral.c    that step as part of a contact problem
//     tree.h         the same in relative coordinates
#ifndef MECHANISM_INTERNAL_H
#define MECHANISM_INTERNAL_H

#include "base/error.h"
#include "math/so3.h"
#include "math/two_step.h"
#include "mechanism/builder.h"
#include "mechanism/matrix.h"
#include "mechanism/mechanism.h"

// A single instruction; fmax is a library call because of its rules for NaN. A NaN as b does not count.
static inline double larger(double a, double b) { return b > a ? b : a; }

typedef struct Port {
    int node;
    Vec3 offset; // node axes [m]
    Quaternion orientation;
} Port;

enum { PORTS_MAX = 64 };

// The motion of a node in a step, without the terms of the unknown acceleration (two_step.c).
typedef struct StepBase {
    Vec3 x, v, w, theta; // x~, v~, w~, theta~
    Vec3 turn;           // rotation vector from the orientation at t to that at t + h
} StepBase;

// Nodes, multipliers and elements' memory at one instant, and the inputs that held then: factors that are
// computed again when a run is resumed need them.
typedef struct Instant {
    NodeState *nodes;
    double *q, *u, *du; // relative form: coordinates, their rates and accelerations; otherwise empty
    double *lambda;
    double *memory; // of elements
    Inputs inputs;  // none when the mechanism has none
} Instant;

typedef enum Stage {
    STAGE_IDLE,      // at t, between steps
    STAGE_PREDICTED, // after begin
    STAGE_ITERATED,  // Newton's iteration has begun or ended
    STAGE_SOLVED,    // velocities and accelerations satisfy the constraints, too
} Stage;

// The numbers of the state, at the beginning of its block; arrays follow.
typedef struct StateHead {
    double t;               // of the last commit [s]
    double h;               // of the step in progress, or of the last one [s]
    double past_h;          // length of the last committed step [s]; 0: there was none
    int64_t stage;          // Stage
    int64_t parts;          // that the step was divided into
    int64_t euler;          // the step in progress is one of semi-implicit Euler
    int64_t past_shifted;   // impulses have shifted `two` in the last step
    int64_t stiff_acts;     // stiff_force acts at the end of the step in progress
    TwoStep scheme;         // of the step in progress
    double c;               // h b0, change of the velocity per change of the acceleration [s]
    double last_correction; // of mechanism_iterate, over the allowed one
    double reaction_error;  // error of the multipliers after Newton's iteration, over the allowed one
    // The matrices in use were computed at Mechanism.step_point and mass_point:
    int64_t step_serial, mass_serial; // Factor.serial; 0: none
    double step_c, step_t, mass_t;
    double step_rate; // convergence per iteration observed with the matrix of the step
    double pivot_c;   // c of the matrix for which the pivots were chosen; 0: none yet
    // Energy ledger, integrated from the start [J]:
    double dissipated, work, flow, port_work, impulse_work;
    double lag_share;         // of the jump in progress: what velocities lag behind (jump.c)
    double held;              // how much of the lag that lasts counts (jump.c)
    double step_impulse_work; // in the step in progress
    double step_drive_work;   // of driven joints due to impulses in it
    double step_stopped;      // taken by dampers from rebounds in it (rebound.c)
    double start_energy;
    ElementEnergy power; // at the last commit (only the powers are used)
    double port_power;
} StateHead;

// Loads of a port that the two-step formula has stored (late.c).
typedef struct LateLoad {
    Load left, left_before; // R, now and before the last step [N s], [N m s]
    Load behind;            // s [kg m], [kg m^2]
    Load load;              // a, the last one [N], [N m]
} LateLoad;

// Answers of all velocities to unit impulses on the p ports (mobility.c): 6p columns, row-major.
typedef struct Mobility {
    double *block;                   // of all arrays
    double *answer;                  // D0, rows of all velocities and multipliers
    double *left;                    // D0 of the transposed equations
    double *error;                   // R, residual of D0
    double *unit_answer, *unit_left; // E, and E of the transposed equations
    double *of_forces, *unit_forces; // as D0 and E, with the matrix of Newton's iteration (stiff.c)
    double *forces, *inert;          // scratch of stiff.c
    double *columns;                 // scratch, column-major
    int64_t serial;                  // Factor.serial of unit_answer and unit_left
    int64_t force_serial;            // of unit_forces
    bool known;                      // computed in this step
    bool exact;                      // by factors of `now`
    bool of_masses;                  // by the masses alone
    bool stopped;                    // dampers have taken a part of the rebound, Mechanism.stopped
    bool divided;                    // impulses of this step are divided into jumps and forces
    bool corrected;                  // by R; otherwise D0 is taken for D
} Mobility;

// The matrix of velocity jumps (jump.c), with the values that the factors and products of it need.
typedef struct JumpMatrix {
    double cc, ck;  // weights of C and K
    Factor factor;  // at Mechanism.step_point
    Factor stiff;   // values of cc C + ck K there
    Factor now;     // at `now`
    double pivot_c; // as Mechanism.pivot_c, of `factor`
    double now_pivot_c;
} JumpMatrix;

// The mechanism in a contact problem (bilateral.c).
typedef struct MechanismRows {
    int32_t first_body;       // of the nodes
    size_t first_row;         // of the multipliers
    ARRAY(double) right_side; // of the step: impulses of forces, then G (v - v0) that the joints need
    // scratch
    ARRAY(double) mass;
    ARRAY(int32_t) bodies, parent, place, members;
} MechanismRows;

typedef struct Tree Tree;

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
    Element **constraints; // elements that have multipliers
    int constraint_count;
    Builder builder; // for names
    Tree *tree;      // of the relative form (tree.h); NULL: absolute
    Port ports[PORTS_MAX];
    int port_count;

    // ---- the state: one block
    char *block;
    size_t block_size;
    StateHead *head;                // in the block, as are:
    Instant now;                    // at t + h during a step, otherwise at t
    Instant one;                    // at t
    Instant two;                    // at t - past_h; memory and multipliers are not used
    Instant step_point, mass_point; // where the factored matrices were computed
    Vec3 *step_turns;               // StepBase.turn there
    StepBase *base;
    Load *loads, *loads_one; // at the ports, at t + h and at t
    Load *impulses;          // at the ports in the last step, about their origins at its beginning
    LateLoad *late;          // per port: of the loads, what is still to come (late.c)
    NodeState *unpushed;     // the nodes at the end of the step before its first impulses (report.c)
    double *shift;           // of velocities at t by impulses, six per node, then of poses
    double *last_jump;       // of velocities in the step before
    double *lasting_jump;    // that part of the last two that a steady load explains
    double *lag;             // of velocities: sum of lag_share times the jump, of the step in progress
    double *lasting_lag;     // that part of it that lasts
    double *stiff_force;     // of the step in progress, six per node (stiff.c)
    double
        *stiff_jump; // what it adds to the velocities; semi-implicit Euler in relative coordinates: the jump
    double *last_stiff, *lasting_stiff; // as last_jump and lasting_jump, of stiff_jump
    double *lambda_impulse;             // multipliers due to impulses, impulse over h, in the last step

    // ---- not of the state
    char *scratch;
    Instant start;            // as assembled at t = 0
    Instant sub_one, sub_two; // `one` and `two` of parts of a step
    Instant trial;
    Matrix matrix, mass_matrix;
    Factor step_factor, mass_factor, work_factor;
    JumpMatrix jumps;
    Instant reported;     // what is reported of the present (report.c)
    Factor report_factor; // of the mass matrix there
    Factor inertia;       // values of the mass matrix and of the inertia of turning bodies (stiff.c)
    int64_t serial;       // of the last factorization
    double pivot_c;       // c of the matrix whose pivots are in use
    double *residual, *unknown, *rates, *seconds, *saved, *forces; // scratch vectors
    // Of velocities by impulses, with impulses of multipliers; then of poses over h, likewise; then scratch (stiff.c)
    double *jump;
    double *massless;  // per degree of freedom: 0, or a typical mass where it has none
    double *node_mass; // that resists translation, per node [kg]
    int massless_count;
    Mat3 *turns;       // per node, see step_turns
    bool *of_beam;     // per node: it belongs to a beam
    bool *alone;       // per node: the mass matrix does not connect it with others, nor with joints
    double *phi_scale; // per multiplier: largest change of phi per translation, or per rotation over `length`
    Mobility mobility;
    Twist stopped[PORTS_MAX]; // of the ports in the rebound of the step in progress (rebound.c)
    MechanismRows in_problem;
    double length;     // typical of the mechanism [m]
    double mass_scale; // typical mass of a node [kg]
    MechanismAssembly assembly;
    MechanismCounts counts;
};

// ---- mechanism.c -----------------------------------------------------------------------------------
// mechanism_create with further nodes and elements, which `more` adds (may be NULL).
MrcStatus mechanism_create_with(const MechanismDefinition *definition, const MechanismSetting *setting,
                                MrcStatus (*more)(Builder *, MrcError *), Mechanism **mechanism,
                                MrcError *error);
void instant_copy(const Mechanism *m, Instant to, Instant from);
// What a joint exerts on its second node; `more`: of all multipliers, added to those of the instant, or NULL.
Load element_reaction(const Mechanism *m, const Element *element, Instant at, const double *more, double t);

// ---- equations.c -----------------------------------------------------------------------------------
ElementInput element_input(const Mechanism *m, const Element *element, Instant at, double t);
// The same for many elements: what all of them have in common, then what is one's own. (A copy of the whole for each of
// them took longer than the sums of their forces.)
static inline ElementInput elements_input(const Mechanism *m, const Instant *at, double t) {
    return (ElementInput){.t = t, .inputs = at->inputs, .gravity = m->gravity};
}
static inline void element_input_set(const Element *element, const Instant *at, ElementInput *in) {
    in->lambda = at->lambda + element->multiplier;
    in->state = element->state_count ? at->memory + element->state : NULL;
    for (int i = 0; i < element->node_count; i++)
        in->node[i] = element->node[i] < 0 ? &node_ground : &at->nodes[element->node[i]];
}
// r of all rows: forces and moments of nodes, then phi. `loads` may be NULL.
void mech_residual(Mechanism *m, Instant at, double t, const Load *loads, double *r);
// Its two parts: what depends neither on accelerations nor on multipliers, and the rest, which is added.
void mech_forces(Mechanism *m, Instant at, double t, const Load *loads, double *r);
void mech_add_others(Mechanism *m, Instant at, double t, double *r);
void mech_phi(const Mechanism *m, Instant at, double t, double *phi); // phi alone
void mech_jacobian(Mechanism *m, Instant at, double t, double cm, double cc, double ck, Factor *factor);
// r -= J x, J as in mech_jacobian; x and r have all rows, `columns` numbers each (product.c).
void mech_subtract_product(Mechanism *m, Instant at, double t, double cm, double cc, double ck,
                           const double *x, double *r, int columns);
void mech_mass(Mechanism *m, Instant at, double t, Factor *factor); // of m->mass_matrix
// (M + c C) B^-1 + c^2 K for a step in which the nodes turn by `turns` (NULL: not), see newton.c.
void mech_step_jacobian(Mechanism *m, Instant at, const Vec3 *turns, double t, double c, Factor *factor);
void mech_rates(Mechanism *m, Instant at, double t, double *rate, double *second); // either may be NULL
// The lever arm of a port's load, from its node at the instant `at` to where the port's origin was at the beginning of
// the step. That is where the impulses of a step act: only so do they give the mechanism the angular momentum that they
// take from the grains.
Vec3 port_arm(const Mechanism *m, Instant at, int port);
Load port_load_on_node(const Mechanism *m, Instant at, int port, Load load);
double mech_violation(const Mechanism *m, const double *phi, int *worst); // largest, in units of phi_scale
ElementEnergy mech_energy(const Mechanism *m, Instant at, double t);
ElementEnergy mech_power(const Mechanism *m, Instant at, double t);  // only the powers are valid
double mech_applied_power(const Mechanism *m, Instant at, double t); // of forces, not of driven joints [W]
const Element *mech_constraint(const Mechanism *m, int multiplier);  // the element that it belongs to
const Element *mech_not_finite(const Mechanism *m, Instant at,
                               double t); // that exerts what is not finite; NULL: none
// Displaces a node by dx and d(theta).
void node_displace(NodeState *node, const double *d);

// ---- two_step.c ------------------------------------------------------------------------------------
TwoStep two_step_variable(double rho_inf, double past); // past: last step over this one; 0: no past
// Sets scheme, c and base for a step of h from `one` and predicts `now`.
void step_predict(Mechanism *m, Instant one, Instant two, double past_h, double t, double h);
// The prediction of a node at t + h for coupling schemes, that of MBDyn (Zhang et al. 2020, Eqs. 5-6,
// doi:10.1016/j.mechmachtheory.2020.104181; Zhang et al. 2022, Eqs. 33-35, doi:10.1007/s11044-022-09829-w).
// Newton's iteration starts from extrapolated accelerations instead.
NodeState step_prediction(const Mechanism *m, int node);
// Another prediction of `now`, after step_predict: from poses alone.
void step_extrapolate(Mechanism *m, Instant one, Instant two, double past_h, double h);
// Velocities and positions of `now` from its accelerations.
void step_move(Mechanism *m, Instant one);
void turns_move(Mechanism *m, Instant one); // orientations at t + h from the angular velocities there
// B^-1 with d(rotation) = c^2 B d(alpha), for a node that has turned by theta in the step. False: it is
// close to the unit matrix.
bool turn_inverse(Vec3 theta, Vec3 w, double c, Mat3 *inverse);

// ---- newton.c --------------------------------------------------------------------------------------
typedef struct NewtonResult {
    bool converged, finite, singular;
    int iterations;
    double correction; // the last one, over the allowed one
    int worst;         // node of the largest correction
} NewtonResult;
// Allowed error of accelerations [m/s^2]; `before`: the nodes at the beginning of the step.
double newton_allowed(const Mechanism *m, const NodeState *before, double c);
// Error of multipliers over the allowed one, which is relative to what they exert, or that of accelerations
// if it is larger.
double newton_reactions(const Mechanism *m, const double *correction, double allowed);
double newton_size(const Mechanism *m, const double *d, int *worst); // largest correction of a node
bool newton_prepare(Mechanism *m, double t); // makes sure that there are factors to iterate with
bool newton_iterate(Mechanism *m, Instant one, double t, const Load *loads, double *correction, int *worst);
NewtonResult newton_solve(Mechanism *m, Instant one, double t, const Load *loads);
bool step_matrix(Mechanism *m, double t); // computes and factors the matrix of the step at `now`
bool step_matrix_in_use(Mechanism *m);    // makes sure that the factors are those of the state
bool step_solve(Mechanism *m, double *x); // with the factors of the step, turned with the nodes of beams
const Mat3 *step_turns(Mechanism *m);     // these rotations, per node; nodes of beams only
bool turned_solve(Mechanism *m, const Factor *factor,
                  double *x); // with other factors of step_point, likewise
// M + cc C + ck K and the constraints, degrees of freedom without mass kept regular.
void weighted_values(Mechanism *m, Instant at, double t, double cc, double ck, Factor *factor);
// r -= A x with that matrix at `now`; x and r are row-major.
void weighted_subtract(Mechanism *m, double t, double cc, double ck, const double *x, double *r, int columns);
bool mass_matrix(Mechanism *m, double t);
bool mass_matrix_in_use(Mechanism *m);
bool mass_solve(Mechanism *m, double *x); // with its factors, turned with nodes that are alone

// ---- consistent.c ----------------------------------------------------------------------------------
// These change `now`. False: no convergence.
bool consistent_positions(Mechanism *m, double t, double allowed); // [m]
bool consistent_velocities(Mechanism *m, double t, double allowed, bool *changed);
typedef enum ConsistentAccelerations {
    CONSISTENT_START,
    CONSISTENT_STEP,
    CONSISTENT_JUMP
} ConsistentAccelerations;
bool consistent_accelerations(Mechanism *m, double t, const Load *loads, double allowed,
                              ConsistentAccelerations what); // at the start, after a step, after impulses
bool consistent_step(Mechanism *m, Instant one, double t, const Load *loads); // after Newton's iteration

// ---- jump.c ----------------------------------------------------------------------------------------
bool jump_factors(Mechanism *m);               // makes sure that there are factors for step_point
bool jump_solve(Mechanism *m, double *x);      // with them
bool jump_factors_now(Mechanism *m, double t); // factors for `now`
// Factors of M + cc C for `now`, C being that of dampers alone: without what turning bodies do by their inertia.
bool jump_factors_damped(Mechanism *m, double t, double cc);
// Its values alone, in `factor`.
void jump_values_damped(Mechanism *m, Instant at, double t, double cc, Factor *factor);
void jump_subtract(Mechanism *m, double t, const double *x, double *r, int columns); // r -= S' x, S' of `now`
void jump_set_early(Mechanism *m, double early);     // of the step in progress
void jump_set_undamped(Mechanism *m, double square); // S' = M + square K, instead
void jump_remember(Mechanism *m);                    // at the commit: what lasts of the jumps
Twist jump_lag(const Mechanism *m, int node); // of velocities under a load that is held; else mechanism_lag
// How much of a load is held by forces of the machine, from 0 to 1, that pushes with the power `pushed` (impulse times
// velocity) in the jump dv; the forces act for `time`.
double jump_held(const Mechanism *m, const double *dv, double time, double pushed);

// ---- late.c ------------------------------------------------------------------------------------------
void late_remember(Mechanism *m);   // at the commit, before `one` becomes `now`
bool late_acts(const Mechanism *m); // is anything still to come?
// The part of the velocities that is still to come (late.c), between steps; `mass`: factors of M with the joints, for
// now. false: singular.
bool late_velocities(Mechanism *m, const Factor *mass, double *dv);

// ---- impulse.c -------------------------------------------------------------------------------------
// Power of driven joints at an instant, due to the reactions `lambda` alone [W].
double impulse_drive_power(const Mechanism *m, double *lambda, Instant at, double t);
// For a step of semi-implicit Euler: jumps of velocities and impulses of multipliers, and jumps of poses
// over h.
void impulse_on_euler(Mechanism *m, const Load *impulses, const double *works, const double *dv,
                      const double *du);

// ---- bilateral.c -----------------------------------------------------------------------------------
void mech_rows_free(Mechanism *m);

// ---- step.c ------------------------------------------------------------------------------------------
MrcStatus mechanism_finish(Mechanism *m, MrcError *error); // consistent_step, unless it has been done
// Over millions of steps rounding makes rotation matrices lose their orthogonality: one Newton step of the
// polar decomposition, R (3 I - R^T R)/2.
Mat3 step_orthogonal(Mat3 R);

extern const ElementKind body_kind; // body.c

// ---- stiff.c -----------------------------------------------------------------------------------------
// Divides the impulses, with the jumps dv and du over h that they would make, before nodes move: dv and du become the
// jumps that remain, `now` the step with the forces.
bool stiff_take(Mechanism *m, const Load *impulses, double *dv, double *du);
// Forces and moments of impulses on the ports, as impulses on the nodes: force[matrix.freedoms].
void stiff_on_nodes(const Mechanism *m, const Load *impulses, double *force);

// ---- rebound.c ---------------------------------------------------------------------------------------
// Of the jump dv of a rebound, by the masses alone, dampers leave a part: dv becomes that.
bool rebound_take(Mechanism *m, const Load *impulses, double *dv);

// ---- mobility.c --------------------------------------------------------------------------------------
// Jump of all velocities by impulses, and impulses of the joints: x[matrix.size]. To be called before nodes
// move.
bool mobility_answer(Mechanism *m, const Load *impulses, double *x);
// x -> S'^-1 x, by the factors that the mobility was found with.
bool mobility_refine(Mechanism *m, double *x);
void mobility_unit_impulses(const Mechanism *m, double *rows); // Q^T, row-major
void mobility_clear_rounding(const Mechanism *m, double *Y);   // where joints forbid all motion
bool mobility_of_forces(Mechanism *m);                         // Mobility.of_forces
// Velocity of a port for the velocities x of the nodes.
Twist mobility_port(const Mechanism *m, int port, const double *x);

// ---- assembly.c, redundancy.c, equilibrium.c ---------------------------------------------------------
MrcStatus mech_assemble(Mechanism *m, MrcError *error);
MrcStatus mech_refit_velocities(Mechanism *m,
                                MrcError *error); // after `now` was displaced along the constraints
MrcStatus mech_equilibrium(Mechanism *m, MrcError *error);

typedef struct Redundancy {
    bool *redundant;      // per multiplier: its row is a combination of those before it
    int count;            // of redundant rows
    const Element *joint; // the first with a redundant row
    char partners[256];   // names of the joints whose constraints it repeats
} Redundancy;
// At `now`. `nothing`: a row of size 1 is redundant when less than this is left; usually redundant_rows.
MrcStatus mech_find_redundant(const Mechanism *m, double nothing, Redundancy *result, MrcError *error);
extern const double redundant_rows;
// The error message; `contradiction` NULL: the constraints agree.
MrcStatus mech_redundancy_error(const Redundancy *found, const char *contradiction, MrcError *error);
// Are constraints nearly redundant at `now`, so that joints block each other? `text` gets their names.
bool mech_find_blocked(const Mechanism *m, char *text, size_t size);

#endif
