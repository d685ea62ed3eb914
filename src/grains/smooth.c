// The smooth method: penalty forces (law_*.c) and symplectic Euler (DAMPER 2.1):
//
//     v(n+1) = v(n) + h f(x(n), v(n)) / m,      x(n+1) = x(n) + h v(n+1)
//
// How the work is kept small is told in engine.h.
#include <math.h>
#include <stdio.h>

#include "base/threads.h"
#include "grains/engine.h"
#include "grains/method.h"
#include "grains/sizing.h"

// ---- creation ------------------------------------------------------------------------------------
static RowShape shape_row(const ContactLaws *laws) {
    RowShape row = {.force = 3, .stiffness = laws->along_spring};
    row.damping = row.force + (laws->along_spring ? 1 : laws->tangential ? 3 : 0);
    row.rolling = row.damping + laws->table.damped;
    row.length = row.rolling + (laws->rolling ? 6 : 0);
    return row;
}

static MrcStatus create(Grains *g, const GrainsSetting *setting, MrcError *error) {
    size_t count = g->store.count;
    MrcStatus status = laws_create(&g->laws, g->definition, setting, error);
    if (status != MRC_OK) return status;
    g->near.row = shape_row(&g->laws);
    g->forces = memory_alloc(count * LINE * sizeof(double));
    if (g->laws.rolling) g->moments = memory_alloc(count * 4 * sizeof(double));
    if (!g->forces || (g->laws.rolling && !g->moments)) return error_memory(error, "the grains");
    status = neighbours_create(&g->neighbours, count, 0.2 * g->radius, error);
    return status == MRC_OK ? epoch_create(g, error) : status;
}

static void destroy(Grains *g) {
    laws_free(&g->laws);
    epoch_free(g);
}

// ---- the step ------------------------------------------------------------------------------------
// Rolling contacts turn a grain but do not push it.
static void roll(Grains *g, size_t i) {
    double *line = g->motion + i * LINE, turn = 2.5 * g->step * line[LINE_INVERSE_MASS] / line[LINE_RADIUS];
    for (int c = 0; c < 3; c++) {
        line[LINE_RIM + c] += turn * g->moments[i * 4 + (size_t)c];
        g->moments[i * 4 + (size_t)c] = 0;
    }
}

typedef struct Move { // the same for all grains
    WideLine per_force, fall;
    WideQuad step, frame;
    bool uniform, rolls;
} Move;

// Velocity and rim velocity of grain i after the kick: v += h (f/m + g), r w += h r (-r q + m)/I, I = 2/5 m
// r^2.
static inline void kick(Grains *g, size_t i, const Move *move) {
    double *line = g->motion + i * LINE, *forces = g->forces + i * LINE;
    WideLine motion = wide_line_add(wide_line_load(line), move->fall);
    if (!g->touches.data[i]) {
        wide_line_store(line, motion);
        return;
    }
    WideLine force = wide_line_load(forces), per_force = move->per_force;
    wide_line_store(forces, wide_line_zero());
    if (!move->uniform) {
        double push = g->step * line[LINE_INVERSE_MASS], turn = -2.5 * push;
        const _Alignas(64) double factors[LINE] = {push, push, push, turn, turn, turn, 0, 0};
        per_force = wide_line_load(factors);
    }
    wide_line_store(line, wide_line_fma(per_force, force, motion));
    if (move->rolls) roll(g, i);
}

// Position of grain i after the drift. Has it strayed further than it may? What is not a number has.
static inline bool drift(Grains *g, size_t i, const Move *move) {
    double *x = g->position + i * QUAD;
    WideQuad now = wide_quad_load(x) + move->step * wide_quad_load(g->motion + i * LINE);
    wide_quad_store(x, now);
    if (!g->met.data[i]) return false; // in free flight it goes no further than its reach allows
    WideQuad start = wide_quad_load(g->epoch.start + i * QUAD), strayed = now - (start + move->frame);
    strayed = strayed * strayed;
    return !(strayed[0] + strayed[1] + strayed[2] <= start[QUAD_REACH] * start[QUAD_REACH]);
}

static Move plan_move(const Grains *g) {
    Vec3 frame = epoch_displacement(g, g->epoch.velocity, g->epoch.steps + 1);
    double h = g->step, push = h * g->motion[LINE_INVERSE_MASS], turn = -2.5 * push;
    const _Alignas(64) double factors[LINE] = {push, push, push, turn, turn, turn, 0, 0};
    const _Alignas(64) double gain[LINE] = {
        h * g->gravity.x, h * g->gravity.y, h * g->gravity.z, 0, 0, 0, 0, 0};
    return (Move){.per_force = wide_line_load(factors),
                  .fall = wide_line_load(gain),
                  .step = {h, h, h, 0}, // the fourth number of a quad is the radius
                  .frame = {frame.x, frame.y, frame.z, 0},
                  .uniform = g->uniform,
                  .rolls = g->laws.rolling};
}

// Those of a layer that are not in free flight. Has a grain strayed?
static bool move_layer(Grains *g, const Move *move, int32_t layer) {
    bool strayed = false;
    for (size_t i = (size_t)g->layers.data[layer].grain; i < (size_t)g->layers.data[layer + 1].grain; i++) {
        if (!g->stepping.data[i]) continue;
        kick(g, i, move);
        strayed |= drift(g, i, move);
    }
    return strayed;
}

// The layers before and behind it, which may not be there.
static bool step_joint(Grains *g, const Motion *walls, const Move *move, int32_t joint) {
    int32_t odd = 2 * joint - 1, even = 2 * joint;
    bool strayed = false;
    if (odd >= 0 && odd < layers_count(g)) {
        contacts_of_layer(g, walls, false, odd);
        strayed |= move_layer(g, move, odd);
    }
    if (even < layers_count(g)) strayed |= move_layer(g, move, even);
    return strayed;
}

static bool step_alone(Grains *g, const Motion *walls, const Move *move) {
    bool strayed = false;
    for (int32_t even = 0; even < layers_evens(g); even++) {
        contacts_of_layer(g, walls, false, 2 * even);
        strayed |= step_joint(g, walls, move, even);
    }
    return strayed | step_joint(g, walls, move, layers_evens(g));
}

static bool step_in_team(Grains *g, const Motion *walls, const Move *move, int thread) {
    bool strayed = false;
    for (int32_t even; (even = joints_claim(&g->joints, thread)) >= 0;) {
        contacts_of_layer(g, walls, false, 2 * even);
        joints_even_done(&g->joints, even);
        for (int32_t joint = even; joint <= even + 1; joint++)
            if (joints_take(&g->joints, joint)) strayed |= step_joint(g, walls, move, joint);
    }
    for (int32_t joint; (joint = joints_find(&g->joints)) >= 0;) strayed |= step_joint(g, walls, move, joint);
    return strayed;
}

// Forces, then motion, layer by layer (layers.c).
static bool step_all(Grains *g, const Motion *walls) {
    const Move move = plan_move(g);
    if (g->threads == 1) return step_alone(g, walls, &move);
    bool strayed = false;
    joints_begin(&g->joints);
#pragma omp parallel num_threads(g->threads) reduction(| : strayed)
    strayed |= step_in_team(g, walls, &move, threads_current());
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

static MrcStatus advance(Grains *g, const Motion *walls, Load *loads, MrcError *error) {
    double h = g->step, power = 0;
    MrcStatus status = grains_prepare(g, walls, error);
    if (status != MRC_OK) return status;
    g->epoch.over = step_all(g, walls);
    Sums sums = contacts_sum(g, loads);
    g->largest_overlap = fmax(g->largest_overlap, sums.overlap_ratio);
    status = check_overlap(g, &sums, error);
    if (status != MRC_OK) return status;
    for (int w = 0; w < g->definition->wall_count; w++) power -= load_power(&loads[w], &walls[w]);
    g->work += h * power;
    g->input += h * fmax(power, 0);
    g->impact += h * sums.impact_power;
    g->friction += h * sums.friction_power;
    g->rolling += h * sums.rolling_power;
    g->epoch.steps++;
    g->steps++;
    return MRC_OK;
}

// ---- saving --------------------------------------------------------------------------------------
static void archive_near(Grains *g, Archive *archive) {
    Near *n = &g->near;
    size_t blocks = near_blocks(n->count), pairs = blocks * BLOCK;
    archive_int32s(archive, "near_i", n->i.data, pairs);
    archive_int32s(archive, "near_j", n->j.data, pairs);
    archive_bytes(archive, "touching", n->touching.data, blocks);
    archive_bytes(archive, "rows", n->rows.data, pairs * n->row.length * sizeof(float));
}

static void archive_epoch(Grains *g, Archive *archive) {
    Epoch *e = &g->epoch;
    Neighbours *n = &g->neighbours;
    size_t count = g->store.count, parts = (size_t)g->definition->wall_count;
    double *arrays[] = {n->x, n->y, n->z};
    const char *names[] = {"reference_x", "reference_y", "reference_z"};
    for (int k = 0; k < 3; k++) archive_doubles(archive, names[k], arrays[k], count);
    archive_doubles(archive, "start", e->start, count * QUAD);
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

static void archive(Grains *g, Archive *archive) {
    int64_t builds = g->neighbours.builds, epochs = g->epoch.count;
    archive_epoch(g, archive);
    if (g->epoch.count == 0) return; // nothing has happened yet
    bool same_lists = builds == g->neighbours.builds && epochs == g->epoch.count;
    bool renew = archive_is_loading(archive) && archive_status(archive, NULL) == MRC_OK && !same_lists;
    MrcError error;
    if (renew && epoch_find_pairs(g, &error) != MRC_OK)
        archive_fail(archive, error.status, "pairs", "%s", error.text);
    size_t entries = g->entries.count, near = g->near.count;
    archive_count(archive, "near_count", &near);
    if (!epoch_resize_near(g, near < g->near.count ? near : g->near.count, near))
        archive_fail(archive, MRC_MEMORY, "pairs", "no memory left");
    else archive_near(g, archive);
    archive_count(archive, "entry_count", &entries);
    if (!array_resize(&g->entries, entries)) archive_fail(archive, MRC_MEMORY, "entries", "no memory left");
    else archive_bytes(archive, "entries", g->entries.data, entries * sizeof *g->entries.data);
    size_t touches = g->wall_touches.count;
    archive_count(archive, "wall_touch_count", &touches);
    if (!array_resize(&g->wall_touches, touches))
        archive_fail(archive, MRC_MEMORY, "touches", "no memory left");
    else archive_bytes(archive, "wall_touches", g->wall_touches.data, touches * sizeof(WallTouch));
    if (renew && archive_status(archive, NULL) == MRC_OK && epoch_assign_records(g, &error) != MRC_OK)
        archive_fail(archive, error.status, "records", "%s", error.text);
    if (archive_is_loading(archive) && archive_status(archive, NULL) == MRC_OK) epoch_count_touches(g);
    archive_bytes(archive, "met", g->met.data, g->store.count);
}

// ---- the rest ------------------------------------------------------------------------------------
static void count(const Grains *g, GrainsCounts *counts) {
    counts->epochs = g->epoch.count;
    counts->early = g->epoch.early;
    counts->stepped = (double)g->stepped / (double)g->store.count;
    counts->near = g->near.count;
}

static double critical_step(const Grains *g) {
    double lightest = INFINITY, smallest = INFINITY, stiffest = 0;
    for (size_t i = 0; i < g->store.count; i++) {
        lightest = fmin(lightest, 1 / grain_inverse_mass(g, i));
        smallest = fmin(smallest, g->store.radius[i]);
    }
    if (g->laws.elastic_bodies) // stiffness grows with overlap: the wave through a grain limits
        return sizing_rayleigh_step(smallest, &g->materials[g->store.material[0]]);
    for (int row = 0; row < g->laws.table.count; row++)
        if (isfinite(
                g->laws.table.values[LAW_STIFFNESS][row])) // materials that are not in this bed may lack it
            stiffest = fmax(stiffest, g->laws.table.values[LAW_STIFFNESS][row]);
    return sizing_hart_step(lightest, stiffest);
}

// ---- settling ------------------------------------------------------------------------------------
static double smooth_settling_step(const Grains *g, double moment) {
    (void)moment;
    return 0.15 * critical_step(g);
}

// Grains in free flight are moved in closed form: their velocities may change when an epoch begins only.
static MrcStatus smooth_is_open(Grains *g, const Motion *walls, bool *open, MrcError *error) {
    MrcStatus status = grains_prepare(g, walls, error);
    *open = g->epoch.steps == 0;
    return status;
}

// The frame of the epoch that has just begun slows down with its grains.
static void smooth_slowed(Grains *g, double factor) {
    g->epoch.velocity = vec3_scale(factor, g->epoch.velocity);
}

const GrainsMethod method_smooth = {
    .choice = {.word = "smooth",
               .doc = "penalty method: grains overlap a little and springs push them apart"},
    .substeps = true,
    .settling = {smooth_settling_step, 1e-7, smooth_is_open, smooth_slowed},
    .needs_speed = smooth_needs_speed,
    .check = smooth_check,
    .check_effect = smooth_check_effect,
    .describe = smooth_describe,
    .steps = smooth_steps,
    .write_identity = smooth_write_identity,
    .create = create,
    .destroy = destroy,
    .advance = advance,
    .measure = measure_smooth,
    .archive = archive,
    .count = count,
    .critical_step = critical_step};
