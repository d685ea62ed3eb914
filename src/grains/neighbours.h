// Who may touch whom: lists of near grains, found with a grid of cells and kept for many steps.
//
// A list holds, for each grain, all others closer than the sum of radii plus a skin. It stays complete until
// some grain has moved half a skin away from where it was when the list was made; then it is made anew. The
// order of a list depends on those reference positions only, so a resumed run sums forces in the same order.
#ifndef GRAINS_NEIGHBOURS_H
#define GRAINS_NEIGHBOURS_H

#include "grains/store.h"

#include "base/memory.h"

typedef struct Neighbours {
    double skin;          // [m]
    double *x, *y, *z;    // reference positions [m] (count)
    size_t count;         // of grains
    ARRAY(size_t) start;  // list of grain i is index[start[i]] ... index[start[i + 1] - 1]
    ARRAY(int32_t) index; // neighbours of all grains
    ARRAY(int32_t) cell;  // of each grain
    ARRAY(int32_t) order; // grains sorted by cell
    ARRAY(int32_t) first; // of each cell, in `order`
    int64_t rebuilds;     // how often the lists were made
} Neighbours;

MrcStatus neighbours_create(Neighbours *neighbours, const GrainStore *store, double skin, MrcError *error);
void neighbours_free(Neighbours *neighbours);

// Makes the lists anew if a grain moved too far. MRC_NOT_FINITE when a position is not finite any more.
MrcStatus neighbours_update(Neighbours *neighbours, const GrainStore *store, MrcError *error);

void neighbours_archive(Neighbours *neighbours, const GrainStore *store, Archive *archive);

#endif
