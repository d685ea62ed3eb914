// Stiffness and mass of cross-sections, and their keys in the model file: one block and one row of
// section_types for each type.
//
// Shear: GAy = k G A, with k = 5/6 for the rectangle, and for circle and tube (m = inner/outer radius, n =
// Poisson's ratio) after Cowper, J. Appl. Mech. 33 (1966) 335, doi:10.1115/1.3625046:
//
//     k = 6 (1 + n) (1 + m^2)^2 / ((7 + 6 n) (1 + m^2)^2 + (20 + 12 n) m^2)
//
// Torsion of the rectangle with sides a >= b (Saint-Venant; Timoshenko and Goodier, Theory of Elasticity,
// art. 109):
//
//     J = a b^3/3 (1 - 192/pi^5 b/a sum_{i = 1, 3, 5, ...} tanh(i pi a / (2 b)) / i^5)
#include "mechanism/section.h"

#include "math/human.h"

typedef struct SectionShape { // areas of a homogeneous section
    double area;              // [m^2]
    double torsion;           // J [m^4]
    double y, z;              // second moments of area about y and z [m^4]
    double shear;             // factor k [1]
} SectionShape;

typedef struct SectionType {
    SchemaType schema; // key and sentence of the model file
    // Areas; NULL: stiffness and mass are given.
    SectionShape (*shape)(const SectionDefinition *definition, double poisson);
    bool (*fits)(const SectionDefinition *definition); // are its sizes possible?
    const char *needs;                                 // otherwise, of "beam 'NAME': "
    void (*check)(const SectionDefinition *definition, const char *beam, const Findings *findings); // or NULL
    void (*describe)(const SectionDefinition *definition, Text *text);
} SectionType;

// ---- rectangle ---------------------------------------------------------------------------------------
_Static_assert(offsetof(SectionDefinition, height) == offsetof(SectionDefinition, width) + sizeof(double),
               "rectangle fills both");
static const SchemaKey section_rectangle_keys[] = {
    {"size", .kind = SCHEMA_VECTOR, .length = 2, .offset = SCHEMA_AT(SectionDefinition, width, double),
     .dimension = DIM_LENGTH, .range = POSITIVE, .required = true,
     .doc = "Width (along the section's z) and height (along its y, which is `up`)."},
};
static const SchemaObject section_rectangle_schema = {
    .name = "rectangle",
    .doc = "A solid rectangle: width along z and height along y, which is the direction `up`.",
    .size = sizeof(SectionDefinition),
    .bare = true,
    SCHEMA_KEYS(section_rectangle_keys)};

static SectionShape section_rectangle_shape(const SectionDefinition *d, double poisson) {
    (void)poisson;
    double width = d->width, height = d->height; // along z, along y
    double a = fmax(width, height), b = fmin(width, height), sum = 0;
    for (int i = 399; i > 0; i -= 2) sum += tanh(i * M_PI * a / (2 * b)) / pow(i, 5);
    return (SectionShape){
        .area = width * height,
        .torsion = a * b * b * b / 3 * (1 - 192 / pow(M_PI, 5) * b / a * sum),
        .y = height * width * width * width / 12,
        .z = width * height * height * height / 12,
        .shear = 5.0 / 6,
    };
}

static bool section_rectangle_fits(const SectionDefinition *d) { return d->width > 0 && d->height > 0; }

static void section_rectangle_describe(const SectionDefinition *d, Text *text) {
    text_add_string(text, "a rectangle, ");
    human_add(text, d->width, DIM_LENGTH);
    text_add_string(text, " wide and ");
    human_add(text, d->height, DIM_LENGTH);
    text_add_string(text, " high");
}

static const SectionType section_rectangle = {
    .schema = {.alternative = {.key = "rectangle",
                               .object = &section_rectangle_schema,
                               .doc = "A solid rectangle."}},
    .shape = section_rectangle_shape,
    .fits = section_rectangle_fits,
    .needs = "width and height of its section must be above 0",
    .describe = section_rectangle_describe,
};

// ---- circle and tube ---------------------------------------------------------------------------------
static const SchemaKey section_circle_keys[] = {
    {"radius", QUANTITY(SectionDefinition, radius), .dimension = DIM_LENGTH, .range = POSITIVE,
     .required = true, .doc = "Its radius."},
};
static const SchemaObject section_circle_schema = {.name = "circle",
                                                   .doc = "A solid circle.",
                                                   .size = sizeof(SectionDefinition),
                                                   SCHEMA_KEYS(section_circle_keys)};

static const SchemaKey section_tube_keys[] = {
    {"radius", QUANTITY(SectionDefinition, radius), .dimension = DIM_LENGTH, .range = POSITIVE,
     .required = true, .doc = "Outer radius."},
    {"inner_radius", QUANTITY(SectionDefinition, inner_radius), .dimension = DIM_LENGTH,
     .range = NON_NEGATIVE, .required = true, .doc = "Inner radius."},
};
static const SchemaObject section_tube_schema = {.name = "tube",
                                                 .doc = "A round tube.",
                                                 .size = sizeof(SectionDefinition),
                                                 SCHEMA_KEYS(section_tube_keys)};

static SectionShape section_ring_shape(double outer, double inner, double poisson) {
    double m2 = inner * inner / (outer * outer), square = (1 + m2) * (1 + m2);
    double fourth = M_PI / 4 * outer * outer * outer * outer * (1 - m2 * m2);
    return (SectionShape){
        .area = M_PI * outer * outer * (1 - m2),
        .torsion = 2 * fourth,
        .y = fourth,
        .z = fourth,
        .shear = 6 * (1 + poisson) * square / ((7 + 6 * poisson) * square + (20 + 12 * poisson) * m2),
    };
}

static SectionShape section_circle_shape(const SectionDefinition *d, double poisson) {
    return section_ring_shape(d->radius, 0, poisson);
}
static SectionShape section_tube_shape(const SectionDefinition *d, double poisson) {
    return section_ring_shape(d->radius, d->inner_radius, poisson);
}

static bool section_circle_fits(const SectionDefinition *d) { return d->radius > 0; }
static bool section_tube_fits(const SectionDefinition *d) {
    return d->inner_radius >= 0 && d->radius > d->inner_radius;
}

static void section_tube_check(const SectionDefinition *d, const char *beam, const Findings *findings) {
    if (d->radius > 0 && d->inner_radius >= d->radius)
        findings_error(findings, &d->inner_radius, "beam '%s': 'inner_radius' is not smaller than 'radius'",
                       beam);
}

static void section_circle_describe(const SectionDefinition *d, Text *text) {
    text_add_string(text, "a circle of radius ");
    human_add(text, d->radius, DIM_LENGTH);
}
static void section_tube_describe(const SectionDefinition *d, Text *text) {
    text_add_string(text, "a tube of radius ");
    human_add(text, d->inner_radius, DIM_LENGTH);
    text_add_string(text, " to ");
    human_add(text, d->radius, DIM_LENGTH);
}

static const SectionType section_circle = {
    .schema = {.alternative = {.key = "circle", .object = &section_circle_schema, .doc = "A solid circle."}},
    .shape = section_circle_shape,
    .fits = section_circle_fits,
    .needs = "the radius of its section must be above 0",
    .describe = section_circle_describe,
};
static const SectionType section_tube = {
    .schema = {.alternative = {.key = "tube", .object = &section_tube_schema, .doc = "A round tube."}},
    .shape = section_tube_shape,
    .fits = section_tube_fits,
    .needs = "the radius of its section must be above the inner radius, and that must not be negative",
    .check = section_tube_check,
    .describe = section_tube_describe,
};

// ---- given stiffness and mass ------------------------------------------------------------------------
#define DIM_LINE_DENSITY DIMENSION(-1, 1, 0, 0)
#define DIM_LINE_INERTIA DIMENSION(1, 1, 0, 0)
#define DIM_BENDING DIMENSION(3, 1, -2, 0) // N m^2

static const SchemaKey section_given_keys[] = {
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
static const SchemaObject section_given_schema = {.name = "stiffnesses",
                                                  .doc = "A section given by its stiffnesses and masses.",
                                                  .size = sizeof(SectionDefinition),
                                                  SCHEMA_KEYS(section_given_keys)};

static bool section_given_fits(const SectionDefinition *d) {
    bool inertia = d->inertia[0] >= 0 && d->inertia[1] >= 0 && d->inertia[2] >= 0;
    return inertia && d->axial > 0 && d->shear_y > 0 && d->shear_z > 0 && d->torsion > 0 &&
           d->bending_y > 0 && d->bending_z > 0 && d->mass > 0;
}

static void section_given_describe(const SectionDefinition *d, Text *text) {
    (void)d;
    text_add_string(text, "a section of given stiffness");
}

static const SectionType section_given = {
    .schema = {.alternative = {.key = "given",
                               .object = &section_given_schema,
                               .doc = "Stiffnesses and masses as numbers; needs no material."}},
    .fits = section_given_fits,
    .needs =
        "all stiffnesses and the mass of its section must be above 0, and its inertia must not be negative",
    .describe = section_given_describe,
};

// ---- the table ---------------------------------------------------------------------------------------
static const SectionType *const section_types[] = {
    [SECTION_RECTANGLE] = &section_rectangle,
    [SECTION_CIRCLE] = &section_circle,
    [SECTION_TUBE] = &section_tube,
    [SECTION_GIVEN] = &section_given,
    NULL,
};

static const SchemaKey section_keys[] = {
    {"center", NUMBERS(SectionDefinition, center, 2), .dimension = DIM_LENGTH, .fallback = "0 0 m",
     .doc = "Where the middle of the section is, from the line of the nodes: along y and z of the section."},
};

const SchemaObject section_schema = {
    .name = "section",
    .doc = "The cross-section of a beam. Its axes: x along the beam, y towards `up`, z square to both.",
    .size = sizeof(SectionDefinition),
    SCHEMA_KEYS(section_keys),
    TYPES_OF_ROWS(section_types),
    .tag_offset = SCHEMA_ENUM_AT(SectionDefinition, kind),
    .example = "section: {rectangle: 30 2 mm}\n"
               "section: {tube: {radius: 20 mm, inner_radius: 18 mm}}\n",
};

bool section_needs_material(const SectionDefinition *definition) {
    return section_types[definition->kind]->shape != NULL;
}

void section_check(const SectionDefinition *definition, const char *beam, const Findings *findings) {
    const SectionType *type = section_types[definition->kind];
    if (type->check) type->check(definition, beam, findings);
}

void section_describe(const SectionDefinition *definition, Text *text) {
    section_types[definition->kind]->describe(definition, text);
}

// ---- stiffness and mass ------------------------------------------------------------------------------
static Section section_homogeneous(SectionShape shape, const Material *material) {
    double E = material->young, G = E / (2 * (1 + material->poisson)), density = material->density;
    double shear = shape.shear * G * shape.area;
    return (Section){
        .stiffness.force = mat3_diagonal(E * shape.area, shear, shear),
        .stiffness.moment = mat3_diagonal(G * shape.torsion, E * shape.y, E * shape.z),
        .mass = density * shape.area,
        .inertia = vec3(density * (shape.y + shape.z), density * shape.y, density * shape.z),
    };
}

// Inertia that was not given is that of a homogeneous section with this stiffness. Without any, rotation
// about the beam's axis would have no inertia.
static Section section_from_given(const SectionDefinition *d) {
    Vec3 inertia = vec3(d->inertia[0], d->inertia[1], d->inertia[2]);
    if (vec3_norm2(inertia) == 0) {
        double y = d->mass * d->bending_y / d->axial, z = d->mass * d->bending_z / d->axial;
        inertia = vec3(y + z, y, z);
    }
    return (Section){
        .stiffness.force = mat3_diagonal(d->axial, d->shear_y, d->shear_z),
        .stiffness.moment = mat3_diagonal(d->torsion, d->bending_y, d->bending_z),
        .mass = d->mass,
        .inertia = inertia,
    };
}

static MrcStatus section_check_material(const Material *material, const char *beam, MrcError *error) {
    if (!material) return error_set(error, MRC_MODEL, "beam '%s': the material is missing", beam);
    if (!(material->young > 0))
        return error_set(error, MRC_MODEL, "beam '%s': material '%s' needs Young's modulus (young)", beam,
                         material->name);
    if (!(material->density > 0))
        return error_set(error, MRC_MODEL, "beam '%s': material '%s' needs a density above 0", beam,
                         material->name);
    if (!(material->poisson > -1 && material->poisson <= 0.5))
        return error_set(error, MRC_MODEL, "beam '%s': Poisson's ratio of material '%s' is not in (-1, 0.5]",
                         beam, material->name);
    return MRC_OK;
}

MrcStatus section_create(const SectionDefinition *definition, const Material *material, const char *beam,
                         Section *section, MrcError *error) {
    const SectionType *type = section_types[definition->kind];
    if (!type->fits(definition)) return error_set(error, MRC_MODEL, "beam '%s': %s", beam, type->needs);
    MrcStatus status = type->shape ? section_check_material(material, beam, error) : MRC_OK;
    if (status != MRC_OK) return status;
    *section = type->shape ? section_homogeneous(type->shape(definition, material->poisson), material)
                           : section_from_given(definition);
    section->offset = vec3(0, definition->center[0], definition->center[1]);
    return MRC_OK;
}
