// The mixing index of Lacey (1954, doi:10.1002/jctb.5010040504) for any number of kinds k, from samples c of n_c grains,
// weighted by their size:
//
//     M = (s0^2 - s^2) / (s0^2 - sr^2)
//     s^2  = sum_c n_c sum_k (p_ck - p_k)^2 / N       variance of the shares
//     s0^2 = sum_k p_k (1 - p_k)                      of kinds that are apart
//     sr^2 = s0^2 C / N                               of a random mixture in C samples
//
// Samples are the cells of a grid over the bed, with 27 grains each on average; cells without grains are none.
#include "grains/kinds.h"

#include <math.h>

#include "grains/engine.h"

static const double kinds_sample = 27; // grains in a cell, on average

void kinds_free(KindCells *cells) { array_free(&cells->counts); }

static MrcStatus kinds_fill_cells(Grains *g, const GrainStore *s, KindCells *cells, size_t *cell_count,
                                  MrcError *error) {
    size_t kinds = (size_t)grains_kind_count(g->definition), sides[3], total = 1;
    Vec3 lower = {INFINITY, INFINITY, INFINITY}, upper = vec3_neg(lower);
    for (size_t i = 0; i < s->count; i++) lost_include(vec3(s->x[i], s->y[i], s->z[i]), &lower, &upper);
    double volume = 1, size;
    for (int k = 0; k < 3; k++) volume *= vec3_component(upper, k) - vec3_component(lower, k) + 2 * g->radius;
    size = cbrt(volume * fmin(kinds_sample / (double)s->count, 1));
    for (int k = 0; k < 3; k++) {
        sides[k] = (size_t)fmax(1, ceil((vec3_component(upper, k) - vec3_component(lower, k)) / size));
        total *= sides[k];
    }
    if (!array_resize(&cells->counts, total * kinds)) return error_memory(error, "the mixing index");
    memset(cells->counts.data, 0, cells->counts.count * sizeof *cells->counts.data);
    for (size_t i = 0; i < s->count; i++) {
        const double place[3] = {s->x[i], s->y[i], s->z[i]};
        size_t cell = 0;
        for (int k = 2; k >= 0; k--) {
            double along = (place[k] - vec3_component(lower, k)) / size;
            size_t c = along > 0 ? (size_t)along : 0;
            cell = cell * sides[k] + (c < sides[k] ? c : sides[k] - 1);
        }
        cells->counts.data[cell * kinds + (size_t)s->kind[i]]++;
    }
    *cell_count = total;
    return MRC_OK;
}

static double kinds_mixing(const KindCells *cells, size_t cell_count, size_t kinds, const KindMeasure *all,
                           double total) {
    double apart = 0, variance = 0, samples = 0;
    for (size_t k = 0; k < kinds; k++) apart += all[k].count / total * (1 - all[k].count / total);
    for (size_t c = 0; c < cell_count; c++) {
        const double *counts = cells->counts.data + c * kinds;
        double grains = 0;
        for (size_t k = 0; k < kinds; k++) grains += counts[k];
        if (!(grains > 0)) continue;
        samples++;
        for (size_t k = 0; k < kinds; k++) {
            double off = counts[k] / grains - all[k].count / total;
            variance += grains / total * off * off;
        }
    }
    double random = apart * samples / total;
    return apart > random ? (apart - variance) / (apart - random) : 0;
}

MrcStatus kinds_measure(Grains *g, KindMeasure *all, KindCells *cells, double *mixing, MrcError *error) {
    const GrainStore *s = grains_view(g);
    size_t kinds = (size_t)grains_kind_count(g->definition), cell_count = 0;
    memset(all, 0, kinds * sizeof *all);
    *mixing = 0;
    for (size_t i = 0; i < s->count; i++) {
        KindMeasure *kind = &all[s->kind[i]];
        double mass = 1 / s->inverse_mass[i];
        kind->count++;
        kind->mass += mass;
        kind->center = vec3_madd(kind->center, mass, vec3(s->x[i], s->y[i], s->z[i]));
    }
    for (size_t k = 0; k < kinds; k++)
        if (all[k].mass > 0) all[k].center = vec3_scale(1 / all[k].mass, all[k].center);
    if (s->count == 0) return MRC_OK;
    MrcStatus status = kinds_fill_cells(g, s, cells, &cell_count, error);
    if (status == MRC_OK) *mixing = kinds_mixing(cells, cell_count, kinds, all, (double)s->count);
    return status;
}
