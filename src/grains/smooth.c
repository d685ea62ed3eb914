// The smooth method: penalty forces (law_*.c) and symplectic Euler (DAMPER 2.1):
//
//     v(n+1) = v(n) + h f(x(n), v(n)) / m,      x(n+1) = x(n) + h v(n+1)
//
// How the work is kept small is told in engine.h.
#include <math.h>
#include <stdio.h>

#include "base/threads.h"
#include "grains/engine.h"
#include "grains/packing.h"
#include "grains/sizing.h"

// ---- creation ------------------------------------------------------------------------------------
// Grains are placed in the port's axes and start moving with it.
static void start_with_port(Grains *g, const Motion *port) {
    GrainStore *s = &g->store;
    Vec3 extra = g->definition->particles.velocity;
    double radii = 0;
    g->uniform = true;
    for (size_t i = 0; i < s->count; i++) {
        Vec3 world = motion_to_world(port, vec3(s->x[i], s->y[i], s->z[i]));
        Vec3 velocity = vec3_add(motion_velocity_at(port, world), extra);
        s->x[i] = world.x, s->y[i] = world.y, s->z[i] = world.z;
        s->vx[i] = velocity.x, s->vy[i] = velocity.y, s->vz[i] = velocity.z;
        s->wx[i] = port->angular_velocity.x, s->wy[i] = port->angular_velocity.y,
        s->wz[i] = port->angular_velocity.z;
        s->id[i] = (int32_t)i;
        g->mass += 1 / s->inverse_mass[i];
        radii += s->radius[i];
        g->uniform = g->uniform && s->radius[i] == s->radius[0] && s->inverse_mass[i] == s->inverse_mass[0] &&
                     s->material[i] == s->material[0];
    }
    g->least_radius = INFINITY;
    for (size_t i = 0; i < s->count; i++) g->least_radius = fmin(g->least_radius, s->radius[i]);
    g->radius = g->uniform ? s->radius[0] : radii / (double)s->count;
}

static MrcStatus create(Grains *g, const GrainsSetting *setting, MrcError *error) {
    const GrainsDefinition *d = g->definition;
    MrcStatus status = laws_create(&g->laws, d, setting, error);
    Vec3 up = quaternion_unrotate(setting->port->orientation, vec3_neg(g->gravity));
    if (status == MRC_OK)
        status = packing_create(d, setting->materials, setting->material_count, up, &g->store, error);
    if (status == MRC_OK) status = store_create(&g->view, g->store.count, error);
    if (status != MRC_OK) return status;
    start_with_port(g, setting->port);
    status = neighbours_create(&g->neighbours, g->store.count, 0.2 * g->radius, error);
    if (status == MRC_OK) status = epoch_create(g, error);
    if (status == MRC_OK && !array_resize(&g->measured, (size_t)d->wall_count))
        status = error_memory(error, "the walls");
    return status;
}

MrcStatus grains_create(const GrainsDefinition *definition, const GrainsSetting *setting, Grains **out,
                        MrcError *error) {
    Grains *g = memory_alloc(sizeof *g);
    *out = NULL;
    if (!g) return error_memory(error, "the grains");
    g->definition = definition;
    g->gravity = setting->gravity;
    g->step = setting->step;
    g->materials = setting->materials;
    g->material_count = setting->material_count;
    g->view_step = -1;
    MrcStatus status = create(g, setting, error);
    if (status == MRC_OK) status = grains_check_lost(g, setting->walls, error);
    if (status != MRC_OK) grains_destroy(g);
    else *out = g;
    return status;
}

void grains_destroy(Grains *g) {
    if (!g) return;
    laws_free(&g->laws);
    store_free(&g->store);
    store_free(&g->view);
    neighbours_free(&g->neighbours);
    epoch_free(g);
    array_free(&g->measured);
    memory_free(g);
}

void grains_set_mobility(Grains *g, const double (*mobility)[6][6]) { g->mobility = mobility; }

// ---- the step ------------------------------------------------------------------------------------
// Adds up the records of the grain at place k of `stepped` into lane l of force and moment.
typedef struct Forces {
    _Alignas(64) double force[3][WIDE_LANES], moment[3][WIDE_LANES];
} Forces;

static inline void add_records(const Grains *g, size_t k, int l, Forces *forces) {
    static const _Alignas(64) double side[2][RECORD] = {{1, 1, 1, 1, 1, 1, 0, 0},
                                                        {-1, -1, -1, 1, 1, 1, 0, 0}};
    double sum[RECORD], wall_sum[6] = {0}, rolling[3] = {0};
    WideRow rows;
    memset(&rows, 0, sizeof rows);
    const int32_t *member = g->member.data, from = g->first.data[k], to = g->first.data[k + 1];
    const uint8_t *touching = g->near.touching.data;
    // Records of pairs that do not touch are zero: adding them costs less than asking.
    for (int32_t m = from; m < to; m++) {
        size_t row = (size_t)member[m] >> 1;
        const double *sign = side[member[m] & 1];
        if (row >= g->near.count) {
            if (!touching[row]) continue;
            const double *wall = g->wall_sums.data + (row - g->near.count) * WALL_SUM;
            for (int c = 0; c < 6; c++) wall_sum[c] += wall[c];
            for (int c = 0; c < 3; c++) rolling[c] += wall[6 + c];
            continue;
        }
        wide_row_add(&rows, sign, g->records.data + row * RECORD);
        if (g->laws.rolling)
            for (int c = 0; c < 3; c++)
                rolling[c] += sign[0] * (double)g->rollings.data[row * RECORD + (size_t)c];
    }
    memcpy(sum, &rows, sizeof sum);
    double arm = -g->store.radius[g->stepped.data[k]];
    for (int c = 0; c < 3; c++) {
        forces->force[c][l] = sum[c] + wall_sum[c];
        forces->moment[c][l] = arm * (sum[3 + c] + wall_sum[3 + c]) + rolling[c];
    }
}

// Kick and drift of the stepped ones among the grains from `from` on, one vector of them. Did one stray too
// far?
static inline bool move_grains(Grains *g, size_t from, size_t to, Vec3 frame) {
    GrainStore *s = &g->store;
    const Epoch *e = &g->epoch;
    Forces forces;
    unsigned bits = 0;
    for (size_t l = 0; l < WIDE_LANES && from + l < to; l++)
        bits |= (unsigned)(g->place.data[from + l] >= 0) << l;
    if (!bits) return false;
    memset(&forces, 0, sizeof forces);
    for (unsigned left = bits; left; left &= left - 1) {
        int l = __builtin_ctz(left);
        if (!g->touches.data[from + (size_t)l]) continue;
        add_records(g, (size_t)g->place.data[from + (size_t)l], l, &forces);
    }
    WideMask moves = wide_mask_from_bits(bits);
    Wide h = wide_set(g->step), radius = wide_load_unaligned(s->radius + from);
    Wide kick = h * wide_load_unaligned(s->inverse_mass + from),
         spin = wide_set(2.5) * kick / (radius * radius);
    double *position[3] = {s->x + from, s->y + from, s->z + from},
           *velocity[3] = {s->vx + from, s->vy + from, s->vz + from};
    double *turning[3] = {s->wx + from, s->wy + from, s->wz + from};
    const double *start[3] = {e->x + from, e->y + from, e->z + from};
    Wide strayed = wide_set(0), reach = wide_load_unaligned(e->reach + from);
    for (int c = 0; c < 3; c++) {
        Wide v = wide_load_unaligned(velocity[c]), x = wide_load_unaligned(position[c]);
        v = wide_fma(kick, wide_load(forces.force[c]), v) + wide_set(g->step * vec3_component(g->gravity, c));
        x = wide_fma(h, v, x);
        Wide w = wide_fma(spin, wide_load(forces.moment[c]), wide_load_unaligned(turning[c]));
        Wide d = x - wide_load_unaligned(start[c]) - wide_set(vec3_component(frame, c));
        strayed = wide_fma(d, d, strayed);
        wide_store_masked(velocity[c], moves, v);
        wide_store_masked(position[c], moves, x);
        wide_store_masked(turning[c], moves, w);
    }
    // What is not a number has strayed too.
    return wide_mask_any(wide_mask_and(moves, wide_mask_not(wide_less_equal(strayed, reach * reach))));
}

static bool move_stepped(Grains *g) {
    Vec3 frame = epoch_displacement(g, g->epoch.velocity, g->epoch.steps + 1);
    size_t chunks = (g->store.count + GRAIN_CHUNK - 1) / GRAIN_CHUNK;
    bool strayed = false;
#pragma omp parallel for schedule(static) reduction(|| : strayed) if (g->stepped.count > 4 * GRAIN_CHUNK)
    for (size_t c = 0; c < chunks; c++) {
        size_t to = (c + 1) * GRAIN_CHUNK < g->store.count ? (c + 1) * GRAIN_CHUNK : g->store.count;
        for (size_t i = c * GRAIN_CHUNK; i < to; i += WIDE_LANES)
            strayed = move_grains(g, i, to, frame) || strayed;
    }
    return strayed;
}

static MrcStatus check_overlap(const Grains *g, const Sums *sums, MrcError *error) {
    double limit = g->definition->contact.max_overlap;
    if (sums->overlap_ratio <= limit) return MRC_OK;
    char other[80];
    if (sums->overlap_other >= 0) snprintf(other, sizeof other, "grain %d", g->store.id[sums->overlap_other]);
    else snprintf(other, sizeof other, "%.60s", g->definition->walls[-1 - sums->overlap_other].name);
    return error_set(
        error, MRC_OVERLAP,
        "grains '%s': grain %d overlaps %s by %.3g of its radius, more than max_overlap = %g; use a larger "
        "contact stiffness or a smaller step",
        g->definition->name, g->store.id[sums->overlap_i], other, sums->overlap_ratio, limit);
}

MrcStatus grains_prepare(Grains *g, const Motion *walls, MrcError *error) {
    Epoch *e = &g->epoch;
    if (e->count > 0 && e->steps < e->length && !e->over && !epoch_walls_strayed(g, walls)) return MRC_OK;
    if (e->count > 0) epoch_end(g);
    e->over = false;
    MrcStatus status = epoch_begin(g, walls, error);
    return status == MRC_OK ? grains_check_lost(g, walls, error) : status;
}

MrcStatus grains_advance(Grains *g, const Motion *walls, Load *loads, MrcError *error) {
    double h = g->step, power = 0;
    MrcStatus status = grains_prepare(g, walls, error);
    if (status != MRC_OK) return status;
    Sums sums = contacts_forces(g, walls, loads, false);
    g->largest_overlap = fmax(g->largest_overlap, sums.overlap_ratio);
    status = check_overlap(g, &sums, error);
    if (status != MRC_OK) return status;
    for (int w = 0; w < g->definition->wall_count; w++) power -= load_power(&loads[w], &walls[w]);
    g->work += h * power;
    g->input += h * fmax(power, 0);
    g->impact += h * sums.impact_power;
    g->friction += h * sums.friction_power;
    g->rolling += h * sums.rolling_power;
    g->epoch.over = move_stepped(g);
    g->epoch.steps++;
    g->steps++;
    return MRC_OK;
}

// ---- saving --------------------------------------------------------------------------------------
static void archive_near(Grains *g, Archive *archive) {
    Near *n = &g->near;
    archive_bytes(archive, "touching", n->touching.data, n->count + g->entries.count);
    archive_bytes(archive, "records", g->records.data, n->count * RECORD * sizeof(float));
    if (g->laws.tangential) archive_doubles(archive, "u", n->u.data, n->count * MEMORY);
    if (g->laws.rolling) archive_doubles(archive, "r", n->r.data, n->count * MEMORY);
    if (g->laws.rolling)
        archive_bytes(archive, "rollings", g->rollings.data, n->count * RECORD * sizeof(float));
}

static void archive_epoch(Grains *g, Archive *archive) {
    Epoch *e = &g->epoch;
    Neighbours *n = &g->neighbours;
    size_t count = g->store.count, parts = (size_t)g->definition->wall_count;
    double *arrays[] = {e->x, e->y, e->z, e->reach, n->x, n->y, n->z};
    const char *names[] = {"epoch_x",     "epoch_y",     "epoch_z",    "reach",
                           "reference_x", "reference_y", "reference_z"};
    for (int k = 0; k < 7; k++) archive_doubles(archive, names[k], arrays[k], count);
    archive_bytes(archive, "wall_start", e->wall_start, parts * sizeof *e->wall_start);
    archive_doubles(archive, "wall_reach", e->wall_reach, parts);
    double numbers[] = {e->velocity.x, e->velocity.y, e->velocity.z, e->drift.x, e->drift.y,
                        e->drift.z,    e->span,       e->ease,       e->caution, n->skin};
    int64_t counts[] = {e->steps, e->length, e->over, e->count, e->early, n->builds, g->steps, g->last_build};
    archive_doubles(archive, "epoch_numbers", numbers, sizeof numbers / sizeof *numbers);
    archive_int64s(archive, "epoch_counts", counts, sizeof counts / sizeof *counts);
    e->velocity = vec3(numbers[0], numbers[1], numbers[2]);
    e->drift = vec3(numbers[3], numbers[4], numbers[5]);
    e->span = numbers[6], e->ease = numbers[7], e->caution = numbers[8], n->skin = numbers[9];
    e->steps = counts[0], e->length = counts[1], e->over = counts[2], e->count = counts[3],
    e->early = counts[4];
    n->builds = counts[5], g->steps = counts[6], g->last_build = counts[7];
}

void grains_archive(Grains *g, Archive *archive) {
    double sums[] = {g->work, g->input, g->impact, g->friction, g->rolling, g->largest_overlap};
    int64_t builds = g->neighbours.builds, epochs = g->epoch.count;
    archive_doubles(archive, "sums", sums, sizeof sums / sizeof *sums);
    g->work = sums[0], g->input = sums[1], g->impact = sums[2], g->friction = sums[3], g->rolling = sums[4];
    g->largest_overlap = sums[5];
    store_archive(&g->store, archive);
    archive_epoch(g, archive);
    g->view_step = -1;
    if (g->epoch.count == 0) return; // nothing has happened yet
    bool same_lists = builds == g->neighbours.builds && epochs == g->epoch.count;
    bool renew = archive_is_loading(archive) && archive_status(archive, NULL) == MRC_OK && !same_lists;
    MrcError error;
    if (renew && epoch_find_pairs(g, &error) != MRC_OK)
        archive_fail(archive, error.status, "pairs", "%s", error.text);
    size_t entries = g->entries.count;
    archive_count(archive, "entry_count", &entries);
    if (!array_resize(&g->entries, entries)) archive_fail(archive, MRC_MEMORY, "entries", "no memory left");
    else archive_bytes(archive, "entries", g->entries.data, entries * sizeof *g->entries.data);
    if (renew && archive_status(archive, NULL) == MRC_OK && epoch_assign_records(g, &error) != MRC_OK)
        archive_fail(archive, error.status, "records", "%s", error.text);
    archive_near(g, archive);
    if (archive_is_loading(archive) && archive_status(archive, NULL) == MRC_OK) epoch_count_touches(g);
}

// ---- the rest ------------------------------------------------------------------------------------
size_t grains_count(const Grains *g) { return g->store.count; }
double grains_mass(const Grains *g) { return g->mass; }

GrainsCounts grains_counts(const Grains *g) {
    return (GrainsCounts){.steps = g->steps,
                          .lists = g->neighbours.builds,
                          .epochs = g->epoch.count,
                          .early = g->epoch.early,
                          .stepped = (double)g->stepped.count / (double)g->store.count,
                          .pairs = g->neighbours.index.count,
                          .near = g->near.count,
                          .skin = g->neighbours.skin};
}

double grains_critical_step(const Grains *g) {
    double lightest = INFINITY, smallest = INFINITY, stiffest = 0;
    for (size_t i = 0; i < g->store.count; i++) {
        lightest = fmin(lightest, 1 / g->store.inverse_mass[i]);
        smallest = fmin(smallest, g->store.radius[i]);
    }
    if (g->definition->contact.normal ==
        NORMAL_HERTZ) // stiffness grows with overlap: the wave through a grain limits
        return sizing_rayleigh_step(smallest, &g->materials[g->store.material[0]]);
    for (int row = 0; row < g->laws.table.count; row++)
        stiffest = fmax(stiffest, g->laws.table.values[LAW_STIFFNESS][row]);
    return sizing_hart_step(lightest, stiffest);
}
