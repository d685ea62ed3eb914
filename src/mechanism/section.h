// Cross-sections of beams: stiffness and mass per length, in the section's axes (x along the beam).
#ifndef MECHANISM_SECTION_H
#define MECHANISM_SECTION_H

#include "base/error.h"
#include "base/text.h"
#include "geometry/material.h"
#include "math/mat3.h"
#include "mechanism/definition.h"
#include "schema/findings.h"
#include "schema/schema.h"

// (force, moment) = [force coupling; coupling^T moment] (stretch and shear, curvature), about the reference
// line.
typedef struct SectionStiffness {
    Mat3 force;    // EA, GAy, GAz on the diagonal [N]
    Mat3 coupling; // [N m]
    Mat3 moment;   // GJ, EIy, EIz on the diagonal [N m^2]
} SectionStiffness;

typedef struct Section {
    SectionStiffness stiffness;
    double mass;  // per length [kg/m]
    Vec3 inertia; // of rotation per length about x, y, z of the reference line [kg m]
    Vec3 offset;  // of the reference line from the line of the nodes: 0, y, z [m]
} Section;

// `material` may be NULL for a given section. `beam` is the name for messages.
MrcStatus section_create(const SectionDefinition *definition, const Material *material, const char *beam,
                         Section *section, MrcError *error);

extern const SchemaObject section_schema; // keys of the model file
bool section_needs_material(const SectionDefinition *definition);
// Reports what its keys cannot say alone.
void section_check(const SectionDefinition *definition, const char *beam, const Findings *findings);
void section_describe(const SectionDefinition *definition, Text *text); // "a circle of radius 2 mm"

#endif
