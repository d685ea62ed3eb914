// The energy ledger: where the energy came from, where it is, where it went, and what is missing.
//
//     initial + work + carried  =  kinetic + potential + elastic  +  impact + friction + rolling
//                        + stabilisation + dampers + algorithm + ports  +  error
//
// The numerical dissipation of the mechanism's integrator (negative: it adds energy) is not computed: it is what is
// missing from the mechanism's own balance. It has an entry of its own, `algorithm`, because the user asks for it by
// rho_inf.
#ifndef PARTNER_LEDGER_H
#define PARTNER_LEDGER_H

#include "base/archive.h"
#include "partner/signal.h"

// What partners and the coupling add up at one instant [J].
typedef struct EnergySums {
    double work, input; // as in the ledger; work includes what passed through ports
    double kinetic, potential, elastic;
    double impact, friction, rolling, stabilisation, dampers, algorithm, ports;
    double carried, lifted, arrived; // by grains that come and leave: grains/grains.h
    double unseen;                   // what lifts all grains by a hundredth of their radius
    double driver_port_work;         // done on the drivers through their ports
    double follower_port_work;       // done on the followers through theirs
} EnergySums;

typedef struct Ledger {
    // now, or since the start [J]
    double work;    // done by prescribed motions on the grains, by forces and driven joints on the mechanism
    double kinetic; // of all grains and of the mechanism
    double potential;     // in gravity
    double elastic;       // in contacts, beams and springs
    double impact;        // dissipated by normal contact damping
    double friction;      // dissipated by sliding
    double rolling;       // dissipated by rolling
    double stabilisation; // taken by undoing overlaps of rigid grains, negative when given
    double dampers;       // dissipated by dampers of mechanism and containers, and by material damping
    double algorithm;     // taken by the integration of rigid grains and of the mechanism
    double carried; // came with grains less what left with them; its zero is that of the potential energy
    double ports;   // lost between mechanism and grains, negative when gained: the error of the exchange
    double error;   // what does not add up
    // for judging the error
    double initial;        // kinetic + potential + elastic at the start [J]
    double start_kinetic;  // kinetic + elastic at the start, without what binds cohesive contacts [J]
    double potential_high; // highest potential energy so far, but for what grains carried in and out [J]
    double potential_low;  // lowest [J]
    double bound_start;    // elastic energy at the start as far as it is negative: cohesion binds [J]
    double bound_low;      // lowest of these energies so far [J]
    double arrived;        // kinetic energy that came with grains [J]
    double input;          // positive part of the work: what the drives put in [J]
    double unseen;         // what lifts all grains by a hundredth of their radius, the most so far [J]
    double largest_error;  // largest |error| at any sample [J]
    double least_gain[2];  // of ledger_gain, in the present window of samples and in the one before [J]
    double window_end;     // the sample that ends the present one; the next is twice as long
    double most_lost;      // largest sum of impact, friction, rolling and dampers so far [J]
    double given_back;     // largest drop of that sum below it: losses never give anything back [J]
    int64_t samples;
} Ledger;

void ledger_update(Ledger *ledger, const EnergySums *now); // takes in a new state

// Energy that integration, exchange, undoing overlaps and errors have added [J]; negative: removed. The lasting gain is
// the smallest value since a quarter or a half of the run: explicit schemes may swing about zero all the time without
// harm.
double ledger_gain(const Ledger *ledger);
double ledger_lasting_gain(const Ledger *ledger);

// The energy in play, against which the error is judged: work of drives, energy of the start, and what falling and
// cohesion release. At least a small amount, so that a bed at rest is not judged by rounding.
double ledger_scale(const Ledger *ledger);
// The same with the net work of the drives instead of its positive part: losses are a part of it.
double ledger_available(const Ledger *ledger);

void ledger_archive(Ledger *ledger, Archive *archive);

void ledger_signals(const Ledger *ledger, SignalList *list); // NULL: names only

typedef struct LedgerEntry {
    const char *name;    // "energy." + name is the signal
    const char *meaning; // for people
    const char *note;    // on sign, time and zero
    size_t offset;       // of the double in a Ledger
} LedgerEntry;
extern const LedgerEntry ledger_entries[];
extern const int ledger_entry_count;
static inline double ledger_value(const Ledger *ledger, int entry) {
    return *(const double *)((const char *)ledger + ledger_entries[entry].offset);
}

#endif
