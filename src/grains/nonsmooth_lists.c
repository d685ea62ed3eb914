// Neighbour lists of the nonsmooth method, and the impulses of the last step in the order of new lists.
//
// A pair that is not in the lists had a gap of at least the skin when they were made. Each grain has since
// moved by at most d against the mean of the bed, so its gap is at least skin - 2 d. It must not matter in
// this step: contacts act below the activation distance, and below what the two make up in a step.
//
// An impact changes the velocity of a grain by up to (1 + e) times the speed of approach, so that it may reach a
// grain that it was not approaching before. This next contact must be in the problem, too. Unless `activation` is
// given, contacts therefore act below h (1 + e) times the largest speed of a grain against a wall, where that is
// more than the least activation distance.
#include <math.h>

#include "grains/change.h"
#include "grains/nonsmooth.h"

typedef struct Spread {
    double way, speed; // largest distance from the lists' places, and largest speed, against the bed's mean
    double impact;     // largest speed against a wall
} Spread;

static Spread nonsmooth_spread(const Grains *g, const RigidStep *step) {
    const Neighbours *n = &g->neighbours;
    Vec3 way = {0}, velocity = {0};
    double most_way = 0, most_speed = 0, most_impact = 0, share = 1 / (double)g->store.count;
    for (size_t i = 0; i < g->store.count; i++) {
        way = vec3_add(way, vec3_sub(grain_center(g, i), vec3(n->x[i], n->y[i], n->z[i])));
        velocity = vec3_add(velocity, grain_velocity(g, i));
    }
    way = vec3_scale(share, way), velocity = vec3_scale(share, velocity);
    if (g->periodic.any) way = vec3_zero(); // new lists in time: only then are grains put back
    for (size_t i = 0; i < g->store.count; i++) {
        Vec3 d = vec3_sub(grain_center(g, i), vec3(n->x[i], n->y[i], n->z[i]));
        most_way = rigid_most(vec3_norm2(vec3_sub(d, way)), most_way);
        most_speed = rigid_most(vec3_norm2(vec3_sub(grain_velocity(g, i), velocity)), most_speed);
        for (int w = 0; w < g->definition->wall_count; w++) {
            Vec3 wall = motion_velocity_at(&step->walls[w].motion, grain_center(g, i));
            most_impact = rigid_most(vec3_norm2(vec3_sub(grain_velocity(g, i), wall)), most_impact);
        }
    }
    return (Spread){sqrt(most_way), sqrt(most_speed), sqrt(most_impact)};
}

// ---- following -----------------------------------------------------------------------------------
// Where the pair (i, j) is in the lists; -1: it is not.
static int32_t nonsmooth_find_slot(const Neighbours *n, int32_t i, int32_t j) {
    for (int32_t s = n->start.data[i]; s < n->start.data[i + 1]; s++)
        if (n->index.data[s] == j) return s;
    return -1;
}

// Before the lists are made: pairs by their grains.
static bool nonsmooth_name_pairs(Grains *g) {
    Nonsmooth *ns = g->nonsmooth;
    const Neighbours *n = &g->neighbours;
    size_t count = ns->last.slots.count, at = 0;
    if (!array_resize(&ns->hits, count)) return false;
    for (int32_t i = 0; at < count && i < (int32_t)g->store.count; i++)
        for (; at < count && ns->last.slots.data[at] < n->start.data[i + 1]; at++) {
            int32_t slot = ns->last.slots.data[at];
            ns->hits.data[at] = (PairHit){i, n->index.data[slot], slot};
        }
    return true;
}

static ContactImpulse nonsmooth_reversed(ContactImpulse p) {
    return (ContactImpulse){vec3_neg(p.linear), vec3_neg(p.angular)};
}

// The pairs of the last step that are still listed, in the order of the new lists. ns->now is free just now.
static bool nonsmooth_follow_pairs(Grains *g, const int32_t *place) {
    Nonsmooth *ns = g->nonsmooth;
    const Neighbours *n = &g->neighbours;
    RigidContacts *last = &ns->last, *now = &ns->now;
    size_t kept = 0, pairs = last->slots.count;
    bool named = last->features.count > 0; // several points per pair
    if (!array_resize(&ns->owner, n->index.count) || !array_resize(&now->slots, pairs) ||
        !array_resize(&now->impulses, last->impulses.count) ||
        !array_resize(&now->features, last->features.count))
        return false;
    for (size_t s = 0; s < n->index.count; s++) ns->owner.data[s] = -1;
    for (size_t k = 0; k < pairs; k++) {
        PairHit *hit = &ns->hits.data[k];
        int32_t i = place[hit->i], j = place[hit->j];
        if (i > j) last->impulses.data[k] = nonsmooth_reversed(last->impulses.data[k]);
        if (i > j && named) last->features.data[k] = shape_feature_exchanged(last->features.data[k]);
        if (k > 0 && hit->slot == ns->hits.data[k - 1].slot) continue; // goes with the first of its pair
        int32_t slot = i < j ? nonsmooth_find_slot(n, i, j) : nonsmooth_find_slot(n, j, i);
        if (slot >= 0) ns->owner.data[slot] = (int32_t)k;
    }
    for (size_t s = 0; s < n->index.count; s++) {
        if (ns->owner.data[s] < 0) continue;
        size_t k = (size_t)ns->owner.data[s];
        int32_t before = ns->hits.data[k].slot;
        for (; k < pairs && ns->hits.data[k].slot == before; k++) {
            now->slots.data[kept] = (int32_t)s;
            if (named) now->features.data[kept] = last->features.data[k];
            now->impulses.data[kept++] = last->impulses.data[k];
        }
    }
    now->slots.count = kept;
    if (named) now->features.count = kept;
    return true;
}

// Walls in the order of grains, which is another one now; contacts of one grain stay together.
static bool nonsmooth_follow_walls(Grains *g, const int32_t *place) {
    Nonsmooth *ns = g->nonsmooth;
    RigidContacts *last = &ns->last, *now = &ns->now;
    size_t count = last->walls.count, pairs = last->slots.count, kept = now->slots.count,
           grains = g->store.count;
    if (!array_resize(&now->walls, count) || !array_resize(&ns->owner, grains + 1)) return false;
    int32_t *first = ns->owner.data;
    memset(first, 0, (grains + 1) * sizeof *first);
    for (size_t k = 0; k < count; k++) first[place[last->walls.data[k].grain] + 1]++;
    for (size_t i = 0; i < grains; i++) first[i + 1] += first[i];
    for (size_t k = 0; k < count; k++) {
        WallKey key = last->walls.data[k];
        key.grain = place[key.grain];
        size_t at = (size_t)first[key.grain]++;
        now->walls.data[at] = key;
        now->impulses.data[kept + at] = last->impulses.data[pairs + k];
    }
    now->impulses.count = kept + count;
    return true;
}

// ---- making --------------------------------------------------------------------------------------
// Contacts of the last step have been named by their grains.
static MrcStatus nonsmooth_follow(Grains *g, MrcError *error) {
    Nonsmooth *ns = g->nonsmooth;
    size_t count = g->store.count;
    if (!array_resize(&ns->place, count)) return error_memory(error, "the contacts");
    periodic_put_back(g);
    MrcStatus status = neighbours_build(&g->neighbours, &g->store, g->position, error);
    if (status != MRC_OK) return status;
    grains_sort(g);
    for (size_t k = 0; k < count; k++) ns->place.data[g->neighbours.order.data[k]] = (int32_t)k;
    if (!nonsmooth_follow_pairs(g, ns->place.data) || !nonsmooth_follow_walls(g, ns->place.data))
        return error_memory(error, "the contacts");
    RigidContacts swap = ns->last;
    ns->last = ns->now;
    ns->now = swap;
    return MRC_OK;
}

static MrcStatus nonsmooth_build_lists(Grains *g, MrcError *error) {
    return nonsmooth_name_pairs(g) ? nonsmooth_follow(g, error) : error_memory(error, "the contacts");
}

// ---- a changing number of grains -----------------------------------------------------------------
// Contacts of grains that leave are dropped.
static void nonsmooth_leave(Nonsmooth *ns, const int32_t *place) {
    RigidContacts *last = &ns->last;
    size_t kept = 0, pairs = last->slots.count, walls = 0;
    bool named = last->features.count > 0;
    for (size_t k = 0; k < pairs; k++) {
        PairHit hit = ns->hits.data[k];
        hit.i = place[hit.i], hit.j = place[hit.j];
        if (hit.i < 0 || hit.j < 0) continue;
        ns->hits.data[kept] = hit;
        if (named) last->features.data[kept] = last->features.data[k];
        last->impulses.data[kept++] = last->impulses.data[k];
    }
    last->slots.count = kept;
    if (named) last->features.count = kept;
    for (size_t k = 0; k < last->walls.count; k++) {
        WallKey key = last->walls.data[k];
        key.grain = place[key.grain];
        if (key.grain < 0) continue;
        last->impulses.data[kept + walls] = last->impulses.data[pairs + k];
        last->walls.data[walls++] = key;
    }
    last->walls.count = walls;
    last->impulses.count = kept + walls;
}

MrcStatus nonsmooth_change(Grains *g, const GrainsChange *change, const int32_t *place, const Motion *walls,
                           MrcError *error) {
    Nonsmooth *ns = g->nonsmooth;
    (void)walls;
    if (!nonsmooth_name_pairs(g)) return error_memory(error, "the contacts");
    nonsmooth_leave(ns, place);
    MrcStatus status = change_grains(g, change, place, error);
    if (status != MRC_OK) return status;
    if (g->store.count == 0) {
        g->neighbours.index.count = 0;
        g->neighbours.start.data[0] = 0;
    }
    return g->neighbours.builds > 0 && g->store.count > 0 ? nonsmooth_follow(g, error) : MRC_OK;
}

static const double nonsmooth_most_range =
    0.5; // of the mean radius: more would be in the problem than can be hit

// The skin is chosen to last for some steps at the present speeds, so that lists are made seldom and are not much too
// long.
MrcStatus nonsmooth_lists(Grains *g, const RigidStep *step, bool *made, MrcError *error) {
    Neighbours *n = &g->neighbours;
    Nonsmooth *ns = g->nonsmooth;
    *made = false;
    if (g->store.count == 0) return MRC_OK;
    Spread spread = nonsmooth_spread(g, step);
    double h = step->h, wanted = h * (1 + ns->bounciest) * spread.impact;
    ns->range = rigid_most(ns->activation, rigid_least(wanted, nonsmooth_most_range * g->radius));
    double needed = ns->range + 2 * h * spread.speed;
    if (!isfinite(needed + spread.way))
        return error_set(error, MRC_NOT_FINITE, "grains '%s': a velocity is infinite or not a number",
                         g->definition->name);
    ns->reach = needed;
    if (n->builds > 0 && n->skin - 2 * spread.way >= needed) return MRC_OK;
    n->skin = needed + fmin(fmax(2 * h * spread.speed * 40, 0.1 * g->radius), 0.6 * g->radius);
    *made = true;
    return nonsmooth_build_lists(g, error);
}
