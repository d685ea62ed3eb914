// Creating a mechanism, its state, and what can be asked of it.
#include "mechanism/mechanism.h"

#include <math.h>

#include "mechanism/beam.h"
#include "mechanism/internal.h"

// ---- the state's block ---------------------------------------------------------------------------------
// Gives each array its place; with block NULL it only adds up the bytes.
static void *carve(char *block, size_t *used, size_t bytes) {
    void *place = block ? block + *used : NULL;
    *used += (bytes + 63) / 64 * 64;
    return place;
}

static Instant carve_instant(const Mechanism *m, char *block, size_t *used) {
    Instant instant = {.inputs = {0}};
    instant.nodes = carve(block, used, sizeof(NodeState) * (size_t)m->node_count);
    instant.lambda = carve(block, used, sizeof(double) * (size_t)m->multiplier_count);
    instant.memory = carve(block, used, sizeof(double) * (size_t)m->memory_count);
    if (m->inputs) instant.inputs = *m->inputs;
    instant.inputs.values = carve(block, used, sizeof(double) * (size_t)instant.inputs.count);
    return instant;
}

static size_t lay_out_state(Mechanism *m, char *block) {
    size_t used = 0;
    m->head = carve(block, &used, sizeof *m->head);
    m->now = carve_instant(m, block, &used);
    m->one = carve_instant(m, block, &used);
    m->two = carve_instant(m, block, &used);
    m->step_point = carve_instant(m, block, &used);
    m->mass_point = carve_instant(m, block, &used);
    m->step_turns = carve(block, &used, sizeof(Vec3) * (size_t)m->node_count);
    m->base = carve(block, &used, sizeof(StepBase) * (size_t)m->node_count);
    m->loads = carve(block, &used, sizeof(Load) * PORTS_MAX);
    m->loads_one = carve(block, &used, sizeof(Load) * PORTS_MAX);
    m->shift = carve(block, &used, sizeof(double) * 2 * (size_t)m->matrix.freedoms);
    m->push = carve(block, &used, sizeof(double) * (size_t)m->multiplier_count);
    return used;
}

static size_t lay_out_scratch(Mechanism *m, char *block) {
    size_t used = 0, rows = (size_t)m->matrix.size, constraints = (size_t)m->multiplier_count;
    m->start = carve_instant(m, block, &used);
    m->sub_one = carve_instant(m, block, &used);
    m->sub_two = carve_instant(m, block, &used);
    m->trial = carve_instant(m, block, &used);
    m->residual = carve(block, &used, sizeof(double) * rows);
    m->unknown = carve(block, &used, sizeof(double) * rows);
    m->saved = carve(block, &used, sizeof(double) * 2 * rows);
    m->rates = carve(block, &used, sizeof(double) * constraints);
    m->seconds = carve(block, &used, sizeof(double) * constraints);
    m->phi_scale = carve(block, &used, sizeof(double) * constraints);
    m->jump = carve(block, &used, sizeof(double) * 2 * rows);
    m->turns = carve(block, &used, sizeof(Mat3) * (size_t)m->node_count);
    m->of_beam = carve(block, &used, sizeof(bool) * (size_t)m->node_count);
    m->massless = carve(block, &used, sizeof(double) * (size_t)m->matrix.freedoms);
    return used;
}

void instant_copy(const Mechanism *m, Instant to, Instant from) {
    memcpy(to.nodes, from.nodes, sizeof(NodeState) * (size_t)m->node_count);
    memcpy(to.lambda, from.lambda, sizeof(double) * (size_t)m->multiplier_count);
    memcpy(to.memory, from.memory, sizeof(double) * (size_t)m->memory_count);
    inputs_copy(&to.inputs, &from.inputs);
}

// ---- scales ----------------------------------------------------------------------------------------------
// Typical length: of the box around the nodes, of the arms of inertia, of the ports' offsets.
static void find_scales(Mechanism *m) {
    Factor *factor = &m->work_factor;
    Vec3 low = m->now.nodes[0].x, high = low;
    double mass = 0, arm2 = 0;
    int masses = 0;
    mech_jacobian(m, m->now, 0, 1, 0, 0, factor);
    for (int n = 0; n < m->node_count; n++) {
        Vec3 x = m->now.nodes[n].x;
        low = vec3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = vec3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
        double d[6];
        for (int k = 0; k < 6; k++) d[k] = factor->values[m->matrix.diagonal[6 * n + k]];
        double here = fmax(d[0], fmax(d[1], d[2]));
        if (here > 0) {
            mass += here;
            masses++;
            arm2 = fmax(arm2, fmax(d[3], fmax(d[4], d[5])) / here);
        }
    }
    m->mass_scale = masses ? mass / masses : 1;
    m->length = fmax(vec3_norm(vec3_sub(high, low)), sqrt(arm2));
    if (!(m->length > 0)) m->length = 1;
    double inertia = m->mass_scale * m->length * m->length;
    m->massless_count = 0;
    for (int i = 0; i < m->matrix.freedoms; i++) {
        double own = factor->values[m->matrix.diagonal[i]], typical = i % 6 < 3 ? m->mass_scale : inertia;
        m->massless[i] = own <= 1e-14 * typical ? typical : 0;
        if (own <= 1e-14 * typical) m->massless_count++;
    }
    for (int c = 0; c < m->constraint_count; c++) {
        const Element *element = m->constraints[c];
        int size = 6 * element->node_count + element->multiplier_count;
        ElementInput in = element_input(m, element, m->now, 0);
        memset(m->matrix.local, 0, sizeof(double) * (size_t)(size * size));
        element->kind->jacobian(element, &in, 0, 0, 0, m->matrix.local);
        for (int k = 0; k < element->multiplier_count; k++) {
            const double *row = m->matrix.local + (6 * element->node_count + k) * size;
            double linear = 0, angular = 0;
            for (int j = 0; j < 6 * element->node_count; j++) {
                if (j % 6 < 3) linear = fmax(linear, fabs(row[j]));
                else angular = fmax(angular, fabs(row[j]));
            }
            double scale = fmax(linear, angular / m->length);
            m->phi_scale[element->multiplier + k] = scale > 0 ? scale : 1;
        }
    }
}

// ---- creation --------------------------------------------------------------------------------------------
static void number_rows(Mechanism *m) {
    for (int e = 0; e < m->element_count; e++) {
        Element *element = &m->elements[e];
        element->multiplier = m->multiplier_count;
        element->state = m->memory_count;
        m->multiplier_count += element->multiplier_count;
        m->memory_count += element->state_count;
        if (element->multiplier_count) m->constraints[m->constraint_count++] = element;
    }
}

static MrcStatus allocate(Mechanism *m, MrcError *error) {
    m->constraints = arena_alloc(m->arena, sizeof(Element *) * ((size_t)m->element_count + 1));
    if (!m->constraints) return error_memory(error, "the mechanism");
    number_rows(m);
    MrcStatus status = matrix_create(&m->matrix, m->elements, m->element_count, m->node_count,
                                     m->multiplier_count, false, error);
    if (status == MRC_OK)
        status = matrix_create(&m->mass_matrix, m->elements, m->element_count, m->node_count,
                               m->multiplier_count, true, error);
    if (status != MRC_OK) return status;
    m->block_size = lay_out_state(m, NULL);
    m->block = memory_alloc(m->block_size);
    m->scratch = memory_alloc(lay_out_scratch(m, NULL));
    if (!m->block || !m->scratch || !factor_create(&m->matrix, &m->step_factor) ||
        !factor_create(&m->mass_matrix, &m->mass_factor) || !factor_create(&m->matrix, &m->plain_factor) ||
        !factor_create(&m->matrix, &m->work_factor))
        return error_memory(error, "the mechanism");
    lay_out_state(m, m->block);
    lay_out_scratch(m, m->scratch);
    for (int e = 0; e < m->element_count; e++)
        for (int k = 0; k < m->elements[e].node_count && m->elements[e].kind == &beam_kind; k++)
            if (m->elements[e].node[k] >= 0) m->of_beam[m->elements[e].node[k]] = true;
    return MRC_OK;
}

static MrcStatus build(Mechanism *m, const MechanismSetting *setting,
                       MrcStatus (*more)(Builder *, MrcError *), MrcError *error) {
    m->builder = (Builder){.definition = m->definition, .setting = setting, .arena = m->arena};
    MrcStatus status = builder_build(&m->builder, error);
    if (status == MRC_OK && more) status = more(&m->builder, error);
    if (status != MRC_OK) return status;
    if (m->builder.failed) return error_memory(error, "the mechanism");
    m->builder.setting = NULL; // need not outlive this call
    m->node_count = m->builder.node_count;
    m->node_names = m->builder.node_names;
    m->elements = m->builder.elements;
    m->element_count = m->builder.element_count;
    if (!m->node_count) return error_set(error, MRC_MODEL, "the mechanism has no nodes");
    return MRC_OK;
}

static MrcStatus start(Mechanism *m, MrcError *error) {
    memcpy(m->now.nodes, m->builder.nodes, sizeof(NodeState) * (size_t)m->node_count);
    if (m->inputs) inputs_copy(&m->now.inputs, m->inputs);
    find_scales(m);
    MrcStatus status = mech_assemble(m, error);
    if (status == MRC_OK && m->definition->start == START_EQUILIBRIUM) status = mech_equilibrium(m, error);
    if (status != MRC_OK) return status;
    instant_copy(m, m->start, m->now);
    const Element *wrong = mech_not_finite(m, m->now, 0);
    if (wrong)
        return error_set(error, MRC_MODEL, "what %s '%s' exerts is infinite or not a number at the start",
                         wrong->kind->name, wrong->name);
    if (!consistent_accelerations(m, 0, NULL, 0, false))
        return error_set(error, MRC_MODEL,
                         "the accelerations at the start cannot be found: is there something "
                         "without mass that is pushed?");
    m->head->mass_serial = 0; // the first step begins with what a restored one has
    instant_copy(m, m->start, m->now);
    instant_copy(m, m->one, m->now);
    instant_copy(m, m->two, m->now);
    ElementEnergy energy = mech_energy(m, m->now, 0);
    m->head->power = energy;
    m->head->start_energy = energy.kinetic + energy.potential + energy.elastic;
    m->counts = (MechanismCounts){0};
    return MRC_OK;
}

MrcStatus mechanism_create_with(const MechanismDefinition *definition, const MechanismSetting *setting,
                                MrcStatus (*more)(Builder *, MrcError *), Mechanism **mechanism,
                                MrcError *error) {
    Mechanism *m = memory_alloc(sizeof *m);
    *mechanism = NULL;
    if (!m) return error_memory(error, "the mechanism");
    m->definition = definition;
    m->gravity = setting->gravity;
    m->inputs = setting->inputs;
    if (setting->log) m->log = *setting->log;
    m->arena = arena_create();
    MrcStatus status = m->arena ? MRC_OK : error_memory(error, "the mechanism");
    if (status == MRC_OK) status = build(m, setting, more, error);
    if (status == MRC_OK) status = allocate(m, error);
    if (status == MRC_OK) status = start(m, error);
    if (status == MRC_OK) *mechanism = m;
    else mechanism_destroy(m);
    return status;
}

MrcStatus mechanism_create(const MechanismDefinition *definition, const MechanismSetting *setting,
                           Mechanism **mechanism, MrcError *error) {
    return mechanism_create_with(definition, setting, NULL, mechanism, error);
}

void mechanism_destroy(Mechanism *m) {
    if (!m) return;
    factor_destroy(&m->matrix, &m->step_factor);
    factor_destroy(&m->mass_matrix, &m->mass_factor);
    factor_destroy(&m->matrix, &m->plain_factor);
    factor_destroy(&m->matrix, &m->work_factor);
    matrix_destroy(&m->matrix);
    matrix_destroy(&m->mass_matrix);
    memory_free(m->block);
    memory_free(m->scratch);
    memory_free(m->mobility.block);
    mech_rows_free(m);
    arena_destroy(m->arena);
    memory_free(m);
}

// ---- nodes and ports ---------------------------------------------------------------------------------------
const MechanismAssembly *mechanism_assembly(const Mechanism *m) { return &m->assembly; }
int mechanism_node_count(const Mechanism *m) { return m->node_count; }
int mechanism_find_node(const Mechanism *m, const char *name) { return builder_find_node(&m->builder, name); }
const NodeState *mechanism_node(const Mechanism *m, int node) {
    return node < 0 ? &node_ground : &m->now.nodes[node];
}
const char *mechanism_node_name(const Mechanism *m, int node) {
    return node < 0 ? "ground" : m->node_names[node];
}
Mat3 mechanism_written_axes(const Mechanism *m, int node) { return builder_node(&m->builder, node)->R; }

MrcStatus mechanism_add_port(Mechanism *m, int node, Vec3 offset, Quaternion orientation, int *port,
                             MrcError *error) {
    if (m->port_count == PORTS_MAX)
        return error_set(error, MRC_MODEL, "a mechanism has at most %d ports", PORTS_MAX);
    size_t numbers = 6 * ((size_t)m->port_count + 1) * (size_t)m->matrix.size;
    double *block = memory_alloc(sizeof(double) * 6 * numbers);
    if (!block) return error_memory(error, "the mobility of the ports");
    memory_free(m->mobility.block);
    m->mobility = (Mobility){.block = block,
                             .answer = block,
                             .left = block + numbers,
                             .error = block + 2 * numbers,
                             .unit_answer = block + 3 * numbers,
                             .unit_left = block + 4 * numbers,
                             .columns = block + 5 * numbers};
    m->ports[m->port_count] = (Port){node, offset, quaternion_normalize(orientation)};
    *port = m->port_count++;
    return MRC_OK;
}

int mechanism_port_count(const Mechanism *m) { return m->port_count; }

Motion mechanism_motion(const Mechanism *m, int port) {
    const Port *p = &m->ports[port];
    bool predicted = m->head->stage == STAGE_PREDICTED && p->node >= 0;
    NodeState ahead = predicted ? step_prediction(m, p->node) : *mechanism_node(m, p->node);
    const NodeState *node = &ahead;
    Vec3 arm = mat3_apply(node->R, p->offset), turning = vec3_cross(node->w, arm);
    Vec3 a = vec3_add(vec3_cross(node->alpha, arm), vec3_cross(node->w, turning));
    return (Motion){.position = vec3_add(node->x, arm),
                    .orientation = quaternion_mul(quaternion_from_matrix(node->R), p->orientation),
                    .velocity = vec3_add(node->v, turning),
                    .angular_velocity = node->w,
                    .acceleration = vec3_add(node->a, a),
                    .angular_acceleration = node->alpha};
}

// ---- state -------------------------------------------------------------------------------------------------
size_t mechanism_state_size(const Mechanism *m) { return m->block_size; }
void mechanism_save(const Mechanism *m, void *state) { memcpy(state, m->block, m->block_size); }
void mechanism_restore(Mechanism *m, const void *state) {
    memcpy(m->block, state, m->block_size);
    m->mobility.known = m->plain_known = false;
}

void mechanism_archive(Mechanism *m, Archive *archive) {
    archive_group_begin(archive, "mechanism");
    archive_bytes(archive, "state", m->block, m->block_size);
    archive_int64s(archive, "steps", &m->counts.steps, 1);
    archive_int64s(archive, "iterations", &m->counts.iterations, 1);
    archive_int64s(archive, "factorizations", &m->counts.factorizations, 1);
    archive_int64s(archive, "retries", &m->counts.retries, 1);
    archive_group_end(archive, "mechanism");
    if (!archive_is_loading(archive)) return;
    // The factors that are here are of another run, whatever their numbers say.
    m->step_factor.serial = m->mass_factor.serial = m->mobility.serial = 0;
    if (m->serial < m->head->step_serial) m->serial = m->head->step_serial;
    if (m->serial < m->head->mass_serial) m->serial = m->head->mass_serial;
    m->mobility.known = m->plain_known = false;
}

// ---- measuring -----------------------------------------------------------------------------------------------
static double time_now(const Mechanism *m) {
    return m->head->stage == STAGE_IDLE ? m->head->t : m->head->t + m->head->h;
}

ElementEnergy mechanism_energy(const Mechanism *m) { return mech_energy(m, m->now, time_now(m)); }

int mechanism_find_joint(const Mechanism *m, const char *name) {
    for (int e = 0; e < m->element_count; e++)
        if (m->elements[e].multiplier_count && strcmp(m->elements[e].name, name) == 0) return e;
    return -1;
}

// The joint's share of the residual is what it needs; what it exerts is the opposite.
Load mechanism_reaction(const Mechanism *m, int joint) {
    const Element *element = &m->elements[joint];
    ElementInput in = element_input(m, element, m->now, time_now(m));
    double r[ELEMENT_ROWS], lambda[ELEMENT_MULTIPLIERS];
    for (int i = 0; i < element->multiplier_count; i++)
        lambda[i] = in.lambda[i] + m->push[element->multiplier + i];
    in.lambda = lambda;
    element->kind->residual(element, &in, r);
    int last = element->node_count - 1;
    const double *row = r + 6 * last;
    Load load = {vec3(-row[0], -row[1], -row[2]), vec3(-row[3], -row[4], -row[5])};
    if (element->kind->marker) {
        Vec3 arm = vec3_sub(element->kind->marker(element, &in), in.node[last]->x);
        load.moment = vec3_sub(load.moment, vec3_cross(arm, load.force));
    }
    return load;
}

MechanismCounts mechanism_counts(const Mechanism *m) {
    MechanismCounts counts = m->counts;
    double r[ELEMENT_ROWS];
    counts.violation = 0;
    for (int c = 0; c < m->constraint_count; c++) {
        const Element *element = m->constraints[c];
        ElementInput in = element_input(m, element, m->now, time_now(m));
        element->kind->residual(element, &in, r);
        for (int k = 0; k < element->multiplier_count; k++)
            counts.violation = fmax(counts.violation, fabs(r[6 * element->node_count + k]) /
                                                          m->phi_scale[element->multiplier + k]);
    }
    return counts;
}
