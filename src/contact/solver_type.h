// What one solver provides, a row of the table of solver.h; and what solvers work on. Inside the module.
#ifndef CONTACT_SOLVER_TYPE_H
#define CONTACT_SOLVER_TYPE_H

#include "contact/reduce.h"
#include "contact/solver.h"
#include "schema/schema.h"

// Memory that is kept from problem to problem.
struct ContactWorkspace {
    Reduction reduction;                // the problem without bilateral rows
    ARRAY(Twist) scratch;               // two per body
    void *memory[CONTACT_SOLVER_COUNT]; // of each solver; NULL: it needs none
};

// A problem that is being solved.
typedef struct ContactJob {
    const ContactProblem *problem; // as given
    const ContactProblem *reduced; // without bilateral rows; NULL: too large for that
    const ContactOptions *options;
    ContactWorkspace *work;
    ContactSolution *solution;
    ContactReport *report;
    double scale; // of the residual; negative: not known yet
} ContactJob;

typedef struct ContactSolver {
    SchemaChoice choice; // its word in the model file
    bool takes_rows;     // bilateral rows as they are; other solvers work on `reduced`
    bool finds_scale;    // of the residual, on its way, when there are no rows
    MrcStatus (*run)(ContactJob *job, MrcError *error); // improves the solution; sets the report's residual
    size_t memory;                                      // bytes, zero at the start
    void (*release)(void *memory);                      // what it holds; NULL: nothing
} ContactSolver;

#define CONTACT_DECLARE_SOLVER(number, name) extern const ContactSolver contact_solver_##name;
CONTACT_SOLVERS(CONTACT_DECLARE_SOLVER)
#undef CONTACT_DECLARE_SOLVER

// ---- for writing solvers -------------------------------------------------------------------------
// Runs another solver on the same problem, from where the solution is.
MrcStatus contact_job_run(ContactJob *job, ContactMethod solver, MrcError *error);
// MRC_MODEL: there is no `reduced`.
MrcStatus contact_job_need_reduced(const ContactJob *job, MrcError *error);
ContactResidual contact_job_residual(const ContactJob *job, ContactLaw law);
void contact_job_add_lambdas(const ContactJob *job); // of the rows, from the impulses of the contacts
void contact_job_no_impulses(const ContactJob *job); // nothing moves and nothing is violated
// Copies impulses and lambdas of the solution to two lists, or back.
void contact_job_copy(const ContactJob *job, ContactImpulse *impulses, double *lambdas, bool back);

#endif
