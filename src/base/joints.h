// Work that lies in a row and is shared out among threads without waiting.
//
// Pieces of work 0, 1, 2, ... such that each may disturb the next one, but no other: so that even pieces can
// be done side by side, and an odd piece when both of its neighbours are done. What is done is named
//
//     even u    piece 2u
//     joint u   piece 2u - 1, and whatever has to wait for pieces 2u - 1 and 2u, when even u - 1 and even u
//               are done (those of them that are there); there is one joint more than evens
//
// Threads take evens, one half of them from the front on and the others from the back, and the joints beside
// them as they become ready. A thread that is slower does less, and neighbouring pieces are still in its
// cache. Every piece disturbs its neighbours in a fixed order: the results are the same, whoever does what.
//
//     joints_begin(&joints);                                            // on one thread
//     for (int32_t u; (u = joints_claim(&joints, thread)) >= 0;) {      // on all
//         do_even(u);
//         joints_even_done(&joints, u);
//         for (int32_t k = u; k <= u + 1; k++)
//             if (joints_take(&joints, k)) do_joint(k);
//     }
//     for (int32_t k; (k = joints_find(&joints)) >= 0;) do_joint(k);
#ifndef BASE_JOINTS_H
#define BASE_JOINTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

typedef struct JointsRegion {           // of evens, for two threads first
    _Alignas(64) _Atomic uint64_t left; // those that nobody has taken: from, and to << 32
    uint32_t from, to;
} JointsRegion;

typedef struct Joint {
    _Alignas(64) _Atomic int waits_for; // so many evens; -1: somebody has taken it
} Joint;

typedef struct Joints {
    ARRAY(JointsRegion) regions;
    ARRAY(Joint) joints;
    _Atomic int32_t left; // joints that nobody has taken
} Joints;

bool joints_resize(Joints *joints, int32_t evens, int threads); // false: no memory
// Which evens are for which two threads first: as many in each region, unless this is called for each of
// them.
void joints_set_region(Joints *joints, size_t region, int32_t from, int32_t to);
void joints_free(Joints *joints);

void joints_begin(Joints *joints);
int32_t joints_claim(Joints *joints, int thread); // the next even for it; -1: all are taken
void joints_even_done(Joints *joints, int32_t even);
bool joints_take(Joints *joints, int32_t joint); // if it is ready and nobody has
int32_t joints_find(Joints *joints);             // waits for one that is; -1: all are taken

#endif
