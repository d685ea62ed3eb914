// Beams of the definition as nodes, elements and masses of the mechanism.
#include <string.h>

#include "mechanism/beam_mesh.h"
#include "mechanism/builder.h"

// Nodes are BEAM.0, BEAM.1, ...; the builder knows BEAM.start and BEAM.end.
static MrcStatus add_mesh(Builder *builder, const char *beam, const BeamMesh *mesh, MrcError *error) {
    int first = builder->node_count;
    for (int n = 0; n < mesh->node_count; n++) {
        const char *name = arena_printf(builder->arena, "%s.%d", beam, n);
        if (!name) return error_memory(error, "the name of a node");
        int node = builder_add_node(builder, name, &mesh->nodes[n]);
        builder_add_mass(builder, name, node, mesh->masses[n]);
    }
    for (int e = 0; e < mesh->element_count; e++) {
        int nodes[3] = {first + 2 * e, first + 2 * e + 1, first + 2 * e + 2};
        builder_add_element(builder, &beam_kind, beam, &mesh->elements[e], sizeof mesh->elements[e], 3, nodes,
                            0, 0);
    }
    return MRC_OK;
}

static MrcStatus build_beam(Builder *builder, const BeamDefinition *definition, MrcError *error) {
    const MechanismSetting *setting = builder->setting;
    const Material *material =
        material_by_name(setting->materials, setting->material_count, definition->material);
    if (definition->material && !material)
        return error_set(error, MRC_MODEL, "beam '%s': there is no material '%s'", definition->name,
                         definition->material);
    Arena *arena = arena_create(); // of the mesh, which the builder copies
    if (!arena) return error_memory(error, "a beam");
    BeamMesh mesh;
    MrcStatus status = beam_mesh_create(definition, material, arena, &mesh, error);
    if (status == MRC_OK) status = add_mesh(builder, definition->name, &mesh, error);
    arena_destroy(arena);
    return status;
}

MrcStatus build_beams(Builder *builder, MrcError *error) {
    for (int b = 0; b < builder->definition->beam_count; b++) {
        MrcStatus status = build_beam(builder, &builder->definition->beams[b], error);
        if (status) return status;
    }
    return MRC_OK;
}
