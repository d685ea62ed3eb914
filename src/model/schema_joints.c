// mechanism.joints: the keys of all joints. Those of the types are in src/mechanism/joint_NAME.c.
#include "mechanism/joint_type.h"
#include "model/schema_sections.h"

static const SchemaKey schema_joint_keys[] = {
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
};

const SchemaObject schema_joint = {
    .name = "joint",
    .doc = "What holds two nodes together, or one to the ground. What a joint keeps can be driven by a "
           "function of time; so can the axis of a revolute, prismatic or cylindrical joint. The force and "
           "moment it takes are the signals `NAME.fx` ... `NAME.mz`: on the second node, about the joint.",
    .size = sizeof(JointDefinition),
    .name_offset = offsetof(JointDefinition, name),
    SCHEMA_KEYS(schema_joint_keys),
    TYPES_OF_ROWS(joint_types),
    .tag_offset = SCHEMA_ENUM_AT(JointDefinition, kind),
    .at_most_one = {"at offsets", "position speed", "angle rate"},
    .example = "joints:\n"
               "  root: {clamp: arm.start}\n"
               "  motor: {revolute: crank, axis: z, rate: 600 rpm}\n"
               "  pin: {revolute: [crank, rod], at: 30 0 0 mm, axis: z}\n"
               "  guide: {prismatic: piston, axis: x}\n"
               "  rail: {general: [frame, cart], translations: [y, z], rotations: all}\n",
};
