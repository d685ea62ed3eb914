// The element of springs, torsion springs and bushings: a force along each of its measures.
#ifndef MECHANISM_COMPLIANCE_H
#define MECHANISM_COMPLIANCE_H

#include "mechanism/measure.h"

// Force = preload + stiffness (measure - rest) + damping d(measure)/dt, pulling the measure back.
typedef struct CompliancePart {
    Measure measure;
    double stiffness; // [N/m, N m/rad]
    double damping;   // [N s/m, N m s/rad]
    double rest;      // [m, rad]
    double preload;   // [N, N m]
} CompliancePart;

typedef struct Compliance {
    Marker markers[2];
    int count;
    CompliancePart parts[6];
    bool rotates;      // some part measures a rotation vector
    bool counts_turns; // one part, a turn: its memory is the angle at the step's begin
} Compliance;

extern const ElementKind spring_kind, torsion_spring_kind, bushing_kind;

#endif
