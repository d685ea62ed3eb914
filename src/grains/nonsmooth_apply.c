// The solution of the contact problem moves the grains; the changes of energy are recorded in the ledger.
//
// With the impulses P of a step, v1 = v0 + h g + M^-1 J^T P, the kinetic energy changes by exactly
//
//     (h M g + J^T P) . (v0 + v1)/2
//
// so each contact does the work p . u with the mean u of its relative velocities before and after, without
// bias: its normal part is that of impact, its tangential part friction, that of moments rolling.
//
// An impact never adds energy. Where the normal part is positive, up to p_n r of it is the work of undoing an overlap
// at the speed r; the rest counts as friction, whose law opened the contact. (Undoing an overlap may add nothing:
// grains at rest in a box that turns come to overlap its walls by the sagitta of each step's chord, and are turned
// back.)
//
// The work of gravity differs from the change of potential energy -M g h ((1 - theta) v0 + theta v1) by (theta - 1/2)
// h M g (v0 - v1), theta being 1 in the nonsmooth method: this is numerical dissipation. The work of walls is -P . V
// with the mean twist V of their port. A belt adds p . s, s being the velocity of its surface; friction then
// dissipates the work of u - s. These energies add up to rounding, whatever the tolerance of the solver.
#include <math.h>

#include "base/threads.h"
#include "grains/nonsmooth.h"

static Twist nonsmooth_mean_twist(Twist a, Twist b) {
    return (Twist){vec3_scale(0.5, vec3_add(a.linear, b.linear)),
                   vec3_scale(0.5, vec3_add(a.angular, b.angular))};
}

// Returns the momentum that it gains [kg m/s].
static Vec3 nonsmooth_move_grain(Grains *g, size_t i, double time, Twist after, Twist *mean) {
    double *line = g->motion + i * GRAIN_LINE, *x = g->position + i * QUAD;
    Twist before = {grain_velocity(g, i), grain_spin(g, i)};
    *mean = nonsmooth_mean_twist(before, after);
    if (!nonsmooth_all_spheres(g->nonsmooth)) after.angular = nonsmooth_turn(g, i, after.angular, time);
    else if (g->orientation) grain_turn(g, i, after.angular, time);
    Vec3 rim = vec3_scale(line[GRAIN_RADIUS], after.angular);
    const double moved[6] = {after.linear.x, after.linear.y, after.linear.z, rim.x, rim.y, rim.z};
    memcpy(line, moved, sizeof moved);
    x[0] += time * moved[0], x[1] += time * moved[1], x[2] += time * moved[2];
    return vec3_scale(1 / line[GRAIN_INVERSE_MASS], vec3_sub(after.linear, before.linear));
}

static Vec3 nonsmooth_move_chunk(Grains *g, size_t chunk, double time, const Twist *velocity, Twist *mean) {
    size_t from = chunk * THREADS_CHUNK, to = from + THREADS_CHUNK;
    if (to > g->store.count) to = g->store.count;
    Vec3 gain = vec3_zero();
    for (size_t i = from; i < to; i++)
        gain = vec3_add(gain, nonsmooth_move_grain(g, i, time, velocity[i], &mean[i]));
    return gain;
}

static void nonsmooth_move_grains(Grains *g, const RigidStep *s, const Twist *velocity, Twist *mean) {
    Nonsmooth *ns = g->nonsmooth;
    double theta = ns->theta, time = theta * s->h;
    size_t chunks = threads_chunk_count(g->store.count);
    Vec3 *gains = ns->gains.data, gain = vec3_zero();
    if (chunks > RIGID_CHUNKS_ALONE) {
#pragma omp parallel for schedule(static)
        for (size_t c = 0; c < chunks; c++) gains[c] = nonsmooth_move_chunk(g, c, time, velocity, mean);
    } else
        for (size_t c = 0; c < chunks; c++) gains[c] = nonsmooth_move_chunk(g, c, time, velocity, mean);
    for (size_t c = 0; c < chunks; c++) gain = vec3_add(gain, gains[c]);
    g->algorithm += (theta - 0.5) * s->h * vec3_dot(g->gravity, gain);
}

// What acts: of a contact that coheres, less what pulled its bodies together before.
static ContactImpulse nonsmooth_acting(const Nonsmooth *ns, size_t own, const ContactPoint *c,
                                       ContactImpulse p) {
    if (ns->cohesion.data[own] > 0) p.linear = vec3_madd(p.linear, -ns->cohesion.data[own], c->normal);
    return p;
}

// ---- energies ------------------------------------------------------------------------------------
static Vec3 nonsmooth_velocity_at(const Twist *mean, int32_t body, Vec3 arm) {
    if (body < 0) return vec3_zero();
    return vec3_add(mean[body].linear, vec3_cross(mean[body].angular, arm));
}

static Vec3 nonsmooth_spin_of(const Twist *mean, int32_t body) {
    return body < 0 ? vec3_zero() : mean[body].angular;
}

// `gives`: this impact may add energy, because it gives back what the step dissipated (a rebound), or because it
// coheres.
static void nonsmooth_contact_energies(ApplySums *sums, const ContactPoint *c, const ContactImpulse *p,
                                       double recovery, bool gives, const Twist *mean) {
    Vec3 u =
        vec3_sub(nonsmooth_velocity_at(mean, c->b, c->arm_b), nonsmooth_velocity_at(mean, c->a, c->arm_a));
    double normal = vec3_dot(p->linear, c->normal), work = vec3_dot(p->linear, u),
           across = normal * vec3_dot(u, c->normal), given = gives ? 0 : rigid_most(across, 0),
           undoing = rigid_least(given, normal * recovery);
    sums->stabilisation -= undoing;
    sums->impact -= across - given;
    sums->friction += across - work - (given - undoing);
    if (c->rolling > 0 || c->spinning > 0)
        sums->rolling -=
            vec3_dot(p->angular, vec3_sub(nonsmooth_spin_of(mean, c->b), nonsmooth_spin_of(mean, c->a)));
}

static ApplySums nonsmooth_chunk_energies(const Nonsmooth *ns, size_t chunk, const ContactPoint *contacts,
                                          const ContactImpulse *impulses, const Twist *mean) {
    size_t count = ns->recovery.count, from = chunk * RIGID_CHUNK,
           to = from + RIGID_CHUNK < count ? from + RIGID_CHUNK : count;
    ApplySums sums = {0};
    for (size_t k = from; k < to; k++) {
        ContactImpulse p = nonsmooth_acting(ns, k, &contacts[k], impulses[k]);
        sums.touching += vec3_dot(impulses[k].linear, contacts[k].normal) > 0;
        if (vec3_norm2(p.linear) > 0) // most gaps stay open
            nonsmooth_contact_energies(&sums, &contacts[k], &p, ns->recovery.data[k],
                                       ns->cohesion.data[k] > 0, mean);
    }
    return sums;
}

static void nonsmooth_add_energies(Grains *g, const RigidStep *s, const ContactProblem *problem,
                                   const ContactImpulse *impulses, const Twist *mean) {
    Nonsmooth *ns = g->nonsmooth;
    size_t chunks = (ns->recovery.count + RIGID_CHUNK - 1) / RIGID_CHUNK;
    const ContactPoint *contacts = problem->contacts.data + s->first_contact;
    ApplySums *sums = ns->applied.data, total = {0};
    if (chunks > RIGID_CHUNKS_ALONE) {
#pragma omp parallel for schedule(static)
        for (size_t c = 0; c < chunks; c++)
            sums[c] = nonsmooth_chunk_energies(ns, c, contacts, impulses, mean);
    } else
        for (size_t c = 0; c < chunks; c++)
            sums[c] = nonsmooth_chunk_energies(ns, c, contacts, impulses, mean);
    for (size_t c = 0; c < chunks; c++) {
        total.impact += sums[c].impact, total.friction += sums[c].friction;
        total.rolling += sums[c].rolling, total.stabilisation += sums[c].stabilisation;
        total.touching += sums[c].touching;
    }
    g->impact += total.impact;
    g->friction += total.friction;
    g->rolling += total.rolling;
    g->stabilisation += total.stabilisation;
    ns->touching = total.touching;
}

// For spectra: the two bodies of a contact of the bed, by the place of the grain and that of the other one, or -1 - the
// wall part. Bodies a are walls or grains, bodies b grains.
static int64_t nonsmooth_other(const RigidStep *s, const RigidContacts *contacts, size_t own,
                               const ContactPoint *c) {
    size_t pairs = contacts->slots.count;
    return own < pairs ? c->a - s->first_body : -1 - contacts->walls.data[own - pairs].part;
}

static void nonsmooth_add_spectra(Grains *g, const RigidStep *s, const ContactProblem *problem,
                                  const ContactImpulse *impulses, const Twist *mean) {
    const Nonsmooth *ns = g->nonsmooth;
    for (size_t k = 0; k < ns->recovery.count; k++) {
        const ContactPoint *c = &problem->contacts.data[s->first_contact + k];
        ContactImpulse p = nonsmooth_acting(ns, k, c, impulses[k]);
        ApplySums sums = {0};
        if (!(vec3_norm2(impulses[k].linear) > 0) && !(vec3_norm2(p.linear) > 0)) continue; // still apart
        nonsmooth_contact_energies(&sums, c, &p, ns->recovery.data[k], ns->cohesion.data[k] > 0, mean);
        spectra_touch(g, (size_t)(c->b - s->first_body), nonsmooth_other(s, &ns->now, k, c), sums.impact);
    }
    spectra_step(g);
}

// A belt slides under the grain: its work, which the velocities of bodies do not have.
static void nonsmooth_add_belt(Grains *g, const RigidStep *s, int part, const ContactPoint *c, Vec3 impulse) {
    if (!grains_wall_is_belt(g->definition, part)) return;
    double work = vec3_dot(impulse, nonsmooth_surface_velocity(g, s, part, c->normal));
    wear_add(g, part, work, 0);
    g->belts += work;
    g->input += fmax(work, 0);
    g->friction += work;
}

// ---- loads ---------------------------------------------------------------------------------------
// About the port's origin, which is not that of the body that carries it when a machine is in the problem.
static void nonsmooth_add_loads(Grains *g, const RigidStep *s, const ContactProblem *problem,
                                const ContactImpulse *impulses, const Twist *mean, Load *loads) {
    const Nonsmooth *ns = g->nonsmooth;
    size_t pairs = ns->now.slots.count;
    for (int w = 0; w < g->definition->wall_count; w++) loads[w] = (Load){0};
    for (size_t k = 0; k < ns->now.walls.count; k++) {
        int part = ns->now.walls.data[k].part;
        const RigidWall *wall = &s->walls[part];
        const ContactPoint *c = &problem->contacts.data[s->first_contact + pairs + k];
        ContactImpulse p = nonsmooth_acting(ns, pairs + k, c, impulses[pairs + k]);
        if (!(vec3_norm2(p.linear) > 0)) continue; // most gaps stay open
        Vec3 arm = vec3_add(c->arm_a, vec3_sub(wall->origin, wall->motion.position));
        ApplySums sums = {0};
        nonsmooth_contact_energies(&sums, c, &p, ns->recovery.data[pairs + k],
                                   ns->cohesion.data[pairs + k] > 0, mean);
        wear_add(g, part, sums.friction, sums.impact);
        nonsmooth_add_belt(g, s, part, c, p.linear);
        loads[part].force = vec3_sub(loads[part].force, p.linear);
        loads[part].moment = vec3_sub(loads[part].moment, vec3_add(vec3_cross(arm, p.linear), p.angular));
    }
}

// What walls did to the grains: their impulses times the mean velocity of the port.
static double nonsmooth_work_of_walls(const Grains *g, const RigidStep *s, const Twist *mean,
                                      const Load *impulses) {
    double work = 0;
    for (int w = 0; w < g->definition->wall_count; w++) {
        const RigidWall *wall = &s->walls[w];
        if (wall->body < 0) continue;
        Twist body = mean[wall->body];
        Vec3 arm = vec3_sub(wall->motion.position, wall->origin);
        Vec3 velocity = vec3_add(body.linear, vec3_cross(body.angular, arm));
        work -= vec3_dot(impulses[w].force, velocity) + vec3_dot(impulses[w].moment, body.angular);
    }
    return work;
}

// Guards act where their contacts do: one impulse of both.
static void nonsmooth_take_guards(const Nonsmooth *ns, ContactImpulse *own) {
    const ContactImpulse *guard = own + ns->recovery.count;
    for (size_t k = 0; k < ns->guards.count; k++)
        if (ns->guards.data[k] > 0) own[k].linear = vec3_add(own[k].linear, (guard++)->linear);
}

void nonsmooth_apply(Grains *g, const RigidStep *s, const ContactProblem *problem, ContactSolution *solution,
                     Twist *mean, Load *impulses) {
    Nonsmooth *ns = g->nonsmooth;
    ContactImpulse *own = solution->impulses.data + s->first_contact;
    nonsmooth_take_guards(ns, own);
    nonsmooth_move_grains(g, s, solution->velocity.data + s->first_body, mean + s->first_body);
    nonsmooth_add_energies(g, s, problem, own, mean);
    if (g->spectra.per_decade) nonsmooth_add_spectra(g, s, problem, own, mean);
    nonsmooth_add_loads(g, s, problem, own, mean, impulses);
    double work = nonsmooth_work_of_walls(g, s, mean, impulses);
    g->work += work;
    g->input += fmax(work, 0);
    for (int w = 0; w < g->definition->wall_count; w++)
        ns->loads.data[w] =
            (Load){vec3_scale(1 / s->h, impulses[w].force), vec3_scale(1 / s->h, impulses[w].moment)};
    if (ns->now.impulses.count) memcpy(ns->now.impulses.data, own, ns->now.impulses.count * sizeof *own);
    RigidContacts swap = ns->last;
    ns->last = ns->now;
    ns->now = swap;
    g->step = s->h;
    g->steps++;
}

// ---- rebound -------------------------------------------------------------------------------------
static void nonsmooth_set_velocities(Grains *g, const Twist *velocity, Twist *mean) {
    for (size_t i = 0; i < g->store.count; i++) {
        double *line = g->motion + i * GRAIN_LINE;
        Twist after = velocity[i];
        Vec3 rim = vec3_scale(line[GRAIN_RADIUS], after.angular);
        mean[i] = nonsmooth_mean_twist((Twist){grain_velocity(g, i), grain_spin(g, i)}, after);
        const double now[6] = {after.linear.x, after.linear.y, after.linear.z, rim.x, rim.y, rim.z};
        memcpy(line, now, sizeof now);
    }
}

// The walls of the step are those of `last`: nonsmooth_apply has put them there.
void nonsmooth_rebound(Grains *g, const RigidStep *s, const ContactProblem *problem,
                       const ContactSolution *solution, const size_t *source, size_t from, size_t to,
                       Twist *mean, Load *impulses) {
    Nonsmooth *ns = g->nonsmooth;
    size_t pairs = ns->last.slots.count;
    ApplySums sums = {0};
    nonsmooth_set_velocities(g, solution->velocity.data + s->first_body, mean + s->first_body);
    for (int w = 0; w < g->definition->wall_count; w++) impulses[w] = (Load){0};
    for (size_t k = from; k < to; k++) {
        const ContactPoint *c = &problem->contacts.data[k];
        const ContactImpulse *p = &solution->impulses.data[k];
        size_t own = source[k] - s->first_contact;
        ApplySums one = {0};
        nonsmooth_contact_energies(&sums, c, p, 0, true, mean);
        nonsmooth_contact_energies(&one, c, p, 0, true, mean);
        if (g->spectra.per_decade)
            spectra_more(g, (size_t)(c->b - s->first_body), nonsmooth_other(s, &ns->last, own, c),
                         one.impact);
        if (own < pairs) continue;
        int part = ns->last.walls.data[own - pairs].part;
        wear_add(g, part, one.friction, one.impact);
        Vec3 arm = vec3_add(c->arm_a, vec3_sub(s->walls[part].origin, s->walls[part].motion.position));
        nonsmooth_add_belt(g, s, part, c, p->linear);
        impulses[part].force = vec3_sub(impulses[part].force, p->linear);
        impulses[part].moment =
            vec3_sub(impulses[part].moment, vec3_add(vec3_cross(arm, p->linear), p->angular));
    }
    g->impact += sums.impact;
    g->friction += sums.friction;
    g->rolling += sums.rolling;
    double work = nonsmooth_work_of_walls(g, s, mean, impulses);
    g->work += work;
    g->input += fmax(work, 0);
    for (int w = 0; w < g->definition->wall_count; w++)
        ns->loads.data[w] = load_add(ns->loads.data[w], load_scale(1 / s->h, impulses[w]));
}
