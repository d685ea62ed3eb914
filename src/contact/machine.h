// A machine as part of a contact problem: its bodies, and its joints as bilateral rows beside the contacts.
//
// The owner of the problem has access to the machine's ports only: which body carries each of them.
#ifndef CONTACT_MACHINE_H
#define CONTACT_MACHINE_H

#include "contact/problem.h"

typedef struct MachinePort {
    int32_t body; // of the problem; -1: the world at rest
    Vec3 origin;  // of that body [m]
} MachinePort;

typedef struct ContactMachine {
    void *self;
    int port_count;
    // Adds bodies and rows to a problem without contacts; fills one item per port.
    MrcStatus (*add)(void *self, ContactProblem *problem, MachinePort *ports, MrcError *error);
    // The problem it was added to, solved.
    void (*take)(void *self, const ContactProblem *problem, const ContactSolution *solution);
} ContactMachine;

#endif
