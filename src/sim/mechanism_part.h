// The mechanism as a part of a simulation: creation, signals, its share of the energy ledger.
#ifndef SIM_MECHANISM_PART_H
#define SIM_MECHANISM_PART_H

#include "mechanism/mechanism.h"
#include "sim/definition.h"
#include "sim/ledger.h"

// A line for pictures between two points that ride on nodes (-1: the ground).
typedef struct Stick {
    int nodes[2];
    Vec3 offsets[2]; // node axes [m]
} Stick;

typedef struct MechanismPart {
    Mechanism *mechanism; // NULL: the simulation has none
    const MechanismDefinition *definition;
    int *named; // node of each name, in the order of names_list
    size_t named_count;
    int *joints; // index of each joint of the definition
    Mat3 *start; // orientations of all nodes as they are written
    Stick *sticks;
    size_t stick_count;
} MechanismPart;

// Nothing when the definition has no mechanism.
MrcStatus mechanism_part_create(MechanismPart *part, const SimDefinition *definition, Arena *arena,
                                const Log *log, MrcError *error);
void mechanism_part_destroy(MechanismPart *part);

// One step of h with nothing on the ports.
MrcStatus mechanism_part_step(MechanismPart *part, double h, MrcError *error);

// Writes the values of its signals, in the order of signals_list; returns the place behind the last.
double *mechanism_part_read(const MechanismPart *part, double *values);
void mechanism_part_book(const MechanismPart *part, Ledger *now); // adds its energies

MrcStatus mechanism_part_check_finite(const MechanismPart *part, MrcError *error); // names the node

#endif
