// Accelerated projected gradient descent with restart, inside the module.
//
// Impulses minimise 1/2 p^T W p + b^T p over the cones, W = J M^-1 J^T, b = J v_free + bias (+ Coulomb's
// shift). Nesterov's method with step from a bound on the curvature along the last step, restarted whenever
// momentum points uphill: Mazhar, Heyn, Negrut, Tasora (doi:10.1145/2735627), adaptive restart after
// O'Donoghue and Candes (doi:10.1007/s10208-013-9150-3).
//
// Unknowns are impulses times sqrt(w) of their contact (residual.h), so that W has a diagonal of about one
// and the gradient step is in the units of the residual. W is never formed: products go over contacts, then
// over bodies, each of which gathers from its own contacts in order.
#ifndef CONTACT_APGD_H
#define CONTACT_APGD_H

#include "contact/problem.h"
#include "contact/residual.h"
#include "contact/solver.h"

typedef struct ApgdContact {
    double root;   // sqrt(w); 0: ignored
    double length; // unit of moments
} ApgdContact;

typedef struct Apgd {
    ARRAY(ApgdContact) scales;
    ARRAY(Twist) x, x_old, g, g_old, y, gy, b; // per contact, in scaled units: iterates and their gradients
    ARRAY(double) shifts;                      // per contact: Coulomb's shift of the normal velocity
    ARRAY(int32_t) first, touches;             // per body: its contacts, ~contact where it is a
    ARRAY(Twist) loads, velocity;              // per body
    ARRAY(double) sums;                        // per chunk of contacts
} Apgd;

void apgd_free(Apgd *apgd);

// Improves `impulses` of a problem without rows. *residual is of the problem's law, *relaxed that of the last
// cone problem.
MrcStatus apgd_run(Apgd *apgd, const ContactProblem *problem, const ContactOptions *options, double scale,
                   ContactImpulse *impulses, ContactReport *report, MrcError *error);

#endif
