// Torsion springs and dampers (force law: compliance.c). The moment acts about the axis, which is fixed to
// the first node. The turn of the second node is relative_turn (relative.h): zero at the start, counted
// over full turns, and free of the tilt between the two nodes.
#include "mechanism/compliance.h"
#include "mechanism/connect.h"
#include "mechanism/part_type.h"

static const ElementKind torsion_spring_kind = COMPLIANCE_KIND("torsion spring");

static const SchemaKey torsion_spring_keys[] = {
    PART_BETWEEN_KEY(TorsionSpringDefinition),
    {"axis", AXIS(TorsionSpringDefinition, axis), .fallback = "z",
     .doc = "Its axis at the start, in world axes; it rides on the first node."},
    {"stiffness", QUANTITY(TorsionSpringDefinition, stiffness), .dimension = DIM_TURN_STIFFNESS,
     .range = NON_NEGATIVE, .fallback = "0 N*m/rad", .doc = "Moment per angle."},
    {"damping", QUANTITY(TorsionSpringDefinition, damping), .dimension = DIM_TURN_DAMPING,
     .range = NON_NEGATIVE, .fallback = "0 N*m*s/rad", .doc = "Moment per angular velocity."},
    {"angle", QUANTITY(TorsionSpringDefinition, angle), .dimension = DIM_ANGLE, .fallback = "0 rad",
     .doc = "Angle at which the spring is without moment, from the start."},
    {"preload", QUANTITY(TorsionSpringDefinition, preload), .dimension = DIM_MOMENT, .fallback = "0 N*m",
     .doc = "A constant moment that is added."},
};

static MrcStatus torsion_spring_build(Builder *builder, const void *part, MrcError *error) {
    const TorsionSpringDefinition *definition = part;
    Subject subject = {"torsion spring", definition->name};
    int nodes[2];
    MrcStatus status = connect_nodes(builder, subject, definition->nodes, nodes, NULL, error);
    Mat3 axes;
    if (status == MRC_OK) status = connect_axes(subject, definition->axis, vec3_zero(), &axes, error);
    if (status != MRC_OK) return status;
    Compliance spring = {.count = 1, .counts_turns = true};
    for (int i = 0; i < 2; i++)
        spring.markers[i] = connect_marker(builder, nodes[i], builder_node(builder, nodes[i])->x, axes);
    spring.parts[0] = (CompliancePart){.coordinate = {.kind = &relative_turn},
                                       .stiffness = definition->stiffness,
                                       .damping = definition->damping,
                                       .rest = definition->angle,
                                       .preload = definition->preload};
    builder_add_element(builder, &torsion_spring_kind, definition->name, &spring, sizeof spring, 2, nodes, 0,
                        1);
    return MRC_OK;
}

static void torsion_spring_describe(const void *part, const PartContext *context, Text *text) {
    const TorsionSpringDefinition *spring = part;
    (void)context;
    part_describe_ends(text, "Torsion spring", spring->name, spring->nodes);
    text_add(text, ", %.4g N*m/rad", spring->stiffness);
    if (spring->damping > 0) text_add(text, " and %.4g N*m*s/rad", spring->damping);
    text_add_string(text, ".\n");
}

const PartType torsion_spring_part = {
    .schema = {.name = "torsion_spring",
               .doc = "A spring and a damper about an axis; it counts full turns.",
               .size = sizeof(TorsionSpringDefinition),
               .name_offset = offsetof(TorsionSpringDefinition, name),
               SCHEMA_KEYS(torsion_spring_keys),
               .example = "torsion_springs:\n"
                          "  hinge: {between: [base, arm], axis: z, stiffness: 40 N*m/deg}\n"},
    .noun = "torsion spring",
    .plural = "torsion springs",
    .order = PART_ORDER_SPRINGS,
    .ends = offsetof(TorsionSpringDefinition, nodes),
    .build = torsion_spring_build,
    .describe = torsion_spring_describe,
};
