// The forces of this step: of pairs of grains (pairs.c) and of walls (walls.c).
//
// Each thread has its own stretch of pairs, in order, and adds to the forces on grains as it goes; only
// grains at the borders of stretches are shared, and their contacts are put aside (epoch.c). No two threads
// ever write to the same place, and every grain's sum is made in the order of the pairs, whatever the number
// of threads.
#include "grains/contacts.h"

#include <math.h>

#include "base/threads.h"

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

static size_t chunk_count(size_t items) { return (items + CONTACT_CHUNK - 1) / CONTACT_CHUNK; }

// Takes in who began and who ceased to touch.
static void count_touch(Grains *g, int32_t grain, bool begins) {
    g->touches.data[grain] = (uint16_t)(begins ? g->touches.data[grain] + 1 : g->touches.data[grain] - 1);
    g->met.data[grain] = 1;
}

static void count_block(Grains *g, size_t block) {
    const Near *near = &g->near;
    for (unsigned changed = near->changed.data[block]; changed; changed &= changed - 1) {
        size_t slot = block * BLOCK + (unsigned)__builtin_ctz(changed);
        count_touch(g, near->i.data[slot], near_touches(near, slot));
        count_touch(g, near->j.data[slot], near_touches(near, slot));
    }
}

static void count_touches(Grains *g, size_t pair_chunks, size_t wall_chunks) {
    size_t blocks = near_blocks(g->near.count), chunk = CONTACT_CHUNK / BLOCK;
    for (size_t c = 0; c < pair_chunks; c++) {
        size_t to = (c + 1) * chunk < blocks ? (c + 1) * chunk : blocks;
        for (size_t block = c * chunk; block < to && g->sums.data[c].events; block += 8) {
            uint64_t changed = 0; // of eight blocks: of most nothing
            size_t some = to - block < 8 ? to - block : 8;
            memcpy(&changed, g->near.changed.data + block, some);
            for (size_t k = 0; k < some && changed; k++) count_block(g, block + k);
        }
    }
    for (size_t c = 0; c < wall_chunks; c++) {
        size_t from = c * CONTACT_CHUNK, all = g->entries.count;
        for (size_t e = from; e < from + CONTACT_CHUNK && e < all && g->sums.data[pair_chunks + c].events;
             e++) {
            if (g->changed.data[e]) count_touch(g, g->entries.data[e].grain, g->entries.data[e].count > 0);
            g->changed.data[e] = 0;
        }
    }
}

// What was put aside for shared grains, in the order in which pairs.c pushes grains: vector by vector, grains
// i before grains j.
static void push_side(Grains *g, const SharedPush *push, int side) {
    size_t grain = (size_t)(side ? push->j : push->i);
    double sign = side ? -1 : 1, *force = g->forces + grain * LINE;
    if (!g->shared.data[grain]) return;
    for (int k = 0; k < 3; k++) {
        force[k] = fma(sign, push->line[k], force[k]);
        force[3 + k] += push->line[3 + k];
        if (g->laws.rolling) g->moments[grain * 4 + (size_t)k] += sign * push->moment[k];
    }
}

static void push_shared(Grains *g, size_t chunks) {
    for (size_t c = 0; c < chunks; c++) {
        const SharedPush *push = g->pushes.data + g->push_start.data[c], *end = push + g->sums.data[c].pushes;
        while (push < end) {
            const SharedPush *next = push + 1;
            while (next < end && !next->first) next++;
            for (const SharedPush *p = push; p < next; p++) push_side(g, p, 0);
            for (const SharedPush *p = push; p < next; p++) push_side(g, p, 1);
            push = next;
        }
    }
}

// Chunk c of the pairs or of the wall entries.
static void run_chunk(Work *work, size_t c, bool wall, size_t pair_chunks) {
    Grains *g = work->grains;
    size_t parts = (size_t)g->definition->wall_count, all = wall ? g->entries.count : g->near.count;
    size_t from = c * CONTACT_CHUNK, to = from + CONTACT_CHUNK < all ? from + CONTACT_CHUNK : all;
    size_t place = wall ? pair_chunks + c : c;
    work->sums = (Sums){0};
    bool shares = !wall && !work->look && g->threads > 1 && g->push_start.data[c + 1] > g->push_start.data[c];
    work->pushes = shares ? g->pushes.data + g->push_start.data[c] : NULL;
    if (wall) {
        memset(g->loads.data + c * parts, 0, parts * sizeof(Load));
        contacts_of_walls(work, from, to, g->loads.data + c * parts);
    } else {
        if (!work->look && g->epoch.steps % TIDY_STEPS == TIDY_STEPS - 1) carry_tidy(g, from);
        contacts_of_pairs(work, from, to);
    }
    g->sums.data[place] = work->sums;
}

Sums contacts_forces(Grains *g, const Motion *walls, Load *loads, bool look) {
    size_t parts = (size_t)g->definition->wall_count;
    size_t pair_chunks = chunk_count(g->near.count), wall_chunks = chunk_count(g->entries.count);
    int threads = look ? 1 : g->threads;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        // Stretches of pairs as find_shared knows them; there may be fewer threads than asked for. Walls
        // wherever.
        int thread = threads > 1 ? threads_current() : 0, team = threads > 1 ? threads_in_team() : 1;
        Work work;
        work.grains = g, work.walls = walls, work.look = look;
        for (size_t c = 0; c < pair_chunks; c++)
            if (thread == (int)(c * (size_t)threads / pair_chunks) % team)
                run_chunk(&work, c, false, pair_chunks);
        for (size_t c = (size_t)thread; c < wall_chunks; c += (size_t)team)
            run_chunk(&work, c, true, pair_chunks);
    }
    if (!look) {
        count_touches(g, pair_chunks, wall_chunks);
        if (threads > 1) push_shared(g, pair_chunks);
    }
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
