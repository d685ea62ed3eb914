// Memory of touching pairs (springs, last forces), moved from one list of near pairs to the next without a second
// copy of it. First the touching pairs are compacted at the front of the arrays, in the order of the neighbour
// lists, row after row. When the new list is known, they are moved to their new places from the back to the
// front. The new list holds every one of them, so that no pair is overwritten before it has been moved. Chunks
// go through a small copy.
#include "grains/engine.h"

// The order of the neighbour lists is that of i, then j.
static int64_t contact_memory_key(const NearPairs *n, size_t slot) {
    return (int64_t)n->i.data[slot] << 32 | n->j.data[slot];
}

typedef struct MemoryChunk { // of pairs, in the order of the neighbour lists
    size_t count, touching;
    int32_t i[CONTACT_CHUNK], j[CONTACT_CHUNK];
    bool touches[CONTACT_CHUNK];
    float rows[CONTACT_CHUNK * ROW_MOST]; // of those that touch
} MemoryChunk;

static size_t contact_memory_chunk_end(const Grains *g, size_t from) {
    return from + CONTACT_CHUNK < g->near.count ? from + CONTACT_CHUNK : g->near.count;
}

static void contact_memory_move_pair(NearPairs *n, size_t to, size_t from) {
    size_t length = n->row.length;
    if (to == from) return;
    n->i.data[to] = n->i.data[from], n->j.data[to] = n->j.data[from];
    memcpy(n->rows.data + to * length, n->rows.data + from * length, length * sizeof(float));
}

// ---- chunks --------------------------------------------------------------------------------------
static void contact_memory_chunk_add(const Grains *g, size_t slot, bool touches, MemoryChunk *chunk) {
    const NearPairs *n = &g->near;
    size_t k = chunk->count++, length = n->row.length;
    chunk->i[k] = n->i.data[slot], chunk->j[k] = n->j.data[slot];
    chunk->touches[k] = touches;
    if (!touches) return;
    const float *row = near_row(n, slot);
    float *to = chunk->rows + chunk->touching++ * length;
    for (size_t c = 0; c < length; c++) to[c] = row[c * BLOCK];
}

// The first slot from `slot` on, before `end`, whose pair touches, or any if all are wanted; `end`: there is none.
static inline size_t contact_memory_next(const NearPairs *n, size_t slot, size_t end, bool all) {
    while (slot < end && !all) {
        unsigned bits = (unsigned)n->touching.data[slot / BLOCK] >> slot % BLOCK;
        if (bits) {
            slot += (size_t)__builtin_ctz(bits);
            break;
        }
        slot = (slot / BLOCK + 1) * BLOCK;
    }
    return slot < end ? slot : end;
}

// Its two parts are merged. All pairs, or those that touch only: few of the second part do.
static void contact_memory_chunk_read(const Grains *g, size_t from, size_t to, bool all, MemoryChunk *chunk) {
    const NearPairs *n = &g->near;
    size_t middle = from + 1;
    while (middle < to && contact_memory_key(n, middle) > contact_memory_key(n, middle - 1)) middle++;
    chunk->count = chunk->touching = 0;
    size_t a = contact_memory_next(n, from, middle, all), b = contact_memory_next(n, middle, to, all);
    while (a < middle || b < to) {
        bool first = b == to || (a < middle && contact_memory_key(n, a) < contact_memory_key(n, b));
        size_t slot = first ? a : b;
        contact_memory_chunk_add(g, slot, near_touches(n, slot), chunk);
        if (first) a = contact_memory_next(n, a + 1, middle, all);
        else b = contact_memory_next(n, b + 1, to, all);
    }
}

// Touching pairs first.
static void contact_memory_chunk_write(Grains *g, size_t from, const MemoryChunk *chunk) {
    NearPairs *n = &g->near;
    size_t yes = 0, no = chunk->touching, length = n->row.length;
    for (size_t k = 0; k < chunk->count; k++) {
        bool touches = chunk->touches[k];
        size_t slot = from + (touches ? yes : no);
        float *row = near_row(n, slot);
        n->i.data[slot] = chunk->i[k], n->j.data[slot] = chunk->j[k];
        for (size_t c = 0; c < length; c++) row[c * BLOCK] = touches ? chunk->rows[yes * length + c] : 0;
        if (touches) yes++;
        else no++;
    }
    for (size_t block = 0; block < near_blocks(chunk->count); block++) {
        size_t some = yes > block * BLOCK ? yes - block * BLOCK : 0;
        n->touching.data[from / BLOCK + block] = some >= BLOCK ? 0xff : (uint8_t)((1u << some) - 1);
    }
}

// ---- between prunings ----------------------------------------------------------------------------
void contact_memory_repack(Grains *g, size_t from) {
    const NearPairs *n = &g->near;
    size_t to = contact_memory_chunk_end(g, from), touching = 0, blocks = 0;
    for (size_t block = from / BLOCK; block < near_blocks(to); block++) {
        touching += (size_t)__builtin_popcount(n->touching.data[block]);
        blocks += n->touching.data[block] != 0;
    }
    if (BLOCK * blocks <= touching + BLOCK * REPACK_BLOCKS) return;
    MemoryChunk chunk;
    contact_memory_chunk_read(g, from, to, true, &chunk);
    contact_memory_chunk_write(g, from, &chunk);
    common_grain_mark_pairs(g, from, to);
}

// ---- out of the old list -------------------------------------------------------------------------
size_t contact_memory_take_out(Grains *g) {
    NearPairs *n = &g->near;
    size_t kept = 0;
    MemoryChunk chunk;
    for (size_t from = 0; from < n->count; from += CONTACT_CHUNK) {
        contact_memory_chunk_read(g, from, contact_memory_chunk_end(g, from), false, &chunk);
        size_t count = chunk.count, bytes = count * sizeof(int32_t), length = n->row.length;
        memcpy(n->i.data + kept, chunk.i, bytes);
        memcpy(n->j.data + kept, chunk.j, bytes);
        memcpy(n->rows.data + kept * length, chunk.rows, count * length * sizeof(float));
        kept += count;
    }
    return kept;
}

// ---- when grains leave ---------------------------------------------------------------------------
size_t contact_memory_leave(Grains *g, size_t kept, const int32_t *place) {
    NearPairs *n = &g->near;
    size_t left = 0;
    for (size_t k = 0; k < kept; k++) {
        int32_t i = place[n->i.data[k]], j = place[n->j.data[k]];
        if (i < 0 || j < 0) {
            const float *spent = n->rows.data + k * n->row.length + n->row.spent;
            if (g->spectra.per_decade) spectra_add(g, -1, (double)spent[0] + (double)spent[1]);
            continue;
        }
        contact_memory_move_pair(n, left, k);
        n->i.data[left] = i, n->j.data[left++] = j;
    }
    return left;
}

// ---- across a sort of the grains -----------------------------------------------------------------
// Permutes the pairs in place, cycle by cycle: place k gets what is at from[k], which becomes -1.
static void contact_memory_permute(NearPairs *n, int32_t *from, size_t count) {
    size_t length = n->row.length;
    for (size_t first = 0; first < count; first++) {
        if (from[first] < 0) continue;
        float row[ROW_MOST];
        int32_t i = n->i.data[first], j = n->j.data[first];
        memcpy(row, n->rows.data + first * length, length * sizeof(float));
        size_t to = first;
        while ((size_t)from[to] != first) {
            size_t next = (size_t)from[to];
            from[to] = -1;
            contact_memory_move_pair(n, to, next);
            to = next;
        }
        from[to] = -1;
        n->i.data[to] = i, n->j.data[to] = j;
        memcpy(n->rows.data + to * length, row, length * sizeof(float));
    }
}

// New numbers of the two grains of pair `place`. Springs and forces are those of the first grain against the
// second: they change sign when the two are exchanged; stiffness and damping do not.
static void contact_memory_renumber(NearPairs *n, size_t place, const int32_t *now) {
    int32_t i = now[n->i.data[place]], j = now[n->j.data[place]];
    n->i.data[place] = i < j ? i : j, n->j.data[place] = i < j ? j : i;
    if (i < j) return;
    float *row = n->rows.data + place * n->row.length;
    for (size_t c = 0; c < n->row.length; c++)
        if (c < n->row.force || c >= n->row.rolling || (c < n->row.damping && !n->row.stiffness))
            row[c] = -row[c];
}

// Sorts the pairs by i (counting sort), and the few pairs of each grain by j (insertion sort).
MrcStatus contact_memory_sort(Grains *g, size_t kept, const int32_t *now, MrcError *error) {
    NearPairs *n = &g->near;
    if (!array_resize(&g->pair_order, kept)) return error_memory(error, "the contacts");
    int32_t *from = g->pair_order.data,
            *end = (int32_t *)g->neighbours.scratch; // of the pairs of each grain so far
    memset(end, 0, (g->store.count + 1) * sizeof *end);
    for (size_t k = 0; k < kept; k++) {
        contact_memory_renumber(n, k, now);
        end[n->i.data[k] + 1]++;
    }
    for (size_t i = 0; i < g->store.count; i++) end[i + 1] += end[i];
    for (size_t k = 0; k < kept; k++) from[end[n->i.data[k]]++] = (int32_t)k;
    for (size_t i = 0, first = 0; i < g->store.count; first = (size_t)end[i++])
        for (size_t place = first + 1; place < (size_t)end[i]; place++) {
            int32_t pair = from[place];
            size_t to = place;
            for (; to > first && n->j.data[from[to - 1]] > n->j.data[pair]; to--) from[to] = from[to - 1];
            from[to] = pair;
        }
    contact_memory_permute(n, from, kept);
    return MRC_OK;
}

// ---- into the new list ---------------------------------------------------------------------------
// A walk over the pairs of the new list, from the first to the last or back: what pruning left of the
// neighbour lists (pruning.c).
static int64_t contact_memory_listed_key(const Grains *g, size_t i, int32_t place) {
    return (int64_t)i << 32 | g->neighbours.index.data[g->neighbours.start.data[i] + place];
}

// Pairs that the new list lacks came apart in the very last step: they are dropped.
static size_t contact_memory_drop_missing(Grains *g, size_t kept) {
    NearPairs *n = &g->near;
    size_t left = 0, k = 0;
    for (size_t i = 0; i < g->store.count && k < kept; i++) {
        if (n->i.data[k] > (int32_t)i) continue;
        int32_t count = g->neighbours.start.data[i + 1] - g->neighbours.start.data[i];
        for (int32_t c = -1; (c = pruning_next_near(g, i, c + 1, count)) < count && k < kept;) {
            int64_t key = contact_memory_listed_key(g, i, c);
            while (k < kept && contact_memory_key(n, k) < key) k++;
            if (k == kept || contact_memory_key(n, k) != key) continue;
            contact_memory_move_pair(n, left++, k++);
        }
    }
    return left;
}

// State of the walk from the last pair of the new list to the first.
typedef struct MemoryWalk {
    size_t grain;
    int32_t left; // neighbours of this grain up to the last one that came
    size_t kept;  // touching pairs still to come
} MemoryWalk;

static void contact_memory_put_chunk(Grains *g, size_t from, size_t to, MemoryWalk *walk) {
    const NearPairs *n = &g->near;
    const int32_t *start = g->neighbours.start.data;
    MemoryChunk chunk;
    chunk.count = to - from, chunk.touching = 0;
    for (size_t k = chunk.count; k-- > 0;) {
        while ((walk->left = pruning_last_near(g, walk->grain, walk->left)) < 0)
            walk->grain--, walk->left = start[walk->grain + 1] - start[walk->grain];
        int64_t key = contact_memory_listed_key(g, walk->grain, walk->left);
        chunk.i[k] = (int32_t)(key >> 32), chunk.j[k] = (int32_t)key;
        chunk.touches[k] = walk->kept > 0 && contact_memory_key(n, walk->kept - 1) == key;
        if (chunk.touches[k]) chunk.touching++, walk->kept--;
    }
    size_t length = n->row.length;
    memcpy(chunk.rows, n->rows.data + walk->kept * length, chunk.touching * length * sizeof(float));
    contact_memory_chunk_write(g, from, &chunk);
}

void contact_memory_put_back(Grains *g, size_t kept) {
    MemoryWalk walk = {.grain = g->store.count, .kept = contact_memory_drop_missing(g, kept)};
    for (size_t chunks = (g->near.count + CONTACT_CHUNK - 1) / CONTACT_CHUNK; chunks-- > 0;)
        contact_memory_put_chunk(g, chunks * CONTACT_CHUNK,
                                 contact_memory_chunk_end(g, chunks * CONTACT_CHUNK), &walk);
}
