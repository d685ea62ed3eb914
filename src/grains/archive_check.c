#include "grains/archive_check.h"

#include <math.h>

#include "grains/nonsmooth.h"

static const double check_far = 1e9; // [m]: no grain gets there
static const double check_skin =
    100; // the most that lists may reach further than contacts, over the largest radius
static const double check_most = 1e100; // of other numbers, so that their squares are numbers too

static bool check_is_due(const Archive *archive) {
    return archive_is_foreign(archive) && archive_status(archive, NULL) == MRC_OK;
}

static void check_doubles(const double *data, size_t count, double most, const char *name, Archive *archive) {
    for (size_t i = 0; i < count; i++)
        if (!(fabs(data[i]) <= most)) {
            archive_fail(archive, MRC_CHECKPOINT, name, "its item %zu cannot be %g", i, data[i]);
            return;
        }
}

static void check_index(int64_t index, int64_t end, const char *name, Archive *archive) {
    if (index >= 0 && index < end) return;
    archive_fail(archive, MRC_CHECKPOINT, name, "an index cannot be %lld: it is from 0 to %lld",
                 (long long)index, (long long)end - 1);
}

// Each grain has one number, and no two the same: the ordered list holds them all.
static void check_ids(const Grains *g, Archive *archive) {
    uint8_t *seen = memory_alloc(g->store.count + 1);
    if (!seen) {
        archive_fail(archive, MRC_MEMORY, "id", "no memory left");
        return;
    }
    if (g->next_id > INT32_MAX)
        archive_fail(archive, MRC_CHECKPOINT, "next_id", "%lld is too large", (long long)g->next_id);
    for (size_t k = 0; k < g->ids.count; k++)
        if (g->ids.data[k] < 0 || g->ids.data[k] >= g->next_id ||
            (k > 0 && g->ids.data[k] <= g->ids.data[k - 1]))
            archive_fail(archive, MRC_CHECKPOINT, "ids", "%d is out of order", g->ids.data[k]);
    for (size_t i = 0; i < g->store.count && archive_status(archive, NULL) == MRC_OK; i++) {
        int32_t id = g->store.id[i];
        size_t at = grains_find(g, id);
        if (at == g->ids.count) archive_fail(archive, MRC_CHECKPOINT, "id", "there is no grain %d", id);
        else if (seen[at]) archive_fail(archive, MRC_CHECKPOINT, "id", "%d is there twice", id);
        else seen[at] = 1;
    }
    memory_free(seen);
}

void archive_check_grains(const Grains *g, double radius, Archive *archive) {
    const GrainStore *s = &g->store;
    if (!check_is_due(archive)) return;
    const struct {
        const double *data;
        double most;
        const char *name;
    } arrays[] = {{s->x, check_far, "x"},
                  {s->y, check_far, "y"},
                  {s->z, check_far, "z"},
                  {s->vx, check_most, "vx"},
                  {s->vy, check_most, "vy"},
                  {s->vz, check_most, "vz"},
                  {s->wx, check_most, "wx"},
                  {s->wy, check_most, "wy"},
                  {s->wz, check_most, "wz"},
                  {s->radius, radius, "radius"},
                  {s->inverse_mass, check_most, "inverse_mass"}};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        if (arrays[k].data) check_doubles(arrays[k].data, s->count, arrays[k].most, arrays[k].name, archive);
    check_doubles(g->position, s->count * QUAD, check_far, "position", archive);
    check_doubles(g->motion, s->count * GRAIN_LINE, check_most, "motion", archive);
    if (g->orientation) check_doubles(g->orientation, s->count * QUAD, 2, "orientation", archive);
    for (size_t i = 0; i < s->count; i++) {
        if (!(s->radius[i] > 0) || g->position[i * QUAD + 3] != s->radius[i] ||
            g->motion[i * GRAIN_LINE + GRAIN_RADIUS] != s->radius[i] || !(grain_inverse_mass(g, i) > 0))
            archive_fail(archive, MRC_CHECKPOINT, "radius", "grain %zu has no size or no mass", i);
        check_index(s->material[i], g->material_count, "material", archive);
        if (s->kind) check_index(s->kind[i], grains_kind_count(g->definition), "kind", archive);
        if (archive_status(archive, NULL) != MRC_OK) return;
        const ParticlesDefinition *kind = grains_kind(g->definition, s->kind ? s->kind[i] : 0);
        int shapes = kind->shape_count > 0 ? kind->shape_count : 1; // 0: spheres
        check_index(s->shape[i] - kind->first_shape, shapes, "shape", archive);
    }
    check_ids(g, archive);
}

void archive_check_lists(const Grains *g, Archive *archive) {
    const Neighbours *n = &g->neighbours;
    double radius = g->radius; // of a bed that is empty: of those to come
    if (!check_is_due(archive)) return;
    for (size_t i = 0; i < g->store.count; i++) radius = fmax(radius, g->store.radius[i]);
    check_doubles(n->x, g->store.count, check_far, "reference_x", archive);
    check_doubles(n->y, g->store.count, check_far, "reference_y", archive);
    check_doubles(n->z, g->store.count, check_far, "reference_z", archive);
    if (!(n->skin >= 0 && n->skin <= check_skin * radius) || !(g->step > 0))
        archive_fail(archive, MRC_CHECKPOINT, "counts", "neighbour lists cannot be as they are described");
}

void archive_check_pruning(const Grains *g, Archive *archive) {
    const Pruning *e = &g->pruning;
    size_t parts = (size_t)g->definition->wall_count;
    archive_check_lists(g, archive);
    if (!check_is_due(archive)) return;
    const double numbers[] = {e->velocity.x, e->velocity.y, e->velocity.z, e->drift.x, e->drift.y,
                              e->drift.z,    e->span,       e->ease,       e->caution};
    check_doubles(numbers, sizeof numbers / sizeof *numbers, check_most, "pruning_numbers", archive);
    check_doubles(e->start, g->store.count * QUAD, check_far, "start", archive);
    check_doubles(&e->wall_start[0].position.x, parts * sizeof *e->wall_start / sizeof(double), check_most,
                  "wall_start", archive);
    for (size_t w = 0; w < parts; w++)
        if (isnan(e->wall_reach[w])) archive_fail(archive, MRC_CHECKPOINT, "wall_reach", "not a number");
}

void archive_check_near(const Grains *g, Archive *archive) {
    const NearPairs *near = &g->near;
    const Neighbours *n = &g->neighbours;
    int64_t grains = (int64_t)g->store.count;
    if (!check_is_due(archive)) return;
    if (near->count > n->index.count) {
        archive_fail(archive, MRC_CHECKPOINT, "near_count", "%zu pairs are near, but only %zu may be",
                     near->count, n->index.count);
        return;
    }
    for (size_t k = 0; k < near->i.count && archive_status(archive, NULL) == MRC_OK; k++) {
        int32_t i = near->i.data[k], j = near->j.data[k];
        check_index(i, grains, "near_i", archive);
        check_index(j, grains, "near_j", archive);
        if (archive_status(archive, NULL) != MRC_OK) return;
        int32_t s = n->start.data[i];
        while (s < n->start.data[i + 1] && n->index.data[s] != j) s++;
        if (s == n->start.data[i + 1])
            archive_fail(archive, MRC_CHECKPOINT, "near_j", "grains %d and %d are no neighbours", i, j);
    }
}

// Sorted by grain, then part; touches lie one after the other, as many as each wall may make.
void archive_check_entries(const Grains *g, Archive *archive) {
    int64_t first = 0;
    const WallEntry *last = NULL;
    if (!check_is_due(archive)) return;
    for (size_t k = 0; k < g->entries.count && archive_status(archive, NULL) == MRC_OK; k++) {
        const WallEntry *e = &g->entries.data[k];
        check_index(e->grain, (int64_t)g->store.count, "entries", archive);
        check_index(e->part, g->definition->wall_count, "entries", archive);
        if (archive_status(archive, NULL) != MRC_OK) return;
        int room = wall_contact_limit(&g->definition->walls[e->part].shape);
        check_index(e->count, room + 1, "entries", archive);
        if (e->first != first)
            archive_fail(archive, MRC_CHECKPOINT, "entries", "touches are not one after the other");
        if (last && (last->grain > e->grain || (last->grain == e->grain && last->part >= e->part)))
            archive_fail(archive, MRC_CHECKPOINT, "entries", "they are not in order");
        first += room;
        last = e;
    }
    if (first != (int64_t)g->wall_touches.count)
        archive_fail(archive, MRC_CHECKPOINT, "wall_touch_count", "%zu touches are stored, %lld are expected",
                     g->wall_touches.count, (long long)first);
}

void archive_check_rigid(const Grains *g, Archive *archive) {
    const RigidContacts *last = &g->nonsmooth->last;
    const Neighbours *n = &g->neighbours;
    if (!check_is_due(archive)) return;
    if (last->impulses.count != last->slots.count + last->walls.count)
        archive_fail(archive, MRC_CHECKPOINT, "impulse_count", "%zu impulses, but %zu contacts",
                     last->impulses.count, last->slots.count + last->walls.count);
    if (!nonsmooth_all_spheres(g->nonsmooth) && last->features.count != last->slots.count)
        archive_fail(archive, MRC_CHECKPOINT, "features", "%zu names, but %zu points", last->features.count,
                     last->slots.count);
    check_doubles((const double *)last->impulses.data, 6 * last->impulses.count, check_most, "impulses",
                  archive);
    for (size_t k = 0; k < last->slots.count; k++) {
        check_index(last->slots.data[k], n->builds > 0 ? (int64_t)n->index.count : 0, "slots", archive);
        int64_t least = nonsmooth_all_spheres(g->nonsmooth) ? 1 : 0; // of the way to the next
        if (k > 0 && (int64_t)last->slots.data[k] - last->slots.data[k - 1] < least)
            archive_fail(archive, MRC_CHECKPOINT, "slots", "they are not in order");
    }
    for (size_t k = 0; k < last->features.count; k++)
        if (!shape_feature_is_name(last->features.data[k]))
            archive_fail(archive, MRC_CHECKPOINT, "features", "its item %zu names no point", k);
    for (size_t k = 0; k < last->walls.count; k++) {
        check_index(last->walls.data[k].grain, (int64_t)g->store.count, "walls", archive);
        check_index(last->walls.data[k].part, g->definition->wall_count, "walls", archive);
        if (k > 0 && last->walls.data[k].grain < last->walls.data[k - 1].grain)
            archive_fail(archive, MRC_CHECKPOINT, "walls", "they are not in order");
    }
}
