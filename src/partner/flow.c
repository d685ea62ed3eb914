#include "partner/flow.h"

#include <math.h>
#include <string.h>

#include "grains/engine.h"
#include "grains/method.h"

// ---- creation ------------------------------------------------------------------------------------
static int flow_find_bed(const Beds *beds, const char *name) {
    for (int b = 0; b < beds->count; b++)
        if (strcmp(beds->items[b].definition->name, name) == 0) return b;
    return 0; // the model has been checked
}

static MrcStatus flow_create_inlets(FlowPartner *f, const PartnerSetting *s, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int k = 0; k < f->definition->inlet_count && status == MRC_OK; k++) {
        const InletDefinition *d = &f->definition->inlets[k];
        Inlet *inlet = &f->inlets[k];
        inlet->bed = flow_find_bed(f->beds, d->bed);
        inlet->port = partner_find_port(&s->ports, d->port);
        status = inlet_create(inlet, d, f->beds->items[inlet->bed].definition, s->grains, error);
        f->items[inlet->bed].used = true;
    }
    return status;
}

static MrcStatus flow_create_meters(FlowPartner *f, const PartnerSetting *s, MrcError *error) {
    for (int k = 0; k < f->definition->meter_count; k++) {
        const MeterDefinition *d = &f->definition->meters[k];
        int bed = flow_find_bed(f->beds, d->bed), planes = 0;
        for (int other = 0; other < k; other++)
            planes += f->meters[other].bed == bed && f->meters[other].mark;
        if (d->by_plane && planes >= 31)
            return error_set(error, MRC_MODEL, "meter '%s': a bed has at most 31 planes that count", d->name);
        f->meters[k] = (Meter){.definition = d,
                               .bed = bed,
                               .port = partner_find_port(&s->ports, d->port),
                               .mark = d->by_plane ? (int32_t)1 << planes : 0,
                               .window.span = d->window};
        f->items[bed].used = true;
    }
    return MRC_OK;
}

static bool flow_section_is_given(const void *definition) { return flow_is_given(definition); }

static bool flow_section_ports(const void *definition, PartnerNames *names) {
    const FlowDefinition *d = definition;
    bool fine = true;
    for (int k = 0; k < d->inlet_count; k++) fine = fine && partner_name(names, d->inlets[k].port);
    for (int k = 0; k < d->outlet_count; k++) fine = fine && partner_name(names, d->outlets[k].port);
    for (int k = 0; k < d->meter_count; k++) fine = fine && partner_name(names, d->meters[k].port);
    return fine;
}

static MrcStatus flow_create(const void *definition, const PartnerSetting *s, Arena *arena, void **out,
                             MrcError *error) {
    const FlowDefinition *d = definition;
    FlowPartner *f = *out = arena_alloc(arena, sizeof *f);
    if (!f) return error_memory(error, "the inlets and outlets");
    *f = (FlowPartner){.definition = d,
                       .beds = partner_find(s->others, s->other_count, &partner_beds),
                       .inputs = s->inputs,
                       .log = s->log};
    f->inlets = arena_alloc(arena, ((size_t)d->inlet_count + 1) * sizeof *f->inlets);
    f->outlets = arena_alloc(arena, ((size_t)d->outlet_count + 1) * sizeof *f->outlets);
    f->meters = arena_alloc(arena, ((size_t)d->meter_count + 1) * sizeof *f->meters);
    f->items = arena_alloc(arena, ((size_t)f->beds->count + 1) * sizeof *f->items);
    if (!f->inlets || !f->outlets || !f->meters || !f->items)
        return error_memory(error, "the inlets and outlets");
    for (int k = 0; k < d->outlet_count; k++) {
        int bed = flow_find_bed(f->beds, d->outlets[k].bed);
        f->outlets[k] = (Outlet){.definition = &d->outlets[k],
                                 .bed = bed,
                                 .port = partner_find_port(&s->ports, d->outlets[k].port),
                                 .window.span = 0.1};
        f->items[bed].used = true;
    }
    MrcStatus status = flow_create_meters(f, s, error);
    return status == MRC_OK ? flow_create_inlets(f, s, error) : status;
}

static void flow_destroy(void *self) {
    FlowPartner *f = self;
    for (int k = 0; k < f->definition->inlet_count; k++) inlet_free(&f->inlets[k]);
    array_free(&f->leaving);
    array_free(&f->coming);
}

// ---- a tick --------------------------------------------------------------------------------------
static void flow_include_shape(const Wall *shape, const Motion *port, Vec3 *lower, Vec3 *upper) {
    Vec3 low, high;
    if (!wall_bounds(shape, &low, &high)) return;
    for (int c = 0; c < 8; c++)
        lost_include(motion_to_world(
                         port, vec3(c & 1 ? high.x : low.x, c & 2 ? high.y : low.y, c & 4 ? high.z : low.z)),
                     lower, upper);
}

// Tells the search for lost grains how far inlets, outlets and meters reach: grains falling towards an outlet are not
// lost.
static void flow_set_extent(FlowPartner *f, const FlowTick *tick) {
    Vec3 lower = vec3(INFINITY, INFINITY, INFINITY), upper = vec3_neg(lower);
    for (int k = 0; k < f->definition->inlet_count; k++) {
        Motion port = flow_port(tick, f->inlets[k].port);
        if (f->inlets[k].bed == tick->bed)
            flow_include_shape(&f->definition->inlets[k].region.shape, &port, &lower, &upper);
    }
    tick->grains->flow_way_count = 0;
    for (int k = 0; k < f->definition->outlet_count; k++) {
        const OutletDefinition *d = &f->definition->outlets[k];
        Motion port = flow_port(tick, f->outlets[k].port);
        if (f->outlets[k].bed != tick->bed) continue;
        if (d->by_plane) {
            lost_include(motion_to_world(&port, d->plane.point), &lower, &upper);
            if (tick->grains->flow_way_count < FLOW_WAYS)
                tick->grains->flow_ways[tick->grains->flow_way_count++] =
                    quaternion_rotate(port.orientation, d->plane.normal);
        } else flow_include_shape(&d->region.shape, &port, &lower, &upper);
    }
    tick->grains->flow_lower = lower, tick->grains->flow_upper = upper;
}

// Does now what the next step would do first (measuring does so, too), so that a tick gives the same result whether or
// not the bed was measured before it.
static MrcStatus flow_make_ready(const FlowTick *tick, MrcError *error) {
    bool open;
    if (tick->grains->store.count == 0) return MRC_OK;
    return tick->grains->method->settling.is_open(tick->grains, tick->walls, &open, error);
}

// Marks grains that leave; returns their number.
static size_t flow_leave(FlowPartner *f, const FlowTick *tick) {
    Grains *g = tick->grains;
    size_t leaving = 0;
    if (f->leaving.count > 0) memset(f->leaving.data, 0, f->leaving.count);
    for (int k = 0; k < f->definition->outlet_count; k++) {
        Outlet *outlet = &f->outlets[k];
        if (outlet->bed != tick->bed) continue;
        const Motion port = flow_port(tick, outlet->port);
        flow_window_move(&outlet->window, tick->time);
        outlet_place(outlet, &port);
        for (size_t i = 0; i < g->store.count; i++) {
            GrainMotion now = grain_now(g, i);
            if (f->leaving.data[i] || !outlet_takes(outlet, &g->periodic, now.center)) continue;
            f->leaving.data[i] = 1;
            leaving++;
            outlet_count(outlet, 1 / grain_inverse_mass(g, i), vec3_norm(now.velocity),
                         tick->time - g->store.born[i]);
        }
        outlet->flow = flow_window_rate(&outlet->window, tick->time);
    }
    return leaving;
}

static MrcStatus flow_tick_bed(FlowPartner *f, int bed, double time, const Motion *ports, MrcError *error) {
    Bed *item = &f->beds->items[bed];
    for (int w = 0; w < item->definition->wall_count; w++)
        item->motions[w] = item->wall_ports[w] < 0 ? motion_at_rest() : ports[item->wall_ports[w]];
    item->frame = item->port < 0 ? motion_at_rest() : ports[item->port];
    FlowTick tick = {.grains = item->grains,
                     .time = time,
                     .walls = item->motions,
                     .ports = ports,
                     .inputs = f->inputs,
                     .coming = &f->coming,
                     .meters = f->meters,
                     .meter_count = f->definition->meter_count,
                     .bed = bed,
                     .log = f->log};
    MrcStatus status = flow_make_ready(&tick, error);
    if (status != MRC_OK) return status;
    if (!array_resize(&f->leaving, item->grains->store.count)) return error_memory(error, "the outlets");
    flow_set_extent(f, &tick);
    for (int k = 0; k < f->definition->meter_count; k++)
        if (f->meters[k].bed == bed) meter_tick(&f->meters[k], &tick, f->ticks == 0);
    size_t leaving = flow_leave(f, &tick);
    f->coming.count = 0;
    for (int k = 0; k < f->definition->inlet_count && status == MRC_OK; k++)
        if (f->inlets[k].bed == bed) status = inlet_tick(&f->inlets[k], &tick, error);
    if (status != MRC_OK) return status;
    GrainsChange change = {.leaving = f->leaving.data,
                           .leaving_count = leaving,
                           .coming = f->coming.data,
                           .coming_count = f->coming.count,
                           .time = time};
    status = grains_change(item->grains, &change, &item->frame, item->motions, error);
    return status == MRC_OK ? grains_check_lost(item->grains, item->motions, error) : status;
}

static bool flow_is_due(const void *self, double time) {
    return time >= ((const FlowPartner *)self)->next * (1 - 1e-12);
}

// The largest speed of a corner of an outlet's region within the next `ahead` seconds [m/s]: a port may carry the
// region over grains at rest.
static double flow_outlet_speed(const Outlet *outlet, const Motion *ports, double ahead) {
    Vec3 low, high;
    const OutletDefinition *d = outlet->definition;
    if (d->by_plane || outlet->port < 0 || !wall_bounds(&d->region.shape, &low, &high)) return 0;
    const Motion *port = &ports[outlet->port];
    double fastest = 0;
    for (int c = 0; c < 8; c++) {
        Vec3 corner = motion_to_world(
            port, vec3(c & 1 ? high.x : low.x, c & 2 ? high.y : low.y, c & 4 ? high.z : low.z));
        Vec3 arm = vec3_sub(corner, port->position);
        Vec3 gain = vec3_add(port->acceleration, vec3_cross(port->angular_acceleration, arm));
        fastest = fmax(fastest, vec3_norm(motion_velocity_at(port, corner)) + ahead * vec3_norm(gain));
    }
    return fastest;
}

// Likewise of the plane of a meter [m/s]. In a periodic bed it must not move by half a length past a grain between two
// ticks: the crossing would be missed.
static double flow_meter_speed(const Meter *meter, const Motion *ports, double ahead) {
    if (!meter->definition->by_plane || meter->port < 0) return 0;
    const Motion *port = &ports[meter->port];
    Vec3 point = motion_to_world(port, meter->definition->plane.point);
    return vec3_norm(motion_velocity_at(port, point)) + ahead * vec3_norm(port->acceleration);
}

// Time to the next tick [s]: the fastest grain then has moved by about a radius relative to every outlet. It is short
// for beds with inlets, so that what is due comes in small portions.
static double flow_interval(const FlowPartner *f, int bed, const Motion *ports) {
    const Grains *g = f->beds->items[bed].grains;
    double fastest = 0, outlet = 0, longest = 10e-3; // [s]
    for (int k = 0; k < f->definition->inlet_count; k++)
        if (f->inlets[k].bed == bed) longest = 1e-3;
    for (int k = 0; k < f->definition->outlet_count; k++)
        if (f->outlets[k].bed == bed)
            outlet = fmax(outlet, flow_outlet_speed(&f->outlets[k], ports, longest));
    for (int k = 0; k < f->definition->meter_count && g->periodic.any; k++)
        if (f->meters[k].bed == bed) outlet = fmax(outlet, flow_meter_speed(&f->meters[k], ports, longest));
    for (size_t i = 0; i < g->store.count; i++) fastest = fmax(fastest, vec3_norm2(grain_now(g, i).velocity));
    return fmin(longest, g->radius / (sqrt(fastest) + outlet + longest * vec3_norm(g->gravity) + 1e-300));
}

static MrcStatus flow_tick(void *self, double time, const Motion *ports, MrcError *error) {
    FlowPartner *f = self;
    MrcStatus status = MRC_OK;
    double interval = INFINITY;
    for (int b = 0; b < f->beds->count && status == MRC_OK; b++) {
        if (!f->items[b].used) continue;
        status = flow_tick_bed(f, b, time, ports, error);
        interval = fmin(interval, flow_interval(f, b, ports));
    }
    f->next = time + interval;
    f->ticks++;
    return status;
}

// ---- signals -------------------------------------------------------------------------------------
#define DIM_FLOW DIMENSION(0, 1, -1, 0)
#define ROW(type, suffix, dimension, member, words, unit)                                                    \
    { suffix, dimension, offsetof(type, member), words, unit }
static const SignalRow inlet_rows[] = {
    ROW(Inlet, "mass", DIM_MASS, mass, "mass that has come in since the start", NULL),
    ROW(Inlet, "count", DIM_NUMBER, count, "grains that have come in since the start", NULL),
    ROW(Inlet, "flow", DIM_FLOW, flow, "mass that comes in per time, over the last 0.1 s", "kg/s"),
    ROW(Inlet, "owed", DIM_MASS, owed, "mass that is due but finds no room in the region", NULL),
};
static const SignalRow outlet_rows[] = {
    ROW(Outlet, "mass", DIM_MASS, mass, "mass that has left since the start", NULL),
    ROW(Outlet, "count", DIM_NUMBER, count, "grains that have left since the start", NULL),
    ROW(Outlet, "flow", DIM_FLOW, flow, "mass that leaves per time, over the last 0.1 s", "kg/s"),
    ROW(Outlet, "residence", DIM_TIME, residence, "mean time that those which have left were in the bed",
        NULL),
};
static const SignalRow meter_rows[] = {
    ROW(Meter, "mass", DIM_MASS, mass, "mass that has crossed the plane, or that is in the box", NULL),
    ROW(Meter, "count", DIM_NUMBER, count, "grains that have crossed the plane, or that are in the box",
        NULL),
    ROW(Meter, "flow", DIM_FLOW, flow, "mass per time along the normal or direction", "kg/s"),
    ROW(Meter, "velocity", DIM_VELOCITY, velocity, "mean velocity along the normal or direction", NULL),
};
static const SignalRow bed_rows[] = {
    ROW(FlowBed, "holdup.mass", DIM_MASS, mass, "mass of the grains that are in the bed", NULL),
    ROW(FlowBed, "holdup.count", DIM_NUMBER, count, "grains that are in the bed", NULL),
};
#define COUNT(rows) ((int)(sizeof(rows) / sizeof *(rows)))

// Does any device name the bed?
static bool flow_names_bed(const FlowDefinition *d, const char *bed, int before_inlet, int before_outlet,
                           int before_meter) {
    for (int k = 0; k < before_inlet; k++)
        if (strcmp(d->inlets[k].bed, bed) == 0) return true;
    for (int k = 0; k < before_outlet; k++)
        if (strcmp(d->outlets[k].bed, bed) == 0) return true;
    for (int k = 0; k < before_meter; k++)
        if (strcmp(d->meters[k].bed, bed) == 0) return true;
    return false;
}

static void flow_bed_signals(const char *bed, FlowPartner *f, SignalList *list) {
    signal_list_add(list, bed, bed_rows, COUNT(bed_rows), f ? &f->items[flow_find_bed(f->beds, bed)] : NULL);
}

// Of each bed once, with the first device that names it.
static void flow_signals(const void *definition, void *self, SignalList *list) {
    const FlowDefinition *d = definition;
    FlowPartner *f = self;
    for (int k = 0; k < d->inlet_count; k++) {
        signal_list_add(list, d->inlets[k].name, inlet_rows, COUNT(inlet_rows), f ? &f->inlets[k] : NULL);
        if (!flow_names_bed(d, d->inlets[k].bed, k, 0, 0)) flow_bed_signals(d->inlets[k].bed, f, list);
    }
    for (int k = 0; k < d->outlet_count; k++) {
        signal_list_add(list, d->outlets[k].name, outlet_rows, COUNT(outlet_rows), f ? &f->outlets[k] : NULL);
        if (!flow_names_bed(d, d->outlets[k].bed, d->inlet_count, k, 0))
            flow_bed_signals(d->outlets[k].bed, f, list);
    }
    for (int k = 0; k < d->meter_count; k++) {
        signal_list_add(list, d->meters[k].name, meter_rows, COUNT(meter_rows), f ? &f->meters[k] : NULL);
        if (!flow_names_bed(d, d->meters[k].bed, d->inlet_count, d->outlet_count, k))
            flow_bed_signals(d->meters[k].bed, f, list);
    }
}

static MrcStatus flow_measure(void *self, const Motion *ports, MrcError *error) {
    FlowPartner *f = self;
    (void)error;
    for (int k = 0; k < f->definition->meter_count; k++) { // planes count at ticks, boxes at each sample
        FlowTick tick = {.grains = f->beds->items[f->meters[k].bed].grains, .ports = ports};
        if (!f->meters[k].definition->by_plane) meter_look_into_box(&f->meters[k], &tick);
    }
    for (int b = 0; b < f->beds->count; b++) {
        f->items[b].count = (double)grains_count(f->beds->items[b].grains);
        f->items[b].mass = grains_mass(f->beds->items[b].grains);
    }
    return MRC_OK;
}

// ---- state and facts -----------------------------------------------------------------------------
// Where grains may still be on their way to an outlet, until the next tick finds it anew.
static void flow_extent_archive(Grains *g, Archive *archive) {
    int64_t count = g->flow_way_count;
    double *ends[] = {&g->flow_lower.x, &g->flow_lower.y, &g->flow_lower.z,
                      &g->flow_upper.x, &g->flow_upper.y, &g->flow_upper.z};
    archive_scattered_doubles(archive, "extent", ends, sizeof ends / sizeof *ends);
    archive_doubles(archive, "ways", &g->flow_ways[0].x, (size_t)3 * FLOW_WAYS);
    archive_counts(archive, "way_count", &count, 1);
    if (archive_is_foreign(archive) && archive_status(archive, NULL) == MRC_OK && count > FLOW_WAYS)
        archive_fail(archive, MRC_CHECKPOINT, "way_count", "it cannot be %lld", (long long)count);
    else g->flow_way_count = (int)count;
}

static void flow_archive(void *self, Archive *archive) {
    FlowPartner *f = self;
    archive_doubles(archive, "next", &f->next, 1);
    archive_counts(archive, "ticks", &f->ticks, 1);
    for (int b = 0; b < f->beds->count; b++) {
        if (!f->items[b].used) continue;
        archive_group_begin(archive, f->beds->items[b].definition->name);
        flow_extent_archive(f->beds->items[b].grains, archive);
        archive_group_end(archive, f->beds->items[b].definition->name);
    }
    for (int k = 0; k < f->definition->inlet_count; k++) {
        archive_group_begin(archive, f->definition->inlets[k].name);
        inlet_archive(&f->inlets[k], archive);
        archive_group_end(archive, f->definition->inlets[k].name);
    }
    for (int k = 0; k < f->definition->outlet_count; k++) {
        archive_group_begin(archive, f->definition->outlets[k].name);
        outlet_archive(&f->outlets[k], archive);
        archive_group_end(archive, f->definition->outlets[k].name);
    }
    for (int k = 0; k < f->definition->meter_count; k++) {
        archive_group_begin(archive, f->definition->meters[k].name);
        meter_archive(&f->meters[k], archive);
        archive_group_end(archive, f->definition->meters[k].name);
    }
}

static void flow_facts(const void *self, FactList *list) {
    const FlowPartner *f = self;
    fact_group_begin(list, "flow");
    for (int k = 0; k < f->definition->inlet_count; k++) {
        const Inlet *inlet = &f->inlets[k];
        fact_group_begin(list, inlet->definition->name);
        fact_count(list, "in_count", (int64_t)inlet->count, "grains that came in");
        fact_number(list, "in_mass_kg", inlet->mass, "kg", "mass that came in");
        fact_number(list, "owed_mass_kg", inlet->owed, "kg", "mass that found no room");
        fact_group_end(list);
    }
    for (int k = 0; k < f->definition->outlet_count; k++) {
        const Outlet *outlet = &f->outlets[k];
        fact_group_begin(list, outlet->definition->name);
        fact_count(list, "out_count", (int64_t)outlet->count, "grains that left");
        fact_number(list, "out_mass_kg", outlet->mass, "kg", "mass that left");
        fact_number(list, "flow_kg_per_s", outlet->flow, "kg/s", "flow at the end");
        fact_number(list, "residence_s", outlet->residence, "s", "mean time in the bed of what left");
        fact_group_end(list);
    }
    for (int k = 0; k < f->definition->meter_count; k++) {
        const Meter *meter = &f->meters[k];
        bool plane = meter->definition->by_plane;
        fact_group_begin(list, meter->definition->name);
        fact_count(list, plane ? "passed_count" : "inside_count", (int64_t)meter->count,
                   plane ? "grains that passed" : "grains in the box");
        fact_number(list, plane ? "passed_mass_kg" : "inside_mass_kg", meter->mass, "kg",
                    plane ? "mass that passed" : "mass in the box");
        fact_number(list, "flow_kg_per_s", meter->flow, "kg/s", "flow at the end");
        fact_number(list, "velocity_m_per_s", meter->velocity, "m/s", "velocity at the end");
        fact_group_end(list);
    }
    for (int b = 0; b < f->beds->count; b++) {
        if (!f->items[b].used) continue;
        const Bed *bed = &f->beds->items[b];
        fact_group_begin(list, bed->definition->name);
        fact_count(list, "holdup_count", (int64_t)grains_count(bed->grains), "grains in the bed");
        fact_number(list, "holdup_mass_kg", grains_mass(bed->grains), "kg", "mass in the bed");
        fact_group_end(list);
    }
    fact_group_end(list);
}

static const PartnerSection flow_section = {flow_section_is_given, flow_section_ports, flow_create};

const PartnerType partner_flow = {
    .kind = "flow",
    .section = &flow_section,
    .signals = flow_signals,
    .measure = flow_measure,
    .archive = flow_archive,
    .facts = flow_facts,
    .is_due = flow_is_due,
    .before_step = flow_tick,
    .destroy = flow_destroy,
};
