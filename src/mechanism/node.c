// Nodes: frames with six degrees of freedom, and the pose of a node at the start.
#include "base/error.h"
#include "math/so3.h"
#include "mechanism/part_type.h"

static const SchemaKey node_attitude_keys[] = {
    {"axis", AXIS(PoseDefinition, axis), .required = true, .doc = "Axis of the turn, in world axes."},
    {"angle", QUANTITY(PoseDefinition, angle), .dimension = DIM_ANGLE, .required = true,
     .doc = "Angle about the axis."},
};

const SchemaObject node_attitude_schema = {
    .name = "attitude",
    .doc = "A turn from the world's axes to the axes of a node at the start.",
    .size = sizeof(PoseDefinition),
    SCHEMA_KEYS(node_attitude_keys),
    .example = "rotation: {axis: z, angle: 30 deg}\n",
};

static const SchemaKey node_keys[] = {PART_POSE_KEYS(NodeDefinition)};

int builder_add_pose(Builder *builder, const char *name, const PoseDefinition *pose) {
    NodeState node = {.x = pose->position, .v = pose->velocity, .w = pose->angular_velocity};
    node.R = so3_exp(vec3_scale(pose->angle, vec3_normalize(pose->axis)));
    return builder_add_node(builder, name, &node);
}

static MrcStatus node_build(Builder *builder, const void *definition, MrcError *error) {
    const NodeDefinition *node = definition;
    if (builder_find_node(builder, node->name) != -2)
        return error_set(error, MRC_MODEL, "there are two nodes named '%s'", node->name);
    builder_add_pose(builder, node->name, &node->pose);
    return MRC_OK;
}

const PartType node_part = {
    .schema =
        {.name = "node",
         .doc = "A frame of the mechanism that can move and turn. Bodies bring their own node and beams make "
                "theirs (`BEAM.start`, `BEAM.end`, `BEAM.0`, `BEAM.1` ...); further ones are rarely needed.",
         .size = sizeof(NodeDefinition),
         .name_offset = offsetof(NodeDefinition, name),
         SCHEMA_KEYS(node_keys)},
    .noun = "node",
    .plural = "nodes",
    .order = PART_ORDER_NODES,
    .build = node_build,
};
