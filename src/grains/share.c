// Which thread does what in an epoch. Pairs are shared out in whole chunks, in order, and grains near the
// same places. Contacts of a grain that pairs of several threads touch are put aside and added up by the
// thread that moves it, when all are done; all other grains are added to while the contacts are made. Both
// add in the order of the pairs, so the sums are the same, and who does what changes no result: it may be
// decided by the clock.
#include <math.h>

#include "grains/engine.h"

void share_free(Grains *g) {
    Shared *s = &g->shared;
    array_free(&g->shares);
    array_free(&s->first);
    array_free(&s->chunks);
    array_free(&s->lines);
    array_free(&s->moments);
}

// ---- who does what -------------------------------------------------------------------------------
// What a chunk of pairs costs in a step: a pair that touches as much as some ten that are only looked at.
static double cost_of(const Grains *g, size_t chunk) {
    size_t blocks = near_blocks(g->near.count), from = chunk * (CONTACT_CHUNK / BLOCK);
    size_t to = from + CONTACT_CHUNK / BLOCK < blocks ? from + CONTACT_CHUNK / BLOCK : blocks;
    double cost = (double)(BLOCK * (to - from));
    for (size_t b = from; b < to; b++) cost += 10 * __builtin_popcount(g->near.touching.data[b]);
    return cost;
}

// Threads that took longer than the others in the last epoch get less.
static void adjust(Share *shares, size_t threads, int task) {
    double all = 0, mean = 0;
    for (size_t t = 0; t < threads; t++) mean += shares[t].busy[task] / (double)threads;
    for (size_t t = 0; t < threads; t++) {
        double *part = &shares[t].part[task], *busy = &shares[t].busy[task];
        if (!(*part > 0)) *part = 1 / (double)threads;
        if (*busy > 0) *part *= fmin(fmax(sqrt(mean / *busy), 0.8), 1.25);
        *part = fmax(*part, 0.2 / (double)threads);
        *busy = 0;
        all += *part;
    }
    for (size_t t = 0; t < threads; t++) shares[t].part[task] /= all;
}

static void cut_pairs(Grains *g, Share *shares, size_t threads) {
    size_t chunks = contact_chunks(g->near.count), c = 0;
    double all = 0, so_far = 0, wanted = 0;
    for (size_t k = 0; k < chunks && threads > 1; k++) all += cost_of(g, k);
    for (size_t t = 1; t < threads; t++) {
        wanted += all * shares[t - 1].part[SHARE_CONTACTS];
        while (c < chunks && so_far + 0.5 * cost_of(g, c) < wanted) so_far += cost_of(g, c++);
        shares[t].chunk = (int32_t)c;
    }
    shares[threads].chunk = (int32_t)chunks;
}

static void cut_grains(Grains *g, Share *shares, size_t threads) {
    size_t i = 0;
    double so_far = 0, wanted = 0;
    for (size_t t = 1; t < threads; t++) {
        wanted += (double)g->stepped * shares[t - 1].part[SHARE_GRAINS];
        while (i < g->store.count && so_far < wanted) so_far += g->stepping.data[i++];
        shares[t].grain = (int32_t)i;
    }
    shares[threads].grain = (int32_t)g->store.count;
}
static bool cut(Grains *g) {
    size_t threads = (size_t)g->threads;
    if (g->shares.count != threads + 1) {
        if (!array_resize(&g->shares, threads + 1)) return false;
        memset(g->shares.data, 0, (threads + 1) * sizeof(Share));
    }
    for (int task = 0; task < SHARE_TASKS; task++) adjust(g->shares.data, threads, task);
    cut_pairs(g, g->shares.data, threads);
    cut_grains(g, g->shares.data, threads);
    return true;
}

// ---- grains of several threads -------------------------------------------------------------------
// Does the thread put aside what its pairs do to the grain?
static bool is_aside(const Shared *s, int32_t grain, int thread) {
    return s->first.data[grain] && s->first.data[grain] != thread + 1;
}

static bool mark_shared(Grains *g) {
    size_t grains = g->store.count;
    if (!array_resize(&g->shared.first, grains)) return false;
    uint8_t *first = g->shared.first.data;
    int32_t *owner = (int32_t *)g->neighbours.scratch;
    memset(first, 0, grains);
    memset(owner, 0xff, grains * sizeof *owner);
    for (int t = 0; t < g->threads; t++) {
        size_t from = (size_t)g->shares.data[t].chunk * CONTACT_CHUNK,
               to = (size_t)g->shares.data[t + 1].chunk * CONTACT_CHUNK;
        for (size_t s = from; s < to && s < g->near.count; s++) {
            int32_t pair[2] = {g->near.i.data[s], g->near.j.data[s]};
            for (int k = 0; k < 2; k++) {
                if (owner[pair[k]] < 0) owner[pair[k]] = t;
                else if (owner[pair[k]] != t) first[pair[k]] = (uint8_t)(owner[pair[k]] + 1);
            }
        }
    }
    return true;
}

// Rooms for lines in chunks where something is put aside, and for which grains.
static bool make_room(Grains *g) {
    Shared *s = &g->shared;
    size_t chunks = contact_chunks(g->near.count), lines = 0;
    if (!array_resize(&s->chunks, chunks + 1)) return false;
    for (int t = 0; t < g->threads; t++)
        for (int32_t c = g->shares.data[t].chunk; c < g->shares.data[t + 1].chunk; c++) {
            AsideChunk *chunk = &s->chunks.data[c];
            *chunk = (AsideChunk){.line = (int32_t)lines, .thread = t, .low = INT32_MAX, .high = -1};
            size_t from = (size_t)c * CONTACT_CHUNK, to = from + CONTACT_CHUNK;
            for (size_t slot = from; slot < to && slot < g->near.count; slot++) {
                int32_t pair[2] = {g->near.i.data[slot], g->near.j.data[slot]};
                for (int k = 0; k < 2; k++) {
                    if (!is_aside(s, pair[k], t)) continue;
                    chunk->low = pair[k] < chunk->low ? pair[k] : chunk->low;
                    chunk->high = pair[k] > chunk->high ? pair[k] : chunk->high;
                }
            }
            if (chunk->high >= 0) lines += CONTACT_CHUNK;
        }
    return RESIZE(&s->lines, 0, lines * LINE) && (!g->laws.rolling || RESIZE(&s->moments, 0, lines * 4));
}

bool share_out(Grains *g) { return cut(g) && (g->threads == 1 || (mark_shared(g) && make_room(g))); }

// ---- what was put aside --------------------------------------------------------------------------
static void collect_side(Grains *g, const AsideChunk *chunk, size_t slot, int side, int32_t from,
                         int32_t to) {
    const Shared *s = &g->shared;
    int32_t grain = side ? g->near.j.data[slot] : g->near.i.data[slot];
    if (grain < from || grain >= to || !is_aside(s, grain, chunk->thread)) return;
    size_t place = (size_t)chunk->line + slot % CONTACT_CHUNK;
    double *force = g->forces + (size_t)grain * LINE;
    WideLine line = wide_line_load(s->lines.data + place * LINE);
    wide_line_store(force, wide_line_fma(wide_line_load(line_side[side]), line, wide_line_load(force)));
    for (size_t c = 0; c < 3 && g->laws.rolling; c++)
        g->moments[(size_t)grain * 4 + c] += (side ? -1 : 1) * s->moments.data[place * 4 + c];
}

// In the order of pairs.c: vector by vector, grains i before grains j.
void share_collect(Grains *g, size_t from, size_t to) {
    size_t blocks = near_blocks(g->near.count), some = CONTACT_CHUNK / BLOCK;
    for (size_t c = 0; c < contact_chunks(g->near.count); c++) {
        const AsideChunk *chunk = &g->shared.chunks.data[c];
        if (chunk->high < (int32_t)from || chunk->low >= (int32_t)to) continue;
        for (size_t block = c * some; block < (c + 1) * some && block < blocks; block++)
            for (size_t first = 0; first < BLOCK && g->near.touching.data[block]; first += WIDE_LANES)
                for (int side = 0; side < 2; side++) {
                    unsigned left = g->near.touching.data[block] >> first & ((1u << WIDE_LANES) - 1);
                    for (; left; left &= left - 1)
                        collect_side(g, chunk, block * BLOCK + first + (unsigned)__builtin_ctz(left), side,
                                     (int32_t)from, (int32_t)to);
                }
    }
}
