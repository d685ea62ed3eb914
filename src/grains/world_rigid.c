// Beds of rigid grains: ports, containers and grains become one contact problem, its solution moves them.
#include <math.h>

#include "grains/world_internal.h"

enum { HOPELESS_STEPS = 200 };               // in a row, before the run is stopped
static const double hopeless_residual = 0.3; // contacts are violated about as much as without any impulse

// ---- ports and containers ------------------------------------------------------------------------
static int carried_count(const World *w) { return w->machine ? w->machine->port_count : 0; }

// Velocity of the body's point at the port's origin.
static Twist twist_at(const World *w, int port, Twist body, Vec3 place) {
    if (port >= carried_count(w)) return body;
    Vec3 arm = vec3_sub(place, w->carried[port].origin);
    return (Twist){vec3_add(body.linear, vec3_cross(body.angular, arm)), body.angular};
}

// A machine comes with its own bodies; ports behind it move as they are told.
static MrcStatus add_machine(World *w, MrcError *error) {
    MrcStatus status = w->machine->add(w->machine->self, &w->problem, w->carried, error);
    for (int p = 0; p < w->machine->port_count && status == MRC_OK; p++) w->bodies[p] = w->carried[p].body;
    return status;
}

// Free velocities become those that rows alone leave, and the impulses of rows that go with them are added to
// the solution's in the end. The problem is the same one; but contacts are looked for where they will be, and
// its residual is relative to what contacts violate, not to a machine that falls out of its joints.
static MrcStatus hold_by_rows(World *w, const Motion *ports, MrcError *error) {
    ContactProblem *problem = &w->problem;
    if (problem->rows.count > 0) {
        ContactOptions options = contact_options_default();
        ContactReport report;
        MrcStatus status = contact_solve(problem, &options, w->workspace, &w->held, &report, error);
        if (status != MRC_OK) return status;
        memcpy(problem->free_velocity.data, w->held.velocity.data,
               problem->bodies.count * sizeof *w->held.velocity.data);
    }
    for (int p = 0; p < carried_count(w); p++)
        if (w->bodies[p] >= 0)
            w->twists[p] = twist_at(w, p, problem->free_velocity.data[w->bodies[p]], ports[p].position);
    return MRC_OK;
}

static bool add_ports(World *w, const double *mobility) {
    for (int p = carried_count(w); p < w->port_count; p++) {
        w->bodies[p] = contact_problem_add_body(&w->problem, 0, 0, w->twists[p]);
        if (w->bodies[p] < 0) return false;
    }
    return !mobility || w->port_count == 0 ||
           contact_problem_add_group(&w->problem, w->port_count, w->bodies, mobility) >= 0;
}

static Mat3 inertia_in_world(const Container *c) {
    Mat3 r = quaternion_to_matrix(c->orientation);
    return mat3_mul(mat3_mul(r, c->definition.inertia), mat3_transpose(r));
}

// Where it was left, or with its port when it was not there before.
static void place_container(Container *c, const Motion *port) {
    if (c->moving) return;
    c->moving = true;
    c->position = motion_to_world(port, c->definition.center);
    c->orientation = port->orientation;
    c->twist = (Twist){motion_velocity_at(port, c->position), port->angular_velocity};
}

// The container's point at the port's origin moves with it, and both turn alike; what is missing of the pose
// is made up within the step (TIGHT Eq. 18).
static bool add_container(World *w, int p, const Motion *port, double h) {
    Container *c = &w->containers[p];
    if (!(c->definition.mass > 0)) return true;
    place_container(c, port);
    Mat3 inertia = inertia_in_world(c), inverse = mat3_inverse(inertia);
    Vec3 spin = c->twist.angular, gyration = vec3_cross(spin, mat3_apply(inertia, spin));
    Twist free = {vec3_madd(c->twist.linear, h, w->gravity),
                  vec3_madd(spin, -h, mat3_apply(inverse, gyration))};
    c->body = contact_problem_add_rigid(&w->problem, 1 / c->definition.mass, inverse, free);
    if (c->body < 0) return false;
    Vec3 arm = vec3_neg(quaternion_rotate(c->orientation, c->definition.center));
    Vec3 off = vec3_sub(vec3_add(c->position, arm), port->position);
    Vec3 turned = quaternion_to_rotation_vector(
        quaternion_mul(c->orientation, quaternion_conjugate(port->orientation)));
    c->first_row = w->problem.rows.count;
    for (int k = 0; k < 6; k++) {
        Vec3 axis = vec3_zero();
        vec3_set_component(&axis, k % 3, 1);
        ContactRow row = {.a = w->bodies[p], .b = c->body};
        row.bias = vec3_component(k < 3 ? off : turned, k % 3) / h;
        if (k < 3) {
            row.jacobian_a.linear = vec3_neg(axis);
            row.jacobian_b = (Twist){axis, vec3_cross(arm, axis)};
        } else {
            row.jacobian_a.angular = vec3_neg(axis);
            row.jacobian_b.angular = axis;
        }
        if (contact_problem_add_row(&w->problem, row) < 0) return false;
    }
    return true;
}

static void move_container(World *w, Container *c, double h) {
    if (!(c->definition.mass > 0)) return;
    c->twist = w->solution.velocity.data[c->body];
    c->position = vec3_madd(c->position, h, c->twist.linear);
    Quaternion turn = quaternion_from_rotation_vector(vec3_scale(h, c->twist.angular));
    c->orientation = quaternion_normalize(quaternion_mul(turn, c->orientation));
    memcpy(c->lambdas, w->solution.lambdas.data + c->first_row, sizeof c->lambdas);
}

// ---- building ------------------------------------------------------------------------------------
static MrcStatus build(World *w, double h, int from, int to, const Motion *ports, const double *mobility,
                       MrcError *error) {
    ContactProblem *problem = &w->problem;
    contact_problem_clear(problem);
    w->solution.impulses.count = 0;
    MrcStatus added = w->machine ? add_machine(w, error) : MRC_OK;
    if (added != MRC_OK) return added;
    bool good = add_ports(w, mobility);
    for (int p = 0; p < w->port_count && good && w->has_containers; p++)
        good = add_container(w, p, &ports[p], h);
    if (!good) return error_memory(error, "the contact problem");
    if (w->machine || w->has_containers) added = hold_by_rows(w, ports, error);
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
            bool own = w->containers[port].definition.mass > 0;
            walls[part].body = own ? w->containers[port].body : w->bodies[port];
            walls[part].origin = own                       ? w->containers[port].position
                                 : port < carried_count(w) ? w->carried[port].origin
                                                           : ports[port].position;
        }
        w->rigid[b] = (RigidStep){.h = h, .walls = walls};
        MrcStatus status =
            bed->grains->method->rigid->collect(bed->grains, &w->rigid[b], problem, &w->solution, error);
        if (status != MRC_OK) return status;
    }
    return MRC_OK;
}

// ---- solving -------------------------------------------------------------------------------------
ContactOptions world_options(const GrainsDefinition *d, double gravity, double step) {
    const SolverDefinition *s = &d->contact.solver;
    ContactOptions o = contact_options_default();
    o.method = s->method;
    if (s->tolerance > 0) o.tolerance = s->tolerance;
    if (s->iterations > 0) {
        int most = s->iterations > 1000000000 ? 1000000000 : (int)s->iterations;
        o.sweeps = o.gradient_iterations = o.interior_iterations = most;
    }
    // The tolerance is relative to what gravity gives in a step, at least: a bed that is about to lift off,
    // with next to no weight left, need not be solved more finely than one at rest.
    o.velocity_scale = gravity * step;
    return o;
}

// Beds that are solved together: the finest tolerance, the most iterations.
static MrcStatus choose_options(World *w, double h, int from, int to, ContactOptions *options,
                                MrcError *error) {
    const GrainsDefinition *first = NULL;
    for (int b = from; b < to; b++) {
        const GrainsDefinition *d = w->beds[b].grains->definition;
        if (!w->beds[b].grains->method->rigid) continue;
        ContactOptions own = world_options(d, vec3_norm(w->gravity), h);
        if (!first) {
            first = d;
            *options = own;
            w->problem.law = d->contact.law;
            continue;
        }
        if (d->contact.law != first->contact.law)
            return error_set(error, MRC_MODEL,
                             "grains '%s' and '%s' are coupled by their ports and must have the same "
                             "'contact.law'",
                             first->name, d->name);
        options->tolerance = fmin(options->tolerance, own.tolerance);
        if (own.sweeps > options->sweeps) options->sweeps = own.sweeps;
        if (own.gradient_iterations > options->gradient_iterations)
            options->gradient_iterations = own.gradient_iterations;
        if (own.interior_iterations > options->interior_iterations)
            options->interior_iterations = own.interior_iterations;
    }
    if (!first) *options = contact_options_default(); // containers alone
    return MRC_OK;
}

static double unsolved_limit(const World *w, int from, int to, double tolerance) {
    double limit = 0;
    for (int b = from; b < to; b++) limit = fmax(limit, w->beds[b].grains->definition->contact.solver.limit);
    return limit > 0 ? limit : fmax(100 * tolerance, 1e-3);
}

#define COPY(to, from)                                                                                       \
    (array_resize((to), (from)->count) &&                                                                    \
     ((from)->count == 0 || memcpy((to)->data, (from)->data, (from)->count * sizeof *(from)->data)))

// Memory that runs out here costs the dump only.
static void keep_worst(World *w) {
    const ContactProblem *p = &w->problem;
    ContactProblem *to = &w->worst;
    to->law = p->law;
    bool whole = COPY(&to->bodies, &p->bodies) && COPY(&to->free_velocity, &p->free_velocity) &&
                 COPY(&to->groups, &p->groups) && COPY(&to->group_bodies, &p->group_bodies) &&
                 COPY(&to->group_numbers, &p->group_numbers) && COPY(&to->contacts, &p->contacts) &&
                 COPY(&to->rows, &p->rows) && COPY(&w->worst_solution.impulses, &w->solution.impulses) &&
                 COPY(&w->worst_solution.lambdas, &w->solution.lambdas) &&
                 COPY(&w->worst_solution.velocity, &w->solution.velocity);
    if (!whole) contact_problem_clear(to);
}

static MrcStatus judge(World *w, double limit, MrcError *error) {
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
    if (unsolved && residual > c->worst) keep_worst(w);
    c->worst = fmax(c->worst, residual);
    c->in_a_row = unsolved && residual > hopeless_residual ? c->in_a_row + 1 : 0;
    if (c->in_a_row < HOPELESS_STEPS) return MRC_OK;
    return error_set(error, MRC_NOT_CONVERGED,
                     "the contact problem of %zu contacts was hopeless in %d steps in a row, its relative "
                     "residual is %.2g now; do walls squeeze the grains, or is friction too large for rigid "
                     "grains?",
                     w->problem.contacts.count, HOPELESS_STEPS, residual);
}

// Contacts seem to stay open when their gap stays above a small part of what made them be looked at. Those of
// them that do close are found soon; every one that does not is swept in vain.
static double open_margin(const World *w, double h, int from, int to) {
    double activation = 0;
    for (int b = from; b < to; b++) {
        const Grains *g = w->beds[b].grains;
        if (g->method->rigid) activation = fmax(activation, g->method->rigid->activation(g));
    }
    return 0.01 * activation / h;
}

// No contacts: what rows alone leave is the solution.
static MrcStatus take_held(World *w) {
    ContactSolution *s = &w->solution;
    memset(s->lambdas.data, 0, s->lambdas.count * sizeof *s->lambdas.data);
    memcpy(s->velocity.data, w->problem.free_velocity.data, s->velocity.count * sizeof *s->velocity.data);
    w->counts.solves++;
    w->report = (ContactReport){.converged = true};
    return MRC_OK;
}

static MrcStatus solve(World *w, double h, int from, int to, MrcError *error) {
    ContactOptions options;
    MrcStatus status = choose_options(w, h, from, to, &options, error);
    if (status == MRC_OK) status = contact_solution_fit(&w->solution, &w->problem, error);
    if (status != MRC_OK) return status;
    options.open_margin = open_margin(w, h, from, to);
    if (w->problem.contacts.count == 0 && w->problem.rows.count > 0) return take_held(w);
    status = contact_solve(&w->problem, &options, w->workspace, &w->solution, &w->report, error);
    return status == MRC_OK ? judge(w, unsolved_limit(w, from, to, options.tolerance), error) : status;
}

// ---- applying ------------------------------------------------------------------------------------
// On a port: its wall parts, or what the rows of its container give.
static void add_impulse(World *w, int port, Load load, Load *impulses) {
    if (port < 0 || w->containers[port].definition.mass > 0) return;
    impulses[port].force = vec3_add(impulses[port].force, load.force);
    impulses[port].moment = vec3_add(impulses[port].moment, load.moment);
}

static void add_reaction(const World *w, int port, Load *impulses) {
    const Container *c = &w->containers[port];
    for (int k = 0; k < 6 && c->definition.mass > 0; k++) {
        double lambda = w->solution.lambdas.data[c->first_row + (size_t)k];
        const Twist *row = &w->problem.rows.data[c->first_row + (size_t)k].jacobian_a;
        impulses[port].force = vec3_madd(impulses[port].force, lambda, row->linear);
        impulses[port].moment = vec3_madd(impulses[port].moment, lambda, row->angular);
    }
}

static Twist mean_of(const World *w, int32_t body, Twist a) {
    Twist b = w->solution.velocity.data[body];
    return (Twist){vec3_scale(0.5, vec3_add(a.linear, b.linear)),
                   vec3_scale(0.5, vec3_add(a.angular, b.angular))};
}

MrcStatus world_advance_rigid(World *w, double h, int from, int to, const Motion *ports,
                              const double *mobility, Load *impulses, MrcError *error) {
    MrcStatus status = build(w, h, from, to, ports, mobility, error);
    if (status == MRC_OK) status = solve(w, h, from, to, error);
    if (status != MRC_OK) return status;
    if (!array_resize(&w->mean, w->problem.bodies.count)) return error_memory(error, "the contact problem");
    for (size_t k = 0; k < w->problem.rows.count; k++) w->solution.lambdas.data[k] += w->held.lambdas.data[k];
    const Twist *free = w->problem.free_velocity.data;
    for (int p = 0; p < w->port_count; p++) {
        int32_t body = w->bodies[p];
        if (body >= 0) w->mean.data[body] = mean_of(w, body, free[body]);
        const Container *c = &w->containers[p];
        if (c->definition.mass > 0) w->mean.data[c->body] = mean_of(w, c->body, free[c->body]);
    }
    for (int b = from; b < to; b++) {
        const WorldBed *bed = &w->beds[b];
        if (!bed->grains->method->rigid) continue;
        Load *loads = w->loads.data + world_first_wall(w, b);
        bed->grains->method->rigid->apply(bed->grains, &w->rigid[b], &w->problem, &w->solution, w->mean.data,
                                          loads);
        for (int part = 0; part < bed->grains->definition->wall_count; part++)
            add_impulse(w, bed->wall_ports[part], loads[part], impulses);
    }
    for (int p = 0; p < w->port_count; p++) {
        add_reaction(w, p, impulses);
        move_container(w, &w->containers[p], h);
        if (w->bodies[p] >= 0)
            w->twists[p] = twist_at(w, p, w->solution.velocity.data[w->bodies[p]], ports[p].position);
    }
    if (w->machine) w->machine->take(w->machine->self, &w->problem, &w->solution);
    return MRC_OK;
}
