#include "partner/prescribed.h"

#include <math.h>
#include <string.h>

Motion port_motion(const PortDefinition *port, TimePoint at) {
    Motion motion = motion_at_rest();
    for (int k = 0; k < 3; k++) {
        if (!port->position[k]) continue;
        Jet jet = expression_jet(port->position[k], at);
        vec3_set_component(&motion.position, k, jet.value);
        vec3_set_component(&motion.velocity, k, jet.rate);
        vec3_set_component(&motion.acceleration, k, jet.second);
    }
    if (port->angle) { // about an axis that stays: angular velocity and acceleration lie along it
        Jet jet = expression_jet(port->angle, at);
        motion.orientation = quaternion_from_rotation_vector(vec3_scale(jet.value, port->axis));
        motion.angular_velocity = vec3_scale(jet.rate, port->axis);
        motion.angular_acceleration = vec3_scale(jet.second, port->axis);
    }
    return motion;
}

static bool prescribed_is_finite(const Motion *m) {
    Vec3 sum = vec3_add(vec3_add(m->position, m->velocity), vec3_add(m->angular_velocity, m->acceleration));
    sum = vec3_add(sum, m->angular_acceleration);
    return isfinite(sum.x + sum.y + sum.z) && isfinite(m->orientation.w + m->orientation.x);
}

static MrcStatus prescribed_place(Prescribed *p, double t, Motion *motions, MrcError *error) {
    for (int k = 0; k < p->count; k++) {
        motions[k] = port_motion(p->ports[k], (TimePoint){t, p->inputs});
        if (!prescribed_is_finite(&motions[k]))
            return error_set(error, MRC_NOT_FINITE,
                             "port '%s': its position, velocity or acceleration is infinite or not a number "
                             "at t = %g s",
                             p->ports[k]->name, t);
    }
    return MRC_OK;
}

MrcStatus prescribed_create(const PortDefinition **ports, int count, const Inputs *inputs, Arena *arena,
                            Prescribed **out, MrcError *error) {
    Prescribed *p = *out = arena_alloc(arena, sizeof *p);
    if (!p) return error_memory(error, "the ports");
    *p = (Prescribed){.ports = ports, .count = count, .inputs = inputs};
    p->start = arena_alloc(arena, ((size_t)count + 1) * sizeof *p->start);
    p->end = arena_alloc(arena, ((size_t)count + 1) * sizeof *p->end);
    if (!p->start || !p->end) return error_memory(error, "the ports");
    return prescribed_place(p, 0, p->end, error);
}

// ---- the step ------------------------------------------------------------------------------------
static MrcStatus prescribed_begin(void *self, double t, double h, MrcError *error) {
    Prescribed *p = self;
    p->now = t + h;
    return prescribed_place(p, t + h, p->end, error);
}

// The twist over the step needs its beginning, too.
static MrcStatus prescribed_euler(void *self, double t, double h, MrcError *error) {
    Prescribed *p = self;
    MrcStatus status = MRC_OK;
    p->h = h;
    if (t == p->now) memcpy(p->start, p->end, (size_t)p->count * sizeof *p->start);
    else status = prescribed_place(p, t, p->start, error);
    return status == MRC_OK ? prescribed_begin(p, t, h, error) : status;
}

static Motion prescribed_motion(const void *self, int port) { return ((const Prescribed *)self)->end[port]; }

static MrcStatus prescribed_advance(void *self, const Load *loads, MrcError *error) {
    (void)self, (void)loads, (void)error;
    return MRC_OK;
}

static MrcStatus prescribed_iterate(void *self, const Load *loads, double *left, MrcError *error) {
    (void)self, (void)loads, (void)error;
    *left = 0;
    return MRC_OK;
}

static MrcStatus prescribed_commit(void *self, MrcError *error) {
    (void)self, (void)error;
    return MRC_OK;
}

static Twist prescribed_twist(const void *self, int port) {
    const Prescribed *p = self;
    return motion_twist_to(&p->start[port], &p->end[port], p->h);
}

// A body of infinite mass: contacts do not change its motion.
static MrcStatus prescribed_join(void *self, ContactProblem *problem, MachinePort *ports, MrcError *error) {
    const Prescribed *p = self;
    for (int k = 0; k < p->count; k++) {
        int32_t body = contact_problem_add_body(problem, 0, 0, prescribed_twist(p, k));
        if (body < 0) return error_memory(error, "the ports");
        ports[k] = (MachinePort){.body = body, .origin = p->start[k].position};
    }
    return MRC_OK;
}

static void prescribed_take(void *self, const ContactSolution *solution, const Load *impulses,
                            const double *works) {
    (void)self, (void)solution, (void)impulses, (void)works;
}

static PartnerAbilities prescribed_abilities(const void *self) {
    const Prescribed *p = self;
    return (PartnerAbilities){.euler = true, .bodies = p->count, .rho_inf = NAN, .energy = true};
}

static PartnerEnergy prescribed_energy(const void *self) {
    (void)self;
    return (PartnerEnergy){0};
}

static const DriverVerbs prescribed_verbs = {
    .begin = prescribed_begin,
    .motion = prescribed_motion,
    .advance = prescribed_advance,
    .iterate = prescribed_iterate,
    .commit = prescribed_commit,
    .euler = prescribed_euler,
    .euler_twist = prescribed_twist,
    .join = prescribed_join,
    .take = prescribed_take,
};

// ---- state ---------------------------------------------------------------------------------------
static void prescribed_archive(void *self, Archive *archive) {
    Prescribed *p = self;
    archive_doubles(archive, "motion", (double *)p->end, (size_t)p->count * sizeof(Motion) / sizeof(double));
    archive_doubles(archive, "now", &p->now, 1);
}

const PartnerType partner_prescribed = {
    .kind = "prescribed motion",
    .driver = &prescribed_verbs,
    .abilities = prescribed_abilities,
    .energy = prescribed_energy,
    .archive = prescribed_archive,
};
