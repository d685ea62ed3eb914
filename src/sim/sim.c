#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/resolve.h"

// ---- ports ---------------------------------------------------------------------------------------
static bool sim_has_port(const Sim *sim, const char *name) {
    for (int p = 0; p < sim->port_count; p++)
        if (strcmp(sim->ports[p].name, name) == 0) return true;
    return false;
}

static void sim_add_port(Sim *sim, const char *name, const PortDefinition *definition) {
    sim->ports[sim->port_count++] = (SimPort){name, definition};
}

// On the node, `offset` away from it and turned against it.
static MrcStatus sim_add_mechanism_port(Sim *sim, const char *name, const PortDefinition *definition,
                                        MrcError *error) {
    static const PortDefinition plain = {0};
    const PortDefinition *d = definition ? definition : &plain;
    Quaternion turned = quaternion_from_rotation_vector(vec3_scale(d->mount_angle, d->mount_axis));
    Mechanism *m = sim_mechanism(sim);
    int index;
    sim_add_port(sim, name, definition);
    return mechanism_add_port(m, mechanism_find_node(m, definition ? d->node : name), d->offset, turned,
                              &index, error);
}

// A node that grains name as their port is one.
static MrcStatus sim_add_node_port(Sim *sim, const char *name, MrcError *error) {
    if (!name || !sim->mechanism || sim_has_port(sim, name)) return MRC_OK;
    for (int p = 0; p < sim->definition->port_count; p++)
        if (strcmp(sim->definition->ports[p].name, name) == 0) return MRC_OK;
    if (mechanism_find_node(sim_mechanism(sim), name) < 0) return MRC_OK;
    return sim_add_mechanism_port(sim, name, NULL, error);
}

// ---- drivers -------------------------------------------------------------------------------------
// Each of these adds a driver and its ports, and says how many these are.
static MrcStatus sim_add_mechanism(Sim *sim, const Log *log, int *count, MrcError *error) {
    const SimDefinition *d = sim->definition;
    MechanismSetting setting = {.materials = d->materials,
                                .material_count = d->material_count,
                                .gravity = d->gravity,
                                .inputs = &sim->inputs,
                                .log = log};
    if (!d->has_mechanism) return MRC_OK;
    MrcStatus status = mechanism_partner_create(&d->mechanism, &setting, sim->arena, &sim->mechanism, error);
    if (sim->mechanism)
        sim->partners[sim->driver_count++] = (Partner){&partner_mechanism, &d->mechanism, sim->mechanism};
    for (int p = 0; p < d->port_count && status == MRC_OK; p++)
        if (d->ports[p].node) status = sim_add_mechanism_port(sim, d->ports[p].name, &d->ports[p], error);
    for (int g = 0; g < d->grains_count && status == MRC_OK; g++) {
        status = sim_add_node_port(sim, d->grains[g].port, error);
        for (int w = 0; w < d->grains[g].wall_count && status == MRC_OK; w++)
            status = sim_add_node_port(sim, d->grains[g].walls[w].port, error);
    }
    for (int k = 0; k < d->flow.inlet_count && status == MRC_OK; k++)
        status = sim_add_node_port(sim, d->flow.inlets[k].port, error);
    for (int k = 0; k < d->flow.outlet_count && status == MRC_OK; k++)
        status = sim_add_node_port(sim, d->flow.outlets[k].port, error);
    for (int k = 0; k < d->flow.meter_count && status == MRC_OK; k++)
        status = sim_add_node_port(sim, d->flow.meters[k].port, error);
    for (int k = 0; k < d->stop_count && status == MRC_OK; k++) {
        status = sim_add_node_port(sim, d->stops[k].port, error);
        for (int w = 0; w < d->stops[k].wall_count && status == MRC_OK; w++)
            status = sim_add_node_port(sim, d->stops[k].walls[w].port, error);
    }
    for (int k = 0; k < sim->guest_count && status == MRC_OK; k++)
        for (int p = 0; p < sim->guests[k]->partner.port_count && status == MRC_OK; p++)
            status = sim_add_node_port(sim, sim->guests[k]->partner.ports[p], error);
    *count = sim->port_count;
    return status;
}

static MrcStatus sim_add_guest_driver(Sim *sim, Guest *guest, int *count, MrcError *error) {
    const SimDefinition *d = sim->definition;
    for (int p = 0; p < d->port_count; p++) {
        if (!d->ports[p].partner || strcmp(d->ports[p].partner, guest->partner.name) != 0) continue;
        sim_add_port(sim, d->ports[p].name, &d->ports[p]);
        ++*count;
    }
    sim->partners[sim->driver_count++] = (Partner){&partner_guest_driver, NULL, guest};
    return guest_bind_driver(guest, *count, sim->arena, error);
}

static MrcStatus sim_add_prescribed(Sim *sim, int *count, MrcError *error) {
    const SimDefinition *d = sim->definition;
    const PortDefinition **ports = arena_alloc(sim->arena, ((size_t)d->port_count + 1) * sizeof *ports);
    Prescribed *prescribed;
    if (!ports) return error_memory(error, "the ports");
    for (int p = 0; p < d->port_count; p++) {
        if (!port_is_prescribed(&d->ports[p])) continue;
        ports[(*count)++] = &d->ports[p];
        sim_add_port(sim, d->ports[p].name, &d->ports[p]);
    }
    if (*count == 0) return MRC_OK;
    MrcStatus status = prescribed_create(ports, *count, &sim->inputs, sim->arena, &prescribed, error);
    if (prescribed) sim->partners[sim->driver_count++] = (Partner){&partner_prescribed, NULL, prescribed};
    return status;
}

// Drivers that yield come first; *counts: ports of each.
static MrcStatus sim_add_drivers(Sim *sim, const Log *log, int *counts, MrcError *error) {
    MrcStatus status = sim_add_mechanism(sim, log, &counts[0], error);
    for (int k = 0; k < sim->guest_count && status == MRC_OK; k++)
        if (guest_is_driver(sim->guests[k]))
            status = sim_add_guest_driver(sim, sim->guests[k], &counts[sim->driver_count], error);
    if (status == MRC_OK) status = sim_add_prescribed(sim, &counts[sim->driver_count], error);
    for (int p = 0; p < sim->definition->port_count && status == MRC_OK; p++) {
        const PortDefinition *port = &sim->definition->ports[p];
        if (port->partner && !sim_has_port(sim, port->name))
            return error_set(error, MRC_MODEL,
                             "port '%s' is moved by the partner '%s', which is neither in the section "
                             "'partners' nor comes from the "
                             "program that runs the model",
                             port->name, port->partner);
    }
    return status;
}

// ---- followers -----------------------------------------------------------------------------------
static MrcStatus sim_add_beds(Sim *sim, const Drivers *drivers, const SimSetting *setting, MrcError *error) {
    const SimDefinition *d = sim->definition;
    size_t n = (size_t)sim->port_count + 1;
    const char **names = arena_alloc(sim->arena, n * sizeof *names);
    sim->motions = arena_alloc(sim->arena, n * sizeof *sim->motions);
    if (!names || !sim->motions) return error_memory(error, "the ports");
    for (int p = 0; p < sim->port_count; p++) {
        names[p] = sim->ports[p].name;
        sim->motions[p] = drivers_motion(drivers, p);
    }
    BedsPorts ports = {names, sim->motions, sim->port_count};
    BedsSteps steps = sim_beds_steps(d, drivers->all.yields);
    GrainsSetting grains = sim_grains_setting(d);
    grains.gravity = d->gravity;
    grains.keep_orientation = setting->keep_orientation || d->frames_every > 0;
    grains.keep_history = flow_is_given(&d->flow);
    grains.watch = setting->watch;
    sim->beds_definition = (BedsDefinition){d->grains, d->grains_count};
    MrcStatus status =
        beds_create(&sim->beds_definition, &ports, &steps, grains, sim->arena, &sim->beds, error);
    if (sim->beds)
        sim->partners[sim->partner_count++] = (Partner){&partner_beds, &sim->beds_definition, sim->beds};
    return status;
}

static MrcStatus sim_add_stops(Sim *sim, MrcError *error) {
    const SimDefinition *d = sim->definition;
    const char **names = arena_alloc(sim->arena, ((size_t)sim->port_count + 1) * sizeof *names);
    Stops *stops = NULL;
    if (d->stop_count == 0) return MRC_OK;
    if (!names) return error_memory(error, "the stops");
    for (int p = 0; p < sim->port_count; p++) names[p] = sim->ports[p].name;
    sim->stops_definition = (StopsDefinition){d->stops, d->stop_count};
    MrcStatus status =
        stops_create(&sim->stops_definition, names, sim->port_count, sim->arena, &stops, error);
    if (stops) sim->partners[sim->partner_count++] = (Partner){&partner_stops, &sim->stops_definition, stops};
    return status;
}

// Behind the followers: coupling does not see it.
static MrcStatus sim_add_flow(Sim *sim, const SimSetting *setting, MrcError *error) {
    const SimDefinition *d = sim->definition;
    const char **names = arena_alloc(sim->arena, ((size_t)sim->port_count + 1) * sizeof *names);
    if (!flow_is_given(&d->flow)) return MRC_OK;
    if (!names) return error_memory(error, "the inlets and outlets");
    for (int p = 0; p < sim->port_count; p++) names[p] = sim->ports[p].name;
    BedsPorts ports = {names, sim->motions, sim->port_count};
    GrainsSetting grains = sim_grains_setting(d);
    FlowSetting flow = {.beds = sim->beds,
                        .ports = &ports,
                        .grains = &grains,
                        .inputs = &sim->inputs,
                        .log = setting->watch ? setting->watch->log : NULL};
    MrcStatus status = flow_create(&d->flow, &flow, sim->arena, &sim->flow, error);
    if (sim->flow) sim->partners[sim->partner_count++] = (Partner){&partner_flow, &d->flow, sim->flow};
    return status;
}

static MrcStatus sim_add_guest_followers(Sim *sim, MrcError *error) {
    MrcStatus status = MRC_OK;
    const char **names = arena_alloc(sim->arena, ((size_t)sim->port_count + 1) * sizeof *names);
    if (!names) return error_memory(error, "the ports");
    for (int p = 0; p < sim->port_count; p++) names[p] = sim->ports[p].name;
    for (int k = 0; k < sim->guest_count && status == MRC_OK; k++) {
        if (guest_is_driver(sim->guests[k])) continue;
        sim->partners[sim->partner_count++] = (Partner){&partner_guest_follower, NULL, sim->guests[k]};
        status = guest_bind_follower(sim->guests[k], names, sim->port_count, sim->arena, error);
    }
    return status;
}

// ---- links: partners that are other programs -----------------------------------------------------
static MrcStatus sim_add_link(Sim *sim, const LinkDefinition *definition, MrcError *error) {
    const SimDefinition *d = sim->definition;
    LinkSetting setting = {.step = d->simulate.step, .tight = scheme_of(&d->coupling)->needs_restore};
    Link *link = &sim->links[sim->link_count++];
    for (int p = 0; p < d->port_count; p++) {
        if (!d->ports[p].partner || strcmp(d->ports[p].partner, definition->name) != 0) continue;
        if (setting.port_count == LINK_PORTS_MAX)
            return error_set(error, MRC_MODEL, "partner '%s' moves more than %d ports", definition->name,
                             LINK_PORTS_MAX);
        setting.ports[setting.port_count++] = d->ports[p].name;
    }
    *link = (Link){.definition = definition};
    MrcStatus status = link_type(definition)->create(link, &setting, sim->arena, error);
    if (status != MRC_OK || (!link->partner.motion && !link->partner.step)) return status;
    return guest_create(&link->partner, sim->arena, &sim->guests[sim->guest_count++], error);
}

static const double *sim_find_value(void *user, const char *name) {
    const Sim *sim = user;
    for (size_t s = 0; s < sim->recorder.signals.signals.count; s++)
        if (strcmp(sim->recorder.signals.signals.data[s].name, name) == 0)
            return sim->recorder.signals.signals.data[s].value;
    return NULL;
}

static MrcStatus sim_connect_links(Sim *sim, MrcError *error) {
    LinkValues values = {sim_find_value, sim, &sim->inputs};
    MrcStatus status = MRC_OK;
    for (int k = 0; k < sim->link_count && status == MRC_OK; k++) {
        const LinkType *type = link_type(sim->links[k].definition);
        if (type->connect) status = type->connect(sim->links[k].self, &values, error);
        if (type->reads_signals && type->reads_signals(sim->links[k].self)) sim->links_read = true;
    }
    return status;
}

static MrcStatus sim_before_step(Sim *sim, MrcError *error) {
    MrcStatus status = sim->links_read ? sim_sample(sim, error) : MRC_OK;
    for (int k = 0; k < sim->link_count && status == MRC_OK; k++) {
        const LinkType *type = link_type(sim->links[k].definition);
        if (type->before)
            status = type->before(sim->links[k].self, clock_time(&sim->clock), sim->clock.step, &sim->inputs,
                                  error);
    }
    return status;
}

static MrcStatus sim_after_step(Sim *sim, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int k = 0; k < sim->link_count && status == MRC_OK; k++) {
        const LinkType *type = link_type(sim->links[k].definition);
        if (type->after)
            status = type->after(sim->links[k].self, clock_time(&sim->clock), sim->clock.step, error);
    }
    return status;
}

// Of those that are neither drivers nor followers, and so have no guest that does it.
static void sim_archive_links(Sim *sim, Archive *archive) {
    for (int k = 0; k < sim->link_count; k++) {
        const MrcPartner *partner = &sim->links[k].partner;
        char name[32];
        if (partner->motion || partner->step || !partner->pack) continue;
        snprintf(name, sizeof name, "link%d", k);
        archive_group_begin(archive, name);
        guest_archive_packed(partner, archive);
        archive_group_end(archive, name);
    }
}

// ---- creation ------------------------------------------------------------------------------------
static MrcStatus sim_observe_periods(Sim *sim, MrcError *error);

static MrcStatus sim_allocate(Sim *sim, const SimSetting *setting, int **counts, MrcError *error) {
    const SimDefinition *d = sim->definition;
    size_t ports = (size_t)d->port_count + 1, brought = (size_t)setting->partner_count;
    size_t guests = brought + (size_t)d->link_count, partners = 5 + guests;
    for (int g = 0; g < d->grains_count; g++) ports += 1 + (size_t)d->grains[g].wall_count;
    for (int k = 0; k < d->stop_count; k++) ports += 1 + (size_t)d->stops[k].wall_count;
    ports += (size_t)(d->flow.inlet_count + d->flow.outlet_count + d->flow.meter_count);
    for (size_t k = 0; k < brought; k++) ports += (size_t)setting->partners[k]->port_count;
    ports += LINK_PORTS_MAX * (size_t)d->link_count;
    sim->links = arena_alloc(sim->arena, ((size_t)d->link_count + 1) * sizeof *sim->links);
    sim->guests = arena_alloc(sim->arena, (guests + 1) * sizeof *sim->guests);
    sim->ports = arena_alloc(sim->arena, ports * sizeof *sim->ports);
    sim->partners = arena_alloc(sim->arena, partners * sizeof *sim->partners);
    *counts = arena_alloc(sim->arena, partners * sizeof **counts);
    if (!sim->ports || !sim->partners || !sim->guests || !sim->links || !*counts)
        return error_memory(error, "the simulation");
    MrcStatus status = MRC_OK;
    for (size_t k = 0; k < brought && status == MRC_OK; k++)
        status = guest_create(setting->partners[k], sim->arena, &sim->guests[sim->guest_count++], error);
    for (int k = 0; k < d->link_count && status == MRC_OK; k++)
        status = sim_add_link(sim, &d->links[k], error);
    return status;
}

static MrcStatus sim_couple(Sim *sim, const Drivers *drivers, MrcError *error) {
    Followers followers;
    CouplingPort *ports = arena_alloc(sim->arena, ((size_t)sim->port_count + 1) * sizeof *ports);
    if (!ports) return error_memory(error, "the coupling");
    for (int p = 0; p < sim->port_count; p++) {
        const PortDefinition *d = sim->ports[p].definition;
        ports[p] = (CouplingPort){sim->ports[p].name, d ? &d->container : NULL};
    }
    MrcStatus status =
        followers_create(&followers, sim->partners + sim->driver_count,
                         sim->partner_count - sim->driver_count, sim->port_count, sim->arena, error);
    if (status == MRC_OK)
        status = coupling_create(&sim->coupling, &sim->definition->coupling, drivers, &followers, ports,
                                 sim->definition->gravity, sim->arena, error);
    sim->amplitudes = arena_alloc(sim->arena, ((size_t)sim->coupling.yielding + 1) * sizeof *sim->amplitudes);
    return status == MRC_OK && !sim->amplitudes ? error_memory(error, "the coupling") : status;
}

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
    int *counts;
    Drivers drivers;
    sim->clock.step = d->simulate.step;
    sim->clock.total = simulate_steps(&d->simulate);
    MrcStatus status = sim_allocate(sim, setting, &counts, error);
    if (!inputs_create(&sim->inputs, sim->arena, d->inputs, d->input_count))
        return error_memory(error, "the inputs");
    if (status == MRC_OK)
        status = sim_add_drivers(sim, setting->watch ? setting->watch->log : NULL, counts, error);
    sim->partner_count = sim->driver_count;
    if (status == MRC_OK)
        status = drivers_create(&drivers, sim->partners, counts, sim->driver_count, sim->arena, error);
    if (status == MRC_OK) status = sim_add_beds(sim, &drivers, setting, error);
    if (status == MRC_OK) status = sim_add_stops(sim, error);
    if (status == MRC_OK) status = sim_add_guest_followers(sim, error);
    if (status == MRC_OK) status = sim_couple(sim, &drivers, error);
    if (status == MRC_OK) status = sim_add_flow(sim, setting, error);
    if (status != MRC_OK) return status;
    sim_create_periods(sim);
    sim->recorder.signals.arena = sim->arena;
    sim_signals(d, sim, &sim->recorder.signals);
    sim->derived = arena_alloc(sim->arena, ((size_t)d->record.derived_count + 1) * sizeof *sim->derived);
    if (!sim->derived) return error_memory(error, "derived signals");
    derived_signals(&d->record, &sim->recorder.signals, sim->derived, sim->arena);
    status = recorder_create(&sim->recorder, d, sim->arena, error);
    if (status == MRC_OK) status = sim_connect_links(sim, error);
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
    for (int k = 0; k < sim->link_count; k++)
        if (sim->links[k].self) link_type(sim->links[k].definition)->destroy(sim->links[k].self);
    recorder_free(&sim->recorder);
    arena_destroy(sim->arena);
}

// ---- signals -------------------------------------------------------------------------------------
void sim_signals(const SimDefinition *d, const Sim *sim, SignalList *list) {
    BedsDefinition beds = {d->grains, d->grains_count};
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
        partner_beds.signals(&beds, NULL, list);
        partner_stops.signals(&(StopsDefinition){d->stops, d->stop_count}, NULL, list);
        partner_flow.signals(&d->flow, NULL, list);
    }
    ledger_signals(sim ? &sim->ledger : NULL, list);
    if (!sim) derived_signals(&d->record, list, NULL, list->arena); // of a simulation: by sim_create
}

// ---- the step ------------------------------------------------------------------------------------
bool sim_is_done(const Sim *sim) { return sim->clock.now >= sim->clock.total; }

// Amplitudes of the ports, over the last quarter of the run.
static MrcStatus sim_observe_amplitudes(Sim *sim, MrcError *error) {
    int64_t now = sim->clock.now, total = sim->clock.total, first = amplitude_first_step(total);
    if (now < first || sim->coupling.yielding == 0) return MRC_OK;
    for (int p = 0; p < sim->coupling.yielding; p++) {
        const Motion *m = &sim->coupling.containers.items[p].motion;
        amplitude_observe(&sim->amplitudes[p], m->position, m->velocity);
    }
    if (now != first && now != total) return MRC_OK;
    MrcStatus status = sim_measure(sim, error);
    for (int p = 0; p < sim->coupling.yielding && status == MRC_OK; p++) {
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

// Grains come and leave before a step.
static MrcStatus sim_flow(Sim *sim, MrcError *error) {
    double time = clock_time(&sim->clock);
    if (!sim->flow || !flow_is_due(sim->flow, time)) return MRC_OK;
    coupling_motions(&sim->coupling, sim->motions);
    return flow_tick(sim->flow, time, sim->motions, error);
}

MrcStatus sim_step(Sim *sim, MrcError *error) {
    MrcStatus status = sim_before_step(sim, error);
    if (status == MRC_OK) status = sim_flow(sim, error);
    if (status == MRC_OK)
        status = coupling_step(&sim->coupling, clock_time(&sim->clock), sim->clock.step, error);
    if (status == MRC_OK) status = sim_after_step(sim, error);
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
    sim_archive_links(sim, archive);
    archive_group_begin(archive, "coupling");
    coupling_archive(&sim->coupling, archive);
    for (int p = 0; p < sim->coupling.yielding; p++) {
        char name[32];
        snprintf(name, sizeof name, "amplitude%d", p);
        amplitude_archive(&sim->amplitudes[p], name, archive);
        if (archive_is_loading(archive) && sim->clock.now < amplitude_first_step(sim->clock.total))
            sim->amplitudes[p] = (PortAmplitude){0}; // of the end of a shorter run that is extended
    }
    archive_group_end(archive, "coupling");
}
