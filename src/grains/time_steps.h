// Time steps: which are critical for a bed, and which resolves its contacts. DAMPER is doi:10.3390/pr10071247,
// MULTIRATE doi:10.1108/EC-07-2017-0246.
#ifndef GRAINS_TIME_STEPS_H
#define GRAINS_TIME_STEPS_H

#include "grains/grains.h"

typedef enum StepCriterion {
    STEP_BY_CONTACT,        // contacts are to be resolved
    STEP_BY_HART,           // DAMPER Eq. 1
    STEP_BY_RAYLEIGH,       // MULTIRATE Eq. 26
    STEP_BY_EIGENFREQUENCY, // MULTIRATE Eq. 27
    STEP_BY_MOTION,         // how far rigid grains move
    STEP_CRITERION_COUNT
} StepCriterion;

// Of the lightest grain and its stiffest contact.
typedef struct GrainsSteps {
    double limit[STEP_CRITERION_COUNT];  // the critical step itself, and the duration of the shortest contact
                                         // [s]; INFINITY: this criterion does not apply
    double factor[STEP_CRITERION_COUNT]; // how much of it a step may take
    StepCriterion governing;             // the one that allows the smallest step
    double suggested;                    // factor times limit of the governing one, three digits of it [s]
    double critical;                     // smallest of the critical steps: beyond it, energy is gained [s]
    StepCriterion critical_by;           // which that is
    double speed;                        // of impact, which Hertz contacts depend on [m/s]
    double restitution;                  // the smallest that grains meet
} GrainsSteps;

// From the definition alone, before any grain is placed. False when it is not complete: a material is
// missing, or the speed that Hertz contacts depend on.
bool time_steps_of_bed(const GrainsDefinition *definition, const GrainsSetting *setting, GrainsSteps *steps);

// Critical steps [s].
double time_steps_hart(double mass, double stiffness);               // DAMPER Eq. 1 with alpha = 1
double time_steps_rayleigh(double radius, const Material *material); // MULTIRATE Eq. 26
double time_steps_eigenfrequency(double mass, double stiffness);     // MULTIRATE Eq. 27

// Steps that resolve a contact with this normal law so that the rebound speed is within 0.1 % (law_NAME.c).
double time_steps_per_contact(int law, double restitution);

const char *time_steps_criterion_name(StepCriterion criterion);  // "hart"
const char *time_steps_criterion_words(StepCriterion criterion); // "contacts are resolved"
const char *time_steps_limit_words(StepCriterion criterion);     // "the shortest contact"

#endif
