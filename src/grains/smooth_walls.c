// Contacts of grains with walls.
//
// With the gap (negative when they overlap) and the normal n of the wall, from it into the grain, the contact
// point is at x - a n, a = r + gap, and moves against the wall with
//     v = v_i - a w_i x n - v_wall(x - a n)
// On the grain act the force f and the moment -r q + m with q = a/r n x f, as in smooth_pairs.c; on the wall -f and
// -m, at the contact point.
//
// Where a grain touches a wall is found one by one; everything else is done in batches.
#include "grains/smooth_contacts.h"

#include <math.h>

double smooth_walls_inverse_mass(const Grains *g, int part, Vec3 arm, Vec3 n) {
    Vec3 m = vec3_cross(arm, n);
    const double direction[6] = {n.x, n.y, n.z, m.x, m.y, m.z};
    double sum = 0;
    for (int a = 0; a < 6; a++)
        for (int c = 0; c < 6; c++) sum += direction[a] * g->mobility[part][a][c] * direction[c];
    return sum;
}

// ---- into the batch ------------------------------------------------------------------------------
// One touch of a grain with a wall into lane k of the batch: the part that depends on the wall.
static void smooth_walls_add_touch(ContactWork *work, size_t e, int touch, const WallContact *contact,
                                   const Mat3 *turned, const WallTouch *memory) {
    const Grains *g = work->grains;
    const WallEntry *entry = &g->entries.data[e];
    const Motion *wall = &work->walls[entry->part];
    ContactBatch *b = &work->batch;
    int k = b->count++;
    const double *quad = g->position + (size_t)entry->grain * QUAD;
    Vec3 n = mat3_apply(*turned, contact->normal);
    Vec3 lever =
        vec3_sub(vec3_madd(vec3(quad[0], quad[1], quad[2]), -(quad[3] + contact->gap), n), wall->position);
    Vec3 v = vec3_add(wall->velocity, vec3_cross(wall->angular_velocity, lever));
    if (grains_wall_is_belt(g->definition, entry->part)) {
        Vec3 surface = grains_surface_velocity(g->definition, entry->part, contact->normal);
        v = vec3_add(v, mat3_apply(*turned, surface));
    }
    b->nx[k] = n.x, b->ny[k] = n.y, b->nz[k] = n.z;
    b->overlap[k] = -contact->gap;
    b->tx[k] = v.x, b->ty[k] = v.y, b->tz[k] = v.z;
    b->mass[k] = g->mobility ? smooth_walls_inverse_mass(g, entry->part, lever, n) : 0;
    b->law[k] = (g->material_count + entry->part) * g->material_count + g->store.material[entry->grain];
    b->ux[k] = memory->u[0], b->uy[k] = memory->u[1], b->uz[k] = memory->u[2];
    work->lever[0][k] = lever.x, work->lever[1][k] = lever.y, work->lever[2][k] = lever.z;
    for (int c = 0; c < 3; c++) work->before[c][k] = (double)memory->force[c];
    work->before[3][k] = (double)memory->damping;
    work->slot[k] = (int32_t)e, work->touch[k] = touch, work->grain[k] = entry->grain;
    if (!g->laws.rolling) return;
    b->wx[k] = wall->angular_velocity.x, b->wy[k] = wall->angular_velocity.y;
    b->wz[k] = wall->angular_velocity.z;
    b->rx[k] = memory->r[0], b->ry[k] = memory->r[1], b->rz[k] = memory->r[2];
    for (int c = 0; c < 3; c++) work->rolled[c][k] = (double)memory->moment[c];
}

// Lanes behind the last contact repeat the first one, just touching a wall at rest.
static void smooth_walls_pad(ContactWork *work) {
    ContactBatch *b = &work->batch;
    for (int k = b->count; k % WIDE_LANES; k++) {
        b->nx[k] = b->ny[k] = b->overlap[k] = b->gap[k] = b->tx[k] = b->ty[k] = b->tz[k] = b->mass[k] = 0;
        b->wx[k] = b->wy[k] = b->wz[k] = b->ux[k] = b->uy[k] = b->uz[k] = b->rx[k] = b->ry[k] = b->rz[k] = 0;
        b->nz[k] = 1;
        b->law[k] = b->law[0], work->grain[k] = work->grain[0];
    }
}

// What follows from the motion of the grains. The batch holds the velocity of the wall in tx, ty, tz, its
// angular velocity in wx, wy, wz and its inverse mass in `mass`.
static void smooth_walls_fill(ContactWork *work) {
    static const _Alignas(64) double alone[GRAIN_LINE] = {0};
    const Grains *g = work->grains;
    ContactBatch *b = &work->batch;
    Wide one = wide_set(1);
    for (int k = 0; k < b->count; k += WIDE_LANES) {
        Wide line[GRAIN_LINE];
        wide_lines_combine(g->motion, work->grain + k, work->grain + k, alone, line);
        Wide nx = wide_load(b->nx + k), ny = wide_load(b->ny + k), nz = wide_load(b->nz + k);
        Wide radius = line[GRAIN_RADIUS], per_radius = one / radius;
        Wide lambda = one - wide_load(b->overlap + k) * per_radius;
        Wide sx = lambda * line[GRAIN_RIM], sy = lambda * line[GRAIN_RIM + 1],
             sz = lambda * line[GRAIN_RIM + 2];
        Wide vx = line[0] - wide_load(b->tx + k) - (sy * nz - sz * ny);
        Wide vy = line[1] - wide_load(b->ty + k) - (sz * nx - sx * nz);
        Wide vz = line[2] - wide_load(b->tz + k) - (sx * ny - sy * nx);
        Wide along = vx * nx + vy * ny + vz * nz, inverse_mass = line[GRAIN_INVERSE_MASS];
        wide_store(b->approach + k, -along);
        wide_store(b->tx + k, vx - along * nx);
        wide_store(b->ty + k, vy - along * ny);
        wide_store(b->tz + k, vz - along * nz);
        wide_store(b->mass + k, one / (inverse_mass + wide_load(b->mass + k)));
        wide_store(b->radius + k, radius);
        wide_store(work->lambda + k, lambda);
        if (g->laws.cohesion) {
            Wide overlap = wide_load(b->overlap + k), zero = wide_set(0);
            wide_store(b->gap + k, wide_max(zero - overlap, zero));
            wide_store(b->overlap + k, wide_max(overlap, zero));
        }
        if (!g->laws.rolling) continue;
        wide_store(b->inertia + k, wide_set(0.4) * radius * radius / inverse_mass);
        wide_store(b->wx + k, line[GRAIN_RIM] * per_radius - wide_load(b->wx + k));
        wide_store(b->wy + k, line[GRAIN_RIM + 1] * per_radius - wide_load(b->wy + k));
        wide_store(b->wz + k, line[GRAIN_RIM + 2] * per_radius - wide_load(b->wz + k));
    }
    b->single = -1;
    b->alike = false;
}

// ---- out of the batch ----------------------------------------------------------------------------
static inline Wide smooth_walls_power(const double (*before)[BATCH], int k, Wide x, Wide y, Wide z,
                                      const double *vx, const double *vy,
                                      const double *vz) { // twice that of the mean force
    Wide power = (x + wide_load(before[0] + k)) * wide_load(vx + k);
    power = power + (y + wide_load(before[1] + k)) * wide_load(vy + k);
    return power + (z + wide_load(before[2] + k)) * wide_load(vz + k);
}

// Adds powers and energies of vector k of the batch, as smooth_pairs_apply does.
static void smooth_walls_add_sums(ContactWork *work, int k, WideMask valid, Wide damping) {
    const ContactLaws *laws = &work->grains->laws;
    const ContactBatch *b = &work->batch;
    ContactSums *sums = &work->sums;
    Wide zero = wide_set(0), half = wide_set(0.5),
         overlap = wide_select(valid, wide_load(b->overlap + k), zero);
    if (laws->tangential) {
        Wide power = smooth_walls_power((const double(*)[BATCH])work->before, k, wide_load(b->fx + k),
                                        wide_load(b->fy + k), wide_load(b->fz + k), b->tx, b->ty, b->tz);
        sums->friction_power -= wide_sum(wide_select(valid, half * power, zero));
    }
    if (laws->rolling) {
        Wide power = smooth_walls_power((const double(*)[BATCH])work->rolled, k, wide_load(b->mx + k),
                                        wide_load(b->my + k), wide_load(b->mz + k), b->wx, b->wy, b->wz);
        sums->rolling_power -= wide_sum(wide_select(valid, half * power, zero));
    }
    if (laws->table.damped) {
        Wide power = half * (damping + wide_load(work->before[3] + k)) * wide_load(b->approach + k);
        sums->impact_power += wide_sum(wide_select(valid, power, zero));
    }
    sums->overlap = fmax(sums->overlap, wide_largest(overlap));
    sums->overlap_ratio = fmax(sums->overlap_ratio, wide_largest(overlap / wide_load(b->radius + k)));
    if (!work->measuring) return;
    sums->elastic += wide_sum(wide_select(valid, wide_load(b->energy + k), zero));
    if (laws->cohesion)
        sums->cohesion_energy += wide_sum(wide_select(valid, wide_load(b->pull_energy + k), zero));
    if (laws->tangential)
        sums->tangential_energy += wide_sum(wide_select(valid, wide_load(b->tangential_energy + k), zero));
    if (laws->rolling)
        sums->rolling_energy += wide_sum(wide_select(valid, wide_load(b->rolling_energy + k), zero));
}

static void smooth_walls_remember(const ContactWork *work, int k, double damping, WallTouch *touch) {
    const ContactLaws *laws = &work->grains->laws;
    const ContactBatch *b = &work->batch;
    touch->damping = (float)damping;
    if (laws->tangential) {
        touch->u[0] = b->ux[k], touch->u[1] = b->uy[k], touch->u[2] = b->uz[k];
        touch->force[0] = (float)b->fx[k], touch->force[1] = (float)b->fy[k],
        touch->force[2] = (float)b->fz[k];
    }
    if (laws->rolling) {
        touch->r[0] = b->rx[k], touch->r[1] = b->ry[k], touch->r[2] = b->rz[k];
        touch->moment[0] = (float)b->mx[k], touch->moment[1] = (float)b->my[k],
        touch->moment[2] = (float)b->mz[k];
    }
}

// What the surface of a belt does on the grain.
static double smooth_walls_belt_power(const ContactWork *work, int part, int k, Vec3 force) {
    const Quaternion turn = work->walls[part].orientation;
    Vec3 normal = {work->batch.nx[k], work->batch.ny[k], work->batch.nz[k]};
    Vec3 surface = grains_surface_velocity(work->grains->definition, part, quaternion_unrotate(turn, normal));
    return vec3_dot(force, quaternion_rotate(turn, surface));
}

// Applies contact k: `line` and the rolling moment to its grain, the reaction to the wall.
static void smooth_walls_apply(ContactWork *work, int k, WideLine line, const double moment[3], Load *loads) {
    Grains *g = work->grains;
    const ContactBatch *b = &work->batch;
    WallEntry *entry = &g->entries.data[work->slot[k]];
    _Alignas(64) double number[GRAIN_LINE];
    wide_line_store(number, line);
    Vec3 force = {number[0], number[1], number[2]}, rolling = {moment[0], moment[1], moment[2]};
    Vec3 lever = {work->lever[0][k], work->lever[1][k], work->lever[2][k]};
    Load *load = &loads[entry->part];
    if (grains_wall_is_belt(g->definition, entry->part))
        work->sums.belt_power += smooth_walls_belt_power(work, entry->part, k, force);
    load->force = vec3_sub(load->force, force);
    load->moment = vec3_sub(vec3_sub(load->moment, vec3_cross(lever, force)), rolling);
    if (work->sums.overlap_ratio > g->definition->contact.max_overlap && // too deep: keep which
        b->overlap[k] >= work->sums.overlap_ratio * b->radius[k])
        work->sums.overlap_i = entry->grain, work->sums.overlap_other = -1 - entry->part;
    double *forces = g->forces + (size_t)entry->grain * GRAIN_LINE;
    wide_line_store(forces, wide_line_add(wide_line_load(forces), line));
    for (int c = 0; c < 3 && g->laws.rolling; c++) g->moments[entry->grain * 4 + c] += moment[c];
    if (work->measuring) return;
    WallWear *wearing = &work->wearing[entry->part];
    if (g->laws.tangential)
        wearing->friction -=
            0.5 * ((b->fx[k] + work->before[0][k]) * b->tx[k] + (b->fy[k] + work->before[1][k]) * b->ty[k] +
                   (b->fz[k] + work->before[2][k]) * b->tz[k]);
    if (g->laws.table.damped) {
        double power = 0.5 * (b->normal[k] - b->spring[k] + work->before[3][k]) * b->approach[k];
        wearing->impact += power;
        entry->spent += g->step * power;
    }
    smooth_walls_remember(work, k, b->normal[k] - b->spring[k],
                          &g->wall_touches.data[entry->first + work->touch[k]]);
}

static void smooth_walls_process(ContactWork *work, Load *loads) {
    const ContactLaws *laws = &work->grains->laws;
    ContactBatch *b = &work->batch;
    if (b->count == 0) return;
    smooth_walls_pad(work);
    smooth_walls_fill(work);
    smooth_contacts_apply_laws(work);
    for (int k = 0; k < b->count; k += WIDE_LANES) {
        int lanes = b->count - k < WIDE_LANES ? b->count - k : WIDE_LANES;
        Wide nx = wide_load(b->nx + k), ny = wide_load(b->ny + k), nz = wide_load(b->nz + k);
        Wide zero = wide_set(0), fx = zero, fy = zero, fz = zero, normal = wide_load(b->normal + k);
        Wide lambda = wide_load(work->lambda + k);
        if (laws->tangential) fx = wide_load(b->fx + k), fy = wide_load(b->fy + k), fz = wide_load(b->fz + k);
        const Wide numbers[GRAIN_LINE] = {normal * nx + fx,
                                          normal * ny + fy,
                                          normal * nz + fz,
                                          lambda * (ny * fz - nz * fy),
                                          lambda * (nz * fx - nx * fz),
                                          lambda * (nx * fy - ny * fx),
                                          zero,
                                          zero};
        WideLine lines[WIDE_LANES];
        wide_lines_form(numbers, lines);
        smooth_walls_add_sums(work, k, wide_mask_first(lanes), normal - wide_load(b->spring + k));
        for (int l = 0; l < lanes; l++) {
            double moment[3] = {0};
            if (laws->rolling) moment[0] = b->mx[k + l], moment[1] = b->my[k + l], moment[2] = b->mz[k + l];
            smooth_walls_apply(work, k + l, lines[l], moment, loads);
        }
    }
    work->sums.wall_contacts += b->count;
    b->count = 0;
}

// ---- touching grains -----------------------------------------------------------------------------
static const WallTouch *smooth_walls_find_memory(const WallTouch *touches, int count, int32_t feature) {
    static const WallTouch nothing;
    for (int t = 0; t < count; t++)
        if (touches[t].feature == feature) return &touches[t];
    return &nothing;
}

// Keeps the contacts that touch, and those of before that still cohere.
static int smooth_walls_keep_held(const Grains *g, const WallEntry *entry, WallContact *contacts, int count) {
    const WallTouch *touches = g->wall_touches.data + entry->first;
    int row = (g->material_count + entry->part) * g->material_count + g->store.material[entry->grain],
        kept = 0;
    double range = laws_range(&g->laws, row, g->store.radius[entry->grain]);
    for (int c = 0; c < count; c++) {
        bool before = false;
        for (int t = 0; t < entry->count; t++) before = before || touches[t].feature == contacts[c].feature;
        if (contacts[c].gap <= 0 || (before && contacts[c].gap <= range)) contacts[kept++] = contacts[c];
    }
    return kept;
}

void smooth_walls_contacts(ContactWork *work, size_t from, size_t to, Load *loads) {
    Grains *g = work->grains;
    ContactBatch *b = &work->batch;
    Mat3 turned = mat3_identity(); // of the part of the last entry
    int part = -1;
    b->count = 0;
    for (size_t e = from; e < to; e++) {
        WallEntry *entry = &g->entries.data[e];
        const Motion *wall = &work->walls[entry->part];
        if (entry->part != part) part = entry->part, turned = quaternion_to_matrix(wall->orientation);
        const double *quad = g->position + (size_t)entry->grain * QUAD;
        Vec3 local = mat3_apply_transpose(turned, vec3_sub(vec3(quad[0], quad[1], quad[2]), wall->position));
        WallContact contacts[WALL_CONTACT_MAX];
        int count = wall_contacts_of_sphere(&g->definition->walls[part].shape, local, quad[3],
                                            g->neighbours.range, contacts);
        if (g->neighbours.range > 0) count = smooth_walls_keep_held(g, entry, contacts, count);
        int before = entry->count;
        if (count == 0 && before == 0) continue;
        if (b->count + count > BATCH) smooth_walls_process(work, loads);
        WallTouch *touches = g->wall_touches.data + entry->first, old[WALL_CONTACT_MAX];
        bool same = count <= before; // as a rule the same features in the same order
        for (int c = 0; c < count && same; c++) same = touches[c].feature == contacts[c].feature;
        if (!same) memcpy(old, touches, (size_t)before * sizeof *old);
        for (int c = 0; c < count; c++) {
            const WallTouch *memory =
                same ? &touches[c] : smooth_walls_find_memory(old, before, contacts[c].feature);
            smooth_walls_add_touch(work, e, c, &contacts[c], &turned, memory);
            if (!work->measuring) touches[c].feature = contacts[c].feature;
        }
        if (work->measuring) continue;
        entry->count = count;
        if ((count > 0) != (before > 0)) smooth_contacts_count(g, entry->grain, count > 0);
        if (count == 0) smooth_contacts_end_entry(g, entry);
    }
    smooth_walls_process(work, loads);
}
