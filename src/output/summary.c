#include "output/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "output/verdict.h"

double summary_real_time_factor(const RunFacts *facts) {
    double simulated = clock_time(&facts->sim->clock);
    return simulated > 0 ? facts->wall_seconds / simulated : 0;
}

double summary_relative_error(const Ledger *ledger) {
    double scale = ledger_scale(ledger);
    return scale > 0 ? ledger->largest_error / scale : 0;
}

// ---- facts ---------------------------------------------------------------------------------------
static void summary_run_facts(const RunFacts *run, FactList *list) {
    const Sim *sim = run->sim;
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
    fact_text(list, "step_from", sim->definition->simulate.source == STEP_AUTO ? "auto" : "given",
              "step chosen by");
    fact_number(list, "duration_s", sim->definition->simulate.duration, "s", "duration");
    fact_flag(list, "resumed", run->resumed, "resumed");
    fact_group_end(list);
    fact_number(list, "time_s", clock_time(&sim->clock), "s", "simulated time");
    fact_count(list, "steps", sim->clock.now, "steps");
    fact_count(list, "steps_planned", sim->clock.total, "steps planned");
    fact_number(list, "wall_seconds", run->wall_seconds, "s", "wall-clock time");
    fact_number(list, "cpu_seconds", run->cpu_seconds, "s", "CPU time");
    fact_number(list, "real_time_factor", summary_real_time_factor(run), "1",
                "wall-clock over simulated time");
    fact_count(list, "frames", run->frames, "frames");
}

static void summary_energy_facts(const Ledger *ledger, FactList *list) {
    fact_group_begin(list, "energy");
    fact_text(list, "unit", "J", "unit");
    fact_number(list, "initial", ledger->initial, "J", "initial energy");
    for (int e = 0; e < ledger_entry_count; e++)
        fact_number(list, ledger_entries[e].name, ledger_value(ledger, e), "J", ledger_entries[e].meaning);
    fact_number(list, "in_play", ledger_scale(ledger), "J", "energy in play");
    fact_number(list, "largest_error", ledger->largest_error, "J", "largest error of the balance");
    fact_number(list, "relative_error", summary_relative_error(ledger), "1",
                "the same over the energy in play");
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
    fact_number(list, "dissipated_mean_J", periods->dissipated.mean, "J", "energy dissipated per period");
    fact_number(list, "dissipated_deviation_J", period_deviation(periods, &periods->dissipated), "J",
                "its standard deviation");
    fact_number(list, "damping_ratio_mean", periods->damping.mean, "1", "damping ratio");
    fact_number(list, "damping_ratio_deviation", period_deviation(periods, &periods->damping), "1",
                "its standard deviation");
    fact_group_end(list);
}

void summary_facts(const RunFacts *run, FactList *list) {
    const Sim *sim = run->sim;
    summary_run_facts(run, list);
    for (int k = 0; k < sim->partner_count; k++)
        if (sim->partners[k].type->facts) sim->partners[k].type->facts(sim->partners[k].self, list);
    coupling_facts(&sim->coupling, list);
    summary_energy_facts(&sim->ledger, list);
    summary_period_facts(&sim->periods, list);
    verdict_facts(run, list);
}

char *summary_json(const RunFacts *run) {
    Json json = {.indent = 2};
    FactList list;
    Arena *arena = arena_create();
    if (!arena) return NULL;
    fact_list_start(&list, arena);
    summary_facts(run, &list);
    json_object_begin(&json);
    json_facts(&json, &list);
    json_key(&json, "warnings");
    json_array_begin(&json);
    for (size_t i = 0; i < run->warning_count; i++) json_string(&json, run->warnings[i]);
    json_array_end(&json);
    json_object_end(&json);
    char *text = json_take(&json);
    if (list.incomplete) {
        free(text);
        text = NULL;
    }
    fact_list_free(&list);
    arena_destroy(arena);
    return text;
}

// ---- for people ----------------------------------------------------------------------------------
// Losses that cannot be in this model are left out.
static bool is_told(const Sim *sim, const char *entry, double value) {
    static const struct {
        const char *entry;
        bool grains, mechanism; // of which it is; of both together when both are set; of some methods only
                                // when none is
    } needs[] = {{"impact", true, false},  {"friction", true, false},
                 {"rolling", true, false}, {"stabilisation", false, false},
                 {"dampers", false, true}, {"algorithm", false, true},
                 {"ports", true, true}};
    bool grains = sim->definition->grains_count > 0, mechanism = sim->mechanism != NULL;
    for (size_t k = 0; k < sizeof needs / sizeof *needs; k++)
        if (strcmp(entry, needs[k].entry) == 0 && value == 0)
            return (needs[k].grains || needs[k].mechanism) && (grains || !needs[k].grains) &&
                   (mechanism || !needs[k].mechanism);
    return true;
}

static void report_energy(FILE *out, const Sim *sim) {
    const Ledger *ledger = &sim->ledger;
    double scale = ledger_scale(ledger);
    bool first = true;
    fputs("\n  energy", out);
    for (int e = 0; e < ledger_entry_count; e++) {
        if (!is_told(sim, ledger_entries[e].name, ledger_value(ledger, e))) continue;
        fprintf(out, "%*s%-33s %12.5g J\n", first ? 2 : 10, "", ledger_entries[e].meaning,
                ledger_value(ledger, e));
        first = false;
    }
    fprintf(out, "  balance closes to %.1e of the %.4g J in play: %s\n", summary_relative_error(ledger),
            scale,
            summary_relative_error(ledger) < 1e-3   ? "good"
            : summary_relative_error(ledger) < 1e-2 ? "fair; a smaller step would close it better"
                                                    : "poor; take a smaller step before trusting the result");
    if (!sim->mechanism || !(scale > 0)) return;
    double share = ledger->algorithm / scale;
    if (share > -1e-3) fprintf(out, "  the integration took %.1e of it\n", share);
    else
        fprintf(out, "  the integration added %.1e of it: %s\n", -share,
                share > -1e-2 ? "fair; a smaller step or more elements would be better"
                              : "poor; take a smaller step, or more elements where beams bend strongly");
}

static void report_step_control(FILE *out, const Coupling *coupling) {
    const StepControl *a = &coupling->control;
    if (!(coupling->definition->energy_tolerance > 0)) return;
    fputs("             exchange steps ", out);
    if (step_control_words(coupling)) fprintf(out, "were not cut: %s\n", step_control_words(coupling));
    else
        fprintf(out, "%lld and %lld done again; the shortest is 1/%lld of the longest%s\n",
                (long long)a->parts, (long long)a->redone, 1LL << a->shortest,
                a->pauses > 0 ? "; at times cutting did not lower the error: contacts are too short for it"
                              : "");
}

static void report_coupling(FILE *out, const Sim *sim) {
    if (sim->coupling.yielding == 0) return;
    const CouplingCounts *c = &sim->coupling.counts;
    double steps = c->steps > 0 ? (double)c->steps : 1;
    fprintf(out, "  coupling   %s, %.3g grain solve%s per step", sim->coupling.scheme->choice.word,
            (double)c->grain_solves / steps, c->grain_solves == c->steps ? "" : "s");
    if (c->most_solves > 1) fprintf(out, " (at most %lld)", (long long)c->most_solves);
    if (c->unconverged > 0) fprintf(out, ", %lld steps not converged", (long long)c->unconverged);
    fprintf(out, "; largest load %.4g N, largest gap %.2g m\n", c->largest_load, c->largest_gap);
    if (c->energy_passed > 0)
        fprintf(out, "             energy error of the exchange %.3g J, %.1e of the %.4g J that passed\n",
                c->energy_error, c->energy_error / c->energy_passed, c->energy_passed);
    report_step_control(out, &sim->coupling);
}

static void report_solver(FILE *out, const Sim *sim) {
    WorldCounts c = world_counts(sim->beds->world);
    if (c.solves == 0) return; // smooth grains solve nothing
    double solves = (double)c.solves;
    fprintf(out, "  contacts   %.4g on average, %.3g iterations; ", (double)c.contacts / solves,
            (double)c.iterations / solves);
    if (c.loose == 0) fprintf(out, "all problems solved\n");
    else
        fprintf(out, "%lld of %lld problems above the tolerance, %lld unsolved, worst residual %.2g\n",
                (long long)c.loose, (long long)c.solves, (long long)c.unsolved, c.worst);
}

static void report_periods(FILE *out, const Periods *periods) {
    if (!periods->definition) return;
    fprintf(out, "\n  periods   %lld of %s at %.4g Hz", (long long)periods->done, periods->definition->port,
            periods->definition->frequency);
    if (periods->counted == 0) {
        fputs(periods->done ? ", all skipped\n" : ": none is complete\n", out);
        return;
    }
    if (periods->counted < periods->done)
        fprintf(out, ", of which the last %lld:", (long long)periods->counted);
    fprintf(
        out,
        "\n            dissipated %.5g J +- %.2g J, damping ratio %.4g %% +- %.2g %% (mass ratio %.3g %%)\n",
        periods->dissipated.mean, period_deviation(periods, &periods->dissipated),
        100 * periods->damping.mean, 100 * period_deviation(periods, &periods->damping),
        100 * periods->definition->mass_ratio);
}

// Which bed and which criterion made the automatic step as small as it is.
static void report_step(FILE *out, const Sim *sim) {
    const Bed *bed = NULL;
    for (int g = 0; g < sim->definition->grains_count; g++)
        if (!bed || sim->beds->items[g].steps.suggested < bed->steps.suggested) bed = &sim->beds->items[g];
    if (sim->definition->simulate.source == STEP_AUTO && bed) {
        const GrainsSteps *steps = &bed->steps;
        fprintf(out, " (auto: %.3g of %.3g us, ", sim->clock.step / steps->limit[steps->governing],
                1e6 * steps->limit[steps->governing]);
        if (steps->governing == STEP_BY_CONTACT) fputs("the shortest contact", out);
        else if (steps->governing == STEP_BY_MOTION) fputs("in which a grain moves by its radius", out);
        else fputs(steps_criterion_words(steps->governing), out);
        if (sim->definition->grains_count > 1) fprintf(out, " in %s", bed->definition->name);
        fputc(')', out);
    }
    fputc('\n', out);
}

static void report_mechanism(FILE *out, const Sim *sim) {
    const Mechanism *mechanism = sim_mechanism(sim);
    if (!mechanism) return;
    MechanismCounts counts = mechanism_counts(mechanism);
    double steps = counts.steps > 0 ? (double)counts.steps : 1;
    fprintf(out, "  mechanism  %d nodes, %.3g Newton iterations per step, %lld factorizations",
            mechanism_node_count(mechanism), (double)counts.iterations / steps,
            (long long)counts.factorizations);
    if (counts.retries > 0) fprintf(out, ", %lld steps tried shorter", (long long)counts.retries);
    fprintf(out, ", joints closed to %.1e m\n", counts.violation);
}

char *summary_report(const RunFacts *facts) {
    const Sim *sim = facts->sim;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) return NULL;
    double factor = summary_real_time_factor(facts);
    fprintf(out, "%s\n\n", sim->definition->title ? sim->definition->title : "Simulation");
    fprintf(out, "  simulated  %.6g s in %lld steps of %.4g us", clock_time(&sim->clock),
            (long long)sim->clock.now, 1e6 * sim->clock.step);
    report_step(out, sim);
    fprintf(out, "  took       %.3g s of wall time, %.3g s of CPU time, %d thread%s%s", facts->wall_seconds,
            facts->cpu_seconds, facts->threads, facts->threads == 1 ? "" : "s",
            facts->resumed ? ", resumed" : "");
    fprintf(out, " (%.3g s of wall time per simulated second)\n", factor);
    report_mechanism(out, sim);
    for (int g = 0; g < sim->definition->grains_count; g++) {
        const Bed *bed = &sim->beds->items[g];
        fprintf(out, "  %-10s %zu grains, %.4g g, largest overlap %.3g %% of the radius\n",
                bed->definition->name, grains_count(bed->grains), 1e3 * grains_mass(bed->grains),
                100 * bed->measure.largest_overlap);
    }
    report_coupling(out, sim);
    report_solver(out, sim);
    report_energy(out, sim);
    report_periods(out, &sim->periods);
    verdict_report(out, facts);
    if (facts->folder) {
        fprintf(out, "\n  results in %s: series.csv, %ssummary.json", facts->folder,
                sim->periods.definition ? "periods.csv, " : "");
        if (facts->frames > 0)
            fprintf(out, ", frames.pvd (%lld picture%s for ParaView)", (long long)facts->frames,
                    facts->frames == 1 ? "" : "s");
        fputc('\n', out);
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
