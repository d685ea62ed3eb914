// What a bed of grains should be simulated with: contact stiffness and time step.
#ifndef ANALYSIS_ADVISE_H
#define ANALYSIS_ADVISE_H

#include "grains/steps.h"
#include "sim/definition.h"
#include "sim/shaking.h"

// The stiffness sizing of DAMPER 2.2, for contacts of two grains. NAN: not known.
typedef struct StiffnessAdvice {
    double material; // from Young's modulus at the impact speed (Eq. 12) [N/m]
    double overlap;  // the least that keeps overlaps small (Eqs. 7-9) [N/m]
    double safe;     // the same for twice the overlap asked for [N/m]
    double duration; // the least that keeps contacts short against the period [N/m]
    double chosen;   // the larger of `overlap` and `duration`, but not more than `material` [N/m]
    double now;      // of the model [N/m]; NAN: Hertz
    double speed_up; // of `chosen` over `material`: sqrt(material/chosen)
} StiffnessAdvice;

typedef struct BedAdvice {
    double radius, mass; // of one grain: mean [m], [kg]
    double count;        // of grains
    Shaking shaking;     // of the walls
    double impact_speed; // [m/s]
    bool has_steps;      // false: there is not enough to go by
    GrainsSteps steps;   // of the model as it is
    StiffnessAdvice stiffness;
    bool on_mechanism; // a wall rides on it
    double step;       // that the grains take in the model [s]
    double sized_step; // the step that the chosen stiffness allows [s]; NAN: none chosen
} BedAdvice;

BedAdvice advise_bed(const SimDefinition *definition, const GrainsDefinition *grains);

#endif
