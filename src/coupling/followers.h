// All followers of a simulation as one.
//
// One after the other they take the step. With a mobility Y, those behind see the velocities that the impulses of
// those before have left, so that momentum is kept and each is independent of the others.
#ifndef COUPLING_FOLLOWERS_H
#define COUPLING_FOLLOWERS_H

#include "partner/partner.h"

typedef struct Followers {
    const Partner *items;
    int count;
    int port_count;
    PartnerAbilities all; // what they can do together
    // of one step, for those behind the first
    Motion *ports;
    Load *impulses, *early;
} Followers;

MrcStatus followers_create(Followers *followers, const Partner *items, int count, int port_count,
                           Arena *arena, MrcError *error);

MrcStatus followers_save(const Followers *followers, MrcError *error);
MrcStatus followers_restore(const Followers *followers, MrcError *error);
MrcStatus followers_advance(const Followers *followers, double h, const Motion *ports, const double *Y,
                            Load *impulses, Load *early, MrcError *error);
MrcStatus followers_advance_machine(const Followers *followers, double h, const Motion *ports,
                                    const ContactMachine *machine, Load *impulses, MrcError *error);
PartnerMass followers_carried(const Followers *followers, int port, Vec3 origin);
PartnerLosses followers_losses(const Followers *followers, int port); // as last measured

#endif
