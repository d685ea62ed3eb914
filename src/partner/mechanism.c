#include "partner/mechanism.h"

#include <math.h>

#include "math/so3.h"
#include "mechanism/compliance.h"
#include "mechanism/force.h"
#include "mechanism/joint_type.h"
#include "mechanism/names.h"
#include "partner/mechanism_figure.h"

// ---- creation ------------------------------------------------------------------------------------
static MrcStatus mechanism_partner_find_names(MechanismPartner *p, Arena *arena, MrcError *error) {
    const MechanismDefinition *d = p->definition;
    size_t node_count = (size_t)mechanism_node_count(p->mechanism);
    NodeName *names = NULL;
    p->named_count = names_list(d, arena, &names);
    p->named = arena_alloc(arena, p->named_count * sizeof *p->named + 1);
    p->values = arena_alloc(arena, p->named_count * sizeof *p->values + 1);
    p->joints = arena_alloc(arena, (size_t)d->joint_count * sizeof *p->joints + 1);
    p->reactions = arena_alloc(arena, (size_t)d->joint_count * sizeof *p->reactions + 1);
    p->joint_values = arena_alloc(arena, (size_t)d->joint_count * sizeof *p->joint_values + 1);
    p->springs = arena_alloc(arena, (size_t)d->spring_count * sizeof *p->springs + 1);
    p->torsion_springs = arena_alloc(arena, (size_t)d->torsion_spring_count * sizeof *p->torsion_springs + 1);
    p->forces = arena_alloc(arena, (size_t)d->force_count * sizeof *p->forces + 1);
    p->motors = arena_alloc(arena, (size_t)d->motor_count * sizeof *p->motors + 1);
    p->cylinders = arena_alloc(arena, (size_t)d->cylinder_count * sizeof *p->cylinders + 1);
    p->start = arena_alloc(arena, node_count * sizeof *p->start + 1);
    if (!names || !p->named || !p->values || !p->joints || !p->reactions || !p->joint_values || !p->springs ||
        !p->torsion_springs || !p->forces || !p->motors || !p->cylinders || !p->start)
        return error_memory(error, "the mechanism");
    for (size_t k = 0; k < p->named_count; k++)
        p->named[k] = mechanism_find_node(p->mechanism, names[k].name);
    for (int j = 0; j < d->joint_count; j++)
        p->joints[j] = mechanism_find_joint(p->mechanism, d->joints[j].name);
    for (size_t n = 0; n < node_count; n++) p->start[n] = mechanism_written_axes(p->mechanism, (int)n);
    return MRC_OK;
}

// A note, if closing the joints has changed the initial state of the model file by more than rounding.
static void mechanism_partner_tell_assembly(const MechanismPartner *p, const Log *log) {
    const MechanismAssembly *a = mechanism_assembly(p->mechanism);
    if (a->moved > 1e-6 || a->turned > 1e-6)
        log_note(log, "the joints were closed by moving nodes: at most by %.3g mm and %.3g deg%s%s",
                 1e3 * a->moved, 57.29577951308232 * a->turned, a->node ? ", most of all " : "",
                 a->node ? a->node : "");
    if (a->velocity > 1e-6 || a->angular > 1e-6)
        log_note(log, "velocities were changed to fit the joints: at most by %.3g m/s and %.3g rad/s",
                 a->velocity, a->angular);
}

MrcStatus mechanism_partner_create(const MechanismDefinition *definition, const MechanismSetting *setting,
                                   Arena *arena, MechanismPartner **out, MrcError *error) {
    MechanismPartner *p = *out = arena_alloc(arena, sizeof *p);
    if (!p) return error_memory(error, "the mechanism");
    p->definition = definition;
    MrcStatus status = mechanism_create(definition, setting, &p->mechanism, error);
    if (status == MRC_OK) status = mechanism_partner_find_names(p, arena, error);
    if (status == MRC_OK) status = mechanism_figure_sticks(p, arena, error);
    if (status == MRC_OK) mechanism_partner_tell_assembly(p, setting->log);
    return status;
}

static void mechanism_partner_destroy(void *self) {
    MechanismPartner *p = self;
    mechanism_destroy(p->mechanism);
    p->mechanism = NULL;
}

// ---- the step ------------------------------------------------------------------------------------
static Mechanism *mechanism_of(const void *self) { return ((const MechanismPartner *)self)->mechanism; }

static MrcStatus mechanism_partner_begin(void *self, double t, double h, MrcError *error) {
    (void)t; // the mechanism counts its own time
    return mechanism_begin(mechanism_of(self), h, error);
}
static Motion mechanism_partner_motion(const void *self, int port) {
    return mechanism_motion(mechanism_of(self), port);
}
static MrcStatus mechanism_partner_advance(void *self, const Load *loads, MrcError *error) {
    return mechanism_advance(mechanism_of(self), loads, error);
}
static MrcStatus mechanism_partner_iterate(void *self, const Load *loads, double *left, MrcError *error) {
    return mechanism_iterate(mechanism_of(self), loads, left, error);
}
static MrcStatus mechanism_partner_mobility(void *self, double early, double *Y, MrcError *error) {
    return mechanism_mobility(mechanism_of(self), early, Y, error);
}
static MrcStatus mechanism_partner_curve(void *self, Twist *changes, MrcError *error) {
    if (mechanism_curve(mechanism_of(self), changes)) return MRC_OK;
    return error_set(error, MRC_NOT_CONVERGED, "the motion of the ports within a step cannot be found");
}
static bool mechanism_partner_divide(void *self, double *lasting, double *yielding, double *settling) {
    return mechanism_divide(mechanism_of(self), lasting, yielding, settling);
}
static MrcStatus mechanism_partner_impulse(void *self, const Load *impulses, const Load *early,
                                           const double *works, MrcError *error) {
    return mechanism_impulse(mechanism_of(self), impulses, early, works, error);
}
static bool mechanism_partner_jump_energy(void *self, const Load *impulses, double *gained) {
    return mechanism_jump_energy(mechanism_of(self), impulses, gained);
}
static bool mechanism_partner_stopped(const void *self, Twist *lost) {
    return mechanism_stopped(mechanism_of(self), lost);
}
static MrcStatus mechanism_partner_commit(void *self, MrcError *error) {
    return mechanism_commit(mechanism_of(self), error);
}
static MrcStatus mechanism_partner_euler(void *self, double t, double h, MrcError *error) {
    (void)t;
    return mechanism_euler(mechanism_of(self), h, error);
}
static Twist mechanism_partner_euler_twist(const void *self, int port) {
    return mechanism_euler_twist(mechanism_of(self), port);
}
static MrcStatus mechanism_partner_join(void *self, ContactProblem *problem, MachinePort *ports,
                                        MrcError *error) {
    return mechanism_join(mechanism_of(self), problem, ports, error);
}
static void mechanism_partner_take(void *self, const ContactSolution *solution, const Load *impulses,
                                   const double *works) {
    mechanism_take(mechanism_of(self), solution, impulses, works);
}

static const DriverVerbs mechanism_verbs = {
    .begin = mechanism_partner_begin,
    .motion = mechanism_partner_motion,
    .advance = mechanism_partner_advance,
    .iterate = mechanism_partner_iterate,
    .mobility = mechanism_partner_mobility,
    .curve = mechanism_partner_curve,
    .divide = mechanism_partner_divide,
    .impulse = mechanism_partner_impulse,
    .jump_energy = mechanism_partner_jump_energy,
    .stopped = mechanism_partner_stopped,
    .commit = mechanism_partner_commit,
    .euler = mechanism_partner_euler,
    .euler_twist = mechanism_partner_euler_twist,
    .join = mechanism_partner_join,
    .take = mechanism_partner_take,
};

static PartnerAbilities mechanism_partner_abilities(const void *self) {
    return (PartnerAbilities){.yields = true,
                              .mobility = true,
                              .euler = true,
                              .bodies = mechanism_body_count(mechanism_of(self)),
                              .rho_inf = mechanism_rho_inf(mechanism_of(self)),
                              .energy = true};
}

static PartnerEnergy mechanism_partner_energy(const void *self) {
    ElementEnergy e = mechanism_settled_energy(mechanism_of(self));
    MechanismLedger l = mechanism_ledger(mechanism_of(self));
    return (PartnerEnergy){e.kinetic, e.potential + e.elastic, l.work, l.flow, 0};
}

// ---- signals, energies, facts --------------------------------------------------------------------
#define ROW(suffix, dimension, member, words)                                                                \
    { suffix, dimension, offsetof(Load, member), words, NULL }
static const SignalRow reaction_rows[] = {
    ROW("fx", DIM_FORCE, force.x, "force of the joint on its second node, along x of the world"),
    ROW("fy", DIM_FORCE, force.y, "force of the joint on its second node, along y of the world"),
    ROW("fz", DIM_FORCE, force.z, "force of the joint on its second node, along z of the world"),
    ROW("mx", DIM_MOMENT, moment.x,
        "moment of the joint on its second node, about the joint and x of the world"),
    ROW("my", DIM_MOMENT, moment.y,
        "moment of the joint on its second node, about the joint and y of the world"),
    ROW("mz", DIM_MOMENT, moment.z,
        "moment of the joint on its second node, about the joint and z of the world"),
};
#define JOINT_ROW(suffix, dimension, member, words, unit)                                                    \
    { suffix, dimension, offsetof(JointValues, member), words, unit }
static const SignalRow turning_rows[] = {
    JOINT_ROW("angle", DIM_ANGLE, angle,
              "turn of its second node against the first about its axis, full turns counted", NULL),
    JOINT_ROW("rate", DIM_ANGULAR_VELOCITY, rate, "rate of that angle", NULL),
};
static const SignalRow sliding_rows[] = {
    JOINT_ROW("position", DIM_LENGTH, position, "displacement of its second node along its axis", NULL),
    JOINT_ROW("speed", DIM_VELOCITY, speed, "rate of that displacement", NULL),
};
static const SignalRow drive_row =
    JOINT_ROW("power", DIMENSION(2, 1, -3, 0), power, "power that its drive gives", "W");
enum { REACTION_ROWS = sizeof reaction_rows / sizeof *reaction_rows };
static const SignalRow spring_rows[] = {
    {"length", DIM_LENGTH, offsetof(SpringValues, length), "length of the spring, between its two points",
     NULL},
    {"force", DIM_FORCE, offsetof(SpringValues, force), "force of the spring, positive in tension", NULL},
};
static const SignalRow spring_power_rows[] = {
    // recorded when they are asked for
    {"speed", DIM_VELOCITY, offsetof(SpringValues, speed), "rate of the length of the spring", NULL},
    {"power", DIMENSION(2, 1, -3, 0), offsetof(SpringValues, power),
     "power that the spring gives; negative: it takes it, or its damper does", "W"},
};
static const SignalRow torsion_spring_rows[] = {
    // on request, as those below
    {"angle", DIM_ANGLE, offsetof(SpringValues, length),
     "turn of its second node against the first about its axis, full turns counted", NULL},
    {"moment", DIM_MOMENT, offsetof(SpringValues, force),
     "moment of spring and damper on its second node, about its axis", NULL},
    {"speed", DIM_ANGULAR_VELOCITY, offsetof(SpringValues, speed), "rate of that angle", NULL},
    {"power", DIMENSION(2, 1, -3, 0), offsetof(SpringValues, power),
     "power that the spring gives; negative: it takes it, or its damper does", "W"},
};
#define FORCE_ROW(suffix, dimension, member, words, unit)                                                    \
    { suffix, dimension, offsetof(ForceValues, member), words, unit }
static const SignalRow force_rows[] = {
    FORCE_ROW("fx", DIM_FORCE, load.force.x, "force that it exerts, along x of the world", NULL),
    FORCE_ROW("fy", DIM_FORCE, load.force.y, "force that it exerts, along y of the world", NULL),
    FORCE_ROW("fz", DIM_FORCE, load.force.z, "force that it exerts, along z of the world", NULL),
    FORCE_ROW("mx", DIM_MOMENT, load.moment.x, "moment that it exerts, about x of the world", NULL),
    FORCE_ROW("my", DIM_MOMENT, load.moment.y, "moment that it exerts, about y of the world", NULL),
    FORCE_ROW("mz", DIM_MOMENT, load.moment.z, "moment that it exerts, about z of the world", NULL),
    FORCE_ROW("power", DIMENSION(2, 1, -3, 0), power, "power that it gives", "W"),
};
enum { SPRING_ROWS = sizeof spring_rows / sizeof *spring_rows };

#define ACTUATOR_ROW(suffix, dimension, member, words, unit)                                                 \
    { suffix, dimension, offsetof(ActuatorValues, member), words, unit }
static const SignalRow motor_rows[] = {
    ACTUATOR_ROW("angle", DIM_ANGLE, coordinate,
                 "turn of its second node against the first, full turns counted", NULL),
    ACTUATOR_ROW("speed", DIM_ANGULAR_VELOCITY, rate, "angular velocity of its second node against the first",
                 NULL),
    ACTUATOR_ROW("torque", DIM_MOMENT, force, "moment of the motor on its second node, about its axis", NULL),
    ACTUATOR_ROW("power", DIMENSION(2, 1, -3, 0), power, "power that the motor gives", "W"),
};
static const SignalRow cylinder_rows[] = {
    ACTUATOR_ROW("length", DIM_LENGTH, coordinate, "length of the cylinder, between its two points", NULL),
    ACTUATOR_ROW("speed", DIM_VELOCITY, rate, "rate of that length", NULL),
    ACTUATOR_ROW("force", DIM_FORCE, force, "force of the cylinder, positive when it pushes", NULL),
    ACTUATOR_ROW("power", DIMENSION(2, 1, -3, 0), power, "power that the cylinder gives", "W"),
};

_Static_assert(sizeof(NodeValues) == NODE_SIGNAL_COUNT * sizeof(double), "one value per signal of a node");

// Recorded when they are asked for.
static void mechanism_partner_joint_signals(const JointDefinition *joint, const JointValues *values,
                                            SignalList *list) {
    const JointType *type = joint_types[joint->kind];
    if (type->turns) signal_list_add_on_request(list, joint->name, turning_rows, 2, values);
    if (type->slides) signal_list_add_on_request(list, joint->name, sliding_rows, 2, values);
    if (joint_is_driven(joint)) signal_list_add_on_request(list, joint->name, &drive_row, 1, values);
}

static void mechanism_partner_spring_signals(const char *name, const SpringValues *values, SignalList *list) {
    signal_list_add(list, name, spring_rows, SPRING_ROWS, values);
    signal_list_add_on_request(list, name, spring_power_rows, 2, values);
}

static void mechanism_partner_signals(const void *definition, void *self, SignalList *list) {
    const MechanismDefinition *d = definition;
    const MechanismPartner *p = self;
    NodeName *names = NULL;
    size_t count = names_list(d, list->arena, &names);
    if (!names) list->incomplete = true;
    for (size_t k = 0; names && k < count; k++)
        for (int s = 0; s < NODE_SIGNAL_COUNT; s++) {
            const char *name = arena_printf(list->arena, "%s.%s", names[k].name, node_signal_kinds[s].suffix);
            const double *value = p ? &p->values[k].position.x + s : NULL;
            Signal signal = {.name = name,
                             .dimension = node_signal_kinds[s].dimension,
                             .on_request = names[k].inner,
                             .inner = names[k].inner,
                             .value = value,
                             .words = node_signal_kinds[s].words};
            if (name) signal_list_add_one(list, signal);
            else list->incomplete = true;
        }
    for (int j = 0; j < d->joint_count; j++) {
        signal_list_add(list, d->joints[j].name, reaction_rows, REACTION_ROWS, p ? &p->reactions[j] : NULL);
        mechanism_partner_joint_signals(&d->joints[j], p ? &p->joint_values[j] : NULL, list);
    }
    for (int s = 0; s < d->spring_count; s++)
        mechanism_partner_spring_signals(d->springs[s].name, p ? &p->springs[s] : NULL, list);
    for (int k = 0; k < d->torsion_spring_count; k++)
        signal_list_add_on_request(list, d->torsion_springs[k].name, torsion_spring_rows,
                                   sizeof torsion_spring_rows / sizeof *torsion_spring_rows,
                                   p ? &p->torsion_springs[k] : NULL);
    for (int k = 0; k < d->force_count; k++)
        signal_list_add_on_request(list, d->forces[k].name, force_rows,
                                   sizeof force_rows / sizeof *force_rows, p ? &p->forces[k] : NULL);
    for (int k = 0; k < d->motor_count; k++)
        signal_list_add(list, d->motors[k].name, motor_rows, sizeof motor_rows / sizeof *motor_rows,
                        p ? &p->motors[k] : NULL);
    for (int k = 0; k < d->cylinder_count; k++)
        signal_list_add(list, d->cylinders[k].name, cylinder_rows,
                        sizeof cylinder_rows / sizeof *cylinder_rows, p ? &p->cylinders[k] : NULL);
}

static MrcStatus mechanism_partner_measure(void *self, const Motion *ports, MrcError *error) {
    (void)ports;
    MechanismPartner *p = self;
    MrcStatus status = mechanism_report(p->mechanism, error);
    if (status != MRC_OK) return status;
    for (size_t k = 0; k < p->named_count; k++) {
        const NodeState *node = mechanism_reported_node(p->mechanism, p->named[k]);
        Mat3 turned = mat3_mul(node->R, mat3_transpose(p->start[p->named[k]]));
        p->values[k] = (NodeValues){node->x, so3_log(turned), node->v, node->w, node->a};
    }
    for (int j = 0; j < p->definition->joint_count; j++) {
        p->reactions[j] = mechanism_reported_reaction(p->mechanism, p->joints[j]);
        p->joint_values[j] = mechanism_reported_joint(p->mechanism, p->joints[j]);
    }
    for (int s = 0; s < p->definition->spring_count; s++)
        p->springs[s] = mechanism_reported_spring(p->mechanism, p->definition->springs[s].name);
    for (int k = 0; k < p->definition->torsion_spring_count; k++)
        p->torsion_springs[k] =
            mechanism_reported_torsion_spring(p->mechanism, p->definition->torsion_springs[k].name);
    for (int k = 0; k < p->definition->force_count; k++)
        p->forces[k] = mechanism_reported_force(p->mechanism, p->definition->forces[k].name);
    for (int k = 0; k < p->definition->motor_count; k++)
        p->motors[k] = mechanism_reported_actuator(p->mechanism, p->definition->motors[k].name);
    for (int k = 0; k < p->definition->cylinder_count; k++)
        p->cylinders[k] = mechanism_reported_actuator(p->mechanism, p->definition->cylinders[k].name);
    return MRC_OK;
}

static void mechanism_partner_ledger(const void *self, EnergySums *now) {
    ElementEnergy energy = mechanism_settled_energy(mechanism_of(self));
    MechanismLedger sums = mechanism_ledger(mechanism_of(self));
    double stored = energy.kinetic + energy.potential + energy.elastic;
    now->work += sums.work + sums.port_work + sums.impulse_work;
    now->input += fabs(sums.work);
    now->kinetic += energy.kinetic;
    now->potential += energy.potential;
    now->elastic += energy.elastic;
    now->dampers += sums.dissipated;
    now->algorithm += sums.start + sums.work + sums.port_work + sums.impulse_work - sums.dissipated - stored;
    now->driver_port_work += sums.port_work + sums.impulse_work;
}

static void mechanism_partner_archive(void *self, Archive *archive) {
    mechanism_archive(mechanism_of(self), archive);
}

static void mechanism_partner_facts(const void *self, FactList *list) {
    const Mechanism *m = mechanism_of(self);
    MechanismCounts counts = mechanism_counts(m);
    const MechanismAssembly *a = mechanism_assembly(m);
    fact_group_begin(list, "mechanism");
    fact_count(list, "nodes", mechanism_node_count(m), "nodes");
    fact_count(list, "steps", counts.steps, "steps");
    fact_count(list, "iterations", counts.iterations, "Newton iterations");
    fact_number(list, "iterations_mean",
                (double)counts.iterations / (double)(counts.steps > 0 ? counts.steps : 1), "1",
                "Newton iterations per step");
    fact_count(list, "factorizations", counts.factorizations, "factorizations");
    fact_count(list, "retries", counts.retries, "steps tried shorter");
    fact_number(list, "violation", counts.violation, "m", "joint error");
    fact_group_begin(list, "assembly");
    fact_number(list, "moved_m", a->moved, "m", "largest displacement of a node by closing the joints");
    fact_number(list, "turned_rad", a->turned, "rad", "largest rotation of a node by closing the joints");
    fact_number(list, "velocity_m_per_s", a->velocity, "m/s", "largest change of a velocity");
    fact_number(list, "angular_velocity_rad_per_s", a->angular, "rad/s",
                "largest change of an angular velocity");
    fact_text(list, "node", a->node, "node that moved most");
    fact_number(list, "equilibrium_moved_m", a->equilibrium_moved, "m",
                "largest displacement by the equilibrium");
    fact_count(list, "equilibrium_iterations", a->equilibrium_iterations, "iterations of the equilibrium");
    fact_group_end(list);
    fact_group_end(list);
}

static MrcStatus mechanism_partner_check_finite(void *self, MrcError *error) {
    const Mechanism *m = mechanism_of(self);
    for (int n = 0; n < mechanism_node_count(m); n++) {
        const NodeState *node = mechanism_node(m, n);
        if (!vec3_is_finite(node->x) || !vec3_is_finite(node->v) || !vec3_is_finite(node->w) ||
            !vec3_is_finite(mat3_row(node->R, 0)))
            return error_set(error, MRC_NOT_FINITE,
                             "the position or velocity of node '%s' is infinite or not a number",
                             mechanism_node_name(m, n));
    }
    return MRC_OK;
}

const PartnerType partner_mechanism = {
    .kind = "mechanism",
    .driver = &mechanism_verbs,
    .abilities = mechanism_partner_abilities,
    .energy = mechanism_partner_energy,
    .signals = mechanism_partner_signals,
    .measure = mechanism_partner_measure,
    .ledger = mechanism_partner_ledger,
    .archive = mechanism_partner_archive,
    .frames = mechanism_figure_frames,
    .facts = mechanism_partner_facts,
    .check_finite = mechanism_partner_check_finite,
    .destroy = mechanism_partner_destroy,
};
