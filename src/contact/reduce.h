// Taking bilateral rows out of a problem, exactly, inside the module.
//
// Bodies that are connected by rows become one group whose inverse mass includes the rows. With G the rows, C
// their compliance, S = G M^-1 G^T + C:
//
//   M'^-1 = M^-1 - M^-1 G^T S^-1 G M^-1       v_free' = v_free - M^-1 G^T S^-1 (G v_free + bias)
//   lambda = -S^-1 (G (v_free + M^-1 J^T p) + bias)
//
// In the reduced problem the machine moves only as its joints allow: Gauss-Seidel and gradient methods need not find
// the reactions of joints by iteration, which converges slowly. S is factored with pivots; rows that depend
// on others get no impulse.
#ifndef CONTACT_REDUCE_H
#define CONTACT_REDUCE_H

#include "contact/problem.h"

enum { REDUCE_MOST = 1536 }; // velocities of one connected set of bodies: its inverse mass is a dense matrix

typedef struct ReductionSet { // bodies connected by rows
    size_t bodies, rows;      // how many
    size_t first_body, first_row;
    size_t rank;         // independent rows
    size_t first_factor; // in factors: rows x rows, lower triangle in order of pivots
} ReductionSet;

typedef struct Reduction {
    ContactProblem problem; // without rows
    ARRAY(int32_t) parent;  // union-find over bodies
    ARRAY(int32_t) set_of;  // per body: its set, -1: none
    ARRAY(ReductionSet) sets;
    ARRAY(int32_t) bodies; // of the sets, one after the other
    ARRAY(int32_t) rows;   // of the sets, one after the other
    ARRAY(int32_t) pivots; // per row, in the order of `rows`: its place among them
    ARRAY(double) factors;
    ARRAY(double) scratch; // matrices of one set
    ARRAY(Twist) twists;   // two per body
} Reduction;

void reduction_free(Reduction *reduction);

// False in *fits: a set is too large for a dense matrix.
MrcStatus reduction_build(Reduction *reduction, const ContactProblem *problem, bool *fits, MrcError *error);

// The impulses of the rows that go with those of the contacts.
void reduction_lambdas(Reduction *reduction, const ContactProblem *problem, const ContactImpulse *impulses,
                       double *lambdas);

#endif
