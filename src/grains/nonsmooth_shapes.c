// Grains that are not spheres in the nonsmooth method: contacts of their shapes (geometry/shape.h), and how they turn.
//
// Contacts act where the grain is at the beginning of the step, with its inertia I(n) there; they give it the angular
// momentum L = I(n) w, and the solver's w is that. Then the grain turns for the step by itself (turning.c). The gyroscopic
// moment is in this part alone: the contact problem has none, and the energies of contacts are exact.
#include <math.h>

#include "base/threads.h"
#include "grains/nonsmooth.h"

// Grains whose contacts are found together: fewer than in other chunks, because a stone takes 1 us or more, and all
// threads wait for the last chunk of a step.
enum { shapes_chunk = 64 };
static size_t shapes_chunk_count(const Grains *g) {
    return (g->store.count + shapes_chunk - 1) / shapes_chunk;
}
static size_t shapes_chunk_end(const Grains *g, size_t chunk) {
    size_t end = (chunk + 1) * shapes_chunk;
    return end < g->store.count ? end : g->store.count;
}

// ---- creation ------------------------------------------------------------------------------------
// By the definition, not by the grains that are there: a bed may begin empty.
MrcStatus nonsmooth_shapes_create(Grains *g, MrcError *error) {
    const Shape *shapes = grains_shapes(g->definition);
    int count = grains_shape_count(g->definition);
    Nonsmooth *ns = g->nonsmooth;
    if (!array_resize(&ns->turning, (size_t)count)) return error_memory(error, "the shapes of grains");
    for (int k = 0; k < count; k++) ns->turning.data[k] = turning_of_shape(&shapes[k]);
    return MRC_OK;
}

void nonsmooth_shapes_free(Nonsmooth *ns) {
    for (size_t c = 0; c < ns->shape_hits.count; c++) array_free(&ns->shape_hits.data[c]);
    for (size_t c = 0; c < ns->wall_hits.count; c++) array_free(&ns->wall_hits.data[c]);
    array_free(&ns->shape_hits);
    array_free(&ns->firsts);
    array_free(&ns->wall_hits);
    array_free(&ns->axes);
    array_free(&ns->turning);
}

// ---- bodies --------------------------------------------------------------------------------------
// World axes [1/(kg m^2)].
static Mat3 nonsmooth_inverse_inertia(const Grains *g, size_t i) {
    return turning_inverse_inertia(&g->nonsmooth->turning.data[g->store.shape[i]],
                                   grain_pose(g, i).orientation, g->position[i * QUAD + 3],
                                   grain_inverse_mass(g, i));
}

static void nonsmooth_set_shape(const Grains *g, size_t i, Vec3 gain, int32_t body, ContactProblem *problem) {
    Twist free = {.linear = vec3_add(grain_velocity(g, i), gain), .angular = grain_spin(g, i)};
    contact_problem_set_rigid(problem, body, grain_inverse_mass(g, i), nonsmooth_inverse_inertia(g, i), free);
}

bool nonsmooth_add_shapes(const Grains *g, double h, ContactProblem *problem) {
    size_t count = g->store.count;
    Vec3 gain = vec3_scale(h, g->gravity);
    int32_t first = contact_problem_add_rigids(problem, count);
    if (first < 0) return false;
#pragma omp parallel for schedule(static) if (count > THREADS_CHUNK)
    for (size_t i = 0; i < count; i++) nonsmooth_set_shape(g, i, gain, first + (int32_t)i, problem);
    return true;
}

void nonsmooth_turned(const Grains *g, const RigidStep *step, ContactProblem *problem) {
    if (nonsmooth_all_spheres(g->nonsmooth)) return;
    for (size_t i = 0; i < g->store.count; i++) {
        size_t body = (size_t)step->first_body + i;
        problem->free_velocity.data[body].angular = grain_spin(g, i);
        int32_t tensor = problem->bodies.data[body].tensor;
        if (tensor > 0) problem->tensors.data[tensor - 1] = nonsmooth_inverse_inertia(g, i);
    }
}

// ---- turning -------------------------------------------------------------------------------------
Vec3 nonsmooth_turn(Grains *g, size_t i, Vec3 spin, double h) {
    return turning_turn(&g->nonsmooth->turning.data[g->store.shape[i]], g->orientation + i * QUAD, spin, h);
}

// ---- pairs ---------------------------------------------------------------------------------------
static Vec3 nonsmooth_point_velocity(const Grains *g, size_t i, Vec3 arm) {
    return vec3_add(grain_velocity(g, i), vec3_cross(grain_spin(g, i), arm));
}

// How far a point of the grain may come in a step by turning [m].
static double nonsmooth_turning_reach(const Grains *g, size_t i, double h) {
    return h * vec3_norm(grain_spin(g, i)) * g->position[i * QUAD + 3];
}

// The centre of grain j, or of its image that is nearest to grain i.
static Vec3 nonsmooth_seen_from(const Grains *g, size_t i, size_t j) {
    Vec3 a = grain_center(g, i), b = grain_center(g, j);
    return g->periodic.any ? vec3_add(a, periodic_nearest(&g->periodic, vec3_sub(b, a))) : b;
}

static bool nonsmooth_meet(const FindContext *f, size_t i, size_t j, int32_t slot, ShapeHits *hits) {
    const Grains *g = f->g;
    Shape a = store_shape(&g->store, i), b = store_shape(&g->store, j);
    Pose pose_a = grain_pose(g, i), pose_b = grain_pose(g, j);
    pose_b.position = nonsmooth_seen_from(g, i, j);
    double range = g->nonsmooth->range, h = f->step->h;
    Vec3 way = vec3_scale(h, vec3_sub(grain_velocity(g, i), grain_velocity(g, j)));
    double margin =
        range + vec3_norm(way) + nonsmooth_turning_reach(g, i, h) + nonsmooth_turning_reach(g, j, h);
    ShapeContact found[SHAPE_CONTACT_MAX];
    ShapeAxis *known = &g->nonsmooth->axes.data[slot];
    Vec3 axis = {known->x, known->y, known->z};
    int count = shape_pair_contacts_again(&a, &pose_a, &b, &pose_b, margin, way, &axis, found);
    *known = (ShapeAxis){(float)axis.x, (float)axis.y, (float)axis.z};
    for (int c = 0; c < count; c++) {
        Vec3 velocity = vec3_sub(nonsmooth_point_velocity(g, j, vec3_sub(found[c].point, pose_b.position)),
                                 nonsmooth_point_velocity(g, i, vec3_sub(found[c].point, pose_a.position)));
        double approach = vec3_dot(velocity, found[c].normal); // the normal leads from j to i
        if (found[c].gap - h * rigid_most(approach, 0) >= range) continue;
        if (nonsmooth_pair_waits(f, i, j, found[c].gap, -approach)) continue;
        if (!array_push(hits, (ShapeHit){(int32_t)i, (int32_t)j, slot, found[c]})) return false;
    }
    return true;
}

static bool nonsmooth_find_shapes_near(const FindContext *f, size_t chunk) {
    const Grains *g = f->g;
    const Neighbours *n = &g->neighbours;
    ShapeHits *hits = &g->nonsmooth->shape_hits.data[chunk];
    size_t from = chunk * shapes_chunk, to = shapes_chunk_end(g, chunk);
    hits->count = 0;
    for (size_t i = from; i < to; i++) {
        const double *x = g->position + i * QUAD;
        for (int32_t s = n->start.data[i]; s < n->start.data[i + 1]; s++) {
            size_t j = (size_t)n->index.data[s];
            const double *y = g->position + j * QUAD;
            Vec3 d = periodic_nearest(&g->periodic, vec3(y[0] - x[0], y[1] - x[1], y[2] - x[2]));
            double reach = x[3] + y[3] + f->reach;
            if (vec3_norm2(d) < reach * reach && !nonsmooth_meet(f, i, j, s, hits)) return false;
        }
    }
    return true;
}

// Both are in the order of slots: *at only goes forward, to the first point of the pair.
static ContactImpulse nonsmooth_shape_impulse_before(const RigidContacts *last, int32_t slot, int64_t feature,
                                                     size_t *at) {
    while (*at < last->slots.count && last->slots.data[*at] < slot) ++*at;
    for (size_t k = *at; k < last->slots.count && last->slots.data[k] == slot; k++)
        if (last->features.data[k] == feature) return last->impulses.data[k];
    return (ContactImpulse){0};
}

static double nonsmooth_make_shape_pair(const FindContext *f, const ShapeHit *hit, ContactPoint *contact,
                                        int points, double *recovery, double *cohesion, bool *by_coulomb) {
    const Grains *g = f->g;
    size_t i = (size_t)hit->i, j = (size_t)hit->j;
    double a = g->position[i * QUAD + 3], b = g->position[j * QUAD + 3], radius = a * b / (a + b);
    Vec3 normal = vec3_neg(hit->contact.normal); // from i to j
    Vec3 arm_a = vec3_sub(hit->contact.point, grain_center(g, i));
    Vec3 arm_b = vec3_sub(hit->contact.point, nonsmooth_seen_from(g, i, j));
    Vec3 velocity = vec3_sub(nonsmooth_point_velocity(g, j, arm_b), nonsmooth_point_velocity(g, i, arm_a));
    double before = vec3_dot(velocity, normal), gap = hit->contact.gap;
    bool spheres =
        nonsmooth_is_sphere(g, i) && nonsmooth_is_sphere(g, j); // that spin in place do not pass each other
    Vec3 passing = spheres ? vec3_sub(grain_velocity(g, j), grain_velocity(g, i)) : velocity;
    const RigidPair *pair = nonsmooth_pair_of(g, i, j);
    *cohesion = nonsmooth_cohesion(f, gap, rigid_least(a, b), pair) / points;
    double bias =
        nonsmooth_normal_bias(f, gap, before, before, vec3_norm2(passing), rigid_least(a, b), pair, recovery);
    if (f->later || f->by_touch)
        bias = nonsmooth_parting_bias(f, pair, gap, rigid_least(a, b), before, bias, recovery);
    SlidingLaw law = nonsmooth_sliding_law(f, pair, pair->restitution, gap, bias, before, before,
                                           nonsmooth_sliding(velocity, normal));
    *by_coulomb = *by_coulomb || law.by_coulomb;
    *contact = (ContactPoint){.a = f->step->first_body + hit->i,
                              .b = f->step->first_body + hit->j,
                              .normal = normal,
                              .arm_a = arm_a,
                              .arm_b = arm_b,
                              .bias = vec3_scale(bias, normal),
                              .friction = law.friction,
                              .rolling = pair->rolling * radius,
                              .spinning = pair->spinning * radius};
    return -gap / rigid_least(a, b);
}

// How many points the pair of hit k has; they are one after the other.
static int nonsmooth_points_of_pair(const ShapeHits *hits, size_t k) {
    size_t from = k, to = k + 1;
    while (from > 0 && hits->data[from - 1].slot == hits->data[k].slot) from--;
    while (to < hits->count && hits->data[to].slot == hits->data[k].slot) to++;
    return (int)(to - from);
}

// The first contact of the last step that may belong to the slot: they are in the order of slots.
static size_t nonsmooth_first_of_slot(const RigidContacts *last, int32_t slot) {
    size_t from = 0, to = last->slots.count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (last->slots.data[middle] < slot) from = middle + 1;
        else to = middle;
    }
    return from;
}

// `first`: hits of the chunks before.
static void nonsmooth_put_shape_pairs(const FindContext *f, size_t first, size_t chunk,
                                      ContactProblem *problem, ContactSolution *solution) {
    Nonsmooth *ns = f->g->nonsmooth;
    const ShapeHits *hits = &ns->shape_hits.data[chunk];
    FindSums *found = &ns->found.data[chunk];
    *found = (FindSums){.count = hits->count};
    size_t at = hits->count > 0 ? nonsmooth_first_of_slot(&ns->last, hits->data[0].slot) : 0;
    for (size_t k = 0; k < hits->count; k++) {
        const ShapeHit *hit = &hits->data[k];
        size_t own = first + k, whole = f->step->first_contact + own;
        double ratio = nonsmooth_make_shape_pair(f, hit, &problem->contacts.data[whole],
                                                 nonsmooth_points_of_pair(hits, k), &ns->recovery.data[own],
                                                 &ns->cohesion.data[own], &found->by_coulomb);
        solution->impulses.data[whole] =
            nonsmooth_shape_impulse_before(&ns->last, hit->slot, hit->contact.feature, &at);
        ns->now.slots.data[own] = hit->slot;
        ns->now.features.data[own] = hit->contact.feature;
        ns->rebound.data[own] = 0;
        if (f->relaxed) ns->guards.data[own] = 0;
        if (ratio > found->ratio) found->ratio = ratio, found->grain = hit->i, found->other = hit->j;
    }
}

// When lists are new the axes are those of other pairs, which does no harm: such an axis is tested without success.
static bool nonsmooth_fit_axes(Nonsmooth *ns, size_t slots) {
    size_t before = ns->axes.count;
    if (!array_resize(&ns->axes, slots)) return false;
    for (size_t s = before; s < slots; s++) ns->axes.data[s] = (ShapeAxis){0, 0, 0};
    return true;
}

static bool nonsmooth_fit_hits(Nonsmooth *ns, size_t chunks) {
    size_t before = ns->shape_hits.count;
    if (!array_resize(&ns->firsts, chunks)) return false;
    if (chunks <= before) return true;
    if (!array_resize(&ns->wall_hits, chunks) || !array_resize(&ns->shape_hits, chunks)) return false;
    for (size_t c = before; c < chunks; c++)
        ns->shape_hits.data[c] = (ShapeHits){0}, ns->wall_hits.data[c] = (WallHits){0};
    return true;
}

bool nonsmooth_find_shape_pairs(const FindContext *f, ContactProblem *problem, ContactSolution *solution) {
    Grains *g = f->g;
    Nonsmooth *ns = g->nonsmooth;
    size_t chunks = shapes_chunk_count(g), count = 0;
    bool alone = g->store.count <= THREADS_CHUNK;
    if (!nonsmooth_fit_axes(ns, g->neighbours.index.count) || !nonsmooth_fit_hits(ns, chunks)) return false;
    int failed = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : failed) if (!alone)
    for (size_t c = 0; c < chunks; c++) failed += !nonsmooth_find_shapes_near(f, c);
    for (size_t c = 0; c < chunks; c++) {
        ns->firsts.data[c] = count;
        count += ns->shape_hits.data[c].count;
    }
    size_t whole = f->step->first_contact + count;
    if (failed || !array_resize(&ns->found, chunks) || !array_resize(&problem->contacts, whole) ||
        !array_resize(&solution->impulses, whole) || !array_resize(&ns->recovery, count) ||
        !array_resize(&ns->rebound, count) || !array_resize(&ns->cohesion, count) ||
        !array_resize(&ns->guards, f->relaxed ? count : 0) || !array_resize(&ns->now.slots, count) ||
        !array_resize(&ns->now.features, count))
        return false;
#pragma omp parallel for schedule(static) if (!alone)
    for (size_t c = 0; c < chunks; c++)
        nonsmooth_put_shape_pairs(f, ns->firsts.data[c], c, problem, solution);
    return true;
}

// ---- walls ---------------------------------------------------------------------------------------
// Points with the same normal.
static int nonsmooth_points_of_face(const ShapeContact *contacts, int count, int which) {
    int points = 0;
    for (int c = 0; c < count; c++) points += vec3_dot(contacts[c].normal, contacts[which].normal) > 0.999;
    return points;
}

static bool nonsmooth_meet_wall(const FindContext *f, size_t i, int part, WallHits *hits) {
    const Grains *g = f->g;
    const RigidWall *wall = &f->step->walls[part];
    Shape shape = store_shape(&g->store, i);
    Pose pose = grain_pose(g, i);
    double h = f->step->h;
    Vec3 across = vec3_sub(grain_velocity(g, i), motion_velocity_at(&wall->motion, pose.position));
    double margin = g->nonsmooth->range + h * (vec3_norm(across) + h * f->fall) +
                    nonsmooth_turning_reach(g, i, h) +
                    h * vec3_norm(wall->motion.angular_velocity) * shape.radius;
    Pose local = {mat3_apply_transpose(wall->axes, vec3_sub(pose.position, wall->motion.position)),
                  quaternion_mul(quaternion_conjugate(wall->motion.orientation), pose.orientation)};
    ShapeContact contacts[SHAPE_CONTACT_MAX];
    Vec3 way = vec3_scale(h, mat3_apply_transpose(wall->axes, across));
    int count =
        shape_wall_contacts_passing(&shape, &local, &g->definition->walls[part].shape, margin, way, contacts);
    for (int c = 0; c < count; c++) {
        WallNear near = {.i = i,
                         .part = part,
                         .radius = shape.radius,
                         .center = pose.position,
                         .normal = mat3_apply(wall->axes, contacts[c].normal),
                         .gap = contacts[c].gap,
                         .points = nonsmooth_points_of_face(contacts, count, c),
                         .feature = contacts[c].feature,
                         .sphere = nonsmooth_is_sphere(g, i)};
        Vec3 point = vec3_add(wall->motion.position, mat3_apply(wall->axes, contacts[c].point));
        near.arm = vec3_sub(vec3_madd(point, 0.5 * near.gap, near.normal), pose.position);
        Vec3 own = near.sphere ? grain_velocity(g, i) : nonsmooth_point_velocity(g, i, near.arm);
        near.velocity = vec3_sub(own, motion_velocity_at(&wall->motion, vec3_add(pose.position, near.arm)));
        if (nonsmooth_wall_acts(f, &near) && !array_push(hits, near)) return false;
    }
    return true;
}

static bool nonsmooth_find_walls_near(const FindContext *f, size_t chunk) {
    const Grains *g = f->g;
    WallHits *hits = &g->nonsmooth->wall_hits.data[chunk];
    size_t from = chunk * shapes_chunk, to = shapes_chunk_end(g, chunk);
    hits->count = 0;
    for (size_t i = from; i < to; i++)
        for (int w = 0; w < g->definition->wall_count; w++)
            if (!nonsmooth_meet_wall(f, i, w, hits)) return false;
    return true;
}

// The first contact of the last step with a wall that may belong to the grain: they are in the order of grains.
static size_t nonsmooth_first_of_grain(const RigidContacts *last, int32_t grain) {
    size_t from = 0, to = last->walls.count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (last->walls.data[middle].grain < grain) from = middle + 1;
        else to = middle;
    }
    return from;
}

// `first`: hits of the chunks before.
static void nonsmooth_put_shape_walls(const FindContext *f, size_t first, size_t chunk,
                                      ContactProblem *problem, ContactSolution *solution) {
    Nonsmooth *ns = f->g->nonsmooth;
    const WallHits *hits = &ns->wall_hits.data[chunk];
    if (hits->count == 0) return;
    size_t at = nonsmooth_first_of_grain(&ns->last, (int32_t)hits->data[0].i),
           own = ns->now.slots.count + first;
    for (size_t k = 0; k < hits->count; k++)
        nonsmooth_put_wall(f, &hits->data[k], own + k, &at, &ns->found.data[chunk], problem, solution);
}

bool nonsmooth_find_shape_walls(const FindContext *f, ContactProblem *problem, ContactSolution *solution) {
    Nonsmooth *ns = f->g->nonsmooth;
    size_t chunks = shapes_chunk_count(f->g), count = 0;
    bool alone = f->g->store.count <= THREADS_CHUNK;
    int failed = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : failed) if (!alone)
    for (size_t c = 0; c < chunks; c++) failed += !nonsmooth_find_walls_near(f, c);
    for (size_t c = 0; c < chunks; c++) {
        ns->firsts.data[c] = count;
        count += ns->wall_hits.data[c].count;
    }
    if (failed || !nonsmooth_fit_walls(f, count, problem, solution)) return false;
#pragma omp parallel for schedule(static) if (!alone)
    for (size_t c = 0; c < chunks; c++)
        nonsmooth_put_shape_walls(f, ns->firsts.data[c], c, problem, solution);
    return true;
}
