// How far the ports swing at the end of a run (sim/swing.h), for machines and for people; and beside it, when
// it is known, how far they would swing with the mass of the grains fixed to them.
#ifndef OUTPUT_VERDICT_H
#define OUTPUT_VERDICT_H

#include <stdio.h>

#include "output/json.h"
#include "output/summary.h"

void verdict_write(Json *json, const RunFacts *facts); // a member "swings"
void verdict_report(FILE *out, const RunFacts *facts); // the last lines of the report
double summary_relative_error(const Ledger *ledger);   // what does not add up, over what is in play

#endif
