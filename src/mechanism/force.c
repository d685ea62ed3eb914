// Point forces and moments, fixed in the world or following their node, as functions of time and of the
// motion of nodes (`-K*(support.y - y0) - C*support.vy`, NSCD Eqs. 34-36).
//
// Force F and moment M act at b = R o, o the offset in node axes; p(t, s), m(t, s) are the given components
// and s the signals. Fixed: F = p, M = m; following: F = R p, M = R m. The residual is minus what is exerted:
//
//     r = -(F, b x F + M),      dr = -(dF, (d theta x b) x F + b x dF + dM),
//     dF = [d theta x F] + [R] (dp/ds) ds,   the brackets when following.
//
// Signals are x, the rotation vector from how the node is written (d = T^-1 d theta), v and w of nodes. Nodes
// that are only listened to have empty rows and full columns.
#include "base/error.h"
#include "math/so3.h"
#include "mechanism/connect.h"

typedef struct ForceSignal {
    int slot;      // which of the element's nodes
    int component; // as in NodeSignal
} ForceSignal;

typedef struct Force {
    Vec3 offset;
    bool follower;
    const Expression *components[6]; // force, moment; NULL: 0. They read the signals by their place here
    int signal_count;
    const ForceSignal *signals;
    Mat3 start[ELEMENT_NODES]; // orientation of the nodes at the start
} Force;

enum { SIGNALS_PER_NODE = 12, FORCE_SIGNALS = SIGNALS_PER_NODE * ELEMENT_NODES };

// ---- signals -------------------------------------------------------------------------------------
static Vec3 turned(const Force *force, const ElementInput *in, int slot) {
    return so3_log(mat3_mul(in->node[slot]->R, mat3_transpose(force->start[slot])));
}

static double listen(const Force *force, const ElementInput *in, ForceSignal signal) {
    const NodeState *node = in->node[signal.slot];
    int axis = signal.component % 3;
    switch (signal.component / 3) {
    case 0:
        return vec3_component(node->x, axis);
    case 1:
        return vec3_component(turned(force, in, signal.slot), axis);
    case 2:
        return vec3_component(node->v, axis);
    default:
        return vec3_component(node->w, axis);
    }
}

// How the signal changes with the six displacements and velocities of its node, weighted: cc d/dv + ck d/dq.
static void listen_gradient(const Force *force, const ElementInput *in, ForceSignal signal, double cc,
                            double ck, double gradient[6]) {
    int axis = signal.component % 3;
    for (int k = 0; k < 6; k++) gradient[k] = 0;
    switch (signal.component / 3) {
    case 0:
        gradient[axis] = ck;
        break;
    case 1: {
        Mat3 inverse = so3_tangent_inverse(turned(force, in, signal.slot));
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

static void listen_all(const Force *force, const ElementInput *in, double *values) {
    for (int k = 0; k < force->signal_count; k++) values[k] = listen(force, in, force->signals[k]);
}

static Exerted exerted(const Force *force, const ElementInput *in, const double *values) {
    double p[6];
    for (int i = 0; i < 6; i++)
        p[i] = force->components[i] ? expression_value(force->components[i], in->t, values) : 0;
    Exerted result = {mat3_apply(in->node[0]->R, force->offset), vec3(p[0], p[1], p[2]),
                      vec3(p[3], p[4], p[5])};
    if (force->follower) {
        result.force = mat3_apply(in->node[0]->R, result.force);
        result.moment = mat3_apply(in->node[0]->R, result.moment);
    }
    return result;
}

static void residual(const Element *element, const ElementInput *in, double *r) {
    const Force *force = element->data;
    double values[FORCE_SIGNALS];
    listen_all(force, in, values);
    Exerted now = exerted(force, in, values);
    Vec3 moment = vec3_add(vec3_cross(now.arm, now.force), now.moment);
    for (int i = 0; i < 6 * element->node_count; i++) r[i] = 0;
    for (int i = 0; i < 3; i++) {
        r[i] = -vec3_component(now.force, i);
        r[3 + i] = -vec3_component(moment, i);
    }
}

// d theta of the loaded node, p held: turns the arm, and when following all of it.
static void add_turning(const Force *force, const Exerted *now, double ck, double *J, int size) {
    Mat3 moment, arm = mat3_skew(now->arm), F = mat3_skew(now->force);
    if (force->follower) { // the whole load turns: d = d theta x load
        moment = mat3_skew(vec3_add(vec3_cross(now->arm, now->force), now->moment));
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) J[i * size + 3 + k] += ck * F.m[i][k];
    } else moment = mat3_scale(-1, mat3_mul(F, arm));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) J[(3 + i) * size + 3 + k] += ck * moment.m[i][k];
}

static void jacobian(const Element *element, const ElementInput *in, double cm, double cc, double ck,
                     double *J) {
    (void)cm;
    const Force *force = element->data;
    int size = 6 * element->node_count;
    double values[FORCE_SIGNALS];
    listen_all(force, in, values);
    Exerted now = exerted(force, in, values);
    add_turning(force, &now, ck, J, size);
    for (int i = 0; i < 6; i++) {
        const Expression *component = force->components[i];
        if (!component) continue;
        // one unit of this component, as it enters the rows
        Vec3 unit = vec3(i % 3 == 0, i % 3 == 1, i % 3 == 2), across = vec3_zero();
        if (force->follower) unit = mat3_apply(in->node[0]->R, unit);
        if (i < 3) across = vec3_cross(now.arm, unit);
        else across = unit, unit = vec3_zero();
        const double load[6] = {unit.x, unit.y, unit.z, across.x, across.y, across.z};
        for (size_t k = 0; k < expression_signal_count(component); k++) {
            size_t place = expression_signal(component, k);
            double slope = expression_derivative(component, in->t, values, place), gradient[6];
            listen_gradient(force, in, force->signals[place], cc, ck, gradient);
            for (int row = 0; row < 6; row++)
                for (int column = 0; column < 6; column++)
                    J[row * size + 6 * force->signals[place].slot + column] -=
                        load[row] * slope * gradient[column];
        }
    }
}

static void energy(const Element *element, const ElementInput *in, ElementEnergy *sum) {
    const Force *force = element->data;
    double values[FORCE_SIGNALS];
    listen_all(force, in, values);
    Exerted now = exerted(force, in, values);
    const NodeState *node = in->node[0];
    Vec3 velocity = vec3_add(node->v, vec3_cross(node->w, now.arm));
    sum->work += vec3_dot(now.force, velocity) + vec3_dot(now.moment, node->w);
}

static const ElementKind force_kind = {
    .name = "force", .residual = residual, .jacobian = jacobian, .energy = energy};

// ---- from its definition -------------------------------------------------------------------------
typedef struct Listening { // what one force listens to, while it is found out
    int nodes[ELEMENT_NODES];
    int node_count;
    ForceSignal signals[FORCE_SIGNALS];
    size_t scope[FORCE_SIGNALS]; // their places in the definition's list
    int signal_count;
} Listening;

// The place of the definition's signal among those of the force, added if it is new.
static MrcStatus find_signal(const Builder *builder, Subject subject, size_t scope, Listening *listening,
                             size_t *place, MrcError *error) {
    for (int k = 0; k < listening->signal_count; k++)
        if (listening->scope[k] == scope) {
            *place = (size_t)k;
            return MRC_OK;
        }
    const NodeSignal *signal = &builder->definition->signals[scope];
    int node, slot = 0;
    MrcStatus status = connect_node(builder, subject, signal->node, &node, error);
    if (status != MRC_OK) return status;
    while (slot < listening->node_count && listening->nodes[slot] != node) slot++;
    if (slot == ELEMENT_NODES)
        return error_set(error, MRC_MODEL,
                         "force '%s' depends on more than %d nodes; split its sum into several forces that "
                         "depend on fewer",
                         subject.name, ELEMENT_NODES);
    if (slot == listening->node_count) listening->nodes[listening->node_count++] = node;
    *place = (size_t)listening->signal_count;
    listening->scope[*place] = scope;
    listening->signals[*place] = (ForceSignal){slot, signal->component};
    listening->signal_count++;
    return MRC_OK;
}

static MrcStatus listen_to(const Builder *builder, Subject subject, const Expression *expression,
                           Listening *listening, const Expression **renumbered, MrcError *error) {
    size_t places[FORCE_SIGNALS], count = expression_signal_count(expression);
    for (size_t k = 0; k < count; k++) {
        // Each new one takes a place, and a node has only so many; but the same may be listed twice.
        if (listening->signal_count == FORCE_SIGNALS || k == FORCE_SIGNALS)
            return error_set(error, MRC_MODEL, "force '%s' depends on more than %d signals", subject.name,
                             FORCE_SIGNALS);
        MrcStatus status =
            find_signal(builder, subject, expression_signal(expression, k), listening, &places[k], error);
        if (status != MRC_OK) return status;
    }
    *renumbered = expression_renumber(builder->arena, expression, places);
    return *renumbered ? MRC_OK : error_memory(error, "a force");
}

static MrcStatus build_force(Builder *builder, const ForceDefinition *definition, MrcError *error) {
    Subject subject = {"force", definition->name};
    Force force = {.offset = definition->offset, .follower = definition->follower};
    Listening listening = {.node_count = 1};
    MrcStatus status = connect_node(builder, subject, definition->at, &listening.nodes[0], error);
    if (status != MRC_OK) return status;
    if (listening.nodes[0] < 0)
        return error_set(error, MRC_MODEL, "force '%s' acts on the ground, which nothing moves",
                         definition->name);
    for (int i = 0; i < 6; i++) {
        const Expression *expression = i < 3 ? definition->force[i] : definition->moment[i - 3];
        if (!expression) continue;
        status = listen_to(builder, subject, expression, &listening, &force.components[i], error);
        if (status != MRC_OK) return status;
    }
    size_t size = (size_t)listening.signal_count * sizeof(ForceSignal);
    ForceSignal *signals = arena_alloc(builder->arena, size + 1);
    if (!signals) return error_memory(error, "a force");
    memcpy(signals, listening.signals, size);
    force.signals = signals;
    force.signal_count = listening.signal_count;
    for (int k = 0; k < listening.node_count; k++)
        force.start[k] = builder_node(builder, listening.nodes[k])->R;
    builder_add_element(builder, &force_kind, definition->name, &force, sizeof force, listening.node_count,
                        listening.nodes, 0, 0);
    return MRC_OK;
}

MrcStatus build_forces(Builder *builder, MrcError *error) {
    for (int i = 0; i < builder->definition->force_count; i++) {
        MrcStatus status = build_force(builder, &builder->definition->forces[i], error);
        if (status != MRC_OK) return status;
    }
    return MRC_OK;
}
