// What comes into beds and leaves them, as a partner of the simulation: signals, facts and state of inlets, outlets and
// meters (grains/flow.h). It is neither driver nor follower; it acts between the steps.
#ifndef PARTNER_FLOW_H
#define PARTNER_FLOW_H

#include "grains/flow.h"
#include "partner/beds.h"
#include "partner/partner.h"

typedef struct FlowBed { // of each bed
    bool used;           // it has an inlet, an outlet or a meter
    double count, mass;  // hold-up, as of the last measure
} FlowBed;

typedef struct FlowPartner {
    const FlowDefinition *definition;
    Beds *beds;
    const Inputs *inputs;
    const Log *log; // NULL: none
    Inlet *inlets;
    Outlet *outlets;
    Meter *meters;
    FlowBed *items; // per bed
    double next;    // time of the next tick [s]
    int64_t ticks;  // so far
    ARRAY(uint8_t) leaving;
    Newcomers coming;
} FlowPartner;

typedef struct FlowSetting {
    Beds *beds;
    const BedsPorts *ports;
    const GrainsSetting *grains;
    const Inputs *inputs;
    const Log *log;
} FlowSetting;

MrcStatus flow_create(const FlowDefinition *definition, const FlowSetting *setting, Arena *arena,
                      FlowPartner **flow, MrcError *error);

// Before a step from `time` on; `ports`: where all ports are. Does nothing until the next tick is due.
bool flow_is_due(const FlowPartner *flow, double time);
MrcStatus flow_tick(FlowPartner *flow, double time, const Motion *ports, MrcError *error);

extern const PartnerType partner_flow; // its definition is a FlowDefinition

#endif
