// The element of springs, torsion springs and bushings: forces along relative coordinates. The equations are
// in compliance.c.
#ifndef MECHANISM_COMPLIANCE_H
#define MECHANISM_COMPLIANCE_H

#include "math/expression.h"
#include "mechanism/relative.h"

// Force = preload + stiffness (coordinate - rest) + damping d(coordinate)/dt, against the coordinate.
typedef struct CompliancePart {
    RelativeCoordinate coordinate;
    double stiffness;         // [N/m, N m/rad]
    double damping;           // [N s/m, N m s/rad]
    double rest;              // value of the coordinate without force [m, rad]
    double preload;           // [N, N m]
    const Expression *driven; // `rest` as a function of time; NULL: constant
} CompliancePart;

typedef struct Compliance {
    Marker markers[2];
    int count;
    CompliancePart parts[6];
    bool rotates;      // some part is a component of the rotation vector
    bool counts_turns; // parts[0] is a turn; the element's memory is its value at the beginning of the step
} Compliance;

void compliance_residual(const Element *element, const ElementInput *in, double *r);
void compliance_jacobian(const Element *element, const ElementInput *in, double cm, double cc, double ck,
                         double *J);
void compliance_energy(const Element *element, const ElementInput *in, ElementEnergy *energy);
// Coordinate and force, in tension positive, of the first part.
typedef struct SpringValues {
    double length, speed; // of parts[0], and its rate [m], [m/s]
    double force;         // in tension [N]
    double power;         // that it gives to the mechanism [W]
} SpringValues;
SpringValues compliance_values(const Element *element, const ElementInput *in);
void compliance_begin_step(const Element *element, const ElementInput *in, double h, double *state);

// The ElementKind of a spring, with its name in messages.
#define COMPLIANCE_KIND(title)                                                                               \
    {                                                                                                        \
        .name = (title), .massless = true, .residual = compliance_residual, .jacobian = compliance_jacobian, \
        .energy = compliance_energy, .begin_step = compliance_begin_step                                     \
    }

#endif
