// What touching pairs remember, carried across new lists of near pairs without a second copy: the touching
// pairs are moved together at the front of the arrays, in the order of the neighbour lists, one row after the
// other; and when the new list is known, from the back to their new places. The new list holds every one of
// them, so that no pair is overwritten before it has been moved. Chunks go through a small copy.
#include <stdlib.h>

#include "grains/engine.h"

// The order of the neighbour lists is that of i, then j.
static int64_t key_of(const Near *n, size_t slot) { return (int64_t)n->i.data[slot] << 32 | n->j.data[slot]; }

typedef struct Chunk { // of pairs, in the order of the neighbour lists
    size_t count, touching;
    int32_t i[CONTACT_CHUNK], j[CONTACT_CHUNK];
    bool touches[CONTACT_CHUNK];
    float rows[CONTACT_CHUNK * ROW], rolls[CONTACT_CHUNK * ROW]; // of those that touch
} Chunk;

static size_t chunk_end(const Grains *g, size_t from) {
    return from + CONTACT_CHUNK < g->near.count ? from + CONTACT_CHUNK : g->near.count;
}

static void move_row(Grains *g, size_t to, size_t from) {
    if (to == from) return;
    memcpy(g->near.rows.data + to * ROW, g->near.rows.data + from * ROW, ROW * sizeof(float));
    if (g->laws.rolling)
        memcpy(g->near.rolls.data + to * ROW, g->near.rolls.data + from * ROW, ROW * sizeof(float));
}

// ---- chunks --------------------------------------------------------------------------------------
static void chunk_add(const Grains *g, size_t slot, bool touches, Chunk *chunk) {
    const Near *n = &g->near;
    size_t k = chunk->count++, row = near_row(slot);
    chunk->i[k] = n->i.data[slot], chunk->j[k] = n->j.data[slot];
    chunk->touches[k] = touches;
    if (!touches) return;
    size_t to = chunk->touching++ * ROW;
    for (size_t c = 0; c < ROW; c++) chunk->rows[to + c] = n->rows.data[row + c * BLOCK];
    for (size_t c = 0; c < ROW && g->laws.rolling; c++) chunk->rolls[to + c] = n->rolls.data[row + c * BLOCK];
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
    size_t yes = 0, no = chunk->touching;
    for (size_t k = 0; k < chunk->count; k++) {
        bool touches = chunk->touches[k];
        size_t slot = from + (touches ? yes : no), row = near_row(slot);
        n->i.data[slot] = chunk->i[k], n->j.data[slot] = chunk->j[k];
        for (size_t c = 0; c < ROW; c++)
            n->rows.data[row + c * BLOCK] = touches ? chunk->rows[yes * ROW + c] : 0;
        for (size_t c = 0; c < ROW && g->laws.rolling; c++)
            n->rolls.data[row + c * BLOCK] = touches ? chunk->rolls[yes * ROW + c] : 0;
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
    if (4 * BLOCK * blocks <= 5 * touching + 8 * BLOCK) return;
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
        size_t count = chunk.count, bytes = count * sizeof(int32_t), numbers = count * ROW * sizeof(float);
        memcpy(n->i.data + kept, chunk.i, bytes);
        memcpy(n->j.data + kept, chunk.j, bytes);
        memcpy(n->rows.data + kept * ROW, chunk.rows, numbers);
        if (g->laws.rolling) memcpy(n->rolls.data + kept * ROW, chunk.rolls, numbers);
        kept += count;
    }
    return kept;
}

// ---- across a sort of the grains -----------------------------------------------------------------
static int compare_keys(const void *a, const void *b) {
    int64_t x = ((const CarryKey *)a)->key, y = ((const CarryKey *)b)->key;
    return (x > y) - (x < y);
}

// Brings the rows into the order of the keys, following each cycle of the permutation with one row in hand.
static void sort_rows(Grains *g, CarryKey *keys, size_t count) {
    for (size_t first = 0; first < count; first++) {
        if (keys[first].place < 0) continue;
        float row[ROW], roll[ROW] = {0};
        memcpy(row, g->near.rows.data + first * ROW, sizeof row);
        if (g->laws.rolling) memcpy(roll, g->near.rolls.data + first * ROW, sizeof roll);
        size_t to = first;
        for (;;) {
            size_t from = (size_t)keys[to].place;
            keys[to].place = -1;
            if (from == first) break;
            move_row(g, to, from);
            to = from;
        }
        memcpy(g->near.rows.data + to * ROW, row, sizeof row);
        if (g->laws.rolling) memcpy(g->near.rolls.data + to * ROW, roll, sizeof roll);
    }
}

// Where the two grains of pair `place` are now. The memory is that of the first grain against the second, so
// it turns round when they change places.
static int64_t find_again(Grains *g, size_t place, const int32_t *now) {
    Near *n = &g->near;
    int32_t i = now[n->i.data[place]], j = now[n->j.data[place]];
    n->i.data[place] = i < j ? i : j, n->j.data[place] = i < j ? j : i;
    for (size_t c = 0; c < 6 && i > j; c++) {
        n->rows.data[place * ROW + c] = -n->rows.data[place * ROW + c];
        if (g->laws.rolling) n->rolls.data[place * ROW + c] = -n->rolls.data[place * ROW + c];
    }
    return key_of(n, place);
}

MrcStatus carry_follow_sort(Grains *g, size_t kept, const int32_t *now, MrcError *error) {
    if (!array_resize(&g->carry_keys, kept)) return error_memory(error, "the contacts");
    if (kept == 0) return MRC_OK;
    CarryKey *keys = g->carry_keys.data;
    for (size_t k = 0; k < kept; k++) keys[k] = (CarryKey){find_again(g, k, now), (int32_t)k};
    qsort(keys, kept, sizeof *keys, compare_keys);
    for (size_t k = 0; k < kept; k++)
        g->near.i.data[k] = (int32_t)(keys[k].key >> 32), g->near.j.data[k] = (int32_t)keys[k].key;
    sort_rows(g, keys, kept);
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
            n->i.data[left] = n->i.data[k], n->j.data[left] = n->j.data[k];
            move_row(g, left++, k++);
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
    size_t numbers = chunk.touching * ROW * sizeof(float);
    memcpy(chunk.rows, n->rows.data + walk->kept * ROW, numbers);
    if (g->laws.rolling) memcpy(chunk.rolls, n->rolls.data + walk->kept * ROW, numbers);
    chunk_write(g, from, &chunk);
}

void carry_put_back(Grains *g, size_t kept) {
    Walk walk = {.grain = g->store.count, .kept = drop_missing(g, kept)};
    for (size_t chunks = (g->near.count + CONTACT_CHUNK - 1) / CONTACT_CHUNK; chunks-- > 0;)
        put_chunk(g, chunks * CONTACT_CHUNK, chunk_end(g, chunks * CONTACT_CHUNK), &walk);
}
