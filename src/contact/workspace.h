// What the solvers share, inside the module.
#ifndef CONTACT_WORKSPACE_H
#define CONTACT_WORKSPACE_H

#include "contact/apgd.h"
#include "contact/interior.h"
#include "contact/newton.h"
#include "contact/nsgs.h"
#include "contact/reduce.h"
#include "contact/solver.h"

struct ContactWorkspace {
    Reduction reduction; // the problem without bilateral rows, for NSGS and APGD
    Nsgs nsgs;
    Apgd apgd;
    Interior interior;
    Newton newton;
    ARRAY(Twist) scratch;       // three per body
    ARRAY(ContactImpulse) best; // impulses with the least residual so far, when methods follow each other
    ARRAY(double) best_lambdas;
    ARRAY(ContactImpulse) kept; // before Newton's method
    ARRAY(double) kept_lambdas;
};

#endif
