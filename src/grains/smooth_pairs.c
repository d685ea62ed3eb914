// Contacts of grains with each other.
//
// For grains i and j: n = (x_i - x_j)/d, s = r_i + r_j - d, and at the contact point, which divides d as the
// radii do,
//     v = v_i - v_j - lambda (r_i w_i + r_j w_j) x n,     lambda = d/(r_i + r_j)
// so that the arms lambda r_i and lambda r_j add up to d and angular momentum is kept exactly. With the force
// f on i, q = lambda n x f and the rolling moment m, force and moment are f and -r_i q + m on grain i, -f and
// -r_j q - m on grain j.
//
// Pairs are processed a vector at a time. A vector with at least one touching pair is put into the batch as a whole;
// in its other lanes the contact is made one without force. The lists are ordered so that there are few of these
// (engine.h), and only the motions of the grains have to be gathered.
#include <math.h>

#include "grains/smooth_contacts.h"

// Lines of i and j, combined: velocities subtract, rims, radii and inverse masses add; and all subtracted.
static const _Alignas(64) double line_sum[GRAIN_LINE] = {-1, -1, -1, 1, 1, 1, 1, 1};
static const _Alignas(64) double line_difference[GRAIN_LINE] = {-1, -1, -1, -1, -1, -1, -1, -1};

// ---- touching pairs ------------------------------------------------------------------------------
// Updates the marks of touching pairs; `now` has a bit for each of the pairs from `slot` on. Few pairs begin or
// cease to touch in one step.
static inline void smooth_pairs_mark_touching(ContactWork *work, size_t slot, unsigned now) {
    NearPairs *near = &work->grains->near;
    uint8_t *touching = near->touching.data + slot / BLOCK;
    unsigned shift = slot % BLOCK, changed = now ^ (*touching >> shift & ((1u << WIDE_LANES) - 1));
    if (!changed) return;
    *touching = (uint8_t)(*touching ^ changed << shift);
    for (; changed; changed &= changed - 1) {
        unsigned lane = (unsigned)__builtin_ctz(changed);
        bool begins = now >> lane & 1;
        smooth_contacts_count(work->grains, near->i.data[slot + lane], begins);
        smooth_contacts_count(work->grains, near->j.data[slot + lane], begins);
        if (begins || work->grains->laws.cohesion) continue; // after its last work
        if (work->grains->spectra.per_decade) spectra_add(work->grains, -1, near_spent(near, slot + lane));
        near_clear_row(near, slot + lane);
    }
}

// ---- geometry ------------------------------------------------------------------------------------
// What depends on the sizes of the grains, from the lines combined.
typedef struct PairSizes {
    Wide reach, inverse_reach, mass, radius, small;
} PairSizes;

static inline PairSizes smooth_pairs_sizes(const Wide sum[GRAIN_LINE], const Wide difference[GRAIN_LINE]) {
    Wide half = wide_set(0.5), one = wide_set(1), reach = sum[GRAIN_RADIUS], inverse = one / reach;
    Wide ri = half * (reach + difference[GRAIN_RADIUS]), rj = half * (reach - difference[GRAIN_RADIUS]);
    return (PairSizes){reach, inverse, one / sum[GRAIN_INVERSE_MASS], ri * rj * inverse, wide_min(ri, rj)};
}

// Angular velocity of i against j, and the effective moment of inertia, for rolling.
static inline void smooth_pairs_fill_rolling(ContactBatch *b, int k, const Wide sum[GRAIN_LINE],
                                             const Wide difference[GRAIN_LINE]) {
    Wide half = wide_set(0.5), one = wide_set(1), rolling[3];
    Wide ri = half * (sum[GRAIN_RADIUS] + difference[GRAIN_RADIUS]), rj = sum[GRAIN_RADIUS] - ri;
    Wide mi = half * (sum[GRAIN_INVERSE_MASS] + difference[GRAIN_INVERSE_MASS]),
         mj = sum[GRAIN_INVERSE_MASS] - mi;
    for (int c = 0; c < 3; c++) {
        Wide rim = half * (sum[GRAIN_RIM + c] + difference[GRAIN_RIM + c]), other = sum[GRAIN_RIM + c] - rim;
        rolling[c] = rim / ri - other / rj;
    }
    wide_store(b->wx + k, rolling[0]), wide_store(b->wy + k, rolling[1]), wide_store(b->wz + k, rolling[2]);
    wide_store(b->inertia + k, wide_set(0.4) * one / (mi / (ri * ri) + mj / (rj * rj)));
}

// Are the grains of all pairs in the batch the common one?
static bool smooth_pairs_are_alike(const ContactWork *work) {
    const Grains *g = work->grains;
    uint8_t odd = !g->common.found;
    if (g->uniform || odd) return !odd;
    for (int k = 0; k < work->batch.count; k += WIDE_LANES)
        odd |= g->near.odd.data[work->slot[k / WIDE_LANES] / BLOCK];
    return !odd;
}

// The batch holds the differences of position in nx, ny, nz.
static void smooth_pairs_fill(ContactWork *work) {
    const Grains *g = work->grains;
    const NearPairs *near = &g->near;
    ContactBatch *b = &work->batch;
    const CommonGrain *common = &g->common;
    double reach = 2 * common->radius;
    PairSizes sizes = {wide_set(reach), wide_set(1 / reach), wide_set(0.5 / common->inverse_mass),
                       wide_set(0.5 * common->radius), wide_set(common->radius)}; // when all are the same
    b->alike = smooth_pairs_are_alike(work);
    for (int k = 0; k < b->count; k += WIDE_LANES) {
        size_t slot = (size_t)work->slot[k / WIDE_LANES];
        const int32_t *i = near->i.data + slot, *j = near->j.data + slot;
        Wide sum[GRAIN_LINE], difference[GRAIN_LINE];
        wide_lines_combine(g->motion, i, j, line_sum, sum);
        if (!b->alike || g->laws.rolling) {
            wide_lines_combine(g->motion, i, j, line_difference, difference);
            sizes = smooth_pairs_sizes(sum, difference);
            if (g->laws.rolling) smooth_pairs_fill_rolling(b, k, sum, difference);
        }
        Wide dx = wide_load(b->nx + k), dy = wide_load(b->ny + k), dz = wide_load(b->nz + k);
        Wide square = dx * dx + dy * dy + dz * dz, inverse = wide_inverse_sqrt(square),
             distance = square * inverse;
        Wide nx = dx * inverse, ny = dy * inverse, nz = dz * inverse;
        Wide lambda = distance * sizes.inverse_reach;
        Wide sx = lambda * sum[GRAIN_RIM], sy = lambda * sum[GRAIN_RIM + 1], sz = lambda * sum[GRAIN_RIM + 2];
        Wide vx = sum[0] - (sy * nz - sz * ny), vy = sum[1] - (sz * nx - sx * nz);
        Wide vz = sum[2] - (sx * ny - sy * nx);
        Wide along = vx * nx + vy * ny + vz * nz;
        wide_store(b->nx + k, nx), wide_store(b->ny + k, ny), wide_store(b->nz + k, nz);
        wide_store(b->overlap + k, wide_max(sizes.reach - distance, wide_set(0)));
        if (g->laws.cohesion) wide_store(b->gap + k, wide_max(distance - sizes.reach, wide_set(0)));
        wide_store(b->approach + k, -along);
        wide_store(b->tx + k, vx - along * nx);
        wide_store(b->ty + k, vy - along * ny);
        wide_store(b->tz + k, vz - along * nz);
        wide_store(b->mass + k, sizes.mass);
        wide_store(b->radius + k, sizes.radius);
        wide_store(work->lambda + k, lambda);
        if (!b->alike) wide_store(work->small + k, sizes.small);
        const float *row = near_row(near, slot), *roll = row + near->row.rolling * BLOCK;
        wide_store(b->ux + k, wide_load_floats(row));
        wide_store(b->uy + k, wide_load_floats(row + BLOCK));
        wide_store(b->uz + k, wide_load_floats(row + 2 * BLOCK));
        if (!g->laws.rolling) continue;
        wide_store(b->rx + k, wide_load_floats(roll));
        wide_store(b->ry + k, wide_load_floats(roll + BLOCK));
        wide_store(b->rz + k, wide_load_floats(roll + 2 * BLOCK));
    }
    const int32_t *material = g->store.material;
    b->single = b->alike ? common->material * (g->material_count + 1) : -1;
    for (int k = 0; k < b->count && !b->alike; k++) {
        size_t slot = (size_t)work->slot[k / WIDE_LANES] + (size_t)(k % WIDE_LANES);
        b->law[k] = material[near->i.data[slot]] * g->material_count + material[near->j.data[slot]];
    }
}

// ---- forces on the grains ------------------------------------------------------------------------
// Adds forces and moments of some lanes to those of the grains: first of all grains i, then of all grains j, as
// smooth_pairs_add_sorted_forces does.
static void smooth_pairs_add_forces(ContactWork *work, size_t slot, unsigned bits, const WideLine *lines,
                                    const double (*moment)[WIDE_LANES]) {
    Grains *g = work->grains;
    for (int side = 0; side < 2; side++)
        for (unsigned left = bits; left; left &= left - 1) {
            unsigned l = (unsigned)__builtin_ctz(left);
            size_t grain = (size_t)(side ? g->near.j.data[slot + l] : g->near.i.data[slot + l]);
            double *force = g->forces + grain * GRAIN_LINE, sign = side ? -1 : 1;
            wide_line_store(force,
                            wide_line_fma(wide_line_load(line_side[side]), lines[l], wide_line_load(force)));
            for (int c = 0; c < 3 && g->laws.rolling; c++)
                g->moments[grain * 4 + (size_t)c] += sign * moment[c][l];
        }
}

// Are the pairs of a vector sorted by i? All are, but for one in each chunk, where its two parts meet.
static inline bool smooth_pairs_are_sorted(const int32_t *i) {
    int32_t falls = 0;
    for (int l = 1; l < WIDE_LANES; l++) falls |= i[l] - i[l - 1];
    return falls >= 0;
}

// The same when nothing rolls and pairs are sorted by i; lanes that do not touch add nothing. The sum of a
// grain i stays in registers: through memory, each contact would wait for the one before. Branch-free: where the
// next grain begins is unpredictable.
static void smooth_pairs_add_sorted_forces(const Grains *g, size_t slot, const WideLine *lines) {
    const int32_t *i = g->near.i.data + slot, *j = g->near.j.data + slot;
    WideLine plus = wide_line_load(line_side[0]), minus = wide_line_load(line_side[1]);
    double *own[WIDE_LANES], *other[WIDE_LANES];
    for (int l = 0; l < WIDE_LANES; l++)
        own[l] = g->forces + (size_t)i[l] * GRAIN_LINE, other[l] = g->forces + (size_t)j[l] * GRAIN_LINE;
    WideLine before[WIDE_LANES], sum;
    for (int l = 0; l < WIDE_LANES; l++) before[l] = wide_line_load(own[l]);
    sum = before[0];
    for (int l = 0; l < WIDE_LANES; l++) {
        sum = wide_line_choose(l > 0 && i[l] == i[l - (l > 0)], sum, before[l]);
        sum = wide_line_fma(plus, lines[l], sum);
        wide_line_store(own[l], sum);
    }
    for (int l = 0; l < WIDE_LANES; l++)
        wide_line_store(other[l], wide_line_fma(minus, lines[l], wide_line_load(other[l])));
}

// ---- powers and energies -------------------------------------------------------------------------
// Work is force * (v(n) + v(n+1))/2 * h, summed over steps as v(n) * (f(n) + f(n-1))/2 * h; the normal part of
// the force does no work on sliding. Energies are needed when measuring only.
typedef struct PairSums {
    Wide impact, friction, rolling, elastic, cohesion, tangential, rolled, deepest, ratio;
} PairSums;

// Three numbers of the rows times a velocity.
static inline Wide smooth_pairs_power(const float *rows, const double *vx, const double *vy,
                                      const double *vz) {
    return wide_load_floats(rows) * wide_load(vx) + wide_load_floats(rows + BLOCK) * wide_load(vy) +
           wide_load_floats(rows + 2 * BLOCK) * wide_load(vz);
}

static inline void smooth_pairs_add_energies(const ContactWork *work, int k, WideMask valid, PairSums *a) {
    const ContactBatch *b = &work->batch;
    const ContactLaws *laws = &work->grains->laws;
    Wide zero = wide_set(0);
    a->elastic = a->elastic + wide_select(valid, wide_load(b->energy + k), zero);
    if (laws->cohesion) a->cohesion = a->cohesion + wide_select(valid, wide_load(b->pull_energy + k), zero);
    if (laws->tangential)
        a->tangential = a->tangential + wide_select(valid, wide_load(b->tangential_energy + k), zero);
    if (laws->rolling) a->rolled = a->rolled + wide_select(valid, wide_load(b->rolling_energy + k), zero);
}

static void smooth_pairs_add_sums(ContactWork *work, const PairSums *a) {
    Grains *g = work->grains;
    ContactSums *sums = &work->sums;
    sums->impact_power += wide_sum(a->impact);
    sums->friction_power += wide_sum(a->friction);
    sums->rolling_power += wide_sum(a->rolling);
    sums->elastic += wide_sum(a->elastic);
    sums->cohesion_energy += wide_sum(a->cohesion);
    sums->tangential_energy += wide_sum(a->tangential);
    sums->rolling_energy += wide_sum(a->rolled);
    sums->overlap = fmax(sums->overlap, wide_largest(a->deepest));
    double ratio = work->batch.alike ? wide_largest(a->deepest) / g->common.radius : wide_largest(a->ratio);
    sums->overlap_ratio = fmax(sums->overlap_ratio, ratio);
    if (sums->overlap_ratio <= g->definition->contact.max_overlap) return;
    for (int k = 0; k < work->batch.count; k++) { // too deep: keep which
        size_t slot = (size_t)work->slot[k / WIDE_LANES] + (size_t)(k % WIDE_LANES);
        int32_t i = g->near.i.data[slot], j = g->near.j.data[slot];
        double least = fmin(g->motion[(size_t)i * GRAIN_LINE + GRAIN_RADIUS],
                            g->motion[(size_t)j * GRAIN_LINE + GRAIN_RADIUS]);
        if (work->batch.overlap[k] >= sums->overlap_ratio * least)
            sums->overlap_i = i, sums->overlap_other = j;
    }
}

// For spectra: adds what impact dissipates in this step, in vector k of the batch. Pairs that have parted are done.
static void smooth_pairs_spend(ContactWork *work, int k, Wide energy) {
    Grains *g = work->grains;
    size_t slot = (size_t)work->slot[k / WIDE_LANES];
    float *spent = near_row(&g->near, slot) + g->near.row.spent * BLOCK;
    Wide all = wide_load_floats(spent) + wide_load_floats(spent + BLOCK) + energy;
    wide_store_floats(spent, all);
    wide_store_floats(spent + BLOCK, all - wide_load_floats(spent));
    for (unsigned ended = work->ended[k / WIDE_LANES]; ended; ended &= ended - 1) {
        size_t lane = (size_t)__builtin_ctz(ended);
        spectra_add(g, -1, near_spent(&g->near, slot + lane));
        spent[lane] = spent[lane + BLOCK] = 0;
    }
}

// Adds the forces to the grains and the powers to the sums, and writes the memory of the pairs.
static void smooth_pairs_apply(ContactWork *work) {
    Grains *g = work->grains;
    const ContactLaws *laws = &g->laws;
    const ContactBatch *b = &work->batch;
    Wide zero = wide_set(0), half = wide_set(0.5);
    PairSums pair_sums = {zero, zero, zero, zero, zero, zero, zero, zero, zero};
    for (int k = 0; k < b->count; k += WIDE_LANES) {
        size_t slot = (size_t)work->slot[k / WIDE_LANES];
        unsigned bits = work->bits[k / WIDE_LANES];
        WideMask valid = wide_mask_from_bits(bits);
        float *row = near_row(&g->near, slot), *roll = row + g->near.row.rolling * BLOCK;
        float *old_force = row + g->near.row.force * BLOCK, *old_damping = row + g->near.row.damping * BLOCK;
        Wide nx = wide_load(b->nx + k), ny = wide_load(b->ny + k), nz = wide_load(b->nz + k), fx = zero,
             fy = zero, fz = zero, mx = zero, my = zero, mz = zero;
        Wide normal = wide_select(valid, wide_load(b->normal + k), zero), damping = zero, impact = zero;
        Wide lambda = wide_load(work->lambda + k), overlap = wide_load(b->overlap + k), numbers[GRAIN_LINE];
        if (laws->tangential) {
            fx = wide_select(valid, wide_load(b->fx + k), zero);
            fy = wide_select(valid, wide_load(b->fy + k), zero);
            fz = wide_select(valid, wide_load(b->fz + k), zero);
            Wide power = fx * wide_load(b->tx + k) + fy * wide_load(b->ty + k) + fz * wide_load(b->tz + k);
            Wide slid =
                smooth_pairs_power(g->near.row.stiffness ? row : old_force, b->tx + k, b->ty + k, b->tz + k);
            if (g->near.row.stiffness) slid = -slid * wide_load_floats(old_force);
            pair_sums.friction = pair_sums.friction - half * (power + slid);
        }
        if (laws->rolling) {
            mx = wide_select(valid, wide_load(b->mx + k), zero);
            my = wide_select(valid, wide_load(b->my + k), zero);
            mz = wide_select(valid, wide_load(b->mz + k), zero);
            Wide power = mx * wide_load(b->wx + k) + my * wide_load(b->wy + k) + mz * wide_load(b->wz + k);
            Wide rolled = smooth_pairs_power(roll + 3 * BLOCK, b->wx + k, b->wy + k, b->wz + k);
            pair_sums.rolling = pair_sums.rolling - half * (power + rolled);
        }
        if (laws->table.damped) {
            damping = normal - wide_select(valid, wide_load(b->spring + k), zero);
            Wide both = damping + wide_load_floats(old_damping);
            impact = half * both * wide_load(b->approach + k);
            pair_sums.impact = pair_sums.impact + impact;
        }
        if (g->spectra.per_decade && !work->measuring)
            smooth_pairs_spend(work, k, wide_set(g->step) * impact);
        pair_sums.deepest = wide_max(pair_sums.deepest, overlap);
        if (!b->alike) pair_sums.ratio = wide_max(pair_sums.ratio, overlap / wide_load(work->small + k));
        numbers[0] = normal * nx + fx, numbers[1] = normal * ny + fy, numbers[2] = normal * nz + fz;
        numbers[3] = lambda * (ny * fz - nz * fy), numbers[4] = lambda * (nz * fx - nx * fz);
        numbers[5] = lambda * (nx * fy - ny * fx), numbers[6] = zero, numbers[7] = zero;
        WideLine lines[WIDE_LANES];
        wide_lines_form(numbers, lines);
        double moment[3][WIDE_LANES] = {{0}};
        if (laws->rolling) {
            memcpy(moment[0], &mx, sizeof mx);
            memcpy(moment[1], &my, sizeof my);
            memcpy(moment[2], &mz, sizeof mz);
        }
        if (!laws->rolling && smooth_pairs_are_sorted(g->near.i.data + slot))
            smooth_pairs_add_sorted_forces(g, slot, lines);
        else smooth_pairs_add_forces(work, slot, bits, lines, (const double(*)[WIDE_LANES])moment);
        if (work->measuring) {
            smooth_pairs_add_energies(work, k, valid, &pair_sums);
            continue;
        }
        if (laws->tangential) {
            wide_store_floats(row, wide_select(valid, wide_load(b->ux + k), zero));
            wide_store_floats(row + BLOCK, wide_select(valid, wide_load(b->uy + k), zero));
            wide_store_floats(row + 2 * BLOCK, wide_select(valid, wide_load(b->uz + k), zero));
            if (g->near.row.stiffness) {
                wide_store_floats(old_force, wide_load(b->tangent + k));
            } else {
                wide_store_floats(old_force, fx);
                wide_store_floats(old_force + BLOCK, fy);
                wide_store_floats(old_force + 2 * BLOCK, fz);
            }
        }
        if (laws->table.damped) wide_store_floats(old_damping, damping);
        if (!laws->rolling) continue;
        wide_store_floats(roll, wide_select(valid, wide_load(b->rx + k), zero));
        wide_store_floats(roll + BLOCK, wide_select(valid, wide_load(b->ry + k), zero));
        wide_store_floats(roll + 2 * BLOCK, wide_select(valid, wide_load(b->rz + k), zero));
        wide_store_floats(roll + 3 * BLOCK, mx);
        wide_store_floats(roll + 4 * BLOCK, my);
        wide_store_floats(roll + 5 * BLOCK, mz);
    }
    smooth_pairs_add_sums(work, &pair_sums);
}

static void smooth_pairs_process(ContactWork *work) {
    ContactBatch *b = &work->batch;
    if (b->count == 0) return;
    smooth_pairs_fill(work);
    smooth_contacts_apply_laws(work);
    smooth_pairs_apply(work);
    for (int k = 0; k < b->count; k += WIDE_LANES)
        work->sums.pair_contacts += __builtin_popcount(work->bits[k / WIDE_LANES]);
    b->count = 0;
}

// Prefetches what smooth_pairs_process needs, a batch ahead: in a large bed it is not in the nearest cache. Grains i
// are in order, so that the hardware prefetches them.
enum { FETCH_FROM = 10000 }; // grains
static inline void smooth_pairs_prefetch(const Grains *g, const int32_t *j) {
    for (int l = 0; l < WIDE_LANES; l++) {
        __builtin_prefetch(g->motion + (size_t)j[l] * GRAIN_LINE);
        __builtin_prefetch(g->forces + (size_t)j[l] * GRAIN_LINE, 1);
    }
}

// Pairs that touched in the last step and still cohere.
static unsigned smooth_pairs_held(const Grains *g, size_t slot, unsigned before, const Wide d[QUAD]) {
    double square[WIDE_LANES], reach[WIDE_LANES];
    Wide far = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    unsigned held = 0;
    memcpy(square, &far, sizeof far);
    memcpy(reach, &d[3], sizeof d[3]);
    for (; before; before &= before - 1) {
        unsigned l = (unsigned)__builtin_ctz(before);
        size_t i = (size_t)g->near.i.data[slot + l], j = (size_t)g->near.j.data[slot + l];
        double a = g->store.radius[i], b = g->store.radius[j];
        int row = g->store.material[i] * g->material_count + g->store.material[j];
        double most = reach[l] + laws_range(&g->laws, row, a * b / (a + b));
        held |= (square[l] < most * most) << l;
    }
    return held;
}

void smooth_pairs_contacts(ContactWork *work, size_t from, size_t to) {
    Grains *g = work->grains;
    ContactBatch *b = &work->batch;
    bool large = g->store.count > FETCH_FROM, periodic = g->periodic.any;
    b->count = 0;
    for (size_t slot = from; slot < to; slot += WIDE_LANES) {
        Wide d[QUAD];
        wide_quads_compare(g->position, g->near.i.data + slot, g->near.j.data + slot, d);
        if (periodic) periodic_nearest_wide(&g->periodic, d);
        unsigned now = wide_mask_bits(wide_less(d[0] * d[0] + d[1] * d[1] + d[2] * d[2], d[3] * d[3]));
        if (to - slot < WIDE_LANES) now &= (1u << (to - slot)) - 1;
        unsigned shown = now;
        if (g->laws.cohesion) { // one that has just broken is shown once more: its last work is recorded
            shown |= g->near.touching.data[slot / BLOCK] >> slot % BLOCK & ((1u << WIDE_LANES) - 1);
            if (shown != now) now |= smooth_pairs_held(g, slot, shown & ~now, d);
        }
        if (!work->measuring) smooth_pairs_mark_touching(work, slot, now);
        if (!shown) continue;
        if (b->count == BATCH) smooth_pairs_process(work);
        int k = b->count;
        WideMask touch =
            wide_mask_from_bits(shown); // in other lanes: one grain above the other, just touching
        wide_store(b->nx + k, wide_select(touch, d[0], wide_set(0)));
        wide_store(b->ny + k, wide_select(touch, d[1], wide_set(0)));
        wide_store(b->nz + k, wide_select(touch, d[2], d[3]));
        if (large) smooth_pairs_prefetch(g, g->near.j.data + slot);
        work->slot[k / WIDE_LANES] = (int32_t)slot;
        work->bits[k / WIDE_LANES] = (uint8_t)now;
        work->ended[k / WIDE_LANES] = (uint8_t)(shown & ~now);
        b->count += WIDE_LANES;
    }
    smooth_pairs_process(work);
}
