// A damper element: what a map says about a damper, as a file that responses are made with.
#ifndef STUDY_ELEMENT_H
#define STUDY_ELEMENT_H

#include "base/memory.h"
#include "study/plan.h"

typedef enum DamperZone { DAMPER_SOLID, DAMPER_BOUNCING, DAMPER_FLUIDISED } DamperZone;
const char *damper_zone_words(DamperZone zone); // "bouncing bed"

typedef struct DamperEntry {
    double frequency, amplitude;    // of the motion [Hz], [m]
    double energy, energy_interval; // per cycle, and half of its 95 % interval [J]
    double mass, mass_interval;     // effective [kg]
    DamperZone zone;
} DamperEntry;

typedef struct DamperElement {
    double grains;              // mass [kg]
    ARRAY(DamperEntry) entries; // by frequency, then by amplitude
} DamperElement;

// element.json, element.csv and element.bdf, from the table of a map (StudyPlan.finish).
MrcStatus element_write(const StudyPlan *plan, const struct StudyTable *table, const char *folder,
                        MrcError *error);

// `path`: an element.json, or the folder of a map, which has one.
MrcStatus element_read(DamperElement *element, const char *path, MrcError *error);
void element_free(DamperElement *element);

// Loss and mass at a frequency and an amplitude: the dynamic stiffness of the element is -w^2 mass + i w dashpot.
// Interpolated linearly in the logarithm of the amplitude, and of the frequency; beyond the ends as at them.
typedef struct DamperValue {
    double mass, mass_interval;       // effective [kg]
    double dashpot, dashpot_interval; // E w / (pi V^2) [N s/m]
    bool outside;                     // beyond the frequencies or amplitudes of the map
} DamperValue;
DamperValue element_value(const DamperElement *element, double frequency, double amplitude);

#endif
