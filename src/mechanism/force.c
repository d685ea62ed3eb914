// Forces and moments on a node, fixed in the world or following the node, as functions of time and of the
// motion of nodes (`-K*(support.y - y0) - C*support.vy`; Docquier et al. 2020, Eqs. 34-36,
// doi:10.1007/s11044-019-09721-0).
//
// Force F and moment M act at b = R o, o being the offset in node axes; p(t, s), m(t, s) are the given
// components and s the signals. Fixed: F = p, M = m; following: F = R p, M = R m. The residual is minus
// what is exerted:
//
//     r = -(F, b x F + M),      dr = -(dF, (d theta x b) x F + b x dF + dM),
//     dF = [d theta x F] + [R] (dp/ds) ds,   the brackets when following.
//
// Signals are x, v and w of nodes, and the rotation vector from the orientation that the node is written
// with (its change is T^-1 d theta). Nodes that only give signals have empty rows and full columns.
#include "mechanism/force.h"
#include "base/error.h"
#include "math/so3.h"
#include "mechanism/connect.h"
#include "mechanism/part_type.h"

typedef struct ForceSignal {
    int slot;      // which of the element's nodes
    int component; // as in NodeSignal
} ForceSignal;

typedef struct Force {
    Vec3 offset;
    bool follower;
    const Expression *components[6]; // force, moment; NULL: 0. Their signals are numbered as `signals`
    int signal_count;
    const ForceSignal *signals;
    Mat3 start[ELEMENT_NODES]; // orientation of the nodes at the start
} Force;

enum { SIGNALS_PER_NODE = 12, FORCE_SIGNALS = SIGNALS_PER_NODE * ELEMENT_NODES };

// ---- signals -------------------------------------------------------------------------------------
static Vec3 force_rotation(const Force *force, const ElementInput *in, int slot) {
    return so3_log(mat3_mul(in->node[slot]->R, mat3_transpose(force->start[slot])));
}

static double force_signal(const Force *force, const ElementInput *in, ForceSignal signal) {
    const NodeState *node = in->node[signal.slot];
    int axis = signal.component % 3;
    switch (signal.component / 3) {
    case 0:
        return vec3_component(node->x, axis);
    case 1:
        return vec3_component(force_rotation(force, in, signal.slot), axis);
    case 2:
        return vec3_component(node->v, axis);
    default:
        return vec3_component(node->w, axis);
    }
}

// Derivative of the signal with respect to the motion of its node: cc d/dv + ck d/dq.
static void force_signal_gradient(const Force *force, const ElementInput *in, ForceSignal signal, double cc,
                                  double ck, double gradient[6]) {
    int axis = signal.component % 3;
    for (int k = 0; k < 6; k++) gradient[k] = 0;
    switch (signal.component / 3) {
    case 0:
        gradient[axis] = ck;
        break;
    case 1: {
        Mat3 inverse = so3_tangent_inverse(force_rotation(force, in, signal.slot));
        for (int k = 0; k < 3; k++) gradient[3 + k] = ck * inverse.m[axis][k];
        break;
    }
    case 2:
        gradient[axis] = cc;
        break;
    default:
        gradient[3 + axis] = cc;
    }
}

// ---- the element ---------------------------------------------------------------------------------
typedef struct Exerted {
    Vec3 arm, force, moment; // world axes; the moment without that of the force
} Exerted;

static void force_signals(const Force *force, const ElementInput *in, double *values) {
    for (int k = 0; k < force->signal_count; k++) values[k] = force_signal(force, in, force->signals[k]);
}

static Exerted force_exerted(const Force *force, const ElementInput *in, const double *values) {
    double p[6];
    for (int i = 0; i < 6; i++)
        p[i] = force->components[i] ? expression_value(force->components[i], element_time(in), values) : 0;
    Exerted result = {mat3_apply(in->node[0]->R, force->offset), vec3(p[0], p[1], p[2]),
                      vec3(p[3], p[4], p[5])};
    if (force->follower) {
        result.force = mat3_apply(in->node[0]->R, result.force);
        result.moment = mat3_apply(in->node[0]->R, result.moment);
    }
    return result;
}

static void force_residual(const Element *element, const ElementInput *in, double *r) {
    const Force *force = element->data;
    double values[FORCE_SIGNALS];
    force_signals(force, in, values);
    Exerted now = force_exerted(force, in, values);
    Vec3 moment = vec3_add(vec3_cross(now.arm, now.force), now.moment);
    for (int i = 0; i < 6 * element->node_count; i++) r[i] = 0;
    for (int i = 0; i < 3; i++) {
        r[i] = -vec3_component(now.force, i);
        r[3 + i] = -vec3_component(moment, i);
    }
}

// Change with d theta of the loaded node at constant p: the arm turns, and a following load as a whole.
static void force_add_turning(const Force *force, const Exerted *now, double ck, double *J, int size) {
    Mat3 moment, arm = mat3_skew(now->arm), F = mat3_skew(now->force);
    if (force->follower) { // the whole load turns: d = d theta x load
        moment = mat3_skew(vec3_add(vec3_cross(now->arm, now->force), now->moment));
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) J[i * size + 3 + k] += ck * F.m[i][k];
    } else moment = mat3_scale(-1, mat3_mul(F, arm));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) J[(3 + i) * size + 3 + k] += ck * moment.m[i][k];
}

static void force_jacobian(const Element *element, const ElementInput *in, double cm, double cc, double ck,
                           double *J) {
    (void)cm;
    const Force *force = element->data;
    int size = 6 * element->node_count;
    double values[FORCE_SIGNALS];
    force_signals(force, in, values);
    Exerted now = force_exerted(force, in, values);
    force_add_turning(force, &now, ck, J, size);
    for (int i = 0; i < 6; i++) {
        const Expression *component = force->components[i];
        if (!component) continue;
        // a unit of this component in the rows of the residual
        Vec3 unit = vec3(i % 3 == 0, i % 3 == 1, i % 3 == 2), across = vec3_zero();
        if (force->follower) unit = mat3_apply(in->node[0]->R, unit);
        if (i < 3) across = vec3_cross(now.arm, unit);
        else across = unit, unit = vec3_zero();
        const double load[6] = {unit.x, unit.y, unit.z, across.x, across.y, across.z};
        for (size_t k = 0; k < expression_signal_count(component); k++) {
            size_t place = expression_signal(component, k);
            double slope = expression_derivative(component, element_time(in), values, place), gradient[6];
            force_signal_gradient(force, in, force->signals[place], cc, ck, gradient);
            for (int row = 0; row < 6; row++)
                for (int column = 0; column < 6; column++)
                    J[row * size + 6 * force->signals[place].slot + column] -=
                        load[row] * slope * gradient[column];
        }
    }
}

static void force_energy(const Element *element, const ElementInput *in, ElementEnergy *sum) {
    const Force *force = element->data;
    double values[FORCE_SIGNALS];
    force_signals(force, in, values);
    Exerted now = force_exerted(force, in, values);
    const NodeState *node = in->node[0];
    Vec3 velocity = vec3_add(node->v, vec3_cross(node->w, now.arm));
    sum->work += vec3_dot(now.force, velocity) + vec3_dot(now.moment, node->w);
}

static const ElementKind force_kind = {
    .name = "force",
    .massless = true,
    .residual = force_residual,
    .jacobian = force_jacobian,
    .energy = force_energy,
};

bool force_is(const Element *element) { return element->kind == &force_kind; }

ForceValues force_values(const Element *element, const ElementInput *in) {
    const Force *force = element->data;
    const NodeState *node = in->node[0];
    double values[FORCE_SIGNALS];
    force_signals(force, in, values);
    Exerted now = force_exerted(force, in, values);
    Vec3 velocity = vec3_add(node->v, vec3_cross(node->w, now.arm));
    return (ForceValues){{now.force, now.moment},
                         vec3_dot(now.force, velocity) + vec3_dot(now.moment, node->w)};
}

// ---- from its definition -------------------------------------------------------------------------
typedef struct ForceSignals { // nodes and signals that one force uses, while it is built
    int nodes[ELEMENT_NODES];
    int node_count;
    ForceSignal signals[FORCE_SIGNALS];
    size_t scope[FORCE_SIGNALS]; // their places in MechanismDefinition.signals
    int signal_count;
} ForceSignals;

// The place of a signal of the definition among those of the force; it is added if it is new.
static MrcStatus force_find_signal(const Builder *builder, Subject subject, size_t scope, ForceSignals *used,
                                   size_t *place, MrcError *error) {
    for (int k = 0; k < used->signal_count; k++)
        if (used->scope[k] == scope) {
            *place = (size_t)k;
            return MRC_OK;
        }
    const NodeSignal *signal = &builder->definition->signals[scope];
    int node, slot = 0;
    MrcStatus status = connect_node(builder, subject, signal->node, &node, error);
    if (status != MRC_OK) return status;
    while (slot < used->node_count && used->nodes[slot] != node) slot++;
    if (slot == ELEMENT_NODES)
        return error_set(error, MRC_MODEL,
                         "force '%s' depends on more than %d nodes; split its sum into several forces that "
                         "depend on fewer",
                         subject.name, ELEMENT_NODES);
    if (slot == used->node_count) used->nodes[used->node_count++] = node;
    *place = (size_t)used->signal_count;
    used->scope[*place] = scope;
    used->signals[*place] = (ForceSignal){slot, signal->component};
    used->signal_count++;
    return MRC_OK;
}

static MrcStatus force_use_signals(const Builder *builder, Subject subject, const Expression *expression,
                                   ForceSignals *used, const Expression **renumbered, MrcError *error) {
    size_t places[FORCE_SIGNALS], count = expression_signal_count(expression);
    for (size_t k = 0; k < count; k++) {
        // A node has SIGNALS_PER_NODE signals, but an expression may list the same one twice.
        if (used->signal_count == FORCE_SIGNALS || k == FORCE_SIGNALS)
            return error_set(error, MRC_MODEL, "force '%s' depends on more than %d signals", subject.name,
                             FORCE_SIGNALS);
        MrcStatus status =
            force_find_signal(builder, subject, expression_signal(expression, k), used, &places[k], error);
        if (status != MRC_OK) return status;
    }
    *renumbered = expression_renumber(builder->arena, expression, places);
    return *renumbered ? MRC_OK : error_memory(error, "a force");
}

static MrcStatus force_build(Builder *builder, const void *part, MrcError *error) {
    const ForceDefinition *definition = part;
    Subject subject = {"force", definition->name};
    Force force = {.offset = definition->offset, .follower = definition->follower};
    ForceSignals used = {.node_count = 1};
    MrcStatus status = connect_node(builder, subject, definition->at, &used.nodes[0], error);
    if (status != MRC_OK) return status;
    if (used.nodes[0] < 0)
        return error_set(error, MRC_MODEL, "force '%s' acts on the ground, which nothing moves",
                         definition->name);
    for (int i = 0; i < 6; i++) {
        const Expression *expression = i < 3 ? definition->force[i] : definition->moment[i - 3];
        if (!expression) continue;
        status = force_use_signals(builder, subject, expression, &used, &force.components[i], error);
        if (status != MRC_OK) return status;
    }
    size_t size = (size_t)used.signal_count * sizeof(ForceSignal);
    ForceSignal *signals = arena_alloc(builder->arena, size + 1);
    if (!signals) return error_memory(error, "a force");
    memcpy(signals, used.signals, size);
    force.signals = signals;
    force.signal_count = used.signal_count;
    for (int k = 0; k < used.node_count; k++) force.start[k] = builder_node(builder, used.nodes[k])->R;
    builder_add_element(builder, &force_kind, definition->name, &force, sizeof force, used.node_count,
                        used.nodes, 0, 0);
    return MRC_OK;
}

// ---- in the model file -------------------------------------------------------------------------------
static const SchemaKey force_keys[] = {
    {"at", NAME(ForceDefinition, at), .nodes = true, .required = true, .doc = "The node that it acts on."},
    {"offset", VECTOR(ForceDefinition, offset), .dimension = DIM_LENGTH, .fallback = "0 0 0 m",
     .doc = "The point that it acts on, from the node's origin and in its axes."},
    {"force", EXPRESSIONS(ForceDefinition, force), .signals = true, .dimension = DIM_FORCE,
     .fallback_words = "none", .doc = "The force, in world axes."},
    {"moment", EXPRESSIONS(ForceDefinition, moment), .signals = true, .dimension = DIM_MOMENT,
     .fallback_words = "none", .doc = "The moment, in world axes."},
    {"follower", BOOLEAN(ForceDefinition, follower), .fallback = "false",
     .doc = "Force and moment are in the axes of the node and turn with it."},
};

static void force_check(const void *part, const PartCheck *check) {
    const ForceDefinition *force = part;
    bool given = false;
    for (int k = 0; k < 3; k++) given = given || force->force[k] || force->moment[k];
    if (!given && check->complete)
        findings_object_error(check->findings, force, "force '%s' has neither 'force' nor 'moment'",
                              force->name);
    if (force->at && strcmp(force->at, "ground") == 0)
        findings_error(check->findings, &force->at, "force '%s' acts on the ground, which never moves",
                       force->name);
}

static void force_describe(const void *part, const PartContext *context, Text *text) {
    const ForceDefinition *force = part;
    bool pushes = false, turns = false, measures = false;
    (void)context;
    for (int k = 0; k < 3; k++) {
        pushes = pushes || force->force[k];
        turns = turns || force->moment[k];
        measures = measures || (force->force[k] && expression_signal_count(force->force[k])) ||
                   (force->moment[k] && expression_signal_count(force->moment[k]));
    }
    text_add(text, "Force %s: a %s on %s", force->name,
             pushes && turns ? "force and a moment"
             : pushes        ? "force"
                             : "moment",
             force->at);
    if (force->follower) text_add_string(text, " that turns with it");
    if (measures) text_add_string(text, ", by what is measured");
    text_add_string(text, ".\n");
}

const PartType force_part = {
    .schema =
        {.name = "force",
         .doc = "A force and a moment on a node. They may use the time `t` and signals of nodes: `NODE.x`, "
                "`.y`, `.z`, `.vx`, `.vy`, `.vz`, the rotation vector `.rx`, `.ry`, `.rz` (from how the "
                "node is written, up to half a turn; torsion springs count turns) and the angular velocity "
                "`.wx`, `.wy`, `.wz`.",
         .size = sizeof(ForceDefinition),
         .name_offset = offsetof(ForceDefinition, name),
         SCHEMA_KEYS(force_keys),
         .example = "forces:\n"
                    "  shaker: {at: arm.end, force: [0, 0.25 N*sin(2*pi*15.5 Hz*t), 0]}\n"
                    "  spring: {at: support, force: [0, -K*(support.y - y0) - C*support.vy, 0]}\n"},
    .noun = "force",
    .plural = "forces",
    .order = PART_ORDER_FORCES,
    .build = force_build,
    .check = force_check,
    .describe = force_describe,
};
