// Preparing and sweeping: see nsgs.h.
#include "contact/nsgs.h"

#include <float.h>

#include "base/threads.h"

void nsgs_free(Nsgs *nsgs) {
    array_free(&nsgs->lines);
    array_free(&nsgs->used);
    array_free(&nsgs->wall_used);
    array_free(&nsgs->degree);
    array_free(&nsgs->places);
    array_free(&nsgs->sleepers);
    array_free(&nsgs->awake);
    array_free(&nsgs->last);
    array_free(&nsgs->pairs);
    array_free(&nsgs->walls);
    array_free(&nsgs->generals);
    array_free(&nsgs->shared);
    array_free(&nsgs->last_lines);
    array_free(&nsgs->sums);
    array_free(&nsgs->sets);
    array_free(&nsgs->counts);
    array_free(&nsgs->order);
    array_free(&nsgs->line_at);
    joints_free(&nsgs->joints);
    array_free(&nsgs->layer_of);
    array_free(&nsgs->first);
    array_free(&nsgs->neighbours);
}

void nsgs_set_velocity(const Nsgs *nsgs, const ContactProblem *p, const Twist *velocity, double *lines) {
    for (size_t i = 0; i < p->bodies.count; i++) {
        double *line = lines + nsgs->line_at.data[i];
        memcpy(line, &velocity[i].linear, sizeof(Vec3));
        memcpy(line + LINE_ANGULAR, &velocity[i].angular, sizeof(Vec3));
        line[LINE_INVERSE_MASS] = p->bodies.data[i].inverse_mass;
        line[LINE_INVERSE_INERTIA] = p->bodies.data[i].inverse_inertia;
    }
    for (size_t i = p->bodies.count; i < nsgs->line_at.count; i++) // groups and the world
        memset(lines + nsgs->line_at.data[i], 0, LINE * sizeof(double));
}

void nsgs_share(const Nsgs *nsgs, size_t first, size_t end, size_t *from, size_t *to) {
    size_t team = nsgs->parallel ? (size_t)threads_in_team() : 1, count = end - first;
    size_t me = nsgs->parallel ? (size_t)threads_current() : 0;
    *from = first + count * me / team;
    *to = first + count * (me + 1) / team;
}

static void fill_share(Nsgs *nsgs, const ContactProblem *p, NsgsImpulses impulses) {
    size_t from, to;
    nsgs_share(nsgs, 0, nsgs->pairs.count, &from, &to);
    for (size_t i = from; i < to; i++) nsgs_fill_pair(&nsgs->pairs.data[i], nsgs, p, impulses);
    nsgs_share(nsgs, 0, nsgs->walls.count, &from, &to);
    for (size_t i = from; i < to; i++) nsgs_fill_wall(&nsgs->walls.data[i], nsgs, p, impulses);
    nsgs_share(nsgs, 0, nsgs->shared.count, &from, &to);
    for (size_t i = from; i < to; i++) nsgs_fill_shared(&nsgs->shared.data[i], nsgs, p, impulses);
    nsgs_share(nsgs, 0, nsgs->generals.count, &from, &to);
    for (size_t i = from; i < to; i++) {
        int32_t contact = nsgs->generals.data[i].contact;
        NsgsGeneral *general = &nsgs->generals.data[i];
        nsgs_general_prepare(p, contact, &impulses.now[contact], general);
        general->last.linear = impulses.last[contact].linear;
        if (general->turns) general->last.angular = impulses.last[contact].angular;
    }
}

static void fill(Nsgs *nsgs, const ContactProblem *p, NsgsImpulses impulses) {
    if (nsgs->parallel) {
#pragma omp parallel
        {
            nsgs_put_share(nsgs, p);
#pragma omp barrier
            fill_share(nsgs, p, impulses);
        }
    } else {
        nsgs_put_share(nsgs, p);
        fill_share(nsgs, p, impulses);
    }
}

MrcStatus nsgs_prepare(Nsgs *nsgs, const ContactProblem *p, const ContactImpulse *impulses,
                       const NsgsStart *start, double *scale, MrcError *error) {
    size_t nodes = p->bodies.count + p->groups.count, count = p->contacts.count;
    nsgs->parallel = start->parallel;
    if (!array_resize(&nsgs->used, nodes) || !array_resize(&nsgs->wall_used, nodes) ||
        !array_resize(&nsgs->degree, p->groups.count) || !array_resize(&nsgs->places, count) ||
        !array_resize(&nsgs->sleepers, count + 1) || !array_resize(&nsgs->awake, count + 1) ||
        !array_resize(&nsgs->last_lines, (nodes + 1) * LINE))
        return error_memory(error, "the contacts");
    nsgs_find_degrees(nsgs, p);
    MrcStatus status = nsgs_make_layers(nsgs, p, impulses, start->layered, error);
    if (status != MRC_OK) return status;
    nsgs_set_velocity(nsgs, p, start->velocity, nsgs->lines.data);
    nsgs_set_velocity(nsgs, p, p->free_velocity.data, nsgs->last_lines.data);
    *scale = nsgs_survey(nsgs, p, impulses, start);
    nsgs_list_sleepers(nsgs);
    status = nsgs_sort(nsgs, p, 0, error);
    if (status != MRC_OK) return status;
    fill(nsgs, p, (NsgsImpulses){impulses, impulses});
    nsgs_momentum_begin(nsgs);
    return MRC_OK;
}

// Impulses after the last sweep, or after the one before it.
static void batch_impulses(const NsgsBatch *batch, bool before, ContactImpulse *impulses) {
    const Wide *from = before ? batch->last : batch->impulse;
    for (int k = 0; k < batch->count; k++) {
        int32_t name = batch->contact[k];
        double sign = name < 0 ? -1 : 1;
        impulses[name < 0 ? ~name : name] = (ContactImpulse){
            {sign * nsgs_lane(&from[0], k), sign * nsgs_lane(&from[1], k), sign * nsgs_lane(&from[2], k)},
            {0, 0, 0}};
    }
}

static void share_impulses(const Nsgs *nsgs, bool before, ContactImpulse *impulses) {
    size_t from, to;
    nsgs_share(nsgs, 0, nsgs->pairs.count, &from, &to);
    for (size_t i = from; i < to; i++) batch_impulses(&nsgs->pairs.data[i], before, impulses);
    nsgs_share(nsgs, 0, nsgs->walls.count, &from, &to);
    for (size_t i = from; i < to; i++) batch_impulses(&nsgs->walls.data[i], before, impulses);
    nsgs_share(nsgs, 0, nsgs->shared.count, &from, &to);
    for (size_t i = from; i < to; i++) batch_impulses(&nsgs->shared.data[i].batch, before, impulses);
    nsgs_share(nsgs, 0, nsgs->generals.count, &from, &to);
    for (size_t i = from; i < to; i++) {
        const NsgsGeneral *g = &nsgs->generals.data[i];
        const Twist *impulse = before ? &g->last : &g->impulse;
        impulses[g->contact] = (ContactImpulse){impulse->linear, impulse->angular};
    }
}

static void copy_impulses(const Nsgs *nsgs, bool before, bool parallel, ContactImpulse *impulses) {
    if (parallel) {
#pragma omp parallel
        share_impulses(nsgs, before, impulses);
    } else share_impulses(nsgs, before, impulses);
}

void nsgs_impulses(const Nsgs *nsgs, ContactImpulse *impulses, bool parallel) {
    copy_impulses(nsgs, false, parallel, impulses);
}

// ---- waking --------------------------------------------------------------------------------------
MrcStatus nsgs_wake(Nsgs *nsgs, const ContactProblem *p, ContactImpulse *impulses, size_t *woken,
                    MrcError *error) {
    size_t count = p->contacts.count;
    *woken = nsgs->sleepers.count ? nsgs_find_woken(nsgs, p) : 0;
    if (*woken == 0) return MRC_OK;
    if (!array_resize(&nsgs->last, count)) return error_memory(error, "the contacts");
    memset(nsgs->last.data, 0, count * sizeof *nsgs->last.data);
    nsgs_impulses(nsgs, impulses, nsgs->parallel);
    copy_impulses(nsgs, true, nsgs->parallel, nsgs->last.data);
    size_t first = nsgs->awake.count;
    nsgs_list_woken(nsgs);
    MrcStatus status = nsgs_sort(nsgs, p, first, error);
    if (status == MRC_OK) fill(nsgs, p, (NsgsImpulses){impulses, nsgs->last.data});
    return status;
}

// ---- the sweep -----------------------------------------------------------------------------------
static inline double larger(double a, double b) { return a > b || a != a ? a : b; }

static void sweep_layer(Nsgs *nsgs, const ContactProblem *p, int layer, bool coulomb) {
    const NsgsSet *sets = nsgs->sets.data + (size_t)layer * NSGS_COLOURS;
    NsgsSums sums = {wide_set(0), wide_set(0), wide_set(0)};
    for (const NsgsSet *set = sets; set < sets + nsgs->colour_count; set++) {
        nsgs_sweep_pairs(nsgs, set[0].pairs, set[1].pairs, coulomb, &sums);
        nsgs_sweep_walls(nsgs, set[0].walls, set[1].walls, coulomb, &sums);
        nsgs_sweep_generals(nsgs, p, set[0].generals, set[1].generals, coulomb);
    }
    nsgs->sums.data[layer] = sums;
}

// Bodies are pushed by whoever needs them first: a layer moves its own and those of the next one.
static void sweep_even(Nsgs *nsgs, const ContactProblem *p, int even, bool coulomb) {
    nsgs_push_lines(nsgs, 2 * even);
    if (2 * even + 1 < nsgs->layer_count) nsgs_push_lines(nsgs, 2 * even + 1);
    sweep_layer(nsgs, p, 2 * even, coulomb);
}

static void sweep_joint(Nsgs *nsgs, const ContactProblem *p, int joint, bool coulomb) {
    int odd = 2 * joint - 1;
    if (odd >= 0 && odd < nsgs->layer_count) sweep_layer(nsgs, p, odd, coulomb);
}

static void sweep_in_team(Nsgs *nsgs, const ContactProblem *p, bool coulomb, int thread) {
    for (int32_t even; (even = joints_claim(&nsgs->joints, thread)) >= 0;) {
        sweep_even(nsgs, p, even, coulomb);
        joints_even_done(&nsgs->joints, even);
        for (int32_t joint = even; joint <= even + 1; joint++)
            if (joints_take(&nsgs->joints, joint)) sweep_joint(nsgs, p, joint, coulomb);
    }
    for (int32_t joint; (joint = joints_find(&nsgs->joints)) >= 0;) sweep_joint(nsgs, p, joint, coulomb);
}

static void sweep_alone(Nsgs *nsgs, const ContactProblem *p, bool coulomb) {
    int evens = (nsgs->layer_count + 1) / 2;
    for (int even = 0; even < evens; even++) {
        sweep_even(nsgs, p, even, coulomb);
        sweep_joint(nsgs, p, even, coulomb);
    }
    sweep_joint(nsgs, p, evens, coulomb);
}

// Contacts that are solved in order, on one thread.
static void sweep_rest(Nsgs *nsgs, const ContactProblem *p, bool coulomb) {
    const NsgsSet *set = nsgs->sets.data + (size_t)nsgs->layer_count * NSGS_COLOURS;
    NsgsSums *sums = &nsgs->sums.data[nsgs->layer_count];
    *sums = (NsgsSums){wide_set(0), wide_set(0), wide_set(0)};
    nsgs_sweep_generals(nsgs, p, set[0].generals, set[1].generals, coulomb);
    nsgs_sweep_shared(nsgs, p, coulomb, sums);
}

// The sums of the sweep, in order. Returns the largest change.
static double add_up(Nsgs *nsgs) {
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
        largest = larger(g->change, largest);
    }
    nsgs_choose_push(nsgs, uphill, change);
    return change < DBL_MAX ? sqrt(largest) : change; // numbers that are none would not be the largest
}

double nsgs_sweep(Nsgs *nsgs, const ContactProblem *p, bool coulomb) {
    nsgs_swap_lines(nsgs);
    if (nsgs->parallel) {
        joints_begin(&nsgs->joints);
#pragma omp parallel
        sweep_in_team(nsgs, p, coulomb, threads_current());
    } else sweep_alone(nsgs, p, coulomb);
    sweep_rest(nsgs, p, coulomb);
    return add_up(nsgs);
}
