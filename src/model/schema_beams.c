// mechanism.beams
#include "mechanism/definition.h"
#include "model/schema_sections.h"

#define DIM_LINE_DENSITY DIMENSION(-1, 1, 0, 0)
#define DIM_LINE_INERTIA DIMENSION(1, 1, 0, 0)
#define DIM_BENDING DIMENSION(3, 1, -2, 0) // N m^2

// ---- sections ------------------------------------------------------------------------------------
_Static_assert(offsetof(SectionDefinition, height) == offsetof(SectionDefinition, width) + sizeof(double),
               "rectangle fills both");
static const SchemaKey rectangle_keys[] = {
    {"size", .kind = SCHEMA_VECTOR, .length = 2, .offset = SCHEMA_AT(SectionDefinition, width, double),
     .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Width (along the section's z) and height (along its y, which is `up`)."},
};
static const SchemaObject rectangle = {.name = "rectangle",
                                       .doc = "A solid rectangle: width along z and height along y, which is "
                                              "the direction `up`.",
                                       .size = sizeof(SectionDefinition),
                                       .bare = true,
                                       SCHEMA_KEYS(rectangle_keys)};

static const SchemaKey circle_keys[] = {
    {"radius", QUANTITY(SectionDefinition, radius), .dimension = DIM_LENGTH, .range = POSITIVE,
     .required = true, .doc = "Its radius."},
};
static const SchemaObject circle = {
    .name = "circle", .doc = "A solid circle.", .size = sizeof(SectionDefinition), SCHEMA_KEYS(circle_keys)};

static const SchemaKey tube_keys[] = {
    {"radius", QUANTITY(SectionDefinition, radius), .dimension = DIM_LENGTH, .range = POSITIVE,
     .required = true, .doc = "Outer radius."},
    {"inner_radius", QUANTITY(SectionDefinition, inner_radius), .dimension = DIM_LENGTH,
     .range = NON_NEGATIVE, .required = true, .doc = "Inner radius."},
};
static const SchemaObject tube = {
    .name = "tube", .doc = "A round tube.", .size = sizeof(SectionDefinition), SCHEMA_KEYS(tube_keys)};

static const SchemaKey given_keys[] = {
    {"axial", QUANTITY(SectionDefinition, axial), .dimension = DIM_FORCE, .range = POSITIVE, .required = true,
     .doc = "Force per stretch, EA."},
    {"shear_y", QUANTITY(SectionDefinition, shear_y), .dimension = DIM_FORCE, .range = POSITIVE,
     .required = true, .doc = "Shear stiffness along y, shear correction included, GA k."},
    {"shear_z", QUANTITY(SectionDefinition, shear_z), .dimension = DIM_FORCE, .range = POSITIVE,
     .required = true, .doc = "Shear stiffness along z, shear correction included, GA k."},
    {"torsion", QUANTITY(SectionDefinition, torsion), .dimension = DIM_BENDING, .range = POSITIVE,
     .required = true, .doc = "Torsional stiffness, GJ."},
    {"bending_y", QUANTITY(SectionDefinition, bending_y), .dimension = DIM_BENDING, .range = POSITIVE,
     .required = true, .doc = "Bending stiffness about y, EI."},
    {"bending_z", QUANTITY(SectionDefinition, bending_z), .dimension = DIM_BENDING, .range = POSITIVE,
     .required = true, .doc = "Bending stiffness about z, EI."},
    {"mass", QUANTITY(SectionDefinition, mass), .dimension = DIM_LINE_DENSITY, .range = POSITIVE,
     .required = true, .doc = "Mass per length."},
    {"inertia", NUMBERS(SectionDefinition, inertia, 3), .dimension = DIM_LINE_INERTIA, .range = NON_NEGATIVE,
     .required = true, .doc = "Moments of inertia per length about x, y and z."},
};
static const SchemaObject given = {.name = "stiffnesses",
                                   .doc = "A section given by its stiffnesses and masses.",
                                   .size = sizeof(SectionDefinition),
                                   SCHEMA_KEYS(given_keys)};

static const SchemaAlternative sections[] = {
    {"rectangle", SECTION_RECTANGLE, 0, &rectangle, "A solid rectangle."},
    {"circle", SECTION_CIRCLE, 0, &circle, "A solid circle."},
    {"tube", SECTION_TUBE, 0, &tube, "A round tube."},
    {"given", SECTION_GIVEN, 0, &given, "Stiffnesses and masses as numbers; needs no material."},
    {NULL, 0, 0, NULL, NULL},
};

static const SchemaKey section_keys[] = {
    {"center", NUMBERS(SectionDefinition, center, 2), .dimension = DIM_LENGTH, .fallback = "0 0 m",
     .doc = "Where the middle of the section is, from the line of the nodes: along y and z of the section."},
};

static const SchemaObject section = {
    .name = "section",
    .doc = "The cross-section of a beam. Its axes: x along the beam, y towards `up`, z square to both.",
    .size = sizeof(SectionDefinition),
    SCHEMA_KEYS(section_keys),
    .alternatives = sections,
    .tag_offset = SCHEMA_ENUM_AT(SectionDefinition, kind),
    .example = "section: {rectangle: 30 2 mm}\n"
               "section: {tube: {radius: 20 mm, inner_radius: 18 mm}}\n",
};

// ---- beams ---------------------------------------------------------------------------------------
static const SchemaKey keys[] = {
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
    {"section", OBJECT(BeamDefinition, section, section), .required = true, .doc = "Its cross-section."},
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

const SchemaObject schema_beam = {
    .name = "beam",
    .doc = "A flexible beam with shear and torsion that may bend as far as it likes.",
    .size = sizeof(BeamDefinition),
    .name_offset = offsetof(BeamDefinition, name),
    SCHEMA_KEYS(keys),
    .example = "beams:\n"
               "  arm: {from: 0 0 0 mm, to: 250 0 0 mm, elements: 10, section: {rectangle: 30 2 mm}, "
               "material: steel}\n",
};
