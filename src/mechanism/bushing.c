// Bushings: six springs and dampers (force law: compliance.c) along and about axes that are fixed to the
// first node, between two markers that coincide at the start. The coordinates are the components of the gap
// and of the rotation vector. The rotation vector favours no axis; it is unique below half a turn.
#include "mechanism/compliance.h"
#include "mechanism/connect.h"
#include "mechanism/part_type.h"

static const ElementKind bushing_kind = COMPLIANCE_KIND("bushing");

static const SchemaKey bushing_keys[] = {
    PART_BETWEEN_KEY(BushingDefinition),
    {"at", VECTOR(BushingDefinition, at), .dimension = DIM_LENGTH, GIVEN(BushingDefinition, has_at),
     .fallback_words = "at the second node, or the lone one",
     .doc = "Where it is at the start, in world axes."},
    {"axis", AXIS(BushingDefinition, axis), .fallback_words = "`z`",
     .doc = "Its z axis at the start, in world axes; it rides on the first node."},
    {"second_axis", AXIS(BushingDefinition, second_axis), .fallback_words = "any",
     .doc = "Its x axis at the start, made square to `axis`."},
    {"stiffness", NUMBERS(BushingDefinition, stiffness, 3), .dimension = DIM_STIFFNESS, .range = NON_NEGATIVE,
     .fallback = "0 0 0 N/m", .doc = "Force per displacement along its x, y and z."},
    {"damping", NUMBERS(BushingDefinition, damping, 3), .dimension = DIM_DAMPING, .range = NON_NEGATIVE,
     .fallback = "0 0 0 N*s/m", .doc = "Force per velocity along its x, y and z."},
    {"rotational_stiffness", NUMBERS(BushingDefinition, rotational_stiffness, 3),
     .dimension = DIM_TURN_STIFFNESS, .range = NON_NEGATIVE, .fallback = "0 0 0 N*m/rad",
     .doc = "Moment per angle about its x, y and z."},
    {"rotational_damping", NUMBERS(BushingDefinition, rotational_damping, 3), .dimension = DIM_TURN_DAMPING,
     .range = NON_NEGATIVE, .fallback = "0 0 0 N*m*s/rad",
     .doc = "Moment per angular velocity about its x, y and z."},
    {"preload", NUMBERS(BushingDefinition, preload, 3), .dimension = DIM_FORCE, .fallback = "0 0 0 N",
     .doc = "A constant force that is added."},
    {"moment_preload", NUMBERS(BushingDefinition, moment_preload, 3), .dimension = DIM_MOMENT,
     .fallback = "0 0 0 N*m", .doc = "A constant moment that is added."},
};

static MrcStatus bushing_build(Builder *builder, const void *part, MrcError *error) {
    const BushingDefinition *definition = part;
    Subject subject = {"bushing", definition->name};
    int nodes[2];
    MrcStatus status = connect_nodes(builder, subject, definition->nodes, nodes, NULL, error);
    Mat3 axes;
    if (status == MRC_OK)
        status = connect_axes(subject, definition->axis, definition->second_axis, &axes, error);
    if (status != MRC_OK) return status;
    Vec3 at = definition->has_at ? definition->at : builder_node(builder, nodes[1])->x;
    Compliance bushing = {.rotates = true};
    for (int i = 0; i < 2; i++) bushing.markers[i] = connect_marker(builder, nodes[i], at, axes);
    for (int i = 0; i < 3; i++) {
        const CompliancePart parts[2] = {{.coordinate = {&relative_translation, .axis = i},
                                          .stiffness = definition->stiffness[i],
                                          .damping = definition->damping[i],
                                          .preload = definition->preload[i]},
                                         {.coordinate = {&relative_rotation, .axis = i},
                                          .stiffness = definition->rotational_stiffness[i],
                                          .damping = definition->rotational_damping[i],
                                          .preload = definition->moment_preload[i]}};
        for (int k = 0; k < 2; k++)
            if (parts[k].stiffness != 0 || parts[k].damping != 0 || parts[k].preload != 0)
                bushing.parts[bushing.count++] = parts[k];
    }
    builder_add_element(builder, &bushing_kind, definition->name, &bushing, sizeof bushing, 2, nodes, 0, 0);
    return MRC_OK;
}

static void bushing_describe(const void *part, const PartContext *context, Text *text) {
    const BushingDefinition *bushing = part;
    (void)context;
    part_describe_ends(text, "Bushing", bushing->name, bushing->nodes);
    text_add_string(text, ".\n");
}

const PartType bushing_part = {
    .schema = {.name = "bushing",
               .doc = "Springs and dampers along and about three axes at one point.",
               .size = sizeof(BushingDefinition),
               .name_offset = offsetof(BushingDefinition, name),
               SCHEMA_KEYS(bushing_keys),
               .example =
                   "bushings:\n"
                   "  mount: {between: [frame, engine], stiffness: 1 1 2 kN/mm, rotational_stiffness: 5 5 "
                   "0 kN*m/rad}\n"},
    .noun = "bushing",
    .plural = "bushings",
    .order = PART_ORDER_SPRINGS,
    .ends = offsetof(BushingDefinition, nodes),
    .build = bushing_build,
    .describe = bushing_describe,
};
