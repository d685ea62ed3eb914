// What a model should be simulated with: contact stiffness and time step of each bed, and how mechanism and grains
// should be coupled. All figures are those of the functions that a run calls itself.
#ifndef ANALYSIS_ADVISE_H
#define ANALYSIS_ADVISE_H

#include "analysis/advise_coupling.h"
#include "base/fact.h"
#include "grains/time_steps.h"
#include "sim/shaking.h"
#include "sim/sim.h"

// The stiffness sizing of doi:10.3390/pr10071247, section 2.2, for contacts of two grains. NAN: not known.
typedef struct StiffnessAdvice {
    double material; // from Young's modulus at the impact speed (Eq. 12) [N/m]
    double overlap;  // the least that keeps overlaps small (Eqs. 7-9) [N/m]
    double safe;     // the same for twice the overlap asked for [N/m]
    double duration; // the least that keeps contacts short against the period [N/m]
    double chosen;   // that `stiffness: sized` takes [N/m]
    double now;      // of the model [N/m]
    double speed_up; // of `chosen` over `material`: sqrt(material/chosen)
} StiffnessAdvice;

typedef struct BedAdvice {
    const GrainsDefinition *grains;
    double radius, mass; // of one grain: mean [m], and of a grain of that radius [kg]
    double count;        // of grains
    double total_mass;   // to be expected, with all that inlets bring [kg]
    double fed;          // by inlets until the end [kg]
    Shaking shaking;     // of the walls
    double impact_speed; // [m/s]; 0: not known
    bool has_steps;      // false: too little of the model is known
    GrainsSteps steps;   // of the model as it is
    StiffnessAdvice stiffness;
    bool on_mechanism; // a wall is carried by a port that answers to loads
    double step;       // that the grains take in the model [s]
    double sized_step; // the step that the chosen stiffness allows [s]; NAN: none chosen
} BedAdvice;

typedef struct Advice {
    const SimDefinition *definition;
    BedAdvice *beds; // one per bed of the definition
    CouplingAdvice coupling;
    const char *trouble; // why nothing is known about the mechanism; NULL: it is
} Advice;

// `arena` holds the result.
MrcStatus advise_model(const MrcModel *model, Arena *arena, Advice *advice, MrcError *error);

void advise_facts(const Advice *advice, FactList *list);
char *advise_report(const FactList *facts); // malloc'ed; NULL: out of memory

#endif
