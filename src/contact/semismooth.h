// Semismooth Newton's method on the natural map, inside the module: the last digits of small problems.
//
// In the units of the residual (residual.h), with W = J M^-1 J^T and b its free velocity, a solution has
//
//   F(p) = p - P_K(p - u) = 0,   u = W p + b,   for Coulomb's law + c |u of the discs| along the normal
//
// F is piecewise smooth, so Newton's step from nearby ends at the solution. Impulses need not be unique: a
// bed at rest has more contacts than it needs, a wedge holds itself. The step is therefore the smallest one
// among those that make the linearised F smallest (dense_qr of dense.h). It is halved until |F| falls. Contacts that
// stay open, P_K(p - u) = 0 all around, take the step -p; the matrix is that of the others, and dense.
//
// It comes after the interior point method, which closes in on degenerate contacts (that neither push nor
// part, or are about to slip) no further than the root of the rounding, and for Coulomb's law goes there by a
// slow fixed point.
#ifndef CONTACT_SEMISMOOTH_H
#define CONTACT_SEMISMOOTH_H

#include "contact/solver.h"

enum { SEMISMOOTH_MOST = 400 }; // contacts

typedef struct SemismoothSlope {      // derivatives of a contact's projection
    double own[6][6], velocity[6][6]; // by the impulse, and minus that by the velocity
    bool open;                        // all are zero
} SemismoothSlope;

typedef struct Semismooth {
    ARRAY(int32_t) first;          // per contact: its first unknown; one more at the end
    ARRAY(double) root, length;    // units (residual.h); root 0: nothing can move
    ARRAY(double) w;               // column by column
    ARRAY(SemismoothSlope) slopes; // per contact
    ARRAY(int32_t) active;         // unknowns of contacts that are not open, in order
    ARRAY(double) jacobian;        // row by row, of these unknowns; then R of its factors
    ARRAY(double) rows;            // of R, where it is cut to a smaller rank
    ARRAY(double) x, tried, b, u;  // impulses, a step on, free velocity, velocity
    ARRAY(double) value, right;    // F; right side of the active unknowns
    ARRAY(double) step, part;      // of all unknowns, of the active ones
    ARRAY(Twist) loads, velocity;  // per body
    ARRAY(ContactImpulse) unit;    // per contact
    ARRAY(int32_t) pivots;
    ARRAY(double) scratch; // three per unknown
} Semismooth;

void semismooth_free(Semismooth *newton);

// Improves `impulses` of a problem without rows, of at most SEMISMOOTH_MOST contacts.
MrcStatus semismooth_run(Semismooth *newton, const ContactProblem *problem, const ContactOptions *options,
                         double scale, ContactImpulse *impulses, ContactReport *report, MrcError *error);

#endif
