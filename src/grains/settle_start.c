// Where settling starts: loose if there is room, else dense, else small grains that grow.
#include <math.h>

#include "base/random.h"
#include "base/watch.h"
#include "grains/settle.h"

// Moves each grain by up to a quarter of the gap along each axis: grains cannot meet, and the symmetry of the lattice
// is broken.
static void settle_start_scatter(const Room *room, GrainStore *store) {
    Random random = {(uint64_t)room->definition->packing.seed};
    double *const axes[3] = {store->x, store->y, store->z};
    for (size_t i = 0; i < store->count; i++)
        for (int k = 0; k < 3; k++) axes[k][i] += 0.5 * (random_uniform(&random) - 0.5) * room->gap;
}

// Random places for smaller grains. Half of the radius is an eighth of the volume: what does not fit then
// would not fit at all.
static MrcStatus settle_start_small(const Room *room, GrainStore *store, double *scale, MrcError *error) {
    enum { patience = 2000 };
    MrcStatus status = MRC_PACKING;
    double *whole = store->radius, *small_radius = memory_alloc(store->count * sizeof *small_radius);
    if (!small_radius) return error_memory(error, "the random packing");
    store->radius = small_radius;
    for (*scale = 0.9; status == MRC_PACKING && *scale > 0.5; *scale *= 0.9) {
        Room small = *room;
        small.gap = 0;
        small.radius = *scale * room->radius;
        for (size_t i = 0; i < store->count; i++) small_radius[i] = *scale * whole[i];
        status =
            packing_place_random(&small, (uint64_t)room->definition->packing.seed, patience, store, NULL);
        if (status == MRC_OK) break;
    }
    store->radius = whole;
    memory_free(small_radius);
    if (status == MRC_OK) return status;
    if (status == MRC_MEMORY) return error_memory(error, "the random packing");
    if (status == MRC_INTERRUPTED)
        return watch_error(error, "the grains of '%s' were placed", room->definition->name);
    return error_set(
        error, MRC_PACKING,
        "grains '%s': the room%s is too full: %zu grains fit in neither on a loose lattice, nor on "
        "a dense one, nor half as large at random",
        room->definition->name, room->definition->packing.in_region ? " within the region" : "",
        store->count);
}

// On a lattice: loose if there is room, else dense. MRC_PACKING: there is not.
static MrcStatus settle_start_lattice(const Room *room, GrainStore *store, MrcError *error) {
    static const struct {
        bool close_packed;
        double gap; // over the largest diameter
    } starts[] = {{false, 0.2}, {false, 0.05}, {true, 0.002}};
    MrcStatus status = MRC_PACKING;
    for (size_t k = 0; k < sizeof starts / sizeof *starts && status == MRC_PACKING; k++) {
        Room loose = *room;
        loose.gap = starts[k].gap * 2 * room->radius;
        status = packing_place_lattice(&loose, starts[k].close_packed, store, error);
        if (status == MRC_OK) settle_start_scatter(&loose, store);
    }
    return status;
}

MrcStatus settle_start(const Room *room, GrainStore *store, double *scale, MrcError *error) {
    *scale = 1;
    MrcStatus status = settle_start_lattice(room, store, error);
    return status == MRC_PACKING ? settle_start_small(room, store, scale, error) : status;
}

MrcStatus settle_start_above(const Room *room, size_t first, GrainStore *store, MrcError *error) {
    double floor = vec3_dot(room->up, room->center) - room->extent_up, ceiling = floor + 2 * room->extent_up;
    for (size_t i = 0; i < first; i++)
        floor =
            fmax(floor, vec3_dot(room->up, vec3(store->x[i], store->y[i], store->z[i])) + store->radius[i]);
    Room above = *room;
    double middle = 0.5 * (floor + ceiling) - vec3_dot(room->up, room->center);
    above.center = vec3_madd(room->center, middle, room->up);
    above.extent_up = 0.5 * (ceiling - floor);
    GrainStore rest = {
        .count = store->count - first, .x = store->x + first, .y = store->y + first, .z = store->z + first};
    MrcStatus status = settle_start_lattice(&above, &rest, error);
    if (status != MRC_PACKING) return status;
    return error_set(
        error, MRC_PACKING,
        "grains '%s': %zu grains are poured at once, and there is no room for them above the %zu that "
        "lie already; more 'stages' or a larger room may help",
        room->definition->name, rest.count, first);
}
