// The contacts of a step: those of grains with each other and with walls (nonsmooth_walls.c), into the contact problem.
//
// A contact is in the problem when its gap is below the activation distance (delta of Eq. 15 of
// doi:10.1016/j.mechmachtheory.2020.104181; nonsmooth_lists.c) or would close within the step. Which law it has is in
// nonsmooth_condition.c.
//
// The contact point of two grains is in the middle of the gap, that of a grain with a wall on the grain. Impulse and
// reaction act at this one point, so that angular momentum is kept to rounding.
#include <math.h>
#include <stdio.h>

#include "base/threads.h"
#include "base/watch.h"
#include "grains/nonsmooth.h"

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
    if (f->later || f->by_touch)
        bias = nonsmooth_parting_bias(f, pair, gap, rigid_least(a, b), before, bias, recovery);
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
        if (f->by_touch && nonsmooth_pair_waits(f, (size_t)hit.i, (size_t)hit.j, gap, -approach)) continue;
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

static MrcStatus nonsmooth_stopped(const Grains *g, MrcError *error) {
    return watch_error(error, "the contacts of grains '%s' were listed", g->definition->name);
}

MrcStatus nonsmooth_collect(Grains *g, RigidStep *step, ContactProblem *problem, ContactSolution *solution,
                            MrcError *error) {
    bool made;
    if (watch_stopped()) return nonsmooth_stopped(g, error);
    MrcStatus status = nonsmooth_lists(g, step, &made, error);
    if (status == MRC_OK && made) status = nonsmooth_check_lost(g, step, error);
    if (status == MRC_OK && watch_stopped()) status = nonsmooth_stopped(g, error);
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
    if (added && watch_stopped()) return nonsmooth_stopped(g, error);
    find.crowded = added && ns->now.slots.count > 0;
    added = added && (spheres ? nonsmooth_find_walls(&find, problem, solution)
                              : nonsmooth_find_shape_walls(&find, problem, solution));
    if (!added) return error_memory(error, "the contacts");
    if (watch_stopped()) return nonsmooth_stopped(g, error);
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
