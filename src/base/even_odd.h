// Even-odd scheduling: pieces of work in a row, shared among threads without barriers.
//
// Each piece 0, 1, 2, ... writes to data of its own and of the next piece only. Even pieces are therefore
// independent of each other, and an odd piece may run when both of its neighbours are done. The tasks are
//
//     even u   piece 2u
//     odd u    piece 2u - 1, and all that depends on pieces 2u - 1 and 2u, once the tasks even u - 1 and even u
//              are done (those that exist); there is one odd task more than even ones
//
// Threads claim even tasks, half of the threads from the front and half from the back, and the odd tasks beside
// them as they become ready. A slower thread does fewer tasks, and neighbouring pieces are still in its cache.
// Pieces write to shared data in a fixed order: results do not depend on which thread does what.
//
//     even_odd_begin(&tasks);                                             // on one thread
//     for (int32_t u; (u = even_odd_claim_even(&tasks, thread)) >= 0;) {  // on all threads
//         do_even(u);
//         even_odd_finish_even(&tasks, u);
//         for (int32_t k = u; k <= u + 1; k++)
//             if (even_odd_claim_odd(&tasks, k)) do_odd(k);
//     }
//     for (int32_t k; (k = even_odd_wait_for_odd(&tasks)) >= 0;) do_odd(k);
#ifndef BASE_EVEN_ODD_H
#define BASE_EVEN_ODD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

typedef struct EvenOddRegion {          // even tasks that two threads claim first
    _Alignas(64) _Atomic uint64_t left; // range of those that are unclaimed: from, and to << 32
    uint32_t from, to;
} EvenOddRegion;

typedef struct EvenOddTask {            // an odd one
    _Alignas(64) _Atomic int waits_for; // number of even tasks it still waits for; -1: claimed
} EvenOddTask;

typedef struct EvenOdd {
    ARRAY(EvenOddRegion) regions;
    ARRAY(EvenOddTask) odds;
    _Atomic int32_t left; // odd tasks that are unclaimed
} EvenOdd;

bool even_odd_resize(EvenOdd *tasks, int32_t evens, int threads); // false: no memory
// The even tasks of a region. Without these calls all regions have the same number of them.
void even_odd_set_region(EvenOdd *tasks, size_t region, int32_t from, int32_t to);
void even_odd_free(EvenOdd *tasks);

void even_odd_begin(EvenOdd *tasks);
int32_t even_odd_claim_even(EvenOdd *tasks,
                            int thread); // the next even task for this thread; -1: none is left
void even_odd_finish_even(EvenOdd *tasks, int32_t even);
bool even_odd_claim_odd(EvenOdd *tasks, int32_t odd); // false: not ready, or claimed by another thread
int32_t even_odd_wait_for_odd(EvenOdd *tasks);        // waits for one that is ready; -1: none is left

#endif
