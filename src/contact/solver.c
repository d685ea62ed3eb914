// The table of solvers, what they share, and `auto`, which chooses among them: see solver.h.
#include "contact/solver.h"

#include <float.h>
#include <stdlib.h>

#include "base/threads.h"
#include "base/timer.h"
#include "base/watch.h"
#include "contact/solver_type.h"
#include "contact/twist.h"

#define CONTACT_SOLVER_POINTER(number, name) [number] = &contact_solver_##name,
static const ContactSolver *const contact_solvers[] = {CONTACT_SOLVERS(CONTACT_SOLVER_POINTER)};
#define CONTACT_SOLVER_CHOICE(number, name) &contact_solver_##name.choice,
const SchemaChoice *const contact_solver_choices[] = {CONTACT_SOLVERS(CONTACT_SOLVER_CHOICE) NULL};

const char *contact_method_name(ContactMethod method) {
    return method < CONTACT_SOLVER_COUNT ? contact_solvers[method]->choice.word : "?";
}

// A bed that nearly rests needs the most updates of Coulomb's bias: contacts on the edge creep at some 1e-7
// m/s and pass load to each other without end. To a residual of 1e-8 one of the stored problems takes 400
// updates; to 1e-6, 25.
ContactOptions contact_options_default(void) {
    return (ContactOptions){.method = CONTACT_AUTO,
                            .tolerance = 1e-6,
                            .sweeps = 5000,
                            .gradient_iterations = 5000,
                            .interior_iterations = 60,
                            .outer_iterations = 500,
                            .warm = true,
                            .parallel_contacts = 4096};
}

ContactWorkspace *contact_workspace_create(void) {
    ContactWorkspace *w = calloc(1, sizeof *w);
    for (int k = 0; w && k < CONTACT_SOLVER_COUNT; k++) {
        size_t bytes = contact_solvers[k]->memory;
        if (bytes == 0 || (w->memory[k] = memory_alloc(bytes))) continue;
        contact_workspace_destroy(w);
        return NULL;
    }
    return w;
}

void contact_workspace_destroy(ContactWorkspace *w) {
    if (!w) return;
    for (int k = 0; k < CONTACT_SOLVER_COUNT; k++) {
        if (w->memory[k] && contact_solvers[k]->release) contact_solvers[k]->release(w->memory[k]);
        memory_free(w->memory[k]);
    }
    reduction_free(&w->reduction);
    array_free(&w->scratch);
    free(w);
}

// ---- for solvers ---------------------------------------------------------------------------------
MrcStatus contact_job_run(ContactJob *job, ContactMethod solver, MrcError *error) {
    job->report->method = solver;
    return contact_solvers[solver]->run(job, error);
}

MrcStatus contact_job_need_reduced(const ContactJob *job, MrcError *error) {
    int other = 0;
    if (job->reduced) return MRC_OK;
    while (!contact_solvers[other]->takes_rows) other++;
    return error_set(error, MRC_MODEL,
                     "so many bodies are connected by joints that only the solver \"%s\" can be used",
                     contact_method_name((ContactMethod)other));
}

ContactResidual contact_job_residual(const ContactJob *job, ContactLaw law) {
    return contact_residual_on_scale(job->problem, law, job->solution->impulses.data,
                                     job->solution->lambdas.data, job->scale, job->work->scratch.data);
}

void contact_job_add_lambdas(const ContactJob *job) {
    if (job->problem->rows.count)
        reduction_lambdas(&job->work->reduction, job->problem, job->solution->impulses.data,
                          job->solution->lambdas.data);
}

void contact_job_no_impulses(const ContactJob *job) {
    for (size_t i = 0; i < job->problem->contacts.count; i++)
        job->solution->impulses.data[i] = (ContactImpulse){{0, 0, 0}, {0, 0, 0}};
}

void contact_job_copy(const ContactJob *job, ContactImpulse *impulses, double *lambdas, bool back) {
    ContactImpulse *own = job->solution->impulses.data;
    double *own_lambdas = job->solution->lambdas.data;
    size_t contacts = job->problem->contacts.count * sizeof *own,
           rows = job->problem->rows.count * sizeof *lambdas;
    if (contacts) memcpy(back ? own : impulses, back ? impulses : own, contacts);
    if (rows) memcpy(back ? own_lambdas : lambdas, back ? lambdas : own_lambdas, rows);
}

// ---- auto ----------------------------------------------------------------------------------------
// Bounds on what one step may cost. Dense lattices of grains that just touch are the hardest problems there are: each
// grain has twelve contacts, far more than balance it, so that impulses are not unique, and methods that go contact by
// contact come closer ever more slowly. On a lattice of 4,000 grains (22,000 contacts) the residual is 5e-3 after 500
// sweeps and 6e-4 after 5,000. Factors fill up: 0.5 s for one factorisation of 3,000 contacts, 1.7 s for 5,200, and
// about 35 s for 22,000.
enum {
    solver_auto_small = 3000
}; // contacts up to which a sparse factorisation is quicker than thousands of sweeps
static const double solver_auto_operations = 1e9; // of one factorisation: about a second
static const double solver_auto_visits = 1e9;     // of contacts, in one method: about a minute
enum { solver_auto_iterations = 100 };            // allowed to the largest problems
// Coulomb's law: the interior point method solves a cone problem per update of the bias. Where 500 updates did not arrive in
// 20 s (413 contacts), the first few had got nearly as far.
static const double solver_auto_updates = 3e8; // operations in all factorisations: about half a second
// To a coarse tolerance projected gradients are quicker: three problems of Saeki's box (823 and 682 contacts, 1e-3) and of a tube
// (2444, 1e-4) take 0.04, 0.20 and 0.28 s. The interior point method stays at 0.25, 0.19 and 8e-4 after 0.21, 0.19 and 0.56 s.
static const double solver_auto_coarse = 1e-5;
enum { solver_auto_gradient = 8 }; // times as long as a sweep is an iteration of projected gradients

static int solver_auto_limit(int given, size_t contacts) {
    double most = fmax(solver_auto_iterations, solver_auto_visits / (double)contacts);
    return given < most ? given : (int)most;
}

typedef struct AutoMemory { // impulses with the least residual so far
    ARRAY(ContactImpulse) best;
    ARRAY(double) best_lambdas;
} AutoMemory;

static void auto_release(void *memory) {
    AutoMemory *m = memory;
    array_free(&m->best);
    array_free(&m->best_lambdas);
}

// One method after the other, each from the best so far.
static MrcStatus solver_auto_try(ContactJob *job, AutoMemory *memory, const ContactMethod *order,
                                 MrcError *error) {
    size_t contacts = job->problem->contacts.count;
    double enough = contacts > solver_auto_small ? fmax(job->options->enough, job->options->tolerance)
                                                 : job->options->tolerance;
    double best = DBL_MAX;
    for (int k = 0; k < 3; k++) {
        if (order[k] != CONTACT_INTERIOR && !job->reduced) continue;
        if (order[k] == CONTACT_INTERIOR && contacts > 20 * solver_auto_small) continue;
        if (k > 0) job->report->fallbacks++;
        MrcStatus status = contact_job_run(job, order[k], error);
        if (status != MRC_OK) return status;
        double relative = job->report->residual.relative;
        if (relative <= enough) return MRC_OK;
        bool better = relative < best; // otherwise: go on from the best so far
        if (better) best = relative;
        contact_job_copy(job, memory->best.data, memory->best_lambdas.data, !better);
    }
    job->report->residual = contact_job_residual(job, job->problem->law);
    return MRC_OK;
}

static MrcStatus auto_run(ContactJob *job, MrcError *error) {
    ContactMethod order[3] = {CONTACT_NSGS, CONTACT_INTERIOR, CONTACT_APGD};
    AutoMemory *memory = job->work->memory[CONTACT_AUTO];
    size_t contacts = job->problem->contacts.count;
    bool coulomb = job->problem->law == CONTACT_COULOMB, exact = coulomb && job->problem->dilation == 0,
         coarse = coulomb && job->options->tolerance > solver_auto_coarse; // exact: no minimum, problem.h
    if (contacts > solver_auto_small || exact || coarse) order[1] = CONTACT_APGD, order[2] = CONTACT_INTERIOR;
    if (!array_resize(&memory->best, contacts) ||
        !array_resize(&memory->best_lambdas, job->problem->rows.count))
        return error_memory(error, "the contact impulses");
    ContactOptions bounded = *job->options;
    bounded.factor_operations = solver_auto_operations;
    bounded.sweeps = solver_auto_limit(bounded.sweeps, contacts);
    bounded.gradient_iterations =
        solver_auto_limit(bounded.gradient_iterations, solver_auto_gradient * contacts);
    bounded.update_operations = solver_auto_updates;
    const ContactOptions *given = job->options;
    job->options = &bounded;
    MrcStatus status = solver_auto_try(job, memory, order, error);
    job->options = given;
    return status;
}

const ContactSolver contact_solver_auto = {
    .choice = {.word = "auto",
               .doc = "by size and difficulty, going on with another one when the first stalls"},
    .finds_scale = true,
    .run = auto_run,
    .memory = sizeof(AutoMemory),
    .release = auto_release,
};

// ---- solving -------------------------------------------------------------------------------------
// Clears impulses that cannot act: of contacts between bodies that cannot move, and moments of contacts without
// rolling and spinning friction.
static bool solver_clean_contact(const ContactJob *job, size_t i, int *ignored) { // false: it is not finite
    const ContactProblem *p = job->problem;
    const ContactPoint *c = &p->contacts.data[i];
    ContactImpulse *impulse = &job->solution->impulses.data[i];
    Vec3 push = impulse->linear, turn = impulse->angular;
    if (!isfinite(push.x + push.y + push.z + turn.x + turn.y + turn.z)) return false;
    bool moves = contact_is_dynamic(p, c->a) || contact_is_dynamic(p, c->b);
    if (!moves) ++*ignored;
    if (!moves || !job->options->warm) *impulse = (ContactImpulse){{0, 0, 0}, {0, 0, 0}};
    if (!contact_turns(c)) impulse->angular = vec3_zero();
    return true;
}

static MrcStatus solver_clean_start(ContactJob *job, MrcError *error) {
    const ContactProblem *p = job->problem;
    size_t count = p->contacts.count, wrong = count;
    int ignored = 0;
    if (count > THREADS_ALONE) {
#pragma omp parallel for schedule(static) reduction(min : wrong) reduction(+ : ignored)
        for (size_t i = 0; i < count; i++)
            if (!solver_clean_contact(job, i, &ignored) && i < wrong) wrong = i;
    } else
        for (size_t i = 0; i < count && wrong == count; i++)
            if (!solver_clean_contact(job, i, &ignored)) wrong = i;
    if (wrong < count)
        return error_set(error, MRC_NOT_FINITE, "the impulse of contact %zu at the start is not finite",
                         wrong);
    job->report->ignored = ignored;
    for (size_t i = 0; i < p->rows.count; i++) {
        const ContactRow *row = &p->rows.data[i];
        job->solution->lambdas.data[i] = 0; // they follow from the contacts
        if (!contact_is_dynamic(p, row->a) && !contact_is_dynamic(p, row->b)) job->report->ignored++;
    }
    return MRC_OK;
}

static MrcStatus solver_solve(ContactJob *job, MrcError *error) {
    const ContactProblem *p = job->problem;
    MrcStatus status = solver_clean_start(job, error);
    if (status == MRC_OK && watch_stopped())
        status = watch_error(error, "a contact problem of %zu contacts was solved", p->contacts.count);
    if (status != MRC_OK) return status;
    const ContactSolver *solver = contact_solvers[job->options->method];
    job->reduced = p;
    if (p->rows.count && (p->contacts.count == 0 || !solver->takes_rows)) {
        bool fits;
        status = reduction_build(&job->work->reduction, p, &fits, error);
        if (status != MRC_OK) return status;
        job->reduced = fits ? &job->work->reduction.problem : NULL;
    }
    job->scale = -1;
    if (p->rows.count || p->contacts.count == 0 || !solver->finds_scale)
        job->scale = contact_residual_scale(p, p->law, job->options->velocity_scale);
    if (job->scale == 0) {
        contact_job_no_impulses(job);
        return MRC_OK;
    }
    if (p->contacts.count == 0 && job->reduced) {
        contact_job_add_lambdas(job);
        job->report->residual = contact_job_residual(job, p->law);
        return MRC_OK;
    }
    return contact_job_run(job, job->options->method, error);
}

static bool solver_are_finite(const Twist *velocity, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        Vec3 v = velocity[i].linear, w = velocity[i].angular;
        sum += 0 * (v.x + v.y + v.z + w.x + w.y + w.z);
    }
    return sum == 0;
}

MrcStatus contact_solve(const ContactProblem *problem, const ContactOptions *options,
                        ContactWorkspace *workspace, ContactSolution *solution, ContactReport *report,
                        MrcError *error) {
    double start = timer_wall();
    report->converged = false;
    report->iterations = report->outer = report->fallbacks = report->history_count = 0;
    report->residual = (ContactResidual){0};
    report->ignored = 0;
    report->seconds = 0;
    report->method = options->method;
    MrcStatus status = contact_problem_check(problem, error);
    if (status == MRC_OK) status = contact_solution_fit(solution, problem, error);
    if (status == MRC_OK && !array_resize(&workspace->scratch, 2 * problem->bodies.count))
        status = error_memory(error, "the bodies");
    if (status != MRC_OK) return status;
    ContactJob job = {problem, NULL, options, workspace, solution, report, 0};
    status = solver_solve(&job, error);
    if (status != MRC_OK) return status;
    contact_problem_velocity(problem, solution->impulses.data, solution->lambdas.data,
                             workspace->scratch.data, solution->velocity.data);
    if (!solver_are_finite(solution->velocity.data, problem->bodies.count))
        report->residual.relative = NAN; // numbers grew too large
    report->converged = report->residual.relative <= options->tolerance;
    report->seconds = timer_wall() - start;
    return MRC_OK;
}
