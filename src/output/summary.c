#include "output/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/json.h"
#include "output/verdict.h"

double summary_real_time_factor(const RunFacts *facts) {
    double simulated = clock_time(&facts->sim->clock);
    return simulated > 0 ? facts->wall_seconds / simulated : 0;
}

double summary_relative_error(const Ledger *ledger) {
    double scale = ledger_scale(ledger);
    return scale > 0 ? ledger->largest_error / scale : 0;
}

// ---- for machines --------------------------------------------------------------------------------
static void member_string(Json *json, const char *key, const char *value) {
    json_key(json, key), json_string(json, value);
}
static void member_number(Json *json, const char *key, double value) {
    json_key(json, key), json_number(json, value);
}
static void member_integer(Json *json, const char *key, int64_t value) {
    json_key(json, key), json_integer(json, value);
}

static void write_energy(Json *json, const Ledger *ledger) {
    json_key(json, "energy");
    json_object_begin(json);
    member_string(json, "unit", "J");
    member_number(json, "initial", ledger->initial);
    for (int e = 0; e < ledger_entry_count; e++)
        member_number(json, ledger_entries[e].name, ledger_value(ledger, e));
    member_number(json, "in_play", ledger_scale(ledger));
    member_number(json, "largest_error", ledger->largest_error);
    member_number(json, "relative_error", summary_relative_error(ledger));
    json_object_end(json);
}

// null: this criterion does not apply.
static void write_steps(Json *json, const GrainsSteps *steps) {
    json_key(json, "steps");
    json_object_begin(json);
    member_number(json, "suggested_s", steps->suggested);
    member_string(json, "governed_by", steps_criterion_name(steps->governing));
    member_number(json, "contact_duration_s", steps->limit[STEP_BY_CONTACT]);
    for (int c = STEP_BY_HART; c < STEP_CRITERION_COUNT; c++) {
        char key[40];
        snprintf(key, sizeof key, "%s_s", steps_criterion_name(c));
        member_number(json, key, steps->limit[c]);
    }
    json_object_end(json);
}

static void write_grains(Json *json, const Sim *sim) {
    json_key(json, "grains");
    json_object_begin(json);
    for (int g = 0; g < sim->definition->grains_count; g++) {
        const SimGrains *bed = &sim->grains[g];
        json_key(json, bed->definition->name);
        json_object_begin(json);
        member_integer(json, "count", (int64_t)grains_count(bed->grains));
        member_number(json, "mass_kg", grains_mass(bed->grains));
        member_number(json, "critical_step_s", bed->steps.critical);
        write_steps(json, &bed->steps);
        member_number(json, "largest_overlap", bed->measure.largest_overlap);
        json_object_end(json);
    }
    json_object_end(json);
}

static void write_mechanism(Json *json, const Sim *sim) {
    const Mechanism *mechanism = sim->mechanism.mechanism;
    if (!mechanism) return;
    MechanismCounts counts = mechanism_counts(mechanism);
    const MechanismAssembly *assembly = mechanism_assembly(mechanism);
    json_key(json, "mechanism");
    json_object_begin(json);
    member_integer(json, "nodes", mechanism_node_count(mechanism));
    member_integer(json, "steps", counts.steps);
    member_integer(json, "iterations", counts.iterations);
    member_integer(json, "factorizations", counts.factorizations);
    member_integer(json, "retries", counts.retries);
    member_number(json, "violation", counts.violation);
    json_key(json, "assembly");
    json_object_begin(json);
    member_number(json, "moved_m", assembly->moved);
    member_number(json, "turned_rad", assembly->turned);
    member_number(json, "velocity_m_per_s", assembly->velocity);
    member_number(json, "angular_velocity_rad_per_s", assembly->angular);
    member_string(json, "node", assembly->node);
    member_number(json, "equilibrium_moved_m", assembly->equilibrium_moved);
    member_integer(json, "equilibrium_iterations", assembly->equilibrium_iterations);
    json_object_end(json);
    json_object_end(json);
}

// How the contact problems of nonsmooth beds were solved.
static void write_solver(Json *json, const Sim *sim) {
    const World *world = sim_world(sim);
    if (!world || sim->definition->grains_count == 0) return;
    WorldCounts counts = world_counts(world);
    double solves = counts.solves > 0 ? (double)counts.solves : 1;
    json_key(json, "contact_solver");
    json_object_begin(json);
    member_integer(json, "problems", counts.solves);
    member_number(json, "contacts_mean", (double)counts.contacts / solves);
    member_number(json, "iterations_mean", (double)counts.iterations / solves);
    member_integer(json, "fallbacks", counts.fallbacks);
    member_integer(json, "above_tolerance", counts.loose);
    member_integer(json, "unsolved", counts.unsolved);
    member_number(json, "worst_residual", counts.worst);
    member_number(json, "wall_seconds", counts.seconds);
    json_object_end(json);
}

// Why exchange steps were not cut although the user allowed it; NULL: they were, where it was of use.
static const char *why_not_cut(const Coupling *coupling) {
    static const char *const words[] = {
        [ADAPTION_USEFUL] = NULL,
        [ADAPTION_ONE_PROBLEM] = "the scheme makes no error that shorter steps would lower",
        [ADAPTION_LATE] = "the scheme passes loads on a step later than they come",
        [ADAPTION_IMPULSES] = "loads are impulses, whose error is the same in steps of any length"};
    return words[adaption_use(coupling)];
}

static void write_adaption(Json *json, const Coupling *coupling) {
    const Adaption *a = &coupling->adaption;
    if (!(coupling->definition->energy_tolerance > 0)) return;
    json_key(json, "exchange_steps");
    json_object_begin(json);
    member_number(json, "energy_tolerance", coupling->definition->energy_tolerance);
    member_string(json, "not_cut", why_not_cut(coupling));
    member_integer(json, "count", a->parts);
    member_integer(json, "done_again", a->redone);
    member_integer(json, "most_cuts", a->shortest);
    member_integer(json, "pauses", a->pauses);
    json_object_end(json);
}

// How mechanism and grains were advanced together, and how far to trust it.
static void write_coupling(Json *json, const Sim *sim) {
    if (!sim->coupled.active) return;
    const Coupling *coupling = &sim->coupled.coupling;
    const CouplingCounts *c = &coupling->counts;
    json_key(json, "coupling");
    json_object_begin(json);
    member_string(json, "scheme", scheme_name(coupling->scheme));
    member_integer(json, "steps", c->steps);
    member_integer(json, "grain_solves", c->grain_solves);
    member_number(json, "solves_per_step", c->steps > 0 ? (double)c->grain_solves / (double)c->steps : 0);
    member_integer(json, "most_solves", c->most_solves);
    member_integer(json, "unconverged", c->unconverged);
    member_number(json, "energy_error_j", c->energy_error);
    member_number(json, "energy_error_size_j", c->energy_error_size);
    member_number(json, "energy_passed_j", c->energy_passed);
    member_number(json, "largest_gap_m", c->largest_gap);
    member_number(json, "largest_load_n", c->largest_load);
    write_adaption(json, coupling);
    json_object_end(json);
}

static void write_periods(Json *json, const Periods *periods) {
    if (!periods->definition) return;
    json_key(json, "periods");
    json_object_begin(json);
    member_string(json, "port", periods->definition->port);
    member_number(json, "frequency_hz", periods->definition->frequency);
    member_number(json, "mass_ratio", periods->definition->mass_ratio);
    member_integer(json, "count", periods->done);
    member_integer(json, "skipped", periods->done - periods->counted);
    member_number(json, "dissipated_mean_J", periods->dissipated.mean);
    member_number(json, "dissipated_deviation_J", period_deviation(periods, &periods->dissipated));
    member_number(json, "damping_ratio_mean", periods->damping.mean);
    member_number(json, "damping_ratio_deviation", period_deviation(periods, &periods->damping));
    json_object_end(json);
}

char *summary_json(const RunFacts *facts) {
    const Sim *sim = facts->sim;
    Json json = {.indent = 2};
    char hash[20];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)facts->model_hash);
    json_object_begin(&json);
    member_string(&json, "program", "maraca");
    member_string(&json, "version", MARACA_VERSION);
    member_string(&json, "title", sim->definition->title);
    member_string(&json, "model_hash", hash);
    member_string(&json, "status", mrc_status_name(facts->status));
    member_string(&json, "message", facts->message);
    json_key(&json, "options");
    json_object_begin(&json);
    member_integer(&json, "threads", facts->threads);
    member_number(&json, "step_s", sim->clock.step);
    member_string(&json, "step_from", sim->definition->simulate.source == STEP_AUTO ? "auto" : "given");
    member_number(&json, "duration_s", sim->definition->simulate.duration);
    json_key(&json, "resumed"), json_bool(&json, facts->resumed);
    json_object_end(&json);
    member_number(&json, "time_s", clock_time(&sim->clock));
    member_integer(&json, "steps", sim->clock.now);
    member_integer(&json, "steps_planned", sim->clock.total);
    member_number(&json, "wall_seconds", facts->wall_seconds);
    member_number(&json, "cpu_seconds", facts->cpu_seconds);
    member_number(&json, "real_time_factor", summary_real_time_factor(facts));
    member_integer(&json, "frames", facts->frames);
    write_mechanism(&json, sim);
    write_grains(&json, sim);
    write_coupling(&json, sim);
    write_solver(&json, sim);
    write_energy(&json, &sim->ledger);
    write_periods(&json, &sim->periods);
    verdict_write(&json, facts);
    json_key(&json, "warnings");
    json_array_begin(&json);
    for (size_t i = 0; i < facts->warning_count; i++) json_string(&json, facts->warnings[i]);
    json_array_end(&json);
    json_object_end(&json);
    return json_take(&json);
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
    bool grains = sim->definition->grains_count > 0, mechanism = sim->mechanism.mechanism != NULL;
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
    if (!sim->mechanism.mechanism || !(scale > 0)) return;
    double share = ledger->algorithm / scale;
    if (share > -1e-3) fprintf(out, "  the integration took %.1e of it\n", share);
    else
        fprintf(out, "  the integration added %.1e of it: %s\n", -share,
                share > -1e-2 ? "fair; a smaller step or more elements would be better"
                              : "poor; take a smaller step, or more elements where beams bend strongly");
}

static void report_adaption(FILE *out, const Coupling *coupling) {
    const Adaption *a = &coupling->adaption;
    if (!(coupling->definition->energy_tolerance > 0)) return;
    fputs("             exchange steps ", out);
    if (why_not_cut(coupling)) fprintf(out, "were not cut: %s\n", why_not_cut(coupling));
    else
        fprintf(out, "%lld and %lld done again; the shortest is 1/%lld of the longest%s\n",
                (long long)a->parts, (long long)a->redone, 1LL << a->shortest,
                a->pauses > 0 ? "; at times cutting did not lower the error: contacts are too short for it"
                              : "");
}

static void report_coupling(FILE *out, const Sim *sim) {
    if (!sim->coupled.active) return;
    const CouplingCounts *c = &sim->coupled.coupling.counts;
    double steps = c->steps > 0 ? (double)c->steps : 1;
    fprintf(out, "  coupling   %s, %.3g grain solve%s per step", scheme_name(sim->coupled.coupling.scheme),
            (double)c->grain_solves / steps, c->grain_solves == c->steps ? "" : "s");
    if (c->most_solves > 1) fprintf(out, " (at most %lld)", (long long)c->most_solves);
    if (c->unconverged > 0) fprintf(out, ", %lld steps not converged", (long long)c->unconverged);
    fprintf(out, "; largest load %.4g N, largest gap %.2g m\n", c->largest_load, c->largest_gap);
    if (c->energy_passed > 0)
        fprintf(out, "             energy error of the exchange %.3g J, %.1e of the %.4g J that passed\n",
                c->energy_error, c->energy_error / c->energy_passed, c->energy_passed);
    report_adaption(out, &sim->coupled.coupling);
}

static void report_solver(FILE *out, const Sim *sim) {
    const World *world = sim_world(sim);
    if (!world || sim->definition->grains_count == 0) return;
    WorldCounts c = world_counts(world);
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
    const SimGrains *bed = NULL;
    for (int g = 0; g < sim->definition->grains_count; g++)
        if (!bed || sim->grains[g].steps.suggested < bed->steps.suggested) bed = &sim->grains[g];
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
    const Mechanism *mechanism = sim->mechanism.mechanism;
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
        const SimGrains *bed = &sim->grains[g];
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
