#include "output/summary.h"

#include <math.h>
#include <stdio.h>

#include "output/verdict.h"
#include "sim/cost.h"

// Where the step comes from, and what limits it: of the bed that allows the smallest one, the criterion and its
// limit.
static void summary_step_facts(const Sim *sim, FactList *list) {
    bool automatic = sim->definition->simulate.source == STEP_AUTO;
    const Bed *bed = NULL;
    fact_text(list, "step_from", automatic ? "auto" : "given", "step chosen by");
    for (int g = 0; g < sim->beds->count; g++)
        if (!bed || sim->beds->items[g].steps.suggested < bed->steps.suggested) bed = &sim->beds->items[g];
    if (!automatic || !bed) return;
    double limit = bed->steps.limit[bed->steps.governing];
    fact_text(list, "step_bed", sim->beds->count > 1 ? bed->definition->name : NULL,
              "bed with the smallest step");
    fact_text(list, "step_criterion", time_steps_limit_words(bed->steps.governing), "criterion of the step");
    fact_number(list, "step_limit_s", limit, "s", "its limit");
    fact_number(list, "step_share", sim->clock.step / limit, "1", "step over that limit");
}

static void summary_run_facts(const RunFacts *run, FactList *list) {
    const Sim *sim = run->sim;
    double simulated = clock_time(&sim->clock), stepping = fmax(0, run->wall_seconds - run->setup_seconds);
    char hash[20];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)run->model_hash);
    fact_text(list, "program", "maraca", "program");
    fact_text(list, "version", MARACA_VERSION, "version");
    fact_text(list, "title", sim->definition->title, "title");
    fact_text(list, "model_hash", hash, "hash of the model");
    fact_text(list, "status", mrc_status_name(run->status), "outcome");
    fact_text(list, "message", run->message, "message");
    fact_group_begin(list, "options");
    fact_count(list, "threads", run->threads, "threads");
    fact_number(list, "step_s", sim->clock.step, "s", "step");
    summary_step_facts(sim, list);
    fact_number(list, "duration_s", sim->definition->simulate.duration, "s", "duration");
    fact_flag(list, "resumed", run->resumed, "resumed");
    fact_group_end(list);
    fact_number(list, "time_s", simulated, "s", "simulated time");
    fact_count(list, "steps", sim->clock.now, "steps");
    fact_count(list, "steps_planned", sim->clock.total, "steps planned");
    fact_number(list, "wall_seconds", run->wall_seconds, "s", "wall-clock time");
    fact_number(list, "setup_seconds", run->setup_seconds, "s", "wall-clock time before the first step");
    fact_number(list, "stepping_seconds", stepping, "s", "wall-clock time of the steps");
    fact_flag(list, "settled", run->settled, "beds were settled before the first step");
    fact_number(list, "cpu_seconds", run->cpu_seconds, "s", "CPU time");
    fact_number(list, "real_time_factor", simulated > 0 ? stepping / simulated : 0, "1",
                "wall-clock time of the steps over simulated time");
    fact_flag(list, "without_grains", run->lumped,
              "run again with the mass of the grains fixed to the machine");
    fact_count(list, "frames", run->frames, "frames");
    fact_count(list, "replay_frames", run->replay_frames, "frames of the report for the browser");
}

static void summary_energy_facts(const Ledger *ledger, FactList *list) {
    fact_group_begin(list, "energy");
    fact_text(list, "unit", "J", "unit");
    fact_number(list, "initial", ledger->initial, "J", "initial energy");
    for (int e = 0; e < ledger_entry_count; e++)
        fact_number(list, ledger_entries[e].name, ledger_value(ledger, e), "J", ledger_entries[e].meaning);
    fact_number(list, "in_play", ledger_scale(ledger), "J", "energy in play");
    fact_number(list, "largest_error", ledger->largest_error, "J", "largest error of the balance");
    fact_number(list, "relative_error", verdict_relative_error(ledger), "1",
                "the same over the energy in play");
    verdict_energy_facts(ledger, list);
    fact_group_end(list);
}

static void summary_period_facts(const Periods *periods, FactList *list) {
    if (!periods->definition) return;
    fact_group_begin(list, "periods");
    fact_text(list, "port", periods->definition->port, "port");
    fact_number(list, "frequency_hz", periods->definition->frequency, "Hz", "frequency");
    fact_number(list, "mass_ratio", periods->definition->mass_ratio, "1", "mass ratio");
    fact_count(list, "count", periods->done, "periods");
    fact_count(list, "skipped", periods->done - periods->counted, "periods left out");
    fact_count(list, "counted", periods->counted, "periods in the means");
    fact_number(list, "dissipated_mean_J", periods->dissipated.mean, "J", "energy dissipated per period");
    fact_number(list, "dissipated_deviation_J", period_deviation(periods, &periods->dissipated), "J",
                "its standard deviation");
    fact_number(list, "damping_ratio_mean", periods->damping.mean, "1", "damping ratio");
    fact_number(list, "damping_ratio_deviation", period_deviation(periods, &periods->damping), "1",
                "its standard deviation");
    fact_group_end(list);
}

// CPU time of the steps until the end of the simulated time, if a bed is all that there is; NAN: there is more.
static double summary_measured(const RunFacts *run) {
    const SimDefinition *d = run->sim->definition;
    double simulated = clock_time(&run->sim->clock), stepping = run->wall_seconds - run->setup_seconds;
    if (d->grains_count != 1 || d->has_mechanism || !(simulated > 0) || !(stepping > 0)) return NAN;
    return run->cpu_seconds * stepping / run->wall_seconds * d->simulate.duration / simulated;
}

static void summary_cost_facts(const RunFacts *run, FactList *list) {
    const SimDefinition *d = run->sim->definition;
    if (d->grains_count == 0) return;
    fact_group_begin(list, "methods");
    for (int g = 0; g < d->grains_count; g++) {
        BedCost cost = cost_of_bed(d, &d->grains[g]);
        cost_measured(&cost, summary_measured(run));
        fact_group_begin(list, d->grains[g].name);
        cost_facts(&cost, list);
        fact_group_end(list);
    }
    fact_group_end(list);
}

void summary_sim_facts(const Sim *sim, FactList *list) {
    for (int k = 0; k < sim->partner_count; k++)
        if (sim->partners[k].type->facts) sim->partners[k].type->facts(sim->partners[k].self, list);
    coupling_facts(&sim->coupling, list);
    summary_energy_facts(&sim->ledger, list);
    summary_period_facts(&sim->periods, list);
}

MrcFacts *summary_facts(const RunFacts *run) {
    MrcFacts *facts = facts_create();
    if (!facts) return NULL;
    FactList *list = &facts->list;
    summary_run_facts(run, list);
    summary_sim_facts(run->sim, list);
    summary_cost_facts(run, list);
    verdict_amplitude_facts(run, list);
    verdict_drives_facts(run, list);
    tallies_facts(&run->sim->tallies, &run->sim->recorder, list);
    fact_array_begin(list, "warnings");
    for (size_t i = 0; i < run->warning_count; i++) fact_text(list, NULL, run->warnings[i], "warning");
    fact_group_end(list);
    if (!list->incomplete) return facts;
    mrc_facts_free(facts);
    return NULL;
}
