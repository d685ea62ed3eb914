// Ports with a prescribed motion, as a driver: the frames follow the user's expressions exactly, velocity and
// acceleration being the exact derivatives of the position. Loads change nothing.
#ifndef PARTNER_PRESCRIBED_H
#define PARTNER_PRESCRIBED_H

#include "partner/partner.h"
#include "partner/port_definition.h"

Motion port_motion(const PortDefinition *port, TimePoint at);

typedef struct Prescribed {
    const PortDefinition **ports;
    int count;
    const Inputs *inputs; // of the simulation
    double h;             // of the step that was begun [s]
    double now;           // time of `end` [s]
    Motion *start;        // at its beginning, per port
    Motion *end;          // at its end, or now
} Prescribed;

// `ports` and `inputs` must outlive it. At t = 0.
MrcStatus prescribed_create(const PortDefinition **ports, int count, const Inputs *inputs, Arena *arena,
                            Prescribed **prescribed, MrcError *error);

extern const PartnerType partner_prescribed;

#endif
