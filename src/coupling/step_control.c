#include "coupling/step_control.h"

#include <math.h>

#include "coupling/coupling.h"

static const double good = 0.05;  // of the allowed error: below that, the step is doubled
static const double useful = 0.5; // a stretch done again in halves should have less than this of its error
static const double rounding = 1e-13; // of the energy in play: errors that small are none
enum { stretches_judged = 16, parts_in_a_row = 32, first_pause = 500, longest_pause = 1000000 };

void step_control_start(StepControl *a) { *a = (StepControl){.next_pause = first_pause}; }

StepControlUse step_control_use(const Coupling *c) {
    if (c->scheme->one_problem) return STEP_CONTROL_ONE_PROBLEM;
    if (c->scheme->late || c->settings.jacobi) return STEP_CONTROL_LATE;
    return c->followers.all.small_steps > 0 && !c->containers.any_mass ? STEP_CONTROL_USEFUL
                                                                       : STEP_CONTROL_IMPULSES;
}

const char *step_control_words(const Coupling *c) {
    static const char *const words[] = {
        [STEP_CONTROL_USEFUL] = NULL,
        [STEP_CONTROL_ONE_PROBLEM] = "the scheme makes no error that shorter steps would lower",
        [STEP_CONTROL_LATE] = "the scheme passes loads on a step later than they come",
        [STEP_CONTROL_IMPULSES] = "loads are impulses, whose error is the same in steps of any length"};
    return words[step_control_use(c)];
}

void step_control_facts(const Coupling *c, FactList *list) {
    const StepControl *a = &c->control;
    if (!(c->definition->energy_tolerance > 0)) return;
    fact_group_begin(list, "exchange_steps");
    fact_number(list, "energy_tolerance", c->definition->energy_tolerance, "1",
                "tolerance of the energy error");
    fact_text(list, "not_cut", step_control_words(c), "why steps were not cut");
    fact_count(list, "count", a->parts, "exchange steps");
    fact_count(list, "done_again", a->redone, "steps done again");
    fact_count(list, "most_cuts", a->shortest, "halvings at most");
    fact_count(list, "most_parts", (int64_t)1 << a->shortest, "parts of a step at most");
    fact_count(list, "pauses", a->pauses, "times at which cutting did not lower the error");
    fact_group_end(list);
}

// Halvings that are possible: those of the user, as long as they leave the grains whole sub-steps.
static int64_t step_control_most_cuts(const Coupling *c) {
    int64_t most = 0;
    if (step_control_use(c) != STEP_CONTROL_USEFUL) return 0;
    while (most < c->definition->most_cuts && c->followers.all.small_steps % (2 << most) == 0) most++;
    return most;
}

bool step_control_refuses(Coupling *c, double h) {
    StepControl *a = &c->control;
    if (!a->active) return false;
    PortEnergy energy = exchange_energy(c, h);
    double power = a->elapsed > 0 ? c->counts.energy_passed / a->elapsed : 0;
    a->last = energy;
    a->allowed = fmax(c->definition->energy_tolerance * fmax(energy.passed, h * power),
                      rounding * c->divergence.energy);
    a->refused = energy.error > a->allowed && a->cuts < step_control_most_cuts(c) && a->pause == 0;
    if (a->refused) c->counts.grain_solves += c->step.solves;
    return a->refused;
}

// A stretch that was refused has been done again in shorter steps: has that reduced the error?
static void step_control_end_stretch(StepControl *a) {
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
static void step_control_close_gaps(Coupling *c) {
    for (int p = 0; p < c->count; p++) {
        const CoupledPort *port = &c->ports[p];
        Container *item = &c->containers.items[p];
        if (vec3_norm2(port->load.force) > 0 || vec3_norm2(port->load.moment) > 0) continue;
        Motion target = container_target(item, &port->marker, &port->marker);
        item->motion.position = target.position;
        item->motion.orientation = target.orientation;
    }
}

static void step_control_end_part(StepControl *a, double h, int64_t done, int64_t most) {
    a->elapsed += h;
    a->parts++;
    if (a->cuts > a->shortest) a->shortest = a->cuts;
    if (a->pause > 0) return;
    a->in_a_row = a->cuts == most ? a->in_a_row + 1 : 0;
    bool probe = a->in_a_row == parts_in_a_row; // is it still of use?
    if (a->cuts > 0 && (probe || a->last.error <= good * a->allowed)) a->cuts--;
    if (probe) a->in_a_row = 0;
    a->stretch_after += a->last.error;
    if (a->stretch_end > 0 && done >= a->stretch_end) step_control_end_stretch(a);
}

static void step_control_do_again(StepControl *a, int64_t end) {
    if (a->stretch_end == 0) {
        a->stretch_end = end;
        a->stretch_before = a->last.error;
        a->stretch_after = 0;
    }
    a->cuts++;
    a->redone++;
}

MrcStatus step_control_step(Coupling *c, double t, double h, MrcError *error) {
    StepControl *a = &c->control;
    int64_t most = step_control_most_cuts(c), whole = (int64_t)1 << most, done = 0;
    MrcStatus status = MRC_OK;
    c->longest = h;
    if (a->pause > 0) a->pause--;
    while (done < whole && status == MRC_OK) {
        while (done % (whole >> a->cuts) != 0) a->cuts++; // a part begins at a multiple of its length
        int64_t part = whole >> a->cuts;
        double length = h * (double)part / (double)whole;
        a->active = true;
        a->refused = false;
        if (a->cuts < most && a->pause == 0) status = followers_save(&c->followers, error);
        if (status == MRC_OK)
            status = coupling_exchange(c, t + h * (double)done / (double)whole, length, error);
        a->again = a->refused;
        if (status != MRC_OK) break;
        if (a->refused) {
            status = followers_restore(&c->followers, error);
            step_control_do_again(a, done + part);
            continue;
        }
        done += part;
        step_control_end_part(a, length, done, most);
        if (most > 0) step_control_close_gaps(c);
    }
    a->active = false;
    return status;
}

void step_control_archive(Coupling *c, Archive *archive) {
    StepControl *a = &c->control;
    int64_t *counts[] = {&a->in_a_row, &a->cuts,   &a->pause,    &a->next_pause, &a->stretches,
                         &a->parts,    &a->redone, &a->shortest, &a->pauses};
    double *sums[] = {&a->elapsed, &a->before, &a->after};
    archive_scattered_counts(archive, "step_control_counts", counts, sizeof counts / sizeof *counts);
    archive_scattered_doubles(archive, "step_control_sums", sums, sizeof sums / sizeof *sums);
    // Parts of a step are counted by shifting.
    if (archive_is_foreign(archive) && archive_status(archive, NULL) == MRC_OK &&
        (a->cuts > step_control_most_cuts(c) || a->shortest > step_control_most_cuts(c)))
        archive_fail(archive, MRC_CHECKPOINT, "step_control_counts", "a step cannot be halved %lld times",
                     (long long)(a->cuts > a->shortest ? a->cuts : a->shortest));
}
