// mechanism.joints. A new kind of joint is one row in `alternatives`.
#include "mechanism/definition.h"
#include "model/schema_sections.h"

static const SchemaKey pair_keys[] = {
    {"nodes", NAMES(JointDefinition, nodes[0], 2), .short_length = 1, .nodes = true, .required = true,
     .doc = "The two nodes; a lone one is joined to the ground."},
};
static const SchemaObject pair = {.name = "joined_nodes",
                                  .doc = "One node, which is joined to the ground, or a list of two: the "
                                         "second is held by the first.",
                                  .size = sizeof(JointDefinition),
                                  .bare = true,
                                  SCHEMA_KEYS(pair_keys)};

static const SchemaAlternative alternatives[] = {
    {"clamp", JOINT_CLAMP, 0, &pair, "Nothing moves."},
    {"revolute", JOINT_REVOLUTE, 0, &pair, "A hinge: turns about the axis."},
    {"spherical", JOINT_SPHERICAL, 0, &pair, "A ball joint: turns about every axis."},
    {"prismatic", JOINT_PRISMATIC, 0, &pair, "A slider: moves along the axis, does not turn."},
    {"cylindrical", JOINT_CYLINDRICAL, 0, &pair, "Moves along the axis and turns about it."},
    {"universal", JOINT_UNIVERSAL, 0, &pair,
     "Cardan's joint: turns about the joint's x, which rides on the first node, and its y, which rides on "
     "the "
     "second."},
    {"planar", JOINT_PLANAR, 0, &pair, "Moves in the plane square to the axis and turns about the axis."},
    {"point_on_line", JOINT_POINT_ON_LINE, 0, &pair,
     "The second point stays on the line along the axis; it turns freely."},
    {"point_in_plane", JOINT_POINT_IN_PLANE, 0, &pair,
     "The second point stays in the plane square to the axis; it turns freely."},
    {"distance", JOINT_DISTANCE, 0, &pair, "Only the distance of the two points is kept."},
    {"general", JOINT_GENERAL, 0, &pair, "What is kept is listed in `translations` and `rotations`."},
    {NULL, 0, 0, NULL, NULL},
};

static const SchemaKey keys[] = {
    {"at", VECTOR(JointDefinition, at), .dimension = DIM_LENGTH, GIVEN(JointDefinition, has_at),
     .fallback_words = "at the second node, or the lone one",
     .doc = "Where the joint is at the start, in world axes."},
    {"offsets", VECTORS(JointDefinition, offsets, 2), .dimension = DIM_LENGTH,
     GIVEN(JointDefinition, has_offsets), .fallback_words = "by `at`",
     .doc = "Instead of `at`: the points on the two nodes that meet, each in the axes of its node."},
    {"axis", AXIS(JointDefinition, axis), .fallback_words = "`z`",
     .doc = "The joint's z axis at the start, in world axes; it rides on the first node."},
    {"second_axis", AXIS(JointDefinition, second_axis), .fallback_words = "any",
     .doc = "The joint's x axis at the start, made square to `axis`."},
    {"translations", AXES(JointDefinition, translations), .fallback_words = "none",
     .doc = "Of a general joint: along which of its axes the second point is kept."},
    {"rotations", AXES(JointDefinition, rotations), .fallback_words = "none",
     .doc = "Of a general joint: about which of its axes the second node is kept from turning."},
    {"position", EXPRESSIONS(JointDefinition, position), .lone = true, .dimension = DIM_LENGTH,
     .fallback_words = "0 where it is kept",
     .doc = "Where the second point is, along the joint's axes, as a function of the time t; a lone "
            "expression is along the axis."},
    {"angle", EXPRESSIONS(JointDefinition, angle), .lone = true, .dimension = DIM_ANGLE,
     .fallback_words = "0 where it is kept",
     .doc = "How far the second node is turned about the joint's axes, as a function of the time t; a lone "
            "expression is about the axis."},
    {"speed", EXPRESSIONS(JointDefinition, speed), .lone = true, .dimension = DIM_VELOCITY,
     .fallback_words = "by `position`", .doc = "Instead of `position`: how fast it moves."},
    {"rate", EXPRESSIONS(JointDefinition, rate), .lone = true, .dimension = DIM_ANGULAR_VELOCITY,
     .fallback_words = "by `angle`", .doc = "Instead of `angle`: how fast it turns."},
    {"length", EXPRESSION(JointDefinition, distance), .dimension = DIM_LENGTH,
     .fallback_words = "as at the start",
     .doc = "Of a distance joint: the distance, as a function of the time t."},
};

const SchemaObject schema_joint = {
    .name = "joint",
    .doc = "What holds two nodes together, or one to the ground. What a joint keeps can be driven by a "
           "function of time; so can the axis of a revolute, prismatic or cylindrical joint. The force and "
           "moment it takes are the signals `NAME.fx` ... `NAME.mz`: on the second node, about the joint.",
    .size = sizeof(JointDefinition),
    .name_offset = offsetof(JointDefinition, name),
    SCHEMA_KEYS(keys),
    .alternatives = alternatives,
    .tag_offset = SCHEMA_ENUM_AT(JointDefinition, kind),
    .at_most_one = {"at offsets", "position speed", "angle rate"},
    .example = "joints:\n"
               "  root: {clamp: arm.start}\n"
               "  motor: {revolute: crank, axis: z, rate: 600 rpm}\n"
               "  pin: {revolute: [crank, rod], at: 30 0 0 mm, axis: z}\n"
               "  guide: {prismatic: piston, axis: x}\n"
               "  rail: {general: [frame, cart], translations: [y, z], rotations: all}\n",
};
