// The contacts of a step, and the condition of each.
//
// A contact is in the problem when its gap is below the activation distance (delta of Eq. 15 of
// doi:10.1016/j.mechmachtheory.2020.104181, TIGHT; nonsmooth_lists.c) or would close within the step. The law for
// the normal velocity u_n after the step is then
//
//     gap >= 0     u_n + gap/h >= 0               it may close, not more (TIGHT Eq. 19)
//     gap < 0      u_n - min(-gap/h, r) >= 0      overlaps are undone at no more than the speed r
//     bouncing     u_n + e u_n(before) >= 0       Newton's law of impact, when it closes in this step at more
//                                                 than the speed `bounce`
//
// In the method of Moreau and Jean (nscd.c) grains and walls stand where they are in the middle of the step, and
// restitution acts on contacts that touch there: one that bounces and does not touch yet is left out. Until the next
// step's middle a wall whose velocity changes from V0 to V1 moves by h V1 + (1 - theta) h (V1 - V0). Where its motion is
// prescribed, it has that velocity (world_rigid.c); else it stands where the step begins, and moves by h V1.
//
// Cohesion: a contact that touches, or nearly, holds the tension c. Its law is that of the contact for p + h c n in
// place of p. With p' = p + h c n unknown instead, the cone is again that of friction, and the contact pulls its two
// bodies together by the known impulse h c: it is part of their free velocities (contact_problem_push).
//
// A wall that turns at w while a grain moves straight on: seen from the wall, the grain at the distance rho from its
// origin, with the velocity u, is displaced by
//
//     nu = h^2/2 (-w x (w x rho) - 2 w x u)
//
// at the end of the step. nu/h is added to the relative velocity, along the normal and along the wall: a grain that is
// carried round by a wall moves along the chord and not along the tangent, which would lead through the wall.
//
// Overlaps come from walls that are curved (the step takes them as flat), from solutions within their tolerance and
// from the start. Undoing them gives the grains the speed r, which then is real:
// with r = h g they do not leave each other by it, because gravity takes it within a step. A grain that
// slides along a curved wall at the speed u needs up to h u^2/R, R > radius. Hence r = h (g + u^2/radius),
// and without gravity some 1e-5 of a radius in each step.
//
// The point of contact of two grains is in the middle of the gap, and of a grain with a wall on the grain:
// impulse and reaction act at the same point, and angular momentum is kept to rounding.
#include <math.h>
#include <stdio.h>

#include "base/threads.h"
#include "grains/nonsmooth.h"

// Two that nearly touch cohere: below this gap, over the smaller radius.
static const double nonsmooth_cohesive_gap = 1e-3;

double nonsmooth_cohesion(const FindContext *f, double gap, double radius, const RigidPair *pair) {
    return gap <= nonsmooth_cohesive_gap * radius ? f->step->h * pair->cohesion : 0;
}

static double nonsmooth_recovery_speed(const FindContext *f, double gap, double speed2, double radius) {
    double h = f->step->h, full = -gap / h, most = f->recovery;
    if (!(most > 0)) most = h * (f->fall + speed2 / radius) + (f->weightless ? 1e-5 * radius / h : 0);
    return rigid_least(full, most);
}

// In this step, and at more than the speed `bounce`.
static bool nonsmooth_closes(const FindContext *f, double gap, double before, double closing) {
    return before < -f->bounce && gap + f->step->h * closing < 0;
}

static bool nonsmooth_bounces(const FindContext *f, double gap, double before, double closing,
                              const RigidPair *pair) {
    if (!(pair->restitution > 0)) return false;
    return f->by_touch ? gap <= 0 && before < -f->bounce : nonsmooth_closes(f, gap, before, closing);
}

// It will bounce, but does not touch yet.
bool nonsmooth_waits(const FindContext *f, double gap, double before, const RigidPair *pair) {
    return f->by_touch && gap > 0 && pair->restitution > 0 && before < -f->bounce;
}

// Does it part again after a bounce? Then faster than this. A bed at rest parts as fast as the overlaps of rounding are undone;
// allowed to come back as fast, it would swing for ever, with every other step.
static bool nonsmooth_parts(const FindContext *f, const RigidPair *pair, double before) {
    return before > pair->restitution * f->bounce;
}

// Bodies that bounce in the step are apart by h u_n after it. Those that bounce by touch, or after the step, still touch or
// overlap, by up to h |u_n|. If a spring or another grain drives them back in the next step, u_n(after) >= 0 would make
// energy: p . (u(before) + u(after))/2 > 0. (Two balls in a row, thrown against a wall with e = 1: the first one comes back and
// meets the second one, and both together had twice the energy.) With u_n(after) >= -u_n(before) it makes none, and overlaps
// are never more than at the impact. Where contacts do not overlap, u_n h is at most the gap, and this holds by itself.
// After the step, a grain may be driven back several times before it gets away: overlaps stay below a twentieth of the radius,
// which comes before energies in steps that are too long. A grain alone is driven back by springs only, and gains nothing
// (world_rebound.c).
double nonsmooth_parting_bias(const FindContext *f, const RigidPair *pair, double gap, double radius,
                              double before, double bias, double *recovery) {
    double least = rigid_least(before, (0.05 * radius + rigid_least(gap, 0)) / f->step->h);
    if (!(pair->restitution > 0 && nonsmooth_parts(f, pair, before) && least > *recovery && least > bias))
        return bias;
    *recovery = 0;
    return least;
}

double nonsmooth_normal_bias(const FindContext *f, double gap, double before, double closing, double speed2,
                             double radius, const RigidPair *pair, double *recovery) {
    double h = f->step->h;
    *recovery = 0;
    if (nonsmooth_bounces(f, gap, before, closing, pair)) return pair->restitution * before;
    if (fabs(gap) < f->closed) return 0;
    gap += gap > 0 ? -f->closed : f->closed;
    if (gap >= 0) return gap / h;
    *recovery = nonsmooth_recovery_speed(f, gap, speed2, radius);
    return -*recovery;
}

// The relaxed law asks for u_n + b >= mu |u_t|: a grain that flies along a wall at the speed w is braked by it h mu w before
// it closes, and never bounces. Where restitution acts, on contacts that close or open faster than `bounce`, it is therefore
// changed, so that a grain on its own moves as by Coulomb's law, and none gets closer than its gap whatever others do to it:
//
//     impacts      b is e u_n(before) + mu s, s the speed of sliding at the end: u_n + b = mu |u_t| gives Newton's law. Of an
//                  impact of spheres, whose surfaces are 3.5 times as mobile as their centres, friction leaves
//                  s = |u_t| - 3.5 mu (1 + e) |u_n|. Where others stop the sliding, that would let u_n be as low as -b. If
//                  this is more than the gap allows, a second contact without friction asks for u_n + gap/h >= 0.
//                  Of other shapes s depends on all contact points of the two together: a step with such an impact has
//                  Coulomb's law for all of its contacts (world_rigid.c).
//     others       mu is (u_n(free) + gap/h)/|u_t| at most: what flies on without contacts is just allowed to. Not mu s in b:
//                  grains that others stop would go on to overlap by h mu s.
SlidingLaw nonsmooth_sliding_law(const FindContext *f, const RigidPair *pair, double restitution, double gap,
                                 double bias, double before, double closing, double sliding) {
    SlidingLaw law = {.friction = pair->friction};
    if (!nonsmooth_has_sliding_law(f, pair, before)) return law;
    double mu = pair->friction;
    if (nonsmooth_closes(f, gap, before, closing)) {
        law.by_coulomb = !nonsmooth_all_spheres(f->g->nonsmooth);
        if (law.by_coulomb) return law;
        law.more = mu * rigid_most(sliding + 3.5 * mu * (closing + restitution * before), 0);
        law.guard = rigid_most(bias + law.more - rigid_most(gap, 0) / f->step->h, 0);
    } else {
        double room = rigid_most(closing + bias, 0);
        if (mu * sliding > room) law.friction = room / sliding;
    }
    return law;
}

double nonsmooth_sliding(Vec3 velocity, Vec3 normal) {
    return vec3_norm(vec3_madd(velocity, -vec3_dot(velocity, normal), normal));
}

// ---- pairs ---------------------------------------------------------------------------------------
static void nonsmooth_find_in_reach(const FindContext *f, size_t chunk) {
    const Grains *g = f->g;
    Nonsmooth *ns = g->nonsmooth;
    const Neighbours *n = &g->neighbours;
    size_t from = chunk * THREADS_CHUNK, to = from + THREADS_CHUNK;
    if (to > g->store.count) to = g->store.count;
    PairHit *hit = ns->hits.data + n->start.data[from], *first = hit;
    for (size_t i = from; i < to; i++) {
        const double *x = g->position + i * QUAD, reach_i = x[3] + f->reach;
        for (int32_t s = n->start.data[i]; s < n->start.data[i + 1]; s++) {
            size_t j = (size_t)n->index.data[s];
            const double *y = g->position + j * QUAD;
            Vec3 d = periodic_nearest(&g->periodic, vec3(y[0] - x[0], y[1] - x[1], y[2] - x[2]));
            double reach = reach_i + y[3];
            *hit = (PairHit){(int32_t)i, (int32_t)j, s};
            hit += vec3_norm2(d) < reach * reach;
        }
    }
    ns->found.data[chunk] = (FindSums){.count = (size_t)(hit - first)};
}

// The impulse that the contact had in the last step, NULL: none. Both are in the order of slots: *at only goes forward.
static const ContactImpulse *nonsmooth_pair_impulse_before(const RigidContacts *last, int32_t slot,
                                                           size_t *at) {
    while (*at < last->slots.count && last->slots.data[*at] < slot) ++*at;
    bool same = *at < last->slots.count && last->slots.data[*at] == slot;
    return same ? &last->impulses.data[*at] : NULL;
}

static size_t nonsmooth_first_at_or_after(const RigidContacts *last, int32_t slot) {
    size_t low = 0, high = last->slots.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (last->slots.data[middle] < slot) low = middle + 1;
        else high = middle;
    }
    return low;
}

// Two grains in the problem. Returns the overlap over the smaller radius.
static double nonsmooth_make_pair(const FindContext *f, const PairHit *hit, ContactPoint *contact,
                                  double *recovery, double *cohesion, double *guard) {
    const Grains *g = f->g;
    size_t i = (size_t)hit->i, j = (size_t)hit->j;
    double a = g->position[i * QUAD + 3], b = g->position[j * QUAD + 3], radius = a * b / (a + b);
    Vec3 way = periodic_nearest(&g->periodic, vec3_sub(grain_center(g, j), grain_center(g, i)));
    Vec3 velocity = vec3_sub(grain_velocity(g, j), grain_velocity(g, i));
    double distance = vec3_norm(way), gap = distance - a - b;
    Vec3 normal = distance > 0 ? vec3_scale(1 / distance, way) : vec3(0, 0, 1);
    double before = vec3_dot(velocity, normal);
    const RigidPair *pair = nonsmooth_pair_of(g, i, j);
    *cohesion = nonsmooth_cohesion(f, gap, rigid_least(a, b), pair);
    double bias = nonsmooth_normal_bias(f, gap, before, before, vec3_norm2(velocity), rigid_least(a, b), pair,
                                        recovery);
    if (f->later) bias = nonsmooth_parting_bias(f, pair, gap, rigid_least(a, b), before, bias, recovery);
    SlidingLaw law = {.friction = pair->friction};
    if (nonsmooth_has_sliding_law(f, pair, before)) {
        Vec3 rim = vec3_add(vec3_scale(a, grain_spin(g, i)), vec3_scale(b, grain_spin(g, j)));
        double sliding = nonsmooth_sliding(vec3_sub(velocity, vec3_cross(rim, normal)), normal);
        law = nonsmooth_sliding_law(f, pair, pair->restitution, gap, bias, before, before, sliding);
    }
    if (f->relaxed) *guard = law.guard;
    *contact = (ContactPoint){.a = f->step->first_body + hit->i,
                              .b = f->step->first_body + hit->j,
                              .normal = normal,
                              .arm_a = vec3_scale(a + 0.5 * gap, normal),
                              .arm_b = vec3_scale(-b - 0.5 * gap, normal),
                              .bias = vec3_scale(bias + law.more, normal),
                              .friction = law.friction,
                              .rolling = pair->rolling * radius,
                              .spinning = pair->spinning * radius};
    return -gap / rigid_least(a, b);
}

// Keeps the hits that are near enough when velocities are taken into account, in their order.
static void nonsmooth_keep_near(const FindContext *f, size_t chunk) {
    const Grains *g = f->g;
    Nonsmooth *ns = g->nonsmooth;
    FindSums *found = &ns->found.data[chunk];
    PairHit *hits = ns->hits.data + g->neighbours.start.data[chunk * THREADS_CHUNK];
    size_t kept = 0;
    for (size_t k = 0; k < found->count; k++) {
        PairHit hit = hits[k];
        const double *x = g->position + (size_t)hit.i * QUAD, *y = g->position + (size_t)hit.j * QUAD;
        Vec3 way = periodic_nearest(&g->periodic, vec3(y[0] - x[0], y[1] - x[1], y[2] - x[2]));
        Vec3 velocity = vec3_sub(grain_velocity(g, (size_t)hit.j), grain_velocity(g, (size_t)hit.i));
        // The distance at the end of the step if both went straight on along the line between them.
        double distance = vec3_norm(way), approach = -vec3_dot(way, velocity) / rigid_most(distance, 1e-300);
        double gap = distance - x[3] - y[3];
        hits[kept] = hit;
        if (f->by_touch &&
            nonsmooth_waits(f, gap, -approach, nonsmooth_pair_of(g, (size_t)hit.i, (size_t)hit.j)))
            continue;
        kept += gap - f->step->h * rigid_most(approach, 0) < ns->range;
    }
    found->count = kept;
}

static void nonsmooth_find_near(const FindContext *f, size_t chunk) {
    nonsmooth_find_in_reach(f, chunk);
    nonsmooth_keep_near(f, chunk);
}

static void nonsmooth_make_pairs(const FindContext *f, size_t chunk, size_t first, ContactProblem *problem,
                                 ContactSolution *solution) {
    Nonsmooth *ns = f->g->nonsmooth;
    FindSums *found = &ns->found.data[chunk];
    const PairHit *hits = ns->hits.data + f->g->neighbours.start.data[chunk * THREADS_CHUNK];
    size_t at = found->count ? nonsmooth_first_at_or_after(&ns->last, hits[0].slot) : 0;
    for (size_t k = 0; k < found->count; k++) {
        size_t own = first + k, whole = f->step->first_contact + own;
        double ratio =
            nonsmooth_make_pair(f, &hits[k], &problem->contacts.data[whole], &ns->recovery.data[own],
                                &ns->cohesion.data[own], f->relaxed ? &ns->guards.data[own] : NULL);
        const ContactImpulse *past = nonsmooth_pair_impulse_before(&ns->last, hits[k].slot, &at);
        solution->impulses.data[whole] = past ? *past : (ContactImpulse){0};
        ns->now.slots.data[own] = hits[k].slot;
        ns->rebound.data[own] = 0;
        if (ratio > found->ratio) found->ratio = ratio, found->grain = hits[k].i, found->other = hits[k].j;
    }
}

static bool nonsmooth_find_pairs(const FindContext *f, ContactProblem *problem, ContactSolution *solution) {
    Grains *g = f->g;
    Nonsmooth *ns = g->nonsmooth;
    size_t chunks = threads_chunk_count(g->store.count), count = 0;
    if (!array_resize(&ns->hits, g->neighbours.index.count + 1) || !array_resize(&ns->found, chunks))
        return false;
    if (chunks > RIGID_CHUNKS_ALONE) {
#pragma omp parallel for schedule(static)
        for (size_t c = 0; c < chunks; c++) nonsmooth_find_near(f, c);
    } else
        for (size_t c = 0; c < chunks; c++) nonsmooth_find_near(f, c);
    for (size_t c = 0; c < chunks; c++) count += ns->found.data[c].count;
    size_t whole = f->step->first_contact + count;
    if (!array_resize(&problem->contacts, whole) || !array_resize(&solution->impulses, whole) ||
        !array_resize(&ns->recovery, count) || !array_resize(&ns->rebound, count) ||
        !array_resize(&ns->cohesion, count) || !array_resize(&ns->now.slots, count) ||
        !array_resize(&ns->guards, f->relaxed ? count : 0) || !array_resize(&ns->place, chunks + 1))
        return false;
    int32_t *first = ns->place.data;
    first[0] = 0;
    for (size_t c = 0; c < chunks; c++) first[c + 1] = first[c] + (int32_t)ns->found.data[c].count;
    if (chunks > RIGID_CHUNKS_ALONE) {
#pragma omp parallel for schedule(static)
        for (size_t c = 0; c < chunks; c++) nonsmooth_make_pairs(f, c, (size_t)first[c], problem, solution);
    } else
        for (size_t c = 0; c < chunks; c++) nonsmooth_make_pairs(f, c, (size_t)first[c], problem, solution);
    return true;
}

// ---- walls ---------------------------------------------------------------------------------------
// The impulse that the contact had in the last step, NULL: none; *at: the first one of this grain or of a later one.
static const ContactImpulse *nonsmooth_wall_impulse_before(const RigidContacts *last, const WallKey *key,
                                                           size_t *at) {
    while (*at < last->walls.count && last->walls.data[*at].grain < key->grain) ++*at;
    for (size_t k = *at; k < last->walls.count && last->walls.data[k].grain == key->grain; k++)
        if (last->walls.data[k].part == key->part && last->walls.data[k].feature == key->feature)
            return &last->impulses.data[last->slots.count + k];
    return NULL;
}

// nu/h. The velocity of a sphere is that of its centre against the wall where they touch: against the wall at the centre it is
// w x arm more. (That of other shapes is of their own point there.)
static Vec3 nonsmooth_turning(const FindContext *f, const WallNear *t, const RigidWall *wall, double before) {
    Vec3 w = wall->motion.angular_velocity;
    if (w.x == 0 && w.y == 0 && w.z == 0) return vec3_zero();
    Vec3 away = vec3_cross(w, vec3_sub(t->center, wall->origin)); // that of its body moves straight on
    Vec3 along = vec3_madd(t->velocity, -before, t->normal);
    if (t->sphere) along = vec3_add(along, vec3_cross(w, t->arm));
    return vec3_scale(-0.5 * f->step->h, vec3_cross(w, vec3_madd(away, 2, along)));
}

// The change of the wall's velocity at a point since the step before. A wall that contacts can move is hit as fast as it
// is before the step: springs that act on it during the step are no part of the impact. With u(after) = -e u(before),
// p . (u(before) + u(after))/2 = (1 - e) p_n u(before)/2 is never positive.
static Vec3 nonsmooth_change_of_wall(const FindContext *f, const RigidWall *wall, Vec3 point) {
    if (!f->by_touch && !wall->yields) return vec3_zero();
    Vec3 arm = vec3_sub(point, wall->motion.position);
    Vec3 now = vec3_add(wall->motion.velocity, vec3_cross(wall->motion.angular_velocity, arm)),
         past = vec3_add(wall->past.linear, vec3_cross(wall->past.angular, arm));
    return vec3_sub(now, past);
}

Vec3 nonsmooth_surface_velocity(const Grains *g, const RigidStep *step, int part, Vec3 normal) {
    if (!grains_wall_is_belt(g->definition, part)) return vec3_zero();
    const Mat3 *axes = &step->walls[part].axes;
    return mat3_apply(*axes,
                      grains_surface_velocity(g->definition, part, mat3_apply_transpose(*axes, normal)));
}

// By touch, contacts that bounce overlap, and part again within some steps (nonsmooth_parting_bias).
static bool nonsmooth_bounces_by_touch(const FindContext *f, const RigidWall *wall, const RigidPair *pair) {
    return f->by_touch && wall->yields && !wall->later && pair->restitution > 0;
}

typedef struct WallCondition { // of a contact with a wall
    Vec3 bias;                 // [m/s]
    double recovery, rebound;  // nonsmooth.h
    SlidingLaw sliding;
} WallCondition;

// `more`: the part of the bias that does not depend on the gap.
static WallCondition nonsmooth_wall_condition(const FindContext *f, const WallNear *t, const RigidPair *pair,
                                              Vec3 more) {
    const RigidWall *wall = &f->step->walls[t->part];
    double before = t->before, closing = t->closing;
    WallCondition condition = {.sliding = {.friction = pair->friction}};
    // Where restitution acts after the step, the step itself is plastic.
    RigidPair plastic = *pair;
    if (wall->later && pair->restitution > 0 && nonsmooth_closes(f, t->gap, before, closing))
        condition.rebound = -pair->restitution * before;
    if (wall->later) plastic.restitution = 0;
    bool by_touch = nonsmooth_bounces_by_touch(f, wall, pair);
    double speed2 = vec3_norm2(t->velocity), across = vec3_dot(t->velocity, t->normal);
    if (by_touch)
        speed2 -= across * across; // springs make the wall fast within the step: no reason to undo more
    double bias =
        nonsmooth_normal_bias(f, t->gap, before, closing, speed2, t->radius, &plastic, &condition.recovery);
    if (by_touch || (wall->later && f->crowded))
        bias = nonsmooth_parting_bias(f, pair, t->gap, by_touch ? INFINITY : t->radius, before, bias,
                                      &condition.recovery);
    if (nonsmooth_has_sliding_law(f, pair, before)) {
        Vec3 surface = vec3_add(t->velocity, more); // of other shapes: of the point, with its spin
        if (t->sphere) surface = vec3_add(surface, vec3_cross(grain_spin(f->g, t->i), t->arm));
        condition.sliding = nonsmooth_sliding_law(f, pair, plastic.restitution, t->gap, bias, before, closing,
                                                  nonsmooth_sliding(surface, t->normal));
    }
    condition.bias = vec3_madd(more, bias + condition.sliding.more, t->normal);
    return condition;
}

static const RigidPair *nonsmooth_pair_with_wall(const Grains *g, const WallNear *t) {
    int row = (g->material_count + t->part) * g->material_count + g->store.material[t->i];
    return &g->nonsmooth->pairs[row];
}

bool nonsmooth_wall_acts(const FindContext *f, WallNear *t) {
    const RigidWall *wall = &f->step->walls[t->part];
    t->before = vec3_dot(t->velocity, t->normal);
    t->closing = t->before + f->step->h * vec3_dot(f->g->gravity, t->normal);
    t->turning = nonsmooth_turning(f, t, wall, t->before);
    double nearing = rigid_least(vec3_dot(t->turning, t->normal), 0) + rigid_least(t->closing, 0);
    if (t->gap + f->step->h * nearing >= f->g->nonsmooth->range) return false;
    Vec3 change = nonsmooth_change_of_wall(f, wall, vec3_add(t->center, t->arm));
    t->before += vec3_dot(change, t->normal);
    return wall->later || !nonsmooth_waits(f, t->gap, t->before, nonsmooth_pair_with_wall(f->g, t));
}

void nonsmooth_put_wall(const FindContext *f, const WallNear *t, size_t own, size_t *at, FindSums *found,
                        ContactProblem *problem, ContactSolution *solution) {
    const Grains *g = f->g;
    Nonsmooth *ns = g->nonsmooth;
    const RigidWall *wall = &f->step->walls[t->part];
    const RigidPair *pair = nonsmooth_pair_with_wall(g, t);
    Vec3 more = vec3_sub(t->turning, nonsmooth_surface_velocity(g, f->step, t->part, t->normal));
    WallCondition condition = nonsmooth_wall_condition(f, t, pair, more);
    found->by_coulomb = found->by_coulomb || condition.sliding.by_coulomb;
    WallKey key = {(int32_t)t->i, t->part, t->feature};
    double ratio = -t->gap / t->radius;
    if (ratio > found->ratio) found->ratio = ratio, found->grain = key.grain, found->other = -1 - t->part;
    // Member by member: a copy of a whole contact waits until all of it has been stored.
    size_t whole = f->step->first_contact + own;
    ContactPoint *contact = &problem->contacts.data[whole];
    contact->a = wall->body;
    contact->b = f->step->first_body + key.grain;
    contact->normal = t->normal;
    contact->arm_a = vec3_sub(vec3_add(t->center, t->arm), wall->origin);
    contact->arm_b = t->arm;
    contact->bias = condition.bias;
    contact->friction = condition.sliding.friction;
    contact->rolling = pair->rolling * t->radius;
    contact->spinning = pair->spinning * t->radius;
    ns->recovery.data[own] = condition.recovery;
    ns->rebound.data[own] = condition.rebound;
    ns->cohesion.data[own] = nonsmooth_cohesion(f, t->gap, t->radius, pair) / t->points;
    if (f->relaxed) ns->guards.data[own] = condition.sliding.guard;
    ns->now.walls.data[own - ns->now.slots.count] = key;
    const ContactImpulse *past = nonsmooth_wall_impulse_before(&ns->last, &key, at);
    solution->impulses.data[whole] = past ? *past : (ContactImpulse){0};
}

bool nonsmooth_fit_walls(const FindContext *f, size_t walls, ContactProblem *problem,
                         ContactSolution *solution) {
    Nonsmooth *ns = f->g->nonsmooth;
    size_t own = ns->now.slots.count + walls, whole = f->step->first_contact + own;
    return array_resize(&problem->contacts, whole) && array_resize(&solution->impulses, whole) &&
           array_resize(&ns->recovery, own) && array_resize(&ns->rebound, own) &&
           array_resize(&ns->cohesion, own) && (!f->relaxed || array_resize(&ns->guards, own)) &&
           array_resize(&ns->now.walls, walls);
}

static bool nonsmooth_add_wall(const FindContext *f, WallNear *near, size_t *at, ContactProblem *problem,
                               ContactSolution *solution) {
    Nonsmooth *ns = f->g->nonsmooth;
    if (!nonsmooth_wall_acts(f, near)) return true;
    size_t own = ns->recovery.count;
    if (!nonsmooth_fit_walls(f, ns->now.walls.count + 1, problem, solution)) return false;
    nonsmooth_put_wall(f, near, own, at, &ns->found.data[0], problem, solution);
    return true;
}

static bool nonsmooth_find_walls(const FindContext *f, ContactProblem *problem, ContactSolution *solution) {
    Grains *g = f->g;
    Nonsmooth *ns = g->nonsmooth;
    const GrainsDefinition *d = g->definition;
    size_t at = 0;
    ns->now.walls.count = 0;
    for (size_t i = 0; i < g->store.count; i++)
        for (int w = 0; w < d->wall_count; w++) {
            const RigidWall *wall = &f->step->walls[w];
            WallContact contacts[WALL_CONTACT_MAX];
            double radius = g->position[i * QUAD + 3];
            Vec3 center = grain_center(g, i), velocity = grain_velocity(g, i);
            double speed = vec3_norm(vec3_sub(velocity, motion_velocity_at(&wall->motion, center)));
            double margin = ns->range + f->step->h * (speed + f->step->h * f->fall);
            Vec3 local = mat3_apply_transpose(wall->axes, vec3_sub(center, wall->motion.position));
            int count = wall_contacts_of_sphere(&d->walls[w].shape, local, radius, margin, contacts);
            for (int c = 0; c < count; c++) {
                Vec3 normal = mat3_apply(wall->axes, contacts[c].normal), arm = vec3_scale(-radius, normal);
                // The wall turns: its velocity where the grain touches is another one than at its centre.
                Vec3 there = motion_velocity_at(&wall->motion, vec3_add(center, arm));
                WallNear near = {.i = i,
                                 .part = w,
                                 .velocity = vec3_sub(velocity, there),
                                 .radius = radius,
                                 .center = center,
                                 .normal = normal,
                                 .arm = arm,
                                 .gap = contacts[c].gap,
                                 .feature = contacts[c].feature,
                                 .points = 1,
                                 .sphere = true};
                if (!nonsmooth_add_wall(f, &near, &at, problem, solution)) return false;
            }
        }
    return true;
}

// ---- all -----------------------------------------------------------------------------------------
static bool nonsmooth_add_grains(const Grains *g, double h, ContactProblem *problem) {
    size_t first = problem->bodies.count, whole = first + g->store.count;
    Vec3 gain = vec3_scale(h, g->gravity);
    if (!array_resize(&problem->bodies, whole) || !array_resize(&problem->free_velocity, whole)) return false;
    for (size_t i = 0; i < g->store.count; i++) {
        double inverse = grain_inverse_mass(g, i), r = g->position[i * QUAD + 3];
        problem->bodies.data[first + i] = (ContactBody){
            .inverse_mass = inverse, .inverse_inertia = 2.5 * inverse / (r * r), .group = -1, .slot = 0};
        problem->free_velocity.data[first + i] =
            (Twist){.linear = vec3_add(grain_velocity(g, i), gain), .angular = grain_spin(g, i)};
    }
    return true;
}

// Contacts that cohere pull their bodies together.
static void nonsmooth_cohere(const Nonsmooth *ns, const RigidStep *step, ContactProblem *problem) {
    for (size_t k = 0; k < ns->cohesion.count; k++) {
        if (!(ns->cohesion.data[k] > 0)) continue;
        const ContactPoint *c = &problem->contacts.data[step->first_contact + k];
        contact_problem_push(problem, c, vec3_scale(-ns->cohesion.data[k], c->normal));
    }
}

// Contacts without friction, after all others of the bed, in the order of those that they stand by. nonsmooth_apply.c adds
// their impulses to these.
static bool nonsmooth_add_guards(const Nonsmooth *ns, const RigidStep *step, ContactProblem *problem,
                                 ContactSolution *solution) {
    for (size_t k = 0; k < ns->guards.count; k++) {
        if (!(ns->guards.data[k] > 0)) continue;
        ContactPoint c = problem->contacts.data[step->first_contact + k];
        c.bias = vec3_madd(c.bias, -ns->guards.data[k], c.normal);
        c.friction = c.rolling = c.spinning = 0;
        if (!array_push(&problem->contacts, c) || !array_push(&solution->impulses, (ContactImpulse){0}))
            return false;
    }
    return true;
}

static bool nonsmooth_any_by_coulomb(const Nonsmooth *ns) {
    for (size_t c = 0; c < ns->found.count; c++)
        if (ns->found.data[c].by_coulomb) return true;
    return false;
}

static MrcStatus nonsmooth_check_overlap(Grains *g, MrcError *error) {
    FindSums most = {.ratio = -1};
    for (size_t c = 0; c < g->nonsmooth->found.count; c++)
        if (g->nonsmooth->found.data[c].ratio > most.ratio) most = g->nonsmooth->found.data[c];
    g->largest_overlap = fmax(g->largest_overlap, most.ratio);
    double limit = g->definition->contact.max_overlap;
    if (!(limit > 0) || most.ratio <= limit) return MRC_OK;
    char other[80];
    if (most.other >= 0) snprintf(other, sizeof other, "grain %d", g->store.id[most.other]);
    else snprintf(other, sizeof other, "%.60s", g->definition->walls[-1 - most.other].name);
    return error_set(
        error, MRC_OVERLAP,
        "grains '%s': grain %d overlaps %s by %.3g of its radius, more than max_overlap = %g; "
        "check the start, take a smaller step or a smaller tolerance, let overlaps be undone faster "
        "(contact: {recovery: ...}), or see whether walls squeeze the grains",
        g->definition->name, g->store.id[most.grain], other, most.ratio, limit);
}

// A grain on its way out moves far enough for new lists.
static MrcStatus nonsmooth_check_lost(Grains *g, const RigidStep *step, MrcError *error) {
    Motion *frames = g->nonsmooth->frames.data;
    for (int w = 0; w < g->definition->wall_count; w++) frames[w] = step->walls[w].motion;
    return grains_check_lost(g, frames, error);
}

// A solution within its tolerance leaves velocities of about tolerance g h. The gaps and overlaps that these make in
// some steps are zero in the method nscd. Undone in the next step they would be errors of its velocities, larger
// than the tolerance, and a bed at rest would never come to rest.
static double nonsmooth_closed_gap(const Grains *g, double h) {
    if (!g->nonsmooth->by_touch) return 0;
    double error = 100 * g->definition->contact.solver.tolerance * vec3_norm(g->gravity) * h * h;
    return rigid_least(rigid_most(error, 1e-8 * g->radius), 1e-5 * g->radius);
}

static bool nonsmooth_is_later(const Grains *g, const RigidStep *step) {
    for (int w = 0; w < g->definition->wall_count; w++)
        if (step->walls[w].later) return true;
    return false;
}

MrcStatus nonsmooth_collect(Grains *g, RigidStep *step, ContactProblem *problem, ContactSolution *solution,
                            MrcError *error) {
    bool made;
    MrcStatus status = nonsmooth_lists(g, step, &made, error);
    if (status == MRC_OK && made) status = nonsmooth_check_lost(g, step, error);
    if (status != MRC_OK) return status;
    const ContactDefinition *d = &g->definition->contact;
    double fall = step->weight;
    Nonsmooth *ns = g->nonsmooth;
    step->first_body = (int32_t)problem->bodies.count;
    step->first_contact = problem->contacts.count;
    FindContext find = {.g = g,
                        .step = step,
                        .fall = fall,
                        .weightless = vec3_norm2(g->gravity) == 0,
                        .bounce = d->bounce > 0 ? d->bounce : 2 * fall * step->h,
                        .recovery = d->recovery,
                        .reach = ns->reach,
                        .closed = nonsmooth_closed_gap(g, step->h),
                        .by_touch = ns->by_touch,
                        .later = nonsmooth_is_later(g, step),
                        .relaxed = !ns->by_touch && d->law == CONTACT_RELAXED};
    ns->guards.count = 0;
    bool spheres = nonsmooth_all_spheres(ns);
    bool added =
        spheres ? nonsmooth_add_grains(g, step->h, problem) && nonsmooth_find_pairs(&find, problem, solution)
                : nonsmooth_add_shapes(g, step->h, problem) &&
                      nonsmooth_find_shape_pairs(&find, problem, solution);
    find.crowded = added && ns->now.slots.count > 0;
    added = added && (spheres ? nonsmooth_find_walls(&find, problem, solution)
                              : nonsmooth_find_shape_walls(&find, problem, solution));
    if (!added) return error_memory(error, "the contacts");
    step->by_coulomb = nonsmooth_any_by_coulomb(ns);
    size_t own = ns->recovery.count;
    if (!array_resize(&ns->now.impulses, own) ||
        !array_resize(&ns->applied, (own + RIGID_CHUNK - 1) / RIGID_CHUNK) ||
        !array_resize(&ns->gains, threads_chunk_count(g->store.count)) ||
        !nonsmooth_add_guards(ns, step, problem, solution) ||
        (g->spectra.per_decade && !spectra_reserve(g, own)))
        return error_memory(error, "the contacts");
    nonsmooth_cohere(ns, step, problem);
    return nonsmooth_check_overlap(g, error);
}
