// Torsion springs and dampers: the moment is about the axis that rides on the first node as long as the
// second turns about it; what else the two nodes do is other elements' business. The turn is the one of
// relative.h, zero at the start and counted over full turns.
#include "mechanism/compliance.h"
#include "mechanism/connect.h"

static const ElementKind torsion_spring_kind = COMPLIANCE_KIND("torsion spring");

static MrcStatus build_torsion_spring(Builder *builder, const TorsionSpringDefinition *definition,
                                      MrcError *error) {
    Subject subject = {"torsion spring", definition->name};
    int nodes[2];
    MrcStatus status = connect_nodes(builder, subject, definition->nodes, nodes, NULL, error);
    Mat3 axes;
    if (status == MRC_OK) status = connect_axes(subject, definition->axis, vec3_zero(), &axes, error);
    if (status != MRC_OK) return status;
    Compliance spring = {.count = 1, .counts_turns = true};
    for (int i = 0; i < 2; i++)
        spring.markers[i] = connect_marker(builder, nodes[i], builder_node(builder, nodes[i])->x, axes);
    spring.parts[0] = (CompliancePart){.coordinate = {.kind = &relative_turn},
                                       .stiffness = definition->stiffness,
                                       .damping = definition->damping,
                                       .rest = definition->angle,
                                       .preload = definition->preload};
    builder_add_element(builder, &torsion_spring_kind, definition->name, &spring, sizeof spring, 2, nodes, 0,
                        1);
    return MRC_OK;
}

MrcStatus build_torsion_springs(Builder *builder, MrcError *error) {
    for (int i = 0; i < builder->definition->torsion_spring_count; i++) {
        MrcStatus status = build_torsion_spring(builder, &builder->definition->torsion_springs[i], error);
        if (status != MRC_OK) return status;
    }
    return MRC_OK;
}
