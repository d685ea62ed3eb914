// The smooth method: penalty forces and symplectic Euler (DAMPER 2.1).
//
//     v(n+1) = v(n) + h f(x(n), v(n)) / m,      x(n+1) = x(n) + h v(n+1)
//
// Contact of grain i with j (or a wall): n points from j to i, s is the overlap, v the velocity of i relative
// to j at the contact point.
//     normal      f_n = max(0, k s - c v'.n)                     law_linear.c
//     tangential  f_t = -min(mu f_n, m_t |v_t| / h) v_t / |v_t|      DAMPER Eq. 2
// In symplectic Euler the stored velocity belongs to the middle between two positions, half a step before the
// force. So v' is the velocity in the middle of the kick as far as this contact changes it, v' = v + h f_n
// n/(2 m): solved for f_n, the factor 1/(1 + c h/(2 m)) below. It makes damping second order in the step
// (0.26 % error of the rebound speed at e = 0.5 and 100 steps per contact without it, below 0.04 % with it)
// and stable for any c. The bound m_t |v_t|/h, m_t = 2/7 of the effective mass (the mass that a sphere's
// contact point shows to a tangential impulse), is what brings the sliding to rest within one step: without
// it the discrete law would throw the contact to and fro and put energy in.
//
// Each grain sums its own contacts in the order of its neighbour list, so that threads never share a sum and
// the result does not depend on their number; a pair is thus evaluated twice.
#include "grains/grains.h"

#include <math.h>

#include "base/threads.h"
#include "grains/law_linear.h"
#include "grains/neighbours.h"
#include "grains/packing.h"

typedef struct PairLaw {
    double stiffness;     // k [N/m]
    double damping_ratio; // zeta [1]
    double friction;      // mu [1]
} PairLaw;

// What a chunk of grains adds up. Pairs of grains count half from each side.
typedef struct Sums {
    double elastic;        // [J]
    double impact_power;   // [W]
    double friction_power; // [W]
    double contacts;
    double overlap;        // largest [m]
    double overlap_ratio;  // largest over radius
    int64_t overlap_grain; // where
    int overlap_wall;      // part, or -1: another grain
} Sums;

struct Grains {
    const GrainsDefinition *definition;
    GrainStore store;
    Neighbours neighbours;
    Vec3 gravity;
    double step;        // [s]
    PairLaw grain_law;  // between grains
    PairLaw *wall_laws; // per wall part
    size_t chunk_count;
    Sums *sums;     // per chunk
    Load *loads;    // per chunk and wall part
    Load *measured; // per wall part, for grains_measure
    double total_mass;
    double work, input, impact, friction; // since the start [J]
    double largest_overlap;               // since the start, over radius
};

// ---- creation
// --------------------------------------------------------------------------------------------------
static const Material *find_material(const Material *materials, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(materials[i].name, name) == 0) return &materials[i];
    return NULL;
}

// Two different materials: the smaller friction and the smaller restitution of the two count.
static PairLaw pair_law(const ContactDefinition *contact, double stiffness, const Material *a,
                        const Material *b) {
    double friction = contact->tangential == TANGENTIAL_NONE ? 0 : fmin(a->friction, b->friction);
    double restitution = fmax(fmin(a->restitution, b->restitution), 0.01);
    return (PairLaw){stiffness, linear_damping_ratio(restitution), friction};
}

static MrcStatus set_laws(Grains *grains, const Material *materials, int material_count, MrcError *error) {
    const GrainsDefinition *d = grains->definition;
    const Material *own = find_material(materials, material_count, d->particles.material);
    double wall_stiffness = d->contact.wall_stiffness > 0 ? d->contact.wall_stiffness : d->contact.stiffness;
    grains->grain_law = pair_law(&d->contact, d->contact.stiffness, own, own);
    grains->wall_laws = memory_alloc((size_t)d->wall_count * sizeof *grains->wall_laws);
    if (!grains->wall_laws) return error_memory(error, "the contact laws");
    for (int w = 0; w < d->wall_count; w++) {
        const Material *other =
            d->walls[w].material ? find_material(materials, material_count, d->walls[w].material) : own;
        grains->wall_laws[w] = pair_law(&d->contact, wall_stiffness, own, other);
    }
    return MRC_OK;
}

// Grains start in the port's axes and move with it.
static void start_with_port(Grains *grains, const Material *own, const Motion *port) {
    GrainStore *s = &grains->store;
    const ParticlesDefinition *p = &grains->definition->particles;
    double volume = 4.0 / 3.0 * 3.14159265358979323846 * p->radius * p->radius * p->radius;
    for (size_t i = 0; i < s->count; i++) {
        Vec3 world = motion_to_world(port, vec3(s->x[i], s->y[i], s->z[i]));
        Vec3 velocity = vec3_add(motion_velocity_at(port, world), p->velocity);
        s->x[i] = world.x, s->y[i] = world.y, s->z[i] = world.z;
        s->vx[i] = velocity.x, s->vy[i] = velocity.y, s->vz[i] = velocity.z;
        s->wx[i] = port->angular_velocity.x, s->wy[i] = port->angular_velocity.y,
        s->wz[i] = port->angular_velocity.z;
        s->radius[i] = p->radius;
        s->mass[i] = own->density * volume;
        s->id[i] = (int64_t)i;
        grains->total_mass += s->mass[i];
    }
}

static MrcStatus create(Grains *grains, const Material *materials, int material_count, const Motion *port,
                        MrcError *error) {
    const GrainsDefinition *d = grains->definition;
    const Material *own = find_material(materials, material_count, d->particles.material);
    size_t count;
    MrcStatus status = packing_count(d, own->density, &count, error);
    if (status == MRC_OK) status = store_create(&grains->store, count, error);
    if (status == MRC_OK) status = set_laws(grains, materials, material_count, error);
    Vec3 up = quaternion_unrotate(port->orientation, vec3_neg(grains->gravity));
    if (status == MRC_OK) status = packing_place(d, up, &grains->store, error);
    if (status != MRC_OK) return status;
    start_with_port(grains, own, port);
    grains->chunk_count = threads_chunk_count(count);
    grains->sums = memory_alloc(grains->chunk_count * sizeof *grains->sums);
    grains->loads = memory_alloc(grains->chunk_count * (size_t)d->wall_count * sizeof *grains->loads);
    grains->measured = memory_alloc((size_t)d->wall_count * sizeof *grains->measured);
    if (!grains->sums || !grains->loads || !grains->measured)
        return error_memory(error, "the sums over grains");
    return neighbours_create(&grains->neighbours, &grains->store, 0.3 * d->particles.radius, error);
}

MrcStatus grains_create(const GrainsDefinition *definition, const Material *materials, int material_count,
                        Vec3 gravity, double step, const Motion *port, const Motion *walls, Grains **out,
                        MrcError *error) {
    Grains *grains = memory_alloc(sizeof *grains);
    *out = NULL;
    if (!grains) return error_memory(error, "the grains");
    grains->definition = definition;
    grains->gravity = gravity;
    grains->step = step;
    MrcStatus status = create(grains, materials, material_count, port, error);
    if (status == MRC_OK) status = neighbours_update(&grains->neighbours, &grains->store, error);
    if (status == MRC_OK) status = grains_check_lost(grains, walls, error);
    if (status != MRC_OK) grains_destroy(grains);
    else *out = grains;
    return status;
}

void grains_destroy(Grains *grains) {
    if (!grains) return;
    store_free(&grains->store);
    neighbours_free(&grains->neighbours);
    memory_free(grains->wall_laws);
    memory_free(grains->sums);
    memory_free(grains->loads);
    memory_free(grains->measured);
    memory_free(grains);
}

// ---- forces
// ----------------------------------------------------------------------------------------------------
typedef struct Touch {
    Vec3 normal;    // into the grain
    double overlap; // [m]
    Vec3 velocity;  // of the grain relative to the other, at the contact point [m/s]
    double mass;    // effective [kg]
} Touch;

typedef struct TouchResult {
    Vec3 force;    // on the grain [N]
    Vec3 friction; // the part of it that is friction
    Vec3 damping;  // the part of it that is normal damping
} TouchResult;

// What all contacts of one grain add up to.
typedef struct GrainForce {
    Vec3 force, moment, friction, damping;
} GrainForce;

static TouchResult touch_force(const PairLaw *law, const Touch *touch, double h) {
    double approach = -vec3_dot(touch->velocity, touch->normal);
    double damping = 2 * law->damping_ratio * sqrt(law->stiffness * touch->mass);
    double spring = law->stiffness * touch->overlap;
    double normal = (spring + damping * approach) / (1 + 0.5 * h * damping / touch->mass);
    if (normal < 0) normal = 0;
    TouchResult result = {.force = vec3_scale(normal, touch->normal),
                          .damping = vec3_scale(normal - spring, touch->normal)};
    Vec3 sliding = vec3_madd(touch->velocity, approach, touch->normal);
    double speed = vec3_norm(sliding), tangential_mass = 2.0 / 7.0 * touch->mass;
    if (law->friction > 0 && speed > 0) {
        double tangential = fmin(law->friction * normal, tangential_mass * speed / h);
        result.friction = vec3_scale(-tangential / speed, sliding);
        result.force = vec3_add(result.force, result.friction);
    }
    return result;
}

static void add_touch(GrainForce *sum, const TouchResult *result, Vec3 normal, double arm) {
    sum->force = vec3_add(sum->force, result->force);
    sum->moment = vec3_madd(sum->moment, -arm, vec3_cross(normal, result->force));
    sum->friction = vec3_add(sum->friction, result->friction);
    sum->damping = vec3_add(sum->damping, result->damping);
}

static void note_touch(Sums *sums, const PairLaw *law, double overlap, double radius, double share,
                       int64_t grain, int wall) {
    sums->elastic += share * 0.5 * law->stiffness * overlap * overlap;
    sums->contacts += share;
    if (overlap > sums->overlap) sums->overlap = overlap;
    if (overlap > sums->overlap_ratio * radius) {
        sums->overlap_ratio = overlap / radius;
        sums->overlap_grain = grain;
        sums->overlap_wall = wall;
    }
}

static void add_grain_contacts(const Grains *grains, size_t i, GrainForce *total, Sums *sums) {
    const GrainStore *s = &grains->store;
    const Neighbours *n = &grains->neighbours;
    Vec3 vi = {s->vx[i], s->vy[i], s->vz[i]}, wi = {s->wx[i], s->wy[i], s->wz[i]};
    for (size_t k = n->start.data[i]; k < n->start.data[i + 1]; k++) {
        int32_t j = n->index.data[k];
        Vec3 d = {s->x[i] - s->x[j], s->y[i] - s->y[j], s->z[i] - s->z[j]};
        double reach = s->radius[i] + s->radius[j], distance2 = vec3_norm2(d);
        if (distance2 >= reach * reach) continue;
        double distance = sqrt(distance2), overlap = reach - distance;
        Vec3 normal = distance > 0 ? vec3_scale(1 / distance, d) : vec3(0, 0, i < (size_t)j ? 1 : -1);
        double arm_i = s->radius[i] - 0.5 * overlap, arm_j = s->radius[j] - 0.5 * overlap;
        Vec3 vj = {s->vx[j], s->vy[j], s->vz[j]}, wj = {s->wx[j], s->wy[j], s->wz[j]};
        Vec3 spin = vec3_madd(vec3_scale(arm_i, wi), arm_j, wj);
        Touch touch = {normal, overlap, vec3_sub(vec3_sub(vi, vj), vec3_cross(spin, normal)),
                       s->mass[i] * s->mass[j] / (s->mass[i] + s->mass[j])};
        TouchResult result = touch_force(&grains->grain_law, &touch, grains->step);
        add_touch(total, &result, normal, arm_i);
        note_touch(sums, &grains->grain_law, overlap, fmin(s->radius[i], s->radius[j]), 0.5, s->id[i], -1);
    }
}

static void add_wall_contacts(const Grains *grains, const Motion *walls, size_t i, GrainForce *total,
                              Sums *sums, Load *loads) {
    const GrainStore *s = &grains->store;
    Vec3 center = {s->x[i], s->y[i], s->z[i]}, velocity = {s->vx[i], s->vy[i], s->vz[i]};
    Vec3 spin = {s->wx[i], s->wy[i], s->wz[i]};
    WallContact contacts[WALL_CONTACT_MAX];
    for (int w = 0; w < grains->definition->wall_count; w++) {
        Vec3 local = motion_to_local(&walls[w], center);
        int count = wall_contacts(&grains->definition->walls[w].shape, local, s->radius[i], 0, contacts);
        for (int c = 0; c < count; c++) {
            Vec3 normal = quaternion_rotate(walls[w].orientation, contacts[c].normal);
            double overlap = -contacts[c].gap, arm = s->radius[i] - overlap;
            Vec3 point = vec3_madd(center, -arm, normal);
            Vec3 relative = vec3_sub(vec3_sub(velocity, vec3_scale(arm, vec3_cross(spin, normal))),
                                     motion_velocity_at(&walls[w], point));
            Touch touch = {normal, overlap, relative, s->mass[i]};
            TouchResult result = touch_force(&grains->wall_laws[w], &touch, grains->step);
            add_touch(total, &result, normal, arm);
            loads[w].force = vec3_sub(loads[w].force, result.force);
            loads[w].moment =
                vec3_sub(loads[w].moment, vec3_cross(vec3_sub(point, walls[w].position), result.force));
            // What friction and damping do to the wall; what they do to the grain is known after the kick.
            Vec3 wall_velocity = motion_velocity_at(&walls[w], point);
            sums->friction_power += vec3_dot(result.friction, wall_velocity);
            sums->impact_power += vec3_dot(result.damping, wall_velocity);
            note_touch(sums, &grains->wall_laws[w], overlap, s->radius[i], 1, s->id[i], w);
        }
    }
}

static void add_sums(Sums *total, const Sums *part) {
    total->elastic += part->elastic;
    total->impact_power += part->impact_power;
    total->friction_power += part->friction_power;
    total->contacts += part->contacts;
    total->overlap = fmax(total->overlap, part->overlap);
    if (part->overlap_ratio > total->overlap_ratio) {
        total->overlap_ratio = part->overlap_ratio;
        total->overlap_grain = part->overlap_grain;
        total->overlap_wall = part->overlap_wall;
    }
}

// Forces and moments on all grains, loads on all walls, and the sums.
static Sums smooth_forces(Grains *grains, const Motion *walls, Load *loads) {
    GrainStore *s = &grains->store;
    size_t wall_count = (size_t)grains->definition->wall_count;
#pragma omp parallel for schedule(static) if (grains->chunk_count > 1)
    for (size_t chunk = 0; chunk < grains->chunk_count; chunk++) {
        Sums sums = {0};
        Load *chunk_loads = grains->loads + chunk * wall_count;
        memset(chunk_loads, 0, wall_count * sizeof *chunk_loads);
        size_t end = (chunk + 1) * THREADS_CHUNK < s->count ? (chunk + 1) * THREADS_CHUNK : s->count;
        for (size_t i = chunk * THREADS_CHUNK; i < end; i++) {
            GrainForce total = {.force = vec3_scale(s->mass[i], grains->gravity)};
            add_grain_contacts(grains, i, &total, &sums);
            add_wall_contacts(grains, walls, i, &total, &sums, chunk_loads);
            s->fx[i] = total.force.x, s->fy[i] = total.force.y, s->fz[i] = total.force.z;
            s->tx[i] = total.moment.x, s->ty[i] = total.moment.y, s->tz[i] = total.moment.z;
            s->sx[i] = total.friction.x, s->sy[i] = total.friction.y, s->sz[i] = total.friction.z;
            s->dx[i] = total.damping.x, s->dy[i] = total.damping.y, s->dz[i] = total.damping.z;
        }
        grains->sums[chunk] = sums;
    }
    Sums total = {0};
    memset(loads, 0, wall_count * sizeof *loads);
    for (size_t chunk = 0; chunk < grains->chunk_count; chunk++) {
        add_sums(&total, &grains->sums[chunk]);
        for (size_t w = 0; w < wall_count; w++) {
            loads[w].force = vec3_add(loads[w].force, grains->loads[chunk * wall_count + w].force);
            loads[w].moment = vec3_add(loads[w].moment, grains->loads[chunk * wall_count + w].moment);
        }
    }
    return total;
}

// ---- the step
// --------------------------------------------------------------------------------------------------
// Kick and drift of one grain. Adds to the sums what friction and damping take from it, exactly: a force does
// the work force * (v(n) + v(n+1))/2 * h in symplectic Euler.
static void move_grain(GrainStore *s, size_t i, double h, Sums *sums) {
    double kick = h / s->mass[i], spin = 2.5 * kick / (s->radius[i] * s->radius[i]); // I = 2/5 m r^2
    Vec3 v = {s->vx[i], s->vy[i], s->vz[i]}, w = {s->wx[i], s->wy[i], s->wz[i]};
    Vec3 force = {s->fx[i], s->fy[i], s->fz[i]}, moment = {s->tx[i], s->ty[i], s->tz[i]};
    Vec3 v_middle = vec3_madd(v, 0.5 * kick, force), w_middle = vec3_madd(w, 0.5 * spin, moment);
    sums->friction_power -=
        vec3_dot(vec3(s->sx[i], s->sy[i], s->sz[i]), v_middle) + vec3_dot(moment, w_middle);
    sums->impact_power -= vec3_dot(vec3(s->dx[i], s->dy[i], s->dz[i]), v_middle);
    v = vec3_madd(v, kick, force);
    w = vec3_madd(w, spin, moment);
    s->vx[i] = v.x, s->vy[i] = v.y, s->vz[i] = v.z;
    s->wx[i] = w.x, s->wy[i] = w.y, s->wz[i] = w.z;
    s->x[i] += h * v.x, s->y[i] += h * v.y, s->z[i] += h * v.z;
}

static void kick_and_drift(Grains *grains, Sums *total) {
    GrainStore *s = &grains->store;
#pragma omp parallel for schedule(static) if (grains->chunk_count > 1)
    for (size_t chunk = 0; chunk < grains->chunk_count; chunk++) {
        Sums sums = {0};
        size_t end = (chunk + 1) * THREADS_CHUNK < s->count ? (chunk + 1) * THREADS_CHUNK : s->count;
        for (size_t i = chunk * THREADS_CHUNK; i < end; i++) move_grain(s, i, grains->step, &sums);
        grains->sums[chunk] = sums;
    }
    for (size_t chunk = 0; chunk < grains->chunk_count; chunk++) add_sums(total, &grains->sums[chunk]);
}

static MrcStatus check_overlap(const Grains *grains, const Sums *sums, MrcError *error) {
    double limit = grains->definition->contact.max_overlap;
    if (sums->overlap_ratio <= limit) return MRC_OK;
    const char *other =
        sums->overlap_wall < 0 ? "another grain" : grains->definition->walls[sums->overlap_wall].name;
    return error_set(
        error, MRC_OVERLAP,
        "grains '%s': grain %lld overlaps %s by %.3g of its radius, more than max_overlap = %g; use a "
        "larger contact stiffness or a smaller step",
        grains->definition->name, (long long)sums->overlap_grain, other, sums->overlap_ratio, limit);
}

MrcStatus grains_advance(Grains *grains, const Motion *walls, Load *loads, MrcError *error) {
    double h = grains->step;
    MrcStatus status = neighbours_update(&grains->neighbours, &grains->store, error);
    if (status != MRC_OK) return status;
    Sums sums = smooth_forces(grains, walls, loads);
    grains->largest_overlap = fmax(grains->largest_overlap, sums.overlap_ratio);
    status = check_overlap(grains, &sums, error);
    if (status != MRC_OK) return status;
    double power = 0;
    for (int w = 0; w < grains->definition->wall_count; w++) power -= load_power(&loads[w], &walls[w]);
    grains->work += h * power;
    grains->input += h * fmax(power, 0);
    kick_and_drift(grains, &sums);
    grains->impact += h * sums.impact_power;
    grains->friction += h * sums.friction_power;
    return MRC_OK;
}

MrcStatus grains_check_lost(const Grains *grains, const Motion *walls, MrcError *error) {
    const GrainStore *s = &grains->store;
    for (int w = 0; w < grains->definition->wall_count; w++)
        for (size_t i = 0; i < s->count; i++) {
            Vec3 center = {s->x[i], s->y[i], s->z[i]};
            double outside =
                wall_outside(&grains->definition->walls[w].shape, motion_to_local(&walls[w], center));
            if (outside <= 0) continue;
            return error_set(error, MRC_LOST_GRAIN,
                             "grains '%s': the centre of grain %lld is %.3g mm outside %s",
                             grains->definition->name, (long long)s->id[i], 1e3 * outside,
                             grains->definition->walls[w].name);
        }
    return MRC_OK;
}

// ---- measures
// ----------------------------------------------------------------------------------------------------
// Velocities lag the positions by half a step (the kick of this instant is still to come): the energy is
// taken with half of it added, which makes it second order in the step.
static void measure_motion(const Grains *grains, GrainsMeasure *m) {
    const GrainStore *s = &grains->store;
    Vec3 center = {0}, momentum = {0};
    for (size_t i = 0; i < s->count; i++) {
        double half = 0.5 * grains->step / s->mass[i], half_spin = 2.5 * half / (s->radius[i] * s->radius[i]);
        Vec3 v = vec3_madd(vec3(s->vx[i], s->vy[i], s->vz[i]), half, vec3(s->fx[i], s->fy[i], s->fz[i]));
        Vec3 w = vec3_madd(vec3(s->wx[i], s->wy[i], s->wz[i]), half_spin, vec3(s->tx[i], s->ty[i], s->tz[i]));
        center = vec3_madd(center, s->mass[i], vec3(s->x[i], s->y[i], s->z[i]));
        momentum = vec3_madd(momentum, s->mass[i], v);
        m->kinetic += 0.5 * s->mass[i] * (vec3_norm2(v) + 0.4 * s->radius[i] * s->radius[i] * vec3_norm2(w));
    }
    m->center = vec3_scale(1 / grains->total_mass, center);
    m->velocity = vec3_scale(1 / grains->total_mass, momentum);
    m->potential = -grains->total_mass * vec3_dot(grains->gravity, m->center);
    for (size_t i = 0; i < s->count; i++)
        m->temperature +=
            vec3_norm2(vec3_sub(vec3(s->vx[i], s->vy[i], s->vz[i]), m->velocity)) / (3 * (double)s->count);
}

MrcStatus grains_measure(Grains *grains, const Motion *port, const Motion *walls, GrainsMeasure *measure,
                         MrcError *error) {
    // If the lists are made anew here, the next step would have done so at the same positions.
    MrcStatus status = neighbours_update(&grains->neighbours, &grains->store, error);
    if (status != MRC_OK) return status;
    Load *loads = grains->measured;
    Sums sums = smooth_forces(grains, walls, loads);
    *measure = (GrainsMeasure){.overlap = sums.overlap,
                               .contacts = sums.contacts,
                               .elastic = sums.elastic,
                               .work = grains->work,
                               .input = grains->input,
                               .impact = grains->impact,
                               .friction = grains->friction,
                               .largest_overlap = grains->largest_overlap};
    measure_motion(grains, measure);
    for (int w = 0; w < grains->definition->wall_count; w++) {
        Vec3 arm = vec3_sub(walls[w].position, port->position);
        measure->load.force = vec3_add(measure->load.force, loads[w].force);
        measure->load.moment =
            vec3_add(measure->load.moment, vec3_add(loads[w].moment, vec3_cross(arm, loads[w].force)));
    }
    return MRC_OK;
}

#define SIGNAL(suffix, dimension, member)                                                                    \
    { suffix, dimension, offsetof(GrainsMeasure, member) }
const GrainsSignal grains_signals[] = {
    SIGNAL("load.fx", DIM_FORCE, load.force.x),
    SIGNAL("load.fy", DIM_FORCE, load.force.y),
    SIGNAL("load.fz", DIM_FORCE, load.force.z),
    SIGNAL("load.mx", DIM_MOMENT, load.moment.x),
    SIGNAL("load.my", DIM_MOMENT, load.moment.y),
    SIGNAL("load.mz", DIM_MOMENT, load.moment.z),
    SIGNAL("center.x", DIM_LENGTH, center.x),
    SIGNAL("center.y", DIM_LENGTH, center.y),
    SIGNAL("center.z", DIM_LENGTH, center.z),
    SIGNAL("velocity.x", DIM_VELOCITY, velocity.x),
    SIGNAL("velocity.y", DIM_VELOCITY, velocity.y),
    SIGNAL("velocity.z", DIM_VELOCITY, velocity.z),
    SIGNAL("temperature", DIMENSION(2, 0, -2, 0), temperature),
    SIGNAL("overlap", DIM_LENGTH, overlap),
    SIGNAL("contacts", DIM_NUMBER, contacts),
};
const int grains_signal_count = sizeof grains_signals / sizeof *grains_signals;

// ---- the rest
// ----------------------------------------------------------------------------------------------------
void grains_archive(Grains *grains, Archive *archive) {
    double sums[5] = {grains->work, grains->input, grains->impact, grains->friction, grains->largest_overlap};
    store_archive(&grains->store, archive);
    neighbours_archive(&grains->neighbours, &grains->store, archive);
    archive_doubles(archive, "sums", sums, 5);
    grains->work = sums[0];
    grains->input = sums[1];
    grains->impact = sums[2];
    grains->friction = sums[3];
    grains->largest_overlap = sums[4];
}

const GrainStore *grains_store(const Grains *grains) { return &grains->store; }
double grains_mass(const Grains *grains) { return grains->total_mass; }
int grains_wall_count(const Grains *grains) { return grains->definition->wall_count; }
const WallDefinition *grains_wall(const Grains *grains, int part) { return &grains->definition->walls[part]; }

double grains_critical_step(const Grains *grains) {
    const ContactDefinition *contact = &grains->definition->contact;
    return 2 * sqrt(grains->store.mass[0] / (2 * fmax(contact->stiffness, contact->wall_stiffness)));
}
