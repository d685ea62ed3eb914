// Nodes and elements while the mechanism is built: the parts (part_type.h) add them.
#ifndef MECHANISM_BUILDER_H
#define MECHANISM_BUILDER_H

#include "base/error.h"
#include "base/memory.h"
#include "math/inertia.h"
#include "mechanism/mechanism.h"

typedef struct Builder {
    const MechanismDefinition *definition;
    const MechanismSetting *setting;
    Arena *arena; // of the mechanism: parameters of elements, names
    NodeState *nodes;
    const char **node_names;
    int node_count, node_capacity;
    Element *elements;
    int element_count, element_capacity;
    bool failed; // memory ran out; builder_build returns the error
} Builder;

typedef struct PartType PartType;
MrcStatus builder_build(Builder *builder, MrcError *error); // all parts of the definition
MrcStatus builder_build_parts(Builder *builder, const PartType *type, MrcError *error); // of one type

int builder_add_node(Builder *builder, const char *name, const NodeState *start);     // returns its index
int builder_add_pose(Builder *builder, const char *name, const PoseDefinition *pose); // the same (node.c)
int builder_find_node(const Builder *builder, const char *name); // -1: ground (also for NULL), -2: unknown
const NodeState *builder_node(const Builder *builder, int node); // at the start, as given; ground for -1
// Copies `size` bytes of `data` to the arena. Nodes may be -1 (ground).
void builder_add_element(Builder *builder, const ElementKind *kind, const char *name, const void *data,
                         size_t size, int node_count, const int *nodes, int multiplier_count,
                         int state_count);

// The state of the ground: at rest, with the axes of the world.
extern const NodeState node_ground;

// Mass on a node: `inertia` in node axes, its centre from the node's origin (body.c).
void builder_add_mass(Builder *builder, const char *name, int node, Inertia inertia);

#endif
