// The forces of this step: of pairs of grains (pairs.c) and of walls (walls.c).
//
// Each thread has its own stretch of pairs, in order, and adds to the forces on grains as it goes; only
// grains at the borders of stretches are shared, and their contacts are put aside (share.c). When all are
// done, each thread takes in what concerns its own grains. No two threads ever write to the same place, and
// every grain's sum is made in the order of the pairs, whatever the number of threads.
#include "grains/contacts.h"

#include <math.h>

void sums_add(Sums *total, const Sums *part) {
    total->elastic += part->elastic;
    total->tangential_energy += part->tangential_energy;
    total->rolling_energy += part->rolling_energy;
    total->impact_power += part->impact_power;
    total->friction_power += part->friction_power;
    total->rolling_power += part->rolling_power;
    total->contacts += part->contacts;
    total->overlap = fmax(total->overlap, part->overlap);
    if (part->overlap_ratio > total->overlap_ratio) {
        total->overlap_ratio = part->overlap_ratio;
        total->overlap_i = part->overlap_i;
        total->overlap_other = part->overlap_other;
    }
}

void contacts_apply_laws(Work *work) {
    const ContactLaws *laws = &work->grains->laws;
    ContactBatch *b = &work->batch;
    b->step = work->grains->step;
    laws->normal(b, &laws->table);
    if (laws->tangential) laws->tangential(b, &laws->table);
    if (laws->rolling) laws->rolling(b, &laws->table);
}

// ---- what others have to know of a stretch of grains ---------------------------------------------
typedef struct Range { // of grains
    int32_t from, to;
} Range;
static bool is_in(Range range, int32_t grain) { return grain >= range.from && grain < range.to; }

// Takes in who began and who ceased to touch.
static void count_touch(Grains *g, Range range, int32_t grain, bool begins) {
    if (!is_in(range, grain)) return;
    g->touches.data[grain] = (uint16_t)(begins ? g->touches.data[grain] + 1 : g->touches.data[grain] - 1);
    g->met.data[grain] = 1;
}

static void count_block(Grains *g, Range range, size_t block) {
    const Near *near = &g->near;
    for (unsigned changed = near->changed.data[block]; changed; changed &= changed - 1) {
        size_t slot = block * BLOCK + (unsigned)__builtin_ctz(changed);
        count_touch(g, range, near->i.data[slot], near_touches(near, slot));
        count_touch(g, range, near->j.data[slot], near_touches(near, slot));
    }
}

static void count_touches(Grains *g, Range range) {
    size_t pair_chunks = contact_chunks(g->near.count), wall_chunks = contact_chunks(g->entries.count);
    size_t blocks = near_blocks(g->near.count), chunk = CONTACT_CHUNK / BLOCK;
    for (size_t c = 0; c < pair_chunks; c++) {
        size_t to = (c + 1) * chunk < blocks ? (c + 1) * chunk : blocks;
        for (size_t block = c * chunk; block < to && g->sums.data[c].events; block += 8) {
            uint64_t changed = 0; // of eight blocks: of most nothing
            size_t some = to - block < 8 ? to - block : 8;
            memcpy(&changed, g->near.changed.data + block, some);
            for (size_t k = 0; k < some && changed; k++) count_block(g, range, block + k);
        }
    }
    for (size_t c = 0; c < wall_chunks; c++) {
        size_t from = c * CONTACT_CHUNK, all = g->entries.count;
        for (size_t e = from; e < from + CONTACT_CHUNK && e < all && g->sums.data[pair_chunks + c].events;
             e++)
            if (g->changed.data[e])
                count_touch(g, range, g->entries.data[e].grain, g->entries.data[e].count > 0);
    }
}

void contacts_share(Grains *g, size_t from, size_t to) {
    count_touches(g, (Range){(int32_t)from, (int32_t)to});
    if (g->threads > 1) share_collect(g, from, to);
}

// ---- making them ---------------------------------------------------------------------------------
// Chunk c of the pairs or of the wall entries.
static void run_chunk(Work *work, size_t c, bool wall, size_t pair_chunks) {
    Grains *g = work->grains;
    size_t parts = (size_t)g->definition->wall_count, all = wall ? g->entries.count : g->near.count;
    size_t from = c * CONTACT_CHUNK, to = from + CONTACT_CHUNK < all ? from + CONTACT_CHUNK : all;
    size_t place = wall ? pair_chunks + c : c;
    work->sums = (Sums){0};
    const AsideChunk *aside = wall || work->look || g->threads == 1 ? NULL : &g->shared.chunks.data[c];
    bool shares = aside && aside->high >= 0;
    work->from = from;
    work->aside = shares ? g->shared.lines.data + (size_t)aside->line * LINE : NULL;
    work->aside_moments = shares && g->laws.rolling ? g->shared.moments.data + (size_t)aside->line * 4 : NULL;
    if (shares) memset(work->nobody, 0, sizeof work->nobody);
    if (wall) {
        memset(g->loads.data + c * parts, 0, parts * sizeof(Load));
        if (!work->look) memset(g->changed.data + from, 0, to - from);
        contacts_of_walls(work, from, to, g->loads.data + c * parts);
    } else {
        if (!work->look && g->epoch.steps % TIDY_STEPS == TIDY_STEPS - 1) carry_tidy(g, from);
        contacts_of_pairs(work, from, to);
    }
    g->sums.data[place] = work->sums;
}

void contacts_make(Grains *g, const Motion *walls, bool look, int thread, int team) {
    size_t pair_chunks = contact_chunks(g->near.count), wall_chunks = contact_chunks(g->entries.count);
    Work work;
    work.grains = g, work.walls = walls, work.look = look;
    for (int s = thread; s < g->threads; s += team) {
        work.thread = (uint8_t)(s + 1);
        for (int32_t c = g->shares.data[s].chunk; c < g->shares.data[s + 1].chunk; c++)
            run_chunk(&work, (size_t)c, false, pair_chunks);
    }
    for (size_t c = (size_t)thread; c < wall_chunks; c += (size_t)team)
        run_chunk(&work, c, true, pair_chunks);
}

Sums contacts_sum(const Grains *g, Load *loads) {
    size_t parts = (size_t)g->definition->wall_count;
    size_t pair_chunks = contact_chunks(g->near.count), wall_chunks = contact_chunks(g->entries.count);
    Sums total = {0};
    memset(loads, 0, parts * sizeof *loads);
    for (size_t c = 0; c < pair_chunks + wall_chunks; c++) sums_add(&total, &g->sums.data[c]);
    for (size_t c = 0; c < wall_chunks; c++)
        for (size_t w = 0; w < parts; w++) {
            loads[w].force = vec3_add(loads[w].force, g->loads.data[c * parts + w].force);
            loads[w].moment = vec3_add(loads[w].moment, g->loads.data[c * parts + w].moment);
        }
    return total;
}
