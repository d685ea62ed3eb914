#include "mechanism/builder.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "mechanism/internal.h"

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

// `arm.start` and `arm.end` are the first and the last of the nodes `arm.0`, `arm.1`, ... of the beam `arm`.
static const char *beam_alias(const Builder *builder, const char *name, char *buffer, size_t size) {
    const char *dot = strrchr(name, '.');
    if (!dot || (strcmp(dot, ".start") && strcmp(dot, ".end"))) return name;
    for (int b = 0; b < builder->definition->beam_count; b++) {
        const BeamDefinition *beam = &builder->definition->beams[b];
        if (strlen(beam->name) != (size_t)(dot - name) || strncmp(beam->name, name, (size_t)(dot - name)))
            continue;
        long long last = strcmp(dot, ".start") == 0 ? 0 : 2 * (long long)beam->elements;
        snprintf(buffer, size, "%s.%lld", beam->name, last);
        return buffer;
    }
    return name;
}

int builder_find_node(const Builder *builder, const char *name) {
    if (!name || strcmp(name, "ground") == 0) return -1;
    char buffer[512];
    const char *wanted = beam_alias(builder, name, buffer, sizeof buffer);
    for (int n = 0; n < builder->node_count; n++)
        if (strcmp(builder->node_names[n], wanted) == 0) return n;
    for (int b = 0; b < builder->definition->body_count; b++) { // a body that rides on a node names it, too
        const BodyDefinition *body = &builder->definition->bodies[b];
        if (body->node && strcmp(body->name, name) == 0 && strcmp(body->node, name) != 0)
            return builder_find_node(builder, body->node);
    }
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
