// All links of a simulation (partner/link.h): made before the other partners, called before and after each step.
#ifndef SIM_LINKS_H
#define SIM_LINKS_H

#include "partner/guest.h"
#include "partner/link.h"
#include "partner/signal.h"
#include "sim/definition.h"

typedef struct Links {
    Link *items;
    int count;
    bool read_signals; // some of them do, at the beginning of each step
} Links;

// Drivers and followers among them are added to `guests`, which has room for them.
MrcStatus links_create(Links *links, const SimDefinition *definition, Arena *arena, Guest **guests,
                       int *guest_count, MrcError *error);
void links_destroy(Links *links);

// Once, when all signals are known.
MrcStatus links_connect(Links *links, const SignalList *signals, Inputs *inputs, MrcError *error);
MrcStatus links_before_step(const Links *links, double t, double h, Inputs *inputs, MrcError *error);
MrcStatus links_after_step(const Links *links, double t, double h, MrcError *error);
void links_archive(const Links *links, Archive *archive); // of those that are no guests

#endif
