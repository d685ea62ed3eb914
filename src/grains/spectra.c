// A collision lasts from the first touch of two bodies until they part. Its energy is what it dissipated along the line of
// contact, as in the ledger's entry `impact`: over all classes, with what contacts that still last have dissipated so far,
// the spectrum adds up to that entry. A contact that lasts long, as in a bed at rest, is one collision.
//
// Class k holds energies from E_k = 10^(SPECTRA_LEAST + k/n) to E_(k+1), n classes per decade; the first one also all that are
// less. Energies are summed as whole multiples of 2^-24 E_k, so that the sum does not depend on the order in which collisions
// end, and threads may add to it at once. That is exact to 6e-8 of each energy, and has room for 5e10 collisions per
// class. A single energy beyond 2^40 multiples, 65 GJ, counts as that limit.
//
// Smooth grains keep the energy of a contact with its other memory: a number in two parts of single precision (pairs), or
// with the entry of the wall. Rigid grains have a table of the contacts of the last step.
#include "grains/spectra.h"

#include <math.h>

#include "grains/engine.h"

enum {
    SPECTRA_LEAST = -18,
    SPECTRA_MOST = 6
}; // powers of ten of the first class and behind the last one [J]
static const double spectra_unit = 0x1p-24;
static const double spectra_multiples_most = 0x1p40;      // of one collision
static const int64_t spectra_sum_most = (int64_t)1 << 61; // from a file
#define SPECTRA_FREE INT64_MIN

static size_t spectra_classes(const Spectra *s) {
    return (size_t)(SPECTRA_MOST - SPECTRA_LEAST) * (size_t)s->per_decade;
}

static double spectra_edge(const Spectra *s, size_t k) {
    return pow(10, SPECTRA_LEAST + (double)k / s->per_decade);
}

MrcStatus spectra_create(Grains *g, MrcError *error) {
    Spectra *s = &g->spectra;
    if (!g->definition->spectra.given) return MRC_OK;
    s->per_decade = (int)g->definition->spectra.per_decade;
    size_t count = (1 + (size_t)g->definition->wall_count) * spectra_classes(s);
    if (!array_resize(&s->counts, count) || !array_resize(&s->energies, count))
        return error_memory(error, "the impact energy spectra");
    memset(s->counts.data, 0, count * sizeof *s->counts.data);
    memset(s->energies.data, 0, count * sizeof *s->energies.data);
    return MRC_OK;
}

static void spectra_contacts_free(SpectraContacts *c) {
    array_free(&c->keys);
    array_free(&c->spent);
}

void spectra_free(Grains *g) {
    array_free(&g->spectra.counts);
    array_free(&g->spectra.energies);
    spectra_contacts_free(&g->spectra.last);
    spectra_contacts_free(&g->spectra.now);
}

void spectra_add(Grains *g, int part, double energy) {
    Spectra *s = &g->spectra;
    size_t classes = spectra_classes(s), k = 0;
    double place = (log10(fabs(energy)) - SPECTRA_LEAST) * s->per_decade; // -infinity of 0
    if (place > 0) k = place < (double)classes ? (size_t)place : classes - 1;
    double ratio = energy / (spectra_unit * spectra_edge(s, k));
    int64_t multiples = llrint(fmin(fmax(ratio, -spectra_multiples_most), spectra_multiples_most));
    int64_t *count = &s->counts.data[(size_t)(part + 1) * classes + k],
            *sum = &s->energies.data[(size_t)(part + 1) * classes + k];
#pragma omp atomic
    *count += 1;
#pragma omp atomic
    *sum += multiples;
}

// ---- contacts of rigid grains --------------------------------------------------------------------
static int64_t spectra_key(const Grains *g, size_t grain, int64_t other) {
    int64_t a = g->store.id[grain], b = other < 0 ? ((int64_t)1 << 32) + other : g->store.id[other];
    return other >= 0 && b < a ? b << 32 | a : a << 32 | b;
}

static int spectra_part(int64_t key) { // that the key is of; -1: of two grains
    uint32_t b = (uint32_t)key;
    return b > INT32_MAX ? (int)(UINT32_MAX - b) : -1;
}

// Where the key is, or would be. There is always a free place.
static size_t spectra_find(const SpectraContacts *c, int64_t key) {
    uint64_t mixed = (uint64_t)key * 0x9e3779b97f4a7c15u;
    size_t mask = c->keys.count - 1, at = (size_t)(mixed >> 20) & mask;
    while (c->keys.data[at] != SPECTRA_FREE && c->keys.data[at] != key) at = (at + 1) & mask;
    return at;
}

static void spectra_clear(SpectraContacts *c) {
    for (size_t k = 0; k < c->keys.count; k++) c->keys.data[k] = SPECTRA_FREE;
    c->count = 0;
}

// Adds to what is there of the key. There is room.
static void spectra_put(SpectraContacts *c, int64_t key, double energy) {
    size_t at = spectra_find(c, key);
    if (c->keys.data[at] == SPECTRA_FREE) {
        c->keys.data[at] = key, c->spent.data[at] = 0;
        c->count++;
    }
    c->spent.data[at] += energy;
}

bool spectra_reserve(Grains *g, size_t contacts) {
    SpectraContacts *now = &g->spectra.now; // nothing is in it yet
    size_t room = now->keys.count ? now->keys.count : 256;
    while (room < 2 * contacts) room *= 2;
    if (room == now->keys.count) return true;
    if (!array_resize(&now->keys, room) || !array_resize(&now->spent, room)) return false;
    spectra_clear(now);
    return true;
}

void spectra_touch(Grains *g, size_t grain, int64_t other, double energy) {
    spectra_put(&g->spectra.now, spectra_key(g, grain, other), energy);
}

void spectra_step(Grains *g) {
    Spectra *s = &g->spectra;
    for (size_t k = 0; k < s->last.keys.count; k++) {
        int64_t key = s->last.keys.data[k];
        if (key == SPECTRA_FREE) continue;
        size_t at = s->now.count ? spectra_find(&s->now, key) : 0;
        if (s->now.count && s->now.keys.data[at] == key) s->now.spent.data[at] += s->last.spent.data[k];
        else spectra_add(g, spectra_part(key), s->last.spent.data[k]);
    }
    spectra_clear(&s->last);
    SpectraContacts swap = s->last;
    s->last = s->now;
    s->now = swap;
}

void spectra_more(Grains *g, size_t grain, int64_t other, double energy) {
    spectra_put(&g->spectra.last, spectra_key(g, grain, other), energy);
}

// ---- saving, and what comes out ------------------------------------------------------------------
// A table from a file may say anything.
void spectra_archive(Grains *g, Archive *archive) {
    Spectra *s = &g->spectra;
    if (s->per_decade == 0) return;
    archive_group_begin(archive, "spectra");
    archive_counts(archive, "counts", s->counts.data, s->counts.count);
    archive_bits64(archive, "energies", s->energies.data, s->energies.count);
    archive_array(archive, "keys", &s->last.keys);
    archive_array(archive, "spent", &s->last.spent);
    archive_group_end(archive, "spectra");
    if (!archive_is_loading(archive) || archive_status(archive, NULL) != MRC_OK) return;
    size_t room = s->last.keys.count;
    bool right = room == s->last.spent.count && (room & (room - 1)) == 0;
    for (size_t k = 0; k < s->energies.count; k++)
        right = right && s->energies.data[k] >= -spectra_sum_most && s->energies.data[k] <= spectra_sum_most;
    s->last.count = 0;
    for (size_t k = 0; k < room && right; k++) s->last.count += s->last.keys.data[k] != SPECTRA_FREE;
    right = right && (room == 0 || s->last.count < room);
    for (size_t k = 0; k < room && right; k++) {
        int64_t key = s->last.keys.data[k];
        right = key == SPECTRA_FREE || (key >= 0 && spectra_part(key) < g->definition->wall_count &&
                                        spectra_find(&s->last, key) == k);
    }
    if (!right)
        archive_fail(archive, MRC_CHECKPOINT, "spectra", "energies or contacts cannot be as they are");
}

bool grains_spectrum_class(const Grains *g, int part, size_t k, SpectrumClass *out) {
    const Spectra *s = &g->spectra;
    size_t classes = s->per_decade ? spectra_classes(s) : 0, at = (size_t)(part + 1) * classes + k;
    if (k >= classes) return false;
    *out = (SpectrumClass){.from = k ? spectra_edge(s, k) : 0,
                           .to = k + 1 < classes ? spectra_edge(s, k + 1) : INFINITY,
                           .count = s->counts.data[at],
                           .energy = (double)s->energies.data[at] * spectra_unit * spectra_edge(s, k)};
    return true;
}

SpectrumSums grains_spectrum_sums(const Grains *g, int part) {
    SpectrumSums sums = {0};
    SpectrumClass class;
    double half = 0;
    for (size_t k = 0; grains_spectrum_class(g, part, k, &class); k++)
        sums.count += class.count, sums.energy += class.energy;
    for (size_t k = 0; grains_spectrum_class(g, part, k, &class); k++) {
        if (half < 0.5 * sums.energy && half + class.energy >= 0.5 * sums.energy)
            sums.median = class.from + (0.5 * sums.energy - half) / class.energy * (class.to - class.from);
        half += class.energy;
    }
    return sums;
}
