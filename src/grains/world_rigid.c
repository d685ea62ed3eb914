// Beds of rigid grains: ports, machine and grains become one contact problem, its solution moves them.
#include <float.h>
#include <math.h>

#include "grains/world_internal.h"

enum { WORLD_RIGID_FAILED_STEPS = 200 }; // in a row, before the run is stopped
static const double world_rigid_failed_residual =
    0.3; // contacts are violated about as much as without any impulse
// Walls whose motion is given squeeze grains that have nowhere to go: the problem has no solution, and solvers end, after long,
// with impulses that grow from step to step. A step counts tenfold that is not solved and whose impulses, of all contacts
// together, are so many times what stops all grains at the speed of the walls and of a fall through the bed. (The grains' own
// speed is no measure: some are shot away. A ram on forty grains in a tube, a screw that turns against a closed end: above 200.
// A bed at rest, also in a wedge that friction locks for some steps: below one.)
static const double world_rigid_squeezed_impulse = 30;
enum { WORLD_RIGID_SQUEEZED_WEIGHT = 10 };

// ---- ports -------------------------------------------------------------------------------------
static int world_rigid_carried_count(const World *w) { return w->machine ? w->machine->port_count : 0; }

// Velocity of the body's point at the port's origin.
static Twist world_rigid_twist_at(const World *w, int port, Twist body, Vec3 place) {
    if (port >= world_rigid_carried_count(w)) return body;
    Vec3 arm = vec3_sub(place, w->carried[port].origin);
    return (Twist){vec3_add(body.linear, vec3_cross(body.angular, arm)), body.angular};
}

// A machine adds its own bodies; the motion of the ports after its own is prescribed.
static MrcStatus world_rigid_add_machine(World *w, MrcError *error) {
    MrcStatus status = w->machine->add(w->machine->self, &w->problem, w->carried, error);
    for (int p = 0; p < w->machine->port_count && status == MRC_OK; p++) w->bodies[p] = w->carried[p].body;
    return status;
}

// Free velocities become those with the impulses of rows but without contacts; these impulses are added to the
// solution's in the end. The problem stays equivalent; but contacts are searched with the motion of the machine as
// its joints allow it, and the residual is relative to violations of contacts, not of joints.
static MrcStatus world_rigid_hold_by_rows(World *w, const Motion *ports, MrcError *error) {
    ContactProblem *problem = &w->problem;
    if (problem->rows.count > 0) {
        ContactOptions options = contact_options_default();
        ContactReport report;
        MrcStatus status = contact_solve(problem, &options, w->workspace, &w->held, &report, error);
        if (status != MRC_OK) return status;
        memcpy(problem->free_velocity.data, w->held.velocity.data,
               problem->bodies.count * sizeof *w->held.velocity.data);
    }
    for (int p = 0; p < world_rigid_carried_count(w); p++)
        if (w->bodies[p] >= 0)
            w->twists[p] =
                world_rigid_twist_at(w, p, problem->free_velocity.data[w->bodies[p]], ports[p].position);
    return MRC_OK;
}

// Velocity of a prescribed port in the contacts of the step. Grains that are moved by (1 - theta) v0 + theta v1 follow a
// port that moves from pose to pose with V0, V1, ... if theirs is V1 + (1 - theta) (V1 - V0).
static Twist world_rigid_prescribed(const World *w, int port, const Motion *ports, double theta) {
    Twist given = {ports[port].velocity, ports[port].angular_velocity}, before = w->given_twists[port];
    if (!(w->past_known > 0) || theta == 1) return given;
    return (Twist){vec3_madd(given.linear, 1 - theta, vec3_sub(given.linear, before.linear)),
                   vec3_madd(given.angular, 1 - theta, vec3_sub(given.angular, before.angular))};
}

static double world_rigid_theta(const World *w, int from, int to) {
    for (int b = from; b < to; b++)
        if (w->beds[b].grains->method->rigid)
            return w->beds[b].grains->method->rigid->theta(w->beds[b].grains);
    return 1;
}

static bool world_rigid_add_ports(World *w, const Motion *ports, const double *mobility, double theta) {
    for (int p = world_rigid_carried_count(w); p < w->port_count; p++) {
        if (!mobility) w->twists[p] = world_rigid_prescribed(w, p, ports, theta);
        w->bodies[p] = contact_problem_add_body(&w->problem, 0, 0, w->twists[p]);
        if (w->bodies[p] < 0) return false;
    }
    return !mobility || w->port_count == 0 ||
           contact_problem_add_group(&w->problem, w->port_count, w->bodies, mobility) >= 0;
}

// ---- weight --------------------------------------------------------------------------------------
// How fast the place `x` of a wall is accelerated because the wall turns. Its velocity changes by impacts as well, and by more:
// a body that turns at w and moves at v turns its velocity by w v at most. (In free flight it does not: the smaller one.)
static double world_rigid_turning(const RigidWall *wall, double h, Vec3 x) {
    const Motion *now = &wall->motion;
    Vec3 arm = vec3_sub(x, now->position), across = vec3_cross(now->angular_velocity, arm),
         change = vec3_add(vec3_sub(now->velocity, wall->past.linear),
                           vec3_cross(vec3_sub(now->angular_velocity, wall->past.angular), arm)),
         acceleration = vec3_madd(vec3_cross(now->angular_velocity, across), 1 / h, change);
    return fmin(vec3_norm(acceleration),
                vec3_norm(now->angular_velocity) * vec3_norm(vec3_add(now->velocity, across)));
}

// Weight over mass of a grain in the middle of the bed that rests in its walls: gravity, and on a machine that turns
// the centrifugal acceleration.
static double world_rigid_weight(const World *w, const Grains *g, const RigidWall *walls, double h) {
    Vec3 middle = vec3_zero();
    double turning = 0;
    for (size_t i = 0; i < g->store.count; i++) middle = vec3_add(middle, grain_center(g, i));
    if (g->store.count > 0) middle = vec3_scale(1 / (double)g->store.count, middle);
    for (int part = 0; part < g->definition->wall_count; part++)
        if (walls[part].body >= 0) turning = fmax(turning, world_rigid_turning(&walls[part], h, middle));
    return vec3_norm(w->gravity) + turning;
}

// ---- building ------------------------------------------------------------------------------------
static MrcStatus world_rigid_build(World *w, double h, int from, int to, const Motion *ports,
                                   const double *mobility, MrcError *error) {
    ContactProblem *problem = &w->problem;
    contact_problem_clear(problem);
    w->solution.impulses.count = 0;
    MrcStatus added = w->machine ? world_rigid_add_machine(w, error) : MRC_OK;
    if (added != MRC_OK) return added;
    if (!world_rigid_add_ports(w, ports, mobility, world_rigid_theta(w, from, to)))
        return error_memory(error, "the contact problem");
    if (w->machine) added = world_rigid_hold_by_rows(w, ports, error);
    if (added != MRC_OK) return added;
    for (int b = from; b < to; b++) {
        const WorldBed *bed = &w->beds[b];
        if (!bed->grains->method->rigid) continue;
        RigidWall *walls = w->walls.data + world_first_wall(w, b);
        for (int part = 0; part < bed->grains->definition->wall_count; part++) {
            int port = bed->wall_ports[part];
            walls[part] = (RigidWall){.motion = motion_at_rest(), .axes = mat3_identity(), .body = -1};
            if (port < 0) continue;
            walls[part].motion = ports[port];
            walls[part].axes = quaternion_to_matrix(ports[port].orientation);
            walls[part].motion.velocity = w->twists[port].linear;
            walls[part].motion.angular_velocity = w->twists[port].angular;
            walls[part].body = w->bodies[port];
            walls[part].later = w->later && mobility;
            walls[part].past = w->twists[port];
            walls[part].yields = mobility || port < world_rigid_carried_count(w);
            if (w->past_known > 0) walls[part].past = w->past_twists[port];
            if (w->past_known > 0 && !walls[part].yields) walls[part].prescribed = w->given_twists[port];
            walls[part].origin =
                port < world_rigid_carried_count(w) ? w->carried[port].origin : ports[port].position;
        }
        w->rigid[b] =
            (RigidStep){.h = h, .walls = walls, .weight = world_rigid_weight(w, bed->grains, walls, h)};
        MrcStatus status =
            bed->grains->method->rigid->collect(bed->grains, &w->rigid[b], problem, &w->solution, error);
        if (status != MRC_OK) return status;
    }
    return MRC_OK;
}

// ---- solving -------------------------------------------------------------------------------------
// A gap is the difference of places of the size of the arms, after some thirty operations (walls are turned): this part of
// that size is rounding.
static const double world_rigid_rounding = 32 * DBL_EPSILON;

ContactOptions world_options(const GrainsDefinition *d, double weight, double step, double size) {
    const SolverDefinition *s = &d->contact.solver;
    ContactOptions o = contact_options_default();
    o.method = s->method;
    if (s->tolerance > 0) o.tolerance = s->tolerance;
    if (s->iterations > 0) {
        int most = s->iterations > 1000000000 ? 1000000000 : (int)s->iterations;
        o.sweeps = o.gradient_iterations = o.interior_iterations = most;
    }
    // The tolerance is relative at least to the velocity that its weight gives a grain in a step: a bed that is about
    // to lift off, with nearly no weight left, need not be solved more finely than one at rest.
    o.velocity_scale = weight * step;
    // Nor need velocities be finer than what the rounding of gaps makes of them in a step. (A ball in an edge sticks to
    // two walls whose gaps differ by rounding: it can do so only once the one has loaded the friction of the other to
    // its limit, after hundred thousands of sweeps.)
    o.velocity_scale = fmax(o.velocity_scale, world_rigid_rounding * size / step / o.tolerance);
    return o;
}

// Contacts that slide may open at what its weight gives a grain in a step, which takes it away in the next one; without gravity
// by 1e-5 of a radius in a step at least. (As overlaps are undone, nonsmooth_condition.c.) A tenth of it takes ten times as many sweeps
// in Saeki's box at rest; with this it is twice as many as the relaxed law takes there, and as many in the cantilever's
// damper.
//
// A contact that goes on sliding does so at the gap h d, which the bias takes off again: at g h^2, some micrometres. In
// the method nscd this vanishes with the tolerance. (80 stones of ballast that come to rest, friction 0.7, residual 1e-3:
// 610 to 730 sweeps a step with d = 0, 240 to 620 with a tenth of g h, 80 to 115 with g h.)
static double world_rigid_dilation(const World *w, int bed, double h, double tolerance) {
    const Grains *grains = w->beds[bed].grains;
    double share = grains->method->rigid->exact ? fmin(1, 1e6 * tolerance) : 1,
           least = vec3_norm2(w->gravity) > 0 ? 0 : 1e-5 * grains->radius / h;
    return share * fmax(w->rigid[bed].weight * h, least);
}

static double world_rigid_longest_arm(const ContactProblem *p) {
    double longest2 = 0;
    for (size_t k = 0; k < p->contacts.count; k++) {
        double a2 = vec3_norm2(p->contacts.data[k].arm_a), b2 = vec3_norm2(p->contacts.data[k].arm_b);
        if (a2 > longest2) longest2 = a2;
        if (b2 > longest2) longest2 = b2;
    }
    return sqrt(longest2);
}

// Beds that are solved together: the finest tolerance, the most iterations.
static MrcStatus world_rigid_choose_options(World *w, double h, int from, int to, ContactOptions *options,
                                            MrcError *error) {
    const GrainsDefinition *first = NULL;
    ContactLaw law = CONTACT_RELAXED;
    double size = world_rigid_longest_arm(&w->problem);
    for (int b = from; b < to; b++) {
        const GrainsDefinition *d = w->beds[b].grains->definition;
        const GrainsRigid *rigid = w->beds[b].grains->method->rigid;
        if (!rigid) continue;
        ContactOptions own = world_options(d, w->rigid[b].weight, h, size);
        if (own.method == CONTACT_AUTO) own.method = rigid->automatic;
        if (!first) {
            first = d;
            *options = own;
            w->problem.law = law = rigid->law(d);
            w->problem.dilation = rigid->dilates ? world_rigid_dilation(w, b, h, own.tolerance) : 0;
            continue;
        }
        if (rigid->law(d) != law)
            return error_set(error, MRC_MODEL,
                             "grains '%s' and '%s' are coupled by their ports and must have the same "
                             "'contact.law' ('method: nscd' has that of Coulomb)",
                             first->name, d->name);
        options->tolerance = fmin(options->tolerance, own.tolerance);
        if (own.sweeps > options->sweeps) options->sweeps = own.sweeps;
        if (own.gradient_iterations > options->gradient_iterations)
            options->gradient_iterations = own.gradient_iterations;
        if (own.interior_iterations > options->interior_iterations)
            options->interior_iterations = own.interior_iterations;
    }
    if (!first) *options = contact_options_default(); // a machine without grains
    return MRC_OK;
}

static double world_rigid_unsolved_limit(const World *w, int from, int to, double tolerance) {
    double limit = 0;
    for (int b = from; b < to; b++) limit = fmax(limit, w->beds[b].grains->definition->contact.solver.limit);
    return limit > 0 ? limit : fmax(100 * tolerance, 1e-3);
}

#define COPY(to, from)                                                                                       \
    (array_resize((to), (from)->count) &&                                                                    \
     ((from)->count == 0 || memcpy((to)->data, (from)->data, (from)->count * sizeof *(from)->data)))

// If memory is out, the problem is not dumped.
static void world_rigid_keep_worst(World *w) {
    const ContactProblem *p = &w->problem;
    ContactProblem *to = &w->worst;
    to->law = p->law;
    to->dilation = p->dilation;
    bool whole = COPY(&to->bodies, &p->bodies) && COPY(&to->free_velocity, &p->free_velocity) &&
                 COPY(&to->tensors, &p->tensors) && COPY(&to->groups, &p->groups) &&
                 COPY(&to->group_bodies, &p->group_bodies) && COPY(&to->group_numbers, &p->group_numbers) &&
                 COPY(&to->contacts, &p->contacts) && COPY(&to->rows, &p->rows) &&
                 COPY(&w->worst_solution.impulses, &w->solution.impulses) &&
                 COPY(&w->worst_solution.lambdas, &w->solution.lambdas) &&
                 COPY(&w->worst_solution.velocity, &w->solution.velocity);
    if (!whole) contact_problem_clear(to);
}

// Speed of a body at a contact, without impulses.
static double world_rigid_free_speed(const ContactProblem *p, int32_t body, Vec3 arm) {
    if (body < 0) return 0;
    const Twist *free = &p->free_velocity.data[body];
    return vec3_norm(vec3_add(free->linear, vec3_cross(free->angular, arm)));
}

// The speed of a fall through the largest bed.
static double world_rigid_fall_speed(const World *w, int from, int to) {
    double fastest2 = 0;
    for (int b = from; b < to; b++) {
        const Grains *g = w->beds[b].grains;
        Vec3 lower = vec3(INFINITY, INFINITY, INFINITY), upper = vec3_neg(lower);
        if (!g->method->rigid || g->store.count == 0) continue;
        for (size_t i = 0; i < g->store.count; i++) {
            Vec3 x = grain_center(g, i);
            lower = vec3(fmin(lower.x, x.x), fmin(lower.y, x.y), fmin(lower.z, x.z));
            upper = vec3(fmax(upper.x, x.x), fmax(upper.y, x.y), fmax(upper.z, x.z));
        }
        double extent = vec3_norm(vec3_sub(upper, lower)) + 2 * g->radius;
        fastest2 = fmax(fastest2, 2 * w->rigid[b].weight * extent);
    }
    return sqrt(fastest2);
}

// Are impulses far above what the motion gives? Of walls that yield it is not asked: how hard they press is theirs.
static bool world_rigid_is_squeezed(const World *w, int from, int to, double *times) {
    const ContactProblem *p = &w->problem;
    double mass = 0, speed = 0, sum = 0, fall = world_rigid_fall_speed(w, from, to);
    *times = 0;
    if (w->machine || p->groups.count > 0) return false;
    for (size_t k = 0; k < p->bodies.count; k++)
        if (p->bodies.data[k].inverse_mass > 0) mass += 1 / p->bodies.data[k].inverse_mass;
    for (size_t k = 0; k < p->contacts.count; k++) {
        const ContactPoint *c = &p->contacts.data[k];
        bool wall = c->a < 0 || !(p->bodies.data[c->a].inverse_mass > 0);
        if (wall) speed = fmax(speed, world_rigid_free_speed(p, c->a, c->arm_a));
        if (!(fall > 0)) speed = fmax(speed, world_rigid_free_speed(p, c->b, c->arm_b)); // weightless
        sum += vec3_norm(w->solution.impulses.data[k].linear);
    }
    *times = sum / (mass * (speed + fall));
    return *times > world_rigid_squeezed_impulse;
}

static MrcStatus world_rigid_failed(const World *w, double times, MrcError *error) {
    if (times > world_rigid_squeezed_impulse)
        return error_set(
            error, MRC_NOT_CONVERGED,
            "walls squeeze the grains: in %d steps in a row the contact problem (%zu contacts) had no "
            "solution (residual %.2g), and they are pressed %.2g times as hard as "
            "their motion explains. Rigid grains cannot give way: give them room to move on, or use the "
            "smooth method",
            WORLD_RIGID_FAILED_STEPS / WORLD_RIGID_SQUEEZED_WEIGHT, w->problem.contacts.count,
            w->report.residual.relative, times);
    return error_set(error, MRC_NOT_CONVERGED,
                     "the contact problem (%zu contacts) did not converge in %d steps in a row; its relative "
                     "residual is %.2g. Walls may squeeze the grains, or friction may be too large for rigid "
                     "grains: give them more room, or use the smooth method",
                     w->problem.contacts.count, WORLD_RIGID_FAILED_STEPS, w->report.residual.relative);
}

static MrcStatus world_rigid_count_solve(World *w, int from, int to, double limit, MrcError *error) {
    RigidPast *past = &w->rigid_past[from];
    const ContactReport *r = &w->report;
    WorldCounts *c = &w->counts;
    double residual = r->residual.relative;
    c->solves++;
    c->contacts += (int64_t)w->problem.contacts.count;
    c->iterations += r->iterations;
    c->fallbacks += r->fallbacks;
    c->seconds += r->seconds;
    c->loose += !r->converged;
    bool unsolved = !r->converged && !(residual <= limit);
    c->unsolved += unsolved;
    if (unsolved && residual > c->worst) world_rigid_keep_worst(w);
    c->worst = fmax(c->worst, residual);
    double times;
    bool squeezed = unsolved && world_rigid_is_squeezed(w, from, to, &times);
    if (squeezed) past->unsolved += WORLD_RIGID_SQUEEZED_WEIGHT;
    else past->unsolved = unsolved && residual > world_rigid_failed_residual ? past->unsolved + 1 : 0;
    return past->unsolved < WORLD_RIGID_FAILED_STEPS ? MRC_OK
                                                     : world_rigid_failed(w, squeezed ? times : 0, error);
}

// Contacts whose gap stays above a small part of the activation distance are expected to stay open and are left out
// until they close (nsgs.h): sweeping them has no effect.
static double world_rigid_open_margin(const World *w, double h, int from, int to) {
    double activation = 0;
    for (int b = from; b < to; b++) {
        const Grains *g = w->beds[b].grains;
        if (g->method->rigid) activation = fmax(activation, g->method->rigid->activation(g));
    }
    return 0.01 * activation / h;
}

// No contacts: the solution is that of the rows alone.
static MrcStatus world_rigid_solve_rows_only(World *w) {
    ContactSolution *s = &w->solution;
    memset(s->lambdas.data, 0, s->lambdas.count * sizeof *s->lambdas.data);
    memcpy(s->velocity.data, w->problem.free_velocity.data, s->velocity.count * sizeof *s->velocity.data);
    w->counts.solves++;
    w->report = (ContactReport){.converged = true};
    return MRC_OK;
}

static MrcStatus world_rigid_solve(World *w, double h, int from, int to, MrcError *error) {
    ContactOptions options;
    MrcStatus status = world_rigid_choose_options(w, h, from, to, &options, error);
    if (status == MRC_OK) status = contact_solution_fit(&w->solution, &w->problem, error);
    if (status != MRC_OK) return status;
    for (int b = from; b < to; b++)
        if (w->beds[b].grains->method->rigid && w->rigid[b].by_coulomb) w->problem.law = CONTACT_COULOMB;
    options.open_margin = world_rigid_open_margin(w, h, from, to);
    options.enough = world_rigid_unsolved_limit(w, from, to, options.tolerance);
    if (w->problem.contacts.count == 0 && w->problem.rows.count > 0) return world_rigid_solve_rows_only(w);
    status = world_locked_solve(w, from, to, &options, error);
    return status == MRC_OK ? world_rigid_count_solve(w, from, to, options.enough, error) : status;
}

// ---- applying ------------------------------------------------------------------------------------
// Of a wall part, on its port.
static void world_rigid_add_impulse(int port, Load load, Load *impulses) {
    if (port < 0) return;
    impulses[port].force = vec3_add(impulses[port].force, load.force);
    impulses[port].moment = vec3_add(impulses[port].moment, load.moment);
}

// The mean of the twists of a port's body before and after the step, for the energies of contacts. The twist before the
// step is that of the port's motion in the last step. The free twist cannot be used: under a steady load it differs
// from the motion by the response to the load, in every step, and an impact would be recorded where there is none. A
// machine in the problem has its velocity of the beginning of the step, in its pose there: its equations are solved in
// it.
static Twist world_rigid_mean_twist(const World *w, int port, Twist free, const Motion *at) {
    bool carried = port < world_rigid_carried_count(w);
    Twist a = w->past_twists[port], b = w->solution.velocity.data[w->bodies[port]];
    if (!(w->past_known > 0)) a = free;
    else if (carried) // from the port's origin to that of the body
        a = (Twist){motion_velocity_at(at, w->carried[port].origin), at->angular_velocity};
    return (Twist){vec3_scale(0.5, vec3_add(a.linear, b.linear)),
                   vec3_scale(0.5, vec3_add(a.angular, b.angular))};
}

MrcStatus world_advance_rigid(World *w, double h, int from, int to, const Motion *ports,
                              const double *mobility, Load *impulses, MrcError *error) {
    MrcStatus status = world_rigid_build(w, h, from, to, ports, mobility, error);
    if (status == MRC_OK) status = world_rigid_solve(w, h, from, to, error);
    if (status != MRC_OK) return status;
    if (!array_resize(&w->mean, w->problem.bodies.count)) return error_memory(error, "the contact problem");
    for (size_t k = 0; k < w->problem.rows.count; k++) w->solution.lambdas.data[k] += w->held.lambdas.data[k];
    const Twist *free = w->problem.free_velocity.data;
    for (int p = 0; p < w->port_count; p++) {
        int32_t body = w->bodies[p];
        if (body >= 0) w->mean.data[body] = world_rigid_mean_twist(w, p, free[body], &ports[p]);
    }
    for (int b = from; b < to; b++) {
        const WorldBed *bed = &w->beds[b];
        if (!bed->grains->method->rigid) continue;
        Load *loads = w->loads.data + world_first_wall(w, b);
        bed->grains->method->rigid->apply(bed->grains, &w->rigid[b], &w->problem, &w->solution, w->mean.data,
                                          loads);
        for (int part = 0; part < bed->grains->definition->wall_count; part++)
            world_rigid_add_impulse(bed->wall_ports[part], loads[part], impulses);
    }
    if (w->later && mobility) world_find_rebounds(w, from, to);
    for (int p = 0; p < w->port_count; p++)
        if (w->bodies[p] >= 0)
            w->twists[p] =
                world_rigid_twist_at(w, p, w->solution.velocity.data[w->bodies[p]], ports[p].position);
    if (w->machine) w->machine->take(w->machine->self, &w->problem, &w->solution);
    return MRC_OK;
}

// A rebound need not be exact: whatever its impulses are, it gives back no more than the step took (world_rebound.c), and where
// Coulomb's law has no solution, in corners that turn fast, every method would go on to its limit: 12 s and more for 20 contacts.
enum { world_rigid_bounce_sweeps = 500 };

MrcStatus world_rigid_solve_bounce(World *w, double h, MrcError *error) {
    ContactOptions options;
    ContactReport report;
    MrcStatus status = world_rigid_choose_options(w, h, 0, w->bed_count, &options, error);
    options.method = CONTACT_NSGS;
    if (options.sweeps > world_rigid_bounce_sweeps) options.sweeps = world_rigid_bounce_sweeps;
    w->bounce.law =
        CONTACT_COULOMB; // the relaxed law would open contacts that slide faster than they rebound
    w->bounce.dilation = w->problem.dilation;
    w->bounced.impulses.count = w->bounced.lambdas.count = 0;
    if (status == MRC_OK) status = contact_solution_fit(&w->bounced, &w->bounce, error);
    if (status != MRC_OK) return status;
    return contact_solve(&w->bounce, &options, w->workspace, &w->bounced, &report, error);
}
