// What is carried in and out is recorded by the same energies that are measured. In the smooth method velocities lag
// their places by half a step (measure.c): a grain that comes is given v - h g/2, so that it is measured with v. A
// grain that leaves while it touches others takes the energy of these contacts with it; then the whole bed is measured
// before and after, and the difference is what has left.
#include "grains/change.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "grains/engine.h"
#include "grains/method.h"

// ---- ids -----------------------------------------------------------------------------------------
static int change_compare_ids(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// Ids of grains that left are taken out of the ordered list; ids of those that come are larger than all others.
static MrcStatus change_ids(Grains *g, const GrainsChange *c, MrcError *error) {
    if (g->next_id + (int64_t)c->coming_count > INT32_MAX)
        return error_set(error, MRC_MODEL, "grains '%s': more than %d grains came into the bed",
                         g->definition->name, INT32_MAX);
    if (c->leaving_count > 0) {
        if (!array_resize(&g->places, c->leaving_count)) return error_memory(error, "the grains");
        int32_t *gone = g->places.data;
        size_t count = 0, kept = 0, next = 0;
        for (size_t i = 0; i < g->store.count; i++)
            if (c->leaving[i]) gone[count++] = g->store.id[i];
        qsort(gone, count, sizeof *gone, change_compare_ids);
        for (size_t k = 0; k < g->ids.count; k++) {
            if (next < count && gone[next] == g->ids.data[k]) next++;
            else g->ids.data[kept++] = g->ids.data[k];
        }
        g->ids.count = kept;
    }
    for (size_t k = 0; k < c->coming_count; k++)
        if (!array_push(&g->ids, (int32_t)(g->next_id + (int64_t)k)))
            return error_memory(error, "the grains");
    return MRC_OK;
}

size_t grains_find(const Grains *g, int64_t id) {
    size_t first = 0, last = g->ids.count;
    if (id >= 0 && (size_t)id < g->ids.count && g->ids.data[id] == id) return (size_t)id; // none has left yet
    while (first < last) {
        size_t middle = (first + last) / 2;
        if (g->ids.data[middle] < id) first = middle + 1;
        else last = middle;
    }
    return first < g->ids.count && g->ids.data[first] == id ? first : g->ids.count;
}

// ---- energies ------------------------------------------------------------------------------------
static double change_energy(const Grains *g, size_t i, double *potential) {
    double mass = 1 / grain_inverse_mass(g, i);
    Vec3 v = vec3_madd(grain_velocity(g, i), g->method->lag * g->step, g->gravity);
    *potential = -mass * vec3_dot(g->gravity, grain_center(g, i));
    return 0.5 * mass * vec3_norm2(v) +
           store_spin_energy(&g->store, i, mass, grain_pose(g, i).orientation, grain_spin(g, i));
}

// The sum of the bed's ledger without the energy carried in and out.
static MrcStatus change_total(Grains *g, const Motion *port, const Motion *walls, double *total,
                              MrcError *error) {
    GrainsMeasure m = {0};
    MrcStatus status = grains_measure(g, port, walls, &m, error);
    *total = m.kinetic + m.potential + m.elastic + m.impact + m.friction + m.rolling + m.stabilisation +
             m.algorithm - m.work;
    return status;
}

static bool change_touches(const Grains *g, const GrainsChange *c) {
    if (!g->method->lag || g->pruning.count == 0) return false; // rigid contacts store nothing
    for (size_t i = 0; c->leaving_count > 0 && i < g->store.count; i++)
        if (c->leaving[i] && g->touches.data[i]) return true;
    return false;
}

// ---- the grains themselves -----------------------------------------------------------------------
static void change_compact_blocks(const Grains *g, double *blocks, size_t size, const int32_t *place) {
    for (size_t i = 0; blocks && i < g->store.count; i++)
        if (place[i] >= 0 && (size_t)place[i] != i)
            memcpy(blocks + (size_t)place[i] * size, blocks + i * size, size * sizeof *blocks);
}

static void change_add(Grains *g, const GrainNewcomer *n, double time) {
    GrainStore *s = &g->store;
    size_t i = s->count++;
    double r = n->radius;
    Vec3 v = vec3_madd(n->velocity, -g->method->lag * g->step, g->gravity), rim = vec3_scale(r, n->spin);
    const double line[GRAIN_LINE] = {v.x, v.y, v.z, rim.x, rim.y, rim.z, r, n->inverse_mass};
    const double quad[QUAD] = {n->center.x, n->center.y, n->center.z, r};
    const double turn[QUAD] = {n->orientation.w, n->orientation.x, n->orientation.y, n->orientation.z};
    memcpy(g->motion + i * GRAIN_LINE, line, sizeof line);
    memcpy(g->position + i * QUAD, quad, sizeof quad);
    if (g->orientation) memcpy(g->orientation + i * QUAD, turn, sizeof turn);
    s->radius[i] = r;
    s->shape[i] = n->shape;
    s->material[i] = n->material;
    s->id[i] = (int32_t)g->next_id++;
    if (s->kind) s->kind[i] = n->kind;
    if (s->born) s->born[i] = time;
    if (s->marks) s->marks[i] = n->marks;
}

MrcStatus change_grains(Grains *g, const GrainsChange *c, const int32_t *place, MrcError *error) {
    size_t left = g->store.count - c->leaving_count;
    for (size_t i = 0; c->leaving_count > 0 && i < g->store.count; i++) {
        if (place[i] >= 0) continue;
        double potential, kinetic = change_energy(g, i, &potential);
        g->carried -= kinetic + potential;
        g->lifted -= potential;
    }
    if (c->leaving_count > 0) {
        change_compact_blocks(g, g->position, QUAD, place);
        change_compact_blocks(g, g->motion, GRAIN_LINE, place);
        change_compact_blocks(g, g->orientation, QUAD, place);
        store_compact(&g->store, place);
    }
    g->store.count = left; // so that growing keeps what is there, and no more
    MrcStatus status = grains_resize(g, left + c->coming_count, error);
    if (status != MRC_OK) return status;
    g->store.count = left;
    for (size_t k = 0; k < c->coming_count; k++) {
        change_add(g, &c->coming[k], c->time);
        double potential, kinetic = change_energy(g, left + k, &potential);
        g->carried += kinetic + potential;
        g->lifted += potential;
        g->arrived += kinetic;
    }
    g->mass = 0;
    for (size_t i = 0; i < g->store.count; i++) g->mass += 1 / grain_inverse_mass(g, i);
    return MRC_OK;
}

// New places of the grains: in the same order.
static bool change_places(Grains *g, const GrainsChange *c) {
    int32_t next = 0;
    if (!array_resize(&g->places, g->store.count)) return false;
    for (size_t i = 0; i < g->store.count; i++)
        g->places.data[i] = c->leaving_count > 0 && c->leaving[i] ? -1 : next++;
    return true;
}

MrcStatus grains_change(Grains *g, const GrainsChange *c, const Motion *port, const Motion *walls,
                        MrcError *error) {
    double before = 0, after = 0, carried = g->carried;
    bool touching = change_touches(g, c);
    if (c->leaving_count == 0 && c->coming_count == 0) return MRC_OK;
    MrcStatus status = touching ? change_total(g, port, walls, &before, error) : MRC_OK;
    if (status == MRC_OK) status = change_ids(g, c, error);
    if (status == MRC_OK && !change_places(g, c)) status = error_memory(error, "the grains");
    if (status == MRC_OK) status = g->method->change(g, c, g->places.data, walls, error);
    g->view_step = -1;
    if (status != MRC_OK || !touching) return status;
    status = change_total(g, port, walls, &after, error);
    g->carried = carried + after - before;
    return status;
}
