// The forces of this step: of pairs of grains (smooth_pairs.c) and of walls (smooth_walls.c), or both of grains that are
// not spheres (smooth_shapes.c).
//
// No two threads write to the same place, and the forces on a grain are added in the same order for every number
// of threads (layers.c).
#include "grains/smooth_shapes.h"

#include <math.h>

void smooth_contacts_add(ContactSums *total, const ContactSums *part) {
    total->elastic += part->elastic;
    total->cohesion_energy += part->cohesion_energy;
    total->tangential_energy += part->tangential_energy;
    total->rolling_energy += part->rolling_energy;
    total->impact_power += part->impact_power;
    total->friction_power += part->friction_power;
    total->belt_power += part->belt_power;
    total->rolling_power += part->rolling_power;
    total->pair_contacts += part->pair_contacts;
    total->wall_contacts += part->wall_contacts;
    total->overlap = fmax(total->overlap, part->overlap);
    if (part->overlap_ratio > total->overlap_ratio) {
        total->overlap_ratio = part->overlap_ratio;
        total->overlap_i = part->overlap_i;
        total->overlap_other = part->overlap_other;
    }
}

// Bodies that cohere without overlap have no contact force of the normal law.
static void smooth_contacts_release(ContactBatch *b) {
    Wide zero = wide_set(0);
    for (int k = 0; k < b->count; k += WIDE_LANES) {
        WideMask apart = wide_less(zero, wide_load(b->gap + k));
        wide_store(b->normal + k, wide_select(apart, zero, wide_load(b->normal + k)));
        wide_store(b->spring + k, wide_select(apart, zero, wide_load(b->spring + k)));
        wide_store(b->energy + k, wide_select(apart, zero, wide_load(b->energy + k)));
    }
}

void smooth_contacts_apply_laws(ContactWork *work) {
    const ContactLaws *laws = &work->grains->laws;
    ContactBatch *b = &work->batch;
    b->step = work->grains->step;
    b->measuring = work->measuring;
    laws->normal(b, &laws->table);
    if (laws->cohesion) smooth_contacts_release(b);
    if (laws->tangential) laws->tangential(b, &laws->table);
    if (laws->rolling) laws->rolling(b, &laws->table);
    if (!laws->cohesion) return;
    laws->cohesion->forces(b, &laws->table);
    for (int k = 0; k < b->count; k += WIDE_LANES) {
        wide_store(b->normal + k, wide_load(b->normal + k) - wide_load(b->pull + k));
        wide_store(b->energy + k, wide_load(b->energy + k) + wide_load(b->pull_energy + k));
    }
}

void smooth_contacts_count(Grains *g, int32_t grain, bool begins) {
    g->touches.data[grain] = (uint16_t)(begins ? g->touches.data[grain] + 1 : g->touches.data[grain] - 1);
    g->met.data[grain] = 1;
}

void smooth_contacts_end_entry(Grains *g, WallEntry *entry) {
    if (g->spectra.per_decade) spectra_add(g, entry->part, entry->spent);
    entry->spent = 0;
}

void smooth_contacts_of_layer(Grains *g, const Motion *walls, bool measuring, int32_t layer) {
    const Layer *first = &g->layers.data[layer], *end = first + 1;
    const bool repack = !measuring && g->pruning.steps % REPACK_STEPS == REPACK_STEPS - 1;
    size_t parts = (size_t)g->definition->wall_count, pairs = g->near.count;
    Load *loads = g->loads.data + (size_t)layer * parts;
    ContactWork work;
    work.grains = g, work.walls = walls, work.measuring = measuring;
    for (size_t c = (size_t)first->chunk; c < (size_t)end->chunk; c++) {
        size_t from = c * CONTACT_CHUNK, to = from + CONTACT_CHUNK < pairs ? from + CONTACT_CHUNK : pairs;
        work.sums = (ContactSums){0};
        if (g->shapes) {
            smooth_shapes_pairs(&work, from, to);
        } else {
            if (repack) contact_memory_repack(g, from);
            smooth_pairs_contacts(&work, from, to);
        }
        g->sums.data[c] = work.sums;
    }
    work.sums = (ContactSums){0};
    memset(loads, 0, parts * sizeof *loads);
    work.wearing = g->wearing.data + (size_t)layer * parts;
    memset(work.wearing, 0, parts * sizeof *work.wearing);
    if (g->shapes) smooth_shapes_walls(&work, layer, (size_t)first->entry, (size_t)end->entry, loads);
    else smooth_walls_contacts(&work, (size_t)first->entry, (size_t)end->entry, loads);
    g->sums.data[smooth_contacts_chunks(pairs) + (size_t)layer] = work.sums;
}

void smooth_contacts_wear(Grains *g) {
    size_t parts = (size_t)g->definition->wall_count;
    for (size_t k = 0; k < (size_t)layers_count(g); k++)
        for (size_t w = 0; w < parts; w++) {
            const WallWear *power = &g->wearing.data[k * parts + w];
            wear_add(g, (int)w, g->step * power->friction, g->step * power->impact);
        }
}

ContactSums smooth_contacts_sum(const Grains *g, Load *loads) {
    size_t parts = (size_t)g->definition->wall_count;
    size_t chunks = smooth_contacts_chunks(g->near.count), layers = (size_t)layers_count(g);
    ContactSums total = {0};
    memset(loads, 0, parts * sizeof *loads);
    for (size_t c = 0; c < chunks + layers; c++) smooth_contacts_add(&total, &g->sums.data[c]);
    for (size_t k = 0; k < layers; k++)
        for (size_t w = 0; w < parts; w++) {
            loads[w].force = vec3_add(loads[w].force, g->loads.data[k * parts + w].force);
            loads[w].moment = vec3_add(loads[w].moment, g->loads.data[k * parts + w].moment);
        }
    return total;
}
