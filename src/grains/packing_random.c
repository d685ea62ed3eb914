// Random packing: sites drawn uniformly, taken when they touch nothing; a hash of cells keeps the test local.
// Large grains go first: they would not find a place among small ones.
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "grains/packing_internal.h"

typedef struct CellMap {
    int32_t *first, *next; // chains of grains
    double inverse_size;   // of a cell: the largest distance at which two grains touch [1/m]
    size_t size;           // power of two
} CellMap;

static size_t map_slot(const CellMap *map, long a, long b, long c) {
    uint64_t h = (uint64_t)a * 0x9e3779b97f4a7c15ull ^ (uint64_t)b * 0xc2b2ae3d27d4eb4full ^
                 (uint64_t)c * 0x165667b19e3779f9ull;
    return (h ^ h >> 32) & (map->size - 1);
}

static long map_cell(const CellMap *map, double x) { return lround(floor(x * map->inverse_size)); }

static void map_add(CellMap *map, int32_t grain, Vec3 p) {
    size_t slot = map_slot(map, map_cell(map, p.x), map_cell(map, p.y), map_cell(map, p.z));
    map->next[grain] = map->first[slot];
    map->first[slot] = grain;
}

static bool touches_none(const CellMap *map, const GrainStore *store, Vec3 p, double reach) {
    long x = map_cell(map, p.x), y = map_cell(map, p.y), z = map_cell(map, p.z);
    for (long a = -1; a <= 1; a++)
        for (long b = -1; b <= 1; b++)
            for (long c = -1; c <= 1; c++)
                for (int32_t j = map->first[map_slot(map, x + a, y + b, z + c)]; j >= 0; j = map->next[j]) {
                    Vec3 d = vec3_sub(p, vec3(store->x[j], store->y[j], store->z[j]));
                    double least = reach + store->radius[j];
                    if (vec3_norm2(d) < least * least) return false;
                }
    return true;
}

typedef struct Ranked {
    double radius;
    int32_t grain;
} Ranked;

static int ranked_compare(const void *left, const void *right) {
    const Ranked *a = left, *b = right;
    if (a->radius != b->radius) return a->radius > b->radius ? -1 : 1;
    return a->grain - b->grain;
}

// Returns how many found a place.
static size_t throw_in(const Room *room, uint64_t seed, size_t patience, CellMap *map, const Ranked *order,
                       GrainStore *store) {
    size_t placed = 0, limit = 20000 + 2000 * store->count, last = 0; // last: try that found a place
    Random random = {seed};
    Vec3 span = vec3_sub(room->upper, room->lower);
    for (size_t tries = 0; placed < store->count && tries < limit; tries++) {
        if (patience > 0 && tries - last > patience) break;
        int32_t grain = order[placed].grain;
        double radius = order[placed].radius;
        Vec3 p = room->lower;
        p.x += random_uniform(&random) * span.x;
        p.y += random_uniform(&random) * span.y;
        p.z += random_uniform(&random) * span.z;
        if (!room_fits(room, p, radius) || !touches_none(map, store, p, radius + room->gap)) continue;
        place_grain(store, (size_t)grain, p);
        map_add(map, grain, p);
        placed++;
        last = tries;
    }
    return placed;
}

MrcStatus place_random(const Room *room, uint64_t seed, size_t patience, GrainStore *store, MrcError *error) {
    CellMap map = {.inverse_size = 1 / (2 * room->radius + room->gap), .size = 64};
    while (map.size < 2 * store->count) map.size *= 2;
    map.first = memory_alloc(map.size * sizeof *map.first);
    map.next = memory_alloc(store->count * sizeof *map.next);
    Ranked *order = memory_alloc(store->count * sizeof *order);
    bool memory = map.first && map.next && order;
    size_t placed = 0;
    if (memory) {
        memset(map.first, 0xff, map.size * sizeof *map.first);
        for (size_t i = 0; i < store->count; i++) order[i] = (Ranked){store->radius[i], (int32_t)i};
        qsort(order, store->count, sizeof *order, ranked_compare);
        placed = throw_in(room, seed, patience, &map, order, store);
    }
    memory_free(map.first);
    memory_free(map.next);
    memory_free(order);
    if (!memory) return error_memory(error, "the random packing");
    if (placed == store->count) return MRC_OK;
    return error_set(
        error, MRC_PACKING,
        "grains '%s': only %zu of %zu grains could be placed at random without overlap; a random "
        "packing reaches about 0.3 of the room's volume, use 'fcc' or 'settle' for more",
        room->definition->name, placed, store->count);
}
