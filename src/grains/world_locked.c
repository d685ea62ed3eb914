// Overlaps that friction locks.
//
// Undoing an overlap asks its contact to open at a speed r (nonsmooth_condition.c), u_n >= r. Two contacts whose normals
// enclose an angle 2 a form a wedge. With friction mu >= cot(a) no impulses drive a grain out of it: friction takes all
// that the normal impulses give, and the problem has no solution. Below that, the relaxed law opens both contacts with
// u_n >= r + mu |u_t|: in a right corner the grain leaves at sqrt(2) r/(1 - mu). Either way solvers end with impulses far
// above those of the motion, friction dissipates what they do, and a bed at rest may be left unsolved for ever.
//
// With r = 0 the problem has a solution: no contact need open. So a step whose problem is not solved (its residual is
// above `contact.solver.limit`), or in which undoing overlaps does work beyond
//
//     0.05 (kinetic energy of the grains) + 0.01 M g radius + 10 sum of m r^2 (m: mass of the grains of the contact)
//
// is solved again without. That solution is taken if the residual of the first one is above the limit and it is better,
// or if its normal impulses are less than a tenth of the first one's: overlaps stay where they are then, for this step and
// some more. (A deep bed on which grains fall does such work, too, but with the impulses of the motion, and its overlaps
// are undone.) To wait until the residual passes the limit would be too late: impulses of a locked wedge last as the next
// step's start, and grow with each step. (Twelve balls in a box that swings, friction 1.2: 0.13 N s, then 2.3 N s, where
// the motion has 1e-4 N s. Stones that a machine squeezes seldom lock: 18 of 2000 steps of examples/tamping-small.yaml.)
// Where the model gives the speed r, or grains grow, overlaps are always undone.
#include <math.h>
#include <string.h>

#include "grains/world_internal.h"

static const double world_locked_share = 0.05, world_locked_lift = 0.01, world_locked_free = 10;
static const double world_locked_fall = 0.1; // of the normal impulses, over those of the first solution
enum { WORLD_LOCKED_STEPS = 5 };             // before overlaps are undone again

// ---- work of undoing overlaps --------------------------------------------------------------------
typedef struct LockedSums {
    double undoing; // work of the normal impulses at the speeds r [J]
    double allowed; // see above [J]
} LockedSums;

static bool world_locked_applies(const Grains *g) {
    return g->method->rigid && !(g->definition->contact.recovery > 0);
}

static double world_locked_mass(const World *w, int32_t body) {
    double inverse_mass = body < 0 ? 0 : w->problem.bodies.data[body].inverse_mass;
    return inverse_mass > 0 ? 1 / inverse_mass : 0;
}

static void world_locked_add(const World *w, int bed, LockedSums *sums) {
    const Grains *g = w->beds[bed].grains;
    const RigidStep *step = &w->rigid[bed];
    size_t count;
    const double *recovery = g->method->rigid->recoveries(g, &count);
    for (size_t k = 0; k < count; k++) {
        const ContactPoint *c = &w->problem.contacts.data[step->first_contact + k];
        const ContactImpulse *p = &w->solution.impulses.data[step->first_contact + k];
        if (!(recovery[k] > 0)) continue;
        sums->undoing += recovery[k] * vec3_dot(p->linear, c->normal);
        sums->allowed += world_locked_free * recovery[k] * recovery[k] *
                         (world_locked_mass(w, c->a) + world_locked_mass(w, c->b));
    }
    if (!(sums->undoing > 0)) return;
    for (size_t i = 0; i < g->store.count; i++) {
        int32_t body = step->first_body + (int32_t)i;
        sums->allowed += world_locked_mass(w, body) *
                         (0.5 * world_locked_share * vec3_norm2(w->problem.free_velocity.data[body].linear) +
                          world_locked_lift * step->weight * g->radius);
    }
}

// Within its tolerance, or near enough.
static bool world_locked_is_solved(const World *w, const ContactOptions *options) {
    return w->report.converged || w->report.residual.relative <= options->enough;
}

static bool world_locked_is_suspected(const World *w, int from, int to, const ContactOptions *options) {
    LockedSums sums = {0};
    for (int b = from; b < to; b++)
        if (world_locked_applies(w->beds[b].grains)) world_locked_add(w, b, &sums);
    return sums.undoing > (world_locked_is_solved(w, options) ? sums.allowed : 0);
}

// ---- the problem without -------------------------------------------------------------------------
// `sign` 1: overlaps stay; -1: they are undone again.
static void world_locked_shift(World *w, int from, int to, double sign) {
    for (int b = from; b < to; b++) {
        const Grains *g = w->beds[b].grains;
        if (!world_locked_applies(g)) continue;
        size_t count;
        const double *recovery = g->method->rigid->recoveries(g, &count);
        ContactPoint *contacts = w->problem.contacts.data + w->rigid[b].first_contact;
        for (size_t k = 0; k < count; k++)
            if (recovery[k] > 0)
                contacts[k].bias = vec3_madd(contacts[k].bias, sign * recovery[k], contacts[k].normal);
    }
}

static double world_locked_pressure(const World *w, const ContactSolution *solution) {
    double sum = 0;
    for (size_t k = 0; k < solution->impulses.count; k++)
        sum += vec3_dot(solution->impulses.data[k].linear, w->problem.contacts.data[k].normal);
    return sum;
}

static MrcStatus world_locked_solve_without(World *w, int from, int to, const ContactOptions *options,
                                            MrcError *error) {
    contact_solution_clear(&w->unlocked);
    MrcStatus status = contact_solution_fit(&w->unlocked, &w->problem, error);
    ContactReport report;
    if (status != MRC_OK) return status;
    world_locked_shift(w, from, to, 1);
    status = contact_solve(&w->problem, options, w->workspace, &w->unlocked, &report, error);
    if (status != MRC_OK) return status;
    double pressure = world_locked_pressure(w, &w->solution);
    bool taken =
        world_locked_is_solved(w, options)
            ? report.converged && world_locked_pressure(w, &w->unlocked) < world_locked_fall * pressure
            : report.residual.relative < w->report.residual.relative;
    const ContactReport before = w->report;
    if (taken) w->report = report;
    w->report.iterations = before.iterations + report.iterations;
    w->report.fallbacks = before.fallbacks + report.fallbacks;
    w->report.seconds = before.seconds + report.seconds;
    if (!taken) {
        world_locked_shift(w, from, to, -1);
        return MRC_OK;
    }
    ContactSolution first = w->solution;
    w->solution = w->unlocked, w->unlocked = first;
    w->counts.locked++;
    w->rigid_past[from].locked = WORLD_LOCKED_STEPS;
    return MRC_OK;
}

void world_locked_begin(World *w, int from, int to) {
    if (w->rigid_past[from].locked > 0) world_locked_shift(w, from, to, 1);
}

MrcStatus world_locked_end(World *w, int from, int to, const ContactOptions *options, MrcError *error) {
    if (w->rigid_past[from].locked > 0) {
        w->rigid_past[from].locked--;
        w->counts.locked++;
        return MRC_OK;
    }
    return world_locked_is_suspected(w, from, to, options)
               ? world_locked_solve_without(w, from, to, options, error)
               : MRC_OK;
}
