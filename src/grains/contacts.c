// The forces of this step: of pairs of grains (pairs.c) and of walls (walls.c).
//
// No two threads ever write to the same place, and every grain's sum is made in the same order, whatever the
// number of threads: layers.c.
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

void contacts_count(Grains *g, int32_t grain, bool begins) {
    g->touches.data[grain] = (uint16_t)(begins ? g->touches.data[grain] + 1 : g->touches.data[grain] - 1);
    g->met.data[grain] = 1;
}

void contacts_of_layer(Grains *g, const Motion *walls, bool look, int32_t layer) {
    const Layer *first = &g->layers.data[layer], *end = first + 1;
    const bool tidy = !look && g->epoch.steps % TIDY_STEPS == TIDY_STEPS - 1;
    size_t parts = (size_t)g->definition->wall_count, pairs = g->near.count;
    Load *loads = g->loads.data + (size_t)layer * parts;
    Work work;
    work.grains = g, work.walls = walls, work.look = look;
    for (size_t c = (size_t)first->chunk; c < (size_t)end->chunk; c++) {
        size_t from = c * CONTACT_CHUNK, to = from + CONTACT_CHUNK < pairs ? from + CONTACT_CHUNK : pairs;
        work.sums = (Sums){0};
        if (tidy) carry_tidy(g, from);
        contacts_of_pairs(&work, from, to);
        g->sums.data[c] = work.sums;
    }
    work.sums = (Sums){0};
    memset(loads, 0, parts * sizeof *loads);
    contacts_of_walls(&work, (size_t)first->entry, (size_t)end->entry, loads);
    g->sums.data[contact_chunks(pairs) + (size_t)layer] = work.sums;
}

Sums contacts_sum(const Grains *g, Load *loads) {
    size_t parts = (size_t)g->definition->wall_count;
    size_t chunks = contact_chunks(g->near.count), layers = (size_t)layers_count(g);
    Sums total = {0};
    memset(loads, 0, parts * sizeof *loads);
    for (size_t c = 0; c < chunks + layers; c++) sums_add(&total, &g->sums.data[c]);
    for (size_t k = 0; k < layers; k++)
        for (size_t w = 0; w < parts; w++) {
            loads[w].force = vec3_add(loads[w].force, g->loads.data[k * parts + w].force);
            loads[w].moment = vec3_add(loads[w].moment, g->loads.data[k * parts + w].moment);
        }
    return total;
}
