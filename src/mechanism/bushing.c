// Bushings: six springs and dampers, along and about axes that ride on the first node, between two markers
// that coincide at the start. Translations are components of the gap, rotations those of the rotation vector,
// so that turns of less than half a turn are followed without preferring an axis.
#include "mechanism/compliance.h"
#include "mechanism/connect.h"

static const ElementKind bushing_kind = COMPLIANCE_KIND("bushing");

static MrcStatus build_bushing(Builder *builder, const BushingDefinition *definition, MrcError *error) {
    Subject subject = {"bushing", definition->name};
    int nodes[2];
    MrcStatus status = connect_nodes(builder, subject, definition->nodes, nodes, NULL, error);
    Mat3 axes;
    if (status == MRC_OK)
        status = connect_axes(subject, definition->axis, definition->second_axis, &axes, error);
    if (status != MRC_OK) return status;
    Vec3 at = definition->has_at ? definition->at : builder_node(builder, nodes[1])->x;
    Compliance bushing = {.rotates = true};
    for (int i = 0; i < 2; i++) bushing.markers[i] = connect_marker(builder, nodes[i], at, axes);
    for (int i = 0; i < 3; i++) {
        const CompliancePart parts[2] = {{.coordinate = {&relative_translation, .axis = i},
                                          .stiffness = definition->stiffness[i],
                                          .damping = definition->damping[i],
                                          .preload = definition->preload[i]},
                                         {.coordinate = {&relative_rotation, .axis = i},
                                          .stiffness = definition->rotational_stiffness[i],
                                          .damping = definition->rotational_damping[i],
                                          .preload = definition->moment_preload[i]}};
        for (int k = 0; k < 2; k++)
            if (parts[k].stiffness != 0 || parts[k].damping != 0 || parts[k].preload != 0)
                bushing.parts[bushing.count++] = parts[k];
    }
    builder_add_element(builder, &bushing_kind, definition->name, &bushing, sizeof bushing, 2, nodes, 0, 0);
    return MRC_OK;
}

MrcStatus build_bushings(Builder *builder, MrcError *error) {
    for (int i = 0; i < builder->definition->bushing_count; i++) {
        MrcStatus status = build_bushing(builder, &builder->definition->bushings[i], error);
        if (status != MRC_OK) return status;
    }
    return MRC_OK;
}
