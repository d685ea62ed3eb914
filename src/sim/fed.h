// What inlets bring into a bed, as far as it is known before a run.
#ifndef SIM_FED_H
#define SIM_FED_H

#include "sim/definition.h"

typedef struct Fed {
    double mass;       // until the end of the run [kg]
    double mean_count; // of grains that have come, averaged over the run
} Fed;

// Outlets are not taken into account, since what they take is not known: these are upper bounds.
Fed fed_of_bed(const SimDefinition *definition, const GrainsDefinition *grains);

#endif
