// Preparing and sweeping: see nsgs.h.
#include "contact/nsgs.h"

#include <float.h>

#include "base/threads.h"

void nsgs_free(Nsgs *nsgs) {
    array_free(&nsgs->lines);
    array_free(&nsgs->used);
    array_free(&nsgs->degree);
    array_free(&nsgs->places);
    array_free(&nsgs->pairs);
    array_free(&nsgs->walls);
    array_free(&nsgs->generals);
    array_free(&nsgs->shared);
    array_free(&nsgs->last_lines);
    array_free(&nsgs->sums);
}

void nsgs_set_velocity(Nsgs *nsgs, const ContactProblem *p, const Twist *velocity) {
    for (size_t i = 0; i < p->bodies.count; i++) {
        double *line = nsgs->lines.data + i * LINE;
        memcpy(line, &velocity[i].linear, sizeof(Vec3));
        memcpy(line + LINE_ANGULAR, &velocity[i].angular, sizeof(Vec3));
        line[LINE_INVERSE_MASS] = p->bodies.data[i].inverse_mass;
        line[LINE_INVERSE_INERTIA] = p->bodies.data[i].inverse_inertia;
    }
    memset(nsgs->lines.data + p->bodies.count * LINE, 0, LINE * sizeof(double)); // the world
}

void nsgs_share(const Nsgs *nsgs, size_t first, size_t end, size_t *from, size_t *to) {
    size_t team = nsgs->parallel ? (size_t)threads_in_team() : 1, count = end - first;
    size_t me = nsgs->parallel ? (size_t)threads_current() : 0;
    *from = first + count * me / team;
    *to = first + count * (me + 1) / team;
}

static size_t chunks_of(size_t batches) { return (batches + NSGS_CHUNK - 1) / NSGS_CHUNK; }

// The same in whole chunks.
static void share_chunks(const Nsgs *nsgs, size_t first, size_t end, size_t *from, size_t *to) {
    nsgs_share(nsgs, first / NSGS_CHUNK, chunks_of(end), from, to);
    *from = *from * NSGS_CHUNK < first ? first : *from * NSGS_CHUNK;
    *to = *to * NSGS_CHUNK < end ? *to * NSGS_CHUNK : end;
}

static void fill(Nsgs *nsgs, const ContactProblem *p, const ContactImpulse *impulses) {
    const double *lines = nsgs->lines.data;
    size_t from, to;
    nsgs_share(nsgs, 0, nsgs->pairs.count, &from, &to);
    for (size_t i = from; i < to; i++) nsgs_fill_pair(&nsgs->pairs.data[i], lines, p, impulses);
    nsgs_share(nsgs, 0, nsgs->walls.count, &from, &to);
    for (size_t i = from; i < to; i++) nsgs_fill_wall(&nsgs->walls.data[i], lines, p, impulses);
    nsgs_share(nsgs, 0, nsgs->shared.count, &from, &to);
    for (size_t i = from; i < to; i++) nsgs_fill_shared(&nsgs->shared.data[i], lines, p, impulses);
    nsgs_share(nsgs, 0, nsgs->generals.count, &from, &to);
    for (size_t i = from; i < to; i++) {
        int32_t contact = nsgs->generals.data[i].contact;
        nsgs_general_prepare(p, contact, &impulses[contact], &nsgs->generals.data[i]);
    }
}

MrcStatus nsgs_prepare(Nsgs *nsgs, const ContactProblem *p, const ContactImpulse *impulses, double margin,
                       bool parallel, MrcError *error) {
    nsgs->parallel = parallel;
    if (!array_resize(&nsgs->lines, (p->bodies.count + 1) * LINE)) return error_memory(error, "the contacts");
    nsgs_set_velocity(nsgs, p, p->free_velocity.data);
    MrcStatus status = nsgs_sort(nsgs, p, impulses, margin, error);
    if (status != MRC_OK) return status;
    if (!array_resize(&nsgs->sums, chunks_of(nsgs->pairs.count) + chunks_of(nsgs->walls.count) + 1))
        return error_memory(error, "the contacts");
    if (parallel) {
#pragma omp parallel
        fill(nsgs, p, impulses);
    } else fill(nsgs, p, impulses);
    return MRC_OK;
}

static void batch_impulses(const NsgsBatch *batch, ContactImpulse *impulses) {
    for (int k = 0; k < batch->count; k++) {
        int32_t name = batch->contact[k];
        double sign = name < 0 ? -1 : 1;
        impulses[name < 0 ? ~name : name] = (ContactImpulse){{sign * nsgs_lane(&batch->impulse[0], k),
                                                              sign * nsgs_lane(&batch->impulse[1], k),
                                                              sign * nsgs_lane(&batch->impulse[2], k)},
                                                             {0, 0, 0}};
    }
}

static void copy_impulses(const Nsgs *nsgs, ContactImpulse *impulses) {
    size_t from, to;
    nsgs_share(nsgs, 0, nsgs->pairs.count, &from, &to);
    for (size_t i = from; i < to; i++) batch_impulses(&nsgs->pairs.data[i], impulses);
    nsgs_share(nsgs, 0, nsgs->walls.count, &from, &to);
    for (size_t i = from; i < to; i++) batch_impulses(&nsgs->walls.data[i], impulses);
    nsgs_share(nsgs, 0, nsgs->shared.count, &from, &to);
    for (size_t i = from; i < to; i++) batch_impulses(&nsgs->shared.data[i].batch, impulses);
    nsgs_share(nsgs, 0, nsgs->generals.count, &from, &to);
    for (size_t i = from; i < to; i++) {
        const NsgsGeneral *g = &nsgs->generals.data[i];
        impulses[g->contact] = (ContactImpulse){g->impulse.linear, g->impulse.angular};
    }
}

void nsgs_impulses(const Nsgs *nsgs, ContactImpulse *impulses, bool parallel) {
    if (parallel) {
#pragma omp parallel
        copy_impulses(nsgs, impulses);
    } else copy_impulses(nsgs, impulses);
}

// ---- the sweep -----------------------------------------------------------------------------------
static inline double larger(double a, double b) { return a > b || a != a ? a : b; }

static void sweep_colour(Nsgs *nsgs, const ContactProblem *p, int colour, bool coulomb) {
    const NsgsColour *first = &nsgs->colours[colour], *end = &nsgs->colours[colour + 1];
    double *lines = nsgs->lines.data, beta = nsgs->beta;
    NsgsSums *sums = nsgs->sums.data;
    size_t from, to;
    share_chunks(nsgs, first->pairs, end->pairs, &from, &to);
    nsgs_sweep_pairs(lines, nsgs->pairs.data, from, to, coulomb, beta, sums);
    share_chunks(nsgs, first->walls, end->walls, &from, &to);
    nsgs_sweep_walls(lines, nsgs->walls.data, from, to, coulomb, beta, sums + chunks_of(nsgs->pairs.count));
    nsgs_share(nsgs, first->generals, end->generals, &from, &to);
    nsgs_sweep_generals(lines, p, nsgs->generals.data, from, to, coulomb, beta);
}

// Contacts that are solved in order, on one thread.
static void sweep_rest(Nsgs *nsgs, const ContactProblem *p, bool coulomb) {
    size_t first = nsgs->colours[NSGS_COLOURS].generals, end = nsgs->colours[NSGS_COLOURS + 1].generals;
    nsgs_sweep_generals(nsgs->lines.data, p, nsgs->generals.data, first, end, coulomb, nsgs->beta);
    nsgs_sweep_shared(nsgs->lines.data, p, nsgs->shared.data, nsgs->shared.count, coulomb, nsgs->beta,
                      &nsgs->sums.data[nsgs->sums.count - 1]);
}

// The sums of the sweep, in order. Returns the largest change.
static double add_up(Nsgs *nsgs) {
    NsgsSums all = nsgs->sums.data[0];
    for (size_t k = 1; k < nsgs->sums.count; k++) {
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

bool nsgs_sweep_all(Nsgs *nsgs) {
    if (nsgs->swept_colours == nsgs->colour_count) return false;
    nsgs->swept_colours = nsgs->colour_count;
    nsgs_push_anew(nsgs);
    nsgs->last_change = DBL_MAX;
    return true;
}

double nsgs_sweep(Nsgs *nsgs, const ContactProblem *p, bool coulomb) {
    memset(nsgs->sums.data, 0, nsgs->sums.count * sizeof *nsgs->sums.data);
    if (nsgs->parallel) {
#pragma omp parallel
        {
            nsgs_push_lines(nsgs);
            for (int colour = 0; colour < nsgs->swept_colours; colour++) {
#pragma omp barrier
                sweep_colour(nsgs, p, colour, coulomb);
            }
        }
    } else {
        nsgs_push_lines(nsgs);
        for (int colour = 0; colour < nsgs->swept_colours; colour++) sweep_colour(nsgs, p, colour, coulomb);
    }
    sweep_rest(nsgs, p, coulomb);
    return add_up(nsgs);
}
