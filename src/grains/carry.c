// What touching pairs remember, carried across new lists of near pairs without a second copy: the touching
// pairs are moved together at the front of the arrays, in the order of the neighbour lists, one row after the
// other; and when the new list is known, from the back to their new places. The new list holds every one of
// them, so that no pair is overwritten before it has been moved. Chunks go through a small copy.
#include "grains/engine.h"

// The order of the neighbour lists is that of i, then j.
static int64_t key_of(const Near *n, size_t slot) { return (int64_t)n->i.data[slot] << 32 | n->j.data[slot]; }

typedef struct Chunk { // of pairs, in the order of the neighbour lists
    size_t count, touching;
    int32_t i[CONTACT_CHUNK], j[CONTACT_CHUNK];
    bool touches[CONTACT_CHUNK];
    float rows[CONTACT_CHUNK * ROW_MOST]; // of those that touch
} Chunk;

static size_t chunk_end(const Grains *g, size_t from) {
    return from + CONTACT_CHUNK < g->near.count ? from + CONTACT_CHUNK : g->near.count;
}

static void move_pair(Near *n, size_t to, size_t from) {
    size_t length = n->row.length;
    if (to == from) return;
    n->i.data[to] = n->i.data[from], n->j.data[to] = n->j.data[from];
    memcpy(n->rows.data + to * length, n->rows.data + from * length, length * sizeof(float));
}

// ---- chunks --------------------------------------------------------------------------------------
static void chunk_add(const Grains *g, size_t slot, bool touches, Chunk *chunk) {
    const Near *n = &g->near;
    size_t k = chunk->count++, length = n->row.length;
    chunk->i[k] = n->i.data[slot], chunk->j[k] = n->j.data[slot];
    chunk->touches[k] = touches;
    if (!touches) return;
    const float *row = near_row(n, slot);
    float *to = chunk->rows + chunk->touching++ * length;
    for (size_t c = 0; c < length; c++) to[c] = row[c * BLOCK];
}

// Its two parts are merged. All pairs, or those that touch only.
static void chunk_read(const Grains *g, size_t from, size_t to, bool all, Chunk *chunk) {
    const Near *n = &g->near;
    size_t middle = from + 1;
    while (middle < to && key_of(n, middle) > key_of(n, middle - 1)) middle++;
    chunk->count = chunk->touching = 0;
    for (size_t a = from, b = middle; a < middle || b < to;) {
        bool first = b == to || (a < middle && key_of(n, a) < key_of(n, b));
        size_t slot = first ? a++ : b++;
        bool touches = near_touches(n, slot);
        if (all || touches) chunk_add(g, slot, touches, chunk);
    }
}

// Touching pairs first.
static void chunk_write(Grains *g, size_t from, const Chunk *chunk) {
    Near *n = &g->near;
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

// ---- within an epoch -----------------------------------------------------------------------------
void carry_tidy(Grains *g, size_t from) {
    const Near *n = &g->near;
    size_t to = chunk_end(g, from), touching = 0, blocks = 0;
    for (size_t block = from / BLOCK; block < near_blocks(to); block++) {
        touching += (size_t)__builtin_popcount(n->touching.data[block]);
        blocks += n->touching.data[block] != 0;
    }
    if (BLOCK * blocks <= touching + BLOCK * TIDY_BLOCKS) return;
    Chunk chunk;
    chunk_read(g, from, to, true, &chunk);
    chunk_write(g, from, &chunk);
}

// ---- out of the old list -------------------------------------------------------------------------
size_t carry_take_out(Grains *g) {
    Near *n = &g->near;
    size_t kept = 0;
    Chunk chunk;
    for (size_t from = 0; from < n->count; from += CONTACT_CHUNK) {
        chunk_read(g, from, chunk_end(g, from), false, &chunk);
        size_t count = chunk.count, bytes = count * sizeof(int32_t), length = n->row.length;
        memcpy(n->i.data + kept, chunk.i, bytes);
        memcpy(n->j.data + kept, chunk.j, bytes);
        memcpy(n->rows.data + kept * length, chunk.rows, count * length * sizeof(float));
        kept += count;
    }
    return kept;
}

// ---- across a sort of the grains -----------------------------------------------------------------
// Brings the pairs into order, following each cycle of the permutation with one pair in hand: place k shall
// hold what is at from[k], which becomes -1.
static void permute_pairs(Near *n, int32_t *from, size_t count) {
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
            move_pair(n, to, next);
            to = next;
        }
        from[to] = -1;
        n->i.data[to] = i, n->j.data[to] = j;
        memcpy(n->rows.data + to * length, row, length * sizeof(float));
    }
}

// Where the two grains of pair `place` are now. The memory is that of the first grain against the second, so
// it turns round when they change places; stiffness and damping do not.
static void follow(Near *n, size_t place, const int32_t *now) {
    int32_t i = now[n->i.data[place]], j = now[n->j.data[place]];
    n->i.data[place] = i < j ? i : j, n->j.data[place] = i < j ? j : i;
    if (i < j) return;
    float *row = n->rows.data + place * n->row.length;
    for (size_t c = 0; c < n->row.length; c++)
        if (c < n->row.force || c >= n->row.rolling || (c < n->row.damping && !n->row.stiffness))
            row[c] = -row[c];
}

// Sorts the pairs by i (counting sort), and the few pairs of each grain by j (insertion sort).
MrcStatus carry_follow_sort(Grains *g, size_t kept, const int32_t *now, MrcError *error) {
    Near *n = &g->near;
    if (!array_resize(&g->carry, kept)) return error_memory(error, "the contacts");
    int32_t *from = g->carry.data,
            *end = (int32_t *)g->neighbours.scratch; // of the pairs of each grain so far
    memset(end, 0, (g->store.count + 1) * sizeof *end);
    for (size_t k = 0; k < kept; k++) {
        follow(n, k, now);
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
    permute_pairs(n, from, kept);
    return MRC_OK;
}

// ---- into the new list ---------------------------------------------------------------------------
// A walk over the pairs of the new list, from the first to the last or back: what pruning left of the
// neighbour lists (epoch.c).
static int64_t pair_key(const Grains *g, size_t i, int32_t place) {
    return (int64_t)i << 32 | g->neighbours.index.data[g->neighbours.start.data[i] + place];
}

// Pairs that the new list lacks came apart in the very last step: they are dropped.
static size_t drop_missing(Grains *g, size_t kept) {
    Near *n = &g->near;
    size_t left = 0, k = 0;
    for (size_t i = 0; i < g->store.count && k < kept; i++) {
        if (n->i.data[k] > (int32_t)i) continue;
        int32_t count = g->neighbours.start.data[i + 1] - g->neighbours.start.data[i];
        for (int32_t c = 0; c < count && k < kept; c++) {
            if (!epoch_is_near(g, i, c)) continue;
            int64_t key = pair_key(g, i, c);
            while (k < kept && key_of(n, k) < key) k++;
            if (k == kept || key_of(n, k) != key) continue;
            move_pair(n, left++, k++);
        }
    }
    return left;
}

// Where the walk from the last pair of the new list to the first has come to.
typedef struct Walk {
    size_t grain;
    int32_t left; // neighbours of this grain still to come
    size_t kept;  // touching pairs still to come
} Walk;

static void put_chunk(Grains *g, size_t from, size_t to, Walk *walk) {
    const Near *n = &g->near;
    const int32_t *start = g->neighbours.start.data;
    Chunk chunk;
    chunk.count = to - from, chunk.touching = 0;
    for (size_t k = chunk.count; k-- > 0;) {
        do {
            while (walk->left == 0) walk->grain--, walk->left = start[walk->grain + 1] - start[walk->grain];
            walk->left--;
        } while (!epoch_is_near(g, walk->grain, walk->left));
        int64_t key = pair_key(g, walk->grain, walk->left);
        chunk.i[k] = (int32_t)(key >> 32), chunk.j[k] = (int32_t)key;
        chunk.touches[k] = walk->kept > 0 && key_of(n, walk->kept - 1) == key;
        if (chunk.touches[k]) chunk.touching++, walk->kept--;
    }
    size_t length = n->row.length;
    memcpy(chunk.rows, n->rows.data + walk->kept * length, chunk.touching * length * sizeof(float));
    chunk_write(g, from, &chunk);
}

void carry_put_back(Grains *g, size_t kept) {
    Walk walk = {.grain = g->store.count, .kept = drop_missing(g, kept)};
    for (size_t chunks = (g->near.count + CONTACT_CHUNK - 1) / CONTACT_CHUNK; chunks-- > 0;)
        put_chunk(g, chunks * CONTACT_CHUNK, chunk_end(g, chunks * CONTACT_CHUNK), &walk);
}
