// Layers of grains, and how threads go through them in a step.
//
// Near pairs are sorted by their first grain i, and j > i is never far behind: within the next plane of cells
// of the neighbour lists. Whole chunks of pairs are put together into layers such that the pairs of one touch
// grains of this layer and of the next one only. So no two even layers have a grain in common, and no two odd
// ones, and a step consists of
//
//     even u    the contacts of layer 2u
//     joint u   the contacts of layer 2u - 1, which have to wait for even u - 1 and even u,
//               then the motion of the grains of layers 2u - 1 and 2u, to which all has been added by then
//
// Threads take evens, one half of them from the front on and the others from the back, and the joints beside
// them as they become ready. A thread that is slower does less, neighbouring layers are still in its cache,
// and as layers depend on the pairs alone and what is added to a grain comes in a fixed order, the results
// are the same, whoever does what.
#include "base/threads.h"
#include "grains/engine.h"

void layers_free(Grains *g) {
    array_free(&g->layers);
    array_free(&g->reach);
    array_free(&g->regions);
    array_free(&g->joints);
}

// ---- making them ---------------------------------------------------------------------------------
// The first grain and the last one that the pairs of each chunk touch.
static void find_reach(Grains *g, size_t chunks) {
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

// Chunks of layers, as few in each as can be.
static bool cut(Grains *g, size_t chunks) {
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
static void add_entries(Grains *g) {
    size_t e = 0;
    for (size_t k = 0; k < g->layers.count; k++) {
        while (e < g->entries.count && g->entries.data[e].grain < g->layers.data[k].grain) e++;
        g->layers.data[k].entry = (int32_t)e;
    }
}

// Evens with about as many pairs for each two threads.
static void share_out(Grains *g) {
    int32_t evens = layers_evens(g), even = 0;
    int32_t chunks = g->layers.data[g->layers.count - 1].chunk, regions = (int32_t)g->regions.count;
    for (int32_t r = 0; r < regions; r++) {
        g->regions.data[r].from = (uint32_t)even;
        int64_t wanted = (int64_t)chunks * (r + 1) / regions;
        while (even < evens && (r + 1 == regions || g->layers.data[2 * even].chunk < wanted)) even++;
        g->regions.data[r].to = (uint32_t)even;
    }
}

bool layers_make(Grains *g, int threads) {
    size_t chunks = contact_chunks(g->near.count);
    if (!array_resize(&g->reach, chunks)) return false;
    find_reach(g, chunks);
    if (!cut(g, chunks)) return false;
    add_entries(g);
    int32_t evens = layers_evens(g);
    g->threads = chunks < 4 || evens < 2 ? 1 : threads < evens ? threads : evens;
    if (!array_resize(&g->regions, (size_t)(g->threads + 1) / 2) ||
        !array_resize(&g->joints, (size_t)evens + 1))
        return false;
    share_out(g);
    return true;
}

// ---- in a step -----------------------------------------------------------------------------------
void layers_begin(Grains *g) {
    for (size_t r = 0; r < g->regions.count; r++) {
        Region *region = &g->regions.data[r];
        atomic_init(&region->left, (uint64_t)region->to << 32 | region->from);
    }
    for (size_t k = 0; k < g->joints.count; k++)
        atomic_init(&g->joints.data[k].waits_for, (k > 0) + (k + 1 < g->joints.count));
    atomic_init(&g->joints_left, (int32_t)g->joints.count);
}

// The first even of a region that nobody has taken, or the last one; -1: there is none.
static int32_t claim(Region *region, bool backwards) {
    uint64_t left = atomic_load_explicit(&region->left, memory_order_relaxed), rest;
    uint32_t from, to;
    do {
        from = (uint32_t)left, to = (uint32_t)(left >> 32);
        if (from >= to) return -1;
        rest = backwards ? (uint64_t)(to - 1) << 32 | from : (uint64_t)to << 32 | (from + 1);
    } while (!atomic_compare_exchange_weak_explicit(&region->left, &left, rest, memory_order_relaxed,
                                                    memory_order_relaxed));
    return (int32_t)(backwards ? to - 1 : from);
}

int32_t layers_claim(Grains *g, int thread) {
    size_t regions = g->regions.count, own = (size_t)thread / 2;
    for (size_t k = 0; k < regions; k++) { // its own one, then those of others
        int32_t even = claim(&g->regions.data[(own + k) % regions], thread % 2);
        if (even >= 0) return even;
    }
    return -1;
}

void layers_even_done(Grains *g, int32_t even) {
    for (int32_t joint = even; joint <= even + 1; joint++)
        atomic_fetch_sub_explicit(&g->joints.data[joint].waits_for, 1, memory_order_acq_rel);
}

bool layers_take_joint(Grains *g, int32_t joint) {
    _Atomic int *waits_for = &g->joints.data[joint].waits_for;
    int ready = 0;
    if (atomic_load_explicit(waits_for, memory_order_relaxed) != 0 ||
        !atomic_compare_exchange_strong_explicit(waits_for, &ready, -1, memory_order_acquire,
                                                 memory_order_relaxed))
        return false;
    atomic_fetch_sub_explicit(&g->joints_left, 1, memory_order_relaxed);
    return true;
}

int32_t layers_find_joint(Grains *g) {
    for (int looks = 0; atomic_load_explicit(&g->joints_left, memory_order_relaxed) > 0; looks++) {
        for (int32_t joint = 0; joint < (int32_t)g->joints.count; joint++)
            if (layers_take_joint(g, joint)) return joint;
        threads_pause(looks);
    }
    return -1;
}
