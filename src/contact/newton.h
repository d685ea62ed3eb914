// Semismooth Newton's method on the natural map, inside the module: the last digits of small problems.
//
// In the units of the residual (residual.h), with W = J M^-1 J^T and b its free velocity, a solution has
//
//   F(p) = p - P_K(p - u) = 0,   u = W p + b,   for Coulomb's law + c |u of the discs| along the normal
//
// F is piecewise smooth, so Newton's step from nearby ends at the solution. Impulses need not be unique: a
// bed at rest has more contacts than it needs, a wedge holds itself. The step is therefore the smallest one
// among those that make the linearised F smallest (LAPACK's dgelsy). It is halved until |F| falls. Matrices
// are dense.
//
// It comes after the interior point method, which closes in on degenerate contacts (that neither push nor
// part, or are about to slip) no further than the root of the rounding, and for Coulomb's law goes there by a
// slow fixed point.
#ifndef CONTACT_NEWTON_H
#define CONTACT_NEWTON_H

#include "contact/solver.h"

enum { NEWTON_MOST = 400 }; // contacts

typedef struct Newton {
    ARRAY(int32_t) first;         // per contact: its first unknown; one more at the end
    ARRAY(double) root, length;   // units (residual.h); root 0: nothing can move
    ARRAY(double) w, jacobian;    // column by column
    ARRAY(double) x, tried, b, u; // impulses, a step on, free velocity, velocity
    ARRAY(double) value, right;   // F; right side and step
    ARRAY(Twist) loads, velocity; // per body
    ARRAY(ContactImpulse) unit;   // per contact
    ARRAY(int) pivots;
    ARRAY(double) work; // of LAPACK
} Newton;

void newton_free(Newton *newton);

// Improves `impulses` of a problem without rows, of at most NEWTON_MOST contacts.
MrcStatus newton_run(Newton *newton, const ContactProblem *problem, const ContactOptions *options,
                     double scale, ContactImpulse *impulses, ContactReport *report, MrcError *error);

#endif
