// Smooth beds within a step of the machine: sub-steps of their own, during which the ports move, too.
//
// The free twist of a port is u + a (t - h/2) at the time t of the step: u leads from pose to pose, a makes
// it bend so that it begins and ends with the velocities of the machine. Without a, positions go on linearly
// and orientations about a fixed axis (which is SLERP). With mobility the twist changes by Y F dt in each
// sub-step, F being its load. A sub-step that begins at t moves the port for the rest of the step: its
// impulse counts 1 - t/h times in `early`.
//
// Along directions that are stiff for the step of the machine, the ports have another answer (world_set_answer). There
// they yield with the velocity q,
//
//     q' = (Yv h F - q)/tau,    in sub-steps    q <- (q + f Yv h F)/(1 + f),  f = dt/tau
//
// so that the whole displacement due to an impulse p is Yv h p; at the end of the sub-step, tau q of it is still to
// come. The free twist leads to the pose of the machine without loads, from its pose after the whole displacement.
#include "base/watch.h"
#include "grains/world_internal.h"

static Twist world_smooth_twist_at(const Motion *port, Twist twist, double time) {
    return (Twist){vec3_madd(twist.linear, time, port->acceleration),
                   vec3_madd(twist.angular, time, port->angular_acceleration)};
}

static void world_smooth_set_twist(Motion *motion, Twist twist) {
    motion->velocity = twist.linear;
    motion->angular_velocity = twist.angular;
}

static bool world_smooth_takes_substeps(const World *w, int bed) {
    return w->beds[bed].grains->method->substeps;
}

static bool world_smooth_yields(const World *w, const double *mobility) {
    return mobility && w->answer.lasting;
}

// Of q, per impulse in a sub-step, over Yv.
static double world_smooth_gain(const World *w, double h, double dt) { return h / (w->answer.settling + dt); }

void world_set_answer(World *w, const double *lasting, const double *yielding, double settling,
                      const double *whole) {
    w->answer.whole = whole;
    w->answer.lasting = lasting;
    w->answer.yielding = yielding;
    w->answer.settling = settling;
}

// Blocks of the diagonal of Y: the response of a wall part's port to an impulse on it.
static void world_smooth_set_mobility(World *w, const double *mobility, double h, double dt) {
    size_t size = 6 * (size_t)w->port_count;
    bool yields = world_smooth_yields(w, mobility);
    const double *lasting = yields ? w->answer.lasting : mobility;
    double gain = yields ? world_smooth_gain(w, h, dt) : 0;
    for (int b = 0; b < w->bed_count; b++) {
        Grains *g = w->beds[b].grains;
        if (!world_smooth_takes_substeps(w, b)) continue;
        double *own = w->wall_mobility.data + 36 * (size_t)world_first_wall(w, b);
        for (int part = 0; part < g->definition->wall_count; part++) {
            int port = w->beds[b].wall_ports[part];
            for (size_t r = 0; r < 6; r++)
                for (size_t c = 0; c < 6; c++) {
                    size_t at = (6 * (size_t)port + r) * size + 6 * (size_t)port + c;
                    double all = port < 0 ? 0 : lasting[at];
                    if (port >= 0 && yields) all += gain * w->answer.yielding[at];
                    own[36 * (size_t)part + 6 * r + c] = all;
                }
        }
        grains_set_mobility(g, (const double(*)[6][6])own);
    }
}

static void world_smooth_place_walls(World *w, int bed) {
    const WorldBed *own = &w->beds[bed];
    for (int part = 0; part < own->grains->definition->wall_count; part++)
        w->wall_motions.data[part] =
            own->wall_ports[part] < 0 ? motion_at_rest() : w->motions[own->wall_ports[part]];
}

double world_elastic(World *w) {
    double sum = 0;
    Motion origin = motion_at_rest();
    for (int b = 0; b < w->bed_count; b++) {
        GrainsMeasure measure = {0};
        MrcError ignored; // the next step reports it
        if (!world_smooth_takes_substeps(w, b)) continue;
        world_smooth_place_walls(w, b);
        if (grains_measure(w->beds[b].grains, &origin, w->wall_motions.data, &measure, &ignored) == MRC_OK)
            sum += measure.elastic;
    }
    return sum;
}

// One sub-step of one bed; its loads are added to those of the ports, about their origins now.
static MrcStatus world_smooth_substep(World *w, int bed, Load *port_loads, MrcError *error) {
    const WorldBed *own = &w->beds[bed];
    int parts = own->grains->definition->wall_count;
    Load *loads = w->loads.data + world_first_wall(w, bed);
    world_smooth_place_walls(w, bed);
    Load *mean = w->mean_loads.data + world_first_wall(w, bed);
    MrcStatus status = grains_advance(own->grains, w->wall_motions.data, loads, error);
    for (int part = 0; part < parts; part++) {
        mean[part] = load_add(mean[part], loads[part]);
        if (own->wall_ports[part] < 0) continue;
        Load *sum = &port_loads[own->wall_ports[part]];
        sum->force = vec3_add(sum->force, loads[part].force);
        sum->moment = vec3_add(sum->moment, loads[part].moment);
    }
    return status;
}

// Velocities of walls and of grains belong to the middle of sub-steps, forces to their ends. While a force acts, the
// wall moves with the mean of its velocities before and after; grains_advance has recorded the work of the former.
static void world_smooth_add_work(World *w, int bed, double dt) {
    const WorldBed *own = &w->beds[bed];
    const Load *loads = w->loads.data + world_first_wall(w, bed);
    for (int part = 0; part < own->grains->definition->wall_count; part++) {
        int port = own->wall_ports[part];
        if (port < 0) continue;
        Vec3 linear = vec3_sub(w->during[port].linear, w->last_twists[port].linear);
        Vec3 angular = vec3_sub(w->during[port].angular, w->last_twists[port].angular);
        own->grains->work -=
            0.5 * dt * (vec3_dot(loads[part].force, linear) + vec3_dot(loads[part].moment, angular));
    }
}

// The ports answer to the impulses of a sub-step that ends at `end`.
static void world_smooth_answer(World *w, double h, double dt, double end, const Motion *ports,
                                const double *mobility) {
    bool yields = world_smooth_yields(w, mobility);
    if (mobility) world_push(w, yields ? w->answer.lasting : mobility, w->port_loads, w->twists);
    if (yields) {
        double kept = w->answer.settling / (w->answer.settling + dt), gain = world_smooth_gain(w, h, dt);
        for (int p = 0; p < w->port_count; p++) {
            Twist *q = &w->yielding[p];
            *q = (Twist){vec3_scale(kept / gain, q->linear), vec3_scale(kept / gain, q->angular)};
        }
        world_push(w, w->answer.yielding, w->port_loads, w->yielding);
        for (int p = 0; p < w->port_count; p++) {
            Twist *q = &w->yielding[p];
            *q = (Twist){vec3_scale(gain, q->linear), vec3_scale(gain, q->angular)};
        }
    }
    for (int p = 0; p < w->port_count; p++) {
        Twist now = world_smooth_twist_at(&ports[p], w->twists[p], end - 0.5 * (h + dt));
        w->last_twists[p] = (Twist){w->motions[p].velocity, w->motions[p].angular_velocity};
        if (yields) {
            now.linear = vec3_add(now.linear, w->yielding[p].linear);
            now.angular = vec3_add(now.angular, w->yielding[p].angular);
        }
        w->during[p] = now;
        const Load *impulse = &w->port_loads[p];
        w->works[p] += 0.5 * (vec3_dot(impulse->force, vec3_add(now.linear, w->last_twists[p].linear)) +
                              vec3_dot(impulse->moment, vec3_add(now.angular, w->last_twists[p].angular)));
    }
}

// All smooth beds over a sub-step; port_loads become its impulses about the origins of the ports now.
static MrcStatus world_smooth_substep_all(World *w, double h, double dt, double end, const Motion *ports,
                                          const double *mobility, MrcError *error) {
    MrcStatus status = MRC_OK;
    for (int p = 0; p < w->port_count; p++) w->port_loads[p] = (Load){0};
    for (int b = 0; b < w->bed_count && status == MRC_OK; b++)
        if (world_smooth_takes_substeps(w, b)) status = world_smooth_substep(w, b, w->port_loads, error);
    for (int p = 0; p < w->port_count; p++) w->port_loads[p] = load_scale(dt, w->port_loads[p]);
    if (status != MRC_OK) return status;
    world_smooth_answer(w, h, dt, end, ports, mobility);
    for (int b = 0; b < w->bed_count; b++)
        if (world_smooth_takes_substeps(w, b)) world_smooth_add_work(w, b, dt);
    return MRC_OK;
}

// Rigid beds are still to come: with what lasts of their impulses, the ports end the step that much faster.
static const Motion *world_smooth_expect(World *w, double h, const Motion *ports) {
    for (int p = 0; p < w->port_count; p++) {
        Motion *m = &w->expected[p];
        *m = ports[p];
        m->acceleration = vec3_madd(m->acceleration, 1 / h, w->whole_lasting[p].linear);
        m->angular_acceleration = vec3_madd(m->angular_acceleration, 1 / h, w->whole_lasting[p].angular);
    }
    return w->expected;
}

static void world_smooth_begin(World *w, double h, double dt, const Motion *ports, const double *mobility) {
    bool yields = world_smooth_yields(w, mobility);
    for (int p = 0; p < w->port_count; p++) {
        Twist *q = &w->yielding[p], *twist = &w->twists[p];
        if (!yields) *q = (Twist){vec3_zero(), vec3_zero()};
        double rest = w->answer.settling / h;
        if (mobility && w->answer.whole) {
            const Twist *more = &w->whole_lasting[p];
            twist->linear = vec3_add(twist->linear, more->linear);
            twist->angular = vec3_add(twist->angular, more->angular);
        }
        twist->linear = vec3_madd(twist->linear, -rest, q->linear);
        twist->angular = vec3_madd(twist->angular, -rest, q->angular);
        Twist before = world_smooth_twist_at(&ports[p], *twist, -0.5 * (h + dt));
        before.linear = vec3_add(before.linear, q->linear);
        before.angular = vec3_add(before.angular, q->angular);
        w->motions[p] = ports[p];
        world_smooth_set_twist(&w->motions[p], before);
        w->works[p] = 0;
    }
}

MrcStatus world_advance_smooth(World *w, double h, const Motion *ports, const double *mobility,
                               Load *impulses, MrcError *error) {
    int count = (int)fmin(w->substeps, round(h * w->substeps / w->step));
    double dt = w->step / w->substeps;
    if (count < 1 || !(fabs(h - count * dt) <= 1e-9 * w->step))
        return error_set(error, MRC_MODEL, "smooth grains with steps of %g s cannot do a step of %g s", dt,
                         h);
    dt = h / count;
    if (mobility && w->answer.whole) ports = world_smooth_expect(w, h, ports);
    MrcStatus status = MRC_OK;
    size_t walls = w->mean_loads.count;
    memset(w->mean_loads.data, 0, walls * sizeof *w->mean_loads.data);
    if (mobility) world_smooth_set_mobility(w, mobility, h, dt);
    world_smooth_begin(w, h, dt, ports, mobility);
    for (int k = 0; k < count && status == MRC_OK; k++) {
        double left = 1 - (double)k / count, end = h * (k + 1) / count;
        if (watch_stops("sub-step", k, count)) return watch_error(error, "the grains took their sub-steps");
        status = world_smooth_substep_all(w, h, dt, end, ports, mobility, error);
        for (int p = 0; p < w->port_count; p++) {
            Load impulse = w->port_loads[p];
            Vec3 arm = vec3_sub(w->motions[p].position, ports[p].position);
            impulse.moment = vec3_add(impulse.moment, vec3_cross(arm, impulse.force));
            impulses[p] = load_add(impulses[p], impulse);
            w->early[p] = load_add(w->early[p], load_scale(left, impulse));
            if (mobility) w->motions[p] = motion_carry(w->motions[p], w->during[p], dt);
            else
                w->motions[p] = motion_carry(
                    ports[p], world_smooth_twist_at(&ports[p], w->twists[p], 0.5 * (end - h)), end);
            world_smooth_set_twist(&w->motions[p], w->during[p]);
        }
    }
    for (int p = 0; p < w->port_count; p++) w->moved[p] = motion_twist_to(&ports[p], &w->motions[p], h);
    for (size_t k = 0; k < walls; k++) w->mean_loads.data[k] = load_scale(1.0 / count, w->mean_loads.data[k]);
    w->mean_known = 1;
    return status;
}
