// Beams of the definition as nodes, elements and masses of the mechanism.
#include "math/human.h"
#include "mechanism/beam_mesh.h"
#include "mechanism/part_type.h"

// The nodes are named BEAM.0, BEAM.1, ...; for BEAM.start and BEAM.end see names.c.
static MrcStatus beam_build_mesh(Builder *builder, const char *beam, const BeamMesh *mesh, MrcError *error) {
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

static MrcStatus beam_build(Builder *builder, const void *part, MrcError *error) {
    const BeamDefinition *definition = part;
    const MechanismSetting *setting = builder->setting;
    const Material *material =
        material_by_name(setting->materials, setting->material_count, definition->material);
    if (definition->material && !material)
        return error_set(error, MRC_MODEL, "beam '%s': there is no material '%s'", definition->name,
                         definition->material);
    Arena *arena = arena_create(); // of the mesh; the builder copies it
    if (!arena) return error_memory(error, "a beam");
    BeamMesh mesh;
    MrcStatus status = beam_mesh_create(definition, material, arena, &mesh, error);
    if (status == MRC_OK) status = beam_build_mesh(builder, definition->name, &mesh, error);
    arena_destroy(arena);
    return status;
}

// ---- in the model file -------------------------------------------------------------------------------
static const SchemaKey beam_keys[] = {
    {"from", VECTOR(BeamDefinition, from), .dimension = DIM_LENGTH, .required = true,
     .doc = "Where the beam starts; the node there is `NAME.start`."},
    {"to", VECTOR(BeamDefinition, to), .dimension = DIM_LENGTH, .required = true,
     .doc = "Where the beam ends; the node there is `NAME.end`."},
    {"through", VECTOR(BeamDefinition, middle), .dimension = DIM_LENGTH, GIVEN(BeamDefinition, curved),
     .fallback_words = "a straight beam", .doc = "A third point: the beam is the arc through the three."},
    {"up", AXIS(BeamDefinition, up), .fallback_words = "the world's y, or x for a beam along y",
     .doc = "Direction of the section's y axis, made square to the beam."},
    {"elements", INTEGER(BeamDefinition, elements), .range = FROM_TO(1, 10000), .fallback = "10",
     .doc = "Elements of three nodes each: a beam of 10 has the nodes 0 to 20."},
    {"section", OBJECT(BeamDefinition, section, section_schema), .required = true,
     .doc = "Its cross-section."},
    {"material", NAME(BeamDefinition, material), .refers = "materials",
     .fallback_words = "needed unless the section is `given`",
     .doc = "What it is made of: density, Young's modulus and Poisson's ratio count."},
    {"damping", EXPRESSION(BeamDefinition, damping), .dimension = DIM_TIME, .fallback_words = "none",
     .doc = "Material damping proportional to stiffness: stress is stiffness times (strain + damping times "
            "strain rate). A function of the time t, so that it can fade."},
    {"velocity", VECTOR(BeamDefinition, velocity), .dimension = DIM_VELOCITY, .fallback = "0 0 0 m/s",
     .doc = "Velocity of its first node at the start."},
    {"angular_velocity", VECTOR(BeamDefinition, angular_velocity), .dimension = DIM_ANGULAR_VELOCITY,
     .fallback = "0 0 0 rad/s",
     .doc = "Angular velocity at the start, of the whole beam about its first node."},
};

static void beam_describe(const void *part, const PartContext *context, Text *text) {
    const BeamDefinition *beam = part;
    const Material *material = material_by_name(context->materials, context->material_count, beam->material);
    Section section = {.mass = 0};
    double length = beam_mesh_length(beam);
    section_create(&beam->section, material, beam->name, &section, NULL);
    text_add(text, "Beam %s: %s, ", beam->name, beam->curved ? "an arc" : "straight");
    human_add(text, length, DIM_LENGTH);
    text_add_string(text, " long, ");
    section_describe(&beam->section, text);
    if (beam->material) text_add(text, " of %s", beam->material);
    text_add_string(text, " (");
    human_add(text, section.mass * length, DIM_MASS);
    text_add(text, "); %lld element%s, nodes %s.0 to %s.%lld", (long long)beam->elements,
             beam->elements == 1 ? "" : "s", beam->name, beam->name, (long long)(2 * beam->elements));
    text_add(text, "%s.\n", beam->damping ? "; with material damping" : "");
}

const PartType beam_part = {
    .schema = {.name = "beam",
               .doc = "A flexible beam with shear and torsion that may bend as far as it likes.",
               .size = sizeof(BeamDefinition),
               .name_offset = offsetof(BeamDefinition, name),
               SCHEMA_KEYS(beam_keys),
               .example =
                   "beams:\n"
                   "  arm: {from: 0 0 0 mm, to: 250 0 0 mm, elements: 10, section: {rectangle: 30 2 mm}, "
                   "material: steel}\n"},
    .noun = "beam",
    .plural = "beams",
    .order = PART_ORDER_BEAMS,
    .build = beam_build,
    .describe = beam_describe,
};
