#include "mechanism/builder.h"

#include <stdlib.h>

#include "base/error.h"
#include "mechanism/internal.h"
#include "mechanism/names.h"

const NodeState node_ground = {.R = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

// In this order: what comes first can be named by what comes later.
static MrcStatus (*const builders[])(Builder *, MrcError *) = {
    build_nodes,  build_beams,   build_bodies,          build_joints,
    build_forces, build_springs, build_torsion_springs, build_bushings,
};

MrcStatus builder_build(Builder *builder, MrcError *error) {
    for (size_t i = 0; i < sizeof builders / sizeof builders[0]; i++) {
        MrcStatus status = builders[i](builder, error);
        if (status != MRC_OK) return status;
        if (builder->failed) return error_memory(error, "the mechanism");
    }
    return MRC_OK;
}

// Room for one more item; what is given up stays in the arena until the mechanism goes.
static bool grow(Builder *builder, void **items, int count, int *capacity, size_t size) {
    if (count < *capacity) return true;
    int wanted = *capacity ? 2 * *capacity : 32;
    void *block = arena_alloc(builder->arena, size * (size_t)wanted);
    if (!block) return false;
    if (count) memcpy(block, *items, size * (size_t)count);
    *items = block;
    *capacity = wanted;
    return true;
}

int builder_add_node(Builder *builder, const char *name, const NodeState *start) {
    int names_capacity = builder->node_capacity;
    if (!grow(builder, (void **)&builder->node_names, builder->node_count, &names_capacity, sizeof(char *)) ||
        !grow(builder, (void **)&builder->nodes, builder->node_count, &builder->node_capacity,
              sizeof(NodeState))) {
        builder->failed = true;
        return 0;
    }
    builder->node_names[builder->node_count] = arena_strdup(builder->arena, name);
    builder->nodes[builder->node_count] = *start;
    return builder->node_count++;
}

int builder_add_pose(Builder *builder, const char *name, const PoseDefinition *pose) {
    NodeState node = {.x = pose->position, .v = pose->velocity, .w = pose->angular_velocity};
    node.R = so3_exp(vec3_scale(pose->angle, vec3_normalize(pose->axis)));
    return builder_add_node(builder, name, &node);
}

int builder_find_node(const Builder *builder, const char *name) {
    if (!name || strcmp(name, "ground") == 0) return -1;
    char buffer[512];
    const char *wanted = names_canonical(builder->definition, name, buffer, sizeof buffer);
    for (int n = 0; n < builder->node_count; n++)
        if (strcmp(builder->node_names[n], wanted) == 0) return n;
    return -2;
}

const NodeState *builder_node(const Builder *builder, int node) {
    return node < 0 ? &node_ground : &builder->nodes[node];
}

void builder_add_element(Builder *builder, const ElementKind *kind, const char *name, const void *data,
                         size_t size, int node_count, const int *nodes, int multiplier_count,
                         int state_count) {
    void *copy = arena_alloc(builder->arena, size);
    if (!copy || !grow(builder, (void **)&builder->elements, builder->element_count,
                       &builder->element_capacity, sizeof(Element))) {
        builder->failed = true;
        return;
    }
    memcpy(copy, data, size);
    Element *element = &builder->elements[builder->element_count++];
    *element = (Element){.kind = kind,
                         .name = arena_strdup(builder->arena, name),
                         .data = copy,
                         .node_count = node_count,
                         .multiplier_count = multiplier_count,
                         .state_count = state_count};
    for (int i = 0; i < node_count; i++) element->node[i] = nodes[i];
}

MrcStatus build_nodes(Builder *builder, MrcError *error) {
    for (int n = 0; n < builder->definition->node_count; n++) {
        const NodeDefinition *node = &builder->definition->nodes[n];
        if (builder_find_node(builder, node->name) != -2)
            return error_set(error, MRC_MODEL, "there are two nodes named '%s'", node->name);
        builder_add_pose(builder, node->name, &node->pose);
    }
    return MRC_OK;
}
