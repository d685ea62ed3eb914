// What is judged in a run: its energies, and what ports do (sim/amplitude.h).
//
// The error of the balance, over the energy in play, is what no entry of the ledger accounts for. The numerical part is
// what integration, exchange and the removal of overlaps take together or, negative, add. Of both, less than 1e-3 is
// good and less than 1e-2 fair. Dissipation is judged ten times more leniently: rho_inf < 1 asks for it, in vibrations
// that no step resolves, and unlike a gain it does not feed on itself.
#ifndef OUTPUT_VERDICT_H
#define OUTPUT_VERDICT_H

#include "base/log.h"
#include "output/summary.h"

double verdict_relative_error(const Ledger *ledger); // largest error of the balance, over the energy in play
double
verdict_numerical_share(const Ledger *ledger); // numerical part, over the energy in play; negative: a gain

void verdict_energy_facts(const Ledger *ledger, FactList *list); // into the group that is open
void verdict_warn(const Ledger *ledger, const Log *log);         // about what is poor
// DIVERGED when the calculation itself has made more than a fifth of the energy in play, or has had more than a fiftieth all the
// time since a quarter or a half of the run: nothing physical does. (The largest gain in the examples is 5e-4. Explicit schemes
// have omega h/2 too much and too little in turn, which does not last.) Or when impacts, friction and dampers have given back
// a twentieth of the energy that there was, which they never do: it was made by impacts that a long step cannot resolve. (In the
// examples it is 5e-8 at most.) `instead`: what to use in place of the coupling scheme;
// NULL: nothing is coupled.
MrcStatus verdict_check_growth(const Ledger *ledger, const char *instead, MrcError *error);
// What the grains on a port dissipate in the time that was observed, without what is rounding [W].
double verdict_power(const Ledger *ledger, const PortAmplitude *amplitude, double step);
void verdict_amplitude_facts(const RunFacts *run, FactList *list);
void verdict_drives_facts(const RunFacts *run, FactList *list); // torque and power of ports

#endif
