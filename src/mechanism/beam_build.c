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

static void beam_check_shape(const BeamDefinition *beam, const Findings *findings) {
    Vec3 along = vec3_sub(beam->to, beam->from), half = vec3_sub(beam->middle, beam->from);
    double length = vec3_norm(along), scale = fmax(vec3_norm(beam->from), vec3_norm(beam->to));
    if (!(length > 1e-12 * scale)) {
        findings_error(findings, &beam->to, "beam '%s' has no length: 'from' and 'to' are the same point",
                       beam->name);
        return;
    }
    double bow = vec3_norm(vec3_cross(along, half));
    if (beam->curved && !(bow > 1e-9 * length * fmax(length, vec3_norm(half))))
        findings_error(
            findings, &beam->middle,
            "beam '%s': 'through' is on the line from 'from' to 'to', so there is no arc; leave it "
            "out for a straight beam",
            beam->name);
    if (!beam->curved && vec3_norm(beam->up) > 0 && vec3_norm(vec3_cross(beam->up, along)) < 1e-6 * length)
        findings_error(findings, &beam->up, "beam '%s': 'up' points along the beam; it must point across it",
                       beam->name);
}

static void beam_check(const void *part, const PartCheck *check) {
    const BeamDefinition *beam = part;
    const Findings *findings = check->findings;
    const Material *material = material_by_name(check->materials, check->material_count, beam->material);
    if (check->complete) beam_check_shape(beam, findings);
    if (section_needs_material(&beam->section) && !beam->material)
        findings_object_error(findings, beam, "beam '%s' lacks 'material': only a 'given' section needs none",
                              beam->name);
    else if (section_needs_material(&beam->section) && material && !(material->young > 0))
        findings_error(findings, &material->young, "material '%s' lacks 'young', which beam '%s' needs",
                       material->name, beam->name);
    section_check(&beam->section, beam->name, findings);
    for (int end = 0; end < 2 && beam->damping; end++) {
        double t = end ? check->duration : 0;
        double damping = expression_value(beam->damping, (TimePoint){t, NULL}, NULL);
        if (damping >= 0 && isfinite(damping)) continue;
        findings_error(findings, &beam->damping,
                       "'damping' of beam '%s' is %g s at t = %g s; it cannot be negative", beam->name,
                       damping, t);
        break;
    }
}

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
               .doc = "A flexible beam with shear and torsion, for bending of any size.",
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
    .check = beam_check,
    .describe = beam_describe,
};
