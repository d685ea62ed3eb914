// Neighbour lists: pairs of grains nearer than a skin, found with a grid of cells and kept for many steps.
//
// Grains are sorted by cell, so that neighbours are near in memory, and pair lists are made by plain vector
// loads of whole cells. Grain i lists the neighbours j > i. The lists are complete as long as no grain has
// moved more than half a skin, as seen from a frame that travels with the bed, from where it was when they
// were made.
#ifndef GRAINS_NEIGHBOURS_H
#define GRAINS_NEIGHBOURS_H

#include "base/memory.h"
#include "grains/periodic.h"
#include "grains/store.h"

typedef struct Neighbours {
    double skin;              // [m]
    double range;             // gap up to which pairs may cohere [m]
    const Periodic *periodic; // of the bed
    double *x, *y, *z;        // where the grains were when the lists were made [m] (count)
    double *scratch;          // (count)
    size_t count;             // of grains
    size_t capacity;          // of grains that there is room for
    ARRAY(int32_t) start;     // pairs of grain i are index[start[i]] ... index[start[i + 1] - 1]
    ARRAY(int32_t) index;     // their other grain
    ARRAY(int32_t) cell;      // of each grain
    ARRAY(int32_t) order;     // of the last sort: grain k was order[k] before
    ARRAY(int32_t) first;     // grain of each cell
    // Few grains may be far larger than the cells (neighbours.c).
    ARRAY(int32_t) large;               // which
    ARRAY(int32_t) met;                 // scratch: those near one of them
    ARRAY(int32_t) pair_low, pair_high; // pairs with them, the lower grain and the higher one
    ARRAY(int32_t)
    far_start, far; // the same by lower grain, as `start` and `index`; empty without large grains
    int64_t builds; // how often the lists were made
} Neighbours;

MrcStatus neighbours_create(Neighbours *neighbours, size_t count, double skin, const Periodic *periodic,
                            MrcError *error);
// Another number of grains: the lists must be made anew. `capacity`: how many there is to be room for.
MrcStatus neighbours_resize(Neighbours *neighbours, size_t count, size_t capacity, MrcError *error);
void neighbours_free(Neighbours *neighbours);

// Sorts the grains by place (n->order holds the permutation) and makes the lists for their present positions:
// `position` holds four numbers per grain, x, y, z first, and is sorted by the caller.
MrcStatus neighbours_build(Neighbours *neighbours, GrainStore *store, const double *position,
                           MrcError *error);

// Makes the lists for the reference positions without sorting: for loading a state.
MrcStatus neighbours_rebuild(Neighbours *neighbours, const GrainStore *store, MrcError *error);

#endif
