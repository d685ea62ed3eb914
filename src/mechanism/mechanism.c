// Creation of a mechanism, its state, and queries.
#include "mechanism/mechanism.h"

#include <math.h>

#include "mechanism/beam.h"
#include "mechanism/tree.h"

// ---- the state's block ---------------------------------------------------------------------------------
// Gives an array its place in the block; without a block it only counts the bytes.
static void *mechanism_carve(char *block, size_t *used, size_t bytes) {
    void *place = block ? block + *used : NULL;
    *used += (bytes + 63) / 64 * 64;
    return place;
}

static Instant mechanism_carve_instant(const Mechanism *m, char *block, size_t *used) {
    Instant instant = {.inputs = {0}};
    instant.nodes = mechanism_carve(block, used, sizeof(NodeState) * (size_t)m->node_count);
    instant.lambda = mechanism_carve(block, used, sizeof(double) * (size_t)m->multiplier_count);
    instant.memory = mechanism_carve(block, used, sizeof(double) * (size_t)m->memory_count);
    size_t coordinates = sizeof(double) * (m->tree ? (size_t)m->tree->count : 0);
    instant.q = mechanism_carve(block, used, coordinates);
    instant.u = mechanism_carve(block, used, coordinates);
    instant.du = mechanism_carve(block, used, coordinates);
    if (m->inputs) instant.inputs = *m->inputs;
    instant.inputs.values = mechanism_carve(block, used, sizeof(double) * (size_t)instant.inputs.count);
    return instant;
}

static void mechanism_carve_tree(Tree *tree, char *block, size_t *used) {
    size_t numbers = sizeof(double) * (size_t)tree->count;
    tree->charts = mechanism_carve(block, used, sizeof(Mat3) * (size_t)tree->chart_count);
    tree->partition = mechanism_carve(block, used, sizeof(int64_t) * (size_t)tree->count);
    tree->base_rate = mechanism_carve(block, used, numbers);
    tree->base_place = mechanism_carve(block, used, numbers);
    tree->shift = mechanism_carve(block, used, 2 * numbers);
}

static size_t mechanism_lay_out_state(Mechanism *m, char *block) {
    size_t used = 0;
    m->head = mechanism_carve(block, &used, sizeof *m->head);
    m->now = mechanism_carve_instant(m, block, &used);
    m->one = mechanism_carve_instant(m, block, &used);
    m->two = mechanism_carve_instant(m, block, &used);
    m->step_point = mechanism_carve_instant(m, block, &used);
    m->mass_point = mechanism_carve_instant(m, block, &used);
    m->step_turns = mechanism_carve(block, &used, sizeof(Vec3) * (size_t)m->node_count);
    m->base = mechanism_carve(block, &used, sizeof(StepBase) * (size_t)m->node_count);
    m->loads = mechanism_carve(block, &used, sizeof(Load) * PORTS_MAX);
    m->loads_one = mechanism_carve(block, &used, sizeof(Load) * PORTS_MAX);
    m->impulses = mechanism_carve(block, &used, sizeof(Load) * PORTS_MAX);
    m->late = mechanism_carve(block, &used, sizeof(LateLoad) * PORTS_MAX);
    m->unpushed = mechanism_carve(block, &used, sizeof(NodeState) * (size_t)m->node_count);
    m->shift = mechanism_carve(block, &used, sizeof(double) * 2 * (size_t)m->matrix.freedoms);
    m->last_jump = mechanism_carve(block, &used, sizeof(double) * (size_t)m->matrix.freedoms);
    m->lasting_jump = mechanism_carve(block, &used, sizeof(double) * (size_t)m->matrix.freedoms);
    m->lag = mechanism_carve(block, &used, sizeof(double) * (size_t)m->matrix.freedoms);
    m->lasting_lag = mechanism_carve(block, &used, sizeof(double) * (size_t)m->matrix.freedoms);
    m->stiff_force = mechanism_carve(block, &used, sizeof(double) * (size_t)m->matrix.freedoms);
    m->stiff_jump = mechanism_carve(block, &used, sizeof(double) * (size_t)m->matrix.freedoms);
    m->last_stiff = mechanism_carve(block, &used, sizeof(double) * (size_t)m->matrix.freedoms);
    m->lasting_stiff = mechanism_carve(block, &used, sizeof(double) * (size_t)m->matrix.freedoms);
    m->lambda_impulse = mechanism_carve(block, &used, sizeof(double) * (size_t)m->multiplier_count);
    if (m->tree) mechanism_carve_tree(m->tree, block, &used);
    return used;
}

static size_t mechanism_lay_out_scratch(Mechanism *m, char *block) {
    size_t used = 0, rows = (size_t)m->matrix.size, constraints = (size_t)m->multiplier_count;
    m->start = mechanism_carve_instant(m, block, &used);
    m->sub_one = mechanism_carve_instant(m, block, &used);
    m->sub_two = mechanism_carve_instant(m, block, &used);
    m->trial = mechanism_carve_instant(m, block, &used);
    m->reported = mechanism_carve_instant(m, block, &used);
    m->residual = mechanism_carve(block, &used, sizeof(double) * rows);
    m->unknown = mechanism_carve(block, &used, sizeof(double) * rows);
    m->forces = mechanism_carve(block, &used, sizeof(double) * rows);
    m->saved = mechanism_carve(block, &used, sizeof(double) * 2 * rows);
    m->rates = mechanism_carve(block, &used, sizeof(double) * constraints);
    m->seconds = mechanism_carve(block, &used, sizeof(double) * constraints);
    m->phi_scale = mechanism_carve(block, &used, sizeof(double) * constraints);
    m->jump = mechanism_carve(block, &used, sizeof(double) * 3 * rows);
    m->turns = mechanism_carve(block, &used, sizeof(Mat3) * (size_t)m->node_count);
    m->of_beam = mechanism_carve(block, &used, sizeof(bool) * (size_t)m->node_count);
    m->alone = mechanism_carve(block, &used, sizeof(bool) * (size_t)m->node_count);
    m->massless = mechanism_carve(block, &used, sizeof(double) * (size_t)m->matrix.freedoms);
    m->node_mass = mechanism_carve(block, &used, sizeof(double) * (size_t)m->node_count);
    return used;
}

void instant_copy(const Mechanism *m, Instant to, Instant from) {
    memcpy(to.nodes, from.nodes, sizeof(NodeState) * (size_t)m->node_count);
    memcpy(to.lambda, from.lambda, sizeof(double) * (size_t)m->multiplier_count);
    memcpy(to.memory, from.memory, sizeof(double) * (size_t)m->memory_count);
    inputs_copy(&to.inputs, &from.inputs);
    if (!m->tree) return;
    size_t coordinates = sizeof(double) * (size_t)m->tree->count;
    memcpy(to.q, from.q, coordinates);
    memcpy(to.u, from.u, coordinates);
    memcpy(to.du, from.du, coordinates);
}

// Sums of the rows of the mass matrix: what each node adds to the momentum of a translation.
static void mechanism_find_node_masses(Mechanism *m, const Factor *mass) {
    double *along = m->unknown, *momentum = m->residual;
    for (int i = 0; i < m->matrix.size; i++) along[i] = i < m->matrix.freedoms && i % 6 == 0 ? -1 : 0;
    memset(momentum, 0, sizeof(double) * (size_t)m->matrix.size);
    factor_subtract_product(&m->matrix, mass, along, momentum, 1);
    for (int n = 0; n < m->node_count; n++) m->node_mass[n] = momentum[6 * n];
}

// ---- scales ----------------------------------------------------------------------------------------------
// Typical length: the diagonal of the box around the nodes, or the largest radius of gyration.
static void mechanism_find_scales(Mechanism *m) {
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
    mechanism_find_node_masses(m, factor);
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
static void mechanism_number_rows(Mechanism *m) {
    for (int e = 0; e < m->element_count; e++) {
        Element *element = &m->elements[e];
        element->multiplier = m->multiplier_count;
        element->state = m->memory_count;
        m->multiplier_count += element->multiplier_count;
        m->memory_count += element->state_count;
        if (element->multiplier_count) m->constraints[m->constraint_count++] = element;
    }
}

static MrcStatus mechanism_allocate(Mechanism *m, MrcError *error) {
    m->constraints = arena_alloc(m->arena, sizeof(Element *) * ((size_t)m->element_count + 1));
    if (!m->constraints) return error_memory(error, "the mechanism");
    mechanism_number_rows(m);
    MrcStatus status = m->definition->formulation == FORMULATION_RELATIVE ? tree_create(m, error) : MRC_OK;
    if (status == MRC_OK)
        status = matrix_create(&m->matrix, m->elements, m->element_count, m->node_count, m->multiplier_count,
                               false, error);
    if (status == MRC_OK)
        status = matrix_create(&m->mass_matrix, m->elements, m->element_count, m->node_count,
                               m->multiplier_count, true, error);
    if (status != MRC_OK) return status;
    m->block_size = mechanism_lay_out_state(m, NULL);
    m->block = memory_alloc(m->block_size);
    m->scratch = memory_alloc(mechanism_lay_out_scratch(m, NULL));
    if (!m->block || !m->scratch || !factor_create(&m->matrix, &m->step_factor) ||
        !factor_create(&m->mass_matrix, &m->mass_factor) || !factor_create(&m->matrix, &m->work_factor) ||
        !factor_create(&m->matrix, &m->jumps.factor) || !factor_create(&m->matrix, &m->jumps.stiff) ||
        !factor_create(&m->matrix, &m->jumps.now) || !factor_create(&m->mass_matrix, &m->report_factor) ||
        !factor_create(&m->mass_matrix, &m->inertia))
        return error_memory(error, "the mechanism");
    mechanism_lay_out_state(m, m->block);
    mechanism_lay_out_scratch(m, m->scratch);
    for (int e = 0; e < m->element_count; e++)
        for (int k = 0; k < m->elements[e].node_count && m->elements[e].kind == &beam_kind; k++)
            if (m->elements[e].node[k] >= 0) m->of_beam[m->elements[e].node[k]] = true;
    return MRC_OK;
}

// Degrees of freedom without mass have a fictitious one in the mass matrix, which does not turn with their node.
static void mechanism_find_alone(Mechanism *m) {
    for (int n = 0; n < m->node_count; n++) {
        m->alone[n] = true;
        for (int k = 0; k < 6; k++) m->alone[n] = m->alone[n] && m->massless[6 * n + k] == 0;
    }
    for (int e = 0; e < m->element_count; e++) {
        const Element *element = &m->elements[e];
        bool connects =
            !element->kind->massless && (element->node_count > 1 || element->multiplier_count > 0);
        for (int k = 0; k < element->node_count && connects; k++)
            if (element->node[k] >= 0) m->alone[element->node[k]] = false;
    }
}

static MrcStatus mechanism_build(Mechanism *m, const MechanismSetting *setting,
                                 MrcStatus (*more)(Builder *, MrcError *), MrcError *error) {
    m->builder = (Builder){.definition = m->definition, .setting = setting, .arena = m->arena};
    MrcStatus status = builder_build(&m->builder, error);
    if (status == MRC_OK && more) status = more(&m->builder, error);
    if (status != MRC_OK) return status;
    if (m->builder.failed) return error_memory(error, "the mechanism");
    m->builder.setting = NULL; // may be gone after this call
    m->node_count = m->builder.node_count;
    m->node_names = m->builder.node_names;
    m->elements = m->builder.elements;
    m->element_count = m->builder.element_count;
    if (!m->node_count) return error_set(error, MRC_MODEL, "the mechanism has no nodes");
    return MRC_OK;
}

static MrcStatus mechanism_start(Mechanism *m, MrcError *error) {
    memcpy(m->now.nodes, m->builder.nodes, sizeof(NodeState) * (size_t)m->node_count);
    if (m->inputs) inputs_copy(&m->now.inputs, m->inputs);
    mechanism_find_scales(m);
    mechanism_find_alone(m);
    MrcStatus status = mech_assemble(m, error);
    if (status == MRC_OK && m->definition->start == START_EQUILIBRIUM) status = mech_equilibrium(m, error);
    if (status != MRC_OK) return status;
    instant_copy(m, m->start, m->now);
    const Element *wrong = mech_not_finite(m, m->now, 0);
    if (wrong)
        return error_set(error, MRC_MODEL, "what %s '%s' exerts is infinite or not a number at the start",
                         wrong->kind->name, wrong->name);
    if (!consistent_accelerations(m, 0, NULL, 0, CONSISTENT_START))
        return error_set(error, MRC_MODEL,
                         "the accelerations at the start cannot be found: is there something "
                         "without mass that is pushed?");
    m->head->mass_serial = 0; // the first step has no factors, as after a restore
    if (m->tree) status = tree_start(m, error);
    if (status != MRC_OK) return status;
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
    if (status == MRC_OK) status = mechanism_build(m, setting, more, error);
    if (status == MRC_OK) status = mechanism_allocate(m, error);
    if (status == MRC_OK) status = mechanism_start(m, error);
    if (status != MRC_OK && (m->matrix.out_of_memory || m->mass_matrix.out_of_memory))
        status = error_memory(error, "the mechanism's matrix");
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
    factor_destroy(&m->matrix, &m->work_factor);
    factor_destroy(&m->matrix, &m->jumps.factor);
    factor_destroy(&m->matrix, &m->jumps.stiff);
    factor_destroy(&m->matrix, &m->jumps.now);
    factor_destroy(&m->mass_matrix, &m->report_factor);
    factor_destroy(&m->mass_matrix, &m->inertia);
    matrix_destroy(&m->matrix);
    matrix_destroy(&m->mass_matrix);
    memory_free(m->block);
    memory_free(m->scratch);
    memory_free(m->mobility.block);
    mech_rows_free(m);
    tree_destroy(m);
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
    double *block = memory_alloc(sizeof(double) * 10 * numbers);
    if (!block) return error_memory(error, "the mobility of the ports");
    memory_free(m->mobility.block);
    m->mobility = (Mobility){.block = block,
                             .answer = block,
                             .left = block + numbers,
                             .error = block + 2 * numbers,
                             .unit_answer = block + 3 * numbers,
                             .unit_left = block + 4 * numbers,
                             .columns = block + 5 * numbers,
                             .of_forces = block + 6 * numbers,
                             .unit_forces = block + 7 * numbers,
                             .forces = block + 8 * numbers,
                             .inert = block + 9 * numbers};
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
    if (m->head->stage == STAGE_IDLE) {
        Twist lag = mechanism_lag(m, p->node);
        ahead.v = vec3_add(ahead.v, lag.linear);
        ahead.w = vec3_add(ahead.w, lag.angular);
    }
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
    m->mobility.known = false;
    if (m->tree) m->tree->matrix_known = m->tree->jump_known = false;
}

// Of a state from a file. It was saved between two steps.
static void mechanism_check_archive(const Mechanism *m, Archive *archive) {
    const StateHead *head = m->head;
    if (archive_status(archive, NULL) != MRC_OK) return;
    bool fits = head->stage == STAGE_IDLE && head->euler >= 0 && head->euler <= 1 &&
                head->past_shifted >= 0 && head->past_shifted <= 1 && head->stiff_acts == 0 &&
                head->parts >= 0 && head->parts < 1000000 && head->step_serial >= 0 &&
                head->step_serial <= ARCHIVE_COUNT_MOST && head->mass_serial >= 0 &&
                head->mass_serial <= ARCHIVE_COUNT_MOST;
    for (int k = 0; m->tree && k < m->tree->count; k++)
        fits = fits && m->tree->partition[k] >= 0 && m->tree->partition[k] < m->tree->count;
    if (!fits)
        archive_fail(archive, MRC_CHECKPOINT, "state", "the mechanism cannot be in the state that is stored");
}

void mechanism_archive(Mechanism *m, Archive *archive) {
    archive_group_begin(archive, "mechanism");
    archive_bytes(archive, "state", m->block, m->block_size);
    archive_counts(archive, "steps", &m->counts.steps, 1);
    archive_counts(archive, "iterations", &m->counts.iterations, 1);
    archive_counts(archive, "factorizations", &m->counts.factorizations, 1);
    archive_counts(archive, "retries", &m->counts.retries, 1);
    archive_group_end(archive, "mechanism");
    if (!archive_is_loading(archive)) return;
    if (archive_is_foreign(archive)) mechanism_check_archive(m, archive);
    // The present factors are those of another run; their serial numbers mean nothing.
    m->step_factor.serial = m->mass_factor.serial = m->jumps.factor.serial = m->mobility.serial = 0;
    m->mobility.force_serial = 0;
    if (m->serial < m->head->step_serial) m->serial = m->head->step_serial;
    if (m->serial < m->head->mass_serial) m->serial = m->head->mass_serial;
    m->mobility.known = false;
    if (m->tree) m->tree->matrix_known = m->tree->jump_known = false;
}

// ---- measuring -----------------------------------------------------------------------------------------------
static double mechanism_time_now(const Mechanism *m) {
    return m->head->stage == STAGE_IDLE ? m->head->t : m->head->t + m->head->h;
}

ElementEnergy mechanism_energy(const Mechanism *m) { return mech_energy(m, m->now, mechanism_time_now(m)); }

ElementEnergy mechanism_settled_energy(const Mechanism *m) {
    if (m->head->stage != STAGE_IDLE) return mechanism_energy(m);
    instant_copy(m, m->trial, m->now);
    for (int n = 0; n < m->node_count; n++) {
        Twist lag = mechanism_lag(m, n);
        m->trial.nodes[n].v = vec3_add(m->trial.nodes[n].v, lag.linear);
        m->trial.nodes[n].w = vec3_add(m->trial.nodes[n].w, lag.angular);
    }
    return mech_energy(m, m->trial, mechanism_time_now(m));
}

int mechanism_find_joint(const Mechanism *m, const char *name) {
    for (int e = 0; e < m->element_count; e++)
        if (m->elements[e].multiplier_count && strcmp(m->elements[e].name, name) == 0) return e;
    return -1;
}

// The residual of a joint is minus what it exerts.
Load element_reaction(const Mechanism *m, const Element *element, Instant at, const double *more, double t) {
    ElementInput in = element_input(m, element, at, t);
    double r[ELEMENT_ROWS], lambda[ELEMENT_MULTIPLIERS];
    for (int i = 0; i < element->multiplier_count; i++)
        lambda[i] = in.lambda[i] + (more ? more[element->multiplier + i] : 0);
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

Load mechanism_reaction(const Mechanism *m, int joint) {
    return element_reaction(m, &m->elements[joint], m->now, m->lambda_impulse, mechanism_time_now(m));
}

MechanismCounts mechanism_counts(const Mechanism *m) {
    MechanismCounts counts = m->counts;
    double r[ELEMENT_ROWS];
    counts.violation = 0;
    for (int c = 0; c < m->constraint_count; c++) {
        const Element *element = m->constraints[c];
        ElementInput in = element_input(m, element, m->now, mechanism_time_now(m));
        element->kind->residual(element, &in, r);
        for (int k = 0; k < element->multiplier_count; k++)
            counts.violation = fmax(counts.violation, fabs(r[6 * element->node_count + k]) /
                                                          m->phi_scale[element->multiplier + k]);
    }
    return counts;
}
