// Lattices: simple cubic, and face-centred cubic as a stack of close-packed (111) layers A B C with a lattice
// site on the vertical through the room's centre, layers a diameter times sqrt(2/3) apart, the lowest resting
// on the floor. With this the bed of DAMPER Table 2 (N = 151: 55 + 48 + 48 grains of 3 mm in a 25 mm
// cylinder) comes out as three whole layers.
#include "grains/packing.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "grains/grains.h"

typedef struct Room {
    const GrainsDefinition *definition;
    Vec3 lower, upper; // box around it, port axes [m]
    Vec3 across1, across2, up, center;
    double extent1, extent2, extent_up; // half lengths along the three directions [m]
} Room;

MrcStatus packing_count(const GrainsDefinition *definition, double density, size_t *count, MrcError *error) {
    const ParticlesDefinition *p = &definition->particles;
    double volume = 4.0 / 3.0 * 3.14159265358979323846 * p->radius * p->radius * p->radius;
    double wanted = (double)p->count;
    if (p->total_mass > 0) wanted = round(p->total_mass / (density * volume));
    if (p->filling > 0) {
        double room = INFINITY;
        for (int i = 0; i < definition->wall_count; i++)
            room = fmin(room, wall_volume(&definition->walls[i].shape));
        if (!isfinite(room))
            return error_set(error, MRC_PACKING, "grains '%s': a filling ratio needs a closed wall",
                             definition->name);
        wanted = round(p->filling * room / volume);
    }
    if (!(wanted >= 1 && wanted < 2e9))
        return error_set(error, MRC_PACKING, "grains '%s': %.3g grains asked for", definition->name, wanted);
    *count = (size_t)wanted;
    return MRC_OK;
}

static bool fits(const Room *room, Vec3 center) {
    const GrainsDefinition *d = room->definition;
    WallContact contacts[WALL_CONTACT_MAX];
    double radius = d->particles.radius;
    for (int w = 0; w < d->wall_count; w++) {
        const Wall *shape = &d->walls[w].shape;
        // A hair of tolerance: lattice sites made to rest on the floor must not be lost to rounding.
        int n = wall_contacts(shape, center, radius, radius, contacts);
        for (int c = 0; c < n; c++)
            if (contacts[c].gap < -1e-9 * radius) return false;
        if (wall_outside(shape, center) > 0) return false;
    }
    return true;
}

static MrcStatus room_find(const GrainsDefinition *definition, Vec3 up, Room *room, MrcError *error) {
    *room = (Room){.definition = definition,
                   .lower = vec3(-INFINITY, -INFINITY, -INFINITY),
                   .upper = vec3(INFINITY, INFINITY, INFINITY)};
    for (int w = 0; w < definition->wall_count; w++) {
        Vec3 lower, upper;
        if (!wall_bounds(&definition->walls[w].shape, &lower, &upper)) continue;
        for (int k = 0; k < 3; k++) {
            vec3_set_component(&room->lower, k,
                               fmax(vec3_component(room->lower, k), vec3_component(lower, k)));
            vec3_set_component(&room->upper, k,
                               fmin(vec3_component(room->upper, k), vec3_component(upper, k)));
        }
    }
    if (!vec3_is_finite(room->lower) || !vec3_is_finite(room->upper))
        return error_set(error, MRC_PACKING, "grains '%s': the walls do not close a room to place grains in",
                         definition->name);
    room->up = vec3_norm(up) > 0 ? vec3_normalize(up) : vec3(0, 0, 1);
    room->across1 = vec3_perpendicular(room->up);
    room->across2 = vec3_cross(room->up, room->across1);
    room->center = vec3_scale(0.5, vec3_add(room->lower, room->upper));
    Vec3 half = vec3_scale(0.5, vec3_sub(room->upper, room->lower));
    const Vec3 directions[3] = {room->across1, room->across2, room->up};
    double *extents[3] = {&room->extent1, &room->extent2, &room->extent_up};
    for (int k = 0; k < 3; k++)
        *extents[k] =
            fabs(directions[k].x) * half.x + fabs(directions[k].y) * half.y + fabs(directions[k].z) * half.z;
    return MRC_OK;
}

static void take(GrainStore *store, size_t *placed, Vec3 p) {
    store->x[*placed] = p.x;
    store->y[*placed] = p.y;
    store->z[*placed] = p.z;
    ++*placed;
}

// ---- lattices ------------------------------------------------------------------------------------
typedef struct Site {
    Vec3 position;
    double distance2; // from the vertical through the centre
    int order;        // of proposal: makes the sort stable
} Site;

static int site_compare(const void *left, const void *right) {
    const Site *a = left, *b = right;
    if (a->distance2 != b->distance2) return a->distance2 < b->distance2 ? -1 : 1;
    return a->order - b->order;
}

// One layer of the lattice: sites that fit, from the middle outwards.
typedef ARRAY(Site) SiteList;

static bool layer_sites(const Room *room, double height, bool close_packed, int layer, SiteList *sites) {
    double pitch = 2 * room->definition->particles.radius + room->definition->packing.gap;
    double row_pitch = close_packed ? pitch * sqrt(3) / 2 : pitch;
    double shift1 = close_packed ? 0.5 * pitch * (layer % 3) : 0;
    double shift2 = close_packed ? pitch / (2 * sqrt(3)) * (layer % 3) : 0;
    int rows = (int)((room->extent2 + fabs(shift2)) / row_pitch) + 2;
    int columns = (int)((room->extent1 + fabs(shift1)) / pitch) + 2;
    columns += close_packed ? rows / 2 : 0;
    sites->count = 0;
    for (int r = -rows; r <= rows; r++)
        for (int c = -columns; c <= columns; c++) {
            double a = c * pitch + shift1 + (close_packed ? 0.5 * pitch * r : 0), b = r * row_pitch + shift2;
            Vec3 p = vec3_madd(vec3_madd(room->center, a, room->across1), b, room->across2);
            p = vec3_madd(p, height - room->extent_up, room->up);
            if (!fits(room, p)) continue;
            // Rounded, so that sites of one ring stay in order of proposal whatever the last digit says.
            double distance2 = round(1e9 * (a * a + b * b) / (pitch * pitch));
            if (!array_push(sites, ((Site){p, distance2, (int)sites->count}))) return false;
        }
    if (sites->count) qsort(sites->data, sites->count, sizeof *sites->data, site_compare);
    return true;
}

static MrcStatus place_lattice(const Room *room, bool close_packed, GrainStore *store, MrcError *error) {
    double radius = room->definition->particles.radius, pitch = 2 * radius + room->definition->packing.gap;
    double layer_pitch = close_packed ? pitch * sqrt(2.0 / 3.0) : pitch;
    SiteList sites = {0};
    size_t placed = 0;
    for (int layer = 0; placed < store->count; layer++) {
        double height = radius + room->definition->packing.gap + layer * layer_pitch;
        if (height > 2 * room->extent_up) break;
        if (!layer_sites(room, height, close_packed, layer, &sites)) {
            array_free(&sites);
            return error_memory(error, "the lattice");
        }
        for (size_t i = 0; i < sites.count && placed < store->count; i++)
            take(store, &placed, sites.data[i].position);
    }
    array_free(&sites);
    if (placed == store->count) return MRC_OK;
    return error_set(error, MRC_PACKING, "grains '%s': only %zu of %zu grains fit into the lattice",
                     room->definition->name, placed, store->count);
}

// ---- random --------------------------------------------------------------------------------------
// Sites drawn uniformly, taken when they touch nothing; a hash of cells keeps the test local.
typedef struct CellMap {
    int32_t *first, *next; // chains of grains
    double inverse_size;
    size_t size; // power of two
} CellMap;

static size_t map_slot(const CellMap *map, long a, long b, long c) {
    uint64_t h = (uint64_t)a * 0x9e3779b97f4a7c15ull ^ (uint64_t)b * 0xc2b2ae3d27d4eb4full ^
                 (uint64_t)c * 0x165667b19e3779f9ull;
    return (h ^ h >> 32) & (map->size - 1);
}

static bool touches_none(const CellMap *map, const GrainStore *store, Vec3 p, double pitch) {
    long cell[3];
    for (int k = 0; k < 3; k++) cell[k] = lround(floor(vec3_component(p, k) * map->inverse_size));
    for (long a = -1; a <= 1; a++)
        for (long b = -1; b <= 1; b++)
            for (long c = -1; c <= 1; c++)
                for (int32_t j = map->first[map_slot(map, cell[0] + a, cell[1] + b, cell[2] + c)]; j >= 0;
                     j = map->next[j]) {
                    Vec3 d = vec3_sub(p, vec3(store->x[j], store->y[j], store->z[j]));
                    if (vec3_norm2(d) < pitch * pitch) return false;
                }
    return true;
}

static MrcStatus place_random(const Room *room, GrainStore *store, MrcError *error) {
    double pitch = 2 * room->definition->particles.radius + room->definition->packing.gap;
    CellMap map = {.inverse_size = 1 / pitch, .size = 64};
    while (map.size < 2 * store->count) map.size *= 2;
    map.first = memory_alloc(map.size * sizeof *map.first);
    map.next = memory_alloc(store->count * sizeof *map.next);
    size_t placed = 0, tries = 0, limit = 20000 + 2000 * store->count;
    if (map.first && map.next) {
        memset(map.first, 0xff, map.size * sizeof *map.first);
        Random random = {(uint64_t)room->definition->packing.seed};
        Vec3 span = vec3_sub(room->upper, room->lower);
        for (; placed < store->count && tries < limit; tries++) {
            Vec3 p = room->lower;
            p.x += random_uniform(&random) * span.x;
            p.y += random_uniform(&random) * span.y;
            p.z += random_uniform(&random) * span.z;
            if (!fits(room, p) || !touches_none(&map, store, p, pitch)) continue;
            size_t slot = map_slot(&map, lround(floor(p.x / pitch)), lround(floor(p.y / pitch)),
                                   lround(floor(p.z / pitch)));
            map.next[placed] = map.first[slot];
            map.first[slot] = (int32_t)placed;
            take(store, &placed, p);
        }
    }
    memory_free(map.first);
    memory_free(map.next);
    if (placed == store->count) return MRC_OK;
    if (tries < limit) return error_memory(error, "the random packing");
    return error_set(
        error, MRC_PACKING,
        "grains '%s': only %zu of %zu grains could be placed at random without overlap; a random "
        "packing reaches about 0.3 of the room's volume, use 'fcc' for more",
        room->definition->name, placed, store->count);
}

static MrcStatus place(const GrainsDefinition *definition, Vec3 up, GrainStore *store, MrcError *error) {
    Room room;
    MrcStatus status = room_find(definition, up, &room, error);
    if (status != MRC_OK) return status;
    switch (definition->packing.kind) {
    case PACKING_CUBIC:
        return place_lattice(&room, false, store, error);
    case PACKING_FCC:
        return place_lattice(&room, true, store, error);
    case PACKING_RANDOM:
        return place_random(&room, store, error);
    }
    return MRC_OK;
}

MrcStatus packing_create(const GrainsDefinition *definition, const Material *materials, int material_count,
                         Vec3 up, GrainStore *store, MrcError *error) {
    size_t count;
    int material = material_find(materials, material_count, definition->particles.material);
    double radius = definition->particles.radius, density = materials[material].density;
    MrcStatus status = packing_count(definition, density, &count, error);
    if (status == MRC_OK) status = store_create(store, count, error);
    if (status == MRC_OK) status = place(definition, up, store, error);
    if (status != MRC_OK) return status;
    double volume = 4.0 / 3.0 * 3.14159265358979323846 * radius * radius * radius;
    for (size_t i = 0; i < count; i++) {
        store->radius[i] = radius;
        store->inverse_mass[i] = 1 / (density * volume);
        store->material[i] = material;
        store->id[i] = (int32_t)i;
    }
    return MRC_OK;
}
