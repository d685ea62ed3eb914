// Preparing and sweeping: see nsgs.h.
#include "contact/nsgs.h"

#include <float.h>

#include "base/threads.h"
#include "base/watch.h"
#include "contact/history.h"
#include "contact/solver_type.h"

void nsgs_free(Nsgs *nsgs) {
    array_free(&nsgs->lines);
    array_free(&nsgs->used);
    array_free(&nsgs->wall_used);
    array_free(&nsgs->degree);
    array_free(&nsgs->ends);
    array_free(&nsgs->moved);
    array_free(&nsgs->places);
    array_free(&nsgs->sleepers);
    array_free(&nsgs->awake);
    array_free(&nsgs->last);
    array_free(&nsgs->pairs);
    array_free(&nsgs->walls);
    array_free(&nsgs->rigids);
    array_free(&nsgs->rigid_walls);
    array_free(&nsgs->blocks);
    array_free(&nsgs->wall_blocks);
    array_free(&nsgs->inertia);
    array_free(&nsgs->rollings);
    array_free(&nsgs->rolling_walls);
    array_free(&nsgs->generals);
    array_free(&nsgs->shared);
    array_free(&nsgs->shared_turnings);
    array_free(&nsgs->last_lines);
    array_free(&nsgs->sums);
    array_free(&nsgs->best);
    array_free(&nsgs->sets);
    array_free(&nsgs->counts);
    array_free(&nsgs->order);
    array_free(&nsgs->line_at);
    even_odd_free(&nsgs->even_odd);
    array_free(&nsgs->layer_of);
    array_free(&nsgs->first);
    array_free(&nsgs->neighbours);
    array_free(&nsgs->reach);
}

static void nsgs_set_velocity(const Nsgs *nsgs, const ContactProblem *p, const Twist *velocity,
                              double *lines) {
    size_t from, to;
    nsgs_share(nsgs, 0, p->bodies.count, &from, &to);
    for (size_t i = from; i < to; i++) {
        double *line = lines + nsgs->line_at.data[i];
        memcpy(line, &velocity[i].linear, sizeof(Vec3));
        memcpy(line + BODY_ANGULAR, &velocity[i].angular, sizeof(Vec3));
        line[BODY_INVERSE_MASS] = p->bodies.data[i].inverse_mass;
        line[BODY_INVERSE_INERTIA] = p->bodies.data[i].inverse_inertia;
    }
    nsgs_share(nsgs, p->bodies.count, nsgs->line_at.count, &from, &to); // groups and the world
    for (size_t i = from; i < to; i++) memset(lines + nsgs->line_at.data[i], 0, BODY_LINE * sizeof(double));
}

static void nsgs_set_velocities(Nsgs *nsgs, const ContactProblem *p, const Twist *start) {
    if (nsgs->parallel) {
#pragma omp parallel
        {
            nsgs_set_velocity(nsgs, p, start, nsgs->lines.data);
            nsgs_set_velocity(nsgs, p, p->free_velocity.data, nsgs->last_lines.data);
        }
    } else {
        nsgs_set_velocity(nsgs, p, start, nsgs->lines.data);
        nsgs_set_velocity(nsgs, p, p->free_velocity.data, nsgs->last_lines.data);
    }
}

void nsgs_share(const Nsgs *nsgs, size_t first, size_t end, size_t *from, size_t *to) {
    size_t team = nsgs->parallel ? (size_t)threads_in_team() : 1, count = end - first;
    size_t me = nsgs->parallel ? (size_t)threads_current() : 0;
    *from = first + count * me / team;
    *to = first + count * (me + 1) / team;
}

static void nsgs_fill_share(Nsgs *nsgs, const ContactProblem *p, NsgsImpulses impulses) {
    size_t from, to;
    nsgs_share(nsgs, 0, nsgs->pairs.count, &from, &to);
    for (size_t i = from; i < to && !nsgs_stops(i); i++)
        nsgs_fill_pair(&nsgs->pairs.data[i], nsgs, p, impulses);
    nsgs_share(nsgs, 0, nsgs->walls.count, &from, &to);
    for (size_t i = from; i < to && !nsgs_stops(i); i++)
        nsgs_fill_wall(&nsgs->walls.data[i], nsgs, p, impulses);
    nsgs_fill_rigids(nsgs, p, impulses);
    nsgs_share(nsgs, 0, nsgs->rollings.count, &from, &to);
    for (size_t i = from; i < to && !nsgs_stops(i); i++)
        nsgs_fill_rolling(&nsgs->rollings.data[i], nsgs, p, true, impulses);
    nsgs_share(nsgs, 0, nsgs->rolling_walls.count, &from, &to);
    for (size_t i = from; i < to && !nsgs_stops(i); i++)
        nsgs_fill_rolling(&nsgs->rolling_walls.data[i], nsgs, p, false, impulses);
    nsgs_share(nsgs, 0, nsgs->shared.count, &from, &to);
    for (size_t i = from; i < to && !nsgs_stops(i); i++)
        nsgs_fill_shared(&nsgs->shared.data[i], nsgs, p, impulses);
    nsgs_share(nsgs, 0, nsgs->generals.count, &from, &to);
    for (size_t i = from; i < to && !nsgs_stops(i); i++) {
        int32_t contact = nsgs->generals.data[i].contact;
        NsgsGeneral *general = &nsgs->generals.data[i];
        nsgs_general_prepare(nsgs, p, contact, &impulses.now[contact], general);
        general->last.linear = impulses.last[contact].linear;
        if (general->turns) general->last.angular = impulses.last[contact].angular;
    }
}

static void nsgs_put_all(Nsgs *nsgs, const ContactProblem *p) {
    nsgs_put_share(nsgs, p);
    nsgs_list_moved(nsgs);
    nsgs_fill_inertia(nsgs, p);
}

// Lanes that have no contact yet because the work was to end are not filled.
static MrcStatus nsgs_fill_all(Nsgs *nsgs, const ContactProblem *p, NsgsImpulses impulses, MrcError *error) {
    if (nsgs->parallel) {
#pragma omp parallel
        nsgs_put_all(nsgs, p);
    } else nsgs_put_all(nsgs, p);
    if (watch_stopped()) return nsgs_stopped(p, error);
    if (nsgs->parallel) {
#pragma omp parallel
        nsgs_fill_share(nsgs, p, impulses);
    } else nsgs_fill_share(nsgs, p, impulses);
    return watch_stopped() ? nsgs_stopped(p, error) : MRC_OK;
}

MrcStatus nsgs_prepare(Nsgs *nsgs, const ContactProblem *p, const ContactImpulse *impulses,
                       const NsgsStart *start, double *scale, MrcError *error) {
    size_t nodes = p->bodies.count + p->groups.count, count = p->contacts.count;
    nsgs->parallel = start->parallel;
    nsgs->dilation = contact_dilation(p, p->law);
    if (!array_resize(&nsgs->used, nodes) || !array_resize(&nsgs->wall_used, nodes) ||
        !array_resize(&nsgs->degree, p->groups.count) || !array_resize(&nsgs->places, count) ||
        !array_resize(&nsgs->ends, count) || !array_resize(&nsgs->sleepers, count + 1) ||
        !array_resize(&nsgs->awake, count + 1) || !array_resize(&nsgs->last_lines, (nodes + 1) * BODY_LINE))
        return error_memory(error, "the contacts");
    nsgs_find_ends(nsgs, p);
    nsgs_find_degrees(nsgs, p);
    MrcStatus status = nsgs_make_layers(nsgs, p, impulses, start->layered, error);
    if (status != MRC_OK) return status;
    if (watch_stopped()) return nsgs_stopped(p, error);
    nsgs_set_velocities(nsgs, p, start->velocity);
    *scale = nsgs_survey(nsgs, p, impulses, start);
    if (watch_stopped()) return nsgs_stopped(p, error);
    nsgs_list_sleepers(nsgs);
    status = nsgs_sort(nsgs, p, 0, error);
    if (status == MRC_OK) status = nsgs_fill_all(nsgs, p, (NsgsImpulses){impulses, impulses}, error);
    if (status == MRC_OK) nsgs_momentum_begin(nsgs);
    return status;
}

// Impulses after the last sweep, or after the one before it.
static void nsgs_batch_impulses(const NsgsBatch *batch, bool before, ContactImpulse *impulses) {
    const Wide *from = before ? batch->last : batch->impulse;
    for (int k = 0; k < batch->count; k++) {
        int32_t name = batch->contact[k];
        double sign = name < 0 ? -1 : 1;
        impulses[name < 0 ? ~name : name] = (ContactImpulse){
            {sign * nsgs_lane(&from[0], k), sign * nsgs_lane(&from[1], k), sign * nsgs_lane(&from[2], k)},
            {0, 0, 0}};
    }
}

static void nsgs_turning_impulses(const NsgsBatch *batch, const NsgsTurning *turning, bool before,
                                  ContactImpulse *impulses) {
    nsgs_batch_impulses(batch, before, impulses);
    const Wide *from = before ? turning->last : turning->moment;
    for (int k = 0; k < batch->count; k++) {
        int32_t name = batch->contact[k];
        double sign = name < 0 ? -1 : 1;
        impulses[name < 0 ? ~name : name].angular = (Vec3){
            sign * nsgs_lane(&from[0], k), sign * nsgs_lane(&from[1], k), sign * nsgs_lane(&from[2], k)};
    }
}

static void nsgs_share_impulses(const Nsgs *nsgs, bool before, ContactImpulse *impulses) {
    size_t from, to;
    nsgs_share(nsgs, 0, nsgs->pairs.count, &from, &to);
    for (size_t i = from; i < to; i++) nsgs_batch_impulses(&nsgs->pairs.data[i], before, impulses);
    nsgs_share(nsgs, 0, nsgs->walls.count, &from, &to);
    for (size_t i = from; i < to; i++) nsgs_batch_impulses(&nsgs->walls.data[i], before, impulses);
    nsgs_share(nsgs, 0, nsgs->rigids.count, &from, &to);
    for (size_t i = from; i < to; i++) nsgs_batch_impulses(&nsgs->rigids.data[i].batch, before, impulses);
    nsgs_share(nsgs, 0, nsgs->rigid_walls.count, &from, &to);
    for (size_t i = from; i < to; i++)
        nsgs_batch_impulses(&nsgs->rigid_walls.data[i].batch, before, impulses);
    nsgs_share(nsgs, 0, nsgs->rollings.count, &from, &to);
    for (size_t i = from; i < to; i++)
        nsgs_turning_impulses(&nsgs->rollings.data[i].batch, &nsgs->rollings.data[i].turning, before,
                              impulses);
    nsgs_share(nsgs, 0, nsgs->rolling_walls.count, &from, &to);
    for (size_t i = from; i < to; i++)
        nsgs_turning_impulses(&nsgs->rolling_walls.data[i].batch, &nsgs->rolling_walls.data[i].turning,
                              before, impulses);
    nsgs_share(nsgs, 0, nsgs->shared.count, &from, &to);
    for (size_t i = from; i < to; i++) {
        const NsgsShared *s = &nsgs->shared.data[i];
        if (s->turning < 0) nsgs_batch_impulses(&s->batch, before, impulses);
        else nsgs_turning_impulses(&s->batch, &nsgs->shared_turnings.data[s->turning], before, impulses);
    }
    nsgs_share(nsgs, 0, nsgs->generals.count, &from, &to);
    for (size_t i = from; i < to; i++) {
        const NsgsGeneral *g = &nsgs->generals.data[i];
        const Twist *impulse = before ? &g->last : &g->impulse;
        impulses[g->contact] = (ContactImpulse){impulse->linear, impulse->angular};
    }
}

void nsgs_impulses(const Nsgs *nsgs, ContactImpulse *impulses, bool parallel) {
    if (parallel) {
#pragma omp parallel
        nsgs_share_impulses(nsgs, false, impulses);
    } else nsgs_share_impulses(nsgs, false, impulses);
}

static void nsgs_clear_share(const Nsgs *nsgs, size_t count, ContactImpulse *impulses) {
    size_t from, to;
    nsgs_share(nsgs, 0, count, &from, &to);
    if (to > from) memset(impulses + from, 0, (to - from) * sizeof *impulses);
}

// Impulses of sleeping contacts are zero.
static void nsgs_all_impulses(const Nsgs *nsgs, size_t count, bool before, ContactImpulse *impulses) {
    if (nsgs->parallel) {
#pragma omp parallel
        {
            nsgs_clear_share(nsgs, count, impulses);
#pragma omp barrier
            nsgs_share_impulses(nsgs, before, impulses);
        }
    } else {
        nsgs_clear_share(nsgs, count, impulses);
        nsgs_share_impulses(nsgs, before, impulses);
    }
}

// ---- waking --------------------------------------------------------------------------------------
MrcStatus nsgs_wake(Nsgs *nsgs, const ContactProblem *p, ContactImpulse *impulses, size_t *woken,
                    MrcError *error) {
    size_t count = p->contacts.count;
    *woken = nsgs->sleepers.count ? nsgs_find_woken(nsgs, p) : 0;
    if (*woken == 0) return MRC_OK;
    if (!array_resize(&nsgs->last, count)) return error_memory(error, "the contacts");
    nsgs_impulses(nsgs, impulses, nsgs->parallel);
    nsgs_all_impulses(nsgs, count, true, nsgs->last.data);
    size_t first = nsgs->awake.count;
    nsgs_list_woken(nsgs);
    MrcStatus status = nsgs_sort(nsgs, p, first, error);
    return status == MRC_OK ? nsgs_fill_all(nsgs, p, (NsgsImpulses){impulses, nsgs->last.data}, error)
                            : status;
}

// ---- the sweep -----------------------------------------------------------------------------------
static inline double nsgs_larger(double a, double b) { return a > b || a != a ? a : b; }

// All but spheres without rolling friction.
static void nsgs_sweep_others(Nsgs *nsgs, const ContactProblem *p, const NsgsSet *set, NsgsSums *sums) {
    nsgs_sweep_rigids(nsgs, set[0].rigids, set[1].rigids, sums);
    nsgs_sweep_rigid_walls(nsgs, set[0].rigid_walls, set[1].rigid_walls, sums);
    nsgs_sweep_rollings(nsgs, set[0].rollings, set[1].rollings, sums);
    nsgs_sweep_rolling_walls(nsgs, set[0].rolling_walls, set[1].rolling_walls, sums);
    nsgs_sweep_generals(nsgs, p, set[0].generals, set[1].generals);
}

static void nsgs_sweep_layer(Nsgs *nsgs, const ContactProblem *p, int layer, bool coulomb) {
    const NsgsSet *sets = nsgs->sets.data + (size_t)layer * NSGS_COLOURS;
    NsgsSums sums = {wide_set(0), wide_set(0), wide_set(0)};
    bool others = nsgs->rigids.count + nsgs->rigid_walls.count + nsgs->rollings.count +
                      nsgs->rolling_walls.count + nsgs->generals.count >
                  0;
    for (const NsgsSet *set = sets; set < sets + nsgs->colour_count; set++) {
        if (set[0].pairs < set[1].pairs) nsgs_sweep_pairs(nsgs, set[0].pairs, set[1].pairs, coulomb, &sums);
        if (set[0].walls < set[1].walls) nsgs_sweep_walls(nsgs, set[0].walls, set[1].walls, coulomb, &sums);
        if (others) nsgs_sweep_others(nsgs, p, set, &sums);
    }
    nsgs->sums.data[layer] = sums;
}

// A layer changes its own bodies and those of the next one: both are extrapolated before it is swept.
static void nsgs_sweep_even(Nsgs *nsgs, const ContactProblem *p, int even, bool coulomb) {
    nsgs_push_lines(nsgs, 2 * even);
    if (2 * even + 1 < nsgs->layer_count) nsgs_push_lines(nsgs, 2 * even + 1);
    nsgs_sweep_layer(nsgs, p, 2 * even, coulomb);
}

static void nsgs_sweep_odd(Nsgs *nsgs, const ContactProblem *p, int odd, bool coulomb) {
    int layer = 2 * odd - 1;
    if (layer >= 0 && layer < nsgs->layer_count) nsgs_sweep_layer(nsgs, p, layer, coulomb);
}

static void nsgs_sweep_in_team(Nsgs *nsgs, const ContactProblem *p, bool coulomb, int thread) {
    for (int32_t even; (even = even_odd_claim_even(&nsgs->even_odd, thread)) >= 0;) {
        nsgs_sweep_even(nsgs, p, even, coulomb);
        even_odd_finish_even(&nsgs->even_odd, even);
        for (int32_t odd = even; odd <= even + 1; odd++)
            if (even_odd_claim_odd(&nsgs->even_odd, odd)) nsgs_sweep_odd(nsgs, p, odd, coulomb);
    }
    for (int32_t odd; (odd = even_odd_wait_for_odd(&nsgs->even_odd)) >= 0;)
        nsgs_sweep_odd(nsgs, p, odd, coulomb);
}

static void nsgs_sweep_alone(Nsgs *nsgs, const ContactProblem *p, bool coulomb) {
    int evens = (nsgs->layer_count + 1) / 2;
    for (int even = 0; even < evens; even++) {
        nsgs_sweep_even(nsgs, p, even, coulomb);
        nsgs_sweep_odd(nsgs, p, even, coulomb);
    }
    nsgs_sweep_odd(nsgs, p, evens, coulomb);
}

// Contacts that are solved in order, on one thread.
static void nsgs_sweep_rest(Nsgs *nsgs, const ContactProblem *p, bool coulomb) {
    const NsgsSet *set = nsgs->sets.data + (size_t)nsgs->layer_count * NSGS_COLOURS;
    NsgsSums *sums = &nsgs->sums.data[nsgs->layer_count];
    *sums = (NsgsSums){wide_set(0), wide_set(0), wide_set(0)};
    nsgs_sweep_generals(nsgs, p, set[0].generals, set[1].generals);
    nsgs_sweep_shared(nsgs, p, coulomb, sums);
}

// The sums of the sweep, in order. Returns the largest change.
static double nsgs_add_sums(Nsgs *nsgs, const ContactProblem *p) {
    NsgsSums all = nsgs->sums.data[0];
    for (int k = 1; k <= nsgs->layer_count; k++) {
        const NsgsSums *sums = &nsgs->sums.data[k];
        all.uphill = all.uphill + sums->uphill;
        all.change = all.change + sums->change;
        all.largest = wide_max(sums->largest, all.largest);
    }
    double uphill = wide_sum(all.uphill), change = wide_sum(all.change), largest = wide_largest(all.largest);
    for (size_t k = 0; k < nsgs->generals.count; k++) {
        const NsgsGeneral *g = &nsgs->generals.data[k];
        uphill += g->uphill;
        change += g->change;
        largest = nsgs_larger(g->change, largest);
    }
    nsgs_choose_push(nsgs, p, uphill, change);
    return change < DBL_MAX ? sqrt(largest) : change; // a NaN would not be the largest
}

double nsgs_sweep(Nsgs *nsgs, const ContactProblem *p, bool coulomb) {
    nsgs_swap_lines(nsgs);
    if (nsgs->parallel) {
        even_odd_begin(&nsgs->even_odd);
#pragma omp parallel
        nsgs_sweep_in_team(nsgs, p, coulomb, threads_current());
    } else nsgs_sweep_alone(nsgs, p, coulomb);
    nsgs_sweep_rest(nsgs, p, coulomb);
    return nsgs_add_sums(nsgs, p);
}

// ---- the solver ----------------------------------------------------------------------------------
static ContactResidual nsgs_judge(const ContactJob *job, bool parallel) {
    const Nsgs *nsgs = job->work->memory[CONTACT_NSGS];
    if (job->problem->rows.count == 0)
        return nsgs_residual(nsgs, job->problem, job->problem->law, job->scale, parallel);
    nsgs_impulses(nsgs, job->solution->impulses.data, parallel);
    contact_job_add_lambdas(job);
    return contact_job_residual(job, job->problem->law);
}

// The warm start as a whole, made stronger or weaker: the best point on the ray through it. In a bed that
// stays together all loads grow and fall with the acceleration of its container, so that this alone is often
// half the way. With L = J^T p the energy along s p is s^2 L . M^-1 L/2 + s (L . v_free + p . bias). Leaves
// the velocities in scratch.
static void nsgs_scale_start(const ContactJob *job, const ContactProblem *p) {
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
// larger than what they are to balance, as in wedges. They are computed anew every
// nsgs_fresh_sweeps sweeps, and always before the solution is accepted.
enum { nsgs_fresh_sweeps = 1000 };

static void nsgs_refresh(const ContactJob *job, bool parallel) {
    Nsgs *nsgs = job->work->memory[CONTACT_NSGS];
    Twist *velocity = job->work->scratch.data;
    nsgs_impulses(nsgs, job->solution->impulses.data, parallel);
    contact_problem_velocity(job->reduced, job->solution->impulses.data, NULL,
                             velocity + job->reduced->bodies.count, velocity);
    nsgs_momentum_anew(nsgs, job->reduced, velocity);
}

enum {
    nsgs_first_wake = 4
}; // sweeps before sleeping contacts are tested; then after three times as many each time
// Sweeps before the residual is computed although the change in a sweep is large; then after an eighth more each time. In
// beds under load, impulses move along directions that change no velocity long after the residual is small.
enum { nsgs_first_judge = 24 };

// Where sweeps do not converge, the last impulses may be far worse than the best ones so far: of a machine that strikes
// stones, residuals of 35 came after one of 0.01.
static bool nsgs_keep_best(Nsgs *nsgs, const ContactReport *report, size_t contacts) {
    if (!(report->residual.relative < nsgs->best_residual.relative)) return true;
    if (!array_resize(&nsgs->best, contacts)) return false;
    nsgs_all_impulses(nsgs, contacts, false, nsgs->best.data);
    nsgs->best_residual = report->residual;
    return true;
}

static void nsgs_take_best(const Nsgs *nsgs, ContactImpulse *impulses, ContactReport *report) {
    double best = nsgs->best_residual.relative;
    if (report->residual.relative <= best || !(best < INFINITY)) return;
    memcpy(impulses, nsgs->best.data, nsgs->best.count * sizeof *impulses);
    report->residual = nsgs->best_residual;
}

// Sweeps until the change in one of them or the residual is small. Stopping early when the rate of
// convergence predicts failure was rejected: with momentum the rate predicts little, and a thousand more sweeps
// cost less than the next method.
static MrcStatus nsgs_run(ContactJob *job, MrcError *error) {
    MrcStatus status = contact_job_need_reduced(job, error);
    if (status != MRC_OK) return status;
    const ContactProblem *p = job->reduced;
    const ContactOptions *o = job->options;
    ContactImpulse *impulses = job->solution->impulses.data;
    Nsgs *nsgs = job->work->memory[CONTACT_NSGS];
    ContactReport *report = job->report;
    bool parallel = p->contacts.count >= o->parallel_contacts && threads_wanted() > 1;
    nsgs_scale_start(job, p);
    NsgsStart start = {.velocity = job->work->scratch.data,
                       .margin = o->open_margin,
                       .floor = residual_floor(p, o->velocity_scale),
                       .layered = o->parallel_contacts,
                       .parallel = parallel};
    double scale;
    status = nsgs_prepare(nsgs, p, impulses, &start, &scale, error);
    if (status != MRC_OK) return status;
    if (job->scale < 0) job->scale = scale;
    if (job->scale == 0) {
        contact_job_no_impulses(job);
        return MRC_OK;
    }
    double threshold =
        4 * o->tolerance * job->scale; // what is left is mostly less than a quarter of the change
    bool judged = false;
    nsgs->best_residual.relative = INFINITY;
    int next_wake = nsgs_first_wake, next_judge = nsgs_first_judge;
    size_t woken = 0;
    for (int sweep = 1; sweep <= o->sweeps && status == MRC_OK; sweep++) {
        if (watch_stops("contact sweep", sweep, o->sweeps)) return nsgs_stopped(p, error);
        double change = nsgs_sweep(nsgs, p, p->law == CONTACT_COULOMB);
        report->iterations++;
        history_add(report, report->iterations, change / job->scale);
        judged = change <= threshold || sweep == next_judge;
        if (sweep == next_judge) next_judge += nsgs_first_judge + sweep / 8;
        if (judged || sweep == next_wake) {
            status = nsgs_wake(nsgs, p, impulses, &woken, error);
            if (sweep == next_wake) next_wake *= 3;
            judged = judged && woken == 0;
        }
        if (judged) {
            report->residual = nsgs_judge(job, parallel);
            if (report->residual.relative <= o->tolerance && sweep >= nsgs_fresh_sweeps) {
                nsgs_refresh(job, parallel);
                report->residual = nsgs_judge(job, parallel);
            }
            if (report->residual.relative <= o->tolerance) break;
            if (!nsgs_keep_best(nsgs, report, p->contacts.count))
                return error_memory(error, "the contact impulses");
            double ratio = 0.9 * o->tolerance / report->residual.relative;
            if (change <= threshold) threshold = fmin(threshold, change) * fmax(ratio, 1e-3);
        }
        if (!(change < DBL_MAX)) break;
        if (sweep % nsgs_fresh_sweeps == 0) nsgs_refresh(job, parallel);
    }
    if (!judged && status == MRC_OK) status = nsgs_wake(nsgs, p, impulses, &woken, error);
    if (status != MRC_OK) return status;
    if (!judged) report->residual = nsgs_judge(job, parallel);
    nsgs_impulses(nsgs, impulses, parallel);
    nsgs_take_best(nsgs, impulses, report);
    contact_job_add_lambdas(job);
    return MRC_OK;
}

static void nsgs_release(void *memory) { nsgs_free(memory); }

const ContactSolver contact_solver_nsgs = {
    .choice = {.word = "nsgs", .doc = "Gauss-Seidel, contact by contact"},
    .finds_scale = true,
    .run = nsgs_run,
    .memory = sizeof(Nsgs),
    .release = nsgs_release,
};
