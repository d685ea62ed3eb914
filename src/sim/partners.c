#include "sim/partners.h"

#include <string.h>

#include "partner/beds.h"
#include "sim/carried.h"
#include "sim/resolve.h"

// ---- rows of partners ----------------------------------------------------------------------------
#define SIM_PARTNER_ROW(name, member) {&partner_##name, offsetof(SimDefinition, member)},
const SimPartnerRow sim_partner_rows[] = {SIM_PARTNERS(SIM_PARTNER_ROW)};
const int sim_partner_row_count = sizeof sim_partner_rows / sizeof *sim_partner_rows;

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

// A node of the mechanism that grains name as their port becomes a port.
static MrcStatus sim_add_node_port(Sim *sim, const char *name, MrcError *error) {
    if (!name || !sim->mechanism || sim_has_port(sim, name)) return MRC_OK;
    for (int p = 0; p < sim->definition->port_count; p++)
        if (strcmp(sim->definition->ports[p].name, name) == 0) return MRC_OK;
    if (mechanism_find_node(sim_mechanism(sim), name) < 0) return MRC_OK;
    return sim_add_mechanism_port(sim, name, NULL, error);
}

// ---- drivers -------------------------------------------------------------------------------------
// Each of these adds a driver and its ports, and says how many these are.
static MrcStatus sim_add_mechanism(Sim *sim, const PartnerNames *names, const Log *log, int *count,
                                   MrcError *error) {
    const SimDefinition *d = sim->definition;
    MechanismSetting setting = {.materials = d->materials,
                                .material_count = d->material_count,
                                .gravity = d->gravity,
                                .inputs = &sim->inputs,
                                .log = log};
    if (!d->has_mechanism) return MRC_OK;
    const MechanismDefinition *whole = carried_mechanism(d, sim->arena);
    if (!whole) return error_memory(error, "the mechanism");
    MrcStatus status = mechanism_partner_create(whole, &setting, sim->arena, &sim->mechanism, error);
    if (sim->mechanism)
        sim->partners[sim->driver_count++] = (Partner){&partner_mechanism, &d->mechanism, sim->mechanism};
    for (int p = 0; p < d->port_count && status == MRC_OK; p++)
        if (d->ports[p].node) status = sim_add_mechanism_port(sim, d->ports[p].name, &d->ports[p], error);
    for (size_t k = 0; k < names->count && status == MRC_OK; k++)
        status = sim_add_node_port(sim, names->data[k], error);
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
static MrcStatus sim_add_drivers(Sim *sim, const PartnerNames *names, const Log *log, int *counts,
                                 MrcError *error) {
    MrcStatus status = sim_add_mechanism(sim, names, log, &counts[0], error);
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

// ---- followers, and those that act between the steps ---------------------------------------------
static MrcStatus sim_set_ports(Sim *sim, const Drivers *drivers, PartnerPorts *ports, MrcError *error) {
    size_t n = (size_t)sim->port_count + 1;
    const char **names = arena_alloc(sim->arena, n * sizeof *names);
    sim->motions = arena_alloc(sim->arena, n * sizeof *sim->motions);
    if (!names || !sim->motions) return error_memory(error, "the ports");
    for (int p = 0; p < sim->port_count; p++) {
        names[p] = sim->ports[p].name;
        sim->motions[p] = drivers_motion(drivers, p);
    }
    *ports = (PartnerPorts){names, sim->motions, sim->port_count};
    return MRC_OK;
}

// Those of the rows that are followers, or those that are not.
static MrcStatus sim_add_rows(Sim *sim, bool followers, PartnerSetting *setting, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int k = 0; k < sim_partner_row_count && status == MRC_OK; k++) {
        const PartnerType *type = sim_partner_rows[k].type;
        const void *definition = sim_partner_definition(&sim_partner_rows[k], sim->definition);
        void *self = NULL;
        if ((type->follower != NULL) != followers) continue;
        if (type->section->is_given && !type->section->is_given(definition)) continue;
        setting->others = sim->partners, setting->other_count = sim->partner_count;
        status = type->section->create(definition, setting, sim->arena, &self, error);
        if (self) sim->partners[sim->partner_count++] = (Partner){type, definition, self};
    }
    return status;
}

static MrcStatus sim_add_guest_followers(Sim *sim, const PartnerPorts *ports, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int k = 0; k < sim->guest_count && status == MRC_OK; k++) {
        if (guest_is_driver(sim->guests[k])) continue;
        sim->partners[sim->partner_count++] = (Partner){&partner_guest_follower, NULL, sim->guests[k]};
        status = guest_bind_follower(sim->guests[k], ports, sim->arena, error);
    }
    return status;
}

static MrcStatus sim_couple(Sim *sim, const Drivers *drivers, MrcError *error) {
    Followers followers;
    CouplingPort *ports = arena_alloc(sim->arena, ((size_t)sim->port_count + 1) * sizeof *ports);
    if (!ports) return error_memory(error, "the coupling");
    for (int p = 0; p < sim->port_count; p++) {
        const PortDefinition *d = sim->ports[p].definition;
        ports[p] = (CouplingPort){sim->ports[p].name, d ? &d->container : NULL,
                                  d && carried_by_mechanism(sim->definition, d)};
    }
    MrcStatus status =
        followers_create(&followers, sim->partners + sim->driver_count,
                         sim->partner_count - sim->driver_count, sim->port_count, sim->arena, error);
    if (status == MRC_OK)
        status = coupling_create(&sim->coupling, &sim->definition->coupling, drivers, &followers, ports,
                                 sim->definition->gravity, sim->arena, error);
    sim->amplitudes = arena_alloc(sim->arena, ((size_t)sim->port_count + 1) * sizeof *sim->amplitudes);
    return status == MRC_OK && !sim->amplitudes ? error_memory(error, "the coupling") : status;
}

// Coupling sees the followers only.
static MrcStatus sim_add_others(Sim *sim, const Drivers *drivers, const SimSetting *setting,
                                MrcError *error) {
    const SimDefinition *d = sim->definition;
    BedsSteps steps = sim_beds_steps(d, drivers->all.yields);
    GrainsSetting grains = sim_grains_setting(d);
    grains.gravity = d->gravity;
    grains.keep_orientation = setting->keep_orientation || d->frames_every > 0;
    grains.keep_history = flow_is_given(&d->flow);
    grains.watch = setting->watch;
    PartnerSetting made = {.inputs = &sim->inputs,
                           .log = setting->watch ? setting->watch->log : NULL,
                           .grains = &grains,
                           .steps = &steps};
    sim->partner_count = sim->driver_count;
    MrcStatus status = sim_set_ports(sim, drivers, &made.ports, error);
    if (status == MRC_OK) status = sim_add_rows(sim, true, &made, error);
    if (status == MRC_OK) status = sim_add_guest_followers(sim, &made.ports, error);
    if (status == MRC_OK) status = sim_couple(sim, drivers, error);
    if (status == MRC_OK) status = sim_add_rows(sim, false, &made, error);
    sim->beds = partner_find(sim->partners, sim->partner_count, &partner_beds);
    return status;
}

// ---- all together --------------------------------------------------------------------------------
static MrcStatus sim_add_guests(Sim *sim, const SimSetting *setting, MrcError *error) {
    size_t guests = (size_t)setting->partner_count + (size_t)sim->definition->link_count;
    sim->guests = arena_alloc(sim->arena, (guests + 1) * sizeof *sim->guests);
    if (!sim->guests) return error_memory(error, "the partners");
    MrcStatus status = MRC_OK;
    for (int k = 0; k < setting->partner_count && status == MRC_OK; k++)
        status = guest_create(setting->partners[k], sim->arena, &sim->guests[sim->guest_count++], error);
    if (status == MRC_OK)
        status =
            links_create(&sim->links, sim->definition, sim->arena, sim->guests, &sim->guest_count, error);
    for (int k = 1; k < sim->guest_count && status == MRC_OK; k++)
        for (int other = 0; other < k; other++)
            if (strcmp(sim->guests[k]->partner.name, sim->guests[other]->partner.name) == 0)
                return error_set(error, MRC_USAGE,
                                 "two partners are called '%s': one of them needs another name",
                                 sim->guests[k]->partner.name);
    return status;
}

// Ports that partners name; nodes of the mechanism among them become ports.
static MrcStatus sim_name_ports(const Sim *sim, PartnerNames *names, MrcError *error) {
    bool fine = true;
    for (int k = 0; k < sim_partner_row_count; k++)
        fine = fine && sim_partner_rows[k].type->section->ports(
                           sim_partner_definition(&sim_partner_rows[k], sim->definition), names);
    for (int k = 0; k < sim->guest_count; k++)
        for (int p = 0; p < sim->guests[k]->partner.port_count; p++)
            fine = fine && partner_name(names, sim->guests[k]->partner.ports[p]);
    return fine ? MRC_OK : error_memory(error, "the ports");
}

static MrcStatus sim_make_partners(Sim *sim, const PartnerNames *names, const SimSetting *setting,
                                   MrcError *error) {
    enum { DRIVERS = 2 }; // mechanism, prescribed ports
    size_t ports = (size_t)sim->definition->port_count + names->count + 1;
    size_t partners = DRIVERS + (size_t)sim_partner_row_count + (size_t)sim->guest_count;
    Drivers drivers;
    sim->ports = arena_alloc(sim->arena, ports * sizeof *sim->ports);
    sim->partners = arena_alloc(sim->arena, partners * sizeof *sim->partners);
    int *counts = arena_alloc(sim->arena, partners * sizeof *counts);
    if (!sim->ports || !sim->partners || !counts) return error_memory(error, "the simulation");
    MrcStatus status =
        sim_add_drivers(sim, names, setting->watch ? setting->watch->log : NULL, counts, error);
    sim->partner_count = sim->driver_count;
    if (status == MRC_OK)
        status = drivers_create(&drivers, sim->partners, counts, sim->driver_count, sim->arena, error);
    return status == MRC_OK ? sim_add_others(sim, &drivers, setting, error) : status;
}

MrcStatus sim_add_partners(Sim *sim, const SimSetting *setting, MrcError *error) {
    const SimDefinition *d = sim->definition;
    PartnerNames names = {0};
    if (!inputs_create(&sim->inputs, sim->arena, d->inputs, d->input_count))
        return error_memory(error, "the inputs");
    MrcStatus status = sim_add_guests(sim, setting, error);
    if (status == MRC_OK) status = sim_name_ports(sim, &names, error);
    if (status == MRC_OK) status = sim_make_partners(sim, &names, setting, error);
    array_free(&names);
    return status;
}
