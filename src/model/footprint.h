// How large a run will be, before it is run.
#ifndef MODEL_FOOTPRINT_H
#define MODEL_FOOTPRINT_H

#include "base/fact.h"
#include "sim/definition.h"

typedef struct Footprint {
    double grains, steps;
    double rows, columns; // of series.csv
    double frames;        // how many
    double memory;        // [bytes], about
    double series;        // size of series.csv [bytes], about
    double frame_files;   // size of all frames [bytes], about; without that of meshes and mechanism
    double checkpoint;    // size of one [bytes], about
} Footprint;

Footprint footprint_of(const SimDefinition *definition); // of a definition without errors
void footprint_facts(const Footprint *footprint, FactList *list);

#endif
