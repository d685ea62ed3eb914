// Layers of grains, and how threads go through them in a step.
//
// Near pairs are sorted by their first grain i, and j > i is never far behind: within the next plane of cells
// of the neighbour lists. Whole chunks of pairs are put together into layers such that the pairs of one touch
// grains of this layer and of the next one only. They are scheduled as base/even_odd.h says:
//
//     even u   the contacts of layer 2u
//     odd u    the contacts of layer 2u - 1, then the motion of the grains of layers 2u - 1 and 2u, whose
//              forces are complete by then
//
// As layers depend on the pairs alone, the results are the same for any number of threads; and grains are
// moved while they are still in the cache.
#include "grains/engine.h"

void layers_free(Grains *g) {
    array_free(&g->layers);
    array_free(&g->reach);
    array_free(&g->entry_order);
    array_free(&g->part_starts);
    even_odd_free(&g->even_odd);
}

// ---- making them ---------------------------------------------------------------------------------
// The first grain and the last one that the pairs of each chunk touch.
static void layers_find_reach(Grains *g, size_t chunks) {
#pragma omp parallel for schedule(static) if (g->near.count > 20000)
    for (size_t c = 0; c < chunks; c++) {
        size_t from = c * CONTACT_CHUNK, to = from + CONTACT_CHUNK;
        ChunkReach reach = {INT32_MAX, -1};
        for (size_t s = from; s < to && s < g->near.count; s++) {
            int32_t i = g->near.i.data[s], j = g->near.j.data[s];
            reach.first = i < reach.first ? i : reach.first;
            reach.last = j > reach.last ? j : reach.last;
        }
        g->reach.data[c] = reach;
    }
}

// Cuts chunks into layers, with as few chunks in each as possible.
static bool layers_cut(Grains *g, size_t chunks) {
    const ChunkReach *reach = g->reach.data;
    size_t start = 0, next = chunks > 1 ? 1 : chunks; // of the last layer, and of the one after it
    g->layers.count = 0;
    if (!array_push(&g->layers, ((Layer){0, 0, 0}))) return false;
    while (next < chunks) {
        int32_t last = -1;
        for (size_t c = start; c < next; c++) last = reach[c].last > last ? reach[c].last : last;
        if (!array_push(&g->layers, ((Layer){(int32_t)next, reach[next].first, 0}))) return false;
        start = next++;
        while (next < chunks && reach[next].first <= last) next++;
    }
    return array_push(&g->layers, ((Layer){(int32_t)chunks, (int32_t)g->store.count, 0}));
}

// Wall entries are sorted by grain.
static void layers_add_entries(Grains *g) {
    size_t e = 0;
    for (size_t k = 0; k < g->layers.count; k++) {
        while (e < g->entries.count && g->entries.data[e].grain < g->layers.data[k].grain) e++;
        g->layers.data[k].entry = (int32_t)e;
    }
}

// Brings the entries of a layer into the order of their wall parts, so that one wall meets many grains at once. The
// forces on a grain are still added in the order of its parts.
static void layers_order_entries(Grains *g, int32_t from, int32_t to) {
    const WallEntry *entries = g->entries.data;
    int32_t *starts = g->part_starts.data, parts = (int32_t)g->part_starts.count - 1;
    memset(starts, 0, g->part_starts.count * sizeof *starts);
    for (int32_t e = from; e < to; e++) starts[entries[e].part + 1]++;
    for (int32_t p = 0; p < parts; p++) starts[p + 1] += starts[p];
    for (int32_t e = from; e < to; e++) g->entry_order.data[from + starts[entries[e].part]++] = e;
}

// Evens with about as many pairs for each two threads.
static void layers_divide(Grains *g) {
    int32_t evens = layers_evens(g), even = 0;
    int32_t chunks = g->layers.data[g->layers.count - 1].chunk, regions = (int32_t)g->even_odd.regions.count;
    for (int32_t r = 0; r < regions; r++) {
        int32_t from = even;
        int64_t wanted = (int64_t)chunks * (r + 1) / regions;
        while (even < evens && (r + 1 == regions || g->layers.data[2 * even].chunk < wanted)) even++;
        even_odd_set_region(&g->even_odd, (size_t)r, from, even);
    }
}

bool layers_make(Grains *g, int threads) {
    size_t chunks = smooth_contacts_chunks(g->near.count);
    if (!array_resize(&g->reach, chunks)) return false;
    layers_find_reach(g, chunks);
    if (!layers_cut(g, chunks)) return false;
    layers_add_entries(g);
    if (!array_resize(&g->entry_order, g->entries.count) ||
        !array_resize(&g->part_starts, (size_t)g->definition->wall_count + 1))
        return false;
    for (int32_t k = 0; k < layers_count(g); k++)
        layers_order_entries(g, g->layers.data[k].entry, g->layers.data[k + 1].entry);
    int32_t evens = layers_evens(g);
    g->threads = chunks < 4 || evens < 2 ? 1 : threads < evens ? threads : evens;
    if (!even_odd_resize(&g->even_odd, evens, g->threads)) return false;
    layers_divide(g);
    return true;
}
