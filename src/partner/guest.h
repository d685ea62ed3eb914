// Partners that the program brings along (maraca/partner.h), as drivers and followers.
#ifndef PARTNER_GUEST_H
#define PARTNER_GUEST_H

#include "maraca/partner.h"
#include "partner/partner.h"

typedef struct Guest {
    MrcPartner partner; // as given, unknown members zero
    int port_count;     // of a driver: its own; of a follower: those that carry it
    int all_ports;      // of the simulation
    int *places;        // of a follower: which ports of the simulation these are
    double h;           // of the step that was begun [s]
    Motion *present;    // of a driver: its ports after the last commit
    Load *pushed;       // of a driver: impulses that the step was made with
    double port_work;   // done on it through its ports since the start [J]
    double start;       // its energy when it was first asked [J]
    bool started;       // `start` is known
    bool stepped;       // `present` is known
    MrcEnergy energy;   // as last measured
    void *saved;        // its state at the last save
    double saved_work;  // port_work then [J]
    MrcMotion *own_ports;
    MrcLoad *own_impulses;
    double *own_mobility;
} Guest;

// Copies the description; `partner` must say at least its name and its functions.
MrcStatus guest_create(const MrcPartner *partner, Arena *arena, Guest **guest, MrcError *error);
bool guest_is_driver(const Guest *guest);
// Before the first step. A driver moves ports first ... first + count - 1 of `all`; a follower finds its own by name.
MrcStatus guest_bind_driver(Guest *guest, int count, Arena *arena, MrcError *error);
MrcStatus guest_bind_follower(Guest *guest, const PartnerPorts *ports, Arena *arena, MrcError *error);

void guest_archive_packed(const MrcPartner *partner, Archive *archive); // a state by `pack` and `unpack`

extern const PartnerType partner_guest_driver, partner_guest_follower;

#endif
