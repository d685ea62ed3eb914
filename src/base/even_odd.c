#include "base/even_odd.h"

#include "base/threads.h"

bool even_odd_resize(EvenOdd *t, int32_t evens, int threads) {
    size_t regions = (size_t)(threads + 1) / 2;
    if (!array_resize(&t->regions, regions) || !array_resize(&t->odds, (size_t)evens + 1)) return false;
    for (size_t r = 0; r < regions; r++)
        even_odd_set_region(t, r, (int32_t)((size_t)evens * r / regions),
                            (int32_t)((size_t)evens * (r + 1) / regions));
    return true;
}

void even_odd_set_region(EvenOdd *t, size_t region, int32_t from, int32_t to) {
    t->regions.data[region].from = (uint32_t)from;
    t->regions.data[region].to = (uint32_t)to;
}

void even_odd_free(EvenOdd *t) {
    array_free(&t->regions);
    array_free(&t->odds);
}

void even_odd_begin(EvenOdd *t) {
    for (size_t r = 0; r < t->regions.count; r++) {
        EvenOddRegion *region = &t->regions.data[r];
        atomic_init(&region->left, (uint64_t)region->to << 32 | region->from);
    }
    for (size_t k = 0; k < t->odds.count; k++)
        atomic_init(&t->odds.data[k].waits_for, (k > 0) + (k + 1 < t->odds.count));
    atomic_init(&t->left, (int32_t)t->odds.count);
}

// The first unclaimed even task of a region, or the last one; -1: there is none.
static int32_t even_odd_claim_in(EvenOddRegion *region, bool backwards) {
    uint64_t left = atomic_load_explicit(&region->left, memory_order_relaxed), rest;
    uint32_t from, to;
    do {
        from = (uint32_t)left, to = (uint32_t)(left >> 32);
        if (from >= to) return -1;
        rest = backwards ? (uint64_t)(to - 1) << 32 | from : (uint64_t)to << 32 | (from + 1);
    } while (!atomic_compare_exchange_weak_explicit(&region->left, &left, rest, memory_order_relaxed,
                                                    memory_order_relaxed));
    return (int32_t)(backwards ? to - 1 : from);
}

int32_t even_odd_claim_even(EvenOdd *t, int thread) {
    size_t regions = t->regions.count, own = (size_t)thread / 2;
    for (size_t k = 0; k < regions; k++) { // its own region, then those of other threads
        int32_t even = even_odd_claim_in(&t->regions.data[(own + k) % regions], thread % 2);
        if (even >= 0) return even;
    }
    return -1;
}

void even_odd_finish_even(EvenOdd *t, int32_t even) {
    for (int32_t odd = even; odd <= even + 1; odd++)
        atomic_fetch_sub_explicit(&t->odds.data[odd].waits_for, 1, memory_order_acq_rel);
}

bool even_odd_claim_odd(EvenOdd *t, int32_t odd) {
    _Atomic int *waits_for = &t->odds.data[odd].waits_for;
    int ready = 0;
    if (atomic_load_explicit(waits_for, memory_order_relaxed) != 0 ||
        !atomic_compare_exchange_strong_explicit(waits_for, &ready, -1, memory_order_acquire,
                                                 memory_order_relaxed))
        return false;
    atomic_fetch_sub_explicit(&t->left, 1, memory_order_relaxed);
    return true;
}

int32_t even_odd_wait_for_odd(EvenOdd *t) {
    for (int looks = 0; atomic_load_explicit(&t->left, memory_order_relaxed) > 0; looks++) {
        for (int32_t odd = 0; odd < (int32_t)t->odds.count; odd++)
            if (even_odd_claim_odd(t, odd)) return odd;
        threads_pause(looks);
    }
    return -1;
}
