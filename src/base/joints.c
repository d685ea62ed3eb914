#include "base/joints.h"

#include "base/threads.h"

bool joints_resize(Joints *j, int32_t evens, int threads) {
    size_t regions = (size_t)(threads + 1) / 2;
    if (!array_resize(&j->regions, regions) || !array_resize(&j->joints, (size_t)evens + 1)) return false;
    for (size_t r = 0; r < regions; r++)
        joints_set_region(j, r, (int32_t)((size_t)evens * r / regions),
                          (int32_t)((size_t)evens * (r + 1) / regions));
    return true;
}

void joints_set_region(Joints *j, size_t region, int32_t from, int32_t to) {
    j->regions.data[region].from = (uint32_t)from;
    j->regions.data[region].to = (uint32_t)to;
}

void joints_free(Joints *j) {
    array_free(&j->regions);
    array_free(&j->joints);
}

void joints_begin(Joints *j) {
    for (size_t r = 0; r < j->regions.count; r++) {
        JointsRegion *region = &j->regions.data[r];
        atomic_init(&region->left, (uint64_t)region->to << 32 | region->from);
    }
    for (size_t k = 0; k < j->joints.count; k++)
        atomic_init(&j->joints.data[k].waits_for, (k > 0) + (k + 1 < j->joints.count));
    atomic_init(&j->left, (int32_t)j->joints.count);
}

// The first even of a region that nobody has taken, or the last one; -1: there is none.
static int32_t claim(JointsRegion *region, bool backwards) {
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

int32_t joints_claim(Joints *j, int thread) {
    size_t regions = j->regions.count, own = (size_t)thread / 2;
    for (size_t k = 0; k < regions; k++) { // its own one, then those of others
        int32_t even = claim(&j->regions.data[(own + k) % regions], thread % 2);
        if (even >= 0) return even;
    }
    return -1;
}

void joints_even_done(Joints *j, int32_t even) {
    for (int32_t joint = even; joint <= even + 1; joint++)
        atomic_fetch_sub_explicit(&j->joints.data[joint].waits_for, 1, memory_order_acq_rel);
}

bool joints_take(Joints *j, int32_t joint) {
    _Atomic int *waits_for = &j->joints.data[joint].waits_for;
    int ready = 0;
    if (atomic_load_explicit(waits_for, memory_order_relaxed) != 0 ||
        !atomic_compare_exchange_strong_explicit(waits_for, &ready, -1, memory_order_acquire,
                                                 memory_order_relaxed))
        return false;
    atomic_fetch_sub_explicit(&j->left, 1, memory_order_relaxed);
    return true;
}

int32_t joints_find(Joints *j) {
    for (int looks = 0; atomic_load_explicit(&j->left, memory_order_relaxed) > 0; looks++) {
        for (int32_t joint = 0; joint < (int32_t)j->joints.count; joint++)
            if (joints_take(j, joint)) return joint;
        threads_pause(looks);
    }
    return -1;
}
