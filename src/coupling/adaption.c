#include "coupling/adaption.h"

#include <math.h>

#include "coupling/coupling.h"

static const double good = 0.05;  // of the error allowed: twice the step will do
static const double useful = 0.5; // a stretch done again in halves should have less than this of its error
static const double rounding = 1e-13; // of the energy in play: errors that small are none
enum { stretches_judged = 16, parts_in_a_row = 32, first_pause = 500, longest_pause = 1000000 };

void adaption_start(Adaption *a) { *a = (Adaption){.next_pause = first_pause}; }

AdaptionUse adaption_use(const Coupling *c) {
    SchemeKind scheme = c->scheme;
    bool jacobi = scheme == SCHEME_EXPLICIT && c->definition->order == ORDER_JACOBI;
    if (scheme == SCHEME_CONDENSED || scheme == SCHEME_MONOLITHIC) return ADAPTION_ONE_PROBLEM;
    if (scheme == SCHEME_MULTIRATE || scheme == SCHEME_OVERLAPPED || jacobi) return ADAPTION_LATE;
    return c->follower.small_steps > 0 && !c->containers.any_mass ? ADAPTION_USEFUL : ADAPTION_IMPULSES;
}

// Halvings that are possible: those of the user, as long as they leave the grains whole sub-steps.
static int64_t most_cuts(const Coupling *c) {
    int64_t most = 0;
    if (adaption_use(c) != ADAPTION_USEFUL) return 0;
    while (most < c->definition->most_cuts && c->follower.small_steps % (2 << most) == 0) most++;
    return most;
}

bool adaption_refuses(Coupling *c, double h, PortEnergy energy) {
    Adaption *a = &c->adaption;
    double power = a->elapsed > 0 ? c->counts.energy_passed / a->elapsed : 0;
    a->last = energy;
    a->allowed =
        fmax(c->definition->energy_tolerance * fmax(energy.passed, h * power), rounding * c->bound.energy);
    a->refused = energy.error > a->allowed && a->cuts < most_cuts(c) && a->pause == 0;
    return a->refused;
}

// A stretch that was refused has been done again: was the error smaller than it would have been?
static void end_stretch(Adaption *a) {
    a->stretch_end = 0;
    a->before += a->stretch_before;
    a->after += a->stretch_after;
    if (++a->stretches < stretches_judged) return;
    if (a->after > useful * a->before) {
        a->pause = a->next_pause;
        a->next_pause = a->next_pause < longest_pause ? 2 * a->next_pause : longest_pause;
        a->pauses++;
        a->cuts = 0;
    } else a->next_pause = first_pause;
    a->stretches = 0;
    a->before = a->after = 0;
}

// Where nothing touches a container it is put where its marker is: a gap that long steps have left would be
// closed under load later on.
static void close_gaps(Coupling *c) {
    for (int p = 0; p < c->count; p++) {
        const CoupledPort *port = &c->ports[p];
        Container *item = &c->containers.items[p];
        if (vec3_norm2(port->load.force) > 0 || vec3_norm2(port->load.moment) > 0) continue;
        Motion target = container_target(item, &port->marker, &port->marker);
        item->motion.position = target.position;
        item->motion.orientation = target.orientation;
    }
}

static void end_part(Adaption *a, double h, int64_t done, int64_t most) {
    a->elapsed += h;
    a->parts++;
    if (a->cuts > a->shortest) a->shortest = a->cuts;
    if (a->pause > 0) return;
    a->in_a_row = a->cuts == most ? a->in_a_row + 1 : 0;
    bool probe = a->in_a_row == parts_in_a_row; // is it still of use?
    if (a->cuts > 0 && (probe || a->last.error <= good * a->allowed)) a->cuts--;
    if (probe) a->in_a_row = 0;
    a->stretch_after += a->last.error;
    if (a->stretch_end > 0 && done >= a->stretch_end) end_stretch(a);
}

static void do_again(Adaption *a, int64_t end) {
    if (a->stretch_end == 0) {
        a->stretch_end = end;
        a->stretch_before = a->last.error;
        a->stretch_after = 0;
    }
    a->cuts++;
    a->redone++;
}

MrcStatus adaption_step(Coupling *c, double h, MrcError *error) {
    Adaption *a = &c->adaption;
    int64_t most = most_cuts(c), whole = (int64_t)1 << most, done = 0;
    MrcStatus status = MRC_OK;
    c->longest = h;
    if (a->pause > 0) a->pause--;
    while (done < whole && status == MRC_OK) {
        while (done % (whole >> a->cuts) != 0) a->cuts++; // longer ones begin where they would have anyway
        int64_t part = whole >> a->cuts;
        double length = h * (double)part / (double)whole;
        a->active = true;
        a->refused = false;
        if (a->cuts < most && a->pause == 0) status = c->follower.save(c->follower.self, error);
        if (status == MRC_OK) status = coupling_exchange(c, length, error);
        a->again = a->refused;
        if (status != MRC_OK) break;
        if (a->refused) {
            status = c->follower.restore(c->follower.self, error);
            do_again(a, done + part);
            continue;
        }
        done += part;
        end_part(a, length, done, most);
        if (most > 0) close_gaps(c);
    }
    a->active = false;
    return status;
}

void adaption_archive(Adaption *a, Archive *archive) {
    int64_t counts[] = {a->in_a_row, a->cuts,   a->pause,    a->next_pause, a->stretches,
                        a->parts,    a->redone, a->shortest, a->pauses};
    double sums[] = {a->elapsed, a->before, a->after};
    archive_int64s(archive, "adaption", counts, sizeof counts / sizeof *counts);
    archive_doubles(archive, "adaption_sums", sums, 3);
    int64_t *numbers[] = {&a->in_a_row, &a->cuts,   &a->pause,    &a->next_pause, &a->stretches,
                          &a->parts,    &a->redone, &a->shortest, &a->pauses};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) *numbers[k] = counts[k];
    a->elapsed = sums[0], a->before = sums[1], a->after = sums[2];
}
