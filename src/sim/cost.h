// What a bed would cost by springs and dampers (`smooth`) and as rigid grains (`nonsmooth`), before it is run.
//
//     time = duration/step * grains / (grains that are moved by a step in a second)
//
// Steps are those that the program suggests for each method (grains/time_steps.h), of springs with `stiffness: sized`
// where the bed is rigid now. The rates are those of one core (docs/performance.md): an estimate to a factor of three. A method
// is only suggested where it is quicker by more than that.
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
    double grains; // averaged over the run, with those that inlets bring, if none leave; 0: not known
    MethodCost smooth, nonsmooth;
    const char *own;       // the method of the bed
    bool rigid;            // it is one of rigid grains
    const char *suggested; // the one that is clearly quicker; NULL: neither is, or a figure is not known
} BedCost;

BedCost cost_of_bed(const SimDefinition *definition, const GrainsDefinition *grains);
// `seconds` on one core were measured in a run of the bed by its own method, and count instead of the estimate.
void cost_measured(BedCost *cost, double seconds);
void cost_facts(const BedCost *cost, FactList *list); // into the group that is open

#endif
