// Contacts of rigid grains with walls: which are in the problem, and the condition of each (nonsmooth_condition.c)
// with the motion of the wall.
//
// A wall that turns at w while a grain moves straight on: seen from the wall, the grain at the distance rho from its
// origin, with the velocity u, is displaced by
//
//     nu = h^2/2 (-w x (w x rho) - 2 w x u)
//
// at the end of the step. nu/h is added to the relative velocity, along the normal and along the wall: a grain that is
// carried round by a wall moves along the chord. Along the tangent it would leave through the wall.
//
// In the method of Moreau and Jean (nscd.c), until the middle of the next step a wall whose velocity changes from V0 to
// V1 moves by h V1 + (1 - theta) h (V1 - V0). A wall with a prescribed motion has that velocity (world_rigid.c); any
// other one stands where the step begins, and moves by h V1.
#include <math.h>

#include "grains/nonsmooth.h"

// The impulse that the contact had in the last step, NULL: none; *at: the first one of this grain or of a later one.
static const ContactImpulse *nonsmooth_wall_impulse_before(const RigidContacts *last, const WallKey *key,
                                                           size_t *at) {
    while (*at < last->walls.count && last->walls.data[*at].grain < key->grain) ++*at;
    for (size_t k = *at; k < last->walls.count && last->walls.data[k].grain == key->grain; k++)
        if (last->walls.data[k].part == key->part && last->walls.data[k].feature == key->feature)
            return &last->impulses.data[last->slots.count + k];
    return NULL;
}

// nu/h. For a sphere, `velocity` is that of its centre relative to the wall at the contact point; relative to the wall
// at the centre it is larger by w x arm. (For other shapes it is that of their own point at the contact.)
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

// Where restitution acts on contacts that touch, those that bounce overlap, and open within some steps
// (nonsmooth_parting_bias).
static bool nonsmooth_bounces_by_touch(const FindContext *f, const RigidWall *wall, const RigidPair *pair) {
    return f->by_touch && !wall->later && pair->restitution > 0;
}

// The term nu/h is part of the condition on gaps. In an impact on a machine it is added only as far as the grain does
// not leave faster than it came: otherwise balls in a pendulum with e = 1 gained p h w^2 r/2 by each impact. (Left out
// altogether, grains with a small restitution sank into the walls of a box at 140 rad/s by a thirtieth of a radius.
// Where the motion of the wall is prescribed, its drive supplies the energy.) `bias` is that of Newton's law, e
// u_n(before).
static double nonsmooth_turned_impact(double bias, double before, double turning) {
    return turning < 0 ? rigid_most(bias + turning, rigid_least(before, turning)) : bias;
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
    if (by_touch && wall->yields)
        speed2 -= across * across; // springs make the wall fast within the step: no reason to undo more
    double by_gap =
        nonsmooth_normal_bias(f, t->gap, before, closing, speed2, t->radius, &plastic, &condition.recovery);
    double bias = by_gap;
    if (by_touch || (wall->later && f->crowded))
        bias = nonsmooth_parting_bias(f, pair, t->gap, by_touch ? INFINITY : t->radius, before, bias,
                                      &condition.recovery);
    double turning = vec3_dot(t->turning, t->normal);
    bool bounces = wall->yields && nonsmooth_bounces(f, t->gap, before, closing, &plastic);
    if (bounces) bias = nonsmooth_turned_impact(bias, before, turning);
    if (bounces || (wall->yields && bias != by_gap)) more = vec3_madd(more, -turning, t->normal);
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
    return wall->later || !nonsmooth_waits(f, t->gap, t->before, nonsmooth_pair_with_wall(f->g, t), t->radius,
                                           grain_inverse_mass(f->g, t->i));
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

bool nonsmooth_find_walls(const FindContext *f, ContactProblem *problem, ContactSolution *solution) {
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
