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

extern const PartnerType partner_flow; // its definition is a FlowDefinition

#endif
