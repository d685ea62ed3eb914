// What a bed would cost by springs and dampers (`smooth`) and as rigid grains (`nonsmooth`), before it is run.
//
//     time = duration/step * grains / (grains that are moved by a step in a second)
//
// Steps are those that the program suggests for each method (grains/time_steps.h), of springs with `stiffness: sized`
// where the bed is rigid now. The rates are those of one core in beds in motion (docs/performance.md): an estimate to a
// factor of two or three, good enough to choose a method by.
#ifndef SIM_COST_H
#define SIM_COST_H

#include "base/fact.h"
#include "sim/definition.h"

typedef struct MethodCost {
    double step;    // of the grains [s]; NAN: not known, or the method cannot move such grains
    double steps;   // in the simulated time
    double seconds; // on one core
} MethodCost;

typedef struct BedCost {
    MethodCost smooth, nonsmooth;
    const char *own;       // the method of the bed
    const char *suggested; // the one that is clearly quicker; NULL: neither is, or it is not known
} BedCost;

BedCost cost_of_bed(const SimDefinition *definition, const GrainsDefinition *grains);
void cost_facts(const BedCost *cost, FactList *list); // into the group that is open

#endif
