// Pruning of the neighbour lists: see engine.h.
#include <math.h>
#include <stdlib.h>

#include "base/threads.h"
#include "geometry/wall_faces.h"
#include "grains/smooth_shapes.h"

static const double pruning_ease_start = 0.03, pruning_ease_least = 0.01, pruning_ease_most = 0.3;
static const double pruning_ease_flowing = 0.04; // of beds that flow: see pruning_tune
static const double pruning_skin_most = 1.2;     // over the mean radius; below PERIODIC_LEAST/2 - 2
enum { pruning_longest = 400, pruning_short = 80 };

MrcStatus pruning_create(Grains *g, MrcError *error) {
    Pruning *e = &g->pruning;
    size_t count = g->store.count, parts = (size_t)g->definition->wall_count;
    *e = (Pruning){.ease = pruning_ease_start, .caution = 1, .capacity = count};
    e->start = memory_alloc((count + 16) * QUAD * sizeof(double));
    e->wall_start = memory_alloc(parts * sizeof *e->wall_start);
    e->wall_reach = memory_alloc(parts * sizeof *e->wall_reach);
    if (e->start && e->wall_start && e->wall_reach && array_resize(&g->stepping, count) &&
        array_resize(&g->turned, g->orientation ? count : 0))
        return MRC_OK;
    return error_memory(error, "the grains");
}

MrcStatus pruning_resize(Grains *g, size_t before, MrcError *error) {
    size_t count = g->store.count, capacity = g->store.capacity;
    bool ready = true;
    if (capacity > g->pruning.capacity) {
        ready = memory_enlarge((void **)&g->pruning.start, before * QUAD * sizeof(double),
                               (capacity + 16) * QUAD * sizeof(double));
        if (ready) g->pruning.capacity = capacity;
    }
    ready = ready && array_reserve(&g->stepping, capacity) && array_resize(&g->stepping, count) &&
            array_reserve(&g->touches, capacity + 16) && array_reserve(&g->met, capacity + 16);
    if (ready && g->orientation)
        ready = array_reserve(&g->turned, capacity) && array_resize(&g->turned, count);
    return ready ? MRC_OK : error_memory(error, "the grains");
}

void pruning_free(Grains *g) {
    Pruning *e = &g->pruning;
    memory_free(e->start);
    memory_free(e->wall_start);
    memory_free(e->wall_reach);
    NearPairs *n = &g->near;
    array_free(&n->i);
    array_free(&n->j);
    array_free(&n->touching);
    array_free(&n->odd);
    array_free(&g->common.odd);
    array_free(&n->rows);
    array_free(&g->entries);
    array_free(&g->entries_before);
    array_free(&g->wall_touches);
    array_free(&g->wall_touches_before);
    array_free(&g->pair_order);
    layers_free(g);
    memory_free(g->forces);
    memory_free(g->moments);
    array_free(&g->stepping);
    array_free(&g->kept);
    array_free(&g->touches);
    array_free(&g->met);
    array_free(&g->turned);
    array_free(&g->sums);
    array_free(&g->loads);
    array_free(&g->wearing);
}

// Symplectic Euler under gravity alone: v(n) = v + n h g, x(n) = x + n h v + h^2 g n (n + 1)/2.
Vec3 pruning_displacement(const Grains *g, Vec3 velocity, int64_t steps) {
    double n = (double)steps, h = g->step;
    return vec3_madd(vec3_scale(n * h, velocity), 0.5 * h * h * n * (n + 1), g->gravity);
}

// ---- planning: length of the interval, reaches ---------------------------------------------------
// Mean velocity, and mean square and largest speed against it. Sums are made over chunks.
static Vec3 pruning_bed_motion(Grains *g, double *mean_square, double *largest) {
    size_t count = g->store.count, chunks = (count + GRAIN_CHUNK - 1) / GRAIN_CHUNK;
    double *part = g->neighbours.scratch; // three numbers of each chunk
    Vec3 mean = {0};
#pragma omp parallel for schedule(static) if (count > 2000)
    for (size_t c = 0; c < chunks; c++) {
        Vec3 sum = {0};
        for (size_t i = c * GRAIN_CHUNK; i < count && i < (c + 1) * GRAIN_CHUNK; i++)
            sum = vec3_add(sum, grain_velocity(g, i));
        part[3 * c] = sum.x, part[3 * c + 1] = sum.y, part[3 * c + 2] = sum.z;
    }
    for (size_t c = 0; c < chunks; c++)
        mean = vec3_add(mean, vec3(part[3 * c], part[3 * c + 1], part[3 * c + 2]));
    mean = vec3_scale(1 / (double)count, mean);
#pragma omp parallel for schedule(static) if (count > 2000)
    for (size_t c = 0; c < chunks; c++) {
        double sum = 0, most = 0;
        for (size_t i = c * GRAIN_CHUNK; i < count && i < (c + 1) * GRAIN_CHUNK; i++) {
            double c2 = vec3_norm2(vec3_sub(grain_velocity(g, i), mean));
            sum += c2;
            most = fmax(most, c2);
        }
        part[2 * c] = sum, part[2 * c + 1] = most;
    }
    double sum = 0, most = 0;
    for (size_t c = 0; c < chunks; c++) sum += part[2 * c], most = fmax(most, part[2 * c + 1]);
    *mean_square = sum / (double)count;
    *largest = sqrt(most);
    return mean;
}

static MrcStatus pruning_check_finite(const Grains *g, MrcError *error) {
    const GrainStore *s = &g->store;
    for (size_t i = 0; i < s->count; i++) {
        double sum = 0;
        for (int c = 0; c < 3; c++) sum += g->position[i * QUAD + (size_t)c];
        for (int c = 0; c < 6; c++) sum += g->motion[i * GRAIN_LINE + (size_t)c];
        if (!isfinite(sum))
            return error_set(error, MRC_NOT_FINITE,
                             "grains '%s': the motion of grain %d is not a number any more",
                             g->definition->name, s->id[i]);
    }
    return MRC_OK;
}

static MrcStatus pruning_plan(Grains *g, MrcError *error) {
    Pruning *e = &g->pruning;
    const GrainStore *s = &g->store;
    double mean_square, fastest, h = g->step;
    e->velocity = pruning_bed_motion(g, &mean_square, &fastest);
    if (!isfinite(mean_square)) return pruning_check_finite(g, error);
    double margin = 1.2 * e->caution, typical = sqrt(mean_square);
    double allowed = e->ease * g->radius; // reach of a typical grain
    double length = allowed / (margin * typical * h + 1e-300);
    // The fastest must stay well inside the skin; its reach then decides.
    length = fmin(length, 0.4 * g->neighbours.skin / (margin * fastest * h + 1e-300));
    // Limits how far a grain gets beyond a periodic boundary before it is put back.
    if (g->periodic.any)
        length = fmin(length, 0.5 * g->radius / ((fastest + vec3_norm(e->velocity)) * h + 1e-300));
    e->length = length >= pruning_longest ? pruning_longest : length < 1 ? 1 : (int64_t)length;
    // Slow grains get a part of the reach of a typical grain, because a neighbour may hit them.
    double per_step = margin * h * (double)e->length, least = fmax(0.5 * per_step * typical, 1e-4 * allowed);
#pragma omp parallel for schedule(static) if (s->count > 2000)
    for (size_t i = 0; i < s->count; i++) {
        double c = vec3_norm(vec3_sub(grain_velocity(g, i), e->velocity));
        e->start[i * QUAD + QUAD_REACH] = fmax(per_step * c, least);
    }
    return MRC_OK;
}

// Will every grain stay within half a skin of where it was when the lists were made?
static bool pruning_lists_suffice(const Grains *g) {
    const Neighbours *n = &g->neighbours;
    const Pruning *e = &g->pruning;
    const GrainStore *s = &g->store;
    bool good = n->builds > 0;
#pragma omp parallel for schedule(static) reduction(&& : good) if (good && s->count > 2000)
    for (size_t i = 0; i < s->count; i++) {
        if (!good) continue;
        Vec3 moved = vec3_sub(vec3_sub(grain_center(g, i), vec3(n->x[i], n->y[i], n->z[i])), e->drift);
        moved = periodic_nearest(&g->periodic, moved);
        double left = 0.5 * n->skin - e->start[i * QUAD + QUAD_REACH];
        good = left >= 0 && vec3_norm2(moved) <= left * left;
    }
    return good;
}

// ---- which pairs may touch -----------------------------------------------------------------------
// Marks the neighbours of grain i that may touch it until the next pruning. Returns their number.
static size_t pruning_mark_grain(const Grains *g, size_t i, uint8_t *kept) {
    const Neighbours *n = &g->neighbours;
    const double *radius = g->store.radius;
    int32_t own[WIDE_LANES], end = n->start.data[i + 1];
    size_t found = 0;
    for (int k = 0; k < WIDE_LANES; k++) own[k] = (int32_t)i;
    for (int32_t p = n->start.data[i], place = 0; p < end; p += WIDE_LANES, place += WIDE_LANES) {
        int32_t other[WIDE_LANES];
        for (int k = 0; k < WIDE_LANES; k++) other[k] = p + k < end ? n->index.data[p + k] : (int32_t)i;
        Wide d[QUAD], radii = wide_set(2 * g->radius);
        wide_quads_compare(g->pruning.start, own, other, d);
        if (g->periodic.any) periodic_nearest_wide(&g->periodic, d);
        if (!g->uniform) radii = wide_set(radius[i]) + wide_gather(radius, wide_index_load(other));
        Wide reach = radii + wide_set(n->range) + d[QUAD_REACH];
        WideMask near = wide_less(d[0] * d[0] + d[1] * d[1] + d[2] * d[2], reach * reach);
        unsigned bits = wide_mask_bits(wide_mask_and(near, wide_mask_first(end - p)));
        if (place % 8 == 0) kept[place / 8] = 0;
        kept[place / 8] |= (uint8_t)(bits << place % 8);
        found += (size_t)__builtin_popcount(bits);
    }
    return found;
}

bool pruning_resize_near(Grains *g, size_t kept, size_t count) {
    NearPairs *n = &g->near;
    size_t room = near_blocks(count) * BLOCK; // lanes behind the last pair repeat it, without its memory
    n->count = count;
    bool ready = RESIZE(&n->i, kept, room) && RESIZE(&n->j, kept, room);
    ready = ready && RESIZE(&n->rows, kept * n->row.length, room * n->row.length);
    return ready && array_resize(&n->touching, room / BLOCK);
}

// Makes the list of near pairs; the first `kept` places hold the touching ones of before (contact_memory.c).
static MrcStatus pruning_find_near(Grains *g, size_t kept, MrcError *error) {
    size_t grains = g->store.count, total = 0;
    if (!array_resize(&g->kept, pruning_kept(g, grains) + 1)) return error_memory(error, "the near pairs");
#pragma omp parallel for schedule(static) reduction(+ : total) if (grains > 2000)
    for (size_t i = 0; i < grains; i++) total += pruning_mark_grain(g, i, g->kept.data + pruning_kept(g, i));
    // The touching pairs are among the near ones, but for those that came apart in the very last step.
    if (!pruning_resize_near(g, kept, total > kept ? total : kept))
        return error_memory(error, "the near pairs");
    if (!pruning_resize_near(g, kept, total)) return error_memory(error, "the near pairs");
    contact_memory_put_back(g, kept);
    for (size_t s = total; s < g->near.i.count; s++) {
        g->near.i.data[s] = g->near.i.data[total - 1], g->near.j.data[s] = g->near.j.data[total - 1];
        near_clear_row(&g->near, s);
    }
    return MRC_OK;
}

// ---- which walls may be touched ------------------------------------------------------------------
// How far the part has moved against the frame since the last pruning: a bound for all points of the bed.
static double pruning_wall_strayed(const Grains *g, const Motion *wall, int part) {
    const Motion *start = &g->pruning.wall_start[part];
    Vec3 moved = vec3_sub(vec3_sub(wall->position, start->position),
                          pruning_displacement(g, g->pruning.velocity, g->pruning.steps));
    Quaternion turned = quaternion_mul(wall->orientation, quaternion_conjugate(start->orientation));
    double angle = 2 * sqrt(turned.x * turned.x + turned.y * turned.y + turned.z * turned.z);
    return vec3_norm(moved) + 1.6 * angle * g->pruning.span; // an arc is at most pi/2 times its chord
}

bool pruning_walls_strayed(const Grains *g, const Motion *walls) {
    for (int w = 0; w < g->definition->wall_count; w++)
        if (pruning_wall_strayed(g, &walls[w], w) > g->pruning.wall_reach[w]) return true;
    return false;
}

static void pruning_plan_walls(Grains *g, const Motion *walls) {
    Pruning *e = &g->pruning;
    const GrainStore *s = &g->store;
    double time = (double)e->length * g->step, least = 0.1 * e->ease * g->radius;
    for (int w = 0; w < g->definition->wall_count; w++) {
        double span = 0;
#pragma omp parallel for schedule(static) reduction(max : span) if (s->count > 2000)
        for (size_t i = 0; i < s->count; i++)
            span = fmax(span, vec3_norm2(vec3_sub(grain_center(g, i), walls[w].position)));
        e->span = w ? fmax(e->span, sqrt(span)) : sqrt(span);
        e->wall_start[w] = walls[w];
        Vec3 relative = vec3_sub(walls[w].velocity, e->velocity);
        Vec3 push = vec3_sub(walls[w].acceleration, g->gravity);
        double turn = 1.6 * e->span *
                      (vec3_norm(walls[w].angular_velocity) * time +
                       0.5 * vec3_norm(walls[w].angular_acceleration) * time * time);
        e->wall_reach[w] =
            1.2 * e->caution * (vec3_norm(relative) * time + 0.5 * vec3_norm(push) * time * time + turn) +
            least;
    }
}

// A new entry with the memory of the old one of the same grain and part (NULL: there is none).
static bool pruning_add_entry(Grains *g, int32_t grain, int part, const WallEntry *old) {
    size_t first = g->wall_touches.count,
           room = (size_t)wall_contact_limit(&g->definition->walls[part].shape);
    WallEntry entry = {.grain = grain,
                       .part = part,
                       .count = old ? old->count : 0,
                       .first = (int32_t)first,
                       .spent = old ? old->spent : 0};
    if (!array_resize(&g->wall_touches, first + room) || !array_push(&g->entries, entry)) return false;
    WallTouch *touches = g->wall_touches.data + first;
    memset(touches, 0, room * sizeof *touches);
    if (entry.count)
        memcpy(touches, g->wall_touches_before.data + old->first, (size_t)entry.count * sizeof *touches);
    return true;
}

static void pruning_drop_entry(Grains *g, WallEntry *old) {
    if (old->count > 0) smooth_contacts_end_entry(g, old);
}

#define SWAP(a, b)                                                                                           \
    do {                                                                                                     \
        __typeof__(a) swapped = (a);                                                                         \
        (a) = (b), (b) = swapped;                                                                            \
    } while (0)

// May grain i touch wall w before the next pruning? Tested with the sphere around the grain, which holds it in
// any orientation.
static bool pruning_wall_is_near(const Grains *g, size_t i, const Motion *walls, int w) {
    WallContact contacts[WALL_CONTACT_MAX];
    const double *start = g->pruning.start + i * QUAD;
    double margin = start[QUAD_REACH] + g->pruning.wall_reach[w] + g->neighbours.range;
    Vec3 local = motion_to_local(&walls[w], vec3(start[0], start[1], start[2]));
    return wall_contacts_of_sphere(&g->definition->walls[w].shape, local, g->store.radius[i], margin,
                                   contacts) > 0;
}

// The same for a vector of grains and all walls, as far as walls have vectors: marks those that some wall may be near.
static void pruning_mark_near_walls(const Grains *g, const Motion *walls, size_t first, uint8_t *some) {
    size_t lanes = g->store.count - first < WIDE_LANES ? g->store.count - first : WIDE_LANES;
    int32_t index[WIDE_LANES];
    unsigned near = 0;
    Wide quad[QUAD];
    for (size_t l = 0; l < WIDE_LANES; l++) index[l] = (int32_t)(l < lanes ? first + l : first);
    wide_quads_load(g->pruning.start, index, quad);
    Wide radius = wide_gather(g->store.radius, wide_index_load(index));
    for (int w = 0; w < g->definition->wall_count; w++) {
        Mat3 back = mat3_transpose(quaternion_to_matrix(walls[w].orientation));
        Vec3Wide arm = vec3_wide_sub((Vec3Wide){quad[0], quad[1], quad[2]}, vec3_wide_set(walls[w].position));
        WallSpheres spheres = {mat3_apply_wide(&back, arm), radius,
                               quad[QUAD_REACH] + wide_set(g->pruning.wall_reach[w] + g->neighbours.range)};
        WallFaces faces;
        if (wall_faces(&g->definition->walls[w].shape, &spheres, &faces)) {
            near |= wide_mask_bits(faces.undecided);
            for (int f = 0; f < faces.count; f++) near |= wide_mask_bits(faces.faces[f].lanes);
        } else {
            for (size_t l = 0; l < lanes; l++)
                if (!(near >> l & 1)) near |= (unsigned)pruning_wall_is_near(g, first + l, walls, w) << l;
        }
    }
    for (size_t l = 0; l < lanes; l++) some[first + l] = near >> l & 1;
}

// Keeps the memory of grains that stay near their wall: both lists are sorted by grain, then part.
static MrcStatus pruning_find_entries(Grains *g, const Motion *walls, MrcError *error) {
    SWAP(g->entries, g->entries_before);
    SWAP(g->wall_touches, g->wall_touches_before);
    WallEntry *old = g->entries_before.data, *end = old + g->entries_before.count;
    g->entries.count = g->wall_touches.count = 0;
    uint8_t *some = g->stepping.data; // is any wall near? Not yet in use otherwise
#pragma omp parallel for schedule(static) if (g->store.count > 2000)
    for (size_t i = 0; i < g->store.count; i += WIDE_LANES) pruning_mark_near_walls(g, walls, i, some);
    for (size_t i = 0; i < g->store.count; i++)
        for (int w = 0; w < g->definition->wall_count && some[i]; w++) {
            if (!pruning_wall_is_near(g, i, walls, w)) continue;
            while (old < end && (old->grain < (int32_t)i || (old->grain == (int32_t)i && old->part < w)))
                pruning_drop_entry(g, old++);
            bool again = old < end && old->grain == (int32_t)i && old->part == w;
            if (!pruning_add_entry(g, (int32_t)i, w, again ? old : NULL))
                return error_memory(error, "the walls");
            if (again) old->count = 0; // it goes on
        }
    while (old < end) pruning_drop_entry(g, old++);
    return MRC_OK;
}

static int pruning_compare_entries(const void *a, const void *b) {
    const WallEntry *x = a, *y = b;
    if (x->grain != y->grain) return x->grain < y->grain ? -1 : 1;
    return (x->part > y->part) - (x->part < y->part);
}

// ---- grains that are stepped, and their records --------------------------------------------------
static bool pruning_resize_lists(Grains *g) {
    size_t grains = g->store.count, layers = (size_t)layers_count(g);
    return array_resize(&g->touches, grains + 16) && array_resize(&g->met, grains + 16) &&
           array_resize(&g->sums, smooth_contacts_chunks(g->near.count) + layers) &&
           array_resize(&g->loads, layers * (size_t)g->definition->wall_count) &&
           array_resize(&g->wearing, layers * (size_t)g->definition->wall_count);
}

MrcStatus pruning_assign_records(Grains *g, MrcError *error) {
    size_t grains = g->store.count, pairs = g->near.count, entries = g->entries.count;
    uint8_t *stepping = g->stepping.data;
    if (!layers_make(g, threads_wanted()) || !pruning_resize_lists(g))
        return error_memory(error, "the contacts");
    memset(stepping, g->shapes != NULL, grains); // others than spheres all are
    for (size_t s = 0; s < pairs; s++) stepping[g->near.i.data[s]] = stepping[g->near.j.data[s]] = 1;
    for (size_t e = 0; e < entries; e++) stepping[g->entries.data[e].grain] = 1;
    g->stepped = 0;
    for (size_t i = 0; i < grains; i++) g->stepped += stepping[i];
    return MRC_OK;
}

// ---- the interval --------------------------------------------------------------------------------
// Longer intervals while few grains are stepped, shorter ones while many are. But beds that flow would come to intervals of 7
// to 19 steps, with a quarter of the time spent on pruning: there intervals grow again, up to a larger ease.
static void pruning_tune(Grains *g) {
    Pruning *e = &g->pruning;
    bool busy = (double)g->stepped > 0.5 * (double)g->store.count, brief = e->length < pruning_short;
    if (!busy || (brief && e->ease < pruning_ease_flowing)) e->ease *= 1.05;
    else e->ease *= 0.97;
    e->ease = fmin(fmax(e->ease, pruning_ease_least), pruning_ease_most);
}

static void pruning_tune_skin(Grains *g) {
    Neighbours *n = &g->neighbours;
    int64_t lasted = g->steps - g->last_build;
    if (n->builds > 1) n->skin *= lasted < 150 ? 1.1 : lasted > 600 ? 0.93 : 1;
    n->skin = fmin(fmax(n->skin, 0.05 * g->radius), pruning_skin_most * g->radius);
    g->last_build = g->steps;
}

static MrcStatus pruning_build_lists(Grains *g, size_t kept, bool changed, MrcError *error) {
    if (changed) g->last_build = g->steps; // how long the lists lasted is then no measure of the right skin
    else pruning_tune_skin(g);
    MrcStatus status = neighbours_build(&g->neighbours, &g->store, g->position, error);
    if (status != MRC_OK) return status;
    grains_sort(g);
    int32_t *now = g->neighbours.cell.data; // no longer needed: where each old grain is now
    for (size_t k = 0; k < g->store.count; k++) now[g->neighbours.order.data[k]] = (int32_t)k;
    status = contact_memory_sort(g, kept, now, error);
    if (status != MRC_OK) return status;
    for (size_t k = 0; k < g->entries.count; k++) g->entries.data[k].grain = now[g->entries.data[k].grain];
    if (g->entries.count)
        qsort(g->entries.data, g->entries.count, sizeof *g->entries.data, pruning_compare_entries);
    g->pruning.drift = vec3_zero();
    return pruning_plan(g, error); // reaches in the new order
}

static MrcStatus pruning_renew(Grains *g, const Motion *walls, size_t kept, bool changed, MrcError *error) {
    Pruning *e = &g->pruning;
    e->steps = 0;
    e->count++;
    periodic_put_back(g);
    pruning_tune(g);
    MrcStatus status = pruning_plan(g, error);
    if (status != MRC_OK) return status;
    if (changed || !pruning_lists_suffice(g)) status = pruning_build_lists(g, kept, changed, error);
    if (status != MRC_OK) return status;
#pragma omp parallel for schedule(static) if (g->store.count > 2000)
    for (size_t i = 0; i < g->store.count; i++)
        memcpy(e->start + i * QUAD, g->position + i * QUAD, 3 * sizeof(double));
    pruning_plan_walls(g, walls);
    status = pruning_find_entries(g, walls, error);
    if (status == MRC_OK) status = pruning_find_near(g, kept, error);
    if (status == MRC_OK) status = pruning_assign_records(g, error);
    if (status == MRC_OK && !common_grain_mark(g)) status = error_memory(error, "the contacts");
    if (status == MRC_OK) pruning_count_touches(g);
    if (status == MRC_OK && g->shapes && !smooth_shapes_put_back(g))
        status = error_memory(error, "the contacts");
    if (g->orientation) memset(g->turned.data, 0, g->turned.count * sizeof *g->turned.data);
    return status;
}

MrcStatus pruning_begin(Grains *g, const Motion *walls, MrcError *error) {
    if (g->shapes && !smooth_shapes_take_out(g)) return error_memory(error, "the contacts");
    return pruning_renew(g, walls, contact_memory_take_out(g), false, error);
}

MrcStatus pruning_begin_anew(Grains *g, const Motion *walls, size_t kept, MrcError *error) {
    g->pruning.over = false;
    return pruning_renew(g, walls, kept, true, error);
}

void pruning_count_touches(Grains *g) {
    memset(g->touches.data, 0, g->touches.count * sizeof *g->touches.data);
    for (size_t s = 0; s < g->near.count; s++) {
        g->touches.data[g->near.i.data[s]] += near_touches(&g->near, s);
        g->touches.data[g->near.j.data[s]] += near_touches(&g->near, s);
    }
    for (size_t e = 0; e < g->entries.count; e++)
        g->touches.data[g->entries.data[e].grain] += g->entries.data[e].count > 0;
    for (size_t i = 0; i < g->store.count; i++) g->met.data[i] = g->touches.data[i] > 0;
}

MrcStatus pruning_find_pairs(Grains *g, MrcError *error) {
    return neighbours_rebuild(&g->neighbours, &g->store, error);
}

void pruning_arrive(Grains *g) {
    Pruning *e = &g->pruning;
    GrainStore *s = &g->store;
    Vec3 gain = pruning_velocity_gain(g, e->steps);
#pragma omp parallel for schedule(static) if (s->count > 2000)
    for (size_t i = 0; i < s->count; i++) {
        if (g->orientation)
            grain_turn(g, i, grain_spin(g, i), (double)(e->steps - g->turned.data[i]) * g->step);
        if (g->stepping.data[i]) continue;
        Vec3 moved = pruning_displacement(g, grain_velocity(g, i), e->steps);
        double *quad = g->position + i * QUAD;
        quad[0] += moved.x, quad[1] += moved.y, quad[2] += moved.z;
        double *line = g->motion + i * GRAIN_LINE;
        line[0] += gain.x, line[1] += gain.y, line[2] += gain.z;
    }
    e->drift = vec3_add(e->drift, pruning_displacement(g, e->velocity, e->steps));
}

void pruning_end(Grains *g) {
    Pruning *e = &g->pruning;
    pruning_arrive(g);
    if (e->steps < e->length) e->early++;
    // An interval that ends early costs a pruning; reaches that are too wide cost tests of pairs that do not touch.
    e->caution *= e->steps < e->length && e->steps < 8 ? 1.3 : 0.98;
    e->caution = fmin(fmax(e->caution, 1), 8);
}
