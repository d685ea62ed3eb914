// Beams of the definition as nodes, elements and masses of the mechanism.
#include <string.h>

#include "mechanism/beam_mesh.h"
#include "mechanism/builder.h"

static const Material *find_material(const MechanismSetting *setting, const char *name) {
    for (int i = 0; name && i < setting->material_count; i++)
        if (strcmp(setting->materials[i].name, name) == 0) return &setting->materials[i];
    return NULL;
}

// The first node is BEAM.start, the last one BEAM.end, those between BEAM.1, BEAM.2, ...
static const char *node_name(Arena *arena, const char *beam, int n, int count) {
    if (n == 0) return arena_printf(arena, "%s.start", beam);
    if (n == count - 1) return arena_printf(arena, "%s.end", beam);
    return arena_printf(arena, "%s.%d", beam, n);
}

static MrcStatus build_beam(Builder *builder, const BeamDefinition *definition, MrcError *error) {
    const Material *material = find_material(builder->setting, definition->material);
    if (definition->material && !material)
        return error_set(error, MRC_MODEL, "beam '%s': there is no material '%s'", definition->name,
                         definition->material);
    BeamMesh mesh;
    MrcStatus status = beam_mesh_create(definition, material, builder->arena, &mesh, error);
    if (status) return status;
    int first = builder->node_count;
    for (int n = 0; n < mesh.node_count; n++) {
        const char *name = node_name(builder->arena, definition->name, n, mesh.node_count);
        if (!name) return error_memory(error, "the name of a node");
        int node = builder_add_node(builder, name, &mesh.nodes[n]);
        builder_add_mass(builder, name, node, mesh.masses[n]);
    }
    for (int e = 0; e < mesh.element_count; e++) {
        int nodes[3] = {first + 2 * e, first + 2 * e + 1, first + 2 * e + 2};
        builder_add_element(builder, &beam_kind, definition->name, &mesh.elements[e], sizeof mesh.elements[e],
                            3, nodes, 0, 0);
    }
    return MRC_OK;
}

MrcStatus build_beams(Builder *builder, MrcError *error) {
    for (int b = 0; b < builder->definition->beam_count; b++) {
        MrcStatus status = build_beam(builder, &builder->definition->beams[b], error);
        if (status) return status;
    }
    return MRC_OK;
}
