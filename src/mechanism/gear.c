// Gears, belts and racks: the coordinates q_a and q_b of two joints, each a turn about the joint's axis counted over full
// turns or a displacement along it, move in a fixed ratio. One constraint:
//
//     phi = c_a q_a + c_b q_b = 0,    both counted from the start
//
//     gear   c_a = 1, c_b = ratio (outside), -ratio (inside): the wheels turn against each other, the first `ratio` times
//     belt   c_a = r_a, c_b = -r_b: both turn the same way
//     rack   c_a = r, c_b = -1: the pinion a drives the rack b
//
// With the gradients g and curvatures H of the two coordinates (relative.h), on the nodes of both joints,
//
//     G = c_a g_a^T + c_b g_b^T,   r = lambda G^T,   dr/dq = lambda (c_a H_a + c_b H_b)
//
// Teeth, slip and the compliance of a belt are not modelled; a torsion spring on the shaft can stand for the last one. The
// reaction is lambda: the moment on the first shaft is -c_a lambda, that on the second -c_b lambda.
#include <math.h>

#include "base/error.h"
#include "mechanism/connect.h"
#include "mechanism/joint.h"
#include "mechanism/joint_type.h"

// ---- the element -----------------------------------------------------------------------------------------
typedef struct GearSide {
    Marker markers[2];
    int place[2]; // of its two nodes among those of the element; -1: the ground
    RelativeCoordinate coordinate;
    bool turns;
    double start;  // the coordinate at the start [m, rad]
    double factor; // c
} GearSide;

typedef struct Gear {
    GearSide sides[2];
    int nodes;
} Gear;

static MarkerPair gear_pair(const GearSide *side, const ElementInput *in, double last_turn) {
    const NodeState *nodes[2];
    for (int n = 0; n < 2; n++) nodes[n] = side->place[n] < 0 ? &node_ground : in->node[side->place[n]];
    MarkerPair pair = marker_pair(nodes, side->markers, NULL, false);
    pair.last_turn = last_turn;
    return pair;
}

// The row of the element that belongs to component i of a coordinate; -1: the ground has none.
static int gear_row(const GearSide *side, int i) {
    return side->place[i / 6] < 0 ? -1 : 6 * side->place[i / 6] + i % 6;
}

// phi, and G in g[6 nodes] if it is not NULL.
static double gear_value(const Gear *gear, const ElementInput *in, double *g) {
    double value = 0;
    for (int i = 0; g && i < 6 * gear->nodes; i++) g[i] = 0;
    for (int s = 0; s < 2; s++) {
        const GearSide *side = &gear->sides[s];
        MarkerPair pair = gear_pair(side, in, in->state[s]);
        double own[12];
        value += side->factor * (relative_value(&side->coordinate, &pair, own) - side->start);
        for (int i = 0; g && i < 12; i++)
            if (gear_row(side, i) >= 0) g[gear_row(side, i)] += side->factor * own[i];
    }
    return value;
}

static void gear_residual(const Element *element, const ElementInput *in, double *r) {
    const Gear *gear = element->data;
    double phi = gear_value(gear, in, r);
    for (int i = 0; i < 6 * gear->nodes; i++) r[i] *= in->lambda[0];
    r[6 * gear->nodes] = phi;
}

static void gear_jacobian(const Element *element, const ElementInput *in, double cm, double cc, double ck,
                          double *J) {
    (void)cm, (void)cc;
    const Gear *gear = element->data;
    int rows = 6 * gear->nodes, size = rows + 1;
    double g[6 * ELEMENT_NODES];
    gear_value(gear, in, g);
    for (int i = 0; i < rows; i++) J[rows * size + i] = J[i * size + rows] = g[i];
    for (int s = 0; s < 2 && ck != 0 && in->lambda[0] != 0; s++) {
        const GearSide *side = &gear->sides[s];
        MarkerPair pair = gear_pair(side, in, in->state[s]);
        double H[12][12] = {{0}};
        relative_add_curvature(&side->coordinate, &pair, ck * side->factor * in->lambda[0], H);
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++)
                if (gear_row(side, i) >= 0 && gear_row(side, j) >= 0)
                    J[gear_row(side, i) * size + gear_row(side, j)] += H[i][j];
    }
}

static void gear_rates(const Element *element, const ElementInput *in, double *rate, double *second) {
    const Gear *gear = element->data;
    rate[0] = 0;
    if (second) second[0] = 0;
    for (int s = 0; s < 2; s++) {
        const GearSide *side = &gear->sides[s];
        MarkerPair pair = gear_pair(side, in, in->state[s]);
        double g[12], v[12], a[12];
        relative_value(&side->coordinate, &pair, g);
        for (int n = 0; n < 2; n++) {
            const NodeState *node = side->place[n] < 0 ? &node_ground : in->node[side->place[n]];
            const double motion[12] = {node->v.x, node->v.y,     node->v.z,     node->w.x,
                                       node->w.y, node->w.z,     node->a.x,     node->a.y,
                                       node->a.z, node->alpha.x, node->alpha.y, node->alpha.z};
            for (int i = 0; i < 6; i++) v[6 * n + i] = motion[i], a[6 * n + i] = motion[6 + i];
        }
        for (int i = 0; i < 12; i++) rate[0] += side->factor * g[i] * v[i];
        if (!second) continue;
        second[0] += side->factor * relative_velocity_term(&side->coordinate, &pair, v);
        for (int i = 0; i < 12; i++) second[0] += side->factor * g[i] * a[i];
    }
}

// The turns so far, near which they are looked for.
static void gear_begin_step(const Element *element, const ElementInput *in, double h, double *state) {
    (void)h;
    const Gear *gear = element->data;
    for (int s = 0; s < 2; s++) {
        MarkerPair pair = gear_pair(&gear->sides[s], in, state[s]);
        state[s] = relative_value(&gear->sides[s].coordinate, &pair, NULL);
    }
}

static const ElementKind gear_kind = {.name = "gear",
                                      .residual = gear_residual,
                                      .jacobian = gear_jacobian,
                                      .rates = gear_rates,
                                      .begin_step = gear_begin_step};

// ---- the model file ------------------------------------------------------------------------------
enum { GEAR_WHEELS, GEAR_BELT, GEAR_RACK };

static const SchemaChoice gear_types[] = {
    {"gear", GEAR_WHEELS, "two toothed wheels"},
    {"belt", GEAR_BELT, "two pulleys with a belt or a chain"},
    {"rack", GEAR_RACK, "a pinion and a rack"},
    {NULL, 0, NULL},
};
static const SchemaKey gear_keys[] = {
    {"joints", NAMES(GearDefinition, joints[0], 2), .refers = "mechanism.joints", .required = true,
     .doc = "The two joints: revolute ones, of a rack a revolute and a prismatic one."},
    {"type", CHOICE(GearDefinition, type, gear_types), .fallback = "gear", .doc = "What ties them."},
    {"ratio", QUANTITY(GearDefinition, ratio), .range = POSITIVE, .fallback_words = "by `radii`",
     .doc = "Turns of the first joint per turn of the second."},
    {"radii", NUMBERS(GearDefinition, radii, 2), .dimension = DIM_LENGTH, .range = POSITIVE,
     .short_length = 1, .fallback_words = "by `ratio`",
     .doc = "Radii of the two wheels; of a rack one, that of the pinion."},
    {"inside", BOOLEAN(GearDefinition, inside), .fallback = "false",
     .doc = "The second wheel is a ring with teeth inside: both turn the same way."},
};

static const JointDefinition *gear_joint(const MechanismDefinition *d, const char *name) {
    for (int i = 0; name && i < d->joint_count; i++)
        if (strcmp(d->joints[i].name, name) == 0) return &d->joints[i];
    return NULL;
}

static bool gear_joint_turns(const JointDefinition *joint) {
    JointComponents kept = joint_kept(joint);
    return kept.about[0] && kept.about[1] && !kept.about[2];
}

static bool gear_joint_slides(const JointDefinition *joint) {
    JointComponents kept = joint_kept(joint);
    return kept.along[0] && kept.along[1] && !kept.along[2] && kept.about[2];
}

static void gear_check(const void *part, const PartCheck *check) {
    const GearDefinition *gear = part;
    if (!check->complete) return;
    bool rack = gear->type == GEAR_RACK, radii = gear->radii[0] > 0;
    if (rack ? !radii || gear->radii[1] > 0 : radii && !(gear->radii[1] > 0))
        findings_object_error(check->findings, gear,
                              rack ? "rack '%s' needs 'radii', one: that of its pinion"
                                   : "gear '%s': 'radii' needs both wheels",
                              gear->name);
    else if (radii == (gear->ratio > 0))
        findings_object_error(check->findings, gear, "gear '%s': give 'ratio' or 'radii'%s", gear->name,
                              radii ? ", not both" : "");
    for (int s = 0; s < 2; s++) {
        const JointDefinition *joint = gear_joint(check->mechanism, gear->joints[s]);
        bool slide = rack && s == 1;
        if (joint && !(slide ? gear_joint_slides(joint) : gear_joint_turns(joint)))
            findings_error(
                check->findings, &gear->joints[s], "gear '%s': joint '%s' %s; %s", gear->name, joint->name,
                slide ? "does not slide along its axis alone" : "does not turn about its axis alone",
                slide ? "a rack needs a prismatic joint" : "it needs a revolute joint");
    }
    if (gear->joints[0] && gear->joints[1] && strcmp(gear->joints[0], gear->joints[1]) == 0)
        findings_object_error(check->findings, gear, "gear '%s' ties joint '%s' to itself", gear->name,
                              gear->joints[0]);
}

// ---- building ------------------------------------------------------------------------------------
static const Element *gear_find(const Builder *builder, const char *name) {
    for (int e = 0; e < builder->element_count; e++)
        if (builder->elements[e].kind == &joint_kind && strcmp(builder->elements[e].name, name) == 0)
            return &builder->elements[e];
    return NULL;
}

static int gear_place(int *nodes, int *count, int node) {
    if (node < 0) return -1;
    for (int i = 0; i < *count; i++)
        if (nodes[i] == node) return i;
    nodes[*count] = node;
    return (*count)++;
}

static double gear_factor(const GearDefinition *d, int side) {
    bool radii = d->radii[0] > 0;
    if (d->type == GEAR_RACK) return side == 0 ? d->radii[0] : -1;
    double factor = side == 0 ? (radii ? d->radii[0] : 1) : (radii ? d->radii[1] : d->ratio);
    return side == 1 && (d->type == GEAR_BELT || d->inside) ? -factor : factor;
}

static MrcStatus gear_build(Builder *builder, const void *part, MrcError *error) {
    const GearDefinition *definition = part;
    Gear gear = {.nodes = 0};
    int nodes[4];
    for (int s = 0; s < 2; s++) {
        const Element *joint = gear_find(builder, definition->joints[s]);
        if (!joint)
            return error_set(error, MRC_MODEL, "gear '%s': there is no joint '%s'", definition->name,
                             definition->joints[s]);
        const Joint *data = joint->data;
        GearSide *side = &gear.sides[s];
        memcpy(side->markers, data->markers, sizeof side->markers);
        for (int n = 0; n < 2; n++) side->place[n] = gear_place(nodes, &gear.nodes, joint->node[n]);
        side->turns = !(definition->type == GEAR_RACK && s == 1);
        side->coordinate = side->turns ? (RelativeCoordinate){.kind = &relative_turn}
                                       : (RelativeCoordinate){&relative_translation, .axis = 2};
        side->factor = gear_factor(definition, s);
        const NodeState *ends[2] = {builder_node(builder, joint->node[0]),
                                    builder_node(builder, joint->node[1])};
        MarkerPair pair = marker_pair(ends, side->markers, NULL, false);
        side->start = relative_value(&side->coordinate, &pair, NULL);
    }
    builder_add_element(builder, &gear_kind, definition->name, &gear, sizeof gear, gear.nodes, nodes, 1, 2);
    return MRC_OK;
}

static void gear_describe(const void *part, const PartContext *context, Text *text) {
    const GearDefinition *gear = part;
    (void)context;
    text_add(text, "%s %s: ties %s to %s",
             gear->type == GEAR_RACK   ? "Rack"
             : gear->type == GEAR_BELT ? "Belt"
                                       : "Gear",
             gear->name, gear->joints[0], gear->joints[1]);
    if (gear->type == GEAR_RACK) text_add(text, ", %.4g mm per radian.\n", 1e3 * gear->radii[0]);
    else text_add(text, ", ratio %.4g.\n", fabs(gear_factor(gear, 1) / gear_factor(gear, 0)));
}

const PartType gear_part = {
    .schema = {.name = "gear",
               .doc = "Ties the motions of two joints: a pair of gears, a belt between pulleys, a rack and "
                      "its pinion.",
               .size = sizeof(GearDefinition),
               .name_offset = offsetof(GearDefinition, name),
               SCHEMA_KEYS(gear_keys),
               .example = "gears:\n"
                          "  stage: {joints: [motor_bearing, drum_bearing], ratio: 12}\n"
                          "  lift: {joints: [pinion_bearing, guide], type: rack, radii: 20 mm}\n"},
    .noun = "gear",
    .plural = "gears",
    .order = PART_ORDER_GEARS,
    .build = gear_build,
    .check = gear_check,
    .describe = gear_describe,
};
