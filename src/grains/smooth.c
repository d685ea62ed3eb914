// The smooth method: penalty forces (law_*.c) and symplectic Euler:
//
//     v(n+1) = v(n) + h f(x(n), v(n)) / m,      x(n+1) = x(n) + h v(n+1)
//
// How the work is kept small: engine.h. Source of symplectic Euler: doi:10.3390/pr10071247, 2.1.
#include <math.h>
#include <stdio.h>

#include "base/threads.h"
#include "grains/archive_check.h"
#include "grains/change.h"
#include "grains/engine.h"
#include "grains/forms.h"
#include "grains/grain_sizes.h"
#include "grains/method.h"
#include "grains/smooth_shapes.h"

// ---- creation ------------------------------------------------------------------------------------
static MemoryLayout smooth_memory_layout(const ContactLaws *laws, bool spectra) {
    MemoryLayout row = {.force = 3, .stiffness = laws->along_spring};
    row.damping = row.force + (laws->along_spring ? 1 : laws->tangential ? 3 : 0);
    row.spent = row.damping + laws->table.damped;
    row.rolling = row.spent + (spectra ? 2 : 0);
    row.length = row.rolling + (laws->rolling ? 6 : 0);
    return row;
}

// The memory of contacts of other shapes is in smooth_shapes_memory.c: here they have one number that stays zero.
static const MemoryLayout smooth_no_memory = {
    .damping = 1, .spent = 1, .rolling = 1, .length = 1, .stiffness = true};

// Of the grains that are there and that may come. Beds of files have no sizes to come.
static MrcStatus smooth_largest_radius(const Grains *g, double *largest, MrcError *error) {
    *largest = 0;
    for (size_t i = 0; i < g->store.count; i++) *largest = fmax(*largest, g->store.radius[i]);
    for (int k = 0; k < grains_kind_count(g->definition); k++) {
        SizeTable table;
        double least, most;
        MrcStatus status = grain_sizes_create(&table, grains_kind(g->definition, k), NULL);
        if (status == MRC_MEMORY) return error_memory(error, "the sizes of the grains");
        if (status != MRC_OK) continue;
        grain_sizes_range(&table, &least, &most);
        grain_sizes_free(&table);
        *largest = fmax(*largest, most);
    }
    return MRC_OK;
}

static MrcStatus smooth_create(Grains *g, const GrainsSetting *setting, MrcError *error) {
    size_t count = g->store.count;
    MrcStatus status = laws_create(&g->laws, g->definition, setting, error);
    if (status != MRC_OK) return status;
    status = smooth_shapes_create(g, error);
    if (status != MRC_OK) return status;
    g->near.row = g->shapes ? smooth_no_memory : smooth_memory_layout(&g->laws, g->spectra.per_decade > 0);
    g->force_capacity = count;
    g->forces = memory_alloc((count + 1) * GRAIN_LINE * sizeof(double));
    if (g->laws.rolling) g->moments = memory_alloc((count + 1) * 4 * sizeof(double));
    if (!g->forces || (g->laws.rolling && !g->moments)) return error_memory(error, "the grains");
    status = neighbours_create(&g->neighbours, count, 0.2 * g->radius, &g->periodic, error);
    double largest = 0;
    if (status == MRC_OK) status = smooth_largest_radius(g, &largest, error);
    g->neighbours.range = laws_longest_range(&g->laws, largest);
    return status == MRC_OK ? pruning_create(g, error) : status;
}

static void smooth_destroy(Grains *g) {
    laws_free(&g->laws);
    smooth_shapes_free(g);
    pruning_free(g);
}

// ---- a changing number of grains -----------------------------------------------------------------
static MrcStatus smooth_resize(Grains *g, size_t before, MrcError *error) {
    size_t capacity = g->store.capacity;
    bool ready = true;
    if (capacity > g->force_capacity) { // forces are zero between steps
        ready = memory_enlarge((void **)&g->forces, before * GRAIN_LINE * sizeof(double),
                               capacity * GRAIN_LINE * sizeof(double));
        if (ready && g->laws.rolling)
            ready = memory_enlarge((void **)&g->moments, before * 4 * sizeof(double),
                                   capacity * 4 * sizeof(double));
        if (ready) g->force_capacity = capacity;
    }
    return ready ? pruning_resize(g, before, error) : error_memory(error, "the grains");
}

static void smooth_leave_walls(Grains *g, const int32_t *place) {
    size_t kept = 0;
    for (size_t k = 0; k < g->entries.count; k++) {
        WallEntry entry = g->entries.data[k];
        entry.grain = place[entry.grain];
        if (entry.grain >= 0) g->entries.data[kept++] = entry;
        else if (entry.count > 0) smooth_contacts_end_entry(g, &entry);
    }
    g->entries.count = kept;
}

// As before the first step.
static void smooth_forget(Grains *g) {
    g->near.count = g->entries.count = g->wall_touches.count = g->stepped = 0;
    if (g->shapes) smooth_shapes_clear(g);
}

static MrcStatus smooth_change(Grains *g, const GrainsChange *change, const int32_t *place,
                               const Motion *walls, MrcError *error) {
    size_t kept = 0;
    if (g->pruning.count > 0) {
        pruning_arrive(g);
        if (g->shapes && !smooth_shapes_take_out(g)) return error_memory(error, "the contacts");
        kept = contact_memory_leave(g, contact_memory_take_out(g), place);
        smooth_leave_walls(g, place);
    }
    MrcStatus status = change_grains(g, change, place, error);
    if (status != MRC_OK) return status;
    if (g->store.count > 0) return pruning_begin_anew(g, walls, kept, error);
    g->pruning.count = g->pruning.steps = 0;
    smooth_forget(g);
    return MRC_OK;
}

// ---- the step ------------------------------------------------------------------------------------
// Rolling contacts turn a grain but do not push it.
static void smooth_roll(Grains *g, size_t i) {
    double *line = g->motion + i * GRAIN_LINE,
           turn = 2.5 * g->step * line[GRAIN_INVERSE_MASS] / line[GRAIN_RADIUS];
    for (int c = 0; c < 3; c++) {
        line[GRAIN_RIM + c] += turn * g->moments[i * 4 + (size_t)c];
        g->moments[i * 4 + (size_t)c] = 0;
    }
}

typedef struct StepConstants { // the same for all grains
    WideLine per_impulse;      // gain of the motion per force on a grain, times its mass
    WideLine per_force;        // the same of one grain, where all are uniform
    WideLine fall;
    WideQuad step, frame;
    bool uniform, rolls, turns;
} StepConstants;

// Orientation of grain i after the step, which turns it by t = h w:
//
//     q' = cos(|t|/2) q + sin(|t|/2)/|t| (0, t) q
//     (0, t) q = t_x (-x, w, -z, y) + t_y (-y, z, w, -x) + t_z (-z, -y, x, w)
//
// with the first two terms of cosine and sine: angles per step are small. pruning.c makes it a unit quaternion again.
// Grains that touch nothing have a constant spin and are turned later, by all steps at once. With exact functions for
// every grain in every step the moving box of 151 grains took four times as long; this way it takes a fiftieth longer.
static inline void smooth_turn(Grains *g, size_t i) {
    const double *line = g->motion + i * GRAIN_LINE, per_rim = g->step / line[GRAIN_RADIUS];
    double tx = per_rim * line[GRAIN_RIM], ty = per_rim * line[GRAIN_RIM + 1],
           tz = per_rim * line[GRAIN_RIM + 2];
    double square = tx * tx + ty * ty + tz * tz, cosine = 1 - square / 8, sine = 0.5 - square / 48;
    WideQuad q = wide_quad_load(g->orientation + i * QUAD);
    WideQuad turned = tx * (__builtin_shufflevector(q, q, 1, 0, 3, 2) * (WideQuad){-1, 1, -1, 1});
    turned += ty * (__builtin_shufflevector(q, q, 2, 3, 0, 1) * (WideQuad){-1, 1, 1, -1});
    turned += tz * (__builtin_shufflevector(q, q, 3, 2, 1, 0) * (WideQuad){-1, -1, 1, 1});
    wide_quad_store(g->orientation + i * QUAD, cosine * q + sine * turned);
    g->turned.data[i] = (uint16_t)(g->pruning.steps + 1);
}

// Before its spin changes, a grain is turned by the steps in which nothing touched it.
static inline void smooth_turn_late(Grains *g, size_t i) {
    int64_t late = g->pruning.steps - g->turned.data[i];
    if (late > 0) grain_turn(g, i, grain_spin(g, i), (double)late * g->step);
}

static inline WideLine smooth_line_scale(double factor, WideLine line) {
    for (int k = 0; k < WIDE_ROW / WIDE_LANES; k++) line.part[k] = wide_set(factor) * line.part[k];
    return line;
}

// A grain that is touched: v += h (f/m + g), r w += h r (-r q + m)/I, I = 2/5 m r^2; it turns with its new spin.
static inline void smooth_kick(Grains *g, size_t i, const StepConstants *move, double *line, double *forces) {
    if (move->turns) smooth_turn_late(g, i);
    WideLine motion = wide_line_add(wide_line_load(line), move->fall);
    WideLine force = wide_line_load(forces), per_force = move->per_force;
    wide_line_store(forces, wide_line_zero());
    if (!move->uniform) per_force = smooth_line_scale(line[GRAIN_INVERSE_MASS], move->per_impulse);
    wide_line_store(line, wide_line_fma(per_force, force, motion));
    if (move->rolls) smooth_roll(g, i);
    if (move->turns) smooth_turn(g, i);
}

// Has grain i moved further than its reach, or is its place not a number?
static inline bool smooth_has_strayed(const double *start_quad, WideQuad now, WideQuad frame) {
    WideQuad start = wide_quad_load(start_quad), strayed = now - (start + frame);
    strayed = strayed * strayed;
    return !(strayed[0] + strayed[1] + strayed[2] <= start[QUAD_REACH] * start[QUAD_REACH]);
}

static StepConstants smooth_plan_move(const Grains *g) {
    Vec3 frame = pruning_displacement(g, g->pruning.velocity, g->pruning.steps + 1);
    double h = g->step, turn = -2.5 * h;
    const _Alignas(64) double factors[GRAIN_LINE] = {h, h, h, turn, turn, turn, 0, 0};
    const _Alignas(64) double gain[GRAIN_LINE] = {
        h * g->gravity.x, h * g->gravity.y, h * g->gravity.z, 0, 0, 0, 0, 0};
    WideLine per_impulse = wide_line_load(factors);
    return (StepConstants){.per_impulse = per_impulse,
                           .per_force = smooth_line_scale(g->motion[GRAIN_INVERSE_MASS], per_impulse),
                           .fall = wide_line_load(gain),
                           .step = {h, h, h, 0}, // the fourth number of a quad is the radius
                           .frame = {frame.x, frame.y, frame.z, 0},
                           .uniform = g->uniform,
                           .rolls = g->laws.rolling,
                           .turns = g->orientation};
}

// Kick and drift of those of a layer that are not in free flight. Has a grain strayed?
static bool smooth_move_layer(Grains *g, const StepConstants *constants, int32_t layer) {
    bool strayed = false;
    size_t from = (size_t)g->layers.data[layer].grain, to = (size_t)g->layers.data[layer + 1].grain;
    if (g->shapes)
        return smooth_shapes_move(g, from, to,
                                  pruning_displacement(g, g->pruning.velocity, g->pruning.steps + 1));
    // Vector stores may alias anything: without copies, all of this would be loaded again for every grain.
    const StepConstants move = *constants;
    const uint8_t *stepping = g->stepping.data, *met = g->met.data;
    const uint16_t *touches = g->touches.data;
    const double *start = g->pruning.start;
    double *motion = g->motion, *position = g->position, *forces = g->forces;
    for (size_t i = from; i < to; i++) {
        double *line = motion + i * GRAIN_LINE, *x = position + i * QUAD;
        if (!stepping[i]) continue;
        if (touches[i]) smooth_kick(g, i, &move, line, forces + i * GRAIN_LINE);
        else wide_line_store(line, wide_line_add(wide_line_load(line), move.fall));
        WideQuad now = wide_quad_load(x) + move.step * wide_quad_load(line);
        wide_quad_store(x, now);
        // In free flight it goes no further than its reach allows.
        if (met[i]) strayed |= smooth_has_strayed(start + i * QUAD, now, move.frame);
    }
    return strayed;
}

// Task odd `number`: layers 2 number - 1 and 2 number, as far as they exist.
static bool smooth_step_odd(Grains *g, const Motion *walls, const StepConstants *move, int32_t number) {
    int32_t odd = 2 * number - 1, even = 2 * number;
    bool strayed = false;
    if (odd >= 0 && odd < layers_count(g)) {
        smooth_contacts_of_layer(g, walls, false, odd);
        strayed |= smooth_move_layer(g, move, odd);
    }
    if (even < layers_count(g)) strayed |= smooth_move_layer(g, move, even);
    return strayed;
}

static bool smooth_step_alone(Grains *g, const Motion *walls, const StepConstants *move) {
    bool strayed = false;
    for (int32_t even = 0; even < layers_evens(g); even++) {
        smooth_contacts_of_layer(g, walls, false, 2 * even);
        strayed |= smooth_step_odd(g, walls, move, even);
    }
    return strayed | smooth_step_odd(g, walls, move, layers_evens(g));
}

static bool smooth_step_in_team(Grains *g, const Motion *walls, const StepConstants *move, int thread) {
    bool strayed = false;
    for (int32_t even; (even = even_odd_claim_even(&g->even_odd, thread)) >= 0;) {
        smooth_contacts_of_layer(g, walls, false, 2 * even);
        even_odd_finish_even(&g->even_odd, even);
        for (int32_t odd = even; odd <= even + 1; odd++)
            if (even_odd_claim_odd(&g->even_odd, odd)) strayed |= smooth_step_odd(g, walls, move, odd);
    }
    for (int32_t odd; (odd = even_odd_wait_for_odd(&g->even_odd)) >= 0;)
        strayed |= smooth_step_odd(g, walls, move, odd);
    return strayed;
}

// Forces, then motion, layer by layer (layers.c).
static bool smooth_step_all(Grains *g, const Motion *walls) {
    const StepConstants move = smooth_plan_move(g);
    if (g->threads == 1) return smooth_step_alone(g, walls, &move);
    bool strayed = false;
    even_odd_begin(&g->even_odd);
#pragma omp parallel num_threads(g->threads) reduction(| : strayed)
    strayed |= smooth_step_in_team(g, walls, &move, threads_current());
    return strayed;
}

static MrcStatus smooth_check_overlap(const Grains *g, const ContactSums *sums, MrcError *error) {
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

static bool smooth_is_due(const Grains *g, const Motion *walls) {
    const Pruning *e = &g->pruning;
    return e->count > 0 && (e->steps >= e->length || e->over || pruning_walls_strayed(g, walls));
}

MrcStatus smooth_prepare(Grains *g, const Motion *walls, MrcError *error) {
    Pruning *e = &g->pruning;
    if (e->count > 0 && !smooth_is_due(g, walls)) return MRC_OK;
    if (e->count > 0) pruning_end(g);
    e->over = false;
    MrcStatus status = pruning_begin(g, walls, error);
    return status == MRC_OK ? grains_check_lost(g, walls, error) : status;
}

static MrcStatus smooth_advance(Grains *g, const Motion *walls, Load *loads, MrcError *error) {
    double h = g->step, power = 0;
    if (g->store.count == 0) {
        memset(loads, 0, (size_t)g->definition->wall_count * sizeof *loads);
        g->steps++;
        return MRC_OK;
    }
    MrcStatus status = smooth_prepare(g, walls, error);
    if (status != MRC_OK) return status;
    g->pruning.over = smooth_step_all(g, walls);
    if (g->shapes && g->shapes->failed) return error_memory(error, "the contacts");
    ContactSums sums = smooth_contacts_sum(g, loads);
    smooth_contacts_wear(g);
    g->largest_overlap = fmax(g->largest_overlap, sums.overlap_ratio);
    status = smooth_check_overlap(g, &sums, error);
    if (status != MRC_OK) return status;
    for (int w = 0; w < g->definition->wall_count; w++) power -= load_power(&loads[w], &walls[w]);
    g->work += h * power;
    g->input += h * fmax(power, 0);
    g->belts += h * sums.belt_power;
    g->input += h * fmax(sums.belt_power, 0);
    g->impact += h * sums.impact_power;
    g->friction += h * sums.friction_power;
    g->rolling += h * sums.rolling_power;
    g->pruning.steps++;
    g->steps++;
    return MRC_OK;
}

// ---- saving --------------------------------------------------------------------------------------
static void smooth_archive_near(Grains *g, Archive *archive) {
    NearPairs *n = &g->near;
    size_t blocks = near_blocks(n->count), pairs = blocks * BLOCK;
    archive_int32s(archive, "near_i", n->i.data, pairs);
    archive_int32s(archive, "near_j", n->j.data, pairs);
    archive_bytes(archive, "touching", n->touching.data, blocks);
    archive_bytes(archive, "rows", n->rows.data, pairs * n->row.length * sizeof(float));
}

static void smooth_archive_pruning(Grains *g, Archive *archive) {
    Pruning *e = &g->pruning;
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
    archive_doubles(archive, "pruning_numbers", numbers, sizeof numbers / sizeof *numbers);
    archive_counts(archive, "pruning_counts", counts, sizeof counts / sizeof *counts);
    e->velocity = vec3(numbers[0], numbers[1], numbers[2]);
    e->drift = vec3(numbers[3], numbers[4], numbers[5]);
    e->span = numbers[6], e->ease = numbers[7], e->caution = numbers[8], n->skin = numbers[9];
    e->steps = counts[0], e->length = counts[1], e->over = counts[2], e->count = counts[3],
    e->early = counts[4];
    n->builds = counts[5], g->steps = counts[6], g->last_build = counts[7];
}

static void smooth_archive(Grains *g, Archive *archive) {
    int64_t builds = g->neighbours.builds, prunings = g->pruning.count;
    smooth_archive_pruning(g, archive);
    archive_check_pruning(g, archive);
    if (g->pruning.count == 0) { // nothing has happened yet
        if (archive_is_loading(archive)) smooth_forget(g);
        return;
    }
    bool same_lists = builds == g->neighbours.builds && prunings == g->pruning.count;
    bool renew = archive_is_loading(archive) && archive_status(archive, NULL) == MRC_OK && !same_lists;
    MrcError error;
    if (renew && pruning_find_pairs(g, &error) != MRC_OK)
        archive_fail(archive, error.status, "pairs", "%s", error.text);
    size_t entries = g->entries.count, near = g->near.count;
    archive_count(archive, "near_count", &near);
    if (!pruning_resize_near(g, near < g->near.count ? near : g->near.count, near))
        archive_fail(archive, MRC_MEMORY, "pairs", "no memory left");
    else smooth_archive_near(g, archive);
    archive_check_near(g, archive);
    archive_count(archive, "entry_count", &entries);
    if (!array_resize(&g->entries, entries)) archive_fail(archive, MRC_MEMORY, "entries", "no memory left");
    else archive_bytes(archive, "entries", g->entries.data, entries * sizeof *g->entries.data);
    size_t touches = g->wall_touches.count;
    archive_count(archive, "wall_touch_count", &touches);
    if (!array_resize(&g->wall_touches, touches))
        archive_fail(archive, MRC_MEMORY, "touches", "no memory left");
    else archive_bytes(archive, "wall_touches", g->wall_touches.data, touches * sizeof(WallTouch));
    archive_check_entries(g, archive);
    if (renew && archive_status(archive, NULL) == MRC_OK && pruning_assign_records(g, &error) != MRC_OK)
        archive_fail(archive, error.status, "records", "%s", error.text);
    if (archive_is_loading(archive) && archive_status(archive, NULL) == MRC_OK) {
        pruning_count_touches(g);
        if (!common_grain_mark(g)) archive_fail(archive, MRC_MEMORY, "pairs", "no memory left");
    }
    archive_bytes(archive, "met", g->met.data, g->store.count);
    if (g->orientation)
        archive_bytes(archive, "turned", g->turned.data, g->store.count * sizeof *g->turned.data);
    if (g->shapes && archive_status(archive, NULL) == MRC_OK) smooth_shapes_archive(g, archive);
}

// ---- the rest ------------------------------------------------------------------------------------
static void smooth_count(const Grains *g, GrainsCounts *counts) {
    counts->prunings = g->pruning.count;
    counts->early = g->pruning.early;
    counts->stepped = g->store.count ? (double)g->stepped / (double)g->store.count : 0;
    counts->near = g->near.count;
}

static double smooth_critical_step(const Grains *g) {
    double lightest = INFINITY, smallest = INFINITY, stiffest = 0;
    for (int k = 0; k < grains_kind_count(g->definition); k++) { // of their corners and parts
        const ParticlesDefinition *kind = grains_kind(g->definition, k);
        double shaking = forms_shaking(kind), finest = forms_finest_part(kind);
        for (size_t i = 0; i < g->store.count; i++) {
            if (g->store.kind && g->store.kind[i] != k) continue;
            lightest = fmin(lightest, 1 / grain_inverse_mass(g, i) / shaking);
            smallest = fmin(smallest, g->store.radius[i] * finest);
        }
    }
    if (g->laws.elastic_bodies) // stiffness grows with overlap: the wave through a grain limits
        return time_steps_rayleigh(smallest, &g->materials[g->store.material[0]]);
    for (int row = 0; row < g->laws.table.count; row++)
        // Materials that are not in this bed may have no value.
        if (isfinite(g->laws.table.values[LAW_STIFFNESS][row]))
            stiffest = fmax(stiffest, g->laws.table.values[LAW_STIFFNESS][row]);
    return time_steps_hart(lightest, stiffest);
}

// ---- settling ------------------------------------------------------------------------------------
static double smooth_settling_step(const Grains *g, double moment) {
    (void)moment;
    return 0.15 * smooth_critical_step(g);
}

// Grains in free flight are moved in closed form: velocities may be changed at a pruning only.
static MrcStatus smooth_is_open(Grains *g, const Motion *walls, bool *open, MrcError *error) {
    MrcStatus status = smooth_prepare(g, walls, error);
    *open = g->pruning.steps == 0;
    return status;
}

// The frame of the interval that has just begun slows down with its grains.
static void smooth_slowed(Grains *g, double factor) {
    g->pruning.velocity = vec3_scale(factor, g->pruning.velocity);
}

static const char *const smooth_unused[] = {"law",    "theta",  "activation", "recovery",
                                            "bounce", "solver", NULL};

const GrainsMethod method_smooth = {
    .choice = {.word = "smooth",
               .doc = "penalty method: grains overlap a little and springs push them apart"},
    .substeps = true,
    .unused = smooth_unused,
    .memory_per_grain = 1500,
    .checkpoint_per_grain = 450,
    .lag = 0.5,
    .settling = {smooth_settling_step, 1e-7, smooth_is_open, smooth_slowed},
    .needs_speed = smooth_needs_speed,
    .check = smooth_check,
    .check_effect = smooth_check_effect,
    .describe = smooth_describe,
    .steps = smooth_steps,
    .write_identity = smooth_write_identity,
    .create = smooth_create,
    .destroy = smooth_destroy,
    .advance = smooth_advance,
    .is_due = smooth_is_due,
    .measure = smooth_measure,
    .change = smooth_change,
    .resize = smooth_resize,
    .archive = smooth_archive,
    .count = smooth_count,
    .critical_step = smooth_critical_step};
