// Solving contact problems (problem.h): typed options in, report out, memory kept in a workspace.
//
// One residual judges every solver (residual.h). `auto` begins with Gauss-Seidel, whose
// sweeps show how well the problem is conditioned; when the sweeps allowed are not enough, it goes on with the
// interior point method (up to a few thousand contacts) or with projected gradients (larger ones, and exactly
// Coulomb's law), from the best so far. Where the interior point method stalls, Newton's method finishes
// small problems. Coulomb's law is solved contact by contact in Gauss-Seidel, and by an outer loop over the
// shift mu |u_t| in the others; that loop may fail for friction far above one. Iterations are capped, time is
// not, so that results repeat; they are bitwise the same for every number of threads. A problem that was not
// solved is no error: the report says so, and the caller decides.
#ifndef CONTACT_SOLVER_H
#define CONTACT_SOLVER_H

#include "contact/problem.h"
#include "contact/residual.h"

struct SchemaChoice;

// One row per solver: src/contact/NAME.c defines contact_solver_NAME (solver_type.h); `auto` is in solver.c.
#define CONTACT_SOLVERS(ROW)                                                                                 \
    ROW(CONTACT_AUTO, auto)                                                                                  \
    ROW(CONTACT_NSGS, nsgs)                                                                                  \
    ROW(CONTACT_APGD, apgd)                                                                                  \
    ROW(CONTACT_INTERIOR, interior)

#define CONTACT_NUMBER(number, name) number,
typedef enum ContactMethod { CONTACT_SOLVERS(CONTACT_NUMBER) CONTACT_SOLVER_COUNT } ContactMethod; // rows
#undef CONTACT_NUMBER

extern const struct SchemaChoice *const contact_solver_choices[];
const char *contact_method_name(ContactMethod method); // "auto", "nsgs", "apgd", "interior"

typedef struct ContactOptions {
    ContactMethod method;
    double tolerance; // for the relative residual (residual.h)
    double enough;    // auto: residual with which it leaves a large problem after the sweeps allowed, rather
                      // than go on with another method; 0: the tolerance
    double velocity_scale;   // least scale of that residual: velocities that do not matter, e.g. g h times a
                             // small number [m/s]; 0: none
    double open_margin;      // Gauss-Seidel leaves out contacts without impulse at the start that the motion
                             // there keeps so far from closing, until they are violated [m/s]; 0: none
    int sweeps;              // most sweeps of Gauss-Seidel
    int gradient_iterations; // most iterations of APGD
    int interior_iterations; // most Newton steps of the interior point method
    double
        factor_operations; // most multiplications in one factorisation of the interior point method, which leaves
                           // the impulses as they are when it needs more; 0: any number
    double
        update_operations; // multiplications in all factorisations, after which the interior point method updates
                           // the bias of Coulomb's law no more; 0: any number
    int outer_iterations;     // most updates of the bias of Coulomb's law (APGD and interior point)
    bool warm;                // start from the impulses in the solution, else from zero
    size_t parallel_contacts; // fewer contacts than this are solved on one thread, and in one layer (nsgs.h)
} ContactOptions;

ContactOptions contact_options_default(void); // auto, 1e-6, warm

enum { CONTACT_HISTORY = 64 };

typedef struct ContactReport {
    bool converged;           // residual <= tolerance
    ContactMethod method;     // that ended the work
    int iterations;           // of all methods together
    int outer;                // updates of the bias of Coulomb's law
    int fallbacks;            // how often auto went on to the next method
    ContactResidual residual; // of the law of the problem
    size_t ignored;           // contacts and rows between bodies that cannot move
    int history_count; // entries of the two lists below; when they are full, every second one is dropped
    int history_iteration[CONTACT_HISTORY];
    double history_residual[CONTACT_HISTORY]; // relative residual after that many iterations, as the method
                                              // sees it: of Gauss-Seidel the largest change in a sweep, on
                                              // the same scale
    double seconds;                           // wall time; nothing depends on it
} ContactReport;

typedef struct ContactWorkspace ContactWorkspace;
ContactWorkspace *contact_workspace_create(void); // NULL: out of memory
void contact_workspace_destroy(ContactWorkspace *workspace);

// Fills solution->velocity, and impulses and lambdas from their values at entry. Errors: MRC_NOT_FINITE and
// MRC_MODEL for problems that make no sense, MRC_MEMORY. No allocation once the largest problem was seen.
MrcStatus contact_solve(const ContactProblem *problem, const ContactOptions *options,
                        ContactWorkspace *workspace, ContactSolution *solution, ContactReport *report,
                        MrcError *error);

#endif
