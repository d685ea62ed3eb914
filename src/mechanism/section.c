// Stiffness and mass of cross-sections.
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

typedef struct Shape { // areas of a homogeneous section
    double area;       // [m^2]
    double torsion;    // J [m^4]
    double y, z;       // second moments of area about y and z [m^4]
    double shear;      // factor k [1]
} Shape;

static Shape rectangle(double width, double height) { // along z, along y
    double a = fmax(width, height), b = fmin(width, height), sum = 0;
    for (int i = 399; i > 0; i -= 2) sum += tanh(i * M_PI * a / (2 * b)) / pow(i, 5);
    return (Shape){
        .area = width * height,
        .torsion = a * b * b * b / 3 * (1 - 192 / pow(M_PI, 5) * b / a * sum),
        .y = height * width * width * width / 12,
        .z = width * height * height * height / 12,
        .shear = 5.0 / 6,
    };
}

static Shape tube(double outer, double inner, double poisson) {
    double m2 = inner * inner / (outer * outer), square = (1 + m2) * (1 + m2);
    double fourth = M_PI / 4 * outer * outer * outer * outer * (1 - m2 * m2);
    return (Shape){
        .area = M_PI * outer * outer * (1 - m2),
        .torsion = 2 * fourth,
        .y = fourth,
        .z = fourth,
        .shear = 6 * (1 + poisson) * square / ((7 + 6 * poisson) * square + (20 + 12 * poisson) * m2),
    };
}

static Section homogeneous(Shape shape, const Material *material) {
    double E = material->young, G = E / (2 * (1 + material->poisson)), density = material->density;
    double shear = shape.shear * G * shape.area;
    return (Section){
        .stiffness.force = mat3_diagonal(E * shape.area, shear, shear),
        .stiffness.moment = mat3_diagonal(G * shape.torsion, E * shape.y, E * shape.z),
        .mass = density * shape.area,
        .inertia = vec3(density * (shape.y + shape.z), density * shape.y, density * shape.z),
    };
}

// Inertia that was not given is that of a homogeneous section with this stiffness: without any, turns about
// the beam's axis would have no mass.
static Section given(const SectionDefinition *d) {
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

static MrcStatus check_material(const Material *material, const char *beam, MrcError *error) {
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

static MrcStatus check_sizes(const SectionDefinition *d, const char *beam, MrcError *error) {
    switch (d->kind) {
    case SECTION_RECTANGLE:
        if (d->width > 0 && d->height > 0) return MRC_OK;
        return error_set(error, MRC_MODEL, "beam '%s': width and height of its section must be above 0",
                         beam);
    case SECTION_CIRCLE:
        if (d->radius > 0) return MRC_OK;
        return error_set(error, MRC_MODEL, "beam '%s': the radius of its section must be above 0", beam);
    case SECTION_TUBE:
        if (d->inner_radius >= 0 && d->radius > d->inner_radius) return MRC_OK;
        return error_set(error, MRC_MODEL,
                         "beam '%s': the radius of its section must be above the inner radius, and that must "
                         "not be negative",
                         beam);
    case SECTION_GIVEN:
        break;
    }
    if (!(d->axial > 0 && d->shear_y > 0 && d->shear_z > 0 && d->torsion > 0 && d->bending_y > 0 &&
          d->bending_z > 0 && d->mass > 0))
        return error_set(error, MRC_MODEL,
                         "beam '%s': all stiffnesses and the mass of its section must be above 0", beam);
    for (int i = 0; i < 3; i++)
        if (!(d->inertia[i] >= 0))
            return error_set(error, MRC_MODEL, "beam '%s': the inertia of its section must not be negative",
                             beam);
    return MRC_OK;
}

MrcStatus section_create(const SectionDefinition *definition, const Material *material, const char *beam,
                         Section *section, MrcError *error) {
    MrcStatus status = check_sizes(definition, beam, error);
    if (!status && definition->kind != SECTION_GIVEN) status = check_material(material, beam, error);
    if (status) return status;
    switch (definition->kind) {
    case SECTION_RECTANGLE:
        *section = homogeneous(rectangle(definition->width, definition->height), material);
        break;
    case SECTION_CIRCLE:
        *section = homogeneous(tube(definition->radius, 0, material->poisson), material);
        break;
    case SECTION_TUBE:
        *section =
            homogeneous(tube(definition->radius, definition->inner_radius, material->poisson), material);
        break;
    case SECTION_GIVEN:
        *section = given(definition);
        break;
    }
    section->offset = vec3(0, definition->center[0], definition->center[1]);
    return MRC_OK;
}
