// Measuring: changes nothing.
#include <math.h>

#include "grains/engine.h"
#include "grains/method.h"
#include "grains/smooth_shapes.h"

// Those in free flight are stored as they were at the last pruning.
Vec3 grain_center_now(const Grains *g, size_t i) {
    Vec3 center = grain_center(g, i);
    if (g->pruning.count == 0 || g->stepping.data[i]) return center;
    return vec3_add(center, pruning_displacement(g, grain_velocity(g, i), g->pruning.steps));
}

GrainMotion grain_now(const Grains *g, size_t i) {
    GrainMotion now = {grain_center_now(g, i), grain_velocity(g, i), grain_spin(g, i),
                       grain_pose(g, i).orientation};
    if (g->pruning.count == 0) return now;
    if (g->orientation) {
        int64_t late = g->pruning.steps - g->turned.data[i];
        now.orientation = grain_turned(g, i, now.spin, (double)late * g->step);
    }
    if (g->stepping.data[i]) return now;
    now.velocity = vec3_add(now.velocity, pruning_velocity_gain(g, g->pruning.steps));
    return now;
}

const GrainStore *grains_view(Grains *g) {
    const GrainStore *s = &g->store;
    GrainStore *v = &g->view;
    if (g->view_step == g->steps) return v;
    g->view_step = g->steps;
    for (size_t i = 0; i < s->count; i++) {
        size_t k = grains_find(g, s->id[i]);
        GrainMotion now = grain_now(g, i);
        if (g->periodic.any) now.center = periodic_place(&g->periodic, now.center);
        v->x[k] = now.center.x, v->y[k] = now.center.y, v->z[k] = now.center.z;
        v->vx[k] = now.velocity.x, v->vy[k] = now.velocity.y, v->vz[k] = now.velocity.z;
        v->wx[k] = now.spin.x, v->wy[k] = now.spin.y, v->wz[k] = now.spin.z;
        if (g->orientation) {
            v->qw[k] = now.orientation.w, v->qx[k] = now.orientation.x;
            v->qy[k] = now.orientation.y, v->qz[k] = now.orientation.z;
        }
        v->radius[k] = s->radius[i];
        v->inverse_mass[k] = grain_inverse_mass(g, i);
        v->shape[k] = s->shape[i];
        v->material[k] = s->material[i];
        v->id[k] = s->id[i];
        if (s->kind) v->kind[k] = s->kind[i];
        if (s->born) v->born[k] = s->born[i], v->marks[k] = s->marks[i];
    }
    return v;
}

void grains_forces(const Grains *g, GrainsForces *forces) {
    *forces = (GrainsForces){0};
    if (g->method->forces && g->steps > 0) g->method->forces(g, forces);
}

// Force and moment of the contacts on grain i when measuring; they are zeroed for the next step.
static Vec3 measure_take_force(Grains *g, size_t i, Vec3 *moment) {
    double *force = g->forces + i * GRAIN_LINE, arm = g->shapes ? 1 : -g->store.radius[i];
    Vec3 taken = {force[0], force[1], force[2]};
    *moment = vec3(arm * force[3], arm * force[4], arm * force[5]);
    memset(force, 0, GRAIN_LINE * sizeof *force);
    if (!g->laws.rolling) return taken;
    double *rolling = g->moments + i * 4;
    *moment = vec3_add(*moment, vec3(rolling[0], rolling[1], rolling[2]));
    memset(rolling, 0, 4 * sizeof *rolling);
    return taken;
}

// In the smooth method velocities lag the positions by half a step (the kick of this instant is still to
// come): energies are taken with half of it added, which makes them second order in the step.
static void measure_motion(Grains *g, double lag, GrainsMeasure *m) {
    const GrainStore *s = &g->store;
    Vec3 center = {0}, momentum = {0};
    for (size_t i = 0; i < s->count; i++) {
        GrainMotion now = grain_now(g, i);
        double mass = 1 / grain_inverse_mass(g, i), r = s->radius[i], part = lag * g->step / mass;
        Vec3 moment = {0}, force = lag > 0 ? measure_take_force(g, i, &moment) : vec3_zero();
        Vec3 velocity = vec3_madd(now.velocity, part, force);
        velocity = vec3_madd(velocity, lag * g->step, g->gravity);
        Vec3 spin = g->shapes ? vec3_madd(now.spin, lag * g->step,
                                          mat3_apply(smooth_shapes_inverse_inertia(g, i), moment))
                              : vec3_madd(now.spin, 2.5 * part / (r * r), moment);
        center = vec3_madd(center, mass, now.center);
        momentum = vec3_madd(momentum, mass, velocity);
        m->kinetic +=
            0.5 * mass * vec3_norm2(velocity) + store_spin_energy(s, i, mass, now.orientation, spin);
    }
    if (s->count == 0) return;
    m->center = vec3_scale(1 / g->mass, center);
    m->velocity = vec3_scale(1 / g->mass, momentum);
    m->potential = -g->mass * vec3_dot(g->gravity, m->center);
    for (size_t i = 0; i < s->count; i++) {
        GrainMotion now = grain_now(g, i);
        double mass = 1 / grain_inverse_mass(g, i);
        Mat3 own = grain_inertia(g, i, mass);
        Vec3 d = vec3_sub(now.center, m->center);
        m->temperature += vec3_norm2(vec3_sub(now.velocity, m->velocity)) / (3 * (double)s->count);
        m->inertia[0] += own.m[0][0] + mass * (d.y * d.y + d.z * d.z);
        m->inertia[1] += own.m[1][1] + mass * (d.x * d.x + d.z * d.z);
        m->inertia[2] += own.m[2][2] + mass * (d.x * d.x + d.y * d.y);
        m->inertia[3] += own.m[0][1] - mass * d.x * d.y;
        m->inertia[4] += own.m[1][2] - mass * d.y * d.z;
        m->inertia[5] += own.m[2][0] - mass * d.x * d.z;
    }
}

// Grains that touch from the start: their forces belong to the steps before and after it in equal parts, but there is no step
// before. The work of that step is subtracted, so that all sums begin with zero. Once: what is measured again before the first
// step is measured against the same start.
static void measure_begin(Grains *g, const ContactSums *sums, double power) {
    double h = g->step;
    if (g->steps > 0 || g->begun) return;
    g->begun = true;
    g->bonded = sums->cohesion_energy;
    g->work = -0.5 * h * power;
    g->belts = -0.5 * h * sums->belt_power;
    g->impact = -h * sums->impact_power;
    g->friction = sums->tangential_energy - h * sums->friction_power;
    g->rolling = sums->rolling_energy - h * sums->rolling_power;
}

MrcStatus smooth_measure(Grains *g, const Motion *walls, Load *loads, GrainsMeasure *m, MrcError *error) {
    if (g->store.count == 0) {
        memset(loads, 0, (size_t)g->definition->wall_count * sizeof *loads);
        *m = (GrainsMeasure){.work = g->work,
                             .input = g->input,
                             .impact = g->impact,
                             .friction = g->friction,
                             .rolling = g->rolling,
                             .largest_overlap = g->largest_overlap};
        return MRC_OK;
    }
    MrcStatus status = smooth_prepare(g, walls, error);
    if (status != MRC_OK) return status;
    for (int32_t layer = 0; layer < layers_count(g); layer++) smooth_contacts_of_layer(g, walls, true, layer);
    ContactSums sums = smooth_contacts_sum(g, loads);
    double h = g->step, power = 0;
    for (int w = 0; w < g->definition->wall_count; w++) power -= load_power(&loads[w], &walls[w]);
    // Half of the kick of this instant belongs to the past; friction and rolling are their work less what
    // springs hold.
    double springs = sums.tangential_energy, rolled = sums.rolling_energy;
    measure_begin(g, &sums, power);
    *m = (GrainsMeasure){.overlap = sums.overlap,
                         .contacts = sums.pair_contacts + sums.wall_contacts,
                         .wall_contacts = sums.wall_contacts,
                         .elastic = sums.elastic + springs + rolled,
                         .work = g->work + 0.5 * h * power,
                         .input = g->input + 0.5 * h * (fmax(power, 0) + fmax(sums.belt_power, 0)),
                         .belts = g->belts + 0.5 * h * sums.belt_power,
                         .impact = g->impact + h * sums.impact_power - (sums.cohesion_energy - g->bonded),
                         .friction = g->friction + h * sums.friction_power - springs,
                         .rolling = g->rolling + h * sums.rolling_power - rolled,
                         .largest_overlap = g->largest_overlap};
    return MRC_OK;
}

void grains_measure_loads(Grains *g, const Motion *port, const Motion *walls, const Load *loads,
                          GrainsMeasure *m) {
    m->load = (Load){{0, 0, 0}, {0, 0, 0}};
    for (int w = 0; w < g->definition->wall_count; w++) {
        Vec3 arm = vec3_sub(walls[w].position, port->position);
        m->load.force = vec3_add(m->load.force, loads[w].force);
        m->load.moment = vec3_add(m->load.moment, vec3_add(loads[w].moment, vec3_cross(arm, loads[w].force)));
        g->measured.data[w] = loads[w];
    }
}

// ---- measuring changes nothing -------------------------------------------------------------------
// A pruning that is due must be done before contacts can be measured. The next step would do it, too, at the same instant but
// with the velocities that walls have in the step. What it is planned for is seen in the last digits of what follows: so the
// state is put back, and what is recorded, and when, changes nothing.
static MrcStatus measure_keep(Grains *g, MrcError *error) {
    if (!g->unmeasured) g->unmeasured = archive_memory_create();
    if (!g->unmeasured) return error_memory(error, "measuring the grains");
    archive_memory_save(g->unmeasured);
    grains_archive(g, g->unmeasured);
    return archive_status(g->unmeasured, error);
}

static MrcStatus measure_put_back(Grains *g, MrcError *error) {
    archive_memory_load(g->unmeasured);
    grains_archive(g, g->unmeasured);
    return archive_status(g->unmeasured, error);
}

static MrcStatus measure_now(Grains *g, const Motion *walls, GrainsMeasure *m, MrcError *error) {
    MrcStatus status = g->method->measure(g, walls, g->measured.data, m, error);
    if (status == MRC_OK) measure_motion(g, g->method->lag, m);
    return status;
}

MrcStatus grains_measure(Grains *g, const Motion *port, const Motion *walls, GrainsMeasure *m,
                         MrcError *error) {
    bool due = g->store.count > 0 && g->method->is_due && g->method->is_due(g, walls);
    bool begun = g->begun;
    MrcStatus status = due ? measure_keep(g, error) : MRC_OK;
    if (status != MRC_OK) return status;
    status = measure_now(g, walls, m, error);
    if (due) { // also when measuring has failed, of which the error tells
        MrcError ignored;
        MrcStatus back = measure_put_back(g, status == MRC_OK ? error : &ignored);
        if (status == MRC_OK) status = back;
        g->begun = begun;
    }
    if (status != MRC_OK) return status;
    m->coordination = g->store.count ? (2 * m->contacts - m->wall_contacts) / (double)g->store.count : 0;
    m->carried = g->carried, m->lifted = g->lifted, m->arrived = g->arrived;
    grains_measure_loads(g, port, walls, g->measured.data, m);
    return MRC_OK;
}

const Load *grains_measured_loads(const Grains *g) { return g->measured.data; }

#define SIGNAL(suffix, dimension, member, words)                                                             \
    { suffix, dimension, offsetof(GrainsMeasure, member), words, NULL }
#define SIGNAL_ENERGY(suffix, member, words)                                                                 \
    { suffix, DIM_ENERGY, offsetof(GrainsMeasure, member), words, "J" }
const SignalRow grains_signals[] = {
    SIGNAL("load.fx", DIM_FORCE, load.force.x, "force of the grains on all walls, along x of the world"),
    SIGNAL("load.fy", DIM_FORCE, load.force.y, "force of the grains on all walls, along y of the world"),
    SIGNAL("load.fz", DIM_FORCE, load.force.z, "force of the grains on all walls, along z of the world"),
    SIGNAL("load.mx", DIM_MOMENT, load.moment.x,
           "moment of the grains on all walls, about the port's origin and x of the world"),
    SIGNAL("load.my", DIM_MOMENT, load.moment.y,
           "moment of the grains on all walls, about the port's origin and y of the world"),
    SIGNAL("load.mz", DIM_MOMENT, load.moment.z,
           "moment of the grains on all walls, about the port's origin and z of the world"),
    SIGNAL("center.x", DIM_LENGTH, center.x, "centre of mass, along x of the world"),
    SIGNAL("center.y", DIM_LENGTH, center.y, "centre of mass, along y of the world"),
    SIGNAL("center.z", DIM_LENGTH, center.z, "centre of mass, along z of the world"),
    SIGNAL("velocity.x", DIM_VELOCITY, velocity.x, "velocity of the centre of mass, along x of the world"),
    SIGNAL("velocity.y", DIM_VELOCITY, velocity.y, "velocity of the centre of mass, along y of the world"),
    SIGNAL("velocity.z", DIM_VELOCITY, velocity.z, "velocity of the centre of mass, along z of the world"),
    SIGNAL("inertia.xx", DIM_INERTIA, inertia[0],
           "moment of inertia about the centre of mass and x of the world"),
    SIGNAL("inertia.yy", DIM_INERTIA, inertia[1],
           "moment of inertia about the centre of mass and y of the world"),
    SIGNAL("inertia.zz", DIM_INERTIA, inertia[2],
           "moment of inertia about the centre of mass and z of the world"),
    SIGNAL("inertia.xy", DIM_INERTIA, inertia[3],
           "inertia about the centre of mass: minus the sum of m x y, world axes"),
    SIGNAL("inertia.yz", DIM_INERTIA, inertia[4],
           "inertia about the centre of mass: minus the sum of m y z, world axes"),
    SIGNAL("inertia.zx", DIM_INERTIA, inertia[5],
           "inertia about the centre of mass: minus the sum of m z x, world axes"),
    SIGNAL("temperature", DIMENSION(2, 0, -2, 0), temperature,
           "granular temperature: mean of |v - mean|^2 / 3"),
    SIGNAL("overlap", DIM_LENGTH, overlap, "largest overlap at this instant"),
    SIGNAL("contacts", DIM_NUMBER, contacts,
           "touching pairs, walls included; of rigid grains with faces their points"),
    SIGNAL("coordination", DIM_NUMBER, coordination, "mean number of contacts of a grain, walls included"),
    SIGNAL_ENERGY("belts", belts, "work done by moving surfaces of walls since the start"),
    SIGNAL_ENERGY("dissipated.impact", impact, "dissipated by impacts since the start"),
    SIGNAL_ENERGY("dissipated.friction", friction, "dissipated by friction since the start"),
    SIGNAL_ENERGY("dissipated.rolling", rolling, "dissipated by rolling since the start"),
};
const int grains_signal_count = sizeof grains_signals / sizeof *grains_signals;
