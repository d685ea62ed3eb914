#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/partners.h"

// ---- creation ------------------------------------------------------------------------------------
void sim_tally(Sim *sim) {
    if (sim->clock.now >= amplitude_first_step(sim->clock.total)) tallies_take(&sim->tallies, &sim->recorder);
}

static MrcStatus sim_observe_periods(Sim *sim, MrcError *error);

static void sim_create_periods(Sim *sim) {
    const SimDefinition *d = sim->definition;
    int port = coupling_find_port(&sim->coupling, d->periods.port);
    if (port < 0 || !sim->ports[port].definition || !(d->periods.frequency > 0)) return;
    sim->periods = (Periods){.definition = &d->periods,
                             .inputs = &sim->inputs,
                             .port = sim->ports[port].definition,
                             .port_number = port,
                             .step = sim->clock.step,
                             .mass = followers_losses(&sim->coupling.followers, port).mass};
}

static MrcStatus sim_fill(Sim *sim, const SimSetting *setting, MrcError *error) {
    const SimDefinition *d = sim->definition;
    sim->clock.step = d->simulate.step;
    sim->clock.total = simulate_steps(&d->simulate);
    MrcStatus status = sim_add_partners(sim, setting, error);
    if (status != MRC_OK) return status;
    sim_create_periods(sim);
    sim->recorder.signals.arena = sim->arena;
    sim_signals(d, sim, &sim->recorder.signals);
    sim->derived = arena_alloc(sim->arena, ((size_t)d->record.derived_count + 1) * sizeof *sim->derived);
    if (!sim->derived) return error_memory(error, "derived signals");
    derived_signals(&d->record, &sim->recorder.signals, sim->derived, sim->arena);
    status = recorder_create(&sim->recorder, d, sim->arena, error);
    if (status == MRC_OK) status = tallies_create(&sim->tallies, &sim->recorder, error);
    if (status == MRC_OK) status = links_connect(&sim->links, &sim->recorder.signals, &sim->inputs, error);
    return status == MRC_OK ? sim_observe_periods(sim, error) : status;
}

MrcStatus sim_create(const SimDefinition *definition, const SimSetting *setting, Sim **out, MrcError *error) {
    static const SimSetting plain = {0};
    Arena *arena = arena_create();
    Sim *sim = arena ? arena_alloc(arena, sizeof *sim) : NULL;
    *out = NULL;
    if (!sim) {
        arena_destroy(arena);
        return error_memory(error, "the simulation");
    }
    sim->arena = arena;
    sim->definition = definition;
    MrcStatus status = sim_fill(sim, setting ? setting : &plain, error);
    if (status != MRC_OK) sim_destroy(sim);
    else *out = sim;
    return status;
}

void sim_destroy(Sim *sim) {
    if (!sim) return;
    for (int k = sim->partner_count - 1; k >= 0; k--)
        if (sim->partners[k].type->destroy) sim->partners[k].type->destroy(sim->partners[k].self);
    links_destroy(&sim->links);
    recorder_free(&sim->recorder);
    tallies_free(&sim->tallies);
    arena_destroy(sim->arena);
}

// ---- signals -------------------------------------------------------------------------------------
void sim_signals(const SimDefinition *d, const Sim *sim, SignalList *list) {
    list->asked = d->record.series;
    list->asked_count = d->record.series_count;
    for (int p = 0; p < d->port_count; p++)
        coupling_port_signals(d->ports[p].name, sim ? &sim->coupling : NULL, list);
    if (sim) {
        for (int k = 0; k < sim->partner_count; k++)
            if (sim->partners[k].type->signals)
                sim->partners[k].type->signals(sim->partners[k].definition, sim->partners[k].self, list);
    } else {
        if (d->has_mechanism) partner_mechanism.signals(&d->mechanism, NULL, list);
        for (int k = 0; k < sim_partner_row_count; k++)
            if (sim_partner_rows[k].type->signals)
                sim_partner_rows[k].type->signals(sim_partner_definition(&sim_partner_rows[k], d), NULL,
                                                  list);
    }
    ledger_signals(sim ? &sim->ledger : NULL, list);
    if (!sim) derived_signals(&d->record, list, NULL, list->arena); // of a simulation: by sim_create
}

// ---- the step ------------------------------------------------------------------------------------
bool sim_is_done(const Sim *sim) { return sim->clock.now >= sim->clock.total; }

// Amplitudes of the ports, over the last quarter of the run.
static MrcStatus sim_observe_amplitudes(Sim *sim, MrcError *error) {
    int64_t now = sim->clock.now, total = sim->clock.total, first = amplitude_first_step(total);
    for (int p = 0; p < sim->port_count; p++)
        amplitude_watch_turning(&sim->amplitudes[p],
                                sim->coupling.containers.items[p].motion.angular_velocity);
    if (now < first || sim->port_count == 0) return MRC_OK;
    for (int p = 0; p < sim->port_count; p++)
        amplitude_observe(&sim->amplitudes[p], &sim->coupling.containers.items[p].motion,
                          &sim->coupling.ports[p].load, now < first + (total - first + 1) / 2);
    if (now != first && now != total) return MRC_OK;
    MrcStatus status = sim_measure(sim, error);
    for (int p = 0; p < sim->port_count && status == MRC_OK; p++) {
        PortAmplitude *amplitude = &sim->amplitudes[p];
        PartnerLosses losses = followers_losses(&sim->coupling.followers, p);
        double lost = losses.impact + losses.friction + losses.rolling;
        if (now == first) amplitude->before = lost;
        amplitude->dissipated = lost - amplitude->before;
    }
    return status;
}

static MrcStatus sim_observe_periods(Sim *sim, MrcError *error) {
    if (!periods_is_due(&sim->periods, sim->clock.now)) return MRC_OK;
    MrcStatus status = sim_measure(sim, error);
    if (status != MRC_OK) return status;
    PartnerLosses losses = followers_losses(&sim->coupling.followers, sim->periods.port_number);
    PeriodEnergy energy = {losses.impact, losses.friction, losses.rolling, losses.work};
    periods_take(&sim->periods, sim->clock.now, &energy);
    return MRC_OK;
}

// What partners do outside of the coupling, as grains that come and leave.
static MrcStatus sim_before_step(Sim *sim, MrcError *error) {
    double time = clock_time(&sim->clock);
    MrcStatus status = sim->links.read_signals ? sim_sample(sim, error) : MRC_OK;
    if (status == MRC_OK) status = links_before_step(&sim->links, time, sim->clock.step, &sim->inputs, error);
    for (int k = 0; k < sim->partner_count && status == MRC_OK; k++) {
        const Partner *partner = &sim->partners[k];
        if (!partner->type->is_due || !partner->type->is_due(partner->self, time)) continue;
        coupling_motions(&sim->coupling, sim->motions);
        status = partner->type->before_step(partner->self, time, sim->motions, error);
    }
    return status;
}

MrcStatus sim_step(Sim *sim, MrcError *error) {
    double time = clock_time(&sim->clock), step = sim->clock.step;
    MrcStatus status = sim_before_step(sim, error);
    if (status == MRC_OK) status = coupling_step(&sim->coupling, time, step, error);
    if (status == MRC_OK) status = links_after_step(&sim->links, time, step, error);
    if (status != MRC_OK) return status;
    sim->clock.now++;
    status = sim_observe_periods(sim, error);
    return status == MRC_OK ? sim_observe_amplitudes(sim, error) : status;
}

// ---- looking -------------------------------------------------------------------------------------
MrcStatus sim_measure(Sim *sim, MrcError *error) {
    MrcStatus status = MRC_OK;
    coupling_motions(&sim->coupling, sim->motions);
    for (int k = 0; k < sim->partner_count && status == MRC_OK; k++)
        if (sim->partners[k].type->measure)
            status = sim->partners[k].type->measure(sim->partners[k].self, sim->motions, error);
    return status;
}

static void sim_close_ledger(Sim *sim) {
    EnergySums now = {0};
    for (int i = 0; i < sim->partner_count; i++) { // followers, then drivers
        int k = (sim->driver_count + i) % sim->partner_count;
        if (sim->partners[k].type->ledger) sim->partners[k].type->ledger(sim->partners[k].self, &now);
    }
    coupling_ledger(&sim->coupling, &now);
    ledger_update(&sim->ledger, &now);
}

MrcStatus sim_sample(Sim *sim, MrcError *error) {
    MrcStatus status = sim_measure(sim, error);
    if (status != MRC_OK) return status;
    sim_close_ledger(sim);
    derived_compute(sim->derived, sim->definition->record.derived_count,
                    (TimePoint){clock_time(&sim->clock), &sim->inputs});
    for (size_t s = 0; s < sim->recorder.signals.signals.count; s++) {
        const Signal *signal = &sim->recorder.signals.signals.data[s];
        if (!isfinite(*signal->value))
            return error_set(error, MRC_NOT_FINITE, "'%s' is %g", signal->name, *signal->value);
    }
    return MRC_OK;
}

MrcStatus sim_check_finite(Sim *sim, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int i = 0; i < sim->partner_count && status == MRC_OK; i++) { // followers, then drivers
        const Partner *partner = &sim->partners[(sim->driver_count + i) % sim->partner_count];
        if (partner->type->check_finite) status = partner->type->check_finite(partner->self, error);
    }
    return status;
}

// ---- state ---------------------------------------------------------------------------------------
void sim_archive(Sim *sim, Archive *archive) {
    clock_archive(&sim->clock, archive);
    if (sim->inputs.count > 0) {
        archive_group_begin(archive, "inputs");
        inputs_archive(&sim->inputs, archive);
        archive_group_end(archive, "inputs");
    }
    archive_group_begin(archive, "ledger");
    ledger_archive(&sim->ledger, archive);
    archive_group_end(archive, "ledger");
    if (sim->periods.definition) {
        archive_group_begin(archive, "periods");
        periods_archive(&sim->periods, archive);
        archive_group_end(archive, "periods");
    }
    for (int k = 0; k < sim->partner_count; k++) {
        char name[32];
        snprintf(name, sizeof name, "partner%d", k);
        archive_group_begin(archive, name);
        if (sim->partners[k].type->archive) sim->partners[k].type->archive(sim->partners[k].self, archive);
        archive_group_end(archive, name);
    }
    links_archive(&sim->links, archive);
    archive_group_begin(archive, "coupling");
    coupling_archive(&sim->coupling, archive);
    for (int p = 0; p < sim->port_count; p++) {
        char name[32];
        snprintf(name, sizeof name, "amplitude%d", p);
        amplitude_archive(&sim->amplitudes[p], name, archive);
        if (archive_is_loading(archive) && sim->clock.now < amplitude_first_step(sim->clock.total))
            amplitude_begin(&sim->amplitudes[p]); // of the end of a shorter run that is extended
    }
    archive_group_end(archive, "coupling");
    archive_group_begin(archive, "tallies");
    tallies_archive(&sim->tallies, archive);
    if (archive_is_loading(archive) && sim->clock.now < amplitude_first_step(sim->clock.total))
        tallies_clear(&sim->tallies); // likewise
    archive_group_end(archive, "tallies");
}
