#include "sim/mechanism_part.h"

#include "math/so3.h"
#include "mechanism/names.h"
#include "sim/signals.h"

// ---- creation ------------------------------------------------------------------------------------
static Vec3 on_node(const Mechanism *mechanism, int node, Vec3 world) {
    if (node < 0) return world;
    const NodeState *state = mechanism_node(mechanism, node);
    return mat3_apply_transpose(state->R, vec3_sub(world, state->x));
}

static void add_stick(MechanismPart *part, int first, Vec3 first_offset, int second, Vec3 second_offset) {
    part->sticks[part->stick_count++] = (Stick){{first, second}, {first_offset, second_offset}};
}

// From the origin of each of a joint's nodes to the joint; between the ends of springs.
static void find_sticks(MechanismPart *part) {
    const MechanismDefinition *d = part->definition;
    for (int j = 0; j < d->joint_count; j++) {
        const JointDefinition *joint = &d->joints[j];
        int nodes[2];
        for (int k = 0; k < 2; k++)
            nodes[k] = joint->nodes[k] ? mechanism_find_node(part->mechanism, joint->nodes[k]) : -1;
        int held = joint->nodes[1] ? nodes[1] : nodes[0];
        Vec3 at = joint->has_at ? joint->at
                  : held < 0    ? vec3_zero()
                                : mechanism_node(part->mechanism, held)->x;
        for (int k = 0; k < 2; k++) {
            if (nodes[k] < 0) continue;
            Vec3 offset = joint->has_offsets ? joint->offsets[k] : on_node(part->mechanism, nodes[k], at);
            if (vec3_norm(offset) > 0) add_stick(part, nodes[k], vec3_zero(), nodes[k], offset);
        }
    }
    for (int s = 0; s < d->spring_count; s++) {
        const SpringDefinition *spring = &d->springs[s];
        int first = mechanism_find_node(part->mechanism, spring->nodes[0]);
        int second = spring->nodes[1] ? mechanism_find_node(part->mechanism, spring->nodes[1]) : -1;
        add_stick(part, first, spring->offsets[0], second, spring->offsets[1]);
    }
}

static MrcStatus find_names(MechanismPart *part, Arena *arena, MrcError *error) {
    const MechanismDefinition *d = part->definition;
    size_t node_count = (size_t)mechanism_node_count(part->mechanism);
    NodeName *names = NULL;
    part->named_count = names_list(d, arena, &names);
    part->named = arena_alloc(arena, part->named_count * sizeof *part->named + 1);
    part->joints = arena_alloc(arena, (size_t)d->joint_count * sizeof *part->joints + 1);
    part->start = arena_alloc(arena, node_count * sizeof *part->start + 1);
    part->sticks =
        arena_alloc(arena, (size_t)(2 * d->joint_count + d->spring_count) * sizeof *part->sticks + 1);
    if (!names || !part->named || !part->joints || !part->start || !part->sticks)
        return error_memory(error, "the mechanism");
    for (size_t k = 0; k < part->named_count; k++)
        part->named[k] = mechanism_find_node(part->mechanism, names[k].name);
    for (int j = 0; j < d->joint_count; j++)
        part->joints[j] = mechanism_find_joint(part->mechanism, d->joints[j].name);
    for (size_t n = 0; n < node_count; n++) part->start[n] = mechanism_written_axes(part->mechanism, (int)n);
    return MRC_OK;
}

// What the joints had to change of what the user wrote is worth a word when it is more than rounding.
static void tell_assembly(const MechanismPart *part, const Log *log) {
    const MechanismAssembly *a = mechanism_assembly(part->mechanism);
    if (a->moved > 1e-6 || a->turned > 1e-6)
        log_note(log, "the joints were closed by moving nodes: at most by %.3g mm and %.3g deg%s%s",
                 1e3 * a->moved, 57.29577951308232 * a->turned, a->node ? ", most of all " : "",
                 a->node ? a->node : "");
    if (a->velocity > 1e-6 || a->angular > 1e-6)
        log_note(log, "velocities were changed to fit the joints: at most by %.3g m/s and %.3g rad/s",
                 a->velocity, a->angular);
}

MrcStatus mechanism_part_create(MechanismPart *part, const SimDefinition *d, Arena *arena, const Log *log,
                                MrcError *error) {
    if (!d->has_mechanism) return MRC_OK;
    MechanismSetting setting = {
        .materials = d->materials, .material_count = d->material_count, .gravity = d->gravity, .log = log};
    part->definition = &d->mechanism;
    MrcStatus status = mechanism_create(&d->mechanism, &setting, &part->mechanism, error);
    if (status == MRC_OK) status = find_names(part, arena, error);
    if (status != MRC_OK) return status;
    find_sticks(part);
    tell_assembly(part, log);
    return MRC_OK;
}

void mechanism_part_destroy(MechanismPart *part) { mechanism_destroy(part->mechanism); }

// ---- the step ------------------------------------------------------------------------------------
MrcStatus mechanism_part_step(MechanismPart *part, double h, MrcError *error) {
    if (!part->mechanism) return MRC_OK;
    MrcStatus status = mechanism_begin(part->mechanism, h, error);
    if (status == MRC_OK) status = mechanism_advance(part->mechanism, NULL, error);
    if (status == MRC_OK) status = mechanism_commit(part->mechanism, error);
    return status;
}

// ---- looking -------------------------------------------------------------------------------------
static double *put(double *values, Vec3 v) {
    *values++ = v.x;
    *values++ = v.y;
    *values++ = v.z;
    return values;
}

double *mechanism_part_read(const MechanismPart *part, double *values) {
    if (!part->mechanism) return values;
    for (size_t k = 0; k < part->named_count; k++) { // in the order of node_signal_kinds
        const NodeState *node = mechanism_node(part->mechanism, part->named[k]);
        Mat3 turned = mat3_mul(node->R, mat3_transpose(part->start[part->named[k]]));
        values = put(values, node->x);
        values = put(values, so3_log(turned));
        values = put(values, node->v);
        values = put(values, node->w);
        values = put(values, node->a);
    }
    for (int j = 0; j < part->definition->joint_count; j++) {
        Load load = mechanism_reaction(part->mechanism, part->joints[j]);
        for (int s = 0; s < joint_signal_count; s++)
            *values++ = *(const double *)((const char *)&load + joint_signals[s].offset);
    }
    return values;
}

void mechanism_part_book(const MechanismPart *part, Ledger *now) {
    if (!part->mechanism) return;
    ElementEnergy energy = mechanism_energy(part->mechanism);
    MechanismLedger sums = mechanism_ledger(part->mechanism);
    double stored = energy.kinetic + energy.potential + energy.elastic;
    now->work += sums.work + sums.port_work + sums.impulse_work;
    now->input += fabs(sums.work);
    now->kinetic += energy.kinetic;
    now->potential += energy.potential;
    now->elastic += energy.elastic;
    now->dampers += sums.dissipated;
    now->algorithm += sums.start + sums.work + sums.port_work + sums.impulse_work - sums.dissipated - stored;
}

MrcStatus mechanism_part_check_finite(const MechanismPart *part, MrcError *error) {
    if (!part->mechanism) return MRC_OK;
    for (int n = 0; n < mechanism_node_count(part->mechanism); n++) {
        const NodeState *node = mechanism_node(part->mechanism, n);
        if (!vec3_is_finite(node->x) || !vec3_is_finite(node->v) || !vec3_is_finite(node->w) ||
            !vec3_is_finite(mat3_row(node->R, 0)))
            return error_set(error, MRC_NOT_FINITE,
                             "the position or velocity of node '%s' is infinite or not a number",
                             mechanism_node_name(part->mechanism, n));
    }
    return MRC_OK;
}
