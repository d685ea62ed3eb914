// Primal-dual interior point method, for ill-conditioned problems, inside the module.
//
// In units in which every inverse mass is the identity (M^-1 = L L^T, v = v_free + L y) and every contact has
// w = 1 (residual.h):
//
//   y = A^T p + B^T lambda,  E^T s = A y + b,  B y + g + C lambda = 0,  x = E p,  x o s = 0,  x and s in
//   cones
//
// E copies the normal impulse into one second-order cone per disc: (mu p_n, p_t), (rolling p_n, m_t), ...
// Newton's method on x o s = mu e with Nesterov and Todd's scaling Theta (soc.h), Mehrotra's predictor and
// corrector, mu to zero. With H = E^T Theta E, a small block per contact, each step solves the sparse system
//
//   [ I + A^T H^-1 A   -B^T ] [ dy      ]
//   [ -B               -C   ] [ dlambda ]
//
// of six unknowns per body and one per row. It is quasidefinite, so L D L^T exists for every order: AMD
// orders bodies and rows, LDL factors (both of SuiteSparse, LGPL). About twenty steps whatever the mass
// ratios and however long the chains. Coulomb's law: problems with frozen shifts one after the other.
#ifndef CONTACT_INTERIOR_H
#define CONTACT_INTERIOR_H

#include "contact/problem.h"
#include "contact/semismooth.h"
#include "contact/soc.h"
#include "contact/solver.h"

enum { INTERIOR_ROWS = 6, INTERIOR_CONES = 3, INTERIOR_ENDS = 2 };

typedef struct InteriorContact {
    int32_t contact;                            // in the problem
    int32_t rows, cones, ends;                  // how many of each
    int32_t node[INTERIOR_ENDS];                // unknowns of a body or group
    size_t jacobian[INTERIOR_ENDS];             // in numbers: rows x size of the node
    size_t block[INTERIOR_ENDS][INTERIOR_ENDS]; // where its share of the matrix goes, [i][j]: i before j
    size_t stride[INTERIOR_ENDS];               // between columns of the node
    int32_t cone_row[INTERIOR_CONES], cone_size[INTERIOR_CONES]; // disc's first row; 1 + rows of the disc
    double cone_radius[INTERIOR_CONES];
    double root, length; // units (residual.h)
    Vec3 axes[INTERIOR_ROWS];
    double b[INTERIOR_ROWS], shift;            // free velocity; Coulomb's shift
    double p[INTERIOR_ROWS], u[INTERIOR_ROWS]; // impulse; velocity A y + b + shift
    double x[INTERIOR_CONES][SOC], s[INTERIOR_CONES][SOC];
    double dp[INTERIOR_ROWS], dx[INTERIOR_CONES][SOC], ds[INTERIOR_CONES][SOC];
    double rc[INTERIOR_CONES][SOC]; // right side of the linearised x o s = mu e
    SocScaling scaling[INTERIOR_CONES];
    double h[INTERIOR_ROWS][INTERIOR_ROWS]; // H^-1
    double ray[INTERIOR_ROWS], softness;    // H^-1 = softness ray ray^T + a part of the discs
    double r[INTERIOR_ROWS];                // E^T rc - (A y + b - E^T s)
} InteriorContact;

typedef struct InteriorRow {
    int32_t row, node, ends, other[INTERIOR_ENDS]; // other: nodes of its bodies
    size_t jacobian[INTERIOR_ENDS], block[INTERIOR_ENDS], stride[INTERIOR_ENDS], diagonal;
    double g, compliance, root;    // in its own units: divided by root, lambda times root
    double lambda, dlambda, value; // value: what is left of the row's equation
    double ddlambda;               // of the last solve
} InteriorRow;

typedef struct InteriorNode {
    int32_t size;                   // unknowns
    int32_t place;                  // first unknown in the permuted system
    int32_t group;                  // -1: one body
    size_t factor;                  // of a group: L, 6 count x size, in numbers
    double root_mass, root_inertia; // of a body: sqrt(1/m), sqrt(1/I)
    bool tensor;                    // of a body: its inertia is no number, but the 3 x 3 matrix L at `factor`
} InteriorNode;

typedef struct Interior {
    ARRAY(InteriorContact) contacts;
    ARRAY(InteriorRow) rows;
    ARRAY(InteriorNode) nodes;
    ARRAY(int32_t) node_of;                   // per body; -1: cannot move
    ARRAY(double) numbers;                    // factors and Jacobians
    ARRAY(uint64_t) pairs;                    // of nodes that share a block
    ARRAY(int32_t) graph_start, graph, order; // of nodes, for AMD
    ARRAY(int32_t) earlier_start, earlier;    // neighbours that come before a node
    ARRAY(int32_t) scratch;
    ARRAY(int32_t) column, index; // the upper triangle, by columns
    ARRAY(double) value;
    ARRAY(int32_t) factor_start, parent, counts, flags, pattern, factor_index; // of LDL
    ARRAY(double) factor_value, pivot, work;
    ARRAY(double) y, dy, right; // unknowns, in the order of the system
    ARRAY(double) best;         // impulses with the least residual: INTERIOR_ROWS per contact, one per row
    ARRAY(int32_t) pivots;      // of a group's factor
    size_t unknowns;
    double operations; // multiplications of one factorisation, by interior_build
    bool too_large;    // its factors would have more entries than can be counted
} Interior;

typedef struct InteriorMemory { // of the solver
    Interior interior;
    Semismooth newton;
    ARRAY(ContactImpulse) kept; // before Newton's method
    ARRAY(double) kept_lambdas;
} InteriorMemory;

void interior_free(Interior *interior);

// Improves `impulses` and `lambdas`.
MrcStatus interior_run(Interior *interior, const ContactProblem *problem, const ContactOptions *options,
                       double scale, ContactImpulse *impulses, double *lambdas, ContactReport *report,
                       MrcError *error);

// ---- the system (interior_system.c) --------------------------------------------------------------
// `most` operations of a factorisation; beyond, only they are counted and there are no factors. 0: any number.
MrcStatus interior_build(Interior *interior, const ContactProblem *problem, double scale, double most,
                         MrcError *error);
bool interior_factor(Interior *interior); // from h of the contacts; false: it has no factors
void interior_solve(Interior *interior);  // right -> dy, and ddlambda of the rows
// The rows' entries of the right side: their value; and, for refinement, what `total` (dy, dlambda so far)
// leaves, with -B^T dlambda added to the others.
void interior_rows_right(const Interior *interior, double *right);
void interior_rows_refine(const Interior *interior, const double *total, double *right);
// y = A^T p + B^T lambda; u of contacts, value of rows.
void interior_velocities(Interior *interior);
// out (of each contact) = A z.
void interior_jacobian_times(const Interior *interior, const InteriorContact *c, const double *z,
                             double out[INTERIOR_ROWS]);
void interior_add_transposed(const Interior *interior, const InteriorContact *c,
                             const double f[INTERIOR_ROWS], double *z);

#endif
