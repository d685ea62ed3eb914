// Inside of settling: shared by settle.c, settle_start.c and settle_cache.c.
#ifndef GRAINS_SETTLE_H
#define GRAINS_SETTLE_H

#include "grains/packing_internal.h"

// Loose places for all grains, in reach of a settling run. *scale is 1, or less when the room is too full:
// then the places are free of overlap for radii that much smaller only, and the grains have to grow.
MrcStatus settle_start(const Room *room, GrainStore *store, double *scale, MrcError *error);

// Everything that a settled bed depends on, as text; malloc'ed, NULL when memory is out.
char *settle_identity(const Room *room, const GrainsSetting *setting, const GrainStore *store);

// The places of the bed with this identity, if it has been kept; anything else found there is ignored.
bool settle_cache_load(const char *identity, GrainStore *store);
// Keeps a bed. A cache that cannot be written is no reason to fail.
void settle_cache_save(const char *identity, const GrainStore *store);

#endif
