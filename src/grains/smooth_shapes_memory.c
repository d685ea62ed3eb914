// Memory of the contact points of grains that are not spheres. In a step, each chunk of near pairs and each layer's
// wall entries read the records of the last step and write new ones, both in the order of their slots. When lists
// change, all records are put together, sorted by the ids of their grains, and dealt out again.
#include <math.h>
#include <stdlib.h>

#include "grains/smooth_shapes.h"

// ---- sizes ---------------------------------------------------------------------------------------
static bool smooth_shapes_fit_records(ShapeRecords **records, size_t *count, size_t *capacity,
                                      size_t needed) {
    for (size_t k = 0; k < *count; k++) (*records)[k].last.count = (*records)[k].now.count = 0;
    if (needed <= *count) return true;
    if (!array_grow((void **)records, capacity, sizeof **records, needed)) return false;
    for (size_t k = *count; k < needed; k++) (*records)[k] = (ShapeRecords){0};
    *count = needed;
    return true;
}

// Empty records and unknown axes for the present lists.
static bool smooth_shapes_fit(Grains *g) {
    SmoothShapes *s = g->shapes;
    size_t chunks = smooth_contacts_chunks(g->near.count), layers = (size_t)layers_count(g);
    if (!smooth_shapes_fit_records(&s->pairs.data, &s->pairs.count, &s->pairs.capacity, chunks) ||
        !smooth_shapes_fit_records(&s->walls.data, &s->walls.count, &s->walls.capacity, layers) ||
        !array_resize(&s->axes, g->near.count))
        return false;
    if (g->near.count) memset(s->axes.data, 0, g->near.count * sizeof *s->axes.data);
    return true;
}

// ---- from lists to lists -------------------------------------------------------------------------
static bool smooth_shapes_gather(ShapeTouches *all, const ShapeRecords *records, size_t count) {
    for (size_t k = 0; k < count; k++) {
        const ShapeTouches *last = &records[k].last;
        if (!array_reserve(all, all->count + last->count)) return false;
        if (last->count) memcpy(all->data + all->count, last->data, last->count * sizeof *last->data);
        all->count += last->count;
    }
    return true;
}

// Pairs by their ids, the smaller one first; walls by the grain and -1 - part.
static void smooth_shapes_key(int32_t a, int32_t b, int32_t key[2]) {
    bool exchanged = b >= 0 && b < a;
    key[0] = exchanged ? b : a, key[1] = exchanged ? a : b;
}

static int smooth_shapes_compare_keys(const int32_t a[2], const int32_t b[2]) {
    if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
    return (a[1] > b[1]) - (a[1] < b[1]);
}

static int smooth_shapes_compare(const void *x, const void *y) {
    const ShapeTouch *a = x, *b = y;
    int32_t first[2], second[2];
    smooth_shapes_key(a->a, a->b, first);
    smooth_shapes_key(b->a, b->b, second);
    int order = smooth_shapes_compare_keys(first, second);
    return order ? order : (a->feature > b->feature) - (a->feature < b->feature);
}

bool smooth_shapes_take_out(Grains *g) {
    SmoothShapes *s = g->shapes;
    s->kept.count = 0;
    if (!smooth_shapes_gather(&s->kept, s->pairs.data, s->pairs.count) ||
        !smooth_shapes_gather(&s->kept, s->walls.data, s->walls.count))
        return false;
    if (s->kept.count) qsort(s->kept.data, s->kept.count, sizeof *s->kept.data, smooth_shapes_compare);
    return true;
}

// The first record of two ids.
static size_t smooth_shapes_find(const ShapeTouches *kept, const int32_t key[2]) {
    size_t first = 0, last = kept->count;
    while (first < last) {
        size_t middle = (first + last) / 2;
        int32_t own[2];
        smooth_shapes_key(kept->data[middle].a, kept->data[middle].b, own);
        if (smooth_shapes_compare_keys(own, key) < 0) first = middle + 1;
        else last = middle;
    }
    return first;
}

// The record of the same point with its two grains exchanged. `way`: from the second grain to the first.
static void smooth_shapes_exchange(ShapeTouch *touch, Vec3 way) {
    int32_t a = touch->a;
    const double along[3] = {way.x, way.y, way.z};
    touch->a = touch->b, touch->b = a;
    touch->feature = shape_feature_exchanged(touch->feature);
    for (int c = 0; c < 3; c++) {
        touch->u[c] = -touch->u[c], touch->force[c] = -touch->force[c];
        touch->arm[c] = (float)((double)touch->arm[c] + along[c]);
    }
}

static bool smooth_shapes_deal(const Grains *g, size_t slot, int32_t i, int32_t j, ShapeTouches *to) {
    const ShapeTouches *kept = &g->shapes->kept;
    int32_t a = g->store.id[i], b = j < 0 ? j : g->store.id[j], key[2];
    smooth_shapes_key(a, b, key);
    for (size_t k = smooth_shapes_find(kept, key); k < kept->count; k++) {
        ShapeTouch touch = kept->data[k];
        int32_t own[2];
        smooth_shapes_key(touch.a, touch.b, own);
        if (smooth_shapes_compare_keys(own, key) != 0) break;
        touch.slot = (int32_t)slot;
        if (touch.a != a)
            smooth_shapes_exchange(
                &touch, periodic_nearest(&g->periodic,
                                         vec3_sub(grain_center(g, (size_t)j), grain_center(g, (size_t)i))));
        if (!array_push(to, touch)) return false;
    }
    return true;
}

bool smooth_shapes_put_back(Grains *g) {
    SmoothShapes *s = g->shapes;
    if (!smooth_shapes_fit(g)) return false;
    for (size_t slot = 0; slot < g->near.count; slot++)
        if (near_touches(&g->near, slot) &&
            !smooth_shapes_deal(g, slot, g->near.i.data[slot], g->near.j.data[slot],
                                &s->pairs.data[slot / CONTACT_CHUNK].last))
            return false;
    for (int32_t layer = 0; layer < layers_count(g); layer++)
        for (int32_t e = g->layers.data[layer].entry; e < g->layers.data[layer + 1].entry; e++) {
            const WallEntry *entry = &g->entries.data[e];
            if (entry->count > 0 &&
                !smooth_shapes_deal(g, (size_t)e, entry->grain, -1 - entry->part, &s->walls.data[layer].last))
                return false;
        }
    return true;
}

void smooth_shapes_clear(Grains *g) {
    SmoothShapes *s = g->shapes;
    for (size_t k = 0; k < s->pairs.count; k++) s->pairs.data[k].last.count = 0;
    for (size_t k = 0; k < s->walls.count; k++) s->walls.data[k].last.count = 0;
}

// ---- saving --------------------------------------------------------------------------------------
static bool smooth_shapes_is_number(const ShapeTouch *t) {
    double most = fabs((double)t->damping);
    for (int c = 0; c < 3; c++)
        most = fmax(most, fmax(fabs(t->u[c]), fmax(fabs((double)t->force[c]), fabs((double)t->arm[c]))));
    for (int c = 0; c < 3; c++)
        if (isnan(t->u[c]) || isnan(t->force[c]) || isnan(t->arm[c])) return false;
    return !isnan(t->damping) && most <= 1e100;
}

// Records that were loaded belong to the lists and are in order.
static void smooth_shapes_check(const Grains *g, const ShapeTouch *touches, size_t count, bool pairs,
                                Archive *archive) {
    size_t slots = pairs ? g->near.count : g->entries.count;
    for (size_t k = 0; k < count && archive_status(archive, NULL) == MRC_OK; k++) {
        const ShapeTouch *t = &touches[k];
        bool good = t->slot >= 0 && (size_t)t->slot < slots && smooth_shapes_is_number(t) &&
                    shape_feature_is_name(t->feature) && (k == 0 || t->slot >= touches[k - 1].slot);
        if (good && pairs)
            good = t->a == g->store.id[g->near.i.data[t->slot]] &&
                   t->b == g->store.id[g->near.j.data[t->slot]] && near_touches(&g->near, (size_t)t->slot);
        else if (good)
            good = t->a == g->store.id[g->entries.data[t->slot].grain] &&
                   t->b == -1 - g->entries.data[t->slot].part && g->entries.data[t->slot].count > 0;
        if (!good)
            archive_fail(archive, MRC_CHECKPOINT, pairs ? "shape_pairs" : "shape_walls",
                         "its item %zu belongs to no contact", k);
    }
}

static bool smooth_shapes_distribute(Grains *g, size_t pairs) {
    SmoothShapes *s = g->shapes;
    int32_t layer = 0;
    if (!smooth_shapes_fit(g)) return false;
    for (size_t k = 0; k < s->kept.count; k++) {
        const ShapeTouch touch = s->kept.data[k];
        while (k >= pairs && g->layers.data[layer + 1].entry <= touch.slot) layer++;
        ShapeTouches *to =
            k < pairs ? &s->pairs.data[touch.slot / CONTACT_CHUNK].last : &s->walls.data[layer].last;
        if (!array_push(to, touch)) return false;
    }
    return true;
}

void smooth_shapes_archive(Grains *g, Archive *archive) {
    SmoothShapes *s = g->shapes;
    bool loading = archive_is_loading(archive), enough = true;
    s->kept.count = 0;
    if (!loading) enough = smooth_shapes_gather(&s->kept, s->pairs.data, s->pairs.count);
    size_t pairs = s->kept.count;
    if (!loading) enough = enough && smooth_shapes_gather(&s->kept, s->walls.data, s->walls.count);
    size_t all = s->kept.count;
    if (!enough) archive_fail(archive, MRC_MEMORY, "shape_touches", "no memory left");
    archive_count(archive, "shape_pair_count", &pairs);
    archive_count(archive, "shape_touch_count", &all);
    if (archive_status(archive, NULL) != MRC_OK) return;
    if (pairs > all) archive_fail(archive, MRC_CHECKPOINT, "shape_pair_count", "more than all");
    else if (!array_resize(&s->kept, all))
        archive_fail(archive, MRC_MEMORY, "shape_touches", "no memory left");
    else archive_bytes(archive, "shape_touches", s->kept.data, all * sizeof *s->kept.data);
    if (!loading || archive_status(archive, NULL) != MRC_OK) return;
    smooth_shapes_check(g, s->kept.data, pairs, true, archive);
    smooth_shapes_check(g, s->kept.data + pairs, all - pairs, false, archive);
    if (archive_status(archive, NULL) == MRC_OK && !smooth_shapes_distribute(g, pairs))
        archive_fail(archive, MRC_MEMORY, "shape_touches", "no memory left");
}
