// The one residual that judges every solver of contact problems, from the impulses alone.
//
// Velocities are computed from the impulses, so the equations of motion hold to rounding. For each contact,
// with w the mean diagonal of its own 3x3 block of J M^-1 J^T:
//
//   natural map   e = sqrt(w) (p - P_K(p - u/w))          [sqrt(J)]
//
// (and what its rounding may hide) is zero exactly at solutions (P_K: projection onto the cone of friction;
// for Coulomb's law u_n carries the shift of problem.h). Moments of rolling are measured by the length
// sqrt(w/w_angular) and enter the same projection. For a bilateral row e = (G v + bias + compliance
// lambda)/sqrt(w), w its own diagonal. In these units impulses and velocities, forces and moments are alike.
// The residual is
//
//   max |e| / max |e at zero impulses|
//
// the largest violation that is left, relative to the largest one without any impulse (but never to less than
// a millionth of the fastest body's velocity, where rounding begins to show). The parts say where it comes
// from, on the same scale:
//
//   gap               distance of u from K*           /sqrt(w)    bodies approach or slide without friction
//   cone              distance of p from K            *sqrt(w)    impulses pull, or exceed friction
//   complementarity   |p . u| / (sqrt(w) |p| + |u|/sqrt(w))       impulses where bodies part or slide wrongly
//   bilateral         as above                                    joints come apart
#ifndef CONTACT_RESIDUAL_H
#define CONTACT_RESIDUAL_H

#include "contact/problem.h"

typedef struct ContactResidual {
    double relative;        // the natural map, contacts and rows [1]
    double gap;             // parts, relative to the same scale [1]
    double cone;            //
    double complementarity; //
    double bilateral;       //
    double scale;           // max |e| at zero impulses, or the floor [sqrt(J)]
} ContactResidual;

// `scratch`: two twists per body; scratch[0 ... bodies-1] holds the velocities on return. For this `law`,
// whatever the law of the problem; `floor` [m/s] is the least velocity that counts: it bounds the scale below
// by floor/sqrt(w) of each contact.
ContactResidual contact_residual(const ContactProblem *problem, ContactLaw law,
                                 const ContactImpulse *impulses, const double *lambdas, double floor,
                                 Twist *scratch);

// The same in two parts, for repeated use: the scale does not depend on the impulses.
double contact_residual_scale(const ContactProblem *problem, ContactLaw law, double floor);
ContactResidual contact_residual_on_scale(const ContactProblem *problem, ContactLaw law,
                                          const ContactImpulse *impulses, const double *lambdas, double scale,
                                          Twist *scratch);

#endif
