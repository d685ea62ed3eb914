#include "mechanism/connect.h"

#include "base/error.h"
#include "base/nearest.h"

MrcStatus connect_node(const Builder *builder, Subject subject, const char *name, int *node,
                       MrcError *error) {
    *node = builder_find_node(builder, name);
    if (*node >= -1) return MRC_OK;
    const char *near = nearest_word(name, strlen(name), (const char *const *)builder->node_names,
                                    (size_t)builder->node_count);
    if (near)
        return error_set(error, MRC_MODEL, "%s '%s': there is no node or body '%s'; did you mean '%s'?",
                         subject.what, subject.name, name, near);
    if (builder->node_count == 0)
        return error_set(error, MRC_MODEL, "%s '%s': there is no node or body '%s'; the mechanism has none",
                         subject.what, subject.name, name);
    char list[256] = "ground"; // the first few
    size_t length = strlen(list);
    for (int i = 0; i < builder->node_count; i++) {
        const char *other = builder->node_names[i];
        if (length + strlen(other) + 8 > sizeof list) {
            memcpy(list + length, ", ...", 6);
            break;
        }
        memcpy(list + length, ", ", 2);
        memcpy(list + length + 2, other, strlen(other) + 1);
        length += 2 + strlen(other);
    }
    return error_set(error, MRC_MODEL, "%s '%s': there is no node or body '%s'; there are %s", subject.what,
                     subject.name, name, list);
}

MrcStatus connect_nodes(const Builder *builder, Subject subject, const char *const names[2], int nodes[2],
                        bool *single, MrcError *error) {
    bool lone = !names[1];
    if (single) *single = lone;
    nodes[0] = -1;
    MrcStatus status = MRC_OK;
    if (!lone) status = connect_node(builder, subject, names[0], &nodes[0], error);
    if (status == MRC_OK) status = connect_node(builder, subject, names[lone ? 0 : 1], &nodes[1], error);
    if (status != MRC_OK) return status;
    if (nodes[0] == nodes[1])
        return error_set(error, MRC_MODEL, "%s '%s': both ends are on '%s'", subject.what, subject.name,
                         nodes[0] < 0 ? "ground" : names[0]);
    return MRC_OK;
}

MrcStatus connect_axes(Subject subject, Vec3 axis, Vec3 second_axis, Mat3 *axes, MrcError *error) {
    Vec3 z = vec3_norm2(axis) > 0 ? vec3_normalize(axis) : vec3(0, 0, 1);
    bool given = vec3_norm2(second_axis) > 0;
    Vec3 rough = given ? vec3_normalize(second_axis) : fabs(z.x) < 0.8 ? vec3(1, 0, 0) : vec3(0, 1, 0);
    Vec3 x = vec3_madd(rough, -vec3_dot(rough, z), z);
    if (vec3_norm(x) < 1e-6)
        return error_set(error, MRC_MODEL,
                         "%s '%s': the second axis points along the first; give one that crosses it",
                         subject.what, subject.name);
    x = vec3_normalize(x);
    *axes = mat3_columns(x, vec3_cross(z, x), z);
    return MRC_OK;
}

Marker connect_marker(const Builder *builder, int node, Vec3 at, Mat3 axes) {
    const NodeState *start = builder_node(builder, node);
    return (Marker){.offset = mat3_apply_transpose(start->R, vec3_sub(at, start->x)),
                    .axes = mat3_mul(mat3_transpose(start->R), axes)};
}

Vec3 connect_place(const Builder *builder, int node, const Marker *marker) {
    const NodeState *start = builder_node(builder, node);
    return vec3_add(start->x, mat3_apply(start->R, marker->offset));
}
