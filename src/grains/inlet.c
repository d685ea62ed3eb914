// Inlets: grains that are due are placed at random in the region, one by one (random sequential addition), where they
// overlap neither walls nor grains. The mass that finds no place is kept as `owed`, and tried again at the next tick.
//
// Sizes follow the bed's distribution as in grain_sizes.c, by the additive sequence of the golden ratio. The next size is
// drawn once and kept until that grain has found a place: otherwise small ones, which find a place more easily, would
// come too often.
#include <math.h>

#include "base/log.h"
#include "base/quantity.h"
#include "grains/engine.h"
#include "grains/flow.h"
#include "grains/forms.h"

static const double inlet_gap = 1e-3; // to everything else, over the radius
static const double inlet_golden = 0.61803398874989484820;
enum { inlet_tries = 400, inlet_cells_most = 64 }; // tries in a row; cells along an axis

MrcStatus inlet_create(Inlet *inlet, const InletDefinition *d, const GrainsDefinition *bed,
                       const GrainsSetting *setting, MrcError *error) {
    double least;
    inlet->definition = d;
    for (int k = 1; d->kind && k < grains_kind_count(bed); k++)
        if (strcmp(grains_kind_name(bed, k), d->kind) == 0) inlet->kind = k;
    const ParticlesDefinition *particles = inlet->particles = grains_kind(bed, inlet->kind);
    inlet->random.state = (uint64_t)d->seed;
    inlet->window.span = 0.1;
    inlet->material = material_find(setting->materials, setting->material_count, particles->material);
    inlet->density = setting->materials[inlet->material].density;
    if (!wall_bounds(&d->region.shape, &inlet->lower, &inlet->upper))
        return error_set(error, MRC_MODEL, "inlet '%s': its region has no end", d->name);
    MrcStatus status = grain_sizes_create(&inlet->sizes, particles, error);
    if (status != MRC_OK) return status;
    grain_sizes_range(&inlet->sizes, &least, &inlet->largest);
    inlet->largest *= forms_largest_stretch(particles);
    return MRC_OK;
}

void inlet_free(Inlet *inlet) {
    grain_sizes_free(&inlet->sizes);
    array_free(&inlet->items);
    array_free(&inlet->cells);
}

// ---- how much is due -----------------------------------------------------------------------------
static MrcStatus inlet_add_due(Inlet *inlet, const FlowTick *tick, MrcError *error) {
    const InletDefinition *d = inlet->definition;
    double from = fmax(inlet->last, d->from), to = fmin(tick->time, d->until);
    inlet->last = tick->time;
    if (!(to > from)) return MRC_OK;
    const Expression *rate = d->rate ? d->rate : d->count;
    double value = expression_value(rate, (TimePoint){0.5 * (from + to), tick->inputs}, NULL);
    if (!(value >= 0 && isfinite(value)))
        return error_set(error, isfinite(value) ? MRC_MODEL : MRC_NOT_FINITE,
                         "inlet '%s': its %s is %g %s at t = %g s; it must not be negative", d->name,
                         d->rate ? "rate" : "count", value, d->rate ? "kg/s" : "per second",
                         0.5 * (from + to));
    inlet->wanted += value * (to - from);
    return MRC_OK;
}

static double inlet_mass(const Inlet *inlet, int32_t shape) {
    Shape form = {.kind = SHAPE_SPHERE};
    if (inlet->particles->shape_count > 0) form = inlet->particles->shapes[shape];
    form.radius = inlet->radius;
    return inlet->density * shape_volume(&form);
}

// Among those of its kind.
static int32_t inlet_shape(const Inlet *inlet) {
    int count = inlet->particles->shape_count;
    return count > 0 ? (int32_t)((inlet->drawn - 1) % count) : 0;
}

static void inlet_draw(Inlet *inlet) {
    double share = 0.5 + inlet_golden * (double)(inlet->drawn++ + inlet->definition->seed % 1000);
    inlet->radius = grain_sizes_at(&inlet->sizes, share - floor(share));
    if (inlet->particles->stretch) inlet->radius *= inlet->particles->stretch[inlet_shape(inlet)];
}

// Is the next grain due?
static bool inlet_is_due(const Inlet *inlet, double mass) {
    const InletDefinition *d = inlet->definition;
    if (d->total_mass > 0 && inlet->mass + 0.5 * mass > d->total_mass) return false;
    if (d->total_count > 0 && inlet->count >= (double)d->total_count) return false;
    return inlet->wanted >= (d->rate ? mass : 1) * (1 - 1e-9);
}

// ---- what is in the way --------------------------------------------------------------------------
static size_t inlet_cell(const Inlet *inlet, Vec3 local) {
    size_t cell = 0;
    for (int k = 2; k >= 0; k--) {
        int c =
            (int)floor((vec3_component(local, k) - vec3_component(inlet->cell_lower, k)) / inlet->cell_size);
        c = c < 0 ? 0 : c >= inlet->cell_count[k] ? inlet->cell_count[k] - 1 : c;
        cell = cell * (size_t)inlet->cell_count[k] + (size_t)c;
    }
    return cell;
}

static bool inlet_add_item(Inlet *inlet, Vec3 local, double radius) {
    size_t cell = inlet_cell(inlet, local);
    if (!array_push(&inlet->items, (InletItem){local, radius, inlet->cells.data[cell]})) return false;
    inlet->cells.data[cell] = (int32_t)inlet->items.count - 1;
    return true;
}

static bool inlet_is_near(const Inlet *inlet, Vec3 local, double reach) {
    return local.x > inlet->lower.x - reach && local.x < inlet->upper.x + reach &&
           local.y > inlet->lower.y - reach && local.y < inlet->upper.y + reach &&
           local.z > inlet->lower.z - reach && local.z < inlet->upper.z + reach;
}

// A grain, and in a periodic bed its images, as far as they are near the region.
static bool inlet_add_images(Inlet *inlet, const Grains *g, const Motion *port, Vec3 center, double radius,
                             double reach) {
    const Periodic *p = &g->periodic;
    if (!p->any) {
        Vec3 local = motion_to_local(port, center);
        return !inlet_is_near(inlet, local, reach) || inlet_add_item(inlet, local, radius);
    }
    Vec3 around = vec3(reach, reach, reach);
    PeriodicImages images = periodic_images(p, center, vec3_sub(inlet->place.lower, around),
                                            vec3_add(inlet->place.upper, around));
    for (int64_t n = 0; n < images.count; n++) {
        Vec3 local = motion_to_local(port, periodic_image(p, &images, n));
        if (inlet_is_near(inlet, local, reach) && !inlet_add_item(inlet, local, radius)) return false;
    }
    return true;
}

// All grains near the region, in cells: two that touch are in cells side by side.
static bool inlet_gather(Inlet *inlet, const FlowTick *tick, const Motion *port) {
    const Grains *g = tick->grains;
    double largest = inlet->largest, most = 0;
    inlet->place = region_place(&inlet->definition->region, port);
    for (size_t i = 0; i < g->store.count; i++) largest = fmax(largest, g->store.radius[i]);
    double reach = 2.01 * largest;
    inlet->cell_lower = vec3_sub(inlet->lower, vec3(reach, reach, reach));
    Vec3 size = vec3_add(vec3_sub(inlet->upper, inlet->lower), vec3(2 * reach, 2 * reach, 2 * reach));
    for (int k = 0; k < 3; k++) most = fmax(most, vec3_component(size, k));
    inlet->cell_size = fmax(reach, most / inlet_cells_most);
    size_t cells = 1;
    for (int k = 0; k < 3; k++) {
        inlet->cell_count[k] = (int)ceil(vec3_component(size, k) / inlet->cell_size);
        cells *= (size_t)inlet->cell_count[k];
    }
    if (!array_resize(&inlet->cells, cells)) return false;
    for (size_t k = 0; k < cells; k++) inlet->cells.data[k] = -1;
    inlet->items.count = 0;
    for (size_t i = 0; i < g->store.count; i++) {
        if (!inlet_add_images(inlet, g, port, grain_now(g, i).center, g->store.radius[i], reach))
            return false;
    }
    for (size_t k = 0; k < tick->coming->count; k++) { // by other inlets
        const GrainNewcomer *other = &tick->coming->data[k];
        if (!inlet_add_images(inlet, g, port, other->center, other->radius, reach)) return false;
    }
    return true;
}

static bool inlet_is_free(const Inlet *inlet, Vec3 local, double radius) {
    double reach = inlet->cell_size;
    for (int k = 0; k < 27; k++) {
        Vec3 there = vec3_add(local, vec3((k % 3 - 1) * reach, (k / 3 % 3 - 1) * reach, (k / 9 - 1) * reach));
        Vec3 away = vec3_sub(there, inlet->cell_lower);
        bool inside = true;
        for (int c = 0; c < 3; c++)
            inside = inside && vec3_component(away, c) >= 0 &&
                     vec3_component(away, c) < reach * inlet->cell_count[c];
        if (!inside) continue;
        for (int32_t i = inlet->cells.data[inlet_cell(inlet, there)]; i >= 0; i = inlet->items.data[i].next) {
            const InletItem *item = &inlet->items.data[i];
            double least = item->radius + (1 + inlet_gap) * radius;
            if (vec3_norm2(vec3_sub(item->center, local)) < least * least) return false;
        }
    }
    return true;
}

// In the world; in a periodic bed within its range, where the walls are.
static Vec3 inlet_center(const FlowTick *tick, const Motion *port, Vec3 local) {
    return periodic_place(&tick->grains->periodic, motion_to_world(port, local));
}

static bool inlet_clears_walls(const FlowTick *tick, Vec3 center, double radius) {
    const GrainsDefinition *d = tick->grains->definition;
    WallContact contacts[WALL_CONTACT_MAX];
    for (int w = 0; w < d->wall_count; w++) {
        Vec3 local = motion_to_local(&tick->walls[w], center);
        if (wall_outside(&d->walls[w].shape, local) > 0) return false;
        if (wall_contacts_of_sphere(&d->walls[w].shape, local, radius, inlet_gap * radius, contacts))
            return false;
    }
    return true;
}

// A free place for the next grain; false: none was found.
static bool inlet_find_place(Inlet *inlet, const FlowTick *tick, const Motion *port, Vec3 *local) {
    const Wall *region = &inlet->definition->region.shape;
    double r = inlet->radius;
    WallContact contacts[WALL_CONTACT_MAX];
    for (int k = 0; k < inlet_tries; k++) {
        for (int c = 0; c < 3; c++) {
            double low = vec3_component(inlet->lower, c) + r, high = vec3_component(inlet->upper, c) - r;
            vec3_set_component(local, c, low + (high - low) * random_uniform(&inlet->random));
        }
        if (wall_beyond(region, *local) > 0 ||
            wall_contacts_of_sphere(region, *local, r, -1e-9 * r, contacts) > 0 ||
            !inlet_is_free(inlet, *local, r))
            continue;
        if (inlet_clears_walls(tick, inlet_center(tick, port, *local), r)) return true;
    }
    return false;
}

// ---- a tick --------------------------------------------------------------------------------------
static Quaternion inlet_orientation(Inlet *inlet, const Motion *port) {
    if (!inlet->particles->turned) return port->orientation;
    return quaternion_normalize((Quaternion){random_normal(&inlet->random), random_normal(&inlet->random),
                                             random_normal(&inlet->random), random_normal(&inlet->random)});
}

static bool inlet_add(Inlet *inlet, const FlowTick *tick, const Motion *port, Vec3 local, double mass) {
    Vec3 center = inlet_center(tick, port, local);
    Vec3 own = quaternion_rotate(port->orientation, inlet->definition->velocity);
    GrainNewcomer grain = {.center = center,
                           .velocity = vec3_add(motion_velocity_at(port, motion_to_world(port, local)), own),
                           .spin = port->angular_velocity,
                           .orientation = inlet_orientation(inlet, port),
                           .radius = inlet->radius,
                           .inverse_mass = 1 / mass,
                           .shape = inlet->particles->first_shape + inlet_shape(inlet),
                           .material = inlet->material,
                           .kind = inlet->kind,
                           .marks = meter_marks(tick, center)};
    bool added = tick->grains->periodic.any
                     ? inlet_add_images(inlet, tick->grains, port, center, inlet->radius, inlet->cell_size)
                     : inlet_add_item(inlet, local, inlet->radius);
    if (!added || !array_push(tick->coming, grain)) return false;
    inlet->count++;
    inlet->mass += mass;
    inlet->wanted -= inlet->definition->rate ? mass : 1;
    flow_window_add(&inlet->window, mass, 0);
    inlet_draw(inlet);
    return true;
}

// Never more than what is left of a total.
static double inlet_owed(const Inlet *inlet, double mass) {
    const InletDefinition *d = inlet->definition;
    double owed = inlet->wanted * (d->rate ? 1 : mass);
    if (!inlet->full) return 0;
    if (d->total_mass > 0) owed = fmin(owed, fmax(d->total_mass - inlet->mass, 0));
    if (d->total_count > 0) owed = fmin(owed, ((double)d->total_count - inlet->count) * mass);
    return owed;
}

static void inlet_warn(Inlet *inlet, const FlowTick *tick) {
    char owed[QUANTITY_SIZE];
    double grain = inlet->density * sphere_volume(inlet->largest);
    if (inlet->warned || !inlet->full || inlet->owed < fmax(10 * grain, 0.05 * inlet->mass)) return;
    inlet->warned = true;
    log_warning(
        tick->log,
        "at t = %.6g s the region of inlet '%s' has no room for the grains that are due: %s is owed and "
        "comes when there is room; a larger region, a higher 'velocity' or a lower rate would help",
        tick->time, inlet->definition->name, quantity_text(owed, inlet->owed, "kg", 3));
}

MrcStatus inlet_tick(Inlet *inlet, const FlowTick *tick, MrcError *error) {
    const Motion port = flow_port(tick, inlet->port);
    MrcStatus status = inlet_add_due(inlet, tick, error);
    if (status != MRC_OK) return status;
    flow_window_move(&inlet->window, tick->time);
    if (!(inlet->radius > 0)) inlet_draw(inlet);
    double mass = inlet_mass(inlet, inlet_shape(inlet));
    inlet->full = false;
    if (inlet_is_due(inlet, mass)) {
        if (!inlet_gather(inlet, tick, &port)) return error_memory(error, "an inlet");
        Vec3 local;
        while (!inlet->full && inlet_is_due(inlet, mass)) {
            inlet->full = !inlet_find_place(inlet, tick, &port, &local);
            if (!inlet->full && !inlet_add(inlet, tick, &port, local, mass))
                return error_memory(error, "an inlet");
            mass = inlet_mass(inlet, inlet_shape(inlet));
        }
    }
    inlet->owed = inlet_owed(inlet, mass);
    inlet->flow = flow_window_rate(&inlet->window, tick->time);
    inlet_warn(inlet, tick);
    return MRC_OK;
}

void inlet_archive(Inlet *inlet, Archive *archive) {
    double flags = inlet->full + 2 * inlet->warned;
    double *values[] = {&inlet->radius, &inlet->last, &inlet->wanted, &inlet->count,
                        &inlet->mass,   &inlet->flow, &inlet->owed,   &flags};
    int64_t numbers[] = {(int64_t)inlet->random.state, inlet->drawn};
    archive_scattered_doubles(archive, "values", values, sizeof values / sizeof *values);
    archive_bits64(archive, "numbers", numbers, 2);
    flow_window_archive(&inlet->window, archive);
    inlet->random.state = (uint64_t)numbers[0], inlet->drawn = numbers[1];
    inlet->full = flags == 1 || flags == 3, inlet->warned = flags == 2 || flags == 3;
    if (archive_is_foreign(archive) && archive_status(archive, NULL) == MRC_OK &&
        !(inlet->radius >= 0 && inlet->radius <= inlet->largest && inlet->drawn >= 0 &&
          inlet->drawn <= ARCHIVE_COUNT_MOST && (inlet->radius == 0 || inlet->drawn > 0)))
        archive_fail(archive, MRC_CHECKPOINT, "values", "the next grain has no size");
    flow_check_count(inlet->count, archive);
}
