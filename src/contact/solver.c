// Choosing and following solvers: see solver.h.
#include "contact/solver.h"

#include <float.h>
#include <stdlib.h>

#include "base/threads.h"
#include "base/timer.h"
#include "contact/history.h"
#include "contact/local.h"
#include "contact/workspace.h"

const char *contact_method_name(ContactMethod method) {
    static const char *const names[CONTACT_METHOD_COUNT] = {"auto", "nsgs", "apgd", "interior"};
    return method < CONTACT_METHOD_COUNT ? names[method] : "?";
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

ContactWorkspace *contact_workspace_create(void) { return calloc(1, sizeof(ContactWorkspace)); }

void contact_workspace_destroy(ContactWorkspace *w) {
    if (!w) return;
    reduction_free(&w->reduction);
    nsgs_free(&w->nsgs);
    apgd_free(&w->apgd);
    interior_free(&w->interior);
    newton_free(&w->newton);
    array_free(&w->scratch);
    array_free(&w->best);
    array_free(&w->best_lambdas);
    array_free(&w->kept);
    array_free(&w->kept_lambdas);
    free(w);
}

// What the methods work on. Rows are taken out for those that cannot have them.
typedef struct Job {
    const ContactProblem *problem; // as given
    const ContactProblem *reduced; // without rows; NULL: too large for that
    const ContactOptions *options;
    ContactWorkspace *work;
    ContactSolution *solution;
    ContactReport *report;
    double scale; // of the residual; negative: not known yet
} Job;

static ContactResidual judge(const Job *job, ContactLaw law) {
    return contact_residual_on_scale(job->problem, law, job->solution->impulses.data,
                                     job->solution->lambdas.data, job->scale, job->work->scratch.data);
}

static void add_lambdas(const Job *job) {
    if (job->problem->rows.count)
        reduction_lambdas(&job->work->reduction, job->problem, job->solution->impulses.data,
                          job->solution->lambdas.data);
}

static MrcStatus no_impulses(Job *job) { // nothing moves and nothing is violated
    for (size_t i = 0; i < job->problem->contacts.count; i++)
        job->solution->impulses.data[i] = (ContactImpulse){{0, 0, 0}, {0, 0, 0}};
    return MRC_OK;
}

// ---- Gauss-Seidel --------------------------------------------------------------------------------
static ContactResidual judge_nsgs(const Job *job, bool parallel) {
    const Nsgs *nsgs = &job->work->nsgs;
    if (job->problem->rows.count == 0)
        return nsgs_residual(nsgs, job->problem, job->problem->law, job->scale, parallel);
    nsgs_impulses(nsgs, job->solution->impulses.data, parallel);
    add_lambdas(job);
    return judge(job, job->problem->law);
}

// The warm start as a whole, made stronger or weaker: the best point on the ray through it. In a bed that
// stays together all loads grow and fall with the acceleration of its container, so that this alone is often
// half the way. With L = J^T p the energy along s p is s^2 L . M^-1 L/2 + s (L . v_free + p . bias). Leaves
// the velocities in scratch.
static void scale_start(const Job *job, const ContactProblem *p) {
    ContactImpulse *impulses = job->solution->impulses.data;
    Twist *velocity = job->work->scratch.data, *loads = velocity + p->bodies.count;
    double square = 0, slope = 0;
    contact_problem_velocity(p, impulses, NULL, loads, velocity);
    for (size_t i = 0; i < p->bodies.count; i++) {
        const Twist *free = &p->free_velocity.data[i], *now = &velocity[i], *load = &loads[i];
        slope += vec3_dot(load->linear, free->linear) + vec3_dot(load->angular, free->angular);
        square += vec3_dot(load->linear, vec3_sub(now->linear, free->linear)) +
                  vec3_dot(load->angular, vec3_sub(now->angular, free->angular));
    }
    for (size_t i = 0; i < p->contacts.count; i++)
        slope += vec3_dot(impulses[i].linear, p->contacts.data[i].bias);
    double factor = -slope / square;
    if (!(square > 0 && factor > 0 && factor < 10)) return;
    for (size_t i = 0; i < p->contacts.count; i++) {
        impulses[i].linear = vec3_scale(factor, impulses[i].linear);
        impulses[i].angular = vec3_scale(factor, impulses[i].angular);
    }
    for (size_t i = 0; i < p->bodies.count; i++) {
        const Twist *free = &p->free_velocity.data[i];
        Twist *now = &velocity[i];
        now->linear = vec3_madd(free->linear, factor, vec3_sub(now->linear, free->linear));
        now->angular = vec3_madd(free->angular, factor, vec3_sub(now->angular, free->angular));
    }
}

// Velocities follow the impulses sweep by sweep and gather rounding, which shows where impulses are much
// larger than what they are to balance, as in wedges. Now and then they are made anew, and always before the
// end is believed.
enum { fresh_sweeps = 1000 };

static void refresh(const Job *job, bool parallel) {
    Nsgs *nsgs = &job->work->nsgs;
    Twist *velocity = job->work->scratch.data;
    nsgs_impulses(nsgs, job->solution->impulses.data, parallel);
    contact_problem_velocity(job->reduced, job->solution->impulses.data, NULL,
                             velocity + job->reduced->bodies.count, velocity);
    nsgs_momentum_anew(nsgs, job->reduced, velocity);
}

enum { first_look = 4 }; // sweeps before sleepers are looked at, and then after three times as many each time

// Sweeps until the change of one of them is small, then asks the residual. Guessing from the rate of
// convergence that the sweeps allowed will not do was tried: with momentum the rate is no guide, and a
// thousand sweeps more cost less than what would follow.
static MrcStatus run_nsgs(Job *job, MrcError *error) {
    const ContactProblem *p = job->reduced;
    const ContactOptions *o = job->options;
    ContactImpulse *impulses = job->solution->impulses.data;
    Nsgs *nsgs = &job->work->nsgs;
    ContactReport *report = job->report;
    bool parallel = p->contacts.count >= o->parallel_contacts && threads_wanted() > 1;
    scale_start(job, p);
    NsgsStart start = {.velocity = job->work->scratch.data,
                       .margin = o->open_margin,
                       .floor = residual_floor(p, o->velocity_scale),
                       .layered = o->parallel_contacts,
                       .parallel = parallel};
    double scale;
    MrcStatus status = nsgs_prepare(nsgs, p, impulses, &start, &scale, error);
    if (status != MRC_OK) return status;
    if (job->scale < 0) job->scale = scale;
    if (job->scale == 0) return no_impulses(job);
    double threshold = 2 * o->tolerance * job->scale; // what is left is mostly less than half of the change
    bool judged = false;
    int next_look = first_look;
    size_t woken = 0;
    for (int sweep = 1; sweep <= o->sweeps && status == MRC_OK; sweep++) {
        double change = nsgs_sweep(nsgs, p, p->law == CONTACT_COULOMB);
        report->iterations++;
        history_add(report, report->iterations, change / job->scale);
        judged = change <= threshold;
        if (judged || sweep == next_look) {
            status = nsgs_wake(nsgs, p, impulses, &woken, error);
            if (sweep == next_look) next_look *= 3;
            judged = judged && woken == 0;
        }
        if (judged) {
            report->residual = judge_nsgs(job, parallel);
            if (report->residual.relative <= o->tolerance && sweep >= fresh_sweeps) {
                refresh(job, parallel);
                report->residual = judge_nsgs(job, parallel);
            }
            if (report->residual.relative <= o->tolerance) break;
            double ratio = 0.9 * o->tolerance / report->residual.relative;
            threshold = fmin(threshold, change) * fmax(ratio, 1e-3);
        }
        if (!(change < DBL_MAX)) break;
        if (sweep % fresh_sweeps == 0) refresh(job, parallel);
    }
    if (!judged && status == MRC_OK) status = nsgs_wake(nsgs, p, impulses, &woken, error);
    if (status != MRC_OK) return status;
    if (!judged) report->residual = judge_nsgs(job, parallel);
    nsgs_impulses(nsgs, impulses, parallel);
    add_lambdas(job);
    return MRC_OK;
}

// ---- interior point --------------------------------------------------------------------------------
static void keep_impulses(const Job *job, bool restore) {
    const ContactProblem *p = job->problem;
    ContactWorkspace *w = job->work;
    ContactImpulse *now = job->solution->impulses.data, *kept = w->kept.data;
    double *lambdas = job->solution->lambdas.data, *kept_lambdas = w->kept_lambdas.data;
    memcpy(restore ? now : kept, restore ? kept : now, p->contacts.count * sizeof *now);
    if (p->rows.count)
        memcpy(restore ? lambdas : kept_lambdas, restore ? kept_lambdas : lambdas,
               p->rows.count * sizeof *lambdas);
}

static MrcStatus run_newton(Job *job, MrcError *error) {
    MrcStatus status = newton_run(&job->work->newton, job->reduced, job->options, job->scale,
                                  job->solution->impulses.data, job->report, error);
    if (status != MRC_OK) return status;
    add_lambdas(job);
    job->report->residual = judge(job, job->problem->law);
    return MRC_OK;
}

enum { newton_start = 2000 };           // sweeps
static const double near_enough = 0.05; // residual; above it nothing is near

// Newton's method takes over where the interior point method stays above the tolerance. There is no central
// path where impulses may grow without bounds, as in a wedge that holds itself: then Newton starts from
// Gauss-Seidel's impulses, which are as small as they can be. The best of all stays.
static MrcStatus finish(Job *job, MrcError *error) {
    const ContactProblem *p = job->problem;
    ContactWorkspace *w = job->work;
    ContactResidual best = job->report->residual = judge(job, p->law);
    bool near = best.relative < near_enough && p->contacts.count <= NEWTON_MOST;
    if (best.relative <= job->options->tolerance || !near) return MRC_OK;
    bool fits = true;
    MrcStatus status = p->rows.count ? reduction_build(&w->reduction, p, &fits, error) : MRC_OK;
    if (status != MRC_OK || !fits) return status;
    job->reduced = p->rows.count ? &w->reduction.problem : p;
    if (!array_resize(&w->kept, p->contacts.count) || !array_resize(&w->kept_lambdas, p->rows.count))
        return error_memory(error, "the contact impulses");
    keep_impulses(job, false);
    for (int attempt = 0; attempt < 2; attempt++) {
        if (attempt == 1) {
            ContactOptions few = *job->options;
            const ContactOptions *own = job->options;
            if (few.sweeps > newton_start) few.sweeps = newton_start;
            memset(job->solution->impulses.data, 0, p->contacts.count * sizeof(ContactImpulse));
            job->options = &few;
            status = run_nsgs(job, error);
            job->options = own;
            if (status != MRC_OK) return status;
        }
        status = run_newton(job, error);
        if (status != MRC_OK) return status;
        if (job->report->residual.relative <= job->options->tolerance) return MRC_OK;
        if (job->report->residual.relative < best.relative) {
            best = job->report->residual;
            keep_impulses(job, false);
        }
    }
    keep_impulses(job, true);
    job->report->residual = best;
    return MRC_OK;
}

// ---- all -----------------------------------------------------------------------------------------
static MrcStatus run(Job *job, ContactMethod method, MrcError *error) {
    MrcStatus status = MRC_OK;
    job->report->method = method;
    if (method != CONTACT_INTERIOR && !job->reduced)
        return error_set(error, MRC_MODEL,
                         "so many bodies are connected by joints that only the solver \"%s\" can do",
                         contact_method_name(CONTACT_INTERIOR));
    if (method == CONTACT_NSGS) return run_nsgs(job, error);
    if (method == CONTACT_APGD) {
        status = apgd_run(&job->work->apgd, job->reduced, job->options, job->scale,
                          job->solution->impulses.data, job->report, error);
        if (status == MRC_OK) add_lambdas(job);
    } else {
        status = interior_run(&job->work->interior, job->problem, job->options, job->scale,
                              job->solution->impulses.data, job->solution->lambdas.data, job->report, error);
        return status == MRC_OK ? finish(job, error) : status;
    }
    if (status == MRC_OK) job->report->residual = judge(job, job->problem->law);
    return status;
}

enum {
    small_problem = 3000
}; // contacts up to which a sparse factorisation is quicker than thousands of sweeps

static void keep_best(Job *job, bool restore) {
    const ContactProblem *p = job->problem;
    ContactImpulse *impulses = job->solution->impulses.data, *best = job->work->best.data;
    double *lambdas = job->solution->lambdas.data, *best_lambdas = job->work->best_lambdas.data;
    size_t contacts = p->contacts.count * sizeof *impulses, rows = p->rows.count * sizeof *lambdas;
    if (contacts) memcpy(restore ? impulses : best, restore ? best : impulses, contacts);
    if (rows) memcpy(restore ? lambdas : best_lambdas, restore ? best_lambdas : lambdas, rows);
}

static MrcStatus run_auto(Job *job, MrcError *error) {
    ContactMethod order[3] = {CONTACT_NSGS, CONTACT_INTERIOR, CONTACT_APGD};
    size_t contacts = job->problem->contacts.count;
    if (contacts > small_problem || job->problem->law == CONTACT_COULOMB)
        order[1] = CONTACT_APGD, order[2] = CONTACT_INTERIOR;
    ContactWorkspace *w = job->work;
    if (!array_resize(&w->best, contacts) || !array_resize(&w->best_lambdas, job->problem->rows.count))
        return error_memory(error, "the contact impulses");
    double best = DBL_MAX;
    for (int k = 0; k < 3; k++) {
        if (order[k] != CONTACT_INTERIOR && !job->reduced) continue;
        if (order[k] == CONTACT_INTERIOR && contacts > 20 * small_problem) continue;
        if (k > 0) job->report->fallbacks++;
        MrcStatus status = run(job, order[k], error);
        if (status != MRC_OK) return status;
        double relative = job->report->residual.relative;
        if (relative <= job->options->tolerance) return MRC_OK;
        if (relative < best) {
            best = relative;
            keep_best(job, false);
        } else keep_best(job, true); // go on from the best so far
    }
    job->report->residual = judge(job, job->problem->law);
    return MRC_OK;
}

// Impulses that cannot be: of contacts that nothing can answer, moments of contacts that resist no turning.
static MrcStatus clean_start(Job *job, MrcError *error) {
    const ContactProblem *p = job->problem;
    job->report->ignored = 0;
    for (size_t i = 0; i < p->contacts.count; i++) {
        const ContactPoint *c = &p->contacts.data[i];
        ContactImpulse *impulse = &job->solution->impulses.data[i];
        if (!vec3_is_finite(impulse->linear) || !vec3_is_finite(impulse->angular))
            return error_set(error, MRC_NOT_FINITE, "the impulse of contact %zu at the start is not finite",
                             i);
        bool moves = contact_is_dynamic(p, c->a) || contact_is_dynamic(p, c->b);
        if (!moves) job->report->ignored++;
        if (!moves || !job->options->warm) *impulse = (ContactImpulse){{0, 0, 0}, {0, 0, 0}};
        if (!contact_turns(c)) impulse->angular = vec3_zero();
    }
    for (size_t i = 0; i < p->rows.count; i++) {
        const ContactRow *row = &p->rows.data[i];
        job->solution->lambdas.data[i] = 0; // they follow from the contacts
        if (!contact_is_dynamic(p, row->a) && !contact_is_dynamic(p, row->b)) job->report->ignored++;
    }
    return MRC_OK;
}

static MrcStatus solve(Job *job, MrcError *error) {
    const ContactProblem *p = job->problem;
    MrcStatus status = clean_start(job, error);
    if (status != MRC_OK) return status;
    job->reduced = p;
    if (p->rows.count && (p->contacts.count == 0 || job->options->method != CONTACT_INTERIOR)) {
        bool fits;
        status = reduction_build(&job->work->reduction, p, &fits, error);
        if (status != MRC_OK) return status;
        job->reduced = fits ? &job->work->reduction.problem : NULL;
    }
    ContactMethod method = job->options->method;
    bool first_nsgs = method == CONTACT_NSGS || method == CONTACT_AUTO;
    job->scale = -1; // Gauss-Seidel finds it on its way
    if (p->rows.count || p->contacts.count == 0 || !first_nsgs)
        job->scale = contact_residual_scale(p, p->law, job->options->velocity_scale);
    if (job->scale == 0) return no_impulses(job);
    if (p->contacts.count == 0 && job->reduced) {
        add_lambdas(job);
        job->report->residual = judge(job, p->law);
        return MRC_OK;
    }
    return method == CONTACT_AUTO ? run_auto(job, error) : run(job, method, error);
}

static bool are_finite(const Twist *velocity, size_t count) {
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
    report->residual = report->relaxed = (ContactResidual){0};
    report->ignored = 0;
    report->seconds = 0;
    report->method = options->method;
    MrcStatus status = contact_problem_check(problem, error);
    if (status == MRC_OK) status = contact_solution_fit(solution, problem, error);
    if (status == MRC_OK && !array_resize(&workspace->scratch, 2 * problem->bodies.count))
        status = error_memory(error, "the bodies");
    if (status != MRC_OK) return status;
    Job job = {problem, NULL, options, workspace, solution, report, 0};
    status = solve(&job, error);
    if (status != MRC_OK) return status;
    contact_problem_velocity(problem, solution->impulses.data, solution->lambdas.data,
                             workspace->scratch.data, solution->velocity.data);
    if (!are_finite(solution->velocity.data, problem->bodies.count))
        report->residual.relative = NAN; // numbers grew too large
    report->relaxed = report->residual;
    if (problem->law == CONTACT_COULOMB && job.scale > 0) report->relaxed = judge(&job, CONTACT_RELAXED);
    report->converged = report->residual.relative <= options->tolerance;
    report->seconds = timer_wall() - start;
    return MRC_OK;
}
