// The relative form of the mechanism: joints become the coordinates of a tree, loops are closed at cut joints.
//
//     tree_build.c       the tree: which joints, which coordinates, their names; the start
//     tree_kinematics.c  poses, velocities and accelerations of nodes from coordinates
//     tree_loops.c       loop closure and coordinate partitioning
//     tree_dynamics.c    forces, mass matrix, accelerations, reactions
//     tree_step.c        the two-step integrator on the independent coordinates
//     tree_jump.c        velocity jumps by impulses at the ports
//     tree_euler.c       a step of Moreau and Jean's method, alone or in a contact problem
//
// The coordinates q of all tree joints are divided into independent ones q_u and dependent ones q_v, one of the latter
// for each loop equation phi(q, t) = 0. With J = [J_u J_v] the derivative of phi (Docquier et al. 2020, section 2.5,
// doi:10.1007/s11044-019-09721-0; after Wehage and Haug 1982, doi:10.1115/1.3256318), drives aside,
//
//     q_v' = B q_u',   B = -J_v^-1 J_u,   q' = Z q_u',   Z = [1; B]                    (Eq. 20)
//
// The nodes have the velocities K q' = P q_u' with P = K Z. The reduced mass matrix, force and contact map are Z^T M Z,
// Z^T f and P^T H (Eqs. 25-27).
#ifndef MECHANISM_TREE_H
#define MECHANISM_TREE_H

#include "mechanism/internal.h"
#include "mechanism/joint.h"

// The joint between a node and its parent in the tree.
typedef struct TreeJoint {
    int parent;                 // node; -1: ground
    const Element *element;     // the joint; NULL: the node is free
    const Joint *joint;         // its markers and drives
    bool reversed;              // the parent is the second node of the joint
    int first, count;           // its coordinates: translations, then rotations
    int slide[3];               // coordinate of the translation along x, y, z; -1: kept or driven
    const JointDrive *drive[3]; // of kept translations; NULL: none
    int turns;                  // free rotations, 0 to 3
    int turn_axis[2];           // one: its axis; two: that on the first marker and that on the second
    int chart;                  // three: place of its reference orientation in Tree.charts
} TreeJoint;

// A tree joint at one instant. By the passes of tree_kinematics.c.
typedef struct TreeMotion {
    Mat3 base;                     // axes of the first marker, to world axes
    Vec3 point;                    // the second marker's point, world axes [m]
    JointTurn turn;                // by driven angles
    Vec3 drive_rate, drive_second; // of driven translations, along the axes of the first marker [m/s, m/s^2]
    Vec3 turn_axes[3]; // of free rotations: angular velocity per rate, in the first axes as turned by drives
    Vec3 slide;        // rate of the gap between the markers, world axes [m/s]
    Vec3 turning;      // angular velocity by free rotations, in the first axes as turned by drives [rad/s]
    Vec3 spin;         // angular velocity of the second node relative to the first, world axes [rad/s]
} TreeMotion;

typedef struct TreeCoordinate {
    const char *name; // "hinge", "guide.x"
    int node;         // the child of its joint
    bool angle;       // [rad]; otherwise [m]
} TreeCoordinate;

typedef struct Tree {
    int count;       // n coordinates
    int loop_rows;   // m loop equations
    int independent; // f = n - m
    int chart_count;
    TreeCoordinate *coordinates;
    TreeJoint *joints; // per node
    int *order;        // nodes, parents first
    Element **loops;   // cut joints and gears
    int loop_count;
    bool *wanted; // per coordinate: independent by the model file
    int wanted_count;

    // ---- in the block of the state
    Mat3 *charts;       // reference orientations: rotation = exp(q) chart
    int64_t *partition; // f independent coordinates, then m dependent ones
    double *base_rate;  // of the step: rates without the term of the unknown accelerations (n)
    double *base_place; // likewise of the coordinates (n)
    double *shift;      // of rates at t by impulses (n), then of coordinates (n)

    // ---- scratch
    double t;           // of the end of the step, or of its part [s]
    bool open;          // the loops could not be closed there
    TreeMotion *motion; // per node
    Twist *axes;        // S: velocity of the child's origin per rate of the coordinate (n)
    double *loads;      // on nodes, 6 each: minus what elements exert
    double *sums;       // the same, of all that hangs on the node
    double *composite;  // inertia of all that hangs on the node, 36 each
    double *mass;       // M, n x n
    double *J;          // m x n
    double *J_v;        // factors, m x m
    int *J_pivots;
    double *Z;         // n x f
    double *P;         // 6 nodes x f
    double *S;         // factors, f x f
    int *S_pivots;     //
    double *projected; // rows of one element times P
    double *phi;       // m
    double *x, *y;     // n each
    double *trial;     // m x n, for the choice of a partition
    int *chosen;       // n
    double *velocity;  // of nodes over a step of Moreau and Jean's, 6 each
    bool matrix_known; // S is that of the iteration in progress
    bool jump_known;   // S is that of jumps, and JumpMatrix.now has its values
    Instant jump_at;   // where
    bool switched;     // the independent coordinates of the model file are not in use; a warning was given
    // in a contact problem
    ARRAY(double) inverse;
    ARRAY(int32_t) bodies;
    ARRAY(int32_t) members;
} Tree;

// ---- tree_build.c ------------------------------------------------------------------------------------
MrcStatus tree_create(Mechanism *m, MrcError *error); // when nodes and elements are known
void tree_destroy(Mechanism *m);
MrcStatus tree_start(Mechanism *m, MrcError *error); // from the assembled nodes
int tree_find(const Tree *tree, const char *name);   // a coordinate; -1: none

// ---- tree_kinematics.c -------------------------------------------------------------------------------
void tree_measure(Mechanism *m, double t);           // q and charts of `now` from its nodes
void tree_place(Mechanism *m, Instant at, double t); // poses from q, and S
void tree_move(Mechanism *m, Instant at);            // velocities from u, after tree_place
void tree_accelerate(Mechanism *m, Instant at);      // accelerations from du, after tree_move
// Rates of the coordinates for velocities of nodes (6 each) that the joints allow, drives at rest, at the last tree_place
// of the nodes `at`.
void tree_rates_of_nodes(const Mechanism *m, Instant at, const double *velocities, double *rates);
void tree_renew_charts(Mechanism *m); // where rotations have become large; between steps

// ---- tree_loops.c ------------------------------------------------------------------------------------
bool tree_factor(double *A, int *pivots, int size); // LU, in place, row-major. False: singular
void tree_factor_solve(const double *A, const int *pivots, int size, double *x, bool transposed);
bool tree_geometry(Mechanism *m, Instant at, double t);      // J, factors of J_v, Z and P, after tree_place
bool tree_close(Mechanism *m, Instant at, double t);         // q_v from q_u: poses, and all of the above
bool tree_close_rates(Mechanism *m, Instant at, double t);   // u_v from u_u: velocities
bool tree_close_seconds(Mechanism *m, Instant at, double t); // du_v from du_u: accelerations
MrcStatus tree_choose(Mechanism *m, double t, MrcError *error); // which coordinates are independent
void tree_choose_again(Mechanism *m, double t); // between steps, where the choice is badly conditioned

// ---- tree_dynamics.c ---------------------------------------------------------------------------------
void tree_forces_of_nodes(Mechanism *m, Instant at, const double *loads, double *forces); // K^T loads (n)
void tree_reduce(const Tree *tree, const double *forces, double *reduced);                // Z^T forces (f)
// Loads of all elements but joints at the motion of `at`, to Tree.loads, and what they are reduced to (f).
void tree_residual(Mechanism *m, Instant at, double t, const Load *loads, double *reduced);
void tree_reduced_mass(Mechanism *m, Instant at, double t); // Z^T M Z, to Tree.S
// Factors of Z^T M Z + P^T (cc C + ck K) P, to Tree.S. False: singular.
bool tree_matrix(Mechanism *m, Instant at, double t, double cc, double ck);
// The same of Z^T M Z + P^T cc C P, C being that of dampers alone.
bool tree_matrix_damped(Mechanism *m, Instant at, double t, double cc);
// Accelerations that satisfy the equations of motion, and reactions. After tree_close_rates.
bool tree_solve_accelerations(Mechanism *m, Instant at, double t, const Load *loads);
// Multipliers of all joints with loads + G^T lambda = 0 on every node.
void tree_reactions(Mechanism *m, Instant at, double t, const double *loads, double *lambda);

// ---- tree_step.c: see two_step.c, newton.c and consistent.c --------------------------------------------
void tree_predict(Mechanism *m, Instant one, Instant two, bool past, const double weights[4], double end,
                  double h);
void tree_extrapolate(Mechanism *m, Instant one, Instant two, double share, double h);
void tree_step_move(Mechanism *m);
bool tree_iterate(Mechanism *m, Instant one, double t, const Load *loads, double *correction, int *worst);
NewtonResult tree_newton(Mechanism *m, Instant one, double t, const Load *loads);
bool tree_step_reactions(Mechanism *m, double t, const Load *loads);
void tree_keep_past(Mechanism *m); // at the commit: what was `one` becomes `two`
void tree_settle(Mechanism *m);    // after the commit

// ---- tree_jump.c: see jump.c, mobility.c and impulse.c -------------------------------------------------
// Prepares jumps of the step in progress, of masses alone or by the matrix of jump.c.
bool tree_jump_prepare(Mechanism *m, bool of_masses);
bool tree_jump_damp(Mechanism *m, double cc); // then: by masses and dampers alone (rebound.c)
// Loads on nodes, x, become jumps of their velocities; the rows of multipliers, impulses of joints.
void tree_jump_solve(Mechanism *m, double *x);
bool tree_jump_answer(Mechanism *m, const Load *impulses, double *x); // the same for impulses at the ports
bool tree_add_jump(Mechanism *m, const double *dv, const double *du);

// ---- tree_euler.c: see euler.c, bilateral.c and impulse.c ----------------------------------------------
MrcStatus tree_euler(Mechanism *m, double h, MrcError *error); // after mechanism_begin
bool tree_add_euler_jump(Mechanism *m, const double *dv, const double *du);
int tree_body_count(const Mechanism *m);
MrcStatus tree_join(Mechanism *m, ContactProblem *problem, MachinePort *ports, MrcError *error);
void tree_take(Mechanism *m, const Load *impulses, const double *works);

#endif
