// The table of joints, and what follows from its rows.
#include "mechanism/joint_type.h"

#define JOINT_POINTER(number, type) [number] = &type,
const JointType *const joint_types[JOINT_COUNT + 1] = {JOINT_TABLE(JOINT_POINTER)};
#undef JOINT_POINTER

static const SchemaKey joint_nodes_keys[] = {
    {"nodes", NAMES(JointDefinition, nodes[0], 2), .short_length = 1, .nodes = true, .required = true,
     .doc = "The two nodes; a lone one is joined to the ground."},
};

const SchemaObject joint_nodes_schema = {.name = "joined_nodes",
                                         .doc =
                                             "One node, which is joined to the ground, or a list of two: the "
                                             "second is held by the first.",
                                         .size = sizeof(JointDefinition),
                                         .bare = true,
                                         SCHEMA_KEYS(joint_nodes_keys)};

JointComponents joint_kept(const JointDefinition *joint) {
    const JointType *type = joint_types[joint->kind];
    return type->choose ? type->choose(joint) : type->kept;
}

JointComponents joint_drivable(const JointDefinition *joint) {
    const JointType *type = joint_types[joint->kind];
    JointComponents components = joint_kept(joint);
    components.along[2] |= type->slides;
    components.about[2] |= type->turns;
    return components;
}
