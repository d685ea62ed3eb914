#include "coupling/follower_world.h"

#include <math.h>
#include <string.h>

#include "coupling/port.h"

MrcStatus world_follower_create(WorldFollower *f, Arena *arena, MrcError *error) {
    size_t n = (size_t)(f->coupled + f->imposed);
    f->ports = arena_alloc(arena, n * sizeof *f->ports);
    f->impulses = arena_alloc(arena, n * sizeof *f->impulses);
    f->Y = arena_alloc(arena, 36 * n * n * sizeof *f->Y);
    return f->ports && f->impulses && f->Y ? MRC_OK : error_memory(error, "the ports");
}

static MrcStatus save(void *self, MrcError *error) {
    WorldFollower *f = self;
    f->saved[0] = f->t, f->saved[1] = f->worked, f->saved[2] = f->flow;
    return world_save(f->world, error);
}

static MrcStatus restore(void *self, MrcError *error) {
    WorldFollower *f = self;
    f->t = f->saved[0], f->worked = f->saved[1], f->flow = f->saved[2];
    return world_restore(f->world, error);
}

// The mobility of all ports: imposed ones do not yield.
static const double *with_imposed(const WorldFollower *f, const double *Y) {
    if (!Y || f->imposed == 0) return Y;
    int inner = 6 * f->coupled, all = 6 * (f->coupled + f->imposed);
    memset(f->Y, 0, (size_t)all * (size_t)all * sizeof *f->Y);
    for (int i = 0; i < inner; i++) memcpy(f->Y + i * all, Y + i * inner, (size_t)inner * sizeof *Y);
    return f->Y;
}

// Coupled ports as given, imposed ones as they are told.
static void move_ports(WorldFollower *f, double h, const Motion *ports) {
    memcpy(f->ports, ports, (size_t)f->coupled * sizeof *ports);
    for (int k = 0; k < f->imposed; k++) {
        Motion from = port_motion(f->motions[k], f->t), to = port_motion(f->motions[k], f->t + h);
        Twist twist = motion_twist_to(&from, &to, h);
        from.velocity = twist.linear;
        from.angular_velocity = twist.angular;
        from.acceleration = from.angular_acceleration = vec3_zero();
        f->ports[f->coupled + k] = from;
    }
}

static void end_step(WorldFollower *f, double h, Load *impulses) {
    memcpy(impulses, f->impulses, (size_t)f->coupled * sizeof *impulses);
    for (int k = f->coupled; k < f->coupled + f->imposed; k++) {
        double work = -load_power(&f->impulses[k], &f->ports[k]); // impulse times velocity
        f->worked += work;
        f->flow += fabs(work);
    }
    f->t += h;
}

static MrcStatus advance(void *self, double h, const Motion *ports, const double *Y, Load *impulses,
                         Load *early, MrcError *error) {
    WorldFollower *f = self;
    move_ports(f, h, ports);
    MrcStatus status = world_advance(f->world, h, f->ports, with_imposed(f, Y), f->impulses, NULL, error);
    if (status != MRC_OK) return status;
    memcpy(early, world_early(f->world), (size_t)f->coupled * sizeof *early);
    end_step(f, h, impulses);
    return MRC_OK;
}

static MrcStatus advance_machine(void *self, double h, const Motion *ports, const ContactMachine *machine,
                                 Load *impulses, MrcError *error) {
    WorldFollower *f = self;
    move_ports(f, h, ports);
    MrcStatus status = world_advance_machine(f->world, h, f->ports, machine, f->impulses, NULL, error);
    if (status == MRC_OK) end_step(f, h, impulses);
    return status;
}

static PartnerEnergy energy(const void *self) {
    const WorldFollower *f = self;
    PartnerEnergy sum = {.stored = world_elastic(f->world), .worked = f->worked, .flow = f->flow};
    for (int b = 0; b < f->bed_count; b++) {
        const GrainStore *s = grains_view(f->beds[b].grains);
        for (size_t i = 0; i < s->count; i++) {
            double m = 1 / s->inverse_mass[i], inertia = 0.4 * m * s->radius[i] * s->radius[i];
            double v2 = s->vx[i] * s->vx[i] + s->vy[i] * s->vy[i] + s->vz[i] * s->vz[i];
            double w2 = s->wx[i] * s->wx[i] + s->wy[i] * s->wy[i] + s->wz[i] * s->wz[i];
            sum.kinetic += 0.5 * (m * v2 + inertia * w2);
            sum.stored -= m * vec3_dot(f->gravity, vec3(s->x[i], s->y[i], s->z[i]));
        }
    }
    return sum;
}

static void carried(const void *self, int port, Vec3 origin, PartnerMass *mass) {
    const WorldFollower *f = self;
    for (int b = 0; b < f->bed_count; b++) {
        const WorldBed *bed = &f->beds[b];
        const GrainStore *s = grains_view(bed->grains);
        bool touches = false, held = false;
        for (int part = 0; part < grains_wall_count(bed->grains); part++) {
            touches = touches || bed->wall_ports[part] == port;
            held = held || bed->wall_ports[part] != port;
        }
        if (!touches) continue;
        mass->held = mass->held || held;
        for (size_t i = 0; i < s->count; i++) {
            double m = 1 / s->inverse_mass[i];
            double away2 = vec3_norm2(vec3_sub(vec3(s->x[i], s->y[i], s->z[i]), origin));
            mass->mass += m;
            mass->polar += m * (away2 + 0.4 * s->radius[i] * s->radius[i]);
        }
    }
}

Follower world_follower(WorldFollower *follower) {
    int small_steps = world_substeps(follower->world);
    return (Follower){
        follower, save, restore, advance, energy, small_steps, small_steps ? NULL : advance_machine, carried};
}

void world_follower_archive(WorldFollower *f, Archive *archive) {
    double numbers[] = {f->t, f->worked, f->flow};
    archive_doubles(archive, "follower", numbers, 3);
    f->t = numbers[0], f->worked = numbers[1], f->flow = numbers[2];
}
