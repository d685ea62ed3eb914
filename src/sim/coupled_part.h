// Grains on ports of the mechanism: the coupling as a part of a simulation.
//
// Ports of a simulation are those of the model file and, after them, one for each node of the mechanism that
// grains name as their port. Those that ride on a node are coupled: their motion is the container's, which
// the coupling scheme makes out of both sides. With at least one of them all beds are advanced together, as
// the follower of the coupling.
#ifndef SIM_COUPLED_PART_H
#define SIM_COUPLED_PART_H

#include "coupling/driver_mechanism.h"
#include "coupling/follower_world.h"
#include "grains/steps.h"
#include "sim/ledger.h"
#include "sim/swing.h"

struct Sim;

typedef struct CoupledPart {
    bool active;
    Coupling coupling;
    MechanismDriver driver;
    WorldFollower follower;
    WorldBed *beds;
    double start;  // energy of the containers at the start [J]
    Swing *swings; // per coupled port
} CoupledPart;

// Lists the ports (sim->ports) and puts those that ride on nodes on the mechanism. Before beds are made.
MrcStatus coupled_part_ports(struct Sim *sim, MrcError *error);
// Once there are beds. Nothing when no port is coupled.
MrcStatus coupled_part_create(struct Sim *sim, MrcError *error);
void coupled_part_destroy(CoupledPart *part);

// The step that a bed of grains takes: smooth beds may need several for one of the mechanism.
double coupled_part_grain_step(const struct Sim *sim, const GrainsDefinition *bed, const GrainsSteps *steps);

MrcStatus coupled_part_step(CoupledPart *part, double h, MrcError *error);
void coupled_part_book(const CoupledPart *part, const struct Sim *sim, Ledger *now); // after all others have
// After each step, once the clock has moved on.
MrcStatus coupled_part_look(struct Sim *sim, MrcError *error);
void coupled_part_archive(CoupledPart *part, Archive *archive);

#endif
