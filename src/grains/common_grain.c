// The most common grain. Where more than half of a bed's grains have the same radius, mass and material, most batches
// of contacts hold pairs of these only, and their parameters are those of one contact: they are computed once instead
// of being gathered for each (smooth_pairs.c). A ball that falls into a bed of equal grains is such a case.
//
// The grain is found by the majority vote of Boyer and Moore (1991, doi:10.1007/978-94-011-3488-0_5): grains that differ
// cancel in pairs, and only a majority can be left.
#include "grains/engine.h"

static bool common_grain_is_like(const Grains *g, size_t i, size_t j) {
    const double *a = g->motion + i * GRAIN_LINE, *b = g->motion + j * GRAIN_LINE;
    return a[GRAIN_RADIUS] == b[GRAIN_RADIUS] && a[GRAIN_INVERSE_MASS] == b[GRAIN_INVERSE_MASS] &&
           g->store.material[i] == g->store.material[j];
}

static size_t common_grain_find(const Grains *g) {
    size_t left = 0, alike = 0, count = g->store.count, candidate = 0;
    for (size_t i = 0; i < count; i++) {
        if (left == 0) candidate = i;
        left += left == 0 || common_grain_is_like(g, i, candidate) ? 1 : (size_t)-1;
    }
    for (size_t i = 0; i < count; i++) alike += common_grain_is_like(g, i, candidate);
    return 2 * alike > count ? candidate : count;
}

void common_grain_mark_pairs(Grains *g, size_t from, size_t to) {
    NearPairs *n = &g->near;
    if (g->uniform || !g->common.found) return;
    const uint8_t *odd = g->common.odd.data;
    for (size_t block = from / BLOCK; block < near_blocks(to); block++) {
        const int32_t *i = n->i.data + block * BLOCK, *j = n->j.data + block * BLOCK;
        n->odd.data[block] = 0;
        for (int k = 0; k < BLOCK; k++) n->odd.data[block] |= odd[i[k]] | odd[j[k]];
    }
}

bool common_grain_mark(Grains *g) {
    CommonGrain *common = &g->common;
    size_t count = g->store.count, like = g->uniform ? 0 : common_grain_find(g);
    common->found = like < count && !g->shapes;
    if (!common->found) return true;
    common->radius = g->motion[like * GRAIN_LINE + GRAIN_RADIUS];
    common->inverse_mass = g->motion[like * GRAIN_LINE + GRAIN_INVERSE_MASS];
    common->material = g->store.material[like];
    if (g->uniform) return true;
    if (!array_resize(&common->odd, count) || !array_resize(&g->near.odd, near_blocks(g->near.count)))
        return false;
    for (size_t i = 0; i < count; i++) common->odd.data[i] = !common_grain_is_like(g, i, like);
    common_grain_mark_pairs(g, 0, g->near.count);
    return true;
}
