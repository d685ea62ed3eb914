// Inside of settling: shared by packing_settle.c, settle.c, settle_start.c, settle_dig.c and settle_cache.c.
#ifndef GRAINS_SETTLE_H
#define GRAINS_SETTLE_H

#include "grains/packing_internal.h"

// Lets the grains of the store fall and come to rest. `placed`: they lie already, where something was dug out, and only come
// to rest. gravity [m/s^2], along room->up.
MrcStatus settle_bed(const Room *room, const GrainsSetting *setting, double gravity, bool placed,
                     GrainStore *store, MrcError *error);

// Loose places for all grains, in reach of a settling run. *scale is 1, or less when the room is too full:
// then the places are free of overlap for radii that much smaller only, and the grains have to grow.
MrcStatus settle_start(const Room *room, GrainStore *store, double *scale, MrcError *error);

// The same for the grains from number `first` on, above those that lie already; without growing.
MrcStatus settle_start_above(const Room *room, size_t first, GrainStore *store, MrcError *error);

// ---- settle_dig.c --------------------------------------------------------------------------------
bool settle_digs(const PackingDefinition *packing); // is anything taken away after settling?
bool settle_is_left_out(const PackingDefinition *packing, const WallDefinition *wall);
void settle_check_dig(const GrainsDefinition *definition, const Findings *findings);
// The room without the walls that are left out; definition->walls and reduced->walls are to be freed, whatever it returns.
MrcStatus settle_leave_out(const Room *room, GrainsDefinition *definition, Room *reduced, MrcError *error);
MrcStatus settle_dig(const Room *room, GrainStore *store, MrcError *error); // takes grains out of the store
// A note where even one more grain would not reach the depth: then nothing was taken away, and the bed is not level.
void settle_note_depth(const Room *room, const GrainStore *store, const Log *log);

// ---- settle_cache.c ------------------------------------------------------------------------------
// Everything that a bed depends on, as text; malloc'ed, NULL when memory is out. `stage`: how far it has come.
char *settle_identity(const Room *room, const GrainsSetting *setting, const GrainStore *store,
                      const char *stage);

// The places of the bed with this identity, if it has been kept; anything else found there is ignored. Grains that had
// been taken away go out of the store.
bool settle_cache_load(const char *identity, GrainStore *store);
// Keeps a bed. A cache that cannot be written is no reason to fail.
void settle_cache_save(const char *identity, const GrainStore *store);

#endif
