// One stage of settling: see settle_stage.h.
//
// Springs have a restitution of at most 0.1, and a drag dissipates what contacts do not: on a floor without friction a
// grain would slide for ever. The drag acts at prunings (engine.h), so that grains in free flight stay in closed form.
// Friction without memory lets a heap creep, so settling has tangential springs instead.
#include <math.h>

#include "base/watch.h"
#include "grains/method.h"
#include "grains/settle_stage.h"

static const double settle_least_restitution = 0.3; // of smooth grains
static const double settle_rigid_tolerance = 1e-4;  // of the contact problem: finer ones only take longer
enum {                                              // sweeps of a step, from a number of visits of grains
    settle_rigid_visits = 400000,
    settle_least_sweeps = 300,
    settle_most_sweeps = 5000
};
static const double settle_shapes_tolerance = 1e-3;  // the same of grains that are not spheres,
enum { settle_shapes_iterations = 300 };             // and this many sweeps at most,
static const double settle_falling_tolerance = 1e-2; // but while they fall a step may be inexact
enum { settle_falling_iterations = 60 };

// ---- one step ------------------------------------------------------------------------------------
static void settle_drag(Settling *s, Grains *g, double rate) {
    double factor = exp(-rate * g->step * (double)(g->steps - s->dragged));
    for (size_t i = 0; i < g->store.count; i++)
        for (int k = GRAIN_VELOCITY; k < GRAIN_RADIUS; k++) g->motion[i * GRAIN_LINE + (size_t)k] *= factor;
    if (g->method->settling.slowed) g->method->settling.slowed(g, factor);
    g->view_step = -1;
    s->dragged = g->steps;
}

MrcStatus settle_advance(Settling *s, Grains *g, double drag_rate, MrcError *error) {
    const GrainsWatch *watch = s->watch;
    int64_t every = 1 + 128000 / (1000 + (int64_t)s->store->count); // steps of larger beds take longer
    bool open;
    MrcStatus status = g->method->settling.is_open(g, s->walls.data, &open, error);
    if (status == MRC_OK && open) settle_drag(s, g, drag_rate);
    if (status == MRC_OK) status = grains_advance(g, s->walls.data, s->loads.data, error);
    s->time += g->step;
    if (status != MRC_OK) return status;
    if (watch_stopped())
        return watch_error(error, "the grains of '%s' were settling", s->room->definition->name);
    if (++s->steps % every == 0 && watch && watch->settling)
        watch->settling(watch->user, s->time, s->room->definition->packing.limit, s->steps);
    return MRC_OK;
}

MrcStatus settle_advance_for(Settling *s, Grains *g, double duration, double drag_rate, MrcError *error) {
    int64_t steps = (int64_t)ceil(duration / g->step);
    MrcStatus status = MRC_OK;
    for (int64_t n = 0; n < steps && status == MRC_OK; n++) status = settle_advance(s, g, drag_rate, error);
    return status;
}

SettleState settle_state(const Settling *s, Grains *g) {
    const GrainStore *v = grains_view(g);
    double energy = 0, mass = 0, height = 0;
    Vec3 load = {0};
    for (size_t i = 0; i < v->count; i++) {
        double m = 1 / v->inverse_mass[i], r2 = v->radius[i] * v->radius[i];
        energy += 0.5 * m * vec3_norm2(vec3(v->vx[i], v->vy[i], v->vz[i])) +
                  0.2 * m * r2 * vec3_norm2(vec3(v->wx[i], v->wy[i], v->wz[i]));
        height += m * vec3_dot(s->room->up, vec3(v->x[i], v->y[i], v->z[i]));
        mass += m;
    }
    for (size_t w = 0; w < s->loads.count; w++) load = vec3_add(load, s->loads.data[w].force);
    Vec3 off = vec3_sub(load, vec3_scale(mass, s->setting.gravity));
    return (SettleState){.kinetic = energy / (double)v->count / (s->mass * s->gravity * s->radius),
                         .height = height / mass,
                         .load = vec3_norm(off) / (mass * s->gravity)};
}

MrcStatus settle_come_to_rest(Settling *s, Grains *g, double drag_rate, double kinetic, double load,
                              double *height, MrcError *error) {
    SettleState last = settle_state(s, g);
    for (int calm = 0; calm < 3;) {
        MrcStatus status = settle_advance_for(s, g, 0.25 * s->moment, drag_rate, error);
        if (status != MRC_OK) return status;
        SettleState now = settle_state(s, g);
        // Beds on springs may oscillate for long, those with a restitution of 1 above all: after a while ten times the
        // energy counts as rest, and in the end the limit of the stages before the last one.
        double limit = s->room->definition->packing.limit;
        bool quivers = !g->method->rigid && s->time > 0.4 * limit;
        double allowed = (quivers ? 10 : 1) * kinetic;
        if (quivers && s->time > 0.7 * limit) allowed = fmax(allowed, settle_stage_energy);
        double sinks = quivers || kinetic >= settle_shapes_energy ? 1e-3 : 1e-4;
        bool still =
            now.kinetic < allowed && fabs(now.height - last.height) < sinks * s->radius && now.load < load;
        calm = still ? calm + 1 : 0;
        last = now;
        if (s->time > limit && calm < 3)
            return error_set(error, MRC_NOT_CONVERGED,
                             "grains '%s': not at rest after %.3g s of settling: the mean kinetic energy is "
                             "%.2g of what falling by a radius gives, the load is off the weight by %.2g %%; "
                             "a longer 'limit' or more friction may help",
                             s->room->definition->name, s->time, now.kinetic, 100 * now.load);
    }
    *height = last.height;
    return MRC_OK;
}

// ---- beginning and end ----------------------------------------------------------------------------
// Dashpots of a lower restitution are so strong that they open their contacts again and again, and the bed does not
// come to rest. The bed at rest does not depend on them.
static void settle_raise_restitution(Settling *s) {
    for (size_t i = 0; i < s->materials.count; i++)
        s->materials.data[i].restitution = fmax(s->materials.data[i].restitution, settle_least_restitution);
    for (size_t i = 0; i < s->pairs.count; i++)
        if (s->pairs.data[i].restitution >= 0)
            s->pairs.data[i].restitution = fmax(s->pairs.data[i].restitution, settle_least_restitution);
}

// For rigid grains it is often zero anyway.
static void settle_set_restitution(Settling *s, double restitution) {
    for (size_t i = 0; i < s->materials.count; i++) s->materials.data[i].restitution = restitution;
    for (size_t i = 0; i < s->pairs.count; i++)
        if (s->pairs.data[i].restitution >= 0) s->pairs.data[i].restitution = restitution;
}

// Tall, narrow beds are hardest to solve near their rest: of 800 grains in a tube of ten radii a step took 5000 sweeps and then
// a second by other solvers. Such steps need not be exact: the next step starts from their impulses, and rest is
// detected by energy, height and load of the bed.
static int64_t settle_rigid_sweeps(const Settling *s) {
    int64_t sweeps = settle_rigid_visits / (int64_t)s->store->count;
    return sweeps < settle_least_sweeps  ? settle_least_sweeps
           : sweeps > settle_most_sweeps ? settle_most_sweeps
                                         : sweeps;
}

ContactDefinition settle_springs(const Settling *s, double stiffness) {
    const ContactDefinition *own = &s->room->definition->contact;
    bool rigid = grains_are_rigid(s->room->definition);
    return (ContactDefinition){.normal = NORMAL_LINEAR,
                               .tangential = rigid ? TANGENTIAL_ELASTIC : own->tangential,
                               .rolling = rigid ? s->rigid_rolling : own->rolling,
                               .stiffness = stiffness,
                               .wall_stiffness = stiffness};
}

MrcStatus settle_stage_begin(Settling *s, double stiffness, Grains **g, MrcError *error) {
    const GrainsDefinition *d = s->room->definition;
    ContactDefinition *contact = &s->definition.contact;
    bool rigid = grains_are_rigid(d);
    *contact = stiffness > 0 ? settle_springs(s, stiffness) : d->contact;
    s->definition.method = stiffness > 0 ? grains_method_of_springs() : d->method;
    contact->tangential = law_tangential_settling(contact->normal, contact->tangential);
    if (s->sliding) contact->tangential = TANGENTIAL_NONE, contact->rolling = ROLLING_NONE;
    if (!(contact->tangential_ratio > 0)) contact->tangential_ratio = 2.0 / 7.0;
    contact->max_overlap = 0.9;
    bool shapes = s->turns.count > 0; // several points per pair, more than the motion depends on
    double tolerance = !shapes      ? settle_rigid_tolerance
                       : s->falling ? settle_falling_tolerance
                                    : settle_shapes_tolerance;
    contact->solver.tolerance = fmax(contact->solver.tolerance, tolerance);
    if (rigid && contact->solver.method == CONTACT_AUTO) contact->solver.method = CONTACT_NSGS;
    if (!shapes && rigid && !(contact->solver.iterations > 0))
        contact->solver.iterations = settle_rigid_sweeps(s);
    // Growing grains overlap again and again, and rigid ones are slow to undo it by themselves.
    if (shapes && s->growing) contact->recovery = fmax(contact->recovery, 0.2 * s->radius / s->moment);
    if (shapes && !(contact->solver.iterations > 0))
        contact->solver.iterations = s->falling ? settle_falling_iterations : settle_shapes_iterations;
    if (rigid) settle_set_restitution(s, stiffness > 0 ? settle_most_restitution : 0);
    else settle_raise_restitution(s);
    s->setting.step = 1;
    MrcStatus status = grains_create(&s->definition, &s->setting, g, error);
    if (status == MRC_OK) (*g)->step = (*g)->method->settling.step(*g, s->moment);
    s->dragged = 0;
    return status;
}

void settle_take_turns(Settling *s) {
    const GrainStore *t = s->store;
    for (int k = 0; k < 3 && s->turns.count > 0; k++)
        s->bed.columns[BED_TX + k] = s->turns.data + (size_t)k * t->count;
    for (size_t i = 0; i < t->count && s->turns.count > 0; i++) {
        Vec3 turn = quaternion_to_rotation_vector((Quaternion){t->qw[i], t->qx[i], t->qy[i], t->qz[i]});
        s->turns.data[i] = turn.x, s->turns.data[t->count + i] = turn.y,
        s->turns.data[2 * t->count + i] = turn.z;
    }
}

void settle_stage_end(Settling *s, Grains *g) {
    const GrainStore *v = grains_view(g);
    memcpy(s->store->x, v->x, v->count * sizeof *v->x);
    memcpy(s->store->y, v->y, v->count * sizeof *v->y);
    memcpy(s->store->z, v->z, v->count * sizeof *v->z);
    if (s->turns.count > 0) {
        double *const to[] = {s->store->qw, s->store->qx, s->store->qy, s->store->qz};
        const double *const from[] = {v->qw, v->qx, v->qy, v->qz};
        for (int k = 0; k < 4; k++) memcpy(to[k], from[k], v->count * sizeof(double));
        settle_take_turns(s);
    }
    grains_destroy(g);
}
