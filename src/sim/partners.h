// The partners of a simulation: drivers with their ports, followers, and those that act between the steps.
//
// The mechanism and prescribed ports are drivers, which bring the ports; they are made first. Other programs are made by
// links.c. All others are rows of a table.
#ifndef SIM_PARTNERS_H
#define SIM_PARTNERS_H

#include "sim/sim.h"

// The kinds that are made from sections of the model file, in the order in which they are made. One row per kind: its
// PartnerType is partner_NAME, its definition that member of SimDefinition.
#define SIM_PARTNERS(ROW)                                                                                    \
    ROW(beds, beds)                                                                                          \
    ROW(stops, stops)                                                                                        \
    ROW(flow, flow)

#define SIM_PARTNER_DECLARE(name, member) extern const PartnerType partner_##name;
SIM_PARTNERS(SIM_PARTNER_DECLARE)
#undef SIM_PARTNER_DECLARE

typedef struct SimPartnerRow {
    const PartnerType *type;
    size_t offset; // of its definition in SimDefinition
} SimPartnerRow;

extern const SimPartnerRow sim_partner_rows[];
extern const int sim_partner_row_count;

static inline const void *sim_partner_definition(const SimPartnerRow *row, const SimDefinition *definition) {
    return (const char *)definition + row->offset;
}

// Fills inputs, ports, partners and coupling of a simulation that has its definition and arena.
MrcStatus sim_add_partners(Sim *sim, const SimSetting *setting, MrcError *error);

#endif
