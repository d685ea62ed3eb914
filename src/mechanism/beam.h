// The beam element: three nodes, geometrically exact, finite volumes. Equations in beam.c.
#ifndef MECHANISM_BEAM_H
#define MECHANISM_BEAM_H

#include "math/expression.h"
#include "mechanism/element.h"
#include "mechanism/section.h"

typedef struct BeamPoint {     // where the beam is cut and strains are evaluated
    double shape[2];           // parabolas of the first and last node here [1]
    double slope[2];           // their derivatives along the unloaded reference line [1/m]
    double length;             // of beam that the point stands for [m]
    Vec3 stretch0, curvature0; // unloaded: of the reference line [1], [1/m], section axes
} BeamPoint;

// Node axes are section axes.
typedef struct Beam {
    Vec3 offset; // of the reference line from the nodes, node axes [m]
    SectionStiffness stiffness;
    BeamPoint point[2];
    double damping;                  // stress = stiffness (strain + damping d strain/dt) [s]
    const Expression *damping_curve; // the same as a function of time; NULL: constant
} Beam;

// Unloaded in the given positions and orientations of its three nodes. `damping` may be NULL.
Beam beam_create(const Section *section, const Expression *damping, const Vec3 x[3], const Mat3 R[3]);

// Strains now: stretch and shear [1] and curvature [1/m] beyond the unloaded ones, section axes, at the two
// points; and what acts across the cut there on the side of the first node [N, N m], world axes.
typedef struct BeamStrain {
    Vec3 stretch[2], curvature[2];
    Vec3 force[2], moment[2];
} BeamStrain;
BeamStrain beam_strain(const Beam *beam, const ElementInput *in);

extern const ElementKind beam_kind;

#endif
