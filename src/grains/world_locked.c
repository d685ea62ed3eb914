// Overlaps that friction locks.
//
// Undoing an overlap asks its contact to open at a speed r (nonsmooth_condition.c), u_n >= r. Two contacts whose normals
// enclose an angle 2 a form a wedge. With friction mu >= cot(a) no impulses drive a grain out of it: friction takes all
// that the normal impulses give, and the problem has no solution. Below that, the relaxed law opens both contacts with
// u_n >= r + mu |u_t|: in a right corner the grain leaves at sqrt(2) r/(1 - mu). Either way solvers end with impulses far
// above those of the motion, friction dissipates what they do, and a bed at rest may be left unsolved for ever.
//
// With r = 0 the problem has a solution: no contact need open. So a step whose problem is not solved (its residual is
// above `contact.solver.limit`), or in which undoing the overlaps of a bed does work beyond
//
//     0.05 (kinetic energy of the grains) + 16 N^(1/3) M g h r + 10 sum of m r^2 (m: mass of the grains of the contact)
//
// is solved again without undoing the overlaps of that bed. That solution is taken if the residual of the first one is above the
// limit and it is better, or if the bed's normal impulses are less than a tenth of the first one's: its overlaps stay where they
// are then, for this step and some more. (A deep bed on which grains fall does such work, too, but with the impulses of the
// motion, and its overlaps are undone.) To wait until the residual passes the limit would be too late: impulses of a locked
// wedge last as the next step's start, and grow with each step. (Twelve balls in a box that swings, friction 1.2: 0.13 N s,
// then 2.3 N s, where the motion has 1e-4 N s. Stones that a machine squeezes seldom lock: 18 of 2000 steps of
// examples/tamping-small.yaml.) Where the model gives the speed r, or grains grow, overlaps are always undone.
//
// A bed that moves is solved with its overlaps again after five steps. In a bed at rest that is in vain, and takes thousands of
// iterations: there the step is solved without undoing overlaps, and from that solution with, in no more than four times as
// many iterations, or 200. Each time that this fails the next one is put off for twice as long, up to 640 steps, but not for
// longer than grains take to go 0.02 of a radius: overlaps with curved walls grow by 2e-4 of a radius at most in that time. (16
// balls at rest, friction 50: 66 ms a step with a try every sixth step, 3 ms with this.)
//
// Undoing an overlap d = h r lifts the grain on it by d, and all that lies on it: M g h r is the work of lifting the whole bed
// by the largest of them, and in N grains there are some N^(1/3) overlaps on top of each other. (With 0.01 M g radius in place of
// this, beds at rest got all the energy that was in play there from overlaps within a few steps, a thousand times the work of
// lifting them; with 64 in place of 16 some still did. With 4, beds of 150 grains that are handed over with overlaps of some
// 1e-4 of a radius kept them.)
//
// Restitution asks contacts to open as well. A ball that slides on the floor when it strikes a wall has no solution either with
// friction above 1: 5 uJ of motion became 50 mJ of impact and -50 mJ of friction. A problem that is still not solved is solved
// with no contact that need open, so that its impacts are plastic in this step.
#include <math.h>
#include <string.h>

#include "grains/world_internal.h"

static const double world_locked_share = 0.05, world_locked_lift = 16, world_locked_free = 10;
static const double world_locked_fall = 0.1; // of the normal impulses, over those of the first solution
static const double world_locked_way = 0.02; // of the radius, which no grain goes while overlaps stay
enum {
    WORLD_LOCKED_STEPS = 5,        // before overlaps are undone again, in a bed that moves
    WORLD_LOCKED_MOST_STEPS = 640, // likewise, in one at rest
    WORLD_LOCKED_ITERATIONS = 200, // in which that is to succeed there, or in
    WORLD_LOCKED_TIMES = 4         // times as many as the step takes without
};

static bool world_locked_applies(const World *w, int bed) {
    const Grains *g = w->beds[bed].grains;
    return g->method->rigid && !(g->definition->contact.recovery > 0);
}

// Is it tried whether the overlaps of a bed at rest can be undone again?
static bool world_locked_tries(const World *w, int bed) {
    return world_locked_applies(w, bed) && w->rigid_past[bed].locked == 0 && w->rigid_past[bed].wait > 0;
}

// ---- work of undoing overlaps --------------------------------------------------------------------
typedef struct LockedSums {
    double undoing; // work of the normal impulses at the speeds r [J]
    double allowed; // see above [J]
} LockedSums;

static double world_locked_mass(const World *w, int32_t body) {
    double inverse_mass = body < 0 ? 0 : w->problem.bodies.data[body].inverse_mass;
    return inverse_mass > 0 ? 1 / inverse_mass : 0;
}

static LockedSums world_locked_sums(const World *w, int bed, const ContactSolution *solution) {
    const Grains *g = w->beds[bed].grains;
    const RigidStep *step = &w->rigid[bed];
    LockedSums sums = {0};
    double fastest = 0;
    size_t count;
    const double *recovery = g->method->rigid->recoveries(g, &count);
    for (size_t k = 0; k < count; k++) {
        const ContactPoint *c = &w->problem.contacts.data[step->first_contact + k];
        const ContactImpulse *p = &solution->impulses.data[step->first_contact + k];
        if (!(recovery[k] > 0)) continue;
        fastest = fmax(fastest, recovery[k]);
        sums.undoing += recovery[k] * vec3_dot(p->linear, c->normal);
        sums.allowed += world_locked_free * recovery[k] * recovery[k] *
                        (world_locked_mass(w, c->a) + world_locked_mass(w, c->b));
    }
    if (!(sums.undoing > 0)) return sums;
    double lift = world_locked_lift * cbrt((double)g->store.count) * step->h * fastest;
    for (size_t i = 0; i < g->store.count; i++) {
        int32_t body = step->first_body + (int32_t)i;
        sums.allowed += world_locked_mass(w, body) *
                        (0.5 * world_locked_share * vec3_norm2(w->problem.free_velocity.data[body].linear) +
                         step->weight * lift);
    }
    return sums;
}

// Among the beds whose overlaps are undone in this step. One whose problem is not solved is suspected of any work.
static bool world_locked_find_suspects(World *w, int from, int to, bool solved) {
    bool any = false;
    for (int b = from; b < to; b++) {
        const RigidPast *past = &w->rigid_past[b];
        w->suspects[b] = false;
        if (!world_locked_applies(w, b) || past->locked > 0 || past->wait > 0) continue;
        LockedSums sums = world_locked_sums(w, b, &w->solution);
        w->suspects[b] = sums.undoing > (solved ? sums.allowed : 0);
        any = any || w->suspects[b];
    }
    return any;
}

// ---- the problem without -------------------------------------------------------------------------
// `sign` 1: overlaps stay; -1: they are undone again.
static void world_locked_shift(World *w, int bed, double sign) {
    const Grains *g = w->beds[bed].grains;
    size_t count;
    const double *recovery = g->method->rigid->recoveries(g, &count);
    ContactPoint *contacts = w->problem.contacts.data + w->rigid[bed].first_contact;
    for (size_t k = 0; k < count; k++)
        if (recovery[k] > 0)
            contacts[k].bias = vec3_madd(contacts[k].bias, sign * recovery[k], contacts[k].normal);
}

static void world_locked_shift_suspects(World *w, int from, int to, double sign) {
    for (int b = from; b < to; b++)
        if (w->suspects[b]) world_locked_shift(w, b, sign);
}

// Of the suspects.
static double world_locked_pressure(const World *w, int from, int to, const ContactSolution *solution) {
    double sum = 0;
    for (int b = from; b < to; b++) {
        size_t first = w->rigid[b].first_contact, count = 0;
        const Grains *g = w->beds[b].grains;
        if (w->suspects[b]) g->method->rigid->recoveries(g, &count);
        for (size_t k = first; k < first + count; k++)
            sum += vec3_dot(solution->impulses.data[k].linear, w->problem.contacts.data[k].normal);
    }
    return sum;
}

// The other solution of the step is that of the suspects without, or with, undoing overlaps.
static void world_locked_take(World *w) {
    ContactSolution first = w->solution;
    w->solution = w->unlocked, w->unlocked = first;
}

static void world_locked_report(World *w, ContactReport report, const ContactReport *other) {
    report.iterations += other->iterations;
    report.fallbacks += other->fallbacks;
    report.seconds += other->seconds;
    w->report = report;
}

static void world_locked_lock_suspects(World *w, int from, int to) {
    for (int b = from; b < to; b++) {
        RigidPast *past = &w->rigid_past[b];
        if (!w->suspects[b]) continue;
        past->wait = past->wait > 0 ? 2 * past->wait : WORLD_LOCKED_STEPS;
        if (past->wait > WORLD_LOCKED_MOST_STEPS) past->wait = WORLD_LOCKED_MOST_STEPS;
        past->locked = past->wait + 1; // with this step
    }
}

// From no impulses: those of a locked wedge would last.
static MrcStatus world_locked_solve_without(World *w, int from, int to, const ContactOptions *options,
                                            bool solved, MrcError *error) {
    contact_solution_clear(&w->unlocked);
    MrcStatus status = contact_solution_fit(&w->unlocked, &w->problem, error);
    ContactReport report, before = w->report;
    if (status != MRC_OK) return status;
    world_locked_shift_suspects(w, from, to, 1);
    status = contact_solve(&w->problem, options, w->workspace, &w->unlocked, &report, error);
    if (status != MRC_OK) return status;
    double pressure = world_locked_pressure(w, from, to, &w->solution);
    bool taken = solved ? report.converged &&
                              world_locked_pressure(w, from, to, &w->unlocked) < world_locked_fall * pressure
                        : report.residual.relative < before.residual.relative;
    if (taken) {
        world_locked_report(w, report, &before);
        world_locked_take(w);
        world_locked_lock_suspects(w, from, to);
    } else {
        world_locked_report(w, before, &report);
        world_locked_shift_suspects(w, from, to, -1);
    }
    return MRC_OK;
}

// ---- beds at rest --------------------------------------------------------------------------------
static bool world_locked_find_tried(World *w, int from, int to) {
    bool any = false;
    for (int b = from; b < to; b++) {
        w->suspects[b] = world_locked_tries(w, b);
        any = any || w->suspects[b];
    }
    return any;
}

// `unlocked` undoes the overlaps of the suspects, `solution` does not.
static bool world_locked_is_free(const World *w, int from, int to) {
    bool all = true;
    for (int b = from; b < to; b++) {
        if (!w->suspects[b]) continue;
        LockedSums sums = world_locked_sums(w, b, &w->unlocked);
        all = all && !(sums.undoing > sums.allowed);
    }
    return all || !(world_locked_pressure(w, from, to, &w->solution) <
                    world_locked_fall * world_locked_pressure(w, from, to, &w->unlocked));
}

// Starts from the solution without undoing overlaps, which is kept if this takes many more iterations.
static MrcStatus world_locked_try(World *w, int from, int to, const ContactOptions *options,
                                  MrcError *error) {
    ContactOptions own = *options;
    ContactReport report, before = w->report;
    size_t count = w->solution.impulses.count;
    int most = before.iterations < WORLD_LOCKED_ITERATIONS / WORLD_LOCKED_TIMES
                   ? WORLD_LOCKED_ITERATIONS
                   : WORLD_LOCKED_TIMES * before.iterations;
    if (own.method == CONTACT_AUTO) own.method = CONTACT_NSGS;
    if (own.sweeps > most) own.sweeps = most;
    if (own.gradient_iterations > most) own.gradient_iterations = most;
    MrcStatus status = contact_solution_fit(&w->unlocked, &w->problem, error);
    if (status != MRC_OK) return status;
    if (count > 0)
        memcpy(w->unlocked.impulses.data, w->solution.impulses.data,
               count * sizeof *w->solution.impulses.data);
    world_locked_shift_suspects(w, from, to, -1);
    status = contact_solve(&w->problem, &own, w->workspace, &w->unlocked, &report, error);
    if (status != MRC_OK) return status;
    if (report.converged && world_locked_is_free(w, from, to)) {
        world_locked_report(w, report, &before);
        world_locked_take(w);
    } else {
        world_locked_report(w, before, &report);
        world_locked_shift_suspects(w, from, to, 1);
        world_locked_lock_suspects(w, from, to);
    }
    return MRC_OK;
}

// Steps in which the fastest grain goes its way in the walls.
static double world_locked_patience(const World *w, int bed) {
    const Grains *g = w->beds[bed].grains;
    const RigidStep *step = &w->rigid[bed];
    const RigidWall *wall = g->definition->wall_count > 0 ? &step->walls[0] : NULL;
    const Twist *velocity = w->solution.velocity.data;
    Twist carried = wall && wall->body >= 0 ? velocity[wall->body] : (Twist){vec3_zero(), vec3_zero()};
    Vec3 origin = wall ? wall->origin : vec3_zero();
    double fastest2 = 0;
    for (size_t i = 0; i < g->store.count; i++) {
        Vec3 arm = vec3_sub(grain_center(g, i), origin),
             place = vec3_add(carried.linear, vec3_cross(carried.angular, arm)),
             own = velocity[(size_t)step->first_body + i].linear;
        fastest2 = fmax(fastest2, vec3_norm2(vec3_sub(own, place)));
    }
    return world_locked_way * g->radius / (step->h * sqrt(fastest2));
}

// A bed that moves waits for less, or is solved as if it had never been locked.
static void world_locked_count(World *w, int from, int to) {
    bool any = false;
    for (int b = from; b < to; b++) {
        RigidPast *past = &w->rigid_past[b];
        if (past->locked == 0) past->wait = 0; // its overlaps are undone
        if (past->locked == 0) continue;
        any = true;
        past->locked--;
        double patience = past->wait > 0 ? world_locked_patience(w, b) : 0;
        if (patience >= (double)past->wait) continue;
        past->wait = patience < WORLD_LOCKED_STEPS ? 0 : (int64_t)patience;
        int64_t most = past->wait > 0 ? past->wait : WORLD_LOCKED_STEPS;
        if (past->locked > most) past->locked = most;
    }
    w->counts.locked += any;
}

// ---- impacts -------------------------------------------------------------------------------------
// All contacts of the problem that are to open; `sign` as above. Are there any?
static bool world_locked_shift_openings(World *w, double sign) {
    bool any = false;
    for (size_t k = 0; k < w->openings.count; k++) {
        ContactPoint *c = &w->problem.contacts.data[k];
        if (sign > 0) w->openings.data[k] = fmax(-vec3_dot(c->bias, c->normal), 0);
        if (!(w->openings.data[k] > 0)) continue;
        any = true;
        c->bias = vec3_madd(c->bias, sign * w->openings.data[k], c->normal);
    }
    return any;
}

static MrcStatus world_locked_solve_closed(World *w, int from, const ContactOptions *options,
                                           MrcError *error) {
    if (!array_resize(&w->openings, w->problem.contacts.count)) return error_memory(error, "the contacts");
    if (!world_locked_shift_openings(w, 1)) return MRC_OK;
    contact_solution_clear(&w->unlocked);
    ContactReport report, before = w->report;
    MrcStatus status = contact_solution_fit(&w->unlocked, &w->problem, error);
    if (status == MRC_OK)
        status = contact_solve(&w->problem, options, w->workspace, &w->unlocked, &report, error);
    if (status != MRC_OK) return status;
    if (report.residual.relative < before.residual.relative) {
        world_locked_report(w, report, &before);
        world_locked_take(w);
        if (w->rigid_past[from].locked == 0) w->rigid_past[from].locked = 1; // this step
    } else {
        world_locked_report(w, before, &report);
        world_locked_shift_openings(w, -1);
    }
    return MRC_OK;
}

// ---- the step ------------------------------------------------------------------------------------
// Within its tolerance, or near enough.
static bool world_locked_is_solved(const World *w, const ContactOptions *options) {
    return w->report.converged || w->report.residual.relative <= options->enough;
}

MrcStatus world_locked_solve(World *w, int from, int to, const ContactOptions *options, MrcError *error) {
    for (int b = from; b < to; b++)
        if (w->rigid_past[b].locked > 0 || world_locked_tries(w, b)) world_locked_shift(w, b, 1);
    MrcStatus status = contact_solve(&w->problem, options, w->workspace, &w->solution, &w->report, error);
    if (status != MRC_OK) return status;
    bool solved = world_locked_is_solved(w, options);
    if (world_locked_find_suspects(w, from, to, solved))
        status = world_locked_solve_without(w, from, to, options, solved, error);
    if (status == MRC_OK && world_locked_find_tried(w, from, to))
        status = world_locked_try(w, from, to, options, error);
    if (status == MRC_OK && !world_locked_is_solved(w, options))
        status = world_locked_solve_closed(w, from, options, error);
    if (status == MRC_OK) world_locked_count(w, from, to);
    return status;
}
