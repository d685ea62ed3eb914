// What touching pairs remember, carried across new lists of near pairs without a second copy: the touching
// pairs are moved together at the front of the arrays, and when the new list is known, from the back to their
// new places. The new list holds every one of them, so that no pair is overwritten before it has been moved.
#include <stdlib.h>

#include "grains/engine.h"

static void move_row(Grains *g, size_t to, size_t from) {
    if (to == from) return;
    memcpy(g->near.rows.data + to * ROW, g->near.rows.data + from * ROW, ROW * sizeof(float));
    if (g->laws.rolling)
        memcpy(g->near.rolls.data + to * ROW, g->near.rolls.data + from * ROW, ROW * sizeof(float));
}

static void move_pair(Grains *g, size_t to, size_t from) {
    Near *n = &g->near;
    n->i.data[to] = n->i.data[from];
    n->j.data[to] = n->j.data[from];
    n->pair.data[to] = n->pair.data[from];
    move_row(g, to, from);
}

size_t carry_take_out(Grains *g) {
    size_t kept = 0;
    for (size_t s = 0; s < g->near.count; s++)
        if (g->near.touching.data[s]) move_pair(g, kept++, s);
    return kept;
}

// ---- across a sort of the grains -----------------------------------------------------------------
static int compare_keys(const void *a, const void *b) {
    int32_t x = ((const CarryKey *)a)->pair, y = ((const CarryKey *)b)->pair;
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
static int32_t find_again(Grains *g, size_t place, const int32_t *now) {
    Near *n = &g->near;
    int32_t i = now[n->i.data[place]], j = now[n->j.data[place]];
    if (i > j) {
        int32_t swap = i;
        i = j, j = swap;
        for (size_t c = 0; c < 6; c++) {
            n->rows.data[place * ROW + c] = -n->rows.data[place * ROW + c];
            if (g->laws.rolling) n->rolls.data[place * ROW + c] = -n->rolls.data[place * ROW + c];
        }
    }
    const Neighbours *lists = &g->neighbours;
    for (int32_t p = lists->start.data[i]; p < lists->start.data[i + 1]; p++)
        if (lists->index.data[p] == j) return p;
    return -1; // came apart in the very last step
}

MrcStatus carry_follow_sort(Grains *g, size_t kept, const int32_t *now, MrcError *error) {
    if (!array_resize(&g->carry_keys, kept)) return error_memory(error, "the contacts");
    if (kept == 0) return MRC_OK;
    CarryKey *keys = g->carry_keys.data;
    for (size_t k = 0; k < kept; k++) keys[k] = (CarryKey){find_again(g, k, now), (int32_t)k};
    qsort(keys, kept, sizeof *keys, compare_keys);
    for (size_t k = 0; k < kept; k++) g->near.pair.data[k] = keys[k].pair;
    sort_rows(g, keys, kept);
    return MRC_OK;
}

// ---- into the new list ---------------------------------------------------------------------------
// Pairs that the new list lacks came apart in the very last step: they are dropped.
static size_t drop_missing(Grains *g, size_t kept, const int32_t *counts) {
    const int32_t *start = g->neighbours.start.data;
    size_t left = 0, k = 0;
    for (size_t i = 0; i < g->store.count; i++)
        for (int32_t c = 0; c < counts[i]; c++) {
            int32_t pair = g->kept.data[start[i] + c];
            while (k < kept && g->near.pair.data[k] < pair) k++;
            if (k == kept || g->near.pair.data[k] != pair) continue;
            g->near.pair.data[left] = pair;
            move_row(g, left++, k++);
        }
    return left;
}

void carry_put_back(Grains *g, size_t kept, const int32_t *counts) {
    Near *n = &g->near;
    const int32_t *start = g->neighbours.start.data;
    size_t slot = n->count;
    kept = drop_missing(g, kept, counts);
    for (size_t i = g->store.count; i-- > 0;)
        for (int32_t c = counts[i]; c-- > 0;) {
            int32_t pair = g->kept.data[start[i] + c];
            bool touches = kept > 0 && n->pair.data[kept - 1] == pair;
            slot--;
            if (touches) {
                move_row(g, slot, --kept);
            } else {
                memset(n->rows.data + slot * ROW, 0, ROW * sizeof(float));
                if (g->laws.rolling) memset(n->rolls.data + slot * ROW, 0, ROW * sizeof(float));
            }
            n->i.data[slot] = (int32_t)i;
            n->j.data[slot] = g->neighbours.index.data[pair];
            n->pair.data[slot] = pair;
            n->touching.data[slot] = touches;
        }
}
