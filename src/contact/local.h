// The blocks of J M^-1 J^T that belong to one contact alone, or to one row.
#ifndef CONTACT_LOCAL_H
#define CONTACT_LOCAL_H

#include "contact/problem.h"

typedef struct LocalScale {
    double w;      // mean diagonal of the block of the linear part [1/kg]; 0: nothing can move
    double length; // sqrt(w/w of the angular part): the unit of length for moments [m]; 1 if nothing turns
} LocalScale;

LocalScale local_scale(const ContactProblem *problem, const ContactPoint *contact);

// The row's own diagonal, compliance included.
double local_row_scale(const ContactProblem *problem, const ContactRow *row);

// What one body of a group adds to the linear part of a contact's block: the velocity of the point at the end
// of the arm that a unit impulse there causes.
Mat3 local_answer(const ContactProblem *problem, int32_t body, Vec3 arm);

// The whole block of a contact, linear part first, world axes: velocities that a unit impulse causes.
void local_block(const ContactProblem *problem, const ContactPoint *contact, double block[6][6]);

#endif
