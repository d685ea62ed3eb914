// A simulation: the partners, the clock, the ledger and the recorder, and the step that joins them.
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "base/log.h"
#include "grains/grains.h"
#include "grains/steps.h"
#include "grains/world.h"
#include "sim/clock.h"
#include "sim/coupled_part.h"
#include "sim/ledger.h"
#include "sim/mechanism_part.h"
#include "sim/periods.h"
#include "sim/recorder.h"

typedef struct SimPort {
    const char *name;
    const PortDefinition *definition; // NULL: just a node of the mechanism
    int node;                         // of the mechanism that carries it; -1: its motion is imposed
    int coupled;                      // which of the coupled ports it is, or -1
    Motion motion;                    // now; of a coupled one, that of the container
} SimPort;

typedef struct SimGrains {
    const GrainsDefinition *definition;
    Grains *grains;
    int port;              // index, or -1: the ground
    int *wall_ports;       // per wall part: index, or -1
    Motion *motions;       // per wall part, now
    Load *loads;           // per wall part, of the last step
    GrainsMeasure measure; // by sim_sample
    GrainsSteps steps;     // critical and suggested
    double step;           // that the bed takes [s]
} SimGrains;

typedef struct Sim {
    const SimDefinition *definition;
    Arena *arena;
    Clock clock;
    Recorder recorder;
    Ledger ledger;
    Periods periods;
    MechanismPart mechanism;
    CoupledPart coupled; // mechanism and grains, where they meet
    SimPort *ports;
    int port_count;
    SimGrains *grains;
    World *world;        // of the nonsmooth beds; NULL: there are none
    Motion *port_steps;  // per port: its motion over a step, for the world
    Load *port_impulses; // per port: of the world's last step [N s], [N m s]
    double *values;      // of all signals, by sim_sample
} Sim;

// Where nonsmooth beds are solved for; NULL: nowhere.
static inline World *sim_world(const Sim *sim) {
    return sim->coupled.active ? sim->coupled.follower.world : sim->world;
}

// `definition` must outlive the simulation.
MrcStatus sim_create(const SimDefinition *definition, const Log *log, Sim **sim, MrcError *error);
// The same, with someone who watches how beds settle. MRC_INTERRUPTED when told to stop.
MrcStatus sim_create_watched(const SimDefinition *definition, const GrainsWatch *watch, Sim **sim,
                             MrcError *error);
void sim_destroy(Sim *sim);

bool sim_is_done(const Sim *sim);
MrcStatus sim_step(Sim *sim, MrcError *error);   // one step of the clock
MrcStatus sim_sample(Sim *sim, MrcError *error); // measures everything now: ledger and signal values
// Looks at the periods: true when one has just ended, which *row then tells of. To be called once at every
// step.
MrcStatus sim_look_at_periods(Sim *sim, bool *ended, PeriodRow *row, MrcError *error);
void sim_archive(Sim *sim, Archive *archive); // the whole state, for checkpoints

// Puts ports and walls where they are now. sim_step leaves them where they were at its beginning.
MrcStatus sim_move_ports(Sim *sim, MrcError *error);

// MRC_NOT_FINITE, naming the grain or node, when the state holds an infinity or a NaN.
MrcStatus sim_check_finite(Sim *sim, MrcError *error);

#endif
