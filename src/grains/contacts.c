// Which pairs touch now, and what they do to each other.
//
// For grains i and j: n = (x_i - x_j)/d, s = r_i + r_j - d, and at the contact point, which divides d as the
// radii do,
//     v = v_i - v_j - lambda (r_i w_i + r_j w_j) x n,     lambda = d/(r_i + r_j)
// so that the arms lambda r_i and lambda r_j add up to d and angular momentum is kept exactly. The force f on
// i goes into a record as f, q = lambda n x f and the rolling moment m; grain i feels f, -r_i q + m and grain
// j feels -f, -r_j q - m.
//
// Each thread has its own stretch of pairs, in order, and adds to the forces on grains as it goes; only
// grains at the borders of stretches are shared, and their contacts are put aside (epoch.c). No two threads
// ever write to the same place, and every grain's sum is made in the order of the pairs, whatever the number
// of threads.
#include "grains/engine.h"

#include <math.h>

#include "base/threads.h"

typedef struct Lanes { // who the contacts of a batch are
    int32_t slot[BATCH + WIDE_LANES], i[BATCH + WIDE_LANES], j[BATCH + WIDE_LANES];
    _Alignas(64) double lambda[BATCH];
    double small[BATCH];     // smaller radius of the two [m]
    double before[4][BATCH]; // force and damping force of the last step [N]
    double rolled[3][BATCH]; // rolling moment of the last step [N m]
} Lanes;

typedef struct Work { // of one chunk
    Grains *grains;
    const Motion *walls;
    bool look;
    uint16_t *events;   // of this chunk
    SharedPush *pushes; // of this chunk
    Sums sums;
    _Alignas(64) ContactBatch batch;
    _Alignas(64) Lanes lanes;
} Work;

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
static void look_at(Grains *g, int32_t grain, double side, const double line[LINE], const double rolling[3]) {
    double *sum = g->look.data + (size_t)grain * 6, arm = -g->store.radius[grain];
    for (int c = 0; c < 3; c++) {
        sum[c] += side * line[c];
        sum[3 + c] += arm * line[3 + c] + side * rolling[c];
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
        Wide a[LINE], o[LINE]; // grain i and the other
        wide_lines_load(g->motion, lanes->i + k, a);
        wide_lines_load(g->motion, lanes->j + k, o);
        if (!g->uniform) {
            ri = a[LINE_RADIUS], rj = o[LINE_RADIUS], mi = a[LINE_INVERSE_MASS], mj = o[LINE_INVERSE_MASS];
            reach = ri + rj, inverse_reach = one / reach;
            mass = one / (mi + mj), radius = ri * rj * inverse_reach;
        }
        Wide dx = wide_load(b->nx + k), dy = wide_load(b->ny + k), dz = wide_load(b->nz + k);
        Wide square = dx * dx + dy * dy + dz * dz, inverse = wide_inverse_sqrt(square),
             distance = square * inverse;
        Wide nx = dx * inverse, ny = dy * inverse, nz = dz * inverse, lambda = distance * inverse_reach;
        Wide sx = lambda * (ri * a[3] + rj * o[3]), sy = lambda * (ri * a[4] + rj * o[4]);
        Wide sz = lambda * (ri * a[5] + rj * o[5]);
        Wide vx = a[0] - o[0] - (sy * nz - sz * ny), vy = a[1] - o[1] - (sz * nx - sx * nz);
        Wide vz = a[2] - o[2] - (sx * ny - sy * nx);
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
        if (!g->uniform) wide_store(lanes->small + k, wide_min(ri, rj));
        if (g->laws.rolling) {
            wide_store(b->wx + k, a[3] - o[3]), wide_store(b->wy + k, a[4] - o[4]);
            wide_store(b->wz + k, a[5] - o[5]);
            wide_store(b->inertia + k, wide_set(0.4) / (mi / (ri * ri) + mj / (rj * rj)));
        }
    }
    b->single = g->uniform ? s->material[0] * (g->material_count + 1) : -1;
    if (b->single >= 0) return;
    for (int k = 0; k < (b->count + WIDE_LANES - 1) / WIDE_LANES * WIDE_LANES; k++)
        b->law[k] = s->material[lanes->i[k]] * g->material_count + s->material[lanes->j[k]];
}

// Brings what the pairs remember into the batch.
static void load_rows(Work *work) {
    const Near *near = &work->grains->near;
    ContactBatch *b = &work->batch;
    Lanes *lanes = &work->lanes;
    for (int k = 0; k < b->count; k += WIDE_LANES) {
        Wide row[ROW];
        wide_rows_load(near->rows.data, lanes->slot + k, row);
        wide_store(b->ux + k, row[0]), wide_store(b->uy + k, row[1]), wide_store(b->uz + k, row[2]);
        for (int c = 0; c < 4; c++) wide_store(lanes->before[c] + k, row[ROW_FORCE + c]);
        if (!work->grains->laws.rolling) continue;
        wide_rows_load(near->rolls.data, lanes->slot + k, row);
        wide_store(b->rx + k, row[0]), wide_store(b->ry + k, row[1]), wide_store(b->rz + k, row[2]);
        for (int c = 0; c < 3; c++) wide_store(lanes->rolled[c] + k, row[ROW_FORCE + c]);
    }
}

static const _Alignas(64) double line_side[2][LINE] = {{1, 1, 1, 1, 1, 1, 0, 0}, {-1, -1, -1, 1, 1, 1, 0, 0}};

static inline void push_grain(Grains *g, int32_t grain, int side, WideLine line,
                              const double (*moment)[WIDE_LANES], int l) {
    double *force = g->forces + (size_t)grain * LINE, sign = side ? -1 : 1;
    wide_line_store(force, wide_line_fma(wide_line_load(line_side[side]), line, wide_line_load(force)));
    for (int c = 0; c < 3 && g->laws.rolling; c++)
        g->moments[(size_t)grain * 4 + (size_t)c] += sign * moment[c][l];
}

// Adds what the contacts of some lanes do to their grains.
static void push_grains(Work *work, int k, int count, const WideLine *lines,
                        const double (*moment)[WIDE_LANES]) {
    Grains *g = work->grains;
    const int32_t *i = work->lanes.i + k, *j = work->lanes.j + k;
    for (int l = 0; l < count; l++) {
        if (g->shared.data[i[l]] | g->shared.data[j[l]]) {
            SharedPush *push = &work->pushes[work->sums.pushes++];
            push->i = i[l], push->j = j[l];
            memcpy(push->line, &lines[l], sizeof push->line);
            for (int c = 0; c < 3; c++) push->moment[c] = moment[c][l];
        }
        if (!g->shared.data[i[l]]) push_grain(g, i[l], 0, lines[l], moment, l);
        if (!g->shared.data[j[l]]) push_grain(g, j[l], 1, lines[l], moment, l);
    }
}

// The same when no grain is shared and nothing rolls. Pairs are sorted by i, so the sum of a first grain
// stays in registers until the next one comes: through memory, each contact would wait for the one before.
static void push_grains_alone(Work *work, int k, int count, const WideLine *lines) {
    double *forces = work->grains->forces;
    const int32_t *i = work->lanes.i + k, *j = work->lanes.j + k;
    WideLine plus = wide_line_load(line_side[0]), minus = wide_line_load(line_side[1]);
    int32_t current = i[0];
    WideLine sum = wide_line_load(forces + (size_t)current * LINE);
    for (int l = 0; l < count; l++) {
        if (i[l] != current) {
            wide_line_store(forces + (size_t)current * LINE, sum);
            current = i[l];
            sum = wide_line_load(forces + (size_t)current * LINE);
        }
        sum = wide_line_fma(plus, lines[l], sum);
        double *other = forces + (size_t)j[l] * LINE;
        wide_line_store(other, wide_line_fma(minus, lines[l], wide_line_load(other)));
    }
    wide_line_store(forces + (size_t)current * LINE, sum);
}

static void look_at_pairs(Work *work, int k, int count, const WideLine *lines,
                          const double (*moment)[WIDE_LANES]) {
    for (int l = 0; l < count; l++) {
        double line[LINE], rolling[3] = {moment[0][l], moment[1][l], moment[2][l]};
        memcpy(line, &lines[l], sizeof line);
        look_at(work->grains, work->lanes.i[k + l], 1, line, rolling);
        look_at(work->grains, work->lanes.j[k + l], -1, line, rolling);
    }
}

// Powers and energies. Work is force * (v(n) + v(n+1))/2 * h, summed over steps as v(n) * (f(n) + f(n-1))/2 *
// h; the normal part of the force does no work on sliding.
typedef struct Account {
    Wide impact, friction, rolling, elastic, tangential, rolled, deepest, ratio;
} Account;

static inline void book_pairs(const Work *work, int k, WideMask valid, Wide damping, Account *a) {
    const ContactBatch *b = &work->batch;
    const ContactLaws *laws = &work->grains->laws;
    const Lanes *lanes = &work->lanes;
    Wide zero = wide_set(0), half = wide_set(0.5), overlap = wide_load(b->overlap + k);
    if (laws->tangential) {
        Wide power = (wide_load(b->fx + k) + wide_load(lanes->before[0] + k)) * wide_load(b->tx + k);
        power = power + (wide_load(b->fy + k) + wide_load(lanes->before[1] + k)) * wide_load(b->ty + k);
        power = power + (wide_load(b->fz + k) + wide_load(lanes->before[2] + k)) * wide_load(b->tz + k);
        a->friction = a->friction - wide_select(valid, half * power, zero);
        a->tangential = a->tangential + wide_select(valid, wide_load(b->tangential_energy + k), zero);
    }
    if (laws->rolling) {
        Wide power = (wide_load(b->mx + k) + wide_load(lanes->rolled[0] + k)) * wide_load(b->wx + k);
        power = power + (wide_load(b->my + k) + wide_load(lanes->rolled[1] + k)) * wide_load(b->wy + k);
        power = power + (wide_load(b->mz + k) + wide_load(lanes->rolled[2] + k)) * wide_load(b->wz + k);
        a->rolling = a->rolling - wide_select(valid, half * power, zero);
        a->rolled = a->rolled + wide_select(valid, wide_load(b->rolling_energy + k), zero);
    }
    if (laws->table.damped) {
        Wide impact = half * (damping + wide_load(lanes->before[3] + k)) * wide_load(b->approach + k);
        a->impact = a->impact + wide_select(valid, impact, zero);
    }
    a->elastic = a->elastic + wide_select(valid, wide_load(b->energy + k), zero);
    a->deepest = wide_max(a->deepest, overlap);
    if (!work->grains->uniform) a->ratio = wide_max(a->ratio, overlap / wide_load(lanes->small + k));
}

static void close_account(Work *work, const Account *a) {
    Sums *sums = &work->sums;
    sums->impact_power += wide_sum(a->impact);
    sums->friction_power += wide_sum(a->friction);
    sums->rolling_power += wide_sum(a->rolling);
    sums->elastic += wide_sum(a->elastic);
    sums->tangential_energy += wide_sum(a->tangential);
    sums->rolling_energy += wide_sum(a->rolled);
    sums->overlap = fmax(sums->overlap, wide_largest(a->deepest));
    double ratio =
        work->grains->uniform ? wide_largest(a->deepest) / work->grains->radius : wide_largest(a->ratio);
    sums->overlap_ratio = fmax(sums->overlap_ratio, ratio);
    if (sums->overlap_ratio <= work->grains->definition->contact.max_overlap) return;
    for (int k = 0; k < work->batch.count; k++) // too deep: who is it?
        if (work->batch.overlap[k] >=
            sums->overlap_ratio * fmin(work->grains->store.radius[work->lanes.i[k]],
                                       work->grains->store.radius[work->lanes.j[k]]))
            sums->overlap_i = work->lanes.i[k], sums->overlap_other = work->lanes.j[k];
}

// Pushes the grains, books the powers, and writes what the pairs remember.
static void settle_pairs(Work *work) {
    Grains *g = work->grains;
    const ContactLaws *laws = &g->laws;
    const ContactBatch *b = &work->batch;
    Wide zero = wide_set(0);
    Account account = {zero, zero, zero, zero, zero, zero, zero, zero};
    for (int k = 0; k < b->count; k += WIDE_LANES) {
        int count = b->count - k < WIDE_LANES ? b->count - k : WIDE_LANES;
        Wide nx = wide_load(b->nx + k), ny = wide_load(b->ny + k), nz = wide_load(b->nz + k), fx = zero,
             fy = zero, fz = zero;
        Wide normal = wide_load(b->normal + k), damping = normal - wide_load(b->spring + k);
        Wide lambda = wide_load(work->lanes.lambda + k), numbers[LINE];
        if (laws->tangential) fx = wide_load(b->fx + k), fy = wide_load(b->fy + k), fz = wide_load(b->fz + k);
        numbers[0] = normal * nx + fx, numbers[1] = normal * ny + fy, numbers[2] = normal * nz + fz;
        numbers[3] = lambda * (ny * fz - nz * fy), numbers[4] = lambda * (nz * fx - nx * fz);
        numbers[5] = lambda * (nx * fy - ny * fx), numbers[6] = zero, numbers[7] = zero;
        book_pairs(work, k, wide_mask_first(count), damping, &account);
        WideLine lines[WIDE_LANES];
        wide_lines_form(numbers, lines);
        double moment[3][WIDE_LANES] = {{0}};
        if (laws->rolling) {
            memcpy(moment[0], b->mx + k, sizeof moment[0]);
            memcpy(moment[1], b->my + k, sizeof moment[1]);
            memcpy(moment[2], b->mz + k, sizeof moment[2]);
        }
        if (work->look) {
            look_at_pairs(work, k, count, lines, (const double(*)[WIDE_LANES])moment);
            continue;
        }
        if (g->threads == 1 && !laws->rolling) push_grains_alone(work, k, count, lines);
        else push_grains(work, k, count, lines, (const double(*)[WIDE_LANES])moment);
        Wide row[ROW] = {
            wide_load(b->ux + k), wide_load(b->uy + k), wide_load(b->uz + k), fx, fy, fz, damping, zero};
        wide_rows_store(g->near.rows.data, work->lanes.slot + k, count, row);
        if (!laws->rolling) continue;
        Wide roll[ROW] = {wide_load(b->rx + k),
                          wide_load(b->ry + k),
                          wide_load(b->rz + k),
                          wide_load(b->mx + k),
                          wide_load(b->my + k),
                          wide_load(b->mz + k),
                          zero,
                          zero};
        wide_rows_store(g->near.rolls.data, work->lanes.slot + k, count, roll);
    }
    close_account(work, &account);
}

static void process_pairs(Work *work) {
    ContactBatch *b = &work->batch;
    if (b->count == 0) return;
    pad_pairs(work);
    fill_pairs(work);
    load_rows(work);
    apply_laws(work);
    settle_pairs(work);
    work->sums.contacts += b->count;
    b->count = 0;
}

// A pair that has just come apart forgets.
static void forget(Grains *g, size_t slot) {
    g->near.touching.data[slot] = 0;
    memset(g->near.rows.data + slot * ROW, 0, ROW * sizeof(float));
    if (g->laws.rolling) memset(g->near.rolls.data + slot * ROW, 0, ROW * sizeof(float));
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
        work->events[work->sums.events++] = (uint16_t)(2 * (slot % CONTACT_CHUNK + k) + begins);
        if (begins) touching[k] = 1;
        else forget(g, slot + k);
    }
}

// Asks for what process_pairs will need of a pair, a batch ahead: in a large bed it is not in the caches.
static inline void fetch(const Grains *g, int32_t slot, int32_t j) {
    __builtin_prefetch(g->near.rows.data + (size_t)slot * ROW, 1);
    __builtin_prefetch(g->motion + (size_t)j * LINE);
    __builtin_prefetch(g->forces + (size_t)j * LINE, 1);
}

static void pair_chunk(Work *work, size_t from, size_t to) {
    Grains *g = work->grains;
    Lanes *lanes = &work->lanes;
    ContactBatch *b = &work->batch;
    b->count = 0;
    for (size_t slot = from; slot < to; slot += WIDE_LANES) {
        const int32_t *i = g->near.i.data + slot, *j = g->near.j.data + slot;
        Wide d[QUAD];
        wide_quads_compare(g->position, i, j, d);
        WideMask touch = wide_less(d[0] * d[0] + d[1] * d[1] + d[2] * d[2], d[3] * d[3]);
        unsigned until = to - slot < WIDE_LANES ? (unsigned)(to - slot) : WIDE_LANES;
        touch = wide_mask_and(touch, wide_mask_first((int)until));
        unsigned now = wide_mask_bits(touch);
        if (!work->look) mark(work, slot, now, until);
        if (!now) continue;
        if (b->count > BATCH - WIDE_LANES) process_pairs(work);
        wide_store_unaligned(b->nx + b->count, wide_compress(d[0], touch));
        wide_store_unaligned(b->ny + b->count, wide_compress(d[1], touch));
        wide_store_unaligned(b->nz + b->count, wide_compress(d[2], touch));
        wide_index_compress(lanes->i + b->count, touch, wide_index_load(i));
        wide_index_compress(lanes->j + b->count, touch, wide_index_load(j));
        int found = wide_index_compress(lanes->slot + b->count, touch, wide_index_from((int32_t)slot));
        for (int k = b->count; k < b->count + found; k++) fetch(g, lanes->slot[k], lanes->j[k]);
        b->count += found;
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
    Vec3 center = grain_center(g, (size_t)i), spin = grain_spin(g, (size_t)i);
    Vec3 point = vec3_madd(center, -arm, n);
    Vec3 v = vec3_sub(grain_velocity(g, (size_t)i), vec3_scale(arm, vec3_cross(spin, n)));
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
    for (int c = 0; c < 3; c++) work->lanes.before[c][k] = (double)memory->force[c];
    work->lanes.before[3][k] = (double)memory->damping;
    for (int c = 0; c < 3; c++) work->lanes.rolled[c][k] = (double)memory->moment[c];
    work->lanes.lambda[k] = arm / radius;
}

// Lanes behind the last contact get values that do no harm.
static void pad_walls(ContactBatch *b) {
    b->single = -1;
    for (int k = b->count; k % WIDE_LANES; k++) {
        b->nx[k] = b->ny[k] = b->overlap[k] = b->approach[k] = b->tx[k] = b->ty[k] = b->tz[k] = 0;
        b->wx[k] = b->wy[k] = b->wz[k] = b->ux[k] = b->uy[k] = b->uz[k] = b->rx[k] = b->ry[k] = b->rz[k] = 0;
        b->nz[k] = b->mass[k] = b->radius[k] = b->inertia[k] = 1;
        b->law[k] = 0;
    }
}

// Books contact k as book_pairs does; `line` and `moment` become what it does to the grain.
static void book_wall(Work *work, int k, double line[LINE], double moment[3]) {
    const ContactLaws *laws = &work->grains->laws;
    const ContactBatch *b = &work->batch;
    const Lanes *lanes = &work->lanes;
    Sums *sums = &work->sums;
    double n[3] = {b->nx[k], b->ny[k], b->nz[k]}, f[3] = {0}, t[3] = {b->tx[k], b->ty[k], b->tz[k]};
    double w[3] = {b->wx[k], b->wy[k], b->wz[k]}, damping = b->normal[k] - b->spring[k];
    if (laws->tangential) f[0] = b->fx[k], f[1] = b->fy[k], f[2] = b->fz[k];
    moment[0] = moment[1] = moment[2] = 0;
    if (laws->rolling) moment[0] = b->mx[k], moment[1] = b->my[k], moment[2] = b->mz[k];
    for (int c = 0; c < 3; c++) {
        int d = (c + 1) % 3, e = (c + 2) % 3;
        line[c] = b->normal[k] * n[c] + f[c];
        line[3 + c] = lanes->lambda[k] * (n[d] * f[e] - n[e] * f[d]);
        if (laws->tangential) sums->friction_power -= 0.5 * (f[c] + lanes->before[c][k]) * t[c];
        if (laws->rolling) sums->rolling_power -= 0.5 * (moment[c] + lanes->rolled[c][k]) * w[c];
    }
    sums->impact_power += 0.5 * (damping + lanes->before[3][k]) * b->approach[k];
    sums->elastic += b->energy[k];
    if (laws->tangential) sums->tangential_energy += b->tangential_energy[k];
    if (laws->rolling) sums->rolling_energy += b->rolling_energy[k];
}

static void add_load(Work *work, int k, const WallEntry *entry, const double line[LINE],
                     const double moment[3], Load *loads) {
    const GrainStore *s = &work->grains->store;
    const ContactBatch *b = &work->batch;
    int32_t i = entry->grain;
    double arm = s->radius[i] - b->overlap[k];
    Vec3 force = {line[0], line[1], line[2]};
    Vec3 point = vec3_madd(grain_center(work->grains, (size_t)i), -arm, vec3(b->nx[k], b->ny[k], b->nz[k]));
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
        double line[LINE], moment[3];
        book_wall(work, k, line, moment);
        add_load(work, k, entry, line, moment, loads);
        note_overlap(&work->sums, b->overlap[k], g->store.radius[entry->grain], entry->grain,
                     -1 - entry->part);
        if (work->look) {
            look_at(g, entry->grain, 1, line, moment);
            continue;
        }
        double *sum = g->wall_sums.data + (size_t)work->lanes.slot[k] * WALL_SUM;
        for (int c = 0; c < 6; c++) sum[c] += line[c];
        for (int c = 0; c < 3; c++) sum[6 + c] += moment[c];
        WallTouch *touch = &entry->touch[work->lanes.j[k]];
        bool rubs = g->laws.tangential;
        touch->u[0] = b->ux[k], touch->u[1] = b->uy[k], touch->u[2] = b->uz[k];
        touch->r[0] = b->rx[k], touch->r[1] = b->ry[k], touch->r[2] = b->rz[k];
        touch->force[0] = rubs ? (float)b->fx[k] : 0;
        touch->force[1] = rubs ? (float)b->fy[k] : 0;
        touch->force[2] = rubs ? (float)b->fz[k] : 0;
        touch->damping = (float)(b->normal[k] - b->spring[k]);
        for (int c = 0; c < 3; c++) touch->moment[c] = (float)moment[c];
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
        Vec3 local = motion_to_local(&work->walls[entry->part], grain_center(g, (size_t)i));
        int count = wall_contacts(&g->definition->walls[entry->part].shape, local, s->radius[i], 0, contacts);
        int old_count = entry->count;
        if (count == 0 && old_count == 0) continue;
        if (b->count + count > BATCH) process_walls(work, loads);
        WallTouch old[WALL_CONTACT_MAX];
        memcpy(old, entry->touch, (size_t)old_count * sizeof *old);
        for (int c = 0; c < count; c++) {
            const WallTouch *memory = remembered(old, old_count, contacts[c].feature);
            int k = b->count++;
            fill_wall(work, k, entry, &contacts[c], memory);
            work->lanes.slot[k] = (int32_t)e;
            work->lanes.j[k] = c;
            if (!work->look) entry->touch[c].feature = contacts[c].feature;
        }
        if (work->look) continue;
        entry->count = count;
        uint8_t *touching = &g->near.touching.data[g->near.count + e], touches = count > 0;
        if (*touching != touches)
            work->events[work->sums.events++] = (uint16_t)(2 * (e % CONTACT_CHUNK) + touches);
        *touching = touches;
        memset(g->wall_sums.data + e * WALL_SUM, 0, WALL_SUM * sizeof(double));
    }
    process_walls(work, loads);
}

// ---- all of them ---------------------------------------------------------------------------------
static size_t chunk_count(size_t items) { return (items + CONTACT_CHUNK - 1) / CONTACT_CHUNK; }

// Takes in who began and who ceased to touch.
static void count_touches(Grains *g, size_t pair_chunks, size_t chunks) {
    for (size_t c = 0; c < chunks; c++)
        for (int32_t e = 0; e < g->sums.data[c].events; e++) {
            uint16_t event = g->events.data[c * CONTACT_CHUNK + (size_t)e];
            uint16_t change = event & 1 ? 1 : UINT16_MAX; // plus or minus one
            bool pair = c < pair_chunks;
            size_t row = (pair ? c : c - pair_chunks) * CONTACT_CHUNK + (event >> 1);
            int32_t i = pair ? g->near.i.data[row] : g->entries.data[row].grain;
            g->touches.data[i] = (uint16_t)(g->touches.data[i] + change);
            g->met.data[i] = 1;
            if (!pair) continue;
            int32_t j = g->near.j.data[row];
            g->touches.data[j] = (uint16_t)(g->touches.data[j] + change);
            g->met.data[j] = 1;
        }
}

// What was put aside for shared grains, in the order of the pairs.
static void push_shared(Grains *g, size_t chunks) {
    for (size_t c = 0; c < chunks; c++)
        for (int32_t p = 0; p < g->sums.data[c].pushes; p++) {
            const SharedPush *push = &g->pushes.data[g->push_start.data[c] + p];
            for (int side = 0; side < 2; side++) {
                size_t grain = (size_t)(side ? push->j : push->i);
                double sign = side ? -1 : 1, *force = g->forces + grain * LINE;
                if (!g->shared.data[grain]) continue;
                for (int k = 0; k < 3; k++) {
                    force[k] = fma(sign, push->line[k], force[k]);
                    force[3 + k] += push->line[3 + k];
                    if (g->laws.rolling) g->moments[grain * 4 + (size_t)k] += sign * push->moment[k];
                }
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
    work->events = g->events.data + place * CONTACT_CHUNK;
    work->pushes = !wall && g->threads > 1 ? g->pushes.data + g->push_start.data[c] : NULL;
    if (wall) {
        memset(g->loads.data + c * parts, 0, parts * sizeof(Load));
        wall_chunk(work, from, to, g->loads.data + c * parts);
    } else {
        pair_chunk(work, from, to);
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
        count_touches(g, pair_chunks, pair_chunks + wall_chunks);
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
