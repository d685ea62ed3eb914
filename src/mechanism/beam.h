// The beam element: three nodes, geometrically exact, finite volumes. The equations are in beam.c.
#ifndef MECHANISM_BEAM_H
#define MECHANISM_BEAM_H

#include "math/expression.h"
#include "mechanism/element.h"
#include "mechanism/section.h"

typedef struct BeamPoint {     // a cut, where strains are evaluated
    double shape[2];           // N_0 and N_2, the parabolas of the first and last node, here [1]
    double slope[2];           // their derivatives along the unloaded reference line [1/m]
    double length;             // length of beam in the sums over both points [m]
    Vec3 stretch0, curvature0; // unloaded strains of the reference line, section axes [1, 1/m]
} BeamPoint;

// Node axes are section axes.
typedef struct Beam {
    Vec3 offset; // of the reference line from the nodes, node axes [m]
    SectionStiffness stiffness;
    BeamPoint point[2];
    double damping;                  // stress = stiffness (strain + damping d strain/dt) [s]
    const Expression *damping_curve; // the same as a function of time; NULL: constant
} Beam;

// A beam that is unloaded in these positions and orientations of its three nodes. `damping` may be NULL.
Beam beam_create(const Section *section, const Expression *damping, const Vec3 x[3], const Mat3 R[3]);

// Strains at the two points: stretch and shear [1] and curvature [1/m] beyond the unloaded ones, section
// axes; and force and moment across the cut on the side of the first node [N, N m], world axes.
typedef struct BeamStrain {
    Vec3 stretch[2], curvature[2];
    Vec3 force[2], moment[2];
} BeamStrain;
BeamStrain beam_strain(const Beam *beam, const ElementInput *in);

extern const ElementKind beam_kind;

#endif
