// What can be recorded of beds beside position, energy and load (grains/measure.h): single grains, filling, wear, forces
// between grains, regions and kinds of grains.
#include <stdlib.h>
#include <string.h>

#include "grains/method.h"
#include "partner/beds.h"

// ---- single grains -------------------------------------------------------------------------------
#define GRAIN_ROW(suffix, dimension, member, words)                                                          \
    { suffix, dimension, offsetof(WatchedGrain, member), words, NULL }
static const SignalRow beds_grain_rows[] = {
    GRAIN_ROW("x", DIM_LENGTH, position.x, "position of the grain's centre, along x of the world"),
    GRAIN_ROW("y", DIM_LENGTH, position.y, "position of the grain's centre, along y of the world"),
    GRAIN_ROW("z", DIM_LENGTH, position.z, "position of the grain's centre, along z of the world"),
    GRAIN_ROW("vx", DIM_VELOCITY, velocity.x, "velocity of the grain's centre, along x of the world"),
    GRAIN_ROW("vy", DIM_VELOCITY, velocity.y, "velocity of the grain's centre, along y of the world"),
    GRAIN_ROW("vz", DIM_VELOCITY, velocity.z, "velocity of the grain's centre, along z of the world"),
};
enum { BEDS_GRAIN_ROWS = sizeof beds_grain_rows / sizeof *beds_grain_rows };

// "damper.grain.17" or "damper.grain.17.vx"; false: no signal of a single grain of this bed.
static bool beds_asked_grain(const char *asked, const char *bed, size_t *id) {
    size_t length = strlen(bed);
    static const char between[] = ".grain.";
    if (strncmp(asked, bed, length) != 0 || strncmp(asked + length, between, sizeof between - 1) != 0)
        return false;
    const char *digits = asked + length + sizeof between - 1;
    size_t count = strspn(digits, "0123456789");
    if (count == 0 || count > 9 || (count > 1 && *digits == '0')) return false;
    *id = strtoull(digits, NULL, 10);
    return digits[count] == '\0' || digits[count] == '.';
}

// By an earlier one of the names that are asked for, such as "damper.grain.17.x" before "damper.grain.17.z".
static bool beds_asked_before(const SignalList *list, int end, const char *bed, size_t id) {
    size_t other;
    for (int a = 0; a < end; a++)
        if (beds_asked_grain(list->asked[a], bed, &other) && other == id) return true;
    return false;
}

static bool beds_has_grain(const Bed *bed, size_t id) {
    return grains_find(bed->grains, (int64_t)id) < grains_count(bed->grains);
}

// Signals of the single grains that the model asks for; with an inlet they may not have come yet. `bed` NULL: names
// only.
static void beds_grain_signals(const char *name, Bed *bed, SignalList *list) {
    for (int a = 0; a < list->asked_count; a++) {
        WatchedGrain *grain = NULL;
        size_t id;
        if (!beds_asked_grain(list->asked[a], name, &id) || beds_asked_before(list, a, name, id)) continue;
        if (bed && !bed->definition->fed && !beds_has_grain(bed, id)) continue;
        const char *thing = arena_printf(list->arena, "%s.grain.%zu", name, id);
        if (bed) grain = arena_alloc(list->arena, sizeof *grain);
        if (!thing || (bed && !grain)) {
            list->incomplete = true;
            return;
        }
        if (grain) {
            *grain = (WatchedGrain){.id = id, .next = bed->watched};
            bed->watched = grain;
        }
        signal_list_add_on_request(list, thing, beds_grain_rows, BEDS_GRAIN_ROWS, grain);
    }
}

static void beds_measure_grains(Bed *bed) {
    if (!bed->watched) return;
    const GrainStore *s = grains_view(bed->grains);
    for (WatchedGrain *grain = bed->watched; grain; grain = grain->next) {
        size_t k = grains_find(bed->grains, (int64_t)grain->id);
        bool there = k < s->count; // else zero: its last known state would depend on the times of sampling
        grain->position = there ? vec3(s->x[k], s->y[k], s->z[k]) : vec3_zero();
        grain->velocity = there ? vec3(s->vx[k], s->vy[k], s->vz[k]) : vec3_zero();
    }
}

// ---- how full it is ------------------------------------------------------------------------------
#define FILLING_ROW(suffix, dimension, member, words)                                                        \
    { suffix, dimension, offsetof(BedFilling, member), words, NULL }
static const SignalRow beds_filling_rows[] = {
    FILLING_ROW("top", DIM_LENGTH, top,
                "highest point of all grains, against gravity from the world's origin"),
    FILLING_ROW("height", DIM_LENGTH, height, "from the lowest point of all grains to the highest one"),
    FILLING_ROW("filling", DIM_NUMBER, filling,
                "volume of the grains over that of the room; 0 when it has no end"),
};

// Recorded when they are asked for.
static void beds_filling_signals(const char *name, const Bed *bed, SignalList *list) {
    signal_list_add_on_request(list, name, beds_filling_rows,
                               sizeof beds_filling_rows / sizeof *beds_filling_rows,
                               bed ? &bed->filling : NULL);
}

// ---- wear ----------------------------------------------------------------------------------------
#define WEAR_ROW(suffix, dimension, member, words, unit)                                                     \
    { suffix, dimension, offsetof(WallWear, member), words, unit }
static const SignalRow beds_wear_rows[] = {
    WEAR_ROW("friction", DIM_ENERGY, friction, "work of friction on this wall since the start", "J"),
    WEAR_ROW("impact", DIM_ENERGY, impact, "dissipated by impacts on this wall since the start", "J"),
    WEAR_ROW("wear", DIM_VOLUME, volume, "volume worn off this wall since the start, after Archard", NULL),
};

// Recorded when they are asked for.
static void beds_wear_signals(const GrainsDefinition *d, const Bed *bed, SignalList *list) {
    for (int w = 0; w < d->wall_count; w++) {
        const char *name = arena_printf(list->arena, "%s.%s", d->name, d->walls[w].name);
        if (!name) list->incomplete = true;
        else
            signal_list_add_on_request(list, name, beds_wear_rows,
                                       sizeof beds_wear_rows / sizeof *beds_wear_rows,
                                       bed ? &grains_wear(bed->grains)[w] : NULL);
    }
}

// ---- forces between grains, and regions ----------------------------------------------------------
#define FORCE_ROW(suffix, dimension, member, words)                                                          \
    { suffix, dimension, offsetof(GrainsForces, member), words, NULL }
static const SignalRow beds_force_rows[] = {
    FORCE_ROW("forces.pairs", DIM_NUMBER, pairs, "pairs of rigid grains that touch"),
    FORCE_ROW("forces.neighbours", DIM_NUMBER, neighbours, "touching neighbours of a rigid grain on average"),
    FORCE_ROW("forces.mean", DIM_FORCE, mean, "mean force of a pair of rigid grains"),
    FORCE_ROW("forces.largest", DIM_FORCE, largest, "largest force of a pair of rigid grains"),
    FORCE_ROW("forces.strong", DIM_NUMBER, strong, "share of the pairs with more than the mean force"),
    FORCE_ROW("forces.carried", DIM_NUMBER, carried, "share of all forces that these carry"),
};

#define REGION_ROW(suffix, member, words)                                                                    \
    { suffix, DIM_NUMBER, offsetof(RegionMeasure, member), words, NULL }
static const SignalRow beds_region_rows[] = {
    REGION_ROW("compactness", compactness, "share of the region that is inside grains"),
    REGION_ROW("count", count, "grains whose centre is in the region"),
};

static void beds_force_signals(const GrainsDefinition *d, const Bed *bed, SignalList *list) {
    if (grains_method(d)->forces) // other methods would record zeros
        signal_list_add_on_request(list, d->name, beds_force_rows,
                                   sizeof beds_force_rows / sizeof *beds_force_rows,
                                   bed ? &bed->forces : NULL);
    for (int r = 0; r < d->region_count; r++) {
        const char *name = arena_printf(list->arena, "%s.%s", d->name, d->regions[r].name);
        if (!name) list->incomplete = true;
        else
            signal_list_add(list, name, beds_region_rows, sizeof beds_region_rows / sizeof *beds_region_rows,
                            bed ? &bed->regions[r] : NULL);
    }
}

// ---- kinds of grains -----------------------------------------------------------------------------
#define KIND_ROW(suffix, dimension, member, words)                                                           \
    { suffix, dimension, offsetof(KindMeasure, member), words, NULL }
static const SignalRow beds_kind_rows[] = {
    KIND_ROW("count", DIM_NUMBER, count, "grains of this kind"),
    KIND_ROW("mass", DIM_MASS, mass, "mass of this kind"),
    KIND_ROW("center.x", DIM_LENGTH, center.x, "centre of mass of this kind, along x of the world"),
    KIND_ROW("center.y", DIM_LENGTH, center.y, "centre of mass of this kind, along y of the world"),
    KIND_ROW("center.z", DIM_LENGTH, center.z, "centre of mass of this kind, along z of the world"),
};
static const SignalRow beds_mixing_row = {
    "mixing", DIM_NUMBER, offsetof(Bed, mixing),
    "mixing index of Lacey: 0 of kinds that are apart, 1 of a random mixture", NULL};

static void beds_kind_signals(const GrainsDefinition *d, const Bed *bed, SignalList *list) {
    for (int k = 0; d->more_count > 0 && k < grains_kind_count(d); k++) {
        const char *name = arena_printf(list->arena, "%s.%s", d->name, grains_kind_name(d, k));
        if (!name) list->incomplete = true;
        else
            signal_list_add(list, name, beds_kind_rows, sizeof beds_kind_rows / sizeof *beds_kind_rows,
                            bed ? &bed->kinds[k] : NULL);
    }
    if (d->more_count > 0) signal_list_add(list, d->name, &beds_mixing_row, 1, bed);
}

// ---- all signals ---------------------------------------------------------------------------------
// Wall parts have signals of their own, `damper.left.load.fx`, when there is more than one. The moment is about
// the origin of the part's own port.
void beds_signals(const void *definition, void *self, SignalList *list) {
    const BedsDefinition *d = definition;
    Beds *b = self;
    for (int g = 0; g < d->count; g++) {
        const GrainsDefinition *bed = &d->grains[g];
        const GrainsMeasure *measure = b ? &b->items[g].measure : NULL;
        const Load *loads = b ? grains_measured_loads(b->items[g].grains) : NULL;
        signal_list_add(list, bed->name, grains_signals, grains_signal_count, measure);
        for (int w = 0; bed->wall_count > 1 && w < bed->wall_count; w++) {
            const char *name = arena_printf(list->arena, "%s.%s", bed->name, bed->walls[w].name);
            if (!name) list->incomplete = true;
            else
                signal_list_add(list, name, load_signal_rows, load_signal_row_count,
                                loads ? &loads[w] : NULL);
        }
        beds_filling_signals(bed->name, b ? &b->items[g] : NULL, list);
        beds_wear_signals(bed, b ? &b->items[g] : NULL, list);
        beds_force_signals(bed, b ? &b->items[g] : NULL, list);
        beds_kind_signals(bed, b ? &b->items[g] : NULL, list);
        beds_grain_signals(bed->name, b ? &b->items[g] : NULL, list);
    }
}

static void beds_measure_inside(Bed *bed) {
    grains_forces(bed->grains, &bed->forces);
    for (int r = 0; r < bed->definition->region_count; r++)
        bed->regions[r] = compactness_measure(bed->grains, &bed->frame, &bed->definition->regions[r].region,
                                              bed->cells_of_region);
}

MrcStatus beds_measure_for_signals(Bed *bed, MrcError *error) {
    beds_measure_grains(bed);
    bed->filling = filling_of_bed(bed->grains);
    beds_measure_inside(bed);
    if (!bed->kinds) return MRC_OK;
    return kinds_measure(bed->grains, bed->kinds, &bed->cells, &bed->mixing, error);
}
