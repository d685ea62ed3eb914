// Point-to-point springs and dampers.
//
// The line between two points has no direction where they meet, so the length is sqrt(gap^2 + s^2) with s a
// millionth of the spring's own size: exact to 5e-13 anywhere else, and a spring of zero rest length, whose
// force is k gap, stays exactly that through zero.
#include "base/error.h"
#include "mechanism/compliance.h"
#include "mechanism/connect.h"

static const ElementKind spring_kind = COMPLIANCE_KIND("spring");

static MrcStatus build_spring(Builder *builder, const SpringDefinition *definition, MrcError *error) {
    Subject subject = {"spring", definition->name};
    int nodes[2] = {-1, -1};
    MrcStatus status = connect_node(builder, subject, definition->nodes[0], &nodes[0], error);
    if (status == MRC_OK && definition->nodes[1])
        status = connect_node(builder, subject, definition->nodes[1], &nodes[1], error);
    if (status != MRC_OK) return status;
    if (nodes[0] == nodes[1])
        return error_set(error, MRC_MODEL, "spring '%s': both ends are on '%s'", definition->name,
                         nodes[0] < 0 ? "ground" : definition->nodes[0]);
    Compliance spring = {.count = 1};
    for (int i = 0; i < 2; i++)
        spring.markers[i] = (Marker){.offset = definition->offsets[i], .axes = mat3_identity()};
    double start = vec3_norm(vec3_sub(connect_place(builder, nodes[1], &spring.markers[1]),
                                      connect_place(builder, nodes[0], &spring.markers[0])));
    double rest = definition->length < 0 ? start : definition->length;
    double size = fmax(rest, start);
    if (start <= 1e-9 * size || size == 0) {
        if (definition->preload != 0 || (definition->stiffness != 0 && rest > 0))
            return error_set(error, MRC_MODEL,
                             "spring '%s': its two points coincide at the start, so its force has no "
                             "direction; give offsets that differ, or a length and a preload of 0",
                             definition->name);
    }
    const double smallest = 1e-3; // [m] size of a spring that has none of its own
    spring.parts[0] = (CompliancePart){
        .coordinate = {.kind = &relative_distance, .smoothing = 1e-6 * (size > 0 ? size : smallest)},
        .stiffness = definition->stiffness,
        .damping = definition->damping,
        .rest = rest,
        .preload = definition->preload};
    builder_add_element(builder, &spring_kind, definition->name, &spring, sizeof spring, 2, nodes, 0, 0);
    return MRC_OK;
}

MrcStatus build_springs(Builder *builder, MrcError *error) {
    for (int i = 0; i < builder->definition->spring_count; i++) {
        MrcStatus status = build_spring(builder, &builder->definition->springs[i], error);
        if (status != MRC_OK) return status;
    }
    return MRC_OK;
}
