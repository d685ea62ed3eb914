// Random packing: sites drawn uniformly, taken when they touch nothing; a hash of cells keeps the test local.
// Large grains go first: they would not find a place among small ones.
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/text.h"
#include "base/watch.h"
#include "grains/packing_internal.h"

typedef struct CellMap {
    int32_t *first, *next; // chains of grains
    double inverse_size;   // of a cell: the largest distance at which two grains touch [1/m]
    size_t size;           // power of two
} CellMap;

static size_t packing_random_slot(const CellMap *map, long a, long b, long c) {
    uint64_t h = (uint64_t)a * 0x9e3779b97f4a7c15ull ^ (uint64_t)b * 0xc2b2ae3d27d4eb4full ^
                 (uint64_t)c * 0x165667b19e3779f9ull;
    return (h ^ h >> 32) & (map->size - 1);
}

static long packing_random_cell(const CellMap *map, double x) { return lround(floor(x * map->inverse_size)); }

static void packing_random_add(CellMap *map, int32_t grain, Vec3 p) {
    size_t slot = packing_random_slot(map, packing_random_cell(map, p.x), packing_random_cell(map, p.y),
                                      packing_random_cell(map, p.z));
    map->next[grain] = map->first[slot];
    map->first[slot] = grain;
}

static bool packing_random_touches_none(const CellMap *map, const GrainStore *store, Vec3 p, double reach) {
    long x = packing_random_cell(map, p.x), y = packing_random_cell(map, p.y),
         z = packing_random_cell(map, p.z);
    for (long a = -1; a <= 1; a++)
        for (long b = -1; b <= 1; b++)
            for (long c = -1; c <= 1; c++)
                for (int32_t j = map->first[packing_random_slot(map, x + a, y + b, z + c)]; j >= 0;
                     j = map->next[j]) {
                    Vec3 d = vec3_sub(p, vec3(store->x[j], store->y[j], store->z[j]));
                    double least = reach + store->radius[j];
                    if (vec3_norm2(d) < least * least) return false;
                }
    return true;
}

typedef struct RankedGrain {
    double radius;
    int32_t grain;
} RankedGrain;

static int packing_random_compare(const void *left, const void *right) {
    const RankedGrain *a = left, *b = right;
    if (a->radius != b->radius) return a->radius > b->radius ? -1 : 1;
    return a->grain - b->grain;
}

// Returns how many found a place.
static size_t packing_random_throw_in(const Room *room, uint64_t seed, size_t patience, CellMap *map,
                                      const RankedGrain *order, GrainStore *store) {
    size_t placed = 0, limit = 20000 + 2000 * store->count, last = 0; // last: try that found a place
    Random random = {seed};
    Vec3 span = vec3_sub(room->upper, room->lower);
    for (size_t tries = 0; placed < store->count && tries < limit; tries++) {
        if (patience > 0 && tries - last > patience) break;
        if (tries % 1024 == 0 && watch_stops("grain", (int64_t)placed, (int64_t)store->count)) break;
        int32_t grain = order[placed].grain;
        const Shape shape = {.kind = SHAPE_SPHERE,
                             .radius = store->radius[grain]}; // holds it, however it is turned
        Vec3 p = room->lower;
        p.x += random_uniform(&random) * span.x;
        p.y += random_uniform(&random) * span.y;
        p.z += random_uniform(&random) * span.z;
        if (!room_fits(room, &shape, p) ||
            !packing_random_touches_none(map, store, p, shape.radius + room->gap))
            continue;
        packing_place_grain(store, (size_t)grain, p);
        packing_random_add(map, grain, p);
        placed++;
        last = tries;
    }
    return placed;
}

MrcStatus packing_place_random(const Room *room, uint64_t seed, size_t patience, GrainStore *store,
                               MrcError *error) {
    CellMap map = {.inverse_size = 1 / (2 * room->radius + room->gap), .size = 64};
    while (map.size < 2 * store->count) map.size *= 2;
    map.first = memory_alloc(map.size * sizeof *map.first);
    map.next = memory_alloc(store->count * sizeof *map.next);
    RankedGrain *order = memory_alloc(store->count * sizeof *order);
    bool memory = map.first && map.next && order;
    size_t placed = 0;
    if (memory) {
        memset(map.first, 0xff, map.size * sizeof *map.first);
        for (size_t i = 0; i < store->count; i++) order[i] = (RankedGrain){store->radius[i], (int32_t)i};
        qsort(order, store->count, sizeof *order, packing_random_compare);
        placed = packing_random_throw_in(room, seed, patience, &map, order, store);
    }
    memory_free(map.first);
    memory_free(map.next);
    memory_free(order);
    if (!memory) return error_memory(error, "the random packing");
    if (placed == store->count) return MRC_OK;
    if (watch_stopped()) return watch_error(error, "the grains of '%s' were placed", room->definition->name);
    return error_set(
        error, MRC_PACKING,
        "grains '%s': only %zu of %zu grains could be placed at random without overlap; a random "
        "packing reaches about 0.3 of the room's volume, use 'fcc' or 'settle' for more",
        room->definition->name, placed, store->count);
}

// ---- the packing ---------------------------------------------------------------------------------
static const SchemaKey packing_random_keys[] = {
    PACKING_REGION,
    {"gap", QUANTITY(PackingDefinition, gap), .dimension = DIM_LENGTH, .range = NON_NEGATIVE,
     .fallback = "0 m", .doc = "Smallest free distance between neighbours, and to the walls."},
    {"seed", INTEGER(PackingDefinition, seed), .range = AT_LEAST(0), .fallback = "1",
     .doc = "Another whole number gives another arrangement; the same number always the same one."},
};
static const SchemaObject packing_random_schema = {.name = "random",
                                                   .doc = "Grains thrown in at random, without overlap.",
                                                   .size = sizeof(PackingDefinition),
                                                   SCHEMA_KEYS(packing_random_keys)};

static MrcStatus packing_random_place(const Room *room, const GrainsSetting *setting, GrainStore *store,
                                      MrcError *error) {
    (void)setting;
    return packing_place_random(room, (uint64_t)room->definition->packing.seed, 0, store, error);
}

static void packing_random_describe(const PackingDefinition *packing, Text *text) {
    (void)packing;
    text_add_string(text, "at random");
}

const PackingType packing_type_random = {
    .schema = {.alternative = {.key = "random",
                               .object = &packing_random_schema,
                               .doc = "Anywhere in the room."}},
    .describe = packing_random_describe,
    .place = packing_random_place,
};
