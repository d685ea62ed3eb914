// Amplitudes of the ports at the end of a run (sim/amplitude.h), as facts and for people; and beside them, when they
// are known, the amplitudes with the mass of the grains fixed to the ports.
#ifndef OUTPUT_VERDICT_H
#define OUTPUT_VERDICT_H

#include <stdio.h>

#include "output/summary.h"

void verdict_facts(const RunFacts *run, FactList *list);
void verdict_report(FILE *out, const RunFacts *facts); // the last lines of the report
double summary_relative_error(const Ledger *ledger);   // what does not add up, over what is in play

#endif
