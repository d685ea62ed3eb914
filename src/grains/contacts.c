// Which pairs touch now, and what they do to each other.
//
// For grains i and j: n = (x_i - x_j)/d, s = r_i + r_j - d, and at the contact point, which divides d as the
// radii do,
//     v = v_i - v_j - lambda (r_i w_i + r_j w_j) x n,     lambda = d/(r_i + r_j)
// so that the arms lambda r_i and lambda r_j add up to d and angular momentum is kept exactly. The force f on
// i goes into a record as f, q = lambda n x f and the rolling moment m; grain i feels f, -r_i q + m and grain
// j feels -f, -r_j q - m.
//
// Every pair has its own record, and every grain adds up its own records in a fixed order (smooth.c): no two
// threads ever write to the same place, and sums do not depend on the number of threads.
#include "grains/engine.h"

#include <math.h>

typedef struct Lanes { // who the contacts of a batch are
    int32_t slot[BATCH + WIDE_LANES], i[BATCH + WIDE_LANES], j[BATCH + WIDE_LANES];
    _Alignas(64) double lambda[BATCH];
    double small[BATCH]; // smaller radius of the two [m]
} Lanes;

typedef struct Work { // of one chunk
    Grains *grains;
    const Motion *walls;
    bool look;
    int32_t *events; // of this chunk
    Sums sums;
    _Alignas(64) ContactBatch batch;
    _Alignas(64) Lanes lanes;
} Work;

void sums_add(Sums *total, const Sums *part) {
    total->elastic += part->elastic;
    total->tangential_energy += part->tangential_energy;
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

static void apply_laws(Work *work) {
    const ContactLaws *laws = &work->grains->laws;
    ContactBatch *b = &work->batch;
    b->step = work->grains->step;
    laws->normal(b, &laws->table);
    if (laws->tangential) laws->tangential(b, &laws->table);
    if (laws->rolling) laws->rolling(b, &laws->table);
}

static inline void note_overlap(Sums *sums, double overlap, double radius, int32_t i, int32_t other) {
    if (overlap > sums->overlap) sums->overlap = overlap;
    if (overlap > sums->overlap_ratio * radius) {
        sums->overlap_ratio = overlap / radius;
        sums->overlap_i = i;
        sums->overlap_other = other;
    }
}

// When looking, forces are added up per grain: one thread, in the order of the contacts.
static void look_at(Grains *g, int32_t grain, double side, const double record[RECORD],
                    const double rolling[3]) {
    double *sum = g->look.data + (size_t)grain * 6, arm = -g->store.radius[grain];
    for (int c = 0; c < 3; c++) {
        sum[c] += side * record[RECORD_FORCE + c];
        sum[3 + c] += arm * record[RECORD_ARM + c] + side * rolling[c];
    }
}

// ---- pairs of grains -----------------------------------------------------------------------------
// The batch holds the differences of position in nx, ny, nz. Lanes behind the last contact repeat the first
// pair, just touching: they add nothing.
static void pad_pairs(Work *work) {
    const GrainStore *s = &work->grains->store;
    ContactBatch *b = &work->batch;
    Lanes *lanes = &work->lanes;
    for (int k = b->count; k % WIDE_LANES; k++) {
        lanes->i[k] = lanes->i[0], lanes->j[k] = lanes->j[0], lanes->slot[k] = lanes->slot[0];
        b->nx[k] = b->ny[k] = 0;
        b->nz[k] = s->radius[lanes->i[0]] + s->radius[lanes->j[0]];
    }
}

static void fill_pairs(Work *work) {
    const Grains *g = work->grains;
    const GrainStore *s = &g->store;
    ContactBatch *b = &work->batch;
    Lanes *lanes = &work->lanes;
    Wide one = wide_set(1), ri = wide_set(g->radius), rj = ri, mi = wide_set(s->inverse_mass[0]), mj = mi;
    Wide reach = ri + rj, inverse_reach = one / reach, mass = one / (mi + mj),
         radius = ri * rj * inverse_reach;
    for (int k = 0; k < b->count; k += WIDE_LANES) {
        WideIndex i = wide_index_load(lanes->i + k), j = wide_index_load(lanes->j + k);
        if (!g->uniform) {
            ri = wide_gather(s->radius, i), rj = wide_gather(s->radius, j);
            mi = wide_gather(s->inverse_mass, i), mj = wide_gather(s->inverse_mass, j);
            reach = ri + rj, inverse_reach = one / reach;
            mass = one / (mi + mj), radius = ri * rj * inverse_reach;
        }
        Wide dx = wide_load(b->nx + k), dy = wide_load(b->ny + k), dz = wide_load(b->nz + k);
        Wide square = dx * dx + dy * dy + dz * dz, inverse = wide_inverse_sqrt(square),
             distance = square * inverse;
        Wide nx = dx * inverse, ny = dy * inverse, nz = dz * inverse, lambda = distance * inverse_reach;
        Wide wxi = wide_gather(s->wx, i), wyi = wide_gather(s->wy, i), wzi = wide_gather(s->wz, i);
        Wide wxj = wide_gather(s->wx, j), wyj = wide_gather(s->wy, j), wzj = wide_gather(s->wz, j);
        Wide sx = lambda * (ri * wxi + rj * wxj), sy = lambda * (ri * wyi + rj * wyj);
        Wide sz = lambda * (ri * wzi + rj * wzj);
        Wide vx = wide_gather(s->vx, i) - wide_gather(s->vx, j) - (sy * nz - sz * ny);
        Wide vy = wide_gather(s->vy, i) - wide_gather(s->vy, j) - (sz * nx - sx * nz);
        Wide vz = wide_gather(s->vz, i) - wide_gather(s->vz, j) - (sx * ny - sy * nx);
        Wide along = vx * nx + vy * ny + vz * nz;
        wide_store(b->nx + k, nx), wide_store(b->ny + k, ny), wide_store(b->nz + k, nz);
        wide_store(b->overlap + k, wide_max(reach - distance, wide_set(0)));
        wide_store(b->approach + k, -along);
        wide_store(b->tx + k, vx - along * nx);
        wide_store(b->ty + k, vy - along * ny);
        wide_store(b->tz + k, vz - along * nz);
        wide_store(b->mass + k, mass);
        wide_store(b->radius + k, radius);
        wide_store(lanes->lambda + k, lambda);
        wide_store(lanes->small + k, wide_min(ri, rj));
        if (g->laws.rolling) {
            wide_store(b->wx + k, wxi - wxj), wide_store(b->wy + k, wyi - wyj),
                wide_store(b->wz + k, wzi - wzj);
            wide_store(b->inertia + k, wide_set(0.4) / (mi / (ri * ri) + mj / (rj * rj)));
        }
    }
    if (g->laws.table.count == 1) return;
    for (int k = 0; k < (b->count + WIDE_LANES - 1) / WIDE_LANES * WIDE_LANES; k++)
        b->law[k] = s->material[lanes->i[k]] * g->material_count + s->material[lanes->j[k]];
}

static void load_memory(const Work *work, const double *memory, double *x, double *y, double *z) {
    for (int k = 0; k < work->batch.count; k++) {
        const double *own = memory + (size_t)work->lanes.slot[k] * MEMORY;
        x[k] = own[0], y[k] = own[1], z[k] = own[2];
    }
    for (int k = work->batch.count; k % WIDE_LANES; k++) x[k] = y[k] = z[k] = 0;
}

static void store_memory(const Work *work, double *memory, const double *x, const double *y,
                         const double *z) {
    for (int k = 0; k < work->batch.count; k++) {
        double *own = memory + (size_t)work->lanes.slot[k] * MEMORY;
        own[0] = x[k], own[1] = y[k], own[2] = z[k];
    }
}

static void look_at_pairs(Work *work, int k, int lanes, const Wide record[RECORD], const Wide rolling[3]) {
    double numbers[RECORD][WIDE_LANES], moments[3][WIDE_LANES];
    memcpy(numbers, record, sizeof numbers);
    memcpy(moments, rolling, sizeof moments);
    for (int l = 0; l < lanes; l++) {
        double own[RECORD], own_moment[3];
        for (int c = 0; c < RECORD; c++) own[c] = numbers[c][l];
        for (int c = 0; c < 3; c++) own_moment[c] = moments[c][l];
        look_at(work->grains, work->lanes.i[k + l], 1, own, own_moment);
        look_at(work->grains, work->lanes.j[k + l], -1, own, own_moment);
    }
}

// Writes the records and books powers and energies. Work is force * (v(n) + v(n+1))/2 * h, summed over steps
// as v(n) * (f(n) + f(n-1))/2 * h; f(n-1) is the record of the last step, whose normal part does no work on
// sliding.
static void settle_pairs(Work *work) {
    Grains *g = work->grains;
    const ContactLaws *laws = &g->laws;
    ContactBatch *b = &work->batch;
    Wide zero = wide_set(0), half = wide_set(0.5), impact = zero, friction = zero, rolling = zero,
         elastic = zero;
    Wide tangential = zero, deepest = zero, ratio = zero;
    for (int k = 0; k < b->count; k += WIDE_LANES) {
        int lanes = b->count - k < WIDE_LANES ? b->count - k : WIDE_LANES;
        const int32_t *slot = work->lanes.slot + k;
        WideMask valid = wide_mask_first(lanes);
        Wide before[RECORD], record[RECORD],
            moment[RECORD] = {zero, zero, zero, zero, zero, zero, zero, zero};
        wide_rows_load(g->records.data, slot, before);
        Wide nx = wide_load(b->nx + k), ny = wide_load(b->ny + k), nz = wide_load(b->nz + k);
        Wide normal = wide_load(b->normal + k), damping = normal - wide_load(b->spring + k), fx = zero,
             fy = zero, fz = zero;
        if (laws->tangential) {
            Wide tx = wide_load(b->tx + k), ty = wide_load(b->ty + k), tz = wide_load(b->tz + k);
            fx = wide_load(b->fx + k), fy = wide_load(b->fy + k), fz = wide_load(b->fz + k);
            Wide power = half * ((fx + before[0]) * tx + (fy + before[1]) * ty + (fz + before[2]) * tz);
            friction = friction - wide_select(valid, power, zero);
            tangential = tangential + wide_select(valid, wide_load(b->tangential_energy + k), zero);
        }
        Wide lambda = wide_load(work->lanes.lambda + k);
        impact =
            impact +
            wide_select(valid, half * (damping + before[RECORD_DAMPING]) * wide_load(b->approach + k), zero);
        elastic = elastic + wide_select(valid, wide_load(b->energy + k), zero);
        Wide overlap = wide_load(b->overlap + k);
        deepest = wide_max(deepest, overlap);
        ratio = wide_max(ratio, overlap / wide_load(work->lanes.small + k));
        record[0] = normal * nx + fx, record[1] = normal * ny + fy, record[2] = normal * nz + fz;
        record[3] = lambda * (ny * fz - nz * fy), record[4] = lambda * (nz * fx - nx * fz);
        record[5] = lambda * (nx * fy - ny * fx), record[6] = damping, record[7] = zero;
        if (laws->rolling) {
            wide_rows_load(g->rollings.data, slot, before);
            for (int c = 0; c < 3; c++) {
                const double *m = c == 0   ? b->mx
                                  : c == 1 ? b->my
                                           : b->mz,
                             *w = c == 0   ? b->wx
                                  : c == 1 ? b->wy
                                           : b->wz;
                moment[c] = wide_load(m + k);
                rolling =
                    rolling - wide_select(valid, half * (moment[c] + before[c]) * wide_load(w + k), zero);
            }
            if (!work->look) wide_rows_store(g->rollings.data, slot, lanes, moment);
        }
        if (work->look) look_at_pairs(work, k, lanes, record, moment);
        else wide_rows_store(g->records.data, slot, lanes, record);
    }
    work->sums.impact_power += wide_sum(impact);
    work->sums.friction_power += wide_sum(friction);
    work->sums.rolling_power += wide_sum(rolling);
    work->sums.elastic += wide_sum(elastic);
    work->sums.tangential_energy += wide_sum(tangential);
    work->sums.overlap = fmax(work->sums.overlap, wide_largest(deepest));
    work->sums.overlap_ratio = fmax(work->sums.overlap_ratio, wide_largest(ratio));
    if (work->sums.overlap_ratio <= g->definition->contact.max_overlap) return;
    for (int k = 0; k < b->count; k++) // too deep: who is it?
        if (b->overlap[k] >= work->sums.overlap_ratio * work->lanes.small[k])
            work->sums.overlap_i = work->lanes.i[k], work->sums.overlap_other = work->lanes.j[k];
}

static void process_pairs(Work *work) {
    Near *near = &work->grains->near;
    const ContactLaws *laws = &work->grains->laws;
    ContactBatch *b = &work->batch;
    if (b->count == 0) return;
    pad_pairs(work);
    fill_pairs(work);
    if (laws->tangential) load_memory(work, near->u.data, b->ux, b->uy, b->uz);
    if (laws->rolling) load_memory(work, near->r.data, b->rx, b->ry, b->rz);
    apply_laws(work);
    settle_pairs(work);
    if (laws->tangential && !work->look) store_memory(work, near->u.data, b->ux, b->uy, b->uz);
    if (laws->rolling && !work->look) store_memory(work, near->r.data, b->rx, b->ry, b->rz);
    work->sums.contacts += b->count;
    b->count = 0;
}

// A pair that has just come apart forgets.
static void forget(Grains *g, size_t slot) {
    g->near.touching.data[slot] = 0;
    memset(g->records.data + slot * RECORD, 0, RECORD * sizeof(float));
    if (g->laws.tangential) memset(g->near.u.data + slot * MEMORY, 0, MEMORY * sizeof(double));
    if (g->laws.rolling) {
        memset(g->near.r.data + slot * MEMORY, 0, MEMORY * sizeof(double));
        memset(g->rollings.data + slot * RECORD, 0, RECORD * sizeof(float));
    }
}

// Keeps the marks of who touches; `now` has a bit for each of the pairs from `slot` on. Few pairs begin or
// cease to touch in any one step.
static inline void mark(Work *work, size_t slot, unsigned now, unsigned lanes) {
    Grains *g = work->grains;
    uint64_t marks = 0;
    uint8_t *touching = g->near.touching.data + slot;
    memcpy(&marks, touching, lanes);
    unsigned before =
        (unsigned)(marks * 0x0102040810204080ull >> 56); // one bit per byte, each byte being 0 or 1
    for (unsigned changed = now ^ before; changed; changed &= changed - 1) {
        unsigned k = (unsigned)__builtin_ctz(changed);
        unsigned begins = now >> k & 1;
        work->events[work->sums.events++] = (int32_t)(2 * (slot + k) + begins);
        if (begins) touching[k] = 1;
        else forget(g, slot + k);
    }
}

static void pair_chunk(Work *work, size_t from, size_t to) {
    Grains *g = work->grains;
    const GrainStore *s = &g->store;
    Lanes *lanes = &work->lanes;
    ContactBatch *b = &work->batch;
    Wide reach = wide_set(2 * g->radius);
    b->count = 0;
    for (size_t slot = from; slot < to; slot += WIDE_LANES) {
        WideIndex i = wide_index_load(g->near.i.data + slot), j = wide_index_load(g->near.j.data + slot);
        Wide dx = wide_gather(s->x, i) - wide_gather(s->x, j),
             dy = wide_gather(s->y, i) - wide_gather(s->y, j);
        Wide dz = wide_gather(s->z, i) - wide_gather(s->z, j);
        if (!g->uniform) reach = wide_gather(s->radius, i) + wide_gather(s->radius, j);
        WideMask touch = wide_less(dx * dx + dy * dy + dz * dz, reach * reach);
        unsigned until = to - slot < WIDE_LANES ? (unsigned)(to - slot) : WIDE_LANES;
        touch = wide_mask_and(touch, wide_mask_first((int)until));
        unsigned now = wide_mask_bits(touch);
        if (!work->look) mark(work, slot, now, until);
        if (!now) continue;
        if (b->count > BATCH - WIDE_LANES) process_pairs(work);
        wide_store_unaligned(b->nx + b->count, wide_compress(dx, touch));
        wide_store_unaligned(b->ny + b->count, wide_compress(dy, touch));
        wide_store_unaligned(b->nz + b->count, wide_compress(dz, touch));
        wide_index_compress(lanes->i + b->count, touch, i);
        wide_index_compress(lanes->j + b->count, touch, j);
        b->count += wide_index_compress(lanes->slot + b->count, touch, wide_index_from((int32_t)slot));
    }
    process_pairs(work);
}

// ---- walls ---------------------------------------------------------------------------------------
// Inverse mass that the wall part shows at `point` along `n`: n.Y.n with the moment arm, 0 for a wall that
// moves as told.
static double wall_inverse_mass(const Grains *g, int part, Vec3 arm, Vec3 n) {
    if (!g->mobility) return 0;
    Vec3 m = vec3_cross(arm, n);
    const double direction[6] = {n.x, n.y, n.z, m.x, m.y, m.z};
    double sum = 0;
    for (int a = 0; a < 6; a++)
        for (int c = 0; c < 6; c++) sum += direction[a] * g->mobility[part][a][c] * direction[c];
    return sum;
}

// One touch of a grain with a wall into lane k of the batch.
static void fill_wall(Work *work, int k, const WallEntry *entry, const WallContact *contact,
                      const WallTouch *memory) {
    const Grains *g = work->grains;
    const GrainStore *s = &g->store;
    const Motion *wall = &work->walls[entry->part];
    ContactBatch *b = &work->batch;
    int32_t i = entry->grain;
    double radius = s->radius[i], arm = radius + contact->gap;
    Vec3 n = quaternion_rotate(wall->orientation, contact->normal);
    Vec3 center = {s->x[i], s->y[i], s->z[i]}, spin = {s->wx[i], s->wy[i], s->wz[i]};
    Vec3 point = vec3_madd(center, -arm, n);
    Vec3 v = vec3_sub(vec3(s->vx[i], s->vy[i], s->vz[i]), vec3_scale(arm, vec3_cross(spin, n)));
    v = vec3_sub(v, motion_velocity_at(wall, point));
    double along = vec3_dot(v, n);
    Vec3 t = vec3_madd(v, -along, n), w = vec3_sub(spin, wall->angular_velocity);
    b->nx[k] = n.x, b->ny[k] = n.y, b->nz[k] = n.z;
    b->overlap[k] = -contact->gap;
    b->approach[k] = -along;
    b->tx[k] = t.x, b->ty[k] = t.y, b->tz[k] = t.z;
    b->wx[k] = w.x, b->wy[k] = w.y, b->wz[k] = w.z;
    b->mass[k] =
        1 / (s->inverse_mass[i] + wall_inverse_mass(g, entry->part, vec3_sub(point, wall->position), n));
    b->radius[k] = radius;
    b->inertia[k] = 0.4 * radius * radius / s->inverse_mass[i];
    b->law[k] = (g->material_count + entry->part) * g->material_count + s->material[i];
    b->ux[k] = memory->u[0], b->uy[k] = memory->u[1], b->uz[k] = memory->u[2];
    b->rx[k] = memory->r[0], b->ry[k] = memory->r[1], b->rz[k] = memory->r[2];
    work->lanes.lambda[k] = arm / radius;
}

// Lanes behind the last contact get values that do no harm.
static void pad_walls(ContactBatch *b) {
    for (int k = b->count; k % WIDE_LANES; k++) {
        b->nx[k] = b->ny[k] = b->overlap[k] = b->approach[k] = b->tx[k] = b->ty[k] = b->tz[k] = 0;
        b->wx[k] = b->wy[k] = b->wz[k] = b->ux[k] = b->uy[k] = b->uz[k] = b->rx[k] = b->ry[k] = b->rz[k] = 0;
        b->nz[k] = b->mass[k] = b->radius[k] = b->inertia[k] = 1;
        b->law[k] = 0;
    }
}

// Books contact k as settle_pairs does; `record` becomes what it does to the grain.
static void book_wall(Work *work, int k, const WallTouch *before, double record[RECORD], double moment[3]) {
    const ContactLaws *laws = &work->grains->laws;
    const ContactBatch *b = &work->batch;
    Sums *sums = &work->sums;
    double n[3] = {b->nx[k], b->ny[k], b->nz[k]}, f[3] = {0}, t[3] = {b->tx[k], b->ty[k], b->tz[k]};
    double w[3] = {b->wx[k], b->wy[k], b->wz[k]}, damping = b->normal[k] - b->spring[k],
           lambda = work->lanes.lambda[k];
    if (laws->tangential) f[0] = b->fx[k], f[1] = b->fy[k], f[2] = b->fz[k];
    moment[0] = moment[1] = moment[2] = 0;
    if (laws->rolling) moment[0] = b->mx[k], moment[1] = b->my[k], moment[2] = b->mz[k];
    for (int c = 0; c < 3; c++) {
        int d = (c + 1) % 3, e = (c + 2) % 3;
        record[RECORD_FORCE + c] = b->normal[k] * n[c] + f[c];
        record[RECORD_ARM + c] = lambda * (n[d] * f[e] - n[e] * f[d]);
        if (laws->tangential) sums->friction_power -= 0.5 * (f[c] + (double)before->record[c]) * t[c];
        if (laws->rolling) sums->rolling_power -= 0.5 * (moment[c] + (double)before->rolling[c]) * w[c];
    }
    record[RECORD_DAMPING] = damping;
    record[7] = 0;
    sums->impact_power += 0.5 * (damping + (double)before->record[RECORD_DAMPING]) * b->approach[k];
    sums->elastic += b->energy[k];
    if (laws->tangential) sums->tangential_energy += b->tangential_energy[k];
}

static void add_load(Work *work, int k, const WallEntry *entry, const double record[RECORD],
                     const double moment[3], Load *loads) {
    const GrainStore *s = &work->grains->store;
    const ContactBatch *b = &work->batch;
    int32_t i = entry->grain;
    double arm = s->radius[i] - b->overlap[k];
    Vec3 force = {record[0], record[1], record[2]};
    Vec3 point = vec3_madd(vec3(s->x[i], s->y[i], s->z[i]), -arm, vec3(b->nx[k], b->ny[k], b->nz[k]));
    Load *load = &loads[entry->part];
    load->force = vec3_sub(load->force, force);
    load->moment =
        vec3_sub(load->moment, vec3_cross(vec3_sub(point, work->walls[entry->part].position), force));
    load->moment = vec3_sub(load->moment, vec3(moment[0], moment[1], moment[2]));
}

static void settle_walls(Work *work, Load *loads) {
    Grains *g = work->grains;
    const ContactBatch *b = &work->batch;
    for (int k = 0; k < b->count; k++) {
        WallEntry *entry = &g->entries.data[work->lanes.slot[k]];
        WallTouch *touch = &entry->touch[work->lanes.j[k]];
        double record[RECORD], moment[3];
        book_wall(work, k, work->look ? &g->looked[k] : touch, record, moment);
        add_load(work, k, entry, record, moment, loads);
        note_overlap(&work->sums, b->overlap[k], g->store.radius[entry->grain], entry->grain,
                     -1 - entry->part);
        if (work->look) {
            look_at(g, entry->grain, 1, record, moment);
            continue;
        }
        double *sum = g->wall_sums.data + (size_t)work->lanes.slot[k] * WALL_SUM;
        for (int c = 0; c < 6; c++) sum[c] += record[c];
        for (int c = 0; c < 3; c++) sum[6 + c] += moment[c];
        for (int c = 0; c < RECORD; c++) touch->record[c] = (float)record[c];
        for (int c = 0; c < 3; c++) touch->rolling[c] = (float)moment[c];
        touch->u[0] = b->ux[k], touch->u[1] = b->uy[k], touch->u[2] = b->uz[k];
        touch->r[0] = b->rx[k], touch->r[1] = b->ry[k], touch->r[2] = b->rz[k];
    }
}

static void process_walls(Work *work, Load *loads) {
    if (work->batch.count == 0) return;
    pad_walls(&work->batch);
    apply_laws(work);
    settle_walls(work, loads);
    work->sums.contacts += work->batch.count;
    work->batch.count = 0;
}

static const WallTouch *remembered(const WallTouch *touches, int count, int32_t feature) {
    static const WallTouch nothing;
    for (int t = 0; t < count; t++)
        if (touches[t].feature == feature) return &touches[t];
    return &nothing;
}

static void wall_chunk(Work *work, size_t from, size_t to, Load *loads) {
    Grains *g = work->grains;
    const GrainStore *s = &g->store;
    ContactBatch *b = &work->batch;
    b->count = 0;
    for (size_t e = from; e < to; e++) {
        WallEntry *entry = &g->entries.data[e];
        WallContact contacts[WALL_CONTACT_MAX];
        int32_t i = entry->grain;
        Vec3 local = motion_to_local(&work->walls[entry->part], vec3(s->x[i], s->y[i], s->z[i]));
        int count = wall_contacts(&g->definition->walls[entry->part].shape, local, s->radius[i], 0, contacts);
        int old_count = entry->count;
        if (count > WALL_TOUCH_MAX) count = WALL_TOUCH_MAX;
        if (count == 0 && old_count == 0) continue;
        if (b->count + count > BATCH) process_walls(work, loads);
        WallTouch old[WALL_TOUCH_MAX];
        memcpy(old, entry->touch, (size_t)old_count * sizeof *old);
        for (int c = 0; c < count; c++) {
            const WallTouch *memory = remembered(old, old_count, contacts[c].feature);
            int k = b->count++;
            fill_wall(work, k, entry, &contacts[c], memory);
            work->lanes.slot[k] = (int32_t)e;
            work->lanes.j[k] = c;
            if (work->look) g->looked[k] = *memory;
            else entry->touch[c] = *memory, entry->touch[c].feature = contacts[c].feature;
        }
        if (work->look) continue;
        entry->count = count;
        uint8_t *touching = &g->near.touching.data[g->near.count + e], touches = count > 0;
        if (*touching != touches)
            work->events[work->sums.events++] = (int32_t)(2 * (g->near.count + e) + touches);
        *touching = touches;
        memset(g->wall_sums.data + e * WALL_SUM, 0, WALL_SUM * sizeof(double));
    }
    process_walls(work, loads);
}

// ---- all of them ---------------------------------------------------------------------------------
static size_t chunk_count(size_t items) { return (items + CONTACT_CHUNK - 1) / CONTACT_CHUNK; }

// Takes in who began and who ceased to touch.
static void count_touches(Grains *g, size_t chunks) {
    for (size_t c = 0; c < chunks; c++)
        for (int32_t e = 0; e < g->sums.data[c].events; e++) {
            int32_t event = g->events.data[c * CONTACT_CHUNK + (size_t)e];
            size_t row = (size_t)event >> 1;
            uint8_t change = event & 1 ? 1 : 255; // plus or minus one
            if (row < g->near.count) {
                g->touches.data[g->near.i.data[row]] += change;
                g->touches.data[g->near.j.data[row]] += change;
            } else {
                g->touches.data[g->entries.data[row - g->near.count].grain] += change;
            }
        }
}

Sums contacts_forces(Grains *g, const Motion *walls, Load *loads, bool look) {
    size_t parts = (size_t)g->definition->wall_count;
    size_t pair_chunks = chunk_count(g->near.count), wall_chunks = chunk_count(g->entries.count);
#pragma omp parallel for schedule(static) if (!look && pair_chunks + wall_chunks > 3)
    for (size_t c = 0; c < pair_chunks + wall_chunks; c++) {
        Work work;
        work.grains = g, work.walls = walls, work.look = look, work.sums = (Sums){0};
        work.events = g->events.data + c * CONTACT_CHUNK;
        size_t all = c < pair_chunks ? g->near.count : g->entries.count;
        size_t from = (c < pair_chunks ? c : c - pair_chunks) * CONTACT_CHUNK;
        size_t to = from + CONTACT_CHUNK < all ? from + CONTACT_CHUNK : all;
        if (c < pair_chunks) {
            pair_chunk(&work, from, to);
        } else {
            Load *chunk_loads = g->loads.data + (c - pair_chunks) * parts;
            memset(chunk_loads, 0, parts * sizeof *chunk_loads);
            wall_chunk(&work, from, to, chunk_loads);
        }
        g->sums.data[c] = work.sums;
    }
    if (!look) count_touches(g, pair_chunks + wall_chunks);
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
