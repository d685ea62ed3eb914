#include "mechanism/builder.h"

#include <stdlib.h>

#include "base/error.h"
#include "mechanism/internal.h"
#include "mechanism/names.h"
#include "mechanism/part_type.h"

const NodeState node_ground = {.R = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

MrcStatus builder_build_parts(Builder *builder, const PartType *type, MrcError *error) {
    const PartRow *row = part_rows;
    while (row->type != type) row++;
    for (int i = 0; i < part_count(builder->definition, row); i++) {
        MrcStatus status = type->build(builder, part_at(builder->definition, row, i), error);
        if (status != MRC_OK) return status;
        if (builder->failed) return error_memory(error, "the mechanism");
    }
    return MRC_OK;
}

MrcStatus builder_build(Builder *builder, MrcError *error) {
    for (int order = 0; order < PART_ORDERS; order++)
        for (const PartRow *row = part_rows; row->type; row++) {
            if ((int)row->type->order != order) continue;
            MrcStatus status = builder_build_parts(builder, row->type, error);
            if (status != MRC_OK) return status;
        }
    return MRC_OK;
}

// Makes room for one more item. The arena keeps the old block until the mechanism is destroyed.
static bool builder_grow(Builder *builder, void **items, int count, int *capacity, size_t size) {
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
    if (!builder_grow(builder, (void **)&builder->node_names, builder->node_count, &names_capacity,
                      sizeof(char *)) ||
        !builder_grow(builder, (void **)&builder->nodes, builder->node_count, &builder->node_capacity,
                      sizeof(NodeState))) {
        builder->failed = true;
        return 0;
    }
    builder->node_names[builder->node_count] = arena_strdup(builder->arena, name);
    builder->nodes[builder->node_count] = *start;
    return builder->node_count++;
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
    if (!copy || !builder_grow(builder, (void **)&builder->elements, builder->element_count,
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
