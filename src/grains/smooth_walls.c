// Contacts of grains with walls.
//
// With the gap (negative when they overlap) and the normal n of the wall, from it into the grain, the contact
// point is at x - a n, a = r + gap, and moves against the wall with
//     v = v_i - a w_i x n - v_wall(x - a n)
// On the grain act the force f and the moment -r q + m with q = a/r n x f, as in smooth_pairs.c; on the wall -f and
// -m, at the contact point.
//
// The grains near one wall part are done together, a vector of them at a time: where they touch it (wall_faces.h), if
// it is a plain wall and they touch it as in the step before; others are found one by one. Their contacts then are one
// batch.
#include "geometry/wall_faces.h"
#include "grains/smooth_contacts.h"

#include <math.h>

// A wall part, with those grains of a layer that are near it.
typedef struct WallRun {
    int part;
    const Motion *wall;
    Mat3 turned; // from its axes to those of the world
    bool belt;   // its surface moves
    Load *load;  // on it: added to
} WallRun;

double smooth_walls_inverse_mass(const Grains *g, int part, Vec3 arm, Vec3 n) {
    Vec3 m = vec3_cross(arm, n);
    const double direction[6] = {n.x, n.y, n.z, m.x, m.y, m.z};
    double sum = 0;
    for (int a = 0; a < 6; a++)
        for (int c = 0; c < 6; c++) sum += direction[a] * g->mobility[part][a][c] * direction[c];
    return sum;
}

static Wide smooth_walls_inverse_masses(const double (*mobility)[6], Vec3Wide arm, Vec3Wide n) {
    Vec3Wide m = vec3_wide_cross(arm, n);
    const Wide direction[6] = {n.x, n.y, n.z, m.x, m.y, m.z};
    Wide sum = wide_set(0);
    for (int a = 0; a < 6; a++)
        for (int c = 0; c < 6; c++) sum = sum + direction[a] * wide_set(mobility[a][c]) * direction[c];
    return sum;
}

static inline Vec3Wide smooth_walls_load(double (*const from)[BATCH], int k) {
    return (Vec3Wide){wide_load(from[0] + k), wide_load(from[1] + k), wide_load(from[2] + k)};
}

// ---- into the batch ------------------------------------------------------------------------------
// The memory of contact k, and whose it is.
static inline void smooth_walls_recall(ContactWork *work, int k, int32_t e, int32_t grain, int32_t touch,
                                       const WallTouch *memory) {
    ContactBatch *b = &work->batch;
    work->slot[k] = e, work->touch[k] = touch, work->grain[k] = grain;
    b->ux[k] = memory->u[0], b->uy[k] = memory->u[1], b->uz[k] = memory->u[2];
    for (int c = 0; c < 3; c++) work->before[c][k] = (double)memory->force[c];
    work->before[3][k] = (double)memory->damping;
    if (!work->grains->laws.rolling) return;
    b->rx[k] = memory->r[0], b->ry[k] = memory->r[1], b->rz[k] = memory->r[2];
    for (int c = 0; c < 3; c++) work->rolled[c][k] = (double)memory->moment[c];
}

static void smooth_walls_add_touch(ContactWork *work, const WallRun *run, int32_t e, int touch,
                                   const WallContact *contact, const WallTouch *memory) {
    const WallEntry *entry = &work->grains->entries.data[e];
    ContactBatch *b = &work->batch;
    int k = b->count++;
    const double *quad = work->grains->position + (size_t)entry->grain * QUAD;
    Vec3 n = mat3_apply(run->turned, contact->normal), at = run->wall->position;
    b->nx[k] = n.x, b->ny[k] = n.y, b->nz[k] = n.z;
    b->overlap[k] = -contact->gap;
    work->lever[0][k] = quad[0] - at.x, work->lever[1][k] = quad[1] - at.y,
    work->lever[2][k] = quad[2] - at.z;
    smooth_walls_recall(work, k, e, entry->grain, entry->first + touch, memory);
}

// Lanes behind the last contact repeat the first one, just touching.
static void smooth_walls_pad(ContactWork *work) {
    ContactBatch *b = &work->batch;
    for (int k = b->count; k % WIDE_LANES; k++) {
        b->nx[k] = b->ny[k] = b->overlap[k] = b->gap[k] = 0;
        b->ux[k] = b->uy[k] = b->uz[k] = b->rx[k] = b->ry[k] = b->rz[k] = 0;
        b->nz[k] = 1;
        for (int c = 0; c < 3; c++) work->lever[c][k] = work->rolled[c][k] = work->before[c][k] = 0;
        work->before[3][k] = 0;
        work->grain[k] = work->grain[0];
    }
}

// One row of the law table for all contacts, or one for each.
static void smooth_walls_choose_rows(ContactWork *work, int part) {
    const Grains *g = work->grains;
    ContactBatch *b = &work->batch;
    int first = (g->material_count + part) * g->material_count;
    uint8_t odd = !g->common.found;
    for (int k = 0; k < b->count && !odd && !g->uniform; k++) odd = g->common.odd.data[work->grain[k]];
    b->single = odd ? -1 : first + g->common.material;
    b->alike = !odd && !g->mobility;
    for (int k = 0; k < b->count || k % WIDE_LANES; k++)
        if (odd) b->law[k] = first + g->store.material[work->grain[k]];
}

// What the surface of a belt has beyond the velocity of its port, in world axes.
static Vec3 smooth_walls_surface(const ContactWork *work, const WallRun *run, int k) {
    const ContactBatch *b = &work->batch;
    Vec3 normal = mat3_apply_transpose(run->turned, vec3(b->nx[k], b->ny[k], b->nz[k]));
    return mat3_apply(run->turned, grains_surface_velocity(work->grains->definition, run->part, normal));
}

static void smooth_walls_add_surface(const ContactWork *work, const WallRun *run, int k, Vec3Wide *v) {
    _Alignas(64) double add[3][WIDE_LANES];
    for (int l = 0; l < WIDE_LANES; l++) {
        Vec3 surface = smooth_walls_surface(work, run, k + l);
        add[0][l] = surface.x, add[1][l] = surface.y, add[2][l] = surface.z;
    }
    *v = vec3_wide_add(*v, (Vec3Wide){wide_load(add[0]), wide_load(add[1]), wide_load(add[2])});
}

// The batch holds normals, overlaps and the ways from the port's origin to the grains; the rest follows from the motion
// of both.
static void smooth_walls_fill(ContactWork *work, const WallRun *run) {
    static const _Alignas(64) double alone[GRAIN_LINE] = {0};
    const Grains *g = work->grains;
    ContactBatch *b = &work->batch;
    Wide one = wide_set(1);
    Vec3Wide wall = vec3_wide_set(run->wall->velocity), spin = vec3_wide_set(run->wall->angular_velocity);
    for (int k = 0; k < b->count; k += WIDE_LANES) {
        Wide line[GRAIN_LINE];
        wide_lines_combine(g->motion, work->grain + k, work->grain + k, alone, line);
        Vec3Wide n = {wide_load(b->nx + k), wide_load(b->ny + k), wide_load(b->nz + k)};
        Wide radius = line[GRAIN_RADIUS], per_radius = one / radius, overlap = wide_load(b->overlap + k);
        Wide lambda = one - overlap * per_radius, inverse_mass = line[GRAIN_INVERSE_MASS];
        Vec3Wide lever = vec3_wide_madd(smooth_walls_load(work->lever, k), overlap - radius, n);
        Vec3Wide surface = vec3_wide_add(wall, vec3_wide_cross(spin, lever));
        if (run->belt) smooth_walls_add_surface(work, run, k, &surface);
        Vec3Wide rim = {line[GRAIN_RIM], line[GRAIN_RIM + 1], line[GRAIN_RIM + 2]};
        Vec3Wide v = vec3_wide_sub((Vec3Wide){line[0], line[1], line[2]}, surface);
        v = vec3_wide_sub(v, vec3_wide_cross(vec3_wide_scale(lambda, rim), n));
        Wide along = vec3_wide_dot(v, n), all = inverse_mass;
        if (g->mobility) all = all + smooth_walls_inverse_masses(g->mobility[run->part], lever, n);
        wide_store(b->approach + k, -along);
        wide_store(b->tx + k, v.x - along * n.x);
        wide_store(b->ty + k, v.y - along * n.y);
        wide_store(b->tz + k, v.z - along * n.z);
        wide_store(b->mass + k, one / all);
        wide_store(b->radius + k, radius);
        wide_store(work->lambda + k, lambda);
        wide_store(work->lever[0] + k, lever.x);
        wide_store(work->lever[1] + k, lever.y);
        wide_store(work->lever[2] + k, lever.z);
        if (g->laws.cohesion) {
            Wide zero = wide_set(0);
            wide_store(b->gap + k, wide_max(zero - overlap, zero));
            wide_store(b->overlap + k, wide_max(overlap, zero));
        }
        if (!g->laws.rolling) continue;
        wide_store(b->inertia + k, wide_set(0.4) * radius * radius / inverse_mass);
        wide_store(b->wx + k, rim.x * per_radius - spin.x);
        wide_store(b->wy + k, rim.y * per_radius - spin.y);
        wide_store(b->wz + k, rim.z * per_radius - spin.z);
    }
}

// ---- out of the batch ----------------------------------------------------------------------------
typedef struct WallSums { // of a batch, lane by lane
    Wide friction, rolling, impact, deepest, ratio;
    Vec3Wide force, moment; // on the grains
} WallSums;

static inline Wide smooth_walls_power(double (*const before)[BATCH], int k, Vec3Wide force, const double *vx,
                                      const double *vy, const double *vz) { // twice that of the mean force
    Vec3Wide both = vec3_wide_add(force, smooth_walls_load(before, k));
    return vec3_wide_dot(both, (Vec3Wide){wide_load(vx + k), wide_load(vy + k), wide_load(vz + k)});
}

static void smooth_walls_add_energies(ContactWork *work, int k, WideMask valid) {
    const ContactLaws *laws = &work->grains->laws;
    const ContactBatch *b = &work->batch;
    ContactSums *sums = &work->sums;
    Wide zero = wide_set(0);
    sums->elastic += wide_sum(wide_select(valid, wide_load(b->energy + k), zero));
    if (laws->cohesion)
        sums->cohesion_energy += wide_sum(wide_select(valid, wide_load(b->pull_energy + k), zero));
    if (laws->tangential)
        sums->tangential_energy += wide_sum(wide_select(valid, wide_load(b->tangential_energy + k), zero));
    if (laws->rolling)
        sums->rolling_energy += wide_sum(wide_select(valid, wide_load(b->rolling_energy + k), zero));
}

// Adds to the sums of the layer and to the load on the wall.
static void smooth_walls_add_sums(ContactWork *work, const WallRun *run, const WallSums *batch) {
    ContactSums *sums = &work->sums;
    WallWear *wearing = &work->wearing[run->part];
    double friction = wide_sum(batch->friction), impact = wide_sum(batch->impact);
    sums->friction_power += friction, sums->impact_power += impact;
    sums->rolling_power += wide_sum(batch->rolling);
    sums->overlap = fmax(sums->overlap, wide_largest(batch->deepest));
    sums->overlap_ratio = fmax(sums->overlap_ratio, wide_largest(batch->ratio));
    sums->wall_contacts += work->batch.count;
    wearing->friction += friction, wearing->impact += impact;
    Vec3 force = {wide_sum(batch->force.x), wide_sum(batch->force.y), wide_sum(batch->force.z)};
    Vec3 moment = {wide_sum(batch->moment.x), wide_sum(batch->moment.y), wide_sum(batch->moment.z)};
    run->load->force = vec3_sub(run->load->force, force);
    run->load->moment = vec3_sub(run->load->moment, moment);
    if (!(sums->overlap_ratio > work->grains->definition->contact.max_overlap)) return;
    for (int k = 0; k < work->batch.count; k++) // too deep: keep which
        if (work->batch.overlap[k] >= sums->overlap_ratio * work->batch.radius[k])
            sums->overlap_i = work->grain[k], sums->overlap_other = -1 - run->part;
}

// The power of the surface of a belt on the grains.
static void smooth_walls_add_belt_power(ContactWork *work, const WallRun *run) {
    const ContactBatch *b = &work->batch;
    for (int k = 0; k < b->count && run->belt; k++) {
        Vec3 force = vec3_scale(b->normal[k], vec3(b->nx[k], b->ny[k], b->nz[k]));
        if (work->grains->laws.tangential) force = vec3_add(force, vec3(b->fx[k], b->fy[k], b->fz[k]));
        work->sums.belt_power += vec3_dot(force, smooth_walls_surface(work, run, k));
    }
}

static inline void smooth_walls_remember(const ContactWork *work, int k) {
    Grains *g = work->grains;
    const ContactBatch *b = &work->batch;
    WallTouch *touch = &g->wall_touches.data[work->touch[k]];
    double damping = b->normal[k] - b->spring[k];
    if (g->spectra.per_decade)
        g->entries.data[work->slot[k]].spent +=
            g->step * 0.5 * (damping + work->before[3][k]) * b->approach[k];
    touch->damping = (float)damping;
    if (g->laws.tangential) {
        touch->u[0] = b->ux[k], touch->u[1] = b->uy[k], touch->u[2] = b->uz[k];
        touch->force[0] = (float)b->fx[k], touch->force[1] = (float)b->fy[k],
        touch->force[2] = (float)b->fz[k];
    }
    if (g->laws.rolling) {
        touch->r[0] = b->rx[k], touch->r[1] = b->ry[k], touch->r[2] = b->rz[k];
        touch->moment[0] = (float)b->mx[k], touch->moment[1] = (float)b->my[k],
        touch->moment[2] = (float)b->mz[k];
    }
}

// Vector k of the batch: forces and moments to the grains and, with powers, to the sums.
static void smooth_walls_apply(ContactWork *work, int k, int lanes, WallSums *sums) {
    Grains *g = work->grains;
    const ContactLaws *laws = &g->laws;
    const ContactBatch *b = &work->batch;
    WideMask valid = wide_mask_first(lanes);
    Wide zero = wide_set(0), half = wide_set(0.5), lambda = wide_load(work->lambda + k);
    Wide normal = wide_select(valid, wide_load(b->normal + k), zero);
    Vec3Wide n = {wide_load(b->nx + k), wide_load(b->ny + k), wide_load(b->nz + k)}, f = {zero, zero, zero};
    if (laws->tangential) {
        f.x = wide_select(valid, wide_load(b->fx + k), zero);
        f.y = wide_select(valid, wide_load(b->fy + k), zero);
        f.z = wide_select(valid, wide_load(b->fz + k), zero);
        Wide power = smooth_walls_power(work->before, k, f, b->tx, b->ty, b->tz);
        sums->friction = sums->friction - half * power;
    }
    Vec3Wide q = vec3_wide_scale(lambda, vec3_wide_cross(n, f)), force = vec3_wide_madd(f, normal, n);
    sums->force = vec3_wide_add(sums->force, force);
    sums->moment = vec3_wide_add(sums->moment, vec3_wide_cross(smooth_walls_load(work->lever, k), force));
    if (laws->rolling) {
        Vec3Wide m = {wide_select(valid, wide_load(b->mx + k), zero),
                      wide_select(valid, wide_load(b->my + k), zero),
                      wide_select(valid, wide_load(b->mz + k), zero)};
        Wide power = smooth_walls_power(work->rolled, k, m, b->wx, b->wy, b->wz);
        sums->rolling = sums->rolling - half * power;
        sums->moment = vec3_wide_add(sums->moment, m);
    }
    if (laws->table.damped) {
        Wide damping = normal - wide_select(valid, wide_load(b->spring + k), zero);
        sums->impact =
            sums->impact + half * (damping + wide_load(work->before[3] + k)) * wide_load(b->approach + k);
    }
    Wide overlap = wide_load(b->overlap + k);
    sums->deepest = wide_max(sums->deepest, overlap);
    sums->ratio = wide_max(sums->ratio, overlap / wide_load(b->radius + k));
    const Wide numbers[GRAIN_LINE] = {force.x, force.y, force.z, q.x, q.y, q.z, zero, zero};
    WideLine lines[WIDE_LANES];
    wide_lines_form(numbers, lines);
    for (int l = 0; l < lanes; l++) {
        size_t grain = (size_t)work->grain[k + l];
        double *forces = g->forces + grain * GRAIN_LINE;
        wide_line_store(forces, wide_line_add(wide_line_load(forces), lines[l]));
        if (!laws->rolling) continue;
        double *moment = g->moments + grain * 4;
        moment[0] += b->mx[k + l], moment[1] += b->my[k + l], moment[2] += b->mz[k + l];
    }
    if (work->measuring) smooth_walls_add_energies(work, k, valid);
}

static void smooth_walls_process(ContactWork *work, const WallRun *run) {
    ContactBatch *b = &work->batch;
    Wide zero = wide_set(0);
    Vec3Wide none = {zero, zero, zero};
    WallSums sums = {zero, zero, zero, zero, zero, none, none};
    if (b->count == 0) return;
    smooth_walls_pad(work);
    smooth_walls_choose_rows(work, run->part);
    smooth_walls_fill(work, run);
    smooth_contacts_apply_laws(work);
    for (int k = 0; k < b->count; k += WIDE_LANES)
        smooth_walls_apply(work, k, b->count - k < WIDE_LANES ? b->count - k : WIDE_LANES, &sums);
    smooth_walls_add_sums(work, run, &sums);
    smooth_walls_add_belt_power(work, run);
    for (int k = 0; k < b->count && !work->measuring; k++) smooth_walls_remember(work, k);
    b->count = 0;
}

// ---- grains one by one ---------------------------------------------------------------------------
static const WallTouch *smooth_walls_find_memory(const WallTouch *touches, int count, int32_t feature) {
    static const WallTouch nothing;
    for (int t = 0; t < count; t++)
        if (touches[t].feature == feature) return &touches[t];
    return &nothing;
}

// A contact that coheres pulls until it breaks: half of its last force belongs to the step in which it does. (Left out, the ledger
// missed h v C/2 of each contact that broke at the speed v.)
static void smooth_walls_add_broken(ContactWork *work, const WallRun *run, WallEntry *entry,
                                    const WallContact *contact, const WallTouch *memory) {
    const Grains *g = work->grains;
    const double *quad = g->position + (size_t)entry->grain * QUAD;
    Vec3 n = mat3_apply(run->turned, contact->normal), spin = grain_spin(g, (size_t)entry->grain),
         at = vec3_scale(-quad[3] - contact->gap, n), // from the grain's centre to the wall
        lever = vec3_add(vec3_sub(vec3(quad[0], quad[1], quad[2]), run->wall->position), at);
    Vec3 v = vec3_sub(vec3_add(grain_velocity(g, (size_t)entry->grain), vec3_cross(spin, at)),
                      vec3_add(run->wall->velocity, vec3_cross(run->wall->angular_velocity, lever)));
    Vec3 force = {(double)memory->force[0], (double)memory->force[1], (double)memory->force[2]},
         moment = {(double)memory->moment[0], (double)memory->moment[1], (double)memory->moment[2]};
    double along = vec3_dot(v, n), impact = -0.5 * (double)memory->damping * along,
           friction = -0.5 * vec3_dot(force, vec3_madd(v, -along, n));
    work->sums.impact_power += impact, work->wearing[run->part].impact += impact;
    work->sums.friction_power += friction, work->wearing[run->part].friction += friction;
    work->sums.rolling_power -= 0.5 * vec3_dot(moment, vec3_sub(spin, run->wall->angular_velocity));
    if (g->spectra.per_decade && !work->measuring) entry->spent += g->step * impact;
}

// Keeps the contacts that touch, and those of before that still cohere.
static int smooth_walls_keep_held(ContactWork *work, const WallRun *run, WallEntry *entry,
                                  WallContact *contacts, int count) {
    const Grains *g = work->grains;
    const WallTouch *touches = g->wall_touches.data + entry->first;
    int row = (g->material_count + entry->part) * g->material_count + g->store.material[entry->grain],
        kept = 0;
    double range = laws_range(&g->laws, row, g->store.radius[entry->grain]);
    for (int c = 0; c < count; c++) {
        const WallTouch *before = NULL;
        for (int t = 0; t < entry->count; t++)
            if (touches[t].feature == contacts[c].feature) before = &touches[t];
        if (contacts[c].gap <= 0 || (before && contacts[c].gap <= range)) contacts[kept++] = contacts[c];
        else if (before) smooth_walls_add_broken(work, run, entry, &contacts[c], before);
    }
    return kept;
}

// Where cohesion may hold a grain, and as far as one that it held in the last step may have gone since.
static double smooth_walls_margin(const Grains *g, const WallRun *run, const WallEntry *entry, Vec3 local) {
    if (!g->laws.cohesion) return 0;
    if (entry->count == 0) return g->neighbours.range;
    double speed = vec3_norm(vec3_sub(grain_velocity(g, (size_t)entry->grain), run->wall->velocity)) +
                   vec3_norm(run->wall->angular_velocity) * vec3_norm(local);
    return g->neighbours.range + 2 * g->step * speed;
}

static void smooth_walls_find(ContactWork *work, const WallRun *run, int32_t e) {
    Grains *g = work->grains;
    WallEntry *entry = &g->entries.data[e];
    const double *quad = g->position + (size_t)entry->grain * QUAD;
    Vec3 local =
        mat3_apply_transpose(run->turned, vec3_sub(vec3(quad[0], quad[1], quad[2]), run->wall->position));
    WallContact contacts[WALL_CONTACT_MAX];
    int count = wall_contacts_of_sphere(&g->definition->walls[run->part].shape, local, quad[3],
                                        smooth_walls_margin(g, run, entry, local), contacts);
    if (g->laws.cohesion) count = smooth_walls_keep_held(work, run, entry, contacts, count);
    int before = entry->count;
    if (count == 0 && before == 0) return;
    if (work->batch.count + count > BATCH) smooth_walls_process(work, run);
    WallTouch *touches = g->wall_touches.data + entry->first, old[WALL_CONTACT_MAX];
    bool same = count <= before; // as a rule the same features in the same order
    for (int c = 0; c < count && same; c++) same = touches[c].feature == contacts[c].feature;
    if (!same) memcpy(old, touches, (size_t)before * sizeof *old);
    for (int c = 0; c < count; c++) {
        const WallTouch *memory =
            same ? &touches[c] : smooth_walls_find_memory(old, before, contacts[c].feature);
        smooth_walls_add_touch(work, run, e, c, &contacts[c], memory);
        if (!work->measuring) touches[c].feature = contacts[c].feature;
    }
    if (work->measuring) return;
    entry->count = count;
    if ((count > 0) != (before > 0)) smooth_contacts_count(g, entry->grain, count > 0);
    if (count == 0) smooth_contacts_end_entry(g, entry);
}

// ---- a vector of grains --------------------------------------------------------------------------
typedef struct WallLanes {
    int32_t entry[WIDE_LANES], grain[WIDE_LANES];
    int32_t count[WIDE_LANES], first[WIDE_LANES]; // of their touches, as in the entries
    unsigned valid;                               // lanes; others repeat the first
    Vec3Wide arm;                                 // from the port's origin to the grains [m]
} WallLanes;

// The lanes that do not touch the same faces as in the last step. Without branches on what touches, as far as can be:
// which grains of a vector touch is not predictable.
static unsigned smooth_walls_changed_lanes(const Grains *g, const WallLanes *lanes, const WallFaces *faces,
                                           const unsigned *bits) {
    const WallTouch *touches = g->wall_touches.data;
    unsigned changed = 0;
    int32_t found[WIDE_LANES] = {0};
    for (int f = 0; f < faces->count; f++)
        for (unsigned rest = bits[f]; rest; rest &= rest - 1) {
            int lane = __builtin_ctz(rest);
            int32_t touch = found[lane]++; // never more than the entry has room for
            changed |= (unsigned)(touches[lanes->first[lane] + touch].feature != faces->faces[f].feature)
                       << lane;
        }
    for (int lane = 0; lane < WIDE_LANES; lane++)
        changed |= (unsigned)(found[lane] != lanes->count[lane]) << lane;
    return changed;
}

// Contacts of some lanes with one face; `done` counts those of each lane with the faces before it.
static void smooth_walls_add_face(ContactWork *work, const WallRun *run, const WallLanes *lanes,
                                  const WallFace *face, unsigned bits, int *done) {
    const Grains *g = work->grains;
    ContactBatch *b = &work->batch;
    WideMask mask = wide_mask_from_bits(bits);
    Vec3Wide n = mat3_apply_wide(&run->turned, face->normal);
    int k = b->count;
    wide_compress(b->nx + k, mask, n.x);
    wide_compress(b->ny + k, mask, n.y);
    wide_compress(b->nz + k, mask, n.z);
    wide_compress(b->overlap + k, mask, -face->gap);
    wide_compress(work->lever[0] + k, mask, lanes->arm.x);
    wide_compress(work->lever[1] + k, mask, lanes->arm.y);
    wide_compress(work->lever[2] + k, mask, lanes->arm.z);
    for (; bits; bits &= bits - 1, k++) {
        int lane = __builtin_ctz(bits);
        int touch = lanes->first[lane] + done[lane]++;
        smooth_walls_recall(work, k, lanes->entry[lane], lanes->grain[lane], touch,
                            &g->wall_touches.data[touch]);
    }
    b->count = k;
}

// Returns the lanes that have to be done one by one: those that the wall does not decide, and those where a contact
// begins or ends, which few do in a step.
static unsigned smooth_walls_find_lanes(ContactWork *work, const WallRun *run, WallLanes *lanes) {
    const Grains *g = work->grains;
    Mat3 back = mat3_transpose(run->turned);
    WallFaces faces;
    Wide quad[QUAD];
    wide_quads_load(g->position, lanes->grain, quad);
    lanes->arm = vec3_wide_sub((Vec3Wide){quad[0], quad[1], quad[2]}, vec3_wide_set(run->wall->position));
    WallSpheres spheres = {mat3_apply_wide(&back, lanes->arm), quad[3], wide_set(0)};
    if (!wall_faces(&g->definition->walls[run->part].shape, &spheres, &faces)) return lanes->valid;
    unsigned left = wide_mask_bits(faces.undecided) & lanes->valid, bits[WALL_FACES];
    int total = 0, done[WIDE_LANES] = {0};
    for (int f = 0; f < faces.count; f++)
        bits[f] = wide_mask_bits(faces.faces[f].lanes) & lanes->valid & ~left;
    left |= smooth_walls_changed_lanes(g, lanes, &faces, bits) & lanes->valid;
    for (int f = 0; f < faces.count; f++) {
        bits[f] &= ~left;
        total += __builtin_popcount(bits[f]);
    }
    if (work->batch.count + total > BATCH) smooth_walls_process(work, run);
    for (int f = 0; f < faces.count; f++)
        if (bits[f]) smooth_walls_add_face(work, run, lanes, &faces.faces[f], bits[f], done);
    return left;
}

// ---- touching grains -----------------------------------------------------------------------------
static void smooth_walls_of_part(ContactWork *work, const WallRun *run, const int32_t *order, size_t count) {
    const Grains *g = work->grains;
    work->batch.count = 0;
    for (size_t e = 0; e < count; e += WIDE_LANES) {
        WallLanes lanes;
        size_t many = count - e < WIDE_LANES ? count - e : WIDE_LANES;
        lanes.valid = (1u << many) - 1;
        for (size_t l = 0; l < WIDE_LANES; l++) {
            lanes.entry[l] = order[l < many ? e + l : e];
            const WallEntry *entry = &g->entries.data[lanes.entry[l]];
            lanes.grain[l] = entry->grain, lanes.count[l] = entry->count, lanes.first[l] = entry->first;
        }
        // Cohesion holds grains that do not touch any more: one by one.
        unsigned left = g->neighbours.range > 0 ? lanes.valid : smooth_walls_find_lanes(work, run, &lanes);
        for (; left; left &= left - 1) smooth_walls_find(work, run, lanes.entry[__builtin_ctz(left)]);
    }
    smooth_walls_process(work, run);
}

void smooth_walls_contacts(ContactWork *work, size_t from, size_t to, Load *loads) {
    const Grains *g = work->grains;
    const int32_t *order = g->entry_order.data;
    for (size_t end; from < to; from = end) {
        int part = g->entries.data[order[from]].part;
        for (end = from; end < to && g->entries.data[order[end]].part == part;) end++;
        WallRun run = {.part = part,
                       .wall = &work->walls[part],
                       .turned = quaternion_to_matrix(work->walls[part].orientation),
                       .belt = grains_wall_is_belt(g->definition, part),
                       .load = &loads[part]};
        smooth_walls_of_part(work, &run, order + from, end - from);
    }
}
