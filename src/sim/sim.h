// A simulation: the clock, the partners, the coupling that joins their ports, the ledger and the recorder.
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "base/log.h"
#include "coupling/coupling.h"
#include "partner/beds.h"
#include "partner/guest.h"
#include "partner/mechanism.h"
#include "partner/prescribed.h"
#include "sim/amplitude.h"
#include "sim/clock.h"
#include "sim/definition.h"
#include "sim/derived.h"
#include "sim/links.h"
#include "sim/periods.h"
#include "sim/recorder.h"
#include "sim/tally.h"

// A port, in the order of the coupling: those of the mechanism, those of the program's partners, prescribed ones.
typedef struct SimPort {
    const char *name;
    const PortDefinition *definition; // NULL: a node of the mechanism that grains name as their port
} SimPort;

// What a simulation is made with besides its definition.
typedef struct SimSetting {
    const GrainsWatch *watch;          // for messages, progress of settling and the wish to stop; NULL: none
    const MrcPartner *const *partners; // that the program brings along (maraca/partner.h)
    int partner_count;
    bool keep_orientation; // of grains, even if there are no frames
} SimSetting;

typedef struct Sim {
    const SimDefinition *definition;
    Arena *arena;
    Clock clock;
    Inputs inputs;     // quantities from outside, as set so far
    Partner *partners; // drivers that yield, other drivers, followers
    int driver_count, partner_count;
    SimPort *ports;
    int port_count;
    Coupling coupling;
    Motion *motions; // of all ports, as of the last measure
    Ledger ledger;
    Recorder recorder;
    Tallies tallies;  // of what is recorded
    Derived *derived; // signals that are formulas of others
    Periods periods;
    PortAmplitude *amplitudes; // per port
    // The partners of the model file.
    MechanismPartner *mechanism; // NULL: there is none
    Beds *beds;
    Guest **guests; // partners that the program brings along, and links that are drivers or followers
    int guest_count;
    Links links; // partners that are other programs
} Sim;

// `definition` must outlive the simulation.
MrcStatus sim_create(const SimDefinition *definition, const SimSetting *setting, Sim **sim, MrcError *error);
void sim_destroy(Sim *sim);

bool sim_is_done(const Sim *sim);
MrcStatus sim_step(Sim *sim, MrcError *error);    // one step of the clock; then everything stands at its end
MrcStatus sim_measure(Sim *sim, MrcError *error); // all partners, now
MrcStatus sim_sample(Sim *sim,
                     MrcError *error);        // likewise, and closes the ledger: all signals are up to date
void sim_tally(Sim *sim);                     // counts a recorded sample of the last quarter of the run
void sim_archive(Sim *sim, Archive *archive); // the whole state, for checkpoints

// MRC_NOT_FINITE, naming the grain or node, when the state holds an infinity or a NaN.
MrcStatus sim_check_finite(Sim *sim, MrcError *error);

// All signals of a definition, or of a simulation of it: names and, of a simulation, where the values are.
void sim_signals(const SimDefinition *definition, const Sim *sim, SignalList *list);

static inline Mechanism *sim_mechanism(const Sim *sim) {
    return sim->mechanism ? sim->mechanism->mechanism : NULL;
}

#endif
